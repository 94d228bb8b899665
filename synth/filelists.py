# SPDX-License-Identifier: Apache-2.0
"""File lists for users of a block without this build, derived from the modules that the sources instantiate and the files that they include:
<b>.f for simulators and synthesis, which `make release` and `make install` write, and rtl/<b>/<b>.core for FuseSoC (CAPI2), which is in the tree.

usage: python3 -B -m synth.filelists BUILD [--update] [--lint BLOCK ...]   compares the .core files with the sources; --update writes them;
--lint reads blocks by their .f only, written to BUILD/filelists"""
import re
import subprocess
import sys
from pathlib import Path

from cosim import manifest

INCLUDE = re.compile(r'^\s*`include\s+"([^"]+)"', re.M)
CORE = '''CAPI=2:
# Derived from the sources: make filelists UPDATE=1.
name: memtwin:rtl:{name}
description: "{about}"
filesets:
  rtl:
    files:
{files}
    file_type: systemVerilogSource
{depend}targets:
  default: &default
    filesets: [rtl]
{targets}'''
LINT = '''    toplevel: {module}
  lint:
    <<: *default
    default_tool: verilator
    tools:
      verilator:
        mode: lint-only
        verilator_options: [-Wall]
'''


class Sources:
    """The modules of rtl/: the file of each, and the modules and files that it instantiates and includes."""

    def __init__(self, root):
        self.root = Path(root)
        self.text = {p.stem: p.read_text() for p in sorted(self.root.glob('rtl/*/*.sv'))}
        self.path = {p.stem: p.relative_to(self.root) for p in sorted(self.root.glob('rtl/*/*.sv'))}
        self.instances = re.compile(rf'^\s*({"|".join(self.path)})\s*(?:#\s*\(|u_\w+\s*\()', re.M)

    def of(self, module):
        """The modules that a module needs, in order of instantiation, leaves first."""
        order = []

        def visit(name):
            for below in self.instances.findall(self.text[name]):
                visit(below)
            if name not in order:
                order.append(name)

        visit(module)
        return order

    def blocks(self):
        return sorted({p.parts[1] for p in self.path.values() if manifest.module(p.parts[1]) == p.stem})

    def includes(self, modules):
        """Headers of rtl/lib that the modules include."""
        return sorted({n for m in modules for n in INCLUDE.findall(self.text[m]) if n.endswith('.svh')})


def about(text):
    """The first sentence of a module's comment."""
    words = ' '.join(
        line[2:].strip()
        for line in text.split('module ')[0].splitlines()
        if line.startswith('//') and 'SPDX' not in line
    )
    return re.sub(r' \([A-Z][a-z]+\d\d, [^)]*\)', '', re.split(r'\.(?:  |$)', words)[0]).replace('"', "'")


def file_list(sources, block):
    """Text of <b>.f."""
    top = manifest.module(block)
    modules = sources.of(top)
    return '\n'.join(
        [
            f'// {block} and all that it instantiates.  From the folder that holds rtl: verilator --lint-only -f rtl/{block}/{block}.f',
            f'// or iverilog -g2012 -s {top} -c rtl/{block}/{block}.f; any tool that reads +incdir+ and file names takes it.',
            *(['+incdir+rtl/lib'] if sources.includes(modules) else []),
            *(str(sources.path[m]) for m in modules),
            '',
        ]
    )


def core(name, about_it, own, headers, depend, targets):
    files = '\n'.join([f'      - {h}: {{is_include_file: true}}' for h in headers] + [f'      - {m}.sv' for m in own])
    needs = f'    depend: [{", ".join(f"memtwin:rtl:{d}" for d in depend)}]\n' if depend else ''
    return CORE.format(name=name, about=about_it, files=files, depend=needs, targets=targets)


def cores(root):
    """path -> text of every .core."""
    sources, out = Sources(root), {}
    lib = [m for m, p in sources.path.items() if p.parts[1] == 'lib']
    headers = sorted(p.name for p in sources.root.glob('rtl/lib/*.svh'))
    out['rtl/lib/lib.core'] = core('lib', 'Cells that the blocks of memtwin share', lib, headers, [], '')
    for b in sources.blocks():
        top = manifest.module(b)
        modules = sources.of(top)
        folders = {m: sources.path[m].parts[1] for m in modules}
        own = [m for m in modules if folders[m] == b]
        depend = sorted(set(folders.values()) - {b} | ({'lib'} if sources.includes(own) else set()))
        out[f'rtl/{b}/{b}.core'] = core(b, about(sources.text[top]), own, [], depend, LINT.format(module=top))
    return out


def wrong(root):
    """Lists that differ from the sources; modules that no list contains."""
    root, text = Path(root), ''
    for name, expected in cores(root).items():
        path = root / name
        if not path.exists():
            yield f'{name}: is missing; make filelists UPDATE=1 writes it'
        elif path.read_text() != expected:
            have, want = path.read_text().splitlines(), expected.splitlines()
            differ = [f'without "{w.strip()}"' for w in want if w not in have] + [
                f'with "{h.strip()}"' for h in have if h not in want
            ]
            yield f'{name}: {", ".join(differ) or "lines in another order"}; make filelists UPDATE=1 writes it'
        text += expected
    for p in sorted(root.glob('rtl/*/*.sv')):
        if not p.stem.endswith('_formal') and f'- {p.name}\n' not in text:
            yield f'{p.relative_to(root)}: in no list: nothing instantiates it'


def lint(sources, block, build):
    """Messages of Verilator, Icarus and Yosys for a block read by its list."""
    text, top, path = file_list(sources, block), manifest.module(block), Path(build, 'filelists', f'{block}.f')
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    listed = str(path)
    words = [line.replace('+incdir+', '-I') for line in text.splitlines() if not line.startswith('//')]
    for command in (
        ['verilator', '--lint-only', '-Wall', '-f', listed, '--top-module', top],
        ['iverilog', '-g2012', '-Wall', '-Wno-timescale', '-c', listed, '-s', top, '-t', 'null'],
        ['yosys', '-q', '-e', '.*', '-p', f'read_verilog -sv {" ".join(words)}; hierarchy -check -top {top}'],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            yield f'{listed}: {" ".join(command)}: {(done.stderr + done.stdout).strip()}'


def main():
    build, blocks = sys.argv[1], sys.argv[sys.argv.index('--lint') + 1 :] if '--lint' in sys.argv else []
    if '--update' in sys.argv:
        for name, text in cores('.').items():
            Path(name).write_text(text)
    sources = Sources('.')
    found = list(wrong('.')) + [line for b in blocks for line in lint(sources, b, build)]
    print(
        '\n'.join(found)
        or f'filelists: {len(cores("."))} .core are what the sources say, {len(blocks)} blocks read by their .f'
    )
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
