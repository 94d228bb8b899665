# SPDX-License-Identifier: Apache-2.0
"""make reproduce: one headline table per paper.  Runs its study, compares the means with the expected ones, and prints the run time.
usage: reproduce.py [--update] [PAPER ...]"""
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
EXPECTED = Path(__file__).with_name('expected.tsv')  # paper, study, seconds, means
STUDIES = {'Gu20': 'run', 'Dai17': 'index', 'Khairy15': 'dwt_pric', 'Liang17': 'manage', 'Chen16': 'locality'}


def expected():
    rows = [line.split('\t') for line in EXPECTED.read_text().splitlines() if line and line[0] != '#'] if EXPECTED.exists() else []
    return {paper: (study, int(seconds), words) for paper, study, seconds, words in rows}


def measured(build, study):
    """(means as text, seconds); ends the program on a failure, which the study has reported."""
    begun = time.monotonic()
    done = subprocess.run(['make', '-s', 'study', f'NAME={study}'], cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
    if done.returncode:
        sys.exit(f'reproduce: make study NAME={study} failed')
    with sqlite3.connect(build / f'study/{study}.sqlite') as db:
        words, = db.execute("SELECT headline FROM study WHERE size = 'reduced'").fetchone()
    return words, round(time.monotonic() - begun)


def main():
    build, update, papers = Path(os.environ.get('BUILD', 'build')), '--update' in sys.argv, [a for a in sys.argv[1:] if a != '--update']
    unknown = [p for p in papers if p not in STUDIES]
    if unknown:
        sys.exit(f'reproduce: PAPER: found "{unknown[0]}", expected {", ".join(STUDIES)}')
    known, differ = expected(), 0
    for paper in papers or STUDIES:
        study, (_, seconds, wanted) = STUDIES[paper], known.get(paper, ('', 0, ''))
        print(f'{paper}: make study NAME={study}' + (f', about {seconds} s on two cores' if seconds else ''), flush=True)
        words, took = measured(build, study)
        known[paper] = (study, took, words)
        differ += words != wanted
        print('\n'.join(f'  {part}' for part in words.split('; ')))
        print(f'  {took} s; ' + ('as expected' if words == wanted else f'expected: {wanted or "nothing"}'))
    if update:
        EXPECTED.write_text('# One headline table of each paper: paper, study, seconds on two cores, means.  make reproduce UPDATE=1 writes it.\n' +
                            ''.join(f'{p}\t{s}\t{t}\t{w}\n' for p, (s, t, w) in known.items()))
        return 0
    print(f'reproduce: {len(papers or STUDIES) - differ} as expected, {differ} differ')
    return 1 if differ else 0


if __name__ == '__main__':
    sys.exit(main())
