# SPDX-License-Identifier: Apache-2.0
"""Rules about Python: imports from the root of the tree, undefined and unused names."""
import re

from scripts.check.tools import run

OTHER_ROOTS = re.compile(r'\bsys\.pa' r'th\b|\bPYTHONPA' r'TH=')


def import_root(tree):
    """Python imports start at the root of the tree: no line adds another folder"""
    for name in tree.names:
        for k, line in tree.lines(name) if name.endswith(('.py', '.sh', '.mk', 'Makefile')) or name.startswith('.ci/') else []:
            m = OTHER_ROOTS.search(line)
            if m:
                yield f'{name}:{k}: found {m[0]}, expected absolute imports and /usr/bin/python3 -B -m PACKAGE.MODULE in the root of the tree'


def pyflakes(tree):
    """Python has no undefined or unused name (pyflakes)"""
    files = [n for n in tree.names if n.endswith('.py') or re.match(r'#!.*\bpython', tree.text(n)[:40])]
    status, found = run(tree, ['pyflakes3', *files]) if files else (1, ['no Python file'])
    if status:
        yield from found


TEXT, TOOLS = [import_root], [pyflakes]
