# SPDX-License-Identifier: Apache-2.0
"""The figures of a study: each as a table, a plot and remarks, with the paper's numbers."""
from dataclasses import dataclass, field

from scripts.study import plots, seeds, verdicts
from scripts.study.fits import fit
from scripts.study.measure import written

PANELS = 8  # lines of one chart; more of them are small charts, one for each workload


@dataclass
class Shown:
    """A figure, ready for terminal and page."""

    title: str
    note: str
    page_only: bool
    heads: list = field(default_factory=list)
    rows: list = field(default_factory=list)
    left: int = 1
    gap: int = 0
    plot: object = None  # width -> SVG
    remarks: list = field(default_factory=list)


def paper(metric, kind, name, case, values=None):
    """The paper's number, or None."""
    number = metric.paper.get((kind, name, case))
    if isinstance(number, dict):
        return number.get(", ".join(v.label for v in values.values())) if values else None
    return number if number is not None and not values else None


class Maker:
    def __init__(self, results, figure):
        self.results, self.study, self.figure = results, results.study, figure
        self.workloads = [w for w in figure.workloads if w in results.workloads]
        self.groups = list(
            dict.fromkeys(self.study.workloads[w].group for w in self.workloads if self.study.workloads[w].group)
        )
        self.shown, self.sources = Shown(figure.title, figure.note, figure.page_only), set()

    def point(self, workload, case):
        return self.results.find(workload, case, {})

    def at(self, workload, case, place):
        """The point of a case at a given place of each of its sweeps."""
        return next(
            (p for p in self.results.of(workload, case) if all(p.values[s].label == v.label for s, v in place.items())),
            None,
        )

    def value(self, metric, kind, name, case, point=None):
        """Value of a workload, of a group of workloads, or the mean of all; point(workload, case) selects the points."""
        point = point or self.point
        if kind == "workload":
            return self.results.value(metric, point(name, case))
        inside = [w for w in self.workloads if kind == "mean" or self.study.workloads[w].group == name]
        value, count = self.results.mean(metric, [point(w, case) for w in inside])
        if metric.mean and count < len(inside):
            self.remark(
                f"{self.study.label(case)}, {metric.label}: the {metric.mean} mean{' of ' + name if name else ''} is over {count} of {len(inside)} "
                "workloads; the others have no value."
            )
        return value

    def remark(self, words):
        if words not in self.shown.remarks:
            self.shown.remarks.append(words)

    def groups_of(self, metric, by):
        """Rows of a table, or groups of bars: (kind, name, label)."""
        found = [] if by != "workload" else [("workload", w, self.study.workloads[w].label) for w in self.workloads]
        if metric.mean and by != "case":
            found += [("group", g, f"{g}, mean") for g in self.groups]
        if metric.mean:
            found.append(("mean", "", f"{metric.mean} mean"))
        return found

    def chosen(self):
        """The points selected by the best cases."""
        for name in self.figure.cases:
            if name in self.study.best:
                said = [
                    f"{self.study.workloads[w].label} {' '.join(filter(None, (p.case if len(self.study.best[name].of) > 1 else '', p.place)))}"
                    for w in self.workloads
                    for p in [self.point(w, name)]
                    if p
                ]
                self.remark(f"{self.study.label(name)}: {'; '.join(said)}.")

    def make(self):
        getattr(self, self.figure.kind)()
        named = dict.fromkeys((self.figure.source, *(self.study.metrics[m].figure for m in self.figure.metrics)))
        sources = [f for f in named if f in self.sources]
        if sources:
            self.remark(f"Paper: {'; '.join(sources)}.")
        return self.shown

    def paper(self, m, kind, name, case, place=None):
        """The paper's number; its source is named below the figure."""
        found = paper(m, kind, name, case, place)
        if found is not None:
            self.sources.add(m.figure)
        return found

    # ---- tables: a column for every metric, a row for each case at each place of its sweeps
    def places(self, case):
        """Every combination of values of the case's sweeps, in the order of the study; one empty combination if it has none."""
        return list({p.place: p.values for p in self.results.points if p.case == case}.values()) or [{}]

    def named(self, case, place):
        return ", ".join(
            [self.study.label(case), *(f"{self.study.sweeps[s].label} {v.label}" for s, v in place.items())]
        )

    def table(self):
        metrics = [self.study.metrics[m] for m in self.figure.metrics]
        by_case = self.figure.by == "case"
        lines = (
            [("mean", "", "")]
            if by_case
            else (
                [("workload", w, self.study.workloads[w].label) for w in self.workloads]
                if self.figure.by == "workload"
                else []
            )
        )
        if not by_case and any(m.mean for m in metrics):
            lines += [("group", g, f"{g}, mean") for g in self.groups] + [("mean", "", "mean")]
        rows = [(c, place) for c in self.figure.cases for place in self.places(c)]
        cells = [
            (
                line,
                c,
                place,
                [
                    (
                        self.value(m, *line[:2], c, lambda w, case, at=place: self.at(w, case, at)),
                        self.paper(m, *line[:2], c, place),
                    )
                    for m in metrics
                ],
            )
            for line in lines
            for c, place in rows
        ]
        has_paper = [any(row[-1][i][1] is not None for row in cells) for i in range(len(metrics))]
        self.shown.left = 1 if by_case else 2
        self.shown.gap = 0 if by_case else len(rows)
        self.shown.heads = ([] if by_case else [("", "workload")]) + [("", "case")]
        for m, p in zip(metrics, has_paper):
            self.shown.heads += (
                [(m.label, "here"), ("", "paper")] if p else [(m.above, m.label) if m.above else (m.label, "")]
            )
        for line, c, place, values in cells:
            row = ([] if by_case else [line[2]]) + [self.named(c, place)]
            for m, p, (ours, theirs) in zip(metrics, has_paper, values):
                row += [written(ours, m.format)] + (
                    [written(theirs, m.format) if theirs is not None else ""] if p else []
                )
            self.shown.rows.append(row)
        if self.figure.by == "workload":
            self.agreement(
                [self.at(line[1], c, place) if line[0] == "workload" else None for line, c, place, _ in cells]
            )
        self.chosen()

    def verdicts(self):
        verdicts.fill(self)

    def seeds(self):
        seeds.fill(self)

    def agreement(self, points):
        """Last column if any point has also run with RTL: whether the counters are equal."""
        with_rtl = [self.results.with_rtl(p) if p else [] for p in points]
        if any(with_rtl):
            self.shown.heads.append(("counters of", "twin and RTL"))
            for row, found in zip(self.shown.rows, with_rtl):
                row.append("; ".join(map(self.agree, found)))

    def agree(self, point):
        found = self.results.differences(point)
        if found is None:
            return "not run"
        return f"{len(found[0])} of {found[1]} differ" if found[0] else f"all {found[1]} agree"

    # ---- bars: a column, and a bar in every group, for every case
    def bars(self):
        m = self.study.metrics[self.figure.metrics[0]]
        lines = self.groups_of(m, self.figure.by)
        cells = {
            (line, c): (self.value(m, *line[:2], c), self.paper(m, *line[:2], c))
            for line in lines
            for c in self.figure.cases
        }
        has_paper = {c: any(cells[line, c][1] is not None for line in lines) for c in self.figure.cases}
        self.shown.heads = [("", "workload")]
        for c in self.figure.cases:
            self.shown.heads += [(self.study.label(c), "here" if has_paper[c] else "")] + (
                [("", "paper")] if has_paper[c] else []
            )
        for line in lines:
            row = [line[2]]
            for c in self.figure.cases:
                ours, theirs = cells[line, c]
                row += [written(ours, m.format)] + (
                    [written(theirs, m.format) if theirs is not None else ""] if has_paper[c] else []
                )
            self.shown.rows.append(row)
        self.bar_plot(m, lines, cells)
        self.chosen()

    def bar_row(self, m, line, i, case, cell):
        ours, theirs = cell
        name = f"{line[2]}, {self.study.label(case)}"
        stack = [] if ours is None else [(ours, i, f"{name}: {written(ours, m.format)}")]
        mark = () if theirs is None else (theirs, f"{name}, paper: {written(theirs, m.format)}")
        return plots.Row(stack, written(ours, m.format), "", mark, written(theirs, m.format) if mark else "")

    def bar_plot(self, m, lines, cells):
        """By case: the cases are named beside their bars, and the group says over which points a bar is the mean."""

        def of_line(line):
            return line[2], [self.bar_row(m, line, i, c, cells[line, c]) for i, c in enumerate(self.figure.cases)]

        def of_case(i, c):
            return self.study.label(c), [self.bar_row(m, line, i, c, cells[line, c]) for line in lines]

        groups = (
            [of_case(i, c) for i, c in enumerate(self.figure.cases)]
            if self.figure.by == "case"
            else [of_line(line) for line in lines]
        )
        values = plots.values_of(groups)
        keys = [(i, "bar", self.study.label(c)) for i, c in enumerate(self.figure.cases)] + paper_key(
            any(theirs is not None for _, theirs in cells.values())
        )
        self.shown.plot = lambda width: plots.bars(
            self.figure.title, groups, scale(m, values), keys, m.label, width, self.figure.mark
        )

    # ---- stacks: the metrics on top of each other, a bar for every case
    def stack(self):
        metrics = [self.study.metrics[m] for m in self.figure.metrics]
        self.shown.heads = [("", "workload"), ("", "case"), *(("", m.label) for m in metrics)]
        self.shown.left, self.shown.gap, groups = 2, len(self.figure.cases), []
        for w in self.workloads:
            bars = []
            for c in self.figure.cases:
                values = [self.results.value(m, self.point(w, c)) for m in metrics]
                names = [self.study.workloads[w].label, self.study.label(c)]
                self.shown.rows.append(names + [written(v, m.format) for m, v in zip(metrics, values)])
                parts = [
                    (v, i, f"{', '.join(names)}: {m.label} {written(v, m.format)}")
                    for i, (m, v) in enumerate(zip(metrics, values))
                    if v is not None
                ]
                bars.append(
                    plots.Row(
                        parts,
                        written(sum(v or 0 for v in values), metrics[0].format),
                        names[1] if len(self.figure.cases) > 1 else "",
                    )
                )
            groups.append((self.study.workloads[w].label, bars))
        keys = [(i, "bar", m.label) for i, m in enumerate(metrics)]
        self.shown.plot = lambda width: plots.bars(self.figure.title, groups, from_zero(metrics[0]), keys, "", width)

    # ---- lines along a sweep: a row, and a line, for each workload or mean in each case at each place of the other sweeps
    def lines_of(self, m):
        """[(label, (kind, name), case, places of the other sweeps)]"""
        found, groups = [], self.groups_of(m, self.figure.by)
        for case in self.figure.cases:
            rest = [s for s in self.study.sweeps_of(case) if s != self.figure.sweep]
            others = {
                tuple(p.values[s].label for s in rest): {s: p.values[s] for s in rest}
                for p in self.results.points
                if p.case == case
            }
            for place in others.values():
                words = [self.study.label(case)] * (len(self.figure.cases) > 1) + [
                    f"{self.study.sweeps[s].label} {v.label}" for s, v in place.items()
                ]
                found += [(", ".join([label, *words]), (kind, name), case, place) for kind, name, label in groups]
        return found

    def along(self, workload, case, others, value):
        """The point at one place of the sweep."""
        return self.at(workload, case, {**others, self.figure.sweep: value})

    def lines_x(self, series, i, value):
        """x position of a place; without an expression places are equidistant."""
        _, (kind, name), case, others = series
        if not self.figure.x:
            return i
        xs = [
            self.results.expression(self.figure.x, self.along(w, case, others, value))
            for w in ([name] if kind == "workload" else self.workloads)
        ]
        return xs[0] if xs and all(x == xs[0] for x in xs) else None  # a mean over points of several x has no place

    def lines(self):
        m, sweep = self.study.metrics[self.figure.metrics[0]], self.study.sweeps[self.figure.sweep]
        series, drawn = self.lines_of(m), []
        self.shown.heads = [("", sweep.label), *(("", v.label) for v in sweep.values)]
        for line in series:
            label, (kind, name), case, others = line
            ours = [
                self.value(m, kind, name, case, lambda w, c, v=v: self.along(w, c, others, v)) for v in sweep.values
            ]
            places = [
                {s: v if s == self.figure.sweep else others[s] for s in self.study.sweeps_of(case)}
                for v in sweep.values
            ]
            theirs = [self.paper(m, kind, name, case, place) for place in places]
            xs = [self.lines_x(line, i, v) for i, v in enumerate(sweep.values)]
            for who, values in (("", ours), (", paper", theirs)):
                if who and all(v is None for v in values):
                    continue
                self.shown.rows.append(
                    [label + who, *("" if who and v is None else written(v, m.format) for v in values)]
                )
                drawn.append(
                    (
                        line,
                        who,
                        [
                            (x, y, f"{label}{who}, {v.label}: {written(y, m.format)}")
                            for x, y, v in zip(xs, values, sweep.values)
                            if x is not None and y is not None
                        ],
                    )
                )
        marks = (
            marks_at(plots.between([p[0] for _, _, points in drawn for p in points]))
            if self.figure.x
            else [(i, grouped(v.label)) for i, v in enumerate(sweep.values)]
        )
        self.line_plot(m, drawn, marks, self.figure.x_label or sweep.label.rstrip(":"))

    def line_plot(self, m, drawn, marks, x_label):
        """One chart, or a small one for each workload and mean.  drawn: [(line, is it the paper's?, points)]"""
        lines = list(dict.fromkeys(line[0] for line, _, _ in drawn))
        names = {self.of_line(line): None for line, _, _ in drawn}
        split = len(lines) > PANELS and len(names) > 1
        variants = list(dict.fromkeys(self.variant(line) if split else line[0] for line, _, _ in drawn))
        numbers = {v: i for i, v in enumerate(variants)}
        values = scale(m, plots.heights([(0, "both", points) for _, _, points in drawn]))

        def series(chosen):
            return [
                (None if who else numbers[self.variant(line) if split else line[0]], "paper" if who else "both", points)
                for line, who, points in drawn
                if chosen(line)
            ]

        with_paper = paper_key(any(who for _, who, _ in drawn))
        keys = [(i, "both", words or "here") for words, i in numbers.items() if words or with_paper] + with_paper
        if split:
            cells = [(name, series(lambda line, name=name: self.of_line(line) == name)) for name in names]
            self.shown.plot = lambda width: plots.panels(
                self.figure.title, cells, marks, x_label, m.label, values, keys, width
            )
        else:
            self.shown.plot = lambda width: plots.chart(
                self.figure.title,
                series(lambda _: True),
                marks,
                x_label,
                m.label,
                values,
                keys,
                width,
                self.figure.mark,
            )

    def of_line(self, line):
        """The workload, group or mean of a line."""
        kind, name = line[1]
        return (
            self.study.workloads[name].label if kind == "workload" else f"{name}, mean" if kind == "group" else "mean"
        )

    def variant(self, line):
        """The rest of its name: case and places."""
        _, _, case, others = line
        return ", ".join(
            [self.study.label(case)] * (len(self.figure.cases) > 1)
            + [f"{self.study.sweeps[s].label} {v.label}" for s, v in others.items()]
        )

    # ---- over time: a line for each metric of each workload in each case; the table has the mean and the ends of each
    def series(self):
        drawn, keys, length, ends = [], [], self.study.interval, 0
        metrics = [self.study.metrics[m] for m in self.figure.metrics]
        self.shown.heads = [("", "over time"), ("", "intervals"), ("", "mean"), ("", "least"), ("", "most")]
        for w, c, m in ((w, c, m) for w in self.workloads for c in self.figure.cases for m in metrics):
            label = ", ".join(
                [self.study.workloads[w].label] * (len(self.workloads) > 1)
                + [self.study.label(c)] * (len(self.figure.cases) > 1)
                + [m.label]
            )
            found = [(i, v) for i, v in enumerate(self.results.over_time(m, self.point(w, c))) if v is not None]
            values = [v for _, v in found]
            self.shown.rows.append(
                [
                    label,
                    str(len(found)),
                    *(
                        written(v, m.format)
                        for v in ([sum(values) / len(values), min(values), max(values)] if values else [None] * 3)
                    ),
                ]
            )
            keys.append((len(drawn), "line", label))
            drawn.append((len(drawn), "line", [((i + 0.5) * length, v, "") for i, v in found]))
            ends = max([ends, *(i * length + length for i, _ in found)])
        x_label, y_label = (
            self.figure.x_label or "SM cycles",
            metrics[0].label if len(metrics) == 1 else f"in {plots.number(length)} cycles",
        )
        self.shown.plot = lambda width: plots.chart(
            self.figure.title, drawn, number_marks([ends]), x_label, y_label, scale(metrics[0]), keys, width
        )

    # ---- points, and curves through them
    def scatter(self):
        m = self.study.metrics[self.figure.metrics[0]]
        drawn, keys, found = [], [], []
        for n, w in enumerate(self.workloads):
            points = []
            for p in (p for c in self.figure.cases for p in self.results.of(w, c)):
                x, y = self.results.expression(self.figure.x, p, m.base), self.results.value(m, p)
                if x is not None and y is not None:
                    points.append((x, y, f"{p.name}: {x:.4g}, {written(y, m.format)}"))
            drawn.append((n, "dots", points))
            keys.append((n, "dots", self.study.workloads[w].label))
            found += [p[:2] for p in points]
        with_paper = any(r2 is not None for r2 in self.figure.r2.values())
        if with_paper:
            self.sources.add(self.figure.source)
        self.shown.heads = [("", "curve"), ("", "points"), ("R^2", "here" if with_paper else "")] + [
            ("", "paper")
        ] * with_paper
        marks = number_marks([x for x, _ in found])
        for n, form in enumerate(self.figure.fits):
            curve = fit(form, found)
            theirs = self.figure.r2[form]
            self.shown.rows.append(
                [f"{form}: {curve[1] if curve else 'no fit'}", str(len(found)), f"{curve[2]:.3f}" if curve else "-"]
                + ["" if theirs is None else f"{theirs:.3f}"] * with_paper
            )
            if curve:
                low, high = (min(x for x, _ in found), max(x for x, _ in found))
                steps = [low + (high - low) * i / 60 for i in range(61)]
                drawn.append((len(self.workloads) + n, "line", [(x, curve[0](x), "") for x in steps]))
                keys.append((len(self.workloads) + n, "line", f"{curve[1]}, R² {curve[2]:.3f}"))
        x_label = self.figure.x_label or self.figure.x.text
        self.shown.plot = lambda width: plots.chart(
            self.figure.title, drawn, marks, x_label, m.label, scale(m), keys, width
        )


def paper_key(there):
    return [(None, "paper", "paper")] if there else []


def number_marks(xs):
    return marks_at(plots.both_sides(min([0, *xs]), max([0, *xs])))


def marks_at(places):
    return [(m, plots.number(m)) for m in places]


def grouped(words):
    """A whole number with a sign between thousands, as everywhere on an axis."""
    return f"{int(words):,}" if words.isdigit() else words


MOST = 3  # a ratio up to which a change is easier to read in percent: 2.5 is +150 %


def scale(metric, values=()):
    """The axis of a metric.  A value relative to a base case goes to both sides of it."""
    if metric.format == "change" or (metric.format == "ratio" and metric.expression.uses("base")):
        if metric.format == "change" or max([0, *values]) <= MOST:
            return plots.Scale(
                lambda v: f"{round(100 * (v - 1), 6):+,.10g} %"
                if v != 1
                else "0 %"
                if metric.format == "change"
                else "1.0",
                1,
                True,
            )
        return plots.Scale(lambda v: f"{plots.number(v)} \N{MULTIPLICATION SIGN}", 1)
    return from_zero(metric)


def from_zero(metric):
    return plots.Scale(
        (lambda v: f"{plots.number(round(100 * v, 9))} %") if metric.format == "percent" else plots.number
    )


def show(results):
    return [Maker(results, f).make() for f in results.study.figures]


def headline(results):
    """[(metric, label of case and place, ours, the paper's or None)]: the means of the file's headline metrics, from the first figure with them."""
    found = []
    for name in results.study.headline:
        m = results.study.metrics[name]
        for maker in [
            Maker(results, f) for f in results.study.figures if name in f.metrics and f.kind in ("table", "bars")
        ][:1]:
            for case, place in ((c, place) for c in maker.figure.cases if c != m.base for place in maker.places(c)):
                ours = results.mean(m, [maker.at(w, case, place) for w in maker.workloads])[0]
                if ours is not None:
                    found.append((m, maker.named(case, place), ours, paper(m, "mean", "", case, place)))
    return found


def headline_words(results):
    """One text line of the headline."""
    words, before = [], None
    for m, case, ours, theirs in headline(results):
        words.append(
            (f"{m.label}: " if m is not before else "")
            + f"{case} {written(ours, m.format)}"
            + (f" (paper {written(theirs, m.format)})" if theirs is not None else "")
        )
        before = m
    return "; ".join(words)


def disagreements(results):
    """A line per point with RTL whose counters differ from those of its twin."""
    found = []
    for p in (p for r in (results, *results.others) for p in r.points):
        differ, count = results.differences(p) if p.twin and results.differences(p) else ([], 0)
        if differ:
            found.append(
                f"{p.name}: {len(differ)} of {count} counters differ between twin and RTL: {' '.join(differ[:6])}{' ...' if len(differ) > 6 else ''}\n  {p.shell()}"
            )
    return found
