#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The instruction mix of every built-in kernel at its default size, as `memtwin trace info` counts it: prints the table,
compares it with the one between the marks of a README, or with --update writes it there.
usage: mix.py MEMTWIN [[--update] README]"""
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import marked

# Dai17, table 6: Cinst/Minst and Req/Minst.
PAPER = {'atax': (2, 11), 'backprop': (6, 2), 'gemm': (2, 1), 'hotspot': (7, 3), 'kmeans': (3, 17), 'pathfinder': (6, 2),
         'spmv': (3, 3)}
HEAD = ('| workload | launches | warp instructions | global memory | shared memory | Cinst/Minst | Req/Minst | table 6 |\n'
        '| --- | --: | --: | --: | --: | --: | --: | --- |\n')


def kernels(memtwin):
    listed = subprocess.run([memtwin, 'list', 'kernels'], check=True, capture_output=True, text=True).stdout
    return re.findall(r'^(\w+)\s{2,}\S', listed, re.M)


def row(memtwin, kernel):
    info = json.loads(subprocess.run([memtwin, 'trace', 'info', '--json', kernel], check=True, capture_output=True).stdout)
    by = info['instructions_by_op']
    shared = by['shared_load'] + by['shared_store']
    compute = (by['sp'] + by['sfu']) / (info['memory_instructions'] + shared)
    requests = info['lines'] / info['memory_instructions']
    paper = '{}, {}'.format(*PAPER[kernel]) if kernel in PAPER else ''
    return (f"| `{kernel}` | {info['kernels']} | {info['warp_instructions']} | {info['memory_instructions']} | {shared} | "
            f'{compute:.1f} | {requests:.1f} | {paper} |\n')


def main():
    memtwin, *rest = [a for a in sys.argv[1:] if a != '--update']
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        table = HEAD + ''.join(pool.map(lambda kernel: row(memtwin, kernel), kernels(memtwin)))
    if not rest:
        sys.exit(print(table, end=''))
    marked.keep('mix', rest[0], table, '--update' in sys.argv)
    print(f'mix: {table.count(chr(10)) - 2} kernels in {rest[0]}')


main()
