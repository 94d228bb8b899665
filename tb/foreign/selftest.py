# SPDX-License-Identifier: Apache-2.0
"""RTL from outside the tree: tb/foreign/milg, whose registers are others than the twin's, is equal in lockstep, for a number of cycles from
reset, and by its relation; a bug in it is found in each of these ways; other ports, other registers and wrong relations are named.
usage: python3 -B -m tb.foreign.selftest BUILD"""
import re
import shutil
import sys
from pathlib import Path

from scripts.testing import PYTHON, ROOT, Checks, main, run

MILG = 'tb/foreign/milg'
RELATION = f'{MILG}/milg.relation'
SIZE = 'InflightW=2 RfW=4 ReqW=2'  # the set tiny
BUG = ("after > W'(Full)", "after >= W'(Full)")
FOLDER = Path(sys.argv[1], 'foreign-selftest')


def proved(*words):
    """Calls the prover without make, which would read every manifest first.  One other run goes through make, to test that it passes the variables on."""
    return run(*PYTHON, 'tb.prove.prove', 'milg', '--sizes', SIZE, '--out', FOLDER / 'prove', *words)


def make(*words):
    return run('make', *words, 'BLOCK=milg', alone=True)


def lockstep(*words):
    return make('cosim', *words, 'CYCLES=20000', 'WAVES=0')


def changed(folder, name, *pairs, file='milg.sv'):
    """A copy of the design, or of its relation, with texts replaced that are there once."""
    text = (ROOT / MILG / file).read_text()
    for old, new in pairs:
        assert text.count(old) == 1, f'{old}: found {text.count(old)} times in {file}'
        text = text.replace(old, new)
    path = folder / name / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path if file.endswith('relation') else path.parent


class Foreign(Checks):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(FOLDER, ignore_errors=True)
        cls.bug = changed(FOLDER, 'bug', BUG)

    def test_lockstep(self):
        self.ended(
            'lockstep: equal outputs',
            lockstep('SET=tiny', f'RTL={MILG}', 'STATE=0'),
            True,
            r'PASS cosim milg/tiny .* RTL=tb/foreign/milg STATE=0',
        )
        done = lockstep('SET=tiny', f'RTL={self.bug}', 'STATE=0')
        self.ended(
            'lockstep: a bug is found',
            done,
            False,
            'FAIL cosim milg/tiny',
            rf'rerun  make cosim BLOCK=milg SET=tiny RTL={self.bug} STATE=0',
            'replayed: [1-9] of 6 outputs differ',
        )
        self.ended(
            'lockstep: other registers are named',
            lockstep('SET=tiny', f'RTL={MILG}'),
            False,
            r'milg has other registers than \S*milg.h',
            r'inflight_q \(\d+ bits\)',
            'STATE=0 compares outputs alone',
        )
        ports = changed(
            FOLDER,
            'ports',
            ('input  wire logic                 fail_valid_i,\n', ''),
            ('fail_valid_i && failures', 'failures'),
            ('output logic [1:0]                error_o', 'output logic [2:0]                error_o'),
            ('{bad_issue, bad_retire};\n', "{1'b0, bad_issue, bad_retire};\n"),
        )
        self.ended(
            'lockstep: other ports are named',
            lockstep('SET=tiny', f'RTL={ports}', 'STATE=0'),
            False,
            'fail_valid_i: found no port, expected an input of 1 bits',
            'error_o: found an output of 3 bits, expected an output of 2 bits',
        )
        self.ended(
            'prove: other ports are named',
            proved('--rtl', ports),
            False,
            'fail_valid_i: found no port',
            'error_o: found an output of 3 bits',
        )
        for name, words, text in (
            ('a path with nothing', ['RTL=nothing'], 'RTL=nothing: found nothing'),
            ('a module that is not there', [f'RTL={MILG}', 'TOP=other'], 'found module milg, expected other'),
            ('TOP alone', ['TOP=milg'], 'TOP: found no RTL='),
            ('STATE=0 alone', ['STATE=0'], 'STATE=0: found no RTL='),
        ):
            self.ended(f'lockstep: {name} is refused', lockstep('SET=tiny', *words), False, text)

    def test_some_build(self):
        """A loop over more words than Verilator unrolls by itself, in a design that has no set with a small RfW: the other set runs."""
        more = "logic [7:0] words_q [128];\n  always_ff @(posedge clk_i) for (int i = 0; i < 128; i++) words_q[i] <= words_q[i] + 8'd1;\n  if (RfW < 4) none u_none ();\nendmodule"
        some = changed(FOLDER, 'some', ('endmodule', more))
        done = lockstep('SET=tiny bit', f'RTL={some}', 'STATE=0')
        self.ended(
            'lockstep: a set that does not build fails, the other one runs',
            done,
            False,
            'PASS cosim milg/tiny ',
            'FAIL cosim milg/bit  does not build',
            'cosim: 1 passed, 1 failed',
        )
        (some / 'milg.sv').write_text((some / 'milg.sv').read_text().replace('RfW < 4', "RfW < 5"))
        done = lockstep('SET=tiny', f'RTL={some}', 'STATE=0')
        self.ended(
            'lockstep: an old build does not stand in for one that fails',
            done,
            False,
            'FAIL cosim milg/tiny  does not build',
            'cosim: 0 passed, 1 failed',
        )

    def test_proofs(self):
        self.ended(
            'bounded: equal outputs from reset',
            make('prove', f'SIZES={SIZE}', f'RTL={MILG}', 'TOP=milg', 'DEPTH=5'),
            True,
            r'BOUNDED +milg .*equal for 5 cycles from reset',
            '1 passed, 0 failed',
        )
        done = proved('--rtl', self.bug, '--depth', '5')
        self.ended(
            'bounded: a bug is found',
            done,
            False,
            'REFUTED',
            'output error_o in cycle [12] ',
            'confirmed',
            'rerun  make cosim VEC=',
        )
        late = changed(
            FOLDER,
            'late',
            ("none_left   = issue_valid_i && freed == '0", "none_left   = issue_valid_i && places == '0"),
        )
        self.ended(
            'bounded: a bug behind its depth is not seen, and nothing is called proved',
            proved('--rtl', late, '--depth', '4'),
            True,
            r'BOUNDED .*equal for 4 cycles from reset',
        )
        self.ended(
            'bounded: one cycle more, and it is',
            proved('--rtl', late, '--depth', '5'),
            False,
            r'output \w+ in cycle 5 ',
            'confirmed',
        )
        vec = re.search(r'VEC=(\S+)', done.said)
        done = lockstep(f'VEC={vec[1] if vec else ""}', f'RTL={self.bug}', 'STATE=0')
        self.ended(
            'bounded: lockstep fails with its counterexample', done, False, 'FAIL cosim milg/tiny', 'outputs differ'
        )
        self.ended(
            'relation: proved',
            make('prove', f'SIZES={SIZE}', f'RTL={MILG}', f'RELATION={RELATION}'),
            True,
            r'PROVED +milg .*by the relation',
            '1 passed, 0 failed',
        )
        self.ended(
            'relation: a bug is found',
            proved('--rtl', self.bug, '--relation', RELATION),
            False,
            r'the relation is kept by a step: fails for \w+_q \(\S+:\d+\)',
            'confirmed',
        )

    def test_relations(self):
        def wrong(name, text, *pairs):
            path = changed(FOLDER, name.replace(' ', '-'), *pairs, file='milg.relation')
            self.ended(f'relation: {name}', proved('--rtl', MILG, '--relation', path), False, text)

        wrong(
            'wrong after reset',
            r'holds after reset: fails for rf_q',
            ('rf_q       = failures', "rf_q       = failures ^ 1"),
        )
        wrong(
            'wrong in outputs',
            r'implies equal outputs: fails for error_o',
            ('{bad_issue, bad_retire}', '{bad_retire, bad_issue}'),
        )
        wrong(
            'an invariant that is not kept',
            r'invariant of line 10 kept',
            ('invariant least <= places', 'invariant least == places'),
        )
        wrong('without its invariant', r'kept by a step: fails for max_q', ('invariant least <= places\n', ''))
        wrong(
            'a register that the RTL has not',
            r'milg.relation:6: found "togo", expected a register of the RTL: .*to_go',
            ('~to_go', '~togo'),
        )
        wrong(
            'a register that the twin has not',
            r'milg.relation:6: found "reqs_q", expected a register of the twin',
            ('req_q ', 'reqs_q '),
        )
        wrong('a register without a line', r'found no line for limit_q', ('limit_q    = ~below\n', ''))
        wrong('a line that is none', r'milg.relation:7: found "limit_q", expected', ('limit_q    = ~below', 'limit_q'))
        wrong(
            'an expression that is none',
            r'milg.relation:5: found no expression',
            ('rf_q       = failures', 'rf_q       = failures +'),
        )
        self.ended(
            'relation: a file that is not there',
            proved('--rtl', MILG, '--relation', 'none'),
            False,
            'RELATION=none: found no such file',
        )
        self.ended(
            'relation: together with a depth',
            proved('--rtl', MILG, '--relation', RELATION, '--depth', '3'),
            False,
            'expected one of the two',
        )


if __name__ == '__main__':
    sys.exit(main('foreign-selftest', Foreign))
