# SPDX-License-Identifier: Apache-2.0
"""Parameters, checked before anything is built: against the ranges of the block's port list (B_PARAM of cmodel/blocks/<b>.h) and the rules
of its manifest.  The manifest's own sets, PARAMS= and VEC= of make, the parameters of synth, prove and formal: all pass legal().  A set that no
manifest has is called custom_Parameter_value_..., so that no two share a build.
usage: python3 -B -m cosim.params BLOCK "Key=Value ..."    prints the first error in them, or nothing: for make describe"""
import argparse
import ast
import functools
import hashlib
import operator
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from cosim import manifest, parts
from cosim.manifest import ROOT, Limits, Manifest, ParamError, Params, Rule, nearest

OPERATORS: dict[type, Callable[..., int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Not: operator.not_,
}
LONGEST = 120  # characters of a set's name: names of files are made from it
UNROLL = [
    '--unroll-count',
    '4096',
]  # options of Verilator: without them it refuses a loop of more than 64 turns that assigns words of a memory at an edge
FUNCTIONS: dict[str, Callable[..., int]] = {
    'min': min,
    'max': max,
    'log2': lambda n: (n - 1).bit_length(),
    'power_of_two': lambda n: n > 0 and n & (n - 1) == 0,
}


def whole_number(text: str) -> int:
    """For argparse: how many jobs, or seconds."""
    if not re.fullmatch(r'[1-9][0-9]{0,8}', text):
        raise argparse.ArgumentTypeError(f'found "{text}", expected a whole number from 1 on')
    return int(text)


def known_block(name: str, where: str = 'BLOCK') -> None:
    manifest.one_of(name, manifest.blocks(), where)


def evaluate(node: ast.expr, names: Params) -> int:
    """A constant expression of C, as the port lists have them, or one over parameters, as the manifests' rules are."""

    def value(n: ast.expr) -> int:
        return evaluate(n, names)

    match node:
        case ast.BinOp():
            return OPERATORS[type(node.op)](value(node.left), value(node.right))
        case ast.UnaryOp():
            return OPERATORS[type(node.op)](value(node.operand))
        case ast.BoolOp():
            return (all if isinstance(node.op, ast.And) else any)(map(value, node.values))
        case ast.Compare():
            sides = [node.left, *node.comparators]
            return all(OPERATORS[type(op)](value(a), value(b)) for a, op, b in zip(sides, node.ops, sides[1:]))
        case ast.Call():
            return FUNCTIONS[node.func.id](*map(value, node.args))  # type: ignore[attr-defined]  # another call is refused by its missing id
        case ast.Name():
            return names[node.id]
    return node.value  # type: ignore[attr-defined]  # as any other expression is by its missing value


def constant(text: str) -> int:
    return evaluate(ast.parse(text.strip(), mode='eval').body, {})


@functools.cache
def limits_of(blocks: tuple[str, ...], root: Path = ROOT) -> dict[str, Limits]:
    """block -> name -> (default, minimum, maximum), with one run of the preprocessor."""
    source = (
        ''.join(f'#include "{b}.h"\n' for b in blocks)
        + '#define P(name, def, min, max, text) @ name ; def ; min ; max @\n'
    )
    source += ''.join(f'%\n{b.upper()}_PARAM(P)\n' for b in blocks)
    out = subprocess.run(
        ['gcc', '-E', '-P', f'-I{root}/cmodel/blocks', '-'], input=source, capture_output=True, text=True
    )
    if out.returncode:
        lists = [root / f'cmodel/blocks/{b}.h' for b in blocks]
        said = f'cmodel/blocks/{blocks[0] if len(blocks) == 1 else "*"}.h: {out.stderr.strip().splitlines()[0]}'
        raise ParamError(next((w.removeprefix(f'{root}/') for w in parts.malformed(lists)), said))
    found: dict[str, Limits] = {}
    for block, text in zip(blocks, out.stdout.split('%')[-len(blocks) :]):
        rows = (row.split(';') for row in re.findall(r'@([^@]*)@', text))
        found[block] = {
            name.strip(): (constant(default), constant(low), constant(high)) for name, default, low, high in rows
        }
    return found


def limits(block: str, root: Path = ROOT) -> Limits:
    """name -> (default, minimum, maximum)."""
    return limits_of((block,), root)[block]


def check_value(name: str, text: str, known: Limits, where: str) -> int:
    """One value; `known`: the result of limits()."""
    if name not in known:
        raise ParamError(f'{where}: found "{name}", expected one of {", ".join(known)}{nearest(name, known)}')
    _, low, high = known[name]
    if not re.fullmatch(r'0|[1-9][0-9]{0,18}', text) or not low <= int(text) <= high:
        raise ParamError(f'{where}: found {name}={text}, expected {name} from {low} to {high}')
    return int(text)


def broken(listed: Manifest, values: Params) -> Rule | None:
    """The first rule of a manifest that these values of all parameters break; None: they keep all."""
    for rule in listed.rules:
        try:
            if not evaluate(rule.tree, values):
                return rule
        except (KeyError, AttributeError, TypeError):
            raise ParamError(
                f'{rule.where}: expected an expression over {", ".join(values)}, with {", ".join(FUNCTIONS)}'
            ) from None
    return None


def in_numbers(tree: ast.expr, values: Params) -> str:
    """The sides of a comparison, calculated."""
    if not isinstance(tree, ast.Compare):
        return ''
    left, *rest = (ast.Constant(evaluate(side, values)) for side in (tree.left, *tree.comparators))
    return f' (here {ast.unparse(ast.Compare(left, tree.ops, rest))})'


def legal(listed: Manifest, chosen: Params, known: Limits, where: str) -> None:
    """Refuses parameters, name -> number, that break a range or a rule of the block; `listed`: its manifest, `known`: the result of limits()."""
    for name, number in chosen.items():
        check_value(name, str(number), known, where)
    values = whole(chosen, known)
    rule = broken(listed, values)
    if rule:
        found = [
            f'{n}={v}{"" if n in chosen else " by default"}'
            for n, v in values.items()
            if re.search(rf'\b{n}\b', rule.text)
        ]
        raise ParamError(
            f'{where}: found {", ".join(found)}; expected {rule.text}{in_numbers(rule.tree, values)}: {rule.why}'
        )


def check(words: list[str], block: str, where: str, root: Path = ROOT) -> Params:
    """Key=Value words as a dictionary in the order of their names."""
    known = limits(block, root)
    found: Params = {}
    for word in words:
        name, eq, text = word.partition('=')
        if not eq:
            raise ParamError(f'{where}: found "{word}", expected Parameter=value ... with {", ".join(known)}')
        if name in found:
            raise ParamError(f'{where}: found {name} twice, expected it once')
        found[name] = check_value(name, text, known, where)
    legal(manifest.read(block, root), found, known, where)
    return {name: found[name] for name in sorted(found)}


def custom(params: Params) -> str:
    """The name of a set, its parameters: of equal ones the same, of others another.  A name that is too long for a file ends in a digest."""
    words = [f'{n}_{params[n]}' for n in sorted(params)]
    name = '_'.join(['custom', *words])
    return name if len(name) <= LONGEST else f'{name[:LONGEST - 9]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}'


def set_of(block: str, text: str) -> tuple[str, str, Params]:
    """(block, name, parameters) of PARAMS."""
    known_block(block, 'PARAMS needs one BLOCK')
    params = check(text.split(), block, f'PARAMS of {block}')
    return block, custom(params), params


def whole(params: Params, known: Limits) -> Params:
    return {n: params.get(n, default) for n, (default, _, _) in known.items()}


def set_of_vec(path: str, block: str, wanted: str, text: str) -> tuple[str, str, Params]:
    """A .vec file names its block and all its parameters; the named set that has them, else one of its own.  Other parameters
    (BLOCK, SET, PARAMS) have to agree."""
    try:
        head = Path(path).read_text(errors='replace').split('\n', 64)[:64]
    except OSError as e:
        raise ParamError(f'VEC={path}: {e.strerror}') from None
    found = {w[0]: w[1:] for w in (line.split() for line in head) if w and w[0] in ('memtwin-vec', 'block', 'params')}
    if 'memtwin-vec' not in found or len(found.get('block', [])) != 1:
        raise ParamError(f'VEC={path}: no .vec file, expected a line memtwin-vec 1 and a line block NAME')
    name = found['block'][0]
    known_block(name, f'VEC={path}: block')
    if block not in ('', name):
        raise ParamError(f'VEC={path}: found a file of {name}, expected one of BLOCK={block}')
    known = limits(name)
    params = check(found.get('params', []), name, f'VEC={path}: params')
    here = ' '.join(found.get('params', []))
    if text:
        given = check(text.split(), name, f'PARAMS of {name}')
        if whole(given, known) != whole(params, known):
            raise ParamError(f'VEC={path}: found a file of {here}, expected one of PARAMS="{text}"')
        return name, custom(given), given
    sets = manifest.read(name).sets
    own = [s for s, p in sets.items() if whole(p, known) == whole(params, known)] or [custom(params)]
    if wanted and wanted not in own:
        raise ParamError(f'VEC={path}: found a file of {here} ({own[0]}), expected one of SET={wanted}')
    chosen = wanted or own[0]
    return name, chosen, sets.get(chosen, params)


def main() -> int:
    block, text = sys.argv[1:]
    try:
        if not block or ' ' in block:
            raise ParamError(f'describe needs one BLOCK=, found "{block}"')
        known_block(block)
        check(text.split(), block, f'parameters of {block}')
    except ParamError as e:
        print(e, file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
