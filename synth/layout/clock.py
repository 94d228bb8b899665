# SPDX-License-Identifier: Apache-2.0
"""A clock tree after placement: flip-flops in groups of neighbours, a buffer for each group, and so on up to one buffer.  Every flip-flop
has the same number of buffers above it."""
import math

from synth.layout.place import ROW, Spot

BUFFER, INPUT, OUTPUT = 'CLKBUF1', 'A', 'Y'
LEAVES, BRANCHES = 12, 6  # flip-flops of a buffer, buffers of a buffer: at most


def halves(points, groups):
    """Splits {name: (x, y)} into groups of equal size, across the longer side of their box each time."""
    if groups == 1:
        return [sorted(points)]
    side = max((0, 1), key=lambda d: max(p[d] for p in points.values()) - min(p[d] for p in points.values()))
    order = sorted(points, key=lambda n: (points[n][side], points[n][1 - side], n))
    first = groups // 2
    cut = round(len(order) * first / groups)
    return halves({n: points[n] for n in order[:cut]}, first) + halves(
        {n: points[n] for n in order[cut:]}, groups - first
    )


def middle(points):
    return tuple((min(p[d] for p in points) + max(p[d] for p in points)) // 2 for d in (0, 1))


def levels(points):
    """Groups of names, from the flip-flops up: [[names of a buffer], ...] for each level, and the buffers' places."""
    level, most = 0, LEAVES
    while True:
        groups = halves(points, math.ceil(len(points) / most))
        new = {f'{BUFFER}_l{level}b{k}': middle([points[n] for n in names]) for k, names in enumerate(groups)}
        yield groups, new
        if len(new) == 1:
            return
        points, level, most = new, level + 1, BRANCHES


def sinks(netlist, clock='clk_i'):
    """{instance: its clock pin}"""
    return {name: p for name, (_, pins) in netlist.cells.items() for p, net in pins.items() if net == clock}


def grow(netlist, lib, spots, core, macros, clock='clk_i'):
    """Adds the buffers to the netlist and to the spots (which overlap then).  `macros`: {instance: (x, y)}.  Returns the number of buffers of
    each level, leaves first."""
    pin = sinks(netlist, clock)
    if not pin:
        return []
    points = {n: (spots[n].x, spots[n].row * ROW) if n in spots else macros[n] for n in pin}
    counts = []
    for groups, new in levels(points):
        counts.append(len(new))
        for names, (buffer, (x, y)) in zip(groups, new.items()):
            net = f'clk_{buffer.rpartition("_")[2]}'
            for n in names:
                netlist.cells[n][1][pin.get(n, INPUT)] = net
            netlist.cells[buffer] = (BUFFER, {INPUT: clock, OUTPUT: net})
            x = min(max(0, x - lib[BUFFER].width // 2), core.width - lib[BUFFER].width)
            spots[buffer] = Spot(min(y // ROW, core.rows - 1), x, False)
    return counts


def buffers(flops, most=(LEAVES, BRANCHES)):
    """Number of buffers above this many flip-flops: their width is a part of the core."""
    total, count, limit = 0, flops, most[0]
    while count > 1 or not total and count:
        count, limit = math.ceil(count / limit), most[1]
        total += count
    return total
