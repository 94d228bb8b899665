# SPDX-License-Identifier: Apache-2.0
"""A picture of a layout: cells in the colours of the parts of the block, wires above them.  A part is a register, or an output, with the
logic whose first reader it is."""
import html
from collections import defaultdict

from synth.layout.place import ROW

COLOURS = ('#4e79a7', '#f28e2b', '#59a14f', '#e15759', '#b07aa1', '#76b7b2', '#edc948', '#9c755f')
OTHER, CLOCK, EMPTY, MACRO = '#c8c8c8', '#222222', '#f4f4f2', '#d9c9a3'
LAYERS = {'metal2': '#b22222', 'metal3': '#1f5fbf', 'metal4': '#8a2be2', 'metal5': '#008080'}
UNIT = 10  # hundredths of a micron: coordinates of the picture are tenths
SHOWN = 640  # pixels that the picture is wide on a page


def base(net):
    return net.split('[')[0]


def parts(netlist):
    """{instance: name of its part}: from the registers and outputs backwards, one step of logic at a time."""
    drivers = {}
    for name, (_, pins) in netlist.cells.items():
        for pin, net in pins.items():
            if pin in ('Y', 'Q', 'YC', 'YS'):
                drivers[net] = name
    found, front = {}, []
    for name, (_, pins) in netlist.cells.items():
        if 'CLK' in pins and 'Q' in pins:
            found[name] = base(pins['Q'])
            front.append(name)
        elif name.startswith('CLKBUF1_l'):
            found[name] = 'clock tree'
    for bit, net in netlist.port_bits('output'):
        if net in drivers and drivers[net] not in found:
            found[drivers[net]] = base(bit)
            front.append(drivers[net])
    while front:
        after = []
        for name in front:
            for pin, net in netlist.cells[name][1].items():
                before = drivers.get(net)
                if before and before not in found:
                    found[before] = found[name]
                    after.append(before)
        front = after
    return found


def legend(of, widths):
    """The largest parts, with their colours."""
    area = defaultdict(int)
    for name, part in of.items():
        area[part] += widths[name]
    area.pop('clock tree', None)
    largest = sorted(area, key=lambda p: (-area[p], p))[: len(COLOURS)]
    return dict(zip(largest, COLOURS)) | {'clock tree': CLOCK}


def write(path, layout, wires, title):
    die, widths, of = layout.die, layout.widths, parts(layout.netlist)
    colours = legend(of, widths)
    shapes = defaultdict(list)  # colour -> rectangles as path data
    for name, spot in layout.spots.items():
        x, y = die.at(spot)
        w = widths[name] // UNIT
        colour = colours.get(of.get(name), OTHER)
        shapes[colour].append(f'M{x // UNIT} {(die.height - y - ROW) // UNIT}h{w - 1}v{ROW // UNIT - 6}h{1 - w}z')
    for name, (x, y) in die.macros.items():
        box = layout.boxes[layout.netlist.cells[name][0]]
        wide, high = box.width // UNIT, box.height // UNIT
        shapes[MACRO].append(
            f'M{(die.x0 + x) // UNIT} {(die.height - die.y0 - y) // UNIT - high}h{wide}v{high}h{-wide}z'
        )
    lines = defaultdict(list)
    for segments in wires.segments.values():
        for layer, width, (x0, y0), (x1, y1) in segments:
            if width is None and layer in LAYERS and (x0, y0) != (x1, y1):
                step = f'h{(x1 - x0) // UNIT}' if y0 == y1 else f'v{(y0 - y1) // UNIT}'
                lines[layer].append(f'M{x0 // UNIT} {(die.height - y0) // UNIT}{step}')
    wide, high, line = die.width // UNIT, die.height // UNIT, max(die.width // UNIT // 32, 24)
    keys = [*colours.items(), ('other', OTHER), *([('RAM', MACRO)] if die.macros else [])]
    size = wide + 14 * line, max(high, (len(keys) + 3) * line * 3 // 2)
    text = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" width="{SHOWN}" height="{SHOWN * size[1] // size[0]}" font-family="sans-serif" font-size="{line}">',
        f'<title>{html.escape(title)}, placed and routed in OSU 0.18 um: {die.width / 100:.0f} x {die.height / 100:.0f} um</title>',
        f'<rect width="{size[0]}" height="{size[1]}" fill="#fff"/>',
        f'<rect width="{wide}" height="{high}" fill="{EMPTY}" stroke="#888" stroke-width="4"/>',
        *(f'<path d="{"".join(d)}" fill="{c}" fill-opacity="0.75"/>' for c, d in sorted(shapes.items())),
        *(
            f'<path d="{"".join(lines[n])}" fill="none" stroke="{c}" stroke-width="3" stroke-opacity="0.55"/>'
            for n, c in LAYERS.items()
            if lines[n]
        ),
        f'<text x="{wide + line}" y="{line * 3 // 2}" font-weight="bold">{html.escape(title)}</text>',
    ]
    for k, (part, colour) in enumerate(keys, 2):
        y = k * line * 3 // 2
        text.append(
            f'<rect x="{wide + line}" y="{y - line * 3 // 4}" width="{line}" height="{line * 3 // 4}" fill="{colour}"/><text x="{wide + 5 * line // 2}" y="{y}">{html.escape(part)}</text>'
        )
    path.write_text('\n'.join([*text, '</svg>', '']))
