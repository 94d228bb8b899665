# SPDX-License-Identifier: Apache-2.0
"""The instruction mix of every built-in kernel at its default size, as `memtwin trace info` counts it, that of the kernels with an unrolled form in both, and the classes of locality of a study's
workloads, as `memtwin trace locality` counts them: prints the first table, compares both with those between the marks of two documents, or with
--update writes them there; --quick takes the rows of long kernels from the document.
usage: python3 -B -m scripts.mix MEMTWIN [[--update | --quick] README STUDY.toml PAGE]"""
import json
import os
import re
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor

from scripts import marked

ARITHMETIC = ('sp', 'sfu', 'int', 'dp', 'tensor')
# Dai17, table 6: Cinst/Minst and Req/Minst.
PAPER = {
    'atax': (2, 11),
    'backprop': (6, 2),
    'gemm': (2, 1),
    'hotspot': (7, 3),
    'kmeans': (3, 17),
    'pathfinder': (6, 2),
    'spmv': (3, 3),
}
HEAD = (
    '| workload | launches | warp instructions | global memory | shared memory | Cinst/Minst | Req/Minst | table 6 |\n'
    '| --- | --: | --: | --: | --: | --: | --: | --- |\n'
)

# Kernels with an unrolled form, and the paper's Cinst/Minst of the same program.  3mm: smaller, as its mix hardly depends on the size.
UNROLLED = {
    'atax': 2,
    '3mm:ni=128,nj=128,nk=128,nl=128,nm=128': 2,
    'gemm': None,
    '2mm:ni=128,nj=128,nk=128,nl=128': None,
    'spmv': None,
    'spmv:variant=vector': None,
    'spmv:variant=jds': 3,
    'lud': None,
    'nw': None,
}
UNROLLED_HEAD = (
    '| workload | instructions as written | unrolled | Cinst/Minst as written | unrolled | table 6 |\n'
    '| --- | --: | --: | --: | --: | --: |\n'
)

# Khairy15, figure 3.
CLASSES = ('intra-thread', 'intra-warp', 'intra-block', 'intra-core', 'inter-core', 'inter-kernel')
CLASS_HEAD = (
    f"| workload | reads of a line | the first of the line | {' | '.join(CLASSES)} |\n"
    + '| --- |'
    + ' --: |' * (2 + len(CLASSES))
    + '\n'
)

# Reduced sizes for the longest functional runs: syrk drops from a billion reads to seventeen million.
SHORTER = {
    '2mm': '2mm:ni=256,nj=256,nk=256,nl=256',
    'convsep': 'convsep:width=1024,height=1024',
    'fwt': 'fwt:log2n=20',
    'syrk:n=1024,m=1024': 'syrk:n=256,m=256',
}

LONG = 10_000_000  # warp instructions; the few kernels above this take most of the time


def long_rows(readme):
    """kernel: its row in the document."""
    with open(readme, encoding='utf-8') as f:
        rows = re.findall(r'^(\| `(\w+)` \| \d+ \| (\d+) \|.*\n)', f.read(), re.M)
    return {kernel: line for line, kernel, executed in rows if int(executed) > LONG}


def kernels(memtwin):
    listed = subprocess.run([memtwin, 'list', 'kernels'], check=True, capture_output=True, text=True).stdout
    return re.findall(r'^(\w+)\s{2,}\S', listed, re.M)


def counted(memtwin, workload):
    """The counts of `trace info`, accesses of shared memory, and Cinst/Minst."""
    info = json.loads(
        subprocess.run([memtwin, 'trace', 'info', '--json', workload], check=True, capture_output=True).stdout
    )
    by = info['instructions_by_op']
    shared = by['shared_load'] + by['shared_store']
    return info, shared, sum(by[op] for op in ARITHMETIC) / (info['memory_instructions'] + shared)


def row(memtwin, kernel):
    info, shared, compute = counted(memtwin, kernel)
    requests = info['lines'] / info['memory_instructions']
    paper = '{}, {}'.format(*PAPER[kernel]) if kernel in PAPER else ''
    return (
        f"| `{kernel}` | {info['kernels']} | {info['warp_instructions']} | {info['memory_instructions']} | {shared} | "
        f'{compute:.1f} | {requests:.1f} | {paper} |\n'
    )


def unrolled_row(memtwin, workload):
    (written, _, before), (unrolled, _, after) = (
        counted(memtwin, w) for w in (workload, f"{workload}{',' if ':' in workload else ':'}code=unrolled")
    )
    return (
        f"| `{workload}` | {written['warp_instructions']} | {unrolled['warp_instructions']} | {before:.1f} | {after:.1f} | "
        f"{UNROLLED[workload] or ''} |\n"
    )


def locality(memtwin, workload):
    words = [memtwin, 'trace', 'locality', '--json', SHORTER.get(workload['reduced'], workload['reduced'])]
    found = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
    shares = ' | '.join(f"{100 * found['classes'][c]['share']:.1f} %" for c in ('cold', *CLASSES))
    return f"| {workload['label']} | {found['reads']} | {shares} |\n"


def main():
    memtwin, *rest = [a for a in sys.argv[1:] if not a.startswith('--')]
    known = long_rows(rest[0]) if '--quick' in sys.argv else {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        table = HEAD + ''.join(pool.map(lambda kernel: known.get(kernel) or row(memtwin, kernel), kernels(memtwin)))
        if not rest:
            sys.exit(print(table, end=''))
        readme, study, page = rest
        forms = UNROLLED_HEAD + ''.join(pool.map(lambda workload: unrolled_row(memtwin, workload), UNROLLED))
        with open(study, 'rb') as f:
            workloads = tomllib.load(f)['workloads'].values()
        classes = CLASS_HEAD + ''.join(pool.map(lambda workload: locality(memtwin, workload), workloads))
    marked.keep('mix', readme, table, '--update' in sys.argv)
    marked.keep('mix unrolled', readme, forms, '--update' in sys.argv)
    marked.keep('mix', page, classes, '--update' in sys.argv)
    print(
        f'mix: {table.count(chr(10)) - 2 - len(known)} kernels and {len(UNROLLED)} unrolled ones in {readme}, {len(workloads)} workloads in {page}'
    )


if __name__ == '__main__':
    main()
