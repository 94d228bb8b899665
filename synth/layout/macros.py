# SPDX-License-Identifier: Apache-2.0
"""RAM macros as boxes beside the core: as large as the model says (storage.py), pins of metal3 on the edge that faces the rows.  They have
no supply pins; wires may cross them on metal5 and metal6."""
import math

from synth.layout.lef import PER_UM, Cell
from synth.layout.place import ROW, SITE

GAP = 2400  # between the core and the macros, and between two macros
PIN_PITCH = 200
PIN = (0, 80)  # from the edge; a track of metal2 is in its middle
OVER = ('metal1', 'metal2', 'metal3', 'metal4')


def pin_names(t):
    """Pins of a macro, as with_macros() of yosys.py makes them, by bit."""
    wide = {'clk': 1, 'we': 1, 'wa': t['abits'], 'wd': t['width']}
    wide |= {f'ra{r}': t['abits'] for r in range(t['reads'])} | {f'rd{r}': t['width'] for r in range(t['reads'])}
    return [f'{p}[{i}]' if n > 1 else p for p, n in wide.items() for i in range(n)]


def box(t):
    """The cell of a table."""
    pins = pin_names(t)
    area = t['sram_um2'] * PER_UM**2
    high = math.ceil(max(math.sqrt(area), (len(pins) + 4) * PIN_PITCH) / ROW) * ROW
    wide = math.ceil(area / high / SITE) * SITE
    at = {p: (k + 2) * PIN_PITCH + PIN_PITCH // 4 for k, p in enumerate(pins)}  # a quarter: on a track of metal3
    return Cell(
        wide,
        high,
        {p: [('metal3', (PIN[0], y - 15, PIN[1], y + 15))] for p, y in at.items()},
        [(layer, (160, 0, wide, high)) for layer in OVER],
    )


def lef(cells):
    """{name: Cell} as text."""

    def rect(r):
        return ' '.join(f'{v / PER_UM:.3f}' for v in r)

    lines = ['VERSION 5.4 ;', 'NAMESCASESENSITIVE ON ;', 'BUSBITCHARS "<>" ;', 'DIVIDERCHAR "/" ;']
    for name, c in cells.items():
        lines += [f'MACRO {name}', '  CLASS BLOCK ;', f'  FOREIGN {name} 0.000 0.000 ;', '  ORIGIN 0.000 0.000 ;']
        lines.append(f'  SIZE {c.width / PER_UM:.3f} BY {c.height / PER_UM:.3f} ;')
        for pin, shapes in c.pins.items():
            way = 'OUTPUT' if pin.startswith('rd') else 'INPUT'
            lines += [f'  PIN {pin}', f'    DIRECTION {way} ;', '    PORT']
            lines += [f'      LAYER {layer} ;\n        RECT {rect(r)} ;' for layer, r in shapes]
            lines += ['    END', f'  END {pin}']
        lines.append('  OBS')
        lines += [f'      LAYER {layer} ;\n        RECT {rect(r)} ;' for layer, r in c.blocked]
        lines += ['  END', f'END {name}']
    return '\n'.join([*lines, 'END LIBRARY', ''])


def stacked(kinds, cells, core):
    """{instance: (x, y)} from the core's left bottom corner: one above the other, to the right of the core."""
    found, y = {}, 0
    for name, kind in kinds.items():
        found[name] = (core.width + GAP, y)
        y += cells[kind].height + GAP // ROW * ROW
    return found
