# SPDX-License-Identifier: Apache-2.0
"""The part of docs/area-timing.md about layouts, from layout.tsv."""
import statistics
from pathlib import Path

from synth.layout import baseline, flow

PICTURE, SVG = ('milg', 'paper'), Path('docs/layout.svg')
EQUAL = (('mshr', 'AddrW=8 DataW=4 Entries=4 InfoW=8 Slots=4'), ('dl_mshr', 'sets8'))  # 16 requests each
LIMIT_CELLS = 1000  # the correction for large sets is that of the routed sets above this
BUFFER_UM2 = 72  # of the clock tree: make layout-selftest compares it with the LEF file
FEWEST = 4  # routed sets, at least, from which a correction is taken
LIBRARY = 'osu018_stdcells'


def cell(block, name):
    return f'[`{block}`](../rtl/{block}/README.md) {name}'


def ratio(line, what):
    before = float(line[f'synth.{what}'])
    return float(line[what]) / before


def energy(line, power_mw):
    """Energy of a cycle by that without wires."""
    return power_mw / float(line['synth.power_mw']) / ratio(line, 'fmax_mhz')


def table(head, lines):
    return '\n'.join([f'| {" | ".join(head)} |', '|' + ' --- |' * len(head), *(f'| {" | ".join(r)} |' for r in lines)])


def rows(data):
    for (block, name), v in sorted(data.items(), key=lambda d: (float(d[1]['cells']), d[0])):
        n = {k: float(x) for k, x in v.items() if k not in ('block', 'set', 'tables_as', 'tools') and x}
        yield (
            cell(block, name),
            f'{n["cells"]:,.0f}',
            'macros' if v['tables_as'] == 'macros' else 'flip-flops',
            f'{n["cells_um2"]:,.0f}',
            f'{n["core_um2"]:,.0f}',
            f'{n["die_um2"]:,.0f}',
            f'{n["synth.fmax_mhz"]:.0f}',
            f'{n["fmax_mhz"]:.0f}',
            f'{n["synth.power_mw"]:.2f}',
            f'{n["power_mw"]:.2f}',
            f'{n["tree_mw"]:.2f}',
            f'{n["wire_mm"]:.1f}',
            f'{n["vias"]:,.0f}',
            f'{100 * n["fullest"]:.0f}',
            f'{n["clock_buffers"]:.0f}',
            f'{n["latency_ns"]:.2f}',
            f'{n["skew_ns"]:.3f}',
            f'{n["hold_ns"]:+.2f}',
        )


HEAD = (
    'block, set',
    'cells',
    'RAMs as',
    'cells um^2',
    'core um^2',
    'die um^2',
    'MHz, no wires',
    'MHz',
    'mW, no wires',
    'mW',
    'of it clock tree',
    'wire mm',
    'vias',
    'fullest %',
    'clock buffers',
    'latency ns',
    'skew ns',
    'hold ns',
)


def spread(values):
    """Smallest, quartiles and largest."""
    low, middle, high = statistics.quantiles(values, n=4, method='inclusive') if len(values) > 1 else values * 3
    return [f'{v:.2f}' for v in (min(values), low, middle, high, max(values))]


def first_of_path(synthesized, block, name):
    """Where the longest path without wires begins; '' for a set that no manifest has."""
    views = synthesized.get(block, {}).get(name, {}).get(LIBRARY, {})
    return views['macros']['path']['from'] if 'macros' in views else ''


def distribution(data, synthesized):
    every = list(data.values())
    timer = {True: [], False: []}  # by whether the longest path begins at an input
    for k, v in data.items():
        if v['flow_mhz']:
            timer[first_of_path(synthesized, *k).endswith('_i')].append(float(v['flow_mhz']) / float(v['fmax_mhz']))
    vesta = 'Fmax by vesta by that of OpenSTA, longest path from'
    lines = [
        ('core by area of the cells', [float(v['core_um2']) / float(v['cells_um2']) for v in every]),
        ('Fmax by Fmax without wires', [ratio(v, 'fmax_mhz') for v in every]),
        ('power at Fmax by that without wires', [ratio(v, 'power_mw') for v in every]),
        ('energy of a cycle by that without wires', [energy(v, float(v['power_mw'])) for v in every]),
        (
            'the same without the clock tree\'s buffers',
            [energy(v, float(v['power_mw']) - float(v['tree_mw'])) for v in every],
        ),
        (f'{vesta} a register', timer[False]),
        (f'{vesta} an input', timer[True]),
    ]
    head = ('ratio', 'sets', 'smallest', 'a quarter below', 'median', 'a quarter above', 'largest')
    return table(head, [(name, str(len(v)), *spread(v)) for name, v in lines if v])


def plain_um2(line):
    """Area of the cells without the clock tree."""
    return float(line['cells_um2']) - BUFFER_UM2 * float(line['clock_buffers'])


CORRECTED = (
    ('Fmax', lambda v: ratio(v, 'fmax_mhz')),
    ('power at Fmax', lambda v: ratio(v, 'power_mw')),
    ('core, from the area of the cells without a clock tree', lambda v: float(v['core_um2']) / plain_um2(v)),
)


def errors(large, of, smaller):
    """Of each set: the median of the sets of other blocks (`smaller`: of those with fewer cells) by its own value, minus 1."""
    found = []
    for (block, _), v in large.items():
        others = [
            of(o)
            for (b, _), o in large.items()
            if b != block and (not smaller or float(o['cells']) < float(v['cells']))
        ]
        if len(others) >= FEWEST:
            found.append(statistics.median(others) / of(v) - 1)
    return found


def off(values):
    size = f'{100 * statistics.median(map(abs, values)):.1f} %'
    return f'{size} ({100 * min(values):+.1f} to {100 * max(values):+.1f} %; {len(values)} sets)' if values else '-'


def correction(data):
    """The factors for a large set that is not routed, and the errors that they leave at routed sets that had no part in them."""
    large = {k: v for k, v in data.items() if float(v['cells']) >= LIMIT_CELLS}
    lines = [
        (
            name,
            f'{statistics.median(map(of, large.values())):.2f}',
            f'{min(map(of, large.values())):.2f} to {max(map(of, large.values())):.2f}',
            off(errors(large, of, False)),
            off(errors(large, of, True)),
        )
        for name, of in CORRECTED
    ]
    head = (
        'at 180 nm',
        'multiply by',
        'routed sets',
        'off, from other blocks',
        'off, from smaller sets of other blocks',
    )
    return (
        f'The correction for a large set that is not routed is the median of the {len(large)} routed sets of {LIMIT_CELLS:,} cells and more. It is judged by '
        'these sets, each predicted without those of its own block: from all other ones, and from the smaller ones alone '
        f'(at least {FEWEST}). "Off" is the median of the deviations\' sizes, and their range.\n\n{table(head, lines)}'
    )


def unrouted(data, synthesized):
    """The measured sets without a layout, and why."""
    found = []
    for block, sets in synthesized.items():
        for name, libraries in sets.items():
            r = libraries.get(LIBRARY, {})
            if (block, name) in data or 'macros' not in r:
                continue
            ram = any(t['kind'] == 'ram' for t in r['tables'].values())
            cells = r['macros' if ram or 'registers' not in r else 'registers']['cells']
            why = f'more than {flow.MOST_CELLS:,} cells' if cells > flow.MOST_CELLS else 'not run'
            found.append((cells, cell(block, name), f'{cells:,}', why))
    return table(('not routed', 'cells', 'why'), [line[1:] for line in sorted(found)])


def equal(data):
    """The conventional file beside the dynamically linked one, at the same number of requests."""
    pair = [data.get(k) for k in EQUAL]
    if None in pair:
        return ''
    parts = [
        f'{words} {float(b[w]) / float(a[w]):.2f} times'
        for a, b in [pair]
        for w, words in (
            ('core_um2', 'the core'),
            ('wire_mm', 'the wire'),
            ('fmax_mhz', 'the Fmax'),
            ('power_mw', 'the power at Fmax'),
        )
    ]
    return (
        f'`mshr` with four entries of four slots holds 16 requests, as `dl_mshr` {EQUAL[1][1]} does with eight sets of two slots (both with 8 bits of address '
        f'and of requester and 4 of data). Routed, `dl_mshr` has {", ".join(parts)} that of `mshr`.\n'
    )


def section(synthesized):
    data = baseline.load()
    if not data:
        return ''
    return f'''## Placed and routed

At 180 nm, by graywolf and qrouter at a density of {100 * 0.75:.0f} % ([how](../synth/README.md#layout)): the wires' resistance and capacitance, a clock tree,
and power at the routed Fmax with the same activity as without wires (macros have none). The layout's netlist is extracted from its shapes and equals the
twin in lockstep. Area "cells" includes the clock tree; "core" is what the rows cover, without macros; "die" adds supply straps, ports and
macros. Without wires the clock is ideal, without buffers. "Fullest" is the largest part of a layer's tracks that is in use in a square of 20 um. Hold is the worst slack, with neighbours
whose clock has the same latency.

![{PICTURE[0]}/{PICTURE[1]}: cells in the colours of its registers with their logic, wires above them](layout.svg)

{table(HEAD, rows(data))}

{equal(data)}
How far the numbers without wires were off:

{distribution(data, synthesized)}

OpenSTA takes the longest of all paths. Vesta, the timer of qflow, takes the longest path from a register: paths that begin at an input, to a
register or to an output, are not in its Fmax.

{correction(data)}

{unrouted(data, synthesized)}

`make layout` refuses more than {flow.MOST_CELLS:,} cells: qrouter would take hours.

Only OSU 0.18 um is placed and routed. For NanGate 45 nm and Sky130 the [hand-off](../synth/README.md#clock-corners-hand-off-folder) writes the inputs of
OpenROAD-flow-scripts; `make synth-selftest` runs Yosys and OpenSTA on these as that flow would. OpenROAD itself
has not been run: Debian has no package of it.
'''
