"""Runs the points that are not in the database yet: one process each, several at a time."""
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

from study.plan import Point
from study.program import parse_result


@dataclass
class Outcome:
    point: Point
    counters: dict = None
    identity: str = ""
    seconds: float = 0.0
    message: str = None


class Runner:
    """Processes that go on at the same time, and that end when this one is told to."""

    def __init__(self, program, jobs):
        self.program, self.jobs = program, jobs
        self.processes, self.lock, self.stopped = set(), threading.Lock(), False

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

    def one(self, point):
        """The point's result, or why there is none."""
        started = time.monotonic()
        outcome = Outcome(point)
        extra = ["--threads", "1"] if point.command[0] == "run" else []
        process = self.start([self.program, *point.command, *extra, "--quiet", "--json", "-"])
        if not process:
            return None
        out, err = process.communicate()
        with self.lock:
            self.processes.discard(process)
            if self.stopped:
                return None
        outcome.seconds = time.monotonic() - started
        if process.returncode:
            outcome.message = err.strip() or f"exit status {process.returncode}"
        else:
            self.read(outcome, out)
        return outcome

    def read(self, outcome, text):
        try:
            result = parse_result(text)
            outcome.counters, outcome.identity = result["counters"], result["workload"]["identity"]
            ran = {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in result["config"].items()}
        except (ValueError, KeyError, TypeError) as e:
            outcome.message = f"its result cannot be read: {e}"
            return
        if ran != outcome.point.config:
            differ = sorted(k for k in ran.keys() | outcome.point.config.keys() if ran.get(k) != outcome.point.config.get(k))
            outcome.message = f"ran on another machine than memtwin config says: {' '.join(differ)}"

    def all(self, points):
        """Outcomes as they come."""
        pool = ThreadPoolExecutor(self.jobs)
        try:
            for future in as_completed([pool.submit(self.one, p) for p in points]):
                if future.result():
                    yield future.result()
        finally:
            self.stop()
            pool.shutdown(cancel_futures=True)


class Progress:
    """One line that is written over, on a terminal only."""

    def __init__(self, points, jobs, seconds):
        self.left = {id(p): p for p in points}
        self.total, self.jobs, self.known = len(points), jobs, dict(seconds)
        self.took, self.shown = [], sys.stderr.isatty()

    def expected(self, point):
        """Seconds: the last time, or the mean of what ran now."""
        return self.known.get(point.shell(), sum(self.took) / len(self.took) if self.took else 0)

    def done(self, outcome):
        del self.left[id(outcome.point)]
        self.took.append(outcome.seconds)
        left = sum(self.expected(p) for p in self.left.values()) / self.jobs
        if self.shown:
            done = self.total - len(self.left)
            print(f"\r  {done} of {self.total} points, {int(left) // 60}:{int(left) % 60:02d} left  {outcome.point.name:<48.48}", end="", file=sys.stderr, flush=True)

    def end(self):
        if self.shown and self.total:
            print(f"\r{'':100}\r", end="", file=sys.stderr, flush=True)


def run_points(database, program, points, jobs):
    """Runs what is wanted and stores each as it ends.  Gives the outcomes that failed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    seconds = database.seconds()
    points = sorted(points, key=lambda p: -seconds.get(p.shell(), 0))  # long ones first, so that none is left over at the end
    progress, failed = Progress(points, jobs, seconds), []
    for outcome in Runner(program.path, jobs).all(points):
        database.store(outcome.point, program, outcome)
        progress.done(outcome)
        if outcome.message:
            failed.append(outcome)
    progress.end()
    return failed
