# SPDX-License-Identifier: Apache-2.0
"""Proves the properties p_* of rtl/<block>/mt_<block>_formal.sv with the runs of its manifest, [formal].

bmc checks every step after a reset up to a bound.  induction also switches the helper facts x_* on, checks that they
hold in the first steps after a reset (the base), and that they and the properties follow for the next step from any
state in which they hold: with both, the properties hold for ever.
compose is induction for a block made of others, with the proved properties of its parts assumed: of those for which the
same list has a run `induction steps PART Parameter=value ...`, at the size that they have in it.

A run says how many assertions it has checked: none is a failure, and so is an assertion of the file that is in no run of its block.
Traces under the assumptions must reach the last step (else nothing was checked there), and the condition of each assertion in some run.
"""
import argparse
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from glob import glob
from pathlib import Path

from cosim import manifest, params as given, parts
from cosim.own_rtl import Design, OwnRtl, code
from cosim.progress import watching

CVC5 = ['-s', 'cvc5', '--noincr', '--logic', 'QF_BV', '-S', '--bitblast=eager', '-S', '--bv-sat-solver=cadical']
Z3 = ['-s', 'z3']
TRIED = {
    'bmc': 10,
    'induction': 10,
    'compose': 3,
}  # steps in which the condition of each property must be met; those of a whole block take minutes each


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
    return ''.join(
        f'chformal -assert{"2assume" if p in proved else " -remove"} *{manifest.module(p)}*; ' for p in parts.of(block)
    )


def write_smt2(block, params, helpers, path, more='', own=None):
    """`own`: a user's RTL, an OwnRtl, in place of the block's."""
    top = own.module if own else manifest.module(block)
    folders = ['rtl/lib', f'rtl/{block}', *(f'rtl/{p}' for p in parts.of(block))]
    sources = ' '.join(sorted(s for f in folders for s in glob(f'{f}/*.sv')))
    read, lookup = own.for_yosys() if own else (' '.join('-I' + f for f in folders) + f' {sources}', '')
    known = Design(own).parameters() if own else [p.split('=')[0] for p in params]
    changes = ' '.join('-chparam ' + p.replace('=', ' ') for p in params if p.split('=')[0] in known)
    script = (
        f'read_verilog -formal -sv {"-DFORMAL_AUX" if helpers else ""} {read}; '
        f'hierarchy -check -top {top} {lookup} {changes}; proc; {more}prep -flatten -top {top}; memory_map; opt -full; async2sync; '
        f'dffunmap; write_smt2 -wires {path}'
    )
    done = subprocess.run(['yosys', '-q', '-p', script], capture_output=True, text=True)
    if done.returncode:
        raise ToolError(f'yosys: {((done.stderr or done.stdout).strip().splitlines() or ["no word"])[-1]}')


def last_argument(text):
    """Of `... (not X))`, X: the text behind the last `(not ` that closes at the end."""
    depth = 0
    for i in range(len(text) - 1, -1, -1):
        depth += (text[i] == ')') - (text[i] == '(')
        if depth == 0 and text[i] in '( ':
            return text[i:].strip()
    return text


def claims(smt2):
    """The assertions and assumptions of the SMT-LIB text that Yosys wrote: (assertion or assumption, name, module, state, condition)."""
    kind = name = None
    for line in smt2.read_text().splitlines():
        title = re.match(r'; yosys-smt2-(assert|assume) \d+ (\S+)(?: (\S+))?', line)
        if title:
            kind, name = title[1], title[2] if title[1] == 'assert' else title[3] or title[2]
        found = re.match(r'\(define-fun \|([^|]*)_[au] \d+\| (\(\(state \|[^|]*\|\)\)) Bool (\(or .*\))\)', line)
        if found and name:
            condition = last_argument(found[3][:-1])  # (not X)
            yield kind, name, found[1], found[2], condition[len('(not ') : -1]
            name = None


def names_of(smt2, kind='assert'):
    return {c[1] for c in claims(smt2) if c[0] == kind}


def unreached(smt2, steps, wanted):
    """Those of the claims whose condition no trace meets within so many steps: they were never tried."""
    lines = []
    for n, (_, name, module, state, condition) in enumerate(c for c in claims(smt2) if c[1] in wanted):
        lines.append(f'; yosys-smt2-cover {n} {name}\n(define-fun |{module}_c {n}| {state} Bool {condition})\n')
    covers = smt2.with_suffix('.cover.smt2')
    text = smt2.read_text()
    end = re.search(r'^\(define-fun \|[^|]*_a\| ', text, re.M).start()
    covers.write_text(text[:end] + ''.join(lines) + text[end:])
    done = subprocess.run(
        ['yosys-smtbmc', '--unroll', '--noprogress', *Z3, '-c', '-t', str(steps), str(covers)],
        capture_output=True,
        text=True,
    )
    covers.with_suffix('.log').write_text(done.stdout + done.stderr)
    reached = set(re.findall(r'Reached cover statement at (\S+) in step', done.stdout))
    if not reached and 'nreached cover' not in done.stdout:
        raise ToolError(f'yosys-smtbmc -c: {((done.stderr or done.stdout).strip().splitlines() or ["no word"])[-1]}')
    return set(wanted) - reached


def solve(smt2, steps, induction=False):
    """The log; PASSED is its last word only if the property holds.  cvc5 is fast, z3 names the failed property and its trace."""

    def smtbmc(solver, *more):
        mode = ['-i'] if induction else []
        done = subprocess.run(
            ['yosys-smtbmc', '--unroll', '--noprogress', *solver, *mode, *more, str(smt2)],
            capture_output=True,
            text=True,
        )
        smt2.with_suffix('.log').write_text(done.stdout + done.stderr)
        return done.returncode == 0 and 'Status: PASSED' in done.stdout, done.stdout

    ok, log = smtbmc(CVC5, '-t', str(steps))
    if not ok:
        reached = int((re.findall(r'in step (\d+)', log) or [steps - 1])[-1]) if not induction else steps - 1
        log = smtbmc(Z3, '-t', str(reached + 1), '--dump-vcd', str(smt2.with_suffix('.vcd')))[1]
    return ok, log


def has_trace(smt2, steps):
    """Whether the assumptions leave a trace of so many steps."""
    done = subprocess.run(
        ['yosys-smtbmc', '--unroll', '--noprogress', *Z3, '-g', '-t', str(steps), str(smt2)],
        capture_output=True,
        text=True,
    )
    return done.returncode == 0 and 'Status: PASSED' in done.stdout


def file_of(run, out):
    block, method, steps, params = run
    return out / ('.'.join([block, method, str(steps)] + [p.replace('=', '') for p in params]) + '.smt2')


def one(run, out, own=None):
    block, method, steps, params = run
    start = time.time()
    smt2 = file_of(run, out)
    forever = method in ('induction', 'compose')
    write_smt2(block, params, forever, smt2, assumed(block) if method == 'compose' else '', own)
    checked = names_of(smt2)
    if not any(n.startswith('p_') for n in checked):
        raise ToolError(
            f'found no assertion p_* in {own.shown() if own else "the RTL"}, expected those of {manifest.module(block)}_formal.sv'
            + (', or your own, under `ifdef FORMAL' if own else '')
        )
    ok, log = solve(smt2, steps + 2 if forever else steps)
    if ok and not has_trace(smt2, steps + 2 if forever else steps):
        raise ToolError(
            f'the assumptions leave no trace of {steps + 2 if forever else steps} steps: nothing was checked'
        )
    if ok and forever:
        ok, log = solve(smt2, steps, induction=True)
    where = ' '.join(params)
    took = f'{time.time() - start:.0f} s'
    if ok:
        bound = f'for ever: base {steps + 2} steps, induction k={steps}' if forever else f'up to step {steps}'
        return True, f'PROVED formal {block} {where}  {len(checked)} assertions, {bound}  ({took})'
    failed = (
        ', '.join(sorted(set(re.findall(r'Assert failed in \S+: (\S+)', log))))
        or (log.strip().splitlines() or [f'no solver answers, see {smt2.with_suffix(".log")}'])[-1]
    )
    return False, (
        f'FAIL formal {block} {where}  {method}: {failed}  ({took})\n'
        f'  log    {smt2.with_suffix(".log")}\n  wave   {smt2.with_suffix(".vcd")}\n'
        f'  rerun  make formal BLOCK={block}{f" {own.shown()}" if own else ""}'
    )


def attempt(run, out, own=None):
    """One run; a tool that fails is a run that fails."""
    try:
        return one(run, out, own)
    except (ToolError, OSError) as e:
        return False, f'FAIL formal {run[0]} {" ".join(run[3])}  {run[1]}: {e}\n  rerun  make formal BLOCK={run[0]}'


def attempt_tried(block, out, own=None):
    try:
        return tried(block, out, own)
    except (ToolError, OSError) as e:
        return False, f'FAIL formal {block}: {e}'


def tried(block, out, own=None):
    """Whether each property of the file is an assertion of a run, and some trace meets the condition of each assertion and assumption.
    Those of parts are tried where the part's own runs are."""
    missing, left, met = set(properties(block, own)), set(), set()
    for run in (r for r in runs(block) if r[0] == block):
        smt2 = file_of(run, out)
        names = {name for kind, name, *_ in claims(smt2) if kind == 'assume' or name.startswith('p_')}
        names -= {name for name in names if name.startswith('u_')}  # of parts
        missing -= names
        more = unreached(smt2, TRIED[run[1]], names - met) if names - met else set()
        met |= names - more
        left = (left | more) - met
    known = {} if own else manifest.read(block).untried()
    lines = [f'FAIL formal {block}: in no run: {" ".join(sorted(missing))}'] if missing else []
    if left - known.keys():
        lines.append(
            f'FAIL formal {block}: no short trace meets the condition of {" ".join(sorted(left - known.keys()))}'
        )
    for name in sorted(known.keys() - left):
        lines.append(
            f'FAIL formal {block}: {manifest.read(block).where("formal", "untried", name)}: found {name}, whose condition a trace meets, expected others'
        )
    untried = [f'untried formal {block}  no short trace meets the condition of {" ".join(known)}'] if known else []
    return not lines, '\n'.join(lines + untried)


def properties(block, own=None):
    if own:
        return [n for p in own.files for n in re.findall(r'\b(p_\w+):\s*assert', code(p))]
    return re.findall(r'\b(p_\w+):', Path(f'rtl/{block}/{manifest.module(block)}_formal.sv').read_text())


def main():
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument('blocks', nargs='+')
    args.add_argument('--jobs', type=given.whole_number, default=2)
    args.add_argument('--out', default='build/formal')
    args.add_argument('--rtl', default='')
    args.add_argument('--top', default='')
    args = args.parse_args()
    out = Path(args.out, 'own') if args.rtl else Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    try:
        for b in args.blocks:
            given.known_block(b)
        wanted = [r for b in args.blocks for r in runs(b)]
        if args.rtl and len(args.blocks) != 1:
            raise given.ParamError(f'RTL={args.rtl}: found {len(args.blocks)} blocks, expected one BLOCK=')
        own = OwnRtl(args.rtl, args.top, args.blocks[0]) if args.rtl else None
        wanted = [r for r in wanted if not own or (r[0] == args.blocks[0] and r[1] != 'compose')]
    except (given.ParamError, OSError) as e:
        sys.exit(f'formal: {e}')
    bad = 0
    for b in args.blocks:
        names = properties(b, own)
        print(f'{b}: {len(names)} properties: {" ".join(names)}')
    with ThreadPoolExecutor(args.jobs) as pool:
        found = {pool.submit(attempt, r, out, own): f'{r[0]} {r[1]} {" ".join(r[3])}' for r in wanted}
        with watching('FORMAL', found):
            for run in as_completed(found):
                ok, text = run.result()
                print(text, flush=True)
                bad += not ok
        untried = 0
        for job in [pool.submit(attempt_tried, b, out, own) for b in args.blocks]:
            ok, text = job.result()
            print(text, end='\n' if text else '', flush=True)
            untried += not ok
    checked = sum(len(names_of(f)) for f in {file_of(r, out) for r in wanted} if f.exists())
    print(f'formal: {len(wanted) - bad} of {len(wanted)} runs proved, {checked} assertions checked')
    return 1 if bad or untried or not checked else 0


if __name__ == '__main__':
    sys.exit(main())
