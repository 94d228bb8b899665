# SPDX-License-Identifier: Apache-2.0
"""make layout, make layout-check: sets placed and routed, and compared with their baseline (README.md)."""
import argparse
import re
import sys
from pathlib import Path

from cosim import params
from synth import synth
from synth.layout import baseline, flow, pages

LIBERTY = '/usr/share/qflow/tech/osu018/osu018_stdcells.lib'
RANGES = {'DENSITY': (0.3, 0.95), 'ASPECT': (0.25, 4.0)}
CLOCKS = ('tree', 'ideal')


def fraction(name, text):
    low, high = RANGES[name]
    if not re.fullmatch(r'\d{1,2}(\.\d{1,6})?', text) or not low <= float(text) <= high:
        raise params.ParamError(f'{name}: found "{text}", expected a number from {low} to {high}')
    return float(text)


def options_of(args):
    if args.clock not in CLOCKS:
        raise params.ParamError(f'CLOCK: found "{args.clock}", expected one of {", ".join(CLOCKS)}')
    return flow.Options(fraction('DENSITY', args.density), fraction('ASPECT', args.aspect), args.clock)


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument('what', choices=['run', 'check'])
    p.add_argument('--build', dest='build_dir', type=Path)
    p.add_argument('--jobs', type=params.whole_number, default=1)
    p.add_argument('--block', action='append', default=[])
    p.add_argument('--set', action='append', default=[])
    p.add_argument('--param', action='append', default=[])
    p.add_argument('--DENSITY', dest='density', default=f'{flow.DEFAULT.density:g}')
    p.add_argument('--ASPECT', dest='aspect', default=f'{flow.DEFAULT.aspect:g}')
    p.add_argument('--CLOCK', dest='clock', default=flow.DEFAULT.clock)
    p.add_argument('--update', action='store_true')
    p.add_argument('--quick', action='store_true')
    return p.parse_args()


def show(r, out):
    v, before = r['layout'], r['without_wires']
    levels = f'clock tree of {v["clock_buffers"]} buffers: latency {v["latency_ns"]:.3f} ns, skew {v["skew_ns"]:.3f} ns'
    timer = f'; {v["flow_mhz"]:.0f} MHz by vesta' if v['flow_mhz'] else ''
    print(
        f'PASS layout {r["block"] + "/" + r["set"]:22}{v["cells"]:7d} cells on {v["core_um2"]:.0f} um2, {100 * v["utilisation"]:.0f} % used; '
        f'{v["fmax_mhz"]:.0f} MHz ({before["fmax_mhz"]:.0f} without wires{timer}), {v["power_mw"]:.3f} mW at it ({before["power_mw"]:.3f})\n'
        f'     wires: {v["wire_mm"]:.1f} mm ({", ".join(f"{n} {x / 1e3:.1f}" for n, x in v["wire_um"].items())}), {v["wire_pf"]:.1f} pF, {v["vias"]} vias; '
        f'fullest square of a layer {100 * v["fullest"]:.0f} % of its tracks\n'
        f'     {levels if v["clock_buffers"] else "ideal clock"}; hold slack {v["hold_ns"]:+.3f} ns; layout = netlist by netgen, = twin in {v["compared_cycles"]} cycles\n'
        f'     written: {out}/',
        flush=True,
    )


def jobs(args, sets):
    """Jobs of {block: its sets}; a set is a name, or Parameter=value ...; no sets: those that `make synth` takes."""
    lib, _, nm = synth.libraries(argparse.Namespace(liberty=[LIBERTY], node=None, build_dir=args.build_dir))
    for name, of in sets.items():
        given = [s.split() for s in of if '=' in s]
        named = [s for s in of if '=' not in s]
        for words, some in [*((w, []) for w in given), *([([], named)] if named or not given else [])]:
            chosen = argparse.Namespace(
                block=[name], set=some, param=words, quick=args.quick, build_dir=args.build_dir, rtl=None, top=None
            )
            yield from synth.jobs_of(chosen, lib, nm)


def run(args):
    options = options_of(args)
    if not args.block:
        raise params.ParamError('BLOCK: found none, expected at least one block: a layout takes minutes')
    given = [' '.join(args.param)] if args.param else []
    work = list(jobs(args, dict.fromkeys(args.block, args.set + given)))
    found, failed = synth.measured(
        work,
        lambda job: flow.one(job, options),
        args.jobs,
        lambda r: show(
            r, flow.folder(next(j for j in work if (j.block.name, j.set) == (r['block'], r['set'])), options)
        ),
        'layout',
    )
    return len(found), failed


def planned(args):
    """{block: its sets} of the baseline, with QUICK=1 those of baseline.QUICK; UPDATE=1 adds sets that BLOCK= and SET= name."""
    found = {}
    for block, s in baseline.QUICK if args.quick else baseline.load():
        if block in (args.block or [block]) and s in (args.set or [s]):
            found.setdefault(block, []).append(s)
    if args.update and (args.set or args.param):
        found |= {block: args.set + ([' '.join(args.param)] if args.param else []) for block in args.block}
    if not found:
        raise params.ParamError(f'found no such set in {baseline.PATH}; UPDATE=1 with BLOCK= and SET= adds one')
    return found


def picture(work, update):
    """docs/layout.svg is the picture of its set: written, or compared if the set was laid out now.  Returns the number of failures."""
    job = next((j for j in work if (j.block.name, j.set) == pages.PICTURE), None)
    made = flow.folder(job, flow.DEFAULT) / f'{job.block.name}.svg' if job else None
    if not made or not made.exists():
        return 0
    if update:
        pages.SVG.write_text(made.read_text())
        return 0
    same = pages.SVG.exists() and pages.SVG.read_text() == made.read_text()
    if not same:
        print(f'FAIL layout-check {pages.SVG}: found another picture than {made}; UPDATE=1 writes it')
    return int(not same)


def check(args):
    work = list(jobs(args, planned(args)))
    found, failed = synth.measured(work, lambda job: flow.one(job, flow.DEFAULT), args.jobs, lambda r: None, 'layout')
    names = {
        (j.block.name, j.set): ' '.join(f'{n}={v}' for n, v in j.params.items()) for j in work if j.set in j.block.given
    }
    named = [(b, names.get((b, s), s), r) for b, s, r in found]
    return len(found), failed + baseline.judged(named, args.update) + picture(work, args.update)


def main():
    args = arguments()
    try:
        good, failed = (run if args.what == 'run' else check)(args)
    except params.ParamError as e:
        sys.exit(f'layout: {e}')
    print(f'layout{"-check" if args.what == "check" else ""}: {good} routed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
