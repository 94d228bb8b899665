# SPDX-License-Identifier: Apache-2.0
"""The layout back to a netlist: magic reads DEF and LEF, finds the shapes that touch, and writes the GDS file; netgen compares with the netlist that
was placed.  The cells are their LEF views: pins and obstructions, no transistors."""
import re
import struct
import subprocess
from pathlib import Path

from synth.layout import netlist as netlists
from synth.layout.lef import SUPPLY
from synth.layout.rows import FILLER
from synth.yosys import ToolError

TECHNOLOGY = Path('/usr/share/qflow/tech/osu018')
BGNLIB, BGNSTR, ENDLIB = 0x0102, 0x0502, 0x0400  # records of GDS II, each with the type of its data
SCRIPT = '''drc off
snap int
{lefs}
def read {name}.def
load {name}
extract all
ext2spice hierarchy on
ext2spice format ngspice
ext2spice scale off
ext2spice renumber off
ext2spice cthresh infinite
ext2spice rthresh infinite
ext2spice blackbox on
ext2spice subcircuit top auto
ext2spice global off
ext2spice
gds write {name}.gds
quit -noprompt
'''


def run(command, out, log, limit_s):
    try:
        done = subprocess.run(
            command,
            cwd=out,
            capture_output=True,
            text=True,
            errors='replace',
            stdin=subprocess.DEVNULL,
            timeout=limit_s,
        )
    except FileNotFoundError:
        raise ToolError(f'found no {command[0]}, expected a package of synth/layout/packages.txt')
    except subprocess.TimeoutExpired:
        raise ToolError(f'{command[0]}: found no end after {limit_s} s')
    (out / log).write_text(done.stdout + done.stderr)
    return done.stdout + done.stderr


def extracted(name, out, lef_files, limit_s):
    """{subcircuit: (pins, [(instance, kind, nets)])} of the layout; name.spice and name.gds are written."""
    (out / 'extract.tcl').write_text(SCRIPT.format(name=name, lefs='\n'.join(f'lef read {p}' for p in lef_files)))
    for suffix in ('spice', 'gds', 'ext'):
        (out / f'{name}.{suffix}').unlink(missing_ok=True)
    run(
        ['magic', '-dnull', '-noconsole', '-T', str(TECHNOLOGY / 'SCN6M_SUBM.10.tech'), 'extract.tcl'],
        out,
        'extract.log',
        limit_s,
    )
    for old in out.glob('*.ext'):
        old.unlink()
    for suffix in ('spice', 'gds'):
        if not (out / f'{name}.{suffix}').exists():
            raise ToolError(f'extraction: magic wrote no {name}.{suffix}, see {out}/extract.log')
    gds = out / f'{name}.gds'
    gds.write_bytes(undated(gds.read_bytes()))
    return subcircuits((out / f'{name}.spice').read_text())


def undated(gds):
    """A GDS II stream in which the library and each structure have the date 1970-01-01 00:00:00: equal layouts are equal files."""
    epoch, found, at = struct.pack('>6h', 1970, 1, 1, 0, 0, 0) * 2, bytearray(gds), 0  # last change, last access
    while at < len(found):
        length, kind = struct.unpack_from('>HH', found, at)
        if length < 4:
            raise ToolError(f'extraction: found a GDS record of {length} bytes at {at}, expected at least 4')
        if kind in (BGNLIB, BGNSTR):
            found[at + 4 : at + 4 + len(epoch)] = epoch
        at += length
        if kind == ENDLIB:
            break
    return bytes(found)


def subcircuits(text):
    text, found, inside = re.sub(r'\n\+', ' ', text), {}, None
    for line in text.splitlines():
        words = line.split()
        if line.startswith('.subckt'):
            inside = found.setdefault(words[1], (words[2:], []))
        elif line.startswith('X') and inside:
            inside[1].append((words[0][1:], words[-1], words[1:-1]))
    return found


def as_netlist(name, found, placed):
    """The netlist in the layout.  Ports that `placed` ties to a constant have no wire."""
    cells = {
        inst: (kind, {p: n for p, n in zip(found[kind][0], nets) if p not in SUPPLY})
        for inst, kind, nets in found[name][1]
        if kind != FILLER
    }
    return netlists.Netlist(name, placed.ports, cells)


def supplied(name, found):
    """Nets that the cells' supply pins are on: {'vdd': {nets}, 'gnd': {nets}}."""
    nets = {s: set() for s in SUPPLY}
    for _, kind, on in found[name][1]:
        for p, n in zip(found[kind][0], on):
            if p in SUPPLY:
                nets[p].add(n)
    return nets


def same(placed, real):
    """Raises at the first net of the placed netlist whose pins are not on one net of their own in the layout.  Netgen compares the graphs
    alone, not the names of cells and nets."""
    on = {(name, pin): net for net, pins in real.nets().items() for name, pin in pins}
    users = {}
    for net, pins in placed.nets().items():
        if len(pins) < 2:
            continue
        there = {pin if name is None else on.get((name, pin), 'none') for name, pin in pins}
        if len(there) > 1:
            raise ToolError(f'layout: found the pins of {net} on {", ".join(sorted(there)[:4])}, expected one net')
        other = users.setdefault(there.pop(), net)
        if other != net:
            raise ToolError(f'layout: found {net} and {other} on one net, expected two')


def spice(netlist, found):
    """The placed netlist, in the pin order of the layout's subcircuits."""
    kinds = {kind for kind, _ in netlist.cells.values()}
    lines = [line for k in sorted(kinds) for line in (f'.subckt {k} {" ".join(found[k][0])}', '.ends')]
    ports = [
        b for d in ('input', 'output') for b, n in netlist.port_bits(d) if n not in '01' and b in found[netlist.name][0]
    ]
    lines.append(f'.subckt {netlist.name} {" ".join([*ports, *SUPPLY])}')
    for name, (kind, pins) in netlist.cells.items():
        lines.append(f'X{name} {" ".join(p if p in SUPPLY else pins[p] for p in found[kind][0])} {kind}')
    return '\n'.join([*lines, '.ends', ''])


def compared(name, netlist, found, out, limit_s):
    """Layout against schematic by netgen: raises where they differ."""
    (out / f'{name}.schematic.spice').write_text(spice(netlist, found))
    said = run(
        [
            'netgen-lvs',
            '-batch',
            'lvs',
            f'{name}.spice {name}',
            f'{name}.schematic.spice {name}',
            str(TECHNOLOGY / 'osu018_setup.tcl'),
            'lvs.report',
            '-blackbox',
        ],
        out,
        'lvs.log',
        limit_s,
    )
    report, nets = (out / 'lvs.report').read_text(), re.findall(r'^Circuit contains (.*)$', said, re.M)
    if 'Circuits match uniquely.' not in said or len(set(nets)) != 1 or '**Mismatch**' in report:
        raise ToolError(f'layout against schematic: netgen found a difference, see {out}/lvs.report and lvs.log')
