# SPDX-License-Identifier: Apache-2.0
"""Figures of a study as tables and numbers in documents.  Only the text between these marks is generated.

<!-- study cart reduced: Means -->
<!-- /study -->

An inline number names a metric and a case, optionally a place of its sweep, and a workload or group; without one it is the mean of all.
", paper" at the end selects the paper's number.

<!-- study cart reduced, ipc of hold in others -->+0.9 %<!-- /study -->
"""
import pathlib
import re

from study.files import write_whole
from study.expressions import Bad, nearest
from study.measure import written

MARKS = re.compile(r"(<!-- study (?P<name>\S+) (?P<size>\S+): (?P<title>.*?) -->\n)(?P<body>.*?)(<!-- /study -->)", re.S)

NUMBER = re.compile(r"(?P<mark><!-- study (?P<name>\S+) (?P<size>\S+), (?P<what>[^\n]*?) -->)(?P<body>[^\n]*?)(?P<end><!-- /study -->)")
WHAT = re.compile(r"(?P<metric>\w+) of (?P<case>\w+)(?: at (?P<place>.+?))?(?: in (?P<inside>.+?))?(?P<paper>, paper)?")


def known(document, what, names, word):
    if word not in names:
        raise Bad(f'{document}: found the {what} "{word}", expected one of {", ".join(names)}{nearest(word, names)}')
    return word


def number(document, results, text):
    """The number that a mark names, formatted as in a table."""
    asked = WHAT.fullmatch(text)
    if not asked:
        raise Bad(f'{document}: found a mark for "{text}", expected METRIC of CASE[ at PLACE][ in WORKLOAD or GROUP][, paper]')
    study, case = results.study, asked["case"]
    metric = study.metrics[known(document, "metric", study.metrics, asked["metric"])]
    known(document, "case", [*study.cases, *study.best], case)
    groups = {w.group for w in study.workloads.values() if w.group}
    inside = asked["inside"] and known(document, "workload or group", [*results.workloads, *sorted(groups)], asked["inside"])
    kind = "workload" if inside in results.workloads else "group" if inside else "mean"
    if asked["paper"]:
        given = metric.paper.get((kind, inside or "", case))
        return written(given.get(asked["place"]) if isinstance(given, dict) else given, metric.format)
    among = [w for w in results.workloads if inside in (None, w, study.workloads[w].group)]
    place = asked["place"]
    points = [p for w in among for p in results.of(w, case) if case in study.best or place in ([v.label for v in p.values.values()] or [None])]
    if not points:
        raise Bad(f'{document}: found a mark for "{text}", expected a place of the case\'s sweep')
    return written(results.value(metric, points[0]) if kind == "workload" else results.mean(metric, points)[0], metric.format)


def heads(shown):
    return [" ".join(filter(None, pair)).replace("|", "\\|") for pair in shown.heads]


def markdown(shown):
    lines = [heads(shown), ["---" if i < shown.left else "---:" for i in range(len(shown.heads))], *shown.rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "".join(f"\n{r}\n" for r in shown.remarks)


def update(document, results, shown, write):
    """(tables and numbers of this study and size, number of differences); writes them on request."""
    study = results.study
    text = document.read_text(encoding="utf-8")
    by_title = {s.title: s for s in shown}
    found = differ = 0

    def table(match):
        nonlocal found, differ
        if (match["name"], match["size"]) != (study.name, study.size):
            return match[0]
        if match["title"] not in by_title:
            raise Bad(f'{document}: found a mark for the figure "{match["title"]}", expected one of {study.file}{nearest(match["title"], by_title)}')
        new = markdown(by_title[match["title"]])
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


def update_all(folders, results, shown, write):
    """One line for each document that shows this study at this size."""
    lines = []
    for document in sorted(d for f in folders for d in pathlib.Path(f).rglob("*.md")):
        found, differ = update(document, results, shown, write)
        if found:
            lines.append(f"{document}: {found} tables and numbers of this study, {differ} {'written' if write else 'differ from these results'}"
                         + ("" if write or not differ else f" (UPDATE=1 writes {'them' if differ > 1 else 'it'})"))
    return lines
