# SPDX-License-Identifier: Apache-2.0
"""The long steps of CI and the inputs of each, per block or for all blocks.  A step that passed with the same inputs would pass again.

Patterns are relative to the root of the tree; {b} stands for the block and for each of its parts.  A missing input file could hide a defect,
a superfluous one costs minutes of run time: when in doubt, list it.  Comments that no tool reads are not inputs."""
import ast
import functools
import hashlib
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from cosim import parts

LISTS = tuple(f'cosim/{name}.py' for name in ('manifest', 'params', 'parts', 'own_rtl', 'progress'))
MAKE = ('Makefile', 'cosim/cosim.mk', 'cmodel/cmodel.mk', 'cosim/rules.py', *LISTS)
HEADERS = ('cosim/header.py', 'cosim/folder.py', 'cosim/describe.c')
RTL = ('rtl/{b}/*.sv', 'rtl/{b}/*.svh', 'rtl/{b}/{b}.toml', 'rtl/lib/*')
TWIN = ('cmodel/blocks/{b}.c', 'cmodel/blocks/*.h')
SET = (
    *RTL,
    *TWIN,
    *MAKE,
    'cosim/*.hpp',
    'cosim/rtl_set.*',
    *HEADERS,
    'cosim/registers.sh',
    'cmodel/system/block/*.h',
    'cmodel/lib/rtl_load.c',
    'cmodel/base/*',
)
LOCKSTEP = (
    *SET,
    'cosim/blocks/{b}/*',
    'cosim/blocks/*.hpp',
    'cosim/engine.cpp',
    'cosim/run.cpp',
    'cosim/given.cpp',
    'cosim/gates.cpp',
    'cosim/gtkw.cpp',
    'cosim/all.sh',
    'tests/golden/{b}/*',
)
MODEL = ('cmodel/*/*', 'cmodel/system/*/*', 'cmodel/system/*/*/*', 'traces/kernels/*')
PROVER = ('tb/prove/*', 'tb/prove/*/*', 'tb/tb.mk', *LISTS)  # the root's Makefile gives them JOBS and a folder
COMPILERS = ('verilator --version', 'g++ --version', 'gcc --version')
SOLVERS = ('yosys -V', 'z3 --version', 'cvc5 --version', 'cadical --version', 'iverilog -V', 'gcc --version')


@dataclass(frozen=True)
class Step:
    files: tuple
    tools: tuple


STEPS = {  # of each block
    'cosim': Step(LOCKSTEP, COMPILERS),
    'cosim-selftest': Step((*LOCKSTEP, 'cosim/selftest.sh', 'cosim/fst_text.c'), COMPILERS),
    'cosim-captured': Step((*LOCKSTEP, *MODEL, 'cosim/machine.py'), COMPILERS),
    'machine': Step((*SET, *MODEL, 'cosim/machine.py'), COMPILERS),
    'scenarios': Step(
        (
            *TWIN,
            *MAKE,
            *HEADERS,
            'rtl/{b}/{b}.toml',
            'cosim/*.hpp',
            'cosim/twin.cpp',
            'cosim/given.cpp',
            'cosim/scenarios.sh',
            'cosim/sizes.py',
            'cosim/blocks/{b}/scenarios.cpp',
            'cosim/blocks/*_scenarios.hpp',
        ),
        ('g++ --version',),
    ),
    'sizes': Step((*RTL, 'cmodel/blocks/{b}.h', 'cosim/sizes.py', 'cosim/rules.py', *LISTS), ('verilator --version',)),
    'toggles': Step((*LOCKSTEP, 'cosim/toggles.*'), COMPILERS),
    'tb': Step(
        (
            *SET,
            'tb/tb.mk',
            'tb/systemc/*',
            'cosim/engine.cpp',
            'cosim/blocks/{b}/scenarios.cpp',
            'cosim/blocks/*_scenarios.hpp',
        ),
        (*COMPILERS, 'dpkg-query -W libsystemc-dev'),
    ),
    'xprop': Step((*LOCKSTEP, 'tb/tb.mk', 'tb/xprop/*'), (*COMPILERS, 'iverilog -V')),
    'xprop-selftest': Step((*LOCKSTEP, 'tb/tb.mk', 'tb/xprop/*'), (*COMPILERS, 'iverilog -V')),
    'prove': Step((*RTL, *TWIN, *PROVER), SOLVERS),
    'formal': Step((*RTL, 'tb/formal/*', 'tb/tb.mk', *LISTS), SOLVERS),
    'synth-check': Step(
        (*LOCKSTEP, 'cosim/*.py', 'synth/*'),
        ('yosys -V', 'sta -version', 'dpkg-query -W nextpnr-ice40 qflow-tech-osu018'),
    ),
}


@functools.cache
def version(command):
    try:
        done = subprocess.run(command.split(), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        return 'not installed'
    return ' '.join((done.stdout + done.stderr).splitlines()[:2])


COMMENT = re.compile(
    r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|(//[^\n]*|/\*.*?\*/)', re.S
)  # not within a string or character
READ = re.compile(r'verilator|yosys|synthesis|pragma|fall', re.I)  # by a tool


def of_braces(text):
    """C, C++ or SystemVerilog without comments and empty lines."""
    text = COMMENT.sub(lambda m: ' ' if m[1] and not READ.search(m[1]) else m[0], text)
    return '\n'.join(line for line in map(str.rstrip, text.splitlines()) if line)


def of_hashes(text):
    """A makefile or manifest without lines that are comments, and without the texts of make help."""
    return '\n'.join(
        re.sub(r' *## [a-z]+: .*', '', line) for line in text.splitlines() if line and not line.startswith('#')
    )


def of_python(text):
    """The syntax tree without docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if (
            isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
            and ast.get_docstring(node, clean=False) is not None
        ):
            node.body = node.body[1:]
    return ast.dump(tree)


WITHOUT_COMMENTS = {
    '.py': of_python,
    '.mk': of_hashes,
    '.toml': of_hashes,
    '': of_hashes,
    **dict.fromkeys(('.c', '.h', '.cpp', '.hpp', '.sv', '.svh'), of_braces),
}


@functools.cache
def content(path, _time, _size):
    data = path.read_bytes()
    reader = WITHOUT_COMMENTS.get(path.suffix)
    return hashlib.sha256(reader(data.decode()).encode() if reader else data).hexdigest()


UNREAD = re.compile(r'\.md$|^energ(y_block|ie)s\.ini$')  # by any step: documents, and what no counter depends on


@functools.cache
def of_pattern(root, pattern):
    """The files and their contents, as text."""
    found = ((p, p.stat()) for p in sorted(root.glob(pattern)) if p.is_file() and not UNREAD.search(p.name))
    return ''.join(f'{p.relative_to(root)} {content(p, s.st_mtime_ns, s.st_size)}\n' for p, s in found)


def look_again():
    """Clears the caches: files and tools may have changed."""
    for cached in (of_pattern, version, parts.of):
        cached.cache_clear()


def digest(root, step, block):
    names = (block, *parts.of(block, root))
    text = [of_pattern(root, p) for p in sorted({p.replace('{b}', b) for p in STEPS[step].files for b in names})]
    text += [f'{tool} {version(tool)}\n' for tool in STEPS[step].tools]
    return hashlib.sha256(''.join(text).encode()).hexdigest()[:16]


def blocks(root):
    return sorted(p.stem for p in Path(root, 'rtl').glob('*/*.toml') if p.stem == p.parent.name)
