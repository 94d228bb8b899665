# SPDX-License-Identifier: Apache-2.0
"""The table of programs: every built-in kernel at a reduced size, with its suites, the tables of papers that name it, its launches, thread blocks,
threads, arrays, bytes, accesses and instruction mix, as `memtwin trace info` counts them, which checks the results, too; compares it with the table
between the marks of a README, or with --update writes it there.
usage: python3 -B -m scripts.programs MEMTWIN [--update] README"""
import json
import math
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from scripts import marked, mix

COLUMNS = ('program', 'suites', 'tables', 'size', 'kernels', 'launches', 'thread blocks', 'threads', 'arrays', 'bytes')
COLUMNS += ('global accesses', 'lines', 'shared accesses', 'barriers', 'Cinst/Minst', 'Req/Minst')
WORDS = ('program', 'suites', 'tables', 'size')  # the other columns are numbers
HEAD = f"| {' | '.join(COLUMNS)} |\n| {' | '.join('---' if c in WORDS else '--:' for c in COLUMNS)} |\n"


def listed(memtwin):
    """kernel: the suites that have it, the tables that name it, the options of its reduced size, as `memtwin list kernels` prints them."""
    text = subprocess.run([memtwin, 'list', 'kernels'], check=True, capture_output=True, text=True).stdout
    found = re.findall(
        r'^(\w+)\s{2,}\S[^\n]*\n(?:  .*\n)*?  in ([\w ]+?)(?:; named in (.*))?; reduced: (.*)$', text, re.M
    )
    return {kernel: (suites, tables, '' if size == 'the default' else size) for kernel, suites, tables, size in found}


def row(memtwin, kernel, suites, tables, size):
    spec = f'{kernel}:{size}' if size else kernel
    done = subprocess.run([memtwin, 'trace', 'info', '--json', spec], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f'FAIL programs: {spec}: {done.stderr.strip()}')
    info = json.loads(done.stdout)
    by, launches = info['instructions_by_op'], info['kernel_list']
    blocks = [math.prod(launch['grid']) for launch in launches]
    shared = by['shared_load'] + by['shared_store']
    cells = (
        f'`{kernel}`',
        suites.replace(' ', ', '),
        tables,
        size or 'default',
        len({launch['name'] for launch in launches}),
        len(launches),
        sum(blocks),
        sum(n * math.prod(launch['block']) for n, launch in zip(blocks, launches, strict=True)),
        len(info['allocations']),
        sum(a['bytes'] for a in info['allocations']),
        info['memory_instructions'],
        info['lines'],
        shared,
        by['barrier'],
        f"{sum(by[op] for op in mix.ARITHMETIC) / (info['memory_instructions'] + shared):.1f}",
        f"{info['lines'] / info['memory_instructions']:.1f}",
    )
    return f"| {' | '.join(str(c) for c in cells)} |\n"


def main():
    memtwin, readme = [a for a in sys.argv[1:] if not a.startswith('--')]
    kernels = listed(memtwin)
    for kernel in mix.kernels(memtwin):
        if kernel not in kernels:
            sys.exit(f'FAIL programs: kernel {kernel}: no suites in {memtwin} list kernels')
    with ThreadPoolExecutor(int(os.environ.get('JOBS', os.cpu_count()))) as pool:
        rows = pool.map(lambda k: row(memtwin, k, *kernels[k]), kernels)
        marked.keep('programs', readme, HEAD + ''.join(rows), '--update' in sys.argv)
    print(f'programs: {len(kernels)} in {readme}')


if __name__ == '__main__':
    main()
