# SPDX-License-Identifier: Apache-2.0
"""RTL from outside the tree against a twin: bounded model checking from reset, or induction with a relation between the registers.

Bounded: both sides start in any state, are reset for one cycle, and get the same inputs, any, for `depth` cycles; every output is compared in each.
That the twin itself does nothing undefined is proved with its own RTL, for any state.
Related: the twin's registers are expressions over the RTL's.  For any state of the RTL (in which the relation's invariants hold) and any inputs:
  reset R    after a cycle in reset the expressions give the state after b_reset
  next R     after a step they give the state after b_tick
  output O   outputs are equal
  invariant  each invariant holds after reset and is kept by a step
"""
from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cosim import own_rtl
from cosim.own_rtl import OwnRtl
from tb.prove import icarus
from tb.prove.aig import FALSE, TRUE, Aig
from tb.prove.bitvec import BitVec, Bits, extend
from tb.prove.block import Block, BlockError, Element, Twin, get, put
from tb.prove.cvalues import Object, PointerValue
from tb.prove.equiv import CLOCK, RESET, Equivalence
from tb.prove.replay import Replay, Shown, c_assign, read
from tb.prove.rtl import Json, Rtl, RtlError, elaborate
from tb.prove.solve import Obligation
from tb.prove.tool import ToolError, called

DEPTH = 10  # cycles, if the user names none


class Foreign:
    """A user's RTL for one configuration of a block, as Yosys elaborates it."""

    def __init__(self, own: OwnRtl, cfg: dict[str, int], workdir: Path) -> None:
        self.own, self.top = own, own.module
        known = own_rtl.Design(own).parameters()
        self.params = {n: v for n, v in cfg.items() if n in known}
        self.module = elaborate(
            self.top,
            [*(Path(f'-D{m}') for m in own.macros), *own.files],
            own.include,
            own.libraries,
            self.params,
            workdir / 'rtl.json',
        )

    def check_ports(self, twin: Twin, name: str) -> None:
        listed = {CLOCK: ('input', 1), RESET: ('input', 1)}
        listed |= {e.name: (d + 'put', e.width) for d in ('in', 'out') for e in twin.lists[d]}
        wrong = list(
            own_rtl.wrong_ports(listed, {n: (p['direction'], len(p['bits'])) for n, p in self.module['ports'].items()})
        )
        if wrong:
            raise RtlError(
                f'{self.own.shown()}: the ports of {self.top} are not those of {name}.h:\n    ' + '\n    '.join(wrong)
            )

    def assigned(self, names: list[str]) -> list[str]:
        """The names of register bits that the source assigns as registers.  Other names of the same bits are wires."""
        text = ''.join(own_rtl.code(p) for p in self.own.needs if p.suffix != '.f')
        return [
            n
            for n in names
            if re.search(rf'\b{re.escape(n.split(".")[-1].split("[")[0])}\b\s*(\[[^;<=]*\]\s*)*<=', text)
        ] or names

    def simulate(self, bench: str, folder: Path, more: Sequence[Path] = ()) -> Shown:
        """Lines that a bench prints in Icarus."""
        source = folder / 'replay.v'
        source.write_text(bench)
        icarus.build(
            'replay',
            folder / 'replay.vvp',
            [source, *more, *self.own.files],
            self.own.include,
            self.own.libraries,
            [f'-D{m}' for m in self.own.macros],
        )
        return read(icarus.run(folder / 'replay.vvp'))


def bench(foreign: Foreign, twin: Twin, body: list[str], more: str = '') -> str:
    """A test bench around the module, with registers for its inputs."""
    ports = [('reg', e) for e in twin.lists['in']] + [('wire', e) for e in twin.lists['out']]
    declared = '\n'.join(f'  {kind} [{e.width - 1}:0] {e.name};' for kind, e in ports)
    pins = ', '.join(['.clk_i(clk_i)', '.rst_ni(rst_ni)'] + [f'.{e.name}({e.name})' for _, e in ports])
    given = ', '.join(f'.{n}({v})' for n, v in foreign.params.items())
    return (
        f'// Counterexample of the prover.\nmodule replay;\n  reg clk_i = 1\'b0, rst_ni = 1\'b1;\n{declared}\n  {foreign.top} #({given}) dut ({pins});\n{more}'
        '  initial begin\n    #1;\n' + '\n'.join(body) + '\n    $finish;\n  end\nendmodule\n'
    )


def registers_of(rtl: Rtl) -> dict[str, list[int]]:
    """Name -> bits of each register of a flat module, words of tables apart."""
    return {n: bits for n, bits in rtl.nets.items() if bits and all(b in rtl.next_bit for b in bits)}


class Sided:
    """The RTL with its register bits as literals: outputs and next state."""

    g: Aig
    rtl: Rtl
    twin: Twin
    clock_lit: int

    def bind_state(self, reset: bool, inputs: dict[str, Bits], state: dict[int, int]) -> None:
        self.rtl.unbind()
        for name, (direction, bits) in self.rtl.ports.items():
            if direction == 'input':
                value = (
                    (self.clock_lit,)
                    if name == CLOCK
                    else (FALSE if reset else TRUE,)
                    if name == RESET
                    else inputs[name]
                )
                self.rtl.bind(bits, value)
        self.rtl.bind(state, state.values())

    def stepped(
        self, reset: bool, inputs: dict[str, Bits], state: dict[int, int]
    ) -> tuple[dict[str, Bits], dict[int, int]]:
        """(outputs, next state)"""
        self.bind_state(reset, inputs, state)
        outputs = {e.name: self.rtl.word(self.rtl.ports[e.name][1]) for e in self.twin.lists['out']}
        return outputs, {q: self.rtl.bit(d) for q, d in self.rtl.next_bit.items()}

    def any_state(self) -> dict[int, int]:
        named = {b: f'{n}[{i}]' for n, bits in registers_of(self.rtl).items() for i, b in enumerate(bits)}
        return {q: self.g.var(named.get(q, f'register {q}')) for q in self.rtl.next_bit}


class Bounded(Sided):
    """Obligations `output O in cycle k`, k from 1: the first cycle out of reset."""

    def __init__(self, block: Block, cfg: dict[str, int], source: list[str], foreign: Foreign, depth: int) -> None:
        self.g = Aig()
        self.v = BitVec(self.g)
        self.block, self.cfg, self.foreign, self.depth = block, cfg, foreign, depth
        self.twin, self.rtl = Twin(block, self.g, cfg, source), Rtl(foreign.module, self.g, CLOCK)
        foreign.check_ports(self.twin, block.name)
        self.clock_lit = self.g.var(CLOCK)
        self.obligations: list[Obligation] = []
        self.notes: list[str] = []
        self.inputs: list[dict[str, Bits]] = []
        self.params: dict[str, tuple[Any, ...]] = {}
        self.run()

    def new_inputs(self, k: int) -> dict[str, Bits]:
        return {
            e.name: tuple(self.g.var(f'{e.name}[{i}] in cycle {k}') for i in range(e.width))
            for e in self.twin.lists['in']
        }

    def run(self) -> None:
        t = self.twin
        m = t.make('state')
        pointer = t.pointer(m, 'state')
        t.call('init', pointer, t.cfg_pointer)
        registers = t.registers()[0]
        anything = {e.text: tuple(self.g.var(f'{e.text}[{i}] of the twin') for i in range(e.width)) for e in registers}
        t.put_registers(m, anything, registers)  # registers without reset may hold anything
        t.call('reset', pointer)
        _, state = self.stepped(True, self.new_inputs(0), self.any_state())
        for k in range(1, self.depth + 1):
            inputs = self.new_inputs(k)
            self.inputs.append(inputs)
            i, o = t.make('in'), t.make('out')
            for e in t.lists['in']:
                put(t.cells(i, e), inputs[e.name])
            t.call('eval', pointer, t.pointer(i, 'in'), t.pointer(o, 'out'))
            outputs, state = self.stepped(False, inputs, state)
            for e in t.lists['out']:
                self.compare(f'output {e.text} in cycle {k}', get(t.cells(o, e)), outputs[e.name])
            for place, what, lit in self.rtl.undefined_if:
                self.obligations.append(Obligation(f'undefined {place} {what} in cycle {k}', (lit,), (FALSE,), lit))
            self.rtl.undefined_if.clear()
            t.call('tick', pointer, t.pointer(i, 'in'))

    def compare(self, name: str, c: Bits, rtl: Bits) -> None:
        rtl = extend(rtl, len(c))
        self.obligations.append(
            Obligation(name, tuple(c), rtl, self.g.any_([self.g.xor(x, y) for x, y in zip(c, rtl)]))
        )

    # ---- a counterexample
    def groups(self) -> list[list[int]]:
        return [[lit >> 1 for lit in bits] for inputs in self.inputs for bits in inputs.values()]

    def explain(self, o: Obligation, folder: Path) -> tuple[list[str], bool]:
        """(lines, confirmed)"""

        def number(lits: Bits) -> int:
            return sum(o.model.get(lit >> 1, 0) << i for i, lit in enumerate(lits))

        last = int(o.name.split()[-1])
        values = [{n: number(lits) for n, lits in inputs.items()} for inputs in self.inputs[:last]]
        folder.mkdir(parents=True, exist_ok=True)
        vec = folder / 'counterexample.vec'
        vec.write_text(self.vec(values))
        lines = [
            f'    cycle {k:<3d} ' + (' '.join(f'{n}={v:#x}' for n, v in row.items() if v) or 'all inputs 0')
            for k, row in enumerate(values, 1)
        ]
        if not o.name.startswith('output'):
            return lines, True
        try:
            c, rtl = self.replayed(o.name.split()[1], values, folder)
        except ToolError as e:
            return [*lines, f'    replay {e}: NOT CONFIRMED'], False
        lines.append(
            f'    replay from reset, in cycle {last}: C (gcc) {c}, RTL (Icarus) {rtl}: {"confirmed" if c != rtl else "NOT CONFIRMED"}'
        )
        lines.append(f'    rerun  make cosim VEC={vec} {self.foreign.own.shown()} STATE=0')
        return lines, c != rtl

    def vec(self, values: list[dict[str, int]]) -> str:
        ports = self.twin.lists['in']
        head = [
            'memtwin-vec 1',
            f'block {self.block.name}',
            'params ' + ' '.join(f'{n}={v}' for n, v in self.cfg.items()),
            'ports ' + ' '.join(f'{e.name}:{e.width}' for e in ports),
            'R',
        ]
        return '\n'.join(head + [' '.join(f'{row[e.name]:x}' for e in ports) for row in values]) + '\n'

    def replayed(self, output: str, values: list[dict[str, int]], folder: Path) -> tuple[int | None, int | None]:
        """The output of gcc's twin and of Icarus' RTL in the last cycle."""
        b, t = self.block.name, self.twin
        e = next(e for e in t.lists['out'] if e.text == output)
        show = (
            'for (int k = 31; k >= 0; k--) printf("%08x", out.{0}[k]);'
            if e.kind == 'W1024'
            else 'printf("%llx", (unsigned long long)out.{0});'
        )
        cycles = [
            '    memset(&in, 0, sizeof in);\n'
            + '\n'.join(c_assign('in.', i, row[i.name]) for i in t.lists['in'])
            + f'\n    {b}_eval(&m, &in, &out);\n    last = m;\n    {b}_tick(&m, &in);'
            for row in values
        ]
        source, binary = folder / 'replay.c', folder / 'replay'
        source.write_text(
            f'/* Counterexample of the prover: the twin from reset. */\n#include "{self.block.c_file.resolve()}"\n#include <stdio.h>\n#include <string.h>\n\nint main(void)\n{{\n    static struct {b} m, last;\n'
            f'    static struct {b}_in in;\n    static struct {b}_out out;\n    const struct {b}_cfg cfg = {{{", ".join(f".{n} = {v}" for n, v in self.cfg.items())}}};\n    {b}_init(&m, &cfg);\n'
            + '\n'.join(cycles)
            + f'\n    printf("output {output} ");\n    {show.format(output)}\n    puts("");\n    return last.p.{next(iter(self.cfg))} == 0xffffffffu;\n}}\n'
        )
        called(
            [
                'gcc',
                '-std=c17',
                '-w',
                *(f'-I{i}' for i in self.block.include),
                source,
                *self.block.part_files,
                '-o',
                binary,
            ]
        )
        drive = [
            '    rst_ni = 1\'b0;\n'
            + '\n'.join(f'    {i.name} = 0;' for i in t.lists['in'])
            + '\n    #1 clk_i = 1\'b1;\n    #1 clk_i = 1\'b0;\n    rst_ni = 1\'b1;'
        ]
        drive += [
            '\n'.join(f'    {i.name} = {i.width}\'h{row[i.name]:x};' for i in t.lists['in'])
            + (
                '\n    #1 clk_i = 1\'b1;\n    #1 clk_i = 1\'b0;'
                if row is not values[-1]
                else f'\n    #1 $display("output {output} %h", {output});'
            )
            for row in values
        ]
        rtl = self.foreign.simulate(bench(self.foreign, t, drive), folder)
        return read(called([binary])).get(('output', output)), rtl.get(('output', output))


# ---- induction with a relation
class Relation:
    """Lines `twin_register = expression`, `table_q[*] = expression with [*]`, `invariant expression`; # begins a comment."""

    def __init__(
        self, path: Path, twin: Twin, registers: dict[str, list[int]], shown: list[str], cfg: dict[str, int]
    ) -> None:
        self.path, self.shown = path, shown
        self.lines: dict[str, tuple[int, str]] = {}
        self.invariants: list[tuple[int, str]] = []
        self.registers, self.cfg = registers, cfg
        self.plain = {n: 'q_' + re.sub(r'\W', '_', n) + f'_{k}' for k, n in enumerate(registers)}
        wanted = twin.registers()[0]
        for k, line in enumerate(path.read_text().splitlines(), 1):
            line = line.split('#')[0].strip()
            if line:
                self.enter(k, line, wanted)
        lacking = [e.text for e in wanted if e.text not in self.lines]
        if lacking:
            raise BlockError(
                f'{path}: found no line for {" ".join(lacking)}, expected twin_register = expression for each register of the block'
            )
        self.widths = {e.text: e.width for e in wanted}

    def enter(self, k: int, line: str, wanted: list[Element]) -> None:
        where = f'{self.path}:{k}'
        if line.split()[0] == 'invariant':
            self.invariants.append((k, self.expression(where, line.removeprefix('invariant'))))
            return
        m = re.fullmatch(r'([\w.]+(?:\[(?:\d+|\*)\])?)\s*=(?!=)\s*(.+)', line)
        if not m:
            raise BlockError(f'{where}: found "{line}", expected twin_register = expression, or invariant expression')
        found = [
            e
            for e in wanted
            if e.text == m[1] or (m[1].endswith('[*]') and e.name == m[1][:-3] and e.index is not None)
        ]
        if not found:
            raise BlockError(
                f'{where}: found "{m[1]}", expected a register of the twin: {" ".join(dict.fromkeys(e.name for e in wanted))}'
            )
        for e in found:
            if e.text in self.lines:
                raise BlockError(f'{where}: found {e.text} again, expected one line for each register')
            self.lines[e.text] = k, self.expression(where, m[2].replace('[*]', f'[{e.index}]'))

    def expression(self, where: str, text: str) -> str:
        """With plain names of the RTL's registers; `u_part.count` and `table[3]` are names, too."""
        names = sorted((re.escape(n) for n in self.registers), key=len, reverse=True)
        used = set(self.plain.values()) | set(self.cfg)
        plain = (
            re.sub(rf"(?<![\w.$'])(?:{'|'.join(names)})(?![\w$])", lambda m: self.plain[m[0]], text) if names else text
        )
        for word in re.findall(r"(?<![\w.$'])[A-Za-z_][\w.]*", plain):
            if word not in used:
                raise BlockError(f'{where}: found "{word}", expected a register of the RTL: {" ".join(self.shown)}')
        return plain

    def source(self) -> str:
        """The expressions as a module: input q_..., output t<k> of the k-th twin register, then i<k>."""
        pins = [f'input [{len(bits) - 1}:0] {self.plain[n]}' for n, bits in self.registers.items()]
        pins += [f'output [{self.widths[n] - 1}:0] t{k}' for k, n in enumerate(self.lines)] + [
            f'output i{k}' for k in range(len(self.invariants))
        ]
        fixed = ''.join(f'localparam integer {n} = {v}; ' for n, v in self.cfg.items())
        self.order = [k for k, _ in self.lines.values()] + [k for k, _ in self.invariants]
        return (
            f'module relation ({", ".join(pins)}); {fixed}\n'
            + ''.join(f'assign t{k} = {text};\n' for k, (_, text) in enumerate(self.lines.values()))
            + ''.join(f'assign i{k} = |({text});\n' for k, (_, text) in enumerate(self.invariants))
            + 'endmodule\n'
        )

    def elaborated(self, folder: Path) -> Json:
        self.file = folder / 'relation.v'
        self.file.write_text(self.source())
        try:
            return elaborate('relation', [self.file], [], [], {}, folder / 'relation.json')
        except RtlError as e:
            m = re.search(r'relation\.v:(\d+)', str(e))
            k = self.order[min(int(m[1]) - 2, len(self.order) - 1)] if m and int(m[1]) > 1 else 0
            raise BlockError(
                f'{self.path}:{k}: found no expression that Yosys takes: {str(e).splitlines()[-1]}'
            ) from None


class Related(Sided, Equivalence):
    """The obligations of Equivalence, with expressions over the RTL's registers in the place of the twin's registers."""

    def __init__(
        self, block: Block, cfg: dict[str, int], source: list[str], workdir: Path, foreign: Foreign, path: Path
    ) -> None:
        self.foreign, self.path, self.workdir = foreign, path, workdir
        super().__init__(block, cfg, source, workdir, foreign.module)

    def make_variables(self) -> None:
        self.foreign.check_ports(self.twin, self.block.name)
        self.inputs = {
            e.text: tuple(self.g.var(f'{e.text}[{i}]') for i in range(e.width)) for e in self.twin.lists['in']
        }
        self.clock_lit = self.g.var(CLOCK)
        self.rtl_registers = registers_of(self.rtl)
        self.relation = Relation(
            self.path, self.twin, self.rtl_registers, self.foreign.assigned(list(self.rtl_registers)), self.cfg
        )
        self.over = Rtl(self.relation.elaborated(self.workdir), self.g, CLOCK)
        self.rtl_state = self.any_state()
        self.state, self.hold_now = self.related(self.rtl_state)

    def related(self, state: dict[int, int]) -> tuple[dict[str, Bits], list[int]]:
        """Evaluates the relation in a state of the RTL.  (the twin's registers, AND of the invariants)"""
        self.over.unbind()
        for n, bits in self.rtl_registers.items():
            self.over.bind(self.over.ports[self.relation.plain[n]][1], tuple(state[b] for b in bits))
        registers = {n: self.over.word(self.over.ports[f't{k}'][1]) for k, n in enumerate(self.relation.lines)}
        return registers, [self.over.word(self.over.ports[f'i{k}'][1])[0] for k in range(len(self.relation.invariants))]

    def bind_registers(self) -> None:
        self.nets, self.extra, self.zero = {}, {}, set()

    def fix_absent(self) -> None:
        self.rtl_held = {}

    def check_ports(self) -> None:
        self.clock_lit = self.g.var(CLOCK)

    def rtl_side(self, reset: bool) -> tuple[dict[str, Bits], dict[str, Bits], dict[Any, Any]]:
        outputs, state = self.stepped(reset, self.inputs, self.rtl_state)
        registers, holds = self.related(state)
        if reset:
            self.hold_after_reset = holds
        else:
            self.hold_after_step = holds
        return outputs, registers, {}

    def find_assumption(self, m: Object) -> None:
        super().find_assumption(m)
        self.assume = self.g.all_([self.assume, *self.hold_now])

    def build(self) -> None:
        super().build()
        for (k, _), lit in zip(self.relation.invariants, self.hold_after_step):
            self.false(f'invariant of line {k} kept', lit ^ 1)

    def reset_side(self, rtl_reset: dict[str, Bits]) -> None:
        """Before the first reset no invariant holds."""
        kept, self.assume = self.assume, TRUE
        super().reset_side(rtl_reset)
        for (k, _), lit in zip(self.relation.invariants, self.hold_after_reset):
            self.false(f'invariant of line {k} after reset', lit ^ 1)
        self.assume = kept

    # What is said of the twin alone is proved with its own RTL.
    def idle(self, after_tick: Object) -> None:
        pass

    def step(self, after_tick: Object, i_pointer: PointerValue, after_eval: Object) -> None:
        pass

    def unchanged(self, name: str, before: dict[str, Bits], obj: Object, given: int = TRUE) -> None:
        pass

    # ---- a counterexample
    def groups(self) -> list[list[int]]:
        return [[lit >> 1 for lit in bits] for bits in self.inputs.values()] + [
            [self.rtl_state[b] >> 1 for b in bits] for bits in self.rtl_registers.values()
        ]

    def title(self, name: str) -> str:
        kind, rest = name.split(' ', 1)
        element = rest.split(':')[0]
        line = self.relation.lines.get(element, (0,))[0]
        where = f' ({self.path}:{line})' if line else ''
        return {
            'output': f'the relation implies equal outputs: fails for {rest}',
            'next': f'the relation is kept by a step: fails for {rest}{where}',
            'reset': f'the relation holds after reset: fails for {rest}{where}',
        }.get(kind, f'{self.path}: {name}: fails' if kind == 'invariant' else name)

    def explain(self, o: Obligation, folder: Path) -> tuple[list[str], bool]:
        def number(lits: Sequence[int]) -> int:
            return sum(b << i for i, b in enumerate(self.g.simulate(list(lits), o.model)))

        def shown(values: dict[str, int]) -> str:
            return ' '.join(f'{n}={v:#x}' for n, v in values.items() if v) or 'all 0'

        folder.mkdir(parents=True, exist_ok=True)
        own = self.foreign.assigned(list(self.rtl_registers))
        rtl = {n: number([self.rtl_state[b] for b in self.rtl_registers[n]]) for n in own}
        twin, inputs = {n: number(b) for n, b in self.state.items()}, {n: number(b) for n, b in self.inputs.items()}
        lines = [
            f'    RTL registers   {shown(rtl)}',
            f'    twin by relation {shown(twin)}',
            f'    input  {shown(inputs)}',
        ]
        kind = o.name.split()[0]
        if kind not in ('output', 'next', 'reset'):
            return lines, True
        try:
            c, v = OwnReplay(self, o.name, twin, inputs, folder, rtl).both()
        except ToolError as e:  # the counterexample stands
            return [*lines, f'    replay {e}: NOT CONFIRMED'], False
        lines.append(
            f'    replay C (gcc) {show(c)}, {"RTL" if kind == "output" else "relation of the RTL"} (Icarus) {show(v)}: {"confirmed" if c != v else "NOT CONFIRMED"}'
        )
        return lines, c != v


def show(n: int | None) -> str:
    return 'x' if n is None else hex(n)


class OwnReplay(Replay):
    """The twin in gcc, the user's RTL and the relation in Icarus, one step from a state."""

    def __init__(
        self, eq: Related, name: str, state: dict[str, int], inputs: dict[str, int], folder: Path, rtl: dict[str, int]
    ) -> None:
        super().__init__(eq, name, state, inputs, folder)
        self.related, self.rtl_values = eq, rtl

    def both(self) -> tuple[int | None, int | None]:
        key = ('output' if self.kind == 'output' else 'next', self.name.split(' ', 1)[1].split(':')[0])
        c, _, _ = self.run_c()
        relation = self.related.relation
        pins = ', '.join(
            [f'.{p}(dut.{n})' for n, p in relation.plain.items()] + [f'.t{k}(t{k})' for k in range(len(relation.lines))]
        )
        more = (
            ''.join(f'  wire [{relation.widths[n] - 1}:0] t{k};\n' for k, n in enumerate(relation.lines))
            + f'  relation relation_i ({pins});\n'
        )
        body = [f"    rst_ni = 1'b{int(not self.resets)};"] + [
            f"    dut.{n} = {len(self.related.rtl_registers[n])}'h{v:x};" for n, v in self.rtl_values.items()
        ]
        body += [f"    {e.name} = {e.width}'h{self.inputs[e.text]:x};" for e in self.eq.twin.lists['in']] + ['    #1;']
        body += [f'    $display("output {e.text} %h", {e.name});' for e in self.eq.twin.lists['out']] + [
            "    clk_i = 1'b1;",
            '    #1;',
        ]
        body += [f'    $display("next {n} %h", t{k});' for k, n in enumerate(relation.lines)]
        v = self.related.foreign.simulate(
            bench(self.related.foreign, self.eq.twin, body, more), self.folder, [relation.file]
        )
        return c.get(key), v.get(key)
