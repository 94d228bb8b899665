# SPDX-License-Identifier: Apache-2.0
"""C's integer arithmetic on values: promotion, conversion, operators, and the cases that C leaves undefined."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from tb.prove.aig import FALSE, TRUE, Aig
from tb.prove.bitvec import BitVec, Bits, const, extend
from tb.prove.cvalues import BOOL, INT, CType, Int, Loaded, Pointer, PointerValue, Value, make, number


class CError(Exception):
    pass


class LoopError(CError):
    """A loop that has more turns than it may."""


def promote_type(t: Int) -> Int:
    return t if t.rank >= INT.rank else INT


def common_type(a: Int, b: Int) -> Int:
    """The usual arithmetic conversions, for promoted types."""
    if a == b:
        return a
    if a.signed == b.signed:
        return a if a.rank >= b.rank else b
    u, s = (b, a) if a.signed else (a, b)
    return u if u.rank >= s.rank else s  # a signed type of greater rank holds every value of the unsigned one


class Arithmetic:
    """Needs: g (the graph), v (BitVec on it), pc (the literal under which control is here), undefined, error()."""

    g: Aig
    v: BitVec
    pc: int
    undefined: list[tuple[str, str, int]]
    divide: Callable[[Bits, Bits], tuple[Bits, Bits] | None]

    def error(self, node: Any, what: str) -> NoReturn:
        raise NotImplementedError

    def forbid(self, node: Any, what: str, cond: int) -> None:
        """An obligation: cond is false whenever control is here."""
        cond = self.g.and_(self.pc, cond)
        if cond != FALSE:
            self.undefined.append((str(node.coord), what, cond))

    def convert(self, value: Loaded, ty: CType, node: Any) -> Loaded:
        if not isinstance(ty, Int):
            if isinstance(ty, Pointer) and not isinstance(value, PointerValue):
                self.error(node, 'a number as a pointer')
            return value
        if not isinstance(value, Value):
            self.error(node, 'a pointer or aggregate as a number')
        if value.type == ty:
            return value
        if isinstance(value.bits, int):
            n = value.number()
            return number(int(n != 0) if ty is BOOL else n or 0, ty)
        if ty is BOOL:
            return make((self.v.nonzero(value.bits),), BOOL)
        return make(extend(value.bits, ty.width, value.type.signed), ty)

    def boolean(self, lit: int) -> Value:
        return make(extend((lit,), 32), INT)

    def binary(self, op: str, a: Value, b: Value, node: Any) -> Value:
        if not isinstance(a, Value) or not isinstance(b, Value):
            self.error(node, f'operator {op} on a pointer or aggregate')
        ta, tb = promote_type(a.type), promote_type(b.type)
        if op in ('<<', '>>'):
            return self.shift(op, self.convert(a, ta, node), self.convert(b, tb, node), node)
        ty = common_type(ta, tb)
        a, b = self.convert(a, ty, node), self.convert(b, ty, node)
        x, y = a.number(), b.number()
        if x is not None and y is not None:
            return self.fold(op, x, y, ty, node)
        return self.arithmetic(op, a.vector(), b.vector(), ty, node)

    def fold(self, op: str, x: int, y: int, ty: Int, node: Any) -> Value:
        if op in ('==', '!=', '<', '>', '<=', '>='):
            return number(int({'==': x == y, '!=': x != y, '<': x < y, '>': x > y, '<=': x <= y, '>=': x >= y}[op]))
        if op in ('/', '%'):
            if y == 0:
                self.forbid(node, 'division by zero', TRUE)
                return number(0, ty)
            q = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
            r = q if op == '/' else x - q * y
        elif op in '+-*&|^':
            r = {'+': x + y, '-': x - y, '*': x * y, '&': x & y, '|': x | y, '^': x ^ y}[op]
        else:
            self.error(node, f'operator {op}')
        if ty.signed and not -(1 << (ty.width - 1)) <= r < 1 << (ty.width - 1):
            self.forbid(node, 'signed overflow', TRUE)
        return number(r, ty)

    def arithmetic(self, op: str, a: Bits, b: Bits, ty: Int, node: Any) -> Value:
        v, s = self.v, ty.signed
        if op in ('==', '!='):
            return self.boolean(v.eq(a, b) ^ (op == '!='))
        if op in ('<', '>='):
            return self.boolean(v.less(a, b, s) ^ (op == '>='))
        if op in ('>', '<='):
            return self.boolean(v.less(b, a, s) ^ (op == '<='))
        if op in ('&', '|', '^'):
            return make({'&': v.and_, '|': v.or_, '^': v.xor}[op](a, b), ty)
        if op in ('/', '%'):
            self.forbid(node, 'division by zero', v.nonzero(b) ^ 1)
            q, r = not s and self.divide(a, b) or (v.divmod_signed if s else v.divmod_unsigned)(a, b)
            if s:
                lowest = const(1 << (ty.width - 1), ty.width)
                self.forbid(node, 'signed overflow', self.g.and_(v.eq(a, lowest), v.all_ones(b)))
            return make(q if op == '/' else r, ty)
        if op not in ('+', '-', '*'):
            self.error(node, f'operator {op}')
        f: Any = {'+': v.add, '-': v.sub, '*': v.mul}[op]
        if not s:
            return make(f(a, b), ty)
        w = ty.width * 2 if op == '*' else ty.width + 1
        if op == '*' and not any(x[ty.width // 2 - 1 :] != (FALSE,) * (ty.width // 2 + 1) for x in (a, b)):
            w = ty.width  # both halves are small: the product cannot overflow
        wide = f(extend(a, w, True), extend(b, w, True))
        if w > ty.width:
            self.forbid(node, 'signed overflow', v.eq(extend(wide[: ty.width], w, True), wide) ^ 1)
        return make(wide[: ty.width], ty)

    def shift(self, op: str, a: Value, b: Value, node: Any) -> Value:
        w, ty = a.type.width, a.type
        n = b.number()
        if n is not None:
            if not 0 <= n < w:
                self.forbid(node, 'shift amount out of range', TRUE)
                n = 0
            x = a.number()
            if x is not None:
                if op == '<<' and ty.signed and (x < 0 or x << n >= 1 << (w - 1)):
                    self.forbid(node, 'signed overflow', TRUE)
                return number(x << n if op == '<<' else x >> n, ty)
            amount = const(n, 7)
        else:
            amount = b.vector()
            inside = self.v.less(amount, const(w, len(amount)))  # a negative amount is a large unsigned one
            self.forbid(node, 'shift amount out of range', inside ^ 1)
            amount = amount[: (w - 1).bit_length()]
        bits = a.vector()
        if op == '>>':
            return make(self.v.shr(bits, amount, bits[-1] if ty.signed else FALSE), ty)
        result = self.v.shl(bits, amount)
        if ty.signed:
            wide = self.v.shl(extend(bits, 2 * w), amount)
            self.forbid(node, 'signed overflow', self.v.nonzero(wide[w - 1 :]))
            self.forbid(node, 'left shift of a negative number', bits[-1])
        return make(result, ty)
