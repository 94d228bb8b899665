# SPDX-License-Identifier: Apache-2.0
"""Which configurations of a block to prove: the section [prove] of its manifest."""
import itertools
import re
from collections.abc import Iterator
from typing import Any

from cosim import manifest
from cosim.manifest import Manifest
from cosim.params import ParamError, legal, nearest
from tb.prove.block import Block, BlockError


def value(text: str, chosen: dict[str, int], where: str) -> int:
    """A number, or Name/number or Name-number over a parameter that stands before it in the line."""
    m = re.fullmatch(r'(\w+)([/-])(\d+)', text)
    if m and m[1] in chosen:
        return chosen[m[1]] // int(m[3]) if m[2] == '/' else chosen[m[1]] - int(m[3])
    if not text.isdigit():
        raise BlockError(f'{where}: {text}: expected a number, or Parameter/number')
    return int(text)


def expand(line: str, params: dict[str, tuple[Any, ...]], where: str, listed: Manifest) -> Iterator[dict[str, int]]:
    """Every combination of one line of Parameter=a,b,... as a configuration of all parameters; `listed`: the block's manifest."""
    known = {name: (default, low, high) for name, (_, default, low, high) in params.items()}
    names, lists = [], []
    for word in line.split():
        name, eq, values = word.partition('=')
        if not eq or name not in params:
            raise BlockError(
                f'{where}: {word}: expected Parameter=values with one of {", ".join(params)}{nearest(name, params)}'
            )
        if name in names:
            raise BlockError(f'{where}: {word}: {name} stands there twice')
        names.append(name)
        lists.append(values.split(','))
    for texts in itertools.product(*lists):
        chosen: dict[Any, Any] = {}
        for name, text in zip(names, texts):
            chosen[name] = value(text, chosen, where)
        try:
            legal(listed, chosen, known, where)
        except ParamError as e:
            raise BlockError(str(e)) from None
        yield {n: chosen.get(n, default) for n, (default, _, _) in known.items()}


def configurations(block: Block, params: dict[str, tuple[Any, ...]], deep: bool, sizes: str) -> list[dict[str, int]]:
    """sizes: '' (the tiers), numbers (the tiers, but only those values of the first parameter), or Parameter=values."""
    try:
        listed = manifest.read(block.name, block.rtl_root.parent)
    except ParamError as e:
        raise BlockError(str(e)) from None
    if '=' in sizes:
        return list(expand(sizes, params, f'SIZES of {block.name}', listed))
    strange = [n for n in sizes.split() if not n.isdigit()]
    if strange:
        raise BlockError(
            f'SIZES: {strange[0]}: expected values of {next(iter(params))}, or Parameter=values with {", ".join(params)}'
        )
    found = [cfg for where, line in listed.sizes(deep) for cfg in expand(line, params, where, listed)]
    if not found:
        raise BlockError(
            f'{listed.where("prove")}: found no sizes to prove, expected quick = ["Parameter=value,value ..."]'
        )
    unique = [dict(t) for t in dict.fromkeys(tuple(c.items()) for c in found)]
    first = next(iter(params))
    wanted = {int(n) for n in sizes.split()}
    return [c for c in unique if not wanted or c[first] in wanted]
