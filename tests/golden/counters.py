# SPDX-License-Identifier: Apache-2.0
"""Every counter of 20 runs on six machines against those kept in tests/golden/counters: a run that differs fails, and its
counters that moved are printed.  The digest of all runs must stand in CHANGELOG.md, so that a change has its entry there.
usage: python3 -B -m tests.golden.counters [--update] [--kept FOLDER] [--changelog FILE] [--runs NAME,...] [--jobs N] MEMTWIN"""
import argparse
import csv
import hashlib
import io
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SPMV, BFS, KMEANS = 'spmv:rows=4096,columns=4096', 'bfs:n=1024', 'kmeans:n=4096,dimensions=34,iterations=1'
SMALL = '-s sm.count=4 -s partition.count=2'
STREAM = '-s {0}.bypass.mode=stream -s {0}.stream.period=500 -s {0}.stream.min_accesses=32'
SECTORS = '-s sm.coalesce=sector -s l1d.sector_bytes=32 -s l2.sector_bytes=32 -s l2.write_miss=lazy'
MANAGED = (
    'run atax:rows=256,columns=512 -p uvm-002-t4.1 -s sm.count=4 -s uvm.oversubscribe_percent=102 -s uvm.fault_ns=2000'
)
DLMSHR, CART, FERMI, MAXWELL, LOCALITY = (
    f'-p {p} {SMALL}' for p in ('dlmshr-002-t3.2', 'cart-002-t2.2', 'fermi-003-t2', 'maxwell-000-t5', 'fermi-004-t4.1')
)
PAIR = f'cke kmeans:n=16384,dimensions=34 spmv:rows=32768,columns=32768 {MAXWELL} -s cke.cycles=20000'
RUNS = {
    'mshr': f'run {SPMV} {DLMSHR}',
    'dl_mshr': f'run {SPMV} {DLMSHR} -p dlmshr',
    'perfect': f'run {BFS} {DLMSHR} -s l1d.mshr.kind=perfect -s l2.mshr.kind=perfect -s l2.perfect.shared=true',
    'sectors': f'run {SPMV} {DLMSHR} {SECTORS} -s l1d.port_bytes=64 -s dram.refresh=true -s dram.t.refi=500',
    'cart': f'run {BFS} {CART} -s l2.input=cart',
    'bank_reorder': f'run {SPMV} {CART} -s l2.input=bank_reorder',
    'racb': f'run {KMEANS} {CART} -s l1d.bypass.on_stall=any -s l2.bypass.on_stall=any -s l1d.input=mrpb',
    'stream': f'run {KMEANS} {FERMI} {STREAM.format("l1d")} {STREAM.format("l2")}',
    'dwt': f'run {KMEANS} {FERMI} -s sm.throttle=dwt',
    'ccws': f'run {KMEANS} {FERMI} -s sm.throttle=ccws -s sm.scheduler=swl -s sm.swl_warps=8',
    'pdp': f'run {KMEANS} {FERMI} -s l1d.replacement=pdp -s l1d.mshr.kind=dl_mshr -s l1d.pdp.interval=512 {STREAM.format("l1d")}',
    'qbmi_dmil': f'{PAIR} -s cke.scheme=qbmi_dmil',
    'ucp': f'{PAIR} -s l1d.replacement=ucp -s l1d.ucp.period=64 -s l1d.mshr.kind=dl_mshr',
    'smk': f'{PAIR} -s sm.throttle=smk -s cke.quota0=60 -s cke.quota1=40 -s cke.partition=smk',
    'learner': f'cke vecadd:n=200000,block=64 transpose:width=512,height=512 {FERMI} -s cke.cycles=60000 -s sm.count=2 -s partition.count=8 '
    '-s cke.partition=tlp -s l1d.bypass.mode=learner',
    'bpg': f'run {KMEANS} {MAXWELL} -s l1d.bypass.mode=bpg -s l1d.bpg.interval=200',
    'locality': f'run hotspot:rows=128,columns=128 {LOCALITY} -s sm.scheduler=locality -s sm.dispatch=overlap',
    'two_level': f'run {SPMV} {LOCALITY} -s sm.scheduler=two_level -s sm.dispatch=bcs -s l1d.alloc=on_fill -s l2.write_miss=through',
    'tree': f'{MANAGED} -s uvm.prefetch=tp -s uvm.evict=te',
    'capture': f'{MANAGED} -s uvm.prefetch=cap -s uvm.evict=ture',
}


class Failed(Exception):
    pass


def measure(memtwin, name):
    """Lines `counter value` of a run, those that are 0 or no number left out: a new counter moves no run without its feature."""
    done = subprocess.run(
        [memtwin, *RUNS[name].split(), '--threads=1', '--quiet', '--csv=-'], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Failed(f'{name}: {done.stderr.strip()[-300:]}')
    rows = csv.DictReader(io.StringIO(done.stdout))
    return ''.join(f'{r["counter"]} {r["value"]}\n' for r in rows if r['value'] not in ('', '0'))


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def counters(text):
    return dict(line.split() for line in text.splitlines())


def moved(kept, now):
    old, new = counters(kept), counters(now)
    return [
        f'{n} {old.get(n, "0")} -> {new.get(n, "0")}'
        for n in sorted(old.keys() | new.keys())
        if old.get(n) != new.get(n)
    ]


def compare(folder, measured):
    """Prints the counters that moved, a run a line; their names."""
    names = set()
    for name, now in measured.items():
        path = folder / f'{name}.txt'
        changes = moved(path.read_text() if path.exists() else '', now)
        if changes:
            names |= {c.split()[0] for c in changes}
            print(
                f'FAIL golden  {name}: {len(changes)} counters moved: {", ".join(changes[:12])}{", ..." if len(changes) > 12 else ""}\n'
                f'  run  memtwin {RUNS[name]}'
            )
    return sorted(names)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('memtwin')
    parser.add_argument('--update', action='store_true', help='keep the counters of these runs')
    parser.add_argument('--kept', type=Path, default=Path(__file__).parent / 'counters')
    parser.add_argument('--changelog', type=Path, default=Path(__file__).parents[2] / 'CHANGELOG.md')
    parser.add_argument('--jobs', type=int, default=1)
    parser.add_argument('--runs', default=','.join(RUNS), help='some of the runs; the digest is then of these')
    a = parser.parse_args()
    with ThreadPoolExecutor(a.jobs) as pool:
        try:
            runs = a.runs.split(',')
            measured = dict(zip(runs, pool.map(lambda name: measure(a.memtwin, name), runs)))
        except Failed as failure:
            print(f'FAIL golden  {failure}')
            return 1
    names = compare(a.kept, measured)
    of_all = digest(''.join(f'{name} {digest(text)}\n' for name, text in measured.items()))
    extra = sorted(p.stem for p in a.kept.glob('*.txt') if p.stem not in RUNS)
    if extra:
        print(f'FAIL golden  {a.kept}: found {", ".join(extra)}, which is no run of {Path(__file__).name}')
    for name, text in measured.items() if a.update else ():
        (a.kept / f'{name}.txt').write_text(text)
    if names and not a.update:
        print(
            f'  A change that is meant: tests/golden/counters.py --update {a.memtwin}; CHANGELOG.md names it with the digest {of_all}.'
        )
    named = of_all in a.changelog.read_text()
    if not named:
        print(
            f'FAIL golden  {a.changelog.name}: found no entry with the digest of these counters, {of_all}'
            f'{"; moved: " + " ".join(names) if names else ""}'
        )
    if not named or extra or (names and not a.update):
        return 1
    print(
        f'  golden  {len(measured)} runs, {sum(len(t.splitlines()) for t in measured.values())} counters that are not 0, digest {of_all}'
    )
    return 0


if __name__ == '__main__':
    sys.exit(main())
