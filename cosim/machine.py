# SPDX-License-Identifier: Apache-2.0
"""Blocks in the machine, as their manifests say: [machine] and [captures].
usage: python3 -B -m cosim.machine machine BUILD BLOCK ...             twin and RTL, skipping idle cycles and ticking each: all counters are equal
       machine.py rtl BUILD BLOCK ...                 the RTL for that: of the blocks, and of those in a plan with them
       machine.py captured BUILD WORKLOAD BLOCK ...   traffic of a run of the machine, replayed in lockstep"""
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cosim import manifest

MAKE = os.environ.get('MAKE', 'make').split()


def run(*command: str) -> str:
    """Returns the output; on a failure this program prints it and exits."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'{done.stdout}{done.stderr}FAIL machine  {" ".join(command)}')
    return done.stdout


def cases(listed: list[str]) -> Iterator[tuple[str, str]]:
    """A case is name:key=value,...; a case without a name is named by its text."""
    for text in listed:
        yield '--case', text if re.match(r'[\w-]+:', text) else f'{text.replace(",", "-")}:{text}'


def variants(plan: dict[str, Any], blocks: list[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Name, program and options of each run that is compared with the first."""
    ticked, rtl = ['-s', 'sim.skip=false'], ['--rtl', ','.join(blocks)]
    yield 'twin-ticked', 'memtwin', ticked
    yield 'rtl', 'memtwin-rtl', rtl
    if plan.get('ticked', True):
        yield 'rtl-ticked', 'memtwin-rtl', [*rtl, *ticked]


def same_counters(build: Path, block: str, plan: dict[str, Any]) -> None:
    """Runs of the block, each with twins and with RTL: all counters are equal."""
    blocks, out = [block, *plan.get('with', [])], build / 'machine' / block
    out.mkdir(parents=True, exist_ok=True)
    options = ['-q', *plan.get('options', '').split(), *(w for case in cases(plan.get('cases', [])) for w in case)]
    for work in plan['workloads']:

        def result(name: str, program: str, more: list[str]) -> None:
            run(
                str(build / program),
                plan.get('command', 'run'),
                *work.split(),
                *options,
                *more,
                '--json',
                str(out / f'{name}.json'),
            )

        result('twin', 'memtwin', [])
        for name, program, more in variants(plan, blocks):
            result(name, program, more)
            run(
                str(build / 'memtwin'),
                'compare',
                str(out / 'twin.json'),
                str(out / f'{name}.json'),
                *(['--rtl', ','.join(blocks)] if program == 'memtwin-rtl' else []),
            )
        print(
            f'machine {" ".join(blocks)}: {max(1, len(plan.get("cases", [])))} machines, {work}: twins and RTL, skipping and not: equal counters',
            flush=True,
        )


def replayed(build: Path, block: str, name: str, command: str, options: list[str], work: list[str], unit: str) -> None:
    """Replays the traffic of a unit in lockstep."""
    vec = build / 'cosim/captured' / f'{block}-{name}-{unit}.vec'
    vec.parent.mkdir(parents=True, exist_ok=True)
    run(str(build / 'memtwin'), command, '-q', *work, *options, '--capture', f'{unit}={vec}')
    if subprocess.run([*MAKE, 'cosim', f'BLOCK={block}', f'SET={name}', f'VEC={vec}']).returncode:
        sys.exit(f'FAIL machine {block}/{name}: what {unit} sees')


def plans_of(blocks: list[str]) -> list[str]:
    """The blocks whose manifests have the plans of these."""
    plans = {b: manifest.read(b).machine for b in blocks}
    return list(dict.fromkeys(p.get('in', b) for b, p in plans.items() if p.get('sets') or p.get('in')))


def build_rtl(build: Path, blocks: list[str]) -> None:
    used = [b for block in plans_of(blocks) for b in (block, *manifest.read(block).machine.get('with', []))]
    sets = {f'{build}/rtl/{b}/{name}.so' for b in used for name in manifest.read(b).machine.get('sets', [])}
    if sets and subprocess.run([*MAKE, '-s', *sorted(sets)]).returncode:
        sys.exit(f'FAIL machine {" ".join(blocks)}: the RTL does not build')


def machine(build: Path, blocks: list[str]) -> None:
    build_rtl(build, blocks)
    for block in plans_of(blocks):
        plan = manifest.read(block).machine
        same_counters(build, block, plan)
        for text in plan.get('replay', []):
            place, unit, *more = text.split()
            block, name = place.split('/')
            replayed(
                build,
                block,
                name,
                plan.get('command', 'run'),
                [*plan.get('options', '').split(), *more],
                plan['workloads'][0].split(),
                unit,
            )


def captured(build: Path, work: str, blocks: list[str]) -> None:
    for block in blocks:
        for name, (unit, *options) in manifest.read(block).captures.items():
            replayed(build, block, name, 'run', options, [work], unit)


def main() -> None:
    what, build, *rest = sys.argv[1:]
    try:
        if what == 'captured':
            captured(Path(build), rest[0], rest[1:])
        else:
            {'machine': machine, 'rtl': build_rtl}[what](Path(build), rest)
    except manifest.ParamError as e:
        sys.exit(f'machine: {e}')


if __name__ == '__main__':
    main()
