# SPDX-License-Identifier: Apache-2.0
"""Counts over the rows of docs/papers-beside-ours.md, for the table at its top: numbers near the paper's, and the verdicts of the last column.

python3 -B -m scripts.study.beside [--update]"""
import pathlib
import re
import sys
from dataclasses import dataclass

from scripts.study.files import write_whole

PAGE = pathlib.Path("docs/papers-beside-ours.md")
NEAR = 1.3
VERDICTS = ("Agrees", "Explained", "Refuted", "Open")
MARKS = re.compile(r"(<!-- beside -->\n).*?(<!-- /beside -->)", re.S)
NUMBER = re.compile(r"<!-- study [^>]*?-->([-+]?[\d.,]+)( %)?[^<]*<!-- /study -->")
SHOWN = re.compile(r"\]\(|The same|[Aa]s above")
HEAD = """| paper | numbers | near by the gain: table | best supported | either | near by the ratio: table | best supported | agrees | explained | refuted | open |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
"""


@dataclass
class Row:
    line: int
    name: str
    paper: float  # gains: 0.2 of a ratio of 1.2 and of "+20 %"
    table: float | None
    best: float | None
    verdict: str
    cause: str

    def near_gain(self, ours):
        """None: the paper has no gain to compare with."""
        if ours is None or not self.paper:
            return None
        return 1 / NEAR <= ours / self.paper <= NEAR

    def near_ratio(self, ours):
        return None if ours is None else 1 / NEAR <= (1 + ours) / (1 + self.paper) <= NEAR

    def near_either(self):
        near = [self.near_gain(self.table), self.near_gain(self.best)]
        return None if near == [None, None] else any(near)

    def agrees(self):
        near = self.near_either()
        return bool(self.near_ratio(self.best)) if near is None else near


def gains(cell):
    """The numbers of a cell; those of a ratio less one."""
    found = ((float(n.replace(",", "")), percent) for n, percent in NUMBER.findall(cell))
    return [n / 100 if percent else n - 1 for n, percent in found]


def rows(text):
    """The rows of the page.  Of several numbers of the best supported machine the last counts: cells list assumptions one after the other."""
    for k, line in enumerate(text.splitlines(), 1):
        cells = [c.strip() for c in line.split("|")[1:-1]]
        if len(cells) != 5 or not gains(cells[1]):
            continue
        ours, best = ((gains(cells[i]) or [None])[-1] for i in (2, 3))
        verdict = re.split(r"\W", cells[4])[0]
        yield Row(k, cells[0], gains(cells[1])[0], ours, ours if best is None else best, verdict, cells[4])


def faults(text):
    """Rows whose verdict is missing, or is not one that their numbers and links allow."""
    for r in rows(text):
        where = f"{PAGE}:{r.line}: {r.name}"
        if r.verdict not in VERDICTS:
            yield f'{where}: found "{r.cause[:30]}", expected one of {", ".join(VERDICTS)} as first word of the last column'
        elif r.verdict == "Agrees" and not r.agrees():
            yield f"{where}: found Agrees, expected another verdict: no number is within {NEAR} times of the paper's gain"
        elif r.verdict in ("Explained", "Refuted") and not SHOWN.search(r.cause):
            yield f"{where}: found {r.verdict} without a link, expected one to the experiment, or The same, as above"


def of(values):
    """Near ones, of those that can be compared."""
    known = [v for v in values if v is not None]
    return f"{sum(known)} of {len(known)}" if known else "-"


def counts(name, found):
    gain, ratio = (
        [of(near(r, getattr(r, ours)) for r in found) for ours in ("table", "best")]
        for near in (Row.near_gain, Row.near_ratio)
    )
    cells = [
        name,
        len(found),
        *gain,
        of(r.near_either() for r in found),
        *ratio,
        *(sum(r.verdict == v for r in found) for v in VERDICTS),
    ]
    return f"| {' | '.join(map(str, cells))} |\n"


def table(text):
    papers = {}
    for r in rows(text):
        papers.setdefault(r.name.partition(",")[0], []).append(r)
    lines = [counts(name, found) for name, found in papers.items()]
    return HEAD + "".join(lines) + counts("all", [r for found in papers.values() for r in found])


def written(text):
    """The page with its table."""
    return MARKS.sub(lambda m: m[1] + table(text) + m[2], text)


def stale(text):
    """A line for each fault of the page."""
    found = list(faults(text))
    if not MARKS.search(text):
        found.append(f"{PAGE}: found no <!-- beside --> ... <!-- /beside -->, expected the table between them")
    elif written(text) != text:
        found.append(
            f"{PAGE}: found other counts than those of its rows, expected those that make beside UPDATE=1 writes"
        )
    return found


def update(path):
    text = path.read_text(encoding="utf-8")
    if written(text) != text:
        write_whole(path, written(text))


def main():
    if "--update" in sys.argv[1:]:
        update(PAGE)
    text = PAGE.read_text(encoding="utf-8")
    found = stale(text)
    for line in found:
        print(f"FAIL beside: {line}")
    print(f"beside: {len(list(rows(text)))} rows, {len(found)} failed")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
