# SPDX-License-Identifier: Apache-2.0
"""The machine: memtwin.h as an object."""
import ctypes as c
import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Union

from libmemtwin.native import LIBRARY, Error
from libmemtwin.names import CounterName, OptionName

Number = Union[int, float, None]
KINDS = {'read': 0, 'write': 1, 'atomic': 2}


class Failure(Exception):
    """Why the library refuses a call: the place, the value found, the values allowed."""


class _Access(c.Structure):
    _fields_ = [
        ('address', c.c_uint64),
        ('tag', c.c_uint64),
        ('enable', c.c_uint64 * 2),
        ('bytes', c.c_uint32),
        ('sm', c.c_uint32),
        ('warp', c.c_uint32),
        ('kind', c.c_uint32),
    ]


class _Done(c.Structure):
    _fields_ = [
        ('tag', c.c_uint64),
        ('offered', c.c_uint64),
        ('done', c.c_uint64),
        ('sm', c.c_uint32),
        ('kind', c.c_uint32),
    ]


class _Value(c.Structure):
    _fields_ = [('whole', c.c_uint64), ('ratio', c.c_double)]


class Done(NamedTuple):
    """A completed access; times are SM cycles."""

    tag: int
    offered: int
    done: int
    sm: int
    kind: str


@dataclass(frozen=True)
class MachineState:
    """The calls that led to a state of a machine: restore() repeats them, since a machine is deterministic."""

    options: tuple[str, ...]
    calls: tuple[tuple[Any, ...], ...]


_P, _E = c.c_void_p, c.POINTER(Error)
for _name, _result, _arguments in (
    ('create', _P, [c.POINTER(c.c_char_p), c.c_size_t, _E]),
    ('destroy', None, [_P]),
    ('version', c.c_char_p, []),
    ('option_value', c.c_bool, [_P, c.c_char_p, c.c_char * 64, _E]),
    ('run', c.c_bool, [_P, c.c_char_p, c.c_uint64, _E]),
    ('offer', c.c_int, [_P, c.POINTER(_Access), _E]),
    ('step', c.c_bool, [_P, c.c_uint64, _E]),
    ('step_to_done', c.c_bool, [_P, c.c_uint64, _E]),
    ('drain', c.c_bool, [_P, c.c_uint64, _E]),
    ('poll', c.c_bool, [_P, c.POINTER(_Done)]),
    ('finish', c.c_bool, [_P, _E]),
    ('cycle', c.c_uint64, [_P]),
    ('in_flight', c.c_uint64, [_P]),
    ('next', c.c_uint64, [_P]),
    ('counter_count', c.c_size_t, []),
    ('counter_name', c.c_char_p, [c.c_size_t]),
    ('counter_is_ratio', c.c_bool, [c.c_size_t]),
    ('counters', c.c_bool, [_P, c.POINTER(_Value), _E]),
):
    getattr(LIBRARY, f'memtwin_{_name}').restype = _result
    getattr(LIBRARY, f'memtwin_{_name}').argtypes = _arguments


def version() -> str:
    """Version and commit of the sources."""
    found: bytes = LIBRARY.memtwin_version()
    return found.decode()


class Machine:
    """A GPU memory system.

    Options are texts, applied in order: 'preset=NAME', 'config=FILE', 'KEY=VALUE' (names.OPTIONS), 'enter=memory', 'queue=N',
    'rtl=BLOCK=PATH'.  `set` holds options by key, which come last.  A machine runs whole workloads, run(), or is stepped: offer(), step(),
    poll().  The first call decides; reset() makes it new."""

    def __init__(self, *options: str, set: Union[dict[OptionName, Union[int, str, bool]], None] = None) -> None:
        self._machine: Any = None

        def text(value: Union[int, str, bool]) -> str:
            return str(value).lower() if isinstance(value, bool) else str(value)

        self.options = (*options, *(f'{key}={text(value)}' for key, value in (set or {}).items()))
        self._calls: list[tuple[Any, ...]] = []
        self._create()

    def _create(self) -> None:
        self.close()
        error = Error()
        words = (c.c_char_p * len(self.options))(*(o.encode() for o in self.options))
        self._machine = LIBRARY.memtwin_create(words, len(self.options), c.byref(error))
        if not self._machine:
            raise Failure(error.text.decode())

    def close(self) -> None:
        """Gives the memory back; also done when the object goes."""
        if self._machine:
            LIBRARY.memtwin_destroy(self._machine)
        self._machine = None

    def __del__(self) -> None:
        if getattr(self, '_machine', None):
            self.close()

    def __enter__(self) -> 'Machine':
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _checked(self, call: str, *arguments: Any) -> Any:
        error = Error()
        found = getattr(LIBRARY, f'memtwin_{call}')(self._machine, *arguments, c.byref(error))
        if error.text:
            raise Failure(error.text.decode())
        return found

    def _noted(self, call: str, *arguments: Any) -> None:
        """A call that changes the state, for snapshot()."""
        self._calls.append((call, *arguments))

    def option(self, key: OptionName) -> str:
        """Value of an option in this machine."""
        value = c.create_string_buffer(64)
        self._checked('option_value', key.encode(), value)
        return value.value.decode()

    # ---- whole runs
    def run(self, workload: str, seed: int = 1) -> dict[str, Number]:
        """Runs a kernel ('spmv:rows=4096') or a trace to its end, and checks its result.  The counters."""
        self._checked('run', workload.encode(), seed)
        self._noted('run', workload, seed)
        return self.counters()

    # ---- stepping
    def offer(
        self,
        address: int,
        *,
        bytes: int = 128,
        kind: str = 'read',
        sm: int = 0,
        warp: int = 0,
        tag: int = 0,
        enable: int = 0,
    ) -> bool:
        """An access in the present cycle.  False: the queue of its SM is full.  enable: of a write, a bit for each byte of the line; 0: all of the access."""
        if kind not in KINDS:
            raise Failure(f'kind: found "{kind}", expected one of {", ".join(KINDS)}')
        access = _Access(address, tag, (enable & (1 << 64) - 1, enable >> 64), bytes, sm, warp, KINDS[kind])
        taken: bool = self._checked('offer', c.byref(access)) == 1
        self._noted('offer', address, bytes, kind, sm, warp, tag, enable)
        return taken

    def step(self, cycles: int = 1) -> None:
        """Advances by SM cycles."""
        self._checked('step', cycles)
        self._noted('step', cycles)

    def step_to_done(self, limit: int) -> None:
        """Advances to the end of the cycle in which an access completes, at most by `limit` cycles."""
        self._checked('step_to_done', limit)
        self._noted('step_to_done', limit)

    def drain(self, limit: int = 1_000_000) -> None:
        """Advances until nothing is in flight."""
        self._checked('drain', limit)
        self._noted('drain', limit)

    def poll(self) -> Union[Done, None]:
        """The oldest completion that was not polled."""
        done = _Done()
        found = LIBRARY.memtwin_poll(self._machine, c.byref(done))
        self._noted('poll')
        names = {number: kind for kind, number in KINDS.items()}
        return Done(done.tag, done.offered, done.done, done.sm, names[done.kind]) if found else None

    def finish(self) -> None:
        """Ends the stepping: counters are complete, and the conservation laws are checked."""
        self._checked('finish')
        self._noted('finish')

    @property
    def cycle(self) -> int:
        """SM cycles since the start."""
        return int(LIBRARY.memtwin_cycle(self._machine))

    @property
    def in_flight(self) -> int:
        """Accesses taken and not done."""
        return int(LIBRARY.memtwin_in_flight(self._machine))

    # ---- counters
    def counters(self) -> dict[str, Number]:
        """All counters by name; None: a ratio whose denominator is 0."""
        n = LIBRARY.memtwin_counter_count()
        values = (_Value * n)()
        self._checked('counters', values)

        def number(i: int) -> Number:
            if not LIBRARY.memtwin_counter_is_ratio(i):
                return int(values[i].whole)
            return None if math.isnan(values[i].ratio) else float(values[i].ratio)

        return {LIBRARY.memtwin_counter_name(i).decode(): number(i) for i in range(n)}

    def counter(self, name: CounterName) -> Number:
        """One counter."""
        found = self.counters()
        if name not in found:
            raise Failure(f'counter: found "{name}", expected one of {len(found)} names of names.COUNTERS')
        return found[name]

    # ---- state
    def reset(self) -> None:
        """A new machine of the same options."""
        self._create()
        self._calls = []

    def snapshot(self) -> MachineState:
        """The present state, for restore()."""
        return MachineState(self.options, tuple(self._calls))

    def restore(self, state: MachineState) -> None:
        """Back to a state of a machine of the same options; takes as long as the calls that led to it."""
        if state.options != self.options:
            raise Failure(
                f'restore: found a state of {" ".join(state.options)}, expected one of {" ".join(self.options)}'
            )
        self.reset()
        for call, *arguments in state.calls:
            if call == 'offer':
                address, size, kind, sm, warp, tag, enable = arguments
                self.offer(address, bytes=size, kind=kind, sm=sm, warp=warp, tag=tag, enable=enable)
            else:
                getattr(self, call)(*arguments)
