#!/usr/bin/env python3
"""Area, timing and power of the blocks in a cell library: make synth, make synth-check.  README.md says what is measured and how."""
import argparse
import concurrent.futures
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import cacti
import fpga
import storage
import table
import yosys
from liberty import Liberty
from yosys import ToolError

RANDOM_CYCLES = 20000
REGISTER_BITS = 16384  # RAMs of more bits together are not made of flip-flops: such a set has its macros alone
TOOLS = {'yosys': ['yosys', '-V'], 'opensta': ['sta', '-version']}


class Block:
    def __init__(self, name):
        self.name, self.rtl = name, Path('rtl') / name
        self.sources = [*sorted(Path('rtl/lib').glob('*.sv')), *(p for p in sorted(self.rtl.glob('*.sv')) if not p.stem.endswith('_formal'))]
        lines = (self.rtl / f'{name}.params').read_text().splitlines()
        self.sets = {w[0]: dict(p.split('=') for p in w[1:]) for w in (line.split('#')[0].split() for line in lines) if w}
        self.captures = {w[2]: w[3:] for w in (line.split() for line in lines if line.startswith('# @capture'))}
        path = Path('synth') / f'{name}.toml'
        self.plan = tomllib.loads(path.read_text()) if path.exists() else {}

    def digest(self):
        h = hashlib.sha256()
        for p in [*self.sources, *sorted(Path('synth').glob('*.py')), Path('synth/sta.tcl'), Path(f'cosim/{self.name}.cpp'), *sorted(Path('cmodel/blocks').glob(f'{self.name}*'))]:
            h.update(p.read_bytes())
        return h


def tool_version(command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    found = re.search(r'\d+\.\d[\w.+-]*', done.stdout + done.stderr)
    return found[0] if found else 'unknown'


def versions():
    return {k: tool_version(v) for k, v in TOOLS.items()}


def library(path, build):
    lib = Liberty(path)
    lib.file = Path(path).name
    lib.dir = build / 'synth' / lib.file.split('.')[0]
    lib.dir.mkdir(parents=True, exist_ok=True)
    lib.plain = lib.dir / 'cells.lib'
    if not lib.plain.exists() or lib.plain.read_text(errors='replace') != lib.text:
        lib.plain.write_text(lib.text)
    lib.digest = hashlib.sha256(lib.text.encode()).hexdigest()
    lib.load = round(4 * lib.cells[lib.inverter]['load'], 6)  # each output drives four inverters
    lib.fo4 = fo4(lib)
    return lib


def sta(lib, netlist, top, period, out, macros=None, activity=None):
    """Minimum period in the library's unit, and OpenSTA's report."""
    a = activity or {'nets': 0.1, 'inputs': 0.1}
    env = {**os.environ, 'LIBS': ' '.join(map(str, [lib.plain, *([macros] if macros else [])])), 'NETLIST': str(netlist), 'TOP': top, 'PERIOD': f'{period:.5f}',
           'DRIVER': lib.buffer, 'LOAD': f'{lib.load}', 'ACTIVITY': f'{a["nets"]:.6f}', 'DUTY': '0.5', 'INPUT_ACTIVITY': f'{a["inputs"]:.6f}', 'INPUT_DUTY': '0.5'}
    done = subprocess.run(['sta', '-no_init', '-exit', 'synth/sta.tcl'], env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    report = done.stdout + done.stderr
    out.write_text(report)
    found = re.search(r'^RESULT min_period (\S+)$', report, re.M)
    if not found or re.search(r'^(STA ERROR|Error)', report, re.M):
        raise ToolError(f'sta failed, see {out}')
    return float(found[1]), report


def fo4(lib):
    """Seconds of an inverter that drives four: the difference of two chains of inverters, every stage with three more to drive."""
    a, y = lib.cells[lib.inverter]['inputs'][0], lib.cells[lib.inverter]['outputs'][0]

    def chain(n):
        stages = [f'  {lib.inverter} s{i} (.{a}(w{i}), .{y}(w{i + 1}));' for i in range(n)]
        loads = [f'  {lib.inverter} d{i}_{k} (.{a}(w{i + 1}), .{y}(x{i}_{k}));' for i in range(n) for k in range(3)]
        wires = ''.join(f'  wire w{i};\n' for i in range(1, n)) + ''.join(f'  wire x{i}_{k};\n' for i in range(n) for k in range(3))
        path = lib.dir / f'fo4_{n}.v'
        path.write_text(f'module chain (clk_i, w0, w{n});\n  input clk_i, w0;\n  output w{n};\n{wires}' + '\n'.join(stages + loads) + '\nendmodule\n')
        return sta(lib, path, 'chain', 1.0, lib.dir / f'fo4_{n}.log')[0]
    return (chain(12) - chain(4)) / 8 * lib.time


def activity(path):
    """Toggles of a net in a cycle, mean over what the cells drive and over the inputs, summed over a program's runs."""
    rows = [tuple(map(int, line.split())) for line in path.read_text().splitlines()]
    cycles = sum(r[0] for r in rows)
    return {'inputs': sum(r[1] for r in rows) / rows[0][2] / cycles if rows[0][2] else 0.0, 'nets': sum(r[3] for r in rows) / max(rows[0][4], 1) / cycles}


def make(target):
    done = subprocess.run(['make', '-s', f'LIBERTY={make.liberty}', str(target)] + make.params, capture_output=True, text=True,
                          env={k: v for k, v in os.environ.items() if k not in ('MAKEFLAGS', 'MAKELEVEL', 'MFLAGS')})
    if done.returncode:
        raise ToolError(f'make {target} failed: {(done.stdout + done.stderr).strip()[-600:]}')


def captured(block, set_name, build):
    """The traffic of a full-system run that has this set's parameters, or None."""
    if set_name not in block.captures:
        return None
    unit, *options = block.captures[set_name]
    vec = build / 'cosim' / 'captured' / f'{block.name}-{set_name}.vec'
    vec.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([str(build / 'memtwin'), 'run', '-q', *options, '--capture', f'{unit}={vec}.{os.getpid()}', 'bfs:n=16384'], capture_output=True, text=True)
    if done.returncode:
        raise ToolError(f'capture of {unit}: {done.stderr.strip()}')
    os.replace(f'{vec}.{os.getpid()}', vec)
    return vec


def lockstep(block, set_name, out, build):
    """The netlist beside the twin: random traffic with every scenario, then captured traffic; the activity of the latter, if there is any."""
    program = build / 'synth' / 'lockstep' / block.name / set_name / 'lockstep'
    make(program)
    runs = [('random', ['--cycles', str(RANDOM_CYCLES)])]
    vec = captured(block, set_name, build)
    if vec:
        runs.append(('captured', ['--vec', str(vec)]))
    total, toggles = 0, out / 'toggles'
    for traffic, arguments in runs:
        toggles.unlink(missing_ok=True)
        done = subprocess.run([str(program), *arguments, '--gates', str(out / 'gates'), '--activity', str(toggles)], capture_output=True, text=True)
        (out / f'lockstep-{traffic}.log').write_text(done.stdout + done.stderr)
        if done.returncode:
            raise ToolError(f'the netlist differs from the twin, see {out}/lockstep-{traffic}.log:\n{(done.stdout + done.stderr)[:1500]}')
        cycles = int(re.search(r'(\d+) cycles', done.stdout)[1])
        total += cycles
        result = activity(toggles) | {'traffic': traffic, 'cycles': cycles}
    return result | {'compared_cycles': total}


def path_of(report):
    """Where the critical path starts and ends, as OpenSTA names it."""
    ends = re.findall(r'^(?:Startpoint|Endpoint): (\S+)', report, re.M)
    return ' -> '.join(ends[:2]) if len(ends) >= 2 else 'none'


def power_mw(report):
    found = re.search(r'^Total\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)', report, re.M)
    return 1000 * float(found[4]) if found else None


def view_area(lib, cells):
    return sum(lib.cells[c]['area'] * n for c, n in cells.items())


def one(job):
    """One block at one parameter set in one library: the result that is written to result.json."""
    block, set_name, params, lib, build, nm = job
    out = lib.dir / block.name / set_name
    out.mkdir(parents=True, exist_ok=True)
    digest = block.digest()
    digest.update(json.dumps([params, lib.digest, nm, versions(), block.captures.get(set_name), cacti.binary()]).encode())
    stored = out / 'result.json'
    if stored.exists() and json.loads(stored.read_text())['digest'] == digest.hexdigest():
        return json.loads(stored.read_text())
    period_ps = 1e6 / block.plan.get('clock_mhz', 700) * (nm or 45) / 45  # what abc aims for: the clock at 45 nm, slower with the feature size
    design = yosys.coarse(block, params, out)
    found = yosys.tables(design, block.name)
    rams = {n: t for n, t in found.items() if t['kind'] == 'ram'}
    result = {'block': block.name, 'set': set_name, 'params': params, 'library': lib.name, 'node_nm': nm, 'tools': versions(), 'digest': digest.hexdigest(),
              'fo4_ps': lib.fo4 * 1e12, 'tables': found}
    plain = sum(t['bits'] for t in rams.values()) <= REGISTER_BITS
    if not plain and not nm:
        raise ToolError(f'its RAMs are too large for flip-flops and {lib.name} is no library whose feature size is known: NODE=nm')
    if nm:
        result['macros'] = macros(lib, block, json.loads(json.dumps(design)), found, rams, out, period_ps, nm)
    if plain:
        result['registers'] = registers(lib, block, design, out, period_ps)
    yosys.as_gates(lib, block.name, out, 'registers' if plain else 'macros', rams)
    result['activity'] = lockstep(block, set_name, out, build)
    if plain:
        result['registers']['power_mw'] = power(lib, block, result, out)
    for t in found.values():
        del t['cell']
    stored.write_text(json.dumps(result, indent=1))
    return result


def registers(lib, block, design, out, period_ps):
    """Every table as flip-flops."""
    cells = yosys.map_to(lib, design, block.name, out, 'registers', period_ps, lib.load)
    period, report = sta(lib, out / 'registers.v', block.name, period_ps * 1e-12 / lib.time, out / 'registers.sta')
    area = view_area(lib, cells)
    return {'cells': sum(cells.values()), 'area_um2': area, 'nand2': area / lib.cells[lib.nand2]['area'],
            'flip_flops': sum(n for c, n in cells.items() if c in lib.flip_flops)} | timing(lib, period, report)


def timing(lib, period, report):
    period = max(period, 1e-6)
    return {'min_period_ns': period * lib.time * 1e9, 'fmax_mhz': 1e-6 / (period * lib.time), 'path': path_of(report)}


def power(lib, block, result, out):
    """At Fmax, with the activity that lockstep saw."""
    period = result['registers']['min_period_ns'] * 1e-9 / lib.time
    return power_mw(sta(lib, out / 'registers.v', block.name, period, out / 'power.sta', activity=result['activity'])[1])


def macros(lib, block, design, found, rams, out, period_ps, nm):
    """RAMs as macros: area, and timing through them.  The area of CAMs as macros is given beside, with their comparators still in the cells."""
    for t in found.values():
        t['nm'] = nm
        t['sram_um2'] = storage.array_um2(t['words'], t['width'], nm, reads=max(t['reads'], 1))
        t['cam_um2'] = storage.array_um2(t['words'], t['width'], nm, reads=1, cam=True)
    cells = yosys.map_to(lib, yosys.with_macros(design, block.name, rams), block.name, out, 'macros', period_ps, lib.load)
    library_file = out / 'macros.lib'
    library_file.write_text(storage.liberty({yosys.macro_name(n): t for n, t in rams.items()}, lib.fo4, lib))
    for n, t in rams.items():
        found[n] |= cacti.macro(t['words'], t['width'], t['reads'], nm, out / f'{yosys.macro_name(n)}.cacti')
    period, report = sta(lib, out / 'macros.v', block.name, period_ps * 1e-12 / lib.time, out / 'macros.sta', macros=library_file if rams else None)
    logic, sram = view_area(lib, cells), sum(t['sram_um2'] for t in rams.values())
    return {'cells': sum(cells.values()), 'logic_um2': logic, 'sram_um2': sram, 'area_um2': logic + sram, 'sram_bits': sum(t['bits'] for t in rams.values()),
            'flip_flops': sum(n for c, n in cells.items() if c in lib.flip_flops),
            'cam_um2': sum(t['cam_um2'] for t in found.values() if t['kind'] == 'cam'), 'cam_bits': sum(t['bits'] for t in found.values() if t['kind'] == 'cam'),
            'sram_access_ns': max((storage.access_fo4(t['words'], t['width']) * lib.fo4 * 1e9 for t in rams.values()), default=0.0)} | timing(lib, period, report)


def jobs_of(args, lib, nm):
    every = sorted(p.parent.name for p in Path('rtl').glob('*/*.params'))
    for name in args.block or every:
        if name not in every:
            sys.exit(f'synth: BLOCK={name}: found no rtl/{name}, expected one of {", ".join(every)}')
        block = Block(name)
        if args.param:
            unknown = [p for p in args.param if '=' not in p]
            if unknown or len(args.block) != 1:
                sys.exit(f'synth: PARAMS: found {" ".join(args.param)}, expected Name=value ... and one BLOCK=')
            block.sets['custom'] = dict(p.split('=') for p in args.param)
            wanted = ['custom']
        else:
            planned = block.plan.get('quick', []) + ([] if args.quick else block.plan.get('sets', []))
            wanted = list(dict.fromkeys(args.set or planned or list(block.sets)[:1]))
        for s in wanted:
            if s not in block.sets:
                sys.exit(f'synth: {name}: found no parameter set {s}, expected one of {", ".join(block.sets)}')
            yield block, s, block.sets[s], lib, args.build_dir, nm


def show(r):
    f, m = r.get('registers'), r.get('macros')
    plain = f'{f["cells"]:7d} cells {f["area_um2"]:10.0f} um2 {f["nand2"]:7.0f} NAND2 {f["fmax_mhz"]:5.0f} MHz {f["power_mw"]:8.3f} mW' if f else f'{"too large for flip-flops":61}'
    macro = f'  macros {m["area_um2"]:9.0f} um2 {m["fmax_mhz"]:5.0f} MHz' if m else ''
    for n, x in r['tables'].items():
        if 'cacti_um2' in x:
            print(f'     {r["block"]}/{r["set"]} {n}: {x["cacti_um2"]:.0f} um2 and {x["cacti_ns"]:.3f} ns by CACTI, {x["sram_um2"]:.0f} um2 by the model')
    print(f'PASS synth {r["block"] + "/" + r["set"]:22}{plain}{macro}  netlist = twin in {r["activity"]["compared_cycles"]} cycles', flush=True)


def search(entries, lib, build, nm):
    """Comparators alone (cam_search.sv), for what the paper says of a CAM's search time."""
    out = lib.dir / 'cam_search' / str(entries)
    out.mkdir(parents=True, exist_ok=True)
    source = Path('synth/cam_search.sv')
    block = argparse.Namespace(name='cam_search', rtl=Path('synth'), sources=[source])
    digest = hashlib.sha256(source.read_bytes() + json.dumps([lib.digest, versions()]).encode()).hexdigest()
    period_ps = 500 * nm / 45
    yosys.map_to(lib, yosys.coarse(block, {'Entries': entries}, out), block.name, out, 'registers', period_ps, lib.load)
    period, report = sta(lib, out / 'registers.v', block.name, period_ps * 1e-12 / lib.time, out / 'registers.sta')
    launched = float(re.search(r'^.*?(\d+\.\d+) +[v^] \S+/(?:Q|QN) ', report, re.M)[1])  # clock to Q
    setup = float(re.search(r'(-?\d+\.\d+) +-?\d+\.\d+ +library setup time', report)[1])
    ns = lib.time * 1e9
    return {'library': lib.name, 'node_nm': nm, 'digest': digest, 'tools': versions(), 'fo4_ps': lib.fo4 * 1e12,
            'search': {'min_period_ns': period * ns, 'search_ns': (period - launched + setup) * ns}}


MEASURES = [('registers', 'area_um2'), ('registers', 'fmax_mhz'), ('macros', 'area_um2'), ('macros', 'fmax_mhz'), ('fpga', 'logic_cells'), ('fpga', 'fmax_mhz'), ('search', 'search_ns')]
TOLERANCE = 0.05


def compare(name, new, old):
    """What moved by more than the tolerance, either way."""
    for view, measure in MEASURES:
        a, b = (r.get(view, {}).get(measure) for r in (old, new))
        if (a is None) != (b is None):
            yield f'{name}: {view}.{measure}: found {b}, baseline {a}'
        elif a and abs(b / a - 1) > TOLERANCE:
            yield f'{name}: {view}.{measure}: found {b:.4g}, baseline {a:.4g} ({100 * (b / a - 1):+.1f} %)'


def judge(results, update, whole):
    """Against synth/baseline/, a file a block: {set: {library: result}}.  Returns how many failed."""
    failed = stale = 0
    for block in sorted({b for b, _, _ in results}):
        path = table.BASELINES / f'{block}.json'
        old = json.loads(path.read_text()) if path.exists() else {}
        mine = {s: r for b, s, r in results if b == block}
        k = next(iter(mine.values()))['library']
        for s, new in mine.items():
            known = old.get(s, {}).get(k)
            if update:
                old.setdefault(s, {})[k] = new
            elif not known:
                failed += 1
                print(f'FAIL synth-check {block}/{s}: no baseline for {k}; UPDATE=1 writes it')
            elif known['tools'] != new['tools']:
                stale += 1
                print(f'STALE synth-check {block}/{s}: measured with {new["tools"]}, baseline with {known["tools"]}: not compared')
            else:
                moved = list(compare(f'{block}/{s}', new, known))
                failed += bool(moved)
                print('\n'.join(f'FAIL synth-check {m}' for m in moved) or f'PASS synth-check {block}/{s}')
        if whole:
            gone = [s for s in old if k in old[s] and s not in mine]
            failed += 0 if update else len(gone)
            for s in gone:
                print(f'{"GONE" if update else "FAIL"} synth-check {block}/{s}: in the baseline for {k}, but measured no more')
                if update:
                    del old[s][k]
        if update:
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(old, indent=1, sort_keys=True) + '\n')
    return failed, stale


def page(update):
    text = table.page({b.name: b.plan for b in map(Block, sorted(p.parent.name for p in Path('rtl').glob('*/*.params')))})
    if update:
        table.PAGE.write_text(text)
    elif not table.PAGE.exists() or table.PAGE.read_text() != text:
        print(f'FAIL synth-check {table.PAGE}: is not what synth/baseline/ says; UPDATE=1 writes it')
        return 1
    return 0


def on_fpga(job):
    block, s, params, lib, build, nm = job
    out = build / 'synth' / 'ice40' / block.name / s
    out.mkdir(parents=True, exist_ok=True)
    tools = {'yosys': versions()['yosys'], 'nextpnr': tool_version(['nextpnr-ice40', '--version'])}
    return {'library': 'iCE40 HX8K', 'digest': block.digest().hexdigest(), 'tools': tools, 'fpga': fpga.place_and_route(block, params, yosys.coarse(block, params, out), out)}


def fpga_jobs(args, lib, nm):
    for name in args.block or sorted(p.parent.name for p in Path('rtl').glob('*/*.params')):
        block = Block(name)
        for s in block.plan.get('fpga', []):
            yield block, s, block.sets[s], lib, args.build_dir, nm


def measured(work, function, jobs, report):
    """(block, set, result) of each job, and how many failed."""
    results, failed = [], 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for job, run in [(j, pool.submit(function, j)) for j in work]:
            try:
                results.append((job[0].name, job[1], run.result()))
                report(results[-1][2])
            except (ToolError, ValueError) as e:
                failed += 1
                print(f'FAIL synth {job[0].name}/{job[1]}: {e}', flush=True)
    return results, failed


def main():
    p = argparse.ArgumentParser()
    p.add_argument('what', choices=['run', 'check'])
    p.add_argument('--liberty', required=True)
    p.add_argument('--build', dest='build_dir', type=Path, required=True)
    p.add_argument('--jobs', type=int, default=2)
    p.add_argument('--block', action='append', default=[])
    p.add_argument('--set', action='append', default=[])
    p.add_argument('--param', action='append', default=[])
    p.add_argument('--node', default=None)
    p.add_argument('--update', action='store_true')
    p.add_argument('--quick', action='store_true')
    args = p.parse_args()
    if not Path(args.liberty).exists():
        sys.exit(f'synth: LIBERTY={args.liberty}: no such file; the default is part of Debian\'s qflow-tech-osu018 (make setup)')
    try:
        lib = library(args.liberty, args.build_dir)
    except (ValueError, ToolError, AttributeError) as e:
        sys.exit(f'synth: {e}')
    nm = storage.node_nm(lib.name, args.node)
    make.liberty, make.params = args.liberty, [f'PARAMS={" ".join(args.param)}', f'BLOCK={args.block[0]}'] if args.param else []
    print(f'synth: library {lib.name}, {nm or "unknown"} nm, FO4 {lib.fo4 * 1e12:.1f} ps; inverter {lib.inverter}, NAND2 {lib.nand2}', flush=True)
    results, failed = measured(list(jobs_of(args, lib, nm)), one, args.jobs, show)
    print(f'synth: {len(results)} passed, {failed} failed')
    if args.what == 'check':
        whole = not args.block and not args.quick
        wrong, stale = judge(results, args.update, whole)
        if whole and nm:
            found = [('cam_search', str(n), search(n, lib, args.build_dir, nm)) for n in (32, 64)]
            wrong += judge(found, args.update, True)[0]
        if not args.quick:
            placed, broken = measured(list(fpga_jobs(args, lib, nm)), on_fpga, args.jobs, lambda r: None)
            wrong += broken + judge(placed, args.update, whole)[0]
        wrong += page(args.update) if args.update or not failed else 0
        print(f'synth-check: {len(results)} measured, {stale} stale, {wrong} failed')
        failed += wrong
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
