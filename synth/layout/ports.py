# SPDX-License-Identifier: Apache-2.0
"""Ports on the edge of the die, each opposite to the cells that it is connected to."""
from dataclasses import dataclass

from synth.layout.place import ROW

EDGE_X, EDGE_Y = 800, 1000  # from the core to the edge of the die
X_PITCH, Y_PITCH = 80, 100
APART = 2  # tracks between two ports
CORNER = 3  # tracks without a port at each end of an edge


@dataclass
class Die:
    """Coordinates of a DEF file: tracks are multiples of the pitches, cells are half a pitch off.  `macros`: {instance: (x, y)} from the core's
    left bottom corner, as far as `extent`."""

    core: object
    macros: dict
    extent: tuple

    @property
    def x0(self):
        return EDGE_X + X_PITCH // 2

    @property
    def y0(self):
        return EDGE_Y + Y_PITCH // 2

    @property
    def width(self):
        return (2 * EDGE_X + max(self.core.width, self.extent[0])) // X_PITCH * X_PITCH + X_PITCH

    @property
    def height(self):
        return 2 * EDGE_Y + max(self.core.rows * ROW, self.extent[1]) + Y_PITCH

    def at(self, spot):
        return self.x0 + spot.x, self.y0 + spot.row * ROW

    def turn(self, spot):
        return (('FS', 'S') if spot.row % 2 == 0 else ('N', 'FN'))[spot.flipped]


def slots(die):
    """Places for ports, around the die but not beside macros: (x, y, layer)."""
    right = die.x0 + die.core.width if die.macros else die.width
    xs = range(CORNER * X_PITCH, right - CORNER * X_PITCH, APART * X_PITCH)
    ys = range(CORNER * Y_PITCH, die.height - CORNER * Y_PITCH, APART * Y_PITCH)
    return (
        [(x, 0, 'metal2') for x in xs]
        + [(die.width, y, 'metal3') for y in ys if not die.macros]
        + [(x, die.height, 'metal2') for x in reversed(xs)]
        + [(0, y, 'metal3') for y in reversed(ys)]
    )


def pins_at(die, spots, lib, netlist):
    """net -> places of its cells"""
    found = {}
    for name, spot in spots.items():
        kind, pins = netlist.cells[name]
        x, y = die.at(spot)
        for net in pins.values():
            found.setdefault(net, []).append((x + lib[kind].width // 2, y + ROW // 2))
    return found


def placed(netlist, lib, spots, die):
    """{bit: (x, y, layer)} of every port bit that has a wire.  The farthest from all edges is served last."""
    free, found, at = slots(die), {}, pins_at(die, spots, lib, netlist)
    bits = {
        n: b
        for p in netlist.ports
        for b, n in p.bits()
        if n in at or any(n in pins.values() for name in die.macros for pins in netlist.cells[name][1:])
    }
    if len(bits) > len(free):
        raise ValueError(
            f'ports: found {len(bits)}, expected at most {len(free)} on a die of {die.width / 100:.0f} x {die.height / 100:.0f} um: DENSITY= lower'
        )

    def middle(net):
        points = at.get(net, [(die.x0 + die.core.width, die.y0)])
        return tuple(sum(p[d] for p in points) // len(points) for d in (0, 1))

    def inside(net):
        x, y = middle(net)
        return min(x, die.width - x, y, die.height - y)

    for net in sorted(bits, key=lambda n: (inside(n), n)):
        x, y = middle(net)
        best = min(free, key=lambda s: (abs(s[0] - x) + abs(s[1] - y), s))
        free.remove(best)
        found[net] = best
    return found
