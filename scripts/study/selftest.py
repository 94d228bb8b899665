# SPDX-License-Identifier: Apache-2.0
"""make study-selftest: runs the study engine on a small study; every error in a study file must be reported.

python3 -B -m scripts.study.selftest PROGRAM RTL_PROGRAM FOLDER [TEST ...]
"""
import json
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from xml.etree import ElementTree

from scripts.study.database import digest
from scripts.study.selftest_all import Several
from scripts.study.selftest_box import GOOD, WITH_RTL, Study
from scripts.study.selftest_kept import Kept
from scripts.study.selftest_mistakes import Mistakes
from scripts.study.selftest_pages import Pages
from scripts.study.selftest_results import Results
from scripts.study.selftest_values import Values
from scripts.testing import background, main


PAIRS = """
title = "Pairs"
paper = "none"
preset = "fermi-000-t1"
set = { cke.cycles = 4000 }
command = "cke"
[workloads]
small = { tiny = ["mvt:n=64", "bfs:n=256"] }
[sweeps.k0]
option = "cke.limit1"
values = [1, 9]
[cases]
plain = {}
qbmi = { set.cke.scheme = "qbmi" }
other = { set = { cke.scheme = "smil", cke.limit0 = 9 } }
smil = { set.cke.scheme = "smil", sweeps = ["k0"] }
[metrics.stp]
value = "cke.stp"
"""


class Engine(Study):
    def test_table_is_what_the_counters_say(self):
        status, out, err = self.box.run()
        self.equal(
            "status, runs", (status, self.box.count(err)), (0, (6, 6, 0))
        )  # 8 points; four ways are those of the preset
        ipc = {
            (w, c, p): v
            for w, c, p, v in self.box.sql(
                "SELECT workload, case_name, place, value FROM point JOIN counter USING (key) WHERE name = 'gpu.ipc'"
            )
        }
        self.equal("points", len(ipc), 8)
        speedup = {c: [ipc[w, c, ""] / ipc[w, "plain", ""] for w in ("atax", "bfs")] for c in ("plain", "ipoly")}
        swept = {n: [ipc[w, "swept", f"ways={n}"] / ipc[w, "plain", ""] for w in ("atax", "bfs")] for n in (4, 8)}
        best = 8 if swept[8][0] > swept[4][0] else 4
        top = [max(swept[4][i], swept[8][i]) for i in (0, 1)]
        lines = [re.split(r"\s{2,}", line.strip()) for line in out.splitlines()]
        for i, w in enumerate(("atax", "bfs")):
            self.equal(
                f"row of {w}",
                [f"{speedup['plain'][i]:.3f}", f"{speedup['ipoly'][i]:.3f}", f"{top[i]:.3f}"]
                in [r[1:] for r in lines if r[0] == w],
                True,
            )
        means = [f"{(v[0] * v[1]) ** 0.5:.3f}" for v in (speedup["plain"], speedup["ipoly"], top)]
        self.equal("row of means", ["geometric mean", means[0], means[1], "2.000", means[2]] in lines, True)
        page = (self.box.folder / "build" / "report" / "study-small-tiny.html").read_text(encoding="utf-8")
        cells = [re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", row) for row in re.findall(r"<tr.*?</tr>", page, re.S)]
        said = next(r for r in cells if r[:2] == ["speedup", "ipoly"] and len(r) == 8)
        self.equal("row of its interval", (said[2], said[5], said[7][:9]), (means[1], "2", "2.000, in"))
        self.equal("line along the sweep", ["atax", f"{swept[4][0]:.3f}", f"{swept[8][0]:.3f}"] in lines, True)
        self.equal(
            "option(), workload(), case()",
            [r for r in lines if r[0] in ("atax", "bfs")][-2:],
            [["atax", *(f"{n + 3 - best:.3f}" for n in (4, 4, best))], ["bfs", "-", "-", "-"]],
        )
        self.equal("means all different", len(set(means)), 3)  # or the columns could be mixed up unseen

    def test_killed_study_goes_on(self):
        self.box.file.write_text(GOOD, encoding="utf-8")
        with background(*self.box.command(size="reduced", jobs=1)) as process:
            done = 0
            while process.poll() is None and done < 2:
                time.sleep(0.01)
                try:
                    done = self.box.sql("SELECT count(*) FROM run")[0][0] if self.box.database.exists() else 0
                except sqlite3.OperationalError:
                    pass  # its tables are being made
            process.send_signal(signal.SIGKILL)
        before = self.box.sql("SELECT count(*) FROM run")[0][0]
        status, _, err = self.box.run(size="reduced")
        total, now, failed = self.box.count(err)
        if not 0 < before < total:
            raise AssertionError(f"killed after {before} of {total} runs, expected some")
        self.equal("status and runs after the kill", (status, now, failed), (0, total - before, 0))
        self.equal("runs of a study that is done", self.box.count(self.box.run(size="reduced")[2])[1], 0)

    def test_only_what_changed_runs_again(self):
        self.box.run()
        changed = GOOD.replace('l1d.latency = 10', 'l1d.latency = 40')
        self.equal("runs after one case's option changed", self.box.count(self.box.run(changed)[2]), (6, 2, 0))
        self.equal("runs after it changed back", self.box.count(self.box.run()[2]), (6, 0, 0))
        self.equal(
            "runs after one workload's size changed",
            self.box.count(self.box.run(GOOD.replace("bfs:n=256", "bfs:n=300"))[2]),
            (6, 3, 0),
        )
        self.equal(
            "runs after a label and a figure changed",
            self.box.count(
                self.box.run(GOOD.replace("Speedup", "Faster").replace("plain = {}", 'plain = { label = "P" }'))[2]
            ),
            (6, 0, 0),
        )
        self.equal("runs after the seed changed", self.box.count(self.box.run("seed = 2\n" + GOOD)[2]), (6, 6, 0))
        other = self.box.folder / "memtwin"
        other.write_bytes(pathlib.Path(self.box.program).read_bytes() + b"another program")
        other.chmod(0o755)
        self.equal("runs after the program changed", self.box.count(self.box.run(program=other)[2]), (6, 6, 0))
        size = GOOD.replace("[workloads]", "[sizes.SIZE]\nset = { sm.count = 4 }\n[workloads]")
        self.equal(
            "runs after this size's machine changed",
            self.box.count(self.box.run(size.replace("SIZE", "tiny"))[2]),
            (6, 6, 0),
        )
        self.equal(
            "runs after another size's machine changed",
            self.box.count(self.box.run(size.replace("SIZE", "full"))[2]),
            (6, 0, 0),
        )

    def test_presets_keep_the_size(self):
        """A case's preset defines a whole machine; the options of size, workload and case still take precedence."""
        size = GOOD.replace("[workloads]", "[sizes.tiny]\nset = { sm.count = 4, l1d.ways = 2 }\n[workloads]")
        study = size.replace('group = "a",', 'group = "a", set = { l2.ways = 4 },').replace(
            "plain = {}", 'plain = {}\nwhole = { preset = "sound", set = { l1d.ways = 3 } }'
        )
        self.equal("status", self.box.run(study)[0], 0)
        whole = {
            w: json.loads(config)
            for w, config in self.box.sql(
                "SELECT workload, config FROM point JOIN run USING (key) WHERE case_name = 'whole'"
            )
        }
        self.equal(
            "sm.count, l2.ways, l1d.ways, map of the preset",
            [
                [c[o] for o in ("sm.count", "l2.ways", "l1d.ways", "partition.map")]
                for c in (whole["atax"], whole["bfs"])
            ],
            [["4", "4", "3", "xor"], ["4", "16", "3", "xor"]],
        )

    def test_same_results_same_bytes(self):
        pages = []
        for build, jobs in (("one", 1), ("two", 3)):
            status, out, _ = self.box.run(build=build, jobs=jobs)
            page = (self.box.folder / build / "report" / "study-small-tiny.html").read_bytes()
            pages.append((status, out.replace(str(self.box.folder / build), ""), page))
        self.equal("two builds, one job and three", pages[0], pages[1])
        plots = re.findall(r"<svg viewBox.*?</svg>", pages[0][2].decode(), re.S)
        self.equal("plots of two widths", len(plots), 8)
        for plot in plots:
            found = ElementTree.fromstring(plot)  # raises where it is not XML
            self.equal(
                "numbers in a plot",
                [v for e in found.iter() for v in e.attrib.values() if re.search(r"\b(nan|inf|None)\b", v)],
                [],
            )
        index = (self.box.folder / "one" / "report" / "index.html").read_text(encoding="utf-8")
        self.equal("links from the index", index.count('href="study-small-tiny.html"'), 1)
        self.equal("headline of a tiny study", "speedup: " in index, False)
        self.box.run(build="one", size="reduced")
        index = (self.box.folder / "one" / "report" / "index.html").read_text(encoding="utf-8")
        self.equal(
            "links from the index",
            (index.count('href="study-small-tiny.html"'), index.count('href="study-small.html"')),
            (1, 1),
        )
        self.equal(
            "headline", re.search(r"speedup: ipoly \d\.\d{3} \(paper 2\.000\); top \d\.\d{3}<", index) is not None, True
        )

    def test_tables_show_every_place_of_a_sweep(self):
        text = GOOD.replace('title = "Words"', 'title = "Words"\nkind = "table"\nby = "workload"').replace(
            "metrics = [\"ways\"]", "metrics = [\"speedup\"]"
        )
        out = self.box.run(text)[1]
        along = {
            w: re.split(r"\s{2,}", next(line for line in out.splitlines() if re.match(rf"{w} +\d", line)).strip())
            for w in ("atax", "bfs")
        }
        rows = [re.split(r"\s{2,}", line.strip()) for line in out[out.index("\nWords") :].splitlines()]
        lines = re.findall(r"^(atax|bfs) +(\S+) +(\S+)$", out[out.index("\nAlong") : out.index("\nPoints")], re.M)
        for w, four, eight in lines:
            self.equal(
                f"{w} at four ways and at eight",
                [[w, "swept, ways 4", four], [w, "swept, ways 8", eight]],
                [r[:3] for r in rows if r[0] == w and r[1].startswith("swept")],
            )
        self.equal("lines along the sweep", (len(lines), len(along)), (2, 2))
        only = re.sub(
            r'base = "plain"|headline.*|plain = \{\}|ipoly = \{ set.*|\[best(.|\n)*?"gpu.ipc"|paper.*',
            "",
            GOOD.replace(" / base(gpu.ipc)", "").replace("case(\\\"top\\\", sweep(ways))", "1"),
        )
        status, out, err = self.box.run('paper = "none"\n' + only)
        self.equal(
            "bars of nothing but sweeps",
            (status, "figures[0].cases: found nothing, expected a case of one point a workload" in err),
            (1, True),
        )

    def test_bad_databases_are_refused(self):
        self.box.run()
        good, page = self.box.database.read_bytes(), self.box.folder / "build" / "report" / "study-small-tiny.html"
        before = page.read_bytes()
        held = None
        for name in ("garbage", "truncated", "other columns", "locked"):
            self.box.database.write_bytes(
                {"garbage": b"no database " * 99, "truncated": good[: len(good) // 2]}.get(name, good)
            )
            if name == "other columns":
                self.box.sql("DROP TABLE run")
                self.box.sql("CREATE TABLE run (key TEXT PRIMARY KEY, words TEXT)")
            kept = self.box.database.read_bytes()
            if name == "locked":  # reading the file here would end the lock
                held = sqlite3.connect(self.box.database, isolation_level=None)
                held.execute("BEGIN EXCLUSIVE")
            status, out, err = self.box.run()
            if (
                status != 1
                or out
                or not err.startswith("study: ")
                or str(self.box.database) not in err
                or "Traceback" in err
                or "expected" not in err
            ):
                raise AssertionError(f"{name}: found status {status}, {out}{err}")
            if held:
                held.close()
            self.equal(
                f"{name}: database and page", (self.box.database.read_bytes(), page.read_bytes()), (kept, before)
            )
        self.equal("the index without another study's database", self.box.run()[0], 0)
        (self.box.database.parent / "other.sqlite").write_bytes(b"no database " * 99)
        status, _, err = self.box.run()
        self.equal(
            "status and words of another's garbage",
            (status, "other.sqlite: file is not a database; the index leaves it out" in err),
            (0, True),
        )
        not_program = self.box.folder / "words"
        not_program.write_text("words")
        for program, said in (
            (not_program, "Permission denied, expected the program memtwin"),
            (self.box.folder / "nothing", "no such program"),
        ):
            status, _, err = self.box.run(program=program)
            self.equal(f"{program.name} as the program", (status, said in err, "Traceback" in err), (1, True, False))
        status, _, err = self.box.run(jobs=0)
        self.equal("no jobs", (status, err), (1, "study: JOBS: found 0, expected 1 or more\n"))

    def test_full_disk_is_named(self):
        """Simulated by a file size limit: the database can be created but not filled, the page not written."""
        limited = ["sh", "-c", 'trap "" XFSZ; ulimit -f "$0"; exec "$@"']
        self.box.file.write_text(GOOD, encoding="utf-8")
        for blocks in (16, 64):
            shutil.rmtree(self.box.folder / "build", ignore_errors=True)
            small = self.box.folder / "memtwin"
            small.write_text(f'#!/bin/sh\nexec {self.box.program} "$@"\n')
            small.chmod(0o755)
            done = subprocess.run(
                [*limited, str(blocks), *self.box.command(program=small)], capture_output=True, text=True, check=False
            )
            self.equal(
                f"{blocks} blocks",
                (done.returncode, "Traceback" in done.stderr, done.stderr.startswith("study: ")),
                (1, False, True),
            )
            left = (
                [p.name for p in (self.box.folder / "build" / "report").glob("*")]
                if (self.box.folder / "build" / "report").exists()
                else []
            )
            self.equal("halves of pages", [n for n in left if n.startswith(".")], [])

    def test_planted_numbers_are_seen(self):
        self.box.run()
        wanted = self.box.run()[1]
        self.box.sql(
            "UPDATE counter SET value = value + 1 WHERE name = 'gpu.cycles' AND key = (SELECT key FROM point WHERE number = 3)"
        )
        status, out, err = self.box.run()
        self.equal("status, runs and table", (status, self.box.count(err), out), (0, (6, 1, 0), wanted))
        self.equal("what is said", "counters differ from those that the run wrote; it runs again" in err, True)
        self.equal("nothing to verify", self.box.run(verify=6)[0], 0)
        (key,) = self.box.sql("SELECT key FROM point WHERE number = 1")[0]
        self.box.sql(f"UPDATE counter SET value = value + 1 WHERE name = 'gpu.cycles' AND key = '{key}'")
        counters = dict(self.box.sql(f"SELECT name, value FROM counter WHERE key = '{key}'"))
        self.box.sql(f"UPDATE run SET digest = '{digest(counters)}' WHERE key = '{key}'")
        self.equal("a number planted with its digest", self.box.run()[0], 0)
        status, _, err = self.box.run(verify=6)
        self.equal(
            "the same, with VERIFY",
            (status, "atax plain: found other counters than a run gives now: gpu.cycles" in err),
            (1, True),
        )

    def test_failed_points_are_named(self):
        text = GOOD.replace('l1d.latency = 10', 'l1d.latency = 10, sim.max_cycles = 5')
        status, out, err = self.box.run(text)
        self.equal("status and failures", (status, self.box.count(err)), (1, (6, 6, 2)))
        self.equal(
            "what is said",
            "failed: atax ipoly: memtwin: atax:" in out
            and "sim.max_cycles: 5 cycles" in out
            and "failed: bfs ipoly: " in out
            and "--set sim.max_cycles=5" in out,
            True,
        )
        self.equal("the others' means", re.search(r"^geometric mean +1\.000 +- ", out, re.M) is not None, True)
        self.equal("runs again", self.box.count(self.box.run(text)[2]), (6, 2, 2))

    def test_points_of_one_process_are_those_of_many(self):
        text = PAIRS.replace("fermi-000-t1", "maxwell-000-t5")
        status, _, err = self.box.run(text, verify=99)
        self.equal("status, runs", (status, self.box.count(err)), (0, (5, 5, 0)))
        self.equal("each run alone", "5 of 5 points run again, 0 differ from the database" in err, True)
        status, out, err = self.box.run(text.replace("cke.limit0 = 9", "sim.max_cycles = 5").replace("4000", "4001"))
        self.equal(
            "one of a process failed",
            (status, self.box.count(err), out.count("failed: small other")),
            (1, (5, 5, 1), 1),
        )
        for old, new, said in (
            (
                "cke.stp",
                "cke.stq",
                'metrics.stp.value: found unknown counter "cke.stq" in "cke.stq", expected one of memtwin list stats; the nearest is "cke.stp"',
            ),
            ("cke.cycles = 4000", "sm.warps = 48", "small plain: found cke.cycles = 0, expected the length of the run"),
            (
                '["mvt:n=64", "bfs:n=256"]',
                '"bfs"',
                "workloads.small.tiny: found ['bfs'], expected two to eight workloads",
            ),
        ):
            status, _, err = self.box.run(text.replace(old, new))
            self.equal(new, (status, said in err), (1, True))

    def test_rtl_is_compared_with_its_twin(self):
        """A case with rtl; then programs whose RTL gives another counter, that run twins instead, and that have none."""
        status, out, err = self.box.run(WITH_RTL)
        rows = {
            tuple(r[:2]): r
            for r in (re.split(r"\s{2,}", line.strip()) for line in out[out.index("\nWords") :].splitlines())
        }
        counters = self.box.sql("SELECT count(*) FROM counter JOIN point USING (key) WHERE number = 2")[0][0]
        self.equal("status, runs", (status, self.box.count(err)), (0, (8, 8, 0)))
        self.equal(
            "the last column", (rows["atax", "plain"][3], len(rows["atax", "ipoly"])), (f"all {counters} agree", 3)
        )
        sums = self.box.sql(
            "SELECT sum(value) FROM point JOIN counter USING (key) WHERE case_name = 'plain' AND name IN ('l1d.hits', 'l1d.accesses') GROUP BY name ORDER BY name"
        )
        self.equal("a pooled mean", rows["mean", "plain"][2], f"{sums[1][0] / sums[0][0]:.3f}")
        page = (self.box.folder / "build" / "report" / "study-small-tiny.html").read_text(encoding="utf-8")
        self.equal(
            "the page",
            ("<b>2 of 2</b><span>runs in which twin and RTL agree" in page, page.count(f"all {counters} agree")),
            (True, 2),
        )
        other = self.box.folder / "rtl"
        planted = f"""#!/bin/sh\nexec {sys.executable} -c 'import json, subprocess, sys
d = json.loads(subprocess.run(["{self.box.rtl}", *sys.argv[1:]], capture_output=True, check=True).stdout)
d["counters"]["gpu.cycles"] += 1
print(json.dumps(d))' "$@"\n"""
        for name, text, said in (
            (
                "another counter",
                planted,
                f"atax real: 1 of {counters} counters differ between twin and RTL: gpu.cycles",
            ),
            (
                "twins",
                f'#!/bin/bash\nfor a; do shift; case $a in --rtl) skip=1;; *) [ "$skip" ] && skip= || set -- "$@" "$a";; esac; done\nexec {self.box.program} "$@"\n',
                "atax real: ran with nothing as RTL, expected mshr",
            ),
        ):
            other.write_text(text)
            other.chmod(0o755)
            status, out, err = self.box.run(WITH_RTL, rtl=other)
            self.equal(name, (status, self.box.count(err)[:2], f"failed: {said}" in out), (1, (8, 2), True))
        self.equal("the column then", "not run" in out, True)
        status, out, err = self.box.run(WITH_RTL, rtl=self.box.folder / "none")
        self.equal(
            "no such program",
            (status, out, "none: no such program, expected memtwin-rtl (make build)" in err),
            (1, "", True),
        )
        self.equal("without rtl it is not asked for", self.box.run(rtl=self.box.folder / "none")[0], 0)

    def test_a_part_of_the_workloads(self):
        status, out, err = self.box.run(only=["bfs"])
        self.equal("status, runs", (status, self.box.count(err), "atax" in out), (0, (3, 3, 0), False))
        status, _, err = self.box.run(only=["bsf"])
        self.equal(
            "an unknown one",
            (
                status,
                f'study: ONLY: found "bsf", expected workloads of {self.box.file}: atax, bfs; the nearest is "bfs"'
                in err,
            ),
            (1, True),
        )

    def test_stacks_add_up(self):
        text = GOOD.replace('title = "Words"', 'title = "Words"\nkind = "stack"\npage_only = true').replace(
            'metrics = ["ways"]', 'metrics = ["speedup", "twice"]'
        )
        status, out, _ = self.box.run(
            text.replace("[metrics.ways]", '[metrics.twice]\nvalue = "2 * speedup"\n[metrics.ways]')
        )
        page = (self.box.folder / "build" / "report" / "study-small-tiny.html").read_text(encoding="utf-8")
        plot = page[page.index('aria-label="Words"') :]
        plot = ElementTree.fromstring("<svg " + plot[: plot.index("</svg>") + 6])
        widths = [
            float(e.get("width")) for area in plot.iter("g") if area.get("class") == "area" for e in area.iter("rect")
        ]
        self.equal("status, and on the page alone", (status, "\nWords" in out), (0, False))
        self.equal("parts of the first bar", round(widths[1] / widths[0], 1), 2.0)
        self.equal("the first bar's sum", "3.000" in [e.text for e in plot.iter("text")], True)


if __name__ == "__main__":
    sys.exit(main("study-selftest", Mistakes, Engine, Values, Results, Kept, Several, Pages, only=sys.argv[4:]))
