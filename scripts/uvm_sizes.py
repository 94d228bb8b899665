# SPDX-License-Identifier: Apache-2.0
"""Workload sizes for unified memory: runs `memtwin trace pages` on each (which verifies its results), checks its allocated and accessed
memory against the limits below, and prints the table, compares it with the table between the marks of a README, or with --update
writes it there.
usage: python3 -B -m scripts.uvm_sizes MEMTWIN SIZES.toml [[--update] README]"""
import json
import os
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from statistics import fmean

from scripts import marked

MIB = 1 << 20
LIMITS = {'reduced': (2.5, 8), 'full': (4, 64)}  # MiB of all allocations
MEAN = {'full': (18, 23)}  # of all workloads; the paper's is 20.3
ACCESSES = 60_000_000
HEAD = (
    '| workload | size | allocations | MiB | accesses | pages touched | accesses a touched page | variation in an allocation | in all |\n'
    '| --- | --- | --: | --: | --: | --: | --: | --: | --: |\n'
)


def count(memtwin, spec):
    done = subprocess.run([memtwin, 'trace', 'pages', '--json', spec], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f'FAIL uvm-sizes: {spec}: {done.stderr.strip()}')
    return json.loads(done.stdout)


def row(size, spec, pages):
    mib = sum(a['bytes'] for a in pages['allocations']) / MIB
    total, (low, high) = pages['total'], LIMITS[size]
    if not low <= mib <= high:
        sys.exit(f'FAIL uvm-sizes: {spec} allocates {mib:.2f} MiB, expected {low} to {high}')
    if total['accesses'] > ACCESSES or pages['elsewhere']:
        sys.exit(
            f"FAIL uvm-sizes: {spec}: found {total['accesses']} accesses, expected at most {ACCESSES}, "
            f"and {pages['elsewhere']} outside all allocations, expected none"
        )
    within = sum(a['variation'] * a['touched'] for a in pages['allocations']) / total['touched']
    return mib, (
        f"| `{spec}` | {size} | {len(pages['allocations'])} | {mib:.1f} | {total['accesses']} | {100 * total['touched_share']:.2f} % | "
        f"{total['mean']:.1f} | {within:.3f} | {total['variation']:.3f} |\n"
    )


def table_of(memtwin, file):
    with open(file, 'rb') as f:
        workloads = tomllib.load(f)['workloads']
    specs = [(size, sizes[size]) for size in LIMITS for sizes in workloads.values()]
    with ThreadPoolExecutor(int(os.environ.get('JOBS', os.cpu_count()))) as pool:
        rows = [
            (size, *row(size, spec, pages))
            for (size, spec), pages in zip(specs, pool.map(lambda s: count(memtwin, s[1]), specs), strict=True)
        ]
    mean = {size: fmean(mib for of, mib, _ in rows if of == size) for size in LIMITS}
    for size, (low, high) in MEAN.items():
        if not low <= mean[size] <= high:
            sys.exit(f'FAIL uvm-sizes: {size}: found a mean of {mean[size]:.1f} MiB, expected {low} to {high}')
    means = ' '.join(f'Mean of `{size}`: {mib:.1f} MiB.' for size, mib in mean.items())
    return HEAD + ''.join(text for _, _, text in rows) + f'\n{means}\n'


def main():
    memtwin, file, *rest = [a for a in sys.argv[1:] if a != '--update']
    table = table_of(memtwin, file)
    if not rest:
        sys.exit(print(table, end=''))
    marked.keep('uvm-sizes', rest[0], table, '--update' in sys.argv)
    print(f'uvm-sizes: {table.count("| `")} workloads of {file} in {rest[0]}, results right')


if __name__ == '__main__':
    main()
