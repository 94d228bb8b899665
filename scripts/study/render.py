# SPDX-License-Identifier: Apache-2.0
"""A study as a page: build/report/study-NAME.html, and the list of studies in the report's index."""
import pathlib
import re
import shlex
import sqlite3
from html import escape

from study.files import write_whole
from study import figures
from study.figures import COLOURS
from study.page import STYLE, html_table, key, tile
from study.measure import written
from study.spec import SIZES

PALETTE = [("#2a6fdb", "#5b9bff"), ("#d2572b", "#ef7d54"), ("#1a8a5a", "#46c08c"), ("#8d6fd1", "#a78bea"), ("#e8a317", "#f2b53c"),
           ("#9aa3b2", "#6d7686"), ("#c2417c", "#ea6ba3"), ("#0f8f9c", "#3fbccb"), ("#7a5a36", "#b08b60"), ("#5f7f1f", "#93b84a")]
assert len(PALETTE) == COLOURS


SAID_OF = {"full": "", "reduced": " Workloads have their reduced size; <code>SIZE=full</code> gives them the largest.",
           "tiny": " Workloads have their tiny size, which shows that the study works; its numbers mean nothing."}


def style():
    light = " ".join(f"--s{i}: {a};" for i, (a, _) in enumerate(PALETTE))
    dark = " ".join(f"--s{i}: {b};" for i, (_, b) in enumerate(PALETTE))
    classes = " ".join(f".s{i} {{ fill: var(--s{i}); background: var(--s{i}); }} .path.s{i} {{ stroke: var(--s{i}); }}" for i in range(COLOURS))
    return (STYLE.replace("COLOURS", classes) + f":root {{ {light} }} @media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
            ".path { fill: none !important; stroke-width: 1.8; } .dashed { stroke-dasharray: 5 4; }\n"
            ".paper { fill: var(--paper); stroke: var(--ink); stroke-width: 1.4; } .key .paper { background: none; border: 1.5px solid var(--ink); transform: rotate(45deg); }\n"
            ".interval { fill: none; stroke: var(--ink); stroke-width: 1.2; } .plot { max-width: 900px; } svg .note { paint-order: stroke; stroke: var(--card); stroke-width: 3px; }\n")


def document(title, body):
    return ('<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>{escape(title)}</title><style>{style()}</style></head><body><main>{body}</main></body></html>\n")


def paragraphs(text):
    return "".join(f"<p>{escape(' '.join(p.split()))}</p>" for p in re.split(r"\n\s*\n", text) if p.strip())


def figure(shown):
    parts = [key(shown.key) + shown.svg] if shown.svg else []
    body = [f"<h2>{escape(shown.title)}</h2>", paragraphs(shown.note)]
    if parts:
        body.append(f'<div class="card"><div class="plot">{"".join(parts)}</div></div><br>')
    body.append(f'<div class="card">{html_table(shown.heads, shown.rows, shown.left, shown.gap or 1)}</div>')
    return "".join(body) + "".join(f"<p>{escape(r)}</p>" for r in shown.remarks)


def tiles(results):
    """The summary numbers: RTL against twin, and the means beside the paper's."""
    compared = [found for found in map(results.differences, (p for p in results.points if p.twin)) if found]
    found = [tile(f"{sum(not differ for differ, _ in compared)} of {len(compared)}", "runs in which twin and RTL agree in every counter")] if compared else []
    for m, case, ours, theirs in figures.headline(results) if results.study.size != "tiny" else []:
        found.append(tile(written(ours, m.format), f"{m.label}, {case}" + (f" (paper: {written(theirs, m.format)})" if theirs is not None else "")))
    return f'<div class="tiles">{"".join(found)}</div>' if found else ""


def every_point(results):
    metrics = list(results.study.metrics.values())
    heads = [("", "workload"), ("", "case"), ("", "place"), *(("", m.label) for m in metrics), ("", "command")]
    rows = [[p.workload, p.case, p.place, *(written(results.value(m, p), m.format) for m in metrics), p.shell()] for p in results.points]
    return (f"<h2>Every point</h2><p>Any of these commands gives its point again; <code>--json FILE</code> behind it writes every counter.</p>"
            f"<details><summary>{len(rows)} points</summary><div class='card'>{html_table(heads, rows, 3, 1)}</div></details>")


def seeds_of(study):
    if len(study.seeds) == 1:
        return f"seed {study.seeds[0]}"
    return f"the seeds {', '.join(map(str, study.seeds))}: a number is their mean, behind ± half of its 95 % confidence interval (Student's t); a line with two ends is this interval"


def machine(results):
    """The options of the first point, and what each case changes."""
    first = results.points[0]
    lines = "\n".join(f"{k} = {v}" for k, v in first.config.items())
    changes = "\n".join(f"{c.name}: {shlex.join(c.change) or '(nothing)'}{''.join(f' x {s}' for s in c.sweeps)}"
                        f"{', RTL: ' + ' '.join(c.rtl) if c.rtl else ''}" for c in results.study.cases.values())
    return (f"<h2>How these numbers came about</h2><p>The machine is <code>{escape(shlex.join(results.study.change) or 'the default')}</code>; "
            f"inputs come from {seeds_of(results.study)}. What the cases change:</p><pre>{escape(changes)}</pre>"
            f"<details><summary>Every option of the machine of {escape(first.name)}</summary><pre>{escape(lines)}</pre></details>")


def again(study):
    """The command that reproduces this page."""
    folder = str(pathlib.Path(study.file).parent)
    return " ".join(["make study", f"NAME={study.name}", *([] if study.size == "reduced" else [f"SIZE={study.size}"]),
                     *([] if folder == "studies" else [f"STUDIES={shlex.quote(folder)}"])])


def page(results, shown, failures, version):
    study = results.study
    size = SAID_OF[study.size] if study.sized() else ""
    body = [f"<h1>{escape(study.title)}</h1>", f"<p>Paper {escape(study.paper)}. {len(results.points)} points: {len(results.workloads)} workloads.{size}</p>",
            f"<pre>{escape(again(study))}</pre>", paragraphs(study.note), tiles(results)]
    if failures:
        body.append(f"<h2>Failed</h2><pre>{escape(chr(10).join(failures))}</pre>")
    body += [figure(s) for s in shown] + [every_point(results), machine(results), f"<footer>{escape(version)}</footer>"]
    return document(study.title, "".join(body))


def page_name(name, size):
    return f"study-{name}.html" if size == "reduced" else f"study-{name}-{size}.html"


# ---- the report's index
def cards(folder, databases):
    """(a card per study with a page, a line per unreadable database)"""
    items, unread = [], []
    for path in sorted(databases.glob("*.sqlite")):
        try:
            with sqlite3.connect(path) as db:
                rows = {size: rest for size, *rest in db.execute("SELECT size, title, paper, points, headline FROM study")}
        except sqlite3.Error as e:
            unread.append(f"{path}: {e}; the index leaves it out")
            continue
        for size in SIZES:
            if size in rows and (folder / page_name(path.stem, size)).exists():
                title, paper, points, headline = rows[size]
                items.append(f'<div class="card"><h3><a href="{page_name(path.stem, size)}">{escape(title)}</a></h3>'
                             f"<p>Paper {escape(paper)}; {points} points, {size} size. {escape(headline or '') if size != 'tiny' else ''}</p></div>")
    return items, unread


def write_index(index, databases):
    """Writes the list of all studies.  Returns a line per unreadable database."""
    items, unread = cards(index.parent, databases)
    write_whole(index, document("memtwin", f"<h1>memtwin</h1><h2>Studies</h2>{'<br>'.join(items)}"))
    return unread
