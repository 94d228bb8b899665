# SPDX-License-Identifier: Apache-2.0
"""Figures of a study as tables in documents: what stands between these marks is made from the results, and nothing else of the document.

    <!-- study cart reduced: Means -->
    <!-- /study -->
"""
import pathlib
import re

from study.files import write_whole
from study.expressions import Bad, nearest

MARKS = re.compile(r"(<!-- study (?P<name>\S+) (?P<size>\S+): (?P<title>.*?) -->\n)(?P<body>.*?)(<!-- /study -->)", re.S)


def heads(shown):
    return [" ".join(filter(None, pair)).replace("|", "\\|") for pair in shown.heads]


def markdown(shown):
    lines = [heads(shown), ["---" if i < shown.left else "---:" for i in range(len(shown.heads))], *shown.rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "".join(f"\n{r}\n" for r in shown.remarks)


def update(document, study, shown, write):
    """(tables of this study and size, those that differ); writes them if asked to."""
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
    new = MARKS.sub(table, text)
    if write and new != text:
        write_whole(document, new)
    return found, differ


def update_all(folders, study, shown, write):
    """One line for each document that shows this study at this size."""
    lines = []
    for document in sorted(d for f in folders for d in pathlib.Path(f).rglob("*.md")):
        found, differ = update(document, study, shown, write)
        if found:
            lines.append(f"{document}: {found} tables of this study, {differ} {'written' if write else 'differ from these results'}"
                         + ("" if write or not differ else f" (UPDATE=1 writes {'them' if differ > 1 else 'it'})"))
    return lines
