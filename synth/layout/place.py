# SPDX-License-Identifier: Apache-2.0
"""Placement by graywolf: TimberWolfSC alone, with rows of our own.  Its global router is off, because it counts tracks that nobody reads
and dies of a double free above some 7,000 cells."""
import math
from dataclasses import dataclass
from pathlib import Path

from synth.layout import stage
from synth.yosys import ToolError

PLACER = Path('/usr/lib/graywolf/bin/TimberWolfSC')
SITE, ROW = 80, 1000  # hundredths of a micron
SPARE = 0.97  # of a row is asked for: TimberWolfSC leaves rows unequal
SEED = 12345
PARAMETERS = '''RULES
    layer metal1 0.07 0.030 horizontal
    layer metal2 0.07 0.017 vertical
    via via12 metal1 metal2
    width metal1 60
    width metal2 60
    width via12 60
    spacing metal1 metal1 140
    spacing metal2 metal2 100
    overhang via12 metal1 8
    overhang via12 metal2 6
ENDRULES
*vertical_wire_weight : 1.0
*vertical_path_weight : 1.0
*padspacing : variable
*rowSep : 0.0 0
*track.pitch : 80
*minimum_pad_space : 120
*gridX : 80
*gridY : 100
*gridOffsetX : 0
*gridOffsetY : 0
*graphics.wait : off
*last_chance.wait : off
*random.seed : {seed}
TWSC*feedThruWidth : 80 layer 1
TWSC*do.global.route : off
TWSC*ignore_feeds : true
TWSC*call_row_evener : true
TWSC*even_rows_maximally : true
'''


@dataclass
class Floor:
    """Rows of the core, its left bottom corner at (0, 0); row 0 is mirrored, as every second one."""

    rows: int
    width: int


@dataclass
class Spot:
    row: int
    x: int
    flipped: bool  # about a vertical axis


def floor(cells_width, density, aspect):
    """The core for cells of this total width: `aspect` is its height by its width."""
    area = cells_width * ROW / density
    rows = max(1, round(math.sqrt(area * aspect) / ROW))
    return Floor(rows, math.ceil(area / ROW / rows / SITE) * SITE)


def padded(netlist, widths, core):
    """Sites that each cell gets beside its own, in proportion to its pins, so that all of them fill the rows."""
    spare = (core.rows * core.width * SPARE - sum(widths.values())) / SITE
    pins = sum(len(netlist.cells[name][1]) for name in widths)
    extra, total, given = {}, 0, 0
    for name in widths:
        total += len(netlist.cells[name][1])
        extra[name] = max(0, math.floor(spare * total / pins) - given)
        given += extra[name]
    return extra


def cell_lines(netlist, lib, widths, extra, ids):
    for k, name in enumerate(widths):
        kind, pins = netlist.cells[name]
        wide = widths[name] + extra[name] * SITE
        left, bottom = -(wide // 2), -(ROW // 2)
        yield f'cell {k} c{k}'
        yield f'left {left} right {left + wide} bottom {bottom} top {bottom + ROW}'
        for pin, net in pins.items():
            x, y = lib[kind].at(pin)
            yield f'pin name {pin} signal n{ids[net]} layer 1 {left + x} {bottom + y}'


def row_lines(core):
    yield f'rows {core.rows}'
    for r in range(core.rows):
        yield f'row 0 {r * ROW} {core.width} {(r + 1) * ROW}{" mirror" if r % 2 == 0 else ""}'


def pad_lines(netlist, lib, macros, ids):
    """Pins of macros, each as a pad at its place."""
    pins = [(name, pin, net) for name in macros for pin, net in netlist.cells[name][1].items()]
    for k, (name, pin, net) in enumerate(pins, 1):
        x, y = (a + b for a, b in zip(macros[name], lib[netlist.cells[name][0]].at(pin)))
        yield f'pad {k} name p{k}\ncorners 4\n{x} {y - 40} {x} {y + 40} {x + 80} {y + 40} {x + 80} {y - 40}\norient 0'
        yield f'pin name {pin} signal n{ids[net]} layer 1 {x} {y}\n'


def placed(netlist, lib, widths, macros, core, out, limit_s):
    """{instance: Spot} as TimberWolfSC places the cells of `widths`, still with their spare sites."""
    ids = {net: k for k, net in enumerate(netlist.nets())}
    extra = padded(netlist, widths, core)
    for suffix, text in (
        (
            'scel',
            '\n'.join([*cell_lines(netlist, lib, widths, extra, ids), *pad_lines(netlist, lib, macros, ids)]) + '\n',
        ),
        ('blk', '\n'.join(row_lines(core)) + '\n'),
        ('par', PARAMETERS.format(seed=SEED)),
        ('stat', ''),
    ):
        (out / f'place.{suffix}').write_text(text)
    inputs = ['place.scel', 'place.blk', 'place.par']
    stage.run('place', [str(PLACER), '-n', 'place'], out, inputs, ['place.pl1'], limit_s)
    return spots(list(widths), (out / 'place.pl1').read_text())


def spots(names, text):
    found = {}
    for line in text.splitlines():
        words = line.split()
        if words and words[0][0] == 'c':
            turn = int(words[5])
            found[names[int(words[0][1:])]] = Spot(int(words[6]) - 1, int(words[1]), turn in (2, 3))
    if len(found) != len(names):
        raise ToolError(f'placement: found {len(found)} cells in what graywolf wrote, expected {len(names)}')
    return found
