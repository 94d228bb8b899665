# SPDX-License-Identifier: Apache-2.0
"""RTL through Yosys's word-level JSON into an and-inverter graph.

Yosys only elaborates here (read, proc, flatten, memory to registers); no optimisation pass runs, so that every register
of the source is there under its name, none merged, narrowed or dropped.
"""
from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tb.prove.aig import FALSE, TRUE, Aig
from tb.prove.bitvec import BitVec, Bits, extend

Json = dict[str, Any]  # a module or cell, as Yosys writes it


class RtlError(Exception):
    pass


def yosys_script(
    top: str,
    sources: list[Path],
    include_dirs: list[Path],
    lib_dirs: list[Path],
    params: dict[str, int],
    output: str,
    how: str = '',
) -> str:
    inc = ' '.join(f'-I{d}' for d in include_dirs)
    par = ' '.join(f'-chparam {n} {v}' for n, v in params.items())
    lib = ' '.join(f'-libdir {d}' for d in lib_dirs)
    return (
        f'read_verilog {how} -sv {inc} {" ".join(str(s) for s in sources)}; hierarchy -check -top {top} {lib} {par}; '
        f'proc -noopt; flatten; memory_collect; memory_map; async2sync; dffunmap; {output}'
    )


def yosys(
    top: str, sources: list[Path], include_dirs: list[Path], lib_dirs: list[Path], params: dict[str, int], output: str
) -> None:
    """Elaborates, and runs the commands of `output` on the flat module.  With -defer modules are not elaborated at their default size as
    well, which may be a large one; Yosys 0.23 cannot do so with a module without parameters that is instantiated in a loop.
    """
    for how in ('-defer', ''):
        r = subprocess.run(
            ['yosys', '-q', '-p', yosys_script(top, sources, include_dirs, lib_dirs, params, output, how)],
            capture_output=True,
            text=True,
        )
        if not r.returncode:
            return
    raise RtlError(f'yosys: {(r.stderr or r.stdout).strip()[-2000:]}')


def elaborate(
    top: str,
    sources: list[Path],
    include_dirs: list[Path],
    lib_dirs: list[Path],
    params: dict[str, int],
    json_path: Path,
) -> Json:
    yosys(top, sources, include_dirs, lib_dirs, params, f'write_json {json_path}')
    with open(json_path) as f:
        return json.load(f)['modules'][top]


def pick_sources(rtl: Path, block: str, parts: Sequence[Any] = ()) -> tuple[list[Path], list[Path], list[Path]]:
    """The files that Yosys reads for a block: its folder and those of its parts without the formal harnesses; modules of other
    folders by name."""
    folders = [Path(rtl, b) for b in (block, *parts)]
    own = [p for d in folders for p in sorted(d.glob('*.sv')) if not p.stem.endswith('_formal')]
    lib = [p for p in sorted(Path(rtl, 'lib').glob('*.sv'))]
    if not own:
        raise RtlError(f'{rtl}/{block}: no .sv file')
    others = [d for d in sorted(Path(rtl).iterdir()) if d.is_dir() and d.name not in ('lib', block, *parts)]
    return lib + own, [Path(rtl, 'lib'), *folders], others


class Rtl:
    """A flat module.  Variables stand for input bits and register outputs; `word` gives the literals of any net."""

    def __init__(self, module: Json, aig: Aig, clock: str = 'clk_i') -> None:
        self.g, self.v, self.clock = aig, BitVec(aig), clock
        self.cells = module['cells']
        self.ports = {n: (p['direction'], p['bits']) for n, p in module['ports'].items()}
        self.nets = {n: x['bits'] for n, x in module['netnames'].items() if not x.get('hide_name')}
        self.driver: dict[Any, Any] = {}  # net bit -> (cell name, index in its output)
        self.next_bit: dict[Any, Any] = {}  # net bit of a register's output -> net bit of its input
        self.known: dict[Any, Any] = {}  # net bit -> literal
        self.words: dict[Any, Any] = {}  # cell name -> output literals
        self.fresh = 0
        self.undefined_if: list[Any] = []  # (place in the source, what, literal)
        for name, c in self.cells.items():
            self.enter(name, c)
        for _, x in module.get('memories', {}).items():
            raise RtlError(f'memory left over: {x}')

    def enter(self, name: str, c: Json) -> None:
        t, pins = c['type'], c['connections']
        if t == '$dff':
            if pins['CLK'] != self.ports[self.clock][1] or int(c['parameters']['CLK_POLARITY'], 2) != 1:
                raise RtlError(f'{name}: a register that is not clocked by the rising edge of {self.clock}')
            for q, d in zip(pins['Q'], pins['D']):
                self.next_bit[q] = d
        elif t in ('$assert', '$assume', '$cover', '$live', '$fair', '$print', '$check', '$scopeinfo'):
            pass
        elif 'Y' not in pins:
            raise RtlError(f'{name}: cell type {t} is not known here')
        else:
            for i, y in enumerate(pins['Y']):
                self.driver[y] = (name, i)

    def bind(self, bits: dict[int, int] | list[int], lits: Iterable[Any] | Bits) -> None:
        """Fixes the literals of nets that start the logic: inputs and register outputs."""
        for b, l in zip(bits, lits):
            self.known[b] = l

    def unbind(self) -> None:
        """Forgets all values, bound ones too."""
        self.known.clear()
        self.words.clear()

    def bit(self, b: int | str) -> int:
        if isinstance(b, str):
            if b in '01':
                return int(b)
            return self.undefined('x')
        hit = self.known.get(b)
        if hit is not None:
            return hit
        source = self.driver.get(b)
        lit = self.undefined(f'undriven net {b}') if source is None else self.output(source[0])[source[1]]
        self.known[b] = lit
        return lit

    def undefined(self, why: str) -> int:
        """An unknown value is a variable of its own: a result that depends on it can equal nothing."""
        self.fresh += 1
        return self.g.var(f'rtl {why} #{self.fresh}')

    def word(self, bits: list[int | str]) -> Bits:
        return tuple(self.bit(b) for b in bits)

    def next_of(self, bits: list[int]) -> Bits:
        return tuple(self.bit(self.next_bit[b]) for b in bits)

    def output(self, root: str) -> Bits:
        """The literals of a cell's output; iterative over its inputs, since chains run deep."""
        stack, open_ = [root], set()
        while stack:
            name = stack[-1]
            if name in self.words:
                stack.pop()
                continue
            c = self.cells[name]
            needs = {
                self.driver[b][0]
                for pin, bits in c['connections'].items()
                if pin != 'Y'
                for b in bits
                if not isinstance(b, str) and b not in self.known and b in self.driver
            }
            todo = [n for n in needs if n not in self.words]
            if todo:
                if name in open_:
                    raise RtlError(f'{name}: combinational loop')
                open_.add(name)
                stack += todo
                continue
            self.words[name] = self.cell(name, c)
            open_.discard(name)
            stack.pop()
        return self.words[root]

    def cell(self, name: str, c: Json) -> Bits:
        kind = c['type'][1:]
        handler = getattr(self, 'c_' + kind, None) if c['type'][0] == '$' else None
        if handler is None:
            raise RtlError(f'{name}: cell type {c["type"]} is not known here')
        pins = c['connections']
        p = Pins(self, c, {k: int(v, 2) for k, v in c['parameters'].items() if v and set(v) <= {'0', '1'}})
        out = tuple(handler(p))
        width = len(pins['Y'])
        if len(out) != width:
            raise RtlError(f'{name}: {c["type"]} gives {len(out)} bits for {width}')
        return out

    # ---- cells, after Yosys's cell library: operands are extended to the width that the operation works in
    def c_pos(self, p: Pins) -> Bits:
        return p.ext('A', p.width)

    def c_not(self, p: Pins) -> Bits:
        return self.v.not_(p.ext('A', p.width))

    def c_neg(self, p: Pins) -> Bits:
        return self.v.neg(p.ext('A', p.width))

    def c_and(self, p: Pins) -> Bits:
        return self.v.and_(*p.both(p.width))

    def c_or(self, p: Pins) -> Bits:
        return self.v.or_(*p.both(p.width))

    def c_xor(self, p: Pins) -> Bits:
        return self.v.xor(*p.both(p.width))

    def c_xnor(self, p: Pins) -> Bits:
        return self.v.not_(self.v.xor(*p.both(p.width)))

    def c_add(self, p: Pins) -> Bits:
        return self.v.add(*p.both(p.width))

    def c_sub(self, p: Pins) -> Bits:
        return self.v.sub(*p.both(p.width))

    def c_mul(self, p: Pins) -> Bits:
        return self.v.mul(*p.both(p.width))

    def c_div(self, p: Pins) -> Bits:
        return self.divide(p, 0)

    def c_mod(self, p: Pins) -> Bits:
        return self.divide(p, 1)

    def divide(self, p: Pins, which: int) -> Bits:
        w = max(p.width, len(p.raw('A')), len(p.raw('B')))
        a, b = p.both(w)
        if self.v.nonzero(b) != TRUE:
            zero = self.v.nonzero(b) ^ 1
            result = (self.v.divmod_signed if p.signed else self.v.divmod_unsigned)(a, b)[which]
            return self.v.mux(zero, tuple(self.undefined('division by zero') for _ in range(w)), result)[: p.width]
        return (self.v.divmod_signed if p.signed else self.v.divmod_unsigned)(a, b)[which][: p.width]

    def flag(self, p: Pins, lit: int) -> Bits:
        return extend((lit,), p.width)

    def c_logic_not(self, p: Pins) -> Bits:
        return self.flag(p, self.v.nonzero(p.raw('A')) ^ 1)

    def c_logic_and(self, p: Pins) -> Bits:
        return self.flag(p, self.g.and_(self.v.nonzero(p.raw('A')), self.v.nonzero(p.raw('B'))))

    def c_logic_or(self, p: Pins) -> Bits:
        return self.flag(p, self.g.or_(self.v.nonzero(p.raw('A')), self.v.nonzero(p.raw('B'))))

    def c_reduce_or(self, p: Pins) -> Bits:
        return self.flag(p, self.v.nonzero(p.raw('A')))

    c_reduce_bool = c_reduce_or

    def c_reduce_and(self, p: Pins) -> Bits:
        return self.flag(p, self.v.all_ones(p.raw('A')))

    def c_reduce_xor(self, p: Pins) -> Bits:
        return self.flag(p, self.v.parity(p.raw('A')))

    def c_reduce_xnor(self, p: Pins) -> Bits:
        return self.flag(p, self.v.parity(p.raw('A')) ^ 1)

    def c_eq(self, p: Pins) -> Bits:
        return self.flag(p, self.v.eq(*p.both(p.wide())))

    def c_ne(self, p: Pins) -> Bits:
        return self.flag(p, self.v.eq(*p.both(p.wide())) ^ 1)

    c_eqx, c_nex = c_eq, c_ne

    def c_lt(self, p: Pins) -> Bits:
        return self.flag(p, self.v.less(*p.both(p.wide()), p.signed))

    def c_ge(self, p: Pins) -> Bits:
        return self.flag(p, self.v.less(*p.both(p.wide()), p.signed) ^ 1)

    def c_gt(self, p: Pins) -> Bits:
        return self.flag(p, self.v.less(*p.swapped(), p.signed))

    def c_le(self, p: Pins) -> Bits:
        return self.flag(p, self.v.less(*p.swapped(), p.signed) ^ 1)

    def c_mux(self, p: Pins) -> Bits:
        return self.v.mux(p.raw('S')[0], p.raw('B'), p.raw('A'))

    def c_pmux(self, p: Pins) -> Bits:
        """One-hot select: two bits of S at once are undefined in Yosys, so that they never are is an obligation."""
        a, b, s = p.raw('A'), p.raw('B'), p.raw('S')
        w, seen, twice = len(a), FALSE, FALSE
        for sel in s:
            twice = self.g.or_(twice, self.g.and_(seen, sel))
            seen = self.g.or_(seen, sel)
        if twice != FALSE:
            self.undefined_if.append((p.source, 'two ways of a one-hot select', twice))
        result = a
        for i in range(len(s) - 1, -1, -1):
            result = self.v.mux(s[i], b[i * w : (i + 1) * w], result)
        return result

    def c_bwmux(self, p: Pins) -> Bits:
        return tuple(self.g.mux(s, b, a) for s, a, b in zip(p.raw('S'), p.raw('A'), p.raw('B')))

    # ---- shifts: the amount is unsigned, but for $shift and $shiftx, where a signed one shifts the other way
    def c_shl(self, p: Pins) -> Bits:
        return self.v.shl(p.ext('A', p.width), p.raw('B'))

    c_sshl = c_shl

    def c_shr(self, p: Pins) -> Bits:
        w = max(p.width, len(p.raw('A')))
        return self.v.shr(p.ext('A', w), p.raw('B'))[: p.width]

    def c_sshr(self, p: Pins) -> Bits:
        w = max(p.width, len(p.raw('A')))
        a = p.ext('A', w)
        return self.v.shr(a, p.raw('B'), a[-1] if p.signed_a else FALSE)[: p.width]

    def c_shift(self, p: Pins) -> Bits:
        return self.both_ways(p, FALSE)

    def c_shiftx(self, p: Pins) -> Bits:
        return self.both_ways(p, None)

    def both_ways(self, p: Pins, beyond: int | None) -> Bits:
        """Y = A >> B (<< -B where B is signed and negative); $shiftx reads undefined values past the ends of A."""
        a, b, n = p.ext('A', max(p.width, len(p.raw('A')))), p.raw('B'), len(p.raw('A'))
        right = self.v.shr(a, b[:-1] if p.signed_b else b)[: p.width]
        if beyond is None:
            right = self.element(p.raw('A'), b[:-1] if p.signed_b else b, p.width)
        if not p.signed_b or b[-1] == FALSE:
            return right
        if beyond is None:
            left = tuple(self.undefined('index below 0') for _ in range(p.width))
            if n == 0:
                return left
        else:
            left = self.v.shl(a, self.v.neg(extend(b, len(b) + 1, True)))[: p.width]
        return self.v.mux(b[-1], left, right)

    def element(self, a: Bits, b: Bits, width: int) -> Bits:
        """a[b +: width], undefined past the end."""
        bits = tuple(a) + tuple(self.undefined('index past the end') for _ in range(width))
        end = bits[len(a) :]
        low = 0
        while low < len(b) and b[low] == FALSE:
            low += 1
        stride = 1 << low
        items = [
            extend(bits[k : k + width], width) if k + width <= len(bits) else end for k in range(0, len(a), stride)
        ]
        return self.v.select(items, b[low:], beyond=end) if low < len(b) else bits[:width]


class Pins:
    """A cell's operands as its handler wants them."""

    def __init__(self, rtl: Rtl, cell: Json, params: dict[str, int]) -> None:
        self.rtl, self.pins, self.params = rtl, cell['connections'], params
        self.source = cell['attributes'].get('src', '?')
        self.width = len(self.pins['Y'])
        self.signed_a = bool(params.get('A_SIGNED', 0))
        self.signed_b = bool(params.get('B_SIGNED', 0))
        self.signed = self.signed_a and self.signed_b

    def raw(self, pin: str) -> Bits:
        return self.rtl.word(self.pins[pin])

    def ext(self, pin: str, width: int) -> Bits:
        return extend(self.raw(pin), width, bool(self.params.get(pin + '_SIGNED', 0)))

    def both(self, width: int) -> tuple[Bits, Bits]:
        return self.ext('A', width), self.ext('B', width)

    def swapped(self) -> tuple[Bits, Bits]:
        a, b = self.both(self.wide())
        return b, a

    def wide(self) -> int:
        return max(len(self.pins['A']), len(self.pins['B']))
