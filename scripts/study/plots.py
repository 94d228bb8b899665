# SPDX-License-Identifier: Apache-2.0
"""Bars, lines and points as SVG, without any library.  Colours are CSS classes, so that a page can be light or dark."""
import math
from html import escape

ROW, BAR, GAP = 34, 11, 2  # pixels of a group of two bars, a bar, and between them
LEFT, RIGHT, WIDTH = 112, 74, 720  # the least room for names and for notes, and the width of a plot
AXIS = 22
NAME_CHAR, NOTE_CHAR = 7.6, 6.3  # upper bounds of the mean width of a character, in the style sheet's 12 px and 11 px


def ticks(limit, count=5):
    """Round numbers from 0 to at least `limit`."""
    step = 1e-9
    while step * count < limit:
        for factor in (2, 2.5, 2):
            step *= factor
            if step * count >= limit:
                break
    n = int(limit / step + 0.999999)
    return [round(step * i, 9) for i in range(max(n, 1) + 1)]


def svg(height, label, body):
    return (f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(label)}">' + "".join(body) + "</svg>")


def text(x, y, words, cls="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{cls}" text-anchor="{anchor}">{escape(words)}</text>'


def bar(x, y, width, cls, tip, height=BAR):
    if width <= 0:
        return ""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.75):.1f}" height="{height}" class="{cls}"><title>{escape(tip)}</title></rect>'


def grid(values, scale, bottom, form, zero):
    out = []
    for v in values:
        x = zero + v * scale
        out.append(f'<line x1="{x:.1f}" y1="{AXIS}" x2="{x:.1f}" y2="{bottom:.1f}" class="grid"/>')
        out.append(text(x, AXIS - 8, form(v), "tick", "middle"))
    return out


def both_sides(low, high):
    """Round numbers on both sides of zero: the first at most `low`, the last at least `high`."""
    step = ticks(max(high, -low) or 1)[1]
    return [round(step * i, 9) for i in range(math.floor(low / step + 1e-6), max(math.ceil(high / step - 1e-6), low >= 0) + 1)]


def margins(names, notes):
    """Room to the left for the longest name and to the right for the longest note."""
    return (max(LEFT, 10 + NAME_CHAR * max(map(len, names), default=0)), max(RIGHT, 10 + NOTE_CHAR * max(map(len, notes), default=0)))


def diamond(x, y, cls, tip):
    return f'<path d="M{x:.1f} {y - 5:.1f}l4 5l-4 5l-4 -5z" class="{cls}"><title>{escape(tip)}</title></path>'


def ends(value):
    """Both ends of a value: of its confidence interval if it is a mean over several seeds."""
    half = getattr(value, "half", 0)
    return value - half, value + half


def interval(x0, y0, x1, y1):
    """An interval bar along one of the axes; empty if its length is 0."""
    dx, dy = (0, 3) if y0 == y1 else (3, 0)
    if (x0, y0) == (x1, y1):
        return ""
    cap = f"l{2 * dx} {2 * dy}"
    return f'<path class="interval" d="M{x0 - dx:.1f} {y0 - dy:.1f}{cap}M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}M{x1 - dx:.1f} {y1 - dy:.1f}{cap}"/>'


def bars(label, groups, form=lambda v: f"{v:g}", limit=None, line=None):
    """Groups of horizontal bars: groups = [(name, [(stack, note)])], stack = [(value, class, tip)].  A row may have a third element,
    (value, class, tip), a mark beside its bar; `line` is a value drawn over the full height."""
    stacks = [[v for v, _, _ in row[0]] for _, rows in groups for row in rows]
    sums = [end for s in stacks for i in range(len(s)) for end in (sum(s[:i]) + e for e in ends(s[i]))]
    sums += [row[2][0] for _, rows in groups for row in rows if len(row) > 2]
    low, high = min([0, *sums]), limit or max([0, *sums]) or 1
    marks = both_sides(low, high) if low < 0 else ticks(high)
    left, right = margins([name for name, _ in groups], [row[1] for _, rows in groups for row in rows])
    scale = (WIDTH - left - right) / (marks[-1] - marks[0])
    zero = left - marks[0] * scale
    y, body = AXIS + 6, []
    for name, rows in groups:
        height = len(rows) * (BAR + GAP)
        body.append(text(left - 10, y + height / 2 + 3, name, "name", "end"))
        for stack, note, *mark in rows:
            x, end = zero, zero
            for value, cls, tip in stack:
                body.append(bar(min(x, x + value * scale), y, abs(value) * scale, cls, tip))
                low_end, high_end = (x + e * scale for e in ends(value))
                body.append(interval(low_end, y + BAR / 2, high_end, y + BAR / 2))
                x += value * scale
                end = max(end, x, high_end + 3)
            for value, cls, tip in mark:
                body.append(diamond(zero + value * scale, y + BAR / 2, cls, tip))
                end = max(end, zero + value * scale + 3)
            body.append(text(end + 6, y + BAR - 1.5, note, "note"))
            y += BAR + GAP
        y += ROW - 2 * (BAR + GAP)
    rule = [] if line is None else [f'<line x1="{zero + line * scale:.1f}" y1="{AXIS}" x2="{zero + line * scale:.1f}" y2="{y - 6:.1f}" class="axis"/>']
    notes = [part for part in body if part.startswith("<text")]  # above the rule
    return svg(y, label, [*grid(marks, scale, y - 6, form, zero), *(body if line is None else [*(p for p in body if p not in notes), *rule, *notes])])


HEIGHT, X0, Y0, Y1 = 340, 58, 296, 24  # of a chart: where its two axes begin and end


def chart(label, series, x_marks, x_label, y_label, form=lambda v: f"{v:g}", line=None, rules=()):
    """Points and lines over two axes: series = [(class, dots, [(x, y, tip)])]; dots: "both" (line with points), "line", "dots" or "dashed".
    x_marks = [(x, words)]; rules = [(x, words)], vertical lines."""
    xs = [x for _, _, points in series for x, _, _ in points] + [x for x, _ in x_marks]
    ys = [e for _, dots, points in series for _, y, _ in points for e in (ends(y) if dots in ("both", "dots") else (y,))] + ([line] if line is not None else [])
    marks = both_sides(min([0, *ys]), max([0, *ys])) if min([0, *ys]) < 0 else ticks(max([0, *ys]) or 1)
    low, high = min(xs, default=0), max(xs, default=1)
    edge = max((len(words) for x, words in x_marks if x == high), default=0)  # the last mark is centred under its point
    x_end = WIDTH - max(16, NAME_CHAR * edge / 2 - 8)

    def at(x, y):
        return (X0 + 12 + (x - low) / ((high - low) or 1) * (x_end - X0 - 24), Y0 + (y - marks[0]) / (marks[-1] - marks[0]) * (Y1 - Y0))
    body = []
    for m in marks:
        y = at(low, m)[1]
        body.append(f'<line x1="{X0}" y1="{y:.1f}" x2="{x_end:.1f}" y2="{y:.1f}" class="{"axis" if m in (0, line) else "grid"}"/>')
        body.append(text(X0 - 8, y + 4, form(m), "tick", "end"))
    for x, words in x_marks:
        body.append(text(at(x, 0)[0], Y0 + 18, words, "tick", "middle"))
    for n, (x, words) in enumerate(rules):
        place = at(x, 0)[0]
        body.append(f'<line x1="{place:.1f}" y1="{Y1}" x2="{place:.1f}" y2="{Y0}" class="rule"/>')
        body.append(text(place + (4 if place < WIDTH / 2 else -4), Y1 + 10 + 13 * n, words, "note", "start" if place < WIDTH / 2 else "end"))
    body.append(text((X0 + x_end) / 2, HEIGHT - 6, x_label, "name", "middle"))
    body.append(text(X0, Y1 - 8, y_label, "name"))
    for cls, dots, points in series:
        where = [at(x, y) for x, y, _ in points]
        if dots != "dots" and len(where) > 1:
            body.append(f'<polyline class="path {cls}{" dashed" if dots == "dashed" else ""}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in where)}"/>')
        if dots in ("both", "dots"):
            body += [interval(*at(x, low_end), *at(x, high_end)) for x, y, _ in points for low_end, high_end in [ends(y)]]
            body += [f'<circle class="{cls}" cx="{x:.1f}" cy="{y:.1f}" r="3.2"><title>{escape(p[2])}</title></circle>' for (x, y), p in zip(where, points)]
    return svg(HEIGHT, label, body)
