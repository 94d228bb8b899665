# SPDX-License-Identifier: Apache-2.0
"""The prover proved: its C against gcc, its cells against Icarus, its engines against false claims, planted bugs refuted.

Every check is one that has two sides made by different hands.
"""
import argparse
import concurrent.futures
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from cosim import manifest
from scripts.testing import PYTHON, Checks, main, run
from tb.prove import icarus
from tb.prove.aig import Aig
from tb.prove.bitvec import BitVec
from tb.prove.block import ROOT, Block, parse
from tb.prove.cinterp import Interp
from tb.prove.cvalues import UINT, ULONG, make
from tb.prove.prove import prove
from tb.prove.rtl import Rtl, elaborate
from tb.prove.selftest.cells import random_module
from tb.prove.selftest.expressions import random_functions
from tb.prove.solve import Obligation, solve

HERE = Path(__file__).resolve().parent

OUT = ROOT / 'build/prove/selftest'
VECTORS = 200
CORNERS = [0, 1, 2, 5, 7, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 63, (1 << 64) - 1]


def vectors(rng):
    def value():
        return rng.choice(CORNERS) if rng.random() < 0.3 else rng.getrandbits(64) >> rng.randrange(64)

    return [(value(), value(), value() & 0xFFFFFFFF) for _ in range(VECTORS)]


# ---- C against gcc
def gcc_values(source, names, values, out):
    """name -> results, from the functions compiled by gcc."""
    lines = [
        f'#include "{source.resolve()}"',
        '#include <stdio.h>',
        'int main(void)',
        '{',
        '    unsigned long long a, b, c;',
        '    while (scanf("%llx %llx %llx", &a, &b, &c) == 3) {',
    ]
    lines += [f'        printf("{n} %llx\\n", (unsigned long long){n}(a, b, (uint32_t)c));' for n in names]
    main = out / (source.stem + '_main.c')
    main.write_text('\n'.join(lines + ['    }', '    return 0;', '}']) + '\n')
    binary = out / source.stem
    subprocess.run(['gcc', '-std=c17', '-w', '-O1', '-fwrapv', str(main), '-o', str(binary)], check=True)
    text = ''.join(f'{a:x} {b:x} {c:x}\n' for a, b, c in values)
    r = subprocess.run([str(binary)], input=text, capture_output=True, text=True, check=True)
    found: dict[str, list[int]] = {n: [] for n in names}
    for line in r.stdout.splitlines():
        name, value = line.split()
        found[name].append(int(value, 16))
    return found


def interpreted(source):
    """A function name -> (result literals, literal of undefined behaviour), and the variables a, b, c."""
    text = subprocess.run(
        ['gcc', '-std=c17', '-E', '-nostdinc', f'-I{HERE.parent / "libc"}', str(source)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    g = Aig()
    program = Interp(parse(text), g)
    args = [tuple(g.var(f'{n}{i}') for i in range(w)) for n, w in (('a', 64), ('b', 64), ('c', 32))]
    values = [make(bits, t) for bits, t in zip(args, (ULONG, ULONG, UINT))]
    results = {}
    for name in program.functions:
        if name[:2] in ('f_', 'u_', 'w_'):
            program.undefined = []
            result, _ = program.call_function(name, list(values))
            results[name] = result.vector(), g.any_([lit for _, _, lit in program.undefined])
    return g, args, results


def lanes(args, values):
    """The vectors as one pattern per variable, a lane for each vector."""
    return {
        lit >> 1: sum((v[k] >> i & 1) << lane for lane, v in enumerate(values))
        for k, bits in enumerate(args)
        for i, lit in enumerate(bits)
    }


def numbers(g, bits, patterns, count):
    columns = g.simulate(list(bits), patterns, count)
    return [sum((columns[i] >> lane & 1) << i for i in range(len(bits))) for lane in range(count)]


def check_c(source, values, out):
    g, args, results = interpreted(source)
    want = gcc_values(source, [n for n in results if n[0] in 'fw'], values, out)
    patterns = lanes(args, values)
    for name, (bits, bad) in results.items():
        undefined = numbers(g, (bad,), patterns, len(values))
        if name.startswith('u_'):
            expected = want['w_' + name[2:]]
            yield f'C undefined {name[2:]}', undefined == expected and 0 < sum(expected) < len(values), ''
        else:
            got = numbers(g, bits, patterns, len(values))
            bad_at = [(v, x, y) for v, x, y in zip(values, got, want[name]) if x != y]
            detail = f'{len(bad_at)} differ, first {bad_at[0]}' if bad_at else 'undefined' if any(undefined) else ''
            yield f'C {name[2:]}', not bad_at and (name[0] == 'w' or not any(undefined)), detail


# ---- cells against Icarus
def check_cells(seed, out):
    rng = random.Random(seed)
    text, outputs = random_module(rng)
    source = out / f'cells{seed}.sv'
    source.write_text(text)
    g = Aig()
    r = Rtl(elaborate('cells', [source], [], [], {}, out / f'cells{seed}.json'), g)
    values = vectors(rng)
    args = []
    for n, w in (('a', 64), ('b', 64), ('c', 32)):
        args.append(tuple(g.var(f'{n}{i}') for i in range(w)))
        r.bind(r.ports[n][1], args[-1])
    patterns = lanes(args, values)
    bench = (
        ['module bench;', '  reg [63:0] a, b; reg [31:0] c; reg clk_i = 0;']
        + [f'  wire [{w - 1}:0] {n};' for n, w in outputs]
        + ['  cells dut (.*);', '  initial begin']
    )
    for a, b, c in values:
        shows = ', '.join(n for n, _ in outputs)
        bench.append(
            f"    a = 64'h{a:x}; b = 64'h{b:x}; c = 32'h{c:x}; #1 $display(\"{'%h ' * len(outputs)}\", {shows});"
        )
    (out / f'bench{seed}.sv').write_text('\n'.join(bench + ['  end', 'endmodule']) + '\n')
    icarus.build('bench', out / f'bench{seed}', [source, out / f'bench{seed}.sv'])
    rows = [line.split() for line in icarus.run(out / f'bench{seed}').splitlines() if line.strip()]
    wrong = []
    for k, (name, _) in enumerate(outputs):
        got = numbers(g, r.word(r.ports[name][1]), patterns, len(values))
        wrong += [
            f'{name} {v}: {x:x} for {row[k]}'
            for v, x, row in zip(values, got, rows)
            if row[k] != 'x' * len(row[k]) and int(row[k].replace('x', '0'), 16) != x
        ]
    yield f'cells, seed {seed}, {len(outputs)} of them', not wrong and len(rows) == len(values), '; '.join(wrong[:3])


# ---- engines: what is true holds, and one wrong bit is found wherever it is
def check_engines(out):
    g = Aig()
    v = BitVec(g)
    a, b = (tuple(g.var(f'{n}{i}') for i in range(7)) for n in 'ab')
    for engine in ('cadical', 'z3'):
        for wrong in (None, *range(7)):
            y = list(v.mul(b, a))
            if wrong is not None:  # differs for one of 2^14 inputs
                y[wrong] = g.xor(y[wrong], g.all_([x ^ (i % 3 == 0) for i, x in enumerate(a + b)]))
            obligations = [
                Obligation(f'bit {i}', (p,), (q,), g.xor(p, q)) for i, (p, q) in enumerate(zip(v.mul(a, b), y))
            ]
            obligations += [Obligation('true', (), (), g.and_(g.xor(v.add(a, b)[6], v.sub(a, v.neg(b))[6]), a[0]))]
            solve(g, obligations, engine, out, 60)
            fails = [i for i, o in enumerate(obligations) if o.verdict == 'fails']
            known = all(o.verdict == 'holds' or i in fails for i, o in enumerate(obligations))
            yield f'engine {engine}, wrong bit {wrong}', known and fails == ([] if wrong is None else [wrong]), str(
                fails
            )


# ---- blocks: the ring proved; what is not as listed is an error; planted bugs refuted
RING = {'c': 'cmodel/blocks/ring.c', 'sv': 'rtl/ring/mt_ring.sv', 'ring.h': 'cmodel/blocks/ring.h'}


def copy_block(name, out):
    """A copy of a block's faces that may be changed, in the folders of the tree."""
    shutil.rmtree(out, ignore_errors=True)
    for folder in ('cmodel/blocks', 'rtl'):
        if name == 'ring':
            shutil.copytree(HERE / 'ring', out / folder / ('' if folder != 'rtl' else 'ring'))
        else:
            shutil.copytree(ROOT / folder, out / folder)
    (out / 'rtl/lib').mkdir(exist_ok=True)
    return Block(name, out / f'cmodel/blocks/{name}.c', out / 'rtl', [out / 'cmodel/blocks'])


def one_proof(name, chosen, out, bugs):
    """Proves a copy with bugs in it, at the parameters `chosen`, up to the first counterexamples."""
    block = copy_block(name, out)
    try:
        for bug in bugs:
            manifest.plant(bug, out)
    except manifest.ParamError as e:
        return {'verdict': f'STALE: {e}', 'lines': [], 'confirmed': 0, 'failed': 0}
    params = block.params()
    cfg = {n: p[1] for n, p in params.items()} | chosen
    return prove((block, cfg, block.source(block.limits(params, cfg)), '', out / 'work', 'cadical', 300), after=0)


def planted(names, every=1):
    """(bug, parameters): those of the manifests that the prover tries, and the ring's; all, or those of these names or blocks; of them one in `every`."""
    for bug in list(manifest.wanted('prove', names))[::every]:
        yield bug, manifest.read(bug.block).at(bug)
    ring = manifest.Manifest(HERE / 'ring/ring.toml')
    for bug in ring.bugs if not names else []:
        yield bug, ring.at(bug)


LISTS = [  # a face that is not as listed: what the prover must say of it
    (
        'a register that is not listed',
        [('sv', 'logic              put, get;', 'logic put, get, odd_q; always_ff @(posedge clk_i) odd_q <= put;')],
        'ERROR',
        'does not list',
    ),
    (
        'a listed register that is not there',
        [
            ('sv', 'head_q == HeadW', '1\'b0 && head_q == HeadW'),
            ('ring.h', 'X(U8, head_q,  ', 'X(U8, other_q, bits_index(p->Depth), "") X(U8, head_q,  '),
        ],
        'ERROR',
        'no such register',
    ),
    ('a register of another width', [('sv', 'logic [HeadW-1:0]  head_q;', 'logic [HeadW:0] head_q;')], 'ERROR', 'wide'),
    (
        'a port of another width',
        [('sv', 'output logic                  get_valid_o', 'output logic [1:0] get_valid_o')],
        'ERROR',
        'output of 2 bits',
    ),
    (
        'a latch',
        [
            (
                'sv',
                'assign get         = get_ready_i',
                'always_latch if (put) tail_l = head_q; logic [HeadW-1:0] tail_l; assign get = get_ready_i',
            )
        ],
        'ERROR',
        'latch',
    ),
    (
        'the other clock edge',
        [
            (
                'sv',
                'always_ff @(posedge clk_i) begin\n    if (!rst_ni) head_q',
                'always_ff @(negedge clk_i) begin\n    if (!rst_ni) head_q',
            )
        ],
        'ERROR',
        'rising edge',
    ),
    (
        'an invariant that is not kept',
        [('ring.h', 'X(head_q, p->Depth)', 'X(head_q, p->Depth - 1)')],
        'REFUTED',
        'invariant head_q',
    ),
    (
        'an index range without invariant',
        [('ring.h', 'X(head_q, p->Depth)', '')],
        'REFUTED',
        'index out of range',
    ),
    (
        'eval that writes state',
        [('c', 'out->get_valid_o =', '((struct ring *)m)->head_q = 0; out->get_valid_o =')],
        'ERROR',
        'cast to a pointer',
    ),
    (
        'a parameter changed by skip',
        [('c', '(void)m, (void)cycles;', '(void)cycles, m->p.Depth = 2;')],
        'REFUTED',
        'frame skip writes',
    ),
    (
        'a parameter changed by reset',
        [
            (
                'c',
                '    m->u_fill_count_q = 0;\n',
                '    m->u_fill_count_q = 0, m->p.DataW++;\n',
            )
        ],
        'REFUTED',
        'frame reset writes',
    ),
    (
        'a parameter changed by step',
        [
            (
                'c',
                'static bool ring_idle',
                'static void ring_step(struct ring *m, const struct ring_in *in, struct ring_out *out)\n{\n    ring_eval(m, in, out);\n'
                '    ring_tick(m, in);\n    if (in->put_valid_i) m->p.Depth = 2;\n}\n\nstatic bool ring_idle',
            )
        ],
        'REFUTED',
        'frame step writes',
    ),
    (
        'a skip of many cycles',
        [('c', '(void)m, (void)cycles;', 'if (cycles > 100000) m->head_q = 0;')],
        'REFUTED',
        'skip head_q',
    ),
    (
        'a skip of no cycles',
        [('c', '(void)m, (void)cycles;', 'if (!cycles) m->head_q = 0;')],
        'REFUTED',
        'skip(0) changes nothing',
    ),
    (
        'an invariant function that does not hold',
        [
            (
                'c',
                'static bool ring_idle',
                'static bool ring_invariant_low(const struct ring *m)\n{\n    return m->head_q == 0;\n}\n\nstatic bool ring_idle',
            )
        ],
        'REFUTED',
        'invariant ring_invariant_low kept',
    ),
    (
        'an invariant that reset does not give',
        [
            (
                'c',
                'static bool ring_idle',
                'static bool ring_invariant_full(const struct ring *m)\n{\n    return m->u_fill_count_q != 0;\n}\n\nstatic bool ring_idle',
            )
        ],
        'REFUTED',
        'invariant ring_invariant_full after reset',
    ),
    ('an output left unset', [('c', 'out->get_valid_o = m->u_fill_count_q > 0;', '')], 'REFUTED', 'output get_valid_o'),
    ('a register not reset', [('sv', 'if (!rst_ni) head_q <= \'0;\n    else if', 'if')], 'REFUTED', 'reset head_q'),
    ('a construct that is not C of twins', [('c', '(void)in;', 'goto out; out:;')], 'ERROR', 'ring.c:'),
]


SKIPS = [  # of blocks: a field that is no register, changed by step or by skip; a skip that is wrong for many cycles
    (
        'mshr',
        {'Entries': 2, 'Slots': 1, 'AddrW': 4, 'InfoW': 2},
        '    edge(m, in, x, &w);\n}\n\nvoid mshr_tick(',
        '    edge(m, in, x, &w);\n    if (w.fill_bad) m->info_mask >>= 1;\n}\n\nvoid mshr_tick(',
        'frame step writes beyond its registers: info_mask',
    ),
    (
        'mshr',
        {'Entries': 2, 'Slots': 1, 'AddrW': 4, 'InfoW': 2},
        '    (void)m;\n    (void)cycles;\n',
        '    if (cycles) m->info_mask >>= 1;\n',
        'frame skip writes beyond its registers: info_mask',
    ),
    (
        'stream_bypass',
        {'Period': 37},
        '    m->cycle_q = sum >=',
        '    if (cycles <= 100000) m->cycle_q = sum >=',
        'skip cycle_q: skip(n + 1) is skip(n), then a tick',
    ),
]


def check_blocks(out, jobs, every):
    small, large = {'Depth': 3, 'DataW': 40}, {'Depth': 8, 'DataW': 1024}
    work: list[tuple[Any, ...]] = [
        ('ring proved at 3, 40 bits', 'ring', small, [], 'PROVED', ''),
        ('ring proved at 8, 1024 bits', 'ring', large, [], 'PROVED', ''),
    ]
    work += [
        (
            what,
            'ring',
            small,
            [manifest.Bug('ring', what, RING[f], '', old, new) for f, old, new in edits],
            verdict,
            text,
        )
        for what, edits, verdict, text in LISTS
    ]
    work += [
        (f'{b}: {text}', b, at, [manifest.Bug(b, text, f'cmodel/blocks/{b}.c', '', old, new)], 'REFUTED', text)
        for b, at, old, new, text in SKIPS
    ]
    yield from judged(work + planted_work([], every), out, jobs)


FORMAL = [  # changes to mrpb: name, file, old text, new text, expected words in the output of `make formal`
    ('as it is', '', '', '', '12 assertions checked'),
    ('properties not included', 'mt_mrpb.sv', '`include "mt_mrpb_formal.sv"', '', 'found no assertion p_*'),
    (
        'an assumption that is false',
        'mt_mrpb_formal.sv',
        '  initial f_live = 1\'b0;',
        '  initial f_live = 1\'b0;\n  always_comb assume (1\'b0);',
        'leave no trace',
    ),
    (
        'an assumption that excludes long traces',
        'mt_mrpb_formal.sv',
        '  initial f_live = 1\'b0;',
        '  initial f_live = 1\'b0;\n  always_comb assume (!f_live || !rst_ni);',
        'meets the condition of',
    ),
    (
        'a condition that is never met',
        'mt_mrpb_formal.sv',
        'if (f_pop) p_made_up',
        'if (g_error && !error_o) p_made_up',
        'meets the condition of p_made_up',
    ),
    (
        'a property in no run',
        'mt_mrpb_formal.sv',
        'if (f_pop) p_made_up',
        'if (Queues > 90 && f_pop) p_made_up',
        'p_made_up',
    ),
    (
        'a bug',
        'mt_mrpb.sv',
        'assign queue       = hold_q ? hold_queue_q : fresh_queue',
        'assign queue       = fresh_queue',
        'p_stable',
    ),
]


def check_formal(out):
    """`make formal` in a copy of the tree, with one run of mrpb."""
    tree = out / 'formal'
    shutil.rmtree(tree, ignore_errors=True)
    for folder in ('rtl/lib', 'rtl/mrpb', 'cmodel/blocks', 'tb/formal'):
        shutil.copytree(ROOT / folder, tree / folder)
    (tree / 'cosim').mkdir()
    for f in (ROOT / 'cosim').glob('*.py'):
        shutil.copy(f, tree / 'cosim')
    listed = tree / 'rtl/mrpb/mrpb.toml'
    listed.write_text(
        re.sub(r'(\[formal\]\nruns = \[)[^]]*\]', r'\1"bmc 4 Queues=3 Entries=2 InfoW=1"]', listed.read_text())
    )
    for what, name, old, new, words in FORMAL:
        kept = {f: f.read_text() for f in [tree / 'rtl/mrpb' / name] if name}
        for f, text in kept.items():
            f.write_text(text.replace(old, new))
        changed = all(f.read_text() != text for f, text in kept.items())
        status, said = run(*PYTHON, 'tb.formal.formal', 'mrpb', '--jobs', '1', cwd=tree)
        yield f'formal: {what}', changed and words in said and (status == 0) == (
            not name
        ), '' if words in said else said
        for f, text in kept.items():
            f.write_text(text)


def planted_work(names, every=1):
    return [
        (f'planted {bug.block} {bug.name}: {bug.new}', bug.block, at, [bug], 'REFUTED', 'replay')
        for bug, at in planted(names, every)
    ]


def judged(work, out, jobs):
    """Each proof's name, whether it ends as it must, and its output."""
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        proofs = [(w, pool.submit(one_proof, w[1], w[2], out / f'block{i}', w[3])) for i, w in enumerate(work)]
        for w, proof in proofs:
            r = proof.result()
            text = '\n'.join(r['lines'])
            ok = r['verdict'] == w[4] and w[5] in text and (w[4] != 'REFUTED' or r['confirmed'] > 0)
            yield w[0], ok, r['verdict'] + '\n' + text if not ok else '; '.join(x.strip() for x in r['lines'][:1])


class Prover(Checks):
    rng: random.Random

    @classmethod
    def setUpClass(cls):
        OUT.mkdir(parents=True, exist_ok=True)
        print(f'seed {ARGUMENTS.seed}')
        cls.rng = random.Random(ARGUMENTS.seed)

    def all_of(self, checks):
        for name, ok, detail in checks:
            print(f'{"ok" if ok else "FAIL":4s} {name}' + (f'   {detail}' if detail and ok else ''), flush=True)
            self.expect(name, ok, detail)

    def test_c(self):
        generated = OUT / 'expressions.c'
        generated.write_text(random_functions(self.rng, 150))
        for source in (HERE / 'snippets.c', generated):
            self.all_of(check_c(source, vectors(self.rng), OUT))

    def test_cells(self):
        for seed in range(ARGUMENTS.seed, ARGUMENTS.seed + 8):
            self.all_of(check_cells(seed, OUT))

    def test_engines(self):
        self.all_of(check_engines(OUT))

    def test_formal(self):
        self.all_of(check_formal(OUT))

    def test_blocks(self):
        self.all_of(check_blocks(OUT, ARGUMENTS.jobs, 5 if ARGUMENTS.quick else 1))


class Bugs(Prover):
    def test_bugs(self):
        self.all_of(judged(planted_work(ARGUMENTS.bugs.split()), OUT, ARGUMENTS.jobs))


def arguments():
    a = argparse.ArgumentParser()
    a.add_argument('--jobs', type=int, default=2)
    a.add_argument('--seed', type=int, default=1)
    a.add_argument('--bugs', default='', help='only the planted bugs of these names or blocks')
    a.add_argument('--quick', action='store_true', help='a fifth of the planted bugs')
    return a.parse_args()


if __name__ == '__main__':
    sys.setrecursionlimit(200000)
    ARGUMENTS = arguments()
    sys.exit(main('prove-selftest', Bugs) if ARGUMENTS.bugs else main('prove-selftest', Prover, least=100))
