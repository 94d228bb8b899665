# SPDX-License-Identifier: Apache-2.0
"""Area, timing and power of the blocks in a cell library, against their baselines: make synth, make synth-check, make synth-pages (README.md).
measure.py: one set; handoff.py: a clock and corners; fpga.py: FPGA families; sweep.py: a range of parameters."""
import argparse
import concurrent.futures
import sys
from pathlib import Path

from cosim import folder, manifest, params
from cosim.progress import watching
from synth import baseline, fpga, handoff, measure, pages, storage, sweep
from synth.measure import Block, Job
from synth.yosys import ToolError


def chosen_sets(args, block):
    """Names of the sets that BLOCK=, SET= and PARAMS= choose of a block."""
    if args.param:
        if len(args.block) != 1:
            sys.exit(f'synth: PARAMS: found {" ".join(args.param)}, expected Parameter=value ... and one BLOCK=')
        return [block.named(params.check(args.param, block.name, f'PARAMS of {block.name}'))]
    planned = block.plan.get('quick', []) + ([] if args.quick else block.plan.get('sets', []))
    return list(dict.fromkeys(args.set or planned or list(block.sets)[:1]))


def blocks_of(args, name):
    """A block, and with RTL= a user's RTL before it."""
    own = [measure.OwnBlock(name, args.rtl, args.top, args.build_dir)] if args.rtl else []
    return [*own, Block(name)]


def jobs_of(args, lib, nm, clock=None):
    every = manifest.blocks()
    for name in args.block or every:
        if name not in every:
            sys.exit(f'synth: BLOCK={name}: found no rtl/{name}, expected one of {", ".join(every)}')
        for block in blocks_of(args, name):
            for s in chosen_sets(args, block):
                if s not in block.sets:
                    sys.exit(f'synth: {name}: found no parameter set {s}, expected one of {", ".join(block.sets)}')
                yield Job(block, s, block.sets[s], lib, args.build_dir, nm, clock)


def show(r):
    f, m = r.get('registers'), r.get('macros')
    plain = (
        f'{f["cells"]:7d} cells {f["area_um2"]:10.0f} um2 {f["nand2"]:7.0f} NAND2 {f["fmax_mhz"]:5.0f} MHz {f["power_mw"]:8.3f} mW'
        if f
        else f'{"too large for flip-flops":61}'
    )
    macro = f'  macros {m["area_um2"]:9.0f} um2 {m["fmax_mhz"]:5.0f} MHz' if m else ''
    for n, x in r['tables'].items():
        if 'cacti_um2' in x:
            print(
                f'     {r["block"]}/{r["set"]} {n}: {x["cacti_um2"]:.0f} um2 and {x["cacti_ns"]:.3f} ns by CACTI, {x["sram_um2"]:.0f} um2 by the model'
            )
    last = m or f
    path = (
        f'{last["path"]["from"]} -> {" -> ".join([*last["path"]["via"], last["path"]["to"]])}'
        if last['path']['from']
        else 'none'
    )
    print(
        f'PASS synth {r["block"] + "/" + r["set"] + r.get("own", ""):22}{plain}{macro}  netlist = twin in {last["activity"]["compared_cycles"]} cycles\n     critical path: {path}',
        flush=True,
    )


MEASURES = [
    ('registers', 'area_um2'),
    ('registers', 'fmax_mhz'),
    ('macros', 'area_um2'),
    ('macros', 'fmax_mhz'),
    ('fpga', 'logic_cells'),
    ('fpga', 'fmax_mhz'),
    ('search', 'search_ns'),
    ('arrays', 'sram_um2'),
    ('arrays', 'cam_um2'),
]
TOLERANCE = 0.05


def compare(name, new, old):
    """Values that moved by more than the tolerance, up or down."""
    for view, what in MEASURES:
        a, b = (r.get(view, {}).get(what) for r in (old, new))
        if (a is None) != (b is None):
            yield f'{name}: {view}.{what}: found {b}, baseline {a}'
        elif a and abs(b / a - 1) > TOLERANCE:
            yield f'{name}: {view}.{what}: found {b:.4g}, baseline {a:.4g} ({100 * (b / a - 1):+.1f} %)'


def verdict(name, new, known, library):
    """PASS, FAIL or STALE, and report lines."""
    if not known:
        return 'FAIL', [f'{name}: no baseline for {library}; UPDATE=1 writes it']
    if known['tools'] != new['tools']:
        return 'STALE', [f'{name}: measured with {new["tools"]}, baseline with {known["tools"]}: not compared']
    moved = list(compare(name, new, known))
    return ('FAIL', moved) if moved else ('PASS', [name])


def judge(results, update, whole):
    """Compares with baseline.tsv.  Returns the number of failed and of stale rows."""
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
    """Jobs for the sets that a manifest names under `fpga` or `arrays`: by their parameters, or the set that has them."""
    for name in args.block or manifest.blocks():
        block = Block(name)
        sets = block.plan.get(kind, [])
        for s in sets:
            params = (
                block.sets[s]
                if kind == 'fpga'
                else block.sets[sets[s]]
                if sets[s] in block.sets
                else dict(p.split('=') for p in sets[s].split())
            )
            yield Job(block, s, params, lib, args.build_dir, nm)


def measured(work, function, jobs, report, what='synth'):
    """(block, set, result) of each job, and the number of failures."""
    results, failed = [], 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = [(j, pool.submit(function, j)) for j in work]
        with watching(what.upper(), {run: f'{j.block.name}/{j.set}' for j, run in runs}):
            for job, run in runs:
                try:
                    results.append((job.block.name, job.set, run.result()))
                    report(results[-1][2] | ({'own': job.block.shown} if job.block.shown else {}))
                except (ToolError, ValueError, OSError, params.ParamError) as e:
                    failed += 1
                    print(f'FAIL {what} {job.block.name}/{job.set}{job.block.shown}: {e}', flush=True)
    return results, failed


def check(args, results, lib, nm):
    """Compares all measured results with the baselines.  Returns the number of failures."""
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


def beside(results):
    """A user's RTL beside the block's: a line for each set.  Results are in the order of jobs_of(): own sets, then ours."""
    half = len(results) // 2
    for (block, name, own), (_, _, ours) in zip(results[:half], results[half:]):
        view = 'macros' if 'macros' in own and 'macros' in ours else 'registers'
        a, b = own[view], ours[view]
        yield (
            f'     {block}/{name}: own {a["area_um2"]:.0f} um2 and {a["fmax_mhz"]:.0f} MHz, ours {b["area_um2"]:.0f} um2 and {b["fmax_mhz"]:.0f} MHz: '
            f'{100 * (a["area_um2"] / b["area_um2"] - 1):+.1f} % area, {100 * (a["fmax_mhz"] / b["fmax_mhz"] - 1):+.1f} % Fmax'
        )


def only_plain(args):
    """RTL= goes with a plain measurement and with FPGA=."""
    others = [n for n in ('clock_mhz', 'sweep', 'out') if getattr(args, n)]
    if args.rtl and others:
        raise params.ParamError(
            f'RTL={args.rtl}: found {others[0].upper()}= as well, expected RTL= alone, or with FPGA='
        )
    if args.rtl and len(args.block) != 1:
        raise params.ParamError(f'RTL={args.rtl}: found {len(args.block)} blocks, expected one BLOCK=')


def options():
    p = argparse.ArgumentParser()
    p.add_argument('what', choices=['run', 'check', 'pages'])
    p.add_argument('--liberty', nargs='+')
    p.add_argument('--build', dest='build_dir', type=Path)
    p.add_argument('--jobs', type=params.whole_number, default=2)
    p.add_argument('--block', action='append', default=[])
    p.add_argument('--set', action='append', default=[])
    p.add_argument('--param', action='append', default=[])
    p.add_argument('--node', default=None)
    for name in ('CLOCK_MHZ', 'OUT', 'PLATFORM', 'FPGA', 'SWEEP'):
        p.add_argument(f'--{name}', dest=name.lower())
    p.add_argument('--rtl', default='')
    p.add_argument('--top', default='')
    p.add_argument('--update', action='store_true')
    p.add_argument('--quick', action='store_true')
    return p.parse_args()


def asked_for(args):
    """The checked values of CLOCK_MHZ, PLATFORM and FPGA: (clock, platform, families)."""
    clock = handoff.clock_of(args.clock_mhz) if args.clock_mhz else None
    for name, given, with_it in (
        ('OUT', args.out, clock or args.sweep),
        ('PLATFORM', args.platform, clock),
        ('LIBERTY of several files', args.liberty[1:], clock),
    ):
        if given and not with_it:
            raise params.ParamError(
                f'{name}: found no CLOCK_MHZ={" or SWEEP=" if name == "OUT" else ""}, expected it beside {name}'
            )
    if args.fpga and clock:
        raise params.ParamError('FPGA: found CLOCK_MHZ= as well, expected one of the two: nextpnr finds Fmax itself')
    if args.sweep and args.liberty[1:]:
        raise params.ParamError(f'SWEEP: found {len(args.liberty)} files in LIBERTY, expected one')
    platform = handoff.platform_of(args.platform or 'nangate45')
    return clock, platform, fpga.chosen(args.fpga or '')


def libraries(args):
    """The mapping library, then the other corners."""
    for path in args.liberty:
        if not Path(path).is_file():
            sys.exit(
                f'synth: LIBERTY={path}: no such file; the default is part of Debian\'s qflow-tech-osu018 (make setup)'
            )
    try:
        lib = measure.library(args.liberty[0], args.build_dir)
        corners = handoff.corners_of(args.liberty, lib, args.build_dir)
    except (ValueError, measure.ToolError, AttributeError) as e:
        sys.exit(f'synth: {e}')
    nm = storage.node_nm(lib.name, args.node)
    print(
        f'synth: library {lib.name}, {nm or "unknown"} nm, FO4 {lib.fo4 * 1e12:.1f} ps; inverter {lib.inverter}, NAND2 {lib.nand2}',
        flush=True,
    )
    return lib, corners, nm


def out_of(args, job):
    """The folder of a hand-off."""
    return Path(args.out) if args.out else args.build_dir / 'synth' / f'{job.block.name}-{job.set}'


def at_clock(args, clock, platform):
    """make synth CLOCK_MHZ=: each set at a clock, in each corner, and its folder."""
    jobs = list(jobs_of(args, None, None))
    if args.out and len(jobs) != 1:
        raise params.ParamError(f'OUT={args.out}: found {len(jobs)} parameter sets, expected one: BLOCK= and SET=')
    for job in jobs if args.out else []:
        folder.check(out_of(args, job))
    lib, corners, nm = libraries(args)

    def one(job):
        result = measure.one(job)
        return result | {
            'handoff': handoff.write(
                job, result, [handoff.corner(job, result, c) for c in corners], out_of(args, job), platform
            ),
            'folder': out_of(args, job),
        }

    def both(result):
        show(result)
        handoff.show(result['handoff'], result['folder'])

    results, failed = measured(jobs_of(args, lib, nm, clock), one, args.jobs, both)
    print(
        f'synth: {len(results)} passed, {failed} failed, {sum(not r["handoff"]["met"] for _, _, r in results)} with a violated clock'
    )
    return failed


def on_fpgas(args, families):
    """make synth FPGA=: each set on each family."""
    failed = 0
    for family in families:

        def say(result):
            words = ', '.join(
                f'{v:,} {k.replace("_", " ")}'
                for k, v in sweep.of_fpga(result).items()
                if k != 'fmax_mhz' and (v or k in ('luts', 'flip_flops'))
            )
            timing = (
                f', {result["fpga"]["fmax_mhz"]:.0f} MHz'
                if 'fmax_mhz' in result['fpga']
                else '; cells of Yosys, not placed'
            )
            print(
                f'PASS synth {result["block"] + "/" + result["set"] + result.get("own", ""):22}{result["library"]}: {words}{timing}',
                flush=True,
            )

        failed += measured(jobs_of(args, None, None), lambda job: measure.on_fpga(job, family), args.jobs, say)[1]
    return failed


def starts_of(args, families):
    """{block: the starting job of its sweep}: its first set without SET= and PARAMS=."""
    found = {}
    for job in jobs_of(args, None, None):
        if args.set and job.block.name in found:
            raise params.ParamError(f'SWEEP: found SET={" ".join(args.set)}, expected at most one')
        found.setdefault(job.block.name, job)
    if not args.block or len(families) > 1:
        raise params.ParamError(
            f'SWEEP: found BLOCK={" ".join(args.block)} FPGA={" ".join(families)}, expected at least one BLOCK= and at most one FPGA='
        )
    return found


def swept(args, clock, families):
    """make synth SWEEP=: blocks over their parameters, in a library or on an FPGA."""
    starts = starts_of(args, families)
    words = sweep.words_of(args.sweep, list(starts))
    axes = {b: sweep.axes_of(words[b], params.limits(b), b) for b in starts}
    points = [(job.block, chosen) for b, job in starts.items() for chosen in sweep.points_of(axes[b], job.params)]
    names = '-'.join(dict.fromkeys(n for of in axes.values() for n, _ in of))
    start, blocks = next(iter(starts.values())), [f'{b}-{job.set}' for b, job in starts.items()]
    out = (
        Path(args.out)
        if args.out
        else args.build_dir / 'synth' / f'{"-".join(blocks)}-by-{names}{"".join("-" + f for f in families)}'
    )
    if args.out:
        folder.check(out)
    for block, chosen in points:
        params.legal(manifest.read(block.name), chosen, params.limits(block.name), f'SWEEP of {block.name}')
    lib, corners, nm = (None, [], None) if families else libraries(args)
    activity = None
    if not families:  # one for all points: that of the first block's starting set
        base, failed = measured([start._replace(lib=lib, nm=nm, clock=clock)], measure.one, 1, lambda result: None)
        if failed:
            return failed
        activity = base[0][2][handoff.smaller_view(base[0][2])]['activity']
    jobs = [Job(block, block.named(chosen), chosen, lib, args.build_dir, nm, clock) for block, chosen in points]

    def one(job):
        if families:
            columns = sweep.of_fpga(measure.on_fpga(job, families[0]))
        else:
            columns = sweep.of_cells(job, measure.one(job), activity, corners[0] if clock else None)
        return (
            ({'block': job.block.name} if len(starts) > 1 else {})
            | {n: job.params[n] for n, _ in axes[job.block.name]}
            | columns
        )

    done, failed = measured(
        jobs, one, args.jobs, lambda row: print(f'  point {" ".join(f"{k}={v}" for k, v in row.items())}', flush=True)
    )
    if failed:
        print(
            f'synth: {len(done)} of {len(points)} points passed; nothing written; the same command goes on from these'
        )
        return failed
    rows = [row for _, _, row in done]
    where = (
        fpga.FAMILIES[families[0]].name if families else f'{lib.name}; power at {f"{clock:g} MHz" if clock else "Fmax"}'
    )
    traffic = (
        f', all points with the activity of {activity["traffic"]} traffic of {start.block.name}/{start.set}'
        if activity
        else ''
    )
    title = f'{", ".join(f"{b}/{job.set}" for b, job in starts.items())} over {names.replace("-", " and ")}, {where}{traffic}'
    head = {
        'blocks': {
            b: {
                'set': job.set,
                'parameters': params.whole(job.params, params.limits(b)),
                'rtl_sha256': handoff.rtl_digest(job.block),
            }
            for b, job in starts.items()
        },
        'where': where,
        'clock_mhz': clock,
        'activity': activity,
        'tools': measure.versions(),
    }
    print(f'{title}\n\n{sweep.write(out, title, head, axes, rows)}\nsynth: {len(rows)} points; written: {out}/')
    return 0


def measure_all(args):
    only_plain(args)
    clock, platform, families = asked_for(args)
    list(jobs_of(args, None, None))  # unmeasurable requests are reported before any measurement
    if args.sweep:
        return swept(args, clock, families)
    if families:
        return on_fpgas(args, families)
    if clock:
        return at_clock(args, clock, platform)
    lib, _, nm = libraries(args)
    results, failed = measured(list(jobs_of(args, lib, nm)), measure.one, args.jobs, show)
    if args.rtl and not failed:
        print('\n'.join(beside(results)))
    print(f'synth: {len(results)} passed, {failed} failed')
    return failed + (check(args, results, lib, nm) if args.what == 'check' else 0)


def main():
    args = options()
    try:
        failed = measure_all(args) if args.what != 'pages' else 0
    except (params.ParamError, measure.ToolError) as e:
        sys.exit(f'synth: {e}')
    if args.what != 'run':
        failed += pages.pages(pages.plans_of(), args.update)
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
