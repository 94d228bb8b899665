# SPDX-License-Identifier: Apache-2.0
"""Self-tests of several studies that one command runs (NAME=all)."""
import re
import signal
import subprocess
import time

from scripts.study.selftest_box import GOOD, Study
from scripts.testing import background, has_ended, run

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


class Several(Study):
    def test_studies_overlap(self):
        """The runs of a study start while the last run of the previous study is active; results come in order; a run common to two studies runs once."""
        began, waits = self.box.folder / "began", self.box.folder / "memtwin"
        waits.write_text(WAITS.format(began=began, program=self.box.program))
        waits.chmod(0o755)
        studies = {"a_long": ONE, "b_wrong": GOOD.replace('"gpu.ipc /', '"gpu.icp /'), "c_small": GOOD, "d_same": GOOD}
        done = run(*all_of(self.box, studies, program=waits))
        self.equal("status with a mistake in one study", (done.status, "Traceback" in done.err), (1, False))
        self.equal(
            "closing lines",
            closing_lines(done.err),
            [("a_long", "1", "0"), ("c_small", "6", "0"), ("d_same", "0", "6")],
        )
        places = [
            done.err.index(words)
            for words in ("study: a_long: ", "b_wrong.toml: ", "study: c_small: ", "study: d_same: ")
        ]
        self.equal("order of what is said", places, sorted(places))
        self.equal("runs that failed", re.findall(r"(\d+) failed", done.err), ["0", "0", "0"])
        titles = re.findall(r"^(One long run|Self-test) \(paper", done.out, re.M)
        self.equal("order of the tables", titles, ["One long run", "Self-test", "Self-test"])

    def test_a_study_without_the_size_is_left_out(self):
        """With NAME=all; alone it is refused."""
        studies = {"a_large": ONE.replace("tiny =", "full ="), "b_small": ONE}
        done = run(*all_of(self.box, studies))
        self.equal(
            "status, what is left out",
            (done.status, "none of the size tiny" in done.err and "; left out" in done.err),
            (0, True),
        )
        self.equal("what ran", closing_lines(done.err), [("b_small", "1", "0")])
        alone = run(*[word if word != "all" else "a_large" for word in all_of(self.box, studies)])
        self.equal(
            "alone", (alone.status, "none of the size tiny" in alone.err, "left out" in alone.err), (1, True, False)
        )

    def test_a_signal_ends_all(self):
        """A signal while two studies have runs ends their processes, too."""
        sleeps = self.box.folder / "memtwin"
        sleeps.write_text(SLEEPS.format(began=self.box.folder / "began", program=self.box.program))
        sleeps.chmod(0o755)
        command = all_of(self.box, {"a_long": ONE, "b_small": GOOD}, program=sleeps)
        with background(*command, stderr=subprocess.PIPE) as process:
            while len(list(self.box.folder.glob("began.*"))) < 2 and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(signal.SIGTERM)
            err = process.communicate(timeout=60)[1]
        self.equal("status, what is said", (process.returncode, err), (143, ""))
        alive = [p.name for p in self.box.folder.glob("began.*") if not has_ended(p.suffix[1:])]
        self.equal("processes left", alive, [])
