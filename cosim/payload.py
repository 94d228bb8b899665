# SPDX-License-Identifier: Apache-2.0
"""Finds the valid that qualifies each input of a block: the rule of cmodel/blocks/ports.h, with the exceptions that the block lists
in B_VALID(X)."""
import re
from pathlib import Path

from cosim.parts import listed

CONTROL = re.compile(r'\w+_(valid|ready)_i')
ALWAYS = 'always'


class PayloadError(Exception):
    pass


def by_name(port: str, inputs: list[str]) -> str | None:
    """x_valid_i for x_i and x_*_i; the longest x wins."""
    words = port[: -len('_i')].split('_')
    channels = ('_'.join(words[:n]) for n in range(len(words), 0, -1))
    return next((v for v in (c + '_valid_i' for c in channels) if v in inputs), None)


def in_text(text: str, shared: str = '') -> dict[str, str]:
    """Input -> its valid, or ALWAYS for an input that is read in every cycle; control inputs are left out."""
    inputs = [name for _, name in listed(text, 'IN', shared)]
    exceptions = dict(listed(text, 'VALID'))
    for port, valid in exceptions.items():
        if port not in inputs or CONTROL.fullmatch(port):
            raise PayloadError(f'VALID: {port}: expected a payload input of the list')
        if valid != ALWAYS and not (valid in inputs and CONTROL.fullmatch(valid)):
            raise PayloadError(f'VALID: {port}: found {valid}, expected an input x_valid_i or x_ready_i, or {ALWAYS}')
        if valid == by_name(port, inputs):
            raise PayloadError(f'VALID: {port}: {valid} is its valid by its name')
    payload = {}
    for port in inputs:
        if CONTROL.fullmatch(port):
            continue
        named = exceptions.get(port) or by_name(port, inputs)
        if not named:
            raise PayloadError(
                f'{port}: payload without its valid: expected an input x_valid_i after its name, or an entry of VALID'
            )
        payload[port] = named
    return payload


def of(block: str, root: Path | str = '.') -> dict[str, str]:
    folder = Path(root, 'cmodel/blocks')
    return in_text((folder / f'{block}.h').read_text(), ''.join(p.read_text() for p in sorted(folder.glob('*_file.h'))))
