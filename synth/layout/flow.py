# SPDX-License-Identifier: Apache-2.0
"""One set from its synthesized netlist to a routed layout and its numbers.  Cached like any result of synthesis."""
import json
from pathlib import Path
from typing import NamedTuple

from synth import gates, measure
from synth.layout import clock, congestion, draw, extract, lef, netlist as netlists, place, ports, route, rows, supply, timing
from synth.yosys import ToolError

LEF = Path('/usr/share/qflow/tech/osu018/osu018_stdcells.lef')
BUFFER = ('BUFX2', 'A', 'Y')
LIMIT_S = 3600  # of a tool
TOOLS = {
    'graywolf': ['dpkg-query', '-W', '-f', '${Version}', 'graywolf'],
    'qrouter': ['qrouter', '-v', '0', '-h'],
    'magic': ['magic', '--version'],
    'netgen': ['dpkg-query', '-W', '-f', '${Version}', 'netgen-lvs'],
}
NEEDED = {
    place.PLACER: 'graywolf',
    Path('/usr/bin/qrouter'): 'qrouter',
    Path('/usr/bin/magic'): 'magic',
    Path('/usr/bin/netgen-lvs'): 'netgen-lvs',
    LEF: 'qflow-tech-osu018',
    Path('/usr/bin/sta'): 'opensta',
}
MOST_CELLS = 12000  # qrouter's time grows with the square of the cells: hours beyond


class Options(NamedTuple):
    density: float
    aspect: float
    clock: str  # 'tree' or 'ideal'

    def folder(self):
        return '' if self == DEFAULT else f'@density={self.density:g},aspect={self.aspect:g},clock={self.clock}'


DEFAULT = Options(0.75, 1.0, 'tree')


def missing():
    """Packages that are not there."""
    return sorted({package for path, package in NEEDED.items() if not path.exists()})


def versions():
    return {k: measure.tool_version(v) for k, v in TOOLS.items()}


def folder(job, options):
    return job.build / 'layout' / job.block.name / (job.set + options.folder())


def digest(job, options, synthesized):
    h = job.block.digest()
    here = Path(__file__).parent
    for p in sorted([*here.glob('*.py'), here.parent / 'layout.tcl', LEF]):
        h.update(f'{p}\0'.encode() + p.read_bytes())
    h.update(json.dumps([options, versions(), synthesized['digest']]).encode())
    return h.hexdigest()


def one(job, options):
    """The result of a set, which is synthesized first."""
    synthesized = measure.one(job)
    out = folder(job, options)
    out.mkdir(parents=True, exist_ok=True)
    return measure.kept(
        out / 'result.json', digest(job, options, synthesized), lambda: laid_out(job, options, synthesized, out)
    )


def checked(job, synthesized):
    """The view to place: its number of cells is one that the tools can take."""
    if 'registers' not in synthesized:
        raise ToolError('found RAMs that are too large for flip-flops: no layout (docs/area-timing.md)')
    view = synthesized['registers']
    if view['cells'] > MOST_CELLS:
        raise ToolError(f'found {view["cells"]} cells, expected at most {MOST_CELLS}: qrouter would take hours')
    return view


def placement(netlist, lib, options, out):
    """Spots of all cells, with the clock tree; the core; buffers of each level."""
    widths = {name: lib[kind].width for name, (kind, _) in netlist.cells.items()}
    flops = sum('CLK' in pins for _, pins in netlist.cells.values())
    tree = options.clock == 'tree'
    more = clock.buffers(flops) * lib[clock.BUFFER].width if tree else 0
    core = place.floor(sum(widths.values()) + more, options.density, options.aspect)
    spots = rows.legal(place.placed(netlist, lib, core, out, LIMIT_S), widths, core)
    levels = clock.grow(netlist, lib, spots, core) if tree else []
    widths = {name: lib[kind].width for name, (kind, _) in netlist.cells.items()}
    return rows.legal(spots, widths, core), widths, core, levels


def routed(job, options, out):
    """(placed netlist, die, spots, widths, levels of the clock tree); name.def is in `out`."""
    name = job.block.name
    layers, lib = lef.read(LEF)
    netlist = netlists.read(job.folder() / 'registers.netlist.json', name, BUFFER)
    tied = netlists.constants(netlist)
    if tied:
        raise ToolError(f'found {len(tied)} pins of cells at a constant ({tied[0]}), expected none: the library has no such cell')
    spots, widths, core, levels = placement(netlist, lib, options, out)
    die = ports.Die(core)
    at = ports.placed(netlist, lib, spots, die)
    route.write_def(out / 'place.def', netlist, spots, at, widths, die, layers)
    route.run(out, [LEF], die, LIMIT_S)
    (out / f'{name}.def').write_text(supply.add((out / 'routed.def').read_text(), die))
    return netlist, die, spots, widths, levels, layers


def proved(job, netlist, out):
    """The netlist in the layout: the placed one by netgen, and equal to the twin in lockstep.  Returns the cycles compared."""
    name = job.block.name
    found = extract.extracted(name, out, [LEF], LIMIT_S)
    loose = {s: n for s, n in extract.supplied(name, found).items() if n != {s}}
    if loose:
        raise ToolError(f'supply: found the cells on {loose}, expected one net each')
    extract.compared(name, netlist, found, out, LIMIT_S)
    real = extract.as_netlist(name, found, netlist)
    (out / 'layout.netlist.json').write_text(netlists.as_json(real))
    gates.write(out / 'layout.netlist.json', name, job.lib.cells, {}, out / 'layout.gates')
    return measure.lockstep(job.block, job.set, out, 'layout', job.build)['compared_cycles']


def laid_out(job, options, synthesized, out):
    view, name = checked(job, synthesized), job.block.name
    netlist, die, spots, widths, levels, layers = routed(job, options, out)
    cycles = proved(job, netlist, out)
    (out / f'{name}.v').write_text(netlists.verilog(netlist))
    wires = route.Wires((out / f'{name}.def').read_text())
    capacitance = timing.write_spef(out, netlist)
    flops = [f'{n}/CLK' for n, (_, pins) in netlist.cells.items() if 'CLK' in pins]
    period = view['min_period_ns'] * 1e-9 / job.lib.time
    times, report = timing.measured(job.lib, out, name, flops, period, view['activity'], options.clock == 'tree')
    cells_um2 = sum(widths.values()) * place.ROW / 1e4
    core_um2 = die.core.rows * place.ROW * die.core.width / 1e4
    length = wires.length_um()
    draw.write(out / f'{name}.svg', netlist, spots, widths, die, wires, f'{name}/{job.set}')
    return {
        'block': name,
        'set': job.set,
        'library': job.lib.name,
        'options': options._asdict(),
        'tools': versions() | synthesized['tools'],
        'tables_as': 'registers',
        'layout': {
            'cells': len(netlist.cells),
            'clock_buffers': sum(levels),
            'core_um2': core_um2,
            'die_um2': die.width * die.height / 1e4,
            'cells_um2': cells_um2,
            'utilisation': cells_um2 / core_um2,
            'wire_mm': sum(length.values()) / 1e3,
            'wire_um': length,
            'vias': sum(map(len, wires.vias.values())),
            'fullest': congestion.fullest(wires, die, layers),
            'wire_pf': capacitance,
            **times,
            'flow_mhz': timing.flow_mhz(netlist, job.lib, out),
            'compared_cycles': cycles,
        },
        'without_wires': {k: view[k] for k in ('cells', 'area_um2', 'fmax_mhz', 'min_period_ns', 'power_mw')},
    }
