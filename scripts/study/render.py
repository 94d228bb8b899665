# SPDX-License-Identifier: Apache-2.0
"""A study as a page: build/report/study-NAME.html."""
import math
import pathlib
import re
import shlex
from html import escape

from scripts.study import figures, plots
from scripts.study.measure import written
from scripts.study.page import document, fold, html_table, scrolling, tile

SAID_OF = {
    "full": "",
    "reduced": " Workloads have their reduced size; <code>SIZE=full</code> gives them the largest.",
    "tiny": " Workloads have their tiny size, which shows that the study works; its numbers mean nothing.",
}
CELL, NAME = 12.5, 250  # pixels: text in a table, and where a name wraps


def paragraphs(text):
    return "".join(f"<p>{escape(' '.join(p.split()))}</p>" for p in re.split(r"\n\s*\n", text) if p.strip())


def is_wide(shown):
    """Whether the figure needs the whole row.  Heads and names wrap."""

    def column(i, head):
        cells = [min(plots.extent(row[i], CELL), NAME if i < shown.left else math.inf) for row in shown.rows]
        return 16 + max([plots.longest(" ".join(head).split(), CELL), *cells])

    return not shown.plot and sum(column(i, head) for i, head in enumerate(shown.heads)) > plots.WIDE


def figure(shown, name="", alone=False):
    """A card: the plot or the table, and beside or below it its text; below a plot its table is folded.  `alone`: in its row of the page."""
    table = scrolling(html_table(shown.heads, shown.rows, shown.left, shown.gap or 1), f"Table: {shown.title}")
    plot = (
        "".join(
            f'<div class="plot {cls}">{shown.plot(width)}</div>'
            for cls, width in (("large", plots.WIDE), ("small", plots.NARROW))
        )
        if shown.plot
        else ""
    )
    words = (
        paragraphs(shown.note)
        + "".join(f"<p>{escape(r)}</p>" for r in shown.remarks)
        + (fold("Table", table, "data") if plot else "")
    )
    cls = "card figure" + (" full" if is_wide(shown) else " alone" if alone else "")
    return f'<section class="{cls}" id="{name}"><h2>{escape(shown.title)}</h2><div>{plot or table}</div><div>{words}</div></section>'


def lonely(shown):
    """Of each figure: has it no other one beside it in a row of two?"""
    found, left = [], False
    for i, s in enumerate(shown):
        wide, last = is_wide(s), i + 1 == len(shown) or is_wide(shown[i + 1])
        found.append(not wide and not left and last)
        left = not wide and not left and not last
    return found


def figures_of(shown, more=()):
    """A table of contents, and all the figures.  `more`: (name, title) of the sections behind them."""
    names = [f"figure{i}" for i in range(1, len(shown) + 1)]
    links = "".join(
        f'<li><a href="#{name}">{escape(title)}</a></li>'
        for name, title in [*((n, s.title) for n, s in zip(names, shown)), *more]
    )
    return (
        f'<nav class="contents" aria-label="Contents"><h2>Contents</h2><ol>{links}</ol></nav>'
        f'<div class="figures">{"".join(map(figure, shown, names, lonely(shown)))}</div>'
    )


def tiles(results):
    """The summary numbers: RTL against twin, and the means beside the paper's."""
    compared = [found for found in map(results.differences, (p for p in results.points if p.twin)) if found]
    found = (
        [
            tile(
                f"{sum(not differ for differ, _ in compared)} of {len(compared)}",
                "runs in which twin and RTL agree in every counter",
            )
        ]
        if compared
        else []
    )
    for m, case, ours, theirs in figures.headline(results) if results.study.size != "tiny" else []:
        found.append(
            tile(
                written(ours, m.format),
                f"{m.label}, {case}" + (f" (paper: {written(theirs, m.format)})" if theirs is not None else ""),
            )
        )
    return f'<div class="tiles">{"".join(found)}</div>' if found else ""


def every_point(results):
    metrics = list(results.study.metrics.values())
    heads = [("", "workload"), ("", "case"), ("", "place"), *(("", m.label) for m in metrics), ("", "command")]
    rows = [
        [p.workload, p.case, p.place, *(written(results.value(m, p), m.format) for m in metrics), p.shell()]
        for p in results.points
    ]
    table = f'<div class="card">{scrolling(html_table(heads, rows, 3, 1), "Every point")}</div>'
    return (
        '<h2 id="points">Every point</h2><p>Any of these commands gives its point again; <code>--json FILE</code> behind it writes every counter.</p>'
        + fold(f"{len(rows)} points", table, "long")
    )


def seeds_of(study):
    if len(study.seeds) == 1:
        return f"seed {study.seeds[0]}"
    return f"the seeds {', '.join(map(str, study.seeds))}: a number is their mean, behind ± half of its 95 % confidence interval (Student's t); a line with two ends is this interval"


def machine(results):
    """The options of the first point, and the changes of each case."""
    first = results.points[0]
    lines = "\n".join(f"{k} = {v}" for k, v in first.config.items())
    changes = "\n".join(
        f"{c.name}: {shlex.join(c.change) or '(nothing)'}{''.join(f' x {s}' for s in c.sweeps)}"
        f"{', RTL: ' + ' '.join(c.rtl) if c.rtl else ''}"
        for c in results.study.cases.values()
    )
    return (
        '<h2 id="machine">How these numbers came about</h2>'
        f"<p>The machine is <code>{escape(shlex.join(results.study.change) or 'the default')}</code>; "
        f"inputs come from {seeds_of(results.study)}. What the cases change:</p><pre>{escape(changes)}</pre>"
        f"{fold(f'Every option of the machine of {first.name}', f'<pre>{escape(lines)}</pre>', 'long')}"
    )


def again(study):
    """The command that reproduces this page."""
    folder = str(pathlib.Path(study.file).parent)
    return " ".join(
        [
            "make study",
            f"NAME={study.name}",
            *([] if study.size == "reduced" else [f"SIZE={study.size}"]),
            *([] if folder == "studies" else [f"STUDIES={shlex.quote(folder)}"]),
        ]
    )


def counted(n, word):
    return f"{n:,} {word}{'s' if n != 1 else ''}"


def page(results, shown, failures, version):
    study = results.study
    size, paper = (
        SAID_OF[study.size] if study.sized() else "",
        f"Paper {escape(study.paper)}. " if study.paper != "none" else "",
    )
    body = [
        f"<h1>{escape(study.title)}</h1>",
        f"<p>{paper}{counted(len(results.points), 'point')}, {counted(len(results.workloads), 'workload')}.{size}</p>",
        f"<pre>{escape(again(study))}</pre>",
        paragraphs(study.note),
        tiles(results),
    ]
    if failures:
        body.append(f"<h2>Failed</h2><pre>{escape(chr(10).join(failures))}</pre>")
    more = [("points", "Every point"), ("machine", "How these numbers came about")]
    body += [figures_of(shown, more), every_point(results), machine(results), f"<footer>{escape(version)}</footer>"]
    return document(study.title, "".join(body))


def page_name(name, size):
    return f"study-{name}.html" if size == "reduced" else f"study-{name}-{size}.html"
