# SPDX-License-Identifier: Apache-2.0
"""The file cosim/blocks/<b>/coverage.toml, or coverage.toml in the folder of RTL=: which sets make coverage runs, and the points that no run can reach.

sets        those whose runs are merged; without it, or without the file, all but those of the machine, which have the same lines and wider ports
[lines]     "FILE: TEXT" = "reason": lines of that file in which TEXT stands
[branches]  the same, for branches that are not taken there; or TEXT is the name that coverage.py prints: "condition is true"
[toggles]   "INSTANCE.SIGNAL" or "INSTANCE.SIGNAL[BIT]" = "reason", with * for any text, ? for a character and [6,3:1] for each of 6, 3, 2, 1;
            the block's own signals have no INSTANCE
A reason may be the name of a property or an invariant, p_NAME or x_NAME, which make formal proves."""
import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from cosim.manifest import Manifest, ParamError, one_of

KINDS = ('lines', 'branches', 'toggles')


@functools.cache
def each_number(text: str) -> list[str]:
    """A text with one number in place of each list, as of [6,3:1]: 6, 3, 2 and 1."""
    found = re.fullmatch(r'(.*?)\[(\d+(?:[:,]\d+)+)\](.*)', text)
    if not found:
        return [text]
    ranges = [[int(n) for n in part.split(':')] for part in found[2].split(',')]
    numbers = [n for r in ranges for n in range(r[-1], r[0] + 1)]
    return [t for n in numbers for t in each_number(f'{found[1]}[{n}]{found[3]}')]


@dataclass
class Entry:
    """The points that cannot be reached."""

    text: str
    reason: str
    where: str


class Reach:
    """`own`: the folder of a user's RTL."""

    def __init__(self, m: Manifest, root: Path = Path('.'), own: Path | None = None) -> None:
        self.m = m
        self.path = (own or root / f'cosim/blocks/{m.name}') / 'coverage.toml'
        folder, self.properties = (own, '*.*v') if own else (root / f'rtl/{m.name}', '*_formal.sv')
        self.formal = ''.join(p.read_text(errors='replace') for p in folder.glob(self.properties))
        self.properties = f'{folder}/{self.properties}'
        self.text = self.path.read_text() if self.path.exists() else ''
        try:
            self.table = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as e:
            raise ParamError(f'{self.path}: {e}, expected TOML') from None
        for key in self.table:
            one_of(key, ('sets', *KINDS), self.where(key))
        for name in self.table.get('sets', []):
            one_of(name, m.sets, self.where('sets'))
        self.listed = {kind: [self.entry(kind, text) for text in self.table.get(kind, {})] for kind in KINDS}

    def where(self, key: str) -> str:
        lines = self.text.splitlines()
        found = [k for k, line in enumerate(lines, 1) if line.lstrip('["').startswith(key)]
        return f'{self.path}:{found[0] if found else 1}: {key}'

    def sets(self) -> list[str]:
        large = self.m.machine.get('sets', [])
        return self.table.get('sets') or [s for s in self.m.sets if s not in large] or [*self.m.sets]

    def entry(self, kind: str, text: str) -> Entry:
        reason, where = self.table[kind][text], self.where(text)
        if not isinstance(reason, str) or not reason.strip():
            raise ParamError(f'{where}: found {reason!r}, expected a reason, or the name of a property')
        if re.fullmatch(r'[px]_\w+', reason) and reason not in self.formal:
            raise ParamError(f'{where}: found {reason}, expected a property of {self.properties}')
        return Entry(text, reason, where)
