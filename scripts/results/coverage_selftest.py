# SPDX-License-Identifier: Apache-2.0
"""make coverage: which points count as covered, which as not reachable, which lists are refused; on a small module and files of hits that are written here.
usage: python3 -B -m scripts.results.coverage_selftest BUILD"""
import argparse
import contextlib
import io
import json
import os
import re
import shutil
import sys
from pathlib import Path

from cosim import conditions
from cosim.coverage import Report, Run, bit_of, constant, elaborated, elaboration, merged, values_of
from cosim.manifest import Manifest, ParamError
from cosim.own_rtl import OwnRtl
from cosim.reach import each_number
from scripts.testing import Checks, main, run

FOLDER = Path(sys.argv[1], 'coverage-selftest')
RTL = '''\
module mt_toy #(
  parameter int W = 2
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         up_i,
  input  wire logic [W-1:0] by_i,
  output logic [W-1:0]      count_o,
  output logic [1:0]        error_o
);
  logic [W-1:0] count_q;
  logic [1:0]   error_q;
  assign count_o = up_i ? count_q : '0;
  assign error_o = error_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q <= '0;
      error_q <= '0;
    end else begin
      count_q <= count_q + by_i;
      if (count_q == '1) error_q <= 2'd1;
    end
  end
endmodule
'''
# A user's: two modules in a file, headers in other forms, a generate block of another habit; in REAL, a condition that no function takes.
OWN = '''\
module inner (input wire logic a_i, output logic b_o); assign b_o = a_i ? 1'b0 : 1'b1; endmodule : inner
module own import own_pkg::*; #(parameter int W = 2, parameter int X = (W > 1) ? 1 : 0) (input wire logic up_i,
  output logic [W-1:0] count_o, output logic [1:0] error_o);
  if (X == 1) begin : gen_x
    logic [1:0] both;
    assign both = {up_i, 1'b1};
    assign error_o = up_i ? both : 2'd1;
  end
  inner u_inner (.a_i(up_i), .b_o(count_o[0]));
  other u_other (.a_i(up_i), .b_o(count_o[1]));
endmodule
'''
OTHER = 'module other (input wire logic a_i, output logic b_o);\n{}\nendmodule\n'
REAL = OTHER.format("real x; assign x = a_i ? 1.0 : 0.0; assign b_o = x ? 1'b1 : 1'b0;")
LINES = {'if': (16, '16-18'), 'else': (16, '19-21')}
BITS = ('clk_i', 'rst_ni', 'up_i', 'by_i[0]', 'by_i[1]', 'count_o[0]', 'count_o[1]', 'count_q[0]', 'count_q[1]')
BITS += ('error_o[0]', 'error_o[1]', 'error_q[0]', 'error_q[1]')
AT = {'clk_i': 4, 'rst_ni': 5, 'up_i': 6, 'by_i': 7, 'count_o': 8, 'error_o': 9, 'count_q': 11, 'error_q': 12}


def points(hits, file):
    """Verilator's file: every point has 5 hits, a constant bit 0, but for those in `hits`."""
    base = {'error_o[1]': 0, 'error_q[1]': 0} | hits

    def point(kind, line, name, lines=''):
        words = {'f': file, 'l': line, 'n': 1, 'page': f'v_{kind}/mt_toy', 'o': name.split('@')[0], 'S': lines}
        text = ''.join(f'\1{k}\2{v}' for k, v in {**words, 'h': 'TOP.mt_toy'}.items())
        return f"C '{text}' {base.get(name, 5)}\n"

    said = '# SystemC::Coverage-3\n'
    said += ''.join(point('branch', *(LINES[n][0], n, LINES[n][1])) for n in LINES)
    said += point('branch', 21, 'if@21', '21') + point('branch', 21, 'else@21')
    said += point('branch', 24, 'if@c') + point('branch', 24, 'else@c') + point('line', 24, 'block@c', '24')
    said += ''.join(point('toggle', AT[b.split('[')[0]], b) for b in BITS)
    return said + f"C '\1f\2x\1page\2v_user/toy\1o\2a point' {base.get('a point', 1)}\n"


class Coverage(Checks):
    def setUp(self):
        shutil.rmtree(FOLDER, ignore_errors=True)
        for name in ('rtl/toy', 'rtl/lib', 'cosim/blocks/toy'):
            (FOLDER / name).mkdir(parents=True)
        (FOLDER / 'rtl/toy/mt_toy.sv').write_text(RTL)
        (FOLDER / 'rtl/toy/toy.toml').write_text('[sets]\none = "W=2"\ntwo = "W=2"\n')
        self.before = os.getcwd()
        os.chdir(FOLDER)

    def tearDown(self):
        os.chdir(self.before)

    def report(self, hits, listed='', two=None, some=False):
        """Of set one with these hits, and of set two."""
        Path('cosim/blocks/toy/coverage.toml').write_text(listed)
        runs = []
        for name, of in (('one', hits), ('two', two)):
            copy = Path(f'build/rtl/toy/{name}.cover/rtl')
            copy.mkdir(parents=True, exist_ok=True)
            _, lines = conditions.instrumented(RTL, 'x')
            (copy / 'conditions.json').write_text(json.dumps({'rtl/toy/mt_toy.sv': lines}))
            run = Run('toy', name, 1, Path('build'))
            run.data().parent.mkdir(parents=True, exist_ok=True)
            run.data().write_text(points(of or {}, f'{copy}/toy/mt_toy.sv'))
            runs += [run] if of is not None else []
        args = argparse.Namespace(build=Path('build'), params='', some=some, sets=[])
        return Report(Manifest(Path('rtl/toy/toy.toml')), merged(runs), args)

    def refused(self, name, said, *args, **options):
        try:
            found = self.report(*args, **options).errors
        except ParamError as e:
            found = [str(e)]
        self.expect(name, any(said in e for e in found), found)

    def test_covered(self):
        r = self.report({})
        self.equal('all is covered', (r.errors, r.left), ([], []))
        self.equal('bits that Yosys finds constant', {k[2] for k in r.constant}, {'error_o[1]', 'error_q[1]'})
        self.equal(
            'lines, branches, toggles', r.numbers, {'lines': (6, 6, 0), 'branches': (6, 6, 0), 'toggles': (11, 11, 2)}
        )
        r = self.report({'count_q[1]': 1})
        self.equal('a bit that went one way', r.left, ['toggles  rtl/toy/mt_toy.sv:11: count_q[1]'])
        r = self.report({'else@c': 0})
        self.equal(
            'a condition that is never false',
            r.left,
            ["branches  rtl/toy/mt_toy.sv:13: up_i is false, of assign count_o = up_i ? count_q : '0;"],
        )
        r = self.report({'count_q[1]': 0, 'if@21': 0}, two={'count_q[0]': 0, 'else@21': 0})
        self.equal('two sets together', (r.errors, r.left), ([], []))
        r.write()
        r = self.report({'else': 0})
        r.write()
        text = Path('build/coverage/toy/mt_toy.sv.txt').read_text()
        self.expect('marks of the source', '!          0       count_q <= count_q + by_i;' in text, text)

    def test_limits(self):
        self.refused('too few lines', 'lines: found 66.6 %, expected 98 %', {'else': 0})
        self.refused('too few branches', 'branches: found 83.3 %, expected 95 %', {'if@c': 0})
        self.refused('too few toggles', 'toggles: found 81.8 %, expected 90 %', {'count_q[0]': 1, 'count_q[1]': 1})
        self.refused('an input without a stimulus', 'up_i: never driven in set one', {'up_i': 1}, two={})

    def test_lists(self):
        r = self.report({'if@c': 0}, '[branches]\n"mt_toy.sv: up_i is true" = "a reason"\n')
        self.equal('a branch that is listed', (r.errors, r.numbers['branches']), ([], (5, 5, 1)))
        r = self.report({'count_q[0]': 0, 'count_q[1]': 0}, '[toggles]\n"count_q" = "a reason"\n')
        self.equal('a signal that is listed', (r.errors, r.numbers['toggles']), ([], (9, 9, 4)))
        r = self.report({'count_q[0]': 0, 'count_q[1]': 0}, '[toggles]\n"count_q[1:0]" = "a reason"\n')
        self.equal('its bits', (r.errors, r.numbers['toggles']), ([], (9, 9, 4)))
        r = self.report({'count_q[0]': 0, 'count_q[1]': 0}, '[toggles]\n"count_q[1:1]" = "a reason"\n')
        self.equal('some of them', r.numbers['toggles'], (9, 10, 3))
        self.equal('two lists', each_number('q[1:0][?][7,3:2]')[2:4], ['q[0][?][3]', 'q[1][?][7]'])
        where = 'cosim/blocks/toy/coverage.toml:2: '
        stale = '[toggles]\n"count_q[0]" = "a reason"\n'
        self.refused('an entry that is covered', f'{where}count_q[0]: covered', {}, stale)
        stale = '[toggles]\n"count_q[1:0]" = "a reason"\n'
        self.refused('bits one of which is covered', f'{where}count_q[1:0]: covered', {'count_q[1]': 0}, stale)
        stale = '[lines]\n"mt_toy.sv: count_q + by_i" = "a reason"\n'
        self.refused('a line that is covered', f'{where}mt_toy.sv: count_q + by_i: covered', {}, stale)
        none = '[toggles]\n"cuont_q" = "a reason"\n'
        self.refused('an entry of nothing', f'{where}cuont_q: names no point', {}, none)
        self.equal('with sets of the caller it may name nothing', self.report({}, none, some=True).errors, [])
        self.refused('no reason', f'{where}count_q: found ' + "''", {}, '[toggles]\n"count_q" = ""\n')
        self.refused('no property', 'found p_none, expected a property', {}, '[toggles]\n"count_q" = "p_none"\n')
        self.refused('no invariant', 'found x_none, expected a property', {}, '[toggles]\n"count_q" = "x_none"\n')
        self.refused('another key', 'found "togles", expected one of', {}, '[togles]\n')
        self.refused('another set', 'found "three", expected one of one, two', {}, 'sets = ["three"]\n')

    def test_conditions(self):
        for name, text, wanted in (
            ('a vector', 'assign y = x[1:0] ? a : b;', 'assign y = mt_condition_x_0(|(x[1:0])) ? a : b;'),
            ('in a register', 'q <= c ? a : b;', 'q <= mt_condition_x_0(|(c)) ? a : b;'),
            ('a comparison', 'y = (a == b) ? c : d;', 'y = mt_condition_x_0(|((a == b))) ? c : d;'),
            ('chained', 'y = a ? b : c ? d : e;', 'y = mt_condition_x_0(|(a)) ? b : mt_condition_x_1(|(c)) ? d : e;'),
            ('nested', '((a ? b : c) ? d : e)', '(mt_condition_x_1(|((mt_condition_x_0(|(a)) ? b : c))) ? d : e)'),
            ('of parameters', 'y = (W > 1) ? a : b;', 'y = (W > 1) ? a : b;'),
            (
                'a constant',
                "localparam int X = f(y) ? 1 : 0; z = 3'b1?;",
                "localparam int X = f(y) ? 1 : 0; z = 3'b1?;",
            ),
            ('a comment', 'y = a; // b ? c : d', 'y = a; // b ? c : d'),
        ):
            new, _ = conditions.instrumented(f'{text}\nendmodule\n', 'x')
            self.equal(f'condition {name}', new.splitlines()[0].replace(' ))', '))'), wanted)
        new, lines = conditions.instrumented('module x (\n);\n  assign y = a ? b : c;\nendmodule\n', 'x')
        self.equal('its line', lines, {4: (3, 'a')})
        self.expect('its function', 'mt_condition_x_0' in new.splitlines()[3], new)

    def own(self, design=OWN, other=REAL):
        """The copy of a user's design, and what is said about it."""
        Path('mine').mkdir()
        Path('mine/own.sv').write_text(design)
        Path('mine/other.sv').write_text(other)
        Path('mine/own_pkg.sv').write_text('package own_pkg;\n  localparam int One = 1;\nendpackage\n')
        out = Path('build/rtl/toy/one_rtl_0.cover/rtl')
        out.mkdir(parents=True)
        (out.parent / 'own.f').write_text('-GW=2\n')
        own, said = OwnRtl('mine', 'own', 'milg'), io.StringIO()
        copy = conditions.OwnCopy(out, own)
        with contextlib.redirect_stdout(said):
            copy.write()
        return own, copy, said.getvalue()

    def test_own(self):
        own, copy, said = self.own()
        self.equal('Verilator takes the copy', copy.refused(), '')
        self.equal('a file that it does not take stays as it is', re.findall(r'note +(\S+):', said), ['mine/other.sv'])
        lines = json.loads(Path('build/rtl/toy/one_rtl_0.cover/rtl/conditions.json').read_text())
        self.equal('conditions of both modules', [v for v in lines['mine/own.sv'].values()], [[1, 'a_i'], [7, 'up_i']])
        shown = run('verilator', '--lint-only', '-Wall', '--top-module', 'own', *copy.arguments(), cwd=Path.cwd())
        wrong = [w for w in re.findall(r'(\S+\.sv):(\d+):', shown.said) if int(w[1]) > 11 and w[0] == 'mine/own.sv']
        self.expect('messages name the lines of the user', 'mine/own.sv:' in shown.said and not wrong, shown.said)
        r = Run('toy', 'one', 1, Path('build'), '_rtl_0')
        self.equal('parameters of the module', values_of(r), {'W': 2})
        self.equal('files apart from those of the block', str(r.data()), 'build/coverage/toy_own/one-1.dat')

    def test_own_report(self):
        own, _, _ = self.own(OWN.replace(' import own_pkg::*;', ''), OTHER.format('assign b_o = a_i;'))
        file, r = 'mine/own.sv', Run('toy', 'one', 1, Path('build'), '_rtl_0')
        function = min(int(k) for k in json.loads((r.rtl() / 'rtl/conditions.json').read_text())[file])

        def point(kind, line, name, hits, at='TOP.own'):
            words = {'f': file, 'l': line, 'n': 1, 'page': f'v_{kind}/own', 'o': name, 'S': '', 'h': at}
            text = ''.join(f'\1{k}\2{v}' for k, v in words.items())
            return f"C '{text}' {hits}\n"

        def report(listed, **hits):
            Path('mine/coverage.toml').write_text(listed)
            r.data().parent.mkdir(parents=True, exist_ok=True)
            bits = {'count_o[0]': 5, 'error_o[0]': 0, 'error_o[1]': 5} | hits
            r.data().write_text(
                point('branch', function, 'if', 5)
                + point('branch', function, 'else', 0)
                + point('toggle', 2, 'up_i', hits.get('up_i', 5))
                + ''.join(point('toggle', 3, b, n) for b, n in bits.items() if b != 'up_i')
            )
            args = argparse.Namespace(build=Path('build'), params='', some=True, sets=[])
            return Report(Manifest(Path('rtl/toy/toy.toml')), merged([r]), args, own, {'one': {'W': 2}})

        found = report('')
        self.equal('constant bits of a user', {k[2] for k in found.constant}, {'error_o[0]'})
        self.equal('a condition that is never false', found.left[0][:37], 'branches  mine/own.sv:1: a_i is false')
        self.expect('is too few', any(e.startswith('branches: found 50.0 %') for e in found.errors), found.errors)
        listed = '[branches]\n"own.sv: a_i is false" = "a reason"\n'
        self.equal('its list stands beside the design', report(listed).errors, [])
        inside = report(listed, x_i=1).errors
        self.expect('a signal inside is no input', inside and not any('x_i' in e for e in inside), inside)
        self.equal('an input without a stimulus', report(listed, up_i=1).errors[-1:], ['up_i: never driven in set one'])
        self.expect(
            'the line names the design', report(listed).line().endswith('RTL=mine TOP=own'), report(listed).line()
        )

    def test_headers(self):
        """The end of a module's header, and the names of generate blocks."""
        for text in (
            'module x (\n  input a\n);\n',
            'module x;\n',
            'module automatic x import p::*, q::z; #(parameter A = f(1, (2))) (input a);\n',
        ):
            code = conditions.each_cycle(f'{text}assign y = a ? b : c;\nendmodule\n')
            self.equal(f'header {text.split()[1]}', code.split(), 'assign y = a ? b : c; endmodule'.split())
        found = list(conditions.generated('if (A) begin : gen_a\n  logic b;\nend else begin : other\n  logic c;\nend'))
        self.equal('blocks g_ and gen_', [name for _, name in found], ['', 'b'])

    def test_constants(self):
        text = 'if (W < 0) begin : g_a\nend else if (W > 1) begin : g_b\n  logic [1:0] x;\n  assign x = {up_i, 1\'b1};\nend\n'
        Path('rtl/toy/mt_toy.sv').write_text(RTL.replace('endmodule', f'{text}endmodule'))
        nets = elaborated('toy', {'W': 2})
        self.equal('a bit in an else if', [constant(nets, f'g_b.x[{n}]') for n in range(2)], [True, False])

    def test_signals_of_generate_blocks(self):
        text = 'begin : g_x\n  logic [$clog2(W)-1:0] a, b; // logic c;\n  always_comb begin\n    logic d;\n  end\nend\nlogic e;'
        new, _ = conditions.instrumented(f'{text}\nendmodule\n', 'x')
        added = ''.join(f' mt_signal_x #(.W($bits({n}))) mt_signal_2_{n} (.unused({n}));' for n in 'ab')
        self.equal('they are ports', new.partition('\nendmodule')[0], text.replace('a, b;', f'a, b;{added}'))
        self.expect('of a module', 'module mt_signal_x #' in new, new)
        self.equal(
            'one warning is off, for it alone',
            re.findall(r'lint_(\w+ \w+)', new),
            ['off DECLFILENAME', 'on DECLFILENAME'],
        )
        text = 'if (f(W)) begin : g_x\nend else begin : g_y\nend\nfor (;;) begin : g_z\nend'
        new, _ = conditions.instrumented(f'{text}\nendmodule\n', 'x')
        self.equal('branches', (list(conditions.branches(text)), new.count('mt_signal_x mt_branch_')), ([1, 2], 2))
        inside = 'TOP.mt_toy.g_x[0].u_y.g_z.mt_signal_7_a_q'
        self.equal('their names', bit_of(inside, 30, 'unused[1]'), (7, 'g_x[0].u_y.g_z.a_q[1]'))
        self.equal('names of others', bit_of('TOP.mt_toy.u_y', 9, 'v[1]'), (9, 'u_y.v[1]'))

    def test_functions_of_constants(self):
        name = 'rtl/toy/functions.sv'
        function = 'function automatic int {0}(input int x);\n  {0} = {1};\nendfunction\n'.format
        Path(name).write_text(
            'module x (\n);\n'
            + function('f', 'x')
            + function('g', 'x')
            + function('h', 'g(x)')
            + 'localparam int F = f(2);\nassign y = h(z);\nendmodule\n'
        )
        self.equal('their lines, not those that a cycle executes', sorted(elaboration(name)), [3, 4, 5])


if __name__ == '__main__':
    sys.exit(main('coverage-selftest', Coverage))
