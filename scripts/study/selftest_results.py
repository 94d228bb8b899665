# SPDX-License-Identifier: Apache-2.0
"""Self-tests of results: several seeds, two writers, results read from Python."""
import html
import json
import re
import shlex
import sqlite3
import subprocess
import sys
import time
import types

from scripts.results import memtwin
from scripts.study import measure, plots, seeds
from scripts.study.selftest_box import GOOD, Study
from scripts.testing import ROOT, background, run


class Results(Study):
    def an_interval_is_drawn_to_scale(self):
        value = measure.Spread.of([3.0, 5.0])
        bars = plots.bars("", [("a", [plots.Row([(1.0, 1, ""), (value, 0, "")])])])
        x0, x1 = map(float, re.search(r'class="interval" d="[^"]*?M([\d.]+) [\d.]+L([\d.]+) ', bars).groups())
        start, width = map(
            float, re.search(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="\d+" class="s0"', bars).groups()
        )
        self.equal(
            "ends of the interval of a bar",
            [round((x - start) / width * value, 1) for x in (x0, x1)],
            [round(e, 1) for e in plots.ends(value)],
        )
        chart = plots.chart("", [(0, "both", [(1, value, ""), (2, 4.0, "")])], [], "", "")
        y0, y1 = map(float, re.search(r'class="interval" d="[^"]*?M[\d.]+ ([\d.]+)L[\d.]+ ([\d.]+)', chart).groups())
        (middle,) = {float(y) for y in re.findall(r'translate\([\d.]+ ([\d.]+)\)" d="[^"]*" class="dot', chart)}
        self.equal(
            "the interval of a point is around it",
            (chart.count('class="interval"'), abs((y0 + y1) / 2 - middle) < 0.1, y0 > y1 + 100),
            (1, True, True),
        )
        lines = plots.chart(
            "", [(0, "line", [(1, value, ""), (2, 4.0, "")]), (1, "line", [(1, 3.0, ""), (2, 4.0, "")])], [], "", ""
        )
        corners = [p.split(",") for p in re.findall(r'class="band s0" points="([^"]*)"', lines)[0].split()]
        self.equal(
            "a line over seeds has a band, a line of one seed none", (lines.count('class="band'), len(corners)), (1, 4)
        )
        self.equal(
            "the band is wide where the interval is",
            [float(a[1]) - float(b[1]) > 100 for a, b in ((corners[0], corners[3]), (corners[1], corners[2]))],
            [True, False],
        )

    def seeds_from_python(self):
        """Points of one workload and case differ by their seed; an old database has none, and the next study run adds them."""
        points = [(p["workload"], p["case"], p["seed"], p["place"]) for p in memtwin.study(self.box.database, "tiny")]
        self.equal(
            "points of three seeds, each once",
            (sorted({p[2] for p in points}), len(points), len(set(points))),
            ([1, 2, 3], 24, 24),
        )
        self.box.sql("ALTER TABLE point DROP COLUMN seed")
        try:
            memtwin.study(self.box.database, "tiny")
            raise AssertionError("a database without seeds: read")
        except ValueError as e:
            self.equal(
                "a database without seeds", "no such column: seed, expected the database of a study" in str(e), True
            )
        self.equal(
            "runs for it",
            self.box.count(
                self.box.run("seed = [1, 2, 3]\n" + self.box.file.read_text(encoding="utf-8").split("\n", 1)[1])[2]
            )[1:],
            (0, 0),
        )
        self.equal("its seeds", sorted({p["seed"] for p in memtwin.study(self.box.database)}), [1, 2, 3])

    def whole_numbers_stay_whole(self, memtwin, files):
        """frame() with pandas and without it: a module named pandas records the arguments."""
        for file in files:
            table = memtwin.columns(file, "gpu.cycles", "gpu.ipc")
            self.equal(
                "columns",
                list(table),
                ["workload", "case", "seed", "scope", "kernel", "number", "from", "to", "gpu.cycles", "gpu.ipc"],
            )
            self.equal(
                "kinds of values",
                [{type(v) for v in table[n]} for n in ("seed", "gpu.cycles", "gpu.ipc")],
                [{int}, {int}, {float}],
            )
        kept, sys.modules["pandas"] = sys.modules.get("pandas"), types.SimpleNamespace(
            DataFrame=dict, Int64Dtype=lambda: "whole", array=lambda values, dtype: (dtype, values)
        )
        rows = memtwin.rows
        memtwin.rows = lambda path: [r for r in rows(path) if r["scope"] == "run" or r["counter"] != "gpu.cycles"]
        found = memtwin.frame(files[0], "gpu.cycles", "gpu.ipc")
        memtwin.rows = rows
        sys.modules.pop("pandas") if kept is None else sys.modules.update(pandas=kept)
        self.equal(
            "a column with a gap",
            (found["gpu.cycles"][0], None in found["gpu.cycles"][1], {type(v) for v in found["gpu.ipc"]}),
            ("whole", True, {float}),
        )

    def test_seeds_give_a_verdict(self):
        text = GOOD.replace(
            'title = "Words"\nmetrics = ["ways"]',
            'title = "Words"\nkind = "seeds"\nmetrics = ["speedup"]\ncases = ["ipoly", "slow"]',
        ).replace("swept = {", "slow = { set.l1d.latency = 300 }\nswept = {")
        status, out, err = self.box.run("seed = [1, 2, 3]\n" + text)
        self.equal("status", (status, err.count("failed:")), (0, 0))
        rows = [line.split() for line in out[out.index("\nWords\n") :].splitlines() if "±" in line and "%" not in line]
        self.equal("a row for each workload and case, and means", [r[0] for r in rows], ["atax", "bfs", "mean"] * 2)
        slow = rows[4]  # bfs: mean ± half, the lowest and the highest seed
        self.equal("a slower machine", (slow[1], slow[-1], float(slow[2]) < 0.9), ("slow", "worse", True))
        self.equal("ends around the mean", float(slow[-3]) <= float(slow[2]) <= float(slow[-2]), True)
        self.equal("atax reads no random input", rows[0][4], "0.000")
        self.equal(
            "verdicts of intervals",
            [
                seeds.verdict(v, measure.Spread.of(v))
                for v in ((1.1, 1.2, 1.15), (0.8, 1.3, 1.2), (1.0, 1.0), (0.9, 0.91, 0.92))
            ],
            ["better", "not shown", "equal", "worse"],
        )
        self.equal("counts", "rows" in out and "in twenty" in out, True)

    def test_several_seeds_give_an_interval(self):
        text = GOOD.replace('mean = "geometric"', 'mean = "geometric"\nformat = "tenths"').replace(
            'gpu.ipc / base(gpu.ipc)', '1e4 * gpu.ipc / base(gpu.ipc)'
        )
        status, out, err = self.box.run("seed = [1, 2, 3]\n" + text)
        self.equal("status, runs", (status, self.box.count(err)), (0, (18, 18, 0)))
        one = []
        for seed in (1, 2, 3):
            self.equal("runs of one of them", self.box.count(self.box.run(f"seed = {seed}\n" + text)[2]), (6, 0, 0))
            ipc = {
                c: v
                for c, v in self.box.sql(
                    "SELECT case_name, value FROM point JOIN counter USING (key) WHERE name = 'gpu.ipc' AND workload = 'bfs' AND place = ''"
                )
            }
            one.append(1e4 * ipc["ipoly"] / ipc["plain"])
        mean = sum(one) / 3
        half = 4.303 * (sum((v - mean) ** 2 for v in one) / 2 / 3) ** 0.5
        self.equal("they differ", len(set(one)), 3)
        self.equal("row of bfs", f"{mean:,.1f} ± {half:,.1f}" in out, True)
        page = (self.box.folder / "build" / "report" / "study-small-tiny.html").read_text(encoding="utf-8")
        self.equal(
            "what the page says of one seed",
            ("confidence" in page, "from seed 3" in page, 'class="interval"' in page),
            (False, True, False),
        )
        self.box.run("seed = [1, 2, 3]\n" + text)
        page = (self.box.folder / "build" / "report" / "study-small-tiny.html").read_text(encoding="utf-8")
        self.equal(
            "intervals of bars and along a sweep",
            [plot.count('class="interval"') > 0 for plot in page.split("<svg viewBox")[1:5]],
            [True] * 4,
        )
        self.equal(
            "how to make it again",
            f"<pre>make study NAME=small SIZE=tiny STUDIES={html.escape(shlex.quote(str(self.box.file.parent)))}</pre>"
            in page,
            True,
        )
        self.an_interval_is_drawn_to_scale()
        self.seeds_from_python()
        for wrong in ("[]", "[1, 1]", "[-1]", "[1.5]", "true"):
            status, _, err = self.box.run(f"seed = {wrong}\n" + text)
            self.equal(wrong, (status, "seed: found" in err), (1, True))

    def test_runs_of_another_study_are_taken(self):
        self.box.run()
        other, small = self.box.database.with_name("other.sqlite"), self.box.database
        small.rename(other)
        status, out, err = self.box.run()
        self.equal(
            "taken from the other study",
            (status, "6 runs: 0 run now, 6 from other studies, 0 as they were, 0 failed" in err),
            (0, True),
        )
        self.equal("tables", out == self.box.run()[1], True)
        small.unlink()
        with sqlite3.connect(other) as db:
            (key,) = db.execute("SELECT key FROM point WHERE case_name = 'plain' AND workload = 'bfs'").fetchone()
            db.execute("UPDATE counter SET value = value + 1 WHERE key = ? AND name = 'gpu.cycles'", (key,))
            db.execute("UPDATE run SET status = 'failed' WHERE key != ? AND rowid % 2", (key,))
            wrong = 1 + db.execute("SELECT count(*) FROM run WHERE status = 'failed'").fetchone()[0]
        self.equal("a failed run and a planted number run anew", self.box.count(self.box.run()[2])[1:], (wrong, 0))
        self.equal("tables after it", self.box.run()[1], out)

    def test_series_are_the_runs_intervals(self):
        text = GOOD.replace(
            'title = "Words"', 'title = "Words"\nkind = "series"\nworkloads = ["bfs"]\ncases = ["plain"]'
        ).replace('metrics = ["ways"]', 'metrics = ["issued"]')
        text = text.replace(
            "[metrics.ways]", '[metrics.issued]\nformat = "count"\nvalue = "gpu.warp_instructions"\n[metrics.ways]'
        )
        self.equal("status", self.box.run("interval = 1000\n" + text)[0], 0)
        (command,) = self.box.sql(
            "SELECT command FROM point JOIN run USING (key) WHERE workload = 'bfs' AND case_name = 'plain'"
        )[0]
        done = subprocess.run(
            [self.box.program, *shlex.split(command)[1:], "--quiet", "--json", "-"],
            capture_output=True,
            text=True,
            check=True,
        )
        parts = [i["counters"]["gpu.warp_instructions"] for i in json.loads(done.stdout)["intervals"]]
        page = (self.box.folder / "build" / "report" / "study-small-tiny.html").read_text(encoding="utf-8")
        row = re.search(r"<td[^>]*>issued</td>(.*?)</tr>", page)[1]
        self.equal(
            "row",
            re.findall(r">([\d,]+)<", row),
            [str(len(parts)), *(f"{v:,.0f}" for v in (sum(parts) / len(parts), min(parts), max(parts)))],
        )
        plot = page[page.index('aria-label="Words"') :]
        line = re.search(r'<polyline[^>]*points="([^"]*)"', plot[: plot.index("</svg>")])[1].split()
        self.equal("points of the line", len(line), len(parts))
        heights = [float(p.split(",")[1]) for p in line]
        self.equal("the highest", heights.index(min(heights)), parts.index(max(parts)))
        self.equal("runs of another interval", self.box.count(self.box.run("interval = 500\n" + text)[2]), (6, 6, 0))
        status, _, err = self.box.run(
            "interval = 1000\n" + text.replace('"gpu.warp_instructions"', '"gpu.cycles / base(gpu.cycles)"')
        )
        self.equal(
            "what is not of the point alone",
            (
                status,
                'figures[3].metrics: found "issued", which uses base(), expected metrics of the point alone' in err,
            ),
            (1, True),
        )

    def test_a_second_writer_is_refused(self):
        self.box.file.write_text(GOOD, encoding="utf-8")
        slow = self.box.folder / "slow"
        slow.write_text(
            f"#!/bin/bash\n[ $1 = run ] && touch {self.box.folder}/begun && while [ ! -e {self.box.folder}/go ]; do sleep 0.05; done\nexec {self.box.program} \"$@\"\n"
        )
        slow.chmod(0o755)
        with background(*self.box.command(program=slow), stderr=subprocess.PIPE) as first:
            while not (self.box.folder / "begun").exists() and first.poll() is None:
                time.sleep(0.01)
            status, out, err = self.box.run()
            (self.box.folder / "go").touch()
            said = first.communicate()[1]
        self.equal(
            "the second one",
            (status, out, err),
            (
                1,
                "",
                f"study: {self.box.file}: found another run of it in {self.box.folder}/build/study, expected one at a time\n",
            ),
        )
        self.equal("the first one", (first.returncode, self.box.count(said)), (0, (6, 6, 0)))
        self.equal("runs in the database", self.box.sql("SELECT count(*) FROM run"), [(6,)])

    def test_results_are_read_from_python(self):
        """scripts/results/memtwin.py: JSON, comma-separated values and a study's database hold the same counters."""
        files = [self.box.folder / "out.json", self.box.folder / "out.csv"]
        subprocess.run(
            [
                self.box.program,
                "run",
                "atax:rows=128",
                "bfs:n=256",
                "--set",
                "sm.count=2",
                "--case",
                "a,b:",
                "--case",
                "c:l1d.ways=2",
                "--kernels",
                "--interval",
                "30000",
                "--quiet",
                "--json",
                files[0],
                "--csv",
                files[1],
            ],
            check=True,
        )
        runs, one, two = memtwin.load(files[0]), *map(memtwin.rows, files)
        self.equal(
            "runs, kernels of the first",
            ([r["case"] for r in runs], [k["kernel"] for k in runs[0]["kernels"]]),
            (["a,b", "c"] * 2, ["atax_kernel1", "atax_kernel2"]),
        )
        near = [
            x["value"] == y["value"] or abs(x["value"] - y["value"]) <= 1e-9 * abs(x["value"]) for x, y in zip(one, two)
        ]
        self.equal(
            "rows of both files",
            ([{**x, "value": 0} for x in one] == [{**y, "value": 0} for y in two], all(near), len(one) > 1000),
            (True, True, True),
        )
        self.whole_numbers_stay_whole(memtwin, files)
        self.box.run()
        points = memtwin.study(self.box.database, "tiny")
        self.equal(
            "points of the study",
            ([p["workload"] for p in points], points[0]["counters"]["gpu.kernels"]),
            (["atax"] * 4 + ["bfs"] * 4, 2),
        )
        (self.box.folder / "bad.csv").write_text("a,b\n")
        (self.box.folder / "bad.json").write_text('{"counters": {}}')
        for read, file, said in (
            (memtwin.rows, "bad.csv", "bad.csv: found the columns a, b, expected workload, "),
            (memtwin.load, "bad.json", "result 0: found no 'workload'"),
            (memtwin.load, "bad.csv", "bad.csv:1: "),
            (memtwin.study, "bad.csv", "expected the database of a study"),
        ):
            try:
                read(self.box.folder / file)
                raise AssertionError(f"{file}: read")
            except ValueError as e:
                self.equal(file, said in str(e), True)
        done = run(sys.executable, "-B", ROOT / "scripts/results/example.py", files[0])
        self.equal("example", (done.status, done.err, "atax_kernel2" in done.out), (0, "", True))
