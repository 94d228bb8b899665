# SPDX-License-Identifier: Apache-2.0
"""cmodel/system/energy/energy_blocks.ini: area, Fmax and the energy of a cycle of every measured block, from synth/baseline.tsv."""
from pathlib import Path

from cosim import manifest, params
from synth import baseline

LIBRARY = 'NangateOpenCellLibrary'
FILE = Path('cmodel/system/energy/energy_blocks.ini')
HEAD = """; Blocks: area, Fmax, energy of a cycle, parameters.  Made of synth/baseline.tsv by make energy-blocks UPDATE=1.
; The energy is the power at Fmax over Fmax, of cells; it has the leakage of cells at 25 C, and nothing of RAM macros.
; "-": only the power under lockstep's random traffic is known, which is far busier than a machine's.
source = synth/baseline.tsv, NanGate 45 nm

[block]
"""
WIRES_MHZ = 100000  # no path: above any clock
ROOM = 255  # of a value (INI_TEXT of cmodel/base/ini.h)


def smaller(result):
    """The view with RAMs as macros, else that with every table as flip-flops."""
    return result.get('macros') or result.get('registers')


def text_of(chosen):
    return ' '.join(f'{name}={value}' for name, value in chosen.items())


def line(name, area_um2, fmax_mhz, pj, parameters):
    value = f'{area_um2:.0f} um2, {fmax_mhz:.0f} MHz, {"-" if pj is None else f"{pj:.3f}"} pJ, {parameters}'
    if len(value) > ROOM:
        raise ValueError(f'{name}: found a line of {len(value)} characters, expected at most {ROOM}')
    return f'{name} = {value}\n'


def energy_pj(view):
    return 1000 * view['power_mw'] / view['fmax_mhz'] if view['activity']['traffic'] == 'captured' else None


def wires(block, chosen):
    """A modulo by a power of two selects bits of the address."""
    return block == 'set_hash' and chosen['Function'] == 0


def lines(data):
    for block in sorted(set(data) & set(manifest.blocks())):
        known, seen = params.limits(block), set()
        for name, chosen in manifest.read(block).sets.items():
            view = smaller(data[block].get(name, {}).get(LIBRARY, {}))
            parameters = text_of(params.whole(chosen, known))
            if wires(block, params.whole(chosen, known)):
                yield line(f'{block}/{name}', 0, WIRES_MHZ, 0, parameters)
            elif view and parameters not in seen:
                seen.add(parameters)
                yield line(f'{block}/{name}', view['area_um2'], view['fmax_mhz'], energy_pj(view), parameters)


def text():
    return HEAD + ''.join(lines(baseline.load()))


def check(update):
    """Number of failures."""
    if update:
        FILE.write_text(text())
    found = FILE.read_text() if FILE.exists() else ''
    same = found == text()
    print(
        f'{"ok  " if same else "FAIL"} {FILE}'
        + ('' if same else ': differs from synth/baseline.tsv; UPDATE=1 writes it')
    )
    return not same
