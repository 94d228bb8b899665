# SPDX-License-Identifier: Apache-2.0
"""Output folders of a run: written atomically, and never over files of somebody else.  Generated files: written if they change."""
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cosim.manifest import ParamError

RESULT = 'result.json'
SUMS = 'SHA256SUMS'  # of all files of a folder that is written here


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def contents(path: Path) -> list[Path]:
    """All non-directory entries of a folder, except the list itself."""
    return [p for p in sorted(path.rglob('*')) if (p.is_symlink() or not p.is_dir()) and p != path / SUMS]


def foreign(path: Path) -> str | None:
    """Name of a file that differs from the one that the last run wrote, else None.  A folder without a list is not searched: it may be large."""
    if not (path / SUMS).is_file():
        return next(iter(sorted(p.name for p in path.iterdir())), None)
    lines = (line.partition('  ') for line in (path / SUMS).read_text(errors='replace').splitlines())
    listed = {name: digest_of for digest_of, blanks, name in lines if blanks}
    return next(
        (
            str(p.relative_to(path))
            for p in contents(path)
            if not p.is_file() or listed.get(str(p.relative_to(path))) != digest(p)
        ),
        None,
    )


def check(path: Path) -> None:
    """Refuses a folder that cannot be written or that holds other files; called before anything runs."""
    try:
        other = foreign(path) if path.is_dir() else None
        if other:
            raise ParamError(
                f'OUT={path}: found a folder with other files ({other}), expected a new name, an empty folder, or an earlier result that is as it was written'
            )
        if path.exists() and not path.is_dir():
            raise ParamError(f'OUT={path}: found a file, expected a folder')
        path.parent.mkdir(parents=True, exist_ok=True)
        os.rmdir(tempfile.mkdtemp(prefix=f'.{path.name}.', dir=path.parent))
    except OSError as e:
        raise ParamError(f'OUT={path}: {e.strerror}: expected a folder that can be written') from None


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A temporary folder beside `path` that replaces it on success.  The caller has checked user-given paths."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=f'.{path.name}.', dir=path.parent))
    new.chmod(0o755)
    old = new.with_name(new.name + '.old')
    try:
        yield new
        (new / SUMS).write_text(''.join(f'{digest(p)}  {p.relative_to(new)}\n' for p in contents(new)))
        if path.exists():
            path.rename(old)
        new.rename(path)
    finally:
        if old.exists() and not path.exists():
            old.rename(path)
        shutil.rmtree(new, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def write(name: str, text: str) -> None:
    """Writes a file atomically, and only if it changes: other make processes may read it."""
    path = Path(name)
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f'{path.name}.{os.getpid()}')
        new.write_text(text)
        new.replace(path)


def write_json(path: Path, result: dict[str, Any]) -> None:
    path.write_text(json.dumps({'made_by': 'memtwin synth'} | result, indent=1) + '\n')
