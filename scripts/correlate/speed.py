# SPDX-License-Identifier: Apache-2.0
"""make bench: memtwin's speed beside the reference's: the same traces, the same machine, seconds of user time on one thread.

python3 -m correlate.speed PROGRAM.  The reference's seconds are the kept ones.  memtwin's are the least of nine runs, since other work on the machine only adds to them.
"""
import math
import pathlib
import resource
import subprocess
import sys
import tempfile

from correlate import machines, store
from study.expressions import Bad
from study.program import Program

RUNS = 9
SHORTEST = 1.0  # second of the reference: below, a start counts too much
TARGETS = {".traceg": 80, "binary": 100}  # times the reference's speed


def user_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise Bad(done.stderr.strip().splitlines()[-1])
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def write_traces(program, arguments, folder):
    """The workload as folder of .traceg files and as binary file."""
    files = {".traceg": folder / "text", "binary": folder / "binary.mtt"}
    folder.mkdir()
    program.ask("trace", "export", arguments, "-o", str(files[".traceg"]))
    program.ask("trace", "record", arguments, "-o", str(files["binary"]))
    return files


def times(program, files, change, seconds):
    """How many times faster from each kind of trace."""
    run = [program.path, "run", "--threads", "1", "--quiet", "--json", "-", *change]
    return {kind: seconds / max(1e-6, min(user_seconds([*run, str(f)]) for _ in range(RUNS))) for kind, f in files.items()}


def measure(program, config, kept, folder):
    """Prints a line a run.  [times of each kind]."""
    found, traces = [], {}
    for name in machines.independent(config):
        for workload, k in kept[name].workloads.items() if name in kept else ():
            if k.seconds < SHORTEST:
                continue
            if workload not in traces:
                traces[workload] = write_traces(program, k.arguments, folder / workload)
            found.append(times(program, traces[workload], machines.arguments(config, name), k.seconds))
            print(f"{name:<10} {workload:<16} {k.seconds:>9.2f}" + "".join(f" {found[-1][kind]:>7.0f}x" for kind in TARGETS), flush=True)
    return found


def main():
    try:
        program, config, kept = Program(sys.argv[1]), machines.read(), store.read(machines.KEPT)
        processors = {m.processor for m in kept.values()}
        print(f"the reference's speed: seconds of user time of {', '.join(sorted({m.version for m in kept.values()}))} on {', '.join(sorted(processors))}")
        if processors != {machines.processor()}:
            print(f"this is another processor: {machines.processor()}; times are not like for like (make correlate ACCELSIM= measures here)")
        print(f"{'machine':<10} {'workload':<16} {'reference':>9}" + "".join(f" {kind:>8}" for kind in TARGETS))
        with tempfile.TemporaryDirectory() as scratch:
            found = measure(program, config, kept, pathlib.Path(scratch))
    except (Bad, OSError) as e:
        sys.exit(f"speed: {e}")
    for kind, target in TARGETS.items():
        all_times = [f[kind] for f in found]
        mean = math.exp(sum(map(math.log, all_times)) / len(all_times))
        print(f"{kind}: geometric mean {mean:.0f} times the reference, least {min(all_times):.0f}, {sum(t < target for t in all_times)} of {len(found)} below "
              f"{target}")


if __name__ == "__main__":
    main()
