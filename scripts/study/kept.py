# SPDX-License-Identifier: Apache-2.0
"""studies/kept/NAME-SIZE.tsv: the results of a study whose runs take hours.  A line for each point, a column for each counter that the study uses.
KEEP=1 writes the file after the runs; KEPT=1 shows the study from it."""
import csv
import io
import pathlib

from scripts.study.expressions import Bad
from scripts.study.files import write_whole

POINT = ("workload", "case", "place", "seed")


def path(file, size):
    """Of a study's file."""
    return pathlib.Path(file).parent / "kept" / f"{pathlib.Path(file).stem}-{size}.tsv"


def hint(file):
    """How to see results of a study of which nothing runs."""
    sizes = sorted(p.stem.rpartition("-")[2] for p in path(file, "*").parent.glob(path(file, "*").name))
    return f"; its results are kept: SIZE={sizes[0]} KEPT=1" if sizes else ""


def used(study):
    """Names of the counters of all its expressions."""
    return sorted(set().union(*(e.counters_used() for e in study.expressions())))


def of_point(p):
    return (p.workload, p.case, p.place, str(p.seed))


def text_of(value):
    return "" if value is None else repr(value)


def number(text):
    if not text:
        return None
    return int(text) if text.lstrip("-").isdigit() else float(text)


def write(study, points, counters, about):
    """Writes the file; about: the program that ran, the date and the seconds, for the first line."""
    lacking = sum(p.key not in counters for p in points)
    if lacking:
        raise Bad(
            f"{study.file}: KEEP: found {lacking} of {len(points)} points without a result, expected a result of each"
        )
    if study.interval:
        raise Bad(f"{study.file}: KEEP: found interval = {study.interval}, expected 0: counters over time are not kept")
    names, out = used(study), io.StringIO()
    rows = csv.writer(out, delimiter="\t", lineterminator="\n")
    rows.writerow([*POINT, *names])
    for p in points:
        rows.writerow([*of_point(p), *(text_of(counters[p.key].get(n)) for n in names)])
    write_whole(
        path(study.file, study.size),
        f"# make study NAME={study.name} SIZE={study.size} KEEP=1: {about}\n{out.getvalue()}",
    )


def counters_of(row):
    """Of a line's cells by column; ValueError if it has more or fewer cells than the head."""
    if None in row or None in row.values():
        raise ValueError(
            f"the line of {' '.join(str(row[k]) for k in POINT)} has another number of cells than the head"
        )
    return {n: number(v) for n, v in row.items() if n not in POINT}


def read(study, points):
    """(the program that ran, the date and the seconds; {key: counters} of all points)"""
    file = path(study.file, study.size)
    try:
        head, _, text = file.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeError) as e:
        raise Bad(
            f"{file}: {getattr(e, 'strerror', None) or e}; expected the file that KEEP=1 writes after the runs"
        ) from None
    try:
        rows = list(csv.DictReader(io.StringIO(text), delimiter="\t", strict=True))
        found = {tuple(r[k] for k in POINT): counters_of(r) for r in rows}
    except (csv.Error, KeyError, ValueError) as e:
        raise Bad(f"{file}: {e}: found no table of points and counters, expected the file that KEEP=1 writes") from None
    lacking = [p for p in points if of_point(p) not in found]
    if lacking:
        raise Bad(
            f"{file}: found no line for {len(lacking)} of {len(points)} points, the first {lacking[0].name}, expected all: KEEP=1 writes the file anew"
        )
    unknown = set(used(study)) - set(next(iter(found.values())))
    if unknown:
        raise Bad(f"{file}: found no column {', '.join(sorted(unknown))}, expected one: KEEP=1 writes the file anew")
    return head.partition("KEEP=1: ")[2], {p.key: found[of_point(p)] for p in points}
