# SPDX-License-Identifier: Apache-2.0
"""Rows of measured values: kept/CARD.csv and kept/CARD-programs.csv; rows of other cards: others.py."""
import csv
import math
import pathlib
from dataclasses import dataclass, field

from scripts.study.expressions import Bad, nearest

KEPT = pathlib.Path(__file__).parent / "kept"


@dataclass
class Result:
    """A measured value beside the simulated one; `simulated` is None where the machine has no counterpart."""

    card: str
    group: str
    name: str
    unit: str
    measured: float
    simulated: float | None

    @property
    def error(self):
        """Relative; None without a counterpart, or where a count of 0 was measured and is not 0 here."""
        if self.simulated == self.measured:
            return 0.0
        return self.simulated / self.measured - 1 if self.simulated is not None and self.measured else None


@dataclass
class Shape:
    """A row of measure.cu's output."""

    card: str
    test: str
    arguments: dict
    measured: float
    unit: str

    def simulate(self, machine):
        return machine.shape(self)

    def results(self, value):
        name = " ".join(f"{k}={v}" for k, v in self.arguments.items())
        return [Result(self.card, self.test, name, self.unit, self.measured, value)]


# The counter of memtwin for each counter of the profiler.  The profiler counts a merge with a miss in flight as a hit.
SECTORS = {
    "l1_read_sectors": ("L1 read sectors", lambda c: c["l1d.accesses"] - c["l1d.writes"]),
    "l1_read_hits": ("L1 read hits", lambda c: c["l1d.hits"] + c["l1d.merged"]),
    "l1_write_sectors": ("L1 write sectors", lambda c: c["l1d.writes"]),
    "l2_read_sectors": ("L2 read sectors", lambda c: c["l2.reads"] - c["l2.far.reads"]),
    "l2_write_sectors": ("L2 write sectors", lambda c: c["l2.writes"] - c["l2.far.writes"]),
    "dram_read_sectors": ("DRAM read sectors", lambda c: c["dram.reads"]),
}


@dataclass
class Program:
    """The launches of one workload that the profiler counted."""

    card: str
    workload: str
    launches: list = field(default_factory=list)  # of columns

    def simulate(self, machine):
        return machine.program_rows(self.workload, len(self.launches))

    def results(self, values):
        for n, (row, counters) in enumerate(zip(self.launches, values)):
            name = f"{self.workload} {n + 1}" if len(self.launches) > 1 else self.workload
            yield Result(self.card, "program cycles", name, "cycles", number(row, "cycles"), counters["gpu.cycles"])
            for column, (group, value) in SECTORS.items():
                yield Result(self.card, group, name, "sectors", number(row, column), value(counters))


def number(row, column):
    try:
        value = float(row[column])
    except (KeyError, TypeError, ValueError):
        raise Bad(f'found {row.get(column)!r} for "{column}", expected a number, in {dict(row)}') from None
    if not math.isfinite(value):
        raise Bad(f'found {value} for "{column}", expected a number, in {dict(row)}')
    return value


def table(path, columns):
    with open(path, encoding="utf-8") as f:
        reader = csv.DictReader(line for line in f if not line.startswith("#"))
        missing = [c for c in columns if c not in (reader.fieldnames or [])]
        if missing:
            raise Bad(f'{path}: found no column "{missing[0]}", expected {", ".join(columns)}')
        return list(reader)


def words(text):
    """{"kib": 4, "order": "random"} of "kib=4 order=random"."""
    pairs = (w.partition("=")[::2] for w in text.split())
    return {k: int(v) if v.isdigit() else v for k, v in pairs}


def kept(path):
    if path.stem.endswith("-programs"):
        programs = {}
        for r in table(path, ["workload", "launch", "cycles", *SECTORS]):
            card = path.stem.removesuffix("-programs")
            programs.setdefault(r["workload"], Program(card, r["workload"])).launches.append(r)
        return list(programs.values())
    return [
        Shape(path.stem, r["test"], words(r["arguments"]), number(r, "value"), r["unit"])
        for r in table(path, ["test", "arguments", "value", "unit"])
    ]


def kept_cards():
    return {path.stem.removesuffix("-programs") for path in KEPT.glob("*.csv")}


def read():
    """The rows of kept/."""
    return [r for path in sorted(KEPT.glob("*.csv")) for r in kept(path)]


def name(row):
    return row.test if isinstance(row, Shape) else row.workload.partition(":")[0]


def chosen(found, wanted):
    """Rows of these tests and programs; all, without any."""
    names = sorted({name(r) for r in found})
    for word in wanted:
        if word not in names:
            raise Bad(f'found no test or program "{word}", expected one of {", ".join(names)}{nearest(word, names)}')
    return [r for r in found if not wanted or name(r) in wanted]
