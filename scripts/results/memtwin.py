# SPDX-License-Identifier: Apache-2.0
"""Reads the results of memtwin: files of --json and --csv, databases of studies.  Needs nothing but Python 3.9.

    import memtwin
    for run in memtwin.load("out.json"):           # dicts: workload, case, seed, config, counters, kernels, intervals
        print(run["workload"], run["counters"]["gpu.ipc"])
    memtwin.rows("out.json")                       # tidy: a dict for each counter of each run, kernel and interval
    memtwin.frame("out.json", "gpu.ipc")           # the same as a pandas DataFrame, if pandas is installed
    memtwin.study("build/study/dl_mshr.sqlite")    # dicts of a study's points: size, workload, case, seed, place, counters

A ratio whose denominator is 0, such as a hit rate without an access, is no number: None (NaN in a DataFrame).

A bad file raises ValueError.  Its text has the file, the value found, and the value expected."""
import csv
import json
import sqlite3

COLUMNS = ("workload", "case", "seed", "scope", "kernel", "number", "from", "to", "counter", "value")


def _number(text):
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        return float(text)


def _part(part, number):
    return {
        "kernel": part.get("kernel", ""),
        "number": number,
        "from": part["from"],
        "to": part["to"],
        "counters": part["counters"],
    }


def _of_json(path, data):
    for i, r in enumerate(data if isinstance(data, list) else [data]):
        try:
            yield {
                "workload": r["workload"]["name"],
                "case": r.get("case", ""),
                "seed": r["workload"]["seed"],
                "config": r["config"],
                "counters": r["counters"],
                "kernels": [_part(p, n) for n, p in enumerate(r.get("kernels", []), 1)],
                "intervals": [_part(p, n) for n, p in enumerate(r.get("intervals", []), 1)],
            }
        except (KeyError, TypeError, AttributeError) as e:
            raise ValueError(
                f"{path}: result {i}: found no {e}, expected a result file of memtwin run --json"
            ) from None


def _of_csv(path, lines):
    reader = csv.DictReader(lines)
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise ValueError(
            f"{path}: found the columns {', '.join(reader.fieldnames or ['none'])}, expected {', '.join(COLUMNS)}: what memtwin run --csv writes"
        )
    for row in reader:
        try:
            yield {**row, **{k: int(row[k]) for k in ("seed", "number", "from", "to")}, "value": _number(row["value"])}
        except (TypeError, ValueError) as e:
            raise ValueError(f"{path}:{reader.line_num}: {e}") from None


def _open(path):
    return open(path, encoding="utf-8", newline="")


def load(path):
    """The runs in a --json file."""
    with _open(path) as f:
        try:
            return list(_of_json(path, json.load(f)))
        except json.JSONDecodeError as e:
            raise ValueError(f"{path}:{e.lineno}: {e.msg}, expected a result file of memtwin run --json") from None


def _rows_of_run(run):
    head = {k: run[k] for k in ("workload", "case", "seed")}
    whole = {"kernel": "", "number": 1, "from": 0, "to": run["counters"]["gpu.cycles"], "counters": run["counters"]}
    for scope, parts in (("run", [whole]), ("kernel", run["kernels"]), ("interval", run["intervals"])):
        for part in parts:
            where = {k: part[k] for k in ("kernel", "number", "from", "to")}
            for counter, value in part["counters"].items():
                yield {**head, "scope": scope, **where, "counter": counter, "value": value}


def rows(path):
    """A list of dicts with the keys COLUMNS, from a --json or --csv file."""
    with _open(path) as f:
        is_json = f.read(1) in ("{", "[")
        f.seek(0)
        return [row for run in load(path) for row in _rows_of_run(run)] if is_json else list(_of_csv(path, f))


def columns(path, *counters):
    """rows() as a table: {column: a value per run, kernel and interval}, with a column per counter (all, or the named ones).  A counter
    that a part lacks is None there."""
    keys = [c for c in COLUMNS if c not in ("counter", "value")]
    lines, names = {}, {}
    for row in rows(path):
        if not counters or row["counter"] in counters:
            lines.setdefault(tuple(row[k] for k in keys), {})[row["counter"]] = row["value"]
            names[row["counter"]] = None
    return {
        **{k: [line[i] for line in lines] for i, k in enumerate(keys)},
        **{n: [line.get(n) for line in lines.values()] for n in names},
    }


def frame(path, *counters):
    """columns() as a pandas DataFrame.  Counters stay integers even where one is missing (pandas.Int64Dtype); ratios are floats."""
    try:
        import pandas
    except ImportError:
        raise ImportError(
            "memtwin.frame: found no pandas, expected it to be installed; memtwin.columns gives the same as lists"
        ) from None
    table = columns(path, *counters)

    def column(name, values):
        if name in COLUMNS or None not in values:
            return values
        whole = all(isinstance(v, int) for v in values if v is not None)
        return pandas.array(values, dtype=pandas.Int64Dtype() if whole else "float64")

    return pandas.DataFrame({name: column(name, values) for name, values in table.items()})


def study(path, size=None):
    """The points of a study's database that have run, in the order of the study; only of one size if it is named."""
    try:
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        points = db.execute(
            "SELECT size, workload, case_name, seed, place, key FROM point JOIN run USING (key) WHERE status = 'ok' ORDER BY size, number"
        ).fetchall()
        return [
            {
                "size": s,
                "workload": w,
                "case": c,
                "seed": n,
                "place": p,
                "counters": dict(db.execute("SELECT name, value FROM counter WHERE key = ?", (key,))),
            }
            for s, w, c, n, p, key in points
            if size in (None, s)
        ]
    except sqlite3.Error as e:
        raise ValueError(f"{path}: {e}, expected the database of a study; make study writes an old one anew") from None
