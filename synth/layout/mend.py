# SPDX-License-Identifier: Apache-2.0
"""Nets that the router leaves open and calls routed: a piece of wire is added to a pin that a via is one track beside; if the net is open
then, too, a via where two of its layers end in one place without one.  The extraction after each decides whether the net is whole."""
import re
from collections import Counter

REACH = 120  # hundredths of a micron between the end of a wire and a pin


def apart(placed, real):
    """[(net, instance, pin)] of the pins that are not on the net that holds most of their net's pins; a port has no instance."""
    on = {(name, pin): net for net, pins in real.nets().items() for name, pin in pins}
    found = []
    for net, pins in placed.nets().items():
        there = {(name, pin): pin if name is None else on.get((name, pin)) for name, pin in pins}
        if len(pins) > 1 and len(set(there.values())) > 1:
            most = Counter(there.values()).most_common(1)[0][0]
            found += [(net, name, pin) for (name, pin), at in there.items() if at != most]
    return found


def joints(wires, net):
    """(lower layer's number, point) of the places where two layers of the net end, one above the other, without a via."""
    ends = {(int(layer[-1]), p) for layer, _, *points in wires.segments[net] for p in points}
    vias = {(int(via[-1]), p) for via, p in wires.vias[net]}
    ends |= {(n + up, p) for n, p in vias for up in (0, 1)}
    return sorted((n, p) for n, p in ends - vias if (n + 1, p) in ends)


def turned(box, cell, turn):
    """A rectangle of a cell, placed with this orientation."""
    x0, y0, x1, y1 = box
    if turn in ('FN', 'S'):
        x0, x1 = cell.width - x1, cell.width - x0
    if turn in ('FS', 'S'):
        y0, y1 = cell.height - y1, cell.height - y0
    return x0, y0, x1, y1


def shapes(layout, lib, name, pin):
    """(layer, rectangle) of a pin on the die."""
    cell = lib[layout.netlist.cells[name][0]]
    if name in layout.spots:
        (x, y), turn = layout.die.at(layout.spots[name]), layout.die.turn(layout.spots[name])
    else:
        (x, y), turn = (a + b for a, b in zip(layout.die.macros[name], (layout.die.x0, layout.die.y0))), 'N'
    for layer, box in cell.pins[pin]:
        x0, y0, x1, y1 = turned(box, cell, turn)
        yield layer, (x + x0, y + y0, x + x1, y + y1)


def piece(wires, net, layer, box, half):
    """(distance, from, to) of the shortest straight piece from a via of the net on this layer into the rectangle."""
    x0, y0, x1, y1 = box
    for via, (x, y) in wires.vias[net]:
        if layer not in {f'metal{n}' for n in re.findall(r'M(\d)', via)}:
            continue
        to_x = min(max(x, x0 + half), max(x1 - half, x0 + half))
        to_y = min(max(y, y0 + half), max(y1 - half, y0 + half))
        distance = abs(to_x - x) + abs(to_y - y)
        if distance <= REACH and (to_x == x or to_y == y):
            yield distance, (x, y), (to_x, to_y)


def pieces(wires, layout, lib, net, pins):
    """Steps of a route: to each of these pins the shortest piece, if it has one."""
    for name, pin in pins:
        found = [
            (*p, layer)
            for layer, box in (shapes(layout, lib, name, pin) if name else ())
            for p in piece(wires, net, layer, box, layout.layers[layer].width // 2)
        ]
        for _, (x, y), (to_x, to_y), layer in sorted(found)[:1]:
            yield f'NEW {layer} ( {x} {y} ) ( {to_x} {to_y} )'


def vias(wires, layout, lib, net, pins):
    """Steps of a route: the vias that are left out.  Only some of them are needed; the others join pins that other wires of the net join."""
    for n, (x, y) in joints(wires, net):
        yield f'NEW metal{n} ( {x} {y} ) M{n + 1}_M{n}'


WAYS = (pieces, vias)  # in this order


def add(text, wires, layout, lib, loose, way):
    """The DEF with the wires that one of these ways adds to the nets of these pins, and the number of steps."""
    count = 0
    for net in dict.fromkeys(n for n, _, _ in loose):
        steps = list(way(wires, layout, lib, net, [(name, pin) for n, name, pin in loose if n == net]))
        more = ''.join(f'\n  {s}' for s in steps)
        body = re.compile(rf'^(- {re.escape(net)}\s[^;]*?\+ ROUTED[^;]*?)\s*;', re.M)
        text, found = body.subn(lambda m, more=more: f'{m[1]}{more} ;', text, count=1)
        count += found * len(steps)
    return text, count
