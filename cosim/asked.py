# SPDX-License-Identifier: Apache-2.0
"""Checks the variables and goals of make's command line.  Refused before anything is built: a variable that no makefile reads, a selection
that the help text of a goal does not name, and a value that no goal can use, including the empty one."""
import difflib
import fnmatch
import re
import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path

from cosim import manifest
from cosim.manifest import nearest

LEAST = {
    'JOBS': 1,
    'SEED': 0,
    'SEEDS': 1,
    'CYCLES': 0,
    'COUNT': 1,
    'RUNS': 0,
    'DEEP_RUNS': 0,
    'SECONDS': 1,
    'TIMEOUT': 1,
    'TOGGLE_CYCLES': 1,
    'VERIFY': 0,
    'DEPTH': 1,
    'NODE': 1,
}
CHOOSE = {  # each goal of a call reads these; one goal of the call reads any other variable of the help texts
    'BLOCK',
    'SET',
    'SEEDS',
    'JUNIT',
    'JSON',
    'PARAMS',
    'SIZES',
    'VEC',
    'SCENARIO',
    'BUGS',
    'TEST',
    'NAME',
    'CLOCK_MHZ',
    'PLATFORM',
    'FPGA',
    'SWEEP',
    'OUT',
    'DENSITY',
    'ASPECT',
    'CLOCK',
    'RTL',
    'TOP',
    'RELATION',
    'DEPTH',
    'EXECUTOR',
    'CHUNK_SECONDS',
    'SETUP',
    'OF',
    'MODE',
    'ENGINE',
    'CAPTURE_RUN',
    'ENERGY_RUN',
    'TOGGLE_SETS',
    'COUNT',
    'RUNS',
    'SIZE',
    'ONLY',
    'PAPER',
}
FLAGS = (
    'QUICK',
    'UPDATE',
    'KEEP',
    'CHECK',
    'AGAIN',
    'SLOW',
    'STALE',
    'CROSS',
    'DEEP',
    'EVERY',
    'STATUS',
    'ALL',
    'DEBS',
    'RUN_ONLY',
)
WORDS = {
    **{flag: ('1',) for flag in FLAGS},
    'WAVES': ('0', '1'),
    'KEPT': ('0', '1'),
    'STATE': ('0',),
    'SETUP': ('no',),
    'MODE': ('cross', 'rtl', 'model'),
    'ENGINE': ('cadical', 'z3'),
    'EXECUTOR': ('local', 'slurm'),
    'SIZE': ('tiny', 'reduced', 'full'),
    'CLOCK': ('tree', 'ideal'),
}
PLACES = {
    'VEC': 'a file',
    'ACCELSIM': 'a file',
    'PROGRAM': 'a file',
    'STUDIES': 'a folder',
    'SILICON': 'a folder',
    'STOCK': 'a folder',
    'LIBERTY': 'a file',
    'FILES': 'a file',
}
SEVERAL = ('LIBERTY', 'FILES')  # several of these are legal
SHAPES = {  # the form of a value as a regular expression, and in words.  Whether a block has such a parameter is checked by the tool
    'SIZES': (r'\s*((\d+|\w+=\d+(,\d+)*)\s*)+', 'numbers, or Parameter=value,value ...'),
    'PARAMS': (r'\s*\S.*', 'Parameter=value ...'),
    'ARGS': (r'\s*\S.*', 'Parameter=value ...'),
    'RTL': (r'.+', 'a folder, a file list or a file'),
    'RELATION': (r'.+', 'a file'),
    'SWEEP': (r'\s*\S.*', 'Parameter=value,value ...'),
    'PART': (r'[1-9]\d*/[1-9]\d*', 'k/N'),
    'TOP': (r'[A-Za-z_][\w$]*', 'the name of a module'),
    'OUT': (r'.+', 'where to write'),
    'JUNIT': (r'.+\.xml', 'a file NAME.xml, which is written'),
    'JSON': (r'.+\.json', 'a file NAME.json, which is written'),
    'PREFIX': (r'/.*', 'an absolute path'),
    'DESTDIR': (r'(/.*)?', 'an absolute path'),
    'CLOCK_MHZ': (r'(?=.*[1-9])\d{1,6}(\.\d{1,6})?', 'a frequency in MHz above 0, such as 500 or 62.5'),
    'DENSITY': (r'0\.(3|4|5|6|7|8|9)\d{0,5}', 'a part of the core from 0.3 to below 1, such as 0.75'),
    'ASPECT': (r'[1-3](\.\d{1,6})?|4|0\.(2[5-9]|[3-9]\d?)\d{0,4}', 'height by width of the core, from 0.25 to 4'),
    'CHUNK_SECONDS': (r'(?=.*[1-9])\d{1,9}(\.\d{1,6})?', 'seconds above 0'),
    'GB': (r'(?=.*[1-9])\d{1,3}(\.\d{1,6})?', 'gigabytes above 0'),
    'BLOCK': (r'\s*\S.*', 'a block'),
    'SET': (r'\s*\S.*', 'a parameter set'),
}


def helped(text: str) -> dict[str, str]:
    """target -> its text"""
    return dict(re.findall(r'^([a-z-]+):.*?## ((?:use|verify|measure|develop): .*)$', text, re.M))


def scenarios(values: dict[str, str]) -> set[str]:
    """Scenario names of the selected blocks, from their files and the files these include."""
    blocks = values.get('BLOCK', '*').split()
    texts = [p.read_text() for b in blocks for p in Path('cosim/blocks').glob(f'{b}/scenarios.cpp')]
    texts += [
        (Path('cosim') / name).read_text()
        for name in {n for t in texts for n in re.findall(r'^#include "(blocks/[\w.]+)"', t, re.M)}
    ]
    return {n for text in texts for n in re.findall(r'^SCENARIO\(\s*(\w+)', text, re.M)}


def bugs(goals: list[str]) -> set[str]:
    """Blocks, and the planted bugs, that these goals run."""
    tools = [tool for goal, tool in (('cosim-selftest', 'lockstep'), ('prove-selftest', 'prove')) if goal in goals]
    return {
        b.name for name in manifest.blocks() for b in manifest.read(name).bugs if all(b.tried_by(t) for t in tools)
    } | set(manifest.blocks())


def studies(values: dict[str, str]) -> set[str]:
    return {p.stem for p in Path(values.get('STUDIES', 'studies')).glob('*.toml')} | {'all'}


def correlated(key: str) -> set[str]:
    return set(tomllib.loads(Path('scripts/correlate/correlate.toml').read_text())[key])


def families() -> set[str]:
    return set(re.findall(r"^    '(\w+)': Family", Path('synth/fpga.py').read_text(), re.M))


def platforms() -> set[str]:
    return set(
        re.findall(
            r"'([\w-]+)': '[np]s'",
            ''.join(re.findall(r'^PLATFORMS = {(.*?)}', Path('synth/handoff.py').read_text(), re.M | re.S)),
        )
    )


def papers() -> set[str]:
    return set(
        re.findall(
            r"'(\w+)': '\w+'",
            ''.join(re.findall(r'^STUDIES = {(.*?)}', Path('scripts/artifact/reproduce.py').read_text(), re.M | re.S)),
        )
    )


def kernels() -> set[str]:
    return {p.stem for p in Path('traces/kernels').glob('*.c')}


def selftests() -> set[str]:
    text = '\n'.join(p.read_text() for p in Path().glob('[a-z]*/*.mk'))
    return {t.removesuffix('-selftest') for t in helped(text) if t.endswith('-selftest')}


def functions() -> set[str]:
    return {
        n
        for p in Path('cmodel/system').rglob('*.c')
        for n in re.findall(r'^[a-z][\w *]*?\b(\w+)\(', p.read_text(), re.M)
    }


NAMES = {
    'SCENARIO': lambda goals, values: scenarios(values),
    'BUGS': lambda goals, values: bugs(goals),
    'NAME': lambda goals, values: studies(values),
    'PRESETS': lambda goals, values: correlated('machines'),
    'WORKLOADS': lambda goals, values: correlated('workloads'),
    'FPGA': lambda goals, values: families(),
    'PLATFORM': lambda goals, values: platforms(),
    'TOGGLE_SETS': lambda goals, values: set(manifest.read('dl_mshr').sets),
    'FUNCTION': lambda goals, values: functions(),
    'PAPER': lambda goals, values: papers(),
    'OF': lambda goals, values: selftests(),
}
LISTS = ('BUGS', 'OF', 'ONLY', 'PAPER', 'PRESETS', 'WORKLOADS', 'FPGA', 'TOGGLE_SETS')  # names with blanks between


HOSTILE = re.compile(r"['\"$\\\\`#%*?;&|<>\n\t]|^-")  # to a shell, to make, or to a tool that takes it for an option
FILES = (
    *PLACES,
    'RELATION',
    'OUT',
    'JUNIT',
    'JSON',
    'DESTDIR',
)  # RTL and PREFIX are checked by their readers, which allow less


def hostile(name: str, value: str) -> Iterator[str]:
    """A path that some recipe would split or expand.  Blanks are legal where the recipe quotes the path."""
    blank = name in ('VEC', 'PROGRAM') and re.search(r'\s', value.strip() or value)
    if name in FILES and (HOSTILE.search(value) or blank):
        yield f'{name}: found "{value}", expected a path without {"blanks, " if blank else ""}quotes, other characters of the shell and a leading dash (./-name)'


def tree(folder: str, what: str) -> Iterator[str]:
    """The tree itself, or B=: makefiles and tools pass its path on."""
    if re.search(r'[^\w./+@,=~-]', folder):
        yield f'{what}: found {folder}, a path with blanks or characters of the shell: expected letters, digits and . / + @ , = ~ _ -'


def number(name: str, value: str) -> Iterator[str]:
    if not re.fullmatch(r'0|[1-9][0-9]{0,17}', value) or int(value) < LEAST[name]:
        yield f'{name}: found "{value}", expected a whole number from {LEAST[name]} on'


def names(name: str, value: str, known: Collection[str]) -> Iterator[str]:
    words = value.split() if name in LISTS else [value]
    for word in words or ['']:
        if word not in known:
            expected = (
                f'one of {len(known)} names'
                if len(known) > 60
                else f'one of {", ".join(sorted(known))}'
                if len(known) > 1
                else f'{min(known)}, or no {name}='
            )
            yield f'{name}: found "{word}", expected {expected}{nearest(word, known) if len(known) > 1 else ""}'


def places(name: str, value: str) -> Iterator[str]:
    for word in (value.split() if name in SEVERAL else [value]) or ['']:
        path = Path(word)
        if not word or not (path.is_dir() if PLACES[name] == 'a folder' else path.is_file()):
            yield f'{name}={word}: No such file or folder, expected {PLACES[name]}'


def pattern(value: str) -> Iterator[str]:
    """TEST: a part of suite/name, with Criterion's * and ?."""
    found = [
        f'{suite}/{test}'
        for p in Path('tests').glob('*/*.c')
        for suite, test in re.findall(r'^Test\((\w+), *(\w+)', p.read_text(), re.M)
    ]
    if not value or (re.fullmatch(r'[\w/*?]*', value) and not fnmatch.filter(found, f'*{value}*')):
        yield f'TEST: found "{value}", which names none of {len(found)} tests, expected a part of suite/name, such as {found[0]}'


def keys(value: str) -> Iterator[str]:
    try:
        re.compile(value)
    except re.error as e:
        yield f'KEYS: found "{value}": {e}, expected a regular expression of names of options'
    if not value:
        yield 'KEYS: found "", expected a regular expression of names of options'


def workloads(name: str, words: list[str]) -> Iterator[str]:
    """The kernel names; memtwin checks the sizes of the workloads."""
    for word in words or ['']:
        stem = word.split(':')[0]
        if not word or (not Path(stem).exists() and stem not in kernels()):
            yield f'{name}: found "{stem}", expected a kernel of traces/kernels or a trace{nearest(stem, kernels())}'


def measured() -> set[str]:
    """Tests and programs that GPUs measured: the first word of a row."""
    rows = [line for p in Path('scripts/silicon/kept').glob('*.csv') for line in p.read_text().splitlines()]
    return {m[1] for row in rows if (m := re.match(r'"?(\w+)', row))} - {'test', 'workload'}


def only(goals: list[str], values: dict[str, str]) -> Iterator[str]:
    """ONLY of measured rows, and of studies: workload names of the study, or of any study if none is named."""
    if 'silicon' in goals:
        yield from names('ONLY', values['ONLY'], measured())
        return
    name = 'run' if 'run' in goals else 'dl_mshr' if 'compare' in goals else values.get('NAME', 'all')
    found = Path(values.get('STUDIES', 'studies')).glob('*.toml' if name == 'all' else f'{name}.toml')
    listed = {w for path in found for w in tomllib.loads(path.read_text()).get('workloads', {})}
    yield from names('ONLY', values['ONLY'], listed)


def wrong_value(goals: list[str], name: str, value: str, values: dict[str, str]) -> Iterator[str]:
    if name == 'SEEDS' and 'VEC' in values:
        yield f'SEEDS: found "{value}" and VEC=, whose stimulus has no seed: expected one of the two'
    elif name == 'UPDATE' and 'RTL' in values and 'coverage' in goals:
        yield f'UPDATE: found "{value}" and RTL=, but the table is of the blocks: expected one of the two'
    elif name in LEAST:
        yield from number(name, value)
    elif name in WORDS:
        yield from names(name, value, WORDS[name])
    elif name in NAMES:
        yield from names(name, value, NAMES[name](goals, values))
    elif name in PLACES:
        yield from places(name, value)
    elif name == 'TEST':
        yield from pattern(value)
    elif name == 'KEYS':
        yield from keys(value)
    elif name == 'ONLY' and 'config-fuzz' in goals:
        yield from (
            f'ONLY: found "{value}", expected the number of a trial' for _ in [0] if not re.fullmatch(r'\d{1,9}', value)
        )
    elif name == 'ONLY':
        yield from only(goals, values)
    elif name == 'CAPTURE_RUN':
        yield from workloads(name, value.split())
    elif name == 'ENERGY_RUN':  # a workload, then options of memtwin run
        yield from workloads(name, value.split()[:1])
    elif name in SHAPES and not re.fullmatch(SHAPES[name][0], value, re.S):
        yield f'{name}: found "{value}", expected {SHAPES[name][1]}'


def seeds(name: str, text: str) -> str:
    """Why a goal with this help text reads no SEEDS=."""
    if name not in ('SEED', 'SEEDS') or '[SEED=' in text or ' SEED=' in text:
        return '; it takes one seed a call' if name == 'SEEDS' else ''
    return '; no seed changes what it tries'


def unread(goals: list[str], name: str, texts: dict[str, str]) -> Iterator[str]:
    """The goals whose help text does not name this variable, although a help text does."""
    named = {goal for goal, text in texts.items() if re.search(rf'\b{name}=', text)}
    deaf = [goal for goal in goals if goal in texts and goal not in named]
    if name in CHOOSE or (named and deaf == goals):
        for goal in deaf:
            reads = ', '.join(re.findall(r'\b[A-Z_]{2,}(?==)', texts[goal])) or 'no variable'
            yield f'{name}: given, but make {goal} does not read it; it reads {reads}{seeds(name, texts[goal])}'


def wrong(goals: list[str], values: dict[str, str], text: str, inherited: Collection[str] = ()) -> Iterator[str]:
    """`values`: the variables by name.  `inherited`: those from the environment, which some goals need not read."""
    read = set(re.findall(r'\$\((?:call said,)?(\w+)', text)) | set(
        re.findall(r'^(?:override )?(\w+) *[:?+]?=', text, re.M)
    )
    read |= {name for names_of in re.findall(r'\$\(foreach \w+,([A-Z_ ]+),', text) for name in names_of.split()}
    texts = helped(text)
    for name, value in values.items():
        if name not in read:
            near = difflib.get_close_matches(name, [r for r in read if r.isupper()], 1, 0.5)
            yield f'{name}: no makefile reads it' + (f'; the nearest is {near[0]}' if near else '')
        if name not in inherited:
            yield from unread(goals, name, texts)
        yield from hostile(name, value)
        yield from wrong_value(goals, name, value, values)
