# SPDX-License-Identifier: Apache-2.0
"""Arithmetic in text, checked: Python parses it, and nothing else of Python is reachable from it.  Expression is that of studies, checked before
anything runs; Formula is that of measurements (synth), over a table of names.

    gpu.ipc / base(gpu.ipc)                         a dotted name is a counter of the point
    1000 * l1d.rf.total / gpu.warp_instructions
    option(l1d.ways), sweep(warps), speedup         an option of its machine, its place in a sweep, another metric
    workload(blocks)                                a number that the file gives with the workload
    case("static", gpu.ipc), best_max(gpu.ipc)      the same workload elsewhere: in a case, over the case's own sweeps
    energy(), energy(dram), area(), fmax()          uJ of the run or of a part of it; mm^2 and least Fmax of the machine's blocks
    area_um2 / 1e6, state["tag_q"], storage.array_um2(4, 140, 45)       a Formula: names, tables of them, functions
"""
import ast
import difflib
import keyword
import math
import operator
import re

OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
PLAIN = {"min": min, "max": max, "abs": abs, "sqrt": math.sqrt, "log": math.log}
OVER = {"best_max": max, "best_min": min, "best_mean": lambda values: sum(values) / len(values)}
COUNTERS = {"area": "area.blocks", "fmax": "fmax.blocks"}  # without a value, of memtwin run --energy
MICROJOULE = 1e9  # femtojoules
OF_ENERGY = [*COUNTERS, "energy"]
FUNCTIONS = [*PLAIN, *OVER, *OF_ENERGY, "base", "case", "option", "sweep", "workload"]


class Bad(Exception):
    """An error in a study file."""


class Undefined(Exception):
    """A missing value: a division by zero, a failed point, a case that this workload does not have."""


def nearest(name, names):
    found = difflib.get_close_matches(name, list(names), 1, 0.5)
    return f'; the nearest is "{found[0]}"' if found else ""


def parse(text):
    """Parses an expression.  Parts of a name may be Python keywords: pcie.in.bytes is parsed as pcie.in_.bytes."""
    text = re.sub(r"\.([a-z]+)\b", lambda m: m[0] + "_" * keyword.iskeyword(m[1]), text.strip())
    return ast.parse(text, mode="eval").body


def dotted(node):
    """The dotted name of a chain of attributes, or None."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        left = dotted(node.value)
        own = node.attr[:-1] if keyword.iskeyword(node.attr[:-1]) else node.attr
        return left and f"{left}.{own}"
    return None


class Names:
    """The names that an expression may use."""

    def __init__(self, counters, options, sweeps, cases, metrics, numbers, parts=()):
        self.parts = parts  # of the energy
        self.counters, self.options, self.sweeps, self.cases, self.metrics, self.numbers = (
            counters,
            options,
            sweeps,
            cases,
            metrics,
            numbers,
        )


class Arithmetic:
    """Numbers, + - * / ** and brackets.  A subclass adds other leaves: leaf() checks one, leaf_value() evaluates it at a place."""

    over = ""  # the set of legal names

    def __init__(self, text):
        self.text = text
        try:
            self.tree = parse(text)
        except (SyntaxError, ValueError) as e:
            raise Bad(f'found "{text}", expected arithmetic over {self.over} ({e.args[0]})') from None
        self.check(self.tree)

    def bad(self, found, expected):
        raise Bad(f'found {found} in "{self.text}", expected {expected}')

    def check(self, node):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            pass
        elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            self.check(node.left)
            self.check(node.right)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            self.check(node.operand)
        else:
            self.leaf(node)

    def at(self, node, place):
        if isinstance(node, ast.Constant):
            return float(node.value)  # a large integer power would not terminate
        if isinstance(node, ast.UnaryOp):
            return -self.at(node.operand, place)
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](self.at(node.left, place), self.at(node.right, place))
        return self.leaf_value(node, place)

    def value(self, place):
        """A float; raises Undefined if there is none."""
        try:
            value = float(self.at(self.tree, place))
        except (ZeroDivisionError, OverflowError, ValueError, TypeError):
            raise Undefined from None
        if not math.isfinite(value):
            raise Undefined
        return value


class Formula(Arithmetic):
    """Over a table of names: numbers, tables of them, and functions of numbers and texts."""

    over = "names"

    def __init__(self, text, names):
        self.names = names
        super().__init__(text)

    def known(self, name, names, what):
        if name not in names:
            self.bad(f'unknown {what} "{name}"', ", ".join(sorted(map(str, names))) + nearest(str(name), names))
        return names[name]

    def table(self, node):
        """The table of a subscript: a name, or the result of a function."""
        self.leaf(node)
        found = self.leaf_value(node)
        if not isinstance(found, dict):
            self.bad(f'"{ast.unparse(node)}", which is no table', "a table")
        return found

    def leaf(self, node):
        if dotted(node) is not None:
            self.known(dotted(node), self.names, "name")
        elif isinstance(node, ast.Subscript):
            self.leaf_value(node)
        elif isinstance(node, ast.Call):
            if not callable(self.known(dotted(node.func), self.names, "function")):
                self.bad(f'"{ast.unparse(node)}"', f"a function, which {dotted(node.func)} is not")
            for a in [*node.args, *(k.value for k in node.keywords)]:
                if not (isinstance(a, ast.Constant) and isinstance(a.value, (str, bool))):
                    self.check(a)
        else:
            self.bad(f'"{ast.unparse(node)}"', 'numbers, + - * / **, a name, TABLE["KEY"] or FUNCTION(...)')

    def leaf_value(self, node, place=None):
        if isinstance(node, ast.Subscript):
            key = node.slice.value if isinstance(node.slice, ast.Constant) else ast.unparse(node.slice)
            return self.known(key, self.table(node.value), f"key of {ast.unparse(node.value)}")
        if isinstance(node, ast.Call):
            return self.names[dotted(node.func)](
                *(self.argument(a) for a in node.args), **{k.arg: self.argument(k.value) for k in node.keywords}
            )
        return self.names[dotted(node)]

    def argument(self, node):
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, bool)):
            return node.value
        value = self.at(node, None)
        return int(value) if isinstance(value, float) and value.is_integer() else value

    def result(self):
        """The value; raises Bad if there is none."""
        try:
            return self.value(None)
        except Undefined:
            self.bad("no value (a division by zero, or a table)", "a number")


def filled(text, names):
    """A text with {EXPRESSION} and {EXPRESSION:FORMAT} replaced by their values."""

    def fill(match):
        value, form = Formula(match[1], names).result(), match[2] or ""
        try:
            return format(int(value) if value.is_integer() and "." not in form else value, form)
        except ValueError:
            raise Bad(f'found the format "{form}" in "{match[0]}", expected one of Python\'s, as :,.2f') from None

    return re.sub(r"\{([^{}:]+)(?::([^{}]*))?\}", fill, " ".join(text.split()))


class Expression(Arithmetic):
    """A parsed and checked expression.  value(place) returns a float or raises Undefined; a place provides the current point."""

    over = "counters"

    def __init__(self, text, names):
        self.names = names
        self.called, self.named, self.counters = set(), set(), set()  # functions; metrics of this file; counters
        super().__init__(text)

    def leaf(self, node):
        name = dotted(node)
        if name is not None:
            self.check_name(name)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            self.check_call(node.func.id, node.args)
        else:
            self.bad(
                f'"{ast.unparse(node)}"', "numbers, counters, + - * / **, and " + ", ".join(f"{f}()" for f in FUNCTIONS)
            )

    def check_name(self, name):
        known = self.names.counters if "." in name else self.names.metrics
        what = "counter" if "." in name else "metric of this file"
        if name not in known:
            also = ' (an option is meant: option(...)?)' if name in self.names.options else ""
            self.bad(
                f'unknown {what} "{name}"',
                ("one of memtwin list stats" if "." in name else "one of [metrics]") + nearest(name, known) + also,
            )
        (self.counters if "." in name else self.named).add(name)

    def check_call(self, function, args):
        self.called.add(function)
        if function not in FUNCTIONS:
            self.bad(f'unknown function "{function}"', ", ".join(FUNCTIONS) + nearest(function, FUNCTIONS))
        if function in OF_ENERGY:
            self.check_energy(function, [dotted(a) for a in args])
            return
        if function in ("option", "sweep", "workload"):
            known = {"option": self.names.options, "sweep": self.names.sweeps, "workload": self.names.numbers}[function]
            name = dotted(args[0]) if len(args) == 1 else None
            if name not in known:
                self.bad(
                    f'{function}({", ".join(map(ast.unparse, args))})',
                    f"the name of one {'number of a workload' if function == 'workload' else function}"
                    + nearest(str(name), known),
                )
            return
        if function == "case":
            name = args[0].value if args and isinstance(args[0], ast.Constant) else None
            if len(args) != 2 or name not in self.names.cases:
                self.bad(
                    f'case({", ".join(map(ast.unparse, args))})',
                    'case("NAME", EXPRESSION)' + nearest(str(name), self.names.cases),
                )
            args = args[1:]
        most = 9 if function in ("min", "max") else 1
        if not 1 <= len(args) <= most:
            self.bad(f"{len(args)} values for {function}()", "1" if most == 1 else f"1 to {most}")
        for a in args:
            self.check(a)

    def check_energy(self, function, args):
        if function in COUNTERS and args:
            self.bad(f'{function}({", ".join(map(str, args))})', f"{function}()")
        if len(args) > 1 or (args and args[0] not in self.names.parts):
            self.bad(
                f'energy({", ".join(map(str, args))})',
                f"energy() or energy(PART), of {', '.join(self.names.parts)}" + nearest(str(args[0]), self.names.parts),
            )
        self.counters.add(COUNTERS.get(function) or f"energy.{args[0] if args else 'total'}")

    def uses(self, function):
        """Whether the function is called here or in a metric that this one names."""
        return function in self.called or any(self.names.metrics[m].expression.uses(function) for m in self.named)

    def counters_used(self):
        """Counters used here and in metrics that this one names."""
        return self.counters.union(*(self.names.metrics[m].expression.counters_used() for m in self.named))

    def is_ratio(self):
        return isinstance(self.tree, ast.BinOp) and isinstance(self.tree.op, ast.Div)

    def ratio(self, place):
        """Both sides of A / B."""
        return self.at(self.tree.left, place), self.at(self.tree.right, place)

    def leaf_value(self, node, place):
        name = dotted(node)
        if name is not None:
            return place.counter(name) if "." in name else place.metric(self.names.metrics[name])
        return self.call(node.func.id, node.args, place)

    def call(self, function, args, place):
        if function in PLAIN:
            values = [self.at(a, place) for a in args]
            return PLAIN[function](values) if function in ("min", "max") else PLAIN[function](*values)
        if function in OVER:
            return OVER[function]([self.at(args[0], p) for p in place.over_sweeps()])
        if function in COUNTERS:
            return place.counter(COUNTERS[function])
        if function == "energy":
            return place.counter(f"energy.{dotted(args[0]) if args else 'total'}") / MICROJOULE
        if function == "base":
            return self.at(args[0], place.base())
        if function == "case":
            return self.at(args[1], place.case(args[0].value))
        return {"option": place.option, "sweep": place.sweep, "workload": place.number}[function](dotted(args[0]))
