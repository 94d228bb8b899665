"""The rules of the house that a compiler does not know.  Each is a function of a Tree that yields what breaks it."""
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / 'cosim'))
import codes
import params
import parts
import payload

STANDARD_FOR_BLOCKS = {'<stdbool.h>', '<stddef.h>', '<stdint.h>', '<string.h>'}
# Folder -> what its files may include besides system headers; a bare name is a header of that folder.
MAY_INCLUDE = {
    'cmodel/base': ['base/', 'bare:cmodel/blocks'],
    'cmodel/blocks': ['bare:cmodel/blocks'],
    'cmodel/trace': ['base/', 'trace/'],
    'cmodel/system': ['base/', 'trace/', 'system/', 'bare:cmodel/blocks'],
    'cmodel/cli': ['base/', 'trace/', 'system/', 'cli/', 'bare:cmodel/blocks'],
    'cosim': ['base/', 'scenarios/', 'system/block_ops.h', 'verilated', 'bare:cosim', 'bare:cmodel/blocks'],
    'tb': ['base/', 'verilated', 'bare:cosim', 'bare:cmodel/blocks', 'bare:tb/systemc'],
    'tests': ['base/', 'trace/', 'system/', 'cli/', 'bare:cmodel/blocks', 'own'],
    'traces': ['trace/', 'base/', 'bare:traces/kernels'],
}
PRINTS = re.compile(r'\b(printf|puts|putchar|perror|vprintf|dprintf|exit|_exit|_Exit|quick_exit|abort|errx?|warnx?)\s*\(|'
                    r'\b(stdout|stderr)\b')
HEAP = re.compile(r'\b(malloc|calloc|realloc|free|alloca)\s*\(')
# Written apart, so that this file does not break its own rule.
WORDS = re.compile('|'.join([r'\bTO' r'DO\b', r'\bFIX' r'ME\b', r'\bXX' r'X\b', r'\bfor n' r'ow\b', r'\bplace' r'holder', r'\bsimpli' r'fied\b',
                             r'/wo' r'rk/', r'/ho' r'me/\w', r'/ro' r'ot/', r'/Us' r'ers/\w', r'/m' r'nt/\w',
                             r'(?i:\b(cla' r'ude|anth' r'ropic|open' r'ai|chat' r'gpt|gpt-\d|copi' r'lot|ai assist' r'ant|language mo' r'del)\b)',
                             r'(?i:\b(agent|assist' r'ant|subag' r'ent) sess' r'ions?\b|\bthis sess' r'ion\b)']))
LINES, LINES_OF_BLOCK, BYTES = 600, 400, 1 << 20
SOURCE = ('.c', '.h', '.cpp', '.hpp', '.py', '.sv', '.svh', '.mk', '.sh')


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
        """Of a file that may not be there: empty."""
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
    """A line of C without its comments and strings, as far as one line shows them."""
    line = re.sub(r'"(\\.|[^"\\])*"', '""', line)
    return re.sub(r'//.*|/\*.*?(\*/|$)|^\s*\*.*', '', line)


# ---- who may include what
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
    """Nobody includes what is not his"""
    for folder in MAY_INCLUDE:
        for name in tree.under(folder, '.c', '.h', '.cpp', '.hpp', '.def'):
            if name.startswith('tb/prove/'):      # the prover's own C: what it is tested on
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
    """C++ is in cosim and tb only"""
    for name in tree.names:
        if name.endswith(('.cpp', '.hpp', '.cc', '.cxx')) and not name.startswith(('cosim/', 'tb/')):
            yield f'{name}: C++ is for cosim and tb'


# ---- text
def words(tree):
    """No words or paths that do not belong in the tree"""
    for name in tree.names:
        for k, line in tree.lines(name):
            m = WORDS.search(line)
            if m:
                yield f'{name}:{k}: {m[0]}: {line.strip()[:100]}'


def sizes(tree):
    """No file is too long to find one's way in, or too large"""
    for name in tree.names:
        size = (tree.root / name).stat().st_size
        if size > BYTES:
            yield f'{name}: {size} bytes; the limit is {BYTES}'
        if name.endswith(SOURCE):
            limit = LINES_OF_BLOCK if re.match(r'(rtl|cmodel/blocks)/', name) else LINES
            n = tree.text(name).count('\n')
            if n > limit:
                yield f'{name}: {n} lines; the limit is {limit}'


def modules(tree):
    """One module a file, of the file's name; blocks instantiate rtl/lib, their own modules, and blocks that they list as parts"""
    owner = {}
    for name in tree.under('rtl', '.sv'):
        stem, found = name.split('/')[-1][:-3], re.findall(r'^\s*module\s+(\w+)', tree.text(name), re.M)
        if found != ([] if stem.endswith('_formal') else [stem]):
            yield f'{name}: modules {" ".join(found) or "none"}; expected {stem} alone'
        owner.update({m: name.split('/')[1] for m in found})
    for name in tree.under('rtl', '.sv'):
        listed = parts.in_text(tree.text_of(f'cmodel/blocks/{name.split("/")[1]}_ports.h'))
        for k, line in tree.lines(name):
            m = re.match(r'\s*(\w+)\s*(?:#\s*\(|\s\w+\s*\()', code(line))
            if m and m[1] not in listed and owner.get(m[1], 'lib') not in ('lib', name.split('/')[1]):
                yield f'{name}:{k}: instance of {m[1]}, which is a part of rtl/{owner[m[1]]}'


# ---- block x face
FACES = {
    'ports': lambda t, b: t.has(f'cmodel/blocks/{b}_ports.h'),
    'twin': lambda t, b: t.has(f'cmodel/blocks/{b}.c') and t.has(f'cmodel/blocks/{b}.h'),
    'rtl': lambda t, b: t.has(f'rtl/{b}/{b}.sv'),
    'params': lambda t, b: re.search(r'^\w', t.text_of(f'rtl/{b}/{b}.params'), re.M),
    'readme': lambda t, b: t.has(f'rtl/{b}/README.md'),
    'listed': lambda t, b: f'](rtl/{b}/README.md)' in t.text('README.md'),
    'formal': lambda t, b: re.search(r'^ *(if \(.*\) *)?p_\w+: *assert', t.text_of(f'rtl/{b}/{b}_formal.sv'), re.M),
    'runs': lambda t, b: re.search(r'^(bmc|induction) ', t.text_of(f'tb/formal/{b}.runs'), re.M),
    'cosim': lambda t, b: 'struct Coverage' in t.text_of(f'cosim/{b}.cpp'),
    'bugs': lambda t, b: re.search(r'^\w', t.text_of(f'cosim/{b}.bugs'), re.M),
    'prove': lambda t, b: re.search(r'^quick ', t.text_of(f'tb/prove/{b}.sizes'), re.M),
    'planted': lambda t, b: re.search(r'^\w', t.text_of(f'tb/prove/{b}.planted'), re.M),
    'scenarios': lambda t, b: 'SCENARIO(' in t.text_of(f'cosim/scenarios/{b}.cpp'),
    'synth': lambda t, b: re.search(r'^quick = ', t.text_of(f'synth/{b}.toml'), re.M),
    'tests': lambda t, b: any(re.search(rf'\b{b}_(tick|eval)\b', t.text(n)) for n in t.under('tests/blocks', '.c')),
}


def face_table(tree):
    rows = [['block', *FACES, 'waivers']] + [[b, *('yes' if f(tree, b) else 'MISSING' for f in FACES.values()),
                                'yes' if tree.has(f'rtl/{b}/{b}.vlt') else '-'] for b in tree.only or tree.blocks()]
    return [''.join(f'{c:<10}' if i else f'{c:<18}' for i, c in enumerate(r)).rstrip() for r in rows]


def faces(tree):
    """No block lacks a face"""
    if not tree.blocks():
        yield 'rtl: no block'
    for b in tree.only or tree.blocks():
        for face, there in FACES.items():
            if not there(tree, b):
                yield f'rtl/{b}: no {face}'


def valids(tree):
    """Every payload input of a block's list has its valid"""
    for b in tree.blocks():
        name = f'cmodel/blocks/{b}_ports.h'
        try:
            payload.in_text(tree.text_of(name))
        except payload.PayloadError as e:
            yield f'{name}: {e}'


def listed_once(tree):
    """Codes, states and ranges of a block's list are those of its RTL"""
    shared = ''.join(tree.text(n) for n in tree.under('cmodel/blocks', '.h'))
    for b in tree.only or tree.blocks():
        text = tree.text_of(f'cmodel/blocks/{b}_ports.h')
        rtl = ''.join(tree.text(n) for n in tree.under(f'rtl/{b}', '.sv') if not n.endswith('_formal.sv'))
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
            named = ['|'.join(c[i + 1:].lower() for c in constants) for i, letter in enumerate(shared) if letter == '_']
            if m[3] not in named:
                yield f'{name}:{k}: {m[1]}: found "{m[3]}", expected "{" or ".join(named)}", the enum of {m[2]}'


RULES = [faces, valids, listed_once, option_names, modules, includes, prints, languages, words, sizes]
