# SPDX-License-Identifier: Apache-2.0
"""build/report/index.html: a card for every study that has a page, with its state, its date and the documents that show it."""
import contextlib
import hashlib
import json
import os
import pathlib
import re
import sqlite3
from dataclasses import asdict, dataclass, field
from html import escape

from scripts.study import documents, plan
from scripts.study.expressions import Bad
from scripts.study.files import write_whole
from scripts.study.page import document
from scripts.study.render import page_name
from scripts.study.spec import load
from scripts.study.study import SIZES

THUMB = (268, 118)  # pixels
EMPTY_CHART = (
    '<svg viewBox="0 0 268 118">'
    + "".join(f'<path class="grid" style="stroke: var(--faint)" d="M0 {y}.5h268"/>' for y in range(20, 118, 20))
    + '<path class="axis" style="stroke: var(--faint)" d="M90.5 0v118M150.5 0v118M210.5 0v118"/></svg>'
)
QUERY = (
    "SELECT size, title, paper, points, headline, (SELECT count(*) FROM point LEFT JOIN run USING (key) WHERE point.size = study.size AND status IS NOT 'ok') "
    "FROM study"
)
LINKS = (
    ("docs/papers-beside-ours.md", "every figure beside the paper's"),
    ("docs/area-timing.md", "areas and timing of the blocks"),
    ("docs/correlation.md", "correlation with Accel-Sim"),
    ("docs/papers.md", "the papers"),
)


@dataclass
class Entry:
    name: str
    size: str
    title: str
    paper: str
    points: int
    headline: str
    failed: int
    date: str = ""
    inputs: str = ""
    keys: set = field(default_factory=set)
    kept: str = ""  # the program that ran, the date and the seconds, if the page shows kept results


def inputs(program, file):
    """A digest of the program and of the study's file.  Of another program every point has another key; of another file some may."""
    return f"{program.digest} {hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest()}"


def read(path):
    """The entries of a database; sqlite3.Error if it cannot be read."""
    with contextlib.closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as db:
        found = [Entry(path.stem, *row) for row in db.execute(QUERY)]
        dates = (
            {size: rest for size, *rest in db.execute("SELECT * FROM ran")}
            if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'ran'").fetchone()
            else {}
        )
        for e in found:
            e.date, e.inputs = dates.get(e.size, ("", ""))
            e.keys = {k for k, in db.execute("SELECT key FROM point WHERE size = ?", (e.size,))}
    return found


def card_file(databases, name, size):
    """Card of a page that shows kept results; the study removes it when it runs."""
    return databases / f"{name}-{size}.kept.json"


def write_card(databases, study, points, headline, about):
    entry = Entry(study.name, study.size, study.title, study.paper, points, headline, 0, kept=about)
    write_whole(
        card_file(databases, study.name, study.size),
        json.dumps({k: v for k, v in asdict(entry).items() if k != "keys"}),
    )


def all_entries(databases):
    """Returns the entries of all pages, and a line for each file that cannot be read."""
    found, unread = {}, []
    for path in [*sorted(databases.glob("*.sqlite")), *sorted(databases.glob("*.kept.json"))]:
        try:
            of = read(path) if path.suffix == ".sqlite" else [Entry(**json.loads(path.read_text(encoding="utf-8")))]
            found |= {(e.name, SIZES.index(e.size)): e for e in of}
        except (sqlite3.Error, ValueError, TypeError) as e:
            unread.append(f"{path}: {e}; the index leaves it out")
    return [e for _, e in sorted(found.items())], unread


def is_stale(entry, program, studies):
    """Would the study have points of other keys now?  Of a study that is not in this folder nothing is known."""
    file = studies / f"{entry.name}.toml"
    if not entry.inputs or not file.exists() or entry.inputs == inputs(program, file):
        return False
    if entry.inputs.split()[0] != program.digest:
        return True
    try:
        return not entry.keys <= {p.key for p in plan.points(load(str(file), entry.size, program), program)}
    except Bad:
        return True


def state(entry, program, studies):
    """(class, words)"""
    if entry.failed:
        return "failed", f"{entry.failed} of {entry.points} points failed"
    if entry.kept:
        return "kept", f"kept results of {escape(entry.kept)}"
    return (
        ("stale", "stale: the program or the study has changed since")
        if is_stale(entry, program, studies)
        else ("current", "current")
    )


def thumbnail(page):
    """The axes' part of the page's first plot, without words."""
    found = re.search(r'<svg viewBox="[^"]*" role="img" aria-label="[^"]*" data-area="([^"]*)">(.*?)</svg>', page, re.S)
    if not found:
        return EMPTY_CHART  # the page has tables alone
    x, y, width, height = map(float, found[1].split())
    height = min(height, width * THUMB[1] / THUMB[0])
    body = re.sub(r"<title>.*?</title>|<text.*?</text>|<g class=\"legend\".*?</g>", "", found[2], flags=re.S)
    fit = "none" if height < width * THUMB[1] / THUMB[0] / 2 else "xMinYMin meet"
    return f'<svg viewBox="{x:.0f} {y:.0f} {width:.0f} {height:.0f}" preserveAspectRatio="{fit}" aria-hidden="true">{body}</svg>'


def shown_in(folders):
    """{(study, size): documents that show it, with their titles}"""
    found = {}
    for path in documents.files(folders):
        text = path.read_text(encoding="utf-8")
        title = re.search(r"^# (.*)$", text, re.M)
        for name, size in dict.fromkeys(re.findall(r"<!-- study (\w+) (\w+)\b", text)):
            found.setdefault((name, size), []).append((path, title[1] if title else path.name))
    return found


def link(index, path, words):
    return f'<a href="{escape(os.path.relpath(path, index.parent))}">{escape(words)}</a>'


def card(entry, index, said, shown):
    page = page_name(entry.name, entry.size)
    headline = f"<p>{escape(entry.headline)}</p>" if entry.headline and entry.size != "tiny" else ""
    paper = f"<p>{escape(entry.paper)}</p>" if entry.paper != "none" else ""
    links = f'<p class="links">{", ".join(link(index, path, title) for path, title in shown)}</p>' if shown else ""
    facts = [
        f'<span class="state {said[0]}">{said[1]}</span>',
        *([f"run {entry.date}"] if entry.date else []),
        f"{entry.size} size",
        f"{entry.points:,} points",
    ]
    return (
        f'<article class="card study"><div class="thumb">{thumbnail((index.parent / page).read_text(encoding="utf-8"))}</div>'
        f'<h3><a href="{page}">{escape(entry.title)}</a></h3>{paper}{headline}<p>{" &middot; ".join(facts)}</p>{links}</article>'
    )


def sections(entries, cards):
    """The cards of each paper below its key."""
    found = {}
    for e, c in zip(entries, cards):
        key = re.match(r"\w*", e.paper)[0]
        found.setdefault((key == "none", key), []).append(c)
    return "".join(
        f'<h2>{"Without a paper" if none else escape(paper)}</h2><div class="studies">{"".join(of)}</div>'
        for (none, paper), of in sorted(found.items())
    )


def write(index, databases, program, studies, folders):
    """Gives a line for each file that cannot be read."""
    entries, unread = all_entries(databases)
    entries, shown = [e for e in entries if (index.parent / page_name(e.name, e.size)).exists()], shown_in(folders)
    said = [state(e, program, studies) for e in entries]
    cards = [card(e, index, s, shown.get((e.name, e.size), [])) for e, s in zip(entries, said)]
    more = [link(index, path, words) for path, words in LINKS if pathlib.Path(path).exists()]
    more += (
        [link(index, index.parent / "correlate.html", "correlation of this tree")]
        if (index.parent / "correlate.html").exists()
        else []
    )
    counts = ", ".join(
        f"{sum(s[0] == kind for s in said)} {kind}"
        for kind in ("current", "kept", "stale", "failed")
        if any(s[0] == kind for s in said)
    )
    about = f"<p>Studies of papers on the GPU memory system: {counts or 'none has run'}. A study is run again with <code>make study NAME=...</code></p>"
    write_whole(
        index,
        document(
            "memtwin: studies",
            f"<h1>memtwin: studies</h1>{about}{'<p>See also ' + ', '.join(more) + '.</p>' if more else ''}{sections(entries, cards)}",
            False,
        ),
    )
    return unread
