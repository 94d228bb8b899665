# SPDX-License-Identifier: Apache-2.0
"""Measurements of a block: cells, area, timing and power in a cell library, its netlist in lockstep with the twin, FPGA results
(README.md).  Every result is cached under build/ with a digest of its inputs, and reused while that is unchanged."""
import argparse
import copy
import hashlib
import json
import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from cosim import manifest, own_rtl, params as parameters, parts
from synth import cacti, critical, fpga, storage, yosys
from synth.liberty import Liberty
from synth.yosys import ToolError

RANDOM_CYCLES = 20000
REGISTER_BITS = 16384  # RAMs of more bits together are not made of flip-flops: such a set has its macros alone
ARRAYS_NM = 45  # libraries for measurements of arrays only
TOOLS = {'yosys': ['yosys', '-V'], 'opensta': ['sta', '-version']}
HERE = Path(__file__).parent
OF_THE_CALLER = (
    'MAKEFLAGS',
    'MAKELEVEL',
    'MFLAGS',
    'BLOCK',
    'SET',
    'PARAMS',
    'VEC',
)  # variables of the parent make that a child must not inherit
MAKERS = [
    'measure.py',
    'critical.py',
    'yosys.py',
    'gates.py',
    'storage.py',
    'liberty.py',
    'cacti.py',
    'fpga.py',
    'sta.tcl',
]  # a result depends on these


def with_parts(sources):
    """These sources and every module of rtl/lib and of other blocks that they use: other changes do not affect the block."""
    used = {m for p in sources for m in re.findall(r'^ *(\w+) +(?:#\(|u_\w+)', p.read_text(), re.M)}
    new = [p for p in sorted(Path('rtl').glob('*/*.sv')) if p.stem in used and p not in sources]
    return with_parts(new + sources) if new else sources


class Job(NamedTuple):
    """A block at a parameter set in a library; clock: target of ABC in MHz, None for the clock of the manifest."""

    block: object
    set: str
    params: dict
    lib: object
    build: Path
    nm: int | None
    clock: float | None = None

    def folder(self):
        """The folder of its products."""
        return self.lib.dir / self.block.folder / (self.set if self.clock is None else f'{self.set}@{self.clock:g}MHz')


class Block:
    def __init__(self, name):
        self.name, self.module, self.rtl = name, manifest.module(name), Path('rtl') / name
        self.folder, self.shown = name, ''
        self.sources = with_parts([p for p in sorted(self.rtl.glob('*.sv')) if not p.stem.endswith('_formal')])
        listed = manifest.read(name)
        self.sets, self.captures, self.plan = listed.sets, listed.captures, listed.synth
        self.given = {}  # sets of PARAMS= or SWEEP= that no manifest has: name -> parameters

    def for_yosys(self):
        """(arguments of read_verilog -sv, arguments of hierarchy)"""
        return f'-Irtl/lib -I{self.rtl} {" ".join(map(str, self.sources))}', ''

    def taken(self, params):
        """The parameters that the module gets."""
        return params

    def named(self, params):
        """The name of the set with these parameters: from the manifest, else a custom one."""
        known = parameters.limits(self.name)
        name = next(
            (s for s, p in self.sets.items() if parameters.whole(p, known) == parameters.whole(params, known)),
            parameters.custom(params),
        )
        if name not in self.sets:
            self.sets[name] = self.given[name] = params
        return name

    def digest(self):
        """Inputs of a result: RTL with its includes, the measurement, the twin with its parts, and lockstep."""
        h = hashlib.sha256(json.dumps(self.plan.get('clock_mhz')).encode())
        files = [
            *self.sources,
            *Path('rtl/lib').glob('*.svh'),
            *(HERE / m for m in MAKERS),
            *Path(f'cosim/blocks/{self.name}').iterdir(),
            *Path('cosim').glob('*.hpp'),
            *Path('cosim/blocks').glob('*.hpp'),
            *(Path('cosim') / f for f in ('header.py', 'describe.c')),
            *(Path('cosim') / f'{f}.cpp' for f in ('engine', 'gates', 'given', 'run')),
            *Path('cmodel/blocks').glob('*.h'),
            *Path(f'tests/golden/{self.name}').glob('*.vec'),
            *(Path(f'cmodel/blocks/{b}.c') for b in (self.name, *parts.of(self.name))),
        ]
        for p in sorted(files):
            h.update(f'{p}\0{p.stat().st_size}\0'.encode() + p.read_bytes())
        return h


class OwnBlock(Block):
    """A user's RTL in place of the block's: measured like it, its netlist beside the same twin."""

    def __init__(self, name, path, top, build):
        super().__init__(name)
        self.own = own_rtl.OwnRtl(path, top, name)
        self.module, self.shown = self.own.module, f' {self.own.shown()}'
        self.folder = f'{name}-own-{self.own.digest("0")}'
        self.sources = [p for p in self.own.needs if p.suffix in ('.sv', '.v', '.svh', '.vh')]
        self.build = build

    def for_yosys(self):
        return self.own.for_yosys()

    def taken(self, params):
        """Checks its ports, too."""
        describe = self.build / 'describe' / self.name
        make(describe, self, '')
        said = subprocess.run(
            [describe, '--json', *(f'{n}={v}' for n, v in params.items())], capture_output=True, text=True, check=True
        )
        return own_rtl.prepared(self.own, self.name, json.loads(said.stdout), '0')[0]


def plain(source):
    """A module of a file of its name, for the steps of Yosys."""
    return argparse.Namespace(
        name=source.stem,
        module=source.stem,
        for_yosys=lambda: (f'-Irtl/lib {source}', ''),
        taken=lambda params: params,
    )


def tool_version(command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    found = re.search(r'\d+\.\d[\w.+-]*', done.stdout + done.stderr)
    return found[0] if found else 'unknown'


def versions():
    return {k: tool_version(v) for k, v in TOOLS.items()}


def library(path, build, corner=False):
    """A parsed liberty file; in a corner only timing and power are computed: several files may have the same name."""
    lib = Liberty(path)
    lib.file, lib.path = Path(path).name, str(path)
    lib.digest = hashlib.sha256(lib.text.encode()).hexdigest()
    lib.dir = build / 'synth' / (f'corners/{lib.digest[:12]}' if corner else lib.file.split('.')[0])
    lib.dir.mkdir(parents=True, exist_ok=True)
    lib.plain = lib.dir / 'cells.lib'
    if not lib.plain.exists() or lib.plain.read_text(errors='replace') != lib.text:
        lib.plain.write_text(lib.text)
    lib.load = round(4 * lib.cells[lib.inverter]['load'], 6)  # each output drives four inverters
    lib.fo4 = fo4(lib)
    return lib


def sta(lib, netlist, top, period, out, macros=None, activity=None):
    """Minimum period in the library's unit, and OpenSTA's report."""
    a = activity or {'nets': 0.1, 'inputs': 0.1}
    env = {
        **os.environ,
        'LIBS': ' '.join(map(str, [lib.plain, *([macros] if macros else [])])),
        'NETLIST': str(netlist),
        'TOP': top,
        'PERIOD': f'{period:.5f}',
        'DRIVER': lib.buffer,
        'LOAD': f'{lib.load}',
        'ACTIVITY': f'{a["nets"]:.6f}',
        'DUTY': '0.5',
        'INPUT_ACTIVITY': f'{a["inputs"]:.6f}',
        'INPUT_DUTY': '0.5',
    }
    done = subprocess.run(
        ['sta', '-no_init', '-exit', 'synth/sta.tcl'], env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    report = done.stdout + done.stderr
    out.write_text(report)
    found = re.search(r'^RESULT min_period (\S+)$', report, re.M)
    if not found or re.search(r'^(STA ERROR|Error)', report, re.M):
        raise ToolError(f'sta failed, see {out}')
    return float(found[1]), report


def fo4(lib):
    """Delay in seconds of an inverter with fan-out 4: the difference of two inverter chains with three extra loads per stage."""
    a, y = lib.cells[lib.inverter]['inputs'][0], lib.cells[lib.inverter]['outputs'][0]

    def chain(n):
        stages = [f'  {lib.inverter} s{i} (.{a}(w{i}), .{y}(w{i + 1}));' for i in range(n)]
        loads = [f'  {lib.inverter} d{i}_{k} (.{a}(w{i + 1}), .{y}(x{i}_{k}));' for i in range(n) for k in range(3)]
        wires = ''.join(f'  wire w{i};\n' for i in range(1, n)) + ''.join(
            f'  wire x{i}_{k};\n' for i in range(n) for k in range(3)
        )
        path = lib.dir / f'fo4_{n}.v'
        path.write_text(
            f'module chain (clk_i, w0, w{n});\n  input clk_i, w0;\n  output w{n};\n{wires}'
            + '\n'.join(stages + loads)
            + '\nendmodule\n'
        )
        return sta(lib, path, 'chain', 1.0, lib.dir / f'fo4_{n}.log')[0]

    return (chain(12) - chain(4)) / 8 * lib.time


def activity(path):
    """Toggles per cycle of a net, mean over cell outputs and inputs, summed over the runs of a program."""
    rows = [tuple(map(int, line.split())) for line in path.read_text().splitlines()]
    cycles = sum(r[0] for r in rows)
    return {
        'inputs': sum(r[1] for r in rows) / rows[0][2] / cycles if rows[0][2] else 0.0,
        'nets': sum(r[3] for r in rows) / max(rows[0][4], 1) / cycles,
    }


def make(target, block, set_name):
    """Builds a product of a set with make.  A set outside the manifests is passed by PARAMS."""
    given = block.given.get(set_name, {})
    words = [f'PARAMS={" ".join(f"{n}={v}" for n, v in given.items())}', f'BLOCK={block.name}'] if given else []
    done = subprocess.run(
        ['make', '-s', str(target), *words],
        capture_output=True,
        text=True,
        env={k: v for k, v in os.environ.items() if k not in OF_THE_CALLER},
    )
    if done.returncode:
        raise ToolError(f'make {target} failed: {(done.stdout + done.stderr).strip()[-600:]}')


def captured(block, set_name, build):
    """The captured full-system traffic for this set's parameters, or None."""
    if set_name not in block.captures:
        return None
    unit, *options = block.captures[set_name]
    vec = build / 'cosim' / 'captured' / f'{block.name}-{set_name}.vec'
    vec.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [str(build / 'memtwin'), 'run', '-q', *options, '--capture', f'{unit}={vec}.{os.getpid()}', 'bfs:n=16384'],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise ToolError(f'capture of {unit}: {done.stderr.strip()}')
    os.replace(f'{vec}.{os.getpid()}', vec)
    return vec


def lockstep(block, set_name, out, view, build):
    """The netlist beside the twin: random traffic with all scenarios, then captured traffic; returns the activity of the latter, if any."""
    program = build / 'cosim' / block.name / 'lockstep'
    make(program, block, set_name)
    runs = [('random', ['--cycles', str(RANDOM_CYCLES)])]
    vec = captured(block, set_name, build)
    if vec:
        runs.append(('captured', ['--vec', str(vec)]))
    total, toggles = 0, out / f'{view}.toggles'
    for traffic, arguments in runs:
        toggles.unlink(missing_ok=True)
        log = out / f'{view}-{traffic}.log'
        done = subprocess.run(
            [
                str(program),
                '--set',
                str(build / 'sets' / block.name / set_name),
                *arguments,
                '--gates',
                str(out / f'{view}.gates'),
                '--activity',
                str(toggles),
            ],
            capture_output=True,
            text=True,
        )
        log.write_text(done.stdout + done.stderr)
        if done.returncode:
            raise ToolError(f'the netlist differs from the twin, see {log}:\n{(done.stdout + done.stderr)[:1500]}')
        cycles = int(re.search(r'(\d+) cycles', done.stdout)[1])
        total += cycles
        result = activity(toggles) | {'traffic': traffic, 'cycles': cycles}
    return result | {'compared_cycles': total}


def power_mw(report):
    found = re.search(r'^Total\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)', report, re.M)
    return 1000 * float(found[4]) if found else None


def view_area(lib, cells):
    return sum(lib.cells[c]['area'] * n for c, n in cells.items())


def kept(path, digest, make_it):
    """The cached result at `path` if its digest matches, else a new one, which is cached."""
    try:
        stored = json.loads(path.read_text())
        if stored['digest'] == digest:
            return stored
    except (FileNotFoundError, ValueError, KeyError, TypeError):  # none, or cut off in the middle
        pass
    result = make_it() | {'digest': digest}
    new = path.with_name(f'{path.name}.{os.getpid()}')
    new.write_text(json.dumps(result, indent=1))
    new.replace(path)
    return result


def one(job):
    """One block at one parameter set in one library."""
    out = job.folder()
    out.mkdir(parents=True, exist_ok=True)
    digest = job.block.digest()
    digest.update(
        json.dumps(
            [job.params, job.lib.digest, job.nm, job.clock, versions(), job.block.captures.get(job.set), cacti.binary()]
        ).encode()
    )
    return kept(out / 'result.json', digest.hexdigest(), lambda: views(job, out))


def views(job, out):
    """The block with every table as flip-flops, and with its RAMs as macros; one view if there is no RAM, or too many bits for flip-flops."""
    block, set_name, params, lib, build, nm, clock = job
    period_ps = (
        1e6 / clock if clock else 1e6 / block.plan.get('clock_mhz', 700) * (nm or 45) / 45
    )  # target of abc at 45 nm; scales with the feature size
    design = yosys.coarse(block, params, out)
    found = yosys.tables(design, block.name)
    rams = {n: t for n, t in found.items() if t['kind'] == 'ram'}
    result = {
        'block': block.name,
        'set': set_name,
        'params': params,
        'library': lib.name,
        'node_nm': nm,
        'tools': versions(),
        'fo4_ps': lib.fo4 * 1e12,
    }
    plain = sum(t['bits'] for t in rams.values()) <= REGISTER_BITS
    if not plain and not nm:
        raise ToolError(
            f'its RAMs are too large for flip-flops and {lib.name} is no library whose feature size is known: NODE=nm'
        )
    if plain:
        result['registers'] = view(lib, block, set_name, design, 'registers', {}, out, build, period_ps)
    if nm:
        size(found, nm)
        v = view(lib, block, set_name, design, 'macros', rams, out, build, period_ps) if rams else result['registers']
        result['macros'] = with_rams(v, found, lib)
        for n, t in rams.items():
            found[n] |= cacti.macro(t['words'], t['width'], t['reads'], nm, out / f'{yosys.macro_name(n)}.cacti')
    return result | {'tables': without_cell(found)}


def view(lib, block, set_name, design, name, rams, out, build, period_ps):
    """Cells, timing, lockstep with the twin, and power at Fmax with the activity of lockstep.  The area counts cells only: macros have none here."""
    mapped, macros = design, None
    if rams:
        mapped, macros = yosys.with_macros(copy.deepcopy(design), block.name, rams), out / 'macros.lib'
        macros.write_text(storage.liberty({yosys.macro_name(n): t for n, t in rams.items()}, lib.fo4, lib))
    cells = yosys.map_to(lib, mapped, block.name, out, name, period_ps, lib.load)
    netlist = out / f'{name}.v'
    period, report = sta(lib, netlist, block.name, period_ps * 1e-12 / lib.time, out / f'{name}.sta', macros)
    yosys.as_gates(lib, block.name, out, name, rams)
    seen = lockstep(block, set_name, out, name, build)
    area = view_area(lib, cells)
    period = max(period, 1e-6)
    return {
        'cells': sum(cells.values()),
        'area_um2': area,
        'nand2': area / lib.cells[lib.nand2]['area'],
        'flip_flops': sum(n for c, n in cells.items() if c in lib.flip_flops),
        'flip_flop_um2': view_area(lib, {c: n for c, n in cells.items() if c in lib.flip_flops}),
        'min_period_ns': period * lib.time * 1e9,
        'fmax_mhz': 1e-6 / (period * lib.time),
        'path': critical.describe(report, netlist.read_text(), design['modules'][block.name]),
        'activity': seen,
        'power_mw': power_mw(sta(lib, netlist, block.name, period, out / f'{name}.power', macros, seen)[1]),
    }


def size(found, nm):
    """Area of each table as a macro."""
    for t in found.values():
        t['nm'] = nm
        t['sram_um2'] = storage.array_um2(t['words'], t['width'], nm, reads=max(t['reads'], 1))
        t['cam_um2'] = storage.array_um2(t['words'], t['width'], nm, reads=1, cam=True)


def arrays(found):
    """RAMs as macros, and the CAM area of searched tables."""
    rams, cams = ([t for t in found.values() if t['kind'] == k] for k in ('ram', 'cam'))
    return {
        'sram_um2': sum(t['sram_um2'] for t in rams),
        'sram_bits': sum(t['bits'] for t in rams),
        'cam_um2': sum(t['cam_um2'] for t in cams),
        'cam_bits': sum(t['bits'] for t in cams),
    }


def with_rams(v, found, lib):
    """A view and its macros; searched tables and their comparators stay in the logic."""
    a = arrays(found)
    access = max(
        (storage.access_fo4(t['words'], t['width']) * lib.fo4 * 1e9 for t in found.values() if t['kind'] == 'ram'),
        default=0.0,
    )
    both = v['area_um2'] + a['sram_um2']
    return (
        v
        | a
        | {
            'logic_um2': v['area_um2'],
            'area_um2': both,
            'nand2': both / lib.cells[lib.nand2]['area'],
            'sram_access_ns': access,
        }
    )


def without_cell(found):
    return {n: {k: v for k, v in t.items() if k != 'cell'} for n, t in found.items()}


def only_arrays(job):
    """Storage of a parameter set without its logic: bits of every register and table, and tables by the macro model."""
    block, set_name, params, lib, build, nm, _ = job
    out = build / 'synth' / 'arrays' / block.folder / set_name
    out.mkdir(parents=True, exist_ok=True)
    tools = {'yosys': versions()['yosys']}
    digest = block.digest()
    digest.update(json.dumps([params, tools]).encode())

    def make_it():
        design = yosys.coarse(block, params, out)
        found = yosys.tables(design, block.name)
        size(found, ARRAYS_NM)
        return {
            'block': block.name,
            'set': set_name,
            'params': params,
            'library': 'arrays alone',
            'node_nm': ARRAYS_NM,
            'tools': tools,
            'arrays': arrays(found),
            'state': critical.state(design['modules'][block.name]),
            'tables': without_cell(found),
        }

    return kept(out / 'result.json', digest.hexdigest(), make_it)


def search(entries, lib, build, nm):
    """Comparators alone (cam_search.sv), for the CAM search time of the paper."""
    out = lib.dir / 'cam_search' / str(entries)
    out.mkdir(parents=True, exist_ok=True)
    source = Path('synth/cam_search.sv')
    block = plain(source)
    digest = hashlib.sha256(source.read_bytes() + json.dumps([lib.digest, versions()]).encode()).hexdigest()
    period_ps = 500 * nm / 45
    cells = yosys.map_to(
        lib, yosys.coarse(block, {'Entries': entries}, out), block.name, out, 'registers', period_ps, lib.load
    )
    period, report = sta(lib, out / 'registers.v', block.name, period_ps * 1e-12 / lib.time, out / 'registers.sta')
    launched = float(re.search(r'^.*?(\d+\.\d+) +[v^] \S+/(?:Q|QN) ', report, re.M)[1])  # clock to Q
    setup = float(re.search(r'(-?\d+\.\d+) +-?\d+\.\d+ +library setup time', report)[1])
    ns = lib.time * 1e9
    return {
        'library': lib.name,
        'node_nm': nm,
        'digest': digest,
        'tools': versions(),
        'fo4_ps': lib.fo4 * 1e12,
        'search': {
            'min_period_ns': period * ns,
            'search_ns': (period - launched + setup) * ns,
            'path_cells': critical.between(report)[1],
            'logic_um2': view_area(lib, {c: n for c, n in cells.items() if c not in lib.flip_flops}),
            'area_um2': view_area(lib, cells),
        },
    }


def on_fpga(job, family='ice40'):
    """Logic cells of an FPGA family, and Fmax if its place-and-route program is installed."""
    block, s, params, lib, build, nm, _ = job
    out = build / 'synth' / family / block.folder / s
    out.mkdir(parents=True, exist_ok=True)
    program = fpga.placer(family)
    tools = {'yosys': versions()['yosys']} | ({'nextpnr': tool_version([program, '--version'])} if program else {})
    digest = block.digest()
    digest.update(json.dumps([params, tools]).encode())
    return kept(
        out / 'result.json',
        digest.hexdigest(),
        lambda: {
            'block': block.name,
            'set': s,
            'params': params,
            'library': fpga.FAMILIES[family].name,
            'tools': tools,
            'fpga': fpga.measured(family, block, yosys.coarse(block, params, out), out),
        },
    )
