"""docs/area-timing.md, made of the baselines: nothing in it is typed."""
import json
from pathlib import Path

import storage

BASELINES, PAGE = Path('synth/baseline'), Path('docs/area-timing.md')
# The caches that the papers compare with (000, table 1; 002, tables 2.2 and 3.2): sets, ways, bytes a line, tag with state bits; 41-bit line addresses.
CACHES = {'l1d': ('L1D of 16 KiB', 32, 4, 128, 41 - 5 + 2), 'l2': ('L2 slice of 128 KiB', 64, 16, 128, 41 - 6 + 2)}


def load():
    return {p.stem: json.loads(p.read_text()) for p in sorted(BASELINES.glob('*.json'))}


def rows(data, key):
    """(block, set, result) of every baseline that has a view `key`, in order of block, set and feature size."""
    for block, sets in data.items():
        for name, libraries in sets.items():
            for r in sorted(libraries.values(), key=lambda r: (-(r.get('node_nm') or 0), r.get('library', ''))):
                if key in r:
                    yield block, name, r


def table(head, lines):
    if not lines:
        return 'Nothing measured.'
    out = ['| ' + ' | '.join(head) + ' |', '|' + ' --- |' * len(head)]
    return '\n'.join(out + ['| ' + ' | '.join(map(str, line)) + ' |' for line in lines])


def cell(block, name):
    return f'[`{block}`](../rtl/{block}/README.md) {name}'


def node(r):
    return f'{r["node_nm"]} nm' if r.get('node_nm') else r['library']


def flip_flops(data):
    return table(['block, set', 'library', 'cells', 'area um^2', 'NAND2', 'flip-flops', 'Fmax MHz', 'power mW at Fmax', 'activity of'],
                 [(cell(b, s), node(r), f'{v["cells"]:,}', f'{v["area_um2"]:,.0f}', f'{v["nand2"]:,.0f}', f'{v["flip_flops"]:,}', f'{v["fmax_mhz"]:.0f}',
                   f'{v["power_mw"]:.2f}', f'{r["activity"]["traffic"]} traffic, {r["activity"]["nets"]:.3f} a cycle')
                  for b, s, r in rows(data, 'registers') for v in [r['registers']]])


def as_macros(data):
    return table(['block, set', 'library', 'cells', 'logic um^2', 'SRAM bits', 'SRAM um^2', 'both um^2', 'Fmax MHz', 'slowest SRAM ns', 'searched bits', 'as CAM um^2'],
                 [(cell(b, s), node(r), f'{v["cells"]:,}', f'{v["logic_um2"]:,.0f}', f'{v["sram_bits"]:,}', f'{v["sram_um2"]:,.0f}', f'{v["area_um2"]:,.0f}',
                   f'{v["fmax_mhz"]:.0f}', f'{v["sram_access_ns"]:.2f}' if v['sram_bits'] else '', f'{v["cam_bits"]:,}', f'{v["cam_um2"]:,.0f}')
                  for b, s, r in rows(data, 'macros') for v in [r['macros']]])


def names(value, prefix=''):
    """{'macros_area_um2': ...}: a result's numbers by name."""
    out = {}
    for k, v in value.items():
        if isinstance(v, dict):
            out |= names(v, f'{prefix}{k}_')
        elif isinstance(v, (int, float)):
            out[prefix + k] = v
    return out


def beside_papers(data, plans):
    lines = []
    for block, plan in plans.items():
        for claim in plan.get('paper', []):
            r = next((r for b, s, r in rows(data, 'digest') if b == block and s == claim['set'] and r.get('node_nm') == claim.get('nm', 45)), None)
            if not r:
                continue
            known = names(r) | {f'cache_{k}_um2': storage.cache_um2(*c[1:], r['node_nm']) for k, c in CACHES.items()}
            ours = eval(claim['ours'], {'__builtins__': {}}, known)
            lines.append((cell(block, claim['set']), claim['what'], claim['source'], claim['value'], f'{ours:.4g}', claim.get('why', '')))
    return table(['block, set', 'what', 'source', 'paper', 'here', 'why they differ'], lines)


def fpga(data):
    return table(['block, set', 'logic cells', 'block RAMs', 'Fmax MHz'],
                 [(cell(b, s), f'{v["logic_cells"]:,}', v['rams'], f'{v["fmax_mhz"]:.0f}') for b, s, r in rows(data, 'fpga') for v in [r['fpga']]])


def search(data):
    return table(['comparators', 'library', 'register to register ns', 'without the flip-flop ns', 'paper 002, section 3.4.4'],
                 [(n, node(r), f'{r["search"]["min_period_ns"]:.3f}', f'{r["search"]["search_ns"]:.3f}', {'32': '0.20 ns', '64': '0.22 ns'}.get(n, ''))
                  for b, n, r in rows(data, 'search')])


def tools(data):
    return sorted({', '.join(f'{k} {v}' for k, v in r['tools'].items()) for _, _, r in rows(data, 'tools')})


def page(plans):
    data = load()
    libraries = sorted({f'{r["library"]} ({node(r)}, FO4 {r["fo4_ps"]:.1f} ps)' for _, _, r in rows(data, 'fo4_ps')})
    blocks = {b: s for b, s in data.items() if b != 'cam_search'}
    caches = '\n'.join(f'- {c[0]}: {storage.cache_um2(*c[1:], 45) / 1e6:.4f} mm^2 at 45 nm' for c in CACHES.values())
    return f'''<!-- Made by make synth-check UPDATE=1 from synth/baseline/: do not edit. -->
# Area, timing and power

How each number is obtained, and what it does not contain, is in [synth/README.md](../synth/README.md). No wire is placed: delays are those of cells
with the fan-out that they have, areas those of cells without routing. Libraries: {"; ".join(libraries)}. Tools: {"; ".join(tools(data))}.

## Every table as flip-flops

{flip_flops(blocks)}

## RAMs as macros

Tables with one write port, at most two read ports and 1,024 bits or more are SRAM macros by an analytic model; searched tables stay flip-flops, as in paper 002. The last
column is what these tables' cells would take as a CAM; their comparators stay in the logic's area either way.

{as_macros(blocks)}

## Beside the papers

The caches that blocks are compared with, tag and data arrays by the same model:

{caches}

{beside_papers(blocks, plans)}

## The search alone

{search(data)}

## iCE40 HX8K

{fpga(blocks)}
'''
