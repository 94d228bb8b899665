# SPDX-License-Identifier: Apache-2.0
"""RTL from outside the tree in place of a block's own: RTL=folder, file list (.f) or file, TOP=module.

A folder stands for its .sv and .v files, packages first.  A file list holds names, +incdir+, +define+, -y and comments; names are relative to
the current folder or to the list.  Modules that are not given are looked up by name in rtl/lib, in the block's folder and in those of its parts.
usage: python3 -B -m cosim.own_rtl prepare BLOCK RTL TOP STATE BUILD OUT Parameter=value ...   checks ports (and registers, if STATE is not 0) against the port
list, and writes OUT/own.f and OUT/public.vlt, which Verilator reads
       python3 -B -m cosim.own_rtl place BUILD BLOCK/SET_rtl_DIGEST ...   links BUILD/own/BLOCK/SET.so, for the machine"""
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cosim import manifest, params, parts
from cosim.manifest import ROOT, ParamError, Params

MODULE = re.compile(r'^\s*module\s+(?:automatic\s+|static\s+)?(\w+)', re.M)
PACKAGE = re.compile(r'^\s*package\s+(\w+)', re.M)
# Errors end Verilator, warnings of lint and style do not: they judge how the user's RTL is written.  Its ports and registers are checked here, its
# outputs in lockstep.
UNROLL = [*params.UNROLL, '--unroll-stmts', '1000000']
QUIET = ['-Wno-fatal', '-Wno-lint', '-Wno-style']
YOSYS_SECONDS = 120  # a large design whose wires may form a loop
MEANING = {'clk_i': ', the clock, rising edge', 'rst_ni': ', the reset: synchronous, active low'}


def code(path: Path) -> str:
    """Its text without comments."""
    return re.sub(r'//[^\n]*|/\*.*?\*/', ' ', path.read_text(errors='replace'), flags=re.S)


class OwnRtl:
    """The RTL= of a user: files in reading order, folders, macros, and the name of the module."""

    def __init__(self, path: str, top: str, block: str) -> None:
        self.given, self.top_given = path, top
        self.folders: list[Path] = []
        self.macros: list[str] = []
        self.libraries = [ROOT / 'rtl' / d for d in ('lib', block, *parts.of(block, ROOT))]
        where = Path(path)
        if re.search(r'[\s\'"$#:%]', path):
            raise ParamError(f'RTL: found "{path}", expected a path without spaces and other special characters')
        if where.is_dir():
            self.files = sorted(
                (p for p in where.iterdir() if p.suffix in ('.sv', '.v') and not p.stem.endswith('_formal')),
                key=lambda p: (not PACKAGE.search(code(p)), p.name),
            )
            self.folders = [where]
        elif where.suffix == '.f' and where.is_file():
            self.files = []
            self.read_list(where)
        elif where.suffix in ('.sv', '.v') and where.is_file():
            self.files, self.folders = [where], [where.parent]
        else:
            raise ParamError(
                f'RTL={path}: found {"a file that is none of these" if where.exists() else "nothing"}, expected a folder, a file list (.f), or a file (.sv, .v)'
            )
        if not self.files:
            raise ParamError(f'RTL={path}: found no source, expected .sv or .v files')
        self.module = self.find_module(top, block)

    def read_list(self, listing: Path) -> None:
        def found(name: str, k: int) -> Path:
            for folder in (Path(), listing.parent):
                if (folder / name).exists():
                    return folder / name
            raise ParamError(f'{listing}:{k}: found "{name}", expected a file that is there')

        words = (
            (k, w)
            for k, line in enumerate(listing.read_text().splitlines(), 1)
            for w in re.sub(r'(//|#).*', '', line).split()
        )
        for k, word in words:
            if word.startswith('+incdir+'):
                self.folders += [found(w, k) for w in word.split('+')[2:]]
            elif word.startswith('+define+'):
                self.macros += word.split('+')[2:]
            elif word == '-y':
                self.libraries.insert(0, found(next(words, (k, ''))[1], k))
            elif word[0] in '+-':
                raise ParamError(f'{listing}:{k}: found "{word}", expected a file name, +incdir+, +define+ or -y')
            else:
                self.files.append(found(word, k))

    def find_module(self, top: str, block: str) -> str:
        names = [m for p in self.files for m in MODULE.findall(code(p))]
        wanted = [top] if top else [manifest.module(block), block]
        for name in wanted:
            if name in names:
                return name
        raise ParamError(
            f'RTL={self.given}: found {"module " + ", ".join(dict.fromkeys(names)) if names else "no module"}, expected {" or ".join(wanted)}'
            + ('' if top else '; TOP=module names another')
        )

    @property
    def include(self) -> list[Path]:
        return [*self.folders, ROOT / 'rtl/lib']

    @property
    def needs(self) -> list[Path]:
        """Files whose change changes the design."""
        more = [
            p
            for d in (*self.folders, *self.libraries)
            for p in sorted(d.iterdir())
            if p.suffix in ('.sv', '.v', '.svh', '.vh')
        ]
        listing = [Path(self.given)] if self.given.endswith('.f') else []
        return list(dict.fromkeys([*self.files, *listing, *more]))

    def digest(self, state: str) -> str:
        """Of where it is, not of its contents: part of the name of a folder of its own."""
        return hashlib.sha256(f'{Path(self.given).resolve()} {self.module} {state}'.encode()).hexdigest()[:8]

    def arguments(self) -> list[str]:
        """For Verilator."""
        return [
            *(f'+incdir+{d.resolve()}' for d in self.include),
            *(f'+define+{m}' for m in self.macros),
            *(w for d in self.libraries for w in ('-y', str(d.resolve()))),
            *(str(p.resolve()) for p in self.files),
        ]

    def for_yosys(self) -> tuple[str, str]:
        """(arguments of read_verilog -sv, arguments of hierarchy): macros, folders, files; folders of modules by name."""
        read = [*(f'-D{m}' for m in self.macros), *(f'-I{d}' for d in self.include), *map(str, self.files)]
        return ' '.join(read), ' '.join(f'-libdir {d}' for d in self.libraries)

    def bits_loop(self, chosen: Params) -> bool | None:
        """Whether Yosys finds a combinational loop through single bits; None: it does not read the design, or not in time."""
        read, found = self.for_yosys()
        values = ' '.join(f'-chparam {n} {v}' for n, v in chosen.items())
        script = (
            f'read_verilog -sv {read}; hierarchy -top {self.module} {found} {values}; proc; flatten; '
            'opt_expr; opt_clean; memory_map; techmap; opt_clean; check'
        )
        try:
            done = subprocess.run(['yosys', '-q', '-p', script], capture_output=True, text=True, timeout=YOSYS_SECONDS)
        except subprocess.TimeoutExpired:
            return None
        return None if done.returncode else 'found logic loop' in done.stdout + done.stderr

    def shown(self) -> str:
        return f'RTL={self.given}' + (f' TOP={self.top_given}' if self.top_given else '')


class Design:
    """The module as Verilator elaborates it."""

    def __init__(self, own: OwnRtl, chosen: Params | None = None) -> None:
        self.own = own
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, 'design.xml')
            command = [
                'verilator',
                '--xml-only',
                '--xml-output',
                out,
                '--Mdir',
                folder,
                *QUIET,
                '--top-module',
                own.module,
                *(f'-G{n}={v}' for n, v in (chosen or {}).items()),
                *own.arguments(),
            ]
            r = subprocess.run([str(w) for w in command], capture_output=True, text=True)
            if r.returncode:
                said = [line for line in (r.stderr + r.stdout).splitlines() if line.startswith('%Error')]
                raise ParamError(f'{own.shown()}: Verilator does not take it: {said[0] if said else r.stderr.strip()}')
            self.tree = xml.parse(out).getroot()
        self.sources = {f.get('id'): f.get('filename') for f in self.tree.iter('file')}
        self.types = {t.get('id'): t for t in self.tree.iter() if t.get('id') and t.tag.endswith('dtype')}
        self.top = next(m for m in self.tree.iter('module') if m.get('topModule') == '1')

    def shape(self, kind: str) -> tuple[int, int]:
        """(bits of an element, elements) of a type."""
        t = self.types[kind]
        if t.tag == 'basicdtype':
            return abs(int(t.get('left', 0)) - int(t.get('right', 0))) + 1, 1
        if t.tag in ('structdtype', 'uniondtype'):
            widths = [self.bits(m.get('sub_dtype_id', '')) for m in t.iter('memberdtype')]
            return sum(widths) if t.tag == 'structdtype' else max(widths), 1
        if not t.get('sub_dtype_id'):  # of an interface, say: no port of a block
            return 0, 1
        bits, depth = self.shape(t.get('sub_dtype_id', ''))
        if t.tag in ('unpackarraydtype', 'packarraydtype'):
            low, high = (int(c.get('name', '').split('h')[1], 16) for c in t.findall('range/*'))
            n = abs(high - low) + 1
            return (bits, depth * n) if t.tag == 'unpackarraydtype' else (bits * n, depth)
        return bits, depth

    def place(self, node: xml.Element) -> str:
        """file:line"""
        file, line = node.get('loc', ',').split(',')[:2]
        return f'{shortened(self.sources.get(file) or "")}:{line}'

    def places(self) -> dict[str, str]:
        """name -> file:line of each port; '' is the module's."""
        ports = {v.get('name', ''): self.place(v) for v in self.top.findall('var') if v.get('dir')}
        return {'': self.place(self.top)} | ports

    def other_edges(self) -> Iterator[str]:
        """Registers that another event than one rising edge sets."""
        for tree in self.tree.iter('sentree'):
            edges = tree.findall('senitem')
            odd = next((e for e in edges if e.get('edgeType') not in ('POS', None)), None)
            if odd is None and len(edges) > 1:
                odd = edges[1]
            if odd is not None:
                signal = next((v.get('name') for v in odd.iter('varref')), 'a signal')
                edge = {'NEG': 'the falling edge', 'POS': 'the rising edge'}.get(odd.get('edgeType') or '', 'an edge')
                yield (
                    f'{self.place(odd)}: {signal}: found registers that {edge} of it sets, expected the rising edge of clk_i alone: '
                    'reset is rst_ni, synchronous, active low'
                )

    def high_resets(self) -> Iterator[str]:
        """Registers that get constants while rst_ni is 1 and other values while it is 0: that is a reset that is active high."""

        def constant(side: xml.Element) -> bool:
            values = [side] if side.tag != 'begin' else [a[0] for a in side.iter('assigndly')]
            return bool(values) and all(v.tag == 'const' for v in values)

        for always in self.tree.iter('always'):
            for choice in (n for n in always.iter() if n.tag in ('if', 'cond') and len(n) > 2):
                is_reset = choice[0].tag == 'varref' and choice[0].get('name') == 'rst_ni'
                if is_reset and constant(choice[1]) and not constant(choice[2]):
                    yield f'{self.place(choice[0])}: rst_ni: found registers that are reset while it is 1, expected while it is 0: active low'
                    break

    def bits(self, kind: str) -> int:
        bits, depth = self.shape(kind)
        return bits * depth

    def parameters(self) -> list[str]:
        return [v.get('name', '') for v in self.top.findall('var') if v.get('param') == 'true']

    def ports(self) -> dict[str, tuple[str, int]]:
        """name -> (direction, bits)"""
        return {
            v.get('name', ''): (v.get('dir', ''), self.bits(v.get('dtype_id', '')))
            for v in self.top.findall('var')
            if v.get('dir') in ('input', 'output', 'inout')
        }

    def variables(self) -> dict[str, tuple[int, int]]:
        """name -> (bits, elements) of the variables that the module declares"""
        return {
            v.get('name', ''): self.shape(v.get('dtype_id', ''))
            for v in self.top.findall('var')
            if not v.get('dir') and not v.get('param') and not v.get('localparam')
        }

    def instances(self) -> dict[str | None, str | None]:
        modules = {m.get('name'): m.get('origName') for m in self.tree.iter('module')}
        return {i.get('name'): modules.get(i.get('defName')) for i in self.top.iter('instance')}


def wrong_ports(
    listed: dict[str, tuple[str, int]], found: dict[str, tuple[str, int]], places: dict[str, str] | None = None
) -> Iterator[str]:
    """The differences between the port list (name -> (direction, bits)) and a module's ports, with the lines in `places`."""

    def at(name: str) -> str:
        return f'{places[name]}: ' if places and name in places else ''

    for name, (direction, bits) in listed.items():
        if name not in found:
            yield f'{at("")}{name}: found no port, expected an {direction} of {bits} bits{MEANING.get(name, "")}'
        elif found[name] != (direction, bits):
            yield f'{at(name)}{name}: found an {found[name][0]} of {found[name][1]} bits, expected an {direction} of {bits} bits'
    for name in found:
        if name not in listed:
            yield f'{at(name)}{name}: found a port that the block does not have'


def loops(own: OwnRtl, chosen: Params) -> Iterator[str]:
    """Combinational loops.  Verilator suspects whole signals; Yosys decides by bits, if it reads the design."""
    said = subprocess.run(
        ['verilator', '--lint-only', *QUIET, *UNROLL, '-Wwarn-UNOPTFLAT', '--top-module', own.module]
        + [*(f'-G{n}={v}' for n, v in chosen.items()), *own.arguments()],
        capture_output=True,
        text=True,
    ).stderr
    suspects = re.findall(r"^%Warning-UNOPTFLAT: (\S+?):(\d+):\d+: .*'([^']+)'", said, re.M)
    sure = own.bits_loop(chosen) if suspects else False
    for file, line, signal in suspects if sure else []:
        yield f'{shortened(file)}:{line}: {signal}: found a combinational loop through it, expected none'
    if sure is None:
        signals = ', '.join(s for _, _, s in suspects)
        print(
            f'note   {own.shown()}: maybe a combinational loop through {signals}; Yosys, which would tell, does not read it in time or at all'
        )


def shortened(path: str) -> str:
    """Relative to the current folder if it is below that."""
    p = Path(path)
    return str(p.relative_to(Path.cwd()) if p.is_relative_to(Path.cwd()) else p)


def listed_ports(described: dict[str, Any]) -> dict[str, tuple[str, int]]:
    ports = {'clk_i': ('input', 1), 'rst_ni': ('input', 1)}
    return ports | {p['name']: (d + 'put', p['width']) for d in ('in', 'out') for p in described[d]}


def lacking_registers(block: str, described: dict[str, Any], design: Design) -> Iterator[str]:
    """Registers of the list that the module does not have, in this shape; parts that it does not instantiate."""
    have = design.variables()
    for r in described['state']:
        bits, depth = r['width'], r['depth']
        if bits * depth and have.get(r['name']) not in [(bits, depth)] + ([(depth, 1)] if bits == 1 else []):
            yield f'{r["name"]} ({bits} bits{f" x {depth}" if depth > 1 else ""})'
    instances = design.instances()
    for part in parts.of(block, ROOT):
        if instances.get('u_' + part) != manifest.module(part):
            yield f'u_{part} (an instance of {manifest.module(part)})'


def prepared(own: OwnRtl, block: str, described: dict[str, Any], state: str) -> tuple[Params, list[str]]:
    """The parameters that the module takes; refuses ports, and registers unless state is '0', that are not as listed."""
    values = {p['name']: p['value'] for p in described['params']}
    known = Design(own).parameters()
    chosen = {n: v for n, v in values.items() if n in known}
    design = Design(own, chosen)
    wrong = list(wrong_ports(listed_ports(described), design.ports(), design.places()))
    if wrong:
        raise ParamError(
            f'{own.shown()}: the ports of {own.module} are not those of cmodel/blocks/{block}.h at {" ".join(f"{n}={v}" for n, v in values.items())}:\n  '
            + '\n  '.join(wrong)
        )
    odd = [*design.other_edges(), *design.high_resets()] or list(loops(own, chosen))
    if odd:
        raise ParamError(f'{own.shown()}: {own.module} is no block with one clock:\n  ' + '\n  '.join(odd))
    lacking = [] if state == '0' else list(lacking_registers(block, described, design))
    if lacking:
        raise ParamError(
            f'{own.shown()}: {own.module} has other registers than cmodel/blocks/{block}.h lists; found none of the name and size of\n  '
            + '\n  '.join(lacking)
            + '\n  STATE=0 compares outputs alone'
        )
    return chosen, [f'{n}={v}' for n, v in values.items() if n not in known]


def place(build: Path, sets: list[str]) -> int:
    """Links BUILD/own/BLOCK/SET.so to the sets of RTL= that were built last; those of other RTL go.  The machine takes them from there."""
    for block, name in (s.split('/') for s in sets):
        plain, digest = name.rsplit('_rtl_', 1)
        folder = build / 'own' / block
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob('*.so'):
            if not os.readlink(old).endswith(f'_rtl_{digest}.so'):
                old.unlink()
        new = folder / f'.{plain}.{os.getpid()}'
        new.symlink_to(Path('../../rtl', block, f'{name}.so'))
        new.replace(folder / f'{plain}.so')
        print(f'own    {folder}/{plain}.so')
    return 0


def main() -> int:
    if sys.argv[1] == 'place':
        return place(Path(sys.argv[2]), sys.argv[3:])
    what, block, path, top, state, build, out, *words = sys.argv[1:]
    assert what == 'prepare'
    try:
        own = OwnRtl(path, top, block)
        described = json.loads(
            subprocess.run(
                [f'{build}/describe/{block}', '--json', *words], capture_output=True, text=True, check=True
            ).stdout
        )
        chosen, fixed = prepared(own, block, described, state)
        Path(out, 'own.f').write_text('\n'.join([*(f'-G{n}={v}' for n, v in chosen.items()), *own.arguments()]) + '\n')
        public = (
            ''
            if state == '0'
            else subprocess.run(
                [
                    'cosim/registers.sh',
                    'gcc -Icmodel -Icmodel/blocks',
                    f'{block}={own.module}',
                    *(f'{p}={manifest.module(p)}' for p in parts.of(block)),
                ],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        )
        Path(out, 'public.vlt').write_text(public or '`verilator_config\n')
    except ParamError as e:
        print(e, file=sys.stderr)
        return 1
    if fixed:
        print(f'note   {own.shown()}: {own.module} has no parameter {" ".join(fixed)}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
