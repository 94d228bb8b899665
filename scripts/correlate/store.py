# SPDX-License-Identifier: Apache-2.0
"""Kept numbers of the reference: a text file of the tree for each machine; and the database of the last runs of both programs.

Fields of a line of the text are separated by tabs.  First the machine: `version` of the reference, `config`, a digest of the files that it got,
and an `option` for each of memtwin's.  Then a table of workloads, under its heads: the arguments, a digest of the trace, seconds of user time, the processor on which
they were measured, and a column for each number.  A workload of [shifts] (correlate.toml) has a line for each of its runs: atax-1, atax, atax+1."""
import sqlite3
from dataclasses import dataclass, field

from scripts.study.expressions import Bad
from scripts.study.files import write_whole

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
    processor: str = ""
    numbers: dict = field(default_factory=dict)


@dataclass
class Machine:
    version: str = ""
    config: str = ""
    options: dict = field(default_factory=dict)
    workloads: dict = field(default_factory=dict)


WORKLOAD = ["workload", "arguments", "trace", "seconds", "processor"]
COMMENT = "# SPDX-License-Identifier: Apache-2.0\n# Numbers of the reference; make correlate ACCELSIM= writes them, scripts/correlate/store.py explains them.\n"


def put(m, heads, words):
    """Adds a line to a machine.  Returns the column heads for the lines below."""
    if heads:
        if len(words) != len(heads):
            raise ValueError(f"{len(heads)} fields")
        name, arguments, trace, seconds, processor, *numbers = words
        m.workloads[name] = Kept(
            arguments, trace, float(seconds), processor, {h: int(n) for h, n in zip(heads[len(WORKLOAD) :], numbers)}
        )
    elif words[: len(WORKLOAD)] == WORKLOAD:
        return words
    elif words[0] == "option":
        _, name, value = words
        m.options[name] = value
    elif words[0] in ("version", "config"):
        _, value = words
        setattr(m, words[0], value)
    else:
        raise ValueError("version, config, option or workload")
    return heads


def read_machine(path):
    m, heads = Machine(), None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#"):
            continue
        try:
            heads = put(m, heads, line.split("\t"))
        except ValueError as e:
            raise Bad(
                f'{path}:{number}: found "{line}", expected a line of the machine or of the table of workloads, separated by tabs ({e})'
            ) from None
    return m


def read(folder):
    """{machine: Machine}; empty without a folder."""
    return {path.stem: read_machine(path) for path in sorted(folder.glob("*.tsv"))}


def lines(m):
    yield from (("version", m.version), ("config", m.config))
    yield from (("option", *item) for item in sorted(m.options.items()))
    numbers = sorted({name for w in m.workloads.values() for name in w.numbers})
    yield *WORKLOAD, *numbers
    for name, w in sorted(m.workloads.items()):
        yield name, w.arguments, w.trace, f"{w.seconds:.2f}", w.processor, *(str(w.numbers[n]) for n in numbers)


def write(folder, machines):
    folder.mkdir(parents=True, exist_ok=True)
    for name, m in machines.items():
        write_whole(folder / f"{name}.tsv", COMMENT + "".join("\t".join(line) + "\n" for line in lines(m)))


def store(path, machine, workload, side, version, config, trace, seconds, counters):
    """Writes runs to the database."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as db:
        db.executescript(SCHEMA)
        db.execute(
            "INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?, ?, ?, ?)",
            (machine, workload, side, version, config, trace, seconds),
        )
        db.execute("DELETE FROM counter WHERE machine = ? AND workload = ? AND side = ?", (machine, workload, side))
        db.executemany(
            "INSERT INTO counter VALUES (?, ?, ?, ?, ?)",
            [(machine, workload, side, *item) for item in counters.items()],
        )
