# SPDX-License-Identifier: Apache-2.0
"""make additions: adds one of each kind of thing in a copy of the tree, builds and runs it, and compares the touched files and lines with the
table of docs/adding.md.  usage: python3 -B -m scripts.new.additions BUILD [--update]

An addition is a list of edits and the commands that demonstrate it.  Files are found by name, so they may move."""
import difflib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / 'docs/adding.md'
BLOCK = 'probe_stage'
KEPT = ('made', 'obj', 'memtwin', 'cosim/runtime', 'cosim/engine')  # parts of build/ that a copy reuses


class Wrong(Exception):
    """An edit that does not apply, or a command with an unexpected result."""


class Copy:
    """A copy of the tree that is edited."""

    def __init__(self, folder, build):
        self.root = folder
        shutil.rmtree(folder, ignore_errors=True)
        names = subprocess.run(
            ['git', 'ls-files', '-zco', '--exclude-standard'], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        for name in filter(None, names.split('\0')):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        for name in KEPT:
            subprocess.run(
                f'[ ! -e {ROOT}/{build}/{name} ] || {{ mkdir -p {(folder / "build" / name).parent} && cp -a {ROOT}/{build}/{name} {folder}/build/{name}; }}',
                shell=True,
                check=True,
            )

    def texts(self):
        found = {}
        for folder, folders, names in os.walk(self.root):
            folders[:] = [f for f in folders if Path(folder) / f != self.root / 'build']
            for n in names:
                found[str((Path(folder) / n).relative_to(self.root))] = (
                    (Path(folder) / n).read_bytes().decode(errors='replace').splitlines()
                )
        return found

    def find(self, name):
        both = (('cmodel', 'rtl'), ('tests', 'traces'))
        found = next(filter(None, ([p for f in of for p in (self.root / f).rglob(name)] for of in both)), [])
        if len(found) != 1:
            raise Wrong(f'{name}: found {len(found)} files of that name, expected one')
        return found[0]

    def replace(self, name, pattern, by):
        """Replaces a pattern in the only file of that name; it must match once."""
        path = self.find(name)
        text, count = re.subn(pattern, by, path.read_text(), flags=re.M)
        if count != 1:
            raise Wrong(f'{path.relative_to(self.root)}: found {count} places of {pattern}, expected one')
        path.write_text(text)

    def run(self, command, wanted):
        environment = {k: v for k, v in os.environ.items() if k not in ('MAKEFLAGS', 'MFLAGS', 'MAKELEVEL')}
        done = subprocess.run(
            command, cwd=self.root, shell=True, capture_output=True, text=True, env=environment, check=False
        )
        if done.returncode or not re.search(wanted, done.stdout + done.stderr, re.M):
            raise Wrong(
                f'{command}: status {done.returncode}, expected "{wanted}" in\n{(done.stdout + done.stderr)[-1500:]}'
            )


@dataclass
class Addition:
    what: str
    edit: object  # of a copy
    tries: list  # (command, expected output)


def block(c):
    c.run(f'make new BLOCK={BLOCK}', 'NEW ')


def parameter(c):
    c.replace(
        f'{BLOCK}.h',
        r'^( *)(X\(DataW,.*)$',
        r'\1X(Idle, 0, 0, 1, "every bit of out_data_o while nothing is held") \\' + r'\n\1\2',
    )
    c.replace(
        f'{BLOCK}.c', r'(out->out_data_o = m->full_q \? m->data_q) : 0;', r'\1 : m->p.Idle ? bits_mask(m->p.DataW) : 0;'
    )
    c.replace(f'mt_{BLOCK}.sv', r'^( *)(parameter int DataW *= 32)', r'\1parameter int Idle = 0,' + r'\n\1\2')
    c.replace(
        f'mt_{BLOCK}.sv',
        r'^( *)(`\w*PARAM_CHECK)\(g_illegal_data_w.*$',
        r'\g<0>' + r'\n\1\2(g_illegal_idle, Idle >= 0 && Idle <= 1)',
    )
    c.replace(f'mt_{BLOCK}.sv', r"(out_data_o *= full_q \? data_q) : '0;", r'\1 : {DataW{Idle != 0}};')
    sets = next(
        p.name for p in c.find(f'mt_{BLOCK}.sv').parent.iterdir() if re.search(r'^word .*DataW=32', p.read_text(), re.M)
    )
    c.replace(sets, r'^word( .*)DataW=32(.*)$', r'\g<0>' + r'\nones\1DataW=8 Idle=1\2')


def port(c):
    c.replace(
        f'{BLOCK}.h',
        r'^( *)(X\(BIT, out_valid_o,.*)$',
        r'\1X(BIT, taken_o, 1, "the element that is held leaves at this clock edge") \\' + r'\n\1\2',
    )
    c.replace(
        f'{BLOCK}.c', r'^( *)(out->out_valid_o = .*)$', r'\1out->taken_o = m->full_q && in->out_ready_i;' + r'\n\1\2'
    )
    c.replace(
        f'mt_{BLOCK}.sv',
        r'^( *)(output logic +out_valid_o,.*)$',
        r'\1output logic taken_o,  // the element that is held leaves at this clock edge' + r'\n\1\2',
    )
    c.replace(
        f'mt_{BLOCK}.sv', r'^( *)(assign out_valid_o = .*)$', r'\1assign taken_o = full_q & out_ready_i;' + r'\n\1\2'
    )


def option(c):
    c.replace(
        'options.def',
        r'^OPT_UINT\(l1d_latency,.*$',
        r'\g<0>'
        + '\nOPT_UINT(l1d_extra_latency, "l1d.extra_latency", 0, 0, 1000, "cycles more until the value of a hit", "chosen: the latency alone", .needs = "l1d.enable=true")',
    )
    c.replace('l1d.h', r'return c->l1d_latency;', 'return c->l1d_latency + c->l1d_extra_latency;')


def counter(c):
    c.replace(
        'stats.def',
        r'^STAT\(gpu_kernels,.*$',
        r'\g<0>' + '\nSTAT(gpu_kernel_ends, "gpu.kernel_ends", "ends of kernels")',
    )
    users = [p for p in c.root.glob('cmodel/system/**/*.[ch]') if re.search(r'gpu_kernels\+\+;', p.read_text())]
    c.replace(users[0].name, r'^( *)(.*)gpu_kernels\+\+;$', r'\g<0>' + r'\n\1\2gpu_kernel_ends++;')
    c.replace('energies.ini', r'^gpu.kernels = .*$', r'\g<0>' + '\ngpu.kernel_ends = in gpu.kernels')


KERNEL = '''/* twice: y = 2 x, one thread an element. */
#include "trace/kernels.h"

struct twice {
    gf32 x, y;
    int n;
};

static void twice_kernel(struct warp *w)
{
    const struct twice *k = simt_args(w);
    vi32 i = vglobal_x();
    SIMT_IF (vlt(i, k->n)) {
        vf32 x = vload(k->x, i);
        vstore(k->y, i, vadd(x, x));
    }
}

static void twice_host(struct host *h, void *state)
{
    struct twice *k = state;
    k->n = option(h, "n");
    k->x = device_f32(h, "x", (uint64_t)k->n);
    k->y = device_f32(h, "y", (uint64_t)k->n);
    for (int i = 0; i < k->n; i++) k->x.host[i] = (float)rng_unit(host_rng(h));
    simt_launch(h, &(struct launch){.name = "twice",
                                    .kernel = twice_kernel,
                                    .args = k,
                                    .grid = {blocks_for(k->n, 256)},
                                    .block = {256},
                                    .regs = 8});
}

static bool twice_check(struct host *h, void *state, struct error *err)
{
    const struct twice *k = state;
    float *y = host_alloc(h, (uint64_t)k->n * sizeof *y);
    for (int i = 0; i < k->n; i++) y[i] = 2 * k->x.host[i];
    return check_f32(k->y, y, 0, err);
}

static const struct kernel_def twice = {
    .name = "twice",
    .summary = "a vector times two",
    .origin = "an example",
    .options = {{"n", "elements", NULL, 65536, 1, 1 << 30}},
    .suites = "own",
    .small = "n=64",
    .reduced = "n=262144",
    .state_bytes = sizeof(struct twice),
    .host = twice_host,
    .check = twice_check,
};
KERNEL_REGISTER(twice)
'''


def kernel(c):
    (c.root / 'traces/kernels/twice.c').write_text(KERNEL)


def preset(c):
    (c.find('mshr-2x.ini').parent / 'wide-l1d.ini').write_text(
        '; on any machine: an L1D of twice the ways\nsource = chosen: twice those of the machines here\n[l1d]\nways = 8\n'
    )


def policy(c):
    old = c.find('prefetch_np.c')
    text = (
        old.read_text()
        .replace('np', 'pair')
        .replace(
            'NP: the page of the far-fault and nothing else.',
            'pair: the page of the far-fault and nothing else, by another name.',
        )
    )
    old.with_name('prefetch_pair.c').write_text(text)


def stateful(c):
    old = c.find('drrip.c')
    old.with_name('duel.c').write_text(
        old.read_text().replace('drrip', 'duel').replace('DRRIP: dynamic', 'By another name: dynamic')
    )


RUN = 'build/memtwin run mvt:n=64 --threads 1 -s sm.count=2'
ADDITIONS = [
    Addition(
        'block', block, [(f'make {{jobs}} cosim BLOCK={BLOCK} CYCLES=20000', 'cosim: [1-9][0-9]* passed, 0 failed')]
    ),
    Addition(
        'parameter of a block',
        parameter,
        [
            (f'make lint-rtl BLOCK={BLOCK}', 'lint-rtl: '),
            (f'make cosim BLOCK={BLOCK} SET=ones CYCLES=20000', 'cosim: 1 passed, 0 failed'),
        ],
    ),
    Addition(
        'port of a block',
        port,
        [
            (f'make lint-rtl BLOCK={BLOCK}', 'lint-rtl: '),
            (f'make cosim BLOCK={BLOCK} SET=word CYCLES=20000', 'cosim: 1 passed, 0 failed'),
            (f'make describe BLOCK={BLOCK}', r'^\| `taken_o` \| 1 \|'),
        ],
    ),
    Addition(
        'option',
        option,
        [
            ('build/memtwin config -s l1d.extra_latency=7', r'^extra_latency = 7'),
            (
                'build/memtwin config -s l1d.extra_latency=7 --format gpgpusim -o build/reference',
                r'l1d.extra_latency = 7: the reference has none',
            ),
            (
                f'{RUN} -q --json build/a.json && {RUN} -q -s l1d.extra_latency=90 --json build/b.json && '
                '! build/memtwin compare build/a.json build/b.json',
                r'^gpu\.cycles ',
            ),
        ],
    ),
    Addition('counter', counter, [(f'{RUN} -q --json -', r'"gpu.kernel_ends": [1-9]')]),
    Addition('kernel', kernel, [('build/memtwin run twice:n=5000 --threads 1 -s sm.count=2', ' verified$')]),
    Addition('preset', preset, [('build/memtwin config --preset wide-l1d', r'^ways = 8')]),
    Addition(
        'policy', policy, [('build/memtwin config --preset uvm-002-t4.1 -s uvm.prefetch=pair', r'^prefetch = pair')]
    ),
    Addition('policy with a state', stateful, [(f'{RUN} -q -s l1d.replacement=duel', '')]),
]


def touched(before, after):
    """{file: number of new or changed lines}"""
    found = {}
    for name, lines in after.items():
        if lines != before.get(name):
            found[name] = sum(line.startswith('+ ') for line in difflib.ndiff(before.get(name, []), lines))
    return found


def named(path):
    """Name in the table: a file of the tree, a block's file by its role, a new file by its folder."""
    if BLOCK in path:
        return f'`{Path(path).name.replace(BLOCK, "BLOCK")}`'
    return f'`{path}`' if (ROOT / path).is_file() else f'a new file of `{Path(path).parent}`'


def row(what, files):
    names = (
        ', '.join(map(named, files)) if len(files) < 6 else '`make new` stamps all but one, a line of `docs/blocks.md`'
    )
    return f'| {what} | {len(files)} | {sum(files.values())} | {names} |\n'


def table(copy):
    rows = '| to add | files | lines | which |\n| --- | ---: | ---: | --- |\n'
    for a in ADDITIONS:
        before = copy.texts()
        a.edit(copy)
        rows += row(a.what, touched(before, copy.texts()))
    return rows


def tried(copy):
    """Runs each addition, prints a line each; returns the number of failures."""
    jobs, failed = f'-j{os.environ.get("JOBS", "2")}', 0
    copy.run(f'make {jobs} build/memtwin', '')
    for a in ADDITIONS:
        try:
            for command, wanted in a.tries:
                copy.run(command.format(jobs=jobs), wanted)
            print(f'PASS additions {a.what}', flush=True)
        except Wrong as e:
            failed += 1
            print(f'FAIL additions {a.what}: {e}', flush=True)
    return failed


def main():
    build, update = Path(sys.argv[1]), '--update' in sys.argv
    copy = Copy((ROOT / build / 'additions').absolute(), build)
    try:
        rows = table(copy)
        failed = tried(copy)
    except Wrong as e:
        sys.exit(f'FAIL additions: {e}')
    text = PAGE.read_text()
    new = re.sub(r'(<!-- additions -->\n).*?(<!-- /additions -->)', lambda m: m[1] + rows + m[2], text, flags=re.S)
    if update and new != text:
        PAGE.write_text(new)
    elif new != text:
        failed += 1
        print(
            f'FAIL additions: the table of {PAGE.relative_to(ROOT)} differs; make additions UPDATE=1 writes it:\n{rows}'
        )
    print(f'additions: {len(ADDITIONS) + 1 - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
