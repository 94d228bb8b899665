# SPDX-License-Identifier: Apache-2.0
"""The time table at the end of .ci/run: seconds of each step, and of the products built in it.

While MEMTWIN_TIMES names a file, .ci/timed wraps the shell of make and appends a line per recipe command: step, target, begin and
end (seconds), CPU seconds.  .ci/run appends a line per step, with "-" as its target."""
import re
from collections import defaultdict
from pathlib import Path

KINDS = (  # products by their paths below build/
    (r'rtl/[^/]+/[^/]+\.waves(/|\.so$)', 'RTL sets, traced'),
    (r'rtl/', 'RTL sets'),
    (r'cosim/headers/|cosim/runtime/', "Verilator's headers and runtime"),
    (r'cosim/.*twin$', 'twins alone'),
    (r'cosim/|headers/', 'lockstep programs'),
    (r'tb/', 'SystemC benches'),
    (r'lint/', 'lint of sets'),
    (r'san/', 'C, sanitized'),
    (r'obj/|generated/|memtwin|describe/', 'C'),
)


def kind(target):
    path = re.sub(r'^.*?build/', '', target)
    return next((name for pattern, name in KINDS if re.match(pattern, path)), 'other')


def rows(path):
    for line in Path(path).read_text().splitlines():
        step, target, begin, end, processor = line.split('\t')
        yield step, target, float(begin), float(end), float(processor)


def table(path):
    steps, targets, built = {}, defaultdict(lambda: defaultdict(list)), defaultdict(lambda: [set(), 0.0, 0.0])
    for step, target, begin, end, processor in rows(path):
        if target == '-':
            steps[step] = (begin, end, processor)
        elif '/' in target:
            b = built[kind(target)]
            b[0].add(target)
            b[1] += end - begin
            b[2] += processor
        else:
            targets[step][target].append((end - begin, processor))
    lines = [
        f'{"seconds":>8} {"processor":>9}  step',
        *(
            f'{end - begin:>8.0f} {cpu:>9.0f}  {name}'
            + ''.join(
                f'\n{sum(w for w, _ in t):>8.0f} {sum(c for _, c in t):>9.0f}      {n}'
                for n, t in targets[name].items()
                if len(targets[name]) > 1
            )
            for name, (begin, end, cpu) in steps.items()
        ),
    ]
    if steps:
        lines.append(
            f'{max(s[1] for s in steps.values()) - min(s[0] for s in steps.values()):>8.0f} {sum(s[2] for s in steps.values()):>9.0f}  all'
        )
    lines.append(f'{"seconds":>8} {"processor":>9}  built (seconds of the commands, several at a time)')
    lines += [
        f'{wall:>8.0f} {cpu:>9.0f}  {len(names)} {name}'
        for name, (names, wall, cpu) in sorted(built.items(), key=lambda b: -b[1][2])
    ]
    return '\n'.join(lines)
