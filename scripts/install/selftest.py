# SPDX-License-Identifier: Apache-2.0
"""make install-selftest: installs into a folder, moves it, and uses it as an external project would: examples in C and C++, shared and static,
against the program's counters; symbols, headers, manual page, completion, RTL; then refusals and uninstall.
usage: python3 -B -m scripts.install.selftest install-selftest PREFIX DESTDIR BUILD CC PROGRAM OBJECT...     (PREFIX and DESTDIR are not used)"""
import filecmp
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.install import command, library
from scripts.testing import PYTHON, Checks, main, run

PREFIX = '/opt/memtwin'
STRICT = ['-Wall', '-Wextra', '-pedantic', '-Werror']
MACHINE = ['preset=dlmshr-002-t3.2', 'preset=dlmshr', 'l1d.ways=8']
WORKLOAD = 'vecadd:n=4096'


class Bench:
    def __init__(self, build, cc, program, objects):
        self.out, self.cc, self.program = Path(build).resolve() / 'install-selftest', cc, str(Path(program).resolve())
        self.arguments = [str(Path(build)), cc, program, *objects]
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir(parents=True)
        self.moved = self.out / 'moved'

    def install(self, prefix, destdir, what='install', cc=None):
        arguments = [self.arguments[0], cc or self.arguments[1], *self.arguments[2:]]
        return run(*PYTHON, 'scripts.install.install', what, prefix, destdir, *arguments)


def files(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob('*') if not p.is_dir() or p.is_symlink())


def equal_counters(found, wanted):
    """Names in order; a ratio to the digits that the program writes."""

    def same(a, b):
        return a is b if None in (a, b) else float(f'{a:.12g}') == float(f'{b:.12g}')

    return list(found) == list(wanted) and all(same(v, wanted[n]) for n, v in found.items())


def mixed(count, apart):
    """Transactions of three SMs, some over several lines, some with byte enables, to shared bytes or to separate bytes per SM."""
    r, at = random.Random(5), [0, 0, 0]
    for _ in range(count):
        sm = r.randrange(3)
        at[sm] += r.choice((0, 0, 0, 1, 3, 40, 700))
        length, address, enables = (
            r.choice((1, 4, 4, 32, 128, 130, 600)),
            r.randrange(1 << 14),
            r.choice(('', '', '', '1100', '10000000', '0')),
        )
        yield f'{at[sm]} {sm} {r.choice("RRW")} 0x{address + sm * apart:x} {length} {enables}'


COMPLETE = '''compopt() { :; }; source "$1"; COMP_LINE=$2; COMP_POINT=${#2}; shift 2; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _memtwin; printf '%s\\n' "${COMPREPLY[@]}"'''


class Installed(Checks):
    @classmethod
    def setUpClass(cls):
        _, _, _, build, cc, program, *objects = sys.argv[1:]
        cls.bench = Bench(build, cc, program, objects)

    def config(self, *flags):
        """pkg-config of the moved tree; --define-prefix finds it by its location."""
        status, said = run(
            'pkg-config',
            '--define-prefix',
            *flags,
            'memtwin',
            env={'PKG_CONFIG_PATH': f'{self.bench.moved}/lib/pkgconfig', 'PKG_CONFIG_LIBDIR': ''},
        )
        self.expect(f'pkg-config {" ".join(flags)}', status == 0, said)
        return said.split()

    def refused(self, prefix, destdir, part, cc=None):
        """One line with this text, and no file written under self.out/refused."""
        place = self.bench.out / 'refused'
        before = files(place)
        status, said = self.bench.install(prefix, destdir, cc=cc)
        ok = status and part in said and len(said.splitlines()) == 1 and 'Traceback' not in said
        self.expect(f'PREFIX={prefix} DESTDIR={destdir} is refused: {part}', ok, said)
        self.expect(f'and nothing is left of PREFIX={prefix}', files(place) == before, set(files(place)) ^ set(before))

    def built(self, name, how):
        """Builds an example of the installed tree."""
        source = next((self.bench.moved / 'share/doc/memtwin/examples').glob(f'{name}.c*'))
        program = self.bench.out / f'{name}-{how}'
        libs = (
            self.config('--libs')
            if how == 'shared'
            else ['-l:libmemtwin.a' if w == '-lmemtwin' else w for w in self.config('--libs', '--static')]
        )
        compiler = [self.bench.cc, '-std=c11'] if source.suffix == '.c' else ['c++', '-std=c++11']
        status, said = run(*compiler, '-O1', *STRICT, source, *self.config('--cflags'), *libs, '-o', program)
        self.expect(f'{source.name} builds, {how}', status == 0, said)
        _, loaded = run('readelf', '-dW', program)
        self.expect(
            f'{source.name} loads the library only if it is {how}',
            ('libmemtwin' in loaded) == (how == 'shared'),
            loaded,
        )
        return program

    def counters_of(self):
        """The same run with the program."""
        kept = self.bench.out / 'run.json'
        chosen = [w for m in MACHINE for w in (('--preset', m[7:]) if m.startswith('preset=') else ('--set', m))]
        status, said = run(self.bench.moved / 'bin/memtwin', 'run', WORKLOAD, *chosen, '--quiet', '--json', kept)
        self.expect('memtwin run ends well', status == 0, said)
        return json.loads(kept.read_text())['counters']

    def completed(self, line):
        """Bash's completions of a line; bash splits words at = and :."""
        words = [w for part in line.split(' ') for w in (re.findall(r'[=:]|[^=:]+', part) or [''])]
        if line[-1] in '=:':
            words.append('')
        status, said = run(
            'bash',
            '-euc',
            COMPLETE,
            'bash',
            self.bench.moved / 'share/bash-completion/completions/memtwin',
            line,
            *words,
            cwd=self.bench.moved,
        )
        self.expect(f'completion of "{line}" ends well', status == 0, said)
        return said.split()

    # ---- the installation itself
    def test_installs(self):
        status, said = self.bench.install(PREFIX, f'{self.bench.out}/dest')
        self.expect('make install ends well', status == 0, said)
        tree = self.bench.out / 'dest' / PREFIX.strip('/')
        listed = (tree / 'share/memtwin/installed').read_text().split('\n')[:-1]
        self.expect('the list of files is what is there', listed == files(tree), set(listed) ^ set(files(tree)))
        stale = tree / 'share/memtwin/stale'
        stale.write_text('of an older version\n')
        (tree / 'share/memtwin/installed').write_text('\n'.join([*listed, 'share/memtwin/stale', '']))
        status, said = self.bench.install(PREFIX, f'{self.bench.out}/dest')
        self.expect(
            'over an older version: what that had alone is removed',
            status == 0 and not stale.exists() and files(tree) == listed,
            said,
        )
        status, said = self.bench.install(PREFIX, f'{self.bench.out}/other')
        other = self.bench.out / 'other' / PREFIX.strip('/')
        _, wrong, missing = filecmp.cmpfiles(tree, other, listed, shallow=False)
        self.expect(
            'two installations are equal, byte by byte', status == 0 and not wrong and not missing, [*wrong, *missing]
        )
        shutil.move(tree, self.bench.moved)

    # ---- the library
    def test_symbols(self):
        _, said = run('nm', '-D', '--defined-only', self.bench.moved / 'lib/libmemtwin.so')
        found = dict(re.findall(r' T (\w+)@@(\w+)', said))
        node = {f: f'MEMTWIN_{library.major()}' for f in library.of_machine()} | {
            f: f'MEMTWIN_BLOCKS_{library.major()}' for f in library.of_blocks()
        }
        self.expect(
            'exported symbols and their versions are those listed',
            found == node,
            set(found.items()) ^ set(node.items()),
        )
        others = [line for line in said.splitlines() if not re.search(r' T \w+@@| A MEMTWIN_', line)]
        self.expect('nothing else is exported', not others, others)
        _, said = run('nm', '--defined-only', '--extern-only', self.bench.moved / 'lib/libmemtwin.a')
        static = set(re.findall(r' [A-Z] (\w+)', said))
        self.expect('the archive defines the same', static == set(node), static ^ set(node))
        _, said = run('readelf', '-dW', self.bench.moved / 'lib/libmemtwin.so')
        needed = set(re.findall(r'NEEDED.*\[lib(\w+)', said))
        self.expect('its name is that of its version', f'soname: [libmemtwin.so.{library.major()}]' in said, said)
        self.expect(
            'it loads no library that the .pc does not name',
            needed <= {'c', *(n[2:] for n in library.LIBRARIES)},
            needed,
        )
        _, said = run('nm', '-u', self.bench.moved / 'lib/libmemtwin.a')
        prints = re.findall(
            r'\b(?:v?printf|__v?printf_chk|puts|putchar|perror|_?exit|_Exit|abort|stdout|stderr)\b', said
        )
        self.expect('it neither prints nor exits', not prints, prints)

    def test_lists(self):
        """A function that only the header or only the list has is refused, and so is a node of another version."""
        kept, planted = library.LIST, self.bench.out / 'planted.map'
        for old, new, part in (
            ('    memtwin_poll;\n', '', 'memtwin_poll'),
            ('    memtwin_poll;\n', '    memtwin_pole;\n    memtwin_poll;\n', 'memtwin_pole'),
            ('MEMTWIN_0 {', 'MEMTWIN_7 {', 'found node MEMTWIN_7'),
        ):
            planted.write_text(kept.read_text().replace(old, new))
            library.LIST = planted
            try:
                said = library.of_machine()
            except library.Wrong as e:
                said = str(e)
            library.LIST = kept
            self.expect(f'{part} is refused', part in said and isinstance(said, str), said)
        text = 'struct a *f(int x,\n        int y);\nstatic int g(int x);\nint h(void) { return 0; }\n/* int k(void); */\n#define M(x) \\\n    int n(void);\n'
        self.expect('declared functions are found in a header', library.declared(text) == ['f'], library.declared(text))

    def test_headers(self):
        """Each header alone, in C and in C++.  Designated initialisers make the twins' headers C++20."""
        flags = self.config('--cflags')
        listed = sorted(p.name for p in (self.bench.moved / 'include/memtwin').glob('*.h'))
        for language, standard, names in (
            ('c', 'c11', listed),
            ('c++', 'c++20', listed),
            ('c++', 'c++11', ['memtwin.h']),
        ):
            for n in names:
                status, said = run(
                    self.bench.cc,
                    '-x',
                    language,
                    f'-std={standard}',
                    *STRICT,
                    *flags,
                    '-fsyntax-only',
                    '-',
                    text=f'#include <memtwin/{n}>\n#include <memtwin/{n}>\n',
                )
                self.expect(f'{n} alone compiles as {standard}', status == 0, said)

    def test_package(self):
        status, said = run(
            'pkg-config',
            '--cflags',
            'memtwin',
            env={'PKG_CONFIG_PATH': f'{self.bench.moved}/lib/pkgconfig', 'PKG_CONFIG_LIBDIR': ''},
        )
        self.expect(
            'memtwin.pc has the prefix of the installation, not of DESTDIR',
            said.split() == [f'-I{PREFIX}/include'],
            said,
        )
        self.expect(
            'a tree that has moved is found by the place of its .pc',
            self.config('--cflags') == [f'-I{self.bench.moved}/include'],
        )
        self.expect('memtwin.pc has the version', self.config('--modversion') == ['.'.join(library.version())])

    def test_examples(self):
        wanted, latencies = self.counters_of(), {}
        for how in ('shared', 'static'):
            env = {'LD_LIBRARY_PATH': f'{self.bench.moved}/lib' if how == 'shared' else ''}
            status, said = run(self.built('counters', how), WORKLOAD, *MACHINE, env=env)
            found = json.loads(said) if status == 0 else {}
            self.expect(
                f'counters of the library are those of the program, {how}', equal_counters(found, wanted), said[:500]
            )
            status, said = run(self.built('twin', how), env=env)
            merged = '0 used=0 result=primary\n1 used=1 result=secondary\n2 used=2\n3 used=2 out=1 info=10\n4 used=1 out=1 info=11 last\n'
            self.expect(f'the twin merges and drains, {how}', status == 0 and said == merged, said)
            status, latencies[how] = run(self.built('latency', how), 64, 32, 'sm.count=2', env=env)
            self.expect(
                f'reads with a stride merge by line, {how}',
                status == 0 and 'l1d.misses 16\n' in latencies[how] and 'l2.accesses 16\n' in latencies[how],
                latencies[how],
            )
        self.expect('shared and static print the same', latencies['shared'] == latencies['static'])
        status, said = run(
            self.bench.out / 'counters-shared',
            WORKLOAD,
            *MACHINE,
            'rtl=dl_mshr',
            f'rtl_folder={Path(self.bench.arguments[0]).resolve()}/rtl',
            env={'LD_LIBRARY_PATH': f'{self.bench.moved}/lib'},
        )
        self.expect(
            'counters with RTL in the library are the same',
            equal_counters(json.loads(said) if status == 0 else {}, wanted),
            said[:500],
        )
        code = 'import memtwin, sys; print(sum(r["scope"] == "run" for r in memtwin.rows(sys.argv[1])))'
        status, said = run(
            '/usr/bin/python3',
            '-B',
            '-c',
            code,
            self.bench.out / 'run.json',
            env={'PYTHONPATH': str(self.bench.moved / 'share/memtwin/python')},
        )
        self.expect('the Python module reads them', (status, said) == (0, f'{len(wanted)}\n'), said)
        for words, part in (
            (['bfss'], 'the nearest is'),
            ([WORKLOAD, 'l1d.way=1'], 'the nearest is'),
            ([WORKLOAD, 'l1d.dl_mshr.sets=8'], 'has no effect here'),
        ):
            status, said = run(self.bench.out / 'counters-static', *words)
            self.expect(
                f'counters {" ".join(words)} is refused in a line',
                status == 1 and part in said and len(said.splitlines()) == 1,
                said,
            )
        status, said = run(
            'make',
            '-s',
            '-C',
            self.bench.moved / 'share/doc/memtwin/examples',
            'counters',
            'PKG_CONFIG=pkg-config --define-prefix',
            f'PKG_CONFIG_PATH={self.bench.moved}/lib/pkgconfig',
            env={'MAKEFLAGS': ''},
        )
        self.expect('the Makefile of the examples builds', status == 0, said)

    def trace(self, name, lines):
        path = self.bench.out / name
        path.write_text('\n'.join(lines) + '\n')
        return path

    def test_tlm(self):
        """The TLM-2.0 target; the example itself checks data, phases and bytes."""
        source, program = self.bench.moved / 'share/doc/memtwin/examples/tlm_replay.cpp', self.bench.out / 'tlm_replay'
        status, said = run(
            'c++',
            '-std=c++17',
            '-O0',
            *STRICT,
            source,
            *self.config('--cflags'),
            *['-l:libmemtwin.a' if w == '-lmemtwin' else w for w in self.config('--libs', '--static')],
            '-lsystemc',
            '-o',
            program,
        )
        self.expect('tlm_replay.cpp builds', status == 0, said)
        env = {'SYSTEMC_DISABLE_COPYRIGHT_MESSAGE': '1'}
        strided = self.trace('strided.txt', (f'0 0 R {32 * i} 4' for i in range(64)))
        status, said = run(program, 'at', strided, 'sm.count=2', env=env)
        _, stepped = run(self.bench.out / 'latency-static', 64, 32, 'sm.count=2')
        self.expect(
            'AT: each read takes the cycles that it takes by memtwin_offer', status == 0 and said == stepped, said
        )
        again = self.trace('again.txt', ['0 0 R 0 4', '0 0 R 64 4', '2000 0 R 128 4'])
        status, said = run(program, 'lt', again, 'l1d.latency=28', env=env)
        self.expect(
            'LT: a miss, a hit, and a miss after its delay',
            re.match(r'0 (\d+)\n1 28\n2 (\d+)\n', said) and 'l1d.misses 2\n' in said,
            said,
        )
        mixes = {'lt': self.trace('apart.txt', mixed(1500, 65536)), 'at': self.trace('mix.txt', mixed(1500, 0))}
        for mode, mix in mixes.items():
            for options in (
                ['preset=gpgpusim'],
                ['queue=1'],
                ['enter=memory', 'queue=2'],
                ['l1d.mshr.kind=dl_mshr', 'queue=1'],
            ):
                status, said = run(program, mode, mix, *options, env=env)
                self.expect(
                    f'{mode} {" ".join(options)}: right data, every transaction answered',
                    status == 0 and len(said.splitlines()) == 1505,
                    said[-500:],
                )
                other = run(program, mode, mix, *options, 'sim.skip=false', env=env)
                self.expect(f'{mode} {" ".join(options)}: the same without skipping', tuple(other) == (status, said))
        outside, unknown = self.trace('outside.txt', ['0 0 R 0xffffffffffff 2']), self.trace(
            'unknown.txt', ['0 9999 R 0 4']
        )
        for words, part in (
            (['lt', outside], 'TLM_ADDRESS_ERROR_RESPONSE'),
            (['at', outside], 'TLM_ADDRESS_ERROR_RESPONSE'),
            (['at', unknown], 'found SM 9999'),
            (['at', strided, 'uvm.enable=true'], 'uvm.enable: found true'),
            (['at', strided, 'l1d.way=1'], 'the nearest is'),
            (['xt', strided], 'usage:'),
        ):
            status, said = run(program, *words, env=env)
            self.expect(
                f'tlm_replay {words[0]} {" ".join(words[2:])} is refused: {part}', status == 1 and part in said, said
            )

    def test_block(self):
        """A twin as a SystemC module, and the Verilated RTL of the installed files on the same pins."""
        source, model = self.bench.moved / 'share/doc/memtwin/examples/systemc_block.cpp', self.bench.out / 'verilated'
        status, said = run(
            'verilator',
            '--sc',
            '--build',
            '-O0',
            '-f',
            'rtl/mshr/mshr.f',
            '--top-module',
            'mt_mshr',
            '--prefix',
            'Vmshr',
            '--Mdir',
            model,
            cwd=self.bench.moved / 'share/memtwin',
            env={'MAKEFLAGS': ''},
        )
        self.expect('the installed RTL is verilated for SystemC', status == 0, said)
        root = Path(run('verilator', '--getenv', 'VERILATOR_ROOT').out.strip())
        verilated = [
            '-DRTL',
            f'-I{model}',
            '-isystem',
            root / 'include',
            '-isystem',
            root / 'include/vltstd',
            model / 'Vmshr__ALL.a',
            root / 'include/verilated.cpp',
            root / 'include/verilated_threads.cpp',
        ]
        said = {}
        for name, words in (('twin', []), ('both', verilated)):
            program = self.bench.out / f'systemc_block-{name}'
            objects = [w for w in words if str(w).endswith(('.a', '.cpp'))]
            status, text = run(
                'c++',
                '-std=c++17',
                '-O0',
                *(STRICT if not objects else []),
                source,
                *(w for w in words if w not in objects),
                *self.config('--cflags'),
                *objects,
                *['-l:libmemtwin.a' if w == '-lmemtwin' else w for w in self.config('--libs', '--static')],
                '-lsystemc',
                '-o',
                program,
            )
            self.expect(f'systemc_block.cpp builds, {name}', status == 0, text)
            status, said[name] = run(program, env={'SYSTEMC_DISABLE_COPYRIGHT_MESSAGE': '1'})
            self.expect(
                f'systemc_block runs, {name}',
                status == 0 and re.fullmatch(r'\d+ requests drained\n', said[name]),
                said[name],
            )
        self.expect('the RTL changes nothing', said['twin'] == said['both'], str(said))

    # ---- beside the library
    def test_manual_page(self):
        page = self.bench.moved / 'share/man/man1/memtwin.1'
        status, said = run(
            'man',
            '--warnings=w',
            '-E',
            'UTF-8',
            '-l',
            page,
            env={'LC_ALL': 'C.UTF-8', 'MANROFFOPT': '', 'MANPAGER': 'cat', 'PAGER': 'cat', 'MANWIDTH': '100'},
        )
        warnings = [
            line for line in said.splitlines() if 'warning' in line or '<standard input>' in line or 'error:' in line
        ]
        self.expect('groff has no warning of the manual page', status == 0 and not warnings, warnings or said)
        for c in command.commands(self.bench.program):
            for word in (
                f'memtwin {" ".join(c.words)}',
                *(f'--{o.long}' for o in c.options() if o.long not in command.EVERY),
            ):
                self.expect(f'the manual page has {word}', word in said)
        for c in command.commands(self.bench.program):
            narrow = subprocess.run(
                [self.bench.program, *c.words, '--help'], capture_output=True, text=True, env={'LC_ALL': 'C'}
            ).stdout.splitlines()
            broken = [line for line in c.after if line.startswith('  ') and line not in narrow]
            self.expect(f'the help of memtwin {" ".join(c.words)} breaks no line of an example', not broken, broken)
            names = [o.long for o in c.options()]
            self.expect(
                f'the page of memtwin {" ".join(c.words)} has each option once', len(set(names)) == len(names), names
            )
        self.expect(
            'no option is left without a text',
            all(o.text for c in command.commands(self.bench.program) for o in c.options()),
        )

    def test_completion(self):
        script = self.bench.moved / 'share/bash-completion/completions/memtwin'
        status, said = run('shellcheck', '-s', 'bash', '-S', 'warning', script)
        self.expect('shellcheck has nothing to say about the completion', status == 0, said)
        presets, kernels, keys = (
            command.presets(self.bench.program),
            command.kernels(self.bench.program),
            command.keys(self.bench.program),
        )
        self.expect(
            'presets, kernels, keys and blocks are found',
            min(map(len, (presets, kernels, keys, command.blocks(self.bench.program)))) > 10,
        )
        for line, wanted in (
            (
                'memtwin ',
                [c.words[0] for c in command.commands(self.bench.program) if len(c.words) == 1]
                + ['--help', '--version'],
            ),
            ('memtwin tr', ['trace']),
            ('memtwin trace in', ['info']),
            ('memtwin run --pre', ['--preset=']),
            ('memtwin run --preset ', presets),
            ('memtwin run --preset=', presets),
            ('memtwin run -p dlm', [p for p in presets if p.startswith('dlm')]),
            ('memtwin run -s l1d.mshr.k', ['l1d.mshr.kind=']),
            ('memtwin run -s l1d.mshr.kind=dl', ['dl_mshr']),
            ('memtwin run --set=dram.scheduler=', keys['dram.scheduler']),
            ('memtwin run --case x:pre', ['preset=']),
            ('memtwin run --case x:l1d.enable=true,l1d.mshr.kind=m', ['mshr']),
            ('memtwin run --case=x:l1d.enable=true,sim.sk', ['true,sim.skip=']),
            ('memtwin run vecad', ['vecadd']),
            ('memtwin run spmv:', [f'{o}=' for o in kernels['spmv']]),
            ('memtwin run spmv:rows=8,al', ['8,align=']),
            ('memtwin trace record vecad', ['vecadd']),
            ('memtwin run --rtl dl_', ['dl_mshr']),
            (
                'memtwin list ',
                command.choices(next(c for c in command.commands(self.bench.program) if c.words == ['list'])),
            ),
            ('memtwin probe dr', ['dram']),
            ('memtwin cke --partition=b', ['best']),
            ('memtwin compare share/doc/memtwin/LIC', ['share/doc/memtwin/LICENSE']),
            ('memtwin run --json share/doc/memtwin/LIC', ['share/doc/memtwin/LICENSE']),
        ):
            found = self.completed(line)
            self.expect(f'completion of "{line}"', sorted(found) == sorted(wanted), f'found {found}, expected {wanted}')
        for c in command.commands(self.bench.program):
            if c.options():
                found = self.completed(f'memtwin {" ".join(c.words)} --')
                self.expect(
                    f'every option of {" ".join(c.words)}',
                    sorted(found) == sorted(f'--{o.long}' + '=' * bool(o.value) for o in c.options()),
                    found,
                )

    def test_rtl(self):
        tree = self.bench.moved / 'share/memtwin'
        lists = sorted((tree / 'rtl').glob('*/*.f'))
        self.expect('every block has a file list', len(lists) == len(command.blocks(self.bench.program)), len(lists))
        for f in lists:
            named = [
                w.removeprefix('+incdir+')
                for line in f.read_text().splitlines()
                if not line.startswith('//')
                for w in line.split()
            ]
            self.expect(f'{f.name} names files that are there', all((tree / n).exists() for n in named), named)
        status, said = run('verilator', '--lint-only', '-Wall', '-f', 'rtl/mshr/mshr.f', cwd=tree)
        self.expect('Verilator reads the installed RTL', status == 0, said)

    def test_refusals(self):
        place = self.bench.out / 'refused'
        place.mkdir()
        (place / 'file').write_text('')
        self.refused('relative/path', f'{place}/a', 'expected an absolute path')
        self.refused('/with blank', f'{place}/a', 'expected an absolute path')
        self.refused('/usr', 'relative', 'DESTDIR: found "relative"')
        self.refused(f'{place}/file/below', '', 'no folder')
        (place / 'taken/bin/memtwin').mkdir(parents=True)
        self.refused(f'{place}/taken', '', 'is a folder, expected a file or nothing')
        self.refused('/usr', f'{place}/a', 'status 1', cc='false')
        if os.geteuid():
            (place / 'closed').mkdir(mode=0o500)
            self.refused(f'{place}/closed/x', '', 'not writable')
        (place / 'half/include').mkdir(parents=True)
        (place / 'half/include/memtwin').write_text('')
        self.refused(f'{place}/half', '', 'is no folder, expected a folder')
        (place / 'own/bin').mkdir(parents=True)
        (place / 'own/bin/memtwin').write_text("a user's")
        self.refused(f'{place}/own', '', 'found a file that make install has not written')
        hostile = place / 'hostile/share/memtwin'
        hostile.mkdir(parents=True)
        (hostile / 'installed').write_text('../../../victim\n')
        self.refused(f'{place}/hostile', '', 'expected paths below')

    def test_uninstalls(self):
        other = self.bench.out / 'other'
        kept = other / PREFIX.strip('/') / 'lib/of_another_package'
        kept.write_text('stays\n')
        status, said = self.bench.install(PREFIX, str(other), 'uninstall')
        self.expect(
            'make uninstall removes all of it, and nothing else',
            status == 0 and files(other) == [str(kept.relative_to(other))],
            said + str(files(other)[:5]),
        )
        status, said = self.bench.install(PREFIX, str(other), 'uninstall')
        self.expect(
            'a second one says that there is nothing',
            status and 'found no list of installed files' in said and len(said.splitlines()) == 1,
            said,
        )


if __name__ == '__main__':
    sys.exit(main('install-selftest', Installed))
