"""python3 -m study NAME|all|'' --size SIZE --jobs N --program PATH --build FOLDER: runs a study and shows it, or lists them."""
import argparse
import fcntl
import pathlib
import shutil
import sqlite3
import sys

from files import write_whole
from study import documents, figures, plan, render
from study.database import Database
from study.expressions import Bad, nearest
from study.measure import Results
from study.program import Program
from study.runner import Runner, run_points
from study.spec import SIZES, load
from tables import print_rows


def say(words):
    print(f"study: {words}", file=sys.stderr)


def once(points):
    """The first point of each key: points that are the same run are run once."""
    found = {}
    for p in points:
        found.setdefault(p.key, p)
    return list(found.values())


def stored(database, points):
    """Counters by key of what has been run; what the database holds wrong counts as not run."""
    found = {}
    for p in once(points):
        try:
            counters = database.counters(p.key)
        except ValueError as e:
            say(f"{database.path}: {p.name}: {e}; it runs again")
            continue
        if counters is not None:
            found[p.key] = counters
    return found


def verify(database, program, points, counters, count, jobs):
    """Runs `count` of the stored points again, evenly spread.  What differs from the database, a line each."""
    known = once(p for p in points if p.key in counters)
    chosen = known[::max(1, len(known) // count)][:count] if count else []
    wrong = []
    for outcome in Runner(program.path, jobs).all([[p] for p in chosen]):
        stored_now = counters[outcome.point.key]
        differ = sorted(n for n in stored_now if outcome.message or outcome.counters.get(n) != stored_now[n])
        if differ:
            wrong.append(f"{database.path}: {outcome.point.name}: found other counters than a run gives now: {outcome.message or ' '.join(differ)}")
    if chosen:
        say(f"{len(chosen)} of {len(known)} points run again, {len(wrong)} differ from the database")
    return sorted(wrong)


def show(study, results, failures, version, build):
    """The page, then the tables.  Gives the figures."""
    shown = figures.show(results)
    target = build / "report" / render.page_name(study.name, study.size)
    write_whole(target, render.page(results, shown, failures, version))
    print(f"{study.title} (paper {study.paper}; {study.size} size, {len(results.points)} points)")
    for s in shown:
        print(f"\n{s.title}")
        print_rows(s.heads, s.rows, s.left, s.gap)
        for remark in s.remarks:
            print(f"  {remark}")
    for f in failures:
        print(f"\nfailed: {f}")
    print(f"\n{target}: the same, with plots")
    return shown


def run(file, options):
    """One study from its file to its page.  False if a point failed."""
    build = pathlib.Path(options.build)
    program = Program(options.program)
    study = load(file, options.size, program)
    points = plan.points(study, program)
    folder = build / "study"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f"{study.name}.lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Bad(f"{file}: found another run of it in {folder}, expected one at a time") from None
        program.path = str(folder / f"{study.name}.memtwin")  # a copy: a build that goes on beside does not mix two programs
        pathlib.Path(program.path).unlink(missing_ok=True)  # runs of a study that was killed may still be at it
        shutil.copy2(options.program, program.path)
        return run_locked(study, program, points, folder, build, options)


def run_locked(study, program, points, folder, build, options):
    database = Database(folder / f"{study.name}.sqlite")
    database.describe(study, program, points)
    counters = stored(database, points)
    wanted = once(p for p in points if p.key not in counters)
    failed = run_points(database, program, study, wanted, options.jobs)
    counters = stored(database, points)
    wrong = verify(database, program, points, counters, options.verify, options.jobs)
    pathlib.Path(program.path).unlink()
    results = Results(study, points, counters)
    failures = [f"{o.point.name}: {o.message}\n  {o.point.shell()}" for o in sorted(failed, key=lambda o: o.point.name)]
    database.headline(study, figures.headline(results))
    shown = show(study, results, failures, program.version, build)
    for line in render.update_index(build / "report" / "index.html", folder):
        say(line)
    for line in documents.update_all(options.documents, study, shown, options.update) if not failures else []:
        say(line)
    runs = len(once(points))
    say(f"{study.name}: {len(points)} points are {runs} runs: {len(wanted)} run now, {runs - len(wanted)} as they were, {len(failed)} failed; "
        f"{database.took(p.key for p in points):.0f} s of runs in all")
    for line in wrong:
        say(line)
    return not failed and not wrong


def attempt(file, options):
    try:
        return run(file, options)
    except Bad as e:
        say(e)
    except sqlite3.Error as e:
        say(f"{options.build}/study/{file.stem}.sqlite: {e}; found no database that can be read and written, expected that of this study: "
            "with the file moved away the study runs anew")
    except OSError as e:
        say(f"{e.filename or options.build}: {e.strerror}")
    return False


def listing(files, options):
    program = Program(options.program)
    rows = []
    for f in files:
        for size in SIZES:
            try:
                study = load(f, size, program)
            except Bad as e:
                if "of the size" not in str(e):
                    raise
                continue
            rows.append([f.stem, size, str(len(plan.points(study, program))), study.title])
    print_rows([("", "NAME"), ("", "SIZE"), ("", "points"), ("", "what")], rows, 2, 0)


def main():
    parser = argparse.ArgumentParser(prog="study")
    parser.add_argument("name", nargs="?", default="")
    parser.add_argument("--size", default="reduced")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--verify", type=int, default=0)
    parser.add_argument("--program", default="build/memtwin")
    parser.add_argument("--build", default="build")
    parser.add_argument("--studies", default="studies")
    parser.add_argument("--documents", nargs="+", default=["docs", "rtl"])
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    files = {p.stem: p for p in sorted(pathlib.Path(options.studies).glob("*.toml"))}
    try:
        if not files:
            raise Bad(f"STUDIES: found no *.toml in {options.studies}, expected a folder of studies")
        if options.jobs < 1:
            raise Bad(f"JOBS: found {options.jobs}, expected 1 or more")
        if options.size not in SIZES:
            raise Bad(f'SIZE: found "{options.size}", expected {", ".join(SIZES)}{nearest(options.size, SIZES)}')
        if not options.name:
            return listing(list(files.values()), options)
        if options.name != "all" and options.name not in files:
            raise Bad(f'NAME: found "{options.name}", expected all, {", ".join(files)}{nearest(options.name, files)}')
    except Bad as e:
        sys.exit(f"study: {e}")
    good = [attempt(f, options) for f in (files.values() if options.name == "all" else [files[options.name]])]
    return 0 if all(good) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nstudy: stopped; the same command goes on from here")
