# SPDX-License-Identifier: Apache-2.0
"""Self-test of the reader of study files: every planted error is reported with its place."""
from scripts.study.selftest_box import GOOD, Study

# Errors planted in GOOD: (old text, new text, expected message).
MISTAKES = [
    (
        'value = "gpu.ipc / base(gpu.ipc)"',
        'value = "energy(drum) / base(energy())"',
        'metrics.speedup.value: found energy(drum) in "energy(drum) / base(energy())", expected energy() or energy(PART), of sm, ',
    ),
    (
        'value = "gpu.ipc / base(gpu.ipc)"',
        'value = "area(l1d) / base(area())"',
        'metrics.speedup.value: found area(l1d) in "area(l1d) / base(area())", expected area()',
    ),
    (
        'paper = "none"',
        'paper = "none"\nenergies = "none.ini"',
        'energies: found "none.ini", expected a file of energies',
    ),
    ('title = "Self-test"', 'titel = "Self-test"', 'title: found nothing, expected a text'),
    ('paper = "none"', 'paper = "none"\ncomand = "run"', 'comand: found unknown key'),
    (
        'paper = "none"',
        'paper = "none"\ncommand = "rum"',
        'command: found "rum", expected run, cke; the nearest is "run"',
    ),
    ('paper = "none"', 'paper = "none', 'line 3'),
    (
        '"fermi-000-t1"',
        '"fermi-000-t2"',
        'preset: found unknown preset "fermi-000-t2", expected one of memtwin list presets; the nearest is "fermi-00',
    ),
    (
        'base = "plain"',
        'base = "plane"',
        'base: found unknown "plane", expected plain, ipoly, swept, top; the nearest is "plain"',
    ),
    ('base = "plain"', '', 'metrics.speedup.base: found nothing, expected the case that base() means'),
    (
        'headline = ["speedup"]',
        'headline = ["speed"]',
        'headline: found unknown "speed", expected speedup, ways; the nearest is "speedup"',
    ),
    (
        '"bfs:n=256"',
        '"bfz:n=256"',
        'workloads.bfs.tiny: found unknown workload "bfz", expected one of memtwin list kernels, or a trace; the nearest is "bfs"',
    ),
    (
        '"bfs:n=256"',
        '"bfs:nn=256"',
        'workloads.bfs.tiny: found unknown size "nn" of bfs, expected one of n, degree, graph, block, align, only, launches; the nearest is "n"',
    ),
    ('"bfs:n=256"', '"bfs:n=0"', 'workloads.bfs.tiny: found bfs:n=0, expected 1..67108864'),
    ('"bfs:n=256"', '["bfs", "bfs"]', 'workloads.bfs.tiny: found'),
    ('"bfs:n=256"', '"no/such.mtt"', 'workloads.bfs.tiny: found unknown workload "no/such.mtt"'),
    ('{ tiny = "bfs:n=256"', '{ smal = "bfs:n=256"', 'workloads.bfs.smal: found unknown key'),
    (
        'option = "l1d.ways"',
        'option = "l1d.way"',
        'sweeps.ways.option: found unknown option "l1d.way", expected one of memtwin list options; the nearest is "l1d.ways"',
    ),
    ('values = [4, 8]', 'values = [4, 4]', "sweeps.ways.values: found ['4', '4'], expected each value once"),
    (
        'values = [4, 8]',
        'values = [4, 100000]',
        'cases.swept at ways=100000 (atax): memtwin config: l1d.ways: found "100000", allowed: 1..512',
    ),
    (
        'values = [4, 8]',
        'values = { reduced = [4] }',
        'sweeps.ways.values.tiny: found nothing, expected a list of values',
    ),
    (
        'sweeps = ["ways"]',
        'sweeps = ["way"]',
        'cases.swept.sweeps: found unknown "way", expected ways; the nearest is "ways"',
    ),
    (
        'l1d.index = "ipoly"',
        'l1d.indx = "ipoly"',
        'cases.ipoly.set.l1d.indx: found unknown option "l1d.indx", expected one of memtwin list options; the nearest is "l1d.index"',
    ),
    ('l1d.index = "ipoly"', 'l1d.index = "ipol"', 'cases.ipoly (atax): memtwin config: l1d.index: found "ipol"'),
    ('plain = {}', 'plain = { base = "plane" }', 'cases.plain.base: found "plane", expected plain, ipoly, swept'),
    (
        'plain = {}',
        'plain = { cost = { "an SM" = ["bpg/papr"] } }',
        'cases.plain.cost.an SM: found "bpg/papr", expected BLOCK/SET with an area; the nearest is "bpg/paper"',
    ),
    (
        'title = "Words"',
        'title = "Words"\nkind = "verdicts"',
        'figures[3].cases: found "plain" with 0 sweeps, expected cases of one sweep',
    ),
    (
        'title = "Words"',
        'title = "Words"\nkind = "verdicts"\ncases = ["swept"]',
        'figures[3].metrics: found "ways", expected a ratio or change with base() and a mean',
    ),
    (
        'title = "Words"',
        'title = "Words"\nkind = "verdicts"\ncases = ["swept"]\nreference = ["5"]',
        'figures[3].reference: found "5", expected places of the sweep: 4, 8',
    ),
    (
        'bfs = { tiny',
        'bfs = { at."5" = { l1d.sets = 8 }, tiny',
        'workloads.bfs.at: found "5", expected places of sweeps: 4, 8',
    ),
    (
        'bfs = { tiny',
        'bfs = { places = ["5"], tiny',
        'workloads.bfs.places: found "5", expected places of sweeps: 4, 8',
    ),
    (
        'bfs = { tiny',
        'bfs = { at."8" = { l1d.set = 8 }, tiny',
        'workloads.bfs.at.8.l1d.set: found ',
    ),
    (
        'title = "Words"',
        'title = "Words"\nkind = "seeds"',
        'figures[3].kind: found "seeds", expected another kind, or several seeds above: seed = [1, 2, 3, 4, 5]',
    ),
    (
        'of = ["swept"]',
        'of = ["sweep"]',
        'best.top.of: found unknown "sweep", expected plain, ipoly, swept; the nearest is "swept"',
    ),
    ('by = "gpu.ipc"', 'by = "base(gpu.ipc)"', 'best.top.by: found base(), expected counters of the point alone'),
    ('by = "gpu.ipc"', 'by = "gpu.ipc"\npick = "most"', 'best.top.pick: found "most", expected max, min'),
    (
        '"gpu.ipc / base(gpu.ipc)"',
        '"gpu.icp / base(gpu.ipc)"',
        'metrics.speedup.value: found unknown counter "gpu.icp" in "gpu.icp / base(gpu.ipc)", expected one of memtwin list stats; the nearest is "gpu.ipc"',
    ),
    ('"gpu.ipc / base(gpu.ipc)"', '"gpu.ipc / bass(gpu.ipc)"', 'metrics.speedup.value: found unknown function "bass"'),
    (
        '"gpu.ipc / base(gpu.ipc)"',
        '"gpu.ipc / base("',
        'metrics.speedup.value: found "gpu.ipc / base(", expected arithmetic over counters',
    ),
    ('"gpu.ipc / base(gpu.ipc)"', '"__import__(1)"', 'metrics.speedup.value: found unknown function "__import__"'),
    (
        '"gpu.ipc / base(gpu.ipc)"',
        '"[gpu.ipc][0]"',
        'metrics.speedup.value: found "[gpu.ipc][0]" in "[gpu.ipc][0]", expected numbers, counters',
    ),
    ('"gpu.ipc / base(gpu.ipc)"', '"gpu.ipc.real.fget(1)"', 'metrics.speedup.value: found "gpu.ipc.real.fget(1)"'),
    ('"gpu.ipc / base(gpu.ipc)"', '"l1d.ways"', 'an option is meant: option(...)?'),
    ('option(l1d.ways) +', 'option(l1d.way) +', 'metrics.ways.value: found option(l1d.way) in'),
    ('workload(n)', 'workload(m)', 'metrics.ways.value: found workload(m) in'),
    ('0 * speedup', '0 * sped', 'metrics.ways.value: found unknown metric of this file "sped"'),
    (
        'mean = "geometric"',
        'mean = "geometrc"',
        'metrics.speedup.mean: found "geometrc", expected geometric, arithmetic, harmonic, pooled; the nearest is "geometric"',
    ),
    (
        'paper.figure = "0"',
        '',
        'metrics.speedup.paper.figure: found nothing, expected where the paper has these numbers',
    ),
    (
        '{ ipoly = 2.0 }',
        '{ ipol = 2.0 }',
        'metrics.speedup.paper.mean.ipol: found unknown case "ipol", expected plain, ipoly, swept, top; the nearest is "ipoly"',
    ),
    ('{ ipoly = 2.0 }', '{ ipoly = "2" }', "metrics.speedup.paper.mean.ipoly: found '2', expected a number"),
    (
        'kind = "lines"',
        'kind = "line"',
        'figures[1].kind: found "line", expected table, bars, stack, lines, series, scatter, verdicts, seeds; the nearest is "lines"',
    ),
    ('sweep = "ways"', '', 'figures[1].sweep: found nothing, expected the sweep along which the lines go'),
    ('fit = ["linear"]', 'fit = ["liner"]', 'figures[2].fit: found "liner", expected linear'),
    ('x = "option(l1d.ways)"', '', 'figures[2].x: found nothing, expected an expression'),
    (
        '[workloads]',
        '[sizes.tyny]\n[workloads]',
        'sizes.tyny: found unknown size "tyny", expected tiny, reduced, full; the nearest is "tiny"',
    ),
    ('linear = 0.5', 'cubic = 0.5', 'figures[2].paper.cubic: found unknown key, expected figure, linear'),
    ('paper = { figure = "0", linear', 'paper = { linear', 'figures[2].paper.figure: found nothing, expected a text'),
    ('0 * speedup', '0 * ways', 'metrics.ways.value: found unknown metric of this file "ways"'),
    (
        'metrics = ["ways"]',
        'kind = "table"\nmetrics = ["ways"]',
        'figures[3].metrics: found "ways", which has no mean, expected metrics with a mean, or by = "workload"',
    ),
    (
        'plain = {}',
        'plain = {}\nreal = { rtl = "mhsr" }',
        'cases.real.rtl: found unknown "mhsr", expected bank_reorder, ',
    ),
    (
        'plain = {}',
        'plain = {}\nreal = { rtl = "mshr", set.l1d.ways = 16 }',
        'cases.real.rtl: found mshr, but no case without rtl that is the same machine for atax',
    ),
    (
        'gpu.ipc / base(gpu.ipc)"\nmean = "geometric"',
        '2 * gpu.ipc"\nmean = "pooled"',
        'metrics.speedup.mean: found "pooled", expected another mean, or a value A / B',
    ),
    (
        'title = "Words"',
        'title = "Words"\nkind = "stack"\ncases = ["swept"]',
        'figures[3].cases: found "swept", which has a point for each value of ways',
    ),
    (
        'group = "a"',
        'group = "a", cases = ["plane"]',
        'workloads.atax.cases: found unknown "plane", expected plain, ipoly, swept; the nearest is "plain"',
    ),
    (
        'paper = "none"',
        'paper = "none"\nuntil_end = true',
        'until_end: found true, expected it with command = "cke" only',
    ),
    (
        'title = "Words"',
        'title = "Words"\nkind = "series"',
        'figures[3].kind: found "series", expected another kind, or interval = N above',
    ),
    ('paper = "none"', 'paper = "none"\ninterval = -1', 'interval: found -1, expected 1 or more'),
    ('title = "Words"', 'title = "Words"\npage_only = 1', 'figures[3].page_only: found 1, expected true or false'),
    (
        'title = "Speedup"',
        'title = "Speedup"\ncases = ["swept"]',
        'figures[0].cases: found "swept", which has a point for each value of ways',
    ),
]


class Mistakes(Study):
    def test_mistakes_are_named(self):
        for old, new, said in MISTAKES:
            self.equal(f"places of {old}", GOOD.count(old) > 0, True)
            status, out, err = self.box.run(GOOD.replace(old, new, 1))
            right = status == 1 and not out and err.startswith(f"study: {self.box.file}: ") and said in err
            self.expect(new, right, f"found status {status}, {out}{err.strip()}, expected {said}")
        self.equal("points run for a file with a mistake", self.box.database.exists(), False)
