# SPDX-License-Identifier: Apache-2.0
"""The figure of the kind verdicts: a row for each case, a column for each place of its sweep, the area of its blocks, and a verdict."""
import pathlib
import re

from scripts.study.expressions import Bad
from scripts.study.measure import written

AREAS = "cmodel/system/energy/energy_blocks.ini"  # made of synth/baseline.tsv
WORDS = ("pays", "does not", "not shown")
NOTE = (
    "A cell is a mean over the workloads with its 95 % confidence interval. Pays: the interval is above no gain. Does not: the interval ends below a "
    "gain of {margin:.0f} %. Not shown: neither. {reference}Area: of the blocks at the papers' sizes, mm^2 at 45 nm in each unit."
)


def areas(path=AREAS):
    """{"block/set": mm^2}"""
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
    except OSError as e:
        raise Bad(f"{path}: {e.strerror}") from None
    return {m[1]: float(m[2]) / 1e6 for m in re.finditer(r"^(\S+/\S+) = (\S+) um2,", text, re.M)}


def verdict(ends, margin):
    """Of a mean's 95 % confidence interval."""
    low, high = ends
    if high < 1 + margin:
        return "does not"
    return "pays" if low > 1 else "not shown"


def joined(said):
    """[(place, verdict)] in words."""
    if len({v for _, v in said}) == 1:
        return said[0][1]
    parts = ((word, [place for place, v in said if v == word]) for word in WORDS)
    return "; ".join(f"{word}: {', '.join(places)}" for word, places in parts if places)


def cost(case, known):
    """The area of a case's blocks, "0.043 an SM, 0.039 a slice"; of none: "-"."""
    said = []
    for unit, blocks in case.cost.items():
        area = sum(-known[b[1:]] if b[0] == "-" else known[b] for b in blocks)
        said.append(f"{area:.4f}" if area < 0.001 else f"{area:.3f}")
        said[-1] += f" {unit}"
    return ", ".join(said) or "-"


def fill(maker):
    """Rows and heads of the figure."""
    study, figure, shown = maker.study, maker.figure, maker.shown
    m, known = study.metrics[figure.metrics[0]], areas()
    labels = [v.label for v in study.sweeps[study.sweeps_of(figure.cases[0])[0]].values]
    shown.heads = [("", "mechanism"), *(("", label) for label in labels), ("area", "mm^2"), ("", "verdict")]
    for name in figure.cases:
        case, row, said = study.cases[name], [study.label(name)], []
        for place in maker.places(name):
            label = next(iter(place.values())).label
            points = [p for p in (maker.at(w, name, place) for w in maker.workloads) if p]
            mean, ends = maker.results.mean(m, points)[0], maker.results.interval(m, points)
            if mean is None or ends is None:
                row.append("-")
                continue
            row.append(f"{written(mean, m.format)} ({' to '.join(written(e, m.format) for e in ends)})")
            said += [(label, verdict(ends, figure.margin))] if label not in figure.reference else []
        shown.rows.append([*row, cost(case, known), joined(said) if said else "-"])
    beside = f"{', '.join(figure.reference)} is for comparison alone. " if figure.reference else ""
    maker.remark(NOTE.format(margin=100 * figure.margin, reference=beside))
