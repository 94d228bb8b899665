# SPDX-License-Identifier: Apache-2.0
"""Tables in the tree, as text: a heading of comments, then rows of tab-separated fields."""
from pathlib import Path


def read(path):
    """The rows; none if there is no file."""
    try:
        lines = Path(path).read_text().splitlines()
    except FileNotFoundError:
        return []
    return [line.split('\t') for line in lines if line and not line.startswith('#')]


def write(path, heading, rows):
    """Writes the sorted table atomically."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix('.new')
    new.write_text(f'# {heading}\n' + ''.join('\t'.join(map(str, row)) + '\n' for row in sorted(rows)))
    new.replace(path)
