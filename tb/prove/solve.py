# SPDX-License-Identifier: Apache-2.0
"""Decides the obligations of a proof.

An obligation is a literal.  It holds if no assignment of the variables makes the literal true.  Each step gets those that the steps before have left:

1. structure: the literal is the constant false.
2. random patterns: a pattern that makes the literal true refutes the obligation.
3. SAT sweeping (ABC's &fraig): merges equivalent nodes of twin and RTL.  It is skipped for invariants, which compare no two circuits.
4. CaDiCaL: one call for all obligations of a group.  Its assignment refutes some of them; the next call leaves these out.

`engine='z3'` calls z3 in the place of steps 3 and 4, once for each obligation: an independent check.
"""
from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import z3

from tb.prove.aig import FALSE, TRUE, Aig, read_outputs

LANES = 512
AFTER_FAILURE = 20  # seconds
POSSIBLE = 10  # seconds
INVARIANT, REST, SKIP = 'invariants', 'registers and outputs', 'skipped cycles'
GROUPS = (INVARIANT, REST, SKIP)
Answer = tuple[bool | None, dict[int, int]]
SAT = {0: None, 10: True, 20: False}  # by the solver's exit status


@dataclass
class Obligation:
    """Two vectors that must be equal, or (with no vectors) a literal that must be false."""

    name: str
    c: tuple = ()
    rtl: tuple = ()
    bad: int = FALSE
    verdict: str = ''  # holds, fails, unknown
    by: str = ''  # structure, patterns, sweeping, cadical, z3
    model: dict = field(default_factory=dict)  # variable node -> 0 or 1, where it fails


def solve(
    aig: Aig,
    obligations: list[Obligation],
    engine: str,
    workdir: Path,
    limit: int,
    seed: int = 1,
    after: int = AFTER_FAILURE,
) -> None:
    """Fills in verdicts: first of the invariants, which the rest assumes.  Once something has failed, the rest is given `after` seconds,
    with 0 none: the first failures are read."""
    obligations.sort(key=lambda o: GROUPS.index(group_of(o)))
    said = Said(workdir / 'progress', obligations)
    for o in obligations:
        if o.bad == FALSE:
            o.verdict, o.by = 'holds', 'structure'
    by_patterns(aig, [o for o in obligations if not o.verdict], seed)
    end = time.monotonic() + limit
    for group in GROUPS:
        if engine == 'cadical' and group != INVARIANT and not any(o.verdict == 'fails' for o in obligations):
            said(f'sweeping the {group}')
            by_sweeping(
                aig,
                [o for o in obligations if not o.verdict and group_of(o) == group],
                workdir,
                (end - time.monotonic()) / 2,
            )
        while left := [o for o in obligations if not o.verdict and group_of(o) == group]:
            some = left if engine == 'cadical' else left[:1]
            said(f'{engine} on {some[0].name}' if len(some) == 1 else f'{engine} on {len(some)} {group}')
            if any(o.verdict == 'fails' for o in obligations):
                end = min(end, time.monotonic() + after)
            decide(aig, some, engine, workdir, end - time.monotonic())


def decide(aig: Aig, some: list[Obligation], engine: str, workdir: Path, seconds: float) -> None:
    """Whether one of these obligations fails, and which: they have most of their logic in common, and one question learns it once.  Gives at
    least one of them a verdict."""
    sat, true = ENGINES[engine](aig, aig.any_([o.bad for o in some]), workdir, seconds) if seconds > 0 else (None, {})
    fails = aig.simulate([o.bad for o in some], true) if sat else [0] * len(some)
    if sat and not any(fails):
        raise RuntimeError(f'{some[0].name}: the solver\'s counterexample is none')
    for o, failed in zip(some, fails):
        if failed or not sat:
            o.verdict = 'fails' if failed else 'unknown' if sat is None else 'holds'
            o.by, o.model = engine, true


def group_of(o: Obligation) -> str:
    if o.name.startswith('invariant'):
        return INVARIANT
    return SKIP if o.name.startswith(('skip', 'frame skip')) else REST


class Said:
    """How far a proof is, in a line of a file: for whoever waits for it."""

    def __init__(self, path: Path, obligations: list[Obligation]) -> None:
        self.path, self.obligations = path, obligations

    def __call__(self, doing: str) -> None:
        open_ = [o for o in self.obligations if not o.verdict]
        invariants = sum(group_of(o) == INVARIANT for o in open_)
        self.path.write_text(
            f'{len(self.obligations) - len(open_)} obligations done, {len(open_)} open'
            + (f', {invariants} of these invariants' if invariants else '')
            + f'; {doing}'
        )


def by_patterns(aig: Aig, rest: list[Obligation], seed: int) -> None:
    """Random patterns, some with few ones or few zeros: refutes most false claims in no time."""
    rng = random.Random(seed)
    roots = [o.bad for o in rest]
    cone = aig.cone(roots)
    inputs = [n for n in cone if n in aig.names]
    for density in (1, 0, 2, 3):
        values = {n: sparse(rng, density) for n in inputs}
        for o, v in zip(rest, aig.simulate(roots, values, LANES, cone)):
            if v and not o.verdict:
                lane = (v & -v).bit_length() - 1
                o.verdict, o.by = 'fails', 'patterns'
                o.model = {n: values[n] >> lane & 1 for n in inputs}


def sparse(rng: Random, density: int) -> int:
    bits = rng.getrandbits(LANES)
    for _ in range(2 if density == 2 else 1 if density == 3 else 0):
        bits &= rng.getrandbits(LANES)
    return bits | rng.getrandbits(LANES) if density == 0 else bits


def by_sweeping(aig: Aig, some: list[Obligation], workdir: Path, seconds: float) -> None:
    """All in one miter, so that their common part is proved once.  Those whose outputs are constant after &fraig hold."""
    if not some or seconds <= 0:
        return
    path, swept = workdir / 'miter.aig', workdir / 'swept.aig'
    swept.unlink(missing_ok=True)
    aig.write_aiger(path, [o.bad for o in some])
    try:
        subprocess.run(
            ['yosys-abc', '-c', f'&r {path}; &fraig -x; &w {swept}'], capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return
    for o, output in zip(some, read_outputs(swept, len(some)) if swept.exists() else ()):
        if output == FALSE:
            o.verdict, o.by = 'holds', 'sweeping'


def clauses_of(aig: Aig, root: int) -> tuple[list[int], dict[int, int], str]:
    """The root as clauses, three for each AND: the cone, the number of each node, the text."""
    cone = aig.cone([root])
    number = {n: i + 1 for i, n in enumerate(cone)}

    def lit(l: int) -> int:
        return -number[l >> 1] if l & 1 else number[l >> 1]

    clauses = [f'{lit(root)} 0']
    for n in cone:
        if n not in aig.names:
            y, a, b = number[n], lit(aig.left[n]), lit(aig.right[n])
            clauses += [f'{-y} {a} 0', f'{-y} {b} 0', f'{y} {-a} {-b} 0']
    return cone, number, f'p cnf {len(cone)} {len(clauses)}\n' + '\n'.join(clauses) + '\n'


def satisfiable(aig: Aig, root: int) -> bool:
    """Whether some values of the variables make a literal true, or may."""
    if root in (FALSE, TRUE):
        return root == TRUE
    s = z3.SolverFor('QF_FD')
    s.set('timeout', POSSIBLE * 1000)
    s.from_string(clauses_of(aig, root)[2])
    return s.check() != z3.unsat


def by_cadical(aig: Aig, root: int, workdir: Path, seconds: float) -> Answer:
    """Whether some values of the variables make the root true (None: unknown), and such values."""
    cone, number, text = clauses_of(aig, root)
    path = workdir / 'obligations.cnf'
    path.write_text(text)
    done = subprocess.run(
        ['cadical', '-q', '-t', str(int(seconds) + 1), path], capture_output=True, text=True, check=False
    )
    if done.returncode not in SAT:
        raise RuntimeError(
            f'cadical: found status {done.returncode}, expected 0, 10 or 20: {done.stderr.strip()[-200:]}'
        )
    true = {int(x) for line in done.stdout.splitlines() if line.startswith('v ') for x in line.split()[1:]}
    return SAT[done.returncode], values_of(aig, cone, number, true)


def by_z3(aig: Aig, root: int, workdir: Path, seconds: float) -> Answer:
    """The same by z3."""
    cone, number, text = clauses_of(aig, root)
    s = z3.SolverFor('QF_FD')
    s.set('timeout', int(seconds * 1000))
    s.from_string(text)
    r = s.check()
    if r != z3.sat:
        return False if r == z3.unsat else None, {}
    return True, values_of(aig, cone, number, {int(str(d)[2:]) for d in s.model().decls() if z3.is_true(s.model()[d])})


def values_of(aig: Aig, cone: list[int], number: dict[int, int], true: set[int]) -> dict[int, int]:
    return {n: int(number[n] in true) for n in cone if n in aig.names}


ENGINES = {'cadical': by_cadical, 'z3': by_z3}


def shrink(aig: Aig, o: Obligation, preferred: dict[int, int], together: Iterable[Any] | list[list[int]]) -> None:
    """Moves the counterexample's variables to their preferred values (node -> 0 or 1, others 0) as long as the obligation
    still fails: many at a time, one by one, and in the groups of `together` (bits of words that may have to be equal).
    """
    cone = aig.cone([o.bad])
    inputs = [n for n in cone if n in aig.names]
    model = {n: o.model.get(n, 0) for n in inputs}

    def try_change(nodes: list[int]) -> bool:
        trial = dict(model)
        for n in nodes:
            trial[n] = preferred.get(n, 0)
        if trial != model and aig.simulate([o.bad], trial, 1, cone) == [1]:
            model.update(trial)
            return True
        return False

    size = len(inputs)
    while size:
        for i in range(0, len(inputs), size):
            try_change(inputs[i : i + size])
        size //= 2
    for group in together:
        try_change([n for n in group if n in model])
    o.model = model
