"""The rules of the house that a compiler does not know.  Each is a function of a Tree that yields what breaks it."""
import re
from pathlib import Path

STANDARD_FOR_BLOCKS = {'<stdbool.h>', '<stddef.h>', '<stdint.h>', '<string.h>'}
# Folder -> what its files may include besides system headers; a bare name is a header of that folder.
MAY_INCLUDE = {
    'cmodel/base': ['base/', 'bare:cmodel/blocks'],
    'cmodel/blocks': ['bare:cmodel/blocks'],
    'cmodel/trace': ['base/', 'trace/'],
    'cmodel/system': ['base/', 'trace/', 'system/', 'bare:cmodel/blocks'],
    'cmodel/cli': ['base/', 'trace/', 'system/', 'cli/', 'bare:cmodel/blocks'],
    'cosim': ['base/', 'system/block_ops.h', 'verilated', 'bare:cosim', 'bare:cmodel/blocks'],
    'tb': ['base/', 'verilated', 'bare:cosim', 'bare:cmodel/blocks', 'bare:tb/systemc'],
    'tests': ['base/', 'trace/', 'system/', 'cli/', 'bare:cmodel/blocks', 'own'],
    'traces': ['trace/', 'base/'],
}
PRINTS = re.compile(r'\b(printf|puts|putchar|perror|vprintf|exit|_exit|quick_exit|abort)\s*\(|\b(stdout|stderr)\b')
HEAP = re.compile(r'\b(malloc|calloc|realloc|free|alloca)\s*\(')
# Written apart, so that this file does not break its own rule.
WORDS = re.compile('|'.join([r'\bTO' r'DO\b', r'\bFIX' r'ME\b', r'\bXX' r'X\b', r'\bfor n' r'ow\b', r'\bplace' r'holder', r'\bsimpli' r'fied\b',
                             r'/wo' r'rk/', r'/ho' r'me/\w', r'/ro' r'ot/']))
LINES, LINES_OF_BLOCK = 600, 400
SOURCE = ('.c', '.h', '.cpp', '.hpp', '.py', '.sv', '.svh', '.mk', '.sh')


class Tree:
    """The files that git tracks under a root, read once."""

    def __init__(self, root, names):
        self.root, self.names = Path(root), sorted(names)
        self.cache = {}

    def text(self, name):
        if name not in self.cache:
            data = (self.root / name).read_bytes()
            self.cache[name] = '' if b'\0' in data[:8000] else data.decode('utf-8', 'replace')
        return self.cache[name]

    def lines(self, name):
        return enumerate(self.text(name).splitlines(), 1)

    def under(self, folder, *suffixes):
        return [n for n in self.names if n.startswith(folder + '/') and n.endswith(suffixes or ('',))]

    def has(self, name):
        return name in self.names

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
    """Who includes what is not his"""
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
    """Who prints or exits outside the command, and heap in a twin"""
    for name in tree.under('cmodel', '.c', '.h'):
        if name.startswith('cmodel/cli/'):
            continue
        for k, line in tree.lines(name):
            if PRINTS.search(code(line)):
                yield f'{name}:{k}: only cmodel/cli prints or exits: {line.strip()}'
            if name.startswith('cmodel/blocks/') and HEAP.search(code(line)):
                yield f'{name}:{k}: heap in a twin: {line.strip()}'


def languages(tree):
    """C++ outside cosim and tb"""
    for name in tree.names:
        if name.endswith(('.cpp', '.hpp', '.cc', '.cxx')) and not name.startswith(('cosim/', 'tb/')):
            yield f'{name}: C++ is for cosim and tb'


# ---- text
def words(tree):
    """Words and paths that do not belong in the tree"""
    for name in tree.names:
        for k, line in tree.lines(name):
            m = WORDS.search(line)
            if m:
                yield f'{name}:{k}: {m[0]}: {line.strip()[:100]}'


def sizes(tree):
    """Files too long to find one's way in"""
    for name in tree.names:
        if name.endswith(SOURCE):
            limit = LINES_OF_BLOCK if re.match(r'(rtl|cmodel/blocks)/', name) else LINES
            n = tree.text(name).count('\n')
            if n > limit:
                yield f'{name}: {n} lines; the limit is {limit}'


def targets(tree):
    """Make targets that a document or the CI names and no makefile has, or that have no rule behind their text"""
    makefiles = [n for n in tree.names if n == 'Makefile' or n.endswith('.mk')]
    defined, phony = set(), set()
    for name in makefiles:
        for _, line in tree.lines(name):
            m = re.match(r'([a-z][a-z ._-]*):(?!=)', line)
            defined |= set(m[1].split()) if m else set()
            m = re.match(r'\.PHONY:(.*)', line)
            phony |= set(m[1].split()) if m else set()
    for name in makefiles:
        for k, line in tree.lines(name):
            m = re.match(r'([a-z-]+):.*## ', line)
            if m and m[1] not in phony:
                yield f'{name}:{k}: {m[1]}: documented, but not .PHONY: a file of that name would switch it off'
    for name in [n for n in tree.names if n.endswith('.md') or n == '.ci/run']:
        for k, line in tree.lines(name):
            for m in re.finditer(r'(?:`|^    |^step |[;&|] *)make (?:-\S+ )?([a-z][a-z-]*)\b(?!=)', line):
                if m[1] not in defined:
                    yield f'{name}:{k}: make {m[1]}: no makefile has it'


# ---- block x face
FACES = {
    'ports': lambda t, b: t.has(f'cmodel/blocks/{b}_ports.h'),
    'twin': lambda t, b: t.has(f'cmodel/blocks/{b}.c') and t.has(f'cmodel/blocks/{b}.h'),
    'rtl': lambda t, b: t.has(f'rtl/{b}/{b}.sv'),
    'params': lambda t, b: t.has(f'rtl/{b}/{b}.params'),
    'readme': lambda t, b: t.has(f'rtl/{b}/README.md'),
    'formal': lambda t, b: t.has(f'rtl/{b}/{b}_formal.sv'),
    'cosim': lambda t, b: t.has(f'cosim/{b}.cpp'),
    'prove': lambda t, b: t.has(f'tb/prove/{b}.sizes'),
    'tb': lambda t, b: t.has(f'tb/systemc/{b}.cpp'),
    'tests': lambda t, b: any(re.search(rf'"{b}\.h"', t.text(n)) for n in t.under('tests/blocks', '.c', '.h')),
}


def face_table(tree):
    rows = [['block', *FACES]] + [[b, *('yes' if f(tree, b) else 'MISSING' for f in FACES.values())] for b in tree.blocks()]
    return [''.join(f'{c:<9}' if i else f'{c:<18}' for i, c in enumerate(r)).rstrip() for r in rows]


def faces(tree):
    """Faces that a block lacks"""
    if not tree.blocks():
        yield 'rtl: no block'
    for b in tree.blocks():
        for face, there in FACES.items():
            if not there(tree, b):
                yield f'rtl/{b}: no {face}'


RULES = [faces, includes, prints, languages, words, sizes, targets]
