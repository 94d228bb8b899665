# SPDX-License-Identifier: Apache-2.0
"""Routing by qrouter: the placement as DEF, and the wires in the DEF that it writes.  Its last stage routes every net once more; it is left
out, because it takes two thirds of the time for a twentieth of the wire."""
import re
from collections import defaultdict

from synth.layout import rows, stage, supply
from synth.layout.lef import PER_UM
from synth.layout.place import ROW
from synth.yosys import ToolError

LAYERS = 6


def tracks(die, layers):
    for name, layer in list(layers.items())[:LAYERS]:
        axis, size = ('Y', die.height) if layer.horizontal else ('X', die.width)
        yield f'TRACKS {axis} 0 DO {size // layer.pitch + 1} STEP {layer.pitch} LAYER {name} ;'


def components(netlist, spots, widths, die):
    all_of = [(name, netlist.cells[name][0], spot) for name, spot in spots.items()]
    all_of += [(f'fill_{k}', rows.FILLER, s) for k, s in enumerate(rows.fillers(spots, widths, die.core))]
    yield f'COMPONENTS {len(all_of) + len(die.macros)} ;'
    for name, (x, y) in die.macros.items():
        yield f'- {name} {netlist.cells[name][0]} + PLACED ( {die.x0 + x} {die.y0 + y} ) N ;'
    for name, kind, spot in all_of:
        x, y = die.at(spot)
        yield f'- {name} {kind} + PLACED ( {x} {y} ) {die.turn(spot)} ;'
    yield 'END COMPONENTS'


def pins(netlist, ports, layers):
    direction = {b: p.direction.upper() for p in netlist.ports for b, _ in p.bits()}
    yield f'PINS {len(ports)} ;'
    for bit, (x, y, layer) in ports.items():
        half = layers[layer].width // 2
        yield f'- {bit} + NET {bit} + DIRECTION {direction[bit]}\n  + LAYER {layer} ( {-half} {-half} ) ( {half} {half} )\n  + PLACED ( {x} {y} ) N ;'
    yield 'END PINS'


def nets(netlist):
    routed = {n: p for n, p in netlist.nets().items() if len(p) > 1}
    yield f'NETS {len(routed)} ;'
    for net, of in routed.items():
        yield f'- {net}\n' + '\n'.join(f'  ( {name or "PIN"} {pin} )' for name, pin in of) + ' ;'
    yield 'END NETS'


def write_def(path, netlist, spots, ports, widths, die, layers):
    text = [
        'VERSION 5.6 ;',
        'NAMESCASESENSITIVE ON ;',
        'DIVIDERCHAR "/" ;',
        'BUSBITCHARS "<>" ;',
        f'DESIGN {netlist.name} ;',
        f'UNITS DISTANCE MICRONS {PER_UM} ;',
        f'DIEAREA ( 0 0 ) ( {die.width} {die.height} ) ;',
        *tracks(die, layers),
        *components(netlist, spots, widths, die),
        *pins(netlist, ports, layers),
        *nets(netlist),
        'END DESIGN',
        '',
    ]
    path.write_text('\n'.join(text))


def obstructions(die):
    """Metal1 stays inside the core; straps keep their distance."""
    left, right, bottom, top = die.x0, die.x0 + die.core.width, die.y0, die.y0 + die.core.rows * ROW
    for x0, y0, x1, y1 in (
        (-80, -100, left, die.height + 100),
        (right, -100, die.width + 80, die.height + 100),
        (left, -100, right, bottom - supply.RAIL),
        (left, top + supply.RAIL, right, die.height + 100),
    ):
        yield 'metal1', (x0, y0, x1, y1)
    yield from (('metal2', box) for _, *box in supply.straps(die))


def script(lef_files, die):
    lines = [
        'verbose 1',
        *(f'read_lef {p}' for p in lef_files),
        f'catch {{layers {LAYERS}}}',
        'via stack 1',
        'vdd vdd',
        'gnd gnd',
    ]
    lines += [f'obstruction {" ".join(f"{v / PER_UM:g}" for v in r)} {layer}' for layer, r in obstructions(die)]
    return '\n'.join([*lines, 'read_def place.def', 'qrouter::standard_route routed.def false true', 'quit', ''])


def run(out, lef_files, die, limit_s):
    """Runs qrouter in `out` on the placement there; it writes wires and their RC."""
    (out / 'route.tcl').write_text(script(lef_files, die))
    inputs = ['place.def', 'route.tcl']
    stage.run('route', ['qrouter', '-nog', '-s', 'route.tcl'], out, inputs, ['routed.def', 'routed.rc'], limit_s)
    log = out / 'route.log'
    final = re.findall(r'^Final: (.*)$', log.read_text(errors='replace'), re.M)
    if not final or not final[-1].startswith('No failed routes'):
        raise ToolError(
            f'routing: {final[-1] if final else "no last line"}, see {log}; DENSITY= lower leaves the router room'
        )


def points(text):
    """Steps of a route: ((x0, y0), (x1, y1)) of its wires, (via, (x, y)) of its vias."""
    last, wires, vias = None, [], []
    for m in re.finditer(r'\(\s*(\S+)\s+(\S+)(?:\s+\S+)?\s*\)|(\w+)', text):
        if m[3]:
            vias.append((m[3], last))
            continue
        x = last[0] if m[1] == '*' else int(m[1])
        y = last[1] if m[2] == '*' else int(m[2])
        if last:
            wires.append((last, (x, y)))
        last = (x, y)
    return wires, vias


ROUTE = re.compile(r'(?:\+ ROUTED|NEW)\s+(metal\d)(?:\s+(\d+))?((?:\s+(?:\([^)]*\)|(?!NEW\b)\w+))+)')


class Wires:
    """Netlist, wires and vias of a routed DEF file, by net."""

    def __init__(self, text):
        self.segments, self.vias = defaultdict(list), defaultdict(list)  # net -> [(layer, width or None, from, to)]
        self.pins, self.kinds = {}, {}
        for name, kind in re.findall(r'^- (\S+) (\S+) \+ PLACED', text, re.M):
            self.kinds[name] = kind
        for section in ('NETS', 'SPECIALNETS'):
            found = re.search(rf'^{section} \d+ ;\n(.*?)^END {section}', text, re.M | re.S)
            for net, body in re.findall(r'^- (\S+)(.*?);\s*$', found[1] if found else '', re.M | re.S):
                head, _, routes = body.partition('+ ROUTED')
                if section == 'NETS':
                    self.pins[net] = re.findall(r'\(\s*(\S+)\s+(\S+)\s*\)', head)
                for layer, width, steps in ROUTE.findall('+ ROUTED' + routes if routes else ''):
                    wires, vias = points(steps)
                    self.segments[net] += [(layer, int(width) if width else None, *w) for w in wires]
                    self.vias[net] += vias

    def length_um(self):
        """Wire by layer."""
        found = defaultdict(float)
        for segments in self.segments.values():
            for layer, _, (x0, y0), (x1, y1) in segments:
                found[layer] += (abs(x1 - x0) + abs(y1 - y0)) / PER_UM
        return dict(sorted(found.items()))
