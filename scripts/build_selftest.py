# SPDX-License-Identifier: Apache-2.0
"""make build-selftest: a change rebuilds exactly the products that it affects; cached results depend on all their inputs; bad input is
refused in one line.  Runs in a copy of the tree; nothing heavy is built: make -n lists the commands.  usage: python3 -B -m scripts.build_selftest BUILD [PART ...]"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from scripts.build_copy import ALWAYS, BUILD, DESCRIBE, GOALS, KEPT, LINT, LOCKSTEP, MEMTWIN, RTL, RUN, SO, TB, TESTS
from scripts.build_copy import (
    TOOLS,
    TOUCHED,
    TREE,
    TWIN,
    V,
    InCopy,
    changed,
    in_tree,
    moved,
    newer,
    of_a_user,
    remade,
    tool,
)
from scripts.build_words import Words
from scripts.check.check import files
from scripts.testing import PYTHON, ROOT, main


def without_value():
    """Variables that are empty where a makefile reads them, except those that a caller may set.  Prerequisites are expanded when they are read."""
    _, helped = in_tree('make', 'help')
    _, said = in_tree('make', '--warn-undefined-variables', '-n', 'help')
    return set(re.findall(r"undefined variable '([^']+)'", said)) - set(re.findall(r'\b([A-Z]+)=', helped)) - {'SAN'}


def custom(*words, goal='cosim'):
    found = remade(goal, 'BLOCK=mshr', *words, goals=[])
    return {m[1] for m in (re.match(r'build/rtl/mshr/(\w+)/V\.a', t) for t in found) if m}


def digest_of(code):
    status, said = in_tree('/usr/bin/python3', '-B', '-c', code)
    return said.strip() if not status else sys.exit(f'build-selftest: {said}')


def started(*words):
    """A make in its own process group."""
    return subprocess.Popen(
        ['make', *words],
        cwd=TREE,
        env=of_a_user(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


class Builds(InCopy):
    def test_prepare(self):
        shutil.rmtree(TREE.parent, ignore_errors=True)
        for n in files(ROOT):
            (TREE / n).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / n, TREE / n)
        for d in (
            *KEPT,
            'obj',
            'memtwin',
            'describe',
            'headers',
            'cosim/engine',
            'cosim/runtime',
            'rtl/mshr/tiny',
            'rtl/mshr/tiny.so',
            'cosim/mshr',
        ):
            if (BUILD / d).exists():
                (TREE / 'build' / d).parent.mkdir(parents=True, exist_ok=True)
                subprocess.run(['cp', '-a', str(BUILD / d), str(TREE / 'build' / d)], check=True)
        TOOLS.mkdir()
        status, said = in_tree(
            'make',
            f'-j{os.environ.get("JOBS", "2")}',
            *GOALS[:4],
            DESCRIBE,
            *(f'build/obj/cmodel/blocks/{p.stem}.o' for p in (TREE / 'cmodel/blocks').glob('*.c')),
        )
        self.expect('the copy builds', status == 0, said)
        in_tree('make', '-nk', *GOALS)
        for p in map(TREE.joinpath, TOUCHED):
            p.parent.mkdir(parents=True, exist_ok=True)
            p.touch()

    def test_stale(self):
        nothing = {t for t in remade() if not t.startswith(ALWAYS)} - {TESTS}
        self.expect('nothing is built again when nothing has changed', not nothing, nothing)
        sets = 'rtl/mshr/mshr.toml'
        with changed(sets, 'tiny   = "Entries=2 Slots=2', 'tiny   = "Entries=2 Slots=3'):
            self.again('the line of a set', remade(), [V, SO, 'build/headers/mshr/tiny/made', LINT], [LOCKSTEP])
        with changed(sets, 'e4     = "Entries=4', 'e4     = "Entries=6'):
            self.again('the line of another set', remade(), [], [V, f'{TB}/main.o', LINT, LOCKSTEP])
        with changed('cmodel/blocks/mshr.h', '\n/* more */\n'):
            self.again('a port list', remade(), [V, TWIN, DESCRIBE, LINT, LOCKSTEP])
        with changed('cmodel/blocks/cap.h', '\n/* more */\n'):
            self.again('the port list of another block', remade(), [], [V, LOCKSTEP, TWIN, DESCRIBE, LINT])
        with changed('cmodel/blocks/mshr_file.h', '\n/* more */\n'):
            self.again('a header of the port list', remade(), [LOCKSTEP, TWIN, DESCRIBE])
        with changed('cmodel/base/rng.h', '\n/* more */\n'):
            self.again('a header far down', remade(), [RUN, LOCKSTEP])
        with changed('cosim/engine.hpp', '\n// more\n'):
            self.again('a header of the engine', remade(), [RUN, LOCKSTEP], [SO])
        with changed('cosim/signals.hpp', '\n// more\n'):
            self.again('a header of the RTL', remade(), [SO], [V, LOCKSTEP])
        with changed('cmodel/system/block/rtl_set.h', '\n/* more */\n'):
            self.again('what a set of RTL has', remade(), [SO, LOCKSTEP, RTL], [V])
        with changed('cosim/verilated.hpp', '\n// more\n'):
            self.again('precompiled headers', remade(), [V, SO], [RUN, LOCKSTEP])
        with changed('rtl/lib/mt_first_from.sv', '\n// more\n'):
            self.again('RTL', remade(), [V, SO, LINT], [LOCKSTEP, f'{TB}/main.o'])
        with changed('rtl/lib/mt_first_from.sv', None):
            self.again('RTL taken away', remade(), [V, LINT])
        with changed('rtl/mshr/more.sv', '// more\n'):
            self.again('RTL added', remade(), [V, LINT])
        with changed('traces/kernels/vecadd.c', None):
            self.again('a kernel taken away', remade(), [MEMTWIN])
        with changed('synth/lint_ports.py', '\n# more\n'):
            self.again('what lint runs', remade(), [LINT], [V])
        with changed('cosim/rules.py', 'OPT_GLOBAL=-O1', 'OPT_GLOBAL=-O2'):
            self.again('a command of a rule', remade(), [V])
        for arguments, wanted in (
            (['COSIM_OPT=-O0'], [V, RUN]),
            (['CXX=clang++'], [V, RUN, f'{TB}/main.o']),
            (['CXXFLAGS=-g0'], [V]),
            (['OPT=-O1'], [TWIN, MEMTWIN]),
            (['CC=clang'], [TWIN, DESCRIBE]),
            (['LDFLAGS=-static'], [MEMTWIN]),
        ):
            self.again(f'make {arguments[0]}', remade(*arguments), wanted)
        self.again(
            'CFLAGS, CXXFLAGS and B of the environment are not read',
            remade(CFLAGS='-O0', CXXFLAGS='-O0', B='elsewhere', CXX='none', CC='none'),
            [],
            [V, RUN, TWIN],
        )
        for name, option, wanted in (
            ('verilator', '--version', [V, SO, LINT]),
            ('g++', '--version', [V, RUN, LOCKSTEP]),
            ('gcc', '--version', [TWIN, DESCRIBE]),
            ('yosys', '-V', [LINT]),
            ('iverilog', '-V', [LINT]),
        ):
            self.again(f'another version of {name}', remade(path=newer(name, option)), wanted)
        with changed('tests/system/arbiter.c', '\n/* more */\n'):
            for goal in ('mutate-system', 'mutate-selftest'):
                self.again(f'a test, for make {goal}', remade(goals=[goal]), ['build/obj/tests/system/arbiter.o'])

    def test_headers_known(self):
        """Every command that compiles lists the headers it reads.  Those of Verilator's runtime change with its version."""
        lines = [line for line in (TREE / 'build/rules.mk').read_text().splitlines() if ' -c ' in line]
        bare = [line for line in lines if not re.search(r'-MMD|_COMPILE\)|-c \$< \$\(whole\)$', line)]
        self.expect('every compilation writes a dependency file', lines and not bare, bare)

    def test_moved(self):
        """A build folder from before sources moved: their products are made again."""
        folder = 'build/obj/cmodel/lib'
        with moved('cosim/blocks/mshr/bench.cpp', 'cosim/blocks/mshr/moved.cpp', 'cosim/rules.py'):
            self.again('a bench', remade(), [LOCKSTEP], [V])
        with moved('cosim/verilated.hpp', 'cosim/moved.hpp', 'cosim/rules.py'):
            self.again('the precompiled header', remade(), [V, SO], [LOCKSTEP])
        with moved('rtl/lib/mt_first_from.sv', 'rtl/mshr/mt_first_from.sv'):
            self.again('RTL', remade(), [V, SO, LINT], [LOCKSTEP])
        with (
            moved('cmodel/lib/span.h', 'cmodel/lib/moved.h', 'cmodel/lib/span.c', 'cmodel/lib/stepped.c'),
            moved('cmodel/lib/span.c', 'cmodel/lib/moved.c'),
        ):
            self.again('a header and a source', remade(), [f'{folder}/moved.o', f'{folder}/stepped.o'], [LOCKSTEP])
            status, said = in_tree('make', f'{folder}/moved.o', f'{folder}/stepped.o')
        self.expect('they compile', status == 0, said)
        with moved('cosim/describe.c', 'cosim/moved.c', 'cosim/rules.py'):
            self.again('a source of a program', remade(), [DESCRIBE])
            status, said = in_tree('make', DESCRIBE)
        self.expect('it compiles', status == 0, said)
        in_tree('make', 'build/memtwin', DESCRIBE)  # of the sources that are back

    def test_read_before_set(self):
        self.expect('every variable that a makefile reads has a value there', not without_value(), without_value())
        with changed('scripts/scripts.mk', '\nmutate-selftest: $(TEST_OBJ)\n'):
            self.expect(
                'a variable that is read before its value is set is seen',
                without_value() == {'TEST_OBJ'},
                without_value(),
            )

    def test_parameters(self):
        four, sixteen, swapped, more = (
            custom(f'PARAMS={p}', 'SET=custom')
            for p in ('Entries=4 Slots=2', 'Entries=16 Slots=2', 'Slots=2 Entries=4', 'Entries=4 Slots=2 InfoW=3')
        )
        self.expect(
            'a set of other parameters is another build',
            len(four) == len(sixteen) == 1 and four != sixteen and four != more,
            (four, sixteen, more),
        )
        self.expect('the order of parameters does not matter', four == swapped, (four, swapped))
        self.expect('SystemC builds the same set', custom('PARAMS=Entries=4 Slots=2', goal='tb') == four, four)
        vec = 'tests/golden/mshr/entry-being-freed.vec'
        self.expect(
            'a .vec file builds the set that it names, no other',
            custom(f'VEC={vec}') == set() == custom(f'VEC={vec}', 'SET=tiny'),
            custom(f'VEC={vec}'),
        )
        with changed('rtl/lib/mt_first_from.sv', '\n// more\n'):
            self.expect('a .vec file builds it when it has to', custom(f'VEC={vec}') == {'tiny'}, custom(f'VEC={vec}'))
        with changed(vec, 'params Entries=2 Slots=2', 'params Entries=4 Slots=2'):
            found = custom(f'VEC={vec}')
            self.expect(
                'a .vec file of no named set builds one of its own',
                len(found) == 1 and all(f.startswith('custom_') for f in found),
                found,
            )

    def test_dry_run(self):
        """make -n runs nothing, except recipes that name $(MAKE)."""
        logs = lambda: {p: p.stat().st_mtime_ns for p in (TREE / 'build/cosim').rglob('log*')}  # noqa: E731
        before = logs()
        for goal in ('cosim', 'machine', 'cosim-captured', 'cosim-sizes', 'bench'):
            status, said = in_tree(
                'make', '-n', goal, 'BLOCK=mshr', *(['SET=tiny', 'CYCLES=1000'] if goal == 'cosim' else [])
            )
            self.expect(
                f'make -n {goal} runs nothing',
                status == 0 and not re.search(r'^(PASS|FAIL) |\d passed, ', said, re.M) and logs() == before,
                said,
            )

    def test_failing_build(self):
        with changed('cosim/blocks/mshr/bench.cpp', '\n#error planted\n'):
            status, said = in_tree('make', 'cosim', 'BLOCK=mshr', 'SET=tiny', 'CYCLES=1000')
        self.expect('an old program does not stand in for one that does not build', status and 'PASS' not in said, said)

    def test_driven(self):
        """A stimulus that leaves an input as it is does not pass, whatever the other parameter sets drive."""
        with changed(
            'cosim/blocks/miss_traffic.hpp', 'r.words(in.req_data_i);', 'in.req_data_i[0] = uint32_t(r.u64() | 1);'
        ):
            status, said = in_tree('make', 'cosim', 'BLOCK=mshr', 'SET=tiny', 'CYCLES=200000', 'WAVES=0')
        still = 'req_data_i: no random cycle drives bits 0 both ways'
        self.expect('an input that no random cycle drives', status and still in said, said)

    def test_headers(self):
        """A generated header is written when its text changes, and no more is built again."""
        header = TREE / 'build/headers/mshr/block.hpp'

        def built():
            status, said = in_tree('make', LOCKSTEP)
            return status, said, [p.stat().st_mtime_ns for p in (header, TREE / LOCKSTEP) if p.exists()]

        _, _, before = built()
        with changed('cosim/header.py', '\n# more\n'):
            self.expect('the same text: no bench is compiled', built()[2] == before, '')
        with changed('cosim/header.py', '// Cuts inputs', '// Cuts all inputs'):
            self.expect('another text: the bench is compiled', built()[2][1] > before[1], '')
        header.unlink()
        status, said, _ = built()
        self.expect('a header that was taken away', status and 'the next make writes it' in said, said)
        self.expect('the next make writes it', built()[0] == 0, '')

    def test_typo_in_a_port_list(self):
        """The last line names the row: a compiler names the place where the list is used."""
        ports = 'cmodel/blocks/mshr.h'
        for old, new, goal, place in (
            ('X(U16,   n_free_q,', 'X(U15,   n_free_q,', DESCRIBE, 'found kind U15'),
            ('X(Entries,  32', 'X(Entries   32', 'help', r'expected X\(name, default, min, max, text\)'),
        ):
            with changed(ports, old, new):
                _, said = in_tree('make', goal)
            self.expect(f'{new}: file and line', re.search(rf'{ports}:\d+: .*{place}', said), said)

    def test_two_at_once(self):
        """Two concurrent makes in one tree; then a make next to one that was killed."""
        short = ['cosim', 'BLOCK=mshr', 'SET=tiny', 'CYCLES=2000']
        in_tree('make', *short)
        said = [p.communicate()[0] for p in [started(*short, f'SEED={seed}', *['-s'] * (seed == 1)) for seed in (1, 2)]]
        good = [f'seed={seed} ' in text and '1 passed, 0 failed' in text for seed, text in zip((1, 2), said)]
        self.expect('two makes at once: each has its own verdict', all(good), said)
        self.expect(
            'two makes at once: one waits for the other, and says so',
            sum('waits for make cosim' in text for text in said) == 1,
            said,
        )
        long = started(*short[:-1], 'CYCLES=2000000000')
        while long.poll() is None and (TREE / 'build/make.lock').read_text().split()[:1] != [str(long.pid)]:
            time.sleep(0.05)
        os.killpg(long.pid, signal.SIGKILL)
        long.wait()
        status, text = in_tree('make', *short)
        self.expect('a killed make holds no other up', status == 0 and 'waits' not in text, text)

    def test_half_written(self):
        """A compiler or linker is killed in the middle of its output, together with make."""
        half = '[ "$1" != --version ] || exec {0} "$@"\nfor a; do [ "$last" = -o ] && echo half >"$a"; last=$a; done\nkill -9 0'
        folder = TOOLS / 'half'
        folder.mkdir()
        for name in ('gcc', 'g++', 'cc', 'c++', 'ccache'):
            (folder / name).write_text(f'#!/bin/sh\n{half.replace("{0}", shutil.which(name))}\n')
            (folder / name).chmod(0o755)
        for product in (
            DESCRIBE,
            TWIN,
            LOCKSTEP,
            SO,
            MEMTWIN,
            f'{Path(SO).with_suffix("")}/set.o',
            'build/cosim/mshr/lockstep',
        ):
            path, kept = TREE / product, TREE.parent / 'kept'
            path.rename(kept)
            status, said = in_tree('setsid', '--wait', 'make', product, path=folder)
            self.expect(
                f'{product}, interrupted, does not count as built',
                status and not path.exists(),
                f'status {status}: {said}',
            )
            kept.rename(path)

    def test_kept_results(self):
        """Which results synth and prove cache, and when they reuse them."""
        synth = 'from synth import measure; print(measure.Block("gmmu").digest().hexdigest())'
        before = digest_of(synth)
        self.expect('a result of synth is kept', before == digest_of(synth))
        for path in (
            'cmodel/blocks/cap.c',
            'cmodel/blocks/ports.h',
            'cosim/blocks/gmmu/bench.cpp',
            'cosim/lockstep.hpp',
            'cosim/gates.cpp',
            'rtl/lib/mt_assert.svh',
            'rtl/cap/mt_cap.sv',
            'synth/yosys.py',
            'synth/sta.tcl',
        ):
            with changed(path, '\n'):
                self.expect(f'a result of synth depends on {path}', digest_of(synth) != before)
        prove = 'from tb.prove import block, prove; b = block.Block("gmmu"); print(prove.fingerprint(b, b.source(), {}, "auto"))'
        before = digest_of(prove)
        self.expect('a result of prove is kept', before == digest_of(prove))
        for path, text in (
            ('cmodel/blocks/cap.c', '\nint more;\n'),
            ('rtl/cap/mt_cap.sv', '\n'),
            ('rtl/lib/mt_assert.svh', '\n'),
            ('tb/prove/solve.py', '\n'),
        ):
            with changed(path, text):
                self.expect(f'a result of prove depends on {path}', digest_of(prove) != before)
        folder = TREE / 'build/kept'
        folder.mkdir(parents=True)
        taken = 'import pathlib; from tb.prove import prove; print(bool(prove.cached((0, 0, 0, "k", pathlib.Path("build/kept")))))'
        for text, wanted in (
            (json.dumps({'key': 'k', 'verdict': 'PROVED'}), 'True'),
            (json.dumps({'key': 'old', 'verdict': 'PROVED'}), 'False'),
            (json.dumps({'key': 'k', 'verdict': 'UNKNOWN'}), 'False'),
            (json.dumps({'key': 'k', 'verdict': 'ERROR'}), 'False'),
            ('{"key": "k", "ver', 'False'),
        ):
            (folder / 'result.json').write_text(text)
            self.expect(
                f'a kept proof {text} is {"taken" if wanted == "True" else "made again"}', digest_of(taken) == wanted
            )

    def test_progress(self):
        """make test and make run show one line for all that is built; results are passed on, and the status."""
        fake = tool(
            'fake',
            'case "$*" in *-n) echo "echo \\"  CC   a.c\\"" ;; *) echo "  CC   a.c"; echo "  TEST plain  1 of 1"; exit 3 ;; esac',
        )
        status, said = in_tree(*PYTHON, 'scripts.progress', f'{fake}/fake')
        self.expect(
            'progress: lines of what is built are counted, others passed on, the status kept',
            status == 3 and 'CC ' not in said and 'TEST plain  1 of 1' in said and 'built 1 files' in said,
            said,
        )

    def test_judging(self):
        """Unit tests are judged by their log, too: Criterion exits with 0 when a test leaked."""
        done = '[====] Synthesis: Tested: 7 | Passing: {} | Failing: {} | Crashing: 0 '
        leak = 'Direct leak of 48 byte(s) in 1 object(s) allocated from:\n    #0 0x7f01 in __interceptor_malloc\n    #1 0x7f02 {}\n\n'
        library, runner = (leak.format(f'(/lib/{name}+0x3cda)') for name in ('libjansson.so.4', 'libcriterion.so.3'))
        for text, failed, status, kind, wanted in (
            ('', 0, 0, 'plain', 0),
            ('', 0, 0, 'sanitized', 0),
            ('', 1, 1, 'plain', 1),
            (runner, 0, 23, 'sanitized', 0),
            (library, 0, 0, 'sanitized', 1),
            (runner + library, 0, 23, 'sanitized', 1),
            (leak.format('in f tests/cli/names.c:120'), 0, 0, 'sanitized', 1),
            ('a.c:3:4: runtime error: shift exponent\n', 0, 0, 'sanitized', 1),
            ('==2==ERROR: AddressSanitizer: ILL on unknown address 0x55\n', 0, 0, 'sanitized', 1),
        ):
            log = f'==1==ERROR: LeakSanitizer: detected memory leaks\n\n{text}{done.format(7 - failed, failed)}'
            fake = tool('fake', f"cat <<'END'\n{log}\nEND\nexit {status}")
            found, said = in_tree('tests/run.sh', f'{fake}/fake', 'build/judged.log', '1', kind, '')
            self.expect(
                f'a {kind} run with status {status} {"passes" if wanted == 0 else "fails"}: {text or "no report"}',
                found == wanted,
                said,
            )

    def test_installing(self):
        """A missing package: three targets install it, unless SETUP=no; all others name it and the install command."""
        folder, log = (
            Path(tool('dpkg-query', f'exec {shutil.which("dpkg-query")} "$@" | grep -v -e verilator -e chromium')),
            TREE.parent / 'installed',
        )
        for name, text in (('apt-get', f'echo "$@" >>{log}'), ('sudo', 'exec "$@"')):
            (folder / name).write_text(f'#!/bin/sh\n{text}\n')
            (folder / name).chmod(0o755)
        for goal, package in (
            ('setup', 'verilator'),
            ('run', 'verilator'),
            ('test', 'verilator'),
            ('pages', 'chromium'),
        ):
            status, said = in_tree('make', goal, *(['SETUP=no'] if goal != 'pages' else []), path=folder)
            self.expect(
                f'make {goal} names the package that is missing, and the command that installs it',
                status
                and re.search(f'^not installed: .*apt-get install --no-install-recommends {package}$', said, re.M),
                said,
            )
        status, said = in_tree('make', 'describe', 'BLOCK=mshr', path=folder)
        self.expect(
            'a command that does not need it goes on', status == 0 and 'not installed: verilator.' in said, said
        )
        status, said = in_tree('make', 'setup', 'SETUP=on', path=folder)
        self.expect(
            'make setup with another word is refused', status and 'SETUP: found "on", expected no,' in said, said
        )
        self.expect('none of these has installed anything', not log.exists(), log)
        status, said = in_tree('make', 'setup', path=folder)
        self.expect(
            'make setup installs it',
            status == 0 and re.search('^-qq install .* verilator$', log.read_text(), re.M),
            said,
        )
        parts = '\n'.join(p.read_text() for p in (TREE / 'Makefile', *TREE.rglob('*.mk')))
        rules = {
            m[1]
            for m in re.finditer(r'^([a-z-]+):.*\n((?:\t.*\n)+)', parts, re.M)
            if re.search(r'(?<!SETUP=no )\$\(PACKAGES\)', m[2])
        }
        self.expect('no other rule installs', rules == {'setup', 'run', 'test'}, rules)
        status, said = in_tree('sh', 'scripts/setup.sh', '--for', 'study', path=folder, SETUP='note')
        self.expect(
            'a command for users asks for no more than the C tools and Verilator',
            'not installed: verilator.  This' in said,
            said,
        )
        nothing = tool('dpkg-query', 'exit 1')
        needed = {
            goal: in_tree('sh', 'scripts/setup.sh', '--for', goal, path=nothing, SETUP='note').said.split()
            for goal in ('study', 'prove', 'synth', 'check')
        }
        named = [
            package in needed[goal]
            for goal, package in (
                ('study', 'verilator'),
                ('study', 'yosys'),
                ('prove', 'z3'),
                ('synth', 'opensta'),
                ('check', 'cppcheck'),
            )
        ]
        self.expect('a target asks for the packages of its folder', named == [True, False, True, True, True], needed)

    def test_version(self):
        """The version names the commit of the sources, and marks modified sources."""
        tree = TREE.parent / 'version'
        (tree / 'cmodel').mkdir(parents=True)
        for name, text in (('CHANGELOG.md', '## 1.2.3\n'), ('.gitignore', '*.o\n'), ('cmodel/a.c', 'int a;\n')):
            (tree / name).write_text(text)

        def said():
            subprocess.run([ROOT / 'cmodel/cli/version.sh', 'out.c'], cwd=tree, check=True)
            return re.search('"(1.*)"', (tree / 'out.c').read_text())[1]

        def git(*words):
            return subprocess.run(
                ['git', '-c', 'user.name=a', '-c', 'user.email=a', *words],
                cwd=tree,
                check=True,
                capture_output=True,
                text=True,
            ).stdout.strip()

        git('init', '-q')
        self.expect('without a commit the version is the release', said() == '1.2.3', said())
        git('commit', '-qm', 'a', '--allow-empty')
        self.expect('in a repository that has not the sources, too', said() == '1.2.3', said())
        git('add', '.')
        git('commit', '-qm', 'b')
        clean = f'1.2.3 ({git("log", "-1", "--format=%h")})'
        self.expect('the version names the commit', said() == clean, said())
        git('config', 'status.showUntrackedFiles', 'no')
        for what, name, text, is_change in (
            ('a new source', 'cmodel/b.c', 'int b;\n', True),
            ('a new folder of sources', 'cmodel/more/b.c', 'int b;\n', True),
            ('a source that is changed', 'cmodel/a.c', 'int c;\n', True),
            ('a file that git ignores', 'cmodel/b.o', '', False),
            ('a file elsewhere', 'notes', '', False),
        ):
            before = (tree / name).read_text() if (tree / name).exists() else None
            (tree / name).parent.mkdir(exist_ok=True)
            (tree / name).write_text(text)
            self.expect(
                f'{what} is {"a change" if is_change else "no change"} of the version',
                said() == (f'{clean[:-1]}+changes)' if is_change else clean),
                said(),
            )
            (tree / name).write_text(before) if before else (tree / name).unlink()
        self.expect('and is none any more when it is gone', said() == clean, said())
        (tree / 'cmodel/a.c').unlink()
        self.expect('a source that is taken away is a change of the version', 'changes' in said(), said())

    def test_refuted_without_icarus(self):
        with changed('cmodel/blocks/mshr.c', 'out->free_o = ', 'out->free_o = 1 ^ '):
            status, said = in_tree(
                'make',
                'prove',
                'BLOCK=mshr',
                'SIZES=Entries=2 Slots=1 AddrW=2 InfoW=1',
                path=tool('iverilog', 'echo rejected >&2; exit 3'),
            )
        self.expect(
            'REFUTED stands when Icarus rejects the RTL',
            status
            and 'REFUTED' in said
            and 'iverilog ends with status 3: rejected' in said
            and 'Traceback' not in said,
            said,
        )


if __name__ == '__main__':
    sys.exit(main('build-selftest', Builds, Words, only=['prepare', *sys.argv[2:]] if sys.argv[2:] else ()))
