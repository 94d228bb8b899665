# SPDX-License-Identifier: Apache-2.0
"""The baselines of synth: baseline.tsv, a line per view of a result.  {block: {set: {library: result}}} as in measure.py; a line keeps the
columns below, which are compared and which pages are made of."""
import csv
from pathlib import Path

PATH = Path('synth/baseline.tsv')
VIEWS = ('registers', 'macros', 'fpga', 'search', 'arrays')
OF_RESULT = ('block', 'set', 'library', 'node_nm', 'fo4_ps', 'tools', 'view')
OF_VIEW = (
    'cells',
    'area_um2',
    'nand2',
    'logic_um2',
    'flip_flops',
    'flip_flop_um2',
    'min_period_ns',
    'fmax_mhz',
    'power_mw',
    'activity.traffic',
    'activity.nets',
    'path.from',
    'path.to',
    'path.via',
    'path.cells',
    'sram_um2',
    'sram_bits',
    'sram_access_ns',
    'cam_um2',
    'cam_bits',
    'logic_cells',
    'rams',
    'search_ns',
    'path_cells',
)
OF_TABLES = ('kind', 'words', 'width')
COLUMNS = (*OF_RESULT, *OF_VIEW, 'tables', 'state')


def number(text):
    return float(text) if set(text) & set('.einf') else int(text)


def said(value):
    """Baselines keep six digits of a measured number."""
    return repr(float(f'{value:.6g}')) if isinstance(value, float) else '' if value is None else str(value)


def lines(block, name, r):
    """The lines of one result."""
    first = {
        'block': block,
        'set': name,
        'library': r['library'],
        'node_nm': said(r.get('node_nm')),
        'fo4_ps': said(r.get('fo4_ps')),
        'tools': ' '.join(f'{k}={v}' for k, v in sorted(r['tools'].items())),
    }
    tables = ' '.join(f'{n}=' + ':'.join(str(t[k]) for k in OF_TABLES) for n, t in sorted(r.get('tables', {}).items()))
    state = ' '.join(f'{n}={bits}' for n, bits in sorted(r.get('state', {}).items()))
    for view in (v for v in VIEWS if v in r):
        line = first | {'view': view, 'tables': tables, 'state': state}
        for column in OF_VIEW:
            value = r[view]
            for key in column.split('.'):
                value = value.get(key) if value else None
            line[column] = ' '.join(value) if isinstance(value, list) else said(value)
        yield [line[c] for c in COLUMNS]


def pairs(text):
    return dict(word.split('=', 1) for word in text.split())


def view_of(line):
    view = {}
    for column in OF_VIEW:
        folder, _, key = column.rpartition('.')
        into = view.setdefault(folder, {}) if folder else view
        text = line[column]
        if column == 'path.via':
            into[key] = text.split()
        elif column in ('path.from', 'path.to', 'activity.traffic'):
            into[key] = text or None
        elif text:
            into[key] = number(text)
    return {k: v for k, v in view.items() if not isinstance(v, dict) or view.get('cells') is not None}


def load(path=None):
    data = {}
    with open(path or PATH, newline='') as file:
        for k, line in enumerate(csv.DictReader(file, delimiter='\t'), 2):
            if tuple(line) != COLUMNS or None in line.values():
                raise ValueError(f'{path or PATH}:{k}: found other columns, expected {" ".join(COLUMNS)}')
            r = (
                data.setdefault(line['block'], {})
                .setdefault(line['set'], {})
                .setdefault(line['library'], {'library': line['library'], 'tools': pairs(line['tools'])})
            )
            r |= {k: number(line[k]) for k in ('node_nm', 'fo4_ps') if line[k]}
            r[line['view']] = view_of(line)
            r['tables'] = {
                n: dict(zip(OF_TABLES, [v.split(':')[0], *map(int, v.split(':')[1:])]))
                for n, v in pairs(line['tables']).items()
            }
            r['state'] = {n: int(v) for n, v in pairs(line['state']).items()}
    return data


def save(data, path=None):
    rows = [
        row
        for block, sets in data.items()
        for name, libraries in sets.items()
        for r in libraries.values()
        for row in lines(block, name, r)
    ]
    text = '\n'.join('\t'.join(row) for row in [COLUMNS, *sorted(rows)])
    (path or PATH).write_text(text + '\n')
