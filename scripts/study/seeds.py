# SPDX-License-Identifier: Apache-2.0
"""The figure of the kind seeds: a row for each workload and case, with the values of the seeds, and a verdict by the interval of their mean."""
from collections import Counter

from scripts.study.measure import plain, written

WORDS = ("better", "worse", "not shown", "equal")
NOTE = (
    "Mean over {count} seeds ± half of its 95 % confidence interval; the lowest and the highest seed. Better, worse: the interval is above, below {none}. "
    "Not shown: it holds {none}. Equal: every seed has {none}. Of {rows} rows {said}. Where nothing differs, one interval in twenty excludes {none} by chance."
)


def verdict(values, mean):
    """Of a ratio's values over the seeds; `mean` is theirs, with half of its interval."""
    if all(v == 1 for v in values):
        return "equal"
    return "better" if mean - mean.half > 1 else "worse" if mean + mean.half < 1 else "not shown"


def fill(maker):
    """Rows and heads of the figure."""
    study, results, shown = maker.study, maker.results, maker.shown
    m, said = study.metrics[maker.figure.metrics[0]], Counter()
    shown.heads = [("", "workload"), ("", "case"), (m.label, ""), ("seeds", "lowest"), ("", "highest"), ("", "verdict")]
    shown.left, parts = 2, (results, *results.others)

    def row(name, label, mean, values):
        word = "-"
        if mean is not None:
            word = verdict(values, mean)
            said[word] += 1
        ends = [plain(v, m.format) for v in (min(values), max(values))] if mean is not None else ["-", "-"]
        shown.rows.append([name, label, written(mean, m.format), *ends, word])

    for case in maker.figure.cases:
        for place in maker.places(case):
            points = [(w, p) for w in maker.workloads for p in [maker.at(w, case, place)] if p]
            for w, p in points:
                values = [r.expression(m.expression, r.same(p), m.base) for r in parts]
                row(study.workloads[w].label, maker.named(case, place), results.value(m, p), values)
            if m.mean and len(points) > 1:
                inside = [p for _, p in points]
                values = [r.mean_here(m, [r.same(p) for p in inside]) for r in parts]
                row("mean", maker.named(case, place), results.mean(m, inside)[0], values)
    counts = ", ".join(f"{said[word]} {'are' if said[word] != 1 else 'is'} {word}" for word in WORDS if said[word])
    none = "no change" if m.format == "change" else "1"
    maker.remark(NOTE.format(count=len(parts), none=none, rows=sum(said.values()), said=counts or "none has a value"))
