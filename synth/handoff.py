# SPDX-License-Identifier: Apache-2.0
"""A block at a clock: slack, Fmax and power in each corner, and the folder with netlist, SDC, result.json and the inputs of
OpenROAD-flow-scripts.  README.md lists its files."""
import hashlib
import json
import re
import shutil

from cosim import folder, params
from cosim.manifest import ParamError, nearest
from synth import filelists, measure, storage, yosys

PLATFORMS = {
    'nangate45': 'ns',
    'sky130hd': 'ns',
    'sky130hs': 'ns',
    'gf180': 'ns',
    'ihp-sg13g2': 'ns',
    'asap7': 'ps',
}  # and the unit of time in their SDC
SECONDS = {'ns': 1e-9, 'ps': 1e-12}
UTILIZATION = 40  # per cent of the core
MEMORY_BITS = 4096  # limit above which the flow refuses a table of flip-flops by default
UNITS = {
    'clock_mhz': 'MHz',
    'clock_period_ns': 'ns',
    'slack_ns': 'ns',
    'fmax_mhz': 'MHz',
    'power_mw': 'mW at the clock',
    'area_um2': 'um^2 of cells, without RAM macros',
    'nand2': 'areas of the smallest NAND2',
    'cells': 'count',
    'flip_flops': 'count',
    'voltage_v': 'V',
    'temperature_c': 'degrees Celsius',
    'activity': 'mean toggles of a net in a cycle',
}


def clock_of(text):
    """CLOCK_MHZ as a number."""
    if not re.fullmatch(r'\d{1,6}(\.\d{1,6})?', text) or not float(text):
        raise ParamError(f'CLOCK_MHZ: found "{text}", expected a frequency in MHz above 0, such as 500 or 62.5')
    return float(text)


def platform_of(text):
    if text not in PLATFORMS:
        raise ParamError(f'PLATFORM: found "{text}", expected one of {", ".join(PLATFORMS)}{nearest(text, PLATFORMS)}')
    return text


def corners_of(paths, first, build):
    """The libraries for timing and power, the netlist's first.  Each gets a unique label."""
    libs = [first, *(measure.library(p, build, corner=True) for p in paths[1:])]
    for lib in libs:
        stem = lib.file.split('.')[0]
        lib.label = stem if sum(other.file.split('.')[0] == stem for other in libs) == 1 else lib.path
        lib.buffer, lib.inverter = first.buffer, first.inverter
        found = re.search(r'\bnom_temperature\s*:\s*(-?[\d.]+)', lib.text)
        lib.temperature = float(found[1]) if found else None
        missing = sorted({first.buffer, first.inverter} - set(lib.cells))
        if missing:
            raise ParamError(
                f'LIBERTY={lib.path}: found no cell {missing[0]}, expected the cells of {first.path}: a corner of the same library'
            )
        lib.load = round(4 * lib.cells[lib.inverter]['load'], 6)
    return libs


def view_of(result):
    """The delivered netlist: the view with every table as flip-flops, if it exists."""
    return 'registers' if 'registers' in result else 'macros'


def smaller_view(result):
    """The netlist for the area: RAMs as macros, if there are any."""
    rams = any(t['kind'] == 'ram' for t in result['tables'].values())
    return 'macros' if 'macros' in result and rams else view_of(result)


def macros_for(job, result, lib, out, view):
    """The RAM model of this corner, as a liberty file; None without RAMs."""
    rams = {yosys.macro_name(n): t | {'nm': job.nm} for n, t in result['tables'].items() if t['kind'] == 'ram'}
    if view == 'registers' or not rams:
        return None
    path = out / f'macros.{lib.digest[:12]}.lib'
    path.write_text(storage.liberty(rams, lib.fo4, lib))
    return path


def cells_of(out, view, name):
    return {
        c['type'] for c in json.loads((out / f'{view}.netlist.json').read_text())['modules'][name]['cells'].values()
    }


def corner(job, result, lib, view=None):
    """Slack and Fmax at the clock, and power at the activity measured in lockstep."""
    view, out, ns = view or view_of(result), job.folder(), lib.time * 1e9
    missing = sorted(c for c in cells_of(out, view, job.block.name) - set(lib.cells) if not c.startswith('macro_'))
    if missing:
        raise yosys.ToolError(
            f'LIBERTY={lib.path}: found no cell {missing[0]}, expected each cell of the netlist of {job.lib.file}'
        )
    period = 1e3 / job.clock
    minimum, report = measure.sta(
        lib,
        out / f'{view}.v',
        job.block.name,
        period / ns,
        out / f'{view}.{lib.digest[:12]}.sta',
        macros_for(job, result, lib, out, view),
        result[view]['activity'],
    )
    minimum = max(minimum, 1e-6) * ns
    return {
        'corner': lib.label,
        'library': lib.name,
        'sha256': lib.digest,
        'voltage_v': lib.voltage,
        'temperature_c': lib.temperature,
        'slack_ns': round(period - minimum, 6),
        'fmax_mhz': 1e3 / minimum,
        'power_mw': measure.power_mw(report),
    }


def sources_of(block):
    """The block's RTL in order of instantiation, leaves first, and the folders of its headers."""
    sources = filelists.Sources('.')
    modules = sources.of(block.module)
    return [sources.path[m] for m in modules], [filelists.Path('rtl/lib') / h for h in sources.includes(modules)]


def rtl_digest(block):
    """SHA-256 of names and contents."""
    digest = hashlib.sha256()
    for path in sorted(p for files in sources_of(block) for p in files):
        digest.update(f'{path}\0{path.stat().st_size}\0'.encode() + path.read_bytes())
    return digest.hexdigest()


def ports_of(job):
    """Inputs except the clock, and outputs, as patterns of get_ports."""
    found = json.loads((job.folder() / 'coarse.json').read_text())['modules'][job.block.name]['ports']
    names = {
        d: [
            f'{{{p}[*]}}' if len(v['bits']) > 1 else p for p, v in found.items() if v['direction'] == d and p != 'clk_i'
        ]
        for d in ('input', 'output')
    }
    return names['input'], names['output']


def sdc(job, title, seconds, lib=None):
    """Constraints in a given time unit: inputs arrive at the clock edge, outputs have the whole period; drivers and loads use cells of a library."""
    inputs, outputs = (f'[get_ports {{{" ".join(names)}}}]' if names else '' for names in ports_of(job))
    lines = [f'# {title}', f'create_clock -name clk -period {1e-6 / job.clock / seconds:.6g} [get_ports clk_i]']
    if inputs:
        lines += [
            f'set_input_delay 0 -clock clk {inputs}',
            *([f'set_driving_cell -lib_cell {lib.buffer} {inputs}'] if lib else []),
        ]
    if outputs:
        lines += [f'set_output_delay 0 -clock clk {outputs}', *([f'set_load {lib.load:g} {outputs}'] if lib else [])]
    return '\n'.join([*lines, ''])


def config(job, result, platform, files, headers):
    largest = max((t['bits'] for t in result['tables'].values()), default=0)
    known = params.limits(job.block.name)
    include = [f'export VERILOG_INCLUDE_DIRS := $(MEMTWIN_HERE){headers[0].parent}'] if headers else []
    memory = [f'export SYNTH_MEMORY_MAX_BITS := {largest}'] if largest > MEMORY_BITS else []
    return '\n'.join(
        [
            f'# {job.block.name}/{job.set} at {job.clock:g} MHz for OpenROAD-flow-scripts.  In its folder flow: make DESIGN_CONFIG=<path of this file>',
            'MEMTWIN_HERE := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))',
            f'export PLATFORM := {platform}',
            f'export DESIGN_NAME := {job.block.module}',
            f'export DESIGN_NICKNAME := {job.block.name}_{job.set}',
            'export VERILOG_FILES := ' + ' '.join(f'$(MEMTWIN_HERE){p}' for p in files),
            *include,
            'export VERILOG_TOP_PARAMS := ' + ' '.join(f'{n} {v}' for n, v in params.whole(job.params, known).items()),
            'export SDC_FILE := $(MEMTWIN_HERE)constraint.sdc',
            *memory,
            f'export CORE_UTILIZATION := {UTILIZATION}',
            '',
        ]
    )


def openroad(job, result, platform, out):
    """RTL, parameters and constraints: the inputs of OpenROAD-flow-scripts."""
    files, headers = sources_of(job.block)
    for path in [*files, *headers]:
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, out / path)
    (out / 'config.mk').write_text(config(job, result, platform, files, headers))
    unit = PLATFORMS[platform]
    (out / 'constraint.sdc').write_text(
        sdc(
            job,
            f'{job.block.name}/{job.set} at {job.clock:g} MHz; times in {unit}, the unit of {platform}',
            SECONDS[unit],
        )
    )
    include = ['+incdir+rtl/lib'] if headers else []
    (out / f'{job.block.name}.f').write_text(
        '\n'.join(
            [
                f'// {job.block.name} and all that it instantiates; paths from this folder.  Parameters are in config.mk.',
                *include,
                *map(str, files),
                '',
            ]
        )
    )


def summary(job, result, corners, lib):
    view = result[view_of(result)]
    worst = min(corners, key=lambda c: c['slack_ns'])
    period = 1e3 / job.clock
    return {
        'block': job.block.name,
        'set': job.set,
        'parameters': params.whole(job.params, params.limits(job.block.name)),
        'clock_mhz': job.clock,
        'clock_period_ns': period,
        'met': worst['slack_ns'] >= 0,
        'worst_corner': worst['corner'],
        'corners': corners,
        'mapped_with': lib.name,
        'tables_as': view_of(result),
        'area_um2': view['area_um2'] if view_of(result) == 'registers' else view['logic_um2'],
        'cells': view['cells'],
        'flip_flops': view['flip_flops'],
        'flip_flop_um2': view['flip_flop_um2'],
        'activity': view['activity'],
        'critical_path': view['path'],
        'tables': result['tables'],
        'tools': result['tools'],
        'rtl_sha256': rtl_digest(job.block),
        'units': UNITS,
    }


def write(job, result, corners, path, platform):
    """Writes the folder atomically.  Returns the contents of result.json."""
    name, view, found = job.block.name, view_of(result), summary(job, result, corners, job.lib)
    unit = 'ps' if job.lib.time < 1e-10 else 'ns'
    with folder.whole(path) as new:
        shutil.copyfile(job.folder() / f'{view}.v', new / f'{name}.v')
        if view == 'macros':
            shutil.copyfile(job.folder() / 'macros.lib', new / 'macros.lib')
        title = f'{name}/{job.set} at {job.clock:g} MHz, for {name}.v; times in {job.lib.time / SECONDS[unit]:g} {unit}, loads in {job.lib.cap:g} F: units of {job.lib.name}'
        (new / f'{name}.sdc').write_text(sdc(job, title, job.lib.time, job.lib))
        openroad(job, result, platform, new / 'openroad')
        found['files'] = {
            str(p.relative_to(new)): hashlib.sha256(p.read_bytes()).hexdigest()
            for p in sorted(new.rglob('*'))
            if p.is_file()
        }
        folder.write_json(new / folder.RESULT, found)
    return found


def show(found, path):
    for c in found['corners']:
        heat = '' if c['temperature_c'] is None else f', {c["temperature_c"]:g} C'
        print(
            f'     corner {c["corner"]} ({c["voltage_v"]:g} V{heat}): slack {c["slack_ns"]:+.3f} ns at {found["clock_mhz"]:g} MHz, Fmax {c["fmax_mhz"]:.0f} MHz, {c["power_mw"]:.3f} mW'
        )
    worst = min(found['corners'], key=lambda c: c['slack_ns'])
    verdict = 'met in every corner' if found['met'] else f'VIOLATED by {-worst["slack_ns"]:.3f} ns'
    print(
        f'     clock of {found["clock_mhz"]:g} MHz: {verdict}; worst corner {worst["corner"]}\n     written: {path}/',
        flush=True,
    )
