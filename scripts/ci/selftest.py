# SPDX-License-Identifier: Apache-2.0
"""make ci-selftest: a planted change in a header, in a tool option and in a manifest, and a new tool version, each run exactly the steps that
read them; unchanged steps run in rotation; an interrupted part of make deep resumes.  Nothing heavy runs: make is a fake."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.ci import deep, passed, steps, times
from scripts.testing import ROOT, Checks, main, run


def new(tree, step):
    """The blocks whose inputs are new for a step."""
    steps.look_again()
    return passed.due(tree, step, steps.blocks(tree), 'a run')[0]


def planted(tree, path, text, old=None):
    """The steps and blocks that a change triggers: step -> blocks."""
    kept = (tree / path).read_text()
    changed = kept.replace(old, text, 1) if old else kept + text
    assert changed != kept, f'{path} has no {old}'
    (tree / path).write_text(changed)
    steps.look_again()
    found = {step: passed.due(tree, step, steps.blocks(tree), 'a run')[0] for step in steps.STEPS}
    (tree / path).write_text(kept)
    return {step: blocks for step, blocks in found.items() if blocks}


class Steps(Checks):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.tree = cls.folder / 'tree'
        for d in ('cmodel', 'cosim', 'rtl', 'scripts', 'tb', 'tests', 'synth', 'traces/kernels', 'studies'):
            shutil.copytree(ROOT / d, cls.tree / d)
        shutil.copy2(ROOT / 'Makefile', cls.tree)
        subprocess.run(['git', 'init', '-q', cls.tree], check=True)

    def setUp(self):
        steps.look_again()

    def test_copy_without_ci(self):
        """Self-tests copy the tree without .ci; their make inherits CI's variables."""
        done = run('make', 'clean', cwd=self.tree, env={'MEMTWIN_TIMES': str(self.folder / 'times'), 'MAKELEVEL': '1'})
        self.equal('make in a copy of the tree without .ci', done.err if done.status else 0, 0)

    def test_rules_of_make(self):
        """The contents of DUE, and the behaviour for a target that is not in it."""
        (self.tree / 'due.mk').write_text(
            '$(info $(call due,cosim)/$(call due,prove)/$(if $(filter-out $(WANTED),$(call due,dpi)),,$(words $(call due,dpi))))\n'
        )
        done = run(
            'make',
            '-n',
            '-f',
            'Makefile',
            '-f',
            'due.mk',
            'clean',
            'DUE=cosim: cosim:mshr cosim:cap prove:',
            cwd=self.tree,
            alone=True,
        )
        self.equal(
            'make runs a step for the blocks of DUE, and a target that DUE does not name for all blocks',
            done.out.splitlines()[:1],
            [f'mshr cap//{len(steps.blocks(self.tree))}'],
        )
        (self.tree / 'due.mk').unlink()

    def test_changes(self):
        every = steps.blocks(self.tree)
        table = {(s, b): (steps.digest(self.tree, s, b), '2026-01-01') for s in steps.STEPS for b in every}
        passed.write(self.tree / passed.TABLE, table)
        self.equal(
            'nothing has changed: nothing is new',
            {s: new(self.tree, s) for s in steps.STEPS},
            {s: [] for s in steps.STEPS},
        )
        found = planted(self.tree, 'rtl/mshr/mt_mshr.sv', '`define MORE\n')
        self.equal(
            'RTL of a block: every step, that block alone',
            (sorted(found), set(map(tuple, found.values()))),
            (sorted(set(steps.STEPS) - {'scenarios'}), {('mshr',)}),
        )
        found = planted(self.tree, 'rtl/cap/mt_cap.sv', '`define MORE\n')
        self.equal('RTL of a part: the assembly, too', found['cosim'], ['cap', 'gmmu'])
        found = planted(self.tree, 'rtl/mshr/mshr.toml', 'Entries=2 Slots=1', 'Entries=2 Slots=2')
        self.equal(
            'a set in a manifest',
            (found['cosim'], found['machine'], found['scenarios'], found['prove']),
            (['mshr'],) * 4,
        )
        found = planted(self.tree, 'cosim/engine.hpp', '#define MORE\n')
        self.equal('a header of lockstep: every block', (found['cosim'], 'prove' in found), (every, False))
        found = planted(self.tree, 'cmodel/blocks/bits.h', '#define MORE\n')
        self.equal(
            'a header of the twins: every block',
            (found['prove'], found['scenarios'], 'formal' in found),
            (every, every, False),
        )
        found = planted(self.tree, 'cosim/cosim.mk', '--x-initial 0', '--x-initial unique')
        self.equal(
            "an option of Verilator's",
            (found['cosim'], found['tb'], found['xprop'], 'prove' in found),
            (every, every, every, False),
        )
        found = planted(self.tree, 'tb/prove/solve.py', 'MORE = 1\n')
        self.equal('the prover', (found['prove'], 'cosim' in found), (every, False))
        found = planted(self.tree, 'cmodel/system/dram/dram.c', '#define MORE\n')
        self.equal('the machine', sorted(found), ['cosim-captured', 'machine'])
        found = planted(self.tree, 'tests/golden/mshr/entry-being-freed.vec', '# more\n')
        self.equal('a golden file', (found['cosim'], 'tb' in found), (['mshr'], False))
        found = planted(self.tree, 'cosim/rules.py', 'MORE = 1\n')
        self.equal(
            'the rules of make',
            (found['cosim'], found['scenarios'], found['sizes'], 'prove' in found),
            (every, every, every, False),
        )
        found = planted(self.tree, 'cosim/manifest.py', 'MORE = 1\n')
        self.equal('the reader of manifests: all', sorted(found), sorted(steps.STEPS))
        comments = {
            'rtl/mshr/mt_mshr.sv': '// "more\n\n',
            'cosim/engine.hpp': '// more\n',
            'cmodel/blocks/bits.h': '/* more\n   and more */\n',
            'tb/prove/solve.py': '# more\n',
            'Makefile': '# more\n',
            'rtl/mshr/mshr.toml': '# more\n',
            'cmodel/system/gpgpusim.md': 'more\n',
            'cmodel/system/energy/energy_blocks.ini': '; more\n',
        }
        self.equal(
            'comments, documents and energies: nothing',
            [path for path, text in comments.items() if planted(self.tree, path, text)],
            [],
        )
        self.equal(
            'a text of make help: nothing', planted(self.tree, 'tb/tb.mk', '## verify: more ', '## verify: '), {}
        )
        self.equal(
            'a docstring: nothing',
            planted(self.tree, 'cosim/parts.py', 'Parts of a block', 'The blocks that a block is made of'),
            {},
        )
        found = planted(self.tree, 'rtl/mshr/mt_mshr.sv', '/* verilator public */')
        self.equal('a comment that a tool reads', found['cosim'], ['mshr'])
        self.equal(
            'slashes within strings are no comment',
            steps.of_braces('x = "a // b", y = \'"\'; // "c"\n\n/* d */ z;'),
            'x = "a // b", y = \'"\';\n  z;',
        )

    def test_turns(self):
        every = steps.blocks(self.tree)
        seen = [passed.due(self.tree, 'cosim', every, f'commit {n}') for n in range(100)]
        share = sum(len(turn) for _, turn, _ in seen) / (100 * len(every))
        self.equal('a tenth of what is unchanged runs by turn', 0.08 < share < 0.12, True)
        self.equal('the rotation covers every block', {b for _, turn, _ in seen for b in turn}, set(every))
        self.equal(
            'the commit decides',
            passed.due(self.tree, 'cosim', every, 'x') == passed.due(self.tree, 'cosim', every, 'x'),
            True,
        )

    def test_noted(self):
        """Passed steps are copied only if the tree still has the same inputs."""
        build = self.tree / 'build'
        passed.write(self.tree / passed.TABLE, {})
        passed.note(self.tree, build, 'cosim', ['mshr', 'cap'])
        (self.tree / 'cosim/blocks/cap/bench.cpp').write_text('// other\n')
        steps.look_again()
        self.equal(
            'what has passed goes into the table, but not what has changed since',
            (passed.update(self.tree, build), sorted(passed.read(self.tree / passed.TABLE))),
            (1, [('cosim', 'mshr')]),
        )

    def test_another_version(self):
        steps.look_again()
        passed.write(
            self.tree / passed.TABLE,
            {
                (s, b): (steps.digest(self.tree, s, b), '2026-01-01')
                for s in ('cosim', 'prove')
                for b in steps.blocks(self.tree)
            },
        )
        tool = self.folder / 'verilator'
        tool.write_text('#!/bin/sh\necho "another version"\n')
        tool.chmod(0o755)
        path, os.environ['PATH'] = os.environ['PATH'], f'{self.folder}:{os.environ["PATH"]}'
        self.equal(
            'another version of a tool',
            (new(self.tree, 'cosim'), new(self.tree, 'prove')),
            (steps.blocks(self.tree), []),
        )
        os.environ['PATH'] = path

    def test_stopped_parts(self):
        """A fake make that fails for one job; the second run repeats that job only, the third runs nothing."""
        ran = self.folder / 'ran'
        (self.folder / 'make').write_text(
            f'#!/bin/sh\necho "$2" >>{ran}\n[ "$2" != filelists ] || [ -e {self.folder}/mended ]\n'
        )
        (self.folder / 'make').chmod(0o755)
        path, os.environ['PATH'] = os.environ['PATH'], f'{self.folder}:{os.environ["PATH"]}'
        kept, deep.jobs = deep.jobs, lambda root: ['check', 'filelists', 'mix', 'fuzz']
        said = []
        for _ in range(3):
            ran.write_text('')
            status = deep.run(self.tree, self.tree / 'build', '', '1')
            said.append((status, ran.read_text().split()))
            (self.folder / 'mended').touch()
        self.equal(
            'a part of make deep goes on with what has not passed',
            said,
            [(1, ['check', 'filelists', 'mix', 'fuzz']), (0, ['filelists']), (0, [])],
        )
        rows = deep.read(self.tree / deep.TABLE)
        lists = deep.parts(deep.jobs(self.tree), rows, 2)
        self.equal(
            'parts hold every job once', sorted(n for names, _ in lists for n in names), sorted(deep.jobs(self.tree))
        )
        deep.jobs, os.environ['PATH'] = kept, path
        names = deep.jobs(ROOT)
        self.equal('every job of make deep is there once', len(names), len(set(names)))
        lists = deep.parts(names, {n: deep.Row('passed', 100 + 7 * k, '', '') for k, n in enumerate(names)})
        self.equal(
            'no part is longer than an hour and a job',
            max(total for _, total in lists) <= deep.PART_SECONDS + 100 + 7 * len(names),
            True,
        )

    def test_table_of_times(self):
        file = self.folder / 'times'
        file.write_text(
            'make cosim\tbuild/rtl/mshr/tiny.so\t10.0\t12.0\t1.50\nmake cosim\tbuild/rtl/mshr/tiny/V.a\t10.0\t11.0\t1.00\nmake cosim\tcosim\t12.0\t20.0\t8.00\n'
            'make cosim\ttb\t12.0\t13.0\t1.00\nmake cosim\t-\t10.0\t21.0\t12\nmake test\t-\t21.0\t31.0\t20\n'
        )
        lines = [line.split() for line in times.table(file).splitlines()]
        self.equal(
            'the table of seconds',
            [
                ['11', '12', 'make', 'cosim'] in lines,
                ['8', '8', 'cosim'] in lines,
                ['21', '32', 'all'] in lines,
                ['3', '2', '2', 'RTL', 'sets'] in lines,
            ],
            [True] * 4,
        )


if __name__ == '__main__':
    sys.exit(main('ci-selftest', Steps))
