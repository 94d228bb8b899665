# SPDX-License-Identifier: Apache-2.0
"""Self-tests of the pages: colours, axes, legends, plots in documents, the states of the index."""
import itertools
import math
import pathlib
import re
import sqlite3
from xml.etree import ElementTree

from scripts.study import figures, page, plots
from scripts.study.selftest_box import GOOD, Study
from scripts.testing import run

# Linear RGB as seen without cones for red, green or blue (Machado, Oliveira and Fernandes 2009, severity 1).
SEEN = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}
APART, CONTRAST = 20, 3  # CIE 1976 distance of any two; least contrast ratio of graphics (WCAG 2)


def linear(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def lab(rgb):
    r, g, b = (min(1, max(0, v)) for v in rgb)
    x, y, z = (
        (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116)
        for t in (
            (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047,
            0.2126 * r + 0.7152 * g + 0.0722 * b,
            (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883,
        )
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(colour, cones):
    return lab([sum(m * c for m, c in zip(row, linear(colour))) for row in cones])


def faults(palette, card):
    """Colours too near to another one or to the background."""

    def light(colour):
        return sum(f * c for f, c in zip((0.2126, 0.7152, 0.0722), linear(colour)))

    for a, b in itertools.combinations(palette, 2):
        for who, cones in SEEN.items():
            if math.dist(seen(a, cones), seen(b, cones)) < APART:
                yield f"{a} {b} {who}"
    for c in palette:
        low, high = sorted((light(c), light(card)))
        if (high + 0.05) / (low + 0.05) < CONTRAST:
            yield f"{c} on {card}"


def metric(form, base=False):
    class Expression:
        def uses(self, word):
            return base and word == "base"

    return type("Metric", (), {"format": form, "expression": Expression()})


class Pages(Study):
    def test_colours_can_be_told_apart(self):
        cards = [(re.search(r"--card: (#\w+)", base)[1] * 2)[:7].replace("#fff#ff", "#ffffff") for base in page.BASE]
        self.equal("faults of the palettes", [list(faults(p, c)) for p, c in zip(page.PALETTE, cards)], [[], []])
        self.equal(
            "colours, hatches, markers, dashes",
            [len(set(x)) for x in (*page.PALETTE, page.HATCHES, plots.SHAPES, page.DASHES)],
            [plots.HUES] * 5,
        )
        planted = ["#d55e00", "#7a9a00", *page.PALETTE[0][2:]]  # an orange beside a green
        self.equal("an orange beside a green", any("#d55e00 #7a9a00 no" in f for f in faults(planted, cards[0])), True)
        self.equal("a yellow on white", any(f == "#f0e442 on #ffffff" for f in faults(["#f0e442"], cards[0])), True)
        pairs = {(n % plots.HUES, (n + n // plots.HUES) % len(plots.SHAPES)) for n in range(64)}
        self.equal("64 series by hue and marker", len(pairs), 64)

    def test_axes_show_changes_of_a_percent(self):
        axis = figures.scale(metric("ratio", True), [0.99, 1.013])
        marks = axis.marks([0.99, 1.013])
        self.equal(
            "marks of a ratio", [axis.form(m) for m in marks], ["-1 %", "-0.5 %", "1.0", "+0.5 %", "+1 %", "+1.5 %"]
        )
        axis = figures.scale(metric("change"), [0.9, 1.2])
        self.equal(
            "marks of a change",
            [axis.form(m) for m in axis.marks([0.9, 1.2])],
            ["-10 %", "-5 %", "0 %", "+5 %", "+10 %", "+15 %", "+20 %"],
        )
        axis = figures.scale(metric("ratio", True), [0.5, 24])
        self.equal(
            "marks of a large ratio",
            [axis.form(m) for m in axis.marks([0.5, 24])],
            [f"{n} \u00d7" for n in ("0", "5", "10", "15", "20", "25")],
        )
        self.equal(
            "thousands",
            [
                figures.scale(metric("count")).form(50000),
                figures.scale(metric("count")).form(2.5e6),
                figures.grouped("65536"),
                figures.grouped("a4"),
            ],
            ["50,000", "2,500,000", "65,536", "a4"],
        )
        self.equal("an axis far from zero", plots.between([100, 112]), [100, 105, 110, 115])
        svg = plots.bars(
            "",
            [("a", [plots.Row([(0.9, 0, "")]), plots.Row([(1.1, 0, "")])])],
            figures.scale(metric("ratio", True), [0.9, 1.1]),
        )
        left, right = [
            (float(x), float(w)) for x, w in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', svg)
        ]
        self.equal(
            "bars to both sides of 1.0",
            (abs(left[0] + left[1] - right[0]) < 0.2, abs(left[1] - right[1]) < 0.2),
            (True, True),
        )

    def test_every_series_is_named(self):
        """Bars, a stack whose bars are cases, and lines that are too many for one chart."""
        text = GOOD.replace('title = "Words"', 'title = "Words"\nkind = "stack"\ncases = ["plain", "ipoly"]').replace(
            'metrics = ["ways"]', 'metrics = ["speedup"]'
        )
        self.box.run(text)
        found = (self.box.folder / "build" / "report" / "study-small-tiny.html").read_text(encoding="utf-8")
        for title, names in (
            ("Speedup", ["plain", "ipoly", "top", "paper"]),
            ("Along", ["atax", "bfs", "geometric mean"]),
            ("Points", ["atax", "bfs"]),
        ):
            plot = found[found.index(f'aria-label="{title}"') :]
            legend = re.findall(r'<g class="legend"[^>]*>.*?<text[^>]*>([^<]*)<', plot[: plot.index("</svg>")])
            self.equal(f"legend of {title}", [n for n in names if n not in legend], [])
        stack = found[found.index('aria-label="Words"') :]
        self.equal(
            "cases beside the bars of a stack",
            re.findall(r'class="note" text-anchor="end">(plain|ipoly)<', stack[: stack.index("</svg>")]),
            ["plain", "ipoly"] * 2,
        )
        kept, figures.PANELS = figures.PANELS, 2
        cells = [(f"w{i}", [(0, "both", [(0, 1.0, ""), (1, 1.5, "")])]) for i in range(9)]
        panels = plots.panels("", cells, [(0, "a"), (1, "b")], "x", "y")
        figures.PANELS = kept
        self.equal(
            "small charts and their names",
            (panels.count('class="area"'), [f">w{i}<" in panels for i in range(9)]),
            (9, [True] * 9),
        )

    def test_documents_show_plots(self):
        document, mark = (
            self.box.folder / "docs" / "page.md",
            "<!-- study small tiny plot: Speedup -->\n![speedups](plot.svg)\n<!-- /study -->",
        )
        document.parent.mkdir()
        readme = self.box.folder / "README.md"
        document.write_text(f"before\n{mark}\nafter\n")
        readme.write_text(mark.replace("plot.svg", "docs/plot.svg"))
        err = self.box.run()[2]
        self.equal(
            "a missing file",
            f"{document}: 1 tables and numbers of this study, 1 differ from these results" in err,
            True,
        )
        self.equal("its file", (document.parent / "plot.svg").exists(), False)
        self.box.run(update=True)
        svg = document.parent / "plot.svg"
        root, text = ElementTree.parse(svg).getroot(), svg.read_text(encoding="utf-8")
        self.equal("text around the mark", document.read_text(), f"before\n{mark}\nafter\n")
        self.equal(
            "a file of its own",
            (
                root.tag.endswith("}svg"),
                "<style>" in text,
                "fill: #fff" in text,
                "ipoly" in text,
                "prefers-color-scheme" in text,
            ),
            (True, True, True, True, False),
        )
        self.equal(
            "then",
            [f"{d}: 1 tables and numbers of this study, 0 differ" in self.box.run()[2] for d in (document, readme)],
            [True, True],
        )
        svg.write_text(text.replace("ipoly", "poly"))
        self.equal("another file", f"{readme}: 1 tables and numbers of this study, 1 differ" in self.box.run()[2], True)
        for bad, said in (
            (mark.replace("Speedup", "Speedups"), 'found a mark for the figure "Speedups"'),
            (mark.replace("![speedups](plot.svg)", "plot.svg"), 'found "plot.svg" in a mark for a plot'),
        ):
            document.write_text(bad)
            status, _, err = self.box.run(update=True)
            self.equal(bad, (status, said in err), (1, True))
        document.write_text(mark)
        status, _, err = self.box.run(
            GOOD.replace('title = "Speedup"', 'title = "Speedup"\nkind = "table"'), update=True
        )
        self.equal("a table", (status, "which is a table" in err), (1, True))

    def test_the_index_says_what_is_old(self):
        def state():
            found = (self.box.folder / "build" / "report" / "index.html").read_text(encoding="utf-8")
            return re.findall(r'class="state (\w+)"', found), re.findall(r"run (\d{4}-\d\d-\d\d)", found), found

        (self.box.folder / "page.md").write_text("# Of small\n\n<!-- study small tiny: Speedup -->\n<!-- /study -->\n")
        self.box.run()
        states, dates, text = state()
        self.equal(
            "after a run",
            (
                states,
                len(dates),
                '<a href="../../page.md">Of small</a>' in text,
                'aria-hidden="true"><line' in text or 'class="grid"' in text,
            ),
            (["current"], 1, True, True),
        )
        with sqlite3.connect(self.box.database) as db:
            db.execute("UPDATE ran SET date = '2001-02-03'")
        self.box.run()
        self.equal("the date without a new run", state()[1], ["2001-02-03"])
        other = self.box.studies / "other.toml"
        other.write_text(GOOD, encoding="utf-8")
        command = ["other" if word == "small" else word for word in self.box.command()]

        def after(small):
            self.box.file.write_text(small, encoding="utf-8")
            run(*command)
            return state()[0]

        self.equal("with a remark in its file", after(GOOD + "# a remark\n"), ["current", "current"])
        self.equal(
            "with another option in its file", after(GOOD.replace("latency = 10", "latency = 20")), ["current", "stale"]
        )
        self.equal("with another program", after(GOOD)[1:], ["current"])
        self.box.database.with_name("other.sqlite").unlink()
        self.box.run(GOOD.replace("l1d.latency = 10", "l1d.latency = 10, sim.max_cycles = 5"))
        self.equal("with points that failed", (state()[0], "2 of 8 points failed" in state()[2]), (["failed"], True))
        old = pathlib.Path(self.box.database)
        with sqlite3.connect(old) as db:
            db.execute("DROP TABLE ran")
        self.box.run()
        self.equal("a database of before", state()[0], ["current"])
