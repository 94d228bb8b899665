# SPDX-License-Identifier: Apache-2.0
"""Icarus Verilog: builds a simulation and runs it."""
from tb.prove.tool import called


def build(top, binary, sources, include=(), libs=(), options=()):
    """`libs` are folders in which a module that no source has is looked up by its name."""
    called(['iverilog', '-g2012', *options, '-s', top, '-o', binary, *(f'-I{d}' for d in include),
            *(word for d in libs for word in ('-y', d)), '-Y', '.sv', *sources])


def run(binary, *plusargs):
    return called(['vvp', '-n', binary, *plusargs])
