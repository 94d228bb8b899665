# SPDX-License-Identifier: Apache-2.0
"""Copies RTL for a build with coverage: conditions that Verilator does not count by itself are in a form that it counts.

Each condition of `a ? b : c` goes through a function with two branches: Verilator counts those of if and case alone.  A condition of parameters
and loop variables has one value in each place, so it is no branch.  Each packed signal that is declared in a generate block, whose toggles
Verilator leaves out, is connected to a module that has it as a port.  An instance of that module in each branch of a generate `if` shows in
which sets it is built.
usage: python3 -B -m cosim.conditions OUT FOLDER ...     copies FOLDER into OUT/NAME; OUT/conditions.json: file -> line of the copy -> [line, condition]"""
import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

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
HIDDEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
# Not evaluated in a cycle: the module's header, constants, functions (of constants, mostly), formal properties.
APART = re.compile(
    r'^module\b.*?^\);|\b(?:localparam|parameter)\b[^;]*;|\bfunction\b.*?\bendfunction\b|`ifdef FORMAL.*?`endif',
    re.S | re.M,
)
OPENS, CLOSES = '([{', ')]}'


def blanked(text: str, what: re.Pattern[str]) -> str:
    """The same length, without these parts."""
    return what.sub(lambda m: re.sub(r'[^\n]', ' ', m[0]), text)


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
    code = blanked(blanked(text, HIDDEN), APART)
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
    """In generate blocks, `begin : g_NAME`: (end of the declaration, name) of each signal, and (its begin, '') of each branch of an `if`."""
    code = blanked(blanked(text, HIDDEN), APART)
    blocks: list[str] = []
    for m in re.finditer(r'\bbegin\b(?:\s*:\s*(\w+))?|\bend\b|\blogic\b([^;]*);', code):
        if m[0].startswith('begin'):
            blocks.append(m[1] or '')
            if blocks[-1].startswith('g_') and chosen_by(code[: m.start()]) in ('if', 'else'):
                yield m.end(), ''
        elif m[0] == 'end':
            blocks.pop()
        elif blocks and blocks[-1].startswith('g_'):
            for name in re.sub(r'\[[^\]]*\]', '', m[2]).split(','):
                yield m.end(), name.strip()


def branches(text: str) -> Iterator[int]:
    """The lines of branches of a generate `if`."""
    return (line_of(text, at) for at, name in generated(text) if not name)


def line_of(text: str, at: int) -> int:
    return text.count('\n', 0, at) + 1


def instrumented(text: str, of: str) -> tuple[str, dict[int, tuple[int, str]]]:
    """The text of module `of` with its conditions in functions, and the line of each function -> (line, condition).  Names hide none of another module."""
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
    first = new.count('\n') + 1
    lines = {}
    for n, (begin, end) in enumerate(found):
        new += FUNCTION.format(name=f'{NAME}_{of}', n=n)
        lines[first + n] = (line_of(text, begin), ' '.join(text[begin:end].split()))
    return f'{new}endmodule{tail}{module}', lines


def main() -> None:
    out, *folders = map(Path, sys.argv[1:])
    shutil.rmtree(out, ignore_errors=True)
    listed: dict[str, dict[int, tuple[int, str]]] = {}
    for folder in folders:
        (out / folder.name).mkdir(parents=True)
        for path in sorted(folder.glob('*.sv*')):
            text = path.read_text()
            if path.suffix == '.sv' and 'endmodule' in text:
                text, listed[str(path)] = instrumented(text, path.stem)
            (out / folder.name / path.name).write_text(text)
    (out / 'conditions.json').write_text(json.dumps(listed, indent=1) + '\n')


if __name__ == '__main__':
    main()
