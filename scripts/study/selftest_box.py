# SPDX-License-Identifier: Apache-2.0
"""The study of the self-tests, and the folder in which a test runs it."""
import os
import pathlib
import re
import shutil
import sqlite3
import sys

from scripts.testing import PYTHON, Checks, run

GOOD = """
title = "Self-test"
paper = "none"
preset = "fermi-000-t1"
base = "plain"
headline = ["speedup"]
[workloads]
atax = { tiny = "atax:rows=256,columns=64", reduced = "atax:rows=512,columns=64", group = "a", numbers = { n = 3 } }
bfs = { tiny = "bfs:n=256", reduced = "bfs:n=8192" }
[sweeps.ways]
option = "l1d.ways"
values = [4, 8]
[cases]
plain = {}
ipoly = { set = { l1d.index = "ipoly", l1d.latency = 10 } }
swept = { sweeps = ["ways"] }
[best.top]
of = ["swept"]
by = "gpu.ipc"
[metrics.speedup]
value = "gpu.ipc / base(gpu.ipc)"
mean = "geometric"
paper.figure = "0"
paper.mean = { ipoly = 2.0 }
[metrics.ways]
value = "option(l1d.ways) + workload(n) - case(\\"top\\", sweep(ways)) + 0 * speedup + 0 * min(9, 9 ** 9 ** 0.5)"
[[figures]]
title = "Speedup"
metrics = ["speedup"]
[[figures]]
title = "Along"
kind = "lines"
sweep = "ways"
metrics = ["speedup"]
[[figures]]
title = "Points"
kind = "scatter"
x = "option(l1d.ways)"
metrics = ["speedup"]
fit = ["linear"]
paper = { figure = "0", linear = 0.5 }
[[figures]]
title = "Words"
metrics = ["ways"]
"""
WITH_RTL = (
    GOOD.replace("plain = {}", 'plain = {}\nreal = { rtl = "mshr" }')
    .replace('title = "Words"', 'title = "Words"\nkind = "table"\nby = "workload"')
    .replace('metrics = ["ways"]', 'metrics = ["share"]\ncases = ["plain", "ipoly"]')
    .replace(
        "[metrics.ways]",
        '[metrics.share]\nabove = "share of"\nlabel = "hits"\nvalue = "l1d.hits / l1d.accesses"\nmean = "pooled"\n[metrics.ways]',
    )
)


class Sandbox:
    """A folder with one study in it."""

    def __init__(self, program, rtl, folder):
        self.program, self.rtl, self.folder = program, rtl, folder
        shutil.rmtree(folder, ignore_errors=True)
        self.studies = folder / "st udies's größte"
        self.studies.mkdir(parents=True)
        self.file, self.database = self.studies / "small.toml", folder / "build" / "study" / "small.sqlite"

    def command(self, size="tiny", jobs=2, build="build", program=None, verify=0, update=False, rtl=None, only=()):
        return [
            *PYTHON,
            "scripts.study",
            "small",
            "--size",
            size,
            "--jobs",
            str(jobs),
            "--verify",
            str(verify),
            "--studies",
            str(self.studies),
            "--program",
            str(program or self.program),
            "--rtl-program",
            str(rtl or self.rtl),
            "--only",
            *only,
            "--build",
            str(self.folder / build),
            "--documents",
            str(self.folder),
            *["--update"] * update,
        ]

    def run(self, text=GOOD, **options):
        """(exit status, standard output, standard error)"""
        self.file.write_text(text, encoding="utf-8")
        done = run(*self.command(**options))
        return done.status, done.out, done.err

    def count(self, err):
        """(runs of the study, runs executed now, failed runs), from the closing line"""
        m = re.search(r"are (\d+) runs: (\d+) run now, \d+ from other studies, \d+ as they were, (\d+) failed", err)
        if not m:
            raise AssertionError(f"found no closing line: {err}")
        return tuple(map(int, m.groups()))

    def sql(self, text):
        with sqlite3.connect(self.database) as db:
            return db.execute(text).fetchall()


class Study(Checks):
    def setUp(self):
        program, rtl, folder = map(os.path.abspath, sys.argv[1:4])
        self.box = self.sandbox(program, rtl, pathlib.Path(folder, self.id().rpartition(".test_")[2]))

    def sandbox(self, program, rtl, folder):
        return Sandbox(program, rtl, folder)
