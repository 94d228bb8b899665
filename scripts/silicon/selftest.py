# SPDX-License-Identifier: Apache-2.0
"""make silicon-selftest: each shape is a workload that memtwin runs, rows are read as they are, wrong ones are refused.

python3 -B -m scripts.silicon.selftest PROGRAM
"""
import pathlib
import sys
import tempfile

from scripts.silicon import others, profile, report, rows, shapes
from scripts.silicon.__main__ import Machine
from scripts.study.expressions import Bad
from scripts.testing import PYTHON, Checks, main, run

PROGRAM = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/memtwin")
CARD = "h100-sxm"
SMALLEST = {  # a row of each test, as small as they come
    "latency_l1": "kib=4 order=random",
    "latency_l2": "kib=64 order=random",
    "in_flight": "lanes=gather warps=1 burst=2",
    "merge": "warps=2",
    "l1_hit_width": "stride_bytes=4",
    "store_rate": "stride_bytes=8",
    "atomic_latency": "target=one_word lanes=8",
    "atomic_rate": "target=word_a_line warps_share=no sms=1 warps=8",
    "instruction": "of=shared_load warps=1",
    "barrier": "warps=4",
    "empty_kernel": "threads=32 blocks=64",
    "l1_bandwidth": "kib=16",
    "read_bandwidth_of_sms": "sms=1 bytes_of_a_load=4",
}
PROFILED = '''==PROF== Connected to process 1
workload copy:n=64 1
workload atax:rows=8 2
"ID","Kernel Name","Metric Name","Metric Value"
'''


def printed(times):
    """The output of the profiler for three launches that take so long."""
    lines = [
        f'"{n}","k","{metric}","{time if metric == profile.METRICS["time_ns"] else 1000 + time:,}"'
        for n, time in enumerate(times)
        for metric in profile.METRICS.values()
    ]
    return PROFILED + "\n".join(lines) + "\n"


class Silicon(Checks):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def refused(self, name, call, words):
        try:
            call()
        except (Bad, SystemExit) as e:
            self.expect(name, words in str(e), e)
        else:
            self.expect(name, False, "was taken")

    def test_every_shape_runs(self):
        machine = Machine(str(PROGRAM), CARD)
        for test, arguments in SMALLEST.items():
            row = rows.Shape(CARD, test, rows.words(arguments), 1.0, "GB/s" if "bandwidth" in test else "cycles")
            value = machine.shape(row)
            self.expect(test, value is not None and value > 0, f"found {value}")
        self.equal("launched by the host", shapes.of("launch", {"threads": 32, "blocks": 1}), None)

    def test_a_chain_of_loads_takes_the_latency_of_its_level(self):
        machine = Machine(str(PROGRAM), CARD)
        row = rows.Shape(CARD, "latency_l1", rows.words("kib=16 order=random"), 1.0, "cycles")
        config = machine.run("vecadd:n=32")["config"]
        self.equal("a hit", machine.shape(row), config["l1d.latency"] + 1)

    def test_kept_rows_are_whole(self):
        found = rows.read()
        tests = {r.test for r in found if isinstance(r, rows.Shape)}
        self.equal("every test is kept", sorted(set(shapes.SHAPES) - tests), ["empty_kernel", "l1_bandwidth"])
        self.expect("and programs", any(isinstance(r, rows.Program) for r in found))
        self.equal("of a test", {r.test for r in rows.chosen(found, ["barrier"])}, {"barrier"})
        self.refused("an unknown name", lambda: rows.chosen(found, ["barier"]), '"barrier"')

    def test_sectors_of_a_program_are_exact(self):
        program = next(r for r in rows.read() if getattr(r, "workload", "") == "vecadd:n=65536")
        results = list(program.results(program.simulate(Machine(str(PROGRAM), CARD))))
        exact = [r.group for r in results if r.error == 0]
        for group in ("L1 read sectors", "L1 write sectors", "L2 read sectors", "L2 write sectors"):
            self.expect(group, group in exact, results)
        self.equal("error", rows.Result(CARD, "g", "n", "cycles", 80, 100).error, 0.25)
        self.equal("nothing measured", rows.Result(CARD, "g", "n", "cycles", 0, 1).error, None)
        self.expect(
            "the mean is in the table",
            "| 1 | 0 | 25.0 | +25.0 | `n` |" in report.summary([rows.Result(CARD, "g", "n", "cycles", 80, 100)]),
        )

    def test_the_shortest_run_of_a_launch_counts(self):
        first, second = (self.write(f"{n}.csv", printed(times)) for n, times in enumerate([(9, 5, 7), (8, 6, 7)]))
        done = run(*PYTHON, "scripts.silicon.profile", first, second)
        lines = done.out.splitlines()
        self.equal(
            "launches",
            [line.split(",")[:3] for line in lines[1:]],
            [["copy:n=64", "0", "8"], ["atax:rows=8", "0", "5"], ["atax:rows=8", "1", "7"]],
        )
        short = self.write("short.csv", printed((9, 5)))
        self.refused("a launch is missing", lambda: profile.launches(short), "found 2 profiled launches, expected 3")

    def test_wrong_files_are_refused(self):
        bad = {
            "no column": ("test,arguments,unit\n", 'found no column "value"'),
            "no number": ("test,arguments,value,unit\nbarrier,warps=1,fast,cycles\n", "found 'fast' for \"value\""),
            "no finite number": ("test,arguments,value,unit\nbarrier,warps=1,nan,cycles\n", 'found nan for "value"'),
        }
        for name, (text, words) in bad.items():
            path = self.write("x.csv", text)
            self.refused(name, lambda p=path: rows.kept(p), words)
        done = run(*PYTHON, "scripts.silicon", PROGRAM, "--data", self.folder, "--only", "barrier")
        self.ended("an empty folder", done, False, "found no latency.csv", lines=1)

    def test_other_cards(self):
        chain = [34.0] * 6 + [100, 266.0] + [265.0] * 6 + [400] + [652.0] * 6
        lines = [f"h100_pcie,{n},1,{v}\n" for n, v in enumerate(chain)] + ["l4,1,1,30\n"]
        self.write("latency.csv", "card,file_row,footprint_kib,cycles_per_load\n" + "".join(lines))
        found = others.read(self.folder)
        self.equal(
            "plateaus of a chain",
            [(r.card, r.test, r.arguments["kib"], r.measured) for r in found],
            [
                ("h100-pcie", "latency_l1", 16, 34),
                ("h100-pcie", "latency_l2", 2048, 265),
                ("h100-pcie", "latency_l2", 131072, 652),
            ],
        )
        self.write("latency.csv", "card,file_row,footprint_kib,cycles_per_load\nh100_pcie,1,1,30\n")
        self.refused("no plateaus", lambda: others.read(self.folder), "found 0 plateaus of h100_pcie")
        (self.folder / "latency.csv").unlink()
        self.write(
            "h100_kernels.csv",
            "program,arguments,cycles_at_1755_mhz\natax,size=48 blockDimX=16,9\ngemm,size=48 blockDimX=16,9\n"
            "emptykernel,thread=32 block=4,7\nscan-short,size=4096 arrayLength=512,5\nmergesort,size=1024,3\n",
        )
        self.equal(
            "workloads of an H100",
            [getattr(r, "workload", None) or r.arguments for r in others.read(self.folder)],
            ["atax:rows=48,columns=48,block=16", {"threads": 32, "blocks": 4}, "merge_sort:n=1024"],
        )
        self.write("qv100_cycles.csv", "program,hardware_cycles\nparboil-mri-q/_i_x,9\nscan/NO_ARGS,9\n")
        self.equal("workloads of a V100", others.read(self.folder)[-1].workload, "mriq:voxels=32768,samples=3072")

    def test_sectors_of_a_v100(self):
        columns = {"Kernel": "_Z15sobolGPU_kernelj", "Elapsed_Cycles": "200000", **dict.fromkeys(others.COUNTS, "8")}
        self.write("qv100_sectors.csv", ",".join(columns) + "\n" + ",".join(columns.values()) + "\n")
        counters = dict.fromkeys(("l1d.accesses", "l1d.hits", "l2.reads", "l2.writes", "dram.reads"), 16) | {
            "l1d.writes": 0,
            "l1d.merged": 0,
            "l2.far.reads": 4,
            "l2.far.writes": 2,
        }
        found = others.read(self.folder)
        self.expect("it is long", others.is_long(found[0]))
        self.expect("a short one", not others.is_long(others.Run("v100", "vecadd", others.LONG_CYCLES)))
        results = list(found[0].results(counters))
        self.equal(
            "sectors",
            [(r.group, r.measured, r.simulated) for r in results],
            [
                ("L1 read sectors", 16, 16),
                ("L1 read hits", 8, 16),
                ("L1 write sectors", 16, 0),
                ("L2 read sectors", 16, 12),
                ("L2 write sectors", 16, 14),
                ("DRAM read sectors", 8, 16),
            ],
        )


if __name__ == "__main__":
    sys.exit(main("silicon-selftest", Silicon))
