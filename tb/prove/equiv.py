# SPDX-License-Identifier: Apache-2.0
"""The claims about one block at one configuration, as obligations over one and-inverter graph.

For every state S of the listed registers, every input I (and, where a block states one, under its invariant on S):
  output O        eval's O equals the RTL's O
  next R          the state after tick equals the RTL's next state, register by register
  reset R         with rst_ni = 0 the RTL's next R is b_reset's; one that both leave alone is reported as without reset
  invariant X     each invariant holds after reset from any state, and is kept by tick; these are decided first
  undefined       nothing that C or Yosys leaves undefined happens in eval, tick or reset
  idle            if b_idle and no *_valid_i, then tick is skip(1)
  skip            if b_idle: skip(0) changes nothing, and skip(n + 1) is skip(n), then a tick without *_valid_i, for any n
  step            if the twin has b_step: its outputs are eval's, its next state is tick's
  frame           no function changes another's fields: parameters and all other fields that are no register, inputs,
                  table space beyond the depth
"""
from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tb.prove.aig import FALSE, TRUE, Aig
from tb.prove.bitvec import BitVec, Bits, const, extend, value_of
from tb.prove.block import Block, BlockError, Element, Twin, get, put
from tb.prove.carith import LoopError
from tb.prove.cvalues import ULONG, Object, PointerValue, leaves, make
from tb.prove.rtl import Json, Rtl, RtlError, elaborate, pick_sources
from tb.prove.solve import Obligation, satisfiable

CLOCK, RESET = 'clk_i', 'rst_ni'
LONGEST = 8  # turns of a loop over skipped cycles
CYCLES_W = 64  # bits of their number
EXACT = 16  # largest divisor for which dividend = quotient * divisor + remainder is a fact; it takes a multiplier


class Equivalence:
    def __init__(
        self, block: Block, cfg: dict[str, int], source: list[str], workdir: Path, module: Json | None = None
    ) -> None:
        """`module`: the RTL, elaborated; None: that of the block's sources."""
        self.g = Aig()
        self.v = BitVec(self.g)
        self.block, self.cfg = block, cfg
        self.twin = Twin(block, self.g, cfg, source)
        if module is None:
            sources, include, libs = pick_sources(block.rtl_root, block.name, block.parts)
            module = elaborate(block.module, sources, include, libs, cfg, workdir / 'rtl.json')
        self.rtl = Rtl(module, self.g, CLOCK)
        self.registers, self.absent = self.twin.registers()
        self.obligations: list[Obligation] = []
        self.notes: list[str] = []
        self.inputs: dict[str, Bits] = {}
        self.state: dict[str, Bits] = {}
        self.origin: dict[int, tuple[str, str, int]] = {}
        self.params: dict[str, tuple[Any, ...]] = {}
        self.assume = TRUE
        self.make_variables()
        self.bind_registers()
        self.build()

    # ---- the common variables
    def make_variables(self) -> None:
        def new(kind: str, e: Element) -> Bits:
            bits = tuple(self.g.var(f'{e.text}[{i}]') for i in range(e.width))
            for i, b in enumerate(bits):
                self.origin[b >> 1] = (kind, e.text, i)
            return bits

        for e in self.twin.lists['in']:
            self.inputs[e.text] = new('input', e)
        for e in self.registers:
            self.state[e.text] = new('state', e)

    def bind_registers(self) -> None:
        """Finds each listed register in the RTL; any other register of the RTL is an error, or `extra` if nothing reads it."""
        free = dict.fromkeys(self.rtl.next_bit)
        self.nets = {}
        for e in self.registers:
            bits = self.find_net(e)
            for b in bits:
                if b not in free:
                    raise RtlError(f'{e.text}: listed as a register, but the net in the RTL is not one register')
                del free[b]
            self.nets[e.text] = bits
        self.extra = self.name_extra(free)
        self.zero: set[Any] = set()

    def flat_name(self, name: str) -> str | None:
        """A net of that name; part.register is that of instance u_part; a register of an instance that is not listed as a
        part may be listed with _ for the dots of its path."""
        if '.' in name:
            return 'u_' + name if 'u_' + name in self.rtl.nets else None
        if name in self.rtl.nets:
            return name
        found = [n for n in self.rtl.nets if n.replace('.', '_') == name]
        return found[0] if len(found) == 1 else None

    def find_net(self, e: Element) -> list[int]:
        if e.index is not None:
            one = self.flat_name(f'{e.name}[{e.index}]')
            if one is not None:
                return self.checked(e, self.rtl.nets[one])
        whole = self.flat_name(e.name)
        if whole is None:
            raise RtlError(f'{e.text}: listed, but there is no such register in the RTL')
        bits = self.rtl.nets[whole]
        if e.index is None:
            return self.checked(e, bits)
        depth = next(d for _, n, _, d in self.twin.lists['mem'] if n == e.name)
        if len(bits) != depth * e.width:
            raise RtlError(f'{e.name}: {len(bits)} bits in the RTL, listed as {depth} x {e.width}')
        return bits[e.index * e.width : (e.index + 1) * e.width]

    def checked(self, e: Element, bits: list[int]) -> list[int]:
        if len(bits) != e.width:
            raise RtlError(f'{e.text}: {len(bits)} bits wide in the RTL, {e.width} in the list')
        return bits

    def name_extra(self, free: dict[int, None]) -> dict[str, list[int]]:
        """RTL register bits that no list names, under their net's name.  A name that nobody gave may only be dead."""
        known = {('u_' + n).replace('.', '_') if '.' in n else n for n in self.absent}
        named: dict[Any, Any] = {}
        for name in sorted(self.rtl.nets, key=lambda n: (self.listed_name(n) not in known, n in self.rtl.ports, n)):
            for b in self.rtl.nets[name]:
                if b in free:
                    named.setdefault(b, name)
        extra: dict[Any, Any] = {}
        for b in free:
            extra.setdefault(named.get(b, '(unnamed)'), []).append(b)
        for name in extra:
            if name != '(unnamed)' and self.listed_name(name) not in known:
                raise RtlError(f'{name}: a register of the RTL that the block does not list')
        return extra

    def listed_name(self, net: str) -> str:
        return net.split('[')[0].replace('.', '_')

    # ---- both sides
    def bind_rtl(self, reset: bool) -> None:
        self.rtl.unbind()
        for name, (direction, bits) in self.rtl.ports.items():
            if direction == 'input' and name == CLOCK:
                self.rtl.bind(bits, (self.clock_lit,))
            elif direction == 'input' and name == RESET:
                self.rtl.bind(bits, (FALSE if reset else TRUE,))
            elif direction == 'input':
                self.rtl.bind(bits, self.inputs[name])
        for name, bits in self.nets.items():
            self.rtl.bind(bits, self.state[name])
        for name, bits in self.extra.items():
            self.rtl.bind(bits, const(0, len(bits)) if name in self.zero and not reset else self.extra_vars[name])

    def check_ports(self) -> None:
        listed = {
            'input': {e.name: e.width for e in self.twin.lists['in']},
            'output': {e.name: e.width for e in self.twin.lists['out']},
        }
        listed['input'].update({CLOCK: 1, RESET: 1})
        for name, (direction, bits) in self.rtl.ports.items():
            if listed.get(direction, {}).get(name) != len(bits):
                raise RtlError(
                    f'{name}: {direction} of {len(bits)} bits in the RTL, '
                    f'{listed.get(direction, {}).get(name, "none")} in the list'
                )
        for direction in listed:
            for name in listed[direction]:
                if name not in self.rtl.ports:
                    raise RtlError(f'{name}: a listed {direction} that the RTL does not have')

    def rtl_side(self, reset: bool) -> tuple[dict[str, Bits], dict[str, Bits], dict[str, Bits]]:
        self.bind_rtl(reset)
        outputs = {e.name: self.rtl.word(self.rtl.ports[e.name][1]) for e in self.twin.lists['out']}
        state = {n: self.rtl.next_of(bits) for n, bits in self.nets.items()}
        rest = {n: self.rtl.next_of(self.extra[n]) for n in self.zero}
        return outputs, state, rest

    def build(self) -> None:
        self.clock_lit = self.g.var('clk_i')
        self.extra_vars = {n: tuple(self.g.var(f'{n}') for _ in bits) for n, bits in self.extra.items()}
        self.check_ports()
        self.fix_absent()
        outputs, state, _ = self.rtl_side(False)
        self.c_side(outputs, state)
        held = self.rtl_held
        _, reset_state, reset_rest = self.rtl_side(True)
        self.reset_side(reset_state)
        for n in sorted(self.zero):
            self.equal(f'absent {n} stays 0', const(0, len(self.extra[n])), held[n])
            self.equal(f'absent {n} is reset to 0', const(0, len(self.extra[n])), reset_rest[n])
        for place, what, lit in self.rtl.undefined_if + self.twin.program.undefined:
            self.false(f'undefined {place.replace(str(self.block.c_file), self.block.c_file.name)} {what}', lit)

    def fix_absent(self) -> None:
        """A register that the lists say is not there at this size may be in the RTL if nothing reads it, or if it is
        0 after reset and stays so."""
        while True:
            outputs, state, rest = self.rtl_side(False)
            read = set(self.g.support([b for v in [*outputs.values(), *state.values(), *rest.values()] for b in v]))
            more = {
                n for n, bits in self.extra_vars.items() if n not in self.zero and any(b >> 1 in read for b in bits)
            }
            if '(unnamed)' in more:
                raise RtlError('a register of the RTL without a name has an effect')
            self.rtl_held = rest
            if not more:
                return
            self.zero |= more

    def c_side(self, rtl_outputs: dict[str, Bits], rtl_state: dict[str, Bits]) -> None:
        t = self.twin
        m, cfg = self.initial()
        m_pointer, held = t.pointer(m, 'state'), self.hold(m)
        i = t.make('in')
        for e in t.lists['in']:
            put(t.cells(i, e), self.inputs[e.text])
        i_pointer, o = t.pointer(i, 'in'), t.make('out')
        before = self.contents(m), self.contents(i)
        self.find_assumption(m)

        t.call('eval', m_pointer, i_pointer, t.pointer(o, 'out'))
        self.unchanged('eval writes state', before[0], m)
        for e in t.lists['out']:
            c = get(t.cells(o, e))
            self.equal(f'output {e.text}', c, extend(rtl_outputs[e.name], len(c)))

        t.call('tick', m_pointer, i_pointer)
        for e in self.registers:
            c = get(t.cells(m, e))
            self.equal(f'next {e.text}', c, extend(rtl_state[e.text], len(c)))
        self.unchanged('tick writes its inputs', before[1], i)
        self.unchanged('tick writes beyond its registers', held, m)
        self.keep_invariants('kept', m)
        self.idle(m)
        self.step(m, i_pointer, o)

    # ---- skipped cycles
    def idle(self, after_tick: Object) -> None:
        """Most twins skip nothing: then skip(n) is skip(1) for every n.  For the others, induction on n."""
        t = self.twin
        if f'{self.block.name}_skip' not in t.program.functions:
            raise BlockError(f'{self.block.c_file}: no function {self.block.name}_skip')
        before, _ = self.initial()
        idle = t.call('idle', t.pointer(before, 'state')).vector()[0]
        quiet = self.g.all_([idle, *(self.inputs[e.text][0] ^ 1 for e in self.valid_inputs())])
        self.cycles = tuple(self.g.var(f'cycles[{i}]') for i in range(CYCLES_W))
        self.lemmas: list[Any] = []
        try:
            m = self.skipped(self.cycles, idle)
            if self.values(m) != self.values(before):
                return self.induction(before, m, idle)
        except LoopError:
            self.notes.append(
                f'skip(n) is proved for n = 1 alone, at sizes with a loop of more than {LONGEST} turns: '
                + ','.join(f'{k}={v}' for k, v in self.cfg.items())
            )
            m = self.skipped(const(1, CYCLES_W), idle)
        self.same('idle', 'tick is skip(1)', m, after_tick, quiet)

    def induction(self, before: Object, m: Object, idle: int) -> None:
        """`m`: after skip(n).  A tick leads to skip(n + 1), as long as the number of cycles has one more."""
        t = self.twin
        self.same('skip', 'skip(0) changes nothing', self.skipped(const(0, CYCLES_W), idle), before, idle)
        more = self.skipped(self.v.add(self.cycles, const(1, CYCLES_W)), idle)
        i = t.make('in')
        for e in t.lists['in']:
            put(t.cells(i, e), const(0, e.width) if e in self.valid_inputs() else self.inputs[e.text])
        t.call('tick', t.pointer(m, 'state'), t.pointer(i, 'in'))
        given = self.g.all_([idle, self.v.all_ones(self.cycles) ^ 1, *self.lemmas_of_divisions()])
        self.same('skip', 'skip(n + 1) is skip(n), then a tick', more, m, given)

    def skipped(self, cycles: Bits, idle: int) -> Object:
        """The twin after b_skip(cycles) in an idle state."""
        t, program = self.twin, self.twin.program
        m, _ = self.initial()
        held = self.hold(m)
        with program.assuming(self.g.and_(self.assume, idle), LONGEST, self.possible, self.divide):
            t.call('skip', t.pointer(m, 'state'), make(cycles, ULONG))
        self.unchanged('skip writes beyond its registers', held, m, idle)
        return m

    def possible(self, lit: int) -> bool:
        return satisfiable(self.g, self.g.all_([lit, *self.lemmas_of_divisions()]))

    def divide(self, a: Bits, b: Bits) -> tuple[Bits, Bits] | None:
        """Quotient and remainder of an unknown number of cycles by a constant: two unknown numbers, with the facts about them.  A divider of
        64 bits for n and one for n + 1 are beyond any solver."""
        d, w = value_of(b), len(a)
        if not d or not d & (d - 1) or not any(x > TRUE for x in a[w // 2 :]):  # of known numbers, or short ones
            return None
        known = [(x, q, r) for x, e, q, r in self.lemmas if e == d and x == a]
        if known:
            return known[0][1:]
        q, r = (
            tuple(self.g.var(f'{what} {len(self.lemmas)}[{i}]') for i in range(w)) for what in ('quotient', 'remainder')
        )
        self.lemmas.append((a, d, q, r))
        return q, r

    def lemmas_of_divisions(self) -> list[int]:
        """x = q * d + r with r < d determines both.  The consequences for x + 1 are beyond solvers, too."""
        v, facts = self.v, []
        for x, d, q, r in self.lemmas:
            w, last, one = len(x), const(d - 1, len(x)), const(1, len(x))
            facts.append(v.less(last, r) ^ 1)
            facts.append(self.g.or_(v.less(last, x), self.g.all_([v.eq(r, x), v.eq(q, const(0, w))])))
            if d <= EXACT:
                facts += [v.eq(x, v.add(v.mul(q, const(d, w)), r)), v.less(q, const((1 << w) // d + 1, w))]
                facts.append(self.g.or_(v.less(q, const((1 << w) // d, w)), v.less(r, const((1 << w) % d, w))))
            wraps, more = v.eq(r, last), v.add(x, one)
            for y, e, p, s in self.lemmas:
                if (y, e) == (more, d):
                    then = self.g.all_(
                        [v.eq(s, v.mux(wraps, const(0, w), v.add(r, one))), v.eq(p, v.mux(wraps, v.add(q, one), q))]
                    )
                    facts.append(self.g.or_(then, v.all_ones(x)))
        return facts

    def valid_inputs(self) -> list[Element]:
        return [e for e in self.twin.lists['in'] if e.name.endswith('_valid_i')]

    def values(self, m: Object) -> dict[str, Bits]:
        return {e.text: get(self.twin.cells(m, e)) for e in self.registers}

    def same(self, kind: str, what: str, m: Object, other: Object, given: int = TRUE) -> None:
        for e in self.registers:
            self.equal(f'{kind} {e.text}: {what}', get(self.twin.cells(m, e)), get(self.twin.cells(other, e)), given)

    def step(self, after_tick: Object, i_pointer: PointerValue, after_eval: Object) -> None:
        t = self.twin
        if f'{self.block.name}_step' not in t.program.functions:
            return
        m, _ = self.initial()
        held, o = self.hold(m), t.make('out')
        t.call('step', t.pointer(m, 'state'), i_pointer, t.pointer(o, 'out'))
        self.unchanged('step writes beyond its registers', held, m)
        for e in t.lists['out']:
            self.equal(f'step {e.text}: as eval', get(t.cells(o, e)), get(t.cells(after_eval, e)))
        self.same('step', 'as tick', m, after_tick)

    def initial(self) -> tuple[Object, PointerValue]:
        """The twin's struct after b_init, with variables in the place of every listed register."""
        t = self.twin
        m = t.make('state')
        t.call('init', t.pointer(m, 'state'), t.cfg_pointer)
        self.reset_values = {e.text: get(t.cells(m, e)) for e in self.registers}
        for name, bits in self.reset_values.items():
            if any(b > 1 for b in bits):
                raise BlockError(f'{name}: {self.block.name}_init leaves it unset')
        t.put_registers(m, self.state, self.registers)
        return m, t.cfg_pointer

    def hold(self, m: Object) -> dict[str, Bits]:
        """Fields that no function but b_init may change: parameters, fields that b_init computes from them, and table space beyond the depth."""
        mine = {id(c) for e in self.registers for c in self.twin.cells(m, e)}
        return {p: c.value.vector() for p, c in leaves(m) if id(c) not in mine}

    def contents(self, obj: Object) -> dict[str, Bits]:
        return {p: c.value.vector() for p, c in leaves(obj)}

    def unchanged(self, name: str, before: dict[str, Bits], obj: Object, given: int = TRUE) -> None:
        for p, c in leaves(obj):
            if p in before and c.value.vector() != before[p]:
                self.equal(f'frame {name}: {p}', c.value.vector(), before[p], given)

    def reset_side(self, rtl_reset: dict[str, Bits]) -> None:
        t = self.twin
        m, _ = self.initial()
        held = self.hold(m)
        t.call('reset', t.pointer(m, 'state'))
        self.unchanged('reset writes beyond its registers', held, m)
        free = []
        for e in self.registers:
            c = get(t.cells(m, e))
            self.equal(f'reset {e.text}', c, extend(rtl_reset[e.text], len(c)))
            if c == extend(self.state[e.text], len(c)):
                free.append(e.name)
            else:
                self.equal(f'reset {e.text}: b_init and b_reset', c, self.reset_values[e.text])
        if free:
            self.notes.append('without reset: ' + ' '.join(dict.fromkeys(free)))
        self.reset_invariants(m)

    # ---- the invariant
    def below(self, bits: Bits, limit: int) -> int:
        w = max(len(bits), limit.bit_length())
        return self.v.less(extend(bits, w), const(limit, w))

    def invariant_elements(self) -> Iterator[tuple[Element, int]]:
        for name, limit in self.twin.invariant:
            mine = [e for e in self.registers if e.name == name]
            if not mine and name not in self.absent:
                raise BlockError(f'invariant on {name}, which is not listed')
            for e in mine:
                yield e, limit

    def invariants(self, m: Object) -> Iterator[tuple[str, int]]:
        """(its text, the literal) of each: index ranges of the list, and the twin's functions b_invariant_* for a state."""
        yield from (
            (f'{e.text} < {limit}', self.below(get(self.twin.cells(m, e)), limit))
            for e, limit in self.invariant_elements()
        )
        yield from self.twin.facts(m)

    def find_assumption(self, m: Object) -> None:
        self.assume = self.g.all_([lit for _, lit in self.invariants(m)])
        if self.twin.invariant or self.twin.fact_names:
            self.notes.append(
                'invariant: ' + ' '.join([f'{n}<{x}' for n, x in self.twin.invariant] + self.twin.fact_names)
            )

    def keep_invariants(self, when: str, m: Object) -> None:
        for what, lit in self.invariants(m):
            self.false(f'invariant {what} {when}', lit ^ 1)

    def reset_invariants(self, m: Object) -> None:
        """From any state.  A register that reset leaves alone is in its range if it was at the start, which b_init ensures for the twin."""
        kept = {
            f'{e.text} < {limit}': e.name
            for e, limit in self.invariant_elements()
            if get(self.twin.cells(m, e))[: e.width] == self.state[e.text]
        }
        for what, lit in self.invariants(m):
            if what not in kept:
                self.false(f'invariant {what} after reset', lit ^ 1, TRUE)
        if kept:
            self.notes.append('without reset, in range at the start: ' + ' '.join(dict.fromkeys(kept.values())))

    # ---- obligations
    def equal(self, name: str, c: Bits, rtl: Bits, given: int = TRUE) -> None:
        if len(c) != len(rtl):
            raise BlockError(f'{name}: {len(c)} bits against {len(rtl)}')
        bad = self.g.any_([self.g.xor(x, y) for x, y in zip(c, rtl)])
        self.obligations.append(Obligation(name, tuple(c), tuple(rtl), self.g.all_([self.assume, given, bad])))

    def false(self, name: str, lit: int, assume: int | None = None) -> None:
        """`assume`: in the place of the invariants."""
        self.obligations.append(
            Obligation(name, (lit,), (FALSE,), self.g.and_(self.assume if assume is None else assume, lit))
        )
