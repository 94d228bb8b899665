# SPDX-License-Identifier: Apache-2.0
"""What is to be proved of one block at one configuration, as obligations over one and-inverter graph.

For every state S of the listed registers, every input I (and, where a block states one, under its invariant on S):
  output O        eval's O equals the RTL's O
  next R          the state after tick equals the RTL's next state, register by register
  reset R         with rst_ni = 0 the RTL's next R is b_reset's; one that both leave alone is reported as without reset
  invariant R     the invariant holds after reset and is kept by tick (checked before it is used for anything)
  undefined       nothing that C or Yosys leaves undefined happens in eval, tick or reset
  idle            if b_idle and no *_valid_i, then tick is skip(1)
  step            if the twin has b_step: its outputs are eval's, its next state is tick's
  derived         if the twin has b_derive: after tick, step, skip and reset the derived fields equal those that it computes
  frame           eval and tick change nothing that is not theirs: parameters, inputs, table space beyond the depth
"""
from aig import FALSE, TRUE, Aig
from bitvec import BitVec, const, extend
from block import BlockError, Twin, get, put
from cvalues import leaves
from rtl import Rtl, RtlError, elaborate, pick_sources
from solve import Obligation

CLOCK, RESET = 'clk_i', 'rst_ni'


class Equivalence:
    def __init__(self, block, cfg, source, workdir, module=None):
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
        self.obligations, self.notes = [], []
        self.inputs, self.state, self.origin = {}, {}, {}
        self.assume = TRUE
        self.make_variables()
        self.bind_registers()
        self.build()

    # ---- the common variables
    def make_variables(self):
        def new(kind, e):
            bits = tuple(self.g.var(f'{e.text}[{i}]') for i in range(e.width))
            for i, b in enumerate(bits):
                self.origin[b >> 1] = (kind, e.text, i)
            return bits

        for e in self.twin.lists['in']:
            self.inputs[e.text] = new('input', e)
        for e in self.registers:
            self.state[e.text] = new('state', e)

    def bind_registers(self):
        """Finds each listed register in the RTL; what the RTL has besides is an error, or `extra` if nothing reads it."""
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
        self.zero = set()

    def flat_name(self, name):
        """A net of that name; part.register is that of instance u_part; a register of an instance that is not listed as a
        part may be listed with _ for the dots of its path."""
        if '.' in name:
            return 'u_' + name if 'u_' + name in self.rtl.nets else None
        if name in self.rtl.nets:
            return name
        found = [n for n in self.rtl.nets if n.replace('.', '_') == name]
        return found[0] if len(found) == 1 else None

    def find_net(self, e):
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
        return bits[e.index * e.width:(e.index + 1) * e.width]

    def checked(self, e, bits):
        if len(bits) != e.width:
            raise RtlError(f'{e.text}: {len(bits)} bits wide in the RTL, {e.width} in the list')
        return bits

    def name_extra(self, free):
        """RTL register bits that no list names, under their net's name.  A name that nobody gave may only be dead."""
        known = {('u_' + n).replace('.', '_') if '.' in n else n for n in self.absent}
        named = {}
        for name in sorted(self.rtl.nets, key=lambda n: (self.listed_name(n) not in known, n in self.rtl.ports, n)):
            for b in self.rtl.nets[name]:
                if b in free:
                    named.setdefault(b, name)
        extra = {}
        for b in free:
            extra.setdefault(named.get(b, '(unnamed)'), []).append(b)
        for name in extra:
            if name != '(unnamed)' and self.listed_name(name) not in known:
                raise RtlError(f'{name}: a register of the RTL that the block does not list')
        return extra

    def listed_name(self, net):
        return net.split('[')[0].replace('.', '_')

    # ---- both sides
    def bind_rtl(self, reset):
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

    def check_ports(self):
        listed = {'input': {e.name: e.width for e in self.twin.lists['in']},
                  'output': {e.name: e.width for e in self.twin.lists['out']}}
        listed['input'].update({CLOCK: 1, RESET: 1})
        for name, (direction, bits) in self.rtl.ports.items():
            if listed.get(direction, {}).get(name) != len(bits):
                raise RtlError(f'{name}: {direction} of {len(bits)} bits in the RTL, '
                               f'{listed.get(direction, {}).get(name, "none")} in the list')
        for direction in listed:
            for name in listed[direction]:
                if name not in self.rtl.ports:
                    raise RtlError(f'{name}: a listed {direction} that the RTL does not have')

    def rtl_side(self, reset):
        self.bind_rtl(reset)
        outputs = {e.name: self.rtl.word(self.rtl.ports[e.name][1]) for e in self.twin.lists['out']}
        state = {n: self.rtl.next_of(bits) for n, bits in self.nets.items()}
        rest = {n: self.rtl.next_of(self.extra[n]) for n in self.zero}
        return outputs, state, rest

    def build(self):
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

    def fix_absent(self):
        """A register that the lists say is not there at this size may be in the RTL if nothing reads it, or if it is
        0 after reset and stays so."""
        while True:
            outputs, state, rest = self.rtl_side(False)
            read = set(self.g.support([b for v in [*outputs.values(), *state.values(), *rest.values()] for b in v]))
            more = {n for n, bits in self.extra_vars.items() if n not in self.zero and any(b >> 1 in read for b in bits)}
            if '(unnamed)' in more:
                raise RtlError('a register of the RTL without a name has an effect')
            self.rtl_held = rest
            if not more:
                return
            self.zero |= more

    def c_side(self, rtl_outputs, rtl_state):
        t = self.twin
        m, cfg = self.initial()
        m_pointer, held = t.pointer(m, 'state'), self.hold(m)
        i = t.make('in')
        for e in t.lists['in']:
            put(t.cells(i, e), self.inputs[e.text])
        i_pointer, o = t.pointer(i, 'in'), t.make('out')
        before = self.contents(m), self.contents(i)
        self.find_assumption()

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
        self.keep_invariant('kept', m)
        self.keep_derived('tick', m)
        self.idle(m, i)
        self.step(m, i_pointer, o)

    def idle(self, after_tick, i):
        t = self.twin
        m, _ = self.initial()
        quiet = t.call('idle', t.pointer(m, 'state')).vector()[0]
        for e in t.lists['in']:
            if e.name.endswith('_valid_i'):
                quiet = self.g.and_(quiet, self.inputs[e.text][0] ^ 1)
        if 'skip' not in self.twin.program.functions and f'{self.block.name}_skip' not in self.twin.program.functions:
            raise BlockError(f'{self.block.c_file}: no function {self.block.name}_skip')
        from cvalues import ULONG, number
        t.call('skip', t.pointer(m, 'state'), number(1, ULONG))
        for e in self.registers:
            a, b = get(t.cells(m, e)), get(t.cells(after_tick, e))
            self.equal(f'idle {e.text}: tick is skip(1)', self.v.mux(quiet, a, b), b)
        self.keep_derived('skip', m)

    def step(self, after_tick, i_pointer, after_eval):
        t = self.twin
        if f'{self.block.name}_step' not in t.program.functions:
            return
        m, _ = self.initial()
        o = t.make('out')
        t.call('step', t.pointer(m, 'state'), i_pointer, t.pointer(o, 'out'))
        for e in t.lists['out']:
            self.equal(f'step {e.text}: as eval', get(t.cells(o, e)), get(t.cells(after_eval, e)))
        for e in self.registers:
            self.equal(f'step {e.text}: as tick', get(t.cells(m, e)), get(t.cells(after_tick, e)))
        self.keep_derived('step', m)

    def initial(self):
        """The twin's struct after b_init, with variables in the place of every listed register."""
        t = self.twin
        m = t.make('state')
        t.call('init', t.pointer(m, 'state'), t.cfg_pointer)
        self.reset_values = {e.text: get(t.cells(m, e)) for e in self.registers}
        for name, bits in self.reset_values.items():
            if any(b > 1 for b in bits):
                raise BlockError(f'{name}: {self.block.name}_init leaves it unset')
        before = {p: c.value for p, c in leaves(m)}
        t.put_registers(m, {}, [])
        self.derived = {p for p, c in leaves(m) if c.value is not before[p]}
        t.put_registers(m, self.state, self.registers)
        return m, t.cfg_pointer

    def keep_derived(self, when, m):
        """The derived fields equal those that b_derive computes from the registers."""
        if not self.derived:
            return
        again, _ = self.initial()
        self.twin.put_registers(again, {e.text: get(self.twin.cells(m, e)) for e in self.registers}, self.registers)
        expected = {p: c.value.vector() for p, c in leaves(again)}
        for p, c in leaves(m):
            if p in self.derived:
                self.equal(f'derived {p} after {when}', c.value.vector(), expected[p])

    def hold(self, m):
        """Fields that tick must not change: parameters, and table space beyond the depth.  Derived fields have their own obligation."""
        mine = {id(c) for e in self.registers for c in self.twin.cells(m, e)}
        return {p: c.value.vector() for p, c in leaves(m) if id(c) not in mine and p not in self.derived}

    def contents(self, obj):
        return {p: c.value.vector() for p, c in leaves(obj)}

    def unchanged(self, name, before, obj):
        for p, c in leaves(obj):
            if p in before and c.value.vector() != before[p]:
                self.equal(f'frame {name}: {p}', c.value.vector(), before[p])

    def reset_side(self, rtl_reset):
        t = self.twin
        m, _ = self.initial()
        t.call('reset', t.pointer(m, 'state'))
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
        self.keep_invariant('after reset', m)
        self.keep_derived('reset', m)

    # ---- the invariant
    def below(self, bits, limit):
        w = max(len(bits), limit.bit_length())
        return self.v.less(extend(bits, w), const(limit, w))

    def invariant_elements(self):
        for name, limit in self.twin.invariant:
            mine = [e for e in self.registers if e.name == name]
            if not mine and name not in self.absent:
                raise BlockError(f'invariant on {name}, which is not listed')
            for e in mine:
                yield e, limit

    def find_assumption(self):
        self.assume = self.g.all_([self.below(self.state[e.text], limit) for e, limit in self.invariant_elements()])
        if self.twin.invariant:
            self.notes.append('invariant: ' + ' '.join(f'{n}<{x}' for n, x in self.twin.invariant))

    def keep_invariant(self, when, m):
        for e, limit in self.invariant_elements():
            bits = get(self.twin.cells(m, e))
            self.false(f'invariant {e.text} < {limit} {when}', self.below(bits, limit) ^ 1)

    # ---- obligations
    def equal(self, name, c, rtl):
        bad = self.g.any_([self.g.xor(x, y) for x, y in zip(c, rtl)])
        if len(c) != len(rtl):
            raise BlockError(f'{name}: {len(c)} bits against {len(rtl)}')
        self.obligations.append(Obligation(name, tuple(c), tuple(rtl), self.g.and_(self.assume, bad)))

    def false(self, name, lit):
        self.obligations.append(Obligation(name, (lit,), (FALSE,), self.g.and_(self.assume, lit)))
