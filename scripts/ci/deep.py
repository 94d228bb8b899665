# SPDX-License-Identifier: Apache-2.0
"""make deep: every set and tier, as jobs of one make command each.  PART=k/N runs a part of them; a job that has passed for this commit is
not run again.  The table .ci/deep.tsv keeps the last result of each job."""
import datetime
import subprocess
import sys
import time
from dataclasses import dataclass

from cosim import manifest
from scripts.ci import passed, steps, table
from synth.layout import baseline as layouts

TABLE = '.ci/deep.tsv'
HEAD = (
    'The last run of each job of make deep: job, result, seconds, day, commit (+: with changes).  make deep writes it.'
)
PART_SECONDS = 3600
GUESS = 120  # of a job that has not run yet
OF_A_BLOCK = (
    'cosim BLOCK={b}',
    'coverage BLOCK={b}',
    'cosim-sizes BLOCK={b}',
    'cosim-selftest BUGS={b}',
    'xprop BLOCK={b}',
    'xprop-selftest BLOCK={b}',
    'tb BLOCK={b}',
    'dpi BLOCK={b}',
    'prove DEEP=1 BLOCK={b}',
    'prove-selftest BUGS={b}',
    'formal BLOCK={b}',
    'mutate BLOCK={b}',
    'synth-check BLOCK={b}',
    'layout-check BLOCK={b}',
    'release-selftest BLOCK={b}',
)
OF_ALL = (
    'check',
    'check-selftest',
    'filelists',
    'build-selftest',
    'ci-selftest',
    'test',
    'scenarios',
    'mix',
    'programs',
    'uvm-sizes',
    'cosim-captured',
    'machine',
    'dpi-selftest',
    'foreign-selftest',
    'own-selftest',
    'results-selftest',
    'coverage-selftest',
    'python',
    'python-selftest',
    'prove-selftest QUICK=1',
    'mutate-selftest',
    'new-selftest',
    'additions',
    'install-selftest',
    'correlate-selftest',
    'silicon CHECK=1',
    'silicon-selftest',
    'toggles',
    'synth-selftest',
    'energy',
    'energy-blocks',
    'energy-selftest',
    'layout-selftest',
    'layout BLOCK=stream_bypass SET=tiny CLOCK=ideal',
    'fuzz',
    'trace-memory',
    'config-fuzz-selftest',
    'study-selftest',
    'pages',
    'documented DEEP=1',
    'moved',
    'quick',
    'bench',
    'bench-cosim',
    'rtl',
    'synth-pages',
    'lint-rtl',
    'artifact',
    'reproduce',
    'cross',
    'build CC=clang B=build/clang',
)
FUZZ_SEEDS = 20  # of random machines, 1000 each


@dataclass
class Row:
    result: str
    seconds: int
    day: str
    commit: str


def jobs(root):
    """All jobs, as arguments of make."""
    blocks = steps.blocks(root)
    with_bugs = {b.block for b in manifest.wanted('lockstep', [])}
    proved = {b.block for b in manifest.wanted('prove', [])}
    routed = {b for b, _ in layouts.load(root / layouts.PATH)}
    covered = {p.parent.name for p in (root / 'cosim/blocks').glob('*/coverage.toml')}
    some_of = {
        'cosim-selftest': with_bugs,
        'coverage': covered,
        'prove-selftest': proved,
        'layout-check': routed,
    }
    made = list(OF_ALL)
    for text in OF_A_BLOCK:
        some = some_of.get(text.split()[0], blocks)
        made += [text.format(b=b) for b in blocks if b in some]
    made += [
        f'mutate-system COUNT=500 FILES={p.relative_to(root)}' for p in sorted((root / 'cmodel/system').glob('**/*.c'))
    ]
    made += ['config-fuzz EVERY=1 RUNS=1', *(f'config-fuzz RUNS=1000 SEED={n}' for n in range(1, FUZZ_SEEDS + 1))]
    made += [f'study NAME={p.stem} SIZE=full' for p in sorted((root / 'studies').glob('*.toml'))]
    return made


def read(path):
    return {job: Row(result, int(seconds), day, commit) for job, result, seconds, day, commit in table.read(path)}


def write(path, rows):
    table.write(path, HEAD, [(job, r.result, r.seconds, r.day, r.commit) for job, r in rows.items()])


def here(root):
    changed = subprocess.run(
        ['git', 'status', '--porcelain', '--', '.', f':!{TABLE}', f':!{passed.TABLE}'],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    return passed.commit(root)[:12] + ('+' if changed.strip() else '')


def parts(names, rows, count=0):
    """Splits the jobs into `count` lists (0: by their seconds) of about equal length: longest first, each to the shortest list."""
    seconds = {n: rows[n].seconds if n in rows else GUESS for n in names}
    count = count or max(1, -(-sum(seconds.values()) // PART_SECONDS))
    lists, full = [[] for _ in range(count)], [0] * count
    for n in sorted(names, key=lambda n: (-seconds[n], n)):
        k = full.index(min(full))
        lists[k].append(n)
        full[k] += seconds[n]
    return [(sorted(part), total) for part, total in zip(lists, full)]


def chosen(root, text):
    """(label, jobs) of PART=k/N; all jobs without it."""
    names, rows = jobs(root), read(root / TABLE)
    if not text:
        return 'all', names
    k, _, count = text.partition('/')
    if not (k.isdigit() and count.isdigit() and 1 <= int(k) <= int(count) <= len(names)):
        sys.exit(f'deep: PART: found "{text}", expected k/N with k from 1 to N, and N up to {len(names)}')
    return f'part {text}', parts(names, rows, int(count))[int(k) - 1][0]


def run(root, build, part, jobs_at_once):
    name, names = chosen(root, part)
    commit, rows = here(root), read(root / TABLE)
    failed = again = 0
    for n in names:
        if n in rows and (rows[n].result, rows[n].commit) == ('passed', commit):
            again += 1
            continue
        print(f'== make {n} ({datetime.datetime.now(datetime.timezone.utc):%H:%M:%S})', flush=True)
        begun = time.monotonic()
        good = subprocess.run(['make', f'-j{jobs_at_once}', *n.split()], cwd=root, check=False).returncode == 0
        failed += not good
        rows = read(root / TABLE) | {
            n: Row(
                'passed' if good else 'FAILED',
                round(time.monotonic() - begun),
                datetime.date.today().isoformat(),
                commit,
            )
        }
        write(root / TABLE, rows)  # written at once, so that an interrupted run resumes here
        words = dict(w.split('=') for w in n.split()[1:])
        if good and n.split()[0] in steps.STEPS and set(words) <= {'BLOCK'}:
            passed.note(root, build, n.split()[0], [words['BLOCK']] if words else steps.blocks(root))
    print(f'deep: {name}: {len(names) - failed} of {len(names)} jobs passed, {again} of them before, {failed} failed')
    return 1 if failed else 0


def status(root):
    names, rows, commit = jobs(root), read(root / TABLE), here(root)
    print(
        f'commit {commit}; PART=k/{len(parts(names, rows))}, each about {PART_SECONDS // 60} minutes (a job that has not run: {GUESS} seconds)'
    )
    print(
        f'{"part":>5} {"jobs":>5} {"minutes":>8} {"passed":>7} {"of this commit":>15} {"failed":>7} {"not run":>8}  oldest'
    )
    for k, (part, total) in enumerate(parts(names, rows), 1):
        known = [rows[n] for n in part if n in rows]
        good = [r for r in known if r.result == 'passed']
        print(
            f'{k:>5} {len(part):>5} {total / 60:>8.0f} {len(good):>7} {sum(r.commit == commit for r in good):>15} {len(known) - len(good):>7} {len(part) - len(known):>8}  '
            f'{min((r.day for r in known), default="-")}'
        )
    for n in sorted(n for n in names if n in rows and rows[n].result != 'passed'):
        print(f'FAILED make {n}  {rows[n].day} {rows[n].commit}')
    return 0
