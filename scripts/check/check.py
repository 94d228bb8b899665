# SPDX-License-Identifier: Apache-2.0
"""make check: project rules (rules.py), names in documents (documents.py), Python (python.py), tools (tools.py).  One line per rule: ok, or FAIL
and its violations.  make check-selftest plants a violation of each rule."""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scripts.check import python, tools
from scripts.check.documents import DOCUMENTS
from scripts.check.rules import RULES, Tree, face_table

TOOLS = [*tools.TOOLS, *python.TOOLS]
ROOT = Path(__file__).resolve().parent.parent.parent
SHOWN = 20


def files(root):
    """Files tracked by git and new files; without a repository, all files except build/."""
    if (root / '.git').exists():
        out = subprocess.run(
            ['git', 'ls-files', '-zco', '--exclude-standard'], cwd=root, capture_output=True, text=True, check=True
        ).stdout
        return sorted({n for n in out.split('\0') if n and (root / n).is_file()})
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if (Path(folder) / f) != root / 'build' and f != '__pycache__']
        found += [str((Path(folder) / n).relative_to(root)) for n in names]
    return sorted(found)


def report(rule, found):
    """Prints the result of a rule; returns the number of violations."""
    print(
        f'{"FAIL" if found else "ok":5s}{rule.__name__:15s}{rule.__doc__}' + (f'  ({len(found)})' if found else ''),
        flush=True,
    )
    for line in found[:SHOWN]:
        print(f'       {line}')
    if len(found) > SHOWN:
        print(f'       and {len(found) - SHOWN} more')
    return len(found)


def main():
    text = sys.argv[1:] == ['--text']  # rules that need no tool
    tree = Tree(ROOT, files(ROOT), [] if text else sys.argv[1:])
    if tree.only:
        print(f'check of {" ".join(tree.only)}: faces and RTL lint of it alone; every other rule reads the whole tree')
    rules = [*RULES, *DOCUMENTS, *python.TEXT, *([] if text else TOOLS)]
    print('\n'.join(face_table(tree)))
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        for rule, found in zip(rules, pool.map(lambda r: list(r(tree)), rules)):
            failed += bool(report(rule, found))
    print(f'check: {len(rules) - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
