# SPDX-License-Identifier: Apache-2.0
"""Tries configurations with small workloads: every option at both ends of its range, on the presets in turn, then random
combinations; a third of these are two to four policies on kernels that thrash.  A trial passes if the program refuses it in one line that names an option, or if it runs to its end, and
- gives the same counters with every cycle ticked (sim.skip=false),
- gives the same counters with one of its blocks as RTL, where a set of RTL has these parameters.
An abort, a deadlock, a broken law, a wrong result or a run without end is a failure.  The trials follow from the seed.
usage: python3 -B -m tests.fuzz.config_fuzz [--seed N] [--runs RANDOM_TRIALS] [--keys REGEX] [--every] [--only TRIAL] [--jobs N] [--blocks "BLOCK ..."] MEMTWIN [MEMTWIN_RTL]"""
import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

WORKLOADS = (
    'vecadd:n=4096',
    'spmv:rows=256,columns=256,mean=4',
    'bfs:n=128,degree=4',
    'histogram:n=4096,counters=global,blocks=8',
    'transpose:width=64,height=64,variant=tiled',
    'atax:rows=64,columns=64',
    'pathfinder:columns=512,rows=8',
    'ra:bits=12,threads=512,updates=4',
)
MANAGED = (
    'vecadd:n=60000',
    'atax:rows=128,columns=512',
    'ra:bits=16,threads=512,updates=2',
)  # some hundred KiB of pages
CONSTANTS = ('mriq:samples=40,voxels=900,constants=1', 'mriq:samples=9,voxels=3000,constants=1')  # for constant.*
# Policies, with periods that end within a short run, on kernels whose lines do not fit a small L1D: caches close, allocations
# and limits change while misses are in flight.
THRASHING = (
    'kmeans:n=4096,dimensions=34,iterations=1',
    'spmv:rows=4096,columns=4096',
    'bfs:n=1024',
    'atax:rows=512,columns=128',
)
POLICIES = (
    'l1d.replacement',
    'l1d.alloc',
    'l1d.mshr.kind',
    'l1d.input',
    'l1d.bypass.mode',
    'l1d.bypass.on_stall',
    'l1d.bypass.path',
    'l1d.stream.tags',
    'l1d.write',
    'l1d.write_miss',
    'l1d.banks',
    'l1d.latency_at',
    'l2.alloc',
    'l2.mshr.kind',
    'l2.input',
    'l2.bypass.mode',
    'l2.bypass.on_stall',
    'l2.write_miss',
    'sm.scheduler',
    'sm.throttle',
    'sm.dispatch',
    'cke.partition',
    'cke.scheme',
)
THRASH = {
    'sm.count': 2,
    'partition.count': 2,
    'l1d.sets': 16,
    'l1d.ways': 4,
    'cke.cycles': 15000,
    'l1d.ucp.period': 64,
    'l1d.pdp.interval': 256,
    'l1d.stream.period': 300,
    'l1d.stream.min_accesses': 16,
    'l2.stream.period': 300,
    'l2.stream.min_accesses': 16,
    'l1d.bpg.interval': 100,
    'l1d.bypass.from_warp': 8,
    'l1d.bypass.blocks0': 1,
    'sm.swl_warps': 4,
    'cke.slicer.window': 500,
    'cke.smc.period': 500,
    'cke.quota0': 40,
    'cke.quota1': 30,
    'cke.limit0': 8,
    'cke.limit1': 8,
}
CYCLES = 200_000_000  # above any of these, unless a clock, a driver or a link is very slow
SLOW = re.compile(r'clock\.|pcie\.|uvm\.(fault_ns|walk_latency|shootdown|thrash_limit)')
SLOW_CYCLES = 4_294_967_295
TICKS = 60_000_000  # SMs and partitions times cycles, ticked one by one
SECONDS = 300  # seconds of a process: above any trial, even on a busy machine

# Range ends that a short trial cannot reach.
WITHIN = {'cke.cycles': (1000, 30000), 'sim.max_cycles': (CYCLES, SLOW_CYCLES)}
TWO = {'l1d.sector_bytes', 'l2.sector_bytes'}  # of the range only the ends are allowed
FIXED = {'sim.skip'}  # tried in every trial

# An L1D that every replacement can have, on any machine.
FEW_WAYS = {'l1d.sets': 64, 'l1d.ways': 8, 'sm.shared_choices': 0}

# Settings under which an option is read.
CONTEXT = (
    (r'l1d\.mshr\.(entries|slots)', {'l1d.mshr.kind': 'mshr'}),
    (r'l1d\.dl_mshr\.', {'l1d.mshr.kind': 'dl_mshr'}),
    (r'l2\.mshr\.(entries|slots)', {'l2.mshr.kind': 'mshr'}),
    (r'l2\.dl_mshr\.', {'l2.mshr.kind': 'dl_mshr'}),
    (r'l1d\.perfect\.', {'l1d.mshr.kind': 'perfect'}),
    (r'l2\.perfect\.', {'l2.mshr.kind': 'perfect'}),
    (r'constant\.(line|ways|mshr)', {'constant.bytes': '4096'}),
    (r'l1d\.sector_bytes', {'sm.coalesce': 'sector'}),
    (r'l1d\.bpg\.|l1d\.bypass\.scope', {'l1d.bypass.mode': 'bpg'}),
    (r'l1d\.pdp\.', {'l1d.replacement': 'pdp', **FEW_WAYS}),
    (r'l1d\.ucp\.', {'l1d.replacement': 'ucp', 'cke.cycles': 20000, **FEW_WAYS}),
    (r'l1d\.replacement', FEW_WAYS),
    (r'l1d\.(banks|bank_|lookups)', {'sm.coalesce': 'sector', 'l1d.sector_bytes': 32, 'l1d.banks': 32}),
    (r'l1d\.write_miss', {'l1d.write': 'through'}),
    (r'l1d\.bypass\.(level|slots)', {'l1d.bypass.mode': 'static', 'l1d.bypass.from_warp': '2'}),
    (r'l1d\.bypass\.from_warp', {'l1d.bypass.mode': 'static'}),
    (r'l1d\.mrpb\.', {'l1d.input': 'mrpb'}),
    (r'l1d\.bypass\.on_stall', {'l1d.ways': '1'}),
    (r'l1d\.stream\.', {'l1d.bypass.mode': 'stream', 'l1d.stream.min_accesses': '4'}),
    (r'l2\.bypass\.on_stall', {'l2.sets': '1', 'l2.ways': '1'}),
    (r'l2\.stream\.|l2\.bypass\.(mode|slots)', {'l2.bypass.mode': 'stream', 'l2.stream.min_accesses': '4'}),
    (r'l2\.cart\.|l2\.input_refused', {'l2.input': 'cart'}),
    (r'l2\.halves|l2\.far_latency|l2\.link_', {'l2.halves': '2', 'partition.count': '4'}),
    (r'l2\.bank_reorder\.', {'l2.input': 'bank_reorder'}),
    (r'dram\.t\.(refi|rfc)', {'dram.refresh': 'true'}),
    (r'sm\.dwt', {'sm.throttle': 'dwt'}),
    (r'sm\.swl', {'sm.scheduler': 'swl'}),
    (r'sm\.two_level', {'sm.scheduler': 'two_level'}),
    (r'sm\.ccws', {'sm.throttle': 'ccws'}),
    (r'sm\.(overlap|ranges)', {'sm.dispatch': 'overlap'}),
    (r'sm\.locality', {'sm.scheduler': 'locality'}),
    (r'cke\.quota', {'sm.throttle': 'smk', 'cke.quota0': 40, 'cke.quota1': 30}),
    (r'cke\.partition', {'cke.slicer.window': '500', 'cke.smc.period': '500'}),
    (r'cke\.(concurrent|memory_intensive)', {'cke.cycles': '0', 'cke.concurrent': '1'}),
    (r'cke\.slicer', {'cke.partition': 'slicer'}),
    (r'cke\.smc', {'cke.partition': 'smc'}),
    (r'cke\.sms', {'cke.partition': 'sets'}),
    (r'cke\.limit', {'cke.scheme': 'smil'}),
    (r'cke\.tlp', {'cke.partition': 'tlp'}),
    (r'cke\.(rf_bits|relax)', {'cke.scheme': 'dmil'}),
    (
        r'uvm\.(lease|note|coalesce|table)',
        {'uvm.evict': 'ture', 'uvm.prefetch': 'cap', 'uvm.oversubscribe_percent': '130'},
    ),
    (
        r'uvm\.(cap|prefetch_when_full)',
        {'uvm.prefetch': 'cap', 'uvm.evict': 'ture', 'uvm.oversubscribe_percent': '130'},
    ),
    (r'uvm\.(shootdown|writeback|thrash_limit|seed)', {'uvm.evict': 're', 'uvm.oversubscribe_percent': '130'}),
)

FOR_SEVERAL = ('learner', 'smk', 'ucp')  # values that need concurrent workloads
BLOCKS = (  # blocks used if this option has this value
    ('mshr', 'l1d.mshr.kind', 'mshr'),
    ('dl_mshr', 'l1d.mshr.kind', 'dl_mshr'),
    ('mshr', 'l2.mshr.kind', 'mshr'),
    ('dl_mshr', 'l2.mshr.kind', 'dl_mshr'),
    ('cart', 'l2.input', 'cart'),
    ('bank_reorder', 'l2.input', 'bank_reorder'),
    ('dwt_core', 'sm.throttle', 'dwt'),
    ('dwt_coordinator', 'sm.throttle', 'dwt'),
    ('mrpb', 'l1d.input', 'mrpb'),
    ('bypass_slots', 'l1d.bypass.on_stall', 'any'),
    ('bpg', 'l1d.bypass.mode', 'bpg'),
    ('bypass_slots', 'l1d.bypass.mode', 'bpg'),
    ('bypass_slots', 'l1d.bypass.mode', 'static'),
    ('pdp', 'l1d.replacement', 'pdp'),
    ('umon', 'l1d.replacement', 'ucp'),
    ('way_partition', 'l1d.replacement', 'ucp'),
    ('bypass_slots', 'l1d.bypass.mode', 'stream'),
    ('stream_bypass', 'l1d.bypass.mode', 'stream'),
    ('stream_bypass', 'l2.bypass.mode', 'stream'),
    ('gmmu', 'uvm.enable', True),
    ('milg', 'cke.scheme', 'dmil'),
    ('milg', 'cke.scheme', 'smil'),
    ('qbmi', 'cke.scheme', 'qbmi'),
    ('qbmi', 'cke.scheme', 'rbmi'),
    ('warp_quota', 'sm.throttle', 'smk'),
    ('lost_locality', 'sm.throttle', 'ccws'),
    ('block_overlap', 'sm.dispatch', 'overlap'),
    ('warp_locality', 'sm.scheduler', 'locality'),
    ('tlp_modulator', 'cke.partition', 'tlp'),
    ('bypass_learner', 'l1d.bypass.mode', 'learner'),
    ('set_hash', None, None),
)

DEFECT = re.compile(
    r'nothing can go on|nothing has moved|does not hold|data never came|left at the end|not empty at the end|still in the|came back|error_o|no way is reserved|'
    r'sim\.max_cycles|differs from|wrong result'
)


class Failure(Exception):
    """An error, and the command that reproduces it."""


class Program:
    def __init__(self, path, rtl, blocks):
        self.path, self.rtl, self.blocks = path, rtl, blocks
        self.options = {}
        for line in self.text('list', 'options').splitlines()[1:]:
            key, _, allowed = re.match(r'(\S+)\s+(\S+)\s+(\d+\.\.\d+|\w+(?:, \w+)*)(?:\s|, up to)', line).groups()
            self.options[key] = [int(x) for x in allowed.split('..')] if '..' in allowed else allowed.split(', ')
        machines, variants = self.text('list', 'presets').split('variants')
        self.machines = re.findall(r'^  (\S+)', machines, re.M)
        self.variants = re.findall(r'^  (\S+)', variants, re.M)

    def text(self, *arguments):
        return subprocess.run([self.path, *arguments], capture_output=True, text=True, check=True).stdout


class Trial:
    def __init__(self, number, presets, sets, workloads, slow):
        self.number, self.presets, self.sets, self.workloads, self.slow = number, presets, sets, workloads, slow

    def command(self, program, *more):
        limit = SLOW_CYCLES if self.slow else CYCLES
        sets = {'sim.max_cycles': limit, **self.sets}
        return [
            program,
            'cke' if len(self.workloads) > 1 else 'run',
            *self.workloads,
            '--threads=1',
            '--quiet',
            *(f'--preset={p}' for p in self.presets),
            *(f'--set={k}={v}' for k, v in sets.items()),
            *more,
        ]


def ends(values):
    return values if isinstance(values[0], str) else sorted(set(values))


def within(key, values):
    return WITHIN.get(key, values)


def random_value(rng, key, values):
    if isinstance(values[0], str):
        return rng.choice(values)
    low, high = values
    if rng.random() < 0.3 or key in TWO:
        return rng.choice(values)
    value = min(high, max(low, int(2 ** rng.uniform(0, (high + 1).bit_length()))))
    power = 1 << value.bit_length() - 1
    return power if rng.random() < 0.6 and power >= low else value


def context(key):
    found = {}
    for pattern, sets in CONTEXT:
        if re.match(pattern, key):
            found.update(sets)
    return found


def trial(rng, program, number, machine, keys, values):
    sets = {}
    for key in keys:
        sets.update({k: v for k, v in context(key).items() if k not in sets})
    sets.update(zip(keys, values))
    managed = any(re.match(r'uvm\.|tlb\.|pcie\.', k) for k in sets)
    beside = not managed and any(k.startswith('cke.') or v in FOR_SEVERAL for k, v in sets.items())
    presets = ['uvm-002-t4.1' if managed else machine]
    if not managed and rng.random() < 0.2:
        presets.append(rng.choice(program.variants))
    if beside:
        sets.setdefault('cke.cycles', 20000)
    if managed:
        sets.setdefault('uvm.fault_ns', 1000)
    choice = MANAGED if presets[0].startswith('uvm') else WORKLOADS
    if any(k.startswith('constant.') for k in sets):
        choice = CONSTANTS
    return Trial(
        number,
        presets,
        {k: str(v) for k, v in sets.items()},
        rng.sample(choice, 2 if beside else 1),
        any(map(SLOW.match, keys)),
    )


def thrashing(rng, program, number, machine, policies):
    """Some policies with non-default values on kernels that thrash; a further option sets each period."""
    machine = machine if not machine.startswith('uvm') else program.machines[0]
    chosen = rng.sample(policies, min(len(policies), rng.randint(2, 4)))
    sets = {**THRASH, **{key: rng.choice(program.options[key]) for key in chosen}}
    if 'l1d.replacement' in chosen:
        sets['sm.shared_choices'] = 0
    beside = any(key.startswith('cke.') or sets[key] in FOR_SEVERAL for key in chosen) or rng.random() < 0.3
    return Trial(
        number, [machine], {k: str(v) for k, v in sets.items()}, rng.sample(THRASHING, 2 if beside else 1), False
    )


def trials(program, seed, runs, keys, every):
    rng, made = random.Random(seed), []
    machines = rng.sample(program.machines, len(program.machines))

    def add(chosen, values, machine=None):
        machine = machine or machines[len(made) % len(machines)]
        made.append(trial(rng, program, len(made), machine, chosen, values))

    keys = [key for key in program.options if key not in FIXED and re.match(keys, key)]
    for key in keys:
        for value in ends(within(key, program.options[key])):
            for machine in machines if every else [None]:
                add([key], [value], machine)
    policies = [key for key in POLICIES if key in keys]
    for i in range(runs):
        if policies and i % 3 == 0:
            made.append(thrashing(rng, program, len(made), machines[len(made) % len(machines)], policies))
            continue
        group = rng.random()
        if group < 0.6:  # a cke option makes it a run of two workloads, a uvm option one with paging
            some = [key for key in keys if not re.match(r'uvm\.|tlb\.|pcie\.|cke\.', key)]
        else:
            some = [key for key in keys if not key.startswith('cke.' if group < 0.8 else ('uvm.', 'tlb.', 'pcie.'))]
        some = rng.sample(some, min(len(some), rng.randint(1, 12)))
        if some:
            add(some, [random_value(rng, key, within(key, program.options[key])) for key in some])
    return made


def run(command, folder):
    """Exit status, last line of stderr, counters of each result."""
    path = Path(folder) / 'result.json'
    path.unlink(missing_ok=True)
    try:
        done = subprocess.run(
            [*command, f'--json={path}'], capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired as late:
        raise Failure(f'no end in {SECONDS} s', command) from late
    results = []
    if done.returncode == 0:
        found = json.loads(path.read_text())
        results = [r['counters'] for r in (found if isinstance(found, list) else [found])]
        config = (found[0] if isinstance(found, list) else found)['config']
        return done, results, config
    return done, results, None


def check_refusal(program, command, done):
    """A refusal is one line that names an option, with cke one line per failed run; warnings about unused options may precede it."""
    lines = [line for line in done.stderr.strip().splitlines() if not line.startswith('memtwin: warning: ')]
    if done.returncode not in (1, 2):
        raise Failure(f'exit status {done.returncode}: {" | ".join(lines)[-300:]}', command)
    if DEFECT.search(done.stderr):
        raise Failure(done.stderr.strip().splitlines()[-1], command)
    if (
        not lines
        or (len(lines) > 1 and command[1] != 'cke')
        or not all(any(key in line for key in program.options) for line in lines)
    ):
        raise Failure(f'refused, but not in one line that names an option: {" | ".join(lines)[-300:]}', command)


def compare(first, other, command, what):
    for a, b in zip(first, other, strict=True):
        differ = [f'{k}: {v}, {what} {b.get(k)}' for k, v in a.items() if b.get(k) != v]
        if differ:
            raise Failure('; '.join(differ[:3]), command)


def try_rtl(t, program, first, config, folder):
    present = {block for block, key, value in BLOCKS if key is None or config[key] == value}
    present = sorted(b for b in present & program.blocks if b != 'bypass_learner' or len(t.workloads) > 1)
    if not present:
        return 'without a block to try as RTL'
    block = present[t.number % len(present)]
    command = t.command(program.rtl, f'--rtl={block}')
    done, results, _ = run(command, folder)
    if done.returncode:
        if 'no RTL' in done.stderr or 'not at work' in done.stderr:
            return 'no such RTL'
        raise Failure(f'{done.stderr.strip()[-300:]}', command)
    compare(first, results, command, f'with {block} as RTL')
    return 'RTL equal'


def attempt(t, program):
    """Outcome of a trial, to be counted."""
    with tempfile.TemporaryDirectory() as folder:
        command = t.command(program.path)
        done, first, config = run(command, folder)
        if done.returncode:
            if t.slow and 'sim.max_cycles' in done.stderr:
                return ['too slow']
            check_refusal(program, command, done)
            return ['refused']
        seen = ['ran']
        units = int(config['sm.count']) + int(config['partition.count'])
        ticks = units * sum(r['gpu.cycles'] for r in first)
        if ticks > TICKS:
            return [*seen, 'too long to tick']
        command = t.command(program.path, '--set=sim.skip=false')
        done, results, _ = run(command, folder)
        if done.returncode:
            raise Failure(done.stderr.strip()[-300:], command)
        compare(first, results, command, 'ticked')
        seen.append('ticked equal')
        if program.rtl and ticks < TICKS // 10:
            seen.append(try_rtl(t, program, first, config, folder))
        return seen


def guarded(t, program):
    try:
        return attempt(t, program), None
    except Failure as failure:
        return [], failure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('memtwin')
    parser.add_argument('rtl', nargs='?')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--runs', type=int, default=60)
    parser.add_argument('--keys', default='')
    parser.add_argument('--every', action='store_true', help='both ends on every preset, not on one of them')
    parser.add_argument('--only', type=int)
    parser.add_argument('--jobs', type=int, default=1)
    parser.add_argument('--blocks', help='those tried as RTL, all when left out')
    a = parser.parse_args()
    blocks = {block for block, _, _ in BLOCKS}
    program = Program(a.memtwin, a.rtl, blocks if a.blocks is None else blocks & set(a.blocks.split()))
    begin, seen, failed = time.monotonic(), Counter(), 0
    every = [t for t in trials(program, a.seed, a.runs, a.keys, a.every) if a.only in (None, t.number)]
    with ThreadPoolExecutor(a.jobs) as pool:
        for t, (what, failure) in zip(every, pool.map(lambda t: guarded(t, program), every)):
            seen.update(what)
            if failure:
                failed += 1
                print(
                    f'FAIL config-fuzz  seed={a.seed} trial={t.number}  {failure.args[0]}\n'
                    f'  {" ".join(failure.args[1])}\n'
                    f'  rerun  make config-fuzz SEED={a.seed} RUNS={a.runs}{" EVERY=1" if a.every else ""}'
                    f'{f" KEYS={chr(39)}{a.keys}{chr(39)}" if a.keys else ""} ONLY={t.number}',
                    flush=True,
                )
    counts = ', '.join(f'{n} {what}' for what, n in sorted(seen.items()))
    print(
        f'  config-fuzz  seed {a.seed}: {len(every)} trials: {counts}; {failed} failed  {time.monotonic() - begin:.0f} s'
    )
    return 1 if failed or not seen else 0


if __name__ == '__main__':
    sys.exit(main())
