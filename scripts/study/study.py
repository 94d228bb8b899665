# SPDX-License-Identifier: Apache-2.0
"""A study as objects: its workloads, sweeps, cases, metrics and figures.  spec.py makes them from a file."""
from dataclasses import dataclass, field

from scripts.study.expressions import OF_ENERGY

SIZES = ("tiny", "reduced", "full")


@dataclass
class Workload:
    name: str
    label: str
    group: str
    sizes: dict  # size: words of the command line
    change: list
    numbers: dict
    original: list  # words of the command line: the paper's size
    cases: list  # names; none: all cases
    places: list  # labels: of the sweeps that have them it runs at these places alone
    at: dict = field(default_factory=dict)  # label of a place: options of the workload there


@dataclass
class Value:
    """One place of a sweep."""

    label: str
    number: float
    change: list


@dataclass
class Sweep:
    name: str
    label: str
    values: list


@dataclass
class Case:
    name: str
    label: str
    change: list
    sweeps: list  # names
    rtl: list  # blocks that run as RTL
    base: str  # what base() means for it; none: the metric's
    cost: dict  # unit: its blocks, "BLOCK/SET", or "-BLOCK/SET": one that it replaces


@dataclass
class Best:
    """A case that selects, for each workload, the best point of other cases."""

    name: str
    label: str
    of: list
    by: object
    pick: str


@dataclass
class Metric:
    name: str
    label: str
    above: str  # header above the label in a table
    expression: object
    base: str
    mean: str
    format: str
    figure: str
    paper: dict


@dataclass
class Figure:
    title: str
    kind: str
    metrics: list
    cases: list
    workloads: list
    by: str
    sweep: str
    x: object
    x_label: str
    fits: list
    r2: dict  # the paper's, by fit
    source: str
    mark: float
    page_only: bool
    note: str
    reference: list = field(default_factory=list)  # verdicts: places that no verdict is about
    margin: float = 0.01  # verdicts: a gain below it is none


@dataclass
class Study:
    name: str
    file: str
    size: str
    title: str
    paper: str
    note: str
    command: str
    seeds: list
    change: list
    base: str
    batch: int = 1
    interval: int = 0  # SM cycles; 0: nothing over time
    energies: list = field(default_factory=list)  # files of memtwin run --energy
    until_end: bool = False  # cke: until each workload has ended once
    whole: list = field(default_factory=list)  # the machine of all sizes
    workloads: dict = field(default_factory=dict)
    sweeps: dict = field(default_factory=dict)
    cases: dict = field(default_factory=dict)
    best: dict = field(default_factory=dict)
    metrics: dict = field(default_factory=dict)
    headline: list = field(default_factory=list)
    figures: list = field(default_factory=list)

    def over_time(self):
        """Counters whose values in each interval are kept."""
        used = (
            self.metrics[m].expression.counters_used() for f in self.figures if f.kind == "series" for m in f.metrics
        )
        return sorted(set().union(*used))

    def expressions(self):
        """All that are evaluated at its points."""
        found = [m.expression for m in self.metrics.values()] + [b.by for b in self.best.values()]
        return found + [f.x for f in self.figures if f.x]

    def has_energy(self):
        """Whether a value needs the energy of its runs."""
        return any(e.uses(function) for e in self.expressions() for function in OF_ENERGY)

    def sized(self):
        """Whether a size is not just another size of some workload."""
        return any(
            len(set(map(tuple, w.sizes.values()))) > 1 or len(w.sizes) < len(SIZES) for w in self.workloads.values()
        )

    def label(self, case):
        return (self.cases.get(case) or self.best[case]).label

    def sweeps_of(self, case):
        """Sweep names; a best case has none: it is one point per workload."""
        return self.cases[case].sweeps if case in self.cases else []

    def rtl_of(self, case):
        return self.cases[case].rtl if case in self.cases else []
