# SPDX-License-Identifier: Apache-2.0
"""make bench: memtwin's speed beside the reference's: the same traces, the same machine, seconds of user time on one thread.

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

from scripts.correlate import machines, reference, store
from scripts.study.expressions import Bad
from scripts.study.program import Program

RUNS = 9
AT_LEAST = 3  # runs of the reference, however long one is
ENOUGH = 6.0  # seconds of the reference: short runs are repeated, RUNS times at most
SPLIT = 1.0  # second of memtwin: short runs are repeated, at least RUNS times, for user_part()
TIMEOUT = 600  # seconds for a run of the reference
SHORTEST = 1.0  # second of the reference: below, a start counts too much
TARGETS = {".traceg": 80, "binary": 100}  # times the reference's speed


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

    def machine(self, program, change, name):
        """Writes the reference's files of a machine."""
        if self.accelsim:
            program.ask("config", *change, "--format", "gpgpusim", "-o", str(self.folder / name))

    def seconds(self, name, workload, trace):
        """(the least, of how many runs)"""
        if not self.accelsim:
            return self.kept[name].workloads[workload].seconds, 1
        program, took = pathlib.Path(self.accelsim).resolve(), []
        while len(took) < AT_LEAST or (len(took) < RUNS and sum(took) + min(took) < ENOUGH):
            took.append(reference.execute(program, self.folder / name, trace, TIMEOUT)[1])
        return min(took), len(took)


def measure(program, config, theirs, folder):
    """Prints a line a run.  [times of each kind]."""
    found, traces = [], {}
    for name in machines.independent(config):
        change = machines.arguments(config, name)
        theirs.machine(program, change, name)
        for workload, k in theirs.kept[name].workloads.items() if name in theirs.kept else ():
            if k.seconds < SHORTEST or workload not in config["workloads"]:
                continue
            if workload not in traces:
                traces[workload] = write_traces(program, k.arguments, folder / workload)
            seconds, count = theirs.seconds(name, workload, traces[workload][".traceg"])
            if seconds < SHORTEST:  # this processor is faster than the one of the kept seconds
                print(f"{name:<10} {workload:<16} {seconds:>9.2f}  too short here, not counted", flush=True)
                continue
            found.append(times(program, traces[workload], change, seconds, count))
            print(
                f"{name:<10} {workload:<16} {seconds:>9.2f}"
                + "".join(f" {found[-1][kind]:>7.0f}x" for kind in TARGETS),
                flush=True,
            )
    return found


def main():
    try:
        program, config = Program(sys.argv[1]), machines.read()
        with tempfile.TemporaryDirectory() as scratch:
            theirs = Reference(
                sys.argv[2] if len(sys.argv) > 2 else "", store.read(machines.KEPT), pathlib.Path(scratch)
            )
            print(f"the reference's speed: seconds of user time of {theirs.heading()}")
            print(f"{'machine':<10} {'workload':<16} {'reference':>9}" + "".join(f" {kind:>8}" for kind in TARGETS))
            found = measure(program, config, theirs, theirs.folder)
    except (Bad, OSError) as e:
        sys.exit(f"speed: {e}")
    for kind, target in TARGETS.items():
        all_times = [f[kind] for f in found]
        mean = math.exp(sum(map(math.log, all_times)) / len(all_times))
        print(
            f"{kind}: geometric mean {mean:.0f} times the reference, least {min(all_times):.0f}, {sum(t < target for t in all_times)} of {len(found)} below "
            f"{target}"
        )


if __name__ == "__main__":
    main()
