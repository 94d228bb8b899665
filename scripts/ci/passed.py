# SPDX-License-Identifier: Apache-2.0
"""The table of passed steps, .ci/passed.tsv: step, block, digest of the inputs, day.  CI runs in full every step that is missing there, and a
tenth of the others in rotation, selected by the commit."""
import datetime
import hashlib
import subprocess

from scripts.ci import steps, table

TABLE = '.ci/passed.tsv'  # in the tree
NOTED = 'ci/passed.tsv'  # below build/: steps that passed in this tree
HEAD = 'Inputs with which a step has passed: step, block, digest of the inputs (scripts/ci/steps.py), day.  make passed UPDATE=1 writes it.'
TURNS = 10


def read(path):
    """(step, block) -> (digest, day)."""
    return {(step, block): (digest, day) for step, block, digest, day in table.read(path)}


def write(path, rows):
    table.write(path, HEAD, [(*key, *value) for key, value in rows.items()])


def commit(root):
    done = subprocess.run(['git', 'rev-parse', 'HEAD'], cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.strip() or 'none'


def its_turn(name, step, block):
    """Whether an unchanged step runs anyway in the run named `name`: one in ten does."""
    return int(hashlib.sha256(f'{name} {step} {block}'.encode()).hexdigest(), 16) % TURNS == 0


def due(root, step, wanted, name):
    """(blocks whose inputs are new, unchanged blocks by turn, blocks left out)."""
    passed = read(root / TABLE)
    new, turn, left = [], [], []
    for b in wanted:
        known = passed.get((step, b))
        if not known or known[0] != steps.digest(root, step, b):
            new.append(b)
        else:
            (turn if its_turn(name, step, b) else left).append(b)
    return new, turn, left


def note(root, build, step, blocks):
    """Records these steps as passed."""
    path, today = build / NOTED, datetime.date.today().isoformat()
    write(path, read(path) | {(step, b): (steps.digest(root, step, b), today) for b in blocks})


def update(root, build):
    """Copies the steps that passed here with the tree's current inputs; returns the number of changed rows."""
    before = read(root / TABLE)
    known = {(step, b) for step in steps.STEPS for b in steps.blocks(root)}
    kept = {key: value for key, value in before.items() if key in known}
    found = {
        key: value
        for key, value in read(build / NOTED).items()
        if key in known and steps.digest(root, *key) == value[0]
    }
    fresh = {key: value for key, value in found.items() if kept.get(key, ('',))[0] != value[0]}
    write(root / TABLE, kept | fresh)
    return len(fresh)
