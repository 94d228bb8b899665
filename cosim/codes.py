# SPDX-License-Identifier: Apache-2.0
"""Compares a block's port list with its RTL: result codes and states (B_CODES of cmodel/blocks/<b>.h against localparams) and the
legal ranges of parameters (B_PARAM).  Pure functions of texts, called by `make check`."""
import os
import re
from collections.abc import Iterator

from cosim import parts
from cosim.manifest import Limits

SIDES = {'low': 'lowest value', 'high': 'highest value'}
LOCALPARAM = re.compile(r'\blocalparam\s+(?:logic(?:\s*\[[^]]*\])?|int)\s+([^;]*);')
RULE = re.compile(r'`\w*PARAM_CHECK\(\s*\w+\s*,((?:[^()]|\([^()]*(?:\([^()]*\)[^()]*)*\))*)\)')
ATOM = re.compile(r'\b([A-Z]\w*) (<=|>=|<|>) (\w+)(?! *[-+*<>(])')
FLAG = re.compile(r'\b(\w+) == 0 \|\| \1 == 1')


def camel(code: str, prefix: str) -> str:
    return ''.join(word.capitalize() for word in code.removeprefix(prefix).split('_'))


def lists(text: str) -> dict[str, list[tuple[str, str]]]:
    """Macro -> (code, value) of every value list in the text."""
    found = re.findall(r'^#define (\w+)\(X\)((?:.*\\\n)*.*)$', text, re.M)
    return {name: re.findall(r'\bX\((\w+), *(\d+), *"', body) for name, body in found}


def enums(text: str, shared: str) -> dict[str, dict[str, int]]:
    """Enum -> {code: value} of the enums that B_CODES names; their lists may be in `shared`, the texts of other headers."""
    known = lists(shared + text)
    return {
        name: {code: int(value) for code, value in known.get(macro, [])} for name, macro in parts.listed(text, 'CODES')
    }


def rtl_name(codes: dict[str, int]) -> dict[str, int]:
    """RTL name -> value of one enum; the common prefix of its codes is removed."""
    prefix = os.path.commonprefix(list(codes))
    prefix = prefix[: prefix.rfind('_') + 1]
    return {camel(code, prefix): value for code, value in codes.items()}


def constants(rtl: str) -> dict[str, tuple[int, bool]]:
    """name -> (value, whether it has a width), of localparams that are plain numbers."""
    found = {}
    for body in LOCALPARAM.findall(rtl):
        for name, width, value in re.findall(r"(\w+)\s*=\s*(\d+'d)?(\d+)\s*(?:,|$)", body):
            found[name] = (int(value), bool(width))
    return found


def wrong_codes(text: str, shared: str, rtl: str) -> Iterator[str]:
    """Differences between the enums of a list and the localparams of the RTL: a code has the same value in both, and a sized
    constant is a code."""
    known = enums(text, shared)
    for name, codes in known.items():
        if not codes:
            yield f'B_CODES: {name}: found no list of its values'
        elif len(set(codes.values())) < len(codes):
            yield f'{name}: two codes of one value'
    for named in re.findall(r'"enum (\w+)', text):
        if named not in known:
            yield f'a text says enum {named}: expected one of {", ".join(known) or "B_CODES, which is empty"}'
    for parameter, low, high, named in re.findall(r'\bX\((\w+), *\d+, *(\d+), *(\d+), *"enum (\w+)', text):
        values = known.get(named, {}).values()
        if values and (int(low), int(high)) != (min(values), max(values)):
            yield f'{parameter}: {low} to {high} in the list, enum {named} has {min(values)} to {max(values)}'
    names = {}
    for codes in known.values():
        names.update(rtl_name(codes) if codes else {})
    for name, (value, sized) in constants(rtl).items():
        if name in names and value != names[name]:
            yield f'{name}: {value} in the RTL, {names[name]} in the list'
        elif sized and name not in names:
            yield f'{name}: {value} in the RTL, in no enum of the list'


def bounds(rtl: str) -> dict[str, dict[str, int | None]]:
    """parameter -> {'low': number, 'high': number} from the PARAM_CHECKs; None for a bound that depends on other parameters."""
    numbers = {name: value for name, (value, _) in constants(rtl).items()}
    found: dict[str, dict[str, int | None]] = {}
    for rule in RULE.findall(rtl):
        rule = FLAG.sub(r'\1 >= 0 && \1 <= 1', rule)
        atoms = [] if '||' in rule else ATOM.findall(rule)
        rest = rule
        for left, op, right in atoms:
            limit = int(right) if right.isdigit() else numbers.get(right)
            if limit is not None:
                found.setdefault(left, {})['low' if op[0] == '>' else 'high'] = limit + {'>': 1, '<': -1}.get(op, 0)
                rest = rest.replace(f'{left} {op} {right}', '')
        for name in re.findall(r'[A-Z]\w+', rest):
            for side in ('low', 'high'):
                found.setdefault(name, {}).setdefault(side, None)
    return found


def wrong_ranges(limits: Limits, elsewhere: set[tuple[str, str]], rtl: str) -> Iterator[str]:
    """Differences between the ranges of a list (name -> default, low, high) and those of the RTL.  `elsewhere`: (parameter, side)
    that the RTL need not check."""
    found = bounds(rtl)
    for name, (_, low, high) in limits.items():
        for side, limit in (('low', low), ('high', high)):
            if side in found.get(name, {}):
                if found[name][side] not in (None, limit):
                    yield f'{name}: {SIDES[side]} {found[name][side]} in the RTL, {limit} in the list'
            elif (name, side) not in elsewhere:
                yield f'{name}: {SIDES[side]} {limit} in the list, in no PARAM_CHECK of the RTL'


def checked_elsewhere(limits: Limits, text: str) -> set[tuple[str, str]]:
    """(parameter, side) that the RTL need not check: an upper limit that is a B_MAX_... macro (size of the twin's arrays), and the
    parameters that an assembly passes to its parts."""
    if parts.in_text(text):
        return {(name, side) for name in limits for side in SIDES}
    return {
        (name, 'high') for name, high in re.findall(r'\bX\((\w+), *\w+, *\w+, *([^",]+), *"', text) if '_MAX_' in high
    }
