# SPDX-License-Identifier: Apache-2.0
"""Other programs: run to their end, or one line that says why not."""
import subprocess
from pathlib import Path


class ToolError(Exception):
    """Why a program could not be run, in a line."""


def called(command: list[Path | str]) -> str:
    """Its output."""
    try:
        r = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    except OSError as e:
        raise ToolError(f'{command[0]}: {e.strerror}') from None
    if r.returncode:
        said = (r.stderr + r.stdout).strip().splitlines()
        raise ToolError(f'{command[0]} ends with status {r.returncode}: {said[0] if said else "no word"}')
    return r.stdout
