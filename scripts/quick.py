# SPDX-License-Identifier: Apache-2.0
"""Selects the unit tests of changed files, as a pattern for TEST=: the suites of every test file that changed or that names a changed file.
Changed: the difference to the last commit or, in a clean tree, the last commit itself."""
import re
import subprocess
from pathlib import Path


def git(*words):
    return subprocess.run(['git', *words], capture_output=True, text=True).stdout.split()


def main():
    changed = git('diff', '--name-only', 'HEAD') + git('ls-files', '-o', '--exclude-standard') or git(
        'diff', '--name-only', 'HEAD~1'
    )
    changed = [Path(n) for n in changed if n.endswith(('.c', '.h', '.def'))]
    words = re.compile('|'.join(rf'\b{re.escape(p.stem)}' for p in changed) or r'(?!)')
    suites = set()
    for test in Path('tests').glob('*/*.c'):
        text = test.read_text()
        if test in changed or words.search(text):
            suites |= set(re.findall(r'^Test\((\w+),', text, re.M))
    if suites:
        print(f'@({"|".join(sorted(suites))})/')


if __name__ == '__main__':
    main()
