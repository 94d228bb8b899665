"""The little language of metrics: arithmetic over counters, checked before anything runs.  Nothing of Python is reachable from it.

    gpu.ipc / base(gpu.ipc)                         a dotted name is a counter of the point
    1000 * l1d.rf.total / gpu.warp_instructions
    option(l1d.ways), sweep(warps), speedup         an option of its machine, its place in a sweep, another metric
    workload(blocks)                                a number that the file gives with the workload
    case("static", gpu.ipc), best_max(gpu.ipc)      the same workload elsewhere: in a case, over the case's own sweeps
"""
import ast
import difflib
import keyword
import math
import operator
import re

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.Pow: operator.pow}
PLAIN = {"min": min, "max": max, "abs": abs, "sqrt": math.sqrt, "log": math.log}
OVER = {"best_max": max, "best_min": min, "best_mean": lambda values: sum(values) / len(values)}
FUNCTIONS = [*PLAIN, *OVER, "base", "case", "option", "sweep", "workload"]


class Bad(Exception):
    """Something in a study's file that cannot be meant."""


class Undefined(Exception):
    """A value that does not exist: a division by zero, a point that failed, a case that this workload lacks."""


def nearest(name, names):
    found = difflib.get_close_matches(name, list(names), 1, 0.5)
    return f'; the nearest is "{found[0]}"' if found else ""


def parse(text):
    """A part of a name may be a word of Python's: pcie.in.bytes is parsed as pcie.in_.bytes."""
    text = re.sub(r"\.([a-z]+)\b", lambda m: m[0] + "_" * keyword.iskeyword(m[1]), text.strip())
    return ast.parse(text, mode="eval").body


def dotted(node):
    """The name that a chain of attributes spells; None if it is something else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        left = dotted(node.value)
        own = node.attr[:-1] if keyword.iskeyword(node.attr[:-1]) else node.attr
        return left and f"{left}.{own}"
    return None


class Names:
    """What an expression may speak of."""

    def __init__(self, counters, options, sweeps, cases, metrics, numbers):
        self.counters, self.options, self.sweeps, self.cases, self.metrics, self.numbers = counters, options, sweeps, cases, metrics, numbers


class Expression:
    """Parsed and checked.  value(place) gives a float or raises Undefined; a place knows the point that is looked at."""

    def __init__(self, text, names):
        self.text, self.names = text, names
        self.called, self.named = set(), set()  # functions; metrics of this file
        try:
            self.tree = parse(text)
        except (SyntaxError, ValueError) as e:
            raise Bad(f'found "{text}", expected arithmetic over counters ({e.args[0]})') from None
        self.check(self.tree)

    def bad(self, found, expected):
        raise Bad(f'found {found} in "{self.text}", expected {expected}')

    def check(self, node):
        name = dotted(node)
        if name is not None:
            self.check_name(name)
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            pass
        elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            self.check(node.left)
            self.check(node.right)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            self.check(node.operand)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            self.check_call(node.func.id, node.args)
        else:
            self.bad(f'"{ast.unparse(node)}"', "numbers, counters, + - * / **, and " + ", ".join(f"{f}()" for f in FUNCTIONS))

    def check_name(self, name):
        known = self.names.counters if "." in name else self.names.metrics
        what = "counter" if "." in name else "metric of this file"
        if name not in known:
            also = ' (an option is meant: option(...)?)' if name in self.names.options else ""
            self.bad(f'unknown {what} "{name}"', ("one of memtwin list stats" if "." in name else "one of [metrics]") + nearest(name, known) + also)
        if "." not in name:
            self.named.add(name)

    def check_call(self, function, args):
        self.called.add(function)
        if function not in FUNCTIONS:
            self.bad(f'unknown function "{function}"', ", ".join(FUNCTIONS) + nearest(function, FUNCTIONS))
        if function in ("option", "sweep", "workload"):
            known = {"option": self.names.options, "sweep": self.names.sweeps, "workload": self.names.numbers}[function]
            name = dotted(args[0]) if len(args) == 1 else None
            if name not in known:
                self.bad(f'{function}({", ".join(map(ast.unparse, args))})', f"the name of one {'number of a workload' if function == 'workload' else function}" + nearest(str(name), known))
            return
        if function == "case":
            name = args[0].value if args and isinstance(args[0], ast.Constant) else None
            if len(args) != 2 or name not in self.names.cases:
                self.bad(f'case({", ".join(map(ast.unparse, args))})', 'case("NAME", EXPRESSION)' + nearest(str(name), self.names.cases))
            args = args[1:]
        most = 9 if function in ("min", "max") else 1
        if not 1 <= len(args) <= most:
            self.bad(f"{len(args)} values for {function}()", "1" if most == 1 else f"1 to {most}")
        for a in args:
            self.check(a)

    def uses(self, function):
        """Is the function called, here or in a metric that this one names?"""
        return function in self.called or any(self.names.metrics[m].expression.uses(function) for m in self.named)

    def is_ratio(self):
        return isinstance(self.tree, ast.BinOp) and isinstance(self.tree.op, ast.Div)

    def ratio(self, place):
        """Both sides of A / B."""
        return self.at(self.tree.left, place), self.at(self.tree.right, place)

    def value(self, place):
        try:
            value = float(self.at(self.tree, place))
        except (ZeroDivisionError, OverflowError, ValueError, TypeError):
            raise Undefined from None
        if not math.isfinite(value):
            raise Undefined
        return value

    def at(self, node, place):
        name = dotted(node)
        if name is not None:
            return place.counter(name) if "." in name else place.metric(self.names.metrics[name])
        if isinstance(node, ast.Constant):
            return float(node.value)  # an integer to a large power would never end
        if isinstance(node, ast.UnaryOp):
            return -self.at(node.operand, place)
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](self.at(node.left, place), self.at(node.right, place))
        return self.call(node.func.id, node.args, place)

    def call(self, function, args, place):
        if function in PLAIN:
            values = [self.at(a, place) for a in args]
            return PLAIN[function](values) if function in ("min", "max") else PLAIN[function](*values)
        if function in OVER:
            return OVER[function]([self.at(args[0], p) for p in place.over_sweeps()])
        if function == "base":
            return self.at(args[0], place.base())
        if function == "case":
            return self.at(args[1], place.case(args[0].value))
        return {"option": place.option, "sweep": place.sweep, "workload": place.number}[function](dotted(args[0]))
