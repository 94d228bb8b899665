# SPDX-License-Identifier: Apache-2.0
"""Rules about Python: imports from the root of the tree, names, types, format."""
import re

from scripts.check.tools import run

OTHER_ROOTS = re.compile(r'\bsys\.pa' r'th\b|\bPYTHONPA' r'TH=')
BLACK = '23.1'  # other versions break lines elsewhere
TYPED = ('cosim', 'tb/prove')  # as pyproject.toml has them


def files(tree):
    return [n for n in tree.names if n.endswith('.py') or re.match(r'#!.*\bpython', tree.text(n)[:40])]


def import_root(tree):
    """Python imports start at the root of the tree: no line adds another folder"""
    for name in tree.names:
        for k, line in (
            tree.lines(name) if name.endswith(('.py', '.sh', '.mk', 'Makefile')) or name.startswith('.ci/') else []
        ):
            m = OTHER_ROOTS.search(line)
            if m:
                yield f'{name}:{k}: found {m[0]}, expected absolute imports and /usr/bin/python3 -B -m PACKAGE.MODULE in the root of the tree'


def pyflakes(tree):
    """Python has no undefined or unused name (pyflakes)"""
    status, found = run(tree, ['pyflakes3', *files(tree)]) if files(tree) else (1, ['no Python file'])
    if status:
        yield from found


def typed(tree):
    """Lockstep's lists and the prover are right in their types (mypy)"""
    if not any(n.startswith(TYPED) for n in files(tree)):
        yield f'no Python file in {" ".join(TYPED)}'
        return
    status, found = run(tree, ['mypy', '--cache-dir', 'build/mypy'])
    if status:
        yield from found


def black(tree):
    """Python is as black writes it"""
    _, version = run(tree, ['black', '--version'])
    if not re.search(rf'\b{re.escape(BLACK)}\.', version[0]):
        yield f'{version[0]}: expected version {BLACK}'
        return
    status, found = run(tree, ['black', '--check', *files(tree)])
    if status:
        wrong = [line.removeprefix('would reformat ') for line in found if line.startswith('would reformat ')]
        yield from [f'{name}: black writes it differently' for name in wrong] or found


TEXT, TOOLS = [import_root], [pyflakes, typed, black]
