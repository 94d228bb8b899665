# SPDX-License-Identifier: Apache-2.0
"""make bench: memtwin's speed beside the reference's: the same traces, the same machine, seconds of user time on one thread.

The machines are those of correlate.toml, and the presets of the reference's cards on the configurations that ship with it (cards.toml).

python3 -B -m scripts.correlate.speed PROGRAM [ACCELSIM].  With ACCELSIM the reference runs here, beside memtwin; without it its seconds are the kept ones, of another
hour and perhaps another processor.  Each side has the least of as many runs as the other, since other work on the machine only adds to them: one of
the kept seconds, of which there is one run.
"""
import math
import pathlib
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass

from scripts.correlate import cards, machines, reference, store
from scripts.study.expressions import Bad
from scripts.study.program import Program

RUNS = 9
AT_LEAST = 3  # runs of the reference, however long one is
ENOUGH = 6.0  # seconds of the reference: short runs are repeated, RUNS times at most
SPLIT = 1.0  # second of memtwin: short runs are repeated, at least RUNS times, for user_part()
TIMEOUT = 600  # seconds for a run of the reference
SHORTEST = 1.0  # second of the reference: below, a start counts too much
KINDS = (".traceg", "binary")  # kinds of trace


def run_seconds(command):
    """(user, system)"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise Bad(done.stderr.strip().splitlines()[-1])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime


def least_of(seconds, count):
    """The minimum of `count` runs, as the mean over groups of `count` runs."""
    groups = [seconds[i : i + count] for i in range(0, len(seconds) - count + 1, count)]
    return sum(map(min, groups)) / len(groups)


def user_part(runs, count):
    """User seconds of the shortest of `count` runs of the same work, from `count` runs or more.

    Linux splits the seconds of a process into user and system by the mode at the ticks of a clock: a run of 20 ms meets five of them, so a run's own
    user seconds may be far too few.  Their sum is exact, and the share of all runs is close: a second has 250 ticks."""
    total = sum(map(sum, runs))
    return least_of(list(map(sum, runs)), count) * sum(user for user, _ in runs) / max(1e-6, total)


def write_traces(program, arguments, folder):
    """The workload as folder of .traceg files and as binary file."""
    files = {".traceg": folder / "text", "binary": folder / "binary.mtt"}
    folder.mkdir()
    machines.write_trace(program, arguments, files[".traceg"])
    program.ask("trace", "import", str(files[".traceg"]), "-o", str(files["binary"]))
    return files


def user_seconds(command, count):
    """Minimum of `count` runs."""
    runs = []
    while len(runs) < RUNS or sum(map(sum, runs)) < SPLIT:
        runs.append(run_seconds(command))
    return user_part(runs, count)


def times(program, files, change, seconds, count):
    """Speed relative to the reference for each kind of trace; the reference's seconds are the minimum of `count` runs."""
    run = [program.path, "run", "--threads", "1", "--quiet", "--json", "-", *change]
    return {kind: seconds / max(1e-6, user_seconds([*run, str(f)], count)) for kind, f in files.items()}


@dataclass
class Subject:
    """A machine of both programs."""

    change: list  # memtwin's arguments
    kept: store.Machine
    workloads: dict  # name -> arguments
    configure: Callable  # writes the reference's files into a new folder


def subjects(program, accelsim):
    """Those with kept numbers, by name."""
    config, stock = machines.read(), cards.read()
    kept, kept_cards = store.read(machines.KEPT), store.read(cards.folder_of(cards.CARDS))
    found = {}
    for name in machines.independent(config):
        change = machines.arguments(config, name)
        ask = ("config", *change, "--format", "gpgpusim", "-o")
        found[name] = Subject(change, kept.get(name), config["workloads"], lambda f, a=ask: program.ask(*a, str(f)))
    for name, card in stock["cards"].items():
        write = lambda folder, files=card["files"]: cards.configure(accelsim, files, folder)
        found[name] = Subject(["-p", name], kept_cards.get(name), stock["workloads"], write)
    return {name: subject for name, subject in found.items() if subject.kept}


class Reference:
    """Seconds of the reference: measured with its program, or kept numbers."""

    def __init__(self, accelsim, kept, folder):
        self.accelsim, self.kept, self.folder = accelsim, kept, folder

    def heading(self):
        if self.accelsim:
            return f"{self.accelsim} on this processor, {machines.processor()}, each side the least of as many runs"
        theirs = {w.processor for m in self.kept.values() for w in m.workloads.values()}
        of = sorted({f"{m.version} on {w.processor}" for m in self.kept.values() for w in m.workloads.values()})
        which = (
            "this is another processor"
            if all(map(machines.is_exact, theirs))
            else "its family and model are not kept, and this may be another processor"
        )
        other = (
            ""
            if theirs == {machines.processor()}
            else f"\n{which}: {machines.processor()}; times are not like for like (ACCELSIM= measures the reference here)"
        )
        return f"{'; '.join(of)}, kept in the tree{other}"

    def seconds(self, name, workload, trace):
        """(the least, of how many runs)"""
        if not self.accelsim:
            return self.kept[name].workloads[workload].seconds, 1
        program, took = pathlib.Path(self.accelsim).resolve(), []
        while len(took) < AT_LEAST or (len(took) < RUNS and sum(took) + min(took) < ENOUGH):
            took.append(reference.execute(program, self.folder / name, trace, TIMEOUT)[1])
        return min(took), len(took)


def measure_machine(program, name, subject, theirs, traces):
    """Prints a line a run.  [times of each kind]."""
    found = []
    if theirs.accelsim:
        subject.configure(theirs.folder / name)
    for workload, k in subject.kept.workloads.items():
        if k.seconds < SHORTEST or workload not in subject.workloads:
            continue
        if k.arguments not in traces:
            traces[k.arguments] = write_traces(program, k.arguments, theirs.folder / f"trace-{len(traces)}")
        files = traces[k.arguments]
        seconds, count = theirs.seconds(name, workload, files[".traceg"])
        if seconds < SHORTEST:  # this processor is faster than the one of the kept seconds
            print(f"{name:<16} {workload:<16} {seconds:>9.2f}  too short here, not counted", flush=True)
            continue
        found.append(times(program, files, subject.change, seconds, count))
        ratios = "".join(f" {found[-1][kind]:>7.0f}x" for kind in KINDS)
        print(f"{name:<16} {workload:<16} {seconds:>9.2f}{ratios}", flush=True)
    return found


def summary(name, found):
    """A line of the times of a machine, or of all."""
    parts = []
    for kind in KINDS:
        ratios = [f[kind] for f in found]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        parts.append(f"{kind} {mean:.0f} times the reference in the geometric mean, least {min(ratios):.0f}")
    return f"{name}: {'; '.join(parts)}; {len(found)} runs"


def main():
    try:
        program, accelsim = Program(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
        beside, traces = subjects(program, accelsim), {}
        with tempfile.TemporaryDirectory() as scratch:
            theirs = Reference(accelsim, {name: s.kept for name, s in beside.items()}, pathlib.Path(scratch))
            print(f"the reference's speed: seconds of user time of {theirs.heading()}")
            print(f"{'machine':<16} {'workload':<16} {'reference':>9}" + "".join(f" {kind:>8}" for kind in KINDS))
            found = {name: measure_machine(program, name, s, theirs, traces) for name, s in beside.items()}
    except (Bad, OSError) as e:
        sys.exit(f"speed: {e}")
    for name, ratios in found.items():
        if ratios:
            print(summary(name, ratios))


if __name__ == "__main__":
    main()
