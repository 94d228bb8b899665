# SPDX-License-Identifier: Apache-2.0
"""Runs the points that the database lacks: one process each (or per batch with common parts), several concurrently on this machine; other
executors (slurm.py) have the same interface, all()."""
import contextlib
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor, as_completed
from dataclasses import dataclass

from scripts.study.measure import at_interval
from scripts.study.plan import Point
from scripts.study.program import numbers, parse_results


@dataclass
class Outcome:
    point: Point
    counters: dict = None
    identity: str = ""
    seconds: float = 0.0
    message: str = None


class Stopped(Exception):
    """The command ends before the runs do."""


class Slots:
    """Slots for child processes, shared by the studies of a command: runs of a study start as soon as the last runs of the previous one have
    started.  Children end when this process is terminated."""

    def __init__(self, jobs):
        self.jobs, self.pool = jobs, ThreadPoolExecutor(jobs)
        self.runners, self.stopped = [], False
        self.running, self.changed = set(), threading.Condition()  # keys of runs that are not stored yet

    def stop(self):
        self.stopped = True
        for runner in list(self.runners):
            runner.stop()
        self.pool.shutdown(cancel_futures=True)
        self.stored(set(self.running))

    def stored(self, keys):
        with self.changed:
            self.running -= keys
            self.changed.notify_all()

    @contextlib.contextmanager
    def runs(self, keys):
        """Marks runs with these keys as started.  Returns the function to call when some are stored."""
        with self.changed:
            self.running |= keys
        try:
            yield self.stored
        finally:
            self.stored(keys)

    def wait(self, keys):
        """Waits until no other study runs any of these."""
        with self.changed:
            self.changed.wait_for(lambda: self.stopped or not self.running & keys)


class Runner:
    """Concurrent child processes of one study."""

    def __init__(self, program, slots, started=lambda: None):
        self.program, self.slots, self.started = (
            program,
            slots,
            started,
        )  # a Program; started: called when the last run has begun
        self.processes, self.lock, self.stopped = set(), threading.Lock(), slots.stopped
        slots.runners.append(self)

    def start(self, command):
        with self.lock:
            if self.stopped:
                return None
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.processes.add(process)
            return process

    def stop(self):
        with self.lock:
            self.stopped = True
            for process in self.processes:
                process.kill()

    def results(self, rtl, command):
        """Returns (output, None), (None, reason), or (None, None) if stopped."""
        process = self.start(
            [self.program.rtl if rtl else self.program.path, *command, "--threads", "1", "--quiet", "--json", "-"]
        )
        if not process:
            return None, None
        out, err = process.communicate()
        with self.lock:
            self.processes.discard(process)
            if self.stopped:
                return None, None
        if process.returncode:
            return None, err.strip() or f"exit status {process.returncode}"
        try:
            return parse_results(out), None
        except ValueError as e:
            return None, f"its result cannot be read: {e}"

    def batch(self, points):
        """Outcomes of points that share a process.  If it fails, each point is run alone to isolate the failure."""
        started = time.monotonic()
        results, message = self.results(points[0].rtl, points[0].command if len(points) == 1 else as_cases(points))
        if results is None and message is None:
            return []
        if message and len(points) > 1:
            return [outcome for p in points for outcome in self.batch([p])]
        seconds = (time.monotonic() - started) / len(points)
        if results and len(results) != len(points):
            message = f"found {len(results)} results, expected {len(points)}"
        return [
            Outcome(p, seconds=seconds, message=message) if message else read(p, r, seconds)
            for p, r in zip(points, results or points)
        ]

    def all(self, batches):
        """Yields outcomes as they arrive."""
        left = iter(range(len(batches) - 1, -1, -1))

        def begin(points):
            if next(left) == 0:
                self.started()
            return self.batch(points)

        futures = [self.slots.pool.submit(begin, b) for b in batches]
        try:
            for future in as_completed(futures):
                yield from future.result()
        except CancelledError:
            raise Stopped from None
        finally:
            for future in futures:
                future.cancel()
            self.stop()
        if self.slots.stopped:
            raise Stopped


def read(point, result, seconds):
    """A result as the outcome of the expected point."""
    outcome = Outcome(point, seconds=seconds)
    try:
        outcome.counters, outcome.identity = result["counters"], result["workload"]["identity"]
        for i, part in enumerate(result.get("intervals", [])):
            outcome.counters |= {at_interval(i, name): part["counters"][name] for name in point.over_time}
        ran = {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in result["config"].items()}
        rtl = sorted(use["block"] for use in result["host"]["rtl"] if use["instances"])
    except (KeyError, TypeError, AttributeError) as e:
        outcome.message = f"its result lacks {e}"
        return outcome
    for name in [k for k in ran if f"{k}0" in point.config]:  # a list
        ran |= numbers(name, ran.pop(name), sum(f"{name}{i}" in point.config for i in range(16)))
    differ = [
        f"{k} = {ran.get(k)} instead of {point.config.get(k)}"
        for k in sorted(ran.keys() | point.config.keys())
        if ran.get(k) != point.config.get(k)
    ]
    if differ:
        outcome.message = f"ran on another machine than memtwin config says: {', '.join(differ)}"
    elif rtl != sorted(point.rtl):
        outcome.message = f"ran with {', '.join(rtl) or 'nothing'} as RTL, expected {', '.join(point.rtl) or 'nothing'}"
    return outcome


def as_cases(points):
    """One command for points of one workload that differ in their cases; the common part runs once."""
    first = points[0]
    command = [first.command[0], *first.words, *first.common, *first.tail]
    for i, p in enumerate(points):
        items = [f"preset={value}" if flag == "--preset" else value for flag, value in zip(p.own[::2], p.own[1::2])]
        command += ["--case", f"p{i}:{','.join(items)}"]
    return command


def batches(points, size):
    """Points that may share a process: same workload, same common machine and same blocks as RTL, no file among their changes."""
    groups, found = {}, []
    for p in points:
        groups.setdefault((p.workload, p.seed, tuple(p.rtl), "--config" in p.own and id(p)), []).append(p)
    for group in groups.values():
        found += [group[i : i + size] for i in range(0, len(group), size)]
    return found


class Progress:
    """A progress line that overwrites itself, on terminals only."""

    def __init__(self, points, jobs, seconds):
        self.left = {id(p): p for p in points}
        self.total, self.jobs, self.known = len(points), jobs, dict(seconds)
        self.took, self.shown = [], sys.stderr.isatty()

    def expected(self, point):
        """Estimated seconds: from the last run, or the mean of the current runs."""
        return self.known.get(point.shell(), sum(self.took) / len(self.took) if self.took else 0)

    def done(self, outcome):
        del self.left[id(outcome.point)]
        self.took.append(outcome.seconds)
        left = sum(self.expected(p) for p in self.left.values()) / self.jobs
        if self.shown:
            done = self.total - len(self.left)
            print(
                f"\r  {done} of {self.total} points, {int(left) // 60}:{int(left) % 60:02d} left  {outcome.point.name:<48.48}",
                end="",
                file=sys.stderr,
                flush=True,
            )

    def end(self):
        if self.shown and self.total:
            print(f"\r{'':100}\r", end="", file=sys.stderr, flush=True)


def run_points(database, program, study, points, slots, executor):
    """Runs the missing points and stores each as it ends.  Returns the failed outcomes."""
    seconds = database.seconds()
    work = batches(points, study.batch)
    work.sort(
        key=lambda b: -sum(seconds.get(p.shell(), 0) for p in b)
    )  # long ones first, so that none is left over at the end
    progress, failed = Progress(points, slots.jobs, seconds), []
    with slots.runs({p.key for p in points}) as stored:
        for outcome in executor.all(work):
            database.store(outcome.point, program, outcome)
            stored({outcome.point.key})
            progress.done(outcome)
            if outcome.message:
                failed.append(outcome)
    progress.end()
    return failed
