# SPDX-License-Identifier: Apache-2.0
"""An and-inverter graph with structural hashing: the one form into which both faces of a block are brought.

A literal is 2*node, plus 1 when inverted; FALSE is 0 and TRUE is 1.  A node is FALSE, a variable, or the AND of two
literals.  Equal functions that are built alike get the same literal, which is how most obligations of a twin that reads
like its RTL are met without any solver.
"""
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FALSE, TRUE = 0, 1


class Aig:
    def __init__(self) -> None:
        self.left = [0]  # per node: the two literals; -1 marks a variable
        self.right = [0]
        self.names: dict[Any, Any] = {}  # variable node -> name
        self.table: dict[Any, Any] = {}

    def var(self, name: str) -> int:
        node = len(self.left)
        self.left.append(-1)
        self.right.append(-1)
        self.names[node] = name
        return 2 * node

    def and_(self, a: int, b: int) -> int:
        """AND with constant folding and the two-level rules that look at one operand's children."""
        if a > b:
            a, b = b, a
        if a == FALSE or a == b ^ 1:
            return FALSE
        if a == TRUE or a == b:
            return b
        key = (a, b)
        hit = self.table.get(key)
        if hit is not None:
            return hit
        for x, y in ((a, b), (b, a)):
            l = self.left[y >> 1]
            if l < 0:
                continue
            r = self.right[y >> 1]
            if y & 1:  # x AND NOT(l AND r)
                if x == l ^ 1 or x == r ^ 1:
                    return x
                if x == l:
                    return self.and_(x, r ^ 1)
                if x == r:
                    return self.and_(x, l ^ 1)
            elif x == l or x == r:  # x AND (x AND r)
                return y
            elif x == l ^ 1 or x == r ^ 1:
                return FALSE
        self.left.append(a)
        self.right.append(b)
        lit = self.table[key] = 2 * len(self.left) - 2
        return lit

    def or_(self, a: int, b: int) -> int:
        return self.and_(a ^ 1, b ^ 1) ^ 1

    def xor(self, a: int, b: int) -> int:
        sign = (a ^ b) & 1
        a, b = a & ~1, b & ~1
        return self.and_(self.and_(a, b) ^ 1, self.and_(a ^ 1, b ^ 1) ^ 1) ^ sign

    def mux(self, s: int, a: int, b: int) -> int:
        """a when s, else b."""
        if s == TRUE or a == b:
            return a
        if s == FALSE:
            return b
        if s & 1:
            s, a, b = s ^ 1, b, a
        if a == b ^ 1:
            return self.xor(s, b)
        if a == s:
            a = TRUE
        elif a == s ^ 1:
            a = FALSE
        if b == s:
            b = FALSE
        elif b == s ^ 1:
            b = TRUE
        return self.and_(self.and_(s, a) ^ 1, self.and_(s ^ 1, b) ^ 1) ^ 1

    def all_(self, lits: Sequence[int]) -> int:
        """AND of many, as a balanced tree over the literals in order, so that its shape does not tell who built it."""
        lits = sorted(set(lits) - {TRUE})
        if lits and lits[0] == FALSE:
            return FALSE
        while len(lits) > 1:
            lits = [self.and_(lits[i], lits[i + 1]) if i + 1 < len(lits) else lits[i] for i in range(0, len(lits), 2)]
        return lits[0] if lits else TRUE

    def any_(self, lits: Sequence[int]) -> int:
        return self.all_([l ^ 1 for l in lits]) ^ 1

    def cone(self, roots: list[int]) -> list[int]:
        """Nodes that the roots depend on, in topological order (a node's number is above its operands')."""
        seen, stack = set(), [r >> 1 for r in roots]
        while stack:
            n = stack.pop()
            if n in seen:
                continue
            seen.add(n)
            if self.left[n] > 0 or self.right[n] > 0:
                stack.append(self.left[n] >> 1)
                stack.append(self.right[n] >> 1)
        seen.discard(0)
        return sorted(seen)

    def support(self, roots: list[int]) -> list[int]:
        return [n for n in self.cone(roots) if n in self.names]

    def simulate(
        self, roots: list[int], values: dict[int, int], lanes: int = 1, cone: list[int] | None = None
    ) -> list[int]:
        """Values of the roots, `lanes` patterns at once: values maps a variable node to an integer of `lanes` bits."""
        ones = (1 << lanes) - 1
        v = {0: 0}
        left, right, names = self.left, self.right, self.names
        for n in self.cone(roots) if cone is None else cone:
            if n in names:
                v[n] = values.get(n, 0)
            else:
                a, b = left[n], right[n]
                x, y = v[a >> 1], v[b >> 1]
                if a & 1:
                    x = ~x
                if b & 1:
                    y = ~y
                v[n] = x & y & ones
        return [v[r >> 1] ^ (ones if r & 1 else 0) for r in roots]

    def write_aiger(self, path: Path, roots: list[int]) -> list[int]:
        """The cones of the roots as a binary AIGER file; returns the variable nodes in input order."""
        cone = self.cone(roots)
        inputs = [n for n in cone if n in self.names]
        ands = [n for n in cone if n not in self.names]
        number = {0: 0}
        for i, n in enumerate(inputs + ands):
            number[n] = i + 1

        def lit(l: int) -> int:
            return 2 * number[l >> 1] | (l & 1)

        out = bytearray(f'aig {len(inputs) + len(ands)} {len(inputs)} 0 {len(roots)} {len(ands)}\n'.encode())
        for r in roots:
            out += f'{lit(r)}\n'.encode()
        for n in ands:
            big, small = lit(self.left[n]), lit(self.right[n])
            if big < small:
                big, small = small, big
            for delta in (2 * number[n] - big, big - small):
                while delta > 127:
                    out.append(delta & 127 | 128)
                    delta >>= 7
                out.append(delta)
        with open(path, 'wb') as f:
            f.write(out)
        return inputs


def read_outputs(path: Path, count: int) -> list[int]:
    """The literals of the outputs of a binary AIGER file."""
    with open(path, 'rb') as f:
        outputs = int(f.readline().split()[4])
        if outputs != count:
            raise RuntimeError(f'{path}: found {outputs} outputs, expected {count}')
        return [int(f.readline()) for _ in range(outputs)]
