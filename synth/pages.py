# SPDX-License-Identifier: Apache-2.0
"""Pages made of the baselines: docs/area-timing.md, the Timing lines of the blocks' READMEs, the table of docs/blocks.md.  No number is typed."""
import re
import sys
import tomllib
from pathlib import Path

from cosim import manifest
from scripts.study.expressions import Bad, Formula, filled
from synth import baseline, storage
from synth.layout import pages as layouts

PAGE, BLOCKS, PAPERS = Path('docs/area-timing.md'), Path('docs/blocks.md'), Path('synth/papers.toml')
MACHINE = Path('cmodel/system/config/presets/gpgpusim.ini')  # its clock is that of the Fermi presets
NODES = (45, 130, 180)
# Reference caches of the papers (Dai17, table 1; Gu20, tables 2.2 and 3.2): sets, ways, bytes per line, tag with state bits; 41-bit line addresses.
CACHES = {'l1d': ('L1D of 16 KiB', 32, 4, 128, 41 - 5 + 2), 'l2': ('L2 slice of 128 KiB', 64, 16, 128, 41 - 6 + 2)}
MODELS = ('cacti', 'cam_search')  # figures of no block, for the storage model and for the search
KEYS = ('set', 'nm', 'what', 'source', 'value', 'ours', 'why')
DIFFERS = 0.05  # a figure that deviates more from the paper needs a reason


def plans_of():
    """The section [synth] of every manifest, and the models; `paper`: their figures of papers."""
    plans = {b: manifest.read(b).synth for b in manifest.blocks()} | {m: {} for m in MODELS}
    papers = tomllib.loads(PAPERS.read_text())
    try:
        for name, figures in papers.items():
            manifest.one_of(name, plans, str(PAPERS))
            for k, figure in enumerate(figures, 1):
                for key in figure:
                    manifest.one_of(key, KEYS, f'{PAPERS}: {name}, number {k}')
    except manifest.ParamError as e:
        sys.exit(str(e))
    return {name: plan | {'paper': papers.get(name, [])} for name, plan in plans.items()}


def rows(data, key, nm=None):
    """(block, set, result) of every baseline that has a view `key`, at one feature size or at all."""
    for block, sets in data.items():
        for name, libraries in sets.items():
            for r in sorted(libraries.values(), key=lambda r: (r.get('node_nm') or 0, r.get('library', ''))):
                if key in r and nm in (None, r.get('node_nm')):
                    yield block, name, r


def result(data, block, name, nm):
    return next(
        (
            r
            for b, s, r in rows(data, 'tools', nm)
            if (b, s) == (block, name) and ('macros' in r or 'arrays' in r or 'search' in r)
        ),
        None,
    )


def table(head, lines):
    if not lines:
        return 'Nothing measured.'
    out = ['| ' + ' | '.join(head) + ' |', '|' + ' --- |' * len(head)]
    return '\n'.join(out + ['| ' + ' | '.join(map(str, line)) + ' |' for line in lines])


def cell(block, name):
    return f'[`{block}`](../rtl/{block}/README.md) {name}'


def traffic(view):
    return f'{view["activity"]["traffic"]}, {view["activity"]["nets"]:.3f}'


def fmax(view):
    """Of a block without registers: none."""
    return f'{view["fmax_mhz"]:.0f}' if view.get('flip_flops') else '-'


def storage_bits(view):
    return view['flip_flops'] + view.get('sram_bits', 0)


def signals(path):
    via = ', '.join(f'`{n}`' for n in path['via'])
    return f'`{path["from"]}` to `{path["to"]}`' + (f' through {via}' if via else '') if path['from'] else 'none'


# The first table: the sets that matter, at every feature size.


def important(data, plans):
    for block, plan in plans.items():
        for s in plan.get('sets', []) or plan.get('quick', []):
            if s in data.get(block, {}):
                yield block, s, {nm: result(data, block, s, nm) for nm in NODES}


def overview(data, plans):
    lines = []
    for block, s, at in important(data, plans):
        views = [at[nm]['macros'] if at[nm] else None for nm in NODES]
        v = views[0]
        lines.append(
            (
                cell(block, s),
                *(
                    (f'{storage_bits(v):,}', f'{v["area_um2"]:,.0f}', f'{v["nand2"]:,.0f}', f'{v["power_mw"]:.2f}')
                    if v
                    else ('', '', '', '')
                ),
                *(fmax(v) if v else '' for v in views),
                f'`{v["path"]["from"]}` to `{v["path"]["to"]}`' if v else '',
            )
        )
    return table(
        [
            'block, set',
            'storage bits',
            'area um^2',
            'NAND2',
            'logic mW',
            *(f'MHz, {nm} nm' for nm in NODES),
            'critical path',
        ],
        lines,
    )


def paths(data, plans):
    return table(
        ['block, set', 'ns', 'cells', 'from, to, through'],
        [
            (cell(b, s), f'{v["min_period_ns"]:.2f}', v['path']['cells'], signals(v['path']))
            for b, s, at in important(data, plans)
            if at[45]
            for v in [at[45]['macros']]
        ],
    )


def machine_mhz():
    """The clock of the SMs in MACHINE."""
    return int(re.search(r'^sm = (\d+)', MACHINE.read_text(), re.M).group(1))


def slower(data, plans):
    """The sets that the machine ticks faster than they can be clocked."""
    clock = machine_mhz()
    views = [(b, s, at[45]['macros']) for b, s, at in important(data, plans) if at[45]]
    return table(
        ['block, set', 'ns', 'MHz', f'clocks of {1e3 / clock:.2f} ns'],
        [
            (
                cell(b, s),
                f'{v["min_period_ns"]:.2f}',
                fmax(v),
                f'{v["min_period_ns"] * clock / 1e3:.2f}',
            )
            for b, s, v in views
            if v.get('flip_flops') and v['fmax_mhz'] < clock
        ],
    )


# Beside the papers.


def numbers(value, prefix=''):
    """{'macros_area_um2': ...}: a result's numbers by name."""
    out = {}
    for k, v in value.items():
        if isinstance(v, dict):
            out |= numbers(v, f'{prefix}{k}_')
        elif isinstance(v, (int, float)):
            out[prefix + k] = v
    return out


def known(data, r):
    """Names in the expression of a claim: numbers of the result, those of another one, the caches."""
    view = r.get('macros') or r.get('arrays') or {}
    caches = {f'cache_{k}_um2': storage.cache_um2(*c[1:], r['node_nm']) for k, c in CACHES.items()}

    def of(block, name):
        return known(data, result(data, block, name, r['node_nm']))

    return (
        numbers(r)
        | {k: v for k, v in view.items() if isinstance(v, (int, float))}
        | caches
        | {
            'of': of,
            'sum': lambda table: sum(table.values()),
            'storage.cell_um2': storage.cell_um2,
            'storage.array_um2': storage.array_um2,
            'tables': r.get('tables', {}),
            'state': r.get('state', {}),
        }
    )


def evaluated(block, claim, names):
    """Number and reason of a claim; SystemExit with the place of an error."""
    for key, evaluate in (
        ('ours', lambda: Formula(claim['ours'], names).result()),
        ('why', lambda: filled(claim.get('why', ''), names)),
    ):
        try:
            yield evaluate()
        except Bad as e:
            sys.exit(f'{PAPERS}: {block} "{claim["what"]}": {key}: {e}')


def claims(data, plans):
    """(block, claim, number here or None, reason) of every figure in a paper."""
    for block, plan in plans.items():
        for claim in plan.get('paper', []):
            nm = claim.get('nm', 45)
            r = result(data, block, claim['set'], nm) if 'set' in claim else {'node_nm': nm}
            if r:
                yield block, claim, *evaluated(block, claim, known(data, r))
            else:
                yield block, claim, None, ''


def unexplained(data, plans):
    """Errors in the claims: without a measurement, or different without a reason."""
    for block, claim, ours, why in claims(data, plans):
        name = f'{block}/{claim.get("set", "")}, {claim["what"]}'
        if ours is None:
            yield f'{name}: a figure of a paper, but not in {baseline.PATH} at {claim.get("nm", 45)} nm'
        elif abs(ours / float(claim['value']) - 1) > DIFFERS and not why:
            yield f'{name}: {ours:.4g} here, {claim["value"]} in the paper, and no why'


def beside(data, plans, first):
    lines = [
        (
            first(b, c.get('set')),
            c['what'],
            c['source'],
            c['value'],
            f'{ours:.4g}',
            f'{ours / float(c["value"]):.2f}',
            why,
        )
        for b, c, ours, why in claims(data, plans)
        if ours is not None
    ]
    return table(['', 'what', 'source', 'there', 'here', 'ratio', 'why'], lines)


# Everything that was measured.


def flip_flops(data, nm):
    return table(
        [
            'block, set',
            'cells',
            'area um^2',
            'NAND2',
            'storage bits',
            'Fmax MHz',
            'power mW at Fmax',
            'traffic, toggles of a net in a cycle',
        ],
        [
            (
                cell(b, s),
                f'{v["cells"]:,}',
                f'{v["area_um2"]:,.0f}',
                f'{v["nand2"]:,.0f}',
                f'{v["flip_flops"]:,}',
                fmax(v),
                f'{v["power_mw"]:.2f}',
                traffic(v),
            )
            for b, s, r in rows(data, 'registers', nm)
            for v in [r['registers']]
        ],
    )


def as_macros(data, nm):
    return table(
        [
            'block, set',
            'cells',
            'logic um^2',
            'SRAM um^2',
            'both um^2',
            'NAND2',
            'bits in SRAM',
            'in flip-flops',
            'Fmax MHz',
            'logic mW at Fmax',
            'SRAM ns',
            'bits searched',
            'as CAM um^2',
        ],
        [
            (
                cell(b, s),
                f'{v["cells"]:,}',
                f'{v["logic_um2"]:,.0f}',
                f'{v["sram_um2"]:,.0f}',
                f'{v["area_um2"]:,.0f}',
                f'{v["nand2"]:,.0f}',
                f'{v["sram_bits"]:,}',
                f'{v["flip_flops"]:,}',
                fmax(v),
                f'{v["power_mw"]:.2f}',
                f'{v["sram_access_ns"]:.2f}',
                f'{v["cam_bits"]:,}',
                f'{v["cam_um2"]:,.0f}',
            )
            for b, s, r in rows(data, 'macros', nm)
            for v in [r['macros']]
            if v['sram_bits'] or v['cam_bits']
        ],
    )


def fpga(data):
    return table(
        ['block, set', 'logic cells (LUT and flip-flop)', 'block RAMs', 'Fmax MHz'],
        [
            (cell(b, s), f'{v["logic_cells"]:,}', v['rams'], f'{v["fmax_mhz"]:.0f}')
            for b, s, r in rows(data, 'fpga')
            for v in [r['fpga']]
        ],
    )


def search(data):
    return table(
        ['comparators', 'library', 'register to register ns', 'without the flip-flop ns', 'FO4'],
        [
            (
                n,
                f'{r["node_nm"]} nm',
                f'{r["search"]["min_period_ns"]:.3f}',
                f'{r["search"]["search_ns"]:.3f}',
                f'{1000 * r["search"]["search_ns"] / r["fo4_ps"]:.1f}',
            )
            for b, n, r in rows(data, 'search')
        ],
    )


def page(data, plans):
    libraries = '; '.join(
        sorted({f'{r["library"]} ({r["node_nm"]} nm, FO4 {r["fo4_ps"]:.1f} ps)' for _, _, r in rows(data, 'fo4_ps')})
    )
    tools = ', '.join(sorted({f'{k} {v}' for _, _, r in rows(data, 'tools') for k, v in r['tools'].items()}))
    blocks = {b: s for b, s in data.items() if b != 'cam_search'}
    caches = '; '.join(f'{c[0]}: {storage.cache_um2(*c[1:], 45) / 1e6:.4f} mm^2 at 45 nm' for c in CACHES.values())
    by_node = '\n\n'.join(
        f'### {nm} nm: every table as flip-flops\n\n{flip_flops(blocks, nm)}\n\n### {nm} nm: RAMs as macros, blocks that have one or search a table\n\n{as_macros(blocks, nm)}'
        for nm in NODES
    )
    return f'''<!-- Made by make synth-pages UPDATE=1 from synth/baseline.tsv and synth/layout.tsv: do not edit. -->
# Area, timing and power

How each number is obtained, and what it does not contain, is in [synth/README.md](../synth/README.md). Except in [Placed and routed](#placed-and-routed), no wire is placed.
Libraries: {libraries}. Tools: {tools}.

1. [The blocks at a glance](#the-blocks-at-a-glance): area and power at 45 nm, Fmax in three libraries
2. [Beside the papers](#beside-the-papers): each figure that they give, and why ours differs
3. [Placed and routed](#placed-and-routed): small sets with their wires and clock tree, and how far the numbers without wires were off
4. [Critical paths](#critical-paths), [the search alone](#the-search-alone), [iCE40 HX8K](#ice40-hx8k)
5. [All numbers](#all-numbers), by library

## The blocks at a glance

Parameter sets of the papers' sizes. Storage as macros where a table is one (one write port, at most two read ports, 1,024 bits or more); area and power at 45 nm, power
of the logic alone and at Fmax.

{overview(blocks, plans)}

### Slower than the machine's clock

The machine ticks a block once in each cycle of the part that it belongs to, however long its critical path is. The machine of GPGPU-Sim clocks an SM at {machine_mhz()} MHz
([gpgpusim.ini](../cmodel/system/config/presets/gpgpusim.ini)). At 45 nm these blocks are slower than that: a run shows what the mechanism would do in a faster library, with a pipeline, or with a clock
of its own. For presets with a faster clock (`clock.sm`) compare the column MHz above.

{slower(data, plans)}

## Beside the papers

Caches for comparison, tag and data arrays by the same model of macros: {caches}.

{beside(data, {b: p for b, p in plans.items() if b not in MODELS}, cell)}

### The models

CACTI 7 for tables of these sizes (45 nm, itrs-hp, 350 K; the papers used 6.5) beside the model of macros, and the search alone beside Gu20's.

{beside(data, {b: plans[b] for b in MODELS if b in plans}, lambda b, s: f'`{b}` {s or ""}')}

{layouts.section(data)}
## Critical paths

At 45 nm, storage as macros. From register to register, or from an input; the signals between are those of the RTL on the longest path before mapping.

{paths(blocks, plans)}

## The search alone

An address of 41 bits beside that of every entry, from registers to a register ([cam_search.sv](../synth/cam_search.sv)).

{search(data)}

## iCE40 HX8K

Placed and routed between registers, one logic cell being a LUT of four inputs and a flip-flop. Small parameter sets where the real ones do not fit 7,680 cells.

{fpga(blocks)}

## All numbers

Power is at Fmax with the switching activity of the netlist's lockstep run: under captured full-system traffic where the set has it, else under lockstep's random traffic,
which is far busier. With macros it is that of the logic; their own is not modelled. Searched tables stay flip-flops, as in Gu20; the last column
of the second tables is what their cells would take as a CAM.

{by_node}
'''


# READMEs.


def timing_line(data, plans, block):
    lines = []
    for b, s, at in important(data, {block: plans[block]}):
        r = at[45]
        if not r:
            continue
        v = r['macros']
        lines.append(
            f'- `{s}`: {v["min_period_ns"]:.2f} ns, {f"{fmax(v)} MHz, " if v["flip_flops"] else ""}{v["cells"]:,} cells, {v["area_um2"]:,.0f} um^2; {v["path"]["cells"]} cells from {signals(v["path"])}'
        )
    return '\n'.join(lines) or 'Not measured at 45 nm.'


TIMING = r'(<!-- timing: .*? -->\n).*?(<!-- /timing -->)'


def readme(text, line):
    """The text between the marks of `line`'s place."""
    return re.sub(TIMING, lambda m: f'{m[1]}{line}\n{m[2]}', text, flags=re.S)


def measured(r):
    """Area, delay and Fmax of a result as columns."""
    if not r:
        return ['', '', '']
    v = r['macros']
    return [f'{v["area_um2"]:,.0f}', f'{v["min_period_ns"]:.2f}', fmax(v)]


def block_table(text, data, plans):
    """Area, delay and Fmax in the last three columns of the table of blocks."""
    out = []
    for line in text.split('\n'):
        found = re.match(r'\| \[`(\w+)`\]\(\.\./rtl/\1/README.md\) ', line)
        if found:
            columns = [c.strip() for c in line.strip('|').split(' | ')][:3]
            at = next((at[45] for _, _, at in important(data, {found[1]: plans.get(found[1], {})}) if at[45]), None)
            line = f'| {" | ".join([*columns, *measured(at)])} |'
        out.append(line)
    return '\n'.join(out)


def pages(plans, update):
    """Writes the pages that differ from the baselines, or reports them.  Returns the number of failures."""
    data = baseline.load()
    wrong = list(unexplained(data, plans))
    wanted = {PAGE: page(data, plans), BLOCKS: block_table(BLOCKS.read_text(), data, plans)}
    for block, path in ((b, Path('rtl') / b / 'README.md') for b in plans):
        if not path.exists():
            continue
        if not re.search(TIMING, path.read_text(), re.S):
            wrong.append(
                f'{path}: found no section Timing with "<!-- timing: made by make synth-pages UPDATE=1 -->" and "<!-- /timing -->"'
            )
        wanted[path] = readme(path.read_text(), timing_line(data, plans, block))
    for path, text in wanted.items():
        if update:
            if not path.exists() or path.read_text() != text:
                path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            wrong.append(f'{path}: is not what {baseline.PATH} says; make synth-pages UPDATE=1 writes it')
    for w in wrong:
        print(f'FAIL synth-pages {w}')
    print(f'synth-pages: {len(wanted)} pages, {len(wrong)} failed')
    return len(wrong)
