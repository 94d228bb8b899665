# SPDX-License-Identifier: Apache-2.0
"""Rows of other cards, from the files of a folder (SILICON=): those that have a machine and a program here.

A file names a program and its arguments; PROGRAMS and the tables beside it give memtwin's workload.  Programs of several
forms, of inputs that are not known, and those that take hours are left out.
"""
import statistics
from dataclasses import dataclass

from scripts.silicon.rows import Bad, Result, Shape, number, table, words

CARDS = {"h100_pcie": "h100-pcie", "v100": "v100", "a100_40": "a100"}  # a name in the files: the machine
FLAT = 0.015  # of a plateau: the most that a value differs from the one before it
LONG = 5  # and the fewest values
LONG_CYCLES = 150_000  # of a program, measured
EMPTY_BLOCKS = 8192  # larger grids of empty kernels take minutes, and start at the same rate

L1_KIB, L2_KIB, DRAM_KIB = 16, 2048, 131072  # footprints that each level holds
BANDWIDTHS = {  # test of the file, footprint in KiB: test and arguments of a shape
    ("gpu-cache", 16): ("l1_bandwidth", {"kib": 16}),
    ("gpu-cache", 64): ("l1_bandwidth", {"kib": 64}),
    ("gpu-l2-cache", 8192): ("read_bandwidth", {"mib": 4, "bytes_of_a_load": 16}),
    ("gpu-l2-cache", 411648): ("read_bandwidth", {"mib": 1024, "bytes_of_a_load": 16}),
}


@dataclass
class Run:
    """A whole program of which one count was measured."""

    card: str
    workload: str
    measured: float

    def simulate(self, machine):
        return machine.run(self.workload, "l2.host_copies=true")["counters"]["gpu.cycles"]

    def results(self, value):
        name = self.workload.partition(":")[0]
        return [Result(self.card, f"cycles of {name}", self.workload, "cycles", self.measured, value)]


@dataclass
class Sectors:
    """A kernel of which the profiler counted sectors.  A merge with a miss in flight counts as a hit."""

    card: str
    workload: str
    row: dict

    def simulate(self, machine):
        return machine.run(self.workload)["counters"]

    def results(self, value):
        measured = {k: number(self.row, k) for k in COUNTS}
        sums = {
            "L1 read sectors": ("L1_RH", "L1_RM"),
            "L1 read hits": ("L1_RH",),
            "L1 write sectors": ("L1_WH", "L1_WM"),
            "L2 read sectors": ("L2_RH", "L2_RM"),
            "L2 write sectors": ("L2_WH", "L2_WM"),
            "DRAM read sectors": ("DRAM_Rd",),
        }
        here = {
            "L1 read sectors": value["l1d.accesses"] - value["l1d.writes"],
            "L1 read hits": value["l1d.hits"] + value["l1d.merged"],
            "L1 write sectors": value["l1d.writes"],
            "L2 read sectors": value["l2.reads"] - value["l2.far.reads"],
            "L2 write sectors": value["l2.writes"] - value["l2.far.writes"],
            "DRAM read sectors": value["dram.reads"],
        }
        for group, columns in sums.items():
            yield Result(self.card, group, self.workload, "sectors", sum(measured[c] for c in columns), here[group])


COUNTS = ("L1_RH", "L1_RM", "L1_WH", "L1_WM", "L2_RH", "L2_RM", "L2_WH", "L2_WM", "DRAM_Rd")

# ---- h100_kernels.csv: the workload of each program, from the arguments of the row.


def square(name, *sides, block=None):
    """A program of Polybench of one size; of planes, those with thread blocks as wide as here."""

    def of(size, blockDimX):
        if block is None and blockDimX != 32:
            return None
        return f"{name}:" + ",".join([f"{s}={size}" for s in sides] + ([f"block={blockDimX}"] if block else []))

    return of


def arrays(name):
    return lambda size, arrayLength: (
        f"{name}:arrays={size // arrayLength},length={arrayLength}" if arrayLength >= SHORTEST[name] else None
    )


SHORTEST = {"scan": 1024, "sorting_net": 64}
PROGRAMS = {
    "vectoradd": lambda size: f"vecadd:n={size}",
    "atax": square("atax", "rows", "columns", block=True),
    "bicg": square("bicg", "rows", "columns", block=True),
    "gesummv": square("gesummv", "rows", "columns", block=True),
    "mvt": square("mvt", "n", block=True),
    "gemm": square("gemm", "ni", "nj", "nk"),
    "2mm": square("2mm", "ni", "nj", "nk", "nl"),
    "3mm": square("3mm", "ni", "nj", "nk", "nl", "nm"),
    "syrk": square("syrk", "n", "m"),
    "2dconv": square("2dconv", "rows", "columns"),
    "3dconv": square("3dconv", "ni", "nj", "nk"),
    "scalarprod": lambda vectorN, elementN: f"scalarprod:vectors={vectorN},elements={elementN}",
    "fastwalshtransform": lambda log2data, log2kernel: f"fwt:log2n={log2data},log2kernel={log2kernel}",
    "mergesort": lambda size: f"merge_sort:n={size}" if size & (size - 1) == 0 else None,
    "scan-short": arrays("scan"),
    "scan-long": arrays("scan"),
    "sortingnetworks-bitonic": arrays("sorting_net"),
}

# ---- qv100_cycles.csv and qv100_sectors.csv: programs with their default arguments.
CYCLES = {
    "vectorAdd/__size_4000000": "vecadd:n=4000000",
    "vectorAdd/__size_6000000": "vecadd:n=6000000",
    "fastWalshTransform/_logK_11__logD_19": "fwt:log2n=19,log2kernel=11",
    "fastWalshTransform/_logK_7__logD_21": "fwt:log2n=21,log2kernel=7",
    "convolutionSeparable/__size_3072": "convsep:width=3072,height=3072",
    "parboil-sgemm/": "sgemm:m=1024,n=1056,k=992",
    "parboil-mri-q/": "mriq:voxels=32768,samples=3072",
    "parboil-stencil/": "stencil:nx=128,ny=128,nz=32,iterations=100",
    "polybench-2DConvolution/": "2dconv:rows=4096,columns=4096",
    "polybench-3DConvolution/": "3dconv:ni=256,nj=256,nk=256",
    "polybench-3mm/": "3mm",
    "polybench-atax/": "atax:rows=4096,columns=4096,block=256",
    "polybench-bicg/": "bicg:rows=4096,columns=4096,block=256",
    "polybench-gemm/": "gemm:ni=512,nj=512,nk=512",
    "polybench-gesummv/": "gesummv:rows=4096,columns=4096,block=256",
    "polybench-mvt/": "mvt:n=4096,block=256",
}
KERNELS = {
    "mysgemmNT": "sgemm:m=1024,n=1056,k=992",
    "fwtBatch2Kernel": "fwt:log2n=23,only=fwtBatch2Kernel,launches=1",
    "fwtBatch1Kernel": "fwt:log2n=23,only=fwtBatch1Kernel,launches=1",
    "histogram64Kernel": "histogram:n=16777216,bins=64,only=histogram64Kernel",
    "quasirandomGeneratorKernel": "quasirandom:only=quasirandomGeneratorKernel",
    "inverseCNDKernel": "quasirandom:only=inverseCNDKernel",
    "sobolGPU_kernel": "sobol",
}


def is_long(row):
    """Takes minutes to simulate."""
    measured = {Run: lambda: row.measured, Sectors: lambda: number(row.row, "Elapsed_Cycles")}
    return type(row) in measured and measured[type(row)]() > LONG_CYCLES


def plateaus(values):
    """Medians of the runs of values that hardly differ from one to the next."""
    runs = [[values[0]]]
    for v in values[1:]:
        if abs(v / runs[-1][-1] - 1) < FLAT:
            runs[-1].append(v)
        else:
            runs.append([v])
    return [statistics.median(r) for r in runs if len(r) >= LONG]


def latencies(path):
    """latency.csv: a chain of loads by its size, of which the plateaus are those of L1, L2 and DRAM."""
    of = {}
    for r in table(path, ["card", "file_row", "cycles_per_load"]):
        of.setdefault(r["card"], []).append((number(r, "file_row"), number(r, "cycles_per_load")))
    for card, found in of.items():
        if card not in CARDS:
            continue
        levels = plateaus([cycles for _, cycles in sorted(found)])
        if len(levels) < 3:
            raise Bad(f"{path}: found {len(levels)} plateaus of {card}, expected those of L1, L2 and DRAM")
        for test, kib, cycles in zip(
            ("latency_l1", "latency_l2", "latency_l2"), (L1_KIB, L2_KIB, DRAM_KIB), (levels[0], levels[1], levels[-1])
        ):
            yield Shape(CARDS[card], test, {"kib": kib, "order": "random"}, cycles, "cycles")


def bandwidths(path):
    for r in table(path, ["card", "test", "footprint_kib", "gb_per_s"]):
        shape = BANDWIDTHS.get((r["test"], number(r, "footprint_kib")))
        if r["card"] in CARDS and shape:
            yield Shape(CARDS[r["card"]], *shape, number(r, "gb_per_s"), "GB/s")


def kernels(path):
    for r in table(path, ["program", "arguments", "cycles_at_1755_mhz"]):
        arguments, cycles = words(r["arguments"]), number(r, "cycles_at_1755_mhz")
        if r["program"] == "emptykernel" and arguments["block"] <= EMPTY_BLOCKS:
            shape = {"threads": arguments["thread"], "blocks": arguments["block"]}
            yield Shape("h100-pcie", "empty_kernel", shape, cycles, "cycles")
        workload = PROGRAMS[r["program"]](**arguments) if r["program"] in PROGRAMS else None
        if workload:
            yield Run("h100-pcie", workload, cycles)


def named(text, names):
    return next(
        (value for key, value in names.items() if text == key or (key.endswith("/") and text.startswith(key))), None
    )


def cycles_of_v100(path):
    for r in table(path, ["program", "hardware_cycles"]):
        workload = named(r["program"], CYCLES)
        if workload:
            yield Run("v100", workload, number(r, "hardware_cycles"))


def sectors_of_v100(path):
    for r in table(path, ["Kernel", "Elapsed_Cycles", *COUNTS]):
        workload = next((w for kernel, w in KERNELS.items() if kernel in r["Kernel"]), None)
        if workload:
            yield Sectors("v100", workload, r)


FILES = {
    "latency.csv": latencies,
    "bandwidth.csv": bandwidths,
    "h100_kernels.csv": kernels,
    "qv100_cycles.csv": cycles_of_v100,
    "qv100_sectors.csv": sectors_of_v100,
}


def read(folder):
    """The rows of the files that the folder has; one at least."""
    there = [name for name in FILES if (folder / name).is_file()]
    if not there:
        raise Bad(f"{folder}: found no {' or '.join(FILES)}, expected a folder with one of them")
    return [r for name in there for r in FILES[name](folder / name)]
