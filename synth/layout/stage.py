# SPDX-License-Identifier: Apache-2.0
"""A tool that takes minutes runs again only if its input files changed."""
import hashlib
import subprocess

from synth.yosys import ToolError


def digest(out, names):
    h = hashlib.sha256()
    for name in names:
        h.update(f'{name}\0'.encode() + (out / name).read_bytes())
    return h.hexdigest()


def run(what, command, out, inputs, outputs, limit_s):
    """Runs a command in `out`; its words go to WHAT.log.  Raises if it takes too long, fails or leaves an output file out."""
    key, now = out / f'{what}.key', digest(out, inputs)
    if key.exists() and key.read_text() == now and all((out / n).exists() for n in outputs):
        return
    for name in (*outputs, key.name):
        (out / name).unlink(missing_ok=True)
    log = out / f'{what}.log'
    try:
        with log.open('w') as said:
            done = subprocess.run(command, cwd=out, stdout=said, stderr=said, stdin=subprocess.DEVNULL, timeout=limit_s)
    except FileNotFoundError:
        raise ToolError(f'{what}: found no {command[0]}, expected a package of synth/layout/packages.txt')
    except subprocess.TimeoutExpired:
        raise ToolError(f'{what}: found no end of {command[0]} after {limit_s} s, see {log}')
    lost = [n for n in outputs if not (out / n).exists()]
    if done.returncode or lost:
        raise ToolError(
            f'{what}: {command[0]} ended with status {done.returncode} and without {" ".join(lost)}, see {log}'
        )
    key.write_text(now)
