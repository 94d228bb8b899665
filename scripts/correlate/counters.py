# SPDX-License-Identifier: Apache-2.0
"""The compared counters: how each is computed from the numbers of both programs, its error metric, and its error limit."""
import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Counter:
    label: str
    reference: object  # (numbers of the reference) -> value, or None
    ours: object  # (counters of memtwin) -> value, or None
    kind: str  # kind of error, see ERRORS
    form: str  # study.measure.written
    mean: float = math.inf  # allowed mean absolute error: more is a change for the worse
    worst: float = math.inf  # allowed absolute error of a workload
    goals: tuple = (math.inf, math.inf)  # of the two


def relative(ours, theirs, _):
    if theirs:
        return ours / theirs - 1
    return 0.0 if not ours else None


def difference(ours, theirs, _):
    return ours - theirs


def traffic(ours, theirs, numbers):
    """Error of a request count, relative to all requests of the reference to DRAM, as the reference may have none of a kind."""
    total = numbers["dram.reads"] + numbers["dram.writes"]
    return (ours - theirs) / total if total else None


ERRORS = {
    "relative": (relative, 100, "%"),
    "points": (difference, 100, "points"),
    "traffic": (traffic, 100, "% of requests"),
    "per mille": (difference, 1, "per 1000 instructions"),
}


def ratio(a, b):
    return a / b if b else None


def count(name):
    return lambda n: n[name]


def share(part, whole):
    return lambda n: ratio(n[part], n[whole])


def failures(name, instructions):
    return lambda n: ratio(1000 * n[name], n[instructions])


def failure(label, theirs, ours):
    return Counter(
        label, failures(theirs, "warp_instructions"), failures(ours, "gpu.warp_instructions"), "per mille", "tenths"
    )


COUNTERS = [
    Counter(
        "cycles", count("cycles"), count("gpu.cycles"), "relative", "count", mean=0.03, worst=0.14, goals=(0.025, 0.1)
    ),
    Counter(
        "IPC, thread instructions",
        share("instructions", "cycles"),
        share("gpu.thread_instructions", "gpu.cycles"),
        "relative",
        "tenths",
    ),
    Counter(
        "thread instructions",
        count("instructions"),
        count("gpu.thread_instructions"),
        "relative",
        "count",
        mean=0,
        worst=0,
    ),
    # Atomics pass the reference's L1D uncounted.
    Counter(
        "L1D accesses",
        count("l1d.accesses"),
        lambda n: n["l1d.accesses"] - n["l1d.atomics"],
        "relative",
        "count",
        mean=0,
        worst=0,
    ),
    Counter(
        "L1D hit rate",
        share("l1d.hits", "l1d.reads"),
        count("l1d.hit_rate"),
        "points",
        "percent",
        mean=0.01,
        worst=0.09,
        goals=(0.005, 0.03),
    ),
    Counter("L2 accesses", count("l2.accesses"), count("l2.accesses"), "relative", "count"),
    Counter(
        "L2 hit rate",
        share("l2.hits", "l2.accesses"),
        count("l2.hit_rate"),
        "points",
        "percent",
        mean=0.01,
        worst=0.07,
        goals=(0.005, 0.03),
    ),
    failure("L1D failures, no line", "l1d.rf.line", "l1d.rf.line"),
    failure("L1D failures, MSHR entries", "l1d.rf.mshr_entry", "l1d.rf.mshr_entry"),
    failure("L1D failures, MSHR merging", "l1d.rf.mshr_merge", "l1d.rf.mshr_merge"),
    failure("L1D failures, miss queue", "l1d.rf.miss_queue", "l1d.rf.miss_queue"),
    failure("L2 failures", "l2.rf", "l2.rf.total"),
    Counter("DRAM reads", count("dram.reads"), count("dram.reads"), "traffic", "count"),
    Counter("DRAM writes", count("dram.writes"), count("dram.writes"), "traffic", "count"),
    Counter("DRAM activates", count("dram.activates"), count("dram.activates"), "relative", "count"),
    Counter(
        "DRAM row hit rate",
        lambda n: 1 - ratio(n["dram.activates"], n["dram.requests"]) if n["dram.requests"] else None,
        lambda n: n["dram.row_hit_rate"] if n["dram.reads"] + n["dram.writes"] else None,
        "points",
        "percent",
    ),
    Counter(
        "mean latency of a response",
        count("latency"),
        count("mem.reply_avg"),
        "relative",
        "count",
        mean=0.05,
        goals=(0.1, math.inf),
    ),
]


@dataclass
class Pair:
    """A workload's value in both programs."""

    machine: str
    workload: str
    theirs: float
    ours: float
    error: float  # None: undefined


def groups(results):
    """results: [(machine, workload, reference's numbers, memtwin's counters)], several of a workload with shifts -> {(machine, workload): [(the numbers, the counters)]}."""
    found = {}
    for machine, workload, theirs, ours in results:
        found.setdefault((machine, workload), []).append((theirs, ours))
    return found


def values(counter, runs):
    """(the reference's values, memtwin's) of the runs of a workload."""
    return [counter.reference(theirs) for theirs, _ in runs], [counter.ours(ours) for _, ours in runs]


def mean(found):
    """None if a run has no value."""
    if len(found) == 1 or None in found:
        return found[0] if len(found) == 1 else None
    return sum(found) / len(found)


def pairs(counter, results):
    """A Pair of means for each machine and workload with values."""
    found = []
    for (machine, workload), runs in groups(results).items():
        a, b = map(mean, values(counter, runs))
        if a is not None and b is not None:
            found.append(Pair(machine, workload, a, b, ERRORS[counter.kind][0](b, a, runs[0][0])))
    return found


def pearson(found):
    """None if one side does not vary."""
    n = len(found)
    if n < 2:
        return None
    x, y = [p.theirs for p in found], [p.ours for p in found]
    mx, my = sum(x) / n, sum(y) / n
    sxy, sxx, syy = (
        sum((a - ma) * (b - mb) for a, b in zip(u, v))
        for u, v, ma, mb in ((x, y, mx, my), (x, x, mx, mx), (y, y, my, my))
    )
    return sxy / math.sqrt(sxx * syy) if sxx and syy else None


@dataclass
class Summary:
    counter: Counter
    machine: str
    count: int
    mean: float  # absolute error; None: no workload has one
    worst: Pair
    r: float

    def missed(self):
        """Whether a goal is missed."""
        return self.mean > self.counter.goals[0] + 1e-12 or abs(self.worst.error) > self.counter.goals[1] + 1e-12

    def exceeded(self):
        """Lines about exceeded limits."""
        unit, words = ERRORS[self.counter.kind][1:]
        for name, value, limit in (
            ("mean", self.mean, self.counter.mean),
            (f"worst ({self.worst.workload})", abs(self.worst.error), self.counter.worst),
        ):
            if value > limit + 1e-12:
                yield f"{self.machine}: {self.counter.label}: {name} absolute error {value * unit:.2f} {words}, allowed {limit * unit:g}"


CAUSES = {"line": "no line", "mshr_entry": "MSHR entries", "mshr_merge": "MSHR merging", "miss_queue": "miss queue"}
CAUSES_OFF = 0.15  # allowed error of a cause, of the failures of all causes


@dataclass
class Cause:
    """The L1D's refused attempts by one cause, in all workloads of a machine."""

    label: str
    machine: str
    theirs: int
    ours: int
    of: int  # of all causes, in the reference

    def error(self):
        return (self.ours - self.theirs) / self.of if self.of else None

    def missed(self):
        return self.of and abs(self.error()) > CAUSES_OFF

    def exceeded(self):
        if self.missed():
            yield (
                f"{self.machine}: L1D failures, {self.label}: error {100 * self.error():.1f} % of all failures, "
                f"allowed {100 * CAUSES_OFF:g} %"
            )


def causes(results):
    """A Cause for each machine and cause."""
    runs = groups(results)
    for machine in dict.fromkeys(r[0] for r in results):
        mine = [found for (m, _), found in runs.items() if m == machine]
        sums = {
            c: tuple(sum(mean([run[side][f"l1d.rf.{c}"] for run in found]) for found in mine) for side in (0, 1))
            for c in CAUSES
        }
        of = sum(theirs for theirs, _ in sums.values())
        for cause, (theirs, ours) in sums.items():
            yield Cause(CAUSES[cause], machine, theirs, ours, of)


def summaries(results):
    """One summary per counter and machine that has errors."""
    for counter in COUNTERS:
        for machine in dict.fromkeys(r[0] for r in results):
            found = [p for p in pairs(counter, [r for r in results if r[0] == machine]) if p.error is not None]
            if found:
                worst = max(found, key=lambda p: abs(p.error))
                yield Summary(
                    counter, machine, len(found), sum(abs(p.error) for p in found) / len(found), worst, pearson(found)
                )
