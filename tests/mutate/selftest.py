# SPDX-License-Identifier: Apache-2.0
"""Tests of the mutation runs: the mutants of a text, the verdicts on known ones, and the refusal of false reasons."""
import json
import os
import re
import sys
from types import SimpleNamespace
from unittest import mock

from scripts.testing import ROOT, Checks, main, run
from tb.prove import mutate as rtl_mutants
from tests.mutate import mutants, mutate

OUT = ROOT / 'build/mutate/selftest'
TEXT = '''#define TWICE(x) ((x) + (x))
static int limit = 3 + 4;
static int pick(int a, int b)
{
    static int kept = 5;
    switch (a) {
    case 7:
        b++;
        break;
    default:
        if (a < b && !kept) b -= TWICE(a);
    }
    return a ? b : limit;
}
'''
# old, new; DELETED stands for a statement that is gone.  Nothing of the macro, the static values, or the label.
EXPECTED = {
    ('b++', 'b--'),
    ('b++', '(void)0'),
    ('break', '(void)0'),
    ('a < b && !kept', '!(a < b && !kept)'),
    ('a < b && !kept', 'a < b || !kept'),
    ('a < b', 'a <= b'),
    ('a < b', 'a >= b'),
    ('!kept', 'kept'),
    ('b -= TWICE(a)', '(void)0'),
    ('b -= TWICE(a)', 'b += TWICE(a)'),
    ('a ? b : limit', 'a ? limit : b'),
    ('a ? b : limit', '!(a) ? b : limit'),
}
COMMENTED = '''static int pick(int a, int b)
{
    return a && b &&
           /* here */
           /* another comment */
           a && a < b ? -a : 64;
}
'''
# Comment, the replacement of the mutant whose reason it is, or the report.
REASONS = [
    ('', r'^$'),
    ('/* mutant: < -> <=: a reason */', r'^<=$'),
    ('/* mutant: 64 - 1: a reason\n            * on two lines */', r'^\(64 - 1\)$'),
    ('/* mutant: - dropped: one */\n/* mutant: < -> >=: another */', r'^>=; $'),
    (
        '/* mutant: <= -> <: a reason */',
        r':6: mutant: <= -> <: found no such mutant on this line, expected a reason after one of .*< -> <=',
    ),
    ('/* mutant: < -> <= */', 'found no reason'),
    ('a < b && /* mutant: || -> &&: behind its line */', 'found no such mutant'),
    ('a &&  /* mutant: < -> <=: where the formatter moves it */', r'^<=$'),
]
FILE = 'cmodel/system/cache/tags.c'
RUNS = [  # arguments of make, expected output (a pattern), exit statuses
    # Most LRU mutants are killed; the text decides which four are drawn.
    (['mutate-system', f'FILES={FILE}', 'FUNCTION=tags_touch', 'COUNT=4'], r'together \| 4 \| [2-4] ', (0, 2)),
    # Two files with the same name.
    (
        ['mutate-system', 'FILES=cmodel/system/cache/inputs/fifo.c cmodel/system/sm/inputs/fifo.c', 'COUNT=1'],
        r'together \| [01] ',
        (0, 2),
    ),
    (
        ['mutate-system', 'FILES=cmodel/system/none.c'],
        'found cmodel/system/none.c, expected C files of cmodel/system',
        (2,),
    ),
    (['mutate-system', 'STALE=1'], '[1-9][0-9]* reasons, 0 of them without a mutant', (0,)),
    (['mutate', 'BLOCK=milg', 'COUNT=2', 'CROSS=1'], 'mutate: 2 mutants of 1 blocks', (0,)),
    (['mutate', 'BLOCK=none'], 'BLOCK: found "none", expected', (2,)),
]


class Mutation(Checks):
    def test_finder(self):
        OUT.mkdir(parents=True, exist_ok=True)
        path = OUT / 'text.c'
        path.write_text(TEXT)
        found = {(m.old, m.new) for m in mutants.of_file(path, [], ['-std=c17'])}
        self.expect(
            'the mutants of a text', found == EXPECTED, f'missing {EXPECTED - found}\nbesides {found - EXPECTED}'
        )

    def test_ccache(self):
        path, flags = ROOT / 'cmodel/system/uvm/tlb.c', ['-std=c17', '-Icmodel', '-Icmodel/blocks']
        with mock.patch.dict(os.environ, {'PATH': f'/usr/lib/ccache:{os.environ["PATH"]}'}):
            self.expect('mutants with ccache first in PATH', mutants.of_file(path, [], flags))

    def test_reasons(self):
        """A comment is the reason of a mutant on the next line of code; others are reported."""
        OUT.mkdir(parents=True, exist_ok=True)
        path = OUT / 'reasons.c'
        for text, wanted in REASONS:
            path.write_text(COMMENTED.replace('/* here */', text))
            found = mutants.of_file(path, [], ['-std=c17'])
            listed, stale = mutate.read_reasons(found, [path])
            said = '\n'.join(stale) or '; '.join(m.text for m in found if m.place in listed)
            self.expect(f'reason: {" ".join(text.split())}', re.search(wanted, said), said)
        path.write_text(COMMENTED.replace('/* here */', ''))
        plain = [m.key for m in mutants.of_file(path, [], ['-std=c17'])]
        path.write_text(COMMENTED.replace('/* here */', '/* mutant: && -> || (2): a reason */'))
        self.expect(
            'a reason keeps the order of trial', plain == [m.key for m in mutants.of_file(path, [], ['-std=c17'])]
        )
        m = next(m for m in found if m.operator == '< -> <=')
        for verdict, reasons, wanted in (
            ('survived', {m.place: 'a reason'}, True),
            ('survived', {}, False),
            ('suite/test', {m.place: 'a reason'}, False),
            ('suite/test', {}, True),
        ):
            right = mutate.report([(m, verdict)], [path], reasons, [])
            self.expect(f'{verdict}, {len(reasons)} reasons: {"right" if wanted else "wrong"}', right == wanted)

    def test_drawing(self):
        """Each file has its first mutants before any has its third, and a row if it has none."""
        made = [
            mutants.Mutant(f'{f}.c', 'f', n, n, n, n, n + 1, '', 'a', str(n))
            for f in 'ab'
            for n in range({'a': 90, 'b': 3}[f])
        ]
        first = [m.file for m in mutate.draw(made, 1)[: 2 * mutate.OF_EACH]]
        self.expect('each file has its first mutant before any has its second', set(first[:2]) == {'a.c', 'b.c'}, first)
        rows = mutate.table([(made[0], 'survived')], ['a.c', 'none.c'])
        self.expect(
            'every file is drawn, and has a row',
            sorted(first) == ['a.c', 'a.c', 'b.c', 'b.c'] and '| none.c | 0 |' in rows,
            f'{first}\n{rows}',
        )

    def test_again(self):
        """AGAIN=1 tries the survivors of the last run, of the same code; comments and tests are no part of it."""
        made = [mutants.Mutant('a.c', 'f', n, n, n, n, n + 1, '', 'a', str(n)) for n in range(3)]
        last = {made[0].key: 'suite/test', made[1].key: 'survived'}
        tried = []
        run_of = SimpleNamespace(judge=lambda m: tried.append(m) or 'other/test')
        verdicts = [v for _, v in mutate.judged(run_of, made, 3, 1, last)]
        self.expect(
            'a killed mutant keeps its verdict, the others are tried',
            (verdicts, tried) == (['suite/test', 'other/test', 'other/test'], made[1:]),
            (verdicts, tried),
        )
        kept = OUT / 'verdicts.json'
        kept.parent.mkdir(parents=True, exist_ok=True)
        mutate.write(kept, {'code': 'this', 'verdicts': [(made[0].key, 'survived')]})
        self.expect('verdicts are kept', mutate.read_verdicts(kept, 'this') == {made[0].key: 'survived'})
        for path, code, wanted in (
            (kept, 'other', 'found a run of other code'),
            (OUT / 'none.json', 'this', 'found no run'),
        ):
            try:
                said = mutate.read_verdicts(path, code)
            except SystemExit as e:
                said = str(e)
            self.expect(f'AGAIN=1 after {wanted.removeprefix("found ")} is refused', wanted in said, said)
        places = mutate.places_of_code('a;\n/* one\n * two */\nb;\n')
        self.expect('a comment moves no place of code', (places[1], places[4]) == (1, 2), places)

    def test_suites(self):
        """The suites that the texts name are those of the program; coverage is kept for each."""
        text = OUT / 'suite.c'
        text.parent.mkdir(parents=True, exist_ok=True)
        text.write_text(
            'TestSuite(one, .init = f);\nTest(one, a)\nParameterizedTest(struct x *p, two, b)\n  Test(no)\n'
        )
        found = mutate.suites_in([text])
        self.expect('suites of a text', found == ['one', 'two'], found)

    def test_ranges(self):
        """Yosys compares RTL and mutant in the ranges that are invariants: no more, and no less."""
        for name, found, limit, wanted in (
            ('beyond its range', 3, 3, True),
            ('without a range', 3, None, False),
            ('within its range', 2, 3, False),
        ):
            for face, kept in (('gold', 1), ('gate', 0)):
                folder = OUT / face
                folder.mkdir(parents=True, exist_ok=True)
                (folder / 'top.v').write_text(
                    'module top(input clk, input [1:0] d, output y, output [1:0] z);\n'
                    '  reg [1:0] r; always @(posedge clk) r <= d;\n'
                    f"  assign y = (r == {found}) & 1'b{kept}, z = r;\nendmodule\n"
                )
                rtl_mutants.yosys(
                    f'read_verilog {folder}/top.v\nproc\nwrite_json {folder}/rtl.json\n', folder / 'top.ys'
                )
            nets = json.loads((OUT / 'gate/rtl.json').read_text())['modules']['top']['netnames']['r']['bits']
            original = SimpleNamespace(folder=OUT / 'gold', block=SimpleNamespace(module='top'))
            same = rtl_mutants.same_rtl(original, OUT / 'gate', 20, [(nets, limit)] if limit else [])
            self.expect(f'a change {name} is {"equal" if wanted else "a difference"}', same == wanted)

    def test_runs(self):
        for arguments, wanted, statuses in RUNS:
            done = run('make', '-s', '-C', ROOT, *arguments)
            self.expect(
                f'make {" ".join(arguments)}',
                re.search(wanted, done.said) and done.status in statuses,
                f'status {done.status}, expected one of {statuses}; not found: {wanted}\n{done.out[-2000:]}{done.err[-2000:]}',
            )


if __name__ == '__main__':
    sys.exit(main('mutate-selftest', Mutation))
