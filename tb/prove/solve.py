# SPDX-License-Identifier: Apache-2.0
"""Decides obligations: structure first, then random patterns, then SAT sweeping (ABC), then z3, one by one.

An obligation holds when its literal is false for every value of the variables.  Sweeping decides most at once; z3 decides
what is left, and gives the counterexamples.  `engine='z3'` leaves sweeping out, as a second opinion.
"""
from __future__ import annotations

import random
import re
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


@dataclass
class Obligation:
    """Two vectors that must be equal, or (with no vectors) a literal that must be false."""
    name: str
    c: tuple = ()
    rtl: tuple = ()
    bad: int = FALSE
    verdict: str = ''                          # holds, fails, unknown
    by: str = ''                               # structure, patterns, sweeping, z3
    model: dict = field(default_factory=dict)  # variable node -> 0 or 1, where it fails


def solve(aig: Aig, obligations: list[Obligation], engine: str, workdir: Path, limit: int, seed: int = 1, after: int = AFTER_FAILURE) -> None:
    """Fills in verdicts: first of the invariants, which the rest assumes.  Once something has failed, the rest is given `after` seconds,
    with 0 none: the first failures are read."""
    obligations.sort(key=lambda o: group_of(o) != INVARIANT)
    said = Said(workdir / 'progress', obligations)
    for o in obligations:
        if o.bad == FALSE:
            o.verdict, o.by = 'holds', 'structure'
    rest = [o for o in obligations if not o.verdict]
    by_patterns(aig, rest, seed)
    end = time.monotonic() + limit
    for group in (INVARIANT, REST, SKIP) if engine != 'z3' else ():  # a miter each: what takes long holds up nothing else
        wanted = [o for o in rest if not o.verdict and group_of(o) == group]
        if wanted and time.monotonic() < end:
            said(f'sweeping the {group}')
            by_sweeping(aig, wanted, workdir, end - time.monotonic())
        if any(o.verdict == 'fails' or not o.verdict and group_of(o) == INVARIANT for o in obligations):
            break
    for o in obligations:
        if o.verdict:
            continue
        said(f'z3 on {o.name}')
        if any(x.verdict == 'fails' for x in obligations):
            end = min(end, time.monotonic() + after)
        if time.monotonic() >= end:
            o.verdict = 'unknown'
        else:
            by_z3(aig, o, workdir, end - time.monotonic())


def group_of(o: Obligation) -> str:
    if o.name.startswith('invariant'):
        return INVARIANT
    return SKIP if o.name.startswith(('skip', 'frame skip')) or o.name.endswith('after skip') else REST


class Said:
    """How far a proof is, in a line of a file: for whoever waits for it."""

    def __init__(self, path: Path, obligations: list[Obligation]) -> None:
        self.path, self.obligations = path, obligations

    def __call__(self, doing: str) -> None:
        open_ = [o for o in self.obligations if not o.verdict]
        invariants = sum(group_of(o) == INVARIANT for o in open_)
        self.path.write_text(f'{len(self.obligations) - len(open_)} obligations done, {len(open_)} open'
                             + (f', {invariants} of these invariants' if invariants else '') + f'; {doing}')


def by_patterns(aig: Aig, rest: list[Obligation], seed: int) -> None:
    """Random patterns, some with few ones or few zeros: refutes most of what is false in no time."""
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


def by_sweeping(aig: Aig, rest: list[Obligation], workdir: Path, limit: float) -> None:
    """All in one miter, so that what they have in common is proved once.  Those whose outputs are constant after &fraig hold; &cec decides about
    the others all at once.  (&cec takes a miter for equivalent whose first output is constant, whatever the others: it is given none.)"""
    end = time.monotonic() + limit
    path, swept = workdir / 'miter.aig', workdir / 'swept.aig'
    swept.unlink(missing_ok=True)
    aig.write_aiger(path, [o.bad for o in rest])
    abc(f'&r {path}; &fraig -x; &w {swept}', limit / 2)
    if swept.exists():
        for o, output in zip(rest, read_outputs(swept, len(rest))):
            if output == FALSE:
                o.verdict, o.by = 'holds', 'sweeping'
    left = [o for o in rest if not o.verdict]
    if left:
        aig.write_aiger(path, [o.bad for o in left])
        said = abc(f'&r {path}; &cec -m -C 100000 -T {int(end - time.monotonic()) + 1}', end - time.monotonic())
        if re.search(r'^Networks are equivalent', said, re.M):
            for o in left:
                o.verdict, o.by = 'holds', 'sweeping'


def abc(script: str, limit: float) -> str:
    try:
        return subprocess.run(['yosys-abc', '-c', script], capture_output=True, text=True, timeout=limit).stdout
    except subprocess.TimeoutExpired:
        return ''


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


def by_z3(aig: Aig, o: Obligation, workdir: Path, limit: float) -> None:
    cone, number, text = clauses_of(aig, o.bad)
    path = workdir / 'one.cnf'
    path.write_text(text)
    s = z3.SolverFor('QF_FD')
    s.set('timeout', int(limit * 1000))
    s.from_file(str(path))
    r = s.check()
    o.by = 'z3'
    if r == z3.unsat:
        o.verdict = 'holds'
    elif r == z3.sat:
        o.verdict = 'fails'
        true = {int(str(d)[2:]) for d in s.model().decls() if z3.is_true(s.model()[d])}
        o.model = {n: int(number[n] in true) for n in cone if n in aig.names}
        if aig.simulate([o.bad], o.model) != [1]:
            raise RuntimeError(f'{o.name}: the solver\'s counterexample is none')
    else:
        o.verdict = 'unknown'


def shrink(aig: Aig, o: Obligation, preferred: dict[int, int], together: Iterable[Any] | list[list[int]]) -> None:
    """Moves the counterexample's variables to their preferred values (node -> 0 or 1, others 0) as long as the obligation
    still fails: many at a time, one by one, and in the groups of `together` (bits of words that may have to be equal)."""
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
            try_change(inputs[i:i + size])
        size //= 2
    for group in together:
        try_change([n for n in group if n in model])
    o.model = model
