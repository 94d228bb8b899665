# SPDX-License-Identifier: Apache-2.0
"""The part of make build-selftest about a caller's words: every variable of every target, with wrong and right ones."""
import os
import re
import subprocess

from cosim import asked
from scripts.build_copy import TREE, InCopy, changed, of_a_user
from scripts.testing import PYTHON

# A variable of make: a wrong word and one out of range; the empty one is wrong for all but MAY_BE_EMPTY.
FLAGS = (*asked.FLAGS, 'SETUP', 'STATE')
COUNTS = ('SEEDS', 'COUNT', 'SECONDS', 'TIMEOUT', 'TOGGLE_CYCLES', 'DEPTH', 'NODE', 'CHUNK_SECONDS', 'CLOCK_MHZ', 'GB')
FROM_0 = ('SEED', 'CYCLES', 'RUNS', 'DEEP_RUNS', 'VERIFY')
WRONG = {
    **{v: ('yes', '0' if v != 'STATE' else '2') for v in FLAGS},
    **{v: ('many', '0') for v in COUNTS},
    **{v: ('many', '-1') for v in FROM_0},
    'WAVES': ('yes', '2'),
    'KEPT': ('yes', '2'),
    'MODE': ('both', 'rtl model'),
    'ENGINE': ('z4', 'auto z3'),
    'EXECUTOR': ('slurn', 'local slurm'),
    'SIZE': ('huge', 'tiny full'),
    'VEC': ('none.vec', 'cosim'),
    'ACCELSIM': ('none', 'cosim'),
    'PROGRAM': ('none', 'cosim'),
    'STUDIES': ('none', 'README.md'),
    'SILICON': ('none', 'README.md'),
    'STOCK': ('none', 'README.md'),
    'LIBERTY': ('none.lib', 'README.md none.lib'),
    'FILES': ('none.c', 'README.md none.c'),
    'SCENARIO': ('nope', 'fifo nope'),
    'BUGS': ('nope', 'mshr nope'),
    'NAME': ('nope', 'run dl_mshr'),
    'PRESETS': ('nope', 'gtx480 nope'),
    'WORKLOADS': ('nope', 'vecadd nope'),
    'FPGA': ('ice41', 'ice40 ice41'),
    'PLATFORM': ('nangate44', 'nangate45 asap7'),
    'TOGGLE_SETS': ('nope', 'tiny nope'),
    'FUNCTION': ('no_such_function', 'two words'),
    'PAPER': ('nope', 'Gu20 nope'),
    'TEST': ('no_such_test', 'kernels_images/no_such_test'),
    'KEYS': ('(', '['),
    'ONLY': ('nope', 'vecadd nope'),
    'CAPTURE_RUN': ('nope', 'vecadd nope:n=1'),
    'ENERGY_RUN': ('nope', 'nope:n=1 --energy'),
    'PART': ('first', '0/3'),
    'OF': ('nope', 'check nope'),
    'TOP': ('a b', '1a'),
    'PREFIX': ('here', './here'),
    'DESTDIR': ('here', './here'),
    'SIZES': ('x', 'Entries='),
    'DENSITY': ('full', '1.2'),
    'ASPECT': ('square', '5'),
    'CLOCK': ('mesh', 'tree ideal'),
}
BY_TOOL = (
    'BLOCK',
    'SET',
    'PARAMS',
    'ARGS',
    'RTL',
    'RELATION',
    'SWEEP',
    'OUT',
    'JUNIT',
    'JSON',
)  # wrong words, not the empty one: tested in test_refusals()
MAY_BE_EMPTY = ('DESTDIR',)  # of packagers


class Words(InCopy):
    def test_variables(self):
        """Each variable of each target, with a wrong, an empty and an out-of-range word, is refused before anything is built."""
        make = '\n'.join(p.read_text() for p in (TREE / 'Makefile', *TREE.glob('[!b]*/**/*.mk')))
        pairs = [
            (goal, name) for goal, text in asked.helped(make).items() for name in re.findall(r'\b([A-Z_]{2,})=', text)
        ]
        missing = {name for _, name in pairs} - set(WRONG) - set(BY_TOOL)
        self.expect(
            f'the table has every variable of {len(pairs)} pairs of target and variable', pairs and not missing, missing
        )
        here = os.getcwd()
        os.chdir(TREE)
        try:
            for kind, words in (
                ('wrong', lambda v: WRONG.get(v, ('', ''))[0]),
                ('empty', lambda v: ''),
                ('out of range', lambda v: WRONG.get(v, ('', ''))[1]),
            ):
                tried = [
                    (goal, v, words(v))
                    for goal, v in pairs
                    if not (kind == 'empty' and v in MAY_BE_EMPTY) and (kind == 'empty' or v in WRONG)
                ]
                taken = [
                    f'{goal} {v}="{word}"'
                    for goal, v, word in tried
                    if not any(
                        said.startswith((f'{v}: found "', f'{v}=')) and '\n' not in said
                        for said in asked.wrong([goal], {v: word}, make)
                    )
                ]
                self.expect(f'{kind} words of {len(tried)} pairs are refused, each with its variable', not taken, taken)
            odd = [
                (v, word)
                for v in asked.FILES
                for word in ("a'b", 'a"b', '-x', 'a$b', 'a`b', 'a\\b', *(['a b'] if v in ('VEC', 'PROGRAM') else []))
            ]
            taken = [
                f'{v}={word}'
                for v, word in odd
                if not any(said.startswith(f'{v}: found') for said in asked.wrong([], {v: word}, make))
            ]
            self.expect(f'{len(odd)} names of files that a recipe would split or expand are refused', not taken, taken)
            right = [
                ('cosim', 'MODE', 'rtl'),
                ('selftest', 'OF', 'check ci'),
                ('prove', 'SIZES', '2 4'),
                ('prove', 'SIZES', 'Sets=8,9'),
                ('test', 'TEST', 'kernels_images'),
                ('test', 'TEST', 'images/*awkward'),
                ('study', 'NAME', 'all'),
                ('study', 'ONLY', 'vecadd'),
                ('run', 'ONLY', 'vecadd bfs'),
                ('config-fuzz', 'ONLY', '0'),
                ('silicon', 'ONLY', 'latency_l1 2dconv'),
                ('tb', 'SCENARIO', 'figure_3_7a'),
                ('mutate', 'COUNT', '1'),
                ('synth', 'CLOCK_MHZ', '62.5'),
                ('cosim', 'WAVES', '0'),
                ('study', 'KEPT', '0'),
                ('correlate', 'PRESETS', 'gtx480 dlmshr'),
                ('cosim-selftest', 'BUGS', 'milg rtl-order'),
                ('toggles', 'TOGGLE_SETS', 'sets8 l1d'),
                ('install', 'DESTDIR', ''),
                ('dpi', 'OUT', 'ein Ordner/größer'),
                ('install', 'DESTDIR', '/a b'),
            ]
            refused_too = [(*case, said) for case in right for said in asked.wrong([case[0]], {case[1]: case[2]}, make)]
            self.expect('right words are taken', not refused_too, refused_too)
        finally:
            os.chdir(here)
        for name, good in (('a b', False), ("a'b", False), ('a$b', False), ('-größer', True)):
            there = TREE.parent / name
            there.mkdir()
            for p in TREE.iterdir():
                (there / p.name).symlink_to(p)
            done = subprocess.run(['make', 'help'], cwd=there, env=of_a_user(), capture_output=True, text=True)
            said = done.stdout + done.stderr
            self.expect(
                f'a tree in a folder "{name}" is {"taken" if good else "refused in a line"}',
                done.returncode == 0
                if good
                else done.returncode and 'this tree: found /' in said and name in said and len(said.splitlines()) == 1,
                said,
            )
        for command in (
            ['scenarios', 'BLOCK=mshr', 'SET=nope'],
            ['bench-cosim', 'BLOCK=mshr', 'SET=nope'],
            ['cosim', 'BLOCK=mshr', 'SET=nope', 'RTL=rtl/mshr'],
            ['synth', 'BLOCK=mshr', 'SET=tiny nope'],
        ):
            self.refused(command, 'SET: found "nope"', lines=1)
        self.refused(['help', 'B=a b'], 'B: found "a b"', lines=1)
        self.refused(['help', 'B=rtl'], 'B=rtl: found a folder with other files', lines=1)
        for command, said in (
            (['tb', 'SCENARIO=foo'], 'SCENARIO: found "foo"'),
            (['tb', 'BLOCK=mshr', 'SCENARIO=fifo'], 'SCENARIO: found "fifo"'),
            (['prove-selftest', "BUGS=n'pe"], "BUGS: found \"n'pe\""),
        ):
            self.refused(command, said, lines=1)

    def test_refusals(self):
        nearest, limit = (
            r'PARAMS of mshr: found "Entires".*the nearest is Entries',
            r'found Entries=8000, expected Entries from 2 to 512',
        )
        program = TREE / 'README.md'
        cases = [
            (['BLOCK=mshr', *given], said)
            for given, said in (
                (['PARAMS=Entires=4'], nearest),
                (['PARAMS=Entries=8000'], limit),
                (['PARAMS=Entries'], 'expected Parameter=value'),
                (['PARAMS=Entries=4 Entries=5'], 'Entries twice'),
                (['PARAMS=Entries=-1'], 'from 2 to 512'),
                (['PARAMS=Entries=4x'], 'from 2 to 512'),
                (['PARAMS=Entries=4', 'SET=e4'], 'expected one of the two'),
            )
        ]
        for goal in ('cosim', 'tb', 'synth', 'lint-rtl'):
            for given, said in cases if goal == 'cosim' else cases[:2]:
                self.refused([goal, *given], said)
        vec = 'VEC=tests/golden/mshr/entry-being-freed.vec'
        for command, said in (
            (['cosim', 'PARAMS=Entries=4'], 'PARAMS needs one BLOCK'),
            (['cosim', 'VEC=missing'], 'VEC=missing: No such file'),
            (['cosim', 'VEC=README.md'], 'no .vec file'),
            (['cosim', vec, 'SET=l2'], 'SET=l2'),
            (['cosim', vec, 'BLOCK=cap'], 'BLOCK=cap'),
            (['cosim', 'BLOCK=mshr', 'SET=nope'], 'no such block or parameter set'),
            (['lint-rtl', 'BLOCK=mshr', 'SET=nope'], 'found "nope"'),
            (['prove', 'BLOCK=mshr', 'SIZES=Entires=2'], 'the nearest is Entries'),
            (['prove', 'BLOCK=mshr', 'SIZES=Entries=8000'], 'from 2 to 512'),
            (['prove', 'BLOCK=mshr', 'SIZES=x'], 'SIZES: found "x"'),
            (['prove', 'BLOCK=mshr', 'SIZES=3000'], 'SIZES: 3000'),
            *(
                ([goal, 'BLOCK=mhsr'], 'the nearest is mshr')
                for goal in ('cosim', 'tb', 'prove', 'formal', 'describe', 'synth', 'lint-rtl', 'check')
            ),
            (['describe', 'BLOCK=mshr', 'ARGS=Entires=4'], 'the nearest is Entries'),
            (['describe'], 'describe needs one BLOCK'),
            (['check', 'JOBS=0'], 'JOBS: found "0"'),
            (['cosim', 'JOBS=many'], 'JOBS: found "many"'),
            (['tb', 'CYCLES=x'], 'CYCLES: found "x"'),
            (['prove', 'BLOCK=mshr', 'PARAMS=Entries=4'], 'PARAMS: .*make prove does not read'),
            (['formal', 'BLOCK=mshr', 'SET=tiny'], 'SET: .*make formal does not read'),
            (['prove', 'BLOCK=mshr', 'SEED=2'], 'SEED: .*make prove does not read it.*no seed changes what it tries'),
            (['formal', 'BLOCK=mshr', 'CYCLES=9'], 'CYCLES: .*make formal does not read'),
            (['cosim', 'BLOCK=mshr', 'UPDATE=1'], 'UPDATE: .*make cosim does not read'),
            (['prove', 'BLOCK=mshr', 'WAVES=1'], 'WAVES: .*make prove does not read'),
            (['synth-check', 'CLOCK_MHZ=500'], 'CLOCK_MHZ: .*make synth-check does not read'),
            (['synth', 'CLOCKMHZ=500'], 'the nearest is CLOCK_MHZ'),
            (['cosim', 'BLCOK=mshr'], 'the nearest is BLOCK'),
            (['study', 'NAME=dl_mshr', f'PROGRAM={program}'], 'Permission denied'),
        ):
            self.refused(command, said)
        texts = {'study': 'studies [STUDIES= SIZE=]', 'fuzz': 'for a time [GB=]'}
        self.equal(
            'a variable whose name ends one that another goal reads',
            list(asked.unread(['study'], 'B', texts)),
            [],
        )
        self.equal('a variable of another goal', len(list(asked.unread(['study'], 'GB', texts))), 1)
        rule, far = r': found Calcs=7, OwnerW=3; expected Calcs < 1 << OwnerW', 'BLOCK=bpg'
        for command in (
            *(
                [goal, far, 'PARAMS=Calcs=7 OwnerW=2']
                for goal in ('cosim', 'tb', 'dpi', 'rtl', 'bench-cosim', 'lint-rtl', 'synth')
            ),
            ['prove', far, 'SIZES=OwnerW=3,2 Calcs=7'],
            ['describe', far, 'ARGS=Calcs=7 OwnerW=2'],
            ['synth', far, 'SWEEP=OwnerW=3,2', 'PARAMS=Calcs=7'],
        ):
            self.refused(command, rule.replace('OwnerW=3', 'OwnerW=2') + r' \(here 7 < 4\): an owner')
        for old, new, said in (
            (
                'tiny   = "Calcs=2',
                'tiny   = "Calcs=7',
                r'sets.tiny: found Calcs=7, OwnerW=2; expected Calcs < 1 << OwnerW',
            ),
            (
                '"Calcs < 1 << OwnerW"',
                '"Calcs < 1 <<"',
                r'rules.Calcs < 1 <<: invalid syntax, expected an expression over parameters',
            ),
        ):
            with changed('rtl/bpg/bpg.toml', old, new):
                self.refused(['cosim', far, 'SET=odd'], said)
        for module in ('tb.prove.prove mshr', 'tb.formal.formal mshr', 'synth.synth run --liberty x --build build'):
            self.refused([*PYTHON, *module.split(), '--jobs', '0'], 'found "0", expected a whole number', lines=9)
        self.refused([*PYTHON, 'tb.prove.prove', 'nope'], 'no nope.h')
        self.refused([*PYTHON, 'tb.formal.formal', 'nope'], 'found "nope"')
        manifest = 'rtl/mshr/mshr.toml'
        with changed(manifest, '"bmc 9 Entries=2', '"bmc 9 Entires=2'):
            self.refused(
                ['formal', 'BLOCK=mshr'], r'mshr.toml:\d+: formal.runs: found "Entires".*the nearest is Entries'
            )
        for old, new, said in (
            ('[machine]', '[machien]', r'found "machien", expected one of sets, .*the nearest is machine'),
            ('tiny   = "Entries=2', 'tiny   = "Entries', r'sets.tiny: found "Entries'),
            ('[sets]', '[sets', r'mshr.toml: .*expected TOML'),
            ('["l1d", "l2", "l1d_', '["l1", "l2", "l1d_', r'mshr.toml:\d+: machine.sets: found "l1", expected one of'),
        ):
            with changed(manifest, old, new):
                self.refused(['cosim', 'BLOCK=mshr', 'SET=tiny'], said)
