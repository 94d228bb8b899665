#!/usr/bin/env python3
"""What make synth and make synth-check are there to see, planted: each must be seen, and what is right must pass."""
import contextlib
import copy
import io
import json
import subprocess
import sys
from pathlib import Path

import cacti
import gates
import storage
import synth
import table
import yosys

BUILD = Path(sys.argv[1])
OSU = '/usr/share/qflow/tech/osu018/osu018_stdcells.lib'
BLOCK, SET = 'mshr', 'e8'
passed = failed = 0


def expect(name, ok, said=''):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(f'{"PASS" if ok else "FAIL"} synth-selftest {name}{"" if ok else ": " + said.strip()[-300:]}', flush=True)


def run(*arguments):
    done = subprocess.run([sys.executable, 'synth/synth.py', *arguments, '--build', str(BUILD), '--jobs', '1'], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def refused(name, text, *arguments):
    status, said = run('run', *arguments)
    expect(name, status != 0 and text in said, said)


def wrong_gate(out, program):
    """One truth table of the netlist changed, three times: a gate of logic that can be seen from outside is among them."""
    netlist = (out / 'gates').read_bytes()
    found = 0
    for place in (0.3, 0.5, 0.7):
        words = gates.array('I', netlist)
        words[2 + 5 * int(place * words[1]) + 4] ^= 0xFF
        (out / 'wrong').write_bytes(words.tobytes())
        done = subprocess.run([str(program), '--cycles', '20000', '--gates', str(out / 'wrong')], capture_output=True, text=True)
        found += done.returncode == 1 and 'outputs differ' in done.stdout
    expect('a wrong gate fails lockstep', found >= 2, f'{found} of 3 seen')
    done = subprocess.run([str(program), '--cycles', '20000', '--gates', str(out / 'gates')], capture_output=True, text=True)
    expect('the right netlist passes', done.returncode == 0, done.stdout)


def dropped_array():
    """What Yosys gets wrong without a word: its netlist must differ from the twin, so that lockstep can see it."""
    out = BUILD / 'synth' / 'selftest'
    out.mkdir(parents=True, exist_ok=True)
    source = out / 'cells.sv'
    source.write_text('typedef struct packed { logic [3:0] a; } t;\nmodule cells (input wire logic clk_i, input wire logic [1:0] i_i, input wire logic [3:0] d_i, output logic [3:0] q_o);\n'
                      '  t m [4];\n  always_ff @(posedge clk_i) m[i_i] <= d_i;\n  assign q_o = m[i_i];\nendmodule\n')
    block = type('Block', (), {'name': 'cells', 'rtl': out, 'sources': [source]})
    try:
        bits = sum(t['bits'] for t in yosys.tables(yosys.coarse(block, {}, out), 'cells').values())
        expect('the array of a struct that Yosys drops is no table of 16 bits', bits != 16, f'{bits} bits: this Yosys keeps it')
    except yosys.ToolError:
        expect('the array of a struct is refused', True)


def judged(new, old, **change):
    """What synth-check says of `new` beside a baseline `old` changed in some fields."""
    folder, kept = BUILD / 'synth' / 'selftest' / 'baseline', table.BASELINES
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f'{BLOCK}.json').write_text(json.dumps({SET: {old['library']: old | change}}))
    table.BASELINES = folder
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        wrong, stale = synth.judge([(BLOCK, SET, new)], False, False)
    table.BASELINES = kept
    return wrong, stale, said.getvalue()


def baselines(result):
    def scaled(view, measure, factor):
        other = copy.deepcopy(result)
        other[view][measure] *= factor
        return other
    expect('the same passes', judged(result, result)[:2] == (0, 0))
    for view, measure in (('registers', 'area_um2'), ('registers', 'fmax_mhz'), ('macros', 'area_um2'), ('macros', 'fmax_mhz')):
        for factor, wanted in ((1.06, 1), (0.94, 1), (1.04, 0), (0.96, 0)):
            wrong, _, said = judged(scaled(view, measure, factor), result)
            expect(f'{view}.{measure} x {factor}: {"fails" if wanted else "passes"}', wrong == wanted, said)
    wrong, stale, said = judged(scaled('registers', 'area_um2', 2), result, tools={'yosys': '0.1'})
    expect('other tools are stale, not a regression', (wrong, stale) == (0, 1) and 'STALE' in said, said)
    wrong, _, said = judged({k: v for k, v in result.items() if k != 'macros'}, result)
    expect('a view that is missing fails', wrong == 1, said)


def page():
    kept, table.PAGE = table.PAGE, BUILD / 'synth' / 'selftest' / 'page.md'
    table.PAGE.write_text(kept.read_text() + 'typed\n' if kept.exists() else 'typed\n')
    with contextlib.redirect_stdout(io.StringIO()) as said:
        wrong = synth.page(False)
    table.PAGE = kept
    expect('a page edited by hand fails', wrong == 1, said.getvalue())


def model():
    ported = storage.cell_um2(45, reads=2, writes=1)
    expect('a bit is 146 F^2, and more with more ports', abs(storage.cell_um2(45) - 146 * 0.045 ** 2) < 1e-9 < ported - storage.cell_um2(45))
    expect('a doubling of the bits adds 1.2 FO4', abs(storage.access_fo4(128, 32) - storage.access_fo4(64, 32) - 1.2) < 1e-9)


def fake_cacti():
    """The binary is not in Debian: what is read of its output, and an output without it."""
    out = BUILD / 'synth' / 'selftest'
    program, kept = out / 'cacti', cacti.binary
    cacti.binary = lambda: str(program.resolve())
    for name, text in (('read', 'Access time (ns): 0.25\\n  Cache height x width (mm): 0.02 x 0.05'), ('refused', 'ERROR')):
        program.write_text(f'#!/bin/sh\nprintf "{text}\\n"\n')
        program.chmod(0o755)
        try:
            got = cacti.macro(64, 24, 1, 45, out / 'table.cacti')
            expect('areas of a cacti on the PATH are read', name == 'read' and abs(got['cacti_um2'] - 1000) < 1e-6 and got['cacti_ns'] == 0.25, str(got))
        except yosys.ToolError as e:
            expect('a cacti that fails is an error', name == 'refused', str(e))
    cacti.binary = kept


def main():
    refused('a library that is not there', 'no such file', '--liberty', 'none.lib')
    refused('a file that is no library', 'expected a liberty file', '--liberty', 'synth/README.md')
    refused('a block that is not there', 'found no rtl/nothing', '--liberty', OSU, '--block', 'nothing')
    refused('a set that is not there', 'found no parameter set', '--liberty', OSU, '--block', BLOCK, '--set', 'nothing')
    refused('parameters without a value', 'expected Name=value', '--liberty', OSU, '--block', BLOCK, '--param', 'Entries')
    status, said = run('run', '--liberty', OSU, '--block', BLOCK, '--set', SET)
    expect(f'{BLOCK}/{SET} passes', status == 0 and 'netlist = twin' in said, said)
    out = BUILD / 'synth' / 'osu018_stdcells' / BLOCK / SET
    wrong_gate(out, BUILD / 'synth' / 'lockstep' / BLOCK / SET / 'lockstep')
    dropped_array()
    baselines(json.loads((out / 'result.json').read_text()))
    page()
    model()
    fake_cacti()
    print(f'synth-selftest: {passed} passed, {failed} failed')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
