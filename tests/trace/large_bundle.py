# SPDX-License-Identifier: Apache-2.0
"""Runs a synthetic bundle of Accel-Sim traces that is larger than memory, and checks the memory that the run takes."""

import argparse
import gzip
import itertools
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

HEADER = '''-kernel name = large
-kernel id = 1
-grid dim = ({blocks},1,1)
-block dim = (128,1,1)
-shmem = 0
-nregs = 32
-binary version = 80
-cuda stream id = 0
-accelsim tracer version = 4
-enable lineinfo = 0

'''
WARPS, LOOPS, COMPUTE = 4, 40, 18


def warp_text(block: int, warp: int) -> str:
    """Loops of a load, arithmetic and a store, over 16 MiB that all thread blocks share."""
    lines = []
    for loop in range(LOOPS):
        at = 0x7F4000000000 + ((block * WARPS + warp) * LOOPS + loop) % 131072 * 128
        lines.append(f'0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x{at:x} 4 0 ')
        lines += [f'{32 + 16 * n:04x} ffffffff 1 R{8 + n % 8} FFMA 3 R{8 + n % 8} R4 R6 0 0 ' for n in range(COMPUTE)]
        lines.append(f'0200 ffffffff 0 STG.E 2 R2 R8 4 1 0x{at:x} 4 0 ')
    lines.append('0210 ffffffff 0 EXIT 0 0 0 ')
    return f'\nwarp = {warp}\ninsts = {len(lines)}\n' + '\n'.join(lines) + '\n'


def write_bundle(folder: Path, size: int) -> int:
    """Writes a bundle of at least `size` bytes of text, packed by gzip; returns the bytes."""
    blocks = [''.join(warp_text(b, w) for w in range(WARPS)).encode() for b in range(64)]  # repeated with other numbers
    count = size // len(blocks[0]) + 1
    text = HEADER.format(blocks=count).encode()
    total = 0
    with gzip.open(folder / 'kernel-1.traceg.gz', 'wb', compresslevel=1) as out:
        for number, block in zip(range(count), itertools.cycle(blocks)):
            text += b'#BEGIN_TB\n\nthread block = %d,0,0\n' % number + block + b'\n#END_TB\n\n'
            total += out.write(text)
            text = b''
    (folder / 'kernelslist.g').write_text('MemcpyHtoD,0x7f4000000000,16777216\nkernel-1.traceg.gz\n')
    return total


def child_memory() -> int:
    """Largest memory of any child so far, bytes."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


def check(command: list[str], most: int) -> bool:
    """Runs a command and prints the memory that it took at most; False: it failed, or took more than `most`."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        if process.wait():
            print(f'FAIL large bundle  {" ".join(command)}  status {process.returncode}')
            return False
    used = child_memory()
    print(f'  {used / 2**20:.1f} MiB of at most {most / 2**20:.0f}  {" ".join(command[1:3])}')
    return used <= most


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('memtwin')
    parser.add_argument('--gigabytes', type=float, default=2)
    parser.add_argument('--most', type=int, default=64, help='MiB of memory (64)')
    parser.add_argument('--run-only', action='store_true', help='without packing it into a .tracez')
    parser.add_argument('--folder', help='where to write (a temporary folder)')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        print(f'  {write_bundle(folder, int(options.gigabytes * 1e9)) / 1e9:.1f} GB of text', flush=True)
        run = [options.memtwin, 'run', name, '-q']
        packed = [options.memtwin, 'trace', 'export', name, '--format', 'tracez', '-o', f'{name}/packed']
        again = [options.memtwin, 'trace', 'info', f'{name}/packed']
        commands = [run] if options.run_only else [run, packed, again]
        return 0 if all(check(command, options.most << 20) for command in commands) else 1


if __name__ == '__main__':
    sys.exit(main())
