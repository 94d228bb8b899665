# SPDX-License-Identifier: Apache-2.0
"""make correlate-selftest: correlate with a fake accel-sim.out, which prints the lines of a log.

python3 -B -m scripts.correlate.selftest PROGRAM FOLDER
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

from scripts.correlate import counters, machines, reference, report, speed, stock, store
from scripts.study.expressions import Bad
from scripts.testing import PYTHON, Checks, has_ended, main, run

CONFIG = """
[machines.small]
label = "small machine"
arguments = ["--preset", "fermi-000-t1"]
set = ["sm.count=2"]
[machines.other]
label = "other machine"
against = "small"
arguments = ["--preset", "dlmshr-002-t3.2"]
set = ["sm.count=2"]
[workloads]
one = "vecadd:n=2048"
two = "transpose:width=64,height=64"
"""
DOCUMENT = "".join(
    f"<!-- correlate {name} -->\n<!-- /correlate -->\n"
    for name in ("version", "errors", "causes", "effects", "cycles", "shifts")
)
VERSION = "*** GPGPU-Sim Simulator Version 4.2.0  [build fake] ***"
LOG = """{version}
gpu_tot_sim_cycle = 1
gpu_tot_sim_cycle = {cycles}
gpu_tot_sim_insn = {instructions}
\tTotal_core_cache_stats_breakdown[GLOBAL_ACC_R][HIT] = {l1d_hits}
\tTotal_core_cache_stats_breakdown[GLOBAL_ACC_W][HIT] = 0
\tTotal_core_cache_stats_breakdown[GLOBAL_ACC_R][TOTAL_ACCESS] = {l1d_reads}
\tTotal_core_cache_stats_breakdown[GLOBAL_ACC_W][TOTAL_ACCESS] = {l1d_writes}
\tTotal_core_cache_fail_stats_breakdown[GLOBAL_ACC_R][LINE_ALLOC_FAIL] = 3
\tTotal_core_cache_fail_stats_breakdown[GLOBAL_ACC_W][MISS_QUEUE_FULL] = 4
\tTotal_core_cache_fail_stats_breakdown[GLOBAL_ACC_R][MISS_QUEUE_FULL] = 5
gpgpu_n_tot_w_icount = 1000
averagemflatency = 300
DRAM[0]: 16 bks
n_cmd=9 n_nop=9 n_act=1 n_pre=0 n_ref_event=0 n_req=4 n_rd=1 n_rd_L2_A=0 n_write=0 n_wr_bk=0 bw_util=0.1
DRAM[0]: 16 bks
n_cmd=9 n_nop=9 n_act=5 n_pre=0 n_ref_event=0 n_req=20 n_rd=30 n_rd_L2_A=10 n_write=6 n_wr_bk=2 bw_util=0.1
DRAM[1]: 16 bks
n_cmd=9 n_nop=9 n_act=5 n_pre=0 n_ref_event=0 n_req=30 n_rd=40 n_rd_L2_A=0 n_write=0 n_wr_bk=0 bw_util=0.1
\tL2_cache_stats_breakdown[GLOBAL_ACC_R][HIT] = 6
\tL2_cache_stats_breakdown[GLOBAL_ACC_W][HIT] = 1
\tL2_cache_stats_breakdown[GLOBAL_ACC_R][TOTAL_ACCESS] = 60
\tL2_cache_stats_breakdown[GLOBAL_ACC_W][TOTAL_ACCESS] = 10
\tL2_cache_stats_fail_breakdown[GLOBAL_ACC_R][MSHR_ENRTY_FAIL] = 8
"""
NEEDED = [
    "gpu_tot_sim_cycle",
    "gpu_tot_sim_insn",
    "gpgpu_n_tot_w_icount",
    "averagemflatency",
    "Total_core_cache_stats_breakdown[GLOBAL_ACC_R][HIT]",
    "L2_cache_stats_breakdown[GLOBAL_ACC_W][HIT]",
    "DRAM[",
    "GPGPU-Sim Simulator Version",
]


class Sandbox:
    """A folder with a configuration, a document and a fake reference that prints memtwin's numbers."""

    def __init__(self, program, folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.program, self.folder, self.fake = program, folder, folder / "accel sim's größtes.out"
        self.kept, self.document = folder / "kept", folder / "correlation.md"
        (folder / "correlate.toml").write_text(CONFIG)
        self.document.write_text(DOCUMENT)

    def log(self, workload="vecadd:n=2048", machine=("--preset", "fermi-000-t1"), slower=1.0, version=VERSION):
        out = subprocess.run(
            [self.program, "run", workload, *machine, "--set", "sm.count=2", "--quiet", "--json", "-"],
            capture_output=True,
            text=True,
            check=True,
        )
        n = json.loads(out.stdout)["counters"]
        reads = n["l1d.accesses"] - n["l1d.writes"]
        return LOG.format(
            version=version,
            cycles=int(n["gpu.cycles"] * slower),
            instructions=n["gpu.thread_instructions"],
            l1d_hits=n["l1d.hits"],
            l1d_reads=reads,
            l1d_writes=n["l1d.writes"],
        )

    def plant(self, log, end="exit 0"):
        self.fake.write_text(f"#!/bin/sh\ncat <<'END'\n{log}END\n{end}\n")
        self.fake.chmod(0o755)

    def run(self, *words, accelsim=True, config="correlate.toml", update=False):
        """(exit status, standard output, standard error)."""
        done = run(
            *PYTHON,
            "scripts.correlate",
            self.program,
            *([str(self.fake)] if accelsim else []),
            *words,
            "--build",
            str(self.folder),
            "--config",
            str(self.folder / config),
            "--kept",
            str(self.kept),
            "--document",
            str(self.document),
            *(["--update"] if update else []),
        )
        return done.status, done.out, done.err

    def one(self, *words, **more):
        return self.run("--machines", "small", "--workloads", "one", *words, **more)


def gone(pid):
    """Whether the process ends within some seconds."""
    for _ in range(100):
        if has_ended(pid):
            return True
        time.sleep(0.05)
    return False


class Correlation(Checks):
    def setUp(self):
        program, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
        self.box = Sandbox(program, folder / self.id().rpartition(".")[2])

    def test_kept_numbers_redraw_the_same(self):
        self.box.plant(self.box.log())
        status, out, err = self.box.run()
        self.equal("status of a run", (status, err, "correlate: 4 compared, 0 failed" in out), (0, "", True))
        page = self.box.folder / "report" / "correlate.html"
        files = (page, self.box.document, self.box.kept / "small.tsv", self.box.kept / "other.tsv")
        before = [f.read_bytes() for f in files]
        self.equal(
            "the document has both machines", (before[1].count(b"| cycles |"), before[1].count(b"`one`")), (2, 2)
        )
        self.box.fake.unlink()
        status, _, err = self.box.run(accelsim=False)
        self.equal("status of redrawing", (status, err), (0, ""))
        self.equal("the same bytes", [f.read_bytes() for f in files], before)
        self.equal("plots of two widths", page.read_text().count("<svg viewBox"), 2 * len(counters.COUNTERS))

    def test_numbers_are_those_of_the_log(self):
        n = reference.numbers(self.box.log(), 4)
        self.equal("last of several", n["cycles"] > 1, True)
        self.equal(
            "failures of all accesses", (n["l1d.rf.line"], n["l1d.rf.miss_queue"], n["l1d.rf.mshr_entry"]), (3, 9, 0)
        )
        self.equal(
            "reads of four commands, of the last print of each channel",
            (n["dram.reads"], n["dram.writes"], n["dram.activates"], n["dram.requests"]),
            (20, 30, 10, 50),
        )
        self.equal("L2", (n["l2.accesses"], n["l2.hits"], n["l2.rf"]), (70, 7, 8))

    def test_missing_lines_are_named(self):
        good = self.box.log()
        for needed in NEEDED:
            self.box.plant("".join(line + "\n" for line in good.splitlines() if needed not in line))
            status, _, err = self.box.one()
            self.equal(
                f"without {needed}: status and message",
                (status, needed in err, err.count("FAIL correlate small one: ")),
                (1, True, 1),
            )
            self.equal("nothing is kept", self.box.kept.exists(), False)
        self.box.plant(good.replace("n_act=", "n_atc="))
        self.equal("a field", "the log's lines of DRAM have no n_act" in self.box.one()[2], True)

    def test_broken_runs_are_named(self):
        self.box.plant("ready\n", "exit 3")
        self.equal("exit status", "small one: exit status 3: ready" in self.box.one()[2], True)
        self.box.plant("", "kill -SEGV $$")
        self.equal("signal", "small one: ended by signal SIGSEGV: no output" in self.box.one()[2], True)
        self.box.plant("", f"sleep 97 & echo $! > {self.box.folder}/child; wait")
        start = time.monotonic()
        self.equal("time", "small one: not done after 1.0 s" in self.box.one("--timeout", "1")[2], True)
        self.equal("in time", time.monotonic() - start < 60, True)
        self.equal("its children are gone", gone(int((self.box.folder / "child").read_text())), True)
        for version, words in (
            ("GPGPU-Sim Simulator Version 3.2.2  [build x]", "found GPGPU-Sim 3.2.2, expected 4.x"),
            ("", "the log names no version"),
        ):
            self.box.plant(self.box.log(version=version))
            self.equal("version", words in self.box.one()[2], True)
        self.box.fake.unlink()
        self.equal(
            "no program", "No such file or directory, expected the program accel-sim.out" in self.box.one()[2], True
        )

    def test_limits_turn_red(self):
        self.box.plant(self.box.log())
        status, _, err = self.box.one("--check")
        words = ("cycles:", "L1D accesses:", "L1D hit rate:")
        self.equal("equal cycles, accesses and hit rate", [w for w in words if f"small: {w}" in err], [])
        self.equal("other failures", (status, "small: L1D failures, MSHR entries: error" in err), (1, True))
        self.box.plant(self.box.log(slower=2))
        status, _, err = self.box.one("--check")
        self.equal(
            "twice the cycles",
            (
                status,
                "small: cycles: mean absolute error 50.0" in err,
                "small: cycles: worst (one) absolute error 50.0" in err,
            ),
            (1, True, True),
        )
        self.equal("not asked", self.box.one()[0], 0)
        cycles = counters.COUNTERS[0]
        for error, met, words in ((0.02, True, "2.5, 10: met"), (0.12, False, "2.5, 10: missed")):
            pair = counters.Pair("small", "one", 100, 100 * (1 + error), error)
            found = counters.Summary(cycles, "small", 1, error, pair, None)
            self.equal(f"goal at {error}", (not found.missed(), report.summary_goal(found)), (met, words))
        self.box.plant(self.box.log().replace("[GLOBAL_ACC_W][TOTAL_ACCESS] = ", "[GLOBAL_ACC_W][TOTAL_ACCESS] = 1"))
        self.equal("accesses", "small: L1D accesses: mean absolute error" in self.box.one("--check")[2], True)

    def test_other_machines_and_traces_are_refused(self):
        self.box.plant(self.box.log())
        self.box.run()
        for old, new, words in (
            ("sm.count=2", "sm.count=3", "small: the configuration is another one"),
            ("n=2048", "n=4096", "small one: the trace is another one"),
        ):
            (self.box.folder / "other.toml").write_text(CONFIG.replace(old, new, 1))
            status, _, err = self.box.one(accelsim=False, config="other.toml")
            self.equal(words, (status, words in err), (1, True))
        (self.box.folder / "other.toml").write_text(CONFIG + 'three = "copy:n=2048"\n')
        self.equal(
            "nothing kept",
            "small three: nothing is kept of the reference"
            in self.box.run("--workloads", "three", accelsim=False, config="other.toml")[2],
            True,
        )
        (self.box.folder / "other.toml").write_text(
            CONFIG.replace('set = ["sm.count=2"]', 'set = ["sm.count=2", "cke.cycles=9"]', 1)
        )
        self.equal("an option that the reference does not get", self.box.one(accelsim=False, config="other.toml")[0], 0)

    def test_documents_and_kept_numbers_are_checked(self):
        self.box.plant(self.box.log())
        self.box.run()
        good = self.box.document.read_text()
        self.box.document.write_text(good.replace("small machine", "large machine", 1))
        status, _, err = self.box.run(accelsim=False)
        self.equal("another table", (status, "its tables are not these results'" in err), (1, True))
        self.equal("written", (self.box.run(accelsim=False, update=True)[0], self.box.document.read_text()), (0, good))
        self.box.document.write_text("no marks\n")
        self.equal("no marks", 'found no "<!-- correlate errors -->"' in self.box.run(accelsim=False)[2], True)
        self.box.document.write_text(good)
        kept = self.box.kept / "small.tsv"
        good = kept.read_text()
        for text in (
            good + "three\tcopy",
            good + "\t".join(["many"] * len(good.splitlines()[-1].split("\t"))),
            "colour\tred",
            "option\tl1d.sets",
        ):
            kept.write_text(text + "\n")
            line = text.splitlines()[-1]
            self.equal(
                line,
                f'found "{line}", expected a line of the machine or of the table of workloads'
                in self.box.run(accelsim=False)[2],
                True,
            )
        kept.write_text(good.replace("option\tl1d.sets\t32", "option\tl1d.sets\t16"))
        self.equal(
            "another option",
            "small.tsv has other values of l1d.sets (UPDATE=1 writes them)" in self.box.run(accelsim=False)[2],
            True,
        )
        self.equal("written", (self.box.run(accelsim=False, update=True)[0], kept.read_text() == good), (0, True))
        self.equal("seconds are of this processor", good.count(machines.processor()), 2)
        kept.write_text(good.replace(machines.processor(), "another"))
        self.equal("one workload runs again", self.box.one()[0], 0)
        rows = {line.split("\t")[0]: line.split("\t")[4] for line in kept.read_text().splitlines()[-2:]}
        self.equal("the other keeps its processor", rows, {"one": machines.processor(), "two": "another"})
        self.equal("unknown machine", 'found unknown machine "smal"' in self.box.run("--machines", "smal")[2], True)
        self.equal("unknown workload", 'found unknown workload "on"' in self.box.run("--workloads", "on")[2], True)

    def test_shifts_are_runs_of_their_own(self):
        shifts = '[shifts]\noption = "l2.rop_latency"\nby = [-1, 0, 2]\nworkloads = ["one"]\n'
        (self.box.folder / "shifts.toml").write_text(
            CONFIG.replace('set = ["sm.count=2"]', 'set = ["sm.count=2", "l2.rop_latency=120"]') + shifts
        )
        self.box.plant(self.box.log())
        status, out, err = self.box.run(config="shifts.toml")
        self.equal("each runs", (status, err, "correlate: 8 compared, 0 failed" in out), (0, "", True))
        kept = store.read(self.box.kept)["small"].workloads
        self.equal("names", sorted(kept), ["one", "one+2", "one-1", "two"])
        self.equal("arguments", kept["one+2"].arguments, "vecadd:n=2048 l2.rop_latency=122")
        text = self.box.document.read_text()
        self.equal("a row a counter", text.count("| `one` | small machine | "), len(report.SHIFTED))
        self.equal("from the kept numbers", self.box.run(accelsim=False, config="shifts.toml")[0], 0)
        (self.box.folder / "shifts.toml").write_text(
            (self.box.folder / "shifts.toml").read_text().replace("by = [-1, 0, 2]", "by = [-1, 0, 3]")
        )
        status, _, err = self.box.run(accelsim=False, config="shifts.toml")
        self.equal("another shift", (status, "small one+3: nothing is kept of the reference" in err), (1, True))
        runs = [({"cycles": a}, {"gpu.cycles": b}) for a, b in ((100, 120), (200, 240))]
        pair = counters.pairs(counters.COUNTERS[0], [("m", "w", *run) for run in runs])
        self.equal("errors are of means", [(p.theirs, p.ours, round(p.error, 6)) for p in pair], [(150, 180, 0.2)])
        self.equal("without a value", counters.mean([1, None]), None)

    def test_arithmetic_is_as_by_hand(self):
        cycles = counters.COUNTERS[0]
        data = [
            ("m", w, {"cycles": a}, {"gpu.cycles": b})
            for w, a, b in (("a", 100, 110), ("b", 200, 160), ("c", 400, 400))
        ]
        found = counters.pairs(cycles, data)
        self.equal("errors", [round(p.error, 3) for p in found], [0.1, -0.2, 0.0])
        self.equal("r", round(counters.pearson(found), 4), 0.9853)
        self.equal("no spread", counters.pearson(found[:1]), None)
        other = [("n", "a", {"cycles": 50}, {"gpu.cycles": 99})]
        self.equal(
            "effect",
            [(w, m, theirs, round(ours, 6)) for w, m, theirs, ours in report.effects(data + other, {"n": "m"})],
            [("a", "n", -0.5, -0.1)],
        )
        self.equal("nothing kept", store.read(self.box.kept), {})
        with self.assertRaises(Bad):
            reference.version("nothing")

    def stock(self, folder, kept, *more):
        """(exit status, standard output, standard error) of correlate-stock."""
        file = self.box.folder / "stock.toml"
        file.write_text(kept)
        words = [self.box.program, str(folder), str(self.box.document), "--kept", str(file), *more]
        done = run(*PYTHON, "scripts.correlate.stock", *words)
        return done.status, done.out, done.err

    def test_files_of_the_reference_are_those_that_it_ran(self):
        folder = self.box.folder / "stock"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        program = self.box.program
        machine = ["config", "--preset", "gpgpusim", "--set", "sm.launch_cycles=700"]
        subprocess.run(
            [program, *machine, "--format", "gpgpusim", "-o", str(folder / "card")],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        self.box.document.write_text("<!-- correlate-stock -->\n<!-- /correlate-stock -->\n")
        kept = 'version = "v"\n[workloads]\none = "vecadd:n=2048"\n[configurations.card]\none = 4321\ndigest = "{}"\n'
        status, _, said = self.stock(folder, kept.format(""))
        self.equal("without a trace.config", (status, "found 0 files trace.config, expected one" in said), (1, True))
        (folder / "card/trace.config").write_text("-trace_opcode_latency_initiation_sp 4,2\n")
        digest = stock.digest_of(folder / "card")
        status, _, said = self.stock(folder, kept.format("0" * 16))
        self.equal("another file", (status, f"digest {digest}, expected {'0' * 16}: v" in said), (1, True))
        status, _, said = self.stock(folder, kept.format(digest))
        self.equal("another table", (status, "UPDATE=1 writes it" in said), (1, True))
        status, printed, _ = self.stock(folder, kept.format(digest), "--update")
        row = next(line for line in printed.splitlines() if line.startswith("| card"))
        self.equal("a row", (status, row[:17], row in self.box.document.read_text()), (0, "| card | 4,321 | ", True))
        run_of = [program, "run", "vecadd:n=2048", "-c", str(folder / "card/gpgpusim.config"), "-q", "--json", "-"]
        ours = json.loads(subprocess.run(run_of, check=True, capture_output=True, text=True).stdout)["counters"]
        self.equal("cycles without the launch", int(row.split("|")[3].replace(",", "")), ours["gpu.cycles"] - 700)
        self.equal("the table stays", self.stock(folder, kept.format(digest))[0], 0)
        (folder / "card/trace.config").write_text("# a comment\n-trace_opcode_latency_initiation_sp  4,2 # more\n")
        self.equal("comments are no options", stock.digest_of(folder / "card"), digest)

    def cards(self, *more):
        """(exit status, standard output, standard error) of correlate-cards."""
        file = self.box.folder / "cards.toml"
        file.write_text('[workloads]\none = "vecadd:n=2048"\n[cards.v100-accelsim]\nlabel = "card"\nfiles = "SM7"\n')
        command = ("scripts.correlate.cards", self.box.program, str(self.box.document), "--kept", str(file), *more)
        done = run(*PYTHON, *command)
        return done.status, done.out, done.err

    def plant_card(self, cycles, reads, local=0):
        """A fake reference, with the configuration of a card where its own has it."""
        simulator = self.box.folder / "gpu-simulator"
        self.box.fake = simulator / "bin/release/accel-sim.out"
        for folder in (simulator / "gpgpu-sim", simulator):
            (folder / "configs/tested-cfgs/SM7").mkdir(parents=True, exist_ok=True)
        (simulator / "gpgpu-sim/configs/tested-cfgs/SM7/gpgpusim.config").write_text("-machine 1")
        (simulator / "configs/tested-cfgs/SM7/trace.config").write_text("-units 1 # comment")
        self.box.fake.parent.mkdir(parents=True, exist_ok=True)
        values = {"instructions": 1, "l1d_hits": 0, "l1d_reads": reads, "l1d_writes": 0}
        log = LOG.format(version=VERSION, cycles=cycles, **values)
        for outcome, count in (("HIT", 0), ("TOTAL_ACCESS", local)):
            log += f"\tTotal_core_cache_stats_breakdown[LOCAL_ACC_R][{outcome}] = {count}\n"
        read = "grep -q '^-machine 1' gpgpusim.config && grep -q '^-units 1' gpgpusim.config"
        without = "grep -q '^-gpgpu_kernel_launch_latency 0' gpgpusim.config"
        self.box.plant(log, f"mkdir -p folder; {read} && case $PWD in *-whole) ! {without};; *) {without};; esac")

    def test_cards_need_all_accesses_and_small_errors(self):
        self.box.document.write_text("<!-- correlate-cards -->\n<!-- /correlate-cards -->\n")
        run_of = [self.box.program, "run", "vecadd:n=2048", "-p", "v100-accelsim", "-q", "--json", "-"]
        found = json.loads(subprocess.run(run_of, check=True, capture_output=True, text=True).stdout)
        cycles = found["counters"]["gpu.cycles"] - int(found["config"]["sm.launch_cycles"])
        accesses = found["counters"]["l1d.accesses"]
        status, _, said = self.cards()
        self.equal("without numbers", (status, "not of this trace (ACCELSIM= runs" in said), (1, True))
        self.plant_card(cycles, accesses - 1, local=1)
        again = ("--accelsim", str(self.box.fake), "--update")
        status, printed, _ = self.cards(*again)
        row = f"| `one` | {cycles:,} | {cycles:,} | +0.0 |"
        self.equal("a row", (status, row in self.box.document.read_text(), "0 failed" in printed), (0, True, True))
        kept = store.read(self.box.kept / "cards")["v100-accelsim"]
        self.equal("numbers of the reference", kept.workloads["one"].numbers, {"cycles": cycles, "accesses": accesses})
        self.equal("seconds of this processor", kept.workloads["one"].processor, machines.processor())
        self.equal("kept numbers", self.cards()[0], 0)
        self.plant_card(cycles, accesses + 1)
        status, printed, _ = self.cards(*again)
        self.equal("an access less", (status, f"in the reference {accesses + 1}" in printed), (1, True))
        self.plant_card(cycles * 2, accesses)
        status, printed, _ = self.cards(*again)
        self.equal("an error of a half", (status, "mean error of cycles 50.0%, allowed 3%" in printed), (1, True))
        (self.box.folder / "gpu-simulator/configs/tested-cfgs/SM7/trace.config").unlink()
        status, _, said = self.cards(*again)
        self.equal("without a file", (status, "trace.config" in said), (1, True))

    def test_speed_is_beside_the_reference(self):
        one = store.Kept(seconds=1e6, processor="another")
        kept = {"small": store.Machine(version="4", workloads={"one": one})}
        folder = self.box.folder / "speed"
        (folder / "small").mkdir(parents=True)
        by_kept = speed.Reference("", kept, folder)
        self.equal("kept seconds, of one run", by_kept.seconds("small", "one", folder), (1e6, 1))
        self.equal(
            "the least of all seconds, with the share of user time in all runs",
            speed.user_part([(0.0, 3.0), (4.0, 0.0), (5.0, 4.0)], 3),
            3 * 9 / 16,
        )
        self.equal("beside one run, the mean", speed.user_part([(3.0, 0.0), (4.0, 0.0), (5.0, 0.0)], 1), 4.0)
        self.equal(
            "beside two, the mean of the least of two",
            speed.user_part([(3.0, 0.0), (4.0, 0.0), (6.0, 0.0), (5.0, 0.0), (9.0, 0.0)], 2),
            4.0,
        )
        self.equal(
            "a processor without numbers",
            "its family and model are not kept, and this may be another processor: " in by_kept.heading(),
            True,
        )
        one.processor = "another, cpu family 6, model 1"
        self.equal("another processor is named", "\nthis is another processor: " in by_kept.heading(), True)
        one.processor = machines.processor()
        self.equal(
            "the same processor",
            ("another processor" in by_kept.heading(), machines.is_exact(machines.processor())),
            (False, True),
        )
        measured = speed.Reference(str(self.box.fake), kept, folder)
        self.box.plant(self.box.log())
        seconds, count = measured.seconds("small", "one", folder)
        self.equal("measured seconds are not the kept ones", (seconds < 1e6, count), (True, speed.RUNS))
        execute, lasts = speed.reference.execute, iter([30.0, 28.0, 29.0])
        speed.reference.execute = lambda *arguments: ("", next(lasts))
        self.equal(
            "a reference of half a minute runs more than once",
            measured.seconds("small", "one", folder),
            (28.0, speed.AT_LEAST),
        )
        speed.reference.execute = execute
        self.equal("this processor", "another processor" in measured.heading(), False)
        self.box.plant("ready\n", "exit 3")
        with self.assertRaisesRegex(Bad, "^exit status 3: ready$"):
            measured.seconds("small", "one", folder)


if __name__ == "__main__":
    sys.exit(main("correlate-selftest", Correlation))
