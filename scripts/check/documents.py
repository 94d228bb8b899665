# SPDX-License-Identifier: Apache-2.0
"""Rules about names in documents: targets, files, presets, kernels, options, flags."""
import itertools
import re

from cosim import asked
from scripts.check.rules import GENERATED
from scripts.check.tools import run
from scripts.study import beside


def commands(tree, name):
    """(line number, command) of every code span and code line of a document."""
    fenced = False
    for k, line in tree.lines(name):
        if line.startswith('```'):
            fenced = not fenced
        elif fenced or line.startswith('    '):
            yield k, re.split(r'\s{2,}|\s#', line.strip())[0]
        else:
            for span in re.findall(r'`([^`]+)`', line):
                yield k, span


def code_lines(tree, name):
    """(line number, command) of every code line; continued lines are joined, explanations behind the command removed."""
    fenced, begun = False, ''
    for k, line in tree.lines(name):
        if line.startswith('```'):
            fenced = not fenced
        elif fenced or line.startswith('    '):
            text = begun + re.split(r'(?<=\S)\s{2,}|\s#\s', line.strip())[0]
            begun = text[:-1] if text.endswith('\\') else ''
            if not begun:
                yield k, text


def documents(tree):
    return [n for n in tree.names if n.endswith('.md')]


def made(tree):
    """Targets in make's database, including computed ones, and the phony ones among them."""
    _, lines = run(tree, ['make', '-pnRr', 'help'])
    phony = {t for line in lines if line.startswith('.PHONY:') for t in line.split()[1:]}
    return {m[1] for m in (re.match(r'([A-Za-z][\w.-]*):(?!=)', line) for line in lines) if m}, phony


def parted(said):
    """(goals, variables) of the words behind "make", up to the first that is prose."""
    words = [*itertools.takewhile(re.compile(r'[a-z][\w-]*|-\S+|\[?[A-Z_]+=\S*').fullmatch, said.split())]
    return [w for w in words if w[0].islower()], [
        w.strip('[').split('=')[0] for w in words if not w[0].islower() and w[0] != '-'
    ]


def targets(tree):
    """Targets and variables that a document or the CI names exist, and go together; targets with a text are phony and in help"""
    known, phony = made(tree)
    _, listed = run(tree, ['make', '-s', 'help'])
    listed = {line.split()[0] for line in listed}
    makefiles = [n for n in tree.names if n == 'Makefile' or n.endswith('.mk')]
    sources = '\n'.join(tree.text(n) for n in makefiles)
    texts = asked.helped(sources)
    for name in makefiles:
        for k, line in tree.lines(name):
            m = re.match(r'([^\s:#=]+)\s*:(?!=).*?## ', line)
            if m and m[1] not in phony:
                yield f'{name}:{k}: {m[1]} is not .PHONY: a file of that name would switch it off'
            if m and m[1] not in listed:
                yield f'{name}:{k}: {m[1]} has a text that make help does not list'
    for name in [*documents(tree), *tree.under('.ci')]:
        pairs = commands(tree, name) if name.endswith('.md') else tree.lines(name)
        for k, text in pairs if tree.has(name) else []:
            for said in re.findall(r'(?:^|[;&|(] *|step |[A-Z]+=\S+ )make((?: [^;&|)#`]+)+)', text.strip()):
                goals, variables = parted(said)
                for word in goals:
                    if word not in known:
                        yield f'{name}:{k}: make {word}: no makefile has it'
                for variable in variables if goals else []:  # else another project's
                    if not re.search(rf'\$\(.*\b{variable}\b', sources):
                        yield f'{name}:{k}: {variable}=: no makefile reads it'
                    for wrong in asked.unread(goals, variable, texts):
                        yield f'{name}:{k}: {wrong}'


# Targets in documents that CI does not call by name: the test that runs each.
RUN_BY = {
    'install': 'scripts/install/selftest.py',
    'uninstall': 'scripts/install/selftest.py',
    'synth': 'synth/selftest_runs.py',
    'release': 'scripts/release/selftest.py',
    'new': 'scripts/new/selftest.sh',
    'describe': 'scripts/build_selftest.py',
    'lint-rtl': 'scripts/check/tools.py',
    'help': 'scripts/check/documents.py',
    'selftest': 'scripts/build_words.py',
    'correlate-stock': 'scripts/correlate/selftest.py',
}


def tested(tree):
    """Every target that a document names is run by CI, by make deep or by a self-test"""
    steps = (
        [line.split('#')[0] for _, line in tree.lines('.ci/run') if line.startswith(('step', 'beside'))]
        if tree.has('.ci/run')
        else []
    )
    run_there = set(re.findall(r'(?<![\w-])[a-z][\w-]*', ' '.join(steps))) | set(
        re.findall(r"'([a-z][\w-]*)[ ']", tree.text('scripts/ci/deep.py'))
    )
    _, phony = made(tree)
    for target, test in RUN_BY.items():
        if not tree.has(test) or not re.search(rf'[ \'"]{target}\b', tree.text(test)):
            yield f'scripts/check/documents.py: {target}: {test} does not run it'
    for name in documents(tree):
        for k, text in commands(tree, name):
            for said in re.findall(r'(?:^|[;&|(] *)make((?: [^;&|)#`]+)+)', text.strip()):
                for word in said.split():
                    if word in phony and word not in run_there and word not in RUN_BY:
                        yield f'{name}:{k}: make {word}: no test runs it'


def anchors(text):
    """The headings of a document, as links name them."""
    plain = (re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', h.strip().lower()) for h in re.findall(r'^#+ (.*)', text, re.M))
    return {re.sub(r'[^\w\- ]', '', h).replace(' ', '-') for h in plain}


def links(tree):
    """Relative links, their headings and paths in documents exist"""
    folders = {'/'.join(n.split('/')[:i]) for n in tree.names for i in range(1, n.count('/') + 1)}
    tops = {f for f in folders if '/' not in f}

    def whole(path):
        parts = []
        for p in path.split('/'):
            if p == '..' and parts:
                parts.pop()
            elif p not in ('', '.'):
                parts.append(p)
        return '/'.join(parts)

    def exists(path):
        return whole(path) in folders or whole(path) in tree.names or not whole(path)

    for name in documents(tree):
        here = name.rpartition('/')[0]
        for k, line in tree.lines(name):
            for target in re.findall(r'\]\(([^)\s]+)\)', line):
                path, _, heading = target.partition('#')
                there = whole(f'{here}/{path}') if path else name
                if re.match(r'[a-z]+:', target):
                    continue
                if path and not exists(there):
                    yield f'{name}:{k}: link to {target}: nothing is there'
                elif heading and there.endswith('.md') and heading not in anchors(tree.text(there)):
                    yield f'{name}:{k}: link to {target}: no such heading'
            for path in re.findall(r'(?<![\w/.<-])((?:\w[\w.-]*/)+[\w-]+\.[a-z]+)(?![\w/.*<>-])', line):
                example = re.match(r'x[._]', path.split('/')[-1])  # an example block named x
                if path.split('/')[0] in tops and not example and not exists(path) and not exists(f'{here}/{path}'):
                    yield f'{name}:{k}: {path}: no such file'


def begun(tree):
    """No line of a document has text behind the comment that it begins with: Markdown takes such a line as HTML"""
    for name in documents(tree):
        for k, line in tree.lines(name):
            if re.match(r' {0,3}<!--.*?-->(?!(\s*<!--.*?-->)*\s*$)', line):
                yield f'{name}:{k}: found text behind a comment that begins the line, expected a word before the comment'


def named(tree):
    """Presets, kernels, blocks, keys and flags in documented commands exist"""
    presets = {n.split('/')[-1][:-4] for n in tree.under('cmodel/system/config/presets', '.ini')}
    kernels = {
        k
        for n in tree.under('traces/kernels', '.c')
        for k in re.findall(r'\.name = "(\w+)",\s*\.summary', tree.text(n))
    }
    keys = set(re.findall(r'OPT_\w+\(\w+, "([\w.]+)"', tree.text('cmodel/system/config/options.def')))
    flags = {
        f
        for n in tree.under('cmodel/cli', '.c', '.h')
        for f in re.findall(r'\{"([a-z-]+)",|"--([a-z-]+)', tree.text(n))
        for f in f
    }
    flags |= {'help', 'usage', 'version'}
    for name in documents(tree):
        for k, text in commands(tree, name):
            m = re.search(r'(?:^|[|;/] *)memtwin(?:-rtl)? (.*)', text)
            if not m:
                continue
            words = re.split(r'[<>|]', m[1])[0].split()
            for word in re.findall(r'--([a-z][a-z-]*)', m[1]):
                if word not in flags:
                    yield f'{name}:{k}: --{word}: the command has no such option'
            for word in re.findall(r'(?:--preset[ =]|[:,]preset=)([a-z][\w.-]*)', m[1]):
                if word not in presets:
                    yield f'{name}:{k}: preset {word}: no such file in cmodel/system/config/presets'
            for word in re.findall(r'(?:--set|-s) ([a-z_0-9.]+)=', m[1]):
                if word not in keys:
                    yield f'{name}:{k}: {word}: no such key in options.def'
            for word in re.findall(r'--rtl ([a-z]\w*)', m[1]):
                if word not in tree.blocks():
                    yield f'{name}:{k}: --rtl {word}: no such block'
            begin = {'run': 1, 'trace': 2}.get(words[0] if words else '')
            for word in words[begin:] if begin and words[1:2] not in (['import'], ['dump']) else []:
                if not re.fullmatch(r'[a-z0-9_]\w*(:[\w=,.]+)?', word):
                    break  # options and files follow
                if word.split(':')[0] not in kernels:
                    yield f'{name}:{k}: workload {word}: no such kernel in traces/kernels'


def comments(name, text):
    """(line number, text) of every comment of a source file."""
    if name.endswith(('.c', '.h', '.cpp', '.hpp', '.sv', '.svh', '.def')):
        pattern = r'/\*.*?\*/|//[^\n]*'
    elif name.endswith(('.py', '.sh', '.mk', '.toml')):
        pattern = r'(?<=\n)\s*#[^\n]*|""".*?"""'
    else:
        return
    for m in re.finditer(pattern, text, re.S):
        for i, line in enumerate(m[0].splitlines()):
            yield text.count('\n', 0, m.start()) + 1 + i, line


# Names in comments that need no file in the tree: block x or b, a NAME to fill in, headers of simulators.
EXAMPLE_FILE = re.compile(r'([xb]|[A-Z]+|_\w+|verilated|svdpi)[._]')


def files_named(tree):
    """A file that a comment names exists"""
    known = {n.split('/')[-1] for n in tree.names} | GENERATED
    for name in tree.names:
        for k, line in (
            comments(name, tree.text(name)) if re.search(r'\.(c|h|cpp|hpp|sv|svh|def|py|sh|mk|toml)$', name) else []
        ):
            for word in re.findall(
                r'(?<![\w.$*<{%-])(?:[\w-]+/)*([\w-]+\.(?:c|h|cpp|hpp|sv|svh|def|md|py|sh|mk))\b(?![\w(.*=-])', line
            ):
                if word not in known and not EXAMPLE_FILE.match(word):
                    yield f'{name}:{k}: {word}: no such file in the tree'


def keys_named(tree):
    """An option or counter that a document or a help text names exists"""
    texts = {n.split('/')[-1][:-4]: tree.text(n) for n in tree.under('cmodel/system', '.def')}
    listed = texts.pop('options')
    keys = set(re.findall(r'OPT_\w+\(\w+, "([\w.]+)"', listed))
    keys |= {f'{k}{i}' for k, n in re.findall(r'OPT_LIST\(\w+, "([\w.]+)", (\d),', listed) for i in range(int(n))}
    known = keys | {w for t in texts.values() for w in re.findall(r'"([\w.]+)"', t)}
    known |= {k.rsplit('.', i)[0] for k in known for i in range(1, k.count('.') + 1)}  # l1d.mshr stands for l1d.mshr.*
    sections = {k.split('.')[0] for k in keys} - {'cke'}  # memtwin cke has additional counters
    for name in tree.names:
        if not name.endswith('.md') and not re.match(r'cmodel/(cli/.*\.[ch]|system/\w+/\w+\.def)$', name):
            continue
        for k, line in tree.lines(name):
            for text in [line] if name.endswith(('.md', '.def')) else re.findall(r'"((?:[^"\\]|\\.)*)"', line):
                for word in re.findall(r'(?<![\w./-])([a-z]\w*(?:\.[a-z]\w*)+)(?![\w/(.-])', text):
                    if (
                        word.split('.')[0] in sections
                        and word not in known
                        and not re.search(r'\.(c|h|def|md|toml|py|sv|params|ini|map|rf_per_request)$', word)
                    ):
                        yield f'{name}:{k}: {word}: no such option or counter'


# Files whose text is data.
DATA = re.compile(r'(tests/(fuzz/corpus|golden|trace/data)|traces/small|synth/baseline)/')
KEY = r'[A-Z][a-z]+(?:[A-Z][a-z]+)?\d\d'
PAPER_BY_NUMBER = re.compile(
    r'\b[Pp]apers?[\s*/#:_]+00\d|(?<![\w.,-])00\d(?=,\s[\s*/#]*(?:(?:table|section|figure|chapter)s?\b|\d\.\d))'
)


def papers(tree):
    """A paper is cited by a key of docs/papers.md, never by a number; every key there is cited"""
    listed = re.findall(rf'^\| ({KEY}) \|', tree.text_of('docs/papers.md'), re.M)
    for key in sorted({k for k in listed if listed.count(k) > 1}):
        yield f'docs/papers.md: {key}: found twice'
    cited = set()
    for name in tree.names:
        if DATA.match(name) or name in ('docs/papers.md', 'scripts/check/selftest.py'):
            continue
        text = tree.text(name)
        for m in PAPER_BY_NUMBER.finditer(text):
            yield f'{name}:{text.count(chr(10), 0, m.start()) + 1}: found "{m[0]}", expected a key of docs/papers.md'
        for m in re.finditer(rf'\b{KEY}\b', text):
            cited.add(m[0])
            if m[0] not in listed:
                yield f'{name}:{text.count(chr(10), 0, m.start()) + 1}: found {m[0]}, expected a key of docs/papers.md: {" ".join(listed)}'
    for key in listed:
        if key not in cited:
            yield f'docs/papers.md: {key}: nothing cites it'


def examples(tree):
    """The worked example of a block's README is computed by its test"""
    tests = ''.join(tree.text(n) for n in tree.under('tests/blocks', '.c'))
    for b in tree.blocks():
        if not re.search(rf'^Test\(readme_example, {b}\)', tests, re.M):
            yield f'rtl/{b}/README.md: no Test(readme_example, {b}) in tests/blocks reads its table'


# A change in percent, a decimal share or factor, a frequency, an area, a delay: a command measures them.
MEASURED = re.compile(r'(?<![\w.])(?:[+-]\d[\d,.]* ?%|\d+\.\d+ ?(?:%|times\b)|\d[\d,.]* ?(?:MHz|um\^2|mm\^2|ns|IPC)\b)')


def measured(tree):
    """Measured numbers in studies, docs/speed.md and block READMEs are between generated marks"""
    for name in tree.names:
        if not re.match(r'(docs/[\w-]+-study|docs/speed|rtl/\w+/README)\.md$', name):
            continue
        text = re.sub(
            r'<!-- (\w+).*?-->.*?<!-- /\1 -->', lambda m: '\n' * m[0].count('\n'), tree.text(name), flags=re.S
        )
        for k, line in enumerate(text.splitlines(), 1):
            for m in MEASURED.finditer(re.sub(r'`[^`]*`|^    .*', '', line)):
                yield f'{name}:{k}: found {m[0]} in the text, expected it between marks that a command writes'


def counted(tree):
    """The counts of docs/papers-beside-ours.md are those of its rows, and every verdict there is allowed"""
    if tree.has(str(beside.PAGE)):
        yield from beside.stale(tree.text(str(beside.PAGE)))


SOURCES = re.compile(r'(\.(c|h|def|cpp|hpp|sv|svh|py|mk|sh|tcl)(\.in)?|Makefile|\.ci/\w+)$')
SPDX = 'SPDX-License-Identifier: ' 'Apache-2.0'


def licence(tree):
    """Every source file begins with its SPDX line"""
    for name in tree.names:
        if SOURCES.search(name) and not DATA.match(name) and SPDX not in ''.join(tree.text(name).splitlines()[:2]):
            yield f'{name}: found no "{SPDX}", expected it in the first line (behind #!, in the second)'


def version(tree):
    """CHANGELOG.md begins with a version's number, CITATION.cff has the same"""
    first = re.search(r'^## (.*)', tree.text_of('CHANGELOG.md'), re.M)
    cited = re.search(r'^version: (.*)', tree.text_of('CITATION.cff'), re.M)
    if not first or not re.fullmatch(r'\d+\.\d+\.\d+', first[1]):
        yield f'CHANGELOG.md: found "{first[0] if first else ""}" as first heading, expected "## MAJOR.MINOR.PATCH"'
    elif not cited or cited[1] != first[1]:
        yield f'CITATION.cff: found "{cited[0] if cited else ""}", expected "version: {first[1]}" as in CHANGELOG.md'


DOCUMENTS = [
    targets,
    tested,
    links,
    begun,
    named,
    files_named,
    keys_named,
    papers,
    examples,
    licence,
    measured,
    counted,
    version,
]
