# SPDX-License-Identifier: Apache-2.0
"""make coverage: lines, branches and toggles of a block's RTL, and the functional points of its bench, merged over parameter sets and seeds.

A line or branch is covered if a run executes it, a bit if it goes both ways in one run.  Lines and branches are those of the source, toggles
those of each instance.  Modules of other blocks, of which an assembly is made, count with their block.

With RTL= the modules are those of a user's design, and coverage.toml stands in its folder.

Not reachable are: bits that Yosys finds constant or never written in every set that has them, and the entries of coverage.toml (reach.py).  An entry that a run
covers is an error, and one that names nothing is, too."""
from __future__ import annotations

import argparse
import fnmatch
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from cosim import manifest, params, parts
from cosim.conditions import BRANCH, HIDDEN, SIGNAL, blanked, branches, each_cycle, line_of
from cosim.folder import write
from cosim.manifest import Manifest, ParamError
from cosim.own_rtl import Design, OwnRtl
from cosim.reach import KINDS, Entry, Reach, each_number
from tb.prove.rtl import RtlError, pick_sources, yosys

LIMITS = {'lines': 98, 'branches': 95, 'toggles': 90}  # per cent of what can be reached
BOTH_WAYS = 2  # changes of a bit
SHOWN = 20
TABLE = 'cosim/README.md'
HEAD = (
    '| block | sets | lines | branches | toggles | points | constant bits | listed |\n'
    '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n'
)
BUILT = 'built in a set'  # a branch of a generate `if`
BRANCHES = ('if', 'else', 'elsif', 'case')  # Verilator's words


@dataclass(frozen=True)
class Run:
    block: str
    set: str
    seed: int
    build: Path
    own: str = ''  # the end of the set's name, with a user's RTL

    def folder(self) -> Path:
        return folder_of(self.build, self.block, self.own)

    def data(self) -> Path:
        return self.folder() / f'{self.set}-{self.seed}.dat'

    def rtl(self) -> Path:
        """Without its ending."""
        return self.build / f'rtl/{self.block}/{self.set}{self.own}.cover'

    def command(self, cycles: int) -> list[str]:
        golden = [w for f in sorted(Path(f'tests/golden/{self.block}').glob('*.vec')) for w in ('--golden', str(f))]
        return [
            f'{self.build}/cosim/{self.block}/lockstep',
            *('--rtl', f'{self.rtl()}.so', '--seed', str(self.seed), '--cycles', str(cycles)),
            *('--coverage', str(self.data()), *golden),
        ]

    def run(self, cycles: int) -> str:
        """Its report if it fails."""
        self.data().parent.mkdir(parents=True, exist_ok=True)
        self.data().unlink(missing_ok=True)
        done = subprocess.run(self.command(cycles), capture_output=True, text=True, errors='replace')
        return '' if done.returncode == 0 and self.data().exists() else done.stdout + done.stderr


def folder_of(build: Path, block: str, own: str) -> Path:
    return build / f'coverage/{block}{"_own" if own else ""}'


@dataclass
class Point:
    """A point of Verilator's file, in the words of the source."""

    kind: str
    file: str
    line: int
    name: str
    hits: int
    lines: tuple[int, ...] = ()


class Sources:
    """The RTL of a build with coverage: which lines of the copies stand where in the tree.  A user's modules are all that the design has."""

    def __init__(self, run: Run) -> None:
        self.copy = f'{run.rtl()}/'
        self.conditions = json.loads(Path(f'{self.copy}rtl/conditions.json').read_text())
        self.mine = tuple(self.conditions) if run.own else (f'rtl/{run.block}/', 'rtl/lib/')

    def points(self, data: Path) -> Iterator[Point]:
        for text in data.read_text().splitlines():
            found = re.fullmatch(r"C '(.*)' (\d+)", text)
            if found:
                of = dict(word.split('\2', 1) for word in found[1].split('\1')[1:])
                file = of['f'].removeprefix(self.copy)
                if of['page'].startswith('v_user'):
                    yield Point('points', file, 0, of['o'], int(found[2]))
                elif file.startswith(self.mine):
                    yield from self.point(file, of, int(found[2]))

    def point(self, file: str, of: dict[str, str], hits: int) -> Iterator[Point]:
        line = int(of['l'])
        kind, what = of['page'].split('/')[0].removeprefix('v_'), of['o']
        condition = self.conditions.get(file, {}).get(of['l'])
        if kind == 'toggle':
            branch = re.search(rf'\.{BRANCH}_(\d+)$', of['h'])
            if branch:
                yield Point('branches', file, int(branch[1]), BUILT, 1)
            else:
                yield Point('toggles', file, *bit_of(of['h'], line, what), hits)
        elif condition:
            if what in BRANCHES:
                at, text = condition
                yield Point('branches', file, at, f'{text} is {"true" if what == "if" else "false"}', hits)
        elif '`MT_ASSERT' not in source(file)[line - 1] and line not in elaboration(file):
            if what == 'block' and 'always_comb' in source(file)[line - 1]:
                hits = 1  # evaluated with every change of its inputs; Verilator counts the first time alone
            yield Point('lines', file, line, what, hits, tuple(numbers(of.get('S', ''))))
            if what in BRANCHES:
                yield Point('branches', file, line, f'{what} at column {of["n"]}', hits)


def bit_of(instance: str, line: int, name: str) -> tuple[int, str]:
    """Line and name of a bit, without TOP and the module; of a signal of a generate block, its own instead of the port's."""
    whole = '.'.join([*instance.split('.', 2)[2:], name])
    signal = re.fullmatch(rf'(.*\.){SIGNAL}_(\d+)_(\w+)\.unused(.*)', whole)
    return (int(signal[2]), f'{signal[1]}{signal[3]}{signal[4]}') if signal else (line, whole)


SOURCE: dict[str, list[str]] = {}


def source(file: str) -> list[str]:
    if file not in SOURCE:
        SOURCE[file] = Path(file).read_text(errors='replace').splitlines()
    return SOURCE[file]


@cache
def elaboration(file: str) -> frozenset[int]:
    """The lines of functions that constants alone call: no cycle executes them."""
    code = blanked('\n'.join(source(file)), HIDDEN)
    called = each_cycle(code)
    functions = {m[1]: m for m in re.finditer(r'\bfunction\b[^;(]*?(\w+)\s*[;(].*?\bendfunction\b', code, re.S)}
    while live := [f for f in functions if re.search(rf'\b{f}\b', called)]:
        called = ' '.join([called, *(functions.pop(f)[0] for f in live)])
    return frozenset(k for m in functions.values() for k in range(line_of(code, m.start()), line_of(code, m.end()) + 1))


def numbers(text: str) -> Iterator[int]:
    """ "3-5,9" """
    for word in filter(None, text.split(',')):
        first, _, last = word.partition('-')
        yield from range(int(first), int(last or first) + 1)


Key = tuple[str, int, str]  # file, line, name


@dataclass
class Coverage:
    """Of a block, merged: kind -> point -> hits; for toggles, the sets that have it."""

    hits: dict[str, dict[Key, int]] = field(default_factory=lambda: {k: {} for k in (*KINDS, 'points')})
    sets: dict[Key, set[str]] = field(default_factory=dict)
    still: dict[str, dict[str, bool]] = field(default_factory=dict)  # set -> input -> no bit of it has gone both ways

    def add(self, name: str, point: Point) -> None:
        if point.kind == 'lines':
            for line in point.lines:
                self.count('lines', (point.file, line, ''), point.hits)
            return
        key = (point.file, point.line, point.name)
        self.count(point.kind, key, point.hits)
        if point.kind == 'toggles':
            self.sets.setdefault(key, set()).add(name)
            port = re.fullmatch(r'(\w+_n?i)(\[.*)?', point.name)  # of the top module
            if port:
                inputs = self.still.setdefault(name, {})
                inputs[port[1]] = inputs.get(port[1], True) and point.hits < BOTH_WAYS

    def count(self, kind: str, key: Key, hits: int) -> None:
        self.hits[kind][key] = max(hits, self.hits[kind].get(key, 0))

    def covered(self, kind: str, key: Key) -> bool:
        return self.hits[kind][key] >= (BOTH_WAYS if kind == 'toggles' else 1)

    def missing(self, kind: str) -> list[Key]:
        return sorted(k for k in self.hits[kind] if not self.covered(kind, k))


def constants(coverage: Coverage, m: Manifest, chosen: dict[str, params.Params], own: OwnRtl | None = None) -> set[Key]:
    """The bits that have not toggled because they are constant, in every set that has them.  Small sets come first: a bit that is not constant
    there need not be looked for in others."""
    found = set(coverage.missing('toggles'))
    size = {name: sum(name in of for of in coverage.sets.values()) for name in chosen}
    for name in sorted(chosen, key=lambda n: size[n]):
        here = {k for k in found if name in coverage.sets[k]}
        nets = elaborated(m.name, chosen[name], own) if here else {}
        found -= {k for k in here if not constant(nets, k[2])}
    return found


Nets = dict[
    str, dict[int, int | str]
]  # name -> index of a bit -> number of its net, or "0", "1", or "x" if nothing writes it


def elaborated(block: str, chosen: params.Params, own: OwnRtl | None = None) -> Nets:
    """The nets of the flat design with constants propagated.  A vector with ascending indices has none here.  Names are Verilator's: Yosys has
    one more level, genblkN, for the `if` of each `else if`."""
    sources, include, libs = pick_sources(Path('rtl'), block, parts.of(block))
    top = manifest.module(block)
    if own:
        macros = [Path(f'-D{m}') for m in own.macros]
        sources, include, libs, top = [*macros, *own.files], own.include, own.libraries, own.module
    with tempfile.NamedTemporaryFile(suffix='.json') as file:
        how = f'setattr -set keep 1 w:*; opt -fast -full; simplemap; opt -fast -full; write_json {file.name}'
        yosys(top, sources, include, libs, chosen, how)
        nets = json.load(file)['modules'][top]['netnames']
    return {
        re.sub(r'\bgenblk\d+\.', '', n): dict(enumerate(x['bits'], x.get('offset', 0)))
        for n, x in nets.items()
        if not x.get('hide_name') and not x.get('upto')
    }


def constant(nets: Nets, name: str) -> bool:
    """`name`: instance.signal, of an array with the element, of a vector with the bit."""
    base, _, bit = name.removesuffix(']').rpartition('[')
    whole = list(nets.get(name, {}).values())
    value = whole[0] if len(whole) == 1 else nets.get(base, {}).get(int(bit)) if bit.isdigit() else None
    return isinstance(value, str)


def matches(entry: Entry, kind: str, key: Key) -> bool:
    file, line, name = key
    if kind == 'toggles':
        patterns = [bit.replace('[', '[[]') for bit in each_number(entry.text)]
        return any(fnmatch.fnmatchcase(name, p) or fnmatch.fnmatchcase(name, f'{p}[[]*') for p in patterns)
    of, _, text = entry.text.partition(': ')
    return Path(file).name == of and (text in source(file)[line - 1] or text == name)


class Report:
    """The text about a block, or about a user's RTL in its place, with the parameters that its module has in each set."""

    def __init__(
        self,
        m: Manifest,
        coverage: Coverage,
        args: argparse.Namespace,
        own: OwnRtl | None = None,
        values: dict[str, params.Params] | None = None,
    ) -> None:
        self.m, self.coverage, self.args, self.own = m, coverage, args, own
        self.listed = Reach(m, own=folder_of_user(own)).listed
        self.chosen = values or dict(m.sets)
        if args.params and not own:
            self.chosen |= {name: chosen for _, name, chosen in [params.set_of(m.name, args.params)]}
        self.constant = self.constants()
        self.errors: list[str] = []
        self.left: list[str] = []
        self.numbers: dict[str, tuple[int, int, int]] = {}  # covered, reachable, listed as not
        if not args.some:
            self.modules()
        for kind in KINDS:
            self.count(kind)
        self.inputs()

    def constants(self) -> set[Key]:
        """None of a user's RTL that Yosys does not read."""
        try:
            return constants(self.coverage, self.m, self.chosen, self.own)
        except RtlError as e:
            if not self.own:
                raise
            print(
                f'note   {self.own.shown()}: constant bits count as reachable, Yosys does not read it: {str(e).splitlines()[-1]}'
            )
            return set()

    def modules(self) -> None:
        """The lines that the sets leave out: Verilator's files do not mention it.  A user's files may be packages, or for other designs."""
        seen = {file for kind in KINDS for file, _, _ in self.coverage.hits[kind]}
        files = [Path(file) for file in seen] if self.own else [*Path(f'rtl/{self.m.name}').glob('*.sv')]
        for path in sorted(files):
            if path.stem.endswith('_formal'):
                continue
            for line in branches('\n'.join(source(str(path)))):
                self.coverage.count('branches', (str(path), line, BUILT), 0)
            if str(path) not in seen:
                self.errors.append(f'{path}: in none of the sets')

    def count(self, kind: str) -> None:
        apart = set(self.constant) if kind == 'toggles' else set()
        for key in self.coverage.hits[kind]:
            apart |= {key for e in self.listed[kind] if matches(e, kind, key) and not self.coverage.covered(kind, key)}
        for e in self.listed[kind]:
            self.stale(kind, e)
        left = [k for k in self.coverage.missing(kind) if k not in apart]
        reachable = len(self.coverage.hits[kind]) - len(apart)
        self.numbers[kind] = (reachable - len(left), reachable, len(apart))
        self.left += [f'{kind}  {shown(kind, k)}' for k in left]
        if 100 * (reachable - len(left)) < LIMITS[kind] * reachable:
            self.errors.append(f'{kind}: found {percent(reachable - len(left), reachable)}, expected {LIMITS[kind]} %')

    def stale(self, kind: str, entry: Entry) -> None:
        """An entry of several points may have covered ones, except a toggle's: it is of one signal."""
        named = [k for k in self.coverage.hits[kind] if matches(entry, kind, k)]
        covered = [k for k in named if self.coverage.covered(kind, k)]
        if covered and (kind == 'toggles' or len(covered) == len(named)):
            self.errors.append(f'{entry.where}: covered, {shown(kind, covered[0])}: expected what no run reaches')
        elif not named and not self.args.some:
            self.errors.append(f'{entry.where}: names no point of the coverage')

    def inputs(self) -> None:
        """An input that a stimulus never drives is not tested in that set, whatever other sets do."""
        for name, ports in self.coverage.still.items():
            inside = set() if not self.own else ports.keys() - Design(self.own, self.chosen[name]).ports().keys()
            for port in [p for p, still in ports.items() if still and p not in inside]:
                if not any(matches(e, 'toggles', ('', 0, port)) for e in self.listed['toggles']):
                    self.errors.append(f'{port}: never driven in set {name}')

    def line(self) -> str:
        said = '  '.join(f'{k} {n} of {of} ({percent(n, of)})' for k, (n, of, _) in self.numbers.items())
        points = self.coverage.hits['points']
        reached = sum(hits > 0 for hits in points.values())
        listed = sum(n for _, _, n in self.numbers.values())
        return (
            f'{"FAIL" if self.errors else "PASS"} coverage {self.m.name:16s}  {said}  points {reached} of {len(points)}'
            f'  not reachable: {len(self.constant)} constant bits, {listed - len(self.constant)} listed'
            f'{f"  {self.own.shown()}" if self.own else ""}'
        )

    def print(self) -> None:
        print(self.line())
        for e in self.errors:
            print(f'  {e}')
        for text in self.left[:SHOWN]:
            print(f'  not covered: {text}')
        folder = folder_of(self.args.build, self.m.name, 'own' if self.own else '')
        if len(self.left) > SHOWN:
            print(f'  and {len(self.left) - SHOWN} more: {folder}/missing.txt')
        sys.stdout.flush()

    def write(self) -> None:
        """missing.txt, and each source with the hits of its lines and their missing points."""
        folder = folder_of(self.args.build, self.m.name, 'own' if self.own else '')
        constant_bits = [f'constant  {shown("toggles", k)}' for k in sorted(self.constant)]
        write(f'{folder}/missing.txt', ''.join(f'{text}\n' for text in [*self.left, *constant_bits]))
        files = {file for kind in KINDS for file, _, _ in self.coverage.hits[kind]}
        for file in sorted(files):
            write(f'{folder}/{Path(file).name}.txt', ''.join(self.annotated(file)))

    def annotated(self, file: str) -> Iterator[str]:
        said: dict[int, list[str]] = {}
        for kind in ('branches', 'toggles'):
            for f, line, name in self.coverage.missing(kind):
                if f == file and (f, line, name) not in self.constant:
                    said.setdefault(line, []).append(f'{kind}: {name}')
        for k, text in enumerate(source(file), 1):
            hits = self.coverage.hits['lines'].get((file, k, ''))
            mark = '!' if hits == 0 else '~' if k in said else ' '
            yield f'{mark}{"" if hits is None else hits:>11} {text}\n'
            for words in said.get(k, []):
                yield f'{"":12}// not covered: {words}\n'

    def row(self) -> str:
        """Of the table."""
        sets = dict.fromkeys(s.split('/')[1] for s in self.args.sets if s.startswith(f'{self.m.name}/'))
        listed = sum(n for _, _, n in self.numbers.values()) - len(self.constant)
        points = self.coverage.hits['points']
        cells = [
            f'[{self.m.name}](../rtl/{self.m.name}/README.md)',
            ', '.join(sets),
            *(f'{n:,} of {of:,}' + (f' ({percent(n, of)})' if n < of else '') for n, of, _ in self.numbers.values()),
            f'{sum(hits > 0 for hits in points.values())} of {len(points)}',
            f'{len(self.constant):,}',
            f'{listed:,}',
        ]
        return f'| {" | ".join(cells)} |\n'


def keep(rows: list[str]) -> None:
    """Writes these rows of the table; those of other blocks stay."""
    begin, end = '<!-- coverage -->\n', '<!-- /coverage -->'
    before, _, rest = Path(TABLE).read_text().partition(begin)
    old, _, after = rest.partition(end)
    kept = {line.split('|')[1]: line + '\n' for line in old.splitlines() if line.startswith('| [')}
    kept |= {row.split('|')[1]: row for row in rows}
    write(TABLE, f'{before}{begin}{HEAD}{"".join(kept[name] for name in sorted(kept))}{end}{after}')


def shown(kind: str, key: Key) -> str:
    file, line, name = key
    text = source(file)[line - 1].strip()
    return f'{file}:{line}: ' + {'lines': text, 'branches': f'{name}, of {text}'}.get(kind, name)


def percent(part: int, whole: int) -> str:
    """Rounded down: 100 % is all."""
    return f'{1000 * part // whole / 10 if whole else 100:.1f} %'


def folder_of_user(own: OwnRtl | None) -> Path | None:
    """Where a user's coverage.toml stands."""
    given = Path(own.given) if own else None
    return given if given is None or given.is_dir() else given.parent


def merged(runs: Iterable[Run]) -> Coverage:
    coverage = Coverage()
    for r in runs:
        for point in Sources(r).points(r.data()):
            coverage.add(r.set, point)
    return coverage


def values_of(run: Run) -> params.Params:
    """The parameters that a user's module has."""
    words = re.findall(r'^-G(\w+)=(\d+)$', (run.rtl() / 'own.f').read_text(), re.M)
    return {name: int(value) for name, value in words}


def of_block(m: Manifest, runs: list[Run], args: argparse.Namespace, own: OwnRtl | None = None) -> Report | None:
    """None: a run failed."""
    with ThreadPoolExecutor(args.jobs) as pool:
        said = [text for text in pool.map(lambda r: r.run(args.cycles), runs) if text]
    if said:
        print(f'FAIL coverage {m.name}  a run fails')
        print(''.join(f'  {line}\n' for text in said for line in text.splitlines()), end='', flush=True)
        return None
    report = Report(m, merged(runs), args, own, {r.set: values_of(r) for r in runs} if own else None)
    report.print()
    report.write()
    return report


def main() -> int:
    a = argparse.ArgumentParser(description=(__doc__ or '').split('\n')[0])
    a.add_argument('sets', nargs='*', help='block/set')
    a.add_argument('--build', type=Path, required=True)
    a.add_argument('--jobs', type=int, default=1)
    a.add_argument('--seed', type=int, default=1)
    a.add_argument('--seeds', type=int, default=1)
    a.add_argument('--cycles', type=int, default=200000)
    a.add_argument('--params', default='')
    a.add_argument('--rtl', default='', help='a user\'s, with --top and --state as it was built')
    a.add_argument('--top', default='')
    a.add_argument('--state', default='')
    a.add_argument('--update', action='store_true', help=f'write the rows of {TABLE}')
    a.add_argument('--some', action='store_true', help='sets of the caller: entries of coverage.toml may name nothing')
    args = a.parse_args()
    blocks = list(dict.fromkeys(s.split('/')[0] for s in args.sets))
    passed, rows = 0, []
    try:
        for block in blocks:
            own = OwnRtl(args.rtl, args.top, block) if args.rtl else None
            end = f'_rtl_{own.digest(args.state)}' if own else ''
            names = [s.split('/')[1].removesuffix(end) for s in args.sets if s.startswith(f'{block}/')]
            runs = [Run(block, n, args.seed + k, args.build, end) for n in names for k in range(args.seeds)]
            report = of_block(manifest.read(block), runs, args, own)
            if report and not report.errors:
                passed += 1
                rows.append(report.row())
        if args.update:
            keep(rows)
    except (ParamError, RtlError) as e:
        print(f'coverage: {e}', file=sys.stderr)
        return 1
    print(f'coverage: {passed} passed, {len(blocks) - passed} failed')
    return 0 if blocks and passed == len(blocks) else 1


if __name__ == '__main__':
    sys.exit(main())
