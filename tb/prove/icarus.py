"""Icarus Verilog: builds a simulation and runs it."""
import subprocess


class IcarusError(Exception):
    """What Icarus printed."""


def called(command):
    r = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if r.returncode:
        raise IcarusError((r.stderr + r.stdout).strip() or f'{command[0]}: ended with status {r.returncode}')
    return r.stdout


def build(top, binary, sources, include=(), libs=(), options=()):
    """`libs` are folders in which a module that no source has is looked up by its name."""
    called(['iverilog', '-g2012', *options, '-s', top, '-o', binary, *(f'-I{d}' for d in include),
            *(word for d in libs for word in ('-y', d)), '-Y', '.sv', *sources])


def run(binary, *plusargs):
    return called(['vvp', '-n', binary, *plusargs])
