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

ROOT = Path(__file__).resolve().parent.parent.parent
passed_checks = failed_checks = 0


def expect(name, found, wanted):
    global passed_checks, failed_checks
    good = found == wanted
    passed_checks, failed_checks = passed_checks + good, failed_checks + (not good)
    print(f'{"PASS" if good else "FAIL"} ci-selftest {name}{"" if good else f": found {found}, expected {wanted}"}')


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


def changes(tree):
    every = steps.blocks(tree)
    table = {(s, b): (steps.digest(tree, s, b), '2026-01-01') for s in steps.STEPS for b in every}
    passed.write(tree / passed.TABLE, table)
    expect('nothing has changed: nothing is new', {s: new(tree, s) for s in steps.STEPS}, {s: [] for s in steps.STEPS})
    found = planted(tree, 'rtl/mshr/mt_mshr.sv', '`define MORE\n')
    expect('RTL of a block: every step, that block alone', (sorted(found), set(map(tuple, found.values()))), (sorted(set(steps.STEPS) - {'scenarios'}), {('mshr',)}))
    found = planted(tree, 'rtl/cap/mt_cap.sv', '`define MORE\n')
    expect('RTL of a part: the assembly, too', found['cosim'], ['cap', 'gmmu'])
    found = planted(tree, 'rtl/mshr/mshr.toml', 'Entries=2 Slots=1', 'Entries=2 Slots=2')
    expect('a set in a manifest', (found['cosim'], found['machine'], found['scenarios'], found['prove']), (['mshr'],) * 4)
    found = planted(tree, 'cosim/engine.hpp', '#define MORE\n')
    expect('a header of lockstep: every block', (found['cosim'], 'prove' in found), (every, False))
    found = planted(tree, 'cmodel/blocks/bits.h', '#define MORE\n')
    expect('a header of the twins: every block', (found['prove'], found['scenarios'], 'formal' in found), (every, every, False))
    found = planted(tree, 'cosim/cosim.mk', '--x-initial 0', '--x-initial unique')
    expect("an option of Verilator's", (found['cosim'], found['tb'], found['xprop'], 'prove' in found), (every, every, every, False))
    found = planted(tree, 'tb/prove/solve.py', 'MORE = 1\n')
    expect('the prover', (found['prove'], 'cosim' in found), (every, False))
    found = planted(tree, 'cmodel/system/dram/dram.c', '#define MORE\n')
    expect('the machine', sorted(found), ['cosim-captured', 'machine'])
    found = planted(tree, 'tests/golden/mshr/entry-being-freed.vec', '# more\n')
    expect('a golden file', (found['cosim'], 'tb' in found), (['mshr'], False))
    found = planted(tree, 'cosim/rules.py', 'MORE = 1\n')
    expect('the rules of make', (found['cosim'], found['scenarios'], 'prove' in found, 'sizes' in found), (every, every, False, False))
    found = planted(tree, 'cosim/manifest.py', 'MORE = 1\n')
    expect('the reader of manifests: all', sorted(found), sorted(steps.STEPS))
    comments = {'rtl/mshr/mt_mshr.sv': '// "more\n\n', 'cosim/engine.hpp': '// more\n', 'cmodel/blocks/bits.h': '/* more\n   and more */\n', 'tb/prove/solve.py': '# more\n',
                'Makefile': '# more\n', 'rtl/mshr/mshr.toml': '# more\n'}
    expect('comments: nothing', [path for path, text in comments.items() if planted(tree, path, text)], [])
    expect('a docstring: nothing', planted(tree, 'cosim/parts.py', 'Parts of a block', 'The blocks that a block is made of'), {})
    found = planted(tree, 'rtl/mshr/mt_mshr.sv', '/* verilator public */')
    expect('a comment that a tool reads', found['cosim'], ['mshr'])
    expect('slashes within strings are no comment', steps.of_braces('x = "a // b", y = \'"\'; // "c"\n\n/* d */ z;'), 'x = "a // b", y = \'"\';\n  z;')


def another_version(tree, folder):
    steps.look_again()
    passed.write(tree / passed.TABLE, {(s, b): (steps.digest(tree, s, b), '2026-01-01') for s in ('cosim', 'prove') for b in steps.blocks(tree)})
    tool = folder / 'verilator'
    tool.write_text('#!/bin/sh\necho "another version"\n')
    tool.chmod(0o755)
    path, os.environ['PATH'] = os.environ['PATH'], f'{folder}:{os.environ["PATH"]}'
    expect('another version of a tool', (new(tree, 'cosim'), new(tree, 'prove')), (steps.blocks(tree), []))
    os.environ['PATH'] = path


def turns(tree):
    every = steps.blocks(tree)
    seen = [passed.due(tree, 'cosim', every, f'commit {n}') for n in range(100)]
    share = sum(len(turn) for _, turn, _ in seen) / (100 * len(every))
    expect('a tenth of what is unchanged runs by turn', 0.08 < share < 0.12, True)
    expect('the rotation covers every block', {b for _, turn, _ in seen for b in turn}, set(every))
    expect('the commit decides', passed.due(tree, 'cosim', every, 'x') == passed.due(tree, 'cosim', every, 'x'), True)


def noted(tree):
    """Passed steps are copied only if the tree still has the same inputs."""
    build = tree / 'build'
    passed.write(tree / passed.TABLE, {})
    passed.note(tree, build, 'cosim', ['mshr', 'cap'])
    (tree / 'cosim/cap.cpp').write_text('// other\n')
    steps.look_again()
    expect('what has passed goes into the table, but not what has changed since', (passed.update(tree, build), sorted(passed.read(tree / passed.TABLE))), (1, [('cosim', 'mshr')]))


def stopped_parts(tree, folder):
    """A fake make that fails for one job; the second run repeats that job only, the third runs nothing."""
    ran = folder / 'ran'
    (folder / 'make').write_text(f'#!/bin/sh\necho "$2" >>{ran}\n[ "$2" != filelists ] || [ -e {folder}/mended ]\n')
    (folder / 'make').chmod(0o755)
    path, os.environ['PATH'] = os.environ['PATH'], f'{folder}:{os.environ["PATH"]}'
    kept, deep.jobs = deep.jobs, lambda root: ['check', 'filelists', 'mix', 'fuzz']
    said = []
    for _ in range(3):
        ran.write_text('')
        status = deep.run(tree, tree / 'build', '', '1')
        said.append((status, ran.read_text().split()))
        (folder / 'mended').touch()
    expect('a part of make deep goes on with what has not passed', said, [(1, ['check', 'filelists', 'mix', 'fuzz']), (0, ['filelists']), (0, [])])
    rows = deep.read(tree / deep.TABLE)
    lists = deep.parts(deep.jobs(tree), rows, 2)
    expect('parts hold every job once', sorted(n for names, _ in lists for n in names), sorted(deep.jobs(tree)))
    deep.jobs, os.environ['PATH'] = kept, path
    names = deep.jobs(ROOT)
    expect('every job of make deep is there once', len(names), len(set(names)))
    lists = deep.parts(names, {n: deep.Row('passed', 100 + 7 * k, '', '') for k, n in enumerate(names)})
    expect('no part is longer than an hour and a job', max(total for _, total in lists) <= deep.PART_SECONDS + 100 + 7 * len(names), True)


def table_of_times(folder):
    file = folder / 'times'
    file.write_text('make cosim\tbuild/rtl/mshr/tiny.so\t10.0\t12.0\t1.50\nmake cosim\tbuild/rtl/mshr/tiny/V.a\t10.0\t11.0\t1.00\nmake cosim\tcosim\t12.0\t20.0\t8.00\n'
                    'make cosim\ttb\t12.0\t13.0\t1.00\nmake cosim\t-\t10.0\t21.0\t12\nmake test\t-\t21.0\t31.0\t20\n')
    lines = [line.split() for line in times.table(file).splitlines()]
    expect('the table of seconds', [['11', '12', 'make', 'cosim'] in lines, ['8', '8', 'cosim'] in lines, ['21', '32', 'all'] in lines, ['3', '2', '2', 'RTL', 'sets'] in lines], [True] * 4)


def copy_without_ci(tree, folder):
    """Self-tests copy the tree without .ci; their make inherits CI's variables."""
    done = subprocess.run(['make', 'clean'], cwd=tree, env={**os.environ, 'MEMTWIN_TIMES': str(folder / 'times'), 'MAKELEVEL': '1'}, capture_output=True, text=True, check=False)
    expect('make in a copy of the tree without .ci', done.stderr if done.returncode else 0, 0)


def rules_of_make(tree):
    """The contents of DUE, and the behaviour for a target that is not in it."""
    (tree / 'due.mk').write_text('$(info $(call due,cosim)/$(call due,prove)/$(if $(filter-out $(WANTED),$(call due,dpi)),,$(words $(call due,dpi))))\n')
    done = subprocess.run(['make', '-n', '-f', 'Makefile', '-f', 'due.mk', 'clean', 'DUE=cosim: cosim:mshr cosim:cap prove:'], cwd=tree, env={**os.environ, 'MAKELEVEL': '0'},
                          capture_output=True, text=True, check=False)
    expect('make runs a step for the blocks of DUE, and a target that DUE does not name for all blocks', done.stdout.splitlines()[:1], [f'mshr cap//{len(steps.blocks(tree))}'])
    (tree / 'due.mk').unlink()


def main():
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, 'tree')
        for d in ('cmodel', 'cosim', 'rtl', 'scripts', 'tb', 'tests', 'synth', 'traces/kernels', 'studies'):
            shutil.copytree(ROOT / d, tree / d)
        shutil.copy2(ROOT / 'Makefile', tree)
        subprocess.run(['git', 'init', '-q', tree], check=True)
        copy_without_ci(tree, Path(folder))
        rules_of_make(tree)
        for check in (changes, turns, noted):
            steps.look_again()
            check(tree)
        for check in (another_version, stopped_parts):
            check(tree, Path(folder))
        table_of_times(Path(folder))
    print(f'ci-selftest: {passed_checks} passed, {failed_checks} failed')
    return 1 if failed_checks else 0


if __name__ == '__main__':
    sys.exit(main())
