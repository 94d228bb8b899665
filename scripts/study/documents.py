# SPDX-License-Identifier: Apache-2.0
"""Figures of a study as tables and numbers in documents.  Only the text between these marks is generated.

<!-- study cart reduced: Means -->
<!-- /study -->

An inline number names a metric and a case, optionally a place of its sweep, and a workload or group; without one it is the mean of all.
", paper" at the end selects the paper's number, ", interval" the 95 % confidence interval of a mean over workloads.

    <!-- study cart reduced, ipc of hold in others -->+0.9 %<!-- /study -->

A plot is a file beside the document, and an image in it.  Its marks stand on lines of their own: Markdown takes the whole of a line that begins
with a comment as HTML.

    <!-- study cart reduced plot: Means -->
    ![what it shows](cart.svg)
    <!-- /study -->
"""
import pathlib
import re

from scripts.study import beside
from scripts.study.expressions import Bad, nearest
from scripts.study.files import write_whole
from scripts.study.measure import written
from scripts.study.page import standalone
from scripts.study.plots import WIDE

MARKS = re.compile(
    r"(<!-- study (?P<name>\S+) (?P<size>\S+): (?P<title>.*?) -->\n)(?P<body>.*?)(<!-- /study -->)", re.S
)

NUMBER = re.compile(
    r"(?P<mark><!-- study (?P<name>\S+) (?P<size>\S+), (?P<what>[^\n]*?) -->)(?P<body>[^\n]*?)(?P<end><!-- /study -->)"
)
PLOT = re.compile(
    r"<!-- study (?P<name>\S+) (?P<size>\S+) plot: (?P<title>[^\n]*?) -->\n(?P<body>[^\n]*?)\n<!-- /study -->"
)
IMAGE = re.compile(r"!\[(?P<alt>[^]]+)\]\((?P<file>[^)\s]+\.svg)\)")
WHAT = re.compile(
    r"(?P<metric>\w+) of (?P<case>\w+)(?: at (?P<place>.+?))?(?: in (?P<inside>.+?))?(?P<which>, paper|, interval)?"
)


def known(document, what, names, word):
    if word not in names:
        raise Bad(f'{document}: found the {what} "{word}", expected one of {", ".join(names)}{nearest(word, names)}')
    return word


def number(document, results, text):
    """The number that a mark names, formatted as in a table."""
    asked = WHAT.fullmatch(text)
    if not asked:
        raise Bad(
            f'{document}: found a mark for "{text}", expected METRIC of CASE[ at PLACE][ in WORKLOAD or GROUP][, paper or interval]'
        )
    study, case = results.study, asked["case"]
    metric = study.metrics[known(document, "metric", study.metrics, asked["metric"])]
    known(document, "case", [*study.cases, *study.best], case)
    groups = {w.group for w in study.workloads.values() if w.group}
    inside = asked["inside"] and known(
        document, "workload or group", [*results.workloads, *sorted(groups)], asked["inside"]
    )
    kind = "workload" if inside in results.workloads else "group" if inside else "mean"
    if asked["which"] == ", paper":
        given = metric.paper.get((kind, inside or "", case))
        return written(given.get(asked["place"]) if isinstance(given, dict) else given, metric.format)
    among = [w for w in results.workloads if inside in (None, w, study.workloads[w].group)]
    place = asked["place"]
    points = [
        p
        for w in among
        for p in results.of(w, case)
        if case in study.best or place == (", ".join(v.label for v in p.values.values()) or None)
    ]
    if not points:
        raise Bad(f'{document}: found a mark for "{text}", expected a place of the case\'s sweep')
    if asked["which"]:
        ends = results.interval(metric, points) or (None, None)
        return " to ".join(written(end, metric.format) for end in ends)
    return written(
        results.value(metric, points[0]) if kind == "workload" else results.mean(metric, points)[0], metric.format
    )


def heads(shown):
    return [" ".join(filter(None, pair)).replace("|", "\\|") for pair in shown.heads]


def markdown(shown):
    lines = [heads(shown), ["---" if i < shown.left else "---:" for i in range(len(shown.heads))], *shown.rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "".join(f"\n{r}\n" for r in shown.remarks)


def of_title(document, results, shown, title):
    """The figure that a mark names."""
    by_title = {s.title: s for s in shown}
    if title not in by_title:
        raise Bad(
            f'{document}: found a mark for the figure "{title}", expected one of {results.study.file}{nearest(title, by_title)}'
        )
    return by_title[title]


def plot(document, results, shown, match):
    """(the file that an image shows, its expected text)"""
    image, found = IMAGE.fullmatch(match["body"]), of_title(document, results, shown, match["title"])
    if not image:
        raise Bad(
            f'{document}: found "{match["body"]}" in a mark for a plot, expected ![words for who cannot see it](file.svg)'
        )
    if not found.plot:
        raise Bad(
            f'{document}: found a mark for a plot of "{match["title"]}", which is a table, expected a figure that is drawn'
        )
    return document.parent / image["file"], standalone(found.plot(WIDE))


def plots_of(document, text, results, shown, write):
    """(plots of this study and size, those that differ); writes the files if asked to."""
    wanted = [
        plot(document, results, shown, m)
        for m in PLOT.finditer(text)
        if (m["name"], m["size"]) == (results.study.name, results.study.size)
    ]
    differ = [(path, new) for path, new in wanted if not path.exists() or path.read_text(encoding="utf-8") != new]
    for path, new in differ if write else []:
        write_whole(path, new)
    return len(wanted), len(differ)


def update(document, results, shown, write):
    """(tables, plots and numbers of this study and size, those that differ); writes them if asked to."""
    study = results.study
    text = document.read_text(encoding="utf-8")
    found, differ = plots_of(document, text, results, shown, write)

    def table(match):
        nonlocal found, differ
        if (match["name"], match["size"]) != (study.name, study.size):
            return match[0]
        new = markdown(of_title(document, results, shown, match["title"]))
        found += 1
        differ += new != match["body"]
        return match[1] + new + match[6]

    def inline(match):
        nonlocal found, differ
        if (match["name"], match["size"]) != (study.name, study.size):
            return match[0]
        new = number(document, results, match["what"])
        found += 1
        differ += new != match["body"]
        return match["mark"] + new + match["end"]

    new = NUMBER.sub(inline, MARKS.sub(table, text))
    if write and new != text:
        write_whole(document, new)
    return found, differ


def files(paths):
    """The documents of folders, and files that are named themselves."""
    return sorted(
        d for p in map(pathlib.Path, paths) for d in (p.rglob("*.md") if p.is_dir() else [p] if p.exists() else [])
    )


def update_all(paths, results, shown, write):
    """(words, how many differ) for each document that shows this study at this size."""
    lines = []
    for document in files(paths):
        found, differ = update(document, results, shown, write)
        if write and found and document.name == beside.PAGE.name:
            beside.update(document)
        if found:
            words = f"{document}: {found} tables and numbers of this study, {differ} {'written' if write else 'differ from these results'}"
            lines.append(
                (
                    words + ("" if write or not differ else f" (UPDATE=1 writes {'them' if differ > 1 else 'it'})"),
                    differ,
                )
            )
    return lines
