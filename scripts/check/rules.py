# SPDX-License-Identifier: Apache-2.0
"""Project rules beyond the compilers' checks.  A rule is a function of a Tree that yields violations."""
import os
import re
from pathlib import Path

from cosim import codes, manifest, params, parts, payload, port_comments
from synth import filelists as lists_of_files

STANDARD_FOR_BLOCKS = {'<stdbool.h>', '<stddef.h>', '<stdint.h>', '<string.h>'}
GENERATED = {'block.hpp', 'rtl.hpp', 'pins.hpp'}  # by cosim/header.py
# Folder -> headers that its files may include besides those of the system; a bare name is a header of that folder.
MAY_INCLUDE = {
    'cmodel/base': ['base/', 'bare:cmodel/blocks'],
    'cmodel/blocks': ['bare:cmodel/blocks'],
    'cmodel/trace': ['base/', 'trace/'],
    'cmodel/system': ['base/', 'trace/', 'system/', 'bare:cmodel/blocks'],
    'cmodel/lib': ['base/', 'trace/', 'system/', 'lib/'],
    'cmodel/cli': ['base/', 'trace/', 'system/', 'lib/', 'cli/', 'bare:cmodel/blocks'],
    'cosim': [
        'base/',
        'blocks/',
        'system/block/rtl_set.h',
        'verilated',
        'own',
        'bare:cmodel/blocks',
        *GENERATED,
        'Vplain',
    ],
    'tb': ['base/', 'verilated', 'bare:cosim', 'bare:cmodel/blocks', 'bare:tb/systemc', 'scenarios.cpp', *GENERATED],
    'tests': ['base/', 'trace/', 'system/', 'lib/', 'cli/', 'bare:cmodel/blocks', 'own'],
    'traces': ['trace/', 'base/', 'bare:traces/kernels'],
    'examples': ['Vmshr.h'],  # the verilated block of an example
}
PRINTS = re.compile(
    r'\b(printf|puts|putchar|perror|vprintf|dprintf|exit|_exit|_Exit|quick_exit|abort|errx?|warnx?)\s*\(|'
    r'\b(stdout|stderr)\b'
)
HEAP = re.compile(r'\b(malloc|calloc|realloc|free|alloca)\s*\(')
# Written apart, so that this file does not break its own rule.
WORDS = re.compile(
    '|'.join(
        [
            r'\bTO' r'DO\b',
            r'\bFIX' r'ME\b',
            r'\bXX' r'X\b',
            r'\bfor n' r'ow\b',
            r'\bplace' r'holder',
            r'\bsimpli' r'fied\b',
            r'/wo' r'rk/',
            r'/ho' r'me/\w',
            r'/ro' r'ot/',
            r'/Us' r'ers/\w',
            r'/m' r'nt/\w',
            r'(?i:\b(cla'
            r'ude|anth'
            r'ropic|open'
            r'ai|chat'
            r'gpt|gpt-\d|copi'
            r'lot|ai assist'
            r'ant|language mo'
            r'del)\b)',
            r'(?i:\b(agent|assist' r'ant|subag' r'ent) sess' r'ions?\b|\bthis sess' r'ion\b)',
        ]
    )
)
# Phrases without a clear subject or object.  Not in the inputs of passed proofs and lockstep runs (scripts/ci/steps.py), nor in documents.
UNCLEAR = re.compile(
    '|'.join(
        [
            r'\blearnt fr' r'om\b',
            r'(?i:\bwhoe' r'ver\b)',
            r'\bbecomes? o' r'f\b',
            r'\bgo(?:es)? aro' r'und\b',
            r'\b(?:is|are|was|were|be) to' r'ld\b',
            r'\bmust te' r'll\b',
            r'\b(?:has|have|had) (?:its|their) tu' r'rn\b',
            r'\bspeaks? o' r'f\b',
            r'\bhears? o' r'f\b',
            r'\bknows? o' r'f\b',
            r'\bwho (?:as' r'ks|kno' r'ws|h' r'as)\b',
            r'\bround and rou' r'nd\b',
            r'\bnot to be h' r'ad\b',
            r'\ball runs b' r'ut\b',
            r'\bas e' r'ver\b',
            r'\bfor ev' r'er\b',
            r'\bin all of th' r'is but\b',
            r'\bwhat (?:it|they) (?:sa' r'ys?|gi' r'ves?|pri' r'nts?)\b',
            r'\bstands? in fro' r'nt of\b',
            r'(?:/\*|"""|# ?)\s*(?:Wh' r'at|Who' r'se|Wh' r'o|Of wh' r'ich|Do' r'es|D' r'id) ',
        ]
    )
)
PLAIN_IN = (
    'cmodel/base',
    'cmodel/cli',
    'cmodel/lib',
    'cmodel/system',
    'cmodel/trace',
    'examples',
    'scripts',
    'studies',
    'synth',
    'tests',
    'traces',
)
PLAIN_NAMES = re.compile(r'\.(c|h|def|py|sh|mk|toml|ini)$')
BYTES = 1 << 20
WIDTH_OF_MAKE = 150


class Tree:
    """The files that git tracks under a root, read once."""

    def __init__(self, root, names, only=()):
        self.root, self.names, self.only = Path(root), sorted(names), list(only)  # only: blocks, or none for all
        self.known, self.cache = set(names), {}

    def text(self, name):
        if name not in self.cache:
            data = (self.root / name).read_bytes()
            self.cache[name] = '' if b'\0' in data[:8000] else data.decode('utf-8', 'replace')
        return self.cache[name]

    def text_of(self, name):
        """Text of a file, or empty if it is missing."""
        return self.text(name) if self.has(name) else ''

    def lines(self, name):
        return enumerate(self.text(name).splitlines(), 1)

    def under(self, folder, *suffixes):
        return [n for n in self.names if n.startswith(folder + '/') and n.endswith(suffixes or ('',))]

    def has(self, name):
        return name in self.known

    def blocks(self):
        return sorted({n.split('/')[1] for n in self.under('rtl')} - {'lib'})


def code(line):
    """A line of C without comments and strings, as far as one line shows."""
    line = re.sub(r'"(\\.|[^"\\])*"', '""', line)
    return re.sub(r'//.*|/\*.*?(\*/|$)|^\s*\*.*', '', line)


# ---- includes
def allowed(tree, folder, name, target):
    for rule in MAY_INCLUDE[folder]:
        if rule == 'own' and '/' not in target and tree.has(f'{name.rsplit("/", 1)[0]}/{target}'):
            return True
        if rule == 'own' and any(n.startswith(folder) and n.endswith('/' + target) for n in tree.names):
            return True
        if rule.startswith('bare:') and '/' not in target and tree.has(f'{rule[5:]}/{target}'):
            return True
        if not rule.startswith('bare:') and rule != 'own' and target.startswith(rule):
            return True
    return False


def includes(tree):
    """Every file includes only what its folder may include"""
    for folder in MAY_INCLUDE:
        for name in tree.under(folder, '.c', '.h', '.cpp', '.hpp', '.def'):
            if name.startswith('tb/prove/'):  # test inputs of the prover
                continue
            for k, line in tree.lines(name):
                m = re.match(r'\s*#\s*include\s+(<[^>]+>|"[^"]+")', line)
                if not m:
                    continue
                target = m[1]
                if target[0] == '<':
                    if folder == 'cmodel/blocks' and target not in STANDARD_FOR_BLOCKS:
                        yield f'{name}:{k}: {target}: a twin may include {" ".join(sorted(STANDARD_FOR_BLOCKS))}'
                elif not allowed(tree, folder, name, target[1:-1]):
                    yield f'{name}:{k}: {target}: {folder} may not include it'
    for name in tree.under('rtl', '.sv', '.svh'):
        block = name.split('/')[1]
        for k, line in tree.lines(name):
            m = re.match(r'\s*`include\s+"([^"]+)"', line)
            if m and not tree.has(f'rtl/lib/{m[1]}') and not tree.has(f'rtl/{block}/{m[1]}'):
                yield f'{name}:{k}: "{m[1]}": rtl may include rtl/lib and its own folder'


# The parts of the machine: each may use those before it.  The last, '', are the files that put them together.
PARTS = ['config', 'stats', 'unit', 'block', 'dram', 'noc', 'uvm', 'cache', 'sm', 'energy', '']
DEFINED = re.compile(r'^(?!static\b|typedef\b)[a-z]\w* [\w *]*?(\w+)\([^;{}]*\)\s*\{', re.M)
IN_HEADER = re.compile(
    r'^static inline [^;{}#]*?(\w+)\([^;{}]*\)\s*\{\n(.*?)^\}|^# *define (\w+)((?:[^\n]*\\\n)*[^\n]*)', re.M | re.S
)
NAME = re.compile(r'(?<![\w.>])[A-Za-z]\w+')


def bare(text):
    """C without its comments and strings."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])\'', ' ', text, flags=re.S)


def part_of(name):
    """The part (folder) of a file of the machine."""
    inside = name.split('/')[2:]
    return inside[0] if inside[1:] else ''


def functions(tree):
    """{function: the .c file of the machine that defines it}"""
    return {f: n for n in tree.under('cmodel/system', '.c') for f in DEFINED.findall(bare(tree.text(n)))}


def machine_arrows(tree):
    """(file, line, name that it uses, file that has it) of every include and call from file to file of the machine."""
    owner = functions(tree)
    for name in tree.under('cmodel/system', '.c', '.h', '.def'):
        for k, line in tree.lines(name):
            m = re.match(r'\s*#\s*include\s+"(system/[^"]+)"', line)
            if m and tree.has(f'cmodel/{m[1]}'):
                yield name, k, m[1], f'cmodel/{m[1]}'
            for word in NAME.findall(code(line)) if not name.endswith('.def') else []:
                if owner.get(word, name) != name:
                    yield name, k, word, owner[word]


def header_calls(tree, owner):
    """{inline function or macro of a header: [(file that it calls, the names on the way)]}, through others, too"""
    bodies = {}
    for name in tree.under('cmodel/system', '.h'):
        for function, body, macro, text in IN_HEADER.findall(bare(tree.text(name))):
            bodies.setdefault(function or macro, set()).update(NAME.findall(body + text))

    def calls(function, path):
        for word in sorted(bodies[function] - {*path, function}):
            if word in owner:
                yield owner[word], ' '.join([*path, function, word])
            elif word in bodies:
                yield from calls(word, [*path, function])

    return {f: list(calls(f, [])) for f in bodies}


def file_calls(tree):
    """{.c file: {.c file that it calls: name of the call}}; a call in an inline function of a header counts for its caller."""
    owner, uses = functions(tree), {}
    inline = header_calls(tree, owner)
    for name in tree.under('cmodel/system', '.c'):
        for word in NAME.findall(bare(tree.text(name))):
            for target, way in [(owner[word], word)] if word in owner else inline.get(word, []):
                if target != name:
                    uses.setdefault(name, {}).setdefault(target, way)
    return uses


def circle(uses, name, path):
    """A circle of files reached by `path`, or []."""
    if name in path:
        return path[path.index(name) :]
    return next((c for other in uses.pop(name, ()) if (c := circle(uses, other, [*path, name]))), [])


def arrows(tree):
    """Parts of the machine use earlier parts only, and files have no circular calls, those by inline functions included"""
    for name, k, word, target in machine_arrows(tree):
        part, other = part_of(name), part_of(target)
        if other not in PARTS or part not in PARTS:
            yield f'{name}:{k}: {word}: found part {other if part in PARTS else part}, expected one of {" ".join(PARTS[:-1])}'
        elif PARTS.index(part) < PARTS.index(other):
            yield f'{name}:{k}: {word}: of {target}; {part} may use {" ".join(PARTS[:PARTS.index(part)]) or "no other part"}'
    calls = file_calls(tree)
    headers = {
        n: {f'cmodel/{h}': 'include' for h in re.findall(r'#\s*include\s+"(system/[^"]+\.h)"', tree.text(n))}
        for n in tree.under('cmodel/system', '.h')
    }
    for uses in (calls, headers):
        words = {(a, b): w for a, to in uses.items() for b, w in to.items()}
        while uses:
            found = circle(uses, next(iter(uses)), [])
            if found:
                steps = [f'{b} ({words[a, b]})' for a, b in zip(found, found[1:] + found[:1])]
                yield f'{found[0]}: a circle: {" -> ".join([found[0], *steps])}'


# Names that are words of C or of English, or stems of blocks with ports that a kind shares: as strings alone they count.  pair.c drives blocks of tlp.
COMMON_NAMES = set(
    'any blocks cap even fifo learner locality lru modulo ne next none np off overlap perfect prime re rp se sets sp spatial static stream te tp way xor '
    'bank_reorder cart dl_mshr mrpb mshr tlp'.split()
)
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"((?:\\.|[^"\\\n])*)"|([A-Za-z_]\w*)', re.S)


def policies(tree):
    """{name of a policy: the files that register it}"""
    found = {}
    for name in tree.under('cmodel/system', '.c'):
        text = tree.text(name)
        macros = re.findall(r'#define (\w+)\((?:[^()]*)\)[^#]*\.policy = \{#', text)
        for policy in re.findall(r'\.policy = \{\s*"(\w+)"', text) + [
            p for m in macros for p in re.findall(rf'^{m}\((\w+),', text, re.M)
        ]:
            found.setdefault(policy, set()).add(name)
    return found


def policy_names(tree):
    """No name of a policy stands in the machine outside its file, as a string, as the value in a condition, or in an identifier"""
    owners = policies(tree)
    words = {n: re.compile(rf'(?:^|_){n}(?:_|$)') for n in owners if n not in COMMON_NAMES}
    for name in tree.under('cmodel/system', '.c', '.h') + tree.under('cmodel/lib', '.c', '.h'):
        if name.startswith('cmodel/lib/gpgpusim'):  # translates the names of two simulators
            continue
        text = tree.text(name)
        for m in TOKEN.finditer(text):
            found = (
                {m[1], *re.findall(r'[=|](\w+)', m[1])} & set(owners)
                if m[1]
                else {n for n, word in words.items() if m[2] and word.search(m[2])}
            )
            own = {
                o for o in owners if name in owners[o] and m[2] and o in m[2]
            }  # fr_fcfs is not a name of fcfs in its own file
            for n in sorted(found):
                if name not in owners[n] and not any(n in o for o in own):
                    yield f'{name}:{text.count(chr(10), 0, m.start()) + 1}: found {m[0]}, expected {n} in {" ".join(sorted(owners[n]))} alone: a field of its kind says how it differs'
    for name in tree.under('cmodel/cli', '.c', '.h', '.def'):
        for m in re.finditer(r'policy_number\([^()]*"(\w+)"\)', tree.text(name)):
            yield f'{name}: found {m[0]}, expected no name of a policy: policy_plain() or a field of its kind'


def prints(tree):
    """Only the command prints or exits; twins have no heap"""
    for name in tree.under('cmodel', '.c', '.h', '.def') + tree.under('traces', '.c', '.h'):
        if name.startswith('cmodel/cli/'):
            continue
        for k, line in tree.lines(name):
            if PRINTS.search(code(line)):
                yield f'{name}:{k}: only cmodel/cli prints or exits: {line.strip()}'
            if name.startswith('cmodel/blocks/') and HEAP.search(code(line)):
                yield f'{name}:{k}: heap in a twin: {line.strip()}'


def languages(tree):
    """C++ is in cosim, tb and examples only"""
    for name in tree.names:
        if name.endswith(('.cpp', '.hpp', '.cc', '.cxx')) and not name.startswith(('cosim/', 'tb/', 'examples/')):
            yield f'{name}: C++ is for cosim, tb and examples'


# ---- text
def words(tree):
    """No words or paths that the tree must not contain"""
    for name in tree.names:
        for k, line in tree.lines(name):
            m = WORDS.search(line)
            if m:
                yield f'{name}:{k}: {m[0]}: {line.strip()[:100]}'


def plain(tree):
    """Comments and texts of the simulator, tests and scripts have no phrase that hides who does what"""
    for name in [n for folder in PLAIN_IN for n in tree.under(folder)]:
        for k, line in tree.lines(name) if PLAIN_NAMES.search(name) else []:
            m = UNCLEAR.search(line)
            if m:
                yield f'{name}:{k}: "{m[0]}": expected who does what, in the field\'s terms: {line.strip()[:100]}'


def sizes(tree):
    """No file has too many bytes; none is a screenshot"""
    for name in tree.names:
        if re.search(r'\.(png|jpe?g|gif|webp)$', name):
            yield f'{name}: found an image of pixels, expected SVG that a command writes, or no image'
        size = (tree.root / name).stat().st_size
        if size > BYTES:
            yield f'{name}: {size} bytes; the limit is {BYTES}'


def makefiles(tree):
    """Make is a list: short lines, no eval"""
    names = [n for n in tree.names if n == 'Makefile' or n.endswith('.mk')]
    for name in names:
        for k, line in tree.lines(name):
            if len(line) > WIDTH_OF_MAKE:
                yield f'{name}:{k}: {len(line)} characters; the limit is {WIDTH_OF_MAKE}'
            if '$(eval' in line:
                yield f'{name}:{k}: eval: cosim/rules.py generates rules'


def modules(tree):
    """One module a file, of the file's name; blocks instantiate rtl/lib, their own modules, and blocks that they list as parts"""
    owner = {}
    for name in tree.under('rtl', '.sv'):
        stem, found = name.split('/')[-1][:-3], re.findall(r'^\s*module\s+(\w+)', tree.text(name), re.M)
        if found != ([] if stem.endswith('_formal') else [stem]):
            yield f'{name}: modules {" ".join(found) or "none"}; expected {stem} alone'
        owner.update({m: name.split('/')[1] for m in found})
    for name in tree.under('rtl', '.sv'):
        listed = [manifest.module(p) for p in parts.in_text(tree.text_of(f'cmodel/blocks/{name.split("/")[1]}.h'))]
        for k, line in tree.lines(name):
            m = re.match(r'\s*(\w+)\s*(?:#\s*\(|\s\w+\s*\()', code(line))
            if m and m[1] not in listed and owner.get(m[1], 'lib') not in ('lib', name.split('/')[1]):
                yield f'{name}:{k}: instance of {m[1]}, which is a part of rtl/{owner[m[1]]}'


def prefixed(tree):
    """Modules and macros of the RTL carry their prefix, mt_ or MT_"""
    for name in tree.under('rtl', '.sv', '.svh'):
        for k, line in tree.lines(name):
            m = re.match(r'\s*(?:module|(`define))\s+(\w+)', line)
            if m and not m[2].startswith('MT_' if m[1] else 'mt_'):
                yield f'{name}:{k}: {m[2]}: expected {"MT_" if m[1] else "mt_"}{m[2]}'


def commented(tree):
    """Every module, parameter and port has a comment"""
    for name in tree.under('rtl', '.sv'):
        lines = tree.text(name).splitlines()
        if not lines or not lines[0].startswith('// '):
            yield f'{name}:1: no comment says what it is'
        for k, m in port_comments.declared(lines):
            if not (m['text'] or '').strip():
                yield f'{name}:{k + 1}: {m["name"]}: no comment'


def filelists(tree):
    """The file lists of the blocks for FuseSoC (.core) match what the sources instantiate and include"""
    yield from lists_of_files.wrong(tree.root)


# ---- manifests
def manifests(tree):
    """Manifests have known keys, legal parameters, and bugs whose old text occurs once in its file"""
    for b in tree.blocks():
        try:
            listed = manifest.read(b, tree.root)
            words = [(listed.where('sets', s), [f'{n}={v}' for n, v in p.items()]) for s, p in listed.sets.items()]
            words += [(bug.where, [f'{n}={v}' for n, v in listed.at(bug).items()]) for bug in listed.bugs]
            words += [(where, run) for where, _, _, name, run in listed.runs() if name == b]
            for where, text in words:
                params.check(text, b, where, tree.root)
            for bug in listed.bugs:
                manifest.planted(bug, tree.text_of(bug.file))
        except manifest.ParamError as e:
            yield str(e)


# ---- block x face
def listed(tree, block, section):
    """A section of a manifest; empty if it cannot be read, which the rule `manifests` reports."""
    try:
        return manifest.read(block, tree.root).table.get(section, {})
    except manifest.ParamError:
        return {}


FACES = {
    'ports': lambda t, b: f'#define {b.upper()}_PARAM(X)' in t.text_of(f'cmodel/blocks/{b}.h'),
    'twin': lambda t, b: t.has(f'cmodel/blocks/{b}.c') and t.has(f'cmodel/blocks/{b}.h'),
    'rtl': lambda t, b: t.has(manifest.rtl_of(b)),
    'sets': lambda t, b: listed(t, b, 'sets'),
    'readme': lambda t, b: t.has(f'rtl/{b}/README.md'),
    'listed': lambda t, b: f'](../rtl/{b}/README.md)' in t.text('docs/blocks.md'),
    'formal': lambda t, b: re.search(
        r'^ *(if \(.*\) *)?p_\w+: *assert', t.text_of(f'rtl/{b}/{manifest.module(b)}_formal.sv'), re.M
    ),
    'runs': lambda t, b: listed(t, b, 'formal').get('runs'),
    'cosim': lambda t, b: 'struct Coverage' in t.text_of(f'cosim/blocks/{b}/bench.cpp'),
    'bugs': lambda t, b: {f['file'].split('/')[0] for f in listed(t, b, 'bugs').values()} == {'rtl', 'cmodel'},
    'prove': lambda t, b: listed(t, b, 'prove').get('quick'),
    'scenarios': lambda t, b: 'SCENARIO(' in t.text_of(f'cosim/blocks/{b}/scenarios.cpp'),
    'synth': lambda t, b: listed(t, b, 'synth').get('quick'),
    'tests': lambda t, b: any(
        re.search(rf'\b{b}_(tick|eval)\b|\b(TWIN_CYCLE|SKIP\w*_TEST)\({b}\b', t.text(n))
        for n in t.under('tests/blocks', '.c')
    ),
}


def face_table(tree):
    rows = [['block', *FACES]] + [
        [b, *('yes' if f(tree, b) else 'MISSING' for f in FACES.values())] for b in tree.only or tree.blocks()
    ]
    return [''.join(f'{c:<10}' if i else f'{c:<18}' for i, c in enumerate(r)).rstrip() for r in rows]


def faces(tree):
    """Every block has every face"""
    if not tree.blocks():
        yield 'rtl: no block'
    for b in tree.only or tree.blocks():
        for face, there in FACES.items():
            if not there(tree, b):
                yield f'rtl/{b}: no {face}'


def valids(tree):
    """Every payload input of a block's list has its valid"""
    shared = ''.join(tree.text(n) for n in tree.under('cmodel/blocks', '_file.h'))
    for b in tree.blocks():
        name = f'cmodel/blocks/{b}.h'
        try:
            payload.in_text(tree.text_of(name), shared)
        except payload.PayloadError as e:
            yield f'{name}: {e}'


def listed_once(tree):
    """Codes, states and ranges of a block's list are those of its RTL"""
    shared = ''.join(tree.text(n) for n in tree.under('cmodel/blocks', '.h'))
    common = {n: tree.text(n) for n in tree.under('cmodel/blocks', '_file.h')}  # lists shared by several blocks
    for b in tree.only or tree.blocks():
        text = tree.text_of(f'cmodel/blocks/{b}.h')
        text += ''.join(more for n, more in common.items() if f'"{Path(n).name}"' in text)
        rtl = ''.join(tree.text(n) for n in tree.under(f'rtl/{b}', '.sv') if not n.endswith('_formal.sv'))
        rtl += ''.join(tree.text(n) for n in tree.under('rtl/lib', '.svh') if f'"{Path(n).name}"' in rtl)
        try:
            limits = params.limits(b, tree.root)
        except params.ParamError as e:
            yield str(e)
            continue
        elsewhere = codes.checked_elsewhere(limits, text)
        for wrong in (*codes.wrong_codes(text, shared, rtl), *codes.wrong_ranges(limits, elsewhere, rtl)):
            yield f'rtl/{b}: {wrong}'


def option_names(tree):
    """The names of an option's values are its enum's, in the same order"""
    headers = ''.join(code(line) for n in tree.under('cmodel/system', '.h') for _, line in tree.lines(n))
    enums = [re.findall(r'\w+', body) for body in re.findall(r'\benum \w+ \{([^{}=]*)\}', headers)]
    for name in tree.under('cmodel/system', '.def'):
        for k, line in tree.lines(name):
            m = re.match(r'OPT_ENUM\(\w+, "([\w.]+)", (\w+), "([\w|]+)"', line)
            if not m:
                continue
            constants = next((e for e in enums if m[2] in e), [])
            shared = os.path.commonprefix(constants)
            named = [
                '|'.join(c[i + 1 :].lower() for c in constants) for i, letter in enumerate(shared) if letter == '_'
            ]
            if m[3] not in named:
                yield f'{name}:{k}: {m[1]}: found "{m[3]}", expected "{" or ".join(named)}", the enum of {m[2]}'


RULES = [
    faces,
    manifests,
    valids,
    listed_once,
    option_names,
    modules,
    prefixed,
    commented,
    filelists,
    includes,
    arrows,
    policy_names,
    prints,
    languages,
    words,
    plain,
    sizes,
    makefiles,
]
