"""Which configurations of a block to prove: tb/prove/<block>.sizes, or else the named sets of rtl/<block>/<block>.params."""
import itertools
import re

from block import BlockError
from params import ParamError, check_value, nearest


def value(text, chosen, where):
    """A number, or Name/number or Name-number over a parameter that stands before it in the line."""
    m = re.fullmatch(r'(\w+)([/-])(\d+)', text)
    if m and m[1] in chosen:
        return chosen[m[1]] // int(m[3]) if m[2] == '/' else chosen[m[1]] - int(m[3])
    if not text.isdigit():
        raise BlockError(f'{where}: {text}: expected a number, or Parameter/number')
    return int(text)


def expand(line, params, where):
    """Every combination of one line of Parameter=a,b,... as a configuration of all parameters."""
    names, lists = [], []
    for word in line.split():
        name, eq, values = word.partition('=')
        if not eq or name not in params:
            raise BlockError(f'{where}: {word}: expected Parameter=values with one of {", ".join(params)}{nearest(name, params)}')
        if name in names:
            raise BlockError(f'{where}: {word}: {name} stands there twice')
        names.append(name)
        lists.append(values.split(','))
    for texts in itertools.product(*lists):
        chosen = {}
        for name, text in zip(names, texts):
            chosen[name] = value(text, chosen, where)
        cfg = {n: chosen.get(n, default) for n, (_, default, _, _) in params.items()}
        try:
            for n in chosen:
                check_value(n, str(cfg[n]), {name: limits for name, (_, *limits) in params.items()}, where)
        except ParamError as e:
            raise BlockError(str(e)) from None
        yield cfg


def lines(path):
    for k, line in enumerate(path.read_text().splitlines()):
        line = line.split('#')[0].strip()
        if line:
            yield f'{path.name}:{k + 1}', *line.split(None, 1)


def configurations(block, params, here, deep, sizes):
    """sizes: '' (the tiers), numbers (the tiers, but only those values of the first parameter), or Parameter=values."""
    if '=' in sizes:
        return list(expand(sizes, params, f'SIZES of {block.name}'))
    strange = [n for n in sizes.split() if not n.isdigit()]
    if strange:
        raise BlockError(f'SIZES: {strange[0]}: expected values of {next(iter(params))}, or Parameter=values with {", ".join(params)}')
    found = []
    own, named = here / f'{block.name}.sizes', block.rtl_root / block.name / f'{block.name}.params'
    if own.exists():
        for where, tier, line in lines(own):
            if tier not in ('quick', 'deep'):
                raise BlockError(f'{where}: {tier}: expected quick or deep')
            if tier == 'quick' or deep:
                found += expand(line, params, where)
    if not own.exists() and named.exists():
        for where, _, line in lines(named):
            found += expand(line, params, where)
    if not found:
        raise BlockError(f'{block.name}: no sizes to prove: write {own.name} or {named.name}')
    unique = [dict(t) for t in dict.fromkeys(tuple(c.items()) for c in found)]
    first = next(iter(params))
    wanted = {int(n) for n in sizes.split()}
    return [c for c in unique if not wanted or c[first] in wanted]
