# SPDX-License-Identifier: Apache-2.0
"""Random C functions without undefined behaviour: typed expressions, conversions, branches and table accesses."""

TYPES = ['bool', 'uint8_t', 'uint16_t', 'uint32_t', 'uint64_t', 'int8_t', 'int16_t', 'int32_t', 'int64_t']


def expression(rng, depth):
    if depth == 0 or rng.random() < 0.1:
        return rng.choice(
            [
                'a',
                'b',
                'c',
                'x',
                'y',
                'z',
                str(rng.randrange(300)),
                f'{rng.randrange(1 << 20)}u',
                f'({rng.choice(TYPES)})a',
                f'({rng.choice(TYPES)})b',
                f't[{rng.choice("abc")} & 3]',
            ]
        )
    l, r = expression(rng, depth - 1), expression(rng, depth - 1)
    pick = rng.randrange(12)
    if pick < 3:  # unsigned 64 or 32 bit arithmetic wraps
        return f'({rng.choice(["(uint64_t)", "(uint32_t)"])}({l}) {rng.choice("+-*")} {rng.choice(["(uint64_t)", "(uint32_t)"])}({r}))'
    if pick < 5:  # small signed arithmetic cannot overflow
        return f'((int16_t)({l}) {rng.choice("+-")} (int8_t)({r}))'
    if pick == 5:
        return f'(({l}) {rng.choice(["&", "|", "^"])} ({r}))'
    if pick == 6:
        return f'(({l}) {rng.choice(["<", ">", "<=", ">=", "==", "!=", "&&", "||"])} ({r}))'
    if pick == 7:
        w, t = rng.choice([(31, 'uint32_t'), (63, 'uint64_t')])
        return f'(({t})({l}) {rng.choice(["<<", ">>"])} (({r}) & {w}))'
    if pick == 8:
        return f'((({rng.choice(TYPES[5:])})({l})) >> (({r}) & 7))'
    if pick == 9:
        return f'(({l}) ? ({r}) : ({expression(rng, depth - 1)}))'
    if pick == 10:
        return f'({rng.choice(["!", "~"])}({l}))'
    return f'(({rng.choice(TYPES)})({l}))'


def random_functions(rng, count):
    parts = ['#include <stdbool.h>', '#include <stdint.h>']
    for k in range(count):
        tx, ty, tz, tt = (rng.choice(TYPES) for _ in range(4))
        parts.append(
            f'''
uint64_t f_random{k}(uint64_t a, uint64_t b, uint32_t c)
{{
    {tx} x = ({tx})c;
    {ty} y = ({ty})a;
    {tz} z = ({tz})b;
    {tt} t[4] = {{({tt})a, ({tt})b, 1, ({tt})c}};
    if ({expression(rng, 2)}) {{
        t[a & 3] = ({tt})({expression(rng, 3)});
        x = ({tx})({expression(rng, 2)});
        if ({expression(rng, 1)}) return (uint64_t)({expression(rng, 2)});
    }} else
        y = ({ty})({expression(rng, 3)});
    for (int i = 0; i < 3; i++) {{
        if ({expression(rng, 1)}) continue;
        z = ({tz})({expression(rng, 2)});
        if (t[i] == y) break;
    }}
    return (uint64_t)({expression(rng, 3)}) ^ (uint64_t)x ^ (uint64_t)z;
}}'''
        )
    return '\n'.join(parts) + '\n'
