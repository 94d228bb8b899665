# SPDX-License-Identifier: Apache-2.0
"""Baseline of the routed sets: synth/layout.tsv, a line for each.  A set that no manifest has stands there by its parameters."""
import csv
from pathlib import Path

PATH = Path('synth/layout.tsv')
QUICK = [('stream_bypass', 'tiny'), ('milg', 'paper')]
TOLERANCE = 0.05
COMPARED = ('cells', 'core_um2', 'wire_mm', 'fmax_mhz', 'power_mw')
OF_LAYOUT = (
    *COMPARED,
    'clock_buffers',
    'cells_um2',
    'macros_um2',
    'die_um2',
    'utilisation',
    'vias',
    'fullest',
    'wire_pf',
    'min_period_ns',
    'hold_ns',
    'latency_ns',
    'skew_ns',
    'flow_mhz',
    'tree_mw',
    'compared_cycles',
    'mended',
)
BEFORE = ('cells', 'fmax_mhz', 'power_mw')
COLUMNS = ('block', 'set', 'tables_as', 'tools', *OF_LAYOUT, *(f'synth.{c}' for c in BEFORE))


def tools_of(result):
    return ' '.join(f'{k}={v}' for k, v in sorted(result['tools'].items()))


def line(result, name):
    """The result of a set as text by column: six digits of a number."""
    row = {'block': result['block'], 'set': name, 'tables_as': result['tables_as'], 'tools': tools_of(result)}
    numbers = {c: result['layout'][c] for c in OF_LAYOUT} | {f'synth.{c}': result['without_wires'][c] for c in BEFORE}
    return row | {c: '' if v is None else f'{v:.6g}' for c, v in numbers.items()}


def load(path=None):
    """{(block, set): line}"""
    path = path or PATH
    if not path.exists():
        return {}
    with path.open(newline='') as file:
        rows = csv.DictReader(file, delimiter='\t')
        if tuple(rows.fieldnames or ()) != COLUMNS:
            raise ValueError(f'{path}:1: found other columns, expected {" ".join(COLUMNS)}')
        return {(r['block'], r['set']): r for r in rows}


def save(data, path=None):
    lines = ['\t'.join(COLUMNS), *('\t'.join(data[k][c] for c in COLUMNS) for k in sorted(data))]
    (path or PATH).write_text('\n'.join(lines) + '\n')


def differences(new, old):
    """Values beyond the tolerance, up or down; None if another tool measured the old line."""
    if new['tools'] != old['tools']:
        return None
    pairs = [(c, float(old[c]), float(new[c])) for c in COMPARED]
    return [
        f'{c}: found {b:.4g}, baseline {a:.4g} ({100 * (b / a - 1):+.1f} %)'
        for c, a, b in pairs
        if abs(b / a - 1) > TOLERANCE
    ]


def judged(found, update):
    """Compares results with the baseline, or writes them.  Returns the number of failures."""
    data, failed = load(), 0
    for block, s, result in found:
        new, old = line(result, s), data.get((block, s))
        name = f'layout-check {block}/{s}'
        if update:
            data[block, s] = new
            continue
        moved = ['no baseline; UPDATE=1 writes it'] if not old else differences(new, old)
        if moved is None:
            print(f'STALE {name}: measured with {new["tools"]}, baseline with {old["tools"]}: not compared')
        else:
            failed += bool(moved)
            print(f'FAIL {name}: {"; ".join(moved)}' if moved else f'PASS {name}')
    if update:
        save(data)
    return failed
