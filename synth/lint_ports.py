# SPDX-License-Identifier: Apache-2.0
"""Compares a block's RTL with its list of ports and registers: names, widths and depths, in both directions.

usage: python3 -B -m synth.lint_ports DESCRIBE_JSON YOSYS_JSON TOP     (YOSYS_JSON is written after `hierarchy; proc`)
"""
import json
import sys


def rtl_ports(module):
    return {n: (p['direction'], len(p['bits'])) for n, p in module['ports'].items() if n not in ('clk_i', 'rst_ni')}


def rtl_registers(module):
    """name -> (width, depth) of every signal named *_q; an array appears as a memory, or as name[i] if it was split."""
    found, split = {}, {}
    for n, m in module.get('memories', {}).items():
        found[n] = (m['width'], m['size'])
    for n, w in module['netnames'].items():
        if w['hide_name'] or '.' in n:
            continue
        if n.endswith(']') and '[' in n:
            split.setdefault(n[: n.index('[')], []).append(len(w['bits']))
        elif n not in found:
            found[n] = (len(w['bits']), 1)
    for n, widths in split.items():
        found[n] = (widths[0], len(widths))
    return {n: s for n, s in found.items() if n.endswith('_q')}


def main():
    listed = json.load(open(sys.argv[1]))
    module = next(
        m for n, m in json.load(open(sys.argv[2]))['modules'].items() if m['attributes'].get('top') or n == sys.argv[3]
    )
    errors = []
    ports = rtl_ports(module)
    for side, direction in (('in', 'input'), ('out', 'output')):
        for p in listed[side]:
            have = ports.pop(p['name'], None)
            if have != (direction, p['width']):
                errors.append(f"port {p['name']}: listed as {direction} of {p['width']} bits, RTL has {have}")
    errors += [f'port {n}: in the RTL as {s}, not listed' for n, s in ports.items()]
    registers = rtl_registers(module)
    for r in listed['state']:
        have = registers.pop(r['name'], None)
        bits = r['width'] * r['depth']
        packed = r['width'] == 1 and have == (r['depth'], 1)
        if bits and have != (r['width'], r['depth']) and not packed:
            errors.append(f"register {r['name']}: listed as {r['depth']} of {r['width']} bits, RTL has {have}")
    errors += [f'register {n}: in the RTL as {s}, not listed' for n, s in registers.items()]
    for e in errors:
        print(f'FAIL lint {sys.argv[3]}: {e}')
    return 1 if errors or not (listed['in'] and listed['out']) else 0


if __name__ == '__main__':
    sys.exit(main())
