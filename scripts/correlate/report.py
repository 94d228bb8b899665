# SPDX-License-Identifier: Apache-2.0
"""The page build/report/correlate.html and the tables of docs/correlation.md."""
import math
import re
from html import escape

from scripts.correlate.counters import CAUSES_OFF, COUNTERS, ERRORS, causes, groups, mean, pairs, summaries, values
from scripts.study import plots, render
from scripts.study.figures import Shown
from scripts.study.measure import written
from scripts.study.page import document

TITLE = "memtwin beside Accel-Sim"
LINE = 7  # colour of the line on which both agree
NOTE = "Both programs read the same traces. Each point is a workload; on the line both agree."


def amount(counter, error):
    return f"{error * ERRORS[counter.kind][1]:+.1f}"


def limit(value, counter):
    return f"{value * ERRORS[counter.kind][1]:g}" if value != float("inf") else "-"


def goal(limits, missed):
    """The goals, and whether they are met."""
    words = ", ".join(w for w in limits if w != "-")
    return f"{words}: {'missed' if missed else 'met'}" if words else "-"


def summary_goal(s):
    return goal([limit(value, s.counter) for value in s.counter.goals], s.missed())


def summary(results, machines):
    """A line for each counter and machine."""
    heads = [
        ("", "counter"),
        ("", "machine"),
        ("", "workloads"),
        ("mean abs.", "error"),
        ("", "allowed"),
        ("worst", "error"),
        ("", "allowed"),
        ("", "of"),
        ("", "unit"),
        ("Pearson's", "r"),
        ("", "goal"),
    ]
    rows = []
    for s in summaries(results):
        c = s.counter
        rows.append(
            [
                c.label,
                machines[s.machine],
                str(s.count),
                f"{s.mean * ERRORS[c.kind][1]:.1f}",
                limit(c.mean, c),
                amount(c, s.worst.error),
                limit(c.worst, c),
                s.worst.workload,
                ERRORS[c.kind][2],
                "-" if s.r is None else f"{s.r:.3f}",
                summary_goal(s),
            ]
        )
    return Shown("Errors of each counter", "", False, heads, rows, left=2)


def causes_table(results, machines):
    """A line for each machine and cause of a refused attempt, over all workloads."""
    heads = [
        ("", "cause"),
        ("", "machine"),
        ("", "Accel-Sim"),
        ("", "memtwin"),
        ("error, %", "of all"),
        ("", "allowed"),
        ("", "goal"),
    ]
    rows = [
        [
            c.label,
            machines[c.machine],
            written(c.theirs, "count"),
            written(c.ours, "count"),
            "-" if c.error() is None else f"{100 * c.error():+.1f}",
            f"{100 * CAUSES_OFF:g}",
            goal([f"{100 * CAUSES_OFF:g}"], c.missed()),
        ]
        for c in causes(results)
    ]
    return Shown("L1D failures by cause", "", False, heads, rows, left=2)


def tick(value, form):
    """An axis label: as in tables, but with a letter for thousands and millions, to save room."""
    for factor, letter in ((1e6, "M"), (1e3, "k")):
        if value >= factor:
            return f"{value / factor:g} {letter}"
    return re.sub(r"\.0+(?!\d)", "", written(value, form))


def scale(counter, top):
    """(position of a value on an axis, axis marks); counts use a logarithmic scale, since workloads differ by orders of magnitude."""
    if counter.form != "count":
        marks = plots.ticks(top or 1)
        return (lambda v: v), [(m, tick(m, counter.form)) for m in marks]
    return (lambda v: math.log10(max(v, 1))), [
        (m, tick(10**m, counter.form)) for m in range(math.ceil(math.log10(max(top, 10))) + 1)
    ]


def scatter(counter, found, machines):
    """Scatter plot: reference on the x axis, memtwin on the y axis."""
    place, marks = scale(counter, max([p.theirs for p in found] + [p.ours for p in found], default=1))
    words, end = dict(marks), marks[-1][0]
    series = [(LINE, "dashed", [(0, 0, ""), (end, end, "")])]
    for i, machine in enumerate(machines):
        series.append(
            (
                i,
                "dots",
                [
                    (
                        place(p.theirs),
                        place(p.ours),
                        f"{p.workload}: {written(p.theirs, counter.form)} there, "
                        f"{written(p.ours, counter.form)} here",
                    )
                    for p in found
                    if p.machine == machine
                ],
            )
        )
    keys = [(i, "dots", label) for i, label in enumerate(machines.values())] + [(LINE, "dashed", "both agree")]
    axis = plots.Scale(lambda v: words.get(v) or tick(10**v, counter.form))
    return lambda width: plots.chart(counter.label, series, marks, "Accel-Sim", "memtwin", axis, keys, width)


def figure(counter, results, machines):
    found = pairs(counter, results)
    rows = [
        [
            p.workload,
            machines[p.machine],
            written(p.theirs, counter.form),
            written(p.ours, counter.form),
            "-" if p.error is None else amount(counter, p.error),
        ]
        for p in found
    ]
    heads = [("", "workload"), ("", "machine"), ("", "Accel-Sim"), ("", "memtwin"), ("error,", ERRORS[counter.kind][2])]
    return Shown(counter.label, "", False, heads, rows, left=2, plot=scatter(counter, found, machines))


def page(results, machines, versions, failures):
    body = [f"<h1>{escape(TITLE)}</h1>", f"<p>{escape(NOTE)}</p>", "<pre>make correlate</pre>"]
    if failures:
        body.append(f"<h2>Failed</h2><pre>{escape(chr(10).join(failures))}</pre>")
    body.append(
        render.figures_of(
            [
                summary(results, machines),
                causes_table(results, machines),
                *(figure(c, results, machines) for c in COUNTERS),
            ]
        )
    )
    return document(TITLE, "".join([*body, f"<footer>{escape(versions)}</footer>"]))


def effects(results, against):
    """[(workload, machine, change of cycles in the reference, in memtwin)]; against: machine -> its baseline."""
    cycles = {(p.machine, p.workload): p for p in pairs(COUNTERS[0], results)}
    for (machine, workload), p in cycles.items():
        base = cycles.get((against.get(machine), workload))
        if base:
            yield workload, machine, p.theirs / base.theirs - 1, p.ours / base.ours - 1


def effects_table(results, machines, against):
    """Effect of a machine change in both programs."""
    heads = [
        ("", "workload"),
        ("", "machine"),
        ("", "against"),
        ("cycles,", "Accel-Sim, %"),
        ("cycles,", "memtwin, %"),
        ("", "difference, points"),
    ]
    rows = [
        [
            f"`{w}`",
            machines[m],
            machines[against[m]],
            f"{100 * theirs:+.1f}",
            f"{100 * ours:+.1f}",
            f"{100 * (ours - theirs):+.1f}",
        ]
        for w, m, theirs, ours in effects(results, against)
    ]
    if rows:
        mean = sum(abs(ours - theirs) for _, _, theirs, ours in effects(results, against)) / len(rows)
        rows.append(["mean absolute", "", "", "", "", f"{100 * mean:.1f}"])
    return Shown("Effects", "", False, heads, rows, left=3)


def cycles_table(results, machines, seconds):
    """A line for each workload: cycles on every machine, and the reference's time."""
    found = {(p.machine, p.workload): p for p in pairs(COUNTERS[0], results)}
    present = {m: label for m, label in machines.items() if any(r[0] == m for r in results)}
    heads = [("", "workload")] + [
        (label, column) for label in present.values() for column in ("Accel-Sim", "memtwin", "error, %", "Accel-Sim, s")
    ]
    rows = []
    for workload in dict.fromkeys(r[1] for r in results):
        row = [f"`{workload}`"]
        for m in present:
            p = found.get((m, workload))
            row += (
                [
                    written(p.theirs, "count"),
                    written(p.ours, "count"),
                    amount(COUNTERS[0], p.error),
                    f"{seconds[m, workload]:.1f}",
                ]
                if p
                else ["-"] * 4
            )
        rows.append(row)
    return Shown("Cycles", "", False, heads, rows)


SHIFTED = ("cycles", "L1D hit rate", "L2 accesses", "L1D failures, no line")  # counters of shifts_table()


def shifts_table(results, machines):
    """Workloads with several runs, of which a latency differs: lowest and highest value, and the mean, in both programs."""
    heads = [("", head) for head in ("workload", "machine", "counter")]
    heads += [
        ("", f"{program}, {head}") for program in ("Accel-Sim", "memtwin") for head in ("lowest", "highest", "mean")
    ]
    heads += [("error", "of the mean"), ("", "unit")]
    rows = []
    shifted = {key: runs for key, runs in groups(results).items() if len(runs) > 1}
    for counter in (c for c in COUNTERS if c.label in SHIFTED):
        for (machine, workload), runs in shifted.items():
            sides = values(counter, runs)
            cells = [written(f(side), counter.form) for side in sides for f in (min, max, mean)]
            error = ERRORS[counter.kind][0](mean(sides[1]), mean(sides[0]), runs[0][0])
            rows.append(
                [f"`{workload}`", machines[machine], counter.label, *cells]
                + ["-" if error is None else amount(counter, error), ERRORS[counter.kind][2]]
            )
    return Shown("Shifts", "", False, heads, rows, left=3)
