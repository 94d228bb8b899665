# SPDX-License-Identifier: Apache-2.0
"""Objects of a C program in symbolic execution: places, loads and stores, and branches that merge their changes."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pycparser import c_ast

from tb.prove.aig import FALSE, TRUE
from tb.prove.bitvec import Bits, const, extend
from tb.prove.carith import Arithmetic
from tb.prove.cvalues import Array, CType, Cell, Loaded, Object, Place, Pointer, PointerValue, Struct, Value, make


class Memory(Arithmetic):
    logs: list[dict[Cell, Loaded]]
    frame: Any
    depth: int
    longest: int
    possible: Callable[[int], bool]
    globals: dict[str, Any]
    typedefs: dict[str, Any]
    structs: dict[str, Any]
    functions: dict[str, Any]
    pure: dict[Any, Any]
    unit: tuple[dict[Any, Any], ...]
    rvalue: Callable[[Any], Any]
    type_of: Callable[[Any], CType]
    initialised: Callable[..., Object]
    call: Callable[[Any], Any]

    # ---- writing under a branch
    @contextmanager
    def assuming(
        self, condition: int, longest: int, possible: Callable[..., Any], divide: Callable[..., Any]
    ) -> Iterator[None]:
        """Runs the calls within where a condition holds."""
        kept = self.pc, self.logs, self.frame, self.depth, self.longest, self.possible, self.divide
        unit = self.unit
        self.pc, self.longest, self.possible, self.divide = condition, longest, possible, divide
        self.logs = []
        try:
            yield
        finally:
            self.pc, self.logs, self.frame, self.depth, self.longest, self.possible, self.divide = kept
            self.unit = self.globals, self.typedefs, self.structs, self.functions, self.pure = unit

    def set(self, cell: Cell, value: Loaded) -> None:
        if self.logs:
            self.logs[-1].setdefault(cell, cell.value)
        cell.value = value

    def attempt(self, cond: int, action: Callable[..., Any]) -> tuple[Loaded, dict[Cell, Loaded]]:
        """Runs action as if cond held; returns its result and the cells it changed with their new values, undone."""
        saved = self.pc
        self.pc = self.g.and_(saved, cond)
        self.logs.append({})
        result = action()
        log = self.logs.pop()
        self.pc = saved
        after = {c: c.value for c in log}
        for c, old in log.items():
            c.value = old
        return result, after

    def branch(
        self, cond: int, then: Callable[..., Any], other: Callable[..., Any] | None, node: Any
    ) -> tuple[Loaded, Loaded]:
        """Runs both ways and merges their changes; returns both results (None for a way not taken)."""
        if cond == TRUE:
            return then(), None
        if cond == FALSE:
            return None, other() if other else None
        r1, new1 = self.attempt(cond, then)
        r2, new2 = self.attempt(cond ^ 1, other) if other else (None, {})
        for c in list(new1) + [c for c in new2 if c not in new1]:
            self.set(c, self.choose(cond, new1.get(c, c.value), new2.get(c, c.value), node))
        return r1, r2

    def choose(self, cond: int, a: Loaded, b: Loaded, node: Any) -> Loaded:
        if a is b:
            return a
        if isinstance(a, int) and isinstance(b, int):  # a control flag: a bare literal
            return self.g.mux(cond, a, b)
        if isinstance(a, Value) and isinstance(b, Value):
            return make(self.v.mux(cond, a.vector(), b.vector()), a.type)
        if isinstance(a, dict):
            return {k: self.choose(cond, a[k], b[k], node) for k in a}
        if isinstance(a, list):
            return [self.choose(cond, x, y, node) for x, y in zip(a, b)]
        if a is None or b is None:
            return a or b  # a pointer unset on the other way: to read it there is undefined anyway
        self.error(node, 'a pointer whose target is not known')

    # ---- places
    def index(self, obj_len: int, ix: Value, node: Any) -> int | Bits | None:
        """A constant index is checked here; another becomes an obligation."""
        n = ix.number()
        if n is not None:
            if not 0 <= n < obj_len:
                self.forbid(node, f'index {n} out of range', TRUE)
                return None
            return n
        bits = ix.vector()
        w = max(len(bits), obj_len.bit_length() + 1)
        inside = self.v.less(extend(bits, w), const(obj_len, w))
        if ix.type.signed:
            inside = self.g.and_(inside, bits[-1] ^ 1)
        self.forbid(node, 'index out of range', inside ^ 1)
        return bits[: max(obj_len - 1, 1).bit_length()]  # the bits above are 0 wherever that obligation is met

    def place(self, e: Any) -> Place:
        if isinstance(e, c_ast.ID):
            for s in reversed(self.frame.scopes):
                if e.name in s:
                    return s[e.name]
            if isinstance(self.globals.get(e.name), Place):
                return self.globals[e.name]
            self.error(e, f'unknown name {e.name}')
        if isinstance(e, c_ast.StructRef):
            base = self.deref(e.name, e) if e.type == '->' else self.place(e.name)
            if not isinstance(base.type, Struct) or e.field.name not in base.type.fields:
                self.error(e, f'no member {e.field.name}')
            return self.step(base, e.field.name, base.type.fields[e.field.name])
        if isinstance(e, c_ast.UnaryOp) and e.op == '*':
            return self.deref(e.expr, e)
        if isinstance(e, c_ast.ArrayRef):
            ix = self.rvalue(e.subscript)
            array = self.element_base(e.name, e)
            if array is None:  # p[0] of a pointer to one object
                if ix.number() != 0:
                    self.error(e, 'index on a pointer to a single object')
                return self.deref(e.name, e)
            k = self.index(array.type.count, ix, e)
            if k is None:  # never executed legally; any element will do
                k = 0
            return self.step(array, k, array.type.elem)
        if isinstance(e, c_ast.CompoundLiteral):
            ty = self.type_of(e.type)
            return Place(self.initialised(e.init, ty), (), ty)
        if isinstance(e, c_ast.Cast):
            ty = self.type_of(e.to_type)
            self.error(e, f'cast to {ty} as a place')
        if isinstance(e, c_ast.FuncCall):
            value, ty = self.call(e)
            return Place(self.rebuild(value, ty), (), ty)
        self.error(e, f'{type(e).__name__} as a place')

    def element_base(self, e: Any, node: Any) -> Place | None:
        """The array that e is or points to the first element of; None if e is a pointer to a single object."""
        p = self.place(e)
        if isinstance(p.type, Array):
            return p
        if isinstance(p.type, Pointer):
            v = self.load(p)
            if isinstance(v, PointerValue):
                return v.place if v.decayed else None
        self.error(node, 'index on something that is no array')

    def deref(self, e: Any, node: Any) -> Place:
        v = self.rvalue(e)
        if not isinstance(v, PointerValue):
            self.error(node, 'dereference of something that is no pointer')
        if v.decayed:
            return self.step(v.place, 0, v.place.type.elem)
        return v.place

    def step(self, place: Place, part: int | str | Bits, ty: CType) -> Place:
        if not place.path and not isinstance(part, tuple):
            return Place(place.object[part], (), ty)
        return Place(place.object, place.path + (part,), ty)

    def load(self, place: Place) -> Loaded:
        """A Value, or for structs and arrays a dict or list of values."""
        return self.load_path(place.object, place.path)

    def load_path(self, obj: Object, path: tuple[Any, ...]) -> Loaded:
        if not path:
            return self.snapshot(obj)
        if not isinstance(path[0], tuple):
            return self.load_path(obj[path[0]], path[1:])
        reach = min(len(obj), 1 << len(path[0]))
        return self.select([self.load_path(o, path[1:]) for o in obj[:reach]], path[0])

    def select(self, items: list[Loaded], bits: Bits) -> Loaded:
        first = items[0]
        if isinstance(first, dict):
            return {k: self.select([i[k] for i in items], bits) for k in first}
        if isinstance(first, list):
            return [self.select([i[k] for i in items], bits) for k in range(len(first))]
        return make(self.v.select([i.vector() for i in items], bits), first.type)

    def snapshot(self, obj: Object) -> Loaded:
        if isinstance(obj, Cell):
            return obj.value
        if isinstance(obj, dict):
            return {k: self.snapshot(o) for k, o in obj.items()}
        return [self.snapshot(o) for o in obj]

    def rebuild(self, value: Loaded, ty: CType) -> Object:
        """An object that holds a value as load gives it."""
        if isinstance(ty, Struct):
            return {k: self.rebuild(value[k], f) for k, f in ty.fields.items()}
        if isinstance(ty, Array):
            return [self.rebuild(x, ty.elem) for x in value]
        return Cell(value, ty)

    def assign(self, place: Place, value: Loaded) -> None:
        self.assign_path(place.object, place.path, value, TRUE)

    def assign_path(self, obj: Object, path: tuple[Any, ...], value: Loaded, cond: int) -> None:
        if path and isinstance(path[0], tuple):
            bits = path[0]
            for k, o in enumerate(obj[: 1 << len(bits)]):
                here = self.v.eq(bits, const(k, len(bits)))
                self.assign_path(o, path[1:], value, self.g.and_(cond, here))
        elif path:
            self.assign_path(obj[path[0]], path[1:], value, cond)
        elif isinstance(obj, Cell):
            self.set(obj, value if cond == TRUE else self.choose(cond, value, obj.value, None))
        elif isinstance(obj, dict):
            for k, o in obj.items():
                self.assign_path(o, (), value[k], cond)
        else:
            for o, x in zip(obj, value):
                self.assign_path(o, (), x, cond)
