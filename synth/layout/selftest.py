# SPDX-License-Identifier: Apache-2.0
"""Plants the errors that make layout and make layout-check must detect, on the smallest set; correct inputs must pass."""
import argparse
import contextlib
import io
import os
import re
import shutil
import sys
from pathlib import Path

from scripts.testing import PYTHON, Checks, main, run
from synth import measure
from synth.layout import (
    __main__ as program,
    baseline,
    clock,
    extract,
    flow,
    lef,
    mend,
    netlist as netlists,
    pages,
    place,
    rc,
    route,
    rows,
    timing,
)
from synth.yosys import ToolError

BUILD = Path(sys.argv[1])
OUT = BUILD / 'layout/selftest'
BLOCK, SET = 'stream_bypass', 'tiny'


def refused(function, *arguments):
    """The text of the ToolError or ValueError of a call; '' without one."""
    try:
        function(*arguments)
    except (ToolError, ValueError) as e:
        return str(e)
    return ''


class Layouts(Checks):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(OUT, ignore_errors=True)
        OUT.mkdir(parents=True)
        args = argparse.Namespace(build_dir=BUILD, quick=False)
        cls.job = next(iter(program.jobs(args, {BLOCK: [SET]})))
        cls.synthesized = measure.one(cls.job)
        cls.chosen = flow.plan(cls.synthesized)

    def laid_out(self, name, **options):
        out = OUT / name
        out.mkdir(exist_ok=True)
        return out, flow.routed(self.job, self.chosen, flow.DEFAULT._replace(**options), out)

    def test_layout(self):
        """Twice the same; a wire less and two ports exchanged are found, a via less is mended."""
        out, layout = self.laid_out('first')
        again, _ = self.laid_out('again')
        text = (out / f'{BLOCK}.def').read_text()
        self.expect('two runs make the same DEF', text == (again / f'{BLOCK}.def').read_text())
        cycles, mended = flow.proved(self.job, self.chosen, layout, out)
        self.expect('the layout is the netlist, and the twin', cycles > 0 and mended == 0)
        flow.proved(self.job, self.chosen, layout, again)
        drawn = [(folder / f'{BLOCK}.gds').read_bytes() for folder in (out, again)]
        self.expect('and the same GDS, a second later or more', drawn[0] == drawn[1])
        self.expect('a cut GDS file is found', 'expected at least 4' in refused(extract.undated, b'\0\2\0\2'))
        wires = route.Wires(text)
        self.expect(
            'every net of the netlist has its pins in the DEF',
            wires.pins.keys() == {n for n, p in layout.netlist.nets().items() if len(p) > 1},
        )
        cut = text.replace('\n  NEW metal2', '\n  NEW metal6', 1)
        (again / f'{BLOCK}.def').write_text(cut)
        said = refused(flow.proved, self.job, self.chosen, layout, again)
        self.expect('a wire in another layer is found', cut != text and 'expected one net' in said, said)
        (again / f'{BLOCK}.def').write_text(self.without_a_via(text))
        cycles, mended = flow.proved(self.job, self.chosen, layout, again)
        self.expect('a via that was left out is mended', cycles > 0 and mended == 1, f'{mended}')
        self.exchanged(layout, out)

    def without_a_via(self, text):
        """A layout without the first via between the ends of two wires."""

        def joints(text):
            wires = route.Wires(text)
            return [(net, mend.joints(wires, net)) for net in sorted(wires.segments)]

        for via in re.finditer(r' M\d_M\d *$', text[: text.index('SPECIALNETS')], re.M):
            cut = text[: via.start()] + text[via.end() :]
            if joints(cut) != joints(text):
                return cut
        raise AssertionError('found no via between the ends of two wires, expected one')

    def exchanged(self, layout, out):
        """A netlist with two nets of inputs exchanged."""
        a, b = [n for _, n in layout.netlist.port_bits('input') if n in layout.netlist.nets()][2:4]
        swap = {a: b, b: a}
        cells = {n: (k, {p: swap.get(x, x) for p, x in pins.items()}) for n, (k, pins) in layout.netlist.cells.items()}
        other = netlists.Netlist(layout.netlist.name, layout.netlist.ports, cells)
        found = extract.subcircuits((out / f'{BLOCK}.spice').read_text())
        said = refused(extract.compared, BLOCK, other, found, out, 60)
        self.expect('netgen finds two exchanged nets', 'netgen found a difference' in said, said)
        said = refused(extract.same, other, extract.as_netlist(BLOCK, found, other))
        self.expect('the comparison by name finds them', 'expected one net' in said, said)

    def test_options(self):
        _, wide = self.laid_out('wide', aspect=0.3, density=0.5, clock='ideal')
        core = wide.die.core
        self.expect('ASPECT= shapes the core', core.width > 2 * core.rows * place.ROW, str(core))
        self.expect('CLOCK=ideal adds no buffer', not wide.levels)
        used = sum(wide.widths.values()) / core.rows / core.width
        self.expect('DENSITY= is kept', abs(used - 0.5) < 0.05, f'{used}')

    def test_refusals(self):
        for words, text in (
            (['--DENSITY', '1.2'], 'DENSITY: found "1.2"'),
            (['--ASPECT', 'square'], 'ASPECT: found "square"'),
            (['--CLOCK', 'mesh'], 'CLOCK: found "mesh"'),
            (['--set', 'nothing'], 'found no parameter set nothing'),
        ):
            done = run(*PYTHON, 'synth.layout', 'run', '--build', BUILD, '--block', BLOCK, *words)
            self.ended(f'{" ".join(words)} is refused', done, False, text)
        large = {'tables': {}, 'registers': {'cells': flow.MOST_CELLS + 1}}
        self.expect('a block too large is refused', 'expected at most' in refused(flow.plan, large))

    def test_tools(self):
        """A program that is not there, one that ends too late, and a router that leaves nets."""
        place_of = OUT / 'tools'
        place_of.mkdir(exist_ok=True)
        said = refused(flow.place.stage.run, 'step', ['no-such-program'], place_of, [], [], 1)
        self.expect('a program that is not there is named', 'found no no-such-program' in said, said)
        said = refused(flow.place.stage.run, 'step', ['sleep', '9'], place_of, [], [], 0.2)
        self.expect('a program that does not end is stopped', 'found no end of sleep' in said, said)
        fake = place_of / 'qrouter'
        fake.write_text('#!/bin/sh\ntouch routed.def routed.rc\necho "Final: Failed net routes: 3"\n')
        fake.chmod(0o755)
        (place_of / 'place.def').write_text('')
        kept, os.environ['PATH'] = os.environ['PATH'], f'{place_of.resolve()}:{os.environ["PATH"]}'
        core = place.Floor(2, 8000)
        said = refused(route.run, place_of, [], flow.ports.Die(core, {}, (0, 0)), 9)
        os.environ['PATH'] = kept
        self.expect('a failed route is an error', 'Failed net routes: 3' in said, said)

    def test_rows(self):
        core = place.Floor(3, 1600)
        widths = {f'c{k}': 240 for k in range(18)}
        spots = {n: place.Spot(1, 37 * k, False) for k, n in enumerate(widths)}
        legal = rows.legal(spots, widths, core)
        taken = sorted((s.row, s.x, s.x + widths[n]) for n, s in legal.items())
        overlap = any(a[0] == b[0] and a[2] > b[1] for a, b in zip(taken, taken[1:]))
        inside = all(0 <= x and end <= core.width and x % place.SITE == 0 for _, x, end in taken)
        self.expect('cells in rows do not overlap', not overlap and inside, str(taken))
        filled = sum(widths.values()) + place.SITE * len(list(rows.fillers(legal, widths, core)))
        self.expect('fillers fill the rest', filled == core.rows * core.width)
        self.expect(
            'too many cells are refused', 'no row' in refused(rows.legal, spots, {n: 800 for n in widths}, core)
        )

    def test_clock(self):
        points = {f'f{k}': (k * 100, k % 7 * 1000) for k in range(100)}
        levels = list(clock.levels(points))
        sizes = [sorted({len(g) for g in groups}) for groups, _ in levels]
        most = [clock.LEAVES, *[clock.BRANCHES] * (len(levels) - 1)]
        even = all(s[-1] - s[0] <= 1 and s[-1] <= m for s, m in zip(sizes, most))
        self.expect('a clock tree is balanced', even and len(levels[-1][0]) == 1, str(sizes))
        self.expect('its size is known beforehand', clock.buffers(100) == sum(len(g) for g, _ in levels))

    def test_wires(self):
        net = rc.Net('n[1] 1 PIN/a 3 ( 1 2 ( 3 4 u/A , ( 5 6 v/B ) ) , w/C )')
        self.expect('sections of a net', net.resistors == [(0, 1, 1.0), (1, 2, 3.0), (2, 3, 5.0)], str(net.resistors))
        self.expect('pins of a net', net.pins == [('u/A', 2), ('v/B', 3), ('w/C', 1)], str(net.pins))
        self.expect('its capacitance', abs(net.total() - 12 * rc.BOTH_EDGES) < 1e-9)
        self.expect('a line that is no net is refused', 'expected a net' in refused(rc.Net, 'n 1 ('))
        long = rc.Net('n 1 PIN/a 1 ' + 5000 * '( 1 0.001 ' + 'u/A' + 5000 * ' )')
        self.expect('a wire of many sections', long.count == 5000 and long.pins == [('u/A', 5000)])

    def test_timing(self):
        """A path from input to output belongs to the outside's clock: it limits Fmax as a path between registers does."""
        cells = {f'u{k}': ('INVX1', {'A': f'n{k}' if k else 'a', 'Y': f'n{k + 1}'}) for k in range(20)}
        cells |= {
            'o': ('BUFX2', {'A': 'n20', 'Y': 'y'}),
            'r': ('DFFPOSX1', {'CLK': 'clk_i', 'D': 'd', 'Q': 'e'}),
            's': ('DFFPOSX1', {'CLK': 'clk_i', 'D': 'e', 'Q': 'q'}),
        }
        ports = [netlists.Port(p, 'output' if p in 'yq' else 'input', [p]) for p in ('clk_i', 'a', 'd', 'y', 'q')]
        two = netlists.Netlist('two', ports, cells)
        (OUT / 'two.v').write_text(netlists.verilog(two))
        net = rc.Net('n1 1 u0/Y 1 ( 1 0.001 u1/A )')
        (OUT / 'routed.spef').write_text(rc.spef([net], 'two', set()))
        lib, period = self.job.lib, 1e-8 / self.job.lib.time
        _, slack = timing.Run(lib, None, OUT, 'two', {'nets': 0.1, 'inputs': 0.1}, False).sta(period, 0.0)
        ns = (period - slack['setup']) * lib.time * 1e9
        self.expect('twenty inverters from input to output are the longest path', ns > 0.6, f'{ns} ns')
        (OUT / 'routed.rc').write_text('n1 1 u0/Y 1 ( 1 0.001 u1/A )\n')
        mhz = timing.flow_mhz(two, lib, OUT)
        self.expect('vesta leaves them out', mhz is None or mhz > 1.5e3 / ns, f'{mhz} MHz')

    def test_mending(self):
        """A via one track beside a pin gets a piece of wire; one farther away, or of other layers, does not."""
        wires = argparse.Namespace(vias={'n': [('M2_M1', (3680, 30500)), ('M3_M2', (3700, 30500))]})
        box = (3740, 30440, 3780, 30520)
        found = list(mend.piece(wires, 'n', 'metal1', box, 15))
        self.expect('a pin on the next track is reached', found == [(75, (3680, 30500), (3755, 30500))], str(found))
        found = [
            p
            for b in ((3900, 0, 3940, 80), (3900, 30440, 3940, 30520))
            for p in mend.piece(wires, 'n', 'metal1', b, 15)
        ]
        self.expect('a pin farther away is not', not found, str(found))
        wires = argparse.Namespace(
            segments={'n': [('metal1', None, (0, 0), (80, 0)), ('metal2', None, (80, 0), (80, 100))]}, vias={'n': []}
        )
        found = mend.joints(wires, 'n')
        self.expect('two layers that end in one place get a via', found == [(1, (80, 0))], str(found))
        wires.vias['n'] = [('M2_M1', (80, 0))]
        self.expect('two that have one do not', not mend.joints(wires, 'n'))
        one = netlists.Netlist('b', [], {'u': ('G', {'Y': 'n'}), 'v': ('G', {'A': 'n'}), 'w': ('G', {'A': 'n'})})
        two = netlists.Netlist('b', [], {'u': ('G', {'Y': 'n'}), 'v': ('G', {'A': 'n'}), 'w': ('G', {'A': 'm'})})
        found = mend.apart(one, two)
        self.expect('a pin that is apart is found', found == [('n', 'w', 'A')] and not mend.apart(one, one), str(found))
        self.expect('and is an error at the end', 'expected one net' in refused(extract.same, one, two))

    def test_pages(self):
        """The correction is judged by sets of other blocks; a set has a layout or a reason why not."""
        power = {('a', 'x'): 2.0, ('a', 'y'): 4.0, ('b', 'x'): 1.0, ('b', 'y'): 1.0, ('c', 'x'): 1.0, ('c', 'y'): 1.0}
        large = {k: {'cells': n, 'power': v} for n, (k, v) in enumerate(power.items())}

        def of(v):
            return v['power']

        found = pages.errors(large, of, False)
        self.expect('a set of another block has no part in it', found == [-0.5, -0.75, 0.5, 0.5, 0.5, 0.5], str(found))
        found = pages.errors(large, of, True)
        self.expect('nor has a larger one', found == [0.5, 0.5], str(found))
        views = {
            name: {pages.LIBRARY: {'tables': {}, 'macros': {'cells': cells}, 'registers': {'cells': cells}}}
            for name, cells in (('routed', 5), ('small', 7), ('large', flow.MOST_CELLS + 1))
        }
        said = pages.unrouted({('milg', 'routed'): {}}, {'milg': views}).split('\n')[2:]
        self.expect('a set is routed, or listed with its reason', len(said) == 2, str(said))
        self.expect('a small one may be tried', said[0].endswith('| 7 | not run |'), said[0])
        self.expect('a large one is refused', said[1].endswith('| more than 10,000 cells |'), said[1])

    def test_lef(self):
        layers, cells = lef.read(flow.LEF)
        buffer = cells[clock.BUFFER]
        area = buffer.width * buffer.height / lef.PER_UM**2
        self.expect('the page has the area of a buffer of the clock tree', area == pages.BUFFER_UM2, f'{area}')
        self.expect('layers and cells of the library', len(layers) == 6 and cells['FILL'].width == place.SITE)
        broken = OUT / 'none.lef'
        broken.write_text('VERSION 5.4 ;\n')
        self.expect('a file that is no LEF is refused', 'expected both' in refused(lef.read, broken))

    def test_baselines(self):
        """A change of more than 5 % fails; another tool is stale."""
        numbers = dict.fromkeys(baseline.OF_LAYOUT, 100.0)
        result = {
            'block': BLOCK,
            'set': SET,
            'tables_as': 'registers',
            'tools': {'qrouter': '1'},
            'layout': numbers,
            'without_wires': dict.fromkeys(baseline.BEFORE, 100.0),
        }
        kept, baseline.PATH = baseline.PATH, OUT / 'baseline.tsv'
        baseline.save({(BLOCK, SET): baseline.line(result, SET)})
        for what in baseline.COMPARED:
            for factor, wanted in ((1.06, 1), (0.94, 1), (1.04, 0), (0.96, 0)):
                new = result | {'layout': numbers | {what: 100.0 * factor}}
                with contextlib.redirect_stdout(io.StringIO()) as said:
                    failed = baseline.judged([(BLOCK, SET, new)], False)
                self.expect(f'{what} x {factor}: {"fails" if wanted else "passes"}', failed == wanted, said.getvalue())
        with contextlib.redirect_stdout(io.StringIO()) as said:
            failed = baseline.judged([(BLOCK, SET, result | {'tools': {'qrouter': '2'}})], False)
        baseline.PATH = kept
        self.expect('another tool is stale', failed == 0 and 'STALE' in said.getvalue(), said.getvalue())


if __name__ == '__main__':
    sys.exit(main('layout-selftest', Layouts))
