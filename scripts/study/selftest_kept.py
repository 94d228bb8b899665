# SPDX-License-Identifier: Apache-2.0
"""Self-tests of results that are kept with the tree, and the kept results of the tree itself."""
import pathlib
import re

from scripts.study.selftest_box import GOOD, Study
from scripts.testing import PYTHON, ROOT, run

MARK = "<!-- study small tiny, speedup of ipoly -->{}<!-- /study -->\n"


class Kept(Study):
    def kept(self, *more, **options):
        """(exit status, standard output, standard error) of the study from its kept results."""
        done = run(*self.box.command(**options), "--kept", "1", *more)
        return done.status, done.out, done.err

    def refused(self, name, words, *more, **options):
        status, _, err = self.kept(*more, **options)
        self.equal(name, (status, words in err, "Traceback" in err), (1, True, False))

    def test_kept_results(self):
        """The same tables without a run; documents that differ, and files that are not of this study, are refused."""
        self.box.file.write_text(GOOD, encoding="utf-8")
        ran = run(*self.box.command(), "--keep")
        file = self.box.studies / "kept" / "small-tiny.tsv"
        self.equal("keeping", (ran.status, file.exists()), (0, True))
        status, out, err = self.kept(build="other")
        tables = [text.split("\n/", 1)[0].replace("/other/", "/build/") for text in (out, ran.out)]
        self.equal("tables from the file", (status, tables[0] == tables[1]), (0, True))
        self.equal("nothing ran", list(self.box.folder.glob("other/study/*.sqlite")), [])
        page = (self.box.folder / "other" / "report" / "index.html").read_text(encoding="utf-8")
        self.equal("its card", re.findall(r'class="state kept">kept results of memtwin ', page) != [], True)
        self.equal("what is said", f"those of {file}: memtwin " in err, True)

        document = self.box.folder / "page.md"
        document.write_text(MARK.format("7.000"), encoding="utf-8")
        self.refused("a document that differs", "1 differ from these results")
        self.equal("writing it", (self.kept(update=True)[0], self.kept()[0]), (0, 0))
        self.equal("what is written", "7.000" in document.read_text(encoding="utf-8"), False)

        whole = file.read_text(encoding="utf-8")
        for name, text, words in (
            ("a point that is missing", whole.rsplit("\n", 2)[0] + "\n", "found no line for 1 of 8 points"),
            ("a counter that is missing", whole.replace("gpu.ipc", "gpu.other"), "found no column gpu.ipc"),
            ("no table", "# a comment\nfoo\nbar\n", "found no table of points"),
            ("a line that is cut", whole[: whole.rindex("\t")] + "\n", "has another number of cells"),
            ("a word for a number", whole[: whole.rindex("\t")] + "\tmany\n", "found no table of points"),
        ):
            file.write_text(text, encoding="utf-8")
            self.refused(name, words)
        file.write_bytes(b"\xff\n")
        self.refused("no text", "can't decode")
        file.unlink()
        self.refused("no file", "No such file")
        self.refused("part of the workloads", "expected it alone", only=["bfs"])
        self.refused("keeping what is kept", "expected one of them", "--keep")
        self.refused("another size", "No such file", size="reduced")

    def test_all_studies_take_what_is_kept(self):
        """NAME=all shows a study from its kept results, and says so; KEPT=0, KEEP=1 and a part of the workloads run it."""
        self.box.file.write_text(GOOD, encoding="utf-8")
        run(*self.box.command(), "--keep")
        database = self.box.folder / "other" / "study" / "small.sqlite"

        def everything(*more, **options):
            done = run(*[w if w != "small" else "all" for w in self.box.command(build="other", **options)], *more)
            ran = database.exists()
            database.unlink(missing_ok=True)
            page = (self.box.folder / "other" / "report" / "index.html").read_text(encoding="utf-8")
            states = re.findall(r'class="state (\w+)"', page)
            return done.status, ran, states, "1 of 1 studies are shown from kept results" in done.err

        self.equal("all studies", everything(), (0, False, ["kept"], True))
        for name, more, options in (
            ("KEPT=0", ("--kept", "0"), {}),
            ("KEEP=1", ("--keep",), {}),
            ("a part of the workloads", (), {"only": ["bfs"]}),
        ):
            self.equal(name, everything(*more, **options), (0, True, ["current"], False))
        card = database.with_name("other-tiny.kept.json")
        for name, text in (("no JSON", "{"), ("no card", '{"colour": 1}'), ("no object", "3")):
            card.write_text(text, encoding="utf-8")
            err = run(*self.box.command(build="other", only=["bfs"])).err
            self.equal(name, (f"{card}: " in err, "the index leaves it out" in err), (True, True))

    def test_a_part_does_not_replace_the_whole(self):
        """KEEP=1 of some workloads, and KEPT=1 of all studies where none is kept, are refused before anything runs."""
        self.box.file.write_text(GOOD, encoding="utf-8")
        done = run(*self.box.command(only=["bfs"]), "--keep")
        self.equal(
            "some workloads",
            (done.status, "expected it alone" in done.err, (self.box.folder / "build").exists()),
            (1, True, False),
        )
        for flags in (("--kept", "1"), ("--keep",)):
            done = run(*[word if word != "small" else "all" for word in self.box.command()], *flags)
            self.equal(f"none is kept, {flags[0]}", (done.status, "found no kept/*-tiny.tsv" in done.err), (1, True))

    def test_a_size_that_is_kept_is_named(self):
        """A study without the size says which size has kept results."""
        self.box.file.write_text(GOOD, encoding="utf-8")
        run(*self.box.command(), "--keep")
        status, _, err = self.box.run(re.sub(r', reduced = "[^"]*"', "", GOOD), size="reduced")
        self.equal("what is said", (status, "; its results are kept: SIZE=tiny KEPT=1" in err), (1, True))

    def test_keeping_needs_all_results(self):
        for name, text, words in (
            (
                "a failed point",
                GOOD.replace("l1d.latency = 10", "l1d.latency = 10, sim.max_cycles = 5"),
                "without a result",
            ),
            ("results over time", f"interval = 1000\n{GOOD}", "expected 0: counters over time"),
        ):
            self.box.file.write_text(text, encoding="utf-8")
            done = run(*self.box.command(), "--keep")
            self.equal(
                name,
                (done.status, words in done.err, (self.box.studies / "kept").exists()),
                (1, True, False),
            )

    def test_documents_of_the_tree(self):
        """Every document shows what the kept results say."""
        files = list(pathlib.Path(ROOT, "studies", "kept").glob("*.tsv"))
        self.equal("there are some", bool(files), True)
        said = pathlib.Path(ROOT, "studies", "README.md").read_text(encoding="utf-8")
        listed = set(
            re.findall(r"`(\w+)`", said[said.index("## Results that are kept") : said.index("## On a cluster")])
        )
        of_all = {f.stem.rpartition("-")[0] for f in files if f.stem.endswith("-reduced")}
        self.equal("studies/README.md names them", sorted(of_all - listed), [])
        for size in sorted({f.stem.rpartition("-")[2] for f in files}):
            done = run(
                *PYTHON,
                "scripts.study",
                "all",
                "--size",
                size,
                "--kept",
                "1",
                "--program",
                self.box.program,
                "--build",
                str(self.box.folder),
            )
            self.equal(f"documents with numbers of the size {size}", (done.status, "differ" in done.err), (0, True))
