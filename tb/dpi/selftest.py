# SPDX-License-Identifier: Apache-2.0
"""Claims about DPI-C: a bug planted in the RTL turns the bench red; the files hold nothing that only Verilator takes; a delivered folder
stands alone, and its twin takes the RTL's place; bad input is one line.  usage: python3 -B -m tb.dpi.selftest BUILD"""
import ctypes
import re
import shutil
import sys
from pathlib import Path

from cosim import manifest
from scripts.testing import PYTHON, ROOT, Checks, main, run
from tb.dpi.dpi import written
from tb.dpi.faces import Face, files_of, package, predictor

BUILD = Path(sys.argv[1]).resolve()

# Verilator's own, and what other simulators have not: pragmas, C in the text, its header names.
FOREIGN_TO_OTHERS = re.compile(r'verilator|\$c\b|\$c\(|`systemc|public_flat|verilated', re.I)
BUG = ('milg', 'rtl-order')
DPI = (*PYTHON, 'tb.dpi.dpi')


def checked_calls(library, outputs):
    """eval(), tick() and reset(): a request fills a slot, reset empties it.  Values are wider than their ports."""
    c = ctypes.CDLL(str(library))
    c.dl_mshr_dpi_create.restype = ctypes.c_void_p
    twin = ctypes.c_void_p(c.dl_mshr_dpi_create(8, 2, 8, 8, 0, 1, 1, 4))
    word, wide, out = (
        ctypes.c_ulonglong(2**64 - 1),
        ctypes.create_string_buffer(b'\xff' * 128),
        [ctypes.create_string_buffer(128) for _ in outputs],
    )

    def used():
        c.dl_mshr_dpi_eval(twin, 0, word, 0, 0, wide, 0, word, 0, *out)
        return int.from_bytes(out[outputs.index('used_slots_o')][:2], 'little')

    seen = [used()]
    for request in (1, 0, 0):
        c.dl_mshr_dpi_tick(twin, request, word, ctypes.c_uint(2**32 - 1), 0, wide, 0, word, 0)
    seen.append(used())
    c.dl_mshr_dpi_reset(twin)
    return [*seen, used()] == [0, 1, 0]


def checked_parameters(library):
    """illegal() and create() with parameters in the order of the list: Sets, Slots, AddrW, InfoW, DataW, GateCmp, TailPtr, Reserved."""
    c = ctypes.CDLL(str(library))
    c.dl_mshr_dpi_illegal.restype, c.dl_mshr_dpi_create.restype, c.dl_mshr_dpi_free.argtypes = (
        ctypes.c_char_p,
        ctypes.c_void_p,
        [ctypes.c_void_p],
    )
    wrong, right = (1, 2, 8, 8, 0, 1, 1, 0), (8, 2, 8, 8, 0, 1, 1, 4)
    said, none, twin = c.dl_mshr_dpi_illegal(*wrong), c.dl_mshr_dpi_create(*wrong), c.dl_mshr_dpi_create(*right)
    c.dl_mshr_dpi_free(twin)
    return (
        said.startswith(b'found Sets=1, expected Sets from 2 to ')
        and c.dl_mshr_dpi_illegal(*right) == b''
        and not none
        and twin
    )


class Delivered(Checks):
    def test_planted(self):
        """The bench of a copy of the tree with a bug in the RTL."""
        tree = BUILD / 'dpi-selftest/tree'
        shutil.rmtree(tree, ignore_errors=True)
        for folder in ('cmodel/blocks', 'cosim', 'rtl', 'tb/dpi', 'tb/prove'):
            shutil.copytree(ROOT / folder, tree / folder)
        block, name = BUG
        bug = next(b for b in manifest.read(block).bugs if b.name == name)
        manifest.plant(bug, tree)
        (tree / 'build/describe').mkdir(parents=True)
        shutil.copy(BUILD / 'describe' / block, tree / 'build/describe')
        status, said = run(*DPI, f'{block}/{bug.at}', '--build', tree / 'build', cwd=tree)
        self.expect(
            'a bug planted in the RTL is found',
            status == 1
            and re.search(rf'FAIL dpi {block}/{bug.at}  seed=1 cycle=\d+  \d of', said)
            and 'rtl=0x' in said
            and 'rerun' in said,
            said,
        )

    def test_plain(self):
        """Every block's files; elaboration of the twin alone shows that they need nothing else."""
        odd, wrong = [], []
        for block in manifest.blocks():
            name, chosen = next(iter(manifest.read(block).sets.items()))
            for file, text in files_of(Face(block, name, chosen, BUILD)).items():
                odd += [f'{block}: {file}: {m[0]}' for m in FOREIGN_TO_OTHERS.finditer(text)]
                wrong += [f'{block}: {file}' for line in text.splitlines() if re.search(r'\s$', line)]
        self.expect(
            f'files of {len(manifest.blocks())} blocks hold no construct of one simulator',
            not odd and not wrong,
            '\n'.join(odd + wrong),
        )

    def test_alone(self):
        """A delivered folder: lint of the twin by its list, then a design in which the twin has the RTL's name."""
        out = BUILD / 'dpi-selftest/alone'
        shutil.rmtree(out, ignore_errors=True)
        status, said = run(*DPI, 'dl_mshr/tiny', '--build', BUILD, '--out', out)
        self.expect('a folder is delivered', status == 0 and said.startswith('wrote '), said)
        status, said = run(
            'verilator', '--lint-only', '-Wall', '-F', 'dl_mshr_dpi.f', '--top-module', 'mt_dl_mshr_twin', cwd=out
        )
        self.expect('its list is all that a simulator needs', status == 0, said)
        root = run('verilator', '--getenv', 'VERILATOR_ROOT').out.strip()
        status, said = run(
            'gcc',
            '-std=c17',
            '-Wall',
            '-Wextra',
            '-Werror',
            '-fPIC',
            '-shared',
            f'-I{root}/include/vltstd',
            'dl_mshr_dpi.c',
            'dl_mshr.c',
            '-o',
            'dl_mshr_dpi.so',
            cwd=out,
        )
        self.expect('its C is a library for any simulator', status == 0, said)
        self.expect(
            'its calls refuse a parameter out of range', status == 0 and checked_parameters(out / 'dl_mshr_dpi.so')
        )
        face = Face('dl_mshr', 'tiny', {}, BUILD)
        self.expect(
            'its calls evaluate, tick and reset',
            status == 0 and checked_calls(out / 'dl_mshr_dpi.so', [p['name'] for p in face.outs]),
        )
        status, said = run(
            'verilator',
            '--lint-only',
            '-Wall',
            '-Wno-BLKSEQ',
            '-Wno-DECLFILENAME',
            '+define+MT_DL_MSHR_TWIN=mt_dl_mshr',
            '-GSets=4',
            '--top-module',
            'mt_dl_mshr',
            '-F',
            'dl_mshr_dpi.f',
            cwd=out,
        )
        self.expect("it takes the RTL's name and parameters", status == 0, said)

    def test_uvm(self):
        """The predictor of every block compiles, against the names of UVM in tb/dpi/uvm."""
        uvm = ROOT / 'tb/dpi/uvm'
        out = BUILD / 'dpi-selftest/uvm'
        out.mkdir(parents=True, exist_ok=True)
        for block in manifest.blocks():
            name, chosen = next(iter(manifest.read(block).sets.items()))
            face = Face(block, name, chosen, BUILD)
            files = {f'mt_{block}_dpi_pkg.sv': package(face), f'mt_{block}_uvm_pkg.sv': predictor(face)}
            written(out, files)
            top = out / f'{block}_top.sv'
            top.write_text(
                f'module {block}_top;\n  import mt_{block}_uvm_pkg::*;\n  mt_{block}_predictor p;\n  initial p = new("p", null);\nendmodule\n'
            )
            done = run(
                'verilator',
                '--lint-only',
                '-Wno-lint',
                '-Wno-style',
                f'+incdir+{uvm}',
                uvm / 'uvm_pkg.sv',
                *(out / n for n in files),
                top,
                '--top-module',
                f'{block}_top',
            )
            self.ended(f'{block}: its predictor', done, True)

    def test_others(self):
        """OUT= in place of other files: they stay; an earlier delivery is replaced."""

        def deliver(to):
            return run(*DPI, 'milg/tiny', '--build', BUILD, '--out', to)

        def kept(to):
            before = {p: p.read_bytes() for p in to.rglob('*') if p.is_file()}
            status, said = deliver(to)
            return (
                status == 1
                and f'OUT={to}: found a folder with other files' in said
                and {p: p.read_bytes() for p in to.rglob('*') if p.is_file()} == before,
                said,
            )

        out = BUILD / 'dpi-selftest/others'
        shutil.rmtree(out, ignore_errors=True)
        (out / 'own').mkdir(parents=True)
        (out / 'own/milg.c').write_text("a user's")
        self.expect("a user's file of the same name is kept", *kept(out / 'own'))
        self.expect(
            'an earlier delivery is replaced', deliver(out / 'again').status == 0 == deliver(out / 'again').status
        )
        (out / 'again/more').mkdir()
        (out / 'again/more/notes').write_text("a user's")
        self.expect("an earlier delivery to which a user has added a file is kept", *kept(out / 'again'))
        shutil.rmtree(out / 'again/more')
        (out / 'again/milg.c').write_text('edited')
        self.expect('an earlier delivery that a user has edited is kept', *kept(out / 'again'))
        status, said = deliver('/')
        self.expect(
            'the root is refused',
            status == 1 and 'OUT=/: found a folder with other files' in said and not Path('/milg.c').exists(),
            said,
        )

    def test_refused(self):
        for name, words, text in (
            ('an unknown parameter', ['BLOCK=milg', 'PARAMS=ReqX=3'], 'found "ReqX"'),
            ('a parameter out of range', ['BLOCK=milg', 'PARAMS=ReqW=0'], 'expected ReqW from 1 to 16'),
            ('a folder for several blocks', [f'OUT={BUILD}/dpi-selftest/x'], 'expected one BLOCK='),
            ('an unknown set', ['BLOCK=milg', 'SET=none'], 'no such block or parameter set'),
        ):
            self.ended(f'{name} is refused in a line', run('make', 'dpi', *words, alone=True), False, text)


if __name__ == '__main__':
    sys.exit(main('dpi-selftest', Delivered))
