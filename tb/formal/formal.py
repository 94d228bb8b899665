#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves the properties p_* of rtl/<block>/mt_<block>_formal.sv with the runs of its manifest, [formal].

bmc checks every step after a reset up to a bound.  induction also switches the helper facts x_* on, checks that they
hold in the first steps after a reset (the base), and that they and the properties follow for the next step from any
state in which they hold: with both, the properties hold for ever.
compose is induction for a block made of others, with what is proved of its parts assumed of them: of those for which the
same list has a run `induction steps PART Parameter=value ...`, at the size that they have in it.
"""
import argparse
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from glob import glob
from pathlib import Path

sys.path.insert(0, 'cosim')
import manifest
import params as given
import parts
from progress import watching

CVC5 = ['-s', 'cvc5', '--noincr', '--logic', 'QF_BV', '-S', '--bitblast=eager', '-S', '--bv-sat-solver=cadical']
Z3 = ['-s', 'z3']


class ToolError(Exception):
    pass


def runs(block):
    """Each run's block, method, steps and parameters, held against the list of that block."""
    for where, method, steps, name, words in manifest.read(block).runs():
        given.known_block(name, where)
        given.check(words, name, where)
        yield name, method, steps, words


def assumed(block):
    """Yosys commands: the properties of the parts that are proved become assumptions, those of the others go."""
    proved = {name for name, method, _, _ in runs(block) if method == 'induction'}
    return ''.join(f'chformal -assert{"2assume" if p in proved else " -remove"} *{manifest.module(p)}*; ' for p in parts.of(block))


def write_smt2(block, params, helpers, path, more=''):
    top = manifest.module(block)
    folders = ['rtl/lib', f'rtl/{block}', *(f'rtl/{p}' for p in parts.of(block))]
    sources = ' '.join(sorted(s for f in folders for s in glob(f'{f}/*.sv')))
    include = ' '.join('-I' + f for f in folders)
    changes = ' '.join('-chparam ' + p.replace('=', ' ') for p in params)
    script = (f'read_verilog -formal -sv {"-DFORMAL_AUX" if helpers else ""} {include} {sources}; '
              f'hierarchy -check -top {top} {changes}; proc; {more}prep -flatten -top {top}; memory_map; opt -full; async2sync; '
              f'dffunmap; write_smt2 -wires {path}')
    done = subprocess.run(['yosys', '-q', '-p', script], capture_output=True, text=True)
    if done.returncode:
        raise ToolError(f'yosys: {((done.stderr or done.stdout).strip().splitlines() or ["no word"])[-1]}')


def solve(smt2, steps, induction=False):
    """The log; PASSED is its last word only if the property holds.  cvc5 is fast, z3 tells what failed and how."""
    def smtbmc(solver, *more):
        mode = ['-i'] if induction else []
        done = subprocess.run(['yosys-smtbmc', '--unroll', '--noprogress', *solver, *mode, *more, str(smt2)],
                              capture_output=True, text=True)
        smt2.with_suffix('.log').write_text(done.stdout + done.stderr)
        return done.returncode == 0 and 'Status: PASSED' in done.stdout, done.stdout

    ok, log = smtbmc(CVC5, '-t', str(steps))
    if not ok:
        reached = int((re.findall(r'in step (\d+)', log) or [steps - 1])[-1]) if not induction else steps - 1
        log = smtbmc(Z3, '-t', str(reached + 1), '--dump-vcd', str(smt2.with_suffix('.vcd')))[1]
    return ok, log


def one(run, out):
    block, method, steps, params = run
    start = time.time()
    smt2 = out / ('.'.join([block, method, str(steps)] + [p.replace('=', '') for p in params]) + '.smt2')
    forever = method in ('induction', 'compose')
    write_smt2(block, params, forever, smt2, assumed(block) if method == 'compose' else '')
    ok, log = solve(smt2, steps + 2 if forever else steps)
    if ok and forever:
        ok, log = solve(smt2, steps, induction=True)
    where = ' '.join(params)
    took = f'{time.time() - start:.0f} s'
    if ok:
        bound = f'for ever: base {steps + 2} steps, induction k={steps}' if forever else f'up to step {steps}'
        return True, f'PROVED formal {block} {where}  {bound}  ({took})'
    failed = ', '.join(sorted(set(re.findall(r'Assert failed in \S+: (\S+)', log)))) or (log.strip().splitlines() or [f'no solver answers, see {smt2.with_suffix(".log")}'])[-1]
    return False, (f'FAIL formal {block} {where}  {method}: {failed}  ({took})\n'
                   f'  log    {smt2.with_suffix(".log")}\n  wave   {smt2.with_suffix(".vcd")}\n'
                   f'  rerun  make formal BLOCK={block}')


def attempt(run, out):
    """One run; a tool that fails is a run that fails."""
    try:
        return one(run, out)
    except (ToolError, OSError) as e:
        return False, f'FAIL formal {run[0]} {" ".join(run[3])}  {run[1]}: {e}\n  rerun  make formal BLOCK={run[0]}'


def main():
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument('blocks', nargs='+')
    args.add_argument('--jobs', type=given.whole_number, default=2)
    args.add_argument('--out', default='build/formal')
    args = args.parse_args()
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    try:
        for b in args.blocks:
            given.known_block(b)
        wanted = [r for b in args.blocks for r in runs(b)]
    except (given.ParamError, OSError) as e:
        sys.exit(f'formal: {e}')
    bad = 0
    for b in args.blocks:
        names = re.findall(r'\b(p_\w+):', Path(f'rtl/{b}/{manifest.module(b)}_formal.sv').read_text())
        print(f'{b}: {len(names)} properties: {" ".join(names)}')
    with ThreadPoolExecutor(args.jobs) as pool:
        found = {pool.submit(attempt, r, out): f'{r[0]} {r[1]} {" ".join(r[3])}' for r in wanted}
        with watching('FORMAL', found):
            for run in as_completed(found):
                ok, text = run.result()
                print(text, flush=True)
                bad += not ok
    print(f'formal: {len(wanted) - bad} of {len(wanted)} runs proved')
    return 1 if bad or not wanted else 0


if __name__ == '__main__':
    sys.exit(main())
