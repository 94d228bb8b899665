# SPDX-License-Identifier: Apache-2.0
"""Plants the errors that make synth and make synth-check must detect; correct inputs must pass."""
import contextlib
import copy
import io
import json
import subprocess
import sys

from scripts.testing import Checks, main
from synth import baseline, cacti, critical, gates, measure, pages, storage, synth, yosys
from synth.selftest_runs import BLOCK, BUILD, OSU, SET, Runs, synthesized


def judged(new, old, **change):
    """Result of synth-check for `new` against a baseline `old` with some changed fields."""
    kept, baseline.PATH = baseline.PATH, BUILD / 'synth' / 'selftest' / 'baseline.tsv'
    baseline.save({BLOCK: {SET: {old['library']: old | change}}})
    with contextlib.redirect_stdout(io.StringIO()) as said:
        wrong, stale = synth.judge([(BLOCK, SET, new)], False, False)
    baseline.PATH = kept
    return wrong, stale, said.getvalue()


class Synthesis(Checks):
    @classmethod
    def setUpClass(cls):
        cls.out = BUILD / 'synth' / 'osu018_stdcells' / BLOCK / SET
        cls.program = [str(BUILD / 'cosim' / BLOCK / 'lockstep'), '--set', str(BUILD / 'sets' / BLOCK / SET)]

    def refused(self, name, text, *arguments):
        self.ended(name, synthesized('run', *arguments), False, text)

    def test_refusals(self):
        self.refused('a library that is not there', 'no such file', '--liberty', 'none.lib')
        self.refused('a file that is no library', 'expected a liberty file', '--liberty', 'synth/README.md')
        self.refused('a block that is not there', 'found no rtl/nothing', '--liberty', OSU, '--block', 'nothing')
        self.refused(
            'a set that is not there', 'found no parameter set', '--liberty', OSU, '--block', BLOCK, '--set', 'nothing'
        )
        self.refused(
            'parameters without a value',
            'expected Parameter=value',
            '--liberty',
            OSU,
            '--block',
            BLOCK,
            '--param',
            'Entries',
        )

    def test_a_set(self):
        """The other tests read its result."""
        done = synthesized('run', '--liberty', OSU, '--block', BLOCK, '--set', SET)
        self.ended(f'{BLOCK}/{SET} passes', done, True, 'netlist = twin')
        type(self).result = json.loads((self.out / 'result.json').read_text())
        block = measure.Block(BLOCK)
        type(self).placed = measure.on_fpga(measure.Job(block, SET, block.sets[SET], None, BUILD, None))
        self.expect(
            f'{BLOCK}/{SET} is placed and routed',
            self.placed['fpga']['logic_cells'] > 0 and self.placed['fpga']['fmax_mhz'] > 0,
            str(self.placed),
        )

    def test_wrong_gate(self):
        """One truth table of the netlist changed, three times; at least one of the gates is observable."""
        netlist = (self.out / 'registers.gates').read_bytes()
        found = 0
        for place in (0.3, 0.5, 0.7):
            words = gates.array('I', netlist)
            words[2 + 5 * int(place * words[1]) + 4] ^= 0xFF
            (self.out / 'wrong').write_bytes(words.tobytes())
            done = subprocess.run(
                [*self.program, '--cycles', '20000', '--gates', str(self.out / 'wrong')], capture_output=True, text=True
            )
            found += done.returncode == 1 and 'outputs differ' in done.stdout
        self.expect('a wrong gate fails lockstep', found >= 2, f'{found} of 3 seen')
        done = subprocess.run(
            [*self.program, '--cycles', '20000', '--gates', str(self.out / 'registers.gates')],
            capture_output=True,
            text=True,
        )
        self.expect('the right netlist passes', done.returncode == 0, done.stdout)

    def test_dropped_array(self):
        """A silent miscompilation of Yosys: its netlist must differ from the twin, so that lockstep detects it."""
        out = BUILD / 'synth' / 'selftest'
        out.mkdir(parents=True, exist_ok=True)
        source = out / 'cells.sv'
        source.write_text(
            'typedef struct packed { logic [3:0] a; } t;\nmodule cells (input wire logic clk_i, input wire logic [1:0] i_i, input wire logic [3:0] d_i, output logic [3:0] q_o);\n'
            '  t m [4];\n  always_ff @(posedge clk_i) m[i_i] <= d_i;\n  assign q_o = m[i_i];\nendmodule\n'
        )
        block = measure.plain(source)
        try:
            bits = sum(t['bits'] for t in yosys.tables(yosys.coarse(block, {}, out), 'cells').values())
            self.expect(
                'the array of a struct that Yosys drops is no table of 16 bits',
                bits != 16,
                f'{bits} bits: this Yosys keeps it',
            )
        except yosys.ToolError:
            self.expect('the array of a struct is refused', True)

    def test_baselines(self):
        def scaled(of, view, measure, factor):
            other = copy.deepcopy(of)
            other[view][measure] *= factor
            return other

        self.expect('the same passes', judged(self.result, self.result)[:2] == (0, 0))
        for of, view, what in (
            (self.result, 'registers', 'area_um2'),
            (self.result, 'registers', 'fmax_mhz'),
            (self.result, 'macros', 'area_um2'),
            (self.result, 'macros', 'fmax_mhz'),
            (self.placed, 'fpga', 'logic_cells'),
            (self.placed, 'fpga', 'fmax_mhz'),
        ):
            for factor, wanted in ((1.06, 1), (0.94, 1), (1.04, 0), (0.96, 0)):
                wrong, _, said = judged(scaled(of, view, what, factor), of)
                self.expect(f'{view}.{what} x {factor}: {"fails" if wanted else "passes"}', wrong == wanted, said)
        for of, view, tool in (
            (self.result, 'registers', 'yosys'),
            (self.result, 'registers', 'opensta'),
            (self.placed, 'fpga', 'nextpnr'),
        ):
            wrong, stale, said = judged(scaled(of, view, 'fmax_mhz', 2), of, tools=of['tools'] | {tool: '0.1'})
            self.expect(
                f'another {tool} is stale in view {view}, not a regression',
                (wrong, stale) == (0, 1) and 'STALE' in said,
                said,
            )
        wrong, _, said = judged({k: v for k, v in self.result.items() if k != 'macros'}, self.result)
        self.expect('a view that is missing fails', wrong == 1, said)

    def test_page_edited(self):
        """Each kind of page with a manual edit."""
        out = BUILD / 'synth' / 'selftest'
        plans = pages.plans_of()
        for name, path, old, new in (
            ('page', pages.PAGE, '# Area', '# The area'),
            (
                'block table',
                pages.BLOCKS,
                f'| [`{BLOCK}`](../rtl/{BLOCK}/README.md) |',
                f'| [`{BLOCK}`](../rtl/{BLOCK}/README.md)  |',
            ),
        ):
            copy_of = out / path.name
            copy_of.write_text(path.read_text().replace(old, new, 1))
            kept = pages.PAGE, pages.BLOCKS
            pages.PAGE, pages.BLOCKS = (copy_of if p is path else p for p in kept)
            with contextlib.redirect_stdout(io.StringIO()) as said:
                pages.pages(plans, False)
            pages.PAGE, pages.BLOCKS = kept
            self.expect(
                f'a {name} edited by hand fails', f'FAIL synth-pages {copy_of}' in said.getvalue(), said.getvalue()
            )
        text = '<!-- timing: made -->\ntyped\n<!-- /timing -->\n'
        self.expect(
            'Timing lines of a README are replaced',
            'typed' not in pages.readme(text, 'measured') and 'measured' in pages.readme(text, 'measured'),
        )

    def test_claims(self):
        """A figure of a paper: near, far without a reason, far with one, without a measurement."""
        data = {BLOCK: {SET: {self.result['library']: self.result}}}
        claim = {
            'set': SET,
            'nm': self.result['node_nm'],
            'what': 'w',
            'source': 's',
            'ours': 'registers_cells',
            'value': str(self.result['registers']['cells']),
        }
        for name, change, wanted in (
            ('near', {}, []),
            ('far without a why', {'value': '1'}, ['no why']),
            ('far with a why', {'value': '1', 'why': 'because of {registers_cells:,}'}, []),
            ('without a measurement', {'set': 'none'}, ['not in synth/baseline.tsv']),
        ):
            found = list(pages.unexplained(data, {BLOCK: {'paper': [claim | change]}}))
            self.expect(
                f'a figure of a paper, {name}: {"fails" if wanted else "passes"}',
                len(found) == len(wanted) and all(w in f for w, f in zip(wanted, found)),
                str(found),
            )
        for key, text in (('ours', 'registers_cels'), ('why', 'because of {registers_cels:,}')):
            try:
                found = list(pages.unexplained(data, {BLOCK: {'paper': [claim | {key: text}]}}))
            except SystemExit as e:
                found = str(e)
            self.expect(
                f'a name that nothing has in {key} of a figure is refused with its place',
                f'"w": {key}: found unknown name "registers_cels"' in str(found),
                str(found),
            )
        self.expect(
            'numbers in a why are filled in',
            pages.filled('{registers_cells:,} cells', pages.known(data, self.result))
            == f'{self.result["registers"]["cells"]:,} cells',
        )

    def test_papers_file(self):
        """synth/papers.toml with a name of no block, and with a key that nothing reads."""
        kept, pages.PAPERS = pages.PAPERS, BUILD / 'synth' / 'selftest' / 'papers.toml'
        for text, wanted in (
            ('[[nope]]\n', 'papers.toml: found "nope", expected one of'),
            (f'[[{BLOCK}]]\nvalu = "1"\n', f'papers.toml: {BLOCK}, number 1: found "valu", expected one of set'),
        ):
            pages.PAPERS.write_text(text)
            try:
                found = pages.plans_of()
            except SystemExit as e:
                found = e
            self.expect(f'papers.toml, {text.split()[-1]}: refused', wanted in str(found), str(found))
        pages.PAPERS = kept

    def test_path_in_words(self):
        """A register through an adder and a comparator into another; an output with an unrelated name."""
        out = BUILD / 'synth' / 'selftest'
        source = out / 'words.sv'
        source.write_text(
            'module words (input wire logic clk_i, input wire logic [7:0] d_i, output logic q_o);\n  logic [7:0] first_q, sum;\n  logic second_q, over;\n'
            '  assign sum = first_q + 8\'d3;\n  assign over = sum > d_i;\n  always_ff @(posedge clk_i) begin\n    first_q <= d_i;\n    second_q <= over;\n  end\n'
            '  assign q_o = second_q;\nendmodule\n'
        )
        block = measure.plain(source)
        design = yosys.coarse(block, {}, out)['modules']['words']
        netlist = 'module words\n  DFF _1_ (\n    .D(_3_),\n    .Q(\\first_q[2] )\n  );\n  DFF _2_ (\n    .D(_4_),\n    .Q(q_o)\n  );\n'
        report = 'Startpoint: _1_ (rising\nEndpoint: _2_ (rising\n 0.1 0.1 ^ _1_/Q (DFF)\n 0.1 0.2 ^ _7_/Z (INV)\n 0.0 0.2 ^ _2_/D (DFF)\n data arrival time'
        found = critical.describe(report, netlist, design)
        self.expect(
            'a critical path is reported in the signal names of the RTL',
            found == {'from': 'first_q', 'to': 'second_q', 'via': ['sum', 'over'], 'cells': 1},
            str(found),
        )

    def test_model(self):
        ported = storage.cell_um2(45, reads=2, writes=1)
        self.expect(
            'a bit is 146 F^2, and more with more ports',
            abs(storage.cell_um2(45) - 146 * 0.045**2) < 1e-9 < ported - storage.cell_um2(45),
        )
        self.expect(
            'a doubling of the bits adds 1.2 FO4',
            abs(storage.access_fo4(128, 32) - storage.access_fo4(64, 32) - 1.2) < 1e-9,
        )

    def test_functions(self):
        """Function syntax of libraries against Python's evaluation; the decomposition into steps of three pins has the same values."""
        for text, same in (
            ("(!((A B)+C))", lambda A, B, C: not (A and B or C)),
            ("(A+B)' C", lambda A, B, C: not (A or B) and C),
            ('A ^ B & !C', lambda A, B, C: (A ^ B) and not C),
            ('((A^B)^C)', lambda A, B, C: A ^ B ^ C),
            ('(A1&B1) | (A2&B1) | (A1&B2) | (A2&B2)', lambda A1, A2, B1, B2: (A1 or A2) and (B1 or B2)),
            ('!(A & B & C & D)', lambda A, B, C, D: not (A and B and C and D)),
            (
                '(A0&!S0&!S1) | (A1&S0&!S1) | (A2&!S0&S1) | (A3&S0&S1)',
                lambda A0, A1, A2, A3, S0, S1: (A3 if S0 else A2) if S1 else (A1 if S0 else A0),
            ),
        ):
            pins, wrong = gates.support(gates.Function(text).tree), 0
            for k in range(1 << len(pins)):
                nets = {p: k >> i & 1 for i, p in enumerate(pins)}
                wanted = int(same(**nets))
                for name, inputs, table in gates.recipe_of(text):
                    nets[name] = table >> sum(nets[p] << i for i, p in enumerate(inputs)) & 1
                wrong += nets[name] != wanted
            self.expect(f'{text} has the values of its reading in Python', wrong == 0, f'{wrong} values differ')
        try:
            gates.Function('(A & ')
            self.expect('a function that ends too early is refused', False)
        except ValueError as e:
            self.expect('a function that ends too early is refused', '(A & ' in str(e), str(e))

    def test_fake_cacti(self):
        """The binary is not in Debian: parses a sample output, and a broken one."""
        out = BUILD / 'synth' / 'selftest'
        program, kept = out / 'cacti', cacti.binary
        cacti.binary = lambda: str(program.resolve())
        for name, text in (
            ('read', 'Access time (ns): 0.25\\n  Cache height x width (mm): 0.02 x 0.05'),
            ('refused', 'ERROR'),
        ):
            program.write_text(f'#!/bin/sh\nprintf "{text}\\n"\n')
            program.chmod(0o755)
            try:
                got = cacti.macro(64, 24, 1, 45, out / 'table.cacti')
                self.expect(
                    'areas of a cacti on the PATH are read',
                    name == 'read' and abs(got['cacti_um2'] - 1000) < 1e-6 and got['cacti_ns'] == 0.25,
                    str(got),
                )
            except yosys.ToolError as e:
                self.expect('a cacti that fails is an error', name == 'refused', str(e))
        cacti.binary = kept


if __name__ == '__main__':
    sys.exit(main('synth-selftest', Synthesis, Runs))
