# SPDX-License-Identifier: Apache-2.0
"""make study-selftest: runs the study engine on a small study; every error in a study file must be reported.

python3 -B -m scripts.study.selftest PROGRAM RTL_PROGRAM FOLDER.  One line a test; exit status 1 if any fails.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from xml.etree import ElementTree

from scripts.study import fits, measure, shapes
from scripts.study.database import digest
from scripts.study.expressions import Bad, Expression, Formula, Names, Undefined, filled
from scripts.study.plan import Point
from scripts.study.runner import read

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

# Errors planted in GOOD: (old text, new text, expected message).
MISTAKES = [
    ('title = "Self-test"', 'titel = "Self-test"', 'title: found nothing, expected a text'),
    ('paper = "none"', 'paper = "none"\ncomand = "run"', 'comand: found unknown key'),
    ('paper = "none"', 'paper = "none"\ncommand = "rum"', 'command: found "rum", expected run, cke; the nearest is "run"'),
    ('paper = "none"', 'paper = "none', 'line 3'),
    ('"fermi-000-t1"', '"fermi-000-t2"', 'preset: found unknown preset "fermi-000-t2", expected one of memtwin list presets; the nearest is "fermi-00'),
    ('base = "plain"', 'base = "plane"', 'base: found unknown "plane", expected plain, ipoly, swept, top; the nearest is "plain"'),
    ('base = "plain"', '', 'metrics.speedup.base: found nothing, expected the case that base() means'),
    ('headline = ["speedup"]', 'headline = ["speed"]', 'headline: found unknown "speed", expected speedup, ways; the nearest is "speedup"'),
    ('"bfs:n=256"', '"bfz:n=256"', 'workloads.bfs.tiny: found unknown workload "bfz", expected one of memtwin list kernels, or a trace; the nearest is "bfs"'),
    ('"bfs:n=256"', '"bfs:nn=256"', 'workloads.bfs.tiny: found unknown size "nn" of bfs, expected one of n, degree, graph, block, align, only, launches; the nearest is "n"'),
    ('"bfs:n=256"', '"bfs:n=0"', 'workloads.bfs.tiny: found bfs:n=0, expected 1..67108864'),
    ('"bfs:n=256"', '["bfs", "bfs"]', 'workloads.bfs.tiny: found'),
    ('"bfs:n=256"', '"no/such.mtt"', 'workloads.bfs.tiny: found unknown workload "no/such.mtt"'),
    ('{ tiny = "bfs:n=256"', '{ smal = "bfs:n=256"', 'workloads.bfs.smal: found unknown key'),
    ('option = "l1d.ways"', 'option = "l1d.way"', 'sweeps.ways.option: found unknown option "l1d.way", expected one of memtwin list options; the nearest is "l1d.ways"'),
    ('values = [4, 8]', 'values = [4, 4]', "sweeps.ways.values: found ['4', '4'], expected each value once"),
    ('values = [4, 8]', 'values = [4, 100000]', 'cases.swept at ways=100000 (atax): memtwin config: l1d.ways: found "100000", allowed: 1..512'),
    ('values = [4, 8]', 'values = { reduced = [4] }', 'sweeps.ways.values.tiny: found nothing, expected a list of values'),
    ('sweeps = ["ways"]', 'sweeps = ["way"]', 'cases.swept.sweeps: found unknown "way", expected ways; the nearest is "ways"'),
    ('l1d.index = "ipoly"', 'l1d.indx = "ipoly"', 'cases.ipoly.set.l1d.indx: found unknown option "l1d.indx", expected one of memtwin list options; the nearest is "l1d.index"'),
    ('l1d.index = "ipoly"', 'l1d.index = "ipol"', 'cases.ipoly (atax): memtwin config: l1d.index: found "ipol"'),
    ('of = ["swept"]', 'of = ["sweep"]', 'best.top.of: found unknown "sweep", expected plain, ipoly, swept; the nearest is "swept"'),
    ('by = "gpu.ipc"', 'by = "base(gpu.ipc)"', 'best.top.by: found base(), expected counters of the point alone'),
    ('by = "gpu.ipc"', 'by = "gpu.ipc"\npick = "most"', 'best.top.pick: found "most", expected max, min'),
    ('"gpu.ipc / base(gpu.ipc)"', '"gpu.icp / base(gpu.ipc)"', 'metrics.speedup.value: found unknown counter "gpu.icp" in "gpu.icp / base(gpu.ipc)", expected one of memtwin list stats; the nearest is "gpu.ipc"'),
    ('"gpu.ipc / base(gpu.ipc)"', '"gpu.ipc / bass(gpu.ipc)"', 'metrics.speedup.value: found unknown function "bass"'),
    ('"gpu.ipc / base(gpu.ipc)"', '"gpu.ipc / base("', 'metrics.speedup.value: found "gpu.ipc / base(", expected arithmetic over counters'),
    ('"gpu.ipc / base(gpu.ipc)"', '"__import__(1)"', 'metrics.speedup.value: found unknown function "__import__"'),
    ('"gpu.ipc / base(gpu.ipc)"', '"[gpu.ipc][0]"', 'metrics.speedup.value: found "[gpu.ipc][0]" in "[gpu.ipc][0]", expected numbers, counters'),
    ('"gpu.ipc / base(gpu.ipc)"', '"gpu.ipc.real.fget(1)"', 'metrics.speedup.value: found "gpu.ipc.real.fget(1)"'),
    ('"gpu.ipc / base(gpu.ipc)"', '"l1d.ways"', 'an option is meant: option(...)?'),
    ('option(l1d.ways) +', 'option(l1d.way) +', 'metrics.ways.value: found option(l1d.way) in'),
    ('workload(n)', 'workload(m)', 'metrics.ways.value: found workload(m) in'),
    ('0 * speedup', '0 * sped', 'metrics.ways.value: found unknown metric of this file "sped"'),
    ('mean = "geometric"', 'mean = "geometrc"', 'metrics.speedup.mean: found "geometrc", expected geometric, arithmetic, harmonic, pooled; the nearest is "geometric"'),
    ('paper.figure = "0"', '', 'metrics.speedup.paper.figure: found nothing, expected where the paper has these numbers'),
    ('{ ipoly = 2.0 }', '{ ipol = 2.0 }', 'metrics.speedup.paper.mean.ipol: found unknown case "ipol", expected plain, ipoly, swept, top; the nearest is "ipoly"'),
    ('{ ipoly = 2.0 }', '{ ipoly = "2" }', "metrics.speedup.paper.mean.ipoly: found '2', expected a number"),
    ('kind = "lines"', 'kind = "line"', 'figures[1].kind: found "line", expected table, bars, stack, lines, series, scatter; the nearest is "lines"'),
    ('sweep = "ways"', '', 'figures[1].sweep: found nothing, expected the sweep along which the lines go'),
    ('fit = ["linear"]', 'fit = ["liner"]', 'figures[2].fit: found "liner", expected linear'),
    ('x = "option(l1d.ways)"', '', 'figures[2].x: found nothing, expected an expression'),
    ('[workloads]', '[sizes.tyny]\n[workloads]', 'sizes.tyny: found unknown size "tyny", expected tiny, reduced, full; the nearest is "tiny"'),
    ('linear = 0.5', 'cubic = 0.5', 'figures[2].paper.cubic: found unknown key, expected figure, linear'),
    ('paper = { figure = "0", linear', 'paper = { linear', 'figures[2].paper.figure: found nothing, expected a text'),
    ('0 * speedup', '0 * ways', 'metrics.ways.value: found unknown metric of this file "ways"'),
    ('metrics = ["ways"]', 'kind = "table"\nmetrics = ["ways"]', 'figures[3].metrics: found "ways", which has no mean, expected metrics with a mean, or by = "workload"'),
    ('plain = {}', 'plain = {}\nreal = { rtl = "mhsr" }', 'cases.real.rtl: found unknown "mhsr", expected bank_reorder, '),
    ('plain = {}', 'plain = {}\nreal = { rtl = "mshr", set.l1d.ways = 16 }', 'cases.real.rtl: found mshr, but no case without rtl that is the same machine for atax'),
    ('gpu.ipc / base(gpu.ipc)"\nmean = "geometric"', '2 * gpu.ipc"\nmean = "pooled"', 'metrics.speedup.mean: found "pooled", expected another mean, or a value A / B'),
    ('title = "Words"', 'title = "Words"\nkind = "stack"\ncases = ["swept"]', 'figures[3].cases: found "swept", which has a point for each value of ways'),
    ('group = "a"', 'group = "a", cases = ["plane"]', 'workloads.atax.cases: found unknown "plane", expected plain, ipoly, swept; the nearest is "plain"'),
    ('paper = "none"', 'paper = "none"\nuntil_end = true', 'until_end: found true, expected it with command = "cke" only'),
    ('title = "Words"', 'title = "Words"\nkind = "series"', 'figures[3].kind: found "series", expected another kind, or interval = N above'),
    ('paper = "none"', 'paper = "none"\ninterval = -1', 'interval: found -1, expected 1 or more'),
    ('title = "Words"', 'title = "Words"\npage_only = 1', 'figures[3].page_only: found 1, expected true or false'),
    ('title = "Speedup"', 'title = "Speedup"\ncases = ["swept"]', 'figures[0].cases: found "swept", which has a point for each value of ways'),
]


class Sandbox:
    """A folder with one study in it."""

    def __init__(self, program, rtl, folder):
        self.program, self.rtl, self.folder = program, rtl, folder
        shutil.rmtree(folder, ignore_errors=True)
        self.studies = folder / "st udies's größte"
        self.studies.mkdir(parents=True)
        self.file, self.database = self.studies / "small.toml", folder / "build" / "study" / "small.sqlite"

    def command(self, size="tiny", jobs=2, build="build", program=None, verify=0, update=False, rtl=None, only=()):
        return [sys.executable, "-B", "-m", "scripts.study", "small", "--size", size, "--jobs", str(jobs), "--verify", str(verify), "--studies", str(self.studies),
                "--program", str(program or self.program), "--rtl-program", str(rtl or self.rtl), "--only", *only, "--build", str(self.folder / build), "--documents", str(self.folder), *["--update"] * update]

    def run(self, text=GOOD, **options):
        """(exit status, standard output, standard error)"""
        self.file.write_text(text, encoding="utf-8")
        done = subprocess.run(self.command(**options), capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def subprocess(self, command):
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def count(self, err):
        """(runs of the study, runs executed now, failed runs), from the closing line"""
        m = re.search(r"are (\d+) runs: (\d+) run now, \d+ from other studies, \d+ as they were, (\d+) failed", err)
        if not m:
            raise AssertionError(f"found no closing line: {err}")
        return tuple(map(int, m.groups()))

    def sql(self, text):
        with sqlite3.connect(self.database) as db:
            return db.execute(text).fetchall()


def expect(what, found, wanted):
    if found != wanted:
        raise AssertionError(f"{what}: found {found!r}, expected {wanted!r}")


def mistakes_are_named(box):
    for old, new, said in MISTAKES:
        expect(f"places of {old}", GOOD.count(old) > 0, True)
        status, out, err = box.run(GOOD.replace(old, new, 1))
        if status != 1 or out or not err.startswith(f"study: {box.file}: ") or said not in err:
            raise AssertionError(f"{new}: found status {status}, {out}{err.strip()}, expected {said}")
    expect("points run for a file with a mistake", box.database.exists(), False)
    return f"{len(MISTAKES)} mistakes"


def table_is_what_the_counters_say(box):
    status, out, err = box.run()
    expect("status, runs", (status, box.count(err)), (0, (6, 6, 0)))  # 8 points; four ways are what the preset has
    ipc = {(w, c, p): v for w, c, p, v in box.sql("SELECT workload, case_name, place, value FROM point JOIN counter USING (key) WHERE name = 'gpu.ipc'")}
    expect("points", len(ipc), 8)
    speedup = {c: [ipc[w, c, ""] / ipc[w, "plain", ""] for w in ("atax", "bfs")] for c in ("plain", "ipoly")}
    swept = {n: [ipc[w, "swept", f"ways={n}"] / ipc[w, "plain", ""] for w in ("atax", "bfs")] for n in (4, 8)}
    best = 8 if swept[8][0] > swept[4][0] else 4
    top = [max(swept[4][i], swept[8][i]) for i in (0, 1)]
    lines = [re.split(r"\s{2,}", line.strip()) for line in out.splitlines()]
    for i, w in enumerate(("atax", "bfs")):
        expect(f"row of {w}", [f"{speedup['plain'][i]:.3f}", f"{speedup['ipoly'][i]:.3f}", f"{top[i]:.3f}"] in [r[1:] for r in lines if r[0] == w], True)
    means = [f"{(v[0] * v[1]) ** 0.5:.3f}" for v in (speedup["plain"], speedup["ipoly"], top)]
    expect("row of means", ["geometric mean", means[0], means[1], "2.000", means[2]] in lines, True)
    expect("line along the sweep", ["atax", f"{swept[4][0]:.3f}", f"{swept[8][0]:.3f}"] in lines, True)
    expect("option(), workload(), case()", [r for r in lines if r[0] in ("atax", "bfs")][-2:], [["atax", *(f"{n + 3 - best:.3f}" for n in (4, 4, best))], ["bfs", "-", "-", "-"]])
    expect("means all different", len(set(means)), 3)  # or the columns could be mixed up unseen
    return f"means {' '.join(means)}"


def killed_study_goes_on(box):
    box.file.write_text(GOOD, encoding="utf-8")
    with subprocess.Popen(box.command(size="reduced", jobs=1), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        done = 0
        while process.poll() is None and done < 2:
            time.sleep(0.01)
            try:
                done = box.sql("SELECT count(*) FROM run")[0][0] if box.database.exists() else 0
            except sqlite3.OperationalError:
                pass  # its tables are being made
        process.send_signal(signal.SIGKILL)
    before = box.sql("SELECT count(*) FROM run")[0][0]
    status, _, err = box.run(size="reduced")
    total, now, failed = box.count(err)
    if not 0 < before < total:
        raise AssertionError(f"killed after {before} of {total} runs, expected some")
    expect("status and runs after the kill", (status, now, failed), (0, total - before, 0))
    expect("runs of a study that is done", box.count(box.run(size="reduced")[2])[1], 0)
    return f"killed after {before} of {total} runs, {now} run afterwards, then 0"


def only_what_changed_runs_again(box):
    box.run()
    changed = GOOD.replace('l1d.latency = 10', 'l1d.latency = 40')
    expect("runs after one case's option changed", box.count(box.run(changed)[2]), (6, 2, 0))
    expect("runs after it changed back", box.count(box.run()[2]), (6, 0, 0))
    expect("runs after one workload's size changed", box.count(box.run(GOOD.replace("bfs:n=256", "bfs:n=300"))[2]), (6, 3, 0))
    expect("runs after a label and a figure changed", box.count(box.run(GOOD.replace("Speedup", "Faster").replace("plain = {}", 'plain = { label = "P" }'))[2]), (6, 0, 0))
    expect("runs after the seed changed", box.count(box.run("seed = 2\n" + GOOD)[2]), (6, 6, 0))
    other = box.folder / "memtwin"
    other.write_bytes(pathlib.Path(box.program).read_bytes() + b"another program")
    other.chmod(0o755)
    expect("runs after the program changed", box.count(box.run(program=other)[2]), (6, 6, 0))
    size = GOOD.replace("[workloads]", "[sizes.SIZE]\nset = { sm.count = 4 }\n[workloads]")
    expect("runs after this size's machine changed", box.count(box.run(size.replace("SIZE", "tiny"))[2]), (6, 6, 0))
    expect("runs after another size's machine changed", box.count(box.run(size.replace("SIZE", "full"))[2]), (6, 0, 0))
    return "option 2, back 0, workload 3, words 0, seed 6, program 6, size 6 of 6"


def presets_keep_the_size(box):
    """A case's preset defines a whole machine; the options of size, workload and case still take precedence."""
    size = GOOD.replace("[workloads]", "[sizes.tiny]\nset = { sm.count = 4, l1d.ways = 2 }\n[workloads]")
    study = size.replace('group = "a",', 'group = "a", set = { l2.ways = 4 },').replace("plain = {}", 'plain = {}\nwhole = { preset = "sound", set = { l1d.ways = 3 } }')
    expect("status", box.run(study)[0], 0)
    whole = {w: json.loads(config) for w, config in box.sql("SELECT workload, config FROM point JOIN run USING (key) WHERE case_name = 'whole'")}
    expect("sm.count, l2.ways, l1d.ways, map of the preset", [[c[o] for o in ("sm.count", "l2.ways", "l1d.ways", "partition.map")] for c in (whole["atax"], whole["bfs"])],
           [["4", "4", "3", "xor"], ["4", "16", "3", "xor"]])
    return "sm.count of the size, l2.ways of one workload, l1d.ways of the case"


def same_results_same_bytes(box):
    pages = []
    for build, jobs in (("one", 1), ("two", 3)):
        status, out, _ = box.run(build=build, jobs=jobs)
        page = (box.folder / build / "report" / "study-small-tiny.html").read_bytes()
        pages.append((status, out.replace(str(box.folder / build), ""), page))
    expect("two builds, one job and three", pages[0], pages[1])
    plots = re.findall(r"<svg viewBox.*?</svg>", pages[0][2].decode(), re.S)
    expect("plots of two widths", len(plots), 8)
    for plot in plots:
        found = ElementTree.fromstring(plot)  # raises where it is not XML
        expect("numbers in a plot", [v for e in found.iter() for v in e.attrib.values() if re.search(r"\b(nan|inf|None)\b", v)], [])
    index = (box.folder / "one" / "report" / "index.html").read_text(encoding="utf-8")
    expect("links from the index", index.count('href="study-small-tiny.html"'), 1)
    expect("headline of a tiny study", "speedup: " in index, False)
    box.run(build="one", size="reduced")
    index = (box.folder / "one" / "report" / "index.html").read_text(encoding="utf-8")
    expect("links from the index", (index.count('href="study-small-tiny.html"'), index.count('href="study-small.html"')), (1, 1))
    expect("headline", re.search(r"speedup: ipoly \d\.\d{3} \(paper 2\.000\); top \d\.\d{3}<", index) is not None, True)
    return f"{len(pages[0][2])} bytes of page"


def planted_numbers_are_seen(box):
    box.run()
    wanted = box.run()[1]
    box.sql("UPDATE counter SET value = value + 1 WHERE name = 'gpu.cycles' AND key = (SELECT key FROM point WHERE number = 3)")
    status, out, err = box.run()
    expect("status, runs and table", (status, box.count(err), out), (0, (6, 1, 0), wanted))
    expect("what is said", "counters differ from those that the run wrote; it runs again" in err, True)
    expect("nothing to verify", box.run(verify=6)[0], 0)
    key, = box.sql("SELECT key FROM point WHERE number = 1")[0]
    box.sql(f"UPDATE counter SET value = value + 1 WHERE name = 'gpu.cycles' AND key = '{key}'")
    counters = dict(box.sql(f"SELECT name, value FROM counter WHERE key = '{key}'"))
    box.sql(f"UPDATE run SET digest = '{digest(counters)}' WHERE key = '{key}'")
    expect("a number planted with its digest", box.run()[0], 0)
    status, _, err = box.run(verify=6)
    expect("the same, with VERIFY", (status, "atax plain: found other counters than a run gives now: gpu.cycles" in err), (1, True))
    return "by their digest; with the digest forged, by VERIFY"


def failed_points_are_named(box):
    text = GOOD.replace('l1d.latency = 10', 'l1d.latency = 10, sim.max_cycles = 5')
    status, out, err = box.run(text)
    expect("status and failures", (status, box.count(err)), (1, (6, 6, 2)))
    expect("what is said", "failed: atax ipoly: memtwin: atax:" in out and "sim.max_cycles: 5 cycles" in out and "failed: bfs ipoly: " in out and "--set sim.max_cycles=5" in out, True)
    expect("the others' means", re.search(r"^geometric mean +1\.000 +- ", out, re.M) is not None, True)
    expect("runs again", box.count(box.run(text)[2]), (6, 2, 2))
    return box.sql("SELECT message FROM run WHERE status = 'failed'")[0][0].splitlines()[0]


def points_of_one_process_are_those_of_many(box):
    text = PAIRS.replace("fermi-000-t1", "maxwell-000-t5")
    status, _, err = box.run(text, verify=99)
    expect("status, runs", (status, box.count(err)), (0, (5, 5, 0)))
    expect("each run alone", "5 of 5 points run again, 0 differ from the database" in err, True)
    status, out, err = box.run(text.replace("cke.limit0 = 9", "sim.max_cycles = 5").replace("4000", "4001"))
    expect("one of a process failed", (status, box.count(err), out.count("failed: small other")), (1, (5, 5, 1), 1))
    for old, new, said in (("cke.stp", "cke.stq", 'metrics.stp.value: found unknown counter "cke.stq" in "cke.stq", expected one of memtwin list stats; the nearest is "cke.stp"'),
                           ("cke.cycles = 4000", "sm.warps = 48", "small plain: found cke.cycles = 0, expected the length of the run"),
                           ('["mvt:n=64", "bfs:n=256"]', '"bfs"', "workloads.small.tiny: found ['bfs'], expected two to eight workloads")):
        status, _, err = box.run(text.replace(old, new))
        expect(new, (status, said in err), (1, True))
    return "five by one process, then by five"


def tables_show_every_place_of_a_sweep(box):
    text = GOOD.replace('title = "Words"', 'title = "Words"\nkind = "table"\nby = "workload"').replace("metrics = [\"ways\"]", "metrics = [\"speedup\"]")
    out = box.run(text)[1]
    along = {w: re.split(r"\s{2,}", next(line for line in out.splitlines() if re.match(rf"{w} +\d", line)).strip()) for w in ("atax", "bfs")}
    rows = [re.split(r"\s{2,}", line.strip()) for line in out[out.index("\nWords"):].splitlines()]
    lines = re.findall(r"^(atax|bfs) +(\S+) +(\S+)$", out[out.index("\nAlong"):out.index("\nPoints")], re.M)
    for w, four, eight in lines:
        expect(f"{w} at four ways and at eight", [[w, "swept, ways 4", four], [w, "swept, ways 8", eight]], [r[:3] for r in rows if r[0] == w and r[1].startswith("swept")])
    expect("lines along the sweep", (len(lines), len(along)), (2, 2))
    only = re.sub(r'base = "plain"|headline.*|plain = \{\}|ipoly = \{ set.*|\[best(.|\n)*?"gpu.ipc"|paper.*', "", GOOD.replace(" / base(gpu.ipc)", "").replace("case(\\\"top\\\", sweep(ways))", "1"))
    status, out, err = box.run('paper = "none"\n' + only)
    expect("bars of nothing but sweeps", (status, "figures[0].cases: found nothing, expected a case of one point a workload" in err), (1, True))
    return "a row for each place; bars of sweeps alone are refused"


def bad_databases_are_refused(box):
    box.run()
    good, page = box.database.read_bytes(), box.folder / "build" / "report" / "study-small-tiny.html"
    before = page.read_bytes()
    held = None
    for name in ("garbage", "truncated", "other columns", "locked"):
        box.database.write_bytes({"garbage": b"no database " * 99, "truncated": good[:len(good) // 2]}.get(name, good))
        if name == "other columns":
            box.sql("DROP TABLE run")
            box.sql("CREATE TABLE run (key TEXT PRIMARY KEY, words TEXT)")
        kept = box.database.read_bytes()
        if name == "locked":  # reading the file here would end the lock
            held = sqlite3.connect(box.database, isolation_level=None)
            held.execute("BEGIN EXCLUSIVE")
        status, out, err = box.run()
        if status != 1 or out or not err.startswith("study: ") or str(box.database) not in err or "Traceback" in err or "expected" not in err:
            raise AssertionError(f"{name}: found status {status}, {out}{err}")
        if held:
            held.close()
        expect(f"{name}: database and page", (box.database.read_bytes(), page.read_bytes()), (kept, before))
    expect("the index without another study's database", box.run()[0], 0)
    (box.database.parent / "other.sqlite").write_bytes(b"no database " * 99)
    status, _, err = box.run()
    expect("status and words of another's garbage", (status, "other.sqlite: file is not a database; the index leaves it out" in err), (0, True))
    not_program = box.folder / "words"
    not_program.write_text("words")
    for program, said in ((not_program, "Permission denied, expected the program memtwin"), (box.folder / "nothing", "no such program")):
        status, _, err = box.run(program=program)
        expect(f"{program.name} as the program", (status, said in err, "Traceback" in err), (1, True, False))
    status, _, err = box.run(jobs=0)
    expect("no jobs", (status, err), (1, "study: JOBS: found 0, expected 1 or more\n"))
    return "garbage, truncated, other columns, locked; another's garbage is left out; programs that cannot run"


def full_disk_is_named(box):
    """Simulated by a file size limit: the database can be created but not filled, the page not written."""
    limited = ["sh", "-c", 'trap "" XFSZ; ulimit -f "$0"; exec "$@"']
    box.file.write_text(GOOD, encoding="utf-8")
    for blocks in (16, 64):
        shutil.rmtree(box.folder / "build", ignore_errors=True)
        small = box.folder / "memtwin"
        small.write_text(f'#!/bin/sh\nexec {box.program} "$@"\n')
        small.chmod(0o755)
        done = subprocess.run([*limited, str(blocks), *box.command(program=small)], capture_output=True, text=True, check=False)
        expect(f"{blocks} blocks", (done.returncode, "Traceback" in done.stderr, done.stderr.startswith("study: ")), (1, False, True))
        left = [p.name for p in (box.folder / "build" / "report").glob("*")] if (box.folder / "build" / "report").exists() else []
        expect("halves of pages", [n for n in left if n.startswith(".")], [])
    return done.stderr.strip().splitlines()[-1][:70]


def documents_hold_what_was_measured(box):
    document = box.folder / "page.md"
    empty = "before\n<!-- study small tiny: Speedup -->\n<!-- /study -->\nbetween\n<!-- study other tiny: Speedup -->\nold\n<!-- /study -->\n"
    document.write_text(empty)
    err = box.run()[2]
    expect("what is said of an old document", (f"{document}: 1 tables and numbers of this study, 1 differ from these results" in err, document.read_text()), (True, empty))
    err = box.run(update=True)[2]
    text = document.read_text()
    ipc = dict(box.sql("SELECT case_name, value FROM point JOIN counter USING (key) WHERE name = 'gpu.ipc' AND workload = 'atax' AND place = ''"))
    expect("a number in the document", f"| atax | {1:.3f} | {ipc['ipoly'] / ipc['plain']:.3f} |" in text, True)
    expect("the paper's numbers have a source", "\nPaper: 0.\n" in text, True)
    expect("what stands around", (text.startswith("before\n<!-- study small tiny: Speedup -->\n| workload |"), text.endswith("\nold\n<!-- /study -->\n")), (True, True))
    expect("what is said then", "1 tables and numbers of this study, 0 differ" in box.run()[2], True)
    box.run(GOOD.replace('title = "Speedup"', 'title = "Speedup"\ncases = ["plain"]'), update=True)
    expect("no source below a table without the paper's numbers", (document.read_text().startswith("before\n<!-- study small tiny: Speedup -->\n| workload | plain |"), "Paper:" in document.read_text()), (True, False))
    document.write_text(empty.replace("tiny: Speedup", "tiny: Speedups", 1))
    status, _, err = box.run(update=True)
    expect("a mark for no figure", (status, 'found a mark for the figure "Speedups", expected one of' in err), (1, True))
    return "read, written, and a mark for no figure refused"


def documents_hold_numbers_in_lines(box):
    document = box.folder / "page.md"
    kinds = ("speedup of ipoly in atax", "speedup of ipoly in a", "speedup of ipoly", "speedup of ipoly, paper", "speedup of swept at 8", "speedup of swept at 8, paper", "speedup of top")
    document.write_text("".join(f"<!-- study small tiny, {k} -->old<!-- /study -->, " for k in kinds) + "<!-- study other tiny, x of y -->old<!-- /study -->")
    status, _, err = box.run(GOOD.replace("{ ipoly = 2.0 }", '{ ipoly = 2.0, swept = { "8" = 3.0 } }'), update=True)
    expect("what is said", (status, f"{len(kinds)} tables and numbers of this study, {len(kinds)} written" in err), (0, True))
    *found, other = re.findall(r"-->([^<]*)<", document.read_text().replace("<!-- /study -->", "<"))
    ipc = {(c, w, p): v for c, w, p, v in box.sql("SELECT case_name, workload, place, value FROM point JOIN counter USING (key) WHERE name = 'gpu.ipc'")}
    gain = [{w: v / ipc["plain", w, ""] for (c, w, p), v in ipc.items() if (c, p) == at} for at in (("ipoly", ""), ("swept", "ways=8"))]
    top = {w: max(v for (c, x, _), v in ipc.items() if (c, x) == ("swept", w)) / ipc["plain", w, ""] for w in ("atax", "bfs")}
    means = [f"{(g['atax'] * g['bfs']) ** 0.5:.3f}" for g in (*gain, top)]
    expect("the numbers", found, [f"{gain[0]['atax']:.3f}", f"{gain[0]['atax']:.3f}", means[0], "2.000", means[1], "3.000", means[2]])
    expect("another study's", other, "old")
    for bad, said in (("speedups of ipoly", 'the metric "speedups"'), ("speedup of poly", 'the case "poly"'), ("speedup of ipoly in b", 'the workload or group "b"'),
                      ("speedup of swept at 9", "expected a place"), ("speedup", "expected METRIC of CASE")):
        document.write_text(f"<!-- study small tiny, {bad} -->old<!-- /study -->")
        status, _, err = box.run(update=True)
        expect(bad, (status, said in err), (1, True))
    document.unlink()
    return "seven kinds, and what is not there refused"


def shapes_are_compared_with_the_originals(box):
    file = GOOD.replace('group = "a"', 'group = "a", original = "atax:rows=4096,columns=4096"')
    status, out, _ = box.run(file)
    row = re.search(r"^atax  .*$", out[out.index(shapes.TITLE):], re.M)[0]
    expect("a row", (status, re.sub(r" +", " ", row)), (0, "atax 0.1333 2.133 256 16,384 0.2729 273.3 0.08529 85.4 6.247e-05 0.06255 too few thread blocks; another length of rows; fits the L1D; fits the L2"))
    out = box.run(file.replace("rows=4096,columns=4096", "rows=256,columns=64"))[1]
    row = re.search(r"^atax  .*$", out[out.index(shapes.TITLE):], re.M)[0]
    expect("the original itself", re.search(r"too|another|fits|exceeds", row), None)
    expect("without originals", shapes.TITLE in box.run()[1], False)
    status, _, err = box.run(GOOD.replace('group = "a"', 'group = "a", original = "atox"'))
    expect("an unknown original", (status, 'workloads.atax.original: found unknown workload "atox"' in err), (1, True))
    return "a smaller one, the original itself, none, an unknown one"


class Counters:
    """A place where every counter is 1."""

    def counter(self, _):
        return 1.0


def arithmetic_is_as_by_hand(_):
    points = [(x / 8, 2 * (x / 8) ** 3) for x in range(1, 9)]
    for form, words in (("a*x^3", "y = 2 x^3"), ("a*x^b", "y = 2 x^3")):
        _, said, r2 = fits.fit(form, points)
        expect(form, (said, round(r2, 9)), (words, 1.0))
    curve, _, r2 = fits.fit("linear", [(0, 0), (1, 1), (2, 0)])
    expect("a line through a hat", (round(curve(5), 9), round(r2, 9)), (round(1 / 3, 9), 0.0))
    expect("y = x against its half", round(fits.fit("x", [(0, 0), (2, 1), (4, 2)])[2], 9), -1.5)
    expect("one place", fits.fit("linear", [(1, 1), (1, 2)]), None)
    ran = read(Point("w", "c", {}, [], [], [], ["run"], {"l1d.ways": "4"}, "", [], 1, [], []), {"counters": {}, "workload": {"identity": ""}, "host": {"rtl": []}, "config": {"l1d.ways": 8}}, 0)
    expect("a run on another machine", ran.message, "ran on another machine than memtwin config says: l1d.ways = 8 instead of 4")
    names = Names(["a.b", "a.in.not"], [], [], [], {}, [])
    for text in ("9 ** 9 ** 9 ** 9", "1 / (a.b - 1)", "(0 - a.b) ** 0.5", "log(0)"):  # each must fail, in finite time
        try:
            found = Expression(text, names).value(Counters())
        except Undefined:
            found = None
        expect(text, found, None)
    expect("arithmetic", Expression("-a.b + 2 ** 3 * 2 - abs(-1) / max(2, 4)", names).value(Counters()), 14.75)
    expect("words of Python in a name", Expression("a.in.not + 1", names).value(Counters()), 2.0)
    table = {"area": 12.0, "bits": 8, "state": {"tag_q": 3}, "tables": {"info_q": {"words": 64}}, "of": lambda block, name="": {"area": len(block)},
             "sum": lambda t: sum(t.values()), "cell": lambda nm, cam=False: nm if cam else 0}
    for text, wanted in (("area / 2 + bits ** 2", 70.0), ("state['tag_q'] * -1", -3.0), ("tables['info_q']['words'] + sum(state)", 67.0),
                         ("of('mshr', 'l1d')['area'] * cell(bits / 2, cam=True)", 16.0)):
        expect(text, Formula(text, table).result(), wanted)
    for text, said in (("arae / 2", 'found unknown name "arae" in "arae / 2", expected area, bits, cell, of, state, sum, tables; the nearest is "area"'),
                       ("state['tga_q']", 'found unknown key of state "tga_q"'), ("area['x']", 'found "area", which is no table'), ("state", "found no value"),
                       ("area / (bits - 8)", "found no value"), ("area(3)", "expected a function, which area is not"), ("open('/etc/passwd')", 'found unknown function "open"'),
                       ("of.__globals__['x']", 'found unknown name "of.__globals__"'), ("(lambda: 1)()", 'found unknown function "None"'),
                       ("[1 for x in state]", 'found "[1 for x in state]"'), ("9 ** 9 ** 9 ** 9", "found no value"), ("area +", 'found "area +", expected arithmetic over names')):
        try:
            found = Formula(text, table).result()
        except Bad as e:
            found = str(e)
        expect(text, said in str(found), True)
    expect("a text filled in", filled("of {area:,.1f} um^2\n {bits * 1000:,} bits, {area / 5}", table), "of 12.0 um^2 8,000 bits, 2.4")
    expect("means of 1 and 4", [round(measure.MEAN[m]([1, 4]), 9) for m in ("geometric", "arithmetic", "harmonic")], [2.0, 2.5, 1.6])
    return "curves, means, expressions, a result of another machine"


WITH_RTL = (GOOD.replace("plain = {}", 'plain = {}\nreal = { rtl = "mshr" }').replace('title = "Words"', 'title = "Words"\nkind = "table"\nby = "workload"')
            .replace('metrics = ["ways"]', 'metrics = ["share"]\ncases = ["plain", "ipoly"]')
            .replace("[metrics.ways]", '[metrics.share]\nabove = "share of"\nlabel = "hits"\nvalue = "l1d.hits / l1d.accesses"\nmean = "pooled"\n[metrics.ways]'))


def rtl_is_compared_with_its_twin(box):
    """A case with rtl; then programs whose RTL gives another counter, that run twins instead, and that have none."""
    status, out, err = box.run(WITH_RTL)
    rows = {tuple(r[:2]): r for r in (re.split(r"\s{2,}", line.strip()) for line in out[out.index("\nWords"):].splitlines())}
    counters = box.sql("SELECT count(*) FROM counter JOIN point USING (key) WHERE number = 2")[0][0]
    expect("status, runs", (status, box.count(err)), (0, (8, 8, 0)))
    expect("the last column", (rows["atax", "plain"][3], len(rows["atax", "ipoly"])), (f"all {counters} agree", 3))
    sums = box.sql("SELECT sum(value) FROM point JOIN counter USING (key) WHERE case_name = 'plain' AND name IN ('l1d.hits', 'l1d.accesses') GROUP BY name ORDER BY name")
    expect("a pooled mean", rows["mean", "plain"][2], f"{sums[1][0] / sums[0][0]:.3f}")
    page = (box.folder / "build" / "report" / "study-small-tiny.html").read_text(encoding="utf-8")
    expect("the page", ("<b>2 of 2</b><span>runs in which twin and RTL agree" in page, page.count(f"all {counters} agree")), (True, 2))
    other = box.folder / "rtl"
    planted = f"""#!/bin/sh\nexec {sys.executable} -c 'import json, subprocess, sys
d = json.loads(subprocess.run(["{box.rtl}", *sys.argv[1:]], capture_output=True, check=True).stdout)
d["counters"]["gpu.cycles"] += 1
print(json.dumps(d))' "$@"\n"""
    for name, text, said in (("another counter", planted, f"atax real: 1 of {counters} counters differ between twin and RTL: gpu.cycles"),
                             ("twins", f'#!/bin/bash\nfor a; do shift; case $a in --rtl) skip=1;; *) [ "$skip" ] && skip= || set -- "$@" "$a";; esac; done\nexec {box.program} "$@"\n',
                              "atax real: ran with nothing as RTL, expected mshr")):
        other.write_text(text)
        other.chmod(0o755)
        status, out, err = box.run(WITH_RTL, rtl=other)
        expect(name, (status, box.count(err)[:2], f"failed: {said}" in out), (1, (8, 2), True))
    expect("the column then", "not run" in out, True)
    status, out, err = box.run(WITH_RTL, rtl=box.folder / "none")
    expect("no such program", (status, out, "none: no such program, expected memtwin-rtl (make build)" in err), (1, "", True))
    expect("without rtl it is not asked for", box.run(rtl=box.folder / "none")[0], 0)
    return f"all {counters} counters agree; another counter, twins in place of RTL, no program: each said"


def a_part_of_the_workloads(box):
    status, out, err = box.run(only=["bfs"])
    expect("status, runs", (status, box.count(err), "atax" in out), (0, (3, 3, 0), False))
    status, _, err = box.run(only=["bsf"])
    expect("an unknown one", (status, f'study: ONLY: found "bsf", expected workloads of {box.file}: atax, bfs; the nearest is "bfs"' in err), (1, True))
    return "one of two; an unknown one is refused"


def stacks_add_up(box):
    text = GOOD.replace('title = "Words"', 'title = "Words"\nkind = "stack"\npage_only = true').replace('metrics = ["ways"]', 'metrics = ["speedup", "twice"]')
    status, out, _ = box.run(text.replace("[metrics.ways]", '[metrics.twice]\nvalue = "2 * speedup"\n[metrics.ways]'))
    page = (box.folder / "build" / "report" / "study-small-tiny.html").read_text(encoding="utf-8")
    plot = page[page.index('aria-label="Words"'):]
    plot = ElementTree.fromstring("<svg " + plot[:plot.index("</svg>") + 6])
    widths = [float(e.get("width")) for area in plot.iter("g") if area.get("class") == "area" for e in area.iter("rect")]
    expect("status, and on the page alone", (status, "\nWords" in out), (0, False))
    expect("parts of the first bar", round(widths[1] / widths[0], 1), 2.0)
    expect("the first bar's sum", "3.000" in [e.text for e in plot.iter("text")], True)
    return f"{len(widths)} parts"


TESTS = [mistakes_are_named, table_is_what_the_counters_say, killed_study_goes_on, only_what_changed_runs_again, presets_keep_the_size, same_results_same_bytes,
         tables_show_every_place_of_a_sweep, bad_databases_are_refused, full_disk_is_named, documents_hold_what_was_measured, documents_hold_numbers_in_lines, shapes_are_compared_with_the_originals, planted_numbers_are_seen, failed_points_are_named, points_of_one_process_are_those_of_many, arithmetic_is_as_by_hand, rtl_is_compared_with_its_twin, a_part_of_the_workloads, stacks_add_up]


def main():
    program, rtl, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    from scripts.study import selftest_all, selftest_pages, selftest_results
    failed, tests = 0, TESTS + selftest_results.TESTS + selftest_all.TESTS + selftest_pages.TESTS
    for test in tests:
        try:
            words = test(Sandbox(os.path.abspath(program), os.path.abspath(rtl), folder.absolute() / test.__name__))
            print(f"ok    {test.__name__}: {words}")
        except (AssertionError, sqlite3.Error, OSError, ElementTree.ParseError) as e:
            failed += 1
            print(f"FAIL  {test.__name__}: {e}")
    print(f"study-selftest: {len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
