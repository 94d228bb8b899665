# SPDX-License-Identifier: Apache-2.0
"""Proves that a block's C twin and its RTL are equal for every state and every input: make prove.

One line for each configuration; a counterexample, shrunk and replayed, for each that is refuted.  With --rtl, the RTL comes from outside the
tree (foreign.py): equal for a number of cycles from reset, or proved with a relation between the registers.
"""
import argparse
import concurrent.futures
import functools
import hashlib
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pycparser
import z3

from cosim import own_rtl
from cosim.own_rtl import OwnRtl
from cosim.params import ParamError, whole_number
from cosim.progress import watching
from tb.prove.block import HERE, ROOT, Block, BlockError
from tb.prove.carith import CError
from tb.prove.equiv import Equivalence
from tb.prove.foreign import DEPTH, Bounded, Foreign, Related
from tb.prove.replay import confirm, show, skipped_cycles
from tb.prove.rtl import Json, RtlError
from tb.prove.sizes import configurations
from tb.prove.solve import Obligation, shrink, solve

GOOD = ('PROVED', 'BOUNDED')
SHOWN = 3  # counterexamples of one configuration that are printed in full


def text_of(cfg: dict[str, int]) -> str:
    return ' '.join(f'{n}={v}' for n, v in cfg.items())


def number(bits: Iterator[Any] | Sequence[int]) -> int:
    return sum(b << i for i, b in enumerate(bits))


def reset_preference(eq: Equivalence) -> dict[int, int]:
    """Variable node -> its value after reset: a counterexample should leave these alone."""
    return {lit >> 1: bit for name, lits in eq.state.items() for lit, bit in zip(lits, eq.reset_values[name])}


def same_bits(eq: Equivalence) -> Iterable[Any]:
    """Bit i of every word of one width, for each width and i: addresses that must match are cleared bit by bit."""
    groups: dict[Any, Any] = {}
    for lits in [*eq.state.values(), *eq.inputs.values()]:
        for i, lit in enumerate(lits):
            groups.setdefault((len(lits), i), []).append(lit >> 1)
    return groups.values()


def counterexample(eq: Equivalence, o: Obligation, folder: Path) -> tuple[list[str], bool]:
    """The lines that explain one failed obligation, and whether the replay confirms it."""
    preferred = reset_preference(eq)
    shrink(eq.g, o, preferred, same_bits(eq))
    model = {**preferred, **o.model}
    values = {
        k: {n: number(model.get(l >> 1, 0) for l in lits) for n, lits in d.items()}
        for k, d in (('state', eq.state), ('input', eq.inputs))
    }
    reset = {n: number(eq.reset_values[n][: len(lits)]) for n, lits in eq.state.items()}
    c, rtl = (number(eq.g.simulate(list(side), model)) for side in (o.c, o.rtl))
    same = o.name.startswith(('output', 'next', 'reset', 'skip'))
    lines = [
        f'  {o.name}' + (f'   C={show(c)} {"C" if o.name.startswith("skip") else "RTL"}={show(rtl)}' if same else '')
    ]
    changed = [f'{n}={show(v)}' for n, v in values['state'].items() if v != reset[n]]
    lines.append(
        '    state  ' + (' '.join(changed) or 'as after reset') + (' (others as after reset)' if changed else '')
    )
    lines.append('    input  ' + (' '.join(f'{n}={show(v)}' for n, v in values['input'].items() if v) or 'all 0'))
    if 'skip' in o.name.split(':')[0] and any(lit >> 1 in o.model for lit in eq.cycles):
        lines.append(f'    cycles n={skipped_cycles(eq, o)}')
    said, confirmed = confirm(eq, o, values['state'], values['input'], folder)
    lines.append(f'    replay {said}: {"confirmed" if confirmed else "NOT CONFIRMED"}')
    lines.append(f'    files  {folder}/replay.c{" replay.v" if (folder / "replay.v").exists() else ""}')
    return lines, confirmed


def explained(eq: Equivalence | Bounded | Related, o: Obligation, folder: Path) -> tuple[list[str], bool]:
    """The lines of one failed obligation, and whether the replay confirms it."""
    if not isinstance(eq, (Bounded, Related)):
        return counterexample(eq, o, folder)
    shrink(eq.g, o, {}, eq.groups())
    lines, confirmed = eq.explain(o, folder)
    c, rtl = (number(eq.g.simulate(list(side), o.model)) for side in (o.c, o.rtl))
    title = eq.title(o.name) if isinstance(eq, Related) else o.name
    return [
        f'  {title}' + (f'   C={show(c)} RTL={show(rtl)}' if o.rtl and len(o.c) == len(o.rtl) else ''),
        *lines,
    ], confirmed


def equation(
    block: Block,
    cfg: dict[str, int],
    source: list[str],
    folder: Path,
    own: OwnRtl | None = None,
    relation: Path | None = None,
    depth: int = 0,
) -> Equivalence | Bounded | Related:
    """The obligations of one configuration."""
    if not own:
        return Equivalence(block, cfg, source, folder)
    foreign = Foreign(own, cfg, folder)
    if relation:
        return Related(block, cfg, source, folder, foreign, relation)
    return Bounded(block, cfg, source, foreign, depth)


def in_order(failed: list[Obligation], eq: Equivalence | Bounded | Related) -> list[Obligation]:
    """Chooses the differences to explain: the earliest cycle of an output; one of each kind for a relation; else the easiest to read."""
    order = ['output', 'next', 'reset']
    kinds = [o.name.split()[0] for o in failed]
    ranks: list[Any] = [order.index(k) if k in order else len(order) for k in kinds]
    if isinstance(eq, Bounded):
        ranks = [int(o.name.split()[-1]) for o in failed]
    elif isinstance(eq, Related):
        ranks = [(kinds[:i].count(k), -r) for i, (k, r) in enumerate(zip(kinds, ranks))]
    return [failed[i] for i in sorted(range(len(failed)), key=lambda i: ranks[i])]


def prove(job: tuple[Any, ...], **patience: int) -> Json:
    """One configuration: a dict that the report prints and the cache keeps.  `patience` is for solve()."""
    block, cfg, source, key, folder, engine, limit, *foreign = job
    start = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'progress').unlink(missing_ok=True)
    result: Json = {'verdict': 'UNKNOWN', 'lines': [], 'confirmed': 0, 'failed': 0}
    try:
        eq = equation(block, cfg, source, folder, *foreign)
        eq.params = block.params()
        solve(eq.g, eq.obligations, engine, folder, limit, **({'after': 0} if foreign else {}) | patience)
        failed = [o for o in eq.obligations if o.verdict == 'fails']
        unknown = [o for o in eq.obligations if o.verdict == 'unknown']
        bounded = isinstance(eq, Bounded)
        result.update(
            verdict='REFUTED' if failed else 'UNKNOWN' if unknown else 'BOUNDED' if bounded else 'PROVED',
            failed=len(failed),
            what=f'equal for {eq.depth} cycles from reset'
            if isinstance(eq, Bounded)
            else 'by the relation'
            if foreign
            else '',
            notes=eq.notes,
            obligations=len(eq.obligations),
            by=dict(Counter(o.by for o in eq.obligations)),
        )
        failed = in_order(failed, eq)
        for i, o in enumerate(failed[:SHOWN]):
            lines, confirmed = explained(eq, o, folder / f'counterexample{i}')
            result['lines'] += lines
            result['confirmed'] += confirmed
        if len(failed) > SHOWN:
            result['lines'].append(
                f'  and {len(failed) - SHOWN} more: ' + ', '.join(o.name for o in failed[SHOWN : SHOWN + 12])
            )
        result['lines'] += [f'  not decided: {o.name}' for o in unknown[:12] if not (foreign and failed)]
    except (BlockError, CError, RtlError, ParamError, OSError) as e:
        result.update(verdict='ERROR', lines=[f'  {e}'])
    result['seconds'] = round(time.monotonic() - start, 1)
    result['key'] = key
    return result


@functools.lru_cache
def version(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def fingerprint(
    block: Block, source: list[str], cfg: dict[str, int], engine: str, foreign: tuple[Any, ...] = ()
) -> str:
    h = hashlib.sha256()
    parts = [
        *source,
        text_of(cfg),
        engine,
        *(x.digest('') if isinstance(x, own_rtl.OwnRtl) else str(x) for x in foreign),
        z3.get_full_version(),
        pycparser.__version__,
        version('yosys', '-V'),
        version('cadical', '--version'),
    ]
    files = sorted(HERE.glob('*.py')) + sorted(block.rtl_root.glob('*/*.sv*'))
    if foreign:
        files += [ROOT / 'cosim/own_rtl.py', *foreign[0].needs, *([foreign[1]] if foreign[1] else [])]
    for p in parts + [f'{p.name}\n{p.read_text()}' for p in files]:
        h.update(p.encode() + b'\0')
    return h.hexdigest()


def jobs_of(block: Block, args: argparse.Namespace, out: Path) -> Iterator[tuple[Any, ...]]:
    params = block.params()
    for cfg in configurations(block, params, args.deep, args.sizes):
        source = block.source(block.limits(params, cfg))
        foreign: tuple[Any, ...] = (
            (
                own_rtl.OwnRtl(args.rtl, args.top, block.name),
                Path(args.relation) if args.relation else None,
                args.depth or DEPTH,
            )
            if args.rtl
            else ()
        )
        key = fingerprint(block, source, cfg, args.engine, foreign)
        name = '_'.join(f'{n}{v}' for n, v in cfg.items()) + (f'_rtl_{foreign[0].digest("")}' if foreign else '')
        yield block, cfg, source, key, out / block.name / name, args.engine, args.limit, *foreign


def cached(job: tuple[Any, ...]) -> Json | None:
    """A verdict that was found with the same key; no other result is worth keeping, as another try may decide it."""
    try:
        result = json.loads((job[4] / 'result.json').read_text())
        return result if result['key'] == job[3] and result['verdict'] in ('PROVED', 'BOUNDED', 'REFUTED') else None
    except (FileNotFoundError, ValueError, KeyError, TypeError):  # none, or cut off in the middle
        return None


def doing(job: tuple[Any, ...]) -> str:
    """The proofs in progress, and how far each is."""
    try:
        return f'{job[0].name} {text_of(job[1])} ({(job[4] / "progress").read_text()})'
    except OSError:
        return f'{job[0].name} {text_of(job[1])}'


def report(block: Block, cfg: dict[str, int], result: Json, was_cached: bool) -> None:
    by = result.get('by', {})
    how = ', '.join(f'{by[k]} {k}' for k in ('structure', 'patterns', 'sweeping', 'cadical', 'z3') if by.get(k))
    when = 'cached' if was_cached else f'{result["seconds"]:.1f} s'
    left = f', {by[""]} open' if by.get('') else ''
    count = f'{result["obligations"]:5d} obligations ({how}{left})  ' if 'obligations' in result else ''
    what = f'{result["what"]}  ' if result.get('what') and result['verdict'] in ('PROVED', 'BOUNDED') else ''
    print(f'{result["verdict"]:8s} {block.name:8s} {text_of(cfg)}  {what}{count}{when}')
    for line in result['lines']:
        print(line)
    sys.stdout.flush()


def of_own_rtl(args: argparse.Namespace) -> None:
    """Refuses arguments that belong to --rtl without it, and a relation that is not there."""
    if not args.rtl and (args.top or args.relation or args.depth):
        raise BlockError(
            f'{"TOP" if args.top else "RELATION" if args.relation else "DEPTH"}: found no RTL=, expected RTL= with it'
        )
    if args.rtl and len(args.blocks) != 1:
        raise BlockError(f'RTL={args.rtl}: found {len(args.blocks)} blocks, expected one BLOCK=')
    if args.relation and args.depth:
        raise BlockError(f'DEPTH={args.depth}: found RELATION={args.relation} with it, expected one of the two')
    if args.relation and not Path(args.relation).is_file():
        raise BlockError(f'RELATION={args.relation}: found no such file, expected lines twin_register = expression')


def main() -> int:
    sys.setrecursionlimit(200000)
    a = argparse.ArgumentParser(description='Proves C twin and RTL equal for every state and input.')
    a.add_argument('blocks', nargs='+')
    a.add_argument('--sizes', default='', help="values of the first parameter, or 'Parameter=values ...'")
    a.add_argument('--deep', action='store_true')
    a.add_argument('--engine', choices=['cadical', 'z3'], default='cadical')
    a.add_argument('--limit', type=whole_number, default=600, help='seconds for the solvers on one configuration')
    a.add_argument('--jobs', type=whole_number, default=2)
    a.add_argument('--c-file')
    a.add_argument('--rtl-root')
    a.add_argument('--out', default='build/prove')
    a.add_argument('--rtl', default='', help='folder, file list or file: RTL in place of the block\'s own')
    a.add_argument('--top', default='', help='its module')
    a.add_argument('--depth', type=whole_number, help=f'cycles from reset, {DEPTH} if not given')
    a.add_argument('--relation', default='', help='file: the twin\'s registers as expressions over those of --rtl')
    args = a.parse_args()
    passed = failed = 0
    notes: dict[tuple[str, str], set[str]] = {}
    try:
        of_own_rtl(args)
        jobs = [j for b in args.blocks for j in jobs_of(Block(b, args.c_file, args.rtl_root), args, Path(args.out))]
        unknown = [
            n for n in args.sizes.split() if n.isdigit() and not any(next(iter(j[1].values())) == int(n) for j in jobs)
        ]
        if unknown:
            raise BlockError(
                f'SIZES: {unknown[0]}: no configuration of {" ".join(args.blocks)} has it as its first parameter; SIZES="Parameter={unknown[0]}" proves any'
            )
    except (BlockError, CError, RtlError, ParamError, OSError) as e:
        print(f'ERROR {e}')
        return 1
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        known = [(j, cached(j)) for j in jobs]
        waiting = [(j, r, None if r else pool.submit(prove, j)) for j, r in known]
        with watching('PROVE', {f: functools.partial(doing, j) for j, _, f in waiting if f}):
            for job, result, future in waiting:
                if future:
                    result = future.result()
                    (job[4] / 'result.json').write_text(json.dumps(result))
                assert result
                report(job[0], job[1], result, future is None)
                for n in result.get('notes', []):
                    notes.setdefault((job[0].name, n.split(':')[0]), set()).update(n.split(': ', 1)[1].split())
                passed, failed = passed + (result['verdict'] in GOOD), failed + (result['verdict'] not in GOOD)
    for (name, what), regs in sorted(notes.items()):
        print(f'note     {name}: {what}: {" ".join(sorted(regs))}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
