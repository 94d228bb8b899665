# SPDX-License-Identifier: Apache-2.0
"""Legal sizes of blocks: the rules of the manifests are those of the RTL, and each parameter elaborates, and runs, at both ends of its range.

An end is the lowest or highest value that keeps the rules while the other parameters are those of a base: the defaults, or the first set, which is
small.  The rules are compared at sizes on both sides of each rule: Icarus elaborates the MT_PARAM_CHECKs of the RTL, without the circuit.
usage: python3 -B -m cosim.sizes rules BUILD [BLOCK ...]   compares the rules
       sizes.py lint BUILD [BLOCK ...]    Verilator -Wall at the ends of the small base, and the low ends of the defaults; --deep: at all
       sizes.py scenarios BUILD [BLOCK ...]             the scenarios on the twins alone, at these ends
       sizes.py lockstep BUILD --cycles=N [BLOCK ...]   lockstep at these ends"""
import argparse
import os
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cosim import manifest, params, parts
from cosim import rules as rules_of_make
from cosim.manifest import Params

QUICK = ('small-low', 'small-high', 'default-low')
DEEP = (*QUICK, 'default-high')
NEAR = 64  # values next to a limit are tried one by one
RANDOM, LEGAL = 200, 12  # random sizes of a block, and those of them whose neighbours are tried
CHECK = re.compile(r'^.*MT_PARAM_CHECK\(.*\n', re.M)
MAKE = os.environ.get('MAKE', 'make').split()
COMPILED = 64  # lockstep leaves out high ends above it: mshr with 512 entries did not compile in 27 minutes
SKIPPED = re.compile(r'(?:: |, )(\w+) \(')  # a name in the line of skipped scenarios (run.hpp)
ILLEGAL = 'module illegal_parameter;\n  initial $display("%m");\nendmodule\n'


def candidates(low: int, high: int) -> list[int]:
    """The ends with their neighbours, and powers of two."""
    powers = {2**k + d for k in range(33) for d in (-1, 0)}
    return sorted(v for v in {*range(low, low + NEAR), *range(high - NEAR, high + 1), *powers} if low <= v <= high)


def words(size: Params) -> str:
    return ' '.join(f'{n}={v}' for n, v in size.items())


def meet(keeps: Callable[[int], bool], a: int, b: int) -> tuple[int, int]:
    """Bisects between a and b, one legal and one illegal: returns two adjacent values, one of each kind."""
    first = keeps(a)
    while abs(b - a) > 1:
        middle = (a + b) // 2
        a, b = (middle, b) if keeps(middle) == first else (a, middle)
    return a, b


class Sizes:
    """One block, its ranges and rules."""

    def __init__(self, block: str) -> None:
        self.block, self.listed, self.known = block, manifest.read(block), params.limits(block)

    def keeps(self, size: Params) -> bool:
        return params.broken(self.listed, params.whole(size, self.known)) is None

    def end(self, base: Params, name: str, end: str) -> int | None:
        """Value of a parameter at one end; None: the base has no such end."""
        _, low, high = self.known[name]
        values = candidates(low, high)[:: 1 if end == 'low' else -1]

        def keeps(value: int) -> bool:
            return self.keeps(base | {name: value})

        k = next((k for k, v in enumerate(values) if keeps(v)), None)
        if k is None:
            return None
        return values[k] if not k else meet(keeps, values[k - 1], values[k])[1]

    def ends(self, kinds: tuple[str, ...]) -> Iterator[tuple[str, str, Params]]:
        """(kind, parameter, size), without duplicates."""
        bases: dict[str, Params] = {'default': {}, 'small': next(iter(self.listed.sets.values()))}
        seen = set()
        for kind in kinds:
            base, end = kind.split('-')
            for name in self.known:
                value = self.end(bases[base], name, end)
                if value is None:
                    continue
                size = bases[base] | {name: value}
                whole = tuple(params.whole(size, self.known).items())
                if whole not in seen:
                    seen.add(whole)
                    yield kind, name, size

    def ruled(self) -> list[str]:
        """The parameters that occur in rules."""
        return [n for n in self.known if any(re.search(rf'\b{n}\b', r.text) for r in self.listed.rules)]

    def near(self, size: Params) -> Iterator[Params]:
        """Sizes that differ in one parameter and lie on both sides of a rule."""
        for name in self.ruled():

            def keeps(value: int) -> bool:
                return self.keeps(size | {name: value})

            _, low, high = self.known[name]
            values = candidates(low, high)
            for a, b in zip(values, values[1:]):
                if keeps(a) != keeps(b):
                    yield from (size | {name: v} for v in meet(keeps, a, b))

    def tried(self) -> list[Params]:
        """Sizes at which the rules are compared."""
        chance, found = random.Random(self.block), [params.whole({}, self.known)]
        for _ in range(RANDOM):
            size = dict(chance.choice([s for s in found if self.keeps(s)]))
            names = chance.choice([self.ruled() or list(size), list(size)])
            for name in chance.sample(names, chance.randint(1, min(3, len(names)))):
                default, low, high = self.known[name]
                size[name] = chance.choice(
                    [default, *(v for v in candidates(low, high) if v <= low + 8 or v >= high - 2 or not v & (v - 1))]
                )
            found.append(size)
        found += [near for size in [s for s in found if self.keeps(s)][:LEGAL] for near in self.near(size)]
        return list({tuple(s.items()): s for s in found}.values())

    def shell(self, block: str) -> str:
        """The block's module up to its last parameter check, and the parameters of its parts: enough to elaborate the checks."""
        text = Path(manifest.rtl_of(block)).read_text()
        last = [m.end() for m in CHECK.finditer(text)]
        if not last:
            raise params.ParamError(
                f'{manifest.rtl_of(block)}: found no MT_PARAM_CHECK, expected one for each rule of rtl/{block}/{block}.toml'
            )
        made = [
            re.findall(rf'^ *{manifest.module(p)} (#\((?:[^()]|\([^()]*\))*\)) *(u_\w+)', text, re.M)[0]
            for p in parts.of(block)
        ]
        return (
            text[: last[-1]]
            + ''.join(f'  {manifest.module(p)} {m[0]} {m[1]} ();\n' for p, m in zip(parts.of(block), made))
            + 'endmodule\n'
        )

    def refused(self, sizes: list[Params], out: Path) -> dict[int, list[str]]:
        """number of a size -> the RTL checks that refuse it."""
        module = manifest.module(self.block)
        instances = ''.join(
            f'  {module} #({", ".join(f".{n}({v})" for n, v in size.items())}) i{k} ();\n'
            for k, size in enumerate(sizes)
        )
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(
            '\n'.join(map(self.shell, (self.block, *parts.of(self.block))))
            + f'module top;\n{instances}endmodule\n{ILLEGAL}'
        )
        subprocess.run(['iverilog', '-g2012', '-Irtl/lib', '-s', 'top', '-o', f'{out}.vvp', str(out)], check=True)
        said = subprocess.run(['vvp', '-n', f'{out}.vvp'], capture_output=True, text=True, check=True).stdout
        found: dict[int, list[str]] = {}
        for k, check in re.findall(r'^top\.i(\d+)\.(.*)\.u_illegal$', said, re.M):
            found.setdefault(int(k), []).append(check)
        return found

    def disagreements(self, out: Path) -> tuple[int, list[str]]:
        """Report lines, at most one per check or rule."""
        sizes, alone = self.tried(), set()
        said: dict[str, str] = {}
        refused = self.refused(sizes, out)
        for k, size in enumerate(sizes):
            broken = [r for r in self.listed.rules if not params.evaluate(r.tree, size)]
            if len(broken) == 1:
                alone.add(broken[0].text)
            if bool(broken) != (k in refused):
                at = words(size)
                if broken:
                    said.setdefault(
                        broken[0].text,
                        f'{broken[0].where}: the RTL takes {at}, expected an MT_PARAM_CHECK of {broken[0].text}',
                    )
                else:
                    said.setdefault(
                        refused[k][0],
                        f'{self.listed.where("rules")}: {refused[k][0]} of {manifest.rtl_of(self.block)} refuses {at}, expected a rule that says so',
                    )
        for r in self.listed.rules:
            if r.text not in alone:
                said.setdefault(
                    r.text, f'{r.where}: no size breaks this rule alone, expected no rule that follows from others'
                )
        return len(sizes), list(said.values())

    def make(self, target: str, size: Params) -> str:
        return f'make {target} BLOCK={self.block} PARAMS="{words(size)}"'

    def lint(self, size: Params) -> str:
        """Verilator's messages for the RTL at this size; empty: clean."""
        done = run(
            'verilator',
            '--lint-only',
            '-Wall',
            *params.UNROLL,
            *(f'-I{folder}' for folder in rules_of_make.folders(self.block)),
            '--top-module',
            manifest.module(self.block),
            *(f'-G{n}={v}' for n, v in size.items()),
            manifest.rtl_of(self.block),
        )
        return (
            f'{self.make("lint-rtl", size)}: {(done.stderr.splitlines() or [f"status {done.returncode}"])[0]}'
            if done.returncode
            else ''
        )

    def scenarios(self, size: Params, build: Path, skipped: list[str]) -> str:
        """Failures of the scenarios on the twin alone.  `skipped` gets the names of scenarios that need other sizes."""
        file = build / 'sizes' / self.block / params.custom(size)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(words(size) + '\n')
        done = run(str(build / 'cosim' / self.block / 'twin'), '--set', str(file))
        skipped.extend(SKIPPED.findall(done.stdout.partition('  skipped ')[2]))
        return f'{self.make("scenarios", size)}\n{done.stdout}{done.stderr}' if done.returncode else ''

    def lockstep(self, size: Params, cycles: str) -> str:
        """Failures in lockstep.  A failure report names the command that writes a wave of it."""
        done = run(*MAKE, 'cosim', f'BLOCK={self.block}', f'PARAMS={words(size)}', f'CYCLES={cycles}', 'WAVES=0')
        return f'{self.make("cosim", size)}\n{done.stdout}{done.stderr}' if done.returncode else ''


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True)


def rules(sizes: Sizes, options: argparse.Namespace) -> tuple[str, list[str]]:
    """A summary, and one line per mismatch."""
    tried, wrong = sizes.disagreements(options.build / 'sizes' / f'{sizes.block}.sv')
    return f'{len(sizes.listed.rules)} rules as in the RTL, at {tried} sizes', wrong


def at_ends(sizes: Sizes, ends: list[tuple[str, str, Params]], what: Callable[[Params], str]) -> tuple[str, list[str]]:
    """The number of ends, and for each failing end its name and the report of check(size)."""
    with ThreadPoolExecutor(int(os.environ.get('JOBS', '2'))) as pool:
        said = list(pool.map(what, (size for _, _, size in ends)))
    return f'{len(sizes.known)} parameters, {len(ends)} ends', [
        f'{kind.replace("-", " ")} end of {name}: {text}' for (kind, name, _), text in zip(ends, said) if text
    ]


def lint(sizes: Sizes, options: argparse.Namespace) -> tuple[str, list[str]]:
    right, wrong = at_ends(sizes, list(sizes.ends(DEEP if options.deep else QUICK)), sizes.lint)
    return f'{right} clean', wrong


def scenarios(sizes: Sizes, options: argparse.Namespace) -> tuple[str, list[str]]:
    skipped: list[str] = []
    right, wrong = at_ends(sizes, list(sizes.ends(QUICK)), lambda size: sizes.scenarios(size, options.build, skipped))
    left_out = ', '.join(f'{name} at {count}' for name, count in Counter(skipped).items())
    return f'{right}: their scenarios hold' + (f'; skipped: {left_out}' if left_out else ''), wrong


def lockstep(sizes: Sizes, options: argparse.Namespace) -> tuple[str, list[str]]:
    ends = list(sizes.ends(QUICK))
    small = [(kind, name, size) for kind, name, size in ends if kind.endswith('low') or size[name] <= COMPILED]
    large = ' '.join(f'{name}={size[name]}' for kind, name, size in ends if (kind, name, size) not in small)
    right, wrong = at_ends(sizes, small, lambda size: sizes.lockstep(size, options.cycles))
    return f'{right} in lockstep' + (f'; left out, too large to compile: {large}' if large else ''), wrong


def asked() -> argparse.Namespace:
    read = argparse.ArgumentParser()
    read.add_argument('what', choices=('rules', 'lint', 'scenarios', 'lockstep'))
    read.add_argument('build', type=Path)
    read.add_argument('blocks', nargs='*')
    read.add_argument('--deep', action='store_true')
    read.add_argument('--cycles')
    return read.parse_intermixed_args()


def main() -> int:
    options, failed = asked(), 0
    blocks = options.blocks or manifest.blocks()
    for block in blocks:
        try:
            right, wrong = {'rules': rules, 'lint': lint, 'scenarios': scenarios, 'lockstep': lockstep}[options.what](
                Sizes(block), options
            )
        except params.ParamError as e:
            right, wrong = '', [str(e)]
        failed += bool(wrong)
        print(
            '\n'.join(f'FAIL sizes {block}  {line}' for line in wrong) or f'PASS sizes {block:18} {right}', flush=True
        )
    print(f'sizes: {len(blocks) - failed} of {len(blocks)} blocks passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
