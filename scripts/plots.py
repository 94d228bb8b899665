"""Bar charts as SVG, without any library.  Colours are CSS classes, so that a page can be light or dark."""
from html import escape

ROW, BAR, GAP = 34, 11, 2  # pixels of a group of two bars, a bar, and between them
LEFT, RIGHT, WIDTH = 112, 74, 720
AXIS = 22


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


def grid(values, scale, bottom, form):
    out = []
    for v in values:
        x = LEFT + v * scale
        out.append(f'<line x1="{x:.1f}" y1="{AXIS}" x2="{x:.1f}" y2="{bottom:.1f}" class="grid"/>')
        out.append(text(x, AXIS - 8, form(v), "tick", "middle"))
    return out


def bars(label, groups, form=lambda v: f"{v:g}", limit=None):
    """Groups of horizontal bars: groups = [(name, [(stack, note)])], stack = [(value, class, tip)]."""
    biggest = max((sum(v for v, _, _ in stack) for _, rows in groups for stack, _ in rows), default=0)
    marks = ticks(limit or biggest or 1)
    scale = (WIDTH - LEFT - RIGHT) / marks[-1]
    y, body = AXIS + 6, []
    for name, rows in groups:
        height = len(rows) * (BAR + GAP)
        body.append(text(LEFT - 10, y + height / 2 + 3, name, "name", "end"))
        for stack, note in rows:
            x = LEFT
            for value, cls, tip in stack:
                body.append(bar(x, y, value * scale, cls, tip))
                x += value * scale
            body.append(text(x + 6, y + BAR - 1.5, note, "note"))
            y += BAR + GAP
        y += ROW - 2 * (BAR + GAP)
    return svg(y, label, [*grid(marks, scale, y - 6, form), *body])


def diverging(label, rows, form):
    """Bars to both sides of zero: rows = [(name, value, note)]."""
    low = min([0, *(v for _, v, _ in rows)])
    high = max([0, *(v for _, v, _ in rows)])
    marks = [m for m in ticks(max(high, -low) or 1)]
    below = [-m for m in reversed(marks[1:]) if m <= -low * 1.3]
    above = [m for m in marks if m == 0 or m <= high + (marks[1] - marks[0])]
    span = (max(above) - min([0, *below])) or 1
    scale = (WIDTH - LEFT - RIGHT) / span
    zero = LEFT - min([0, *below]) * scale
    y, body, step = AXIS + 6, [], ROW
    for m in below + above:
        x = zero + m * scale
        body.append(f'<line x1="{x:.1f}" y1="{AXIS}" x2="{x:.1f}" y2="{AXIS + len(rows) * step + 2:.1f}" class="{"axis" if m == 0 else "grid"}"/>')
        body.append(text(x, AXIS - 8, form(m), "tick", "middle"))
    for name, value, note in rows:
        width = abs(value) * scale
        body.append(text(LEFT - 10, y + 13, name, "name", "end"))
        body.append(bar(zero if value >= 0 else zero - width, y, width, "dl" if value >= 0 else "worse", f"{name}: {note}", 18))
        body.append(text(zero + (width if value > 0 else 0) + 6, y + 13.5, note, "note"))
        y += step
    return svg(y + 2, label, body)
