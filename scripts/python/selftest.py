# SPDX-License-Identifier: Apache-2.0
"""The Python module: every block resets, steps, and comes back to a snapshot; registers by name; RTL beside its twin; whole runs and stepping equal the
command's counters; wrong values are named; the package is typed; the examples and the page run.
usage: python3 -B -m scripts.python.selftest BUILD"""
import ast
import importlib.util
import json
import random
import re
import shutil
import sys
from pathlib import Path

from cosim import manifest
from scripts.install import library
from scripts.testing import ROOT, Checks, main, run

BUILD = Path(sys.argv[1]).resolve()
FOLDER = BUILD / 'python-selftest'


def loaded(folder):
    """The package in a folder that is outside the tree's own."""
    spec = importlib.util.spec_from_file_location(
        folder.name, folder / '__init__.py', submodule_search_locations=[str(folder)]
    )
    package = importlib.util.module_from_spec(spec)
    sys.modules[folder.name] = package
    spec.loader.exec_module(package)
    return package


libmemtwin = loaded(BUILD / 'python/libmemtwin')


class Twins(Checks):
    def test_every_block(self):
        """Random cycles from a snapshot give the same outputs and registers twice, at the first set of each manifest."""
        for block in manifest.blocks():
            chance = random.Random(1)
            chosen = next(iter(manifest.read(block).sets.values()))
            twin = libmemtwin.BLOCKS[block](**chosen)
            cycles = [{n: chance.getrandbits(w) if w else 0 for n, w in twin.inputs.items()} for _ in range(200)]
            for inputs in cycles[:100]:
                twin.step(**inputs)
            begin = twin.snapshot()
            outputs = [twin.step(**inputs) for inputs in cycles[100:]]
            registers = dict(twin.registers)
            twin.restore(begin)
            self.expect(f'{block}: the same from a snapshot', outputs == [twin.step(**i) for i in cycles[100:]], chosen)
            self.expect(f'{block}: the same registers', registers == dict(twin.registers), chosen)
            twin.reset()
            self.expect(
                f'{block}: outputs fit their widths',
                all(0 <= v < 1 << max(w, 1) for o in outputs for v, w in zip(o, twin.outputs.values())),
                chosen,
            )

    def test_registers(self):
        twin = libmemtwin.Mshr(Entries=4, Slots=2, AddrW=16, InfoW=8)
        twin.step(req_valid_i=1, req_addr_i=7, req_info_i=3)
        self.expect('a register by name', twin.registers['n_free_q'] == 3, dict(twin.registers))
        self.expect('a table by name', twin.registers['addr_q'][0] == 7, dict(twin.registers))
        self.expect(
            'what it is', twin.registers.about('addr_q') == 'line address (16 bits x 4)', twin.registers.about('addr_q')
        )
        twin.registers['used_slots_q'] = 5
        self.expect('a register written', twin.eval().used_slots_o == 5, twin.eval())
        self.expect('codes have names', libmemtwin.MshrResult(1).name == 'MSHR_SECONDARY', list(libmemtwin.MshrResult))
        parts = list(libmemtwin.Gmmu(**next(iter(manifest.read('gmmu').sets.values()))).registers)
        self.expect('registers of parts', any('.' in n for n in parts), parts)

    def test_refused(self):
        def refused(name, text, call):
            try:
                call()
                said = 'nothing was refused'
            except (ValueError, KeyError, TypeError, libmemtwin.Failure) as e:
                said = str(e)
            self.expect(name, text in said, said)

        small = {'Entries': 4, 'Slots': 2, 'AddrW': 4, 'InfoW': 4}
        twin = libmemtwin.Mshr(**small)
        refused(
            'a parameter', 'mshr: found Entries=1, expected Entries from 2 to 512', lambda: libmemtwin.Mshr(Entries=1)
        )
        refused('an input', 'mshr.req_addr_i: found 16, expected 0 to 15', lambda: twin.step(req_addr_i=16))
        refused('an input that is not there', "unexpected keyword argument 'req_adr_i'", lambda: twin.step(req_adr_i=1))
        refused('a register', 'mshr: found no register free_q, expected one of', lambda: twin.registers['free_q'])
        refused(
            'a value of a register',
            'mshr.n_free_q: found 9, expected 0 to 7',
            lambda: twin.registers.update(n_free_q=9),
        )
        refused('a short table', 'mshr.addr_q: found 1 values, expected 4', lambda: twin.registers.update(addr_q=[1]))
        other = libmemtwin.Mshr(Entries=8, Slots=2).snapshot()
        refused('a state of other parameters', 'restore: found a state of mshr', lambda: twin.restore(other))
        refused(
            'no RTL',
            'none.so: found no set of RTL, expected one of make rtl BLOCK=mshr',
            lambda: libmemtwin.Rtl('none.so', libmemtwin.Mshr),
        )
        rtl = f'{BUILD}/rtl/mshr/tiny.so'
        refused(
            'RTL of another block',
            'found version {0} of mshr, expected version {0} of cart'.format(libmemtwin.native.RTL_SET_VERSION),
            lambda: libmemtwin.Rtl(rtl, libmemtwin.Cart),
        )
        refused('an option', 'the nearest is l1d.ways', lambda: libmemtwin.Machine('l1d.way=4'))
        refused('a workload', 'nosuch', lambda: libmemtwin.Machine('sm.count=2').run('nosuch'))
        refused('a counter', 'found "gpu.ipx"', lambda: libmemtwin.Machine('sm.count=2').counter('gpu.ipx'))

    def test_versions(self):
        """The layouts that Python reads are those of the C headers."""
        version = re.search(r'RTL_SET_VERSION = (\d+)', (ROOT / 'cmodel/system/block/rtl_set.h').read_text())[1]
        self.expect('version of rtl_set.h', int(version) == libmemtwin.native.RTL_SET_VERSION, version)
        text = (BUILD / 'python/libmemtwin/machine.py').read_text()
        called = {f'memtwin_{n}' for n in re.findall(r"^ {4}\('(\w+)', ", text, re.M)}
        known = set(library.of_machine())
        self.expect('functions of memtwin.h', called <= known, called - known)


class Machines(Checks):
    def test_whole_run(self):
        FOLDER.mkdir(parents=True, exist_ok=True)
        options = ['sm.count=4', 'l1d.mshr.entries=8']
        path = FOLDER / 'command.json'
        words = [w for o in options for w in ('-s', o)]
        self.ended('the command', run(BUILD / 'memtwin', 'run', 'spmv:rows=256', *words, '-q', '--json', path), True)
        counters = json.loads(path.read_text())['counters'] if path.exists() else {}
        machine = libmemtwin.Machine(options[0], set={'l1d.mshr.entries': 8})
        found = machine.run('spmv:rows=256')
        odd = [n for n, v in counters.items() if isinstance(v, int) and found.get(n) != v]
        self.expect(f'{len(counters)} counters of the command', counters and not odd, odd)
        self.expect('an option', machine.option('l1d.mshr.entries') == '8', machine.option('l1d.mshr.entries'))
        machine.reset()
        self.expect('after a reset, the same', machine.run('spmv:rows=256') == found, '')

    def test_stepping(self):
        machine = libmemtwin.Machine('sm.count=2')
        self.expect('taken', machine.offer(4096, tag=5) and machine.in_flight == 1, machine.in_flight)
        machine.step(20)
        middle = machine.snapshot()
        machine.drain()
        first = machine.poll()
        self.expect('done', first and first.tag == 5 and first.kind == 'read' and first.done > first.offered, first)
        machine.restore(middle)
        self.expect('back in the middle', machine.cycle == 20 and machine.in_flight == 1, machine.cycle)
        machine.drain()
        self.expect('the same from a snapshot', machine.poll() == first, first)
        machine.finish()


class Files(Checks):
    def test_types(self):
        done = run('mypy', '--strict', '-p', 'libmemtwin', cwd=BUILD / 'python')
        self.ended('mypy --strict', done, True, 'no issues found')
        text = (BUILD / 'python/libmemtwin/blocks.py').read_text()
        classes = [n for n in ast.parse(text).body if isinstance(n, ast.ClassDef) and not n.name.endswith('Out')]
        lacking = [n.name for n in classes if not ast.get_docstring(n) and 'Enum' not in ast.unparse(n.bases[0])]
        self.expect(f'{len(classes)} classes have docstrings', len(classes) > 28 and not lacking, lacking)

    def test_examples(self):
        FOLDER.mkdir(parents=True, exist_ok=True)
        env = {'PYTHONPATH': str(BUILD / 'python')}
        bench = ('examples/python/bench.py', BUILD / 'rtl/mshr/tiny.so', '3000')
        self.ended('bench.py', run(sys.executable, *bench, env=env), True, 'PASS bench mshr', 'MSHR_RF_MERGE')
        broken = FOLDER / 'bench.py'
        text = (ROOT / bench[0]).read_text().replace('twin.step(**inputs)', "twin.step(**{**inputs, 'req_valid_i': 0})")
        broken.write_text(text)
        self.ended(
            'bench.py with other inputs',
            run(sys.executable, broken, *bench[1:], env=env),
            False,
            r'rsp_valid_o: rtl=0x1 model=0x0',
        )
        plot = FOLDER / 'sweep.svg'
        self.ended('sweep.py', run(sys.executable, 'examples/python/sweep.py', plot, env=env), True, 'wrote')
        self.expect('its plot', plot.exists() and plot.read_text().count('<polyline') == 3, plot)

    def test_page(self):
        """Blocks of Python of the page run, in order, in one program."""
        page = (ROOT / 'docs/python.md').read_text()
        blocks = re.findall(r'^```python\n(.*?)^```', page, re.M | re.S)
        mine = [b for b in blocks if 'cocotb' not in b]
        program = FOLDER / 'page.py'
        FOLDER.mkdir(parents=True, exist_ok=True)
        program.write_text('\n'.join(mine))
        self.expect('the page has programs', len(mine) >= 3, len(mine))
        done = run(sys.executable, program, env={'PYTHONPATH': str(BUILD / 'python')})
        self.ended('the page', done, True)
        for b in set(blocks) - set(mine):
            ast.parse(b)


if __name__ == '__main__':
    shutil.rmtree(FOLDER, ignore_errors=True)
    sys.exit(main('python-selftest', Twins, Machines, Files))
