# SPDX-License-Identifier: Apache-2.0
"""Bit vectors over an and-inverter graph: tuples of literals, least significant bit first.

Everything that C's integers and Yosys's word-level cells need, defined once for both.
"""
from tb.prove.aig import FALSE, TRUE, Aig

Bits = tuple[int, ...]  # literals, the lowest bit first


def const(value: int, width: int) -> Bits:
    return tuple((value >> i) & 1 for i in range(width))


def value_of(bits: Bits) -> int | None:
    """The number that constant bits stand for, or None if any bit is not constant."""
    n = 0
    for i, b in enumerate(bits):
        if b > 1:
            return None
        n |= b << i
    return n


def extend(bits: Bits, width: int, signed: bool = False) -> Bits:
    """Truncated or extended to `width`."""
    if len(bits) >= width:
        return tuple(bits[:width])
    fill = bits[-1] if signed and bits else FALSE
    return tuple(bits) + (fill,) * (width - len(bits))


class BitVec:
    def __init__(self, aig: Aig) -> None:
        self.g = aig

    # ---- bitwise
    def not_(self, a: Bits) -> Bits:
        return tuple(x ^ 1 for x in a)

    def and_(self, a: Bits, b: Bits) -> Bits:
        return tuple(map(self.g.and_, a, b))

    def or_(self, a: Bits, b: Bits) -> Bits:
        return tuple(map(self.g.or_, a, b))

    def xor(self, a: Bits, b: Bits) -> Bits:
        return tuple(map(self.g.xor, a, b))

    def mux(self, s: int, a: Bits, b: Bits) -> Bits:
        """a when literal s, else b."""
        if s == TRUE or a == b:
            return tuple(a)
        if s == FALSE:
            return tuple(b)
        m = self.g.mux
        return tuple(m(s, x, y) for x, y in zip(a, b))

    # ---- reductions and comparisons: literals
    def nonzero(self, a: Bits) -> int:
        return self.g.any_(a)

    def all_ones(self, a: Bits) -> int:
        return self.g.all_(a)

    def parity(self, a: Bits) -> int:
        r = FALSE
        for x in a:
            r = self.g.xor(r, x)
        return r

    def eq(self, a: Bits, b: Bits) -> int:
        g = self.g
        return g.all_([g.xor(x, y) ^ 1 for x, y in zip(a, b)])

    def less(self, a: Bits, b: Bits, signed: bool = False) -> int:
        g = self.g
        if signed:
            a, b = tuple(a[:-1]) + (a[-1] ^ 1,), tuple(b[:-1]) + (b[-1] ^ 1,)
        r = FALSE
        for x, y in zip(a, b):
            r = g.mux(g.xor(x, y), y, r)
        return r

    # ---- arithmetic, all modulo 2^width
    def add(self, a: Bits, b: Bits, carry: int = FALSE) -> Bits:
        g, out = self.g, []
        for x, y in zip(a, b):
            t = g.xor(x, y)
            out.append(g.xor(t, carry))
            carry = g.or_(g.and_(x, y), g.and_(t, carry))
        return tuple(out)

    def sub(self, a: Bits, b: Bits) -> Bits:
        return self.add(a, self.not_(b), TRUE)

    def neg(self, a: Bits) -> Bits:
        return self.sub(const(0, len(a)), a)

    def mul(self, a: Bits, b: Bits) -> Bits:
        w = len(a)
        if value_of(a) is not None:
            a, b = b, a
        r = const(0, w)
        for i, s in enumerate(b):
            if s != FALSE:
                r = self.add(r, self.mux(s, (FALSE,) * i + tuple(a[: w - i]), const(0, w)))
        return r

    def divmod_unsigned(self, a: Bits, b: Bits) -> tuple[Bits, Bits]:
        """Quotient and remainder by restoring division; a divisor of 0 gives all ones and a (as SMT-LIB does)."""
        w = len(a)
        b1 = tuple(b) + (FALSE,)
        rem, quo = const(0, w + 1), [FALSE] * w
        for i in range(w - 1, -1, -1):
            rem = (a[i],) + rem[:-1]
            fits = self.less(rem, b1) ^ 1
            quo[i] = fits
            rem = self.mux(fits, self.sub(rem, b1), rem)
        return tuple(quo), rem[:w]

    def divmod_signed(self, a: Bits, b: Bits) -> tuple[Bits, Bits]:
        """Quotient towards zero; the remainder has the dividend's sign."""
        sa, sb = a[-1], b[-1]
        q, r = self.divmod_unsigned(self.mux(sa, self.neg(a), a), self.mux(sb, self.neg(b), b))
        return self.mux(self.g.xor(sa, sb), self.neg(q), q), self.mux(sa, self.neg(r), r)

    # ---- shifts by a vector; amounts at or above the width shift everything out
    def shl(self, a: Bits, amount: Bits) -> Bits:
        return tuple(reversed(self.shr(tuple(reversed(a)), amount)))

    def shr(self, a: Bits, amount: Bits, fill: int = FALSE) -> Bits:
        w, a = len(a), tuple(a)
        for k, s in enumerate(amount):
            n = min(1 << k, w)
            a = self.mux(s, a[n:] + (fill,) * n, a)
        return a

    # ---- tables
    def select(self, items: list[Bits], index: Bits, beyond: Bits | None = None) -> Bits:
        """items[index] as a tree of muxes on the index bits; `beyond` is the item for an index past the end."""
        if not index or len(items) == 1 and all(b == FALSE for b in index):
            return items[0]
        top, rest = index[-1], index[:-1]
        half = 1 << len(rest)
        if top == FALSE:
            return self.select(items[:half], rest, beyond)
        low = self.select(items[:half], rest, beyond)
        if len(items) <= half:
            high = low if beyond is None else beyond
        else:
            high = self.select(items[half:], rest, beyond)
        return self.mux(top, high, low)
