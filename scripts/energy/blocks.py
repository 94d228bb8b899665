# SPDX-License-Identifier: Apache-2.0
"""cmodel/system/energy/energy_blocks.ini: area, Fmax, the energy of a cycle, of its clock tree and of a word of its RAMs, of every measured block, from
synth/baseline.tsv, synth/layout.tsv and the energies of a line of a cache."""
import csv
import re
import statistics
from pathlib import Path

from cosim import manifest, params
from synth import baseline

LIBRARY, ROUTED = 'NangateOpenCellLibrary', 'osu018_stdcells'
ENERGIES = Path('cmodel/system/energy/energies.ini')
LAYOUTS = Path('synth/layout.tsv')
LINE_BITS = 1024
FILE = Path('cmodel/system/energy/energy_blocks.ini')
HEAD = """; Blocks: area, Fmax, energy of a cycle, parameters.  Made of synth/baseline.tsv by make energy-blocks UPDATE=1.
; The energy is the power at Fmax over Fmax, of cells; it has the leakage of cells at 25 C.  "-": only the power under
; lockstep's random traffic is known, which is far busier than a machine's.
; pJ clock: the buffers of the clock tree in a cycle, from synth/layout.tsv.  pJ a word: each RAM macro written and read
; once, as so many bits of a cache's line (energies.ini).
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


def line(name, area_um2, fmax_mhz, energies, parameters):
    """`energies`: pJ of a cycle (None: not known), of the clock tree in a cycle, of a word of the RAMs."""
    pj, clock, word = energies
    more = (f'{clock:.3f} pJ clock, ' if clock else '') + (f'{word:.3f} pJ a word, ' if word else '')
    value = f'{area_um2:.0f} um2, {fmax_mhz:.0f} MHz, {"-" if pj is None else f"{pj:.3f}"} pJ, {more}{parameters}'
    if len(value) > ROOM:
        raise ValueError(f'{name}: found a line of {len(value)} characters, expected at most {ROOM}')
    return f'{name} = {value}\n'


def cycle_pj(view):
    return 1000 * view['power_mw'] / view['fmax_mhz']


def of_line(event):
    """(whatever the size, for each KB): pJ of a line of an L1D, as ENERGIES has them."""
    text = ENERGIES.read_text()
    found = [
        re.search(rf'^{re.escape(name)} = ([\d.]+)', text, re.M) for name in (f'l1d.{event}', f'l1d.{event} (size)')
    ]
    if not all(found):
        raise ValueError(f'{ENERGIES}: found no lines of l1d.{event}, expected two that begin with a number')
    return tuple(float(m[1]) for m in found)


def word_pj(tables):
    """A word of each RAM written and read once: as many bits of a line in a cache of its size."""
    rams = [t for t in tables.values() if t['kind'] == 'ram']
    each = [(t['width'] / LINE_BITS, t['words'] * t['width'] / 8192) for t in rams]
    return sum(bits * (at + size * kb) for bits, kb in each for at, size in (of_line('hits'), of_line('fills')))


def tree_pj(data):
    """The clock tree's buffers for a flip-flop and cycle at 45 nm, of each routed set that has some: scaled as the set's energy of a cycle is between both libraries."""
    with open(LAYOUTS, encoding='utf-8') as f:
        routed = list(csv.DictReader(f, delimiter='\t'))
    for row in routed:
        kept = data.get(row['block'], {}).get(row['set'], {})
        small, large = (smaller(kept.get(name, {})) for name in (LIBRARY, ROUTED))
        if small and large and small['flip_flops']:
            ratio = cycle_pj(small) / cycle_pj(large)
            yield 1000 * float(row['tree_mw']) / float(row['fmax_mhz']) * ratio / small['flip_flops']


def energy_pj(view):
    return cycle_pj(view) if view['activity']['traffic'] == 'captured' else None


def wires(block, chosen):
    """A modulo by a power of two selects bits of the address."""
    return block == 'set_hash' and chosen['Function'] == 0


def energies(view, tables, tree):
    return energy_pj(view), tree * view['flip_flops'], word_pj(tables) if 'sram_um2' in view else 0


def lines(data):
    tree = statistics.median(tree_pj(data))
    for block in sorted(set(data) & set(manifest.blocks())):
        known, seen = params.limits(block), set()
        for name, chosen in manifest.read(block).sets.items():
            result = data[block].get(name, {}).get(LIBRARY, {})
            view = smaller(result)
            parameters = text_of(params.whole(chosen, known))
            if wires(block, params.whole(chosen, known)):
                yield line(f'{block}/{name}', 0, WIRES_MHZ, (0, 0, 0), parameters)
            elif view and parameters not in seen:
                seen.add(parameters)
                energy = energies(view, result.get('tables', {}), tree)
                yield line(f'{block}/{name}', view['area_um2'], view['fmax_mhz'], energy, parameters)


def text():
    return HEAD + ''.join(lines(baseline.load()))


def check(update):
    """Number of failures."""
    if update:
        FILE.write_text(text())
    found = FILE.read_text() if FILE.exists() else ''
    same = found == text()
    tree = sorted(tree_pj(baseline.load()))
    print(
        f'clock tree: {statistics.median(tree):.4f} pJ a flip-flop and cycle at 45 nm, the median of {len(tree)} routed sets ({tree[0]:.4f} to {tree[-1]:.4f})'
    )
    print(
        f'{"ok  " if same else "FAIL"} {FILE}'
        + ('' if same else ': differs from synth/baseline.tsv; UPDATE=1 writes it')
    )
    return not same
