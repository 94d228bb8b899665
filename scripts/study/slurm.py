# SPDX-License-Identifier: Apache-2.0
"""EXECUTOR=slurm: the points of a study as an array of Slurm jobs.

build/study/NAME.slurm is shared with the nodes.  Each array has a folder there, named as its jobs:
    program, program-rtl    copies for its tasks
    INDEX.json, INDEX.log   the points of a task, and its output
    results/KEY.json        the outcome of a point, written whole by its task
The tasks write only results; this process alone writes the database.  A point with a result, or in an array that is not over, is not submitted
again, so this process may be killed and started again at any time.  A task that Slurm runs again leaves out the points that have results."""
import json
import os
import pathlib
import secrets
import shlex
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict

from scripts.study.expressions import Bad
from scripts.study.files import write_whole
from scripts.study.runner import Outcome

PATIENCE = 60  # seconds without an answer of Slurm's controller
FIRST_GUESS = 60  # seconds of a point, if none has ever run


def ask(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Bad(f"EXECUTOR=slurm: found no {command[0]} on the PATH, expected Slurm's commands") from None
    return done.returncode, done.stdout, done.stderr.strip()


def chunks(batches, cost, seconds, most):
    """Tasks of about `seconds` each, the longest batches first; at most `most` of them."""
    costs = [sum(map(cost, b)) for b in batches]
    size = max(seconds, sum(costs) / most)
    found, full = [], size
    for batch, took in sorted(zip(batches, costs), key=lambda bc: -bc[1]):
        if full + took > size and len(found) < most:
            found.append([])
            full = 0
        found[-1].append(batch)
        full += took
    return found


class Executor:
    def __init__(self, program, folder, name, database, seconds, poll=1.0):
        self.program, self.database, self.chunk_seconds, self.poll = program, database, seconds, poll
        self.folder = (folder / f"{name}.slurm").absolute()
        self.prefix = f"memtwin-{name}-"

    def arrays(self):
        """Active arrays of this study: name and job number.  None: the controller does not answer."""
        status, out, _ = ask("squeue", "--noheader", "--me", "--format=%j %F")
        if status:
            return None
        found = dict(line.split() for line in out.splitlines())
        return {n: job for n, job in found.items() if n.startswith(self.prefix) and (self.folder / n).is_dir()}

    def under_way(self):
        arrays, since = self.arrays(), time.monotonic()
        while arrays is None:
            if time.monotonic() - since > PATIENCE:
                raise Bad(
                    f"EXECUTOR=slurm: found no answer of Slurm's controller for {PATIENCE} s ({ask('squeue')[2]}), expected a list of jobs; "
                    "arrays that were submitted go on, and the same command takes their results"
                )
            time.sleep(self.poll)
            arrays = self.arrays()
        return arrays

    def submitted(self, arrays):
        """Keys of the points in them."""
        return {
            p["key"]
            for name in arrays
            for task in (self.folder / name).glob("*.json")
            for batch in json.loads(task.read_text())
            for p in batch
        }

    def most(self):
        _, out, _ = ask("scontrol", "show", "config")
        found = [line.split("=")[1].strip() for line in out.splitlines() if line.startswith("MaxArraySize")]
        return max(1, int(found[0]) - 1) if found else 1000

    def submit(self, batches):
        """A new array; its name."""
        known = self.database.seconds()
        guess = sum(known.values()) / len(known) if known else FIRST_GUESS
        name = self.prefix + secrets.token_hex(4)
        array = self.folder / name
        array.mkdir(parents=True)
        tasks = chunks(batches, lambda p: known.get(p.shell(), guess), self.chunk_seconds, self.most())
        for i, task in enumerate(tasks):
            write_whole(array / f"{i}.json", json.dumps([[asdict(p) for p in batch] for batch in task]))
        shutil.copy2(self.program.path, array / "program")
        if any(p.rtl for b in batches for p in b):
            shutil.copytree(pathlib.Path(self.program.rtl).parent, array / "with-rtl")
        command = shlex.join([sys.executable, "-B", "-m", "scripts.study.task", str(array)])
        status, out, err = ask(
            "sbatch",
            "--parsable",
            f"--job-name={name}",
            f"--array=0-{len(tasks) - 1}",
            "--requeue",
            "--open-mode=append",
            f"--output={array}/%a.log",
            f"--chdir={os.getcwd()}",
            f"--wrap=exec {command} $SLURM_ARRAY_TASK_ID",
        )
        if status:
            shutil.rmtree(array)
            raise Bad(f"EXECUTOR=slurm: sbatch: {err}, expected an array of {len(tasks)} tasks to be accepted")
        print(
            f"study: {sum(map(len, batches))} points are array {out.strip()} of {len(tasks)} tasks; logs in {array}",
            file=sys.stderr,
        )

    def collect(self, wanted):
        """Available outcomes; removes them from `wanted`."""
        for path in self.folder.glob("*/results/*.json"):
            if path.stem in wanted:
                yield Outcome(point=wanted.pop(path.stem), **json.loads(path.read_text()))

    def all(self, batches):
        """Yields outcomes as they arrive."""
        wanted = {p.key: p for b in batches for p in b}
        if not wanted:
            return
        yield from self.collect(wanted)
        submitted = self.submitted(self.under_way())
        rest = [[p for p in b if p.key in wanted and p.key not in submitted] for b in batches]
        if any(rest):
            self.submit([b for b in rest if b])
        while wanted:
            arrays = self.under_way()
            yield from self.collect(wanted)
            if wanted and not arrays:
                yield from self.collect(wanted)
                break
            time.sleep(self.poll if wanted else 0)
        if wanted:
            message = self.missing(wanted)
            for path in self.folder.glob("*/results"):
                shutil.rmtree(path)  # they are in the database; logs stay
            raise Bad(message)
        if not self.under_way():
            shutil.rmtree(self.folder, ignore_errors=True)

    def missing(self, wanted):
        """Reasons for missing results: the states of the tasks, and the end of a log."""
        _, out, _ = ask("squeue", "--noheader", "--me", "--array", "--states=all", "--format=%j %T")
        states = Counter(
            state
            for name, state in (line.split() for line in out.splitlines())
            if (self.folder / name).is_dir() and state != "COMPLETED"
        )
        logs = [
            text for log in sorted(self.folder.glob("*/*.log")) if (text := log.read_text(errors="replace").strip())
        ]
        said = f" ({logs[-1].splitlines()[-1]})" if logs else ""
        why = ", ".join(f"{n} {state}" for state, n in sorted(states.items())) or "its tasks are over"
        return (
            f"EXECUTOR=slurm: found {len(wanted)} points without a result: {why}{said}; logs in {self.folder}. "
            "Results that came are kept; the same command runs the rest"
        )
