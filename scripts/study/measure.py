# SPDX-License-Identifier: Apache-2.0
"""Metrics of points, and their means."""
import math

from scripts.study.expressions import Undefined


def geometric(values):
    if min(values) < 0:
        raise Undefined
    return math.exp(sum(map(math.log, values)) / len(values)) if min(values) > 0 else 0.0


def arithmetic(values):
    return sum(values) / len(values)


def harmonic(values):
    if min(values) <= 0:
        raise Undefined
    return len(values) / sum(1 / v for v in values)


def pooled(ratios):
    """Ratio of sums: sum of the first elements over sum of the second elements of the pairs."""
    return sum(a for a, _ in ratios) / sum(b for _, b in ratios)


MEAN = {"geometric": geometric, "arithmetic": arithmetic, "harmonic": harmonic, "pooled": pooled}


# Student's t of 1, 2 ... degrees of freedom, of which 97.5 % lie below.
STUDENT = (
    12.706,
    4.303,
    3.182,
    2.776,
    2.571,
    2.447,
    2.365,
    2.306,
    2.262,
    2.228,
    2.201,
    2.179,
    2.160,
    2.145,
    2.131,
    2.120,
    2.110,
    2.101,
    2.093,
    2.086,
    2.080,
    2.074,
    2.069,
    2.064,
    2.060,
    2.056,
    2.052,
    2.048,
    2.045,
    2.042,
)


class Spread(float):
    """The mean of several values; `half` of its 95 % confidence interval."""

    half = 0.0

    @staticmethod
    def of(values):
        n = len(values)
        spread = Spread(sum(values) / n)
        variance = sum((v - spread) ** 2 for v in values) / (n - 1)
        spread.half = (STUDENT[n - 2] if n - 2 < len(STUDENT) else 1.96) * math.sqrt(variance / n)
        return spread


# A mean is that of such values, turned back: to and back.
WITHIN = {
    "geometric": (math.log, math.exp),
    "arithmetic": (float, float),
    "harmonic": (lambda v: 1 / v, lambda v: 1 / v if v > 0 else math.inf),
}


def interval(mean, values):
    """(low, high): the 95 % confidence interval of a mean over workloads; None without one."""
    if mean not in WITHIN or len(values) < 2 or (mean != "arithmetic" and min(values) <= 0):
        return None
    to, back = WITHIN[mean]
    spread = Spread.of([to(v) for v in values])
    low, high = sorted((back(spread - spread.half), back(spread + spread.half)))
    return low, high


def at_interval(i, counter):
    """The name of a counter's value in an interval."""
    return f"@{i}:{counter}"


class Place:
    """A point as seen by an expression: the whole run, or one interval of it."""

    def __init__(self, results, point, base="", interval=None):
        self.results, self.point, self.base_case, self.interval = results, point, base, interval

    def at(self, point):
        if point is None:
            raise Undefined
        return Place(self.results, point, self.base_case)

    def counter(self, name):
        counters = self.results.counters.get(self.point.key)
        name = name if self.interval is None else at_interval(self.interval, name)
        if counters is None or counters.get(name) is None:  # null: a ratio whose denominator is 0
            raise Undefined
        return float(counters[name])

    def metric(self, metric):
        """Another metric of the same place, with its own base."""
        return metric.expression.value(Place(self.results, self.point, metric.base, self.interval))

    def option(self, name):
        value = self.point.config[name]
        return {"true": 1.0, "false": 0.0}[value] if value in ("true", "false") else float(value)

    def sweep(self, name):
        if name not in self.point.values:
            raise Undefined
        return self.point.values[name].number

    def number(self, name):
        numbers = self.results.study.workloads[self.point.workload].numbers
        if name not in numbers:
            raise Undefined
        return numbers[name]

    def case(self, name):
        return self.at(self.results.find(self.point.workload, name, self.point.values))

    def base(self):
        own = self.results.study.cases[self.point.case].base
        return self.case(own or self.base_case)

    def over_sweeps(self):
        return [self.at(p) for p in self.results.of(self.point.workload, self.point.case)]


class Results:
    """The points of a study with their counters (by key; a failed point has none).  The points are those of the first seed; a value is the mean
    over all seeds."""

    def __init__(self, study, points, counters, seed=None):
        first = study.seeds[0] if seed is None else seed
        self.study, self.points, self.counters = study, [p for p in points if p.seed == first], counters
        self.others = [Results(study, points, counters, s) for s in study.seeds[1:]] if seed is None else []
        points = self.points
        self.index = {}
        for p in points:
            self.index.setdefault((p.workload, p.case), []).append(p)
        self.workloads = [w for w in study.workloads if any(p.workload == w for p in points)]
        self.chosen = {}

    def of(self, workload, case):
        if case in self.study.best:
            best = self.find(workload, case, {})
            return [best] if best else []
        return self.index.get((workload, case), [])

    def find(self, workload, case, values):
        """The workload's point in a case; for a case with sweeps, at the same places."""
        if case in self.study.best:
            return self.best(workload, self.study.best[case])
        for p in self.of(workload, case):
            if all(s in values and values[s].label == v.label for s, v in p.values.items()):
                return p
        return None

    def best(self, workload, b):
        """The best point; the first of several equal ones."""
        if (workload, b.name) not in self.chosen:
            found = []
            for case in b.of:
                for p in self.of(workload, case):
                    try:
                        found.append((b.by.value(Place(self, p)), p))
                    except Undefined:
                        pass
            sign = 1 if b.pick == "max" else -1
            self.chosen[workload, b.name] = max(found, key=lambda x: sign * x[0])[1] if found else None
        return self.chosen[workload, b.name]

    def over_seeds(self, value):
        """Mean of value(results) over the seeds; None if it is None for any seed."""
        values = [value(r) for r in (self, *self.others)]
        return None if None in values else values[0] if len(values) == 1 else Spread.of(values)

    def same(self, point):
        """The corresponding point of this seed."""
        return (
            next((p for p in self.index.get((point.workload, point.case), []) if p.is_same_but_for_seed(point)), None)
            if point
            else None
        )

    def value(self, metric, point):
        """A number, or None if undefined."""
        return self.over_seeds(lambda r: r.expression(metric.expression, r.same(point), metric.base))

    def over_time(self, metric, point):
        """The value in each interval, None where undefined."""
        return [
            self.over_seeds(lambda r: r.expression(metric.expression, r.same(point), interval=i))
            for i in range(self.intervals(point))
        ]

    def intervals(self, point):
        counters = self.counters.get(point.key) or {} if point else {}
        return max((int(name[1 : name.index(":")]) + 1 for name in counters if name[0] == "@"), default=0)

    def expression(self, expression, point, base="", interval=None):
        if point is None:
            return None
        try:
            return expression.value(Place(self, point, base, interval))
        except Undefined:
            return None

    def mean(self, metric, points):
        """(mean of the metric, number of points with a value); None if there is no mean."""
        points = [p for p in points if self.value(metric, p) is not None]
        if not points or not metric.mean:
            return None, len(points)
        return self.over_seeds(lambda r: r.mean_here(metric, [r.same(p) for p in points])), len(points)

    def interval(self, metric, points):
        """(low, high) of the mean over the workloads, or None."""
        values = [self.value(metric, p) for p in points]
        return interval(metric.mean, [v for v in values if v is not None])

    def mean_here(self, metric, points):
        values = [
            metric.expression.ratio(Place(self, p, metric.base))
            if metric.mean == "pooled"
            else self.expression(metric.expression, p, metric.base)
            for p in points
        ]
        try:
            return MEAN[metric.mean](values)
        except Undefined:
            return None

    def with_rtl(self, point):
        """The same run with RTL, as points."""
        return [p for p in self.points if p.twin == point.key]

    def differences(self, point):
        """(counters that differ between a point with RTL and its twin, number of counters); None if one of them has not run."""
        here, twin = self.counters.get(point.key), self.counters.get(point.twin)
        if here is None or twin is None:
            return None
        names = here.keys() | twin.keys()
        return sorted(n for n in names if here.get(n) != twin.get(n)), len(names)


def written(value, form):
    """Formatted as in a table; with several seeds, plus half of the confidence interval."""
    if value is None:
        return "-"
    half = f" ± {plain(value.half + (form == 'change'), form).lstrip('+')}" if isinstance(value, Spread) else ""
    return plain(value, form) + half


def plain(value, form):
    if form == "change":
        return f"{100 * (value - 1):+.1f} %"
    if form == "percent":
        return f"{100 * value:.1f} %"
    return {
        "ratio": f"{value:.3f}",
        "count": f"{value:,.0f}",
        "number": f"{value:,.4g}",
        "tenths": f"{value:,.1f}",
        "hundredths": f"{value:,.2f}",
    }[form]
