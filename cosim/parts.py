# SPDX-License-Identifier: Apache-2.0
"""The blocks that a block is made of: B_PARTS(X) of cmodel/blocks/<b>.h, which is where they are listed, once.
Without arguments, prints assembly/part for every part of every block.  With file names, prints the place of each row of a port list that is not in
the format of ports.h: compilers name the place where a list is used."""
import functools
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

FIELDS = {
    'PARAM': 'name, default, min, max, text',
    'IN': 'kind, name, width, text',
    'OUT': 'kind, name, width, text',
    'REG': 'kind, name, width, text',
    'MEM': 'kind, name, width, max, depth, text',
}
KINDS = ('BIT', 'U8', 'U16', 'U32', 'U64', 'W1024')
FIELD = re.compile(r'(?:"(?:\\.|[^"\\])*"|\((?:[^()]|\([^()]*\))*\)|[^,"()])+')


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


def wrong_row(row: str, fields: str) -> str | None:
    """The error of a row, without its backslash."""
    whole = re.fullmatch(rf'\s*X\(((?:{FIELD.pattern},)*{FIELD.pattern})\)\s*', row)
    found = [f.strip() for f in FIELD.findall(whole[1])] if whole else []
    names = zip(fields.split(', '), found)
    if (
        len(found) != fields.count(',') + 1
        or found[-1][:1] != '"'
        or not all(f.isidentifier() for n, f in names if n == 'name')
    ):
        return f'found {row.strip()}, expected X({fields})'
    if fields.startswith('kind') and found[0] not in KINDS:
        return f'found kind {found[0]}, expected one of {", ".join(KINDS)}'
    return None


def malformed(paths: Iterable[Path]) -> Iterator[str]:
    for path in paths:
        fields = ''
        for k, line in enumerate(path.read_text().splitlines(), 1):
            head = re.match(r'#define \w+_(PARAM|IN|OUT|REG|MEM)\(X\)', line)
            fields = FIELDS[head[1]] if head else fields
            row = line.removesuffix('\\')
            wrong = wrong_row(row, fields) if fields and re.match(r'\s*X\(', row) else None
            if wrong:
                yield f'{path}:{k}: {wrong}'
            fields = fields if line.endswith('\\') else ''


def main() -> None:
    for wrong in malformed(map(Path, sys.argv[1:])):
        print(wrong)
    for path in [] if sys.argv[1:] else sorted(Path('cmodel/blocks').glob('*.h')):
        for part in in_text(path.read_text()):
            print(f'{path.stem}/{part}')


if __name__ == '__main__':
    main()
