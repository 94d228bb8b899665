# SPDX-License-Identifier: Apache-2.0
"""A block for the prover: its lists (through the interpreter itself), its twin as an interpreted program, its RTL."""
from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pycparser import c_parser

from cosim import manifest, parts
from tb.prove.aig import Aig
from tb.prove.bitvec import Bits
from tb.prove.cinterp import CError, Interp
from tb.prove.cvalues import Cell, Loaded, Object, Place, Pointer, PointerValue, Value, make_object, number

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# The X-macro lists expand to calls into Python; widths are C expressions over p.
LISTS = '''
#define PROVE_PARAM(name, def, min, max, text) prove_param(#name, #max, def, min, max);
#define PROVE_IN(kind, name, width, text) prove_port("in", #kind, #name, width);
#define PROVE_OUT(kind, name, width, text) prove_port("out", #kind, #name, width);
#define PROVE_REG(kind, name, width, text) prove_port("reg", #kind, #name, width);
#define PROVE_MEM(kind, name, width, max, depth, text) prove_mem(#kind, #name, width, depth);
#define PROVE_INVARIANT(name, limit) prove_invariant(#name, limit);
#ifndef @B@_INVARIANT
#define @B@_INVARIANT(X)
#endif
static void prove_params(void) { @B@_PARAM(PROVE_PARAM) }
static void prove_lists(const struct @b@_cfg *p)
{ @B@_IN(PROVE_IN) @B@_OUT(PROVE_OUT) @B@_REG(PROVE_REG) @B@_MEM(PROVE_MEM) @B@_INVARIANT(PROVE_INVARIANT) }
'''

# Of a part, the registers; its parameters follow from the assembly's.
PART_LISTS = '''
#ifndef @P@_INVARIANT
#define @P@_INVARIANT(X)
#endif
static void prove_part_@p@(const struct @b@_cfg *q)
{
    const struct @p@_cfg c = @b@_@p@_cfg(q);
    const struct @p@_cfg *p = &c;
    @P@_REG(PROVE_REG) @P@_MEM(PROVE_MEM) @P@_INVARIANT(PROVE_INVARIANT)
}
'''


class BlockError(Exception):
    pass


class Element:
    """A port, a register (of a part: part.register), or one element of a table (index not None)."""

    def __init__(self, kind: str, name: str, width: int, index: int | None = None) -> None:
        self.kind, self.name, self.width, self.index = kind, name, width, index

    @property
    def text(self) -> str:
        return self.name if self.index is None else f'{self.name}[{self.index}]'


class Block:
    """Where a block's faces are; `c_file` and `rtl_dir` may be copies."""

    def __init__(
        self, name: str, c_file: Path | None = None, rtl_root: Path | None = None, include: Sequence[Path] = ()
    ) -> None:
        self.name, self.module = name, manifest.module(name)
        self.c_file = Path(c_file or ROOT / f'cmodel/blocks/{name}.c')
        self.rtl_root = Path(rtl_root or ROOT / 'rtl')
        self.include = [Path(i) for i in include] + [ROOT / 'cmodel/blocks']
        ports = next((p for p in (i / f'{name}.h' for i in self.include) if p.exists()), None)
        if not ports:
            raise BlockError(f'{name}: no {name}.h in {" or ".join(map(str, self.include))}')
        self.parts = parts.in_text(ports.read_text())
        self.part_files = [
            next(p for p in (i / f'{part}.c' for i in self.include) if p.exists()) for part in self.parts
        ]

    def source(self, defines: Sequence[str] = ()) -> list[str]:
        """The twin and its lists, and the twin of each part, preprocessed."""
        lists = LISTS.replace('@B@', self.name.upper()) + ''.join(
            PART_LISTS.replace('@P@', p.upper()).replace('@p@', p) for p in self.parts
        )
        texts = [f'#include "{self.c_file.resolve()}"\n' + lists.replace('@b@', self.name)]
        texts += [f'#include "{f.resolve()}"\n' for f in self.part_files]
        return [self.preprocessed(t, defines) for t in texts]

    def preprocessed(self, text: str, defines: Sequence[str]) -> str:
        flags = ['-I' + str(i) for i in self.include] + ['-D' + d for d in defines]
        r = subprocess.run(
            [
                'gcc',
                '-std=c17',
                '-E',
                '-U__gnu_linux__',
                '-nostdinc',
                '-I' + str(HERE / 'libc'),
                *flags,
                '-x',
                'c',
                '-',
            ],
            input=text,
            capture_output=True,
            text=True,
        )
        if r.returncode:
            raise BlockError(r.stderr.strip())
        return r.stdout

    def params(self) -> dict[str, tuple[Any, ...]]:
        """name -> (text of the maximum, default, minimum, maximum)."""
        found: dict[str, tuple[Any, ...]] = {}

        def prove_param(name: Value, max_text: Value, *numbers: Value) -> None:
            found[name.bits] = (max_text.bits, *[n.number() for n in numbers])

        program = Interp(parse(self.source()[0]), Aig(), {'prove_param': prove_param})
        program.call_function('prove_params', [])
        return found

    def limits(self, params: dict[str, tuple[Any, ...]], cfg: dict[str, int]) -> list[str]:
        """Macros that bound the twin's arrays (B_MAX_...), set to the sizes of this configuration."""
        return [
            f'{text}={max(cfg[name], low)}'
            for name, (text, _, low, _) in params.items()
            if re.fullmatch(r'[A-Z][A-Z0-9_]*', text)
        ]


def parse(source: str) -> Any:
    try:
        return c_parser.CParser().parse(source)
    except c_parser.ParseError as e:
        raise CError(str(e)) from None


class Twin:
    """The C face at one configuration: b_init interpreted with numbers, the rest with unknowns."""

    def __init__(self, block: Block, aig: Aig, cfg: dict[str, int], source: list[str]) -> None:
        self.block, self.cfg = block, cfg
        self.lists: dict[str, list[Any]] = {'in': [], 'out': [], 'reg': [], 'mem': []}
        self.invariant: list[tuple[str, int]] = []
        self.prefix = ''
        builtins: dict[str, Callable[..., Any]] = {
            'prove_param': lambda *a: None,
            'prove_port': self.list_port,
            'prove_mem': self.list_mem,
            'prove_invariant': lambda n, x: self.invariant.append((self.prefix + n.bits, x.number())),
        }
        self.program = Interp(parse(source[0]), aig, builtins)
        for text in source[1:]:
            self.program.link(parse(text))
        b = block.name
        self.types = {
            k: self.program.structs[t]
            for k, t in {'cfg': b + '_cfg', 'in': b + '_in', 'out': b + '_out', 'state': b}.items()
        }
        c = make_object(self.types['cfg'], lambda t: None)
        for name, cell in c.items():
            if name not in cfg:
                raise BlockError(f'{b}: no value for parameter {name}')
            cell.value = number(cfg[name], cell.type)
        self.cfg_pointer = self.pointer(c, 'cfg')
        self.call('prove_lists', self.cfg_pointer, plain=True)
        self.fact_names = [
            n for b in [block.name, *block.parts] for n in self.program.functions if n.startswith(b + '_invariant_')
        ]
        for part in block.parts:
            self.prefix = part + '.'
            self.call('prove_part_' + part, self.cfg_pointer, plain=True)

    def list_port(self, which: Value, kind: Value, name: Value, width: Value) -> None:
        self.lists[which.bits].append(Element(kind.bits, self.prefix + name.bits, width.number() or 0))

    def list_mem(self, kind: Value, name: Value, width: Value, depth: Value) -> None:
        self.lists['mem'].append((kind.bits, self.prefix + name.bits, width.number(), depth.number()))

    def registers(self) -> tuple[list[Element], list[str]]:
        """Every register and table element that is there, and the names of those that are not at this size."""
        present = [r for r in self.lists['reg'] if r.width]
        absent = [r.name for r in self.lists['reg'] if not r.width]
        for kind, name, width, depth in self.lists['mem']:
            present += [Element(kind, name, width, k) for k in range(depth if width else 0)]
            absent += [] if width and depth else [name]
        return present, absent

    def pointer(self, obj: Object, kind: str) -> PointerValue:
        return PointerValue(Place(obj, (), self.types[kind]), False, Pointer(self.types[kind]))

    def make(self, kind: str, scalar: None = None) -> Object:
        return make_object(self.types[kind], scalar or (lambda t: self.program.unknown(t, kind)))

    def call(self, function: str, *args: Loaded, plain: bool = False) -> Any:
        name = function if plain else f'{self.block.name}_{function}'
        if name not in self.program.functions:
            raise BlockError(f'{self.block.c_file}: no function {name}')
        return self.program.call_function(name, list(args))[0]

    def facts(self, state: Object) -> Iterator[tuple[str, int]]:
        """(name, literal) of each function b_invariant_* for a state; those of a part, of its struct."""
        for b in [self.block.name, *self.block.parts]:
            obj = state if b == self.block.name else state[b]
            place = PointerValue(Place(obj, (), self.program.structs[b]), False, Pointer(self.program.structs[b]))
            for n in self.fact_names:
                if n.startswith(b + '_invariant_'):
                    yield n, self.call(n, place, plain=True).vector()[0]

    def put_registers(self, state: Object, values: dict[str, Bits], registers: list[Element]) -> None:
        for e in registers:
            put(self.cells(state, e), values[e.text])

    def cells(self, state: Object, element: Element) -> list[Cell]:
        """The cell, or the 32 cells of a W1024 word, that hold an element."""
        obj = state
        for member in element.name.split('.'):
            if member not in obj:
                raise BlockError(f'{element.name}: listed, but no member of its struct')
            obj = obj[member]
        if element.index is not None:
            if element.index >= len(obj):
                raise BlockError(f'{element.name}: the C array has {len(obj)} elements, fewer than its depth')
            obj = obj[element.index]
        return obj if isinstance(obj, list) else [obj]


def put(cells: list[Cell], bits: Bits) -> None:
    """Writes literals into cells, zeros above them."""
    from tb.prove.bitvec import extend
    from tb.prove.cvalues import make

    total = sum(c.type.width for c in cells)
    if len(bits) > total:
        raise BlockError(f'{len(bits)} bits do not fit the C type of {total}')
    bits, at = extend(bits, total), 0
    for c in cells:
        c.value = make(bits[at : at + c.type.width], c.type)
        at += c.type.width


def get(cells: list[Cell]) -> Bits:
    out: Bits = ()
    for c in cells:
        if not isinstance(c.value, Value):
            raise BlockError('a port or register holds no number')
        out += tuple(c.value.vector())
    return out
