# SPDX-License-Identifier: Apache-2.0
"""Icarus Verilog: builds a simulation and runs it."""
from collections.abc import Sequence
from pathlib import Path

from tb.prove.tool import called


def build(
    top: str,
    binary: Path,
    sources: list[Path],
    include: Sequence[Path] = (),
    libs: Sequence[Path] = (),
    options: Sequence[str | Path] = (),
) -> None:
    """`libs` are folders in which a module that no source has is looked up by its name."""
    called(
        [
            'iverilog',
            '-g2012',
            *options,
            '-s',
            top,
            '-o',
            binary,
            *(f'-I{d}' for d in include),
            *(word for d in libs for word in ('-y', str(d))),
            '-Y',
            '.sv',
            *sources,
        ]
    )


def run(binary: Path, *plusargs: str) -> str:
    return called(['vvp', '-n', binary, *plusargs])
