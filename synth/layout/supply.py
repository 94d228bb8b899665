# SPDX-License-Identifier: Apache-2.0
"""Supply of the core: rails of metal1 through the cells of each row, a strap of metal2 on the left for vdd and on the right for gnd."""
import re

from synth.layout.lef import SUPPLY
from synth.layout.place import ROW

STRAP = (240, 560)  # from the core
RAIL = 30  # half of its width


def straps(die):
    """(net, x0, y0, x1, y1) of both straps."""
    bottom, top = die.y0 - RAIL, die.y0 + die.core.rows * ROW + RAIL
    left, right = die.x0, die.x0 + die.core.width
    return (
        ('vdd', left - STRAP[1], bottom, left - STRAP[0], top),
        ('gnd', right + STRAP[0], bottom, right + STRAP[1], top),
    )


def rails(die):
    """(net, y, x of the core's edge, x of the strap's middle) of every rail.  The first row is mirrored: vdd is at its bottom."""
    for r in range(die.core.rows + 1):
        net = SUPPLY[r % 2]
        _, x0, _, x1, _ = next(s for s in straps(die) if s[0] == net)
        yield net, die.y0 + r * ROW, die.x0 if net == 'vdd' else die.x0 + die.core.width, (x0 + x1) // 2


def add(text, die):
    """A routed DEF with the supply: its pins and special nets."""
    pins, nets = [], []
    for net, x0, y0, x1, y1 in straps(die):
        middle, use = (x0 + x1) // 2, 'POWER' if net == 'vdd' else 'GROUND'
        pins.append(
            f'- {net} + NET {net} + DIRECTION INOUT + USE {use}\n  + LAYER metal2 ( -40 -40 ) ( 40 40 )\n  + PLACED ( {middle} {y0 + 40} ) N ;\n'
        )
        body = [f'+ ROUTED metal2 {x1 - x0} ( {middle} {y0} ) ( * {y1} )']
        body += [f'  NEW metal1 {2 * RAIL} ( {a} {y} ) ( {b} * ) M2_M1' for n, y, a, b in rails(die) if n == net]
        nets.append(f'- {net}\n' + '\n'.join(body) + '\n  + USE ' + use + ' ;\n')
    text = re.sub(r'^PINS (\d+) ;\n', lambda m: f'PINS {int(m[1]) + 2} ;\n' + ''.join(pins), text, flags=re.M)
    if 'END SPECIALNETS' in text:
        return re.sub(
            r'^SPECIALNETS (\d+) ;\n', lambda m: f'SPECIALNETS {int(m[1]) + 2} ;\n' + ''.join(nets), text, flags=re.M
        )
    return re.sub(r'^END NETS\n', f'END NETS\n\nSPECIALNETS 2 ;\n{"".join(nets)}END SPECIALNETS\n', text, flags=re.M)
