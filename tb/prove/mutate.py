# SPDX-License-Identifier: Apache-2.0
"""Mutants of a block's RTL, each tried by the prover: make mutate [BLOCK=] [COUNT=] [SEED=] [SIZES=] [UPDATE=1].

Yosys' `mutate` changes one bit of one cell: inverts it, ties it to 0 or 1, or gates it with another bit.  The prover compares the
mutant with the C twin, for any state and input.  REFUTED: it is found out.  EQUAL: the prover says that twin and mutant are equal,
and Yosys, which knows neither twin nor prover, that mutant and RTL are (redundant logic), from any state in the ranges that the block's
invariants give its registers.  ESCAPED: the prover says that they are
equal and Yosys cannot show that the mutant is; one of these fails the run.  With --cross Yosys judges refuted mutants, too: WRONG is one that it finds equal.
The run without options, of all blocks, compares its table with the one in README.md.
"""
import argparse
import concurrent.futures
import json
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from cosim import manifest
from scripts import marked
from tb.prove import equiv
from tb.prove.block import Block, BlockError
from tb.prove.carith import CError
from tb.prove.prove import text_of
from tb.prove.rtl import Json, RtlError, pick_sources, yosys_script
from tb.prove.sizes import configurations
from tb.prove.solve import solve

README = Path(__file__).parent / 'README.md'
COUNT, SEED = 16, 1  # of the table in README.md
KINDS = ('REFUTED', 'EQUAL', 'ESCAPED', 'WRONG', 'UNKNOWN')


def yosys(script: str, path: Path) -> tuple[int, str]:
    path.write_text(script)
    r = subprocess.run(['yosys', '-q', '-s', str(path)], capture_output=True, text=True)
    return r.returncode, (r.stderr or r.stdout).strip()


class Original:
    """A block at one configuration, elaborated as the prover does it, and its mutants."""

    def __init__(self, block: Block, cfg: dict[str, int], folder: Path) -> None:
        self.block, self.cfg, self.folder = block, cfg, folder
        folder.mkdir(parents=True, exist_ok=True)
        params = block.params()
        self.source = block.source(block.limits(params, cfg))
        sources, include, libs = pick_sources(block.rtl_root, block.name, block.parts)
        steps = yosys_script(block.module, sources, include, libs, cfg, f"write_json {folder / 'rtl.json'}").replace(
            '; ', '\n'
        )
        self.run(f'{steps}\nwrite_rtlil {folder}/rtl.il\n', 'elaborate')

    def run(self, script: str, name: str) -> None:
        code, text = yosys(script, self.folder / f'{name}.ys')
        if code:
            raise RtlError(f'yosys: {text[-1000:]}')

    def draw(self, count: int, seed: int) -> list[str]:
        path = self.folder / 'mutants'
        self.run(
            f'read_rtlil {self.folder}/rtl.il\nmutate -list {count} -seed {seed} -o {path} {self.block.module}\n',
            'draw',
        )
        return [line for line in path.read_text().splitlines() if line]


def judge(original: Original, number: int, mutation: str, limit: int, cross: bool) -> tuple[str, str]:
    """The verdict, and why."""
    folder = original.folder / f'mutant{number}'
    folder.mkdir(exist_ok=True)
    code, text = yosys(
        f'read_rtlil {original.folder}/rtl.il\n{mutation}\nwrite_json {folder}/rtl.json\n', folder / 'mutant.ys'
    )
    if code:
        raise RtlError(f'yosys: {text[-1000:]}')
    module = json.loads((folder / 'rtl.json').read_text())['modules'][original.block.module]
    try:
        eq = equiv.Equivalence(original.block, original.cfg, original.source, folder, module)
    except RtlError as e:
        return 'REFUTED', f'not as listed: {e}'  # of a register, a clock or a reset
    solve(eq.g, eq.obligations, 'cadical', folder, limit)
    failed = [o for o in eq.obligations if o.verdict == 'fails']
    if failed and cross and same_rtl(original, folder, limit, ranges(eq)):
        return 'WRONG', f'{failed[0].name}; Yosys: mutant = RTL'
    if failed:
        return 'REFUTED', failed[0].name + (f' and {len(failed) - 1} more' if len(failed) > 1 else '')
    unknown = [o for o in eq.obligations if o.verdict == 'unknown']
    if unknown:
        return 'UNKNOWN', unknown[0].name
    return (
        ('EQUAL', 'mutant = RTL, too')
        if same_rtl(original, folder, limit, ranges(eq))
        else ('ESCAPED', 'Yosys: mutant and RTL differ')
    )


def ranges(eq: equiv.Equivalence) -> list[tuple[list[int], int]]:
    """(the mutant's nets of a register, its limit) for each range that is an invariant: states beyond them cannot occur."""
    return [(eq.nets[e.text], x) for e, x in eq.invariant_elements() if x < 1 << e.width]


def assume_ranges(module: Json, limits: list[tuple[list[int], int]], fresh: int) -> None:
    """Cells by which Yosys assumes them, with nets from `fresh` on."""
    for k, (bits, limit) in enumerate(limits):
        widths = {'A_WIDTH': len(bits), 'B_WIDTH': len(bits), 'Y_WIDTH': 1, 'A_SIGNED': 0, 'B_SIGNED': 0}
        below, bound = [fresh + k], list(f'{limit:0{len(bits)}b}'[::-1])
        cells: list[tuple[str, str, dict[str, int], Json]] = [
            (f'below{k}', '$lt', widths, {'A': ('input', bits), 'B': ('input', bound), 'Y': ('output', below)}),
            (f'range{k}', '$assume', {}, {'A': ('input', below), 'EN': ('input', ['1'])}),
        ]
        for name, kind, parameters, pins in cells:
            module['cells'][name] = {
                'hide_name': 0,
                'type': kind,
                'parameters': {n: f'{value:032b}' for n, value in parameters.items()},
                'attributes': {},
                'port_directions': {n: direction for n, (direction, _) in pins.items()},
                'connections': {n: b for n, (_, b) in pins.items()},
            }


def drop_unread(module: Json) -> None:
    """Removes cells that no output depends on, now or later: Yosys leaves registers of a table's write ports and of loop variables."""

    def bits(cell: Json, direction: str) -> set[int | str]:
        return {
            b for pin, bits in cell['connections'].items() if cell['port_directions'][pin] == direction for b in bits
        }

    driver = {b: n for n, c in module['cells'].items() for b in bits(c, 'output')}
    kept: set[str] = set()
    open_bits = {b for p in module['ports'].values() if p['direction'] == 'output' for b in p['bits']}
    while open_bits:
        found = {driver[b] for b in open_bits if b in driver} - kept
        kept |= found
        open_bits = set().union(*(bits(module['cells'][n], 'input') for n in found))
    module['cells'] = {n: c for n, c in module['cells'].items() if n in kept}


def opened(path: Path, top: str) -> tuple[Json, Json, Json]:
    """The design and its registers, name -> cell; a register's value is an input, its next value an output."""
    design = json.loads(path.read_text())
    module = design['modules'][top]
    drop_unread(module)
    registers = {n: c for n, c in module['cells'].items() if c['type'] == '$dff'}
    for name, c in registers.items():
        for pin, direction in (('Q', 'input'), ('D', 'output')):
            module['ports'][f'{name}_{pin}'] = {'direction': direction, 'bits': c['connections'][pin]}
            module['netnames'][f'{name}_{pin}'] = {'hide_name': 0, 'bits': c['connections'][pin], 'attributes': {}}
        del module['cells'][name]
    return design, module, registers


def open_registers(gold: Path, gate: Path, top: str, folder: Path, limits: list[tuple[list[int], int]]) -> None:
    """Both as modules without registers, the mutant's with their ranges.  One that only one of them has is an input that the other does not
    read; its next value is not compared."""
    both = [opened(path, top) for path in (gold, gate)]
    for (design, module, registers), (_, _, others), name in zip(both, both[::-1], ('gold', 'gate')):
        for n in registers.keys() - others.keys():
            del module['ports'][f'{n}_D']
        fresh = 1 + max((b for v in module['netnames'].values() for b in v['bits'] if isinstance(b, int)), default=1)
        for n in others.keys() - registers.keys():
            bits = list(range(fresh, fresh := fresh + len(others[n]['connections']['Q'])))
            module['ports'][f'{n}_Q'] = {'direction': 'input', 'bits': bits}
            module['netnames'][f'{n}_Q'] = {'hide_name': 0, 'bits': bits, 'attributes': {}}
        if name == 'gate':
            assume_ranges(module, limits, fresh)
        design['modules'] = {name: module}
        (folder / f'{name}.json').write_text(json.dumps(design))


def same_rtl(original: Original, folder: Path, limit: int, limits: list[tuple[list[int], int]]) -> bool:
    """Mutant and RTL from any state within the ranges, by Yosys alone."""
    open_registers(original.folder / 'rtl.json', folder / 'rtl.json', original.block.module, folder, limits)
    script = (
        f'read_json {folder}/gold.json\nread_json {folder}/gate.json\nmiter -equiv -flatten -ignore_gold_x gold gate both\n'
        f'hierarchy -top both\nopt -full\nsat -verify -prove trigger 0 -set-def-inputs -set-assumes -timeout {limit} both\n'
    )
    return yosys(script, folder / 'same.ys')[0] == 0


def one(job: tuple[Original, int, str, int, bool]) -> tuple[str, str, float]:
    original, number, mutation, limit, cross = job
    sys.setrecursionlimit(200000)
    started = time.monotonic()
    try:
        verdict, why = judge(original, number, mutation, limit, cross)
    except (BlockError, CError, RtlError) as e:
        verdict, why = 'UNKNOWN', str(e)
    return verdict, why, time.monotonic() - started


def short(mutation: str) -> str:
    """Mode, cell's port and bit, and the innermost place in the source."""
    f = dict(re.findall(r'-(mode|cell|port|portbit) (\S+)', mutation))
    places = re.findall(r'-src (\S+)', mutation)
    kind = re.match(r'\\?(?:\$flatten\S*?\.)?\$?([a-z]\w*)', f['cell'])
    return f'{f["mode"]:6s} {kind.group(1) if kind else f["cell"]}.{f["port"]}[{f["portbit"]}]  {Path(places[-1]).name if places else "?"}'


def drawn_of(block: Block, args: argparse.Namespace, folder: Path) -> tuple[Original, list[str]]:
    """The configuration of SIZES, or of the manifest, and its mutants; without both the first size that has logic to change."""
    sizes = args.sizes or manifest.read(block.name).table.get('prove', {}).get('mutate', '')
    for cfg in configurations(block, block.params(), False, sizes):
        original = Original(block, cfg, folder)
        drawn = original.draw(args.count, args.seed)
        if drawn:
            return original, drawn
    raise BlockError(f'{block.name}: no size has logic to change')


def arguments() -> argparse.Namespace:
    a = argparse.ArgumentParser(description="Mutants of the RTL, each tried by the prover.")
    a.add_argument('blocks', nargs='+')
    a.add_argument('--count', type=int, default=COUNT)
    a.add_argument('--seed', type=int, default=SEED)
    a.add_argument('--sizes', default='')
    a.add_argument('--limit', type=int, default=120, help='seconds for the solvers on one mutant')
    a.add_argument('--cross', action='store_true')
    a.add_argument('--update', action='store_true', help='write the table of README.md')
    a.add_argument('--jobs', type=int, default=2)
    a.add_argument('--out', default='build/mutate')
    return a.parse_args()


def table(results: dict[str, Counter[str]]) -> str:
    """Of all blocks, with their sum."""
    total: Counter[str] = sum(results.values(), Counter())
    lines = [
        f'{" | ".join(("", name, str(sum(c.values())), *(str(c[k]) for k in KINDS[:3]), ""))}'.strip()
        for name, c in [*results.items(), ('together', total)]
    ]
    return '\n'.join(
        ['| block | mutants | refuted | equal | escaped |', '| --- | ---: | ---: | ---: | ---: |', *lines, '']
    )


def main() -> int:
    sys.setrecursionlimit(200000)
    args = arguments()
    results = {}
    try:
        for name in args.blocks:
            manifest.one_of(name, manifest.blocks(), 'BLOCK')
    except manifest.ParamError as e:
        print(f'mutate: {e}')
        return 1
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        for name in args.blocks:
            started = time.monotonic()
            counts: Counter[str] = Counter()
            try:
                original, drawn = drawn_of(Block(name), args, Path(args.out) / name)
            except (BlockError, CError, RtlError) as e:
                print(f'ERROR {name}: {e}')
                return 1
            jobs = [(original, i, m, args.limit, args.cross) for i, m in enumerate(drawn)]
            for m, (verdict, why, seconds) in zip(drawn, pool.map(one, jobs)):
                counts[verdict] += 1
                print(f'  {verdict:8s} {name}  {short(m)}  {why}  {seconds:.1f} s', flush=True)
            results[name] = counts
            said = ', '.join(f'{counts[k]} {k.lower()}' for k in KINDS if counts[k])
            print(
                f'mutate {name:16s} seed {args.seed}  {text_of(original.cfg)}  {len(drawn)} mutants: {said}  {time.monotonic() - started:.0f} s'
            )
    total: Counter[str] = sum(results.values(), Counter())
    said = ', '.join(f'{total[k]} {k.lower()}' for k in KINDS)
    print(f'mutate: {sum(total.values())} mutants of {len(args.blocks)} blocks: {said}')
    if set(results) == set(manifest.blocks()) and (args.count, args.seed, args.sizes) == (COUNT, SEED, ''):
        marked.keep('mutate', README, table(results), args.update)
    return 0 if total and set(total) <= {'REFUTED', 'EQUAL'} else 1


if __name__ == '__main__':
    sys.exit(main())
