# SPDX-License-Identifier: Apache-2.0
"""Twins and Verilated RTL as objects: the common part of all blocks."""
import ctypes as c
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, Union

from libmemtwin.native import LIBRARY, MOST, RTL_SET_VERSION, SIZES, Error, Face, Param, Port, RtlSet

Out = TypeVar('Out')
Value = Union[int, list[int]]


def put(memory: Any, at: int, data: bytes) -> None:
    """Writes bytes into a buffer."""
    c.memmove(c.addressof(memory) + at, data, len(data))


class Field:
    """A port, register or table in the bytes of a C struct."""

    def __init__(self, port: Port, name: str, offset: int) -> None:
        self.name, self.offset = name, offset
        self.width, self.depth, self.size = port.width, port.depth, SIZES[port.kind]
        self.text = port.text.decode()

    def read(self, memory: Any, element: int = 0) -> int:
        at = self.offset + element * self.size
        return int.from_bytes(memory[at : at + self.size], 'little')

    def write(self, where: str, memory: Any, value: int, element: int = 0) -> None:
        if not 0 <= value < 1 << max(self.width, 1):
            raise ValueError(f'{where}.{self.name}: found {value}, expected 0 to {(1 << max(self.width, 1)) - 1}')
        at = self.offset + element * self.size
        put(memory, at, int(value).to_bytes(self.size, 'little'))


class Registers(MutableMapping[str, Value]):
    """Registers and tables of a twin by name: numbers, and lists of numbers.  Those of the parts of an assembly are part.register."""

    def __init__(self, twin: 'Twin[Any]', fields: list[Field]) -> None:
        self._twin, self._fields = twin, {f.name: f for f in fields if f.width * f.depth}

    def _field(self, name: str) -> Field:
        if name not in self._fields:
            raise KeyError(f'{self._twin.block}: found no register {name}, expected one of {", ".join(self._fields)}')
        return self._fields[name]

    def __getitem__(self, name: str) -> Value:
        f = self._field(name)
        values = [f.read(self._twin._memory, i) for i in range(f.depth)]
        return values if f.depth > 1 else values[0]

    def __setitem__(self, name: str, value: Value) -> None:
        f = self._field(name)
        values = value if isinstance(value, list) else [value]
        if len(values) != f.depth:
            raise ValueError(f'{self._twin.block}.{name}: found {len(values)} values, expected {f.depth}')
        for i, v in enumerate(values):
            f.write(self._twin.block, self._twin._memory, v, i)

    def __delitem__(self, name: str) -> None:
        raise TypeError(f'{self._twin.block}.{name}: a register cannot be removed')

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def about(self, name: str) -> str:
        """The meaning of a register, its width and its depth."""
        f = self._field(name)
        return f'{f.text} ({f.width} bits{f" x {f.depth}" if f.depth > 1 else ""})'


@dataclass(frozen=True)
class TwinState:
    """The state of a twin at one moment, for restore()."""

    block: str
    parameters: tuple[tuple[str, int], ...]
    memory: bytes


class Block(Generic[Out]):
    """Ports and parameters of a block at one size."""

    block: ClassVar[str]
    out_type: ClassVar[type[Any]]

    def __init__(self, **parameters: int) -> None:
        self._face: Face = LIBRARY.memtwin_face(self.block.encode()).contents
        self._cfg = c.create_string_buffer(self._face.cfg_size)
        self.parameters: dict[str, int] = {}
        rows = (Param * MOST)()
        for p in rows[: self._face.params(rows)]:
            name = p.name.decode()
            value = parameters.pop(name, p.default)
            if not p.least <= value <= p.most:
                raise ValueError(f'{self.block}: found {name}={value}, expected {name} from {p.least} to {p.most}')
            put(self._cfg, p.offset, int(value).to_bytes(4, 'little'))
            self.parameters[name] = value
        if parameters:
            raise ValueError(
                f'{self.block}: found a parameter {min(parameters)}, expected one of {", ".join(self.parameters)}'
            )
        self._ins, self._outs = self._ports(self._face.ins), self._ports(self._face.outs)
        self._in = c.create_string_buffer(self._face.in_size)
        self._out = c.create_string_buffer(self._face.out_size)

    def _ports(self, listed: Any) -> list[Field]:
        rows = (Port * MOST)()
        return [Field(p, p.name.decode(), p.offset) for p in rows[: listed(self._cfg, rows)]]

    @property
    def inputs(self) -> dict[str, int]:
        """Width of each input."""
        return {f.name: f.width for f in self._ins}

    @property
    def outputs(self) -> dict[str, int]:
        """Width of each output."""
        return {f.name: f.width for f in self._outs}

    def _take(self, values: tuple[int, ...]) -> None:
        for f, value in zip(self._ins, values):
            f.write(self.block, self._in, value)

    def _give(self) -> Out:
        found: Out = self.out_type(*(f.read(self._out) for f in self._outs))
        return found

    def _eval(self, *values: int) -> Out:
        raise NotImplementedError

    def _tick(self, *values: int) -> None:
        raise NotImplementedError

    def _step(self, *values: int) -> Out:
        found = self._eval(*values)
        self._tick(*values)
        return found


class Twin(Block[Out]):
    """The C twin of a block, bit-accurate to its RTL.  A cycle is eval(), then tick(), or step(); a cycle in reset is reset()."""

    def __init__(self, **parameters: int) -> None:
        super().__init__(**parameters)
        self._memory = c.create_string_buffer(self._face.twin_size)
        self._address = c.addressof(self._memory)
        self._call = {n: getattr(LIBRARY, f'{self.block}_{n}') for n in ('init', 'reset', 'eval', 'tick')}
        for call, arguments in (('init', 2), ('reset', 1), ('eval', 3), ('tick', 2)):
            self._call[call].argtypes = [c.c_void_p] * arguments
            self._call[call].restype = None
        self._call['init'](self._address, c.addressof(self._cfg))
        self.registers = Registers(self, self._state())

    def _state(self) -> list[Field]:
        fields = []
        for k in range(1 + self._face.parts):
            rows, part, base = (Port * MOST)(), c.c_char_p(), c.c_size_t()
            n = self._face.state(c.addressof(self._cfg), k, c.byref(part), c.byref(base), rows)
            prefix = f'{part.value.decode()}.' if part.value else ''
            fields += [Field(p, prefix + p.name.decode(), base.value + p.offset) for p in rows[:n]]
        return fields

    def reset(self) -> None:
        """A clock edge with rst_ni low."""
        self._call['reset'](self._address)

    def snapshot(self) -> TwinState:
        """The present state."""
        return TwinState(self.block, tuple(self.parameters.items()), bytes(self._memory.raw))

    def restore(self, state: TwinState) -> None:
        """Back to a state of a twin of the same block and parameters."""
        if (state.block, dict(state.parameters)) != (self.block, self.parameters):
            raise ValueError(
                f'restore: found a state of {state.block} {dict(state.parameters)}, expected one of {self.block} {self.parameters}'
            )
        put(self._memory, 0, state.memory)

    def _eval(self, *values: int) -> Out:
        self._take(values)
        self._call['eval'](self._address, c.addressof(self._in), c.addressof(self._out))
        return self._give()

    def _tick(self, *values: int) -> None:
        self._take(values)
        self._call['tick'](self._address, c.addressof(self._in))


class Rtl(Block[Any]):
    """The Verilated RTL of a parameter set, a file of make rtl: Rtl('build/rtl/mshr/tiny.so', Mshr).  The calls are a twin's; inputs are keywords."""

    def __init__(self, path: str, of: type[Twin[Any]]) -> None:
        self.block, self.out_type = of.block, of.out_type  # type: ignore[misc]
        try:
            self._file = c.CDLL(path if '/' in path else f'./{path}')
            self._set = RtlSet.in_dll(self._file, 'memtwin_rtl_set')
        except (OSError, ValueError) as e:
            raise ValueError(f'{path}: found no set of RTL, expected one of make rtl BLOCK={of.block}: {e}') from None
        if self._set.version != RTL_SET_VERSION or self._set.ops.name.decode() != of.block:
            found = f'version {self._set.version} of {self._set.ops.name.decode()}'
            raise ValueError(f'{path}: found {found}, expected version {RTL_SET_VERSION} of {of.block}')
        super().__init__(**self._read_parameters(of))
        error = Error()
        self._rtl = self._set.ops.create(self._set.cfg, c.byref(error))
        if not self._rtl:
            raise ValueError(f'{path}: {error.text.decode()}')

    def _read_parameters(self, of: type[Twin[Any]]) -> dict[str, int]:
        face = LIBRARY.memtwin_face(of.block.encode()).contents
        rows = (Param * MOST)()
        cfg = c.string_at(self._set.cfg, face.cfg_size)
        return {
            p.name.decode(): int.from_bytes(cfg[p.offset : p.offset + 4], 'little') for p in rows[: face.params(rows)]
        }

    def __del__(self) -> None:
        if getattr(self, '_rtl', None):
            self._set.ops.destroy(self._rtl)

    def _all(self, given: dict[str, int]) -> tuple[int, ...]:
        odd = set(given) - set(self.inputs)
        if odd:
            raise TypeError(f'{self.block}: found an input {min(odd)}, expected one of {", ".join(self.inputs)}')
        return tuple(given.get(name, 0) for name in self.inputs)

    def reset(self) -> None:
        """A cycle in reset."""
        self._set.ops.reset(self._rtl)

    def eval(self, **inputs: int) -> Any:
        """Outputs of this cycle; inputs that are not given are 0."""
        return self._eval(*self._all(inputs))

    def tick(self, **inputs: int) -> None:
        """The clock edge."""
        self._tick(*self._all(inputs))

    def step(self, **inputs: int) -> Any:
        """eval(), then tick()."""
        return self._step(*self._all(inputs))

    def _eval(self, *values: int) -> Any:
        self._take(values)
        self._set.ops.eval(self._rtl, c.addressof(self._in), c.addressof(self._out))
        return self._give()

    def _tick(self, *values: int) -> None:
        self._take(values)
        self._set.ops.tick(self._rtl, c.addressof(self._in))
