# SPDX-License-Identifier: Apache-2.0
"""A test bench in Python: the Verilated RTL of an MSHR file beside its twin, with random traffic; every output, every cycle.

docs/python.md says how to run it."""
import random
import sys
from typing import Any

from libmemtwin import Mshr, MshrResult, Rtl


def traffic(chance: random.Random, widths: dict[str, int]) -> dict[str, int]:
    """Inputs of a cycle: few lines, so that requests merge and fills find their line."""
    inputs = {name: chance.getrandbits(width) for name, width in widths.items()}
    inputs['req_addr_i'] = chance.randrange(4)
    inputs['fill_addr_i'] = chance.randrange(4)
    return inputs


def differences(rtl: Any, twin: Any) -> list[str]:
    return [f'{name}: rtl={a:#x} model={b:#x}' for name, a, b in zip(twin._fields, rtl, twin) if a != b]


def main(path: str, cycles: int) -> int:
    chance, seen = random.Random(1), set()
    rtl = Rtl(path, Mshr)
    twin = Mshr(**rtl.parameters)
    rtl.reset()
    twin.reset()
    for cycle in range(cycles):
        inputs = traffic(chance, twin.inputs)
        found, expected = rtl.step(**inputs), twin.step(**inputs)
        if found != expected:
            print(f'FAIL bench mshr cycle={cycle}', *differences(found, expected), sep='\n  ')
            return 1
        if expected.rsp_valid_o:
            seen.add(MshrResult(expected.rsp_result_o).name)
        if chance.random() < 0.001:
            rtl.reset()
            twin.reset()
    print(f'PASS bench mshr {twin.parameters} {cycles} cycles, results seen: {", ".join(sorted(seen))}')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
