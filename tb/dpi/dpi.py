# SPDX-License-Identifier: Apache-2.0
"""A block's twin behind DPI-C, generated from its port list: package, glue in C, module with the RTL's pins, bench beside the RTL.

Writes the files of each block/set into BUILD/dpi/block/set, builds the bench with `verilator --binary` and runs it; a line each and a
closing line.  With --out, writes the files and their includes into that folder, and runs nothing."""
import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys
from pathlib import Path

from cosim import folder, manifest, own_rtl, params, parts
from cosim.own_rtl import OwnRtl
from tb.dpi.faces import Face, FaceError, files_of, predictor
from tb.prove.tool import ToolError, called

ROOT = Path(__file__).resolve().parents[2]

FEW = ('set_hash', 'dl_mshr')  # of --quick: one without state, one with wide ports


def written(folder, texts):
    """Each file whole: a bench that another make builds reads the old one or the new one."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            new = folder / f'{name}.{os.getpid()}'
            new.write_text(text)
            new.replace(path)


def sources(block):
    """The twin in C, and those of its parts."""
    return [ROOT / f'cmodel/blocks/{b}.c' for b in (block, *parts.of(block, ROOT))]


def headers(block):
    """Headers that the twins include, as the compiler lists them."""
    said = called(['gcc', '-std=c17', '-MM', f'-I{ROOT}/cmodel/blocks', *sources(block)])
    return sorted({Path(w) for w in said.replace('\\\n', ' ').split() if w.endswith('.h')})


def deliver(face, to):
    """All that another project needs of a block: the generated files, the twin, a list for -F."""
    folder.check(to)
    texts = files_of(face)
    uvm = {f'mt_{face.block}_uvm_pkg.sv': predictor(face)}
    c = [p for p in (*sources(face.block), *headers(face.block))]
    texts |= uvm | {p.name: p.read_text() for p in c}
    listed = [n for n in texts if n.endswith('.sv') and not n.endswith(('_tb.sv', '_uvm_pkg.sv'))] + [
        n for n in texts if n.endswith('.c')
    ]
    texts[f'{face.block}_dpi.f'] = (
        f'// SPDX-License-Identifier: Apache-2.0\n// The twin of {face.block} behind DPI-C; names are relative to this file (-F).\n'
        + ''.join(f'{n}\n' for n in listed)
    )
    with folder.whole(to) as new:
        written(new, texts)
    print(
        f'wrote  {to}: {len(texts)} files; {face.block}_dpi.f lists those that a simulator compiles, mt_{face.block}_dpi_tb.sv is a bench beside the RTL'
    )


def objects(face, folder):
    """The glue and the twins, compiled as C; nothing of the simulator but its svdpi.h is seen."""
    root = called(['verilator', '--getenv', 'VERILATOR_ROOT']).strip()
    for c in (folder / f'{face.block}_dpi.c', *sources(face.block)):
        to = folder / f'{c.stem}.o'
        called(
            [
                'ccache',
                'gcc',
                '-std=c17',
                '-O2',
                '-Wall',
                '-Wextra',
                '-Werror',
                '-fPIC',
                f'-I{ROOT}/cmodel/blocks',
                '-isystem',
                f'{root}/include/vltstd',
                '-c',
                c,
                '-o',
                to,
            ]
        )
        yield to


def build(face, folder, own=None):
    """The bench as a program, in a folder of its own; `own`: a user's RTL, an OwnRtl, in place of the block's."""
    b = face.block
    texts = files_of(face)
    written(folder, texts)
    shutil.rmtree(folder / 'obj', ignore_errors=True)
    rtl = [w for d in (b, *parts.of(b, ROOT)) for w in ('-y', ROOT / 'rtl' / d)]
    rtl = [*own_rtl.QUIET, *own.arguments()] if own else rtl
    r = subprocess.run(
        [
            str(w)
            for w in [
                'verilator',
                '--binary',
                '-Wall',
                '-Wno-BLKSEQ',
                '--assert',
                '-O3',
                f'-I{ROOT}/rtl/lib',
                *rtl,
                '--top-module',
                f'mt_{b}_dpi_tb',
                '--Mdir',
                folder / 'obj',
                '-MAKEFLAGS',
                'OPT_FAST=-O1 OPT_GLOBAL=-O1 OBJCACHE=ccache',
                '-o',
                'bench',
                *(folder / n for n in texts if n.endswith('.sv')),
                *objects(face, folder),
            ]
        ],
        capture_output=True,
        text=True,
    )
    if r.returncode:
        raise ToolError(f'the bench could not be built:\n{(r.stdout + r.stderr).strip()[-3000:]}')


def run(job):
    """Builds one block/set, runs it with every seed.  (text to print, number of runs that passed)"""
    block, name, chosen, folder, args = job
    try:
        face = Face(block, name, chosen, Path(args.build))
        own = OwnRtl(args.rtl, args.top, block) if args.rtl else None
        if own:
            face.use(own, own_rtl.prepared(own, block, face.described, '0')[0])
        build(face, folder, own)
    except (ToolError, FaceError, params.ParamError) as e:
        return f'FAIL dpi {block}/{name}  {e}', 0
    runs = [of_seed(block, name, chosen, folder, args, args.seed + k) for k in range(args.seeds)]
    return '\n'.join(said for said, _ in runs), sum(passed for _, passed in runs)


def of_seed(block, name, chosen, folder, args, seed):
    """Runs a bench.  (text to print, passed)"""
    r = subprocess.run(
        [str(folder / 'obj/bench'), f'+seed={seed}', f'+cycles={args.cycles}'], capture_output=True, text=True
    )
    lines = [
        line.split('] ', 1)[-1] if line.startswith('[') else line
        for line in r.stdout.splitlines()
        if not line.startswith('- ')
    ]
    passed = r.returncode == 0 and any(line.startswith('PASS ') for line in lines)
    said = '\n'.join(line for line in lines if 'Aborting' not in line)
    if not passed and 'FAIL ' not in said:
        said = f'{said}\nFAIL dpi {block}/{name}  ended with status {r.returncode} {r.stderr.strip()}'.strip()
    given = ''.join(f' {n}={v}' for n, v in (('RTL', args.rtl), ('TOP', args.top)) if v)
    chosen_text = (
        f"PARAMS='{' '.join(f'{n}={v}' for n, v in chosen.items())}'" if name.startswith('custom') else f'SET={name}'
    )
    return (
        said
        + (
            '' if passed else f'\n  rerun  make dpi BLOCK={block} {chosen_text} SEED={seed} CYCLES={args.cycles}{given}'
        ),
        passed,
    )


def chosen_sets(args):
    """(block, set, parameters) of each that is asked for."""
    for word in args.sets:
        block, name = word.split('_rtl_')[0].split('/')
        if args.params:
            yield params.set_of(block, args.params)
        elif not args.quick or block in FEW or len(args.sets) == 1:
            yield block, name, manifest.read(block).sets[name]


def main():
    a = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    a.add_argument('sets', nargs='*', help='block/set')
    a.add_argument('--build', default=os.environ.get('BUILD', 'build'))
    a.add_argument('--jobs', type=params.whole_number, default=os.environ.get('JOBS', '2'))
    a.add_argument('--params', default='')
    a.add_argument('--out', default='')
    a.add_argument('--seed', type=int, default=1)
    a.add_argument('--seeds', type=int, default=1)
    a.add_argument('--cycles', type=int, default=20000)
    a.add_argument('--quick', action='store_true')
    a.add_argument('--rtl', default='')
    a.add_argument('--top', default='')
    args = a.parse_args()
    try:
        if not args.sets:
            raise params.ParamError('dpi: no such block or parameter set; rtl/*/*.toml names them')
        found = list(chosen_sets(args))
        if args.out and args.rtl:
            raise params.ParamError(
                f'RTL={args.rtl}: found OUT= as well, which delivers the twin and no RTL; expected one of the two'
            )
        if args.out:
            if len(found) != 1:
                raise params.ParamError(f'OUT: found {len(found)} blocks, expected one BLOCK=')
            deliver(Face(*found[0], Path(args.build)), Path(args.out))
            return 0
    except (params.ParamError, FaceError, ToolError, OSError) as e:
        print(e, file=sys.stderr)
        return 1
    kind = 'dpi-own' if args.rtl else 'dpi'
    jobs = [(b, s, c, Path(args.build, kind, b, s).resolve(), args) for b, s, c in found]
    passed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for said, good in pool.map(run, jobs):
            print(said, flush=True)
            passed += good
    runs = len(jobs) * args.seeds
    print(f'dpi: {passed} passed, {runs - passed} failed')
    return 0 if jobs and passed == runs else 1


if __name__ == '__main__':
    sys.exit(main())
