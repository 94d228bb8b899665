# SPDX-License-Identifier: Apache-2.0
"""Mutation run of the system code: make mutate-system [FILES=] [COUNT=120] [SEED=1] [SLOW=1] [AGAIN=1] [UPDATE=1].

Draws mutants by seed, builds each (one object compiled, the rest reused), and runs the tests of tests/system on
it until one fails.  A mutant with the object code of the original is no mutant and does not count; nor does one that
does not compile.  A comment in the source says of the ones that no test can kill, or should, why; it is checked both ways.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path

from scripts import marked
from tests.mutate import mutants

HERE = Path(__file__).resolve().parent
TESTS = sorted(Path('tests/system').glob('*.c'))
SUITE = re.compile(r'^(?:Test|TestSuite|Theory|ParameterizedTest)\((?:[^,()]*\*\w*,|\([^()]*\),)? *(\w+)', re.M)
# Suites that take longer than all others together: SLOW=1 runs them on the survivors of the others.
SLOW = ('skipping', 'uvm_machine')
MEMORY, OUTPUT = 8 << 30, 64 << 20  # bytes
ALIVE = ('survived', 'not run')  # the second: not executed by any test
NO_MUTANT = ('equal', 'invalid')
README = HERE / 'README.md'
COUNT, SEED = 120, 1  # of the table in README.md
COMMENT = re.compile(r'/\*.*?\*/', re.S)
OF_EACH = 2  # mutants per file that are tried first
WALL = 900  # seconds for one run of all suites
CPU = 10  # seconds for one test, of the processor and so whatever else the machine does: the slowest takes two
COUNTED = 10  # times as long, where lines are counted


def limits(cpu):
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT, OUTPUT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def flat(file):
    """A unique name per file: several folders have a stream.c."""
    return str(file).replace('/', '-')


class Bench:
    """One worker's folder: a mutant's object and test program."""

    def __init__(self, args, folder, cpu=CPU, env=None):
        self.args, self.folder, self.cpu, self.env = args, folder, cpu, env
        folder.mkdir(parents=True, exist_ok=True)

    def compile(self, source, original, more=(), obj='mutant.o'):
        """The object of a text, or None if it does not compile.  Its #include "..." are resolved as for the original."""
        c, obj = self.folder / flat(original), self.folder / obj
        c.write_bytes(source)
        command = ['gcc', '-w', *self.args.flags, *more, f'-I{Path(original).parent}', '-c', str(c), '-o', str(obj)]
        done = subprocess.run(command, capture_output=True)
        return obj if done.returncode == 0 else None

    def link(self, objects, more=()):
        """Links the tests with these objects in place of the originals."""
        replaced = {f'{self.args.objects_root}/{Path(f).with_suffix(".o")}' for f in objects}
        rest = [o for o in self.args.objects if o not in replaced]
        if len(rest) != len(self.args.objects) - len(replaced):
            sys.exit(f'mutate-system: {" ".join(replaced)}: found some not among the objects, expected all')
        command = [
            'gcc',
            '-fuse-ld=lld',
            '-Wl,-s',
            *more,
            *self.args.ldflags,
            *rest,
            *map(str, objects.values()),
            *self.args.libs,
            '-o',
            str(self.program),
        ]
        subprocess.run(command, check=True)

    @property
    def program(self):
        return self.folder / 'tests'

    def execute(self, pattern):
        """Exit status, CPU seconds, and output of the matching tests."""
        log = self.folder / 'log'
        command = [str(self.program), '-j1', '--fail-fast', '--filter', pattern]
        with open(log, 'w') as out:
            p = subprocess.Popen(
                command,
                stdout=out,
                stderr=out,
                start_new_session=True,
                preexec_fn=lambda: limits(self.cpu),
                env=self.env,
            )
            too_long = threading.Timer(WALL, lambda: os.killpg(p.pid, signal.SIGKILL))
            too_long.start()
            _, status, used = os.wait4(p.pid, 0)
            too_long.cancel()
            p.returncode = os.waitstatus_to_exitcode(status)
        text = re.sub(r'\x1b\[[0-9;]*m', '', log.read_text(errors='replace'))
        return p.returncode, used.ru_utime + used.ru_stime, text

    def run(self, suites):
        """'' if all tests of these suites pass, else the first that failed, or 'timeout'."""
        status, seconds, text = self.execute(f'@({"|".join(suites)})/*')
        if status == 0 and re.search(r'Tested: [1-9]', text):
            return ''
        named = re.search(r'\[FAIL\] (\w+)::(\w+)(: CRASH!)?', text)
        if not named:
            return 'timeout' if status < 0 else f'status {status}'
        name = f'{named.group(1)}/{named.group(2)}'
        # A test stopped by its time limit looks like a crash; run alone, its time distinguishes them.
        stopped = named.group(3) and seconds > 0.9 * self.cpu and self.execute(name)[1] > 0.9 * self.cpu
        return 'timeout' if stopped else name


def suites_of(program):
    names = subprocess.run([program, '--list'], capture_output=True, text=True, check=True).stdout
    return [m.group(1) for m in re.finditer(r'^(\w+):', re.sub(r'\x1b\[[0-9;]*m', '', names), re.M)]


def suites_in(paths):
    """Suites that these texts of tests name, in order."""
    return sorted({name for p in paths for name in SUITE.findall(p.read_text())})


def key_of_suite(suite, code):
    """Of what decides which lines a suite executes: the code, its own texts, and those without a suite."""
    texts = [p.read_text() for p in TESTS]
    mine = [t for t in texts if suite in SUITE.findall(t) or not SUITE.search(t)]
    common = [p.read_text() for p in (*sorted(Path('tests/system').glob('*.h')), Path('docs/your-mechanism.md'))]
    return hashlib.sha256('\0'.join([code, *mine, *common]).encode()).hexdigest()


def places_of_code(text):
    """Line -> its place among the lines of code: a comment that is written moves lines, but no place."""
    code, places, count = COMMENT.sub(lambda m: '\n' * m.group().count('\n'), text).split('\n'), {}, 0
    for n, line in enumerate(code, 1):
        count += bool(line.strip())
        places[n] = count
    return places


class Coverage:
    """Which suites execute a line: the others cannot detect a mutant there."""

    def __init__(self, args):
        self.bench = Bench(args, Path(args.out).resolve() / 'coverage')
        self.files = args.files
        kept, code = self.bench.folder / 'suites.json', f'{digest_of_code()} {" ".join(map(str, args.files))}'
        known = json.loads(kept.read_text()) if kept.exists() else {}
        keys = {s: key_of_suite(s, code) for s in suites_in(TESTS) if s not in SLOW}
        missing = [s for s, key in keys.items() if known.get(s, {}).get('key') != key]
        for suite, lines in self.measure(missing) if missing else ():
            known[suite] = {'key': keys[suite], 'lines': lines}
            write(kept, known)
        self.places = {str(f): places_of_code(f.read_text()) for f in self.files}
        self.suites = defaultdict(set)  # (file, place of a line) -> suites
        for suite in keys:
            for file, lines in known[suite]['lines'].items():
                for n in lines:
                    self.suites[file, n].add(suite)

    def measure(self, suites):
        b = self.bench
        objects = {str(f): b.compile(f.read_bytes(), f, ('-O1', '--coverage'), f'{flat(f)}.o') for f in self.files}
        wrong = [f for f, o in objects.items() if not o]
        if wrong:
            sys.exit(f'mutate-system: {wrong[0]}: does not compile')
        b.link(objects, ('--coverage',))
        absent = set(suites) - set(suites_of(b.program))
        if absent:
            sys.exit(
                f'mutate-system: found no suite {min(absent)} in the tests, expected one, as a text of tests/system has it'
            )
        with concurrent.futures.ThreadPoolExecutor(b.args.jobs) as pool:
            yield from zip(suites, pool.map(self.of_suite, suites))

    def of_suite(self, suite):
        """file -> places of lines that the suite executes; it must pass."""
        folder = self.bench.folder / suite
        shutil.rmtree(folder, ignore_errors=True)
        b = Bench(self.bench.args, folder, CPU * COUNTED, os.environ | {'GCOV_PREFIX': f'{folder}/data'})
        b.program.symlink_to(self.bench.program)
        failed = b.run([suite])
        if failed:
            sys.exit(f'mutate-system: unmutated, {failed} fails: {folder}/log')
        where = Path(f'{folder}/data{self.bench.folder}')
        if not where.exists():
            return {}
        for notes in self.bench.folder.glob('*.gcno'):
            shutil.copy(notes, where)
        counts = subprocess.run(
            ['gcov', '--json-format', '--stdout', *map(str, sorted(where.glob('*.gcda')))],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        path = {flat(f): str(f) for f in self.files}
        places = {flat(f): places_of_code(f.read_text()) for f in self.files}
        return {
            path[name]: sorted({places[name][n['line_number']] for n in f['lines'] if n['count']})
            for part in counts.splitlines()
            for f in json.loads(part)['files']
            if (name := Path(f['file']).name) in path
        }

    def of(self, m):
        return set().union(*(self.suites[m.file, self.places[m.file][n]] for n in range(m.first, m.last + 1)))


class Run:
    def __init__(self, args):
        self.args = args
        self.lock = threading.Lock()
        self.local = threading.local()
        self.benches = 0
        self.killers = defaultdict(Counter)  # file -> suites that killed its mutants
        self.original = {}

    def bench(self):
        if not hasattr(self.local, 'bench'):
            with self.lock:
                self.benches += 1
                self.local.bench = Bench(self.args, Path(self.args.out) / f'worker{self.benches}')
        return self.local.bench

    def prepare(self):
        self.coverage = Coverage(self.args)
        b = self.bench()
        for f in self.args.files:
            self.original[str(f)] = b.compile(f.read_bytes(), f).read_bytes()

    def stages(self, m):
        """Suites that execute the mutant: first those that killed others of its file, the slow ones last."""
        reach = self.coverage.of(m)
        first = [s for s, _ in self.killers[m.file].most_common() if s in reach][:5]
        out = [first, sorted(reach - set(first)), SLOW if self.args.slow else []]
        return [s for s in out if s]

    def judge(self, m):
        b = self.bench()
        source = Path(m.file).read_bytes()
        obj = b.compile(source[: m.begin] + m.text.encode() + source[m.end :], m.file)
        if not obj:
            return 'invalid'
        if obj.read_bytes() == self.original[m.file]:
            return 'equal'
        stages = self.stages(m)
        if stages:
            b.link({m.file: obj})
        for suites in stages:
            killer = b.run(suites)
            if killer:
                with self.lock:
                    self.killers[m.file].update([killer.split('/')[0]] if '/' in killer else [])
                return killer
        return 'survived' if stages else 'not run'


def draw(candidates, seed):
    """The mutants in the order of trial: by a hash, so that an edit of the source keeps the order of the others.  The first one of each file comes
    first, then the second one, so that every file is covered."""

    def place(m):
        return hashlib.sha256(' '.join((str(seed), *m.key)).encode()).digest(), m.begin

    drawn = Counter()

    def turn(m):
        drawn[m.file] += 1
        return min(drawn[m.file], OF_EACH + 1)

    return sorted(sorted(candidates, key=place), key=turn)


def judged(run, order, count, jobs, last):
    """(mutant, verdict) in the order drawn, until `count` were killed or survived.  `last`: verdicts of the run before; one that was killed then is
    not tried again."""

    def verdict_of(m):
        known = last.get(m.key, ALIVE[0])
        return run.judge(m) if known in ALIVE else known

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting, rest, n = [], iter(order), 0
        while n < count:
            while len(waiting) < jobs and (m := next(rest, None)):
                waiting.append((m, pool.submit(verdict_of, m)))
            if not waiting:
                return
            m, future = waiting.pop(0)
            verdict = future.result()
            n += verdict not in NO_MUTANT
            yield m, verdict


def read_reasons(candidates, files):
    """Place of a mutant -> reason, and a report line for each comment that has no mutant, or no reason."""
    found = {place: reason for f in files for place, reason in mutants.reasons(f).items()}
    on_line = defaultdict(list)
    for m in candidates:
        on_line[m.file, m.line].append(m.operator)
    return found, [
        f'{file}:{line}: mutant: {name}: found {"no such mutant on this line" if reason else "no reason"}, expected a reason after one of '
        f'{"; ".join(on_line[file, line]) or "none"}'
        for (file, line, name), reason in found.items()
        if not reason or name not in on_line[file, line]
    ]


def show(m):
    cut = m.new if m.new != mutants.DELETED else '(left out)'
    return f'{m.file}:{m.line}: {m.operator}: {m.function}: {m.old}  ->  {cut}'


def table(results, files):
    """A row per file, and their sum; texts that are no mutants are counted separately."""
    rows = {str(f).removeprefix('cmodel/system/'): Counter() for f in files} | {'together': Counter()}
    for m, v in results:
        kind = v if v in (*ALIVE, *NO_MUTANT, 'timeout') else 'killed'
        for name in (m.file.removeprefix('cmodel/system/'), 'together'):
            rows[name][kind] += 1
    lines = ['| file | mutants | killed | timeout | survived | not run | no mutant |', '| --- |' + ' ---: |' * 6]
    for name in sorted(rows, key=lambda n: (n == 'together', n)):
        c = rows[name]
        counted = [c['killed'], c['timeout'], c['survived'], c['not run']]
        lines.append(
            ' | '.join(['| ' + name, str(sum(counted)), *map(str, counted), f'{sum(c[k] for k in NO_MUTANT)} |'])
        )
    return '\n'.join([*lines, ''])


def report(results, files, listed, stale):
    """False if a survivor has no reason, or a comment has no mutant or a killed one."""
    survived = [m for m, v in results if v in ALIVE]
    unknown = sorted((m for m in survived if m.place not in listed), key=lambda m: (m.file, m.begin))
    dead = [m for m, v in results if m.place in listed and v not in (*ALIVE, 'equal')]
    print(table(results, files), end='')
    for m in unknown:
        print(f'SURVIVED {show(m)}')
    for m in dead:
        print(f'REASON BUT KILLED {show(m)}')
    for text in stale:
        print(f'REASON WITHOUT MUTANT {text}')
    print(
        f'{len(survived)} survived, of them {len(survived) - len(unknown)} with a reason; '
        f'{len(dead) + len(stale)} comments do not hold'
    )
    return not unknown and not dead and not stale


def arguments():
    a = argparse.ArgumentParser()
    a.add_argument('files', nargs='*', type=Path, help='all of the system, if none is given')
    a.add_argument('--count', type=int, default=COUNT)
    a.add_argument('--seed', type=int, default=SEED)
    a.add_argument('--jobs', type=int, default=2)
    a.add_argument('--slow', action='store_true')
    a.add_argument(
        '--again', action='store_true', help='try only those that survived the last run; the others keep its verdicts'
    )
    a.add_argument('--function', default='', help='mutants of this function only')
    a.add_argument('--update', action='store_true', help='write the table of README.md')
    a.add_argument('--stale', action='store_true', help='only check the comments against the text')
    a.add_argument('--flags', type=shlex.split, required=True)
    a.add_argument('--ldflags', type=shlex.split, default=[])
    a.add_argument('--libs', type=shlex.split, default=[])
    a.add_argument('--objects', type=shlex.split, required=True)
    a.add_argument('--objects-root', required=True)
    a.add_argument('--out', default='build/mutate')
    return a.parse_args()


def candidates_of(args):
    """The mutants of all files.  Those of a text are kept, as clang takes longest to read all headers anew for each."""
    include = [f for f in args.flags if f.startswith(('-I', '-D', '-std'))]
    rest = f'{include} {digest_of_code()} {Path(mutants.__file__).read_text()}'

    def of(file):
        key = hashlib.sha256(f'{rest} {file} {file.read_text()}'.encode()).hexdigest()
        kept = Path(args.out) / 'candidates' / f'{flat(file)}.json'
        if kept.exists() and (known := json.loads(kept.read_text()))['key'] == key:
            return [mutants.Mutant(*m) for m in known['mutants']]
        found = mutants.of_file(file, [], include)
        kept.parent.mkdir(parents=True, exist_ok=True)
        write(kept, {'key': key, 'mutants': found})
        return found

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        return [m for found in pool.map(of, args.files) for m in found]


def write(path, value):
    """Whole or not at all."""
    new = path.with_name(f'{path.name}.new')
    new.write_text(json.dumps(value))
    new.rename(path)


def digest_of_code():
    """Of the model without its comments: a reason that is written does not change it."""
    found = hashlib.sha256()
    for p in sorted(p for p in Path('cmodel').rglob('*') if p.suffix in ('.c', '.h', '.def', '.ini')):
        found.update(f'{p} {" ".join(COMMENT.sub("", p.read_text()).split())}'.encode())
    return found.hexdigest()


def read_verdicts(path, code):
    """Verdicts of the last run, which must have been of this code."""
    kept = json.loads(path.read_text()) if path.exists() else {'code': ''}
    if kept['code'] != code:
        sys.exit(
            f'mutate-system: AGAIN: {path}: found {"no run" if not path.exists() else "a run of other code"}, '
            'expected one of this code (tests and comments may differ)'
        )
    return {tuple(key): verdict for key, verdict in kept['verdicts']}


def main():
    args = arguments()
    whole = not args.files
    args.files = args.files or [
        p for depth in ('*.c', '*/*.c', '*/*/*.c') for p in sorted(Path('cmodel/system').glob(depth))
    ]
    started = time.monotonic()
    missing = [f for f in args.files if not f.is_file()]
    if missing:
        sys.exit(f'mutate-system: FILES: found {missing[0]}, expected C files of cmodel/system')
    if args.count < 1 or args.jobs < 1:
        sys.exit(f'mutate-system: COUNT and JOBS: found {args.count} and {args.jobs}, expected at least 1')
    if args.stale:
        args.files = [f for f in args.files if mutants.REASON.search(f.read_text())]
    candidates = candidates_of(args)
    listed, stale = read_reasons(candidates, args.files)
    if args.stale:
        for text in stale:
            print(f'REASON WITHOUT MUTANT {text}')
        print(
            f'mutate-system: {len(listed)} reasons, {len(stale)} of them without a mutant; {len(candidates)} mutants in {len(args.files)} files'
        )
        return 1 if stale else 0
    if args.function:
        candidates = [m for m in candidates if m.function == args.function]
    state, code = Path(args.out) / 'verdicts.json', digest_of_code()
    last = read_verdicts(state, code) if args.again else {}
    run = Run(args)
    run.prepare()
    results = []
    for m, verdict in judged(run, draw(candidates, args.seed), args.count, args.jobs, last):
        results.append((m, verdict))
        write(state, {'code': code, 'verdicts': [(m.key, v) for m, v in results]})
        print(f'  {len(results):4d}  {verdict:24s} {show(m)}', file=sys.stderr, flush=True)
    print(
        f'mutate-system: seed {args.seed}, {len(candidates)} mutants to draw from, {time.monotonic() - started:.0f} s'
    )
    ok = report(results, args.files, listed, stale)
    if whole and not args.function and (args.count, args.seed) == (COUNT, SEED):
        marked.keep('mutate-system', README, table(results, args.files), args.update)
    return 0 if ok else 1


if __name__ == '__main__':
    sys.exit(main())
