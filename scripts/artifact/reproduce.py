# SPDX-License-Identifier: Apache-2.0
"""make reproduce: one headline table per paper.  Runs its study and prints its means, the paper's, the run time, and whether the results are those of
the documents: every table and number of the study in docs, README.md and rtl is an expected value.  usage: python3 -B -m scripts.artifact.reproduce [PAPER ...]"""
import os
import re
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
STUDIES = {'Gu20': 'run', 'Dai17': 'index', 'Khairy15': 'dwt_pric', 'Liang17': 'manage', 'Chen16': 'locality'}
COMPARED = re.compile(r'^study: (\S+): (\d+) tables and numbers of this study, (\d+) differ', re.M)


def run(study):
    """Runs the study, whose progress is seen, and asks it once more for its messages.  Ends the program if a run failed."""
    command = ['make', '-s', 'study', f'NAME={study}']
    if subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False).returncode:
        sys.exit(f'reproduce: make study NAME={study} failed')
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    return done.stderr


def means(build, study):
    with sqlite3.connect(build / f'study/{study}.sqlite') as db:
        (words,) = db.execute("SELECT headline FROM study WHERE size = 'reduced'").fetchone()
    return words.split('; ')


def main():
    build, papers = Path(os.environ.get('BUILD', 'build')), sys.argv[1:] or list(STUDIES)
    failed = 0
    for paper in papers:
        study, begun = STUDIES[paper], time.monotonic()
        print(f'{paper}: make study NAME={study}', flush=True)
        found = COMPARED.findall(run(study))
        print('\n'.join(f'  {words}' for words in means(build, study)))
        differ = sum(int(n) for _, _, n in found)
        failed += not found or differ > 0
        print(
            f'  {time.monotonic() - begun:.0f} s; {sum(int(n) for _, n, _ in found)} tables and numbers of {len(found)} documents compared, {differ} differ'
        )
    print(f'reproduce: {len(papers)} papers, {failed} differ')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
