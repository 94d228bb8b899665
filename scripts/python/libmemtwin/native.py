# SPDX-License-Identifier: Apache-2.0
"""The library beside this file, and the C structs that Python reads."""
import ctypes as c
from pathlib import Path
from typing import Any

MOST = 64  # rows of a list


class Code(c.Structure):
    _fields_ = [('name', c.c_char_p), ('value', c.c_uint32), ('begins', c.c_bool)]


class Port(c.Structure):
    """struct port_desc of ports.h."""

    _fields_ = [
        ('name', c.c_char_p),
        ('kind', c.c_int),
        ('offset', c.c_size_t),
        ('width', c.c_uint32),
        ('depth', c.c_uint32),
        ('text', c.c_char_p),
        ('codes', c.POINTER(Code)),
    ]


class Param(c.Structure):
    """struct param_desc of ports.h."""

    _fields_ = [
        ('name', c.c_char_p),
        ('offset', c.c_size_t),
        ('default', c.c_uint32),
        ('least', c.c_uint32),
        ('most', c.c_uint32),
        ('text', c.c_char_p),
    ]


Pointer = c.c_void_p
ParamsOf = c.CFUNCTYPE(c.c_uint32, c.POINTER(Param))
PortsOf = c.CFUNCTYPE(c.c_uint32, Pointer, c.POINTER(Port))
StateOf = c.CFUNCTYPE(c.c_uint32, Pointer, c.c_uint32, c.POINTER(c.c_char_p), c.POINTER(c.c_size_t), c.POINTER(Port))


class Face(c.Structure):
    """The lists of a block.  state(cfg, 0, ...): its own registers; 1, 2, ...: those of its parts; 0 rows behind the last."""

    _fields_ = [
        ('name', c.c_char_p),
        ('cfg_size', c.c_size_t),
        ('in_size', c.c_size_t),
        ('out_size', c.c_size_t),
        ('twin_size', c.c_size_t),
        ('params', ParamsOf),
        ('ins', PortsOf),
        ('outs', PortsOf),
        ('state', StateOf),
        ('parts', c.c_uint32),
    ]


class Error(c.Structure):
    _fields_ = [('text', c.c_char * 1024)]


class Ops(c.Structure):
    """The calls of struct block_ops."""

    _fields_ = [
        ('name', c.c_char_p),
        ('face', c.c_char_p),
        ('create', c.CFUNCTYPE(Pointer, Pointer, c.POINTER(Error))),
        ('destroy', c.CFUNCTYPE(None, Pointer)),
        ('reset', c.CFUNCTYPE(None, Pointer)),
        ('eval', c.CFUNCTYPE(None, Pointer, Pointer, Pointer)),
        ('tick', c.CFUNCTYPE(None, Pointer, Pointer)),
    ]


class RtlSet(c.Structure):
    """The first members of struct rtl_set."""

    _fields_ = [
        ('version', c.c_uint32),
        ('set', c.c_char_p),
        ('module', c.c_char_p),
        ('cfg', Pointer),
        ('twin_size', c.c_size_t),
        ('foreign', c.c_bool),
        ('ops', Ops),
    ]


RTL_SET_VERSION = 3
LIBRARY: Any = c.CDLL(str(Path(__file__).resolve().parent / '_libmemtwin.so'))
LIBRARY.memtwin_face.restype = c.POINTER(Face)
LIBRARY.memtwin_face.argtypes = [c.c_char_p]
SIZES = {0: 1, 1: 1, 2: 2, 3: 4, 4: 8, 5: 128}  # bytes of a value, by enum port_kind
