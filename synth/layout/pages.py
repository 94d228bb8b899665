# SPDX-License-Identifier: Apache-2.0
"""The part of docs/area-timing.md about layouts, from layout.tsv."""
import statistics
from pathlib import Path

from synth.layout import baseline

PICTURE, SVG = ('milg', 'paper'), Path('docs/layout.svg')
EQUAL = (('mshr', 'AddrW=8 DataW=4 Entries=4 InfoW=8 Slots=4'), ('dl_mshr', 'sets8'))  # 16 requests each
LIMIT_CELLS = 1000  # the correction for large sets is that of the routed sets above this


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


def distribution(data):
    every = list(data.values())
    timer = [float(v['flow_mhz']) / float(v['fmax_mhz']) for v in every if v['flow_mhz']]
    lines = [
        ('core by area of the cells', [float(v['core_um2']) / float(v['cells_um2']) for v in every]),
        ('Fmax by Fmax without wires', [ratio(v, 'fmax_mhz') for v in every]),
        ('power at Fmax by that without wires', [ratio(v, 'power_mw') for v in every]),
        ('energy of a cycle by that without wires', [energy(v, float(v['power_mw'])) for v in every]),
        (
            'the same without the clock tree\'s buffers',
            [energy(v, float(v['power_mw']) - float(v['tree_mw'])) for v in every],
        ),
        *([('Fmax by vesta, the timer of qflow, by that of OpenSTA', timer)] if timer else []),
    ]
    head = ('ratio', 'sets', 'smallest', 'a quarter below', 'median', 'a quarter above', 'largest')
    return table(head, [(name, str(len(v)), *spread(v)) for name, v in lines])


def correction(data):
    """The sentence about large sets."""
    every = list(data.values())
    large = [v for v in every if float(v['cells']) >= LIMIT_CELLS] or every
    fmax, power = ([ratio(v, w) for v in large] for w in ('fmax_mhz', 'power_mw'))
    which = f'routed sets of {LIMIT_CELLS:,} cells and more' if len(large) < len(every) else 'routed sets'
    return (
        f'A large set that is not routed: multiply its Fmax at 180 nm by {statistics.median(fmax):.2f} (the {len(large)} {which}: '
        f'{min(fmax):.2f} to {max(fmax):.2f}), its power at Fmax by {statistics.median(power):.2f} ({min(power):.2f} to {max(power):.2f}), '
        f'and its area by {statistics.median(float(v["core_um2"]) / float(v["cells_um2"]) for v in every):.2f}.'
    )


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


def section():
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

{distribution(data)}

{correction(data)}

Only OSU 0.18 um is placed and routed. For NanGate 45 nm and Sky130 the [hand-off](../synth/README.md#clock-corners-hand-off-folder) writes the inputs of
OpenROAD-flow-scripts; `make synth-selftest` runs Yosys and OpenSTA on these as that flow would. OpenROAD itself
has not been run: Debian has no package of it.
'''
