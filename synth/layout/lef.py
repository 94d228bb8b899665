# SPDX-License-Identifier: Apache-2.0
"""Sizes, pins and layers of a LEF file.  Lengths are in hundredths of a micron, the unit of graywolf and of our DEF files."""
import re
from dataclasses import dataclass, field

PER_UM = 100
SUPPLY = ('vdd', 'gnd')


@dataclass
class Cell:
    width: int = 0
    height: int = 0
    pins: dict = field(default_factory=dict)  # name -> [(layer, (x0, y0, x1, y1))]
    blocked: list = field(default_factory=list)  # [(layer, rectangle)]

    def signals(self):
        return [p for p in self.pins if p not in SUPPLY]

    def at(self, pin):
        """The middle of a pin's largest rectangle."""
        _, (x0, y0, x1, y1) = max(self.pins[pin], key=lambda s: (s[1][2] - s[1][0]) * (s[1][3] - s[1][1]))
        return (x0 + x1) // 2, (y0 + y1) // 2


@dataclass
class Layer:
    horizontal: bool
    pitch: int
    width: int


def hundredths(text):
    return round(float(text) * PER_UM)


def shapes(text):
    """(layer, rectangle) of every RECT in a PORT or OBS section."""
    layer, found = None, []
    for m in re.finditer(r'\bLAYER\s+(\S+)|\bRECT\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)', text):
        if m[1]:
            layer = m[1]
        else:
            found.append((layer, tuple(map(hundredths, m.groups()[1:]))))
    return found


def cell_of(text):
    wide, high = re.search(r'\bSIZE\s+(\S+)\s+BY\s+(\S+)', text).groups()
    pins = {m[1]: shapes(m[2]) for m in re.finditer(r'^\s*PIN\s+(\S+)(.*?)^\s*END\s+\1\s*$', text, re.M | re.S)}
    blocked = re.search(r'^\s*OBS\b(.*?)^\s*END\s*$', text, re.M | re.S)
    return Cell(hundredths(wide), hundredths(high), pins, shapes(blocked[1]) if blocked else [])


def read(path):
    """(layers, cells) of a file: {name: Layer} of its routing layers in order, {name: Cell}."""
    text = path.read_text()
    layers = {
        m[1]: Layer(
            'HORIZONTAL' in m[2],
            hundredths(re.search(r'\bPITCH\s+(\S+)', m[2])[1]),
            hundredths(re.search(r'\bWIDTH\s+(\S+)', m[2])[1]),
        )
        for m in re.finditer(r'^LAYER\s+(\S+)(.*?)^END\s+\1\s*$', text, re.M | re.S)
        if re.search(r'\bTYPE\s+ROUTING', m[2])
    }
    cells = {m[1]: cell_of(m[2]) for m in re.finditer(r'^MACRO\s+(\S+)(.*?)^END\s+\1\s*$', text, re.M | re.S)}
    if not layers or not cells:
        raise ValueError(
            f'{path}: found {len(layers)} routing layers and {len(cells)} cells, expected both: a LEF file'
        )
    return layers, cells
