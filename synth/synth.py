#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Area, timing and power of the blocks in a cell library, against their baselines: make synth, make synth-check, make synth-pages.  README.md says what
is measured and how, measure.py does it."""
import argparse
import concurrent.futures
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / 'cosim'))
import baseline
import manifest
import measure
import pages
import params
import storage
from measure import Block
from progress import watching
from yosys import ToolError


def jobs_of(args, lib, nm):
    every = manifest.blocks()
    for name in args.block or every:
        if name not in every:
            sys.exit(f'synth: BLOCK={name}: found no rtl/{name}, expected one of {", ".join(every)}')
        block = Block(name)
        if args.param:
            if len(args.block) != 1:
                sys.exit(f'synth: PARAMS: found {" ".join(args.param)}, expected Parameter=value ... and one BLOCK=')
            given = params.check(args.param, params.limits(name), f'PARAMS of {name}')
            wanted = [params.custom(given)]
            block.sets[wanted[0]] = given
        else:
            planned = block.plan.get('quick', []) + ([] if args.quick else block.plan.get('sets', []))
            wanted = list(dict.fromkeys(args.set or planned or list(block.sets)[:1]))
        for s in wanted:
            if s not in block.sets:
                sys.exit(f'synth: {name}: found no parameter set {s}, expected one of {", ".join(block.sets)}')
            yield block, s, block.sets[s], lib, args.build_dir, nm


def show(r):
    f, m = r.get('registers'), r.get('macros')
    plain = f'{f["cells"]:7d} cells {f["area_um2"]:10.0f} um2 {f["nand2"]:7.0f} NAND2 {f["fmax_mhz"]:5.0f} MHz {f["power_mw"]:8.3f} mW' if f else f'{"too large for flip-flops":61}'
    macro = f'  macros {m["area_um2"]:9.0f} um2 {m["fmax_mhz"]:5.0f} MHz' if m else ''
    for n, x in r['tables'].items():
        if 'cacti_um2' in x:
            print(f'     {r["block"]}/{r["set"]} {n}: {x["cacti_um2"]:.0f} um2 and {x["cacti_ns"]:.3f} ns by CACTI, {x["sram_um2"]:.0f} um2 by the model')
    last = (m or f)
    path = f'{last["path"]["from"]} -> {" -> ".join([*last["path"]["via"], last["path"]["to"]])}' if last['path']['from'] else 'none'
    print(f'PASS synth {r["block"] + "/" + r["set"]:22}{plain}{macro}  netlist = twin in {last["activity"]["compared_cycles"]} cycles\n     critical path: {path}', flush=True)


MEASURES = [('registers', 'area_um2'), ('registers', 'fmax_mhz'), ('macros', 'area_um2'), ('macros', 'fmax_mhz'), ('fpga', 'logic_cells'), ('fpga', 'fmax_mhz'),
            ('search', 'search_ns'), ('arrays', 'sram_um2'), ('arrays', 'cam_um2')]
TOLERANCE = 0.05


def compare(name, new, old):
    """What moved by more than the tolerance, either way."""
    for view, what in MEASURES:
        a, b = (r.get(view, {}).get(what) for r in (old, new))
        if (a is None) != (b is None):
            yield f'{name}: {view}.{what}: found {b}, baseline {a}'
        elif a and abs(b / a - 1) > TOLERANCE:
            yield f'{name}: {view}.{what}: found {b:.4g}, baseline {a:.4g} ({100 * (b / a - 1):+.1f} %)'


def verdict(name, new, known, library):
    """PASS, FAIL or STALE, and a line for each thing that there is to say."""
    if not known:
        return 'FAIL', [f'{name}: no baseline for {library}; UPDATE=1 writes it']
    if known['tools'] != new['tools']:
        return 'STALE', [f'{name}: measured with {new["tools"]}, baseline with {known["tools"]}: not compared']
    moved = list(compare(name, new, known))
    return ('FAIL', moved) if moved else ('PASS', [name])


def judge(results, update, whole):
    """Against baseline.tsv.  Returns how many failed, and how many were stale."""
    count = {'PASS': 0, 'FAIL': 0, 'STALE': 0}
    data = baseline.load()
    for block in sorted({b for b, _, _ in results}):
        old = data.setdefault(block, {})
        mine = {s: r for b, s, r in results if b == block}
        k = next(iter(mine.values()))['library']
        gone = [s for s in old if whole and k in old[s] and s not in mine]
        if update:
            for s, r in mine.items():
                old.setdefault(s, {})[k] = r
            for s in gone:
                print(f'GONE synth-check {block}/{s}: measured no more')
                del old[s][k]
            continue
        for s, r in mine.items():
            word, lines = verdict(f'{block}/{s}', r, old.get(s, {}).get(k), k)
            count[word] += 1
            print('\n'.join(f'{word} synth-check {line}' for line in lines))
        count['FAIL'] += len(gone)
        for s in gone:
            print(f'FAIL synth-check {block}/{s}: in the baseline for {k}, but measured no more')
    if update:
        baseline.save(data)
    return count['FAIL'], count['STALE']


def planned(args, lib, nm, kind):
    """Jobs for the sets that a manifest names under `fpga`, or under `arrays`: there with their parameters, or the set that has them."""
    for name in args.block or manifest.blocks():
        block = Block(name)
        sets = block.plan.get(kind, [])
        for s in sets:
            params = block.sets[s] if kind == 'fpga' else block.sets[sets[s]] if sets[s] in block.sets else dict(p.split('=') for p in sets[s].split())
            yield block, s, params, lib, args.build_dir, nm


def measured(work, function, jobs, report):
    """(block, set, result) of each job, and how many failed."""
    results, failed = [], 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = [(j, pool.submit(function, j)) for j in work]
        with watching('SYNTH', {run: f'{j[0].name}/{j[1]}' for j, run in runs}):
            for job, run in runs:
                try:
                    results.append((job[0].name, job[1], run.result()))
                    report(results[-1][2])
                except (ToolError, ValueError, OSError) as e:
                    failed += 1
                    print(f'FAIL synth {job[0].name}/{job[1]}: {e}', flush=True)
    return results, failed


def check(args, results, lib, nm):
    """Everything that was measured beside the baselines.  How many failed."""
    partial = args.quick or args.set
    whole = not args.block and not partial
    groups = [(results, whole)]
    failed = 0
    if whole and nm:
        groups.append(([('cam_search', str(n), measure.search(n, lib, args.build_dir, nm)) for n in (32, 64)], True))
    if not partial:
        for kind, function in (('arrays', measure.only_arrays), ('fpga', measure.on_fpga)):
            found, broken = measured(planned(args, lib, nm, kind), function, args.jobs, lambda r: None)
            groups.append((found, whole))
            failed += broken
    judged = [judge(found, args.update, w) for found, w in groups]
    failed += sum(f for f, _ in judged)
    print(f'synth-check: {sum(len(g) for g, _ in groups)} measured, {sum(s for _, s in judged)} stale, {failed} failed')
    return failed


def options():
    p = argparse.ArgumentParser()
    p.add_argument('what', choices=['run', 'check', 'pages'])
    p.add_argument('--liberty')
    p.add_argument('--build', dest='build_dir', type=Path)
    p.add_argument('--jobs', type=params.whole_number, default=2)
    p.add_argument('--block', action='append', default=[])
    p.add_argument('--set', action='append', default=[])
    p.add_argument('--param', action='append', default=[])
    p.add_argument('--node', default=None)
    p.add_argument('--update', action='store_true')
    p.add_argument('--quick', action='store_true')
    return p.parse_args()


def measure_all(args):
    list(jobs_of(args, None, None))  # what cannot be measured is said before anything is
    if not Path(args.liberty).exists():
        sys.exit(f'synth: LIBERTY={args.liberty}: no such file; the default is part of Debian\'s qflow-tech-osu018 (make setup)')
    try:
        lib = measure.library(args.liberty, args.build_dir)
    except (ValueError, ToolError, AttributeError) as e:
        sys.exit(f'synth: {e}')
    nm = storage.node_nm(lib.name, args.node)
    jobs = list(jobs_of(args, lib, nm))
    measure.make.liberty, measure.make.params = args.liberty, [f'PARAMS={" ".join(args.param)}', f'BLOCK={args.block[0]}'] if args.param else []
    print(f'synth: library {lib.name}, {nm or "unknown"} nm, FO4 {lib.fo4 * 1e12:.1f} ps; inverter {lib.inverter}, NAND2 {lib.nand2}', flush=True)
    results, failed = measured(jobs, measure.one, args.jobs, show)
    print(f'synth: {len(results)} passed, {failed} failed')
    return failed + (check(args, results, lib, nm) if args.what == 'check' else 0)


def main():
    args = options()
    try:
        failed = measure_all(args) if args.what != 'pages' else 0
    except params.ParamError as e:
        sys.exit(f'synth: {e}')
    if args.what != 'run':
        failed += pages.pages(pages.plans_of(), args.update)
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
