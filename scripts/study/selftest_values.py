# SPDX-License-Identifier: Apache-2.0
"""Self-tests of a study's values: in documents, beside the originals, and computed by hand."""
import json
import re

from scripts.study import beside, fits, intervals, measure, moved, shapes, verdicts
from scripts.study.expressions import Bad, Expression, Formula, Names, Undefined, filled
from scripts.study.plan import Point
from scripts.study.runner import read
from scripts.study.selftest_box import GOOD, Study


class Counters:
    """A place where every counter is 1."""

    def counter(self, _):
        return 1.0


class Values(Study):
    def test_documents_hold_what_was_measured(self):
        document = self.box.folder / "page.md"
        empty = "before\n<!-- study small tiny: Speedup -->\n<!-- /study -->\nbetween\n<!-- study other tiny: Speedup -->\nold\n<!-- /study -->\n"
        document.write_text(empty)
        err = self.box.run()[2]
        self.equal(
            "what is said of an old document",
            (
                f"{document}: 1 tables and numbers of this study, 1 differ from these results" in err,
                document.read_text(),
            ),
            (True, empty),
        )
        err = self.box.run(update=True)[2]
        text = document.read_text()
        ipc = dict(
            self.box.sql(
                "SELECT case_name, value FROM point JOIN counter USING (key) WHERE name = 'gpu.ipc' AND workload = 'atax' AND place = ''"
            )
        )
        self.equal("a number in the document", f"| atax | {1:.3f} | {ipc['ipoly'] / ipc['plain']:.3f} |" in text, True)
        self.equal("the paper's numbers have a source", "\nPaper: 0.\n" in text, True)
        self.equal(
            "what stands around",
            (
                text.startswith("before\n<!-- study small tiny: Speedup -->\n| workload |"),
                text.endswith("\nold\n<!-- /study -->\n"),
            ),
            (True, True),
        )
        self.equal("what is said then", "1 tables and numbers of this study, 0 differ" in self.box.run()[2], True)
        self.box.run(GOOD.replace('title = "Speedup"', 'title = "Speedup"\ncases = ["plain"]'), update=True)
        self.equal(
            "no source below a table without the paper's numbers",
            (
                document.read_text().startswith("before\n<!-- study small tiny: Speedup -->\n| workload | plain |"),
                "Paper:" in document.read_text(),
            ),
            (True, False),
        )
        document.write_text(empty.replace("tiny: Speedup", "tiny: Speedups", 1))
        status, _, err = self.box.run(update=True)
        self.equal(
            "a mark for no figure",
            (status, 'found a mark for the figure "Speedups", expected one of' in err),
            (1, True),
        )

    def test_verdicts_are_those_of_the_intervals(self):
        ends = ((1.02, 1.3), (0.8, 1.3), (0.9, 1.005), (1.001, 1.009))
        self.equal("verdicts", [verdicts.verdict(e, 0.01) for e in ends], ["pays", "not shown", "does not", "does not"])
        self.equal("one for all", verdicts.joined([("V", "pays"), ("A", "pays")]), "pays")
        self.equal(
            "several",
            verdicts.joined([("V", "not shown"), ("A", "pays"), ("H", "not shown")]),
            "pays: A; not shown: V, H",
        )

    def test_verdicts_have_their_own_base_and_area(self):
        text = GOOD.replace(
            'swept = { sweeps = ["ways"] }',
            'swept = { sweeps = ["ways"] }\nslow = { set.l1d.latency = 60, sweeps = ["ways"], base = "swept", '
            'cost = { "an SM" = ["dl_mshr/l1d", "-mshr/l1d"], "a slice" = ["cart/table"] } }',
        ).replace(
            'title = "Words"\nmetrics = ["ways"]',
            'title = "Words"\nkind = "verdicts"\nmetrics = ["speedup"]\ncases = ["slow"]\nreference = ["4"]',
        )
        out = self.box.run(text)[1]
        ipc = {
            (c, w, p): v
            for c, w, p, v in self.box.sql(
                "SELECT case_name, workload, place, value FROM point JOIN counter USING (key) WHERE name = 'gpu.ipc'"
            )
        }
        gain = [ipc["slow", w, "ways=8"] / ipc["swept", w, "ways=8"] for w in ("atax", "bfs")]
        row = next(line for line in out.splitlines() if line.startswith("slow "))
        self.equal("mean over its own base", f" {(gain[0] * gain[1]) ** 0.5:.3f} (" in row, True)
        known = verdicts.areas()
        more = known["dl_mshr/l1d"] - known["mshr/l1d"]
        self.equal("area", f" {more:.3f} an SM, {known['cart/table']:.3f} a slice " in row, True)
        self.equal("a place for comparison has no verdict", row.count("does not") + row.count("not shown"), 1)

    def test_a_workload_runs_at_some_places(self):
        self.box.run(GOOD.replace("bfs = { tiny", 'bfs = { places = ["8"], tiny'))
        found = self.box.sql("SELECT workload, place FROM point WHERE case_name = 'swept' ORDER BY workload, place")
        self.equal("points", [tuple(x) for x in found], [("atax", "ways=4"), ("atax", "ways=8"), ("bfs", "ways=8")])

    def test_a_workload_has_options_at_a_place(self):
        self.box.run(GOOD.replace("bfs = { tiny", 'bfs = { at."8" = { l1d.sets = 16 }, tiny'))
        found = {
            (w, p): json.loads(config)["l1d.sets"]
            for w, p, config in self.box.sql(
                "SELECT workload, place, config FROM point JOIN run USING (key) WHERE case_name = 'swept'"
            )
        }
        here = found.pop(("bfs", "ways=8"))
        self.equal("there, elsewhere", (here, len(found), set(found.values())), ("16", 3, {"32"}))

    def test_a_number_may_be_at_places_of_two_sweeps(self):
        text = GOOD.replace("[cases]", '[sweeps.sets]\noption = "l1d.sets"\nvalues = [16, 64]\n[cases]')
        text = text.replace(
            'swept = { sweeps = ["ways"] }', 'swept = { sweeps = ["ways"] }\ntwo = { sweeps = ["ways", "sets"] }'
        )
        document = self.box.folder / "page.md"
        document.write_text(
            "<!-- study small tiny, speedup of two at 8, 16 in bfs -->old<!-- /study -->", encoding="utf-8"
        )
        self.equal("the run", self.box.run(text, update=True)[0], 0)
        ipc = dict(
            self.box.sql(
                "SELECT case_name || place, value FROM point JOIN counter USING (key) WHERE name = 'gpu.ipc' AND workload = 'bfs'"
            )
        )
        self.equal(
            "the number",
            re.findall("-->(.*)<!", document.read_text()),
            [f"{ipc['twoways=8, sets=16'] / ipc['plain']:.3f}"],
        )
        document.write_text("<!-- study small tiny, speedup of two at 8 in bfs -->old<!-- /study -->", encoding="utf-8")
        self.equal("one place of two", "expected a place of the case's sweep" in self.box.run(text)[2], True)

    def test_documents_hold_numbers_in_lines(self):
        document = self.box.folder / "page.md"
        kinds = (
            "speedup of ipoly in atax",
            "speedup of ipoly in a",
            "speedup of ipoly",
            "speedup of ipoly, paper",
            "speedup of ipoly, interval",
            "speedup of swept at 8",
            "speedup of swept at 8, paper",
            "speedup of top",
        )
        document.write_text(
            "".join(f"<!-- study small tiny, {k} -->old<!-- /study -->, " for k in kinds)
            + "<!-- study other tiny, x of y -->old<!-- /study -->"
        )
        status, _, err = self.box.run(
            GOOD.replace("{ ipoly = 2.0 }", '{ ipoly = 2.0, swept = { "8" = 3.0 } }'), update=True
        )
        self.equal(
            "what is said",
            (status, f"{len(kinds)} tables and numbers of this study, {len(kinds)} written" in err),
            (0, True),
        )
        *found, other = re.findall(r"-->([^<]*)<", document.read_text().replace("<!-- /study -->", "<"))
        ipc = {
            (c, w, p): v
            for c, w, p, v in self.box.sql(
                "SELECT case_name, workload, place, value FROM point JOIN counter USING (key) WHERE name = 'gpu.ipc'"
            )
        }
        gain = [
            {w: v / ipc["plain", w, ""] for (c, w, p), v in ipc.items() if (c, p) == at}
            for at in (("ipoly", ""), ("swept", "ways=8"))
        ]
        top = {
            w: max(v for (c, x, _), v in ipc.items() if (c, x) == ("swept", w)) / ipc["plain", w, ""]
            for w in ("atax", "bfs")
        }
        means = [f"{(g['atax'] * g['bfs']) ** 0.5:.3f}" for g in (*gain, top)]
        mean, apart = (gain[0]["atax"] * gain[0]["bfs"]) ** 0.5, gain[0]["atax"] / gain[0]["bfs"]
        wide = max(apart, 1 / apart) ** (12.706 / 2)  # Student's t of one degree of freedom, times half the distance
        ends = f"{mean / wide:.3f} to {mean * wide:.3f}"
        self.equal(
            "the numbers",
            found,
            [f"{gain[0]['atax']:.3f}", f"{gain[0]['atax']:.3f}", means[0], "2.000", ends, means[1], "3.000", means[2]],
        )
        self.equal("another study's", other, "old")
        page, mark = self.box.folder / beside.PAGE.name, "<!-- study small tiny, speedup of ipoly"
        page.write_text(
            f"<!-- beside -->\n<!-- /beside -->\n\n| Gu20, x | {mark}, paper -->old<!-- /study --> | {mark} -->old<!-- /study --> | | Open: y |\n"
        )
        self.box.run(update=True)
        near = "1 of 1" if 1 / 1.3 <= float(means[0]) - 1 <= 1.3 else "0 of 1"
        self.equal("counts of the rows", page.read_text().count(f"| Gu20 | 1 | {near} | {near} | "), 1)
        page.unlink()
        for bad, said in (
            ("speedups of ipoly", 'the metric "speedups"'),
            ("speedup of poly", 'the case "poly"'),
            ("speedup of ipoly in b", 'the workload or group "b"'),
            ("speedup of swept at 9", "expected a place"),
            ("speedup", "expected METRIC of CASE"),
        ):
            document.write_text(f"<!-- study small tiny, {bad} -->old<!-- /study -->")
            status, _, err = self.box.run(update=True)
            self.equal(bad, (status, said in err), (1, True))
        document.unlink()

    def test_numbers_that_moved(self):
        def page(**values):
            return "".join(f"<!-- study s tiny, {k} of c -->{v}<!-- /study -->" for k, v in values.items())

        then = moved.numbers([("docs/old.md", page(same="1.000", grown="+10.0 %", fallen="2,000", gone="1", few="-"))])
        now = moved.numbers([("docs/new.md", page(same="1.019", grown="+13.0 %", fallen="1,000", new="1", few="3"))])
        rows = moved.moved(then, now)
        self.equal(
            "the numbers of both by more than 2 %, the largest change first",
            [(r[0], r[1], r[2], round(r[3], 4), r[4]) for r in rows],
            [
                ("s tiny, fallen of c", "2,000", "1,000", -0.5, "docs/new.md"),
                ("s tiny, grown of c", "+10.0 %", "+13.0 %", 0.0273, "docs/new.md"),
            ],
        )
        table = moved.table(rows, {})
        self.equal("rows without a cause", table.count("| not known |"), 2)
        known = moved.causes(table.replace("-50.0 | not known", "-50.0 | a limit"))
        self.equal("a cause stays with its row", moved.table(rows, known).count("| -50.0 | a limit |\n"), 1)
        paper = {"s tiny, x of c, paper": ("1.0", "docs/old.md")}
        self.equal("a paper's number", moved.moved(paper, {"s tiny, x of c, paper": ("2.0", "docs/new.md")}), [])

    def test_shapes_are_compared_with_the_originals(self):
        file = GOOD.replace('group = "a"', 'group = "a", original = "atax:rows=4096,columns=4096"')
        status, out, _ = self.box.run(file)
        row = re.search(r"^atax  .*$", out[out.index(shapes.TITLE) :], re.M)[0]
        self.equal(
            "a row",
            (status, re.sub(r" +", " ", row)),
            (
                0,
                "atax 0.1333 2.133 256 16,384 0.2729 273.3 0.08529 85.4 6.247e-05 0.06255 too few thread blocks; another length of rows; fits the L1D; fits the L2",
            ),
        )
        out = self.box.run(file.replace("rows=4096,columns=4096", "rows=256,columns=64"))[1]
        row = re.search(r"^atax  .*$", out[out.index(shapes.TITLE) :], re.M)[0]
        self.equal("the original itself", re.search(r"too|another|fits|exceeds", row), None)
        self.equal("without originals", shapes.TITLE in self.box.run()[1], False)
        status, _, err = self.box.run(GOOD.replace('group = "a"', 'group = "a", original = "atox"'))
        self.equal(
            "an unknown original", (status, 'workloads.atax.original: found unknown workload "atox"' in err), (1, True)
        )

    def test_arithmetic_is_as_by_hand(self):
        points = [(x / 8, 2 * (x / 8) ** 3) for x in range(1, 9)]
        for form, words in (("a*x^3", "y = 2 x^3"), ("a*x^b", "y = 2 x^3")):
            _, said, r2 = fits.fit(form, points)
            self.equal(form, (said, round(r2, 9)), (words, 1.0))
        curve, _, r2 = fits.fit("linear", [(0, 0), (1, 1), (2, 0)])
        self.equal("a line through a hat", (round(curve(5), 9), round(r2, 9)), (round(1 / 3, 9), 0.0))
        self.equal("y = x against its half", round(fits.fit("x", [(0, 0), (2, 1), (4, 2)])[2], 9), -1.5)
        self.equal("one place", fits.fit("linear", [(1, 1), (1, 2)]), None)
        ran = read(
            Point("w", "c", {}, [], [], [], ["run"], {"l1d.ways": "4"}, "", [], 1, [], []),
            {"counters": {}, "workload": {"identity": ""}, "host": {"rtl": []}, "config": {"l1d.ways": 8}},
            0,
        )
        self.equal(
            "a run on another machine",
            ran.message,
            "ran on another machine than memtwin config says: l1d.ways = 8 instead of 4",
        )
        names = Names(["a.b", "a.in.not"], [], [], [], {}, [])
        for text in (
            "9 ** 9 ** 9 ** 9",
            "1 / (a.b - 1)",
            "(0 - a.b) ** 0.5",
            "log(0)",
        ):  # each must fail, in finite time
            try:
                found = Expression(text, names).value(Counters())
            except Undefined:
                found = None
            self.equal(text, found, None)
        self.equal("arithmetic", Expression("-a.b + 2 ** 3 * 2 - abs(-1) / max(2, 4)", names).value(Counters()), 14.75)
        parts = Names([], [], [], [], {}, [], ["dram"])
        self.equal("the energy of a point", Expression("energy(dram) + energy()", parts).value(Counters()), 2e-9)
        self.equal(
            "its counters", sorted(Expression("energy() * area()", parts).counters), ["area.blocks", "energy.total"]
        )
        self.equal("words of Python in a name", Expression("a.in.not + 1", names).value(Counters()), 2.0)
        table = {
            "area": 12.0,
            "bits": 8,
            "state": {"tag_q": 3},
            "tables": {"info_q": {"words": 64}},
            "of": lambda block, name="": {"area": len(block)},
            "sum": lambda t: sum(t.values()),
            "cell": lambda nm, cam=False: nm if cam else 0,
        }
        for text, wanted in (
            ("area / 2 + bits ** 2", 70.0),
            ("state['tag_q'] * -1", -3.0),
            ("tables['info_q']['words'] + sum(state)", 67.0),
            ("of('mshr', 'l1d')['area'] * cell(bits / 2, cam=True)", 16.0),
        ):
            self.equal(text, Formula(text, table).result(), wanted)
        for text, said in (
            (
                "arae / 2",
                'found unknown name "arae" in "arae / 2", expected area, bits, cell, of, state, sum, tables; the nearest is "area"',
            ),
            ("state['tga_q']", 'found unknown key of state "tga_q"'),
            ("area['x']", 'found "area", which is no table'),
            ("state", "found no value"),
            ("area / (bits - 8)", "found no value"),
            ("area(3)", "expected a function, which area is not"),
            ("open('/etc/passwd')", 'found unknown function "open"'),
            ("of.__globals__['x']", 'found unknown name "of.__globals__"'),
            ("(lambda: 1)()", 'found unknown function "None"'),
            ("[1 for x in state]", 'found "[1 for x in state]"'),
            ("9 ** 9 ** 9 ** 9", "found no value"),
            ("area +", 'found "area +", expected arithmetic over names'),
        ):
            try:
                found = Formula(text, table).result()
            except Bad as e:
                found = str(e)
            self.equal(text, said in str(found), True)
        self.equal(
            "a text filled in",
            filled("of {area:,.1f} um^2\n {bits * 1000:,} bits, {area / 5}", table),
            "of 12.0 um^2 8,000 bits, 2.4",
        )
        for mean, low, high in (("arithmetic", 0.337, 2.463), ("geometric", 0.588, 2.796), ("harmonic", 0.658, 5.357)):
            ends = measure.interval(mean, [0.7, 1.2, 1.4, 2.3])
            self.equal(f"ends of the {mean} mean", tuple(round(e, 3) for e in ends or ()), (low, high))
        self.equal(
            "no interval",
            [
                measure.interval(m, v)
                for m, v in (("geometric", [1]), ("geometric", [0, 1]), ("pooled", [1, 2]), ("", [1]))
            ],
            [None] * 4,
        )
        self.equal(
            "what an interval says",
            [intervals.verdict(*e) for e in ((1.01, 1.2), (0.9, 1.1), (0.8, 0.99))],
            ["higher", "no difference shown", "lower"],
        )
        self.equal(
            "means of 1 and 4",
            [round(measure.MEAN[m]([1, 4]), 9) for m in ("geometric", "arithmetic", "harmonic")],
            [2.0, 2.5, 1.6],
        )
