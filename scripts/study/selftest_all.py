# SPDX-License-Identifier: Apache-2.0
"""Self-tests of several studies that one command runs (NAME=all)."""
import pathlib
import re
import signal
import subprocess
import time

from scripts.study.selftest import GOOD, expect

ONE = """
title = "One long run"
paper = "none"
preset = "fermi-000-t1"
seed = 7
[workloads]
bfs = { tiny = "bfs:n=256" }
[cases]
plain = {}
[metrics.ipc]
value = "gpu.ipc"
[[figures]]
title = "IPC"
kind = "table"
by = "workload"
metrics = ["ipc"]
"""

# The run with seed 7 ends only when another one has begun.
WAITS = """#!/bin/sh
case "$*" in
run*"--seed 7"*) for i in $(seq 600); do [ -e "{began}" ] && exec {program} "$@"; sleep 0.1; done; exit 1 ;;
run*) : > "{began}" ;;
esac
exec {program} "$@"
"""


SLEEPS = """#!/bin/sh
case "$*" in
run*) : > "{began}.$$"; exec sleep 600 ;;
esac
exec {program} "$@"
"""


def all_of(box, studies, **options):
    """The command for these studies of the sandbox, by name."""
    for name, text in studies.items():
        (box.studies / f"{name}.toml").write_text(text, encoding="utf-8")
    return ["all" if word == "small" else word for word in box.command(**options)]


def closing_lines(err):
    """(study, runs executed now, runs taken from other studies)"""
    return re.findall(r"study: (\w+): \d+ points are \d+ runs: (\d+) run now, (\d+) from other studies", err)


def studies_overlap(box):
    """The runs of a study start while the last run of the previous study is active; results come in order; a run common to two studies runs once."""
    began, waits = box.folder / "began", box.folder / "memtwin"
    waits.write_text(WAITS.format(began=began, program=box.program))
    waits.chmod(0o755)
    studies = {"a_long": ONE, "b_wrong": GOOD.replace('"gpu.ipc /', '"gpu.icp /'), "c_small": GOOD, "d_same": GOOD}
    done = subprocess.run(all_of(box, studies, program=waits), capture_output=True, text=True, check=False)
    expect("status with a mistake in one study", (done.returncode, "Traceback" in done.stderr), (1, False))
    expect("closing lines", closing_lines(done.stderr), [("a_long", "1", "0"), ("c_small", "6", "0"), ("d_same", "0", "6")])
    places = [done.stderr.index(words) for words in ("study: a_long: ", "b_wrong.toml: ", "study: c_small: ", "study: d_same: ")]
    expect("order of what is said", places, sorted(places))
    titles = re.findall(r"^(One long run|Self-test) \(paper", done.stdout, re.M)
    expect("order of the tables", titles, ["One long run", "Self-test", "Self-test"])
    return "four studies on two jobs, one with a mistake"


def a_signal_ends_all(box):
    """A signal while two studies have runs ends their processes, too."""
    sleeps = box.folder / "memtwin"
    sleeps.write_text(SLEEPS.format(began=box.folder / "began", program=box.program))
    sleeps.chmod(0o755)
    command = all_of(box, {"a_long": ONE, "b_small": GOOD}, program=sleeps)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        while len(list(box.folder.glob("began.*"))) < 2 and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        err = process.communicate(timeout=60)[1]
    expect("status, what is said", (process.returncode, err), (143, ""))
    alive = [p.name for p in box.folder.glob("began.*") if pathlib.Path("/proc", p.suffix[1:]).exists()]
    expect("processes left", alive, [])
    return "status 143, no process left"


TESTS = [studies_overlap, a_signal_ends_all]
