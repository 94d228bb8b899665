# SPDX-License-Identifier: Apache-2.0
"""Kept numbers of the reference: a text file of the tree, sorted; and the database of the last runs of both programs.

A line of the text: machine, workload ("-": the machine itself), kind, name, value, separated by tabs.  Of a machine: `version` of the reference, `config`,
a digest of the files that it got, and an `option` for each of memtwin's.  Of a workload: `arguments`, `trace`, a digest, `seconds` of user
time, and its `number`s."""
import sqlite3
from dataclasses import dataclass, field

from study.expressions import Bad
from study.files import write_whole

SCHEMA = """
CREATE TABLE IF NOT EXISTS run (machine TEXT, workload TEXT, side TEXT, version TEXT, config TEXT, trace TEXT, seconds REAL, PRIMARY KEY (machine, workload, side));
CREATE TABLE IF NOT EXISTS counter (machine TEXT, workload TEXT, side TEXT, name TEXT, value, PRIMARY KEY (machine, workload, side, name)) WITHOUT ROWID;
"""


@dataclass
class Kept:
    """A workload in the reference."""
    arguments: str = ""
    trace: str = ""
    seconds: float = 0
    numbers: dict = field(default_factory=dict)


@dataclass
class Machine:
    version: str = ""
    config: str = ""
    options: dict = field(default_factory=dict)
    workloads: dict = field(default_factory=dict)


def put(machines, machine, workload, kind, name, value):
    m = machines.setdefault(machine, Machine())
    if workload == "-":
        if kind == "option":
            m.options[name] = value
        elif kind in ("version", "config"):
            setattr(m, kind, value)
        else:
            raise ValueError(kind)
        return
    w = m.workloads.setdefault(workload, Kept())
    if kind == "number":
        w.numbers[name] = int(value)
    elif kind == "seconds":
        w.seconds = float(value)
    elif kind in ("arguments", "trace"):
        setattr(w, kind, value)
    else:
        raise ValueError(kind)


def read(path):
    """{machine: Machine}; empty without a file."""
    machines = {}
    if not path.exists():
        return machines
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#"):
            continue
        try:
            put(machines, *line.split("\t"))
        except (TypeError, ValueError) as e:
            raise Bad(f'{path}:{number}: found "{line}", expected machine, workload, kind, name and value, separated by tabs ({e})') from None
    return machines


def lines(machines):
    for machine, m in machines.items():
        yield from ((machine, "-", kind, "-", getattr(m, kind)) for kind in ("version", "config"))
        yield from ((machine, "-", "option", *item) for item in m.options.items())
        for workload, w in m.workloads.items():
            yield from ((machine, workload, kind, "-", getattr(w, kind)) for kind in ("arguments", "trace"))
            yield machine, workload, "seconds", "-", f"{w.seconds:.2f}"
            yield from ((machine, workload, "number", name, str(value)) for name, value in w.numbers.items())


def write(path, machines):
    text = "".join("\t".join(line) + "\n" for line in sorted(lines(machines)))
    write_whole(path, "# SPDX-License-Identifier: Apache-2.0\n# Numbers of the reference; make correlate ACCELSIM= writes them, scripts/correlate/store.py explains them.\n" + text)


def store(path, machine, workload, side, version, config, trace, seconds, counters):
    """Into the database."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as db:
        db.executescript(SCHEMA)
        db.execute("INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?, ?, ?, ?)", (machine, workload, side, version, config, trace, seconds))
        db.execute("DELETE FROM counter WHERE machine = ? AND workload = ? AND side = ?", (machine, workload, side))
        db.executemany("INSERT INTO counter VALUES (?, ?, ?, ?, ?)", [(machine, workload, side, *item) for item in counters.items()])
