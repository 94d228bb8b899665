#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Custom parameters, checked against the block's port list (B_PARAM of cmodel/blocks/<b>_ports.h) before anything is
built: PARAMS= and VEC= of make, the parameters of synth, prove and formal.  A set of such parameters is called custom_DIGEST, so that
no two share a build.
usage: params.py BLOCK "Key=Value ..."    says what is wrong with them, or nothing: for make describe"""
import argparse
import ast
import hashlib
import operator
import re
import subprocess
import sys
from pathlib import Path

import manifest
from manifest import ROOT, ParamError, nearest

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.LShift: operator.lshift}


def whole_number(text):
    """For argparse: how many jobs, or seconds."""
    if not re.fullmatch(r'[1-9][0-9]{0,8}', text):
        raise argparse.ArgumentTypeError(f'found "{text}", expected a whole number from 1 on')
    return int(text)


def known_block(name, where='BLOCK'):
    manifest.one_of(name, manifest.blocks(), where)


def constant(text):
    """A constant expression of C, as the lists have them."""
    def value(node):
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](value(node.left), value(node.right))
        return node.value
    return value(ast.parse(text.strip(), mode='eval').body)


def limits(block, root=ROOT):
    """name -> (default, minimum, maximum)."""
    source = f'#include "{block}_ports.h"\n#define P(name, def, min, max, text) @ name ; def ; min ; max @\n{block.upper()}_PARAM(P)\n'
    out = subprocess.run(['gcc', '-E', '-P', f'-I{root}/cmodel/blocks', '-'], input=source, capture_output=True, text=True)
    if out.returncode:
        raise ParamError(f'cmodel/blocks/{block}_ports.h: {out.stderr.strip().splitlines()[0]}')
    rows = (row.split(';') for row in re.findall(r'@([^@]*)@', out.stdout))
    return {name.strip(): tuple(map(constant, numbers)) for name, *numbers in rows}


def check_value(name, text, known, where):
    """One value; `known` is what limits() gives."""
    if name not in known:
        raise ParamError(f'{where}: found "{name}", expected one of {", ".join(known)}{nearest(name, known)}')
    _, low, high = known[name]
    if not re.fullmatch(r'0|[1-9][0-9]{0,18}', text) or not low <= int(text) <= high:
        raise ParamError(f'{where}: found {name}={text}, expected {name} from {low} to {high}')
    return int(text)


def check(words, known, where):
    """Key=Value words as a dictionary in the order of their names."""
    found = {}
    for word in words:
        name, eq, text = word.partition('=')
        if not eq:
            raise ParamError(f'{where}: found "{word}", expected Parameter=value ... with {", ".join(known)}')
        if name in found:
            raise ParamError(f'{where}: found {name} twice, expected it once')
        found[name] = check_value(name, text, known, where)
    return {name: found[name] for name in sorted(found)}


def custom(params):
    """The name of a set: of equal parameters the same, of others another."""
    return 'custom_' + hashlib.sha256(' '.join(f'{n}={params[n]}' for n in sorted(params)).encode()).hexdigest()[:8]


def set_of(block, text):
    """(block, name, parameters) of PARAMS."""
    known_block(block, 'PARAMS needs one BLOCK')
    params = check(text.split(), limits(block), f'PARAMS of {block}')
    return block, custom(params), params


def whole(params, known):
    return {n: params.get(n, default) for n, (default, _, _) in known.items()}


def set_of_vec(path, block, wanted, text):
    """A .vec file names its block and all its parameters; the named set that has them, else one of its own.  What else is given
    (BLOCK, SET, PARAMS) has to agree."""
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
    params = check(found.get('params', []), known, f'VEC={path}: params')
    here = ' '.join(found.get('params', []))
    if text:
        given = check(text.split(), known, f'PARAMS of {name}')
        if whole(given, known) != whole(params, known):
            raise ParamError(f'VEC={path}: found a file of {here}, expected one of PARAMS="{text}"')
        return name, custom(given), given
    sets = manifest.read(name).sets
    own = [s for s, p in sets.items() if whole(p, known) == whole(params, known)] or [custom(params)]
    if wanted and wanted not in own:
        raise ParamError(f'VEC={path}: found a file of {here} ({own[0]}), expected one of SET={wanted}')
    chosen = wanted or own[0]
    return name, chosen, sets.get(chosen, params)


def main():
    block, text = sys.argv[1:]
    try:
        if not block or ' ' in block:
            raise ParamError(f'describe needs one BLOCK=, found "{block}"')
        check(text.split(), limits(block), f'parameters of {block}')
    except ParamError as e:
        print(e, file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
