# SPDX-License-Identifier: Apache-2.0
"""make energy-selftest: a table of blocks that differs from the baselines is reported, and wrong runs are refused before anything is measured."""
import contextlib
import io
import sys
from pathlib import Path

from scripts.energy import blocks, run as energy
from scripts.testing import PYTHON, Checks, main, run
from synth import baseline

BUILD = Path('build')
OSU = '/usr/share/qflow/tech/osu018/osu018_stdcells.lib'
RUN = 'vecadd:n=1024 -s sm.count=2'


def ran(text, liberty=OSU):
    return run(*PYTHON, 'scripts.energy', 'run', BUILD, liberty, '', text)


class Energy(Checks):
    def test_table(self):
        kept, blocks.FILE = blocks.FILE, BUILD / 'energy-selftest.ini'
        with contextlib.redirect_stdout(io.StringIO()) as said:
            blocks.FILE.write_text(blocks.text().replace(' pJ', '1 pJ', 1))
            changed, written = blocks.check(False), blocks.check(True)
        blocks.FILE.unlink()
        blocks.FILE = kept
        self.equal('a changed line, then the file written', (changed, written), (True, False))
        self.expect(
            'its name', 'energy-selftest.ini: differs from synth/baseline.tsv; UPDATE=1 writes it' in said.getvalue()
        )

    def test_lines(self):
        view = {'power_mw': 9.0, 'fmax_mhz': 900.0, 'activity': {'traffic': 'captured'}}
        self.equal('energy of a cycle', blocks.energy_pj(view), 10.0)
        self.equal('random traffic', blocks.energy_pj(view | {'activity': {'traffic': 'random'}}), None)
        with self.assertRaisesRegex(ValueError, 'a/b: found a line of 3.. characters, expected at most 255'):
            blocks.line('a/b', 1, 1, (None, 0, 0), 'A=1 ' * 80)
        self.equal(
            'a line',
            blocks.line('a/b', 1, 2, (3, 0, 0.5), 'A=1'),
            'a/b = 1 um2, 2 MHz, 3.000 pJ, 0.500 pJ a word, A=1\n',
        )

    def test_energies(self):
        ram = {'kind': 'ram', 'words': 128, 'width': 1024}
        self.expect(
            'a word of 1024 bits is a line of 16 KB',
            abs(blocks.word_pj({'a': ram}) - 58.84) < 1e-9,
            blocks.word_pj({'a': ram}),
        )
        self.equal('registers are no RAM', blocks.word_pj({'a': ram | {'kind': 'registers'}}), 0)
        found = energy.kept_energies({'block': 'mshr', 'parameters': 'Entries=32 Slots=8 AddrW=41 InfoW=24 DataW=0'})
        self.expect('those of a block with a RAM', all(found), found)
        self.equal('of an unknown set', energy.kept_energies({'block': 'mshr', 'parameters': 'Entries=33'}), (0, 0))

    def test_scale(self):
        job = type('Job', (), {'nm': 180, 'lib': type('Lib', (), {'name': 'osu018_stdcells'}), 'set': 'l1d'})()
        job.block = type('Block', (), {'name': 'mshr'})
        small, large = (blocks.smaller(baseline.load()['mshr']['l1d'][n]) for n in (blocks.LIBRARY, job.lib.name))
        pj = energy.scale(job, 1000 * large['power_mw'] / large['fmax_mhz'], large)[0]
        self.expect('at the same activity, the energy of 45 nm', abs(pj / blocks.energy_pj(small) - 1) < 1e-9, pj)
        job.set = 'none'
        with self.assertRaisesRegex(energy.ToolError, 'mshr/none: found osu018_stdcells of 180 nm, and no baseline'):
            energy.scale(job, 1.0, large)

    def test_refusals(self):
        self.ended('two workloads', ran('vecadd bfs'), False, 'ENERGY_RUN: found 2 runs, expected one workload on one')
        self.ended('an unknown kernel', ran('nope'), False, 'nope')
        self.ended('no library', ran(RUN, 'none.lib'), False, 'LIBERTY=none.lib: no such file', lines=1)
        self.ended('no liberty file', ran(RUN, 'README.md'), False, 'README.md: found no "library', lines=1)


if __name__ == '__main__':
    BUILD = Path(sys.argv[1])
    sys.exit(main('energy-selftest', Energy))
