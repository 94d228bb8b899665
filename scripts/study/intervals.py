# SPDX-License-Identifier: Apache-2.0
"""The 95 % confidence intervals of a study's means over workloads: a case is better than its base only where the interval says so."""
from scripts.study.figures import Maker, Shown, paper
from scripts.study.measure import written

TITLE = "95 % confidence intervals of the means"
NOTE = (
    "Of a mean over the workloads, by Student's t (a geometric mean: of the logarithms, a harmonic one: of the reciprocals). "
    "It says what other workloads of this kind would give, if these were drawn by chance. Higher, lower: the interval excludes a ratio of 1."
)


def verdict(low, high):
    return "higher" if low > 1 else "lower" if high < 1 else "no difference shown"


def lines(results):
    """(metric, name, points, the paper's number) of each case and place in a table or bars whose metric compares with another case."""
    seen = set()
    for figure in results.study.figures:
        maker = Maker(results, figure)
        for m in (results.study.metrics[name] for name in figure.metrics if figure.kind in ("table", "bars")):
            if m.format not in ("ratio", "change") or not (m.expression.uses("base") or m.expression.uses("case")):
                continue
            for case, place in ((c, p) for c in figure.cases for p in maker.places(c) if c != m.base):
                name = maker.named(case, place)
                if (m.name, name) not in seen:
                    seen.add((m.name, name))
                    points = [maker.at(w, case, place) for w in maker.workloads]
                    yield m, name, [p for p in points if p], paper(m, "mean", "", case, place)


def show(results):
    """The figure; none if no mean has an interval."""
    shown = Shown(TITLE, NOTE, True, left=2)
    shown.heads = [("", head) for head in ("metric", "case", "mean", "low", "high", "workloads", "than 1", "paper")]
    for m, name, points, theirs in lines(results):
        mean, count = results.mean(m, points)
        ends = results.interval(m, points)
        if mean is None or ends is None:
            continue
        inside = "" if theirs is None else ", inside" if ends[0] <= theirs <= ends[1] else ", outside"
        said = "" if theirs is None else written(theirs, m.format) + inside
        numbers = [written(v, m.format) for v in (mean, *ends)]
        shown.rows.append([m.label, name, *numbers, str(count), verdict(*ends), said])
    return [shown] if shown.rows else []
