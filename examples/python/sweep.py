# SPDX-License-Identifier: Apache-2.0
"""A sweep of one option, cell by cell as in a notebook (editors run the parts between the marks # %% one by one), and its plot.

docs/python.md says how to run it."""
# %% The machine, and the option
import sys

from libmemtwin import OPTIONS, Machine

OPTION = 'l1d.mshr.entries'
VALUES = (4, 8, 16, 32, 64)
WORKLOADS = ('spmv:rows=1024', 'bfs:n=2048', 'mvt:n=128')
COUNTER = 'gpu.ipc'
print(f'{OPTION}: {OPTIONS[OPTION].meaning}; default {OPTIONS[OPTION].default}')

# %% The runs
results = {}
for workload in WORKLOADS:
    for value in VALUES:
        with Machine('sm.count=4', f'{OPTION}={value}') as machine:
            results[workload, value] = float(machine.run(workload)[COUNTER] or 0)

# %% As a table
print(f'{COUNTER:18}' + ''.join(f'{value:>9}' for value in VALUES))
for workload in WORKLOADS:
    print(f'{workload:18}' + ''.join(f'{results[workload, value]:9.3f}' for value in VALUES))


# %% As a plot
def svg(width: int = 640, height: int = 360) -> str:
    """Lines over the values, each workload with its name at its end."""
    top = 1.1 * max(results.values())

    def at(i: int, y: float) -> tuple[float, float]:
        return 60 + i * (width - 200) / (len(VALUES) - 1), height - 40 - y * (height - 70) / top

    def text(x: float, y: float, words: str, anchor: str) -> str:
        return f'<text x="{x:.1f}" y="{y:.1f}" font-family="sans-serif" font-size="12" text-anchor="{anchor}">{words}</text>'

    parts = [text(60, 20, f'{COUNTER} by {OPTION}', 'start')]
    parts += [text(at(i, 0)[0], height - 20, str(value), 'middle') for i, value in enumerate(VALUES)]
    parts += [text(52, at(0, y)[1] + 4, f'{y:.2f}', 'end') for y in (0, top / 2, top)]
    for workload, colour in zip(WORKLOADS, ('#1b6ca8', '#c2571a', '#3a7d44')):
        points = [at(i, results[workload, value]) for i, value in enumerate(VALUES)]
        line = ' '.join(f'{x:.1f},{y:.1f}' for x, y in points)
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{line}"/>')
        parts.append(text(points[-1][0] + 8, points[-1][1] + 4, workload, 'start'))
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">{"".join(parts)}</svg>\n'


if len(sys.argv) > 1:
    with open(sys.argv[1], 'w', encoding='utf-8') as file:
        file.write(svg())
    print(f'wrote {sys.argv[1]}')
