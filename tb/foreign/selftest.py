# SPDX-License-Identifier: Apache-2.0
"""RTL from outside the tree: tb/foreign/milg, whose registers are others than the twin's, is equal in lockstep, for a number of cycles from
reset, and by its relation; a bug in it is found in each of these ways; other ports, other registers and wrong relations are named.
usage: python3 -B -m tb.foreign.selftest BUILD"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MILG = 'tb/foreign/milg'
RELATION = f'{MILG}/milg.relation'
SIZE = 'InflightW=2 RfW=4 ReqW=2'  # the set tiny
BUG = ("after > W'(Full)", "after >= W'(Full)")
ALONE = {k: v for k, v in os.environ.items() if k not in ('MAKEFLAGS', 'MFLAGS', 'MAKELEVEL')}
results = []


def proved(*words):
    """Calls the prover without make, which would read every manifest first.  One other run goes through make, to test that it passes the variables on."""
    r = subprocess.run([sys.executable, '-B', '-m', 'tb.prove.prove', 'milg', '--sizes', SIZE, '--out', str(Path(sys.argv[1], 'foreign-selftest/prove')), *words], cwd=ROOT, capture_output=True, text=True)
    return r.returncode, r.stdout + r.stderr


def make(*words):
    r = subprocess.run(['make', *words, 'BLOCK=milg', 'CYCLES=20000', 'WAVES=0'], cwd=ROOT, capture_output=True, text=True, env=ALONE)
    return r.returncode, r.stdout + r.stderr


def check(name, status, wanted, said, *texts):
    """It ends as wanted, each text is there, and nothing of a tool's own failure."""
    missing = [t for t in texts if not re.search(t, said)]
    good = (status == 0) == wanted and not missing and 'Traceback' not in said and '.hpp:' not in said
    results.append(good)
    print(f'{"PASS" if good else "FAIL"} foreign-selftest {name}' + ('' if good else f': status {status}, not found: {missing}\n{said[-2500:]}'), flush=True)


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


def lockstep(folder, bug):
    cosim = ('cosim', 'SET=tiny')
    check('lockstep: equal outputs', *expect(True, make(*cosim, f'RTL={MILG}', 'STATE=0')), r'PASS cosim milg/tiny .* RTL=tb/foreign/milg STATE=0')
    status, said = make(*cosim, f'RTL={bug}', 'STATE=0')
    check('lockstep: a bug is found', status, False, said, 'FAIL cosim milg/tiny', rf'rerun  make cosim BLOCK=milg SET=tiny RTL={bug} STATE=0', 'replayed: [1-9] of 6 outputs differ')
    check('lockstep: other registers are named', *expect(False, make(*cosim, f'RTL={MILG}')), r'milg has other registers than \S*milg_ports.h', r'inflight_q \(\d+ bits\)', 'STATE=0 compares outputs alone')
    ports = changed(folder, 'ports', ('input  wire logic                 fail_valid_i,\n', ''), ('fail_valid_i && failures', 'failures'), ('output logic [1:0]                error_o', 'output logic [2:0]                error_o'),
                    ('{bad_issue, bad_retire};\n', "{1'b0, bad_issue, bad_retire};\n"))
    check('lockstep: other ports are named', *expect(False, make(*cosim, f'RTL={ports}', 'STATE=0')), 'fail_valid_i: found no port, expected an input of 1 bits', 'error_o: found an output of 3 bits, expected an output of 2 bits')
    check('prove: other ports are named', *expect(False, proved('--rtl', ports)), 'fail_valid_i: found no port', 'error_o: found an output of 3 bits')
    for name, words, text in (('a path with nothing', ['RTL=nothing'], 'RTL=nothing: found nothing'), ('a module that is not there', [f'RTL={MILG}', 'TOP=other'], 'found module milg, expected other'),
                              ('TOP alone', ['TOP=milg'], 'TOP: found no RTL='), ('STATE=0 alone', ['STATE=0'], 'STATE=0: found no RTL=')):
        check(f'lockstep: {name} is refused', *expect(False, make(*cosim, *words)), text)


def some_build(folder):
    """A loop over more words than Verilator unrolls by itself, in a design that has no set with a small RfW: the other set runs."""
    more = "logic [7:0] words_q [128];\n  always_ff @(posedge clk_i) for (int i = 0; i < 128; i++) words_q[i] <= words_q[i] + 8'd1;\n  if (RfW < 4) none u_none ();\nendmodule"
    some = changed(folder, 'some', ('endmodule', more))
    status, said = make('cosim', 'SET=tiny bit', f'RTL={some}', 'STATE=0')
    check('lockstep: a set that does not build fails, the other one runs', status, False, said, 'PASS cosim milg/tiny ', 'FAIL cosim milg/bit  does not build', 'cosim: 1 passed, 1 failed')
    (some / 'milg.sv').write_text((some / 'milg.sv').read_text().replace('RfW < 4', "RfW < 5"))
    status, said = make('cosim', 'SET=tiny', f'RTL={some}', 'STATE=0')
    check('lockstep: an old build does not stand in for one that fails', status, False, said, 'FAIL cosim milg/tiny  does not build', 'cosim: 0 passed, 1 failed')


def expect(wanted, result):
    status, said = result
    return status, wanted, said


def proofs(folder, bug):
    check('bounded: equal outputs from reset', *expect(True, make('prove', f'SIZES={SIZE}', f'RTL={MILG}', 'TOP=milg', 'DEPTH=5')), r'BOUNDED +milg .*equal for 5 cycles from reset', '1 passed, 0 failed')
    status, said = proved('--rtl', bug, '--depth', '5')
    check('bounded: a bug is found', status, False, said, 'REFUTED', 'output error_o in cycle [12] ', 'confirmed', 'rerun  make cosim VEC=')
    late = changed(folder, 'late', ("none_left   = issue_valid_i && freed == '0", "none_left   = issue_valid_i && places == '0"))
    check('bounded: a bug behind its depth is not seen, and nothing is called proved', *expect(True, proved('--rtl', late, '--depth', '4')), r'BOUNDED .*equal for 4 cycles from reset')
    check('bounded: one cycle more, and it is', *expect(False, proved('--rtl', late, '--depth', '5')), r'output \w+ in cycle 5 ', 'confirmed')
    vec = re.search(r'VEC=(\S+)', said)
    status, said = make('cosim', f'VEC={vec[1] if vec else ""}', f'RTL={bug}', 'STATE=0')
    check('bounded: lockstep fails with its counterexample', status, False, said, 'FAIL cosim milg/tiny', 'outputs differ')
    check('relation: proved', *expect(True, make('prove', f'SIZES={SIZE}', f'RTL={MILG}', f'RELATION={RELATION}')), r'PROVED +milg .*by the relation', '1 passed, 0 failed')
    check('relation: a bug is found', *expect(False, proved('--rtl', bug, '--relation', RELATION)), r'the relation is kept by a step: fails for \w+_q \(\S+:\d+\)', 'confirmed')


def relations(folder):
    def wrong(name, text, *pairs):
        path = changed(folder, name.replace(' ', '-'), *pairs, file='milg.relation')
        check(f'relation: {name}', *expect(False, proved('--rtl', MILG, '--relation', path)), text)

    wrong('wrong after reset', r'holds after reset: fails for rf_q', ('rf_q       = failures', "rf_q       = failures ^ 1"))
    wrong('wrong in outputs', r'implies equal outputs: fails for error_o', ('{bad_issue, bad_retire}', '{bad_retire, bad_issue}'))
    wrong('an invariant that is not kept', r'invariant of line 10 kept', ('invariant least <= places', 'invariant least == places'))
    wrong('without its invariant', r'kept by a step: fails for max_q', ('invariant least <= places\n', ''))
    wrong('a register that the RTL has not', r'milg.relation:6: found "togo", expected a register of the RTL: .*to_go', ('~to_go', '~togo'))
    wrong('a register that the twin has not', r'milg.relation:6: found "reqs_q", expected a register of the twin', ('req_q ', 'reqs_q '))
    wrong('a register without a line', r'found no line for limit_q', ('limit_q    = ~below\n', ''))
    wrong('a line that is none', r'milg.relation:7: found "limit_q", expected', ('limit_q    = ~below', 'limit_q'))
    wrong('an expression that is none', r'milg.relation:5: found no expression', ('rf_q       = failures', 'rf_q       = failures +'))
    check('relation: a file that is not there', *expect(False, proved('--rtl', MILG, '--relation', 'none')), 'RELATION=none: found no such file')
    check('relation: together with a depth', *expect(False, proved('--rtl', MILG, '--relation', RELATION, '--depth', '3')), 'expected one of the two')


def main():
    folder = Path(sys.argv[1], 'foreign-selftest')
    shutil.rmtree(folder, ignore_errors=True)
    bug = changed(folder, 'bug', BUG)
    lockstep(folder, bug)
    some_build(folder)
    proofs(folder, bug)
    relations(folder)
    print(f'foreign-selftest: {sum(results)} passed, {len(results) - sum(results)} failed')
    return 0 if all(results) else 1


if __name__ == '__main__':
    sys.exit(main())
