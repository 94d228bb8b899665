# SPDX-License-Identifier: Apache-2.0
"""C types of the x86-64 Linux ABI, values and objects, as the interpreter of twins sees them."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tb.prove.bitvec import Bits, const, value_of

CType = Any  # an Int, a Pointer, an Array, a Struct, Void, or Text
Object = Any  # of C: a Cell, or a dict (structure) or list (array) of objects
Loaded = Any  # the value of an object: a Value, a PointerValue, or a dict of values for a structure


@dataclass(frozen=True)
class Int:
    width: int
    signed: bool
    rank: int
    size: int


BOOL = Int(1, False, 0, 1)
CHAR, UCHAR = Int(8, True, 1, 1), Int(8, False, 1, 1)
SHORT, USHORT = Int(16, True, 2, 2), Int(16, False, 2, 2)
INT, UINT = Int(32, True, 3, 4), Int(32, False, 3, 4)
LONG, ULONG = Int(64, True, 4, 8), Int(64, False, 4, 8)
NAMED = {
    '_Bool': BOOL,
    'char': CHAR,
    'signed char': CHAR,
    'unsigned char': UCHAR,
    'short': SHORT,
    'unsigned short': USHORT,
    'short int': SHORT,
    'short unsigned int': USHORT,
    'unsigned short int': USHORT,
    'int': INT,
    'signed': INT,
    'signed int': INT,
    'unsigned': UINT,
    'unsigned int': UINT,
    'long': LONG,
    'long int': LONG,
    'unsigned long': ULONG,
    'long unsigned int': ULONG,
    'unsigned long int': ULONG,
    'long long': LONG,
    'unsigned long long': ULONG,
    'long long int': LONG,
    'long long unsigned int': ULONG,
    'unsigned long long int': ULONG,
}


class Void:
    size = 1


VOID = Void()


@dataclass
class Struct:
    tag: str
    fields: dict = field(default_factory=dict)  # name -> type, in order


@dataclass
class Array:
    elem: object
    count: int


@dataclass
class Pointer:
    to: object


@dataclass
class Text:
    """The type of a string literal, which only the list reader's functions take."""


def align_of(t: CType) -> int:
    if isinstance(t, Int):
        return t.size
    if isinstance(t, Array):
        return align_of(t.elem)
    if isinstance(t, Struct):
        return max([align_of(f) for f in t.fields.values()], default=1)
    return 8


def size_of(t: CType) -> int:
    if isinstance(t, Int):
        return t.size
    if isinstance(t, Array):
        return t.count * size_of(t.elem)
    if isinstance(t, Struct):
        at = 0
        for f in t.fields.values():
            a = align_of(f)
            at = (at + a - 1) // a * a + size_of(f)
        a = align_of(t)
        return (at + a - 1) // a * a
    return 8


class Value:
    """A scalar rvalue.  bits is a Python int (as unsigned) when the value is known, else a tuple of literals."""

    __slots__ = ('bits', 'type')
    bits: Any  # int, literals, or the text of a string literal
    type: Any

    def __init__(self, bits: int | str | Bits, type_: CType) -> None:
        self.bits, self.type = bits, type_

    def vector(self) -> Bits:
        return const(self.bits, self.type.width) if isinstance(self.bits, int) else self.bits

    def number(self) -> int | None:
        """As a Python number with its sign, or None."""
        if not isinstance(self.bits, int):
            return None
        w = self.type.width
        return self.bits - (1 << w) if self.type.signed and self.bits >> (w - 1) else self.bits


def make(bits: Bits, type_: Int) -> Value:
    """A value from a vector; becomes a number when every bit is known."""
    n = value_of(bits)
    return Value(bits if n is None else n, type_)


def number(n: int, type_: Int = INT) -> Value:
    return Value(n & ((1 << type_.width) - 1), type_)


class PointerValue:
    """A pointer: the place it points to.  `decayed`: the place is an array, the pointer is to its first element."""

    __slots__ = ('place', 'decayed', 'type')

    def __init__(self, place: Place, decayed: bool, type_: Pointer) -> None:
        self.place, self.decayed, self.type = place, decayed, type_


class Cell:
    """A scalar object."""

    __slots__ = ('value', 'type')
    value: Any  # a Value or a PointerValue; of a flag of the interpreter, a literal
    type: Any

    def __init__(self, value: PointerValue | Loaded, type_: CType) -> None:
        self.value, self.type = value, type_


class Place:
    """An lvalue: an object, and below it a path of field names and indices (Value when not known) to the place meant."""

    __slots__ = ('object', 'path', 'type')

    def __init__(self, object_: Object, path: tuple[Any, ...], type_: CType) -> None:
        self.object, self.path, self.type = object_, path, type_


def make_object(t: CType, scalar: Callable[..., Any]) -> Object:
    """An object of type t: a Cell, a dict of members or a list of elements; scalar(type) gives each cell's value."""
    if isinstance(t, Struct):
        return {n: make_object(f, scalar) for n, f in t.fields.items()}
    if isinstance(t, Array):
        return [make_object(t.elem, scalar) for _ in range(t.count)]
    return Cell(scalar(t), t)


def leaves(obj: Object, prefix: str = '') -> Iterator[tuple[str, Cell]]:
    """(path text, cell) of every scalar in an object."""
    if isinstance(obj, Cell):
        yield prefix, obj
    elif isinstance(obj, dict):
        for n, o in obj.items():
            yield from leaves(o, f'{prefix}.{n}' if prefix else n)
    else:
        for i, o in enumerate(obj):
            yield from leaves(o, f'{prefix}[{i}]')
