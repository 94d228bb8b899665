# SPDX-License-Identifier: Apache-2.0
"""The energy of blocks (cmodel/system/energy/README.md).
usage: python3 -m scripts.energy blocks [--update]                              the table of blocks against synth/baseline.tsv
       python3 -m scripts.energy run BUILD LIBERTY NODE "WORKLOAD OPTION ..."   a run with the activity of its own traffic"""
import subprocess
import sys
from pathlib import Path

from cosim.manifest import ParamError
from scripts.energy import blocks, run
from synth.measure import ToolError


def of_run(build, liberty, node, text):
    if not Path(liberty).is_file():
        raise ToolError(f'LIBERTY={liberty}: no such file')
    path, words = run.run(text, Path(build), liberty, node)
    print(f'written: {path}', flush=True)
    return subprocess.run([f'{build}/memtwin', 'run', *words, f'--energy={path}'], check=False).returncode


def main():
    what, *rest = sys.argv[1:]
    try:
        return blocks.check(rest == ['--update']) if what == 'blocks' else of_run(*rest)
    except (ToolError, ParamError, ValueError, OSError) as e:
        sys.exit(f'energy: {e}')


if __name__ == '__main__':
    sys.exit(main())
