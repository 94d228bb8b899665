# SPDX-License-Identifier: Apache-2.0
"""build/study/NAME.sqlite: the results of runs, also readable with sqlite3.  studies/README.md explains the tables."""
import contextlib
import datetime
import hashlib
import json
import sqlite3

from scripts.study.expressions import Bad

SCHEMA = """
CREATE TABLE IF NOT EXISTS study (size TEXT PRIMARY KEY, title TEXT, paper TEXT, program TEXT, points INTEGER, headline TEXT);
CREATE TABLE IF NOT EXISTS ran (size TEXT PRIMARY KEY, date TEXT, inputs TEXT);
CREATE TABLE IF NOT EXISTS point (size TEXT, number INTEGER, workload TEXT, case_name TEXT, seed INTEGER, place TEXT, key TEXT, PRIMARY KEY (size, number));
CREATE TABLE IF NOT EXISTS run (key TEXT PRIMARY KEY, command TEXT, program TEXT, status TEXT, message TEXT, seconds REAL, identity TEXT,
                                config TEXT, digest TEXT);
CREATE TABLE IF NOT EXISTS counter (key TEXT, name TEXT, value, PRIMARY KEY (key, name)) WITHOUT ROWID;
"""


def digest(counters):
    return hashlib.sha256(json.dumps(sorted(counters.items())).encode()).hexdigest()


KEPT = ("run", "counter")  # tables of expensive results; the others are rebuilt from the study file


def layout(db):
    """Columns of each table."""
    names = [n for n, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    return {n: [row[1] for row in db.execute(f'PRAGMA table_info("{n}")')] for n in names}


class Database:
    def __init__(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self.db = path, sqlite3.connect(path)
        wanted = sqlite3.connect(":memory:")
        wanted.executescript(SCHEMA)
        found = layout(self.db)
        for name, columns in layout(wanted).items():
            if found.get(name, columns) == columns:
                continue
            if name in KEPT:
                raise Bad(
                    f"{path}: found table {name} with the columns {', '.join(found[name])}, expected {', '.join(columns)}: "
                    "with the file moved away the study runs anew"
                )
            self.db.execute(f"DROP TABLE {name}")
        self.db.executescript(SCHEMA)

    def describe(self, study, program, points):
        """Stores the study as in its current file; older runs stay."""
        with self.db:
            self.db.execute("DELETE FROM point WHERE size = ?", (study.size,))
            self.db.executemany(
                "INSERT INTO point VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(study.size, i, p.workload, p.case, p.seed, p.place, p.key) for i, p in enumerate(points, 1)],
            )
            self.db.execute(
                "INSERT OR REPLACE INTO study VALUES (?, ?, ?, ?, ?, NULL)",
                (study.size, study.title, study.paper, program.version, len(points)),
            )

    def headline(self, study, words):
        with self.db:
            self.db.execute("UPDATE study SET headline = ? WHERE size = ?", (words, study.size))

    def ran(self, size, inputs, new):
        """Keeps the inputs of the plan of the points, and the date if any run is new."""
        with self.db:
            self.db.execute(
                "INSERT INTO ran VALUES (?, ?, ?) ON CONFLICT (size) DO UPDATE SET inputs = excluded.inputs"
                + (", date = excluded.date" if new else ""),
                (size, datetime.date.today().isoformat(), inputs),
            )

    def counters(self, key):
        """Counters of a successful run; None if there is none; ValueError on a digest mismatch."""
        row = self.db.execute("SELECT digest FROM run WHERE key = ? AND status = 'ok'", (key,)).fetchone()
        if not row:
            return None
        found = dict(self.db.execute("SELECT name, value FROM counter WHERE key = ?", (key,)))
        if digest(found) != row[0]:
            raise ValueError("counters differ from those that the run wrote")
        return found

    def adopt(self, path, keys):
        """Copies successful runs of these keys from another study's database.  Returns the keys found there."""
        with contextlib.closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as other:
            theirs, ours = layout(other), layout(self.db)
            if any(theirs.get(t) != ours[t] for t in KEPT):
                return []
            found = [
                row for k in keys for row in other.execute("SELECT * FROM run WHERE key = ? AND status = 'ok'", (k,))
            ]
            counters = {
                row[0]: other.execute("SELECT * FROM counter WHERE key = ?", row[:1]).fetchall() for row in found
            }
        with self.db:
            for row in found:
                self.db.execute("DELETE FROM counter WHERE key = ?", row[:1])
                self.db.execute("INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
                self.db.executemany("INSERT INTO counter VALUES (?, ?, ?)", counters[row[0]])
        return list(counters)

    def about(self, size):
        """The program that ran, and the date."""
        return ", ".join(
            self.db.execute("SELECT program, date FROM study JOIN ran USING (size) WHERE size = ?", (size,)).fetchone()
        )

    def seconds(self):
        """Duration of the last run of each command, with any program."""
        return dict(self.db.execute("SELECT command, seconds FROM run WHERE seconds IS NOT NULL ORDER BY rowid"))

    def took(self, keys):
        """Total seconds of these runs."""
        known = dict(self.db.execute("SELECT key, seconds FROM run"))
        return sum(known.get(k, 0) for k in set(keys))

    def store(self, point, program, outcome):
        counters = outcome.counters or {}
        with self.db:
            self.db.execute("DELETE FROM counter WHERE key = ?", (point.key,))
            self.db.execute(
                "INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    point.key,
                    point.shell(),
                    program.version,
                    "failed" if outcome.message else "ok",
                    outcome.message,
                    outcome.seconds,
                    outcome.identity,
                    json.dumps(point.config),
                    digest(counters),
                ),
            )
            self.db.executemany(
                "INSERT INTO counter VALUES (?, ?, ?)", [(point.key, *item) for item in counters.items()]
            )
