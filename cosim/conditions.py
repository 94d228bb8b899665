# SPDX-License-Identifier: Apache-2.0
"""Copies RTL for a build with coverage: conditions that Verilator does not count by itself are in a form that it counts.

Each condition of `a ? b : c` goes through a function with two branches: Verilator counts those of if and case alone.  A condition of parameters
and loop variables has one value in each place, so it is no branch.  Each packed signal that is declared in a generate block, whose toggles
Verilator leaves out, is connected to a module that has it as a port.  An instance of that module in each branch of a generate `if` shows in
which sets it is built.
usage: python3 -B -m cosim.conditions OUT FOLDER ...           copies FOLDER into OUT/NAME; OUT/conditions.json: file -> line of the copy -> [line, condition]
       python3 -B -m cosim.conditions OUT --own BLOCK RTL TOP   copies a user's RTL into OUT; OUT/../covered.f, beside the own.f that own_rtl.py has written,
is what Verilator reads"""
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from cosim.own_rtl import QUIET, UNROLL, OwnRtl, shortened

NAME = 'mt_condition'
FUNCTION = (
    '  function automatic logic {name}_{n}(input logic {name}_c);'
    ' if ({name}_c) {name}_{n} = 1\'b1; else {name}_{n} = 1\'b0; endfunction\n'
)
SIGNAL, BRANCH = 'mt_signal', 'mt_branch'
# Of one port; an instance of it is called SIGNAL_LINE_NAME or BRANCH_LINE.  It stands in the file of another module, on purpose: for it alone the
# warning about that is off.  Verilator expects no reader of what is called unused.
MODULE = (
    '// verilator lint_off DECLFILENAME\n'
    'module {name}_{of} #(parameter int W = 1) (input wire logic [W-1:0] unused); endmodule\n'
    '// verilator lint_on DECLFILENAME\n'
)
LINE = '`line {line} "{file}" 0\n'
PLAIN: dict[int, tuple[int, str]] = {}  # the conditions of a file that stays as it is
HIDDEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
# Not evaluated in a cycle, as the header of a module: constants, functions (of constants, mostly), formal properties.
APART = re.compile(
    r'\b(?:localparam|parameter)\b[^;]*;|\bfunction\b.*?\bendfunction\b|`ifdef FORMAL.*?`endif',
    re.S | re.M,
)
GENERATED = ('g_', 'gen_')  # how the names of generate blocks begin
OPENS, CLOSES = '([{', ')]}'


def blanked(text: str, what: re.Pattern[str]) -> str:
    """The same length, without these parts."""
    return what.sub(lambda m: re.sub(r'[^\n]', ' ', m[0]), text)


def header_end(code: str, at: int) -> int:
    """After the semicolon that ends the header of the module that begins there: in no parentheses, and not of an import."""
    depth = 0
    for k in range(at, len(code)):
        depth += (code[k] in OPENS) - (code[k] in CLOSES)
        if code[k] == ';' and depth == 0 and not re.search(r'\bimport\b[^;]*$', code[at:k]):
            return k + 1
    return len(code)


def each_cycle(text: str) -> str:
    """The same length, with what a cycle may evaluate alone."""
    code = blanked(text, HIDDEN)
    for m in re.finditer(r'\bmodule\b', code):
        end = header_end(code, m.start())
        code = code[: m.start()] + re.sub(r'[^\n]', ' ', code[m.start() : end]) + code[end:]
    return blanked(code, APART)


def begin_of(text: str, end: int) -> int:
    """Where the condition that ends before `end` begins."""
    depth = 0
    for k in range(end - 1, -1, -1):
        c = text[k]
        if c in CLOSES:
            depth += 1
        elif c in OPENS:
            if depth == 0:
                return k + 1
            depth -= 1
        elif depth == 0 and c in ';,?:':
            return k + 1
        elif depth == 0 and c == '=' and text[k + 1] != '=' and text[k - 1] not in '=!>':
            return k + 1  # also of <=: conditions that compare are in parentheses
    return 0


def conditions(text: str) -> Iterator[tuple[int, int]]:
    """(begin, end) of each condition that has two values."""
    code = each_cycle(text)
    loops = set(re.findall(r'\b(?:genvar|int|integer) +(\w+) *=', code))
    for m in re.finditer(r'(?<!\')\?', code):
        begin = begin_of(code, m.start())
        begin += len(code[begin : m.start()]) - len(code[begin : m.start()].lstrip())
        names = set(re.findall(r"(?<![\w'.])[A-Za-z_]\w*", code[begin : m.start()]))
        if any(not n[0].isupper() and n not in loops for n in names):
            yield begin, m.start()


def chosen_by(code: str) -> str:
    """The word before a block: if, else, for, or another one."""
    code = code.rstrip()
    if code.endswith(')'):
        code = code[: begin_of(code, len(code) - 1) - 1].rstrip()
    return (re.findall(r'\w+$', code) or [''])[0]


def generated(text: str) -> Iterator[tuple[int, str]]:
    """In generate blocks, `begin : g_NAME` or `gen_NAME`: (end of the declaration, name) of each signal, and (its begin, '') of each branch of an `if`."""
    code = each_cycle(text)
    blocks: list[str] = []
    for m in re.finditer(r'\bbegin\b(?:\s*:\s*(\w+))?|\bend\b|\blogic\b([^;]*);', code):
        if m[0].startswith('begin'):
            blocks.append(m[1] or '')
            if blocks[-1].startswith(GENERATED) and chosen_by(code[: m.start()]) in ('if', 'else'):
                yield m.end(), ''
        elif m[0] == 'end':
            blocks.pop()
        elif blocks and blocks[-1].startswith(GENERATED):
            for name in re.sub(r'\[[^\]]*\]', '', m[2]).split(','):
                yield m.end(), name.strip()


def branches(text: str) -> Iterator[int]:
    """The lines of branches of a generate `if`."""
    return (line_of(text, at) for at, name in generated(text) if not name)


def line_of(text: str, at: int) -> int:
    return text.count('\n', 0, at) + 1


def instrumented(text: str, of: str, file: str = '', after: int = 0) -> tuple[str, dict[int, tuple[int, str]]]:
    """The text of module `of` with its conditions in functions, and the line of each function -> (line, condition).  Names hide none of another module.
    `file`: a user's, whose lines keep their numbers; those of functions are the ones `after`, by `line."""
    put: list[tuple[int, int, str]] = []
    module = ''
    for end, name in generated(text):
        line = line_of(text, end)
        instance = (
            f"{BRANCH}_{line} (.unused(1'b0))"
            if not name
            else f'#(.W($bits({name}))) {SIGNAL}_{line}_{name} (.unused({name}))'
        )
        put += [(end, 0, f' {SIGNAL}_{of} {instance};')]
        module = MODULE.format(name=SIGNAL, of=of)
    found = list(conditions(text))
    for n, (begin, end) in enumerate(found):
        put += [(begin, n, f'{NAME}_{of}_{n}(|('), (end, -n, ')) ')]
    new, at = '', 0
    for place, _, words in sorted(put, key=lambda p: (p[0], p[1])):
        new, at = new + text[at:place] + words, place
    rest = text[at:]
    head, _, tail = rest.rpartition('endmodule')
    new += head
    if file:
        new += '\n' + LINE.format(line=after, file=file)
    first = after if file else new.count('\n') + 1
    lines = {}
    for n, (begin, end) in enumerate(found):
        new += FUNCTION.format(name=f'{NAME}_{of}', n=n)
        lines[first + n] = (line_of(text, begin), ' '.join(text[begin:end].split()))
    return f'{new}endmodule{tail}{module}', lines


def each_module(text: str, file: str) -> tuple[str, dict[int, tuple[int, str]]]:
    """instrumented() of each module of a user's file."""
    code = blanked(text, HIDDEN)
    new, at, after, listed = '', 0, line_of(text, len(text)) + 1, dict[int, tuple[int, str]]()
    for m in re.finditer(r'\bendmodule\b(\s*:\s*\w+)?', code):
        name = re.findall(r'\bmodule\s+(?:automatic\s+|static\s+)?(\w+)', code[at : m.end()])
        before = line_of(text, at) - 1
        piece, lines = instrumented('\n' * before + text[at : m.end()] + '\n', ''.join(name[-1:]), file, after)
        new += LINE.format(line=before + 1, file=file) + piece[before:]
        at, after, listed = m.end(), after + len(lines), listed | lines
    return new + LINE.format(line=line_of(text, at), file=file) + text[at:], listed


def copy(path: Path, to: Path, file: str = '') -> dict[int, tuple[int, str]]:
    """`file`: the name of a user's."""
    text, lines = path.read_text(errors='replace'), dict[int, tuple[int, str]]()
    if file:
        text, lines = each_module(text, file)
    elif path.suffix == '.sv' and 'endmodule' in text:
        text, lines = instrumented(text, path.stem)
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(text)
    return lines


def write_lists(out: Path, listed: dict[str, dict[int, tuple[int, str]]]) -> None:
    (out / 'conditions.json').write_text(json.dumps(listed, indent=1) + '\n')


class OwnCopy:
    """Of a user's RTL: folder 0, 1 ... of the copy has a file of it, l0, l1 ... a folder of modules by name."""

    def __init__(self, out: Path, own: OwnRtl) -> None:
        self.out, self.own = out, own
        self.files = {p: out / f'{k}/{p.name}' for k, p in enumerate(own.files)}
        for k, folder in enumerate(own.libraries):
            (out / f'l{k}').mkdir(parents=True, exist_ok=True)
            self.files |= {p: out / f'l{k}/{p.name}' for p in sorted(folder.iterdir()) if p.suffix in ('.sv', '.v')}

    def arguments(self) -> list[str]:
        """For Verilator: the same design from the copy."""
        values = [w for w in (self.out.parent / 'own.f').read_text().splitlines() if w.startswith('-G')]
        return [
            *values,
            *(f'+incdir+{d.resolve()}' for d in self.own.include),
            *(f'+define+{m}' for m in self.own.macros),
            *(w for k in range(len(self.own.libraries)) for w in ('-y', str(self.out / f'l{k}'))),
            *(str(self.files[p]) for p in self.own.files),
        ]

    def refused(self) -> str:
        """The first error of Verilator."""
        command = ['verilator', '--lint-only', *QUIET, *UNROLL, '--top-module', self.own.module, *self.arguments()]
        done = subprocess.run(command, capture_output=True, text=True)
        return (
            next((line for line in done.stderr.splitlines() if line.startswith('%Error')), '')
            if done.returncode
            else ''
        )

    def write(self) -> None:
        """A file stays as it is if Verilator does not take its conditions as functions: of a type that has no bits, say."""
        listed = {name_of(p): copy(p, to, name_of(p)) for p, to in self.files.items()}
        while said := self.refused():
            bad = [p for p in self.files if f' {name_of(p)}:' in said and listed[name_of(p)] is not PLAIN]
            if not bad:
                break  # the RTL itself: the build tells
            for p in bad:
                listed[name_of(p)] = PLAIN
                self.files[p].write_text(LINE.format(line=1, file=name_of(p)) + p.read_text(errors='replace'))
                print(f'note   {name_of(p)}: neither conditions nor signals of generate blocks count: {said}')
        write_lists(self.out, listed)
        (self.out.parent / 'covered.f').write_text('\n'.join(self.arguments()) + '\n')


def name_of(path: Path) -> str:
    return shortened(str(path.resolve()))


def main() -> None:
    out, *folders = map(Path, sys.argv[1:])
    shutil.rmtree(out, ignore_errors=True)
    if folders[0].name == '--own':
        block, given, *top = sys.argv[3:]
        return OwnCopy(out, OwnRtl(given, ''.join(top), block)).write()
    listed = {}
    for folder in folders:
        for path in sorted(folder.glob('*.sv*')):
            listed[str(path)] = copy(path, out / folder.name / path.name)
    write_lists(out, listed)


if __name__ == '__main__':
    main()
