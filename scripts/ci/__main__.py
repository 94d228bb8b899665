# SPDX-License-Identifier: Apache-2.0
"""The commands of this package that .ci/run and make call; without repository, a run's name is "none".
usage: python3 -B -m scripts.ci due [--all]               prints DUE, words target: and target:block (all: nothing, for all blocks); standard error lists skipped steps
       python3 -B -m scripts.ci note "DUE" STEP ...   the blocks of these steps have passed
       python3 -B -m scripts.ci passed [--update]     the table beside this tree's inputs
       python3 -B -m scripts.ci times FILE            the table of a run's seconds
       python3 -B -m scripts.ci deep PART JOBS        runs a part; python3 -B -m scripts.ci status"""
import os
import sys
from pathlib import Path

from scripts.ci import deep, passed, steps, times

ROOT = Path(__file__).resolve().parent.parent.parent


def due(everything):
    name, words = passed.commit(ROOT), []
    if everything:
        return print()
    for step in steps.STEPS:
        new, turn, left = passed.due(ROOT, step, steps.blocks(ROOT), name)
        print(
            f'  {step:15} {len(new):2} blocks changed, {len(turn):2} unchanged by turn ({" ".join(turn) or "none"}), {len(left):2} left out',
            file=sys.stderr,
        )
        words += [f'{step}:', *(f'{step}:{b}' for b in (*new, *turn))]
    print(' '.join(words))


def show():
    table = passed.read(ROOT / passed.TABLE)
    for step in steps.STEPS:
        days = {
            b: table[step, b][1]
            for b in steps.blocks(ROOT)
            if (step, b) in table and table[step, b][0] == steps.digest(ROOT, step, b)
        }
        new = [b for b in steps.blocks(ROOT) if b not in days]
        print(
            f'{step:15} {len(days):2} blocks as they passed (since {min(days.values(), default="-")}), {len(new):2} changed{": " + " ".join(new) if new and days else ""}'
        )


def main():
    what, *args = sys.argv[1:]
    build = ROOT / os.environ.get('BUILD', 'build')
    if what == 'due':
        due('--all' in args)
    elif what == 'note':
        words = args[0].split()
        for step in args[1:]:
            passed.note(ROOT, build, step, [b for b in steps.blocks(ROOT) if not words or f'{step}:{b}' in words])
    elif what == 'passed':
        if '--update' in args:
            print(f'{passed.TABLE}: {passed.update(ROOT, build)} rows changed')
        show()
    elif what == 'times':
        print(times.table(args[0]))
    elif what == 'deep':
        return deep.run(ROOT, build, args[0], args[1])
    else:
        return deep.status(ROOT)
    return 0


if __name__ == '__main__':
    sys.exit(main())
