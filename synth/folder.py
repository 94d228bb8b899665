# SPDX-License-Identifier: Apache-2.0
"""The folder that a run writes: whole or not at all, and never in place of somebody else's files."""
import json
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

from manifest import ParamError

RESULT = 'result.json'  # what makes a folder one of ours


def ours(path):
    try:
        return json.loads((path / RESULT).read_text())['made_by'] == 'memtwin synth'
    except (OSError, ValueError, KeyError, TypeError):
        return False


def check(path):
    """Refuses, before anything runs, a folder that cannot be written or that holds other files."""
    if path.is_dir() and any(path.iterdir()) and not ours(path):
        raise ParamError(f'OUT={path}: found a folder with other files, expected a new name, an empty folder, or an earlier result of make synth')
    if path.exists() and not path.is_dir():
        raise ParamError(f'OUT={path}: found a file, expected a folder')
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.rmdir(tempfile.mkdtemp(prefix=f'.{path.name}.', dir=path.parent))
    except OSError as e:
        raise ParamError(f'OUT={path}: {e.strerror}: expected a folder that can be written') from None


@contextmanager
def whole(path):
    """A temporary folder beside `path`, which takes its place if nothing fails."""
    check(path)
    new = Path(tempfile.mkdtemp(prefix=f'.{path.name}.', dir=path.parent))
    new.chmod(0o755)
    old = new.with_name(new.name + '.old')
    try:
        yield new
        if path.exists():
            path.rename(old)
        new.rename(path)
    finally:
        if old.exists() and not path.exists():
            old.rename(path)
        shutil.rmtree(new, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def write_json(path, result):
    path.write_text(json.dumps({'made_by': 'memtwin synth'} | result, indent=1) + '\n')
