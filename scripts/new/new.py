# SPDX-License-Identifier: Apache-2.0
"""Stamps all faces of a new block from the templates of this folder: make new BLOCK=x.

A template is a file TEMPLATE.in under scripts/new, at the path of the face in the tree; @block@ and @BLOCK@ in its text and
name become the block's name.  The new block is a register stage, complete in every face, to be changed."""
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Names that C, C++ or SystemVerilog keep for themselves, or that the benches use beside a block's.
KEPT = set(
    '''
    alias and assert assign assume auto automatic before begin bind bins bit bool break buf byte case cell char checker class
    clocking compl config const continue cover covergroup cross deassign default delete design disable dist do double edge
    else end enum event explicit export extends extern false final first_match float for force foreach forever fork friend
    function generate genvar global goto highz0 if iff ifnone import in incdir include inline inout input inside instance int
    integer interface intersect join large let liblist library local localparam logic long longint macromodule main matches
    medium modport module mutable namespace nand negedge new nmos nor not null operator or output package packed parameter
    pmos posedge primitive priority private program property protected pull0 pure rand randc ref reg register release repeat
    restrict return rnmos scalared sequence shared short shortint shortreal signed sizeof small solve specify static std strong
    struct super supply0 supply1 switch table tagged task template this throw time timeprecision timeunit tran tri true try type
    typedef typeid typename union unique unsigned until untyped use using var vectored virtual void volatile wait wand weak
    while wildcard wire with within wor xnor xor
    all bench block cfg cosim dpi engine lib lockstep noise p rtl run tb test twin verilated work'''.split()
)


def refuse(text):
    sys.exit(f'new: {text}')


def legal(name):
    """A name that is free in C, C++, SystemVerilog, the file system and make."""
    if not re.fullmatch(r'[a-z][a-z0-9]*(_[a-z0-9]+)*', name) or len(name) > 32:
        refuse(
            f"BLOCK='{name}': expected a name such as sector_cache: small letters, digits, single underscores, 32 at most"
        )
    if name in KEPT:
        refuse(f'{name} means something else in C, SystemVerilog or the benches')
    for path in [*ROOT.glob('cmodel/**/*.h'), *ROOT.glob('rtl/*/*.sv')]:
        if re.search(rf'\b((struct|enum) {name}|module mt_{name})\b', path.read_text()):
            refuse(f'{name} is a name of {path.relative_to(ROOT)} already')


def list_in_table(name):
    """Adds a row after the last block of docs/blocks.md."""
    page = ROOT / 'docs/blocks.md'
    lines = page.read_text().splitlines(keepends=True)
    rows = [i for i, line in enumerate(lines) if re.match(r'\| \[`\w+`\]\(\.\./rtl/\w+/README\.md\) \|', line)]
    if not rows:
        refuse('docs/blocks.md: no table of blocks')
    columns = lines[rows[-1]].count('|') - 1
    lines.insert(
        rows[-1] + 1, f'| [`{name}`](../rtl/{name}/README.md) | a register stage |' + '  |' * (columns - 2) + '\n'
    )
    page.write_text(''.join(lines))


def main():
    name = sys.argv[1] if len(sys.argv) == 2 else ''
    legal(name)
    stamped = {}
    for template in sorted(HERE.rglob('*.in')):
        text = template.read_text().replace('@block@', name).replace('@BLOCK@', name.upper())
        stamped[ROOT / str(template.relative_to(HERE)).removesuffix('.in').replace('@block@', name)] = text
    taken = [p for p in [ROOT / f'rtl/{name}', *stamped] if p.exists()]
    if taken:
        refuse(f'{taken[0].relative_to(ROOT)} exists')
    for path, text in stamped.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        print(f'  NEW  {path.relative_to(ROOT)}')
    if shutil.which('clang-format'):  # line breaks depend on the length of the name
        subprocess.run(
            ['clang-format', '-i', *[p for p in stamped if p.suffix in ('.c', '.h', '.cpp', '.hpp')]], check=True
        )
    list_in_table(name)
    print('  NEW  docs/blocks.md: one row')
    print(
        f'next: change it face by face, cmodel/blocks/{name}.h first; make check cosim prove tb BLOCK={name}, make test TEST={name}'
    )


if __name__ == '__main__':
    main()
