"""The points of a study: every workload in every case, at every place of the case's sweeps."""
import hashlib
import itertools
import json
import shlex
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from study.expressions import Bad
from study.program import identity


@dataclass
class Point:
    workload: str
    case: str
    values: dict    # sweep: its value here
    command: list   # what follows the program's name
    config: dict    # every option of the machine, resolved
    key: str        # digest of all that the counters depend on

    @property
    def place(self):
        return ", ".join(f"{s}={v.label}" for s, v in self.values.items())

    @property
    def name(self):
        return " ".join(filter(None, (self.workload, self.case, self.place)))

    def shell(self, program="build/memtwin"):
        return shlex.join([program, *self.command])


def places(study, case):
    """Every combination of values of a case's sweeps; one empty combination if it has none."""
    return [dict(zip(case.sweeps, values)) for values in itertools.product(*(study.sweeps[s].values for s in case.sweeps))]


def arguments(study, workload, case, values):
    return [*study.change, *workload.change, *case.change, *(a for v in values.values() for a in v.change)]


def key(program, study, words, config):
    """Two ways to say the same run have the same key: a preset counts by what it resolves to."""
    parts = [program.digest, study.command, [identity(w, program.kernels) for w in words], study.seed, sorted(config.items())]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def points(study, program):
    """All of them in the order of the file; Bad if the program refuses a machine."""
    wanted = [(w, c, values, arguments(study, w, c, values)) for w in study.workloads.values() if study.size in w.sizes
              for c in study.cases.values() for values in places(study, c)]
    machines = list(dict.fromkeys(tuple(a) for *_, a in wanted))
    with ThreadPoolExecutor(2) as pool:
        for args, refused in zip(machines, pool.map(lambda a: refusal(program, a), machines)):
            if refused:
                w, c, values, _ = next(x for x in wanted if tuple(x[3]) == args)
                at = " ".join(f"{s}={v.label}" for s, v in values.items())
                raise Bad(f"{study.file}: cases.{c.name}{' at ' + at if at else ''} ({w.name}): {refused}")
    found = []
    for w, c, values, args in wanted:
        words = w.sizes[study.size]
        command = [study.command, *words, *args, "--seed", str(study.seed)]
        config = program.machine(args)
        found.append(Point(w.name, c.name, values, command, config, key(program, study, words, config)))
    return found


def refusal(program, args):
    try:
        program.machine(args)
    except Bad as e:
        return str(e)
    return None
