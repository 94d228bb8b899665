# SPDX-License-Identifier: Apache-2.0
"""One set from its synthesized netlist to a routed layout and its numbers.  Cached like any result of synthesis."""
import json
from pathlib import Path
from typing import NamedTuple

from synth import gates, measure, yosys
from synth.layout import (
    clock,
    congestion,
    draw,
    extract,
    lef,
    macros,
    mend,
    netlist as netlists,
    place,
    ports,
    route,
    rows,
    supply,
    timing,
)
from synth.yosys import ToolError

LEF = Path('/usr/share/qflow/tech/osu018/osu018_stdcells.lef')
BUFFER = ('BUFX2', 'A', 'Y')
LIMIT_S = 3600  # of a tool
TOOLS = {p: ['dpkg-query', '-W', '-f', '${Version}', p] for p in ('graywolf', 'qrouter', 'magic', 'netgen-lvs')}
NO_MAKERS = ('__main__', 'baseline', 'pages', 'selftest')  # a result does not depend on these
MOST_CELLS = 10000  # the router's time grows faster than their number: hours


class Options(NamedTuple):
    density: float
    aspect: float
    clock: str  # 'tree' or 'ideal'

    def folder(self):
        return '' if self == DEFAULT else f'@density={self.density:g},aspect={self.aspect:g},clock={self.clock}'


DEFAULT = Options(0.75, 1.0, 'tree')


def versions():
    return {k: measure.tool_version(v) for k, v in TOOLS.items()}


def folder(job, options):
    return job.build / 'layout' / job.block.name / (job.set + options.folder())


def digest(job, options, synthesized):
    h = job.block.digest()
    here = Path(__file__).parent
    makers = [p for p in here.glob('*.py') if p.stem not in NO_MAKERS]
    for p in sorted([*makers, here.parent / 'layout.tcl', LEF]):
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


class Plan(NamedTuple):
    """A view of the synthesized set, and its RAMs as macros (none in the view `registers`)."""

    view: str
    rams: dict

    def kinds(self):
        return {yosys.macro_name(n): t for n, t in self.rams.items()}


def plan(synthesized):
    """RAMs are macros where there are any.  Refuses a design that the tools do not take."""
    rams = {n: t for n, t in synthesized['tables'].items() if t['kind'] == 'ram'}
    view = 'macros' if rams else 'registers'
    cells = synthesized[view]['cells']
    if cells > MOST_CELLS:
        raise ToolError(f'found {cells} cells, expected at most {MOST_CELLS}: qrouter would take hours')
    return Plan(view, rams)


class Layout(NamedTuple):
    netlist: object
    die: object
    spots: dict
    widths: dict
    levels: list  # buffers of the clock tree
    layers: dict
    lefs: list
    boxes: dict  # kinds of macros


def placed(netlist, lib, boxes, options, out):
    """(spots, widths, levels of the clock tree, die)"""
    kinds = {name: kind for name, (kind, _) in netlist.cells.items()}
    widths = {name: lib[kind].width for name, kind in kinds.items() if kind not in boxes}
    tree = options.clock == 'tree'
    more = clock.buffers(len(clock.sinks(netlist))) * lib[clock.BUFFER].width if tree else 0
    core = place.floor(sum(widths.values()) + more, options.density, options.aspect)
    at = macros.stacked({n: k for n, k in kinds.items() if k in boxes}, boxes, core)
    spots = rows.legal(place.placed(netlist, lib, widths, at, core, out, LIMIT_S), widths, core)
    levels = clock.grow(netlist, lib, spots, core, at) if tree else []
    widths |= {name: lib[clock.BUFFER].width for name in spots if name not in widths}
    ends = [(x + boxes[kinds[n]].width, y + boxes[kinds[n]].height) for n, (x, y) in at.items()]
    extent = tuple(max(e[d] for e in ends) if ends else 0 for d in (0, 1))
    return rows.legal(spots, widths, core), widths, levels, ports.Die(core, at, extent)


def routed(job, chosen, options, out):
    """The routed layout; its DEF file is in `out`."""
    name = job.block.name
    layers, lib = lef.read(LEF)
    boxes = {kind: macros.box(t) for kind, t in chosen.kinds().items()}
    (out / 'macros.lef').write_text(macros.lef(boxes))
    lefs = [LEF, *([(out / 'macros.lef').resolve()] if boxes else [])]
    netlist = netlists.read(job.folder() / f'{chosen.view}.netlist.json', name, BUFFER)
    tied = netlists.constants(netlist)
    if tied:
        raise ToolError(
            f'found {len(tied)} pins of cells at a constant ({tied[0]}), expected none: no cell of the library drives one'
        )
    spots, widths, levels, die = placed(netlist, lib | boxes, boxes, options, out)
    at = ports.placed(netlist, lib, spots, die)
    route.write_def(out / 'place.def', netlist, spots, at, widths, die, layers)
    route.run(out, lefs, die, LIMIT_S)
    (out / f'{name}.def').write_text(supply.add((out / 'routed.def').read_text(), die))
    return Layout(netlist, die, spots, widths, levels, layers, lefs, boxes)


def proved(job, chosen, layout, out, ways=mend.WAYS, mended=0):
    """The netlist in the layout: the placed one by netgen, and equal to the twin in lockstep.  Returns the cycles compared, and the pieces of
    wire and vias that were added to mend nets."""
    name = job.block.name
    found = extract.extracted(name, out, layout.lefs, LIMIT_S)
    loose = {s: n for s, n in extract.supplied(name, found).items() if n != {s}}
    if loose:
        raise ToolError(f'supply: found the cells on {loose}, expected one net each')
    real = extract.as_netlist(name, found, layout.netlist)
    loose = mend.apart(layout.netlist, real)
    file, lib = out / f'{name}.def', lef.read(LEF)[1] | layout.boxes
    for k, way in enumerate(ways if loose else ()):
        text = file.read_text()
        text, added = mend.add(text, route.Wires(text), layout, lib, loose, way)
        if added:
            file.write_text(text)
            return proved(job, chosen, layout, out, ways[k + 1 :], mended + added)
    extract.same(layout.netlist, real)
    extract.compared(name, layout.netlist, found, out, LIMIT_S)
    (out / 'layout.netlist.json').write_text(netlists.as_json(real))
    gates.write(out / 'layout.netlist.json', name, job.lib.cells, chosen.kinds(), out / 'layout.gates')
    return measure.lockstep(job.block, job.set, out, 'layout', job.build)['compared_cycles'], mended


def laid_out(job, options, synthesized, out):
    chosen, name = plan(synthesized), job.block.name
    view = synthesized[chosen.view]
    layout = routed(job, chosen, options, out)
    cycles, mended = proved(job, chosen, layout, out)
    (out / f'{name}.v').write_text(netlists.verilog(layout.netlist))
    wires = route.Wires((out / f'{name}.def').read_text())
    draw.write(out / f'{name}.svg', layout, wires, f'{name}/{job.set}')
    return {
        'block': name,
        'set': job.set,
        'library': job.lib.name,
        'options': options._asdict(),
        'tools': versions() | synthesized['tools'],
        'tables_as': chosen.view,
        'layout': {
            **areas(chosen, layout),
            **of_wires(wires, layout),
            **timed(job, chosen, options, layout, view, out),
            'compared_cycles': cycles,
            'mended': mended,
        },
        'without_wires': {k: view[k] for k in ('cells', 'fmax_mhz', 'min_period_ns', 'power_mw')},
    }


def areas(chosen, layout):
    die = layout.die
    cells_um2 = sum(layout.widths.values()) * place.ROW / lef.PER_UM**2
    core_um2 = die.core.rows * place.ROW * die.core.width / lef.PER_UM**2
    return {
        'cells': len(layout.widths),
        'clock_buffers': sum(layout.levels),
        'cells_um2': cells_um2,
        'core_um2': core_um2,
        'macros_um2': sum(t['sram_um2'] for t in chosen.rams.values()),
        'die_um2': die.width * die.height / lef.PER_UM**2,
        'utilisation': cells_um2 / core_um2,
    }


def of_wires(wires, layout):
    length = wires.length_um()
    return {
        'wire_mm': sum(length.values()) / 1e3,
        'wire_um': length,
        'vias': sum(map(len, wires.vias.values())),
        'fullest': congestion.fullest(wires, layout.die, layout.layers),
    }


def timed(job, chosen, options, layout, view, out):
    """Timing and power with the wires; the timer of the flow knows no macros."""
    macros_lib = job.folder() / 'macros.lib' if chosen.rams else None
    capacitance = timing.write_spef(out, layout.netlist)
    period = view['min_period_ns'] * 1e-9 / job.lib.time
    clocked = [f'{n}/{p}' for n, (_, pins) in layout.netlist.cells.items() for p in pins if p in ('CLK', 'clk')]
    run = timing.Run(job.lib, macros_lib, out, layout.netlist.name, view['activity'], options.clock == 'tree')
    return {
        'wire_pf': capacitance,
        **timing.measured(run, clocked, period),
        'flow_mhz': None if chosen.rams else timing.flow_mhz(layout.netlist, job.lib, out),
    }
