# SPDX-License-Identifier: Apache-2.0
"""Workloads that are shapes and not programs: each repeats one pattern of instructions, so that one rule of the machine decides its time.

A shape is a function with the mark @shape: it returns its kernels.  A kernel has a program for each warp, a function of block and warp that fills a Program.
write() makes the traces that a tracer of Volta would write; both programs read these files.  Numbers that look random are hashes of their position, so a
trace is always the same."""
from dataclasses import dataclass, field

LANES = 32
LINE = 128
FULL = (1 << LANES) - 1
ARRAY, OUTPUT = 0x10000000, 0x20000000

SHAPES = {}


def shape(make):
    SHAPES[make.__name__.replace("_", "-")] = make
    return make


@dataclass
class Program:
    """Instructions of a warp, as lines of a trace."""

    lanes: int = FULL
    lines: list = field(default_factory=list)

    def put(self, opcode, dst=(), src=(), memory="0", lanes=None):
        mask = self.lanes if lanes is None else lanes & self.lanes
        registers = [f"{len(regs)}" + "".join(f" R{r}" for r in regs) for regs in (dst, src)]
        self.lines.append(f"{16 * len(self.lines):04x} {mask:08x} {registers[0]} {opcode} {registers[1]} {memory} 0 \n")

    def alu(self, dst, *src, opcode="FFMA"):
        self.put(opcode, (dst,), src)

    def access(self, opcode, at, size=4, dst=(), src=(), lanes=None):
        """at: the address of a lane, a function."""
        mask = self.lanes if lanes is None else lanes & self.lanes
        active = [at(lane) for lane in range(LANES) if mask >> lane & 1]
        steps = [b - a for a, b in zip(active, active[1:])]
        self.put(opcode, dst, src, " ".join(map(str, (size, 2, f"{active[0]:#x}", *steps))), lanes)

    def load(self, dst, at, size=4, src=(2,), lanes=None):
        self.access("LDG.E" + WIDTH[size], at, size, (dst,), src, lanes)

    def store(self, data, at, size=4, lanes=None):
        self.access("STG.E" + WIDTH[size], at, size, (), (2, data), lanes)


WIDTH = {1: ".U8", 2: ".U16", 4: "", 8: ".64", 16: ".128"}


@dataclass
class Kernel:
    blocks: int
    threads: int
    fill: object  # (program, block, warp)
    shared: int = 0
    registers: int = 32

    def text(self, name, number):
        yield f"-kernel name = {name}\n-kernel id = {number}\n-grid dim = ({self.blocks},1,1)\n-block dim = ({self.threads},1,1)\n"
        yield f"-shmem = {self.shared}\n-nregs = {self.registers}\n-binary version = 70\n-cuda stream id = 0\n"
        yield "-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007f0002000000\n-nvbit version = 1.5.5\n"
        yield "-accelsim tracer version = 4\n-enable lineinfo = 0\n\n"
        yield "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [addresses] immediate\n\n"
        for block in range(self.blocks):
            yield f"#BEGIN_TB\n\nthread block = {block},0,0\n"
            for warp in range(-(-self.threads // LANES)):
                program = Program(FULL >> max(0, LANES - (self.threads - LANES * warp)))
                self.fill(program, block, warp)
                program.put("EXIT")
                yield f"\nwarp = {warp}\ninsts = {len(program.lines)}\n"
                yield from program.lines
            yield "\n#END_TB\n\n"


def write(name, folder):
    """Writes the traces of a shape into a new folder."""
    folder.mkdir()
    kernels = SHAPES[name]()
    names = [f"kernel-{i}.traceg" for i in range(1, len(kernels) + 1)]
    for i, (kernel, file) in enumerate(zip(kernels, names), 1):
        (folder / file).write_text("".join(kernel.text(name, i)), encoding="utf-8")
    (folder / "kernelslist.g").write_text("".join(f"{file}\n" for file in names), encoding="utf-8")


def mixed(*words):
    """A hash of numbers, 32 bits."""
    h = 0x9E3779B9
    for word in words:
        h = (h ^ word) * 0x85EBCA6B & 0xFFFFFFFF
        h ^= h >> 13
    return h * 0xC2B2AE35 >> 7 & 0xFFFFFFFF


def row(base, number):
    """The addresses of neighbouring words: row `number` of 128 bytes."""
    return lambda lane: base + LINE * number + 4 * lane


def one_load(p, b, w):
    """Of the whole kernel: the reference has no mean latency without one."""
    if not b and not w:
        p.load(4, row(ARRAY, 0))
        p.alu(4, 4, 4, opcode="FADD")


@shape
def empty():
    """Thread blocks that only end."""
    return [Kernel(9600, 64, one_load)]


@shape
def small_blocks():
    """Many thread blocks of a warp, each with a load, an addition and a store."""

    def fill(p, b, w):
        p.load(4, row(ARRAY, b))
        p.alu(5, 4, 4, opcode="FADD")
        p.store(5, row(OUTPUT, b))

    return [Kernel(2400, 32, fill)]


@shape
def chase():
    """Each load needs the one before; its lanes are in one line of 512 KiB."""

    def fill(p, b, w):
        for i in range(48):
            line = mixed(b, w, i) % 4096
            p.load(2, lambda lane: ARRAY + LINE * line + 4 * lane)

    return [Kernel(30, 64, fill)]


@shape
def three_lines():
    """Lanes three lines apart: 32 accesses a load, of sets in an uneven order."""

    def fill(p, b, w):
        for i in range(4):
            p.load(4 + i, lambda lane: ARRAY + 3 * LINE * (LANES * (4 * b + w) + lane) + 32 * i)
        p.alu(8, 4, 5, 6)
        p.alu(8, 8, 7)

    return [Kernel(60, 64, fill)]


@shape
def stores():
    """Stores of whole lines, and nothing else."""

    def fill(p, b, w):
        for i in range(12):
            p.store(4, row(OUTPUT, 12 * (4 * b + w) + i))

    return [Kernel(120, 128, fill)]


@shape
def partial_stores():
    """Stores of one word in four of a line."""

    def fill(p, b, w):
        for i in range(8):
            p.store(4, lambda lane: OUTPUT + 16 * (LANES * (8 * (4 * b + w) + i) + lane))

    return [Kernel(60, 128, fill)]


@shape
def l2_reuse():
    """Three kernels: one writes 192 KiB, two read them, in the L2 but in no L1D."""
    rows = 1536

    def produce(p, b, w):
        for i in range(4):
            p.store(4, row(ARRAY, 4 * (4 * b + w) + i))

    def consume(shift):
        def fill(p, b, w):
            for i in range(4):
                p.load(4 + i, row(ARRAY, (4 * (4 * b + w) + i + shift) % rows))
            p.alu(8, 4, 5, 6)
            p.alu(8, 8, 7)

        return fill

    return [
        Kernel(rows // 16, 128, produce),
        Kernel(rows // 16, 128, consume(700)),
        Kernel(rows // 16, 128, consume(300)),
    ]


@shape
def unified_l1d():
    """Four kernels whose shared memory leaves L1Ds of several sizes: a thread block reads 37.5 or 75 KiB twice."""

    def twice(lines):
        def fill(p, b, w):
            for i in 2 * [*range(w, lines, 2)]:
                p.load(4 + i // 2 % 4, row(ARRAY, 1024 * b + i))

        return fill

    return [Kernel(8, 64, twice(lines), shared) for lines, shared in ((300, 65536), (300, 0), (600, 40000), (600, 0))]


@shape
def l1d_edge():
    """Every warp reads 20 KiB again and again: a little more than an L1D of 16 KiB."""

    def fill(p, b, w):
        for i in range(160):
            p.load(4 + i % 4, row(ARRAY, (i + 20 * w) % 160))
            p.alu(8, 4 + i % 4, 8, opcode="FADD")

    return [Kernel(60, 128, fill)]


@shape
def partial_warps():
    """Blocks of 48 threads; a load of few lanes, which differ from one to the next."""

    def fill(p, b, w):
        for i in range(10):
            lanes = mixed(b, w, i) | 1
            p.load(4, lambda lane: ARRAY + 4 * (mixed(b, i) % 65536 + 8 * lane), lanes=lanes)
            p.alu(5, 4, 5, opcode="FADD")
        p.store(5, row(OUTPUT, 2 * b + w))

    return [Kernel(240, 48, fill)]


@shape
def mixed_widths():
    """Loads and stores of 1, 2, 4, 8 and 16 bytes a lane."""

    def fill(p, b, w):
        for i, size in enumerate((1, 2, 4, 8, 16, 4, 2, 16)):
            at = ARRAY + 65536 * 8 * i + size * LANES * (4 * b + w)
            p.load(4, lambda lane: at + size * lane, size)
            p.alu(5, 4, 5, opcode="IADD3")
            p.store(5, lambda lane: at + 0x8000000 + size * lane, size)

    return [Kernel(120, 128, fill)]


@shape
def three_sources():
    """Independent multiply-adds of three registers."""

    def fill(p, b, w):
        one_load(p, b, w)
        for i in range(240):
            p.alu(4 + i % 8, 12 + i % 5, 17 + i % 3, 20 + i % 7)

    return [Kernel(60, 192, fill)]


@shape
def one_bank():
    """Multiply-adds whose three registers are in one of 8 or 16 banks."""

    def fill(p, b, w):
        one_load(p, b, w)
        for i in range(160):
            p.alu(4 + i % 4, 8 + i % 8, 24 + i % 8, 40 + i % 8)

    return [Kernel(60, 192, fill, registers=48)]


@shape
def mufu():
    """A result of the SFU in every third instruction, each needed by the next but one."""

    def fill(p, b, w):
        one_load(p, b, w)
        for i in range(60):
            p.alu(4 + i % 4, 8 + i % 4, opcode="MUFU.RCP")
            p.alu(8 + i % 4, 8 + i % 4, 12, 13)
            p.alu(12, 4 + i % 4, 8 + i % 4, opcode="FMUL")

    return [Kernel(60, 128, fill)]


@shape
def barriers():
    """Warps write shared memory, wait for each other and read the words of the next one."""

    def fill(p, b, w):
        one_load(p, b, w)
        for i in range(24):
            p.access("STS", lambda lane: 4 * (LANES * w + lane), src=(2, 4))
            p.put("BAR.SYNC")
            p.access("LDS", lambda lane: 4 * (LANES * ((w + 1) % 8) + lane), dst=(4,), src=(3,))
            p.alu(4, 4, 5, opcode="FADD")
            p.put("BAR.SYNC")

    return [Kernel(45, 256, fill, shared=1024)]


@shape
def bank_strides():
    """Loads of shared memory with strides of 1, 2, 4, 8 and 33 words."""

    def fill(p, b, w):
        one_load(p, b, w)
        for i in range(40):
            stride = (1, 2, 4, 8, 33)[i % 5]
            p.access("LDS", lambda lane: 4 * (stride * lane % 2048), dst=(4 + i % 4,), src=(2,))
            p.alu(8, 4 + i % 4, 8, opcode="FADD")

    return [Kernel(60, 128, fill, shared=8192)]


@shape
def atomics():
    """Reductions of random lanes into 64 words: many lanes of a warp meet."""

    def fill(p, b, w):
        one_load(p, b, w)
        for i in range(6):
            p.alu(4, 4, 5, opcode="IADD3")
            p.access("RED.E.ADD", lambda lane: OUTPUT + 4 * (mixed(b, w, i, lane) % 64), src=(2, 4))

    return [Kernel(30, 128, fill)]


@shape
def one_counter():
    """The first lane of each warp adds to one word and waits for its old value."""

    def fill(p, b, w):
        one_load(p, b, w)
        for i in range(8):
            p.access("ATOMG.E.ADD", lambda lane: OUTPUT, dst=(4,), src=(2, 5), lanes=1)
            p.alu(5, 4, 5, opcode="IADD3")

    return [Kernel(30, 128, fill)]


@shape
def scattered():
    """Each lane reads a line of its own, anywhere in 4 MiB."""

    def fill(p, b, w):
        for i in range(5):
            p.load(4, lambda lane: ARRAY + 32 * (mixed(b, w, i, lane) % 131072))
            p.alu(5, 4, 5, opcode="FADD")

    return [Kernel(60, 64, fill)]


@shape
def uneven():
    """One thread block in sixteen is twenty times as long as the others."""

    def fill(p, b, w):
        for i in range(60 if b % 16 == 0 else 3):
            p.load(4, row(ARRAY, mixed(b, w, i) % 32768))
            p.alu(5, 4, 5, 6)
        p.store(5, row(OUTPUT, 4 * b + w))

    return [Kernel(240, 128, fill)]
