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
from contextlib import contextmanager
from pathlib import Path

from cosim import asked
from scripts.check.check import files

ROOT = Path(__file__).resolve().parent.parent

BUILD = Path(sys.argv[1]).resolve()
TREE, TOOLS = BUILD / 'build-selftest/tree', BUILD / 'build-selftest/tools'
TB, LINT = 'build/tb/mshr/tiny', 'build/lint/mshr.tiny.ok'
V, SO, RUN, LOCKSTEP = 'build/rtl/mshr/tiny/V.a', 'build/rtl/mshr/tiny.so', 'build/cosim/engine/run.o', 'build/cosim/mshr/lockstep.o'
MEMTWIN, RTL, TESTS, DESCRIBE, TWIN = 'build/memtwin', 'build/memtwin-rtl', 'build/obj/unit-tests', 'build/describe/mshr', 'build/obj/cmodel/blocks/mshr.o'
# Products that exist without a build: building them would test nothing more.
TOUCHED = [f'{TB}/main.o', f'{TB}/bench', LINT, TESTS]
GOALS = [SO, 'build/cosim/mshr/lockstep', MEMTWIN, RTL, TESTS, DESCRIBE, f'{TB}/bench', LINT]
ALWAYS = ('build/made', 'build/generated', 'build/obj/build/generated', 'build/obj/tests', MEMTWIN, RTL, TESTS)  # a commit's name is in them, or nothing is built of them
KEPT = ('made', 'rules')
PYTHON = ('/usr/bin/python3', '-B', '-m')
passed = failed = 0


def expect(name, ok, said=''):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(f'{"PASS" if ok else "FAIL"} build-selftest {name}{"" if ok else ": " + str(said).strip()[-400:]}', flush=True)


def of_a_user():
    """The environment without the variables that a parent make exports."""
    return {k: v for k, v in os.environ.items() if k not in ('MAKEFLAGS', 'MAKELEVEL', 'MFLAGS', 'MAKEOVERRIDES', 'JOBS', 'BUILD')}


def run(*command, **environment):
    env = of_a_user()
    path = environment.pop('path', None)
    if path:
        env['PATH'] = f'{path}:{env["PATH"]}'
    done = subprocess.run(command, cwd=TREE, env=env | environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, errors='replace')
    return done.returncode, done.stdout + done.stderr


def remade(*arguments, goals=GOALS, **environment):
    """The products that make would rebuild.  The texts that products depend on are restored afterwards."""
    for d in KEPT:
        shutil.rmtree(TREE.parent / d, ignore_errors=True)
        shutil.copytree(TREE / 'build' / d, TREE.parent / d)
    _, said = run('make', '-nk', '--debug=b', *goals, *arguments, **environment)
    for d in KEPT:
        shutil.rmtree(TREE / 'build' / d)
        shutil.copytree(TREE.parent / d, TREE / 'build' / d)
    return set(re.findall(r"Must remake target '(build/[^']+)'", said))


@contextmanager
def changed(path, old, new=None):
    """The file with `old` replaced (None: the file is deleted; new None: `old` appended); restored afterwards with its exact mtime."""
    path = TREE / path
    there = path.exists()
    text, stat = (path.read_text(), path.stat()) if there else ('', None)
    if old is None:
        path.unlink()
    elif new is None:
        path.write_text(text + old)
    else:
        if text.count(old) != 1:
            sys.exit(f'build-selftest: {path} has {text.count(old)} times: {old!r}')
        path.write_text(text.replace(old, new))
    try:
        yield
    finally:
        if there:
            path.write_text(text)
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        else:
            path.unlink()


def again(name, found, wanted, unwanted=()):
    missing, more = [w for w in wanted if w not in found], [u for u in unwanted if u in found]
    expect(name, not missing and not more, f'not built again: {" ".join(missing) or "none"}; needlessly: {" ".join(more) or "none"}')


def prepare():
    shutil.rmtree(TREE.parent, ignore_errors=True)
    for n in files(ROOT):
        (TREE / n).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / n, TREE / n)
    for d in (*KEPT, 'obj', 'memtwin', 'describe', 'cosim/engine', 'cosim/runtime', 'rtl/mshr/tiny', 'rtl/mshr/tiny.so', 'cosim/mshr'):
        if (BUILD / d).exists():
            (TREE / 'build' / d).parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(['cp', '-a', str(BUILD / d), str(TREE / 'build' / d)], check=True)
    TOOLS.mkdir()
    status, said = run('make', f'-j{os.environ.get("JOBS", "2")}', *GOALS[:4], DESCRIBE, *(f'build/obj/cmodel/blocks/{p.stem}.o' for p in (TREE / 'cmodel/blocks').glob('*.c')))
    expect('the copy builds', status == 0, said)
    run('make', '-nk', *GOALS)
    for p in map(TREE.joinpath, TOUCHED):
        p.parent.mkdir(parents=True, exist_ok=True)
        p.touch()


def tool(name, text):
    """Puts a program of that name first on the PATH."""
    folder = TOOLS / f'{name}-{len(list(TOOLS.iterdir()))}'
    folder.mkdir()
    (folder / name).write_text(f'#!/bin/sh\n{text}\n')
    (folder / name).chmod(0o755)
    return str(folder)


def newer(name, option):
    """The tool, with another version."""
    return tool(name, f'[ "$*" = "{option}" ] && echo "another version" && exit\nexec {shutil.which(name)} "$@"')


def stale():
    nothing = {t for t in remade() if not t.startswith(ALWAYS)} - {TESTS}
    expect('nothing is built again when nothing has changed', not nothing, nothing)
    sets = 'rtl/mshr/mshr.toml'
    with changed(sets, 'tiny   = "Entries=2 Slots=2', 'tiny   = "Entries=2 Slots=3'):
        again('the line of a set', remade(), [V, SO, f'{TB}/main.o', LINT], [LOCKSTEP])
    with changed(sets, 'e4     = "Entries=4', 'e4     = "Entries=6'):
        again('the line of another set', remade(), [], [V, f'{TB}/main.o', LINT, LOCKSTEP])
    with changed('cmodel/blocks/mshr_ports.h', '\n/* more */\n'):
        again('a port list', remade(), [V, TWIN, DESCRIBE, LINT, LOCKSTEP])
    with changed('cmodel/blocks/cap_ports.h', '\n/* more */\n'):
        again('the port list of another block', remade(), [], [V, LOCKSTEP, TWIN, DESCRIBE, LINT])
    with changed('cmodel/blocks/mshr_file.h', '\n/* more */\n'):
        again('a header of the port list', remade(), [LOCKSTEP, TWIN, DESCRIBE])
    with changed('cmodel/base/rng.h', '\n/* more */\n'):
        again('a header far down', remade(), [RUN, LOCKSTEP])
    with changed('cosim/engine.hpp', '\n// more\n'):
        again('a header of the engine', remade(), [RUN, LOCKSTEP], [SO])
    with changed('cosim/rtl.hpp', '\n// more\n'):
        again('a header of the RTL', remade(), [SO], [V, LOCKSTEP])
    with changed('cmodel/system/block/rtl_set.h', '\n/* more */\n'):
        again('what a set of RTL has', remade(), [SO, LOCKSTEP, RTL], [V])
    with changed('cosim/verilated.hpp', '\n// more\n'):
        again('precompiled headers', remade(), [V, SO], [RUN, LOCKSTEP])
    with changed('rtl/lib/mt_first_from.sv', '\n// more\n'):
        again('RTL', remade(), [V, SO, LINT], [LOCKSTEP, f'{TB}/main.o'])
    with changed('rtl/lib/mt_first_from.sv', None):
        again('RTL taken away', remade(), [V, LINT])
    with changed('rtl/mshr/more.sv', '// more\n'):
        again('RTL added', remade(), [V, LINT])
    with changed('traces/kernels/vecadd.c', None):
        again('a kernel taken away', remade(), [MEMTWIN])
    with changed('synth/lint_ports.py', '\n# more\n'):
        again('what lint runs', remade(), [LINT], [V])
    with changed('cosim/rules.py', 'OPT_GLOBAL=-O1', 'OPT_GLOBAL=-O2'):
        again('a command of a rule', remade(), [V])
    for arguments, wanted in ((['COSIM_OPT=-O0'], [V, RUN]), (['CXX=clang++'], [V, RUN, f'{TB}/main.o']), (['CXXFLAGS=-g0'], [V]), (['OPT=-O1'], [TWIN, MEMTWIN]), (['CC=clang'], [TWIN, DESCRIBE]),
                              (['LDFLAGS=-static'], [MEMTWIN])):
        again(f'make {arguments[0]}', remade(*arguments), wanted)
    again('CFLAGS, CXXFLAGS and B of the environment are not read', remade(CFLAGS='-O0', CXXFLAGS='-O0', B='elsewhere', CXX='none', CC='none'), [], [V, RUN, TWIN])
    for name, option, wanted in (('verilator', '--version', [V, SO, LINT]), ('g++', '--version', [V, RUN, LOCKSTEP]),
                                 ('gcc', '--version', [TWIN, DESCRIBE]), ('yosys', '-V', [LINT]), ('iverilog', '-V', [LINT])):
        again(f'another version of {name}', remade(path=newer(name, option)), wanted)
    with changed('tests/system/arbiter.c', '\n/* more */\n'):
        for goal in ('mutate-system', 'mutate-selftest'):
            again(f'a test, for make {goal}', remade(goals=[goal]), ['build/obj/tests/system/arbiter.o'])


def without_value():
    """Variables that are empty where a makefile reads them, except those that a caller may set.  Prerequisites are expanded when they are read."""
    _, helped = run('make', 'help')
    _, said = run('make', '--warn-undefined-variables', '-n', 'help')
    return set(re.findall(r"undefined variable '([^']+)'", said)) - set(re.findall(r'\b([A-Z]+)=', helped)) - {'SAN'}


def read_before_set():
    expect('every variable that a makefile reads has a value there', not without_value(), without_value())
    with changed('scripts/scripts.mk', '\nmutate-selftest: $(TEST_OBJ)\n'):
        expect('a variable that is read before its value is set is seen', without_value() == {'TEST_OBJ'}, without_value())


def custom(*words, goal='cosim'):
    found = remade(goal, 'BLOCK=mshr', *words, goals=[])
    return {m[1] for m in (re.match(r'build/rtl/mshr/(\w+)/V\.a', t) for t in found) if m}


def parameters():
    four, sixteen, swapped, more = (custom(f'PARAMS={p}', 'SET=custom') for p in ('Entries=4 Slots=2', 'Entries=16 Slots=2', 'Slots=2 Entries=4', 'Entries=4 Slots=2 InfoW=3'))
    expect('a set of other parameters is another build', len(four) == len(sixteen) == 1 and four != sixteen and four != more, (four, sixteen, more))
    expect('the order of parameters does not matter', four == swapped, (four, swapped))
    expect('SystemC builds the same set', custom('PARAMS=Entries=4 Slots=2', goal='tb') == four, four)
    vec = 'tests/golden/mshr/entry-being-freed.vec'
    expect('a .vec file builds the set that it names, no other', custom(f'VEC={vec}') == set() == custom(f'VEC={vec}', 'SET=tiny'), custom(f'VEC={vec}'))
    with changed('rtl/lib/mt_first_from.sv', '\n// more\n'):
        expect('a .vec file builds it when it has to', custom(f'VEC={vec}') == {'tiny'}, custom(f'VEC={vec}'))
    with changed(vec, 'params Entries=2 Slots=2', 'params Entries=4 Slots=2'):
        found = custom(f'VEC={vec}')
        expect('a .vec file of no named set builds one of its own', len(found) == 1 and all(f.startswith('custom_') for f in found), found)


def refusals():
    nearest, limit = r'PARAMS of mshr: found "Entires".*the nearest is Entries', r'found Entries=8000, expected Entries from 2 to 512'
    program = TREE / 'README.md'
    cases = [(['BLOCK=mshr', *given], said) for given, said in (
        (['PARAMS=Entires=4'], nearest), (['PARAMS=Entries=8000'], limit), (['PARAMS=Entries'], 'expected Parameter=value'), (['PARAMS=Entries=4 Entries=5'], 'Entries twice'),
        (['PARAMS=Entries=-1'], 'from 2 to 512'), (['PARAMS=Entries=4x'], 'from 2 to 512'), (['PARAMS=Entries=4', 'SET=e4'], 'expected one of the two'))]
    for goal in ('cosim', 'tb', 'synth', 'lint-rtl'):
        for given, said in cases if goal == 'cosim' else cases[:2]:
            refused([goal, *given], said)
    vec = 'VEC=tests/golden/mshr/entry-being-freed.vec'
    for command, said in ((['cosim', 'PARAMS=Entries=4'], 'PARAMS needs one BLOCK'), (['cosim', 'VEC=missing'], 'VEC=missing: No such file'), (['cosim', 'VEC=README.md'], 'no .vec file'),
                          (['cosim', vec, 'SET=l2'], 'SET=l2'), (['cosim', vec, 'BLOCK=cap'], 'BLOCK=cap'), (['cosim', 'BLOCK=mshr', 'SET=nope'], 'no such block or parameter set'),
                          (['lint-rtl', 'BLOCK=mshr', 'SET=nope'], 'found "nope"'), (['prove', 'BLOCK=mshr', 'SIZES=Entires=2'], 'the nearest is Entries'),
                          (['prove', 'BLOCK=mshr', 'SIZES=Entries=8000'], 'from 2 to 512'), (['prove', 'BLOCK=mshr', 'SIZES=x'], 'SIZES: found "x"'), (['prove', 'BLOCK=mshr', 'SIZES=3000'], 'SIZES: 3000'),
                          *(([goal, 'BLOCK=mhsr'], 'the nearest is mshr') for goal in ('cosim', 'tb', 'prove', 'formal', 'describe', 'synth', 'lint-rtl', 'check')),
                          (['describe', 'BLOCK=mshr', 'ARGS=Entires=4'], 'the nearest is Entries'), (['describe'], 'describe needs one BLOCK'),
                          (['check', 'JOBS=0'], 'JOBS: found "0"'), (['cosim', 'JOBS=many'], 'JOBS: found "many"'), (['tb', 'CYCLES=x'], 'CYCLES: found "x"'),
                          (['prove', 'BLOCK=mshr', 'PARAMS=Entries=4'], 'PARAMS: .*make prove does not read'), (['formal', 'BLOCK=mshr', 'SET=tiny'], 'SET: .*make formal does not read'),
                          (['synth-check', 'CLOCK_MHZ=500'], 'CLOCK_MHZ: .*make synth-check does not read'), (['synth', 'CLOCKMHZ=500'], 'the nearest is CLOCK_MHZ'),
                          (['cosim', 'BLCOK=mshr'], 'the nearest is BLOCK'), (['study', 'NAME=dl_mshr', f'PROGRAM={program}'], 'Permission denied')):
        refused(command, said)
    rule, far = r': found Calcs=7, OwnerW=3; expected Calcs < 1 << OwnerW', 'BLOCK=bpg'
    for command in (*([goal, far, 'PARAMS=Calcs=7 OwnerW=2'] for goal in ('cosim', 'tb', 'dpi', 'rtl', 'bench-cosim', 'lint-rtl', 'synth')), ['prove', far, 'SIZES=OwnerW=3,2 Calcs=7'],
                    ['describe', far, 'ARGS=Calcs=7 OwnerW=2'], ['synth', far, 'SWEEP=OwnerW=3,2', 'PARAMS=Calcs=7']):
        refused(command, rule.replace('OwnerW=3', 'OwnerW=2') + r' \(here 7 < 4\): an owner')
    for old, new, said in (('tiny   = "Calcs=2', 'tiny   = "Calcs=7', r'sets.tiny: found Calcs=7, OwnerW=2; expected Calcs < 1 << OwnerW'),
                           ('"Calcs < 1 << OwnerW"', '"Calcs < 1 <<"', r'rules.Calcs < 1 <<: invalid syntax, expected an expression over parameters')):
        with changed('rtl/bpg/bpg.toml', old, new):
            refused(['cosim', far, 'SET=odd'], said)
    for module in ('tb.prove.prove mshr', 'tb.formal.formal mshr', 'synth.synth run --liberty x --build build'):
        refused([*PYTHON, *module.split(), '--jobs', '0'], 'found "0", expected a whole number', lines=9)
    refused([*PYTHON, 'tb.prove.prove', 'nope'], 'no nope_ports.h')
    refused([*PYTHON, 'tb.formal.formal', 'nope'], 'found "nope"')
    manifest = 'rtl/mshr/mshr.toml'
    with changed(manifest, '"bmc 9 Entries=2', '"bmc 9 Entires=2'):
        refused(['formal', 'BLOCK=mshr'], r'mshr.toml:\d+: formal.runs: found "Entires".*the nearest is Entries')
    for old, new, said in (('[machine]', '[machien]', r'found "machien", expected one of sets, .*the nearest is machine'), ('tiny   = "Entries=2', 'tiny   = "Entries', r'sets.tiny: found "Entries'),
                           ('[sets]', '[sets', r'mshr.toml: .*expected TOML'), ('["l1d", "l2", "l1d_', '["l1", "l2", "l1d_', r'mshr.toml:\d+: machine.sets: found "l1", expected one of')):
        with changed(manifest, old, new):
            refused(['cosim', 'BLOCK=mshr', 'SET=tiny'], said)


# A variable of make: a wrong word and one out of range; the empty one is wrong for all but MAY_BE_EMPTY.
FLAGS = ('QUICK', 'UPDATE', 'CHECK', 'AGAIN', 'SLOW', 'STALE', 'CROSS', 'DEEP', 'EVERY', 'STATUS', 'ALL', 'SETUP', 'STATE', 'DEBS')
COUNTS = ('COUNT', 'SECONDS', 'TIMEOUT', 'TOGGLE_CYCLES', 'DEPTH', 'NODE', 'CHUNK_SECONDS', 'CLOCK_MHZ')
FROM_0 = ('SEED', 'CYCLES', 'RUNS', 'DEEP_RUNS', 'VERIFY')
WRONG = {**{v: ('yes', '0' if v != 'STATE' else '2') for v in FLAGS}, **{v: ('many', '0') for v in COUNTS}, **{v: ('many', '-1') for v in FROM_0}, 'WAVES': ('yes', '2'), 'MODE': ('both', 'rtl model'),
         'ENGINE': ('z4', 'auto z3'), 'EXECUTOR': ('slurn', 'local slurm'), 'SIZE': ('huge', 'tiny full'), 'VEC': ('none.vec', 'cosim'), 'ACCELSIM': ('none', 'cosim'), 'PROGRAM': ('none', 'cosim'),
         'STUDIES': ('none', 'README.md'), 'LIBERTY': ('none.lib', 'README.md none.lib'), 'FILES': ('none.c', 'README.md none.c'), 'SCENARIO': ('nope', 'fifo nope'), 'BUGS': ('nope', 'mshr nope'), 'NAME': ('nope', 'run dl_mshr'),
         'PRESETS': ('nope', 'gtx480 nope'), 'WORKLOADS': ('nope', 'vecadd nope'), 'FPGA': ('ice41', 'ice40 ice41'), 'PLATFORM': ('nangate44', 'nangate45 asap7'), 'TOGGLE_SETS': ('nope', 'tiny nope'),
         'FUNCTION': ('no_such_function', 'two words'), 'PAPER': ('nope', 'Gu20 nope'), 'TEST': ('no_such_test', 'kernels_images/no_such_test'), 'KEYS': ('(', '['), 'ONLY': ('nope', 'vecadd nope'), 'CAPTURE_RUN': ('nope', 'vecadd nope:n=1'),
         'PART': ('first', '0/3'), 'TOP': ('a b', '1a'), 'PREFIX': ('here', './here'), 'DESTDIR': ('here', './here'), 'SIZES': ('x', 'Entries=')}
BY_TOOL = ('BLOCK', 'SET', 'PARAMS', 'ARGS', 'RTL', 'RELATION', 'SWEEP', 'OUT')  # wrong words, not the empty one: tested in refusals()
MAY_BE_EMPTY = ('DESTDIR',)  # of packagers


def variables():
    """Each variable of each target, with a wrong, an empty and an out-of-range word, is refused before anything is built."""
    make = '\n'.join(p.read_text() for p in (TREE / 'Makefile', *TREE.glob('[!b]*/**/*.mk')))
    pairs = [(goal, name) for goal, text in asked.helped(make).items() for name in re.findall(r'\b([A-Z_]{2,})=', text)]
    missing = {name for _, name in pairs} - set(WRONG) - set(BY_TOOL)
    expect(f'the table has every variable of {len(pairs)} pairs of target and variable', pairs and not missing, missing)
    here = os.getcwd()
    os.chdir(TREE)
    try:
        for kind, words in (('wrong', lambda v: WRONG.get(v, ('', ''))[0]), ('empty', lambda v: ''), ('out of range', lambda v: WRONG.get(v, ('', ''))[1])):
            tried = [(goal, v, words(v)) for goal, v in pairs if not (kind == 'empty' and v in MAY_BE_EMPTY) and (kind == 'empty' or v in WRONG)]
            taken = [f'{goal} {v}="{word}"' for goal, v, word in tried if not any(said.startswith((f'{v}: found "', f'{v}=')) and '\n' not in said for said in asked.wrong([goal], {v: word}, make))]
            expect(f'{kind} words of {len(tried)} pairs are refused, each with its variable', not taken, taken)
        odd = [(v, word) for v in asked.FILES for word in ("a'b", 'a"b', '-x', 'a$b', 'a`b', 'a\\b', *(['a b'] if v in ('VEC', 'PROGRAM') else []))]
        taken = [f'{v}={word}' for v, word in odd if not any(said.startswith(f'{v}: found') for said in asked.wrong([], {v: word}, make))]
        expect(f'{len(odd)} names of files that a recipe would split or expand are refused', not taken, taken)
        right = [('cosim', 'MODE', 'rtl'), ('prove', 'SIZES', '2 4'), ('prove', 'SIZES', 'Sets=8,9'), ('test', 'TEST', 'kernels_images'), ('test', 'TEST', 'images/*awkward'), ('study', 'NAME', 'all'), ('study', 'ONLY', 'vecadd'),
                 ('run', 'ONLY', 'vecadd bfs'), ('config-fuzz', 'ONLY', '0'), ('tb', 'SCENARIO', 'figure_3_7a'), ('mutate', 'COUNT', '1'), ('synth', 'CLOCK_MHZ', '62.5'), ('cosim', 'WAVES', '0'),
                 ('correlate', 'PRESETS', 'gtx480 dlmshr'), ('cosim-selftest', 'BUGS', 'milg rtl-order'), ('toggles', 'TOGGLE_SETS', 'sets8 l1d'), ('install', 'DESTDIR', ''), ('dpi', 'OUT', 'ein Ordner/größer'), ('install', 'DESTDIR', '/a b')]
        refused_too = [(*case, said) for case in right for said in asked.wrong([case[0]], {case[1]: case[2]}, make)]
        expect('right words are taken', not refused_too, refused_too)
    finally:
        os.chdir(here)
    for name, good in (('a b', False), ("a'b", False), ('a$b', False), ('-größer', True)):
        there = TREE.parent / name
        there.mkdir()
        for p in TREE.iterdir():
            (there / p.name).symlink_to(p)
        done = subprocess.run(['make', 'help'], cwd=there, env=of_a_user(), capture_output=True, text=True)
        said = done.stdout + done.stderr
        expect(f'a tree in a folder "{name}" is {"taken" if good else "refused in a line"}', done.returncode == 0 if good else done.returncode and 'this tree: found /' in said and name in said and len(said.splitlines()) == 1, said)
    for command in (['scenarios', 'BLOCK=mshr', 'SET=nope'], ['bench-cosim', 'BLOCK=mshr', 'SET=nope'], ['cosim', 'BLOCK=mshr', 'SET=nope', 'RTL=rtl/mshr'], ['synth', 'BLOCK=mshr', 'SET=tiny nope']):
        refused(command, 'SET: found "nope"', lines=1)
    refused(['help', 'B=a b'], 'B: found "a b"', lines=1)
    refused(['help', 'B=rtl'], 'B=rtl: found a folder with other files', lines=1)
    for command, said in ((['tb', 'SCENARIO=foo'], 'SCENARIO: found "foo"'), (['tb', 'BLOCK=mshr', 'SCENARIO=fifo'], 'SCENARIO: found "fifo"'), (['prove-selftest', "BUGS=n'pe"], "BUGS: found \"n'pe\"")):
        refused(command, said, lines=1)


def refused(command, said, lines=2):
    """make must fail with one line that contains this text; make adds its own line where a command failed."""
    status, text = run(*(command if command[0][0] == '/' else ['make', '-j1', *command]))
    length = len([line for line in text.splitlines() if line.strip()])
    expect(f'{" ".join(command)} is refused', status and re.search(said, text) and 'Traceback' not in text and length <= lines, f'status {status}, {length} lines: {text}')


def dry_run():
    """make -n runs nothing, except recipes that name $(MAKE)."""
    logs = lambda: {p: p.stat().st_mtime_ns for p in (TREE / 'build/cosim').rglob('log')}  # noqa: E731
    before = logs()
    for goal in ('cosim', 'machine', 'cosim-captured', 'cosim-sizes', 'bench'):
        status, said = run('make', '-n', goal, 'BLOCK=mshr', *(['SET=tiny', 'CYCLES=1000'] if goal == 'cosim' else []))
        expect(f'make -n {goal} runs nothing', status == 0 and not re.search(r'^(PASS|FAIL) |\d passed, ', said, re.M) and logs() == before, said)


def failing_build():
    with changed('cosim/mshr.cpp', '\n#error planted\n'):
        status, said = run('make', 'cosim', 'BLOCK=mshr', 'SET=tiny', 'CYCLES=1000')
    expect('an old program does not stand in for one that does not build', status and 'PASS' not in said, said)


def digest_of(code):
    status, said = run('/usr/bin/python3', '-B', '-c', code)
    return said.strip() if not status else sys.exit(f'build-selftest: {said}')


def kept_results():
    """Which results synth and prove cache, and when they reuse them."""
    synth = 'from synth import measure; print(measure.Block("gmmu").digest().hexdigest())'
    before = digest_of(synth)
    expect('a result of synth is kept', before == digest_of(synth))
    for path in ('cmodel/blocks/cap.c', 'cmodel/blocks/ports.h', 'cosim/gmmu.cpp', 'cosim/lockstep.hpp', 'cosim/gates.cpp', 'rtl/lib/mt_assert.svh', 'rtl/cap/mt_cap.sv', 'synth/yosys.py', 'synth/sta.tcl'):
        with changed(path, '\n'):
            expect(f'a result of synth depends on {path}', digest_of(synth) != before)
    prove = 'from tb.prove import block, prove; b = block.Block("gmmu"); print(prove.fingerprint(b, b.source(), {}, "auto"))'
    before = digest_of(prove)
    expect('a result of prove is kept', before == digest_of(prove))
    for path, text in (('cmodel/blocks/cap.c', '\nint more;\n'), ('rtl/cap/mt_cap.sv', '\n'), ('rtl/lib/mt_assert.svh', '\n'), ('tb/prove/solve.py', '\n')):
        with changed(path, text):
            expect(f'a result of prove depends on {path}', digest_of(prove) != before)
    folder = TREE / 'build/kept'
    folder.mkdir(parents=True)
    taken = 'import pathlib; from tb.prove import prove; print(bool(prove.cached((0, 0, 0, "k", pathlib.Path("build/kept")))))'
    for text, wanted in ((json.dumps({'key': 'k', 'verdict': 'PROVED'}), 'True'), (json.dumps({'key': 'old', 'verdict': 'PROVED'}), 'False'), (json.dumps({'key': 'k', 'verdict': 'UNKNOWN'}), 'False'),
                         (json.dumps({'key': 'k', 'verdict': 'ERROR'}), 'False'), ('{"key": "k", "ver', 'False')):
        (folder / 'result.json').write_text(text)
        expect(f'a kept proof {text} is {"taken" if wanted == "True" else "made again"}', digest_of(taken) == wanted)


def progress():
    """make test and make run show one line for all that is built; results are passed on, and the status."""
    fake = tool('fake', 'case "$*" in *-n) echo "echo \\"  CC   a.c\\"" ;; *) echo "  CC   a.c"; echo "  TEST plain  1 of 1"; exit 3 ;; esac')
    status, said = run(*PYTHON, 'scripts.progress', f'{fake}/fake')
    expect('progress: lines of what is built are counted, others passed on, the status kept', status == 3 and 'CC ' not in said and 'TEST plain  1 of 1' in said and 'built 1 files' in said, said)


def installing():
    """A missing package: three targets install it, unless SETUP=no; all others name it and the install command."""
    folder, log = Path(tool('dpkg-query', f'exec {shutil.which("dpkg-query")} "$@" | grep -v -e verilator -e chromium')), TREE.parent / 'installed'
    for name, text in (('apt-get', f'echo "$@" >>{log}'), ('sudo', 'exec "$@"')):
        (folder / name).write_text(f'#!/bin/sh\n{text}\n')
        (folder / name).chmod(0o755)
    for goal, package in (('setup', 'verilator'), ('run', 'verilator'), ('test', 'verilator'), ('pages', 'chromium')):
        status, said = run('make', goal, *(['SETUP=no'] if goal != 'pages' else []), path=folder)
        expect(f'make {goal} names the package that is missing, and the command that installs it', status and re.search(f'^not installed: .*apt-get install --no-install-recommends {package}$', said, re.M), said)
    status, said = run('make', 'describe', 'BLOCK=mshr', path=folder)
    expect('a command that does not need it goes on', status == 0 and 'not installed: verilator.' in said, said)
    status, said = run('make', 'setup', 'SETUP=on', path=folder)
    expect('make setup with another word is refused', status and 'SETUP: found "on", expected no,' in said, said)
    expect('none of these has installed anything', not log.exists(), log)
    status, said = run('make', 'setup', path=folder)
    expect('make setup installs it', status == 0 and re.search('^install .* verilator$', log.read_text(), re.M), said)
    parts = '\n'.join(p.read_text() for p in (TREE / 'Makefile', *TREE.rglob('*.mk')))
    rules = {m[1] for m in re.finditer(r'^([a-z-]+):.*\n((?:\t.*\n)+)', parts, re.M) if re.search(r'(?<!SETUP=no )\$\(PACKAGES\)', m[2])}
    expect('no other rule installs', rules == {'setup', 'run', 'test'}, rules)
    status, said = run('sh', 'scripts/setup.sh', '--for', 'study', path=folder, SETUP='note')
    expect('a command for users asks for no more than the C tools and Verilator', 'not installed: verilator.  This' in said, said)
    nothing = tool('dpkg-query', 'exit 1')
    needed = {goal: run('sh', 'scripts/setup.sh', '--for', goal, path=nothing, SETUP='note')[1].split() for goal in ('study', 'prove', 'synth', 'check')}
    named = [package in needed[goal] for goal, package in (('study', 'verilator'), ('study', 'yosys'), ('prove', 'z3'), ('synth', 'opensta'), ('check', 'cppcheck'))]
    expect('a target asks for the packages of its folder', named == [True, False, True, True, True], needed)


def version():
    """The version names the commit of the sources, and marks modified sources."""
    tree = TREE.parent / 'version'
    (tree / 'cmodel').mkdir(parents=True)
    for name, text in (('CHANGELOG.md', '## 1.2.3\n'), ('.gitignore', '*.o\n'), ('cmodel/a.c', 'int a;\n')):
        (tree / name).write_text(text)

    def said():
        subprocess.run([ROOT / 'cmodel/cli/version.sh', 'out.c'], cwd=tree, check=True)
        return re.search('"(1.*)"', (tree / 'out.c').read_text())[1]

    def git(*words):
        return subprocess.run(['git', '-c', 'user.name=a', '-c', 'user.email=a', *words], cwd=tree, check=True, capture_output=True, text=True).stdout.strip()

    git('init', '-q')
    expect('without a commit the version is the release', said() == '1.2.3', said())
    git('commit', '-qm', 'a', '--allow-empty')
    expect('in a repository that has not the sources, too', said() == '1.2.3', said())
    git('add', '.')
    git('commit', '-qm', 'b')
    clean = f'1.2.3 ({git("log", "-1", "--format=%h")})'
    expect('the version names the commit', said() == clean, said())
    git('config', 'status.showUntrackedFiles', 'no')
    for what, name, text, is_change in (('a new source', 'cmodel/b.c', 'int b;\n', True), ('a new folder of sources', 'cmodel/more/b.c', 'int b;\n', True), ('a source that is changed', 'cmodel/a.c', 'int c;\n', True),
                                        ('a file that git ignores', 'cmodel/b.o', '', False), ('a file elsewhere', 'notes', '', False)):
        before = (tree / name).read_text() if (tree / name).exists() else None
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_text(text)
        expect(f'{what} is {"a change" if is_change else "no change"} of the version', said() == (f'{clean[:-1]}+changes)' if is_change else clean), said())
        (tree / name).write_text(before) if before else (tree / name).unlink()
    expect('and is none any more when it is gone', said() == clean, said())
    (tree / 'cmodel/a.c').unlink()
    expect('a source that is taken away is a change of the version', 'changes' in said(), said())


def refuted_without_icarus():
    with changed('cmodel/blocks/mshr.c', 'out->free_o = ', 'out->free_o = 1 ^ '):
        status, said = run('make', 'prove', 'BLOCK=mshr', 'SIZES=Entries=2 Slots=1 AddrW=2 InfoW=1', path=tool('iverilog', 'echo rejected >&2; exit 3'))
    expect('REFUTED stands when Icarus rejects the RTL', status and 'REFUTED' in said and 'iverilog ends with status 3: rejected' in said and 'Traceback' not in said, said)


def started(*words):
    """A make in its own process group."""
    return subprocess.Popen(['make', *words], cwd=TREE, env=of_a_user(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)


def two_at_once():
    """Two concurrent makes in one tree; then a make next to one that was killed."""
    short = ['cosim', 'BLOCK=mshr', 'SET=tiny', 'CYCLES=2000']
    run('make', *short)
    said = [p.communicate()[0] for p in [started(*short, f'SEED={seed}', *['-s'] * (seed == 1)) for seed in (1, 2)]]
    good = [f'seed={seed} ' in text and '1 passed, 0 failed' in text for seed, text in zip((1, 2), said)]
    expect('two makes at once: each has its own verdict', all(good), said)
    expect('two makes at once: one waits for the other, and says so', sum('waits for make cosim' in text for text in said) == 1, said)
    long = started(*short[:-1], 'CYCLES=2000000000')
    while (TREE / 'build/make.lock').read_text().split()[:1] != [str(long.pid)]:
        time.sleep(0.05)
    os.killpg(long.pid, signal.SIGKILL)
    long.wait()
    status, text = run('make', *short)
    expect('a killed make holds no other up', status == 0 and 'waits' not in text, text)


def half_written():
    """A compiler or linker is killed in the middle of its output, together with make."""
    half = '[ "$1" != --version ] || exec {0} "$@"\nfor a; do [ "$last" = -o ] && echo half >"$a"; last=$a; done\nkill -9 0'
    folder = TOOLS / 'half'
    folder.mkdir()
    for name in ('gcc', 'g++', 'cc', 'c++', 'ccache'):
        (folder / name).write_text(f'#!/bin/sh\n{half.replace("{0}", shutil.which(name))}\n')
        (folder / name).chmod(0o755)
    for product in (DESCRIBE, TWIN, LOCKSTEP, SO, MEMTWIN, f'{Path(SO).with_suffix("")}/set.o', 'build/cosim/mshr/lockstep'):
        path, kept = TREE / product, TREE.parent / 'kept'
        path.rename(kept)
        status, said = run('setsid', '--wait', 'make', product, path=folder)
        expect(f'{product}, interrupted, does not count as built', status and not path.exists(), f'status {status}: {said}')
        kept.rename(path)


def main():
    prepare()
    wanted = sys.argv[2:]
    for part in (stale, read_before_set, parameters, variables, refusals, dry_run, failing_build, two_at_once, half_written, kept_results, progress, installing, version, refuted_without_icarus):
        if not wanted or part.__name__ in wanted:
            part()
    print(f'build-selftest: {passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
