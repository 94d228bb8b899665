# SPDX-License-Identifier: Apache-2.0
"""Bars, lines and points as SVG, without any library.  Colours are CSS classes, so that a page can be light or dark.  A plot is drawn for a
width, so that its text has the same size on a telephone as on a desk."""
import math
import re
from dataclasses import dataclass, field
from html import escape

HUES = 8  # colours; each has a hatch, a marker and a dash of its own as well
WIDE, NARROW = 570, 338  # pixels: half of a page's row, and a telephone
BAR, PITCH, GAP = 11, 14, 10  # a bar, from one to the next, and between groups
NAME, NOTE = 12, 11  # pixels: the style sheet's sizes of text
# Widths of characters by the size of text, in a wide font (DejaVu Sans): a text that fits in it fits in the others.
ADVANCE = {
    c: w
    for w, chars in (
        (0.28, "ijl'|"),
        (0.33, " .,/:;\\"),
        (0.4, "frt()[]-`!I"),
        (0.55, "cksvxyzJ?_\""),
        (0.8, "wGHNOQUD"),
        (0.85, "+=<>~^\u00b1\u00d7\u2264\u2265&#"),
        (1.0, "mMW%@\u2192"),
    )
    for c in chars
}
LINE = 14  # from one line of text to the next
SIDE = {WIDE: 150, NARROW: 96}  # the most room of names beside their bars; a longer one is wrapped
AREA = 'class="area" data-box="{:.1f} {:.1f} {:.1f} {:.1f}"'  # where the axes are


def number(v):
    return f"{v:,.10g}"


@dataclass
class Scale:
    """An axis: how its numbers are written, and the value from which bars go to both sides."""

    form: object = number
    origin: float = 0.0
    around: bool = False  # are the marks round numbers from the origin on, instead of from 0?

    def marks(self, values, count=5):
        low, high = min([self.origin, *values]), max([self.origin, *values])
        start = self.origin if self.around else 0
        return [round(start + m, 9) for m in both_sides(min(low - start, 0), max(high - start, 0), count)]


@dataclass
class Row:
    """A bar, of one part or of several on top of each other: (value, number of its colour, words)."""

    stack: list
    note: str = ""
    label: str = ""
    paper: tuple = ()  # (value, words) of a diamond
    paper_note: str = ""


@dataclass
class Drawing:
    """Parts of an SVG from top to bottom."""

    width: float
    label: str
    parts: list = field(default_factory=list)
    y: float = 0.0
    box: tuple = ()

    def svg(self):
        area = f' data-area="{" ".join(f"{v:.0f}" for v in self.box)}"' if self.box else ""
        return f'<svg viewBox="0 0 {self.width} {self.y:.0f}" role="img" aria-label="{escape(self.label)}"{area}>{"".join(self.parts)}</svg>'

    def text(self, x, y, words, cls="", anchor="start"):
        self.parts.append(text(x, y, words, cls, anchor))

    def heading(self, words):
        """A name over the whole width, in as many lines as it needs."""
        for line in wrap(words, self.width, NAME) if words else []:
            self.y += LINE
            self.text(0, self.y - 3, line, "name")


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


def both_sides(low, high, count=5):
    """Round numbers on both sides of zero: the first is at most `low`, the last at least `high`."""
    step = ticks(max(high, -low, (high - low) * 0.6) or 1, count)[1]
    first = math.floor(low / step + 1e-6)
    return [round(step * i, 9) for i in range(first, max(math.ceil(high / step - 1e-6), first + 1) + 1)]


def extent(words, size=NOTE):
    """Pixels that words need at most."""
    return size * sum(ADVANCE.get(c, 0.69 if c.isupper() else 0.64) for c in words)


def longest(words, size=NOTE):
    return max((extent(w, size) for w in words), default=0)


def between(xs):
    """Round numbers around all of xs: from 0 on, or from later where zero is far from them."""
    low, high = min(xs, default=0), max(xs, default=1)
    if low <= 0 or high - low > 0.6 * high or low == high:
        return both_sides(min(0, low), max(0, high))
    step = ticks(high - low)[1]
    return [round(step * i, 9) for i in range(math.floor(low / step + 1e-6), math.ceil(high / step - 1e-6) + 1)]


def wrap(words, room, size=NOTE):
    """Lines of at most so many pixels; a word that is longer is cut in pieces."""
    lines, room = [""], max(room, 3 * size)
    for word in words.split():
        while extent(word, size) > room:
            n = next(i for i in range(1, len(word) + 1) if extent(word[: i + 1], size) > room)
            lines, word = [*lines, word[:n]], word[n:]
        if lines[-1] and extent(f"{lines[-1]} {word}", size) > room:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return [line for line in lines if line] or [""]


def text(x, y, words, cls="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{cls}" text-anchor="{anchor}">{escape(words)}</text>'


def rule(x0, y0, x1, y1, cls):
    return f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" class="{cls}"/>'


def hue(n):
    return f"s{n % HUES}"


def bar(x, y, width, n, tip):
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.75):.1f}" height="{BAR}" class="{hue(n)}"><title>{escape(tip)}</title></rect>'
        if width > 0
        else ""
    )


# Shapes of 8 px around a point; the paper's is a diamond, which none of them is.
SHAPES = (
    "M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z",
    "M-3.3 -3.3h6.6v6.6h-6.6z",
    "M0 -4.2l4 7.2h-8z",
    "M-4 -2.4l1.6 -1.6l2.4 2.4l2.4 -2.4l1.6 1.6l-2.4 2.4l2.4 2.4l-1.6 1.6l-2.4 -2.4l-2.4 2.4l-1.6 -1.6l2.4 -2.4z",
    "M0 4.2l4 -7.2h-8z",
    "M-1.2 -4.2h2.4v3h3v2.4h-3v3h-2.4v-3h-3v-2.4h3z",
    "M-4.2 -2h8.4v4h-8.4z",
    "M-2 -4.2h4v8.4h-4z",
)
DIAMOND = "M0 -5l4 5l-4 5l-4 -5z"


def marker(x, y, n, tip):
    """n: the number of a series, or None: the paper's."""
    shape, cls = (DIAMOND, "paper") if n is None else (SHAPES[(n + n // HUES) % len(SHAPES)], f"dot {hue(n)}")
    return f'<path transform="translate({x:.1f} {y:.1f})" d="{shape}" class="{cls}"><title>{escape(tip)}</title></path>'


def ends(value):
    """Both ends of a value: of its confidence interval if it is a mean over several seeds."""
    half = getattr(value, "half", 0)
    return value - half, value + half


def interval(x0, y0, x1, y1):
    """A line with two ends, along one of the axes; nothing if it has no length.  A wider one in the background's colour parts it from a bar."""
    dx, dy = (0, 3) if y0 == y1 else (3, 0)
    if (x0, y0) == (x1, y1):
        return ""
    cap = f"l{2 * dx} {2 * dy}"
    path = f'd="M{x0 - dx:.1f} {y0 - dy:.1f}{cap}M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}M{x1 - dx:.1f} {y1 - dy:.1f}{cap}"'
    return f'<path class="halo" {path}/><path class="interval" {path}/>'


def swatch(x, y, n, kind):
    """The sample of a series in a legend: (n, kind)."""
    if kind == "bar":
        return f'<rect x="{x:.1f}" y="{y - 5:.1f}" width="16" height="10" class="{hue(n)}"/>'
    line = "" if kind in ("dots", "paper") else f'<path d="M{x:.1f} {y:.1f}h20" class="{stroke(n, kind)}"/>'
    return line + ("" if kind in ("line", "dashed") else marker(x + 8 + 2 * bool(line), y, n, ""))


def stroke(n, kind):
    return f"path {hue(n)}" + (
        f" d{(n + n // HUES) % HUES}" if kind == "line" else " dashed" if kind == "dashed" else ""
    )


def legend(drawing, items):
    """The name of every series: items = [(number of the colour or None, kind, words)]."""
    if not items:
        return
    x, drawing.y = 0, drawing.y + LINE
    for n, kind, words in items:
        for i, line in enumerate(wrap(words, drawing.width - 30)):
            if i or (x and x + 24 + extent(line) > drawing.width):
                x, drawing.y = 0, drawing.y + LINE + 2
            mark = "" if i else swatch(x, drawing.y - 4, n, kind)
            drawing.parts.append(
                f'<g class="legend" data-of="{"paper" if n is None else hue(n)}">{mark}{text(x + 24, drawing.y, line, "note")}</g>'
            )
        x += 24 + extent(line) + 14
    drawing.y += 8


# ---- bars
def values_of(groups):
    """Everything that an axis must reach."""
    rows = [row for _, rows in groups for row in rows]
    sums = [
        sum(v for v, *_ in row.stack[:i]) + end
        for row in rows
        for i in range(len(row.stack))
        for end in ends(row.stack[i][0])
    ]
    return sums + [row.paper[0] for row in rows if row.paper]


def columns(groups):
    """[(head, width, note of a row)] to the right of the bars: our values, and the paper's if there are any."""
    rows = [row for _, rows in groups for row in rows]
    with_paper = any(row.paper_note for row in rows)
    found = [("here" if with_paper else "", lambda row: row.note)] + (
        [("paper", lambda row: row.paper_note)] if with_paper else []
    )
    return [(head, 12 + longest([head, *map(of, rows)]), of) for head, of in found]


def one_bar(row, at, y, origin):
    """Parts of a bar, from the origin on."""
    total, parts, intervals = 0, [], []
    for i, (value, n, tip) in enumerate(row.stack):
        start, total = total if i else origin, total + value
        x0, x1 = sorted((at(start), at(total)))
        parts.append(bar(x0, y, x1 - x0, n, tip))
        intervals.append(interval(*(p for e in ends(value) for p in (at(total - value + e), y + BAR / 2))))
    return parts + intervals + ([marker(at(row.paper[0]), y + BAR / 2, None, row.paper[1])] if row.paper else [])


def bars(label, groups, scale=Scale(), keys=(), title="", width=WIDE, line=None):
    """Groups of horizontal bars: [(name, [Row])].  `keys`: the legend; `line` is a value drawn from top to bottom."""
    d, notes = Drawing(width, label), columns(groups)
    d.heading(title)
    legend(d, keys)
    labelled = any(row.label for _, rows in groups for row in rows)
    beside = width == WIDE and not labelled  # names of groups stand beside their bars, or above
    names = [name for name, _ in groups] if beside else [row.label for _, rows in groups for row in rows]
    size, room = NAME if beside else NOTE, SIDE[width]
    side = longest((line for name in names for line in wrap(name, room, size)), size)
    left, right = (side + 14 if side else 8), width - sum(w for _, w, _ in notes) - 4
    marks = scale.marks(values_of(groups) + ([line] if line is not None else []))

    def at(v):
        return left + (v - marks[0]) / (marks[-1] - marks[0]) * (right - left)

    top = d.y = d.y + LINE + 6
    axis = tick_row(marks, scale, at, top - 6, min(right + 14, width)) + column_heads(notes, width, top - 6)
    body, before, d.y = [], len(d.parts), top + 4
    for name, rows in groups:
        group(d, body, name, rows, (beside, room, left, at, scale.origin, notes))
    bottom, d.box = d.y - GAP + 4, (left, top, right - left, d.y - GAP + 4 - top)
    grid = [rule(at(m), top, at(m), bottom, "axis" if m == scale.origin else "grid") for m in marks]
    grid += [rule(at(v), top, at(v), bottom, "axis") for v in (scale.origin, line) if v is not None and v not in marks]
    d.parts[before:before] = [*axis, *grid]  # behind the names
    d.parts += [f"<g {AREA.format(left, top, right, bottom)}>", *body, "</g>"]
    d.y = bottom + 2
    return d.svg()


def tick_row(marks, scale, at, y, end):
    """Words of the marks, as many as have room."""
    words = [scale.form(m) for m in marks]
    room = at(marks[1]) - at(marks[0])
    every = math.ceil((longest(words) + 6) / room)
    first = min(range(len(marks)), key=lambda i: abs(marks[i] - scale.origin)) % every
    found, before = [], 0
    for i in range(first, len(marks), every):
        half = extent(words[i]) / 2
        x = min(max(at(marks[i]), half), end - half)
        if x - half >= before:
            found.append(text(x, y, words[i], "tick", "middle"))
            before = x + half + 4
    return found


def column_heads(notes, width, y):
    x, found = width, []
    for head, w, _ in reversed(notes):
        found.append(text(x, y, head, "tick", "end"))
        x -= w
    return found if len(notes) > 1 else []


def group(d, body, name, rows, how):
    """A name and its bars; texts go to the drawing, bars to `body`."""
    beside, room, left, at, origin, notes = how
    if not beside and name:
        d.heading(name)
        d.y += 3  # below the letters
    lines, start = wrap(name, room, NAME) if beside else [], d.y
    for row in rows:
        label = wrap(row.label, room) if row.label else []
        for i, words in enumerate(label):
            d.text(left - 12, d.y + BAR - 1.5 + i * LINE, words, "note", "end")
        body += one_bar(row, at, d.y, origin)
        x = d.width
        for _, w, of in reversed(notes):
            d.text(x, d.y + BAR - 1.5, of(row), "note", "end")
            x -= w
        d.y += max(PITCH, LINE * len(label))
    d.y = max(d.y, start + LINE * len(lines))
    middle = (start + d.y - 3 - LINE * len(lines)) / 2
    for i, words in enumerate(lines):
        d.text(left - 12, middle + LINE * (i + 1) - 3, words, "name", "end")
    d.y += GAP


# ---- points and lines
def drawn(series, at):
    """series = [(number of the colour or None: the paper's, kind, [(x, y, tip)])]; kind: points, lines or both: "both", "line", "dots", "dashed"."""
    parts = []
    for n, kind, points in series:
        where = [at(x, y) for x, y, _ in points]
        if kind == "line":
            parts += band(points, n, at)
        if kind not in ("dots", "paper") and len(where) > 1:
            parts.append(
                f'<polyline class="{stroke(n, kind)}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in where)}"/>'
            )
        if kind in ("both", "dots", "paper"):
            parts += [interval(*at(x, low), *at(x, high)) for x, y, _ in points for low, high in [ends(y)]]
            parts += [marker(x, y, n, p[2]) for (x, y), p in zip(where, points)]
    return parts


def band(points, n, at):
    """The confidence intervals along a line; nothing if there is one seed."""
    low, high = ([(x, ends(y)[i]) for x, y, _ in points] for i in (0, 1))
    if low == high:
        return []
    return [f'<polygon class="band {hue(n)}" points="{" ".join("%.1f,%.1f" % at(*p) for p in low + high[::-1])}"/>']


def heights(series):
    return [e for _, kind, points in series for _, y, _ in points for e in ((y,) if kind == "dashed" else ends(y))]


def x_words(marks, at, room):
    """(parts, height) of the words below an axis: in lines where they are long.  Where even that is too wide, every second number or so; other words
    stand upright."""
    every = max(math.ceil(longest(w for _, words in marks for w in words.split()) / max(room, 10)), 1)
    if every > 1 and not all(re.fullmatch(r"[-+\d.,]+", words) for _, words in marks):
        lines = [(x, wrap(words, 110)) for x, words in marks]
        parts = [
            f'<g transform="translate({at(x) + LINE * (i + 1 - len(words) / 2) - 3:.1f} 6) rotate(-90)">{text(0, 0, line, "tick", "end")}</g>'
            for x, words in lines
            for i, line in enumerate(words)
        ]
        return parts, 10 + longest(line for _, words in lines for line in words)
    lines = [(x, wrap(words, room * every)) for x, words in marks[::every]]
    parts = [text(at(x), LINE * (i + 1), line, "tick", "middle") for x, words in lines for i, line in enumerate(words)]
    return parts, LINE * max((len(words) for _, words in lines), default=0)


def chart(label, series, x_marks, x_label, y_label, scale=Scale(), keys=(), width=WIDE, line=None, rules=()):
    """Points and lines over two axes.  x_marks = [(x, words)]; rules = [(x, words)]: vertical lines."""
    d = Drawing(width, label)
    d.heading(y_label)
    legend(d, keys)
    xs = [x for _, _, points in series for x, _, _ in points] + [x for x, _ in x_marks]
    marks = scale.marks(heights(series) + ([line] if line is not None else []))
    low, high = min(xs, default=0), max(xs, default=1)
    left = 10 + longest(map(scale.form, marks))
    room = (width - left) / max(len(x_marks) - 1, 1)
    edge = min(longest(words for x, words in x_marks if x == high) / 2, room / 2)
    first, last, top = left + 12, width - max(8, edge), d.y + 8
    bottom = top + (230 if width == WIDE else 190)

    def at(x, y):
        return first + (x - low) / ((high - low) or 1) * (last - first), bottom + (y - marks[0]) / (
            marks[-1] - marks[0]
        ) * (top - bottom)

    for m in dict.fromkeys([*marks, scale.origin, *([] if line is None else [line])]):
        d.parts.append(rule(left, at(low, m)[1], width, at(low, m)[1], "axis" if m in (scale.origin, line) else "grid"))
    d.parts += [text(left - 8, at(low, m)[1] + 4, scale.form(m), "tick", "end") for m in marks]
    words, below = x_words(x_marks, lambda x: at(x, 0)[0], (last - first) / max(len(x_marks) - 1, 1) - 6)
    d.parts.append(f'<g transform="translate(0 {bottom + 4:.1f})">{"".join(words)}</g>')
    d.parts += [f"<g {AREA.format(left, top, width, bottom)}>", *drawn(series, at), "</g>"]
    for i, (x, words) in enumerate(rules):
        place, left_half = at(x, 0)[0], at(x, 0)[0] < width / 2
        d.parts.append(rule(place, top, place, bottom, "rule"))
        d.text(place + (4 if left_half else -4), top + 10 + LINE * i, words, "note", "start" if left_half else "end")
    d.box, d.y = (left, top, width - left, bottom - top), bottom + below + 6
    for words in wrap(x_label, width - left, NAME):
        d.y += LINE
        d.text((left + width) / 2, d.y, words, "name", "middle")
    d.y += 6
    return d.svg()


def panels(label, cells, x_marks, x_label, y_label, scale=Scale(), keys=(), width=WIDE):
    """Small charts of the same axes, where one would hold too many lines: cells = [(name, series)]."""
    d, across = Drawing(width, label), 3 if width == WIDE else 2
    d.heading(y_label)
    legend(d, keys)
    everything = [s for _, series in cells for s in series]
    xs = [x for _, _, points in everything for x, _, _ in points] + [x for x, _ in x_marks]
    low, high, marks = min(xs, default=0), max(xs, default=1), scale.marks(heights(everything), 3)
    left = 8 + longest(map(scale.form, marks))
    below, wide, high_px = 0, (width - left - 12 * (across - 1)) / across, 74
    for i, (name, series) in enumerate(cells):
        column, x0 = i % across, left + i % across * (wide + 12)
        if column == 0:
            titles = max(len(wrap(n, wide, NAME)) for n, _ in cells[i : i + across])
            top = d.y + (20 if i else 8) + LINE * titles
            d.y = top + high_px
        d_at = placed(x0, top, wide, high_px, (low, high), (marks[0], marks[-1]))
        panel(d, name, series, (x0, top, wide, high_px), d_at, scale, marks, column == 0)
        if i + across >= len(cells):
            ends_of = [(x_marks[0], "start", x0), (x_marks[-1], "end", x0 + wide)] if len(x_marks) > 1 else []
            named = [(x, anchor, wrap(words, wide / 2 - 6)) for (_, words), anchor, x in ends_of]
            d.parts += [
                text(x, top + high_px + LINE * (n + 1), line, "tick", anchor)
                for x, anchor, lines in named
                for n, line in enumerate(lines)
            ]
            below = max([below, *(LINE * len(lines) for _, _, lines in named)])
    d.box, d.y = (0, d.y - high_px, width, high_px) if len(cells) <= across else (
        0,
        0,
        width,
        min(d.y, 300),
    ), d.y + below + 20
    d.text((left + width) / 2, d.y - 2, wrap(x_label, width - left, NAME)[0], "name", "middle")
    d.y += 4
    return d.svg()


def placed(x0, y0, wide, high, x_range, y_range):
    def at(x, y):
        return (
            x0 + 6 + (x - x_range[0]) / ((x_range[1] - x_range[0]) or 1) * (wide - 12),
            y0 + high - (y - y_range[0]) / (y_range[1] - y_range[0]) * high,
        )

    return at


def panel(d, name, series, box, at, scale, marks, first):
    x0, top, wide, high = box
    titles = wrap(name, wide, NAME)
    for i, words in enumerate(titles):
        d.text(x0, top - 6 - LINE * (len(titles) - 1 - i), words, "name")
    for m in dict.fromkeys([*marks, scale.origin]):
        d.parts.append(rule(x0, at(0, m)[1], x0 + wide, at(0, m)[1], "axis" if m == scale.origin else "grid"))
        if first and m in marks:
            d.text(x0 - 6, at(0, m)[1] + 4, scale.form(m), "tick", "end")
    d.parts += [f"<g {AREA.format(x0, top, x0 + wide, top + high)}>", *drawn(series, at), "</g>"]
