# SPDX-License-Identifier: Apache-2.0
"""The manifest of a block, rtl/<b>/<b>.toml, and its one reader.

[rules]     "SampledSets <= Sets" = "why": a rule between parameters, beside their ranges, as the RTL's MT_PARAM_CHECKs have it; + - * // % << >>,
            comparisons, and, or, not, min(), max(), log2() rounded up, power_of_two().  params.py checks them before anything is built
[sets]      name = "Parameter=value ...": parameter sets; a parameter that is not named has the default of <b>.h; the first set is small, since
            QUICK=1 and xprop-selftest run it alone
[captures]  set = "UNIT option ...": `memtwin run option ... --capture UNIT=file` records traffic for that set
[machine]   sets: those that occur in the machine.  For `make machine`: command (run, cke), workloads (a text for each run), options, cases
            (a text, or name:text); with: other blocks that run as RTL beside it, or in: the block whose runs are its own, too;
            ticked: whether the RTL runs with every cycle ticked as well (true); replay: "SET UNIT option ...", captured there, then in lockstep
[bugs]      name = {file, at, old, new}: `old`, which stands in the file once, becomes `new`; `at` is a set, or "Parameter=value ...".  Lockstep and
            the prover must both find it, unless only = "lockstep" or "prove", and then why = "..." says why
[prove]     quick, deep: lists of "Parameter=value,value ..."; every combination is one proof
            mutate: "Parameter=value ...", the size at which mutants are drawn; without it, the first of quick
[formal]    runs: list of "METHOD STEPS [PART] [Parameter=value ...]"; untried: list of "p_NAME ...: reason": no short trace meets their conditions
[synth]     quick, sets, fpga: lists of sets; clock_mhz; arrays: name = "set or Parameter=value ..."

usage: python3 -B -m cosim.manifest bugs TOOL [--few] [block or bug ...]   prints a line `block|bug|set|variable of make` for each bug that TOOL (lockstep, prove)
                                                 tries; --few: one of each side of each block, and those that no other tool tries
       manifest.py plant BLOCK BUG TREE           puts the bug into a copy of the tree
       manifest.py sets BLOCK                     prints the names of its parameter sets; params BLOCK SET: a set, a parameter a line"""
from collections.abc import Collection, Iterable, Iterator
import ast
import difflib
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ('lockstep', 'prove')
METHODS = ('bmc', 'induction', 'compose')
KEYS: dict[str, dict[str, type]] = {  # section -> key -> type of its value; * is any name
    'sets': {'*': str},
    'rules': {'*': str},
    'captures': {'*': str},
    'bugs': {'*': dict},
    'prove': {'quick': list, 'deep': list, 'mutate': str},
    'formal': {'runs': list, 'untried': list},
    'machine': {
        'sets': list,
        'command': str,
        'workloads': list,
        'options': str,
        'cases': list,
        'with': list,
        'in': str,
        'ticked': bool,
        'replay': list,
    },
    'synth': {'quick': list, 'sets': list, 'fpga': list, 'clock_mhz': int, 'arrays': dict},
}
BUG_KEYS = ('file', 'at', 'old', 'new', 'only', 'why')
WORDS = {str: 'a text', list: 'a list', dict: 'a table', bool: 'true or false', int: 'a whole number'}


Params = dict[str, int]  # of one size
Limits = dict[str, tuple[int, int, int]]  # name -> (default, minimum, maximum)


class ParamError(Exception):
    """Input that is refused, in one line: place, found value, expected value."""


def nearest(name: str, names: Iterable[str]) -> str:
    found = difflib.get_close_matches(name, names, 1, 0.5)
    return f'; the nearest is {found[0]}' if found else ''


def one_of(name: str, names: Collection[str], where: str) -> None:
    if name not in names:
        raise ParamError(f'{where}: found "{name}", expected one of {", ".join(names)}{nearest(name, names)}')


@dataclass
class Bug:
    """One line of a block's RTL or twin that is wrong on purpose."""

    block: str
    name: str
    file: str
    at: str
    old: str
    new: str
    only: str = ''
    why: str = ''
    where: str = ''

    def tried_by(self, tool: str) -> bool:
        return self.only in ('', tool)


@dataclass
class Rule:
    """A rule between parameters."""

    text: str
    why: str
    where: str
    tree: ast.expr


class Manifest:
    def __init__(self, path: Path) -> None:
        self.path, self.name = Path(path), Path(path).stem
        try:
            self.text = self.path.read_text()
            self.table = tomllib.loads(self.text)
        except (OSError, UnicodeDecodeError) as e:
            raise ParamError(f'{self.shown_path()}: {getattr(e, "strerror", e)}') from None
        except tomllib.TOMLDecodeError as e:
            raise ParamError(f'{self.shown_path()}: {e}, expected TOML') from None
        self.places = self.lines()
        self.check_keys()
        self.rules = [self.rule(text, why) for text, why in self.table.get('rules', {}).items()]
        self.sets = {n: self.params(text, 'sets', n) for n, text in self.table['sets'].items()}
        self.captures = {n: text.split() for n, text in self.table.get('captures', {}).items()}
        self.machine, self.synth = self.table.get('machine', {}), self.table.get('synth', {})
        self.bugs = [self.bug(n, fields) for n, fields in self.table.get('bugs', {}).items()]
        self.check_names()

    def shown_path(self) -> Path:
        return self.path.relative_to(ROOT) if self.path.is_relative_to(ROOT) else self.path

    def lines(self) -> dict[tuple[str, str], int]:
        """(section, key): the line of its first key of that name; (section, ''): its header."""
        here = ''
        found: dict[tuple[str, str], int] = {}
        for k, text in enumerate(self.text.splitlines(), 1):
            header, key = re.match(r'\[+([\w.]+)\]', text), re.match(
                r'(?:"(?P<quoted>[^"]+)"|(?P<bare>[^"=]+?)) *=', text
            )
            if header:
                here = header[1]
                found[here, ''] = k
            elif key:
                found.setdefault((here, key['quoted'] or key['bare']), k)
        return found

    def where(self, section: str, key: str = '', value: str = '') -> str:
        """file:line: section.key, of a key or of the value in its list."""
        line = self.places.get((section, key)) or self.places.get((section, '')) or 1
        if value:
            rest = self.text.splitlines()[line - 1 :]
            line += next((k for k, text in enumerate(rest) if value in text), 0)
        return f'{self.shown_path()}:{line}: {section}{"." + key if key else ""}'

    def check_keys(self) -> None:
        for section, keys in self.table.items():
            one_of(section, KEYS, self.where(section))
            if not isinstance(keys, dict):
                raise ParamError(f'{self.where(section)}: found a value, expected a section [{section}]')
            known = KEYS[section]
            for key, value in keys.items():
                if '*' not in known:
                    one_of(key, known, self.where(section, key))
                kind = known.get(key) or known['*']
                if not isinstance(value, kind):
                    raise ParamError(f'{self.where(section, key)}: found {value!r}, expected {WORDS[kind]}')
                for element in value if isinstance(value, list) else []:
                    if not isinstance(element, str):
                        raise ParamError(f'{self.where(section, key)}: found {element!r} in the list, expected a text')
        if not self.table.get('sets'):
            raise ParamError(f'{self.where("sets")}: found no parameter set, expected name = "Parameter=value ..."')

    def params(self, text: str, section: str, key: str) -> dict[str, int]:
        """Key=Value words; whether the block has these parameters is for params.py."""
        found = {}
        for word in text.split():
            m = re.fullmatch(r'(\w+)=(\d+)', word)
            if not m or m[1] in found:
                raise ParamError(
                    f'{self.where(section, key)}: found "{word}"{" again" if m else ""}, expected Parameter=value ...'
                )
            found[m[1]] = int(m[2])
        return found

    def rule(self, text: str, why: str) -> Rule:
        where = self.where('rules', text)
        try:
            return Rule(text, why, where, ast.parse(text, mode='eval').body)
        except SyntaxError as e:
            raise ParamError(f'{where}: {e.msg}, expected an expression over parameters') from None

    def bug(self, name: str, fields: dict[str, str]) -> Bug:
        where = self.where('bugs', name)
        for key, value in fields.items():
            one_of(key, BUG_KEYS, where)
            if not isinstance(value, str):
                raise ParamError(f'{where}.{key}: found {value!r}, expected a text')
        missing = [k for k in BUG_KEYS[:4] if k not in fields]
        if missing:
            raise ParamError(f'{where}: found no {missing[0]}, expected {", ".join(BUG_KEYS[:4])}')
        if 'only' in fields:
            one_of(fields['only'], TOOLS, f'{where}.only')
        if ('only' in fields) != bool(fields.get('why')):
            raise ParamError(
                f'{where}: found {"only" if "only" in fields else "why"} alone, expected only = "{TOOLS[0]}" or "{TOOLS[1]}", and why'
            )
        if '=' in fields['at'] or not fields['at']:
            self.params(fields['at'], 'bugs', name)
        else:
            one_of(fields['at'], self.sets, f'{where}.at')
        return Bug(self.name, name, **fields, where=where)

    def check_names(self) -> None:
        for name in self.captures:
            one_of(name, self.sets, self.where('captures', name))
        for section, key in (('machine', 'sets'), ('synth', 'quick'), ('synth', 'sets'), ('synth', 'fpga')):
            for name in self.table.get(section, {}).get(key, []):
                one_of(name, self.sets, self.where(section, key, name))
        for name, text in self.synth.get('arrays', {}).items():
            if text not in self.sets:
                self.params(text, 'synth.arrays', name)
        for run in self.table.get('formal', {}).get('runs', []):
            words = run.split()
            if len(words) < 2 or words[0] not in METHODS or not words[1].isdigit():
                raise ParamError(
                    f'{self.where("formal", "runs", run)}: found "{run}", expected one of {", ".join(METHODS)}, then a number of steps'
                )

    def untried(self) -> dict[str, str]:
        """Properties whose conditions no short trace meets, with the reason."""
        lines = [text.partition(': ') for text in self.table.get('formal', {}).get('untried', [])]
        return {name: reason for names, _, reason in lines for name in names.split()}

    def runs(self) -> Iterator[tuple[str, str, int, str, list[str]]]:
        """(where, method, steps, block, words of parameters) of each run of `make formal`; the block is this one, or a part of it."""
        for run in self.table.get('formal', {}).get('runs', []):
            method, steps, *words = run.split()
            part = [w for w in words[:1] if '=' not in w]
            yield self.where('formal', 'runs', run), method, int(steps), part[0] if part else self.name, words[
                len(part) :
            ]

    def sizes(self, deep: bool) -> Iterator[tuple[str, str]]:
        """(where, "Parameter=value,value ...") of each line to prove."""
        for tier in ('quick', 'deep') if deep else ('quick',):
            for line in self.table.get('prove', {}).get(tier, []):
                yield self.where('prove', tier, line), line

    def at(self, bug: Bug) -> dict[str, int]:
        """The parameters of a bug."""
        return self.sets[bug.at] if bug.at in self.sets else self.params(bug.at, 'bugs', bug.name)


def module(name: str) -> str:
    """The module of a block.  Every module of rtl/ has the prefix, so that its name is free in the design that instantiates it."""
    return f'mt_{name}'


def rtl_of(block: str) -> str:
    """The file of a block's module, from the root of the tree."""
    return f'rtl/{block}/{module(block)}.sv'


def path_of(block: str, root: Path = ROOT) -> Path:
    return root / f'rtl/{block}/{block}.toml'


def blocks(root: Path = ROOT) -> list[str]:
    return sorted(p.stem for p in (root / 'rtl').glob('*/*.toml') if p.stem == p.parent.name)


def read(block: str, root: Path = ROOT) -> Manifest:
    return Manifest(path_of(block, root))


def planted(bug: Bug, text: str) -> str:
    """The text of its file, with the bug."""
    if text.count(bug.old) != 1:
        raise ParamError(f'{bug.where}: found {text.count(bug.old)} times in {bug.file}, expected once: {bug.old}')
    return text.replace(bug.old, bug.new)


def plant(bug: Bug, root: str | Path) -> None:
    """Puts a bug into the tree at `root`."""
    path = Path(root) / bug.file
    path.write_text(planted(bug, path.read_text() if path.exists() else ''))


def wanted(tool: str, names: list[str]) -> list[Bug]:
    """The bugs that `tool` tries, all or those of these names or blocks; an unknown name is refused."""
    found = [b for block in blocks() for b in read(block).bugs if b.tried_by(tool)]
    for name in names:
        one_of(name, [*blocks(), *(b.name for b in found)], f'BUGS of {tool}')
    return [b for b in found if not names or b.name in names or b.block in names]


def few(bugs: list[Bug]) -> Iterator[Bug]:
    """The first one of each side of each block, and those that no other tool tries."""
    seen = set()
    for b in bugs:
        side = b.block, b.file.split('/')[0]
        if b.only or side not in seen:
            yield b
        seen.add(side)


def main() -> int:
    what, *args = sys.argv[1:]
    try:
        if what == 'plant':
            plant(next(b for b in read(args[0]).bugs if b.name == args[1]), args[2])
        elif what == 'params':
            print('\n'.join(f'{n}={v}' for n, v in read(args[0]).sets[args[1]].items()))
        elif what == 'sets':
            print('\n'.join(read(args[0]).sets))
        else:
            from cosim import params

            bugs = wanted(args[0], [a for a in args[1:] if a != '--few'])
            for b in few(bugs) if '--few' in args else bugs:
                own = b.at in read(b.block).sets
                print(
                    f'{b.block}|{b.name}|{b.at if own else params.custom(read(b.block).at(b))}|{"SET" if own else "PARAMS"}={b.at}'
                )
    except ParamError as e:
        print(e, file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
