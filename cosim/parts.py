# SPDX-License-Identifier: Apache-2.0
"""The blocks that a block is made of: B_PARTS(X) of cmodel/blocks/<b>.h, which is where they are listed, once.
Without arguments, prints assembly/part for every part of every block."""
import functools
import re
from pathlib import Path


def listed(text: str, name: str, shared: str = '') -> list[tuple[str, str]]:
    """The calls X(...) of a list, the first two words of each.  A list may be another one, of `shared`, the texts of other headers."""
    found = re.search(rf'^#define \w+_{name}\(X\)((?:.*\\\n)*.*)$', text, re.M)
    other = re.fullmatch(r'\s*\w+_(\w+)\(X\)', found[1]) if found else None
    if other:
        return listed(shared, other[1])
    return re.findall(r'\bX\((\w+), *(\w+)', found[1]) if found else []


def in_text(text: str) -> list[str]:
    return [part for part, _ in listed(text, 'PARTS')]


@functools.cache
def of(block: str, root: Path | str = '.') -> list[str]:
    path = Path(root, 'cmodel/blocks', f'{block}.h')
    return in_text(path.read_text()) if path.exists() else []


if __name__ == '__main__':
    for path in sorted(Path('cmodel/blocks').glob('*.h')):
        for part in in_text(path.read_text()):
            print(f'{path.stem}/{part}')
