# SPDX-License-Identifier: Apache-2.0
"""Traces that measure memtwin's machine as measure.cu measures a GPU: one for each row that has a counterpart.

A shape is two traces, `more` and `less`, and the number of units in which they differ; its value is the difference of their cycles for
each unit.  So neither the launch nor the accesses that warm a cache count.
"""
import random
from dataclasses import dataclass

LINE = 128
BASE = 0x10000000
MIB = 1 << 20
L2_MIB = 20  # a footprint of this size is in the near half of the L2 whole
FAR_MIB = 56  # and of one of this size no half holds a line when it comes again
COLD_LINES = 4096


@dataclass
class Shape:
    """Two workloads as text, and the units between them."""

    more: str
    less: str
    units: float
    unit: str = "cycles"


class Kernel:
    """A kernel of equal thread blocks, each a list of warps, each a list of instructions."""

    def __init__(self, blocks, threads, warp):
        self.blocks, self.threads, self.warp = blocks, threads, warp

    def text(self):
        places = {}  # instructions that differ in their address alone are one instruction of the program
        yield f"kernel grid={self.blocks} block={self.threads} regs=64 name=shape"
        for b in range(self.blocks):
            yield f"block {b}"
            for w in range((self.threads + 31) // 32):
                yield f"warp {w}"
                for line in self.warp(b, w):
                    yield f"{line} pc={8 * places.setdefault(line.partition(' at=')[0], len(places))}"
                yield "exit"


def trace(kernels, bytes_):
    lines = ["memtwin-trace 1", f"alloc 0x{BASE:x} {bytes_} memory"]
    for k in kernels:
        lines += k.text()
    return "\n".join(lines) + "\n"


def at(byte):
    return f"at=0x{BASE + byte:x}"


# ------------------------------------------------------------------------------------------------------------------- loads


def chase(test, kib, **_):
    """A chain of loads through all lines of a footprint: warmed by one lap, or of lines that no cache holds."""
    level = "load" if test == "latency_l1" else "load_l2"
    lines = kib * 1024 // LINE
    cold = kib >= FAR_MIB * 1024
    order = random.Random(1).sample(range(lines), min(lines, 1 << 18) if cold else lines)
    timed = order[:COLD_LINES] if cold else order[: min(lines, 8192)]
    warm = [] if cold else order

    def warp(sequence):
        return lambda b, w: (f"{level}.8 dst=r2 src=r2 lanes=0 {at(n * LINE)}" for n in sequence)

    size = kib * 1024
    kernels = [Kernel(1, 32, warp(s)) for s in (warm + timed, warm or order[:1])]
    return Shape(trace(kernels[:1], size), trace(kernels[1:], size), len(timed) - (not warm))


def again(kernel, size, units):
    """The second of two runs of one thread block.  Thread blocks go to the SMs in turn, and every second SM is at the
    same half of the L2: an empty one between them lets the second find what the first left there."""
    empty = Kernel(1, 32, lambda b, w: ())
    return Shape(trace([kernel, empty, kernel], size), trace([kernel, empty], size), units)


LANES = {
    "one": (1, 4, 1),
    "line": (32, 4, 1),
    "gather": (32, LINE, 32),
}  # active lanes, bytes from lane to lane, lines of a load


def in_flight(lanes, warps, burst, **_):
    """Each warp of an SM sends some independent loads that miss the L1D and hit the L2, waits for all, and goes on."""
    active, stride, lines = LANES[lanes]
    rounds = min(max(4096 // (warps * burst * lines), 2), 64)
    mask = f"lanes=0-{active - 1}" if active > 1 else "lanes=0"

    def warp(b, w):
        for r in range(rounds):
            for n in range(burst):
                first = ((r * warps + w) * burst + n) * lines * LINE
                yield f"load.4 dst=r{2 + n} src=r1 {mask} {at(first)}+{stride}"
            yield from (f"sp dst=r1 src=r1,r{2 + n}" for n in range(burst))

    kernel = Kernel(1, warps * 32, warp)
    size = rounds * warps * burst * lines * LINE + LINE * 32
    return again(kernel, size, rounds * warps * burst * lines)


def merge(warps, **_):
    """All warps of an SM load the same line, which is in the L2 alone; then the next."""

    def warp(b, w):
        for r in range(256):
            yield f"load.4 dst=r2 src=r1 {at(r * LINE)}+4"
            yield "sp dst=r1 src=r1,r2"
            yield "barrier"

    kernel = Kernel(1, warps * 32, warp)
    return again(kernel, 256 * LINE, 256)


def repeated(rounds, base, instructions, threads=1024, blocks=1, units=1.0, size=16 * MIB):
    """A kernel with `rounds` + `base` rounds of instructions beside one with `base`."""

    def warp(count):
        return lambda b, w: (line for r in range(count) for line in instructions(b, w, r))

    more, less = (Kernel(blocks, threads, warp(n)) for n in (base + rounds, base))
    return Shape(trace([more], size), trace([less], size), rounds * units)


def l1_hit_width(stride_bytes, **_):
    def instructions(b, w, r):
        for n in range(8):
            yield f"load.4 dst=r{2 + n} src=r1 {at(n * 8192)}+{stride_bytes}"
        yield from (f"sp dst=r1 src=r1,r{2 + n}" for n in range(8))

    return repeated(16, 2, instructions, units=32 * 8)


# ------------------------------------------------------------------------------------------------ stores, atomics, arithmetic


def store_rate(stride_bytes, **_):
    return repeated(
        64, 8, lambda b, w, r: [f"store.4 src=r1,r2 {at(w * 262144 + r % 64 * 4096)}+{stride_bytes}"], units=32
    )


TARGETS = {"one_word": 0, "words_of_a_line": 4, "word_a_line": LINE}


def atomic_latency(target, lanes, **_):
    mask = f"lanes=0-{lanes - 1}" if lanes > 1 else "lanes=0"
    return repeated(64, 8, lambda b, w, r: [f"atomic.4 dst=r1 src=r1,r2 {mask} {at(0)}+{TARGETS[target]}"], threads=32)


def atomic_rate(target, warps_share, sms, warps, **_):
    if sms > 1 and warps > 8:
        return None

    def instructions(b, w, r):
        return [f"atomic.4 src=r1,r2 {at(0 if warps_share == 'yes' else (b * warps + w) * 4096)}+{TARGETS[target]}"]

    return repeated(16, 4, instructions, threads=warps * 32, blocks=sms, units=sms * warps, size=64 * MIB)


INSTRUCTIONS = {
    "ffma": "sp dst=r1 src=r1,r2",
    "imad": "int dst=r1 src=r1,r2",
    "mufu": "sfu dst=r1 src=r1",
    "shared_load": "shared_load.4 dst=r1 src=r1 at=0+4",
}


def instruction(of, warps, **_):
    if of not in INSTRUCTIONS:
        return None
    return repeated(256, 32, lambda b, w, r: [INSTRUCTIONS[of]], threads=warps * 32)


def barrier(warps, **_):
    return repeated(256, 32, lambda b, w, r: ["barrier"], threads=warps * 32)


def block_rate(threads, **_):
    more, less = (
        Kernel(n, threads, lambda b, w: [f"store.8 src=r1,r2 lanes=0 {at(b * 8)}"] if w == 0 else [])
        for n in (16896, 8448)
    )
    return Shape(trace([more], MIB), trace([less], MIB), 8448, "ns_per_block")


def empty(blocks, threads):
    return Kernel(blocks, threads, lambda b, w: [])


def launch(threads, blocks, **_):
    """A kernel of empty thread blocks after another; of fewer, the host launches them more slowly than they run."""
    if blocks < 8448 or blocks * threads > 8448 * 1024:
        return None
    return Shape(trace([empty(blocks, threads)] * 2, MIB), trace([empty(blocks, threads)], MIB), 1, "ns_per_kernel")


def empty_kernel(threads, blocks, **_):
    return Shape(trace([empty(blocks, threads)] * 2, MIB), trace([empty(blocks, threads)], MIB), 1)


# --------------------------------------------------------------------------------------------------------------- bandwidths


def stream(operation, bytes_, blocks, lane_bytes, span, steps):
    """Each of `steps` instructions of a warp accesses the next `span` bytes of a footprint; eight loads are in flight."""

    def warp(b, w):
        for s in range(steps):
            first = ((s * blocks + b) * 32 + w) * span % bytes_
            if operation == "store":
                yield f"store.4 src=r1,r2 {at(first)}+{span // 32}"
            else:
                yield f"load_l2.{lane_bytes} dst=r{2 + s % 8} src=r1 {at(first)}+{lane_bytes}"
                if s % 8 == 7:
                    yield from (f"sp dst=r1 src=r1,r{2 + n}" for n in range(8))

    return Kernel(blocks, 1024, warp)


def streamed(operation, mib, blocks, lane_bytes, span):
    """A footprint after a lap that has warmed it, or a lap through one that no cache holds, after its beginning."""
    bytes_ = min(mib, 64) * MIB
    step = blocks * 32 * span
    lap = (bytes_ // step + 7) // 8 * 8
    less, more = (8, max(lap - 8, 16)) if mib > L2_MIB else (lap, lap + max(lap, 16))
    kernels = (stream(operation, bytes_, blocks, lane_bytes, span, n) for n in (more, less))
    return Shape(*(trace([k], bytes_) for k in kernels), (more - less) * step, "GB/s")


def l1_bandwidth(kib, sms, **_):
    """An SM, one of `sms`, reads a footprint again and again, a line a warp instruction; eight loads are in flight."""
    lines = kib * 1024 // LINE

    def instructions(b, w, r):
        for n in range(8):
            yield f"load.4 dst=r{2 + n} src=r1 {at((r * 256 + n * 32 + w) % lines * LINE)}+4"
        yield from (f"sp dst=r1 src=r1,r{2 + n}" for n in range(8))

    s = repeated(128, 32, instructions)
    return Shape(s.more, s.less, sms * 128 * 256 * LINE, "GB/s")


def read_bandwidth(mib, bytes_of_a_load, **_):
    return streamed("load", mib, 264, bytes_of_a_load, 32 * bytes_of_a_load) if mib in (4, 16, 1024) else None


def read_bandwidth_of_sms(sms, bytes_of_a_load, **_):
    return streamed("load", 4, sms, bytes_of_a_load, 32 * bytes_of_a_load)


def write_bandwidth(mib, bytes_of_a_sector, **_):
    if mib not in (4, 16, 1024):
        return None
    s = streamed("store", mib, 264, 4, 128 if bytes_of_a_sector == 32 else 1024)
    s.units *= bytes_of_a_sector / 32
    return s


SHAPES = {
    f.__name__: f
    for f in (
        in_flight,
        merge,
        l1_hit_width,
        store_rate,
        atomic_latency,
        atomic_rate,
        instruction,
        barrier,
        block_rate,
        launch,
        empty_kernel,
        l1_bandwidth,
        read_bandwidth,
        read_bandwidth_of_sms,
        write_bandwidth,
    )
}
SHAPES |= {"latency_l1": chase, "latency_l2": chase}


def of(test, arguments):
    """The shape of a row, or None where the machine has no counterpart."""
    return SHAPES[test](test=test, **arguments) if test in SHAPES else None
