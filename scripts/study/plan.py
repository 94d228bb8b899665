# SPDX-License-Identifier: Apache-2.0
"""The points of a study: every workload in every case, at every place of the case's sweeps."""
import hashlib
import itertools
import json
import shlex
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from scripts.study.expressions import Bad
from scripts.study.program import digest, identity


@dataclass
class Point:
    workload: str
    case: str
    values: dict  # sweep: its value here
    words: list  # the workloads of the command line
    common: list  # machine arguments of the study and the workload
    own: list  # machine arguments of the case and its sweeps
    command: list  # arguments of the program
    config: dict  # every option of the machine, resolved
    key: str  # digest of everything that determines the counters
    rtl: list  # blocks that run as RTL
    seed: int  # of the workloads' inputs
    tail: list  # the last words of the command
    over_time: list  # counters of each interval
    sets: tuple = ()  # BLOCK/SET of RTL that it loads
    twin: str = ""  # key of the same run with twins, of a point with RTL

    @property
    def place(self):
        return ", ".join(f"{s}={v.label}" for s, v in self.values.items())

    @property
    def name(self):
        return " ".join(filter(None, (self.workload, self.case, self.place)))

    def is_same_but_for_seed(self, other):
        return (self.workload, self.case, self.place) == (other.workload, other.case, other.place)

    def shell(self):
        return shlex.join(["build/memtwin-rtl" if self.rtl else "build/memtwin", *self.command])


def values_of(sweep, workload):
    """Those at which the workload runs."""
    return [v for v in sweep.values if v.label in workload.places] or sweep.values


def places(study, case, workload):
    """Every combination of values of a case's sweeps; one empty combination if it has none."""
    values = (values_of(study.sweeps[s], workload) for s in case.sweeps)
    return [dict(zip(case.sweeps, combination)) for combination in itertools.product(*values)]


def key(program, study, seed, words, config, rtl, sets):
    """Equal resolved machines share a key: a preset counts as the options it resolves to."""
    parts = [program.digest, study.command, [identity(w, program.kernels) for w in words], seed, sorted(config.items())]
    parts += [study.interval, *study.over_time()] if study.interval else []
    parts += [["energy", *map(digest, study.energies)]] if study.has_energy() else []
    parts += [sorted(rtl), program.rtl_digest(sets)] if rtl else []
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def own_change(study, workload, changes):
    """Changes of a case and its sweeps: presets, then options.  A preset may define a whole machine, so the settings of the size and the workload
    are applied again after it."""
    first = [c.index("--set") if "--set" in c else len(c) for c in changes]
    presets = [a for c, n in zip(changes, first) for a in c[:n]]
    again = [*study.change[len(study.whole) :], *workload.change] if presets else []
    return [*presets, *again, *(a for c, n in zip(changes, first) for a in c[n:])]


def points(study, program):
    """All points in the order of the file, seed by seed; raises Bad if the program refuses a machine."""
    found = [p for seed in study.seeds for p in of_seed(study, seed)]
    resolve(study, program, found)
    for p in found:
        p.config = program.machine(p.common + p.own)
        p.sets = tuple(program.machine_sets(study.command, p.words, p.common + p.own, p.rtl)) if p.rtl else ()
        p.key = key(program, study, p.seed, p.words, p.config, p.rtl, p.sets)
        p.twin = key(program, study, p.seed, p.words, p.config, [], ()) if p.rtl else ""
        if study.command == "cke" and (p.config["cke.cycles"] == "0") != study.until_end:
            raise Bad(
                f"{study.file}: {p.name}: found cke.cycles = {p.config['cke.cycles']}, expected "
                + (
                    "0 with until_end = true"
                    if study.until_end
                    else "the length of the run, as set = { cke.cycles = 2000000 }, or until_end = true"
                )
            )
    known = {p.key for p in found}
    for p in found:
        if p.twin and p.twin not in known:
            raise Bad(
                f"{study.file}: cases.{p.case}.rtl: found {', '.join(p.rtl)}, but no case without rtl that is the same machine for {p.workload}, "
                "expected one: its counters must be the same"
            )
    return found


def of_seed(study, seed):
    found = []
    for w in study.workloads.values():
        words = w.sizes.get(study.size)
        for c in (c for c in study.cases.values() if words and c.name in (w.cases or study.cases)):
            for values in places(study, c, w):
                there = [w.at[v.label] for v in values.values() if v.label in w.at]
                own = own_change(study, w, [c.change, *(v.change for v in values.values()), *there])
                common = [*study.change, *w.change]
                tail = [
                    *(["--until-end"] if study.until_end else []),
                    *(["--rtl", ",".join(c.rtl)] if c.rtl else []),
                    *(["--interval", str(study.interval)] if study.interval else []),
                    *(["--energy", *(f"--energy={path}" for path in study.energies)] if study.has_energy() else []),
                    "--seed",
                    str(seed),
                ]
                found.append(
                    Point(
                        w.name,
                        c.name,
                        values,
                        words,
                        common,
                        own,
                        [study.command, *words, *common, *own, *tail],
                        {},
                        "",
                        c.rtl,
                        seed,
                        tail,
                        study.over_time(),
                    )
                )
    return found


def resolve(study, program, points):
    """Resolves each machine once with the program."""
    machines = {}
    for p in points:
        machines.setdefault(tuple(p.common + p.own), p)
    machines = list(machines.items())
    with ThreadPoolExecutor(2) as pool:
        for (_, p), refused in zip(machines, pool.map(lambda m: refusal(program, m[0]), machines)):
            if refused:
                raise Bad(
                    f"{study.file}: cases.{p.case}{' at ' + p.place if p.place else ''} ({p.workload}): {refused}"
                )


def refusal(program, args):
    try:
        program.machine(args)
    except Bad as e:
        return str(e)
    return None
