# SPDX-License-Identifier: Apache-2.0
"""Lines with points over two numeric axes, as SVG, with vertical rules.  Colours are CSS classes."""
import math
import sys
from html import escape
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / 'scripts'))
from study.plots import text, ticks  # noqa: E402

WIDTH, HEIGHT = 720, 340
X0, Y0, Y1 = 58, 296, 24  # where the two axes begin and end


def marks_of(values):
    """Round numbers from zero, or from below the least value, to above the highest."""
    low, high = min([0, *values]), max([0, *values])
    step = ticks(max(high, -low) or 1)[1]
    return [round(step * i, 9) for i in range(math.floor(low / step + 1e-6), max(math.ceil(high / step - 1e-6), 1) + 1)]


def grid(marks, at, x_end, form):
    for m in marks:
        y = at(0, m)[1]
        yield f'<line x1="{X0}" y1="{y:.1f}" x2="{x_end}" y2="{y:.1f}" class="{"axis" if m == 0 else "grid"}"/>'
        yield text(X0 - 8, y + 4, form(m), 'tick', 'end')


def line(cls, points, at):
    where = [at(x, y) for x, y, _ in points]
    if len(where) > 1:
        yield f'<polyline class="path {cls}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in where)}"/>'
    for (x, y), point in zip(where, points):
        yield f'<circle class="{cls}" cx="{x:.1f}" cy="{y:.1f}" r="3.2"><title>{escape(point[2])}</title></circle>'


def chart(label, series, x_marks, x_label, y_label, form, rules):
    """series = [(class, [(x, y, tip)])], x_marks = [(x, words)], rules = [(x, words)]."""
    xs = [x for _, points in series for x, _, _ in points] + [x for x, _ in x_marks]
    marks = marks_of([y for _, points in series for _, y, _ in points])
    low, high, x_end = min(xs, default=0), max(xs, default=1), WIDTH - 16

    def at(x, y):
        return (X0 + 12 + (x - low) / ((high - low) or 1) * (x_end - X0 - 24), Y0 + (y - marks[0]) / (marks[-1] - marks[0]) * (Y1 - Y0))
    body = [*grid(marks, at, x_end, form), *(text(at(x, 0)[0], Y0 + 18, words, 'tick', 'middle') for x, words in x_marks)]
    for n, (x, words) in enumerate(rules):
        place, left = at(x, 0)[0], at(x, 0)[0] < WIDTH / 2
        body += [f'<line x1="{place:.1f}" y1="{Y1}" x2="{place:.1f}" y2="{Y0}" class="rule"/>',
                 text(place + (4 if left else -4), Y1 + 10 + 13 * n, words, 'note', 'start' if left else 'end')]
    body += [text((X0 + x_end) / 2, HEIGHT - 6, x_label, 'name', 'middle'), text(X0, Y1 - 8, y_label, 'name')]
    body += [part for cls, points in series for part in line(cls, points, at)]
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">{"".join(body)}</svg>'
