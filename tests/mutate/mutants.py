# SPDX-License-Identifier: Apache-2.0
"""Every mutant of a C file: one small text change, found with clang's syntax tree; and the reasons of those that survive.

The order of trial depends on file, function, original text and replacement of a mutant.  Only text of the file itself is changed, never the
inside of a macro or of an included list.

A reason is a comment in front of the line of the mutant, `/* mutant: OPERATOR: reason */`.  OPERATOR is the short name that operator() gives the change.
"""
import json
import os
import re
import subprocess
from collections import defaultdict
from typing import NamedTuple

RELATIONAL = {'<': ('<=', '>='), '<=': ('<', '>'), '>': ('>=', '<='), '>=': ('>', '<'), '==': ('!=',), '!=': ('==',)}
ARITHMETIC = {
    '+': ('-',),
    '-': ('+',),
    '*': ('+',),
    '/': ('*',),
    '%': ('/',),
    '<<': ('>>',),
    '>>': ('<<',),
    '&': ('|',),
    '|': ('&',),
    '^': ('|',),
}
LOGICAL = {'&&': ('||',), '||': ('&&',)}
BINARY = {**RELATIONAL, **ARITHMETIC, **LOGICAL}
ASSIGN = {op + '=': tuple(n + '=' for n in new) for op, new in ARITHMETIC.items()}
STEP = {'++': '--', '--': '++'}
NO_CODE = {'ConstantExpr', 'StaticAssertDecl', 'UnaryExprOrTypeTraitExpr'}
DELETABLE = {'CompoundAssignOperator', 'CallExpr', 'BreakStmt', 'ContinueStmt'}
DELETED = '(void)0'
REASON = re.compile(r'/\*\s*mutant:(.*?)\*/', re.S)
BEHIND = re.compile(r'(\s|/\*.*?\*/)*', re.S)  # blanks and comments
LEAK = re.compile(r'(free|\w+_destroy)\b')  # deleting it leaks memory, which the sanitized tests detect


class Mutant(NamedTuple):
    file: str
    function: str
    line: int
    first: int  # lines of the whole expression or statement
    last: int
    begin: int  # the part of the text that is replaced ...
    end: int
    text: str  # ... by this
    old: str  # the whole expression or statement, before and after
    new: str
    operator: str = ''

    @property
    def key(self):
        return self.file, self.function, self.old, self.new

    @property
    def place(self):
        return self.file, self.line, self.operator


def one_line(text):
    """On one line, without reasons: to write one does not change the order of trial."""
    return ' '.join(REASON.sub('', text).split())


def operator(old, new):
    """Short name of a mutant: `< -> <=`, `64 + 1`, `true -> false`, `left out`, `negated`, `! dropped`, `ways swapped`."""
    if new == DELETED:
        return 'left out'
    if new == f'!({old})':
        return 'negated'
    if re.fullmatch(rf'\({re.escape(old)} [-+] 1\)', new):
        return new[1:-1]
    if not new:
        return f'{old} dropped'
    return f'{old} -> {new}' if re.fullmatch(r'\W{1,3}|true|false', old) else 'ways swapped'


def place(loc):
    """(offset in the file, length) of a token or of a macro name in the file; None: located elsewhere."""
    loc = loc.get('expansionLoc', loc)
    return None if 'includedFrom' in loc or 'offset' not in loc else (loc['offset'], loc['tokLen'])


class Finder:
    def __init__(self, path, include, flags):
        self.path = path
        self.source = path.read_bytes()
        self.function = ''
        self.found = {}
        command = ['clang', '-w', '-fsyntax-only', '-Xclang', '-ast-dump=json', *flags, *include, str(path)]
        # A ccache that is first in PATH would hand clang preprocessed text, which has other offsets.
        plain = os.environ | {'CCACHE_DISABLE': '1'}
        tree = json.loads(subprocess.run(command, check=True, capture_output=True, env=plain).stdout)
        for d in tree['inner']:
            if d['kind'] == 'FunctionDecl' and place(d['loc']) and 'expansionLoc' not in d['loc']:
                self.function = d['name']
                for n in d.get('inner', []):
                    if n['kind'] == 'CompoundStmt':
                        self.visit(n)

    def span(self, node):
        """(begin, end) of a node, or None.  If it ends with a macro, the macro's arguments are included."""
        ends = [place(node['range'][k]) for k in ('begin', 'end')]
        if None in ends or ends[1][0] < ends[0][0]:
            return None
        end = ends[1][0] + ends[1][1]
        if 'expansionLoc' in node['range']['end'] and self.source[end : end + 1] == b'(':
            end = self.closing(end) + 1
        return ends[0][0], end

    def closing(self, at):
        """Position of the parenthesis that closes the one at `at`."""
        depth = 0
        for i in range(at, len(self.source)):
            depth += {b'(': 1, b')': -1}.get(self.source[i : i + 1], 0)
            if not depth:
                return i
        return at

    def text(self, begin, end):
        return self.source[begin:end].decode()

    def add(self, whole, begin, end, text):
        if self.text(begin, end) == text:
            return
        old = one_line(self.text(*whole))
        new = one_line(self.text(whole[0], begin) + text + self.text(end, whole[1]))
        line, first, last = (self.source.count(b'\n', 0, at) + 1 for at in (begin, *whole))
        name = operator(self.text(begin, end), text)
        m = Mutant(str(self.path), self.function, line, first, last, begin, end, text, old, new, name)
        self.found.setdefault((begin, end, text), m)

    def visit(self, node):
        if not node or node.get('kind') in NO_CODE or node.get('storageClass') == 'static':
            return
        handler = getattr(self, node['kind'], None)
        span = self.span(node) if 'range' in node and handler else None
        inner = node.get('inner', [])
        if span:
            handler(node, span, inner)
        self.delete(node, inner)
        for n in inner:
            self.visit(n)

    def operator(self, node, span, inner, table):
        left, right = self.span(inner[0]), self.span(inner[1])
        if not left or not right or one_line(self.text(left[1], right[0])) != node['opcode']:
            return
        at = self.source.index(node['opcode'].encode(), left[1])
        for new in table.get(node['opcode'], ()):
            self.add(span, at, at + len(node['opcode']), new)

    def BinaryOperator(self, node, span, inner):
        self.operator(node, span, inner, BINARY)

    def CompoundAssignOperator(self, node, span, inner):
        self.operator(node, span, inner, ASSIGN)

    def UnaryOperator(self, node, span, inner):
        op = node['opcode']
        at = span[1] - len(op) if node.get('isPostfix') else span[0]
        if self.text(at, at + len(op)) != op:
            return
        if op in ('!', '~', '-'):
            self.add(span, at, at + 1, '')
        elif op in STEP:
            self.add(span, at, at + 2, STEP[op])

    def IntegerLiteral(self, node, span, _):
        text = self.text(*span)
        line = self.source.rindex(b'\n', 0, span[0]) + 1, self.source.index(
            b'\n', span[1]
        )  # a number alone does not identify a place
        if text in ('true', 'false'):
            self.add(line, *span, 'false' if text == 'true' else 'true')
        elif re.fullmatch(r'(0x[0-9a-fA-F]+|[0-9]+)[uUlL]*', text):
            self.add(line, *span, f'({text} + 1)')
            if int(node['value']):
                self.add(line, *span, f'({text} - 1)')

    def IfStmt(self, node, _, inner):
        self.negate(inner[0])

    def ConditionalOperator(self, node, span, inner):
        self.negate(inner[0], span)
        a, b = self.span(inner[1]), self.span(inner[2])
        if a and b and a[1] <= b[0]:
            between = self.text(a[1], b[0])
            self.add(span, a[0], b[1], self.text(*b) + between + self.text(*a))

    def negate(self, cond, whole=None):
        span = self.span(cond)
        if span:
            self.add(whole or span, *span, f'!({self.text(*span)})')

    def delete(self, node, inner):
        """Statements of a block, after a label, or governed by a condition or loop."""
        kind = node.get('kind')
        first = {'CompoundStmt': 0, 'IfStmt': 1, 'ForStmt': 4, 'WhileStmt': 1, 'CaseStmt': 1, 'DefaultStmt': 0}.get(
            kind
        )
        for n in inner[first:] if first is not None else ():
            assigns = n.get('kind') == 'BinaryOperator' and n['opcode'] == '='
            steps = n.get('kind') == 'UnaryOperator' and n['opcode'] in STEP
            returns = n.get('kind') == 'ReturnStmt' and not n.get('inner')
            span = self.span(n) if n.get('kind') in DELETABLE or assigns or steps or returns else None
            if span and self.source[span[1] : span[1] + 1] == b';' and not LEAK.match(self.text(*span)):
                self.add(span, *span, DELETED)


def of_file(path, include, flags):
    """The mutants of a file in the order of its text.  Several of one operator on a line are numbered: `&& -> || (2)`."""
    found = sorted(Finder(path, include, flags).found.values(), key=lambda m: (m.begin, m.end, m.text))
    alike = defaultdict(list)
    for m in found:
        alike[m.place].append(m)
    return [
        m._replace(operator=f'{m.operator} ({alike[m.place].index(m) + 1})') if len(alike[m.place]) > 1 else m
        for m in found
    ]


def reasons(path):
    """(file, line, operator) -> reason, from the comments of a file; the line is the next one with code."""
    text, found = path.read_text(), {}
    for m in REASON.finditer(text):
        name, _, reason = ' '.join(re.sub(r'\n\s*\*', ' ', m[1]).split()).partition(': ')
        line = text.count('\n', 0, BEHIND.match(text, m.end()).end()) + 1
        found[str(path), line, name] = reason
    return found
