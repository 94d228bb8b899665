# SPDX-License-Identifier: Apache-2.0
"""python3 -B -m scripts.study NAME|all|'' --size SIZE --jobs N --program PATH --build FOLDER: runs a study and shows it, or lists them."""
import argparse
import fcntl
import pathlib
import shutil
import signal
import sqlite3
import sys
import textwrap
import threading

from scripts.study import documents, figures, index, intervals, kept, plan, render, shapes, slurm
from scripts.study.database import Database
from scripts.study.expressions import Bad, nearest
from scripts.study.files import write_whole
from scripts.study.measure import Results
from scripts.study.program import Program, rtl_sets
from scripts.study.runner import Runner, Slots, Stopped, run_points
from scripts.study.spec import NoSize, load
from scripts.study.study import SIZES

NOTE_WIDTH = 110  # characters of a line of a note in the terminal


def print_rows(heads, rows, left, gap):
    """Prints rows under two header lines; the first `left` columns are left-aligned; an empty line precedes every `gap` rows."""
    widths = [max(len(x) for x in [*(row[i] for row in rows), *heads[i]]) for i in range(len(heads))]

    def line(row):
        return "  ".join(x.ljust(w) if i < left else x.rjust(w) for i, (x, w) in enumerate(zip(row, widths))).rstrip()

    if any(top for top, _ in heads):
        print("\n" + line([top for top, _ in heads]))
    print(line([head for _, head in heads]))
    for i, row in enumerate(rows):
        if gap and i % gap == 0:
            print()
        print(line(row))


def say(words):
    print(f"study: {words}", file=sys.stderr)


def once(points):
    """The first point per key, since points with equal keys are the same run."""
    found = {}
    for p in points:
        found.setdefault(p.key, p)
    return list(found.values())


def stored(database, points):
    """Counters of finished runs, by key; corrupt rows are treated as missing."""
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


def missing(points, counters):
    return once(p for p in points if p.key not in counters)


def adopted(database, points, counters):
    """The same, plus runs of other studies in the folder: a key covers the program, the machine and the workload."""
    for path in sorted(database.path.parent.glob("*.sqlite")):
        wanted = [p.key for p in missing(points, counters)]
        try:
            taken = set(database.adopt(path, wanted)) if wanted and path != database.path else set()
        except sqlite3.Error:
            continue  # unreadable ones are reported by the index
        counters = {**counters, **stored(database, [p for p in points if p.key in taken])}
    return counters


def verify(database, program, points, counters, count, slots):
    """Repeats `count` of the stored points, evenly spread.  Returns a line per difference to the database."""
    known = once(p for p in points if p.key in counters)
    chosen = known[:: max(1, len(known) // count)][:count] if count else []
    wrong = []
    for outcome in Runner(program, slots).all([[p] for p in chosen]):
        stored_now = counters[outcome.point.key]
        differ = sorted(n for n in stored_now if outcome.message or outcome.counters.get(n) != stored_now[n])
        if differ:
            wrong.append(
                f"{database.path}: {outcome.point.name}: found other counters than a run gives now: {outcome.message or ' '.join(differ)}"
            )
    if chosen:
        say(f"{len(chosen)} of {len(known)} points run again, {len(wrong)} differ from the database")
    return sorted(wrong)


def show(study, program, results, failures, build, version):
    """Writes the page, then prints the tables.  Returns the figures.  version: of the program that ran."""
    shown = figures.show(results) + intervals.show(results) + shapes.show(study, program)
    target = build / "report" / render.page_name(study.name, study.size)
    write_whole(target, render.page(results, shown, failures, version))
    print(
        f"{study.title} (paper {study.paper}; {f'{study.size} size, ' if study.sized() else ''}{len(results.points)} points{f', {len(study.seeds)} seeds' if len(study.seeds) > 1 else ''})"
    )
    for s in (s for s in shown if not s.page_only):
        print(f"\n{s.title}")
        print_rows(s.heads, s.rows, s.left, s.gap)
        for line in textwrap.wrap(" ".join(s.note.split()), NOTE_WIDTH) + s.remarks:
            print(f"  {line}")
    for f in failures:
        print(f"\nfailed: {f}")
    print(f"\n{target}: the same, with plots")
    return shown


class Turn:
    """Output order of the studies of a command: runs may start before the previous study has shown its results; results are printed in order."""

    def __init__(self, before):
        self.before, self.started, self.ended = (
            before,
            threading.Event(),
            threading.Event(),
        )  # started: its last run has
        self.good = False

    def wait(self):
        if self.before:
            self.before.ended.wait()

    def run(self, file, options):
        try:
            self.good = attempt(file, options, self)
        except Stopped:
            pass
        finally:
            self.started.set()
            self.ended.set()


def run_all(files, options):
    """Runs the studies in order; their runs share the slots.  False if one failed."""
    turns, threads = [], []
    for file in files:
        turns.append(Turn(turns[-1] if turns else None))
        threads.append(threading.Thread(target=turns[-1].run, args=(file, options), daemon=True))
        threads[-1].start()
        turns[-1].started.wait()
    for thread in threads:
        thread.join()
    count = sum(from_kept(file, options) for file in files)
    if count and not options.kept:
        say(f"{count} of {len(files)} studies are shown from kept results; KEPT=0 runs them, too")
    return all(t.good for t in turns)


def in_documents(results, shown, options):
    """Compares the documents with the results, or writes them.  Returns how many tables and numbers differ."""
    found = documents.update_all(options.documents, results, shown, options.update)
    for words, _ in found:
        say(words)
    return sum(differ for _, differ in found)


def write_index(program, build, options):
    studies = pathlib.Path(options.studies)
    for line in index.write(build / "report" / "index.html", build / "study", program, studies, options.documents):
        say(line)


def show_kept(study, program, points, build, options, turn):
    """One study, from the results that are kept with it.  False if a document differs from them."""
    about, counters = kept.read(study, points)
    turn.started.set()
    turn.wait()
    results = Results(study, points, counters)
    shown = show(study, program, results, [], build, about)
    index.write_card(build / "study", study, len(points), figures.headline_words(results), about)
    write_index(program, build, options)
    differ = in_documents(results, shown, options)
    say(
        f"{study.name}: nothing ran: the results of {len(points)} points are those of {kept.path(study.file, study.size)}: {about}"
    )
    return options.update or not differ


def from_kept(file, options):
    """Whether a study is shown from its kept results: with KEPT=1, and with NAME=all where there are some.  KEPT=0: it runs."""
    if options.kept or options.keep or options.only or options.name != "all":
        return options.kept == "1"
    return kept.path(file, options.size).exists()


def run(file, options, turn):
    """One study, from its file to its page.  False if a point failed."""
    build = pathlib.Path(options.build)
    program = Program(options.program, options.rtl_program)
    study = load(file, options.size, program, options.only)
    points = plan.points(study, program)
    if from_kept(file, options):
        return show_kept(study, program, points, build, options, turn)
    folder = build / "study"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f"{study.name}.lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Bad(f"{file}: found another run of it in {folder}, expected one at a time") from None
        program.path = copy(options.program, folder / f"{study.name}.memtwin")
        if any(p.rtl for p in points):
            program.rtl = copy_rtl(options.rtl_program, folder, study.name, {s for p in points for s in p.sets})
        return run_locked(study, program, points, folder, build, options, turn)


def copy(program, path):
    """Copies the program, so that a concurrent build does not mix two programs."""
    path.unlink(missing_ok=True)  # runs of a killed study may still use it
    shutil.copy2(program, path)
    return str(path)


def copy_rtl(program, folder, name, sets):
    """Copies the RTL sets next to it."""
    own = folder / f"{name}.rtl"
    shutil.rmtree(own, ignore_errors=True)
    for path in rtl_sets(program, sets):
        (own / "rtl" / path.parent.name).mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, own / "rtl" / path.parent.name)
    own.mkdir(exist_ok=True)
    return copy(program, own / "memtwin-rtl")


def run_locked(study, program, points, folder, build, options, turn):
    database = Database(folder / f"{study.name}.sqlite")
    database.describe(study, program, points)
    own = stored(database, points)
    options.slots.wait({p.key for p in missing(points, own)})
    counters = adopted(database, points, own)
    wanted, taken = missing(points, counters), len(counters) - len(own)
    executor = (
        slurm.Executor(program, folder, study.name, database, options.chunk_seconds)
        if options.executor == "slurm"
        else Runner(program, options.slots, turn.started.set)
    )
    failed = run_points(database, program, study, wanted, options.slots, executor)
    turn.started.set()
    database.ran(study.size, index.inputs(program, study.file), bool(wanted or taken))
    counters = stored(database, points)
    wrong = verify(database, program, points, counters, options.verify, options.slots)
    pathlib.Path(program.path).unlink()
    if program.rtl != options.rtl_program:
        shutil.rmtree(pathlib.Path(program.rtl).parent)
    program.path = options.program
    turn.wait()
    results = Results(study, points, counters)
    failures = [f"{o.point.name}: {o.message}\n  {o.point.shell()}" for o in sorted(failed, key=lambda o: o.point.name)]
    differ = figures.disagreements(results)
    failures += differ
    database.headline(study, figures.headline_words(results))
    shown = show(study, program, results, failures, build, program.version)
    index.card_file(folder, study.name, study.size).unlink(missing_ok=True)
    write_index(program, build, options)
    if not failures and not options.only:
        in_documents(results, shown, options)
    if options.keep and not wrong and not differ:
        seconds = database.took(p.key for p in points)
        kept.write(study, points, counters, f"{database.about(study.size)}, {seconds:.0f} s of runs in all")
    runs = len(once(points))
    say(
        f"{study.name}: {len(points)} points are {runs} runs: {len(wanted)} run now, {taken} from other studies, {len(own)} as they were, {len(failed)} failed; "
        f"{database.took(p.key for p in points):.0f} s of runs in all"
    )
    for line in wrong:
        say(line)
    return not failed and not wrong and not differ


def attempt(file, options, turn):
    """run(), with a line for an error, in its turn."""
    good = False
    try:
        return run(file, options, turn)
    except NoSize as e:
        good = options.name == "all"
        words = f"{e}{'; left out' if good else ''}{kept.hint(file)}"
    except Bad as e:
        words = e
    except sqlite3.Error as e:
        words = (
            f"{options.build}/study/{file.stem}.sqlite: {e}; found no database that can be read and written, expected that of this study: "
            "with the file moved away the study runs anew"
        )
    except OSError as e:
        words = f"{e.filename or options.build}: {e.strerror}"
    turn.started.set()  # it has no run: the next study need not wait for the end of the previous one
    turn.wait()
    say(words)
    return good


def listing(files, options):
    program = Program(options.program)
    program.rtl_digest = lambda sets: ""  # points are counted, not run: a list needs no RTL
    rows = []
    for f in files:
        for size in SIZES:
            try:
                study = load(f, size, program)
            except NoSize:
                continue
            rows.append([f.stem, size, str(len(plan.points(study, program))), study.title])
    print_rows([("", "NAME"), ("", "SIZE"), ("", "points"), ("", "what")], rows, 2, 0)


def selected(files, options):
    """The files of the studies to run or to show."""
    if (options.keep or options.kept == "1") and options.only:
        raise Bad("ONLY: found it with KEEP or KEPT, expected it alone: kept results are those of a whole study")
    if options.keep and options.kept == "1":
        raise Bad("KEEP: found KEPT as well, expected one of them: KEEP=1 writes what KEPT=1 reads")
    if options.name != "all":
        return [files[options.name]]
    word = "KEEP" if options.keep else "KEPT" if options.kept == "1" else ""
    found = [f for f in files.values() if not word or kept.path(f, options.size).exists()]
    if not found:
        raise Bad(
            f"{word}: found no kept/*-{options.size}.tsv in {options.studies}, expected files that KEEP=1 wrote with the name of a study"
        )
    return found


def main():
    parser = argparse.ArgumentParser(prog="study")
    parser.add_argument("name", nargs="?", default="")
    parser.add_argument("--size", default="reduced")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--verify", type=int, default=0)
    parser.add_argument("--program", default="build/memtwin")
    parser.add_argument("--rtl-program", default="build/memtwin-rtl")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--executor", default="local", metavar="local|slurm")
    parser.add_argument("--chunk-seconds", type=float, default=600)
    parser.add_argument("--build", default="build")
    parser.add_argument("--studies", default="studies")
    parser.add_argument("--documents", nargs="+", default=["docs", "rtl", "README.md"])
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--kept", default="", choices=("0", "1"))
    options = parser.parse_args()
    files = {p.stem: p for p in sorted(pathlib.Path(options.studies).glob("*.toml"))}
    try:
        if not files:
            raise Bad(f"STUDIES: found no *.toml in {options.studies}, expected a folder of studies")
        if options.jobs < 1:
            raise Bad(f"JOBS: found {options.jobs}, expected 1 or more")
        if options.executor not in ("local", "slurm"):
            raise Bad(
                f'EXECUTOR: found "{options.executor}", expected local, slurm{nearest(options.executor, ["local", "slurm"])}'
            )
        if not options.chunk_seconds > 0:
            raise Bad(
                f"CHUNK_SECONDS: found {options.chunk_seconds:g}, expected seconds of runs for each task, above 0"
            )
        if options.size not in SIZES:
            raise Bad(f'SIZE: found "{options.size}", expected {", ".join(SIZES)}{nearest(options.size, SIZES)}')
        if not options.name:
            return listing(list(files.values()), options)
        if options.name != "all" and options.name not in files:
            raise Bad(f'NAME: found "{options.name}", expected all, {", ".join(files)}{nearest(options.name, files)}')
        chosen = selected(files, options)
    except Bad as e:
        sys.exit(f"study: {e}")
    options.slots = Slots(options.jobs)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return 0 if run_all(chosen, options) else 1
    finally:
        options.slots.stop()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nstudy: stopped; the same command goes on from here")
