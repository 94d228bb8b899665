# SPDX-License-Identifier: Apache-2.0
"""The part of synth's self-test for CLOCK_MHZ, corners, the output folder, FPGA families and sweeps."""
import contextlib
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from cosim import folder
from cosim.manifest import ParamError
from scripts.testing import PYTHON, Checks, run
from synth import fpga, handoff, measure, sweep, yosys

OSU = '/usr/share/qflow/tech/osu018/osu018_stdcells.lib'
CLOCK = 250.0
BUILD = Path(sys.argv[1])
OUT = BUILD / 'synth/selftest'
BLOCK, SET = 'mshr', 'e8'
STA = '''read_liberty {lib}
read_verilog {out}/{name}.v
link_design {name}
read_sdc {out}/{name}.sdc
set path [lindex [find_timing_paths -path_delay max] 0]
puts "SLACK [get_property $path slack]"
exit
'''
FAKE_NEXTPNR = '''#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = --report ] && report=$2; shift; done
[ -n "$report" ] && echo '{"utilization": {"TRELLIS_COMB": {"used": 77, "available": 9}, "DP16KD": {"used": 2, "available": 9}}}' >"$report"
echo "Info: Max frequency for clock '\\$glbnet\\$clk_i': 81.50 MHz (PASS at 12.00 MHz)" >&2
'''


def synthesized(*arguments):
    return run(*PYTHON, 'synth.synth', *arguments, '--build', BUILD, '--jobs', '1')


def slow(to):
    """A slow corner of OSU's library: every delay and every power half as large again."""

    def scaled(values):
        return 'values (' + re.sub(r'-?\d+\.?\d*(?:e-?\d+)?', lambda n: f'{1.5 * float(n[0]):.6g}', values[1]) + ')'

    to.parent.mkdir(parents=True, exist_ok=True)
    with open(OSU) as file:
        to.write_text(
            re.sub(r'values\s*\(([^)]*)\)', scaled, file.read()).replace('nom_voltage : 1.8', 'nom_voltage : 1.62')
        )
    return to


def as_the_flow(config):
    """Runs Yosys as OpenROAD-flow-scripts does with this configuration.  (exit status, output, widths of the ports)"""
    text = f'include {config}\nprint:\n\t@printf "%s\\n" "$(VERILOG_FILES)" "$(VERILOG_INCLUDE_DIRS)" "$(VERILOG_TOP_PARAMS)" "$(DESIGN_NAME)" "$(SDC_FILE)" "$(PLATFORM)"\n'
    environment = {k: v for k, v in os.environ.items() if k not in ('MAKEFLAGS', 'MAKELEVEL', 'MFLAGS')}
    lines = subprocess.run(
        ['make', '-s', '-f', '-', 'print'], input=text, cwd='/', env=environment, capture_output=True, text=True
    ).stdout.splitlines()
    files, include, words, top, constraint, platform = lines
    pairs = words.split()
    made = config.parent / 'ports.json'
    script = '; '.join(
        [
            *(f'read_verilog -defer -sv -I{include} {f}' for f in files.split()),
            *(f'chparam -set {n} {v} {top}' for n, v in zip(pairs[::2], pairs[1::2])),
            f'hierarchy -check -top {top}',
            'proc',
            f'write_json {made}',
        ]
    )
    done = subprocess.run(['yosys', '-q', '-p', script], cwd='/', capture_output=True, text=True)
    modules = json.loads(made.read_text())['modules'] if not done.returncode else {}
    made.unlink(missing_ok=True)
    ports = next((m['ports'] for m in modules.values() if 'top' in m['attributes']), {})
    return done.returncode, done.stderr, {n: len(p['bits']) for n, p in ports.items()}, constraint, platform


class Runs(Checks):
    @classmethod
    def setUpClass(cls):
        block = measure.Block(BLOCK)
        cls.job = measure.Job(block, SET, block.sets[SET], measure.library(OSU, BUILD), BUILD, 180, CLOCK)

    def refused(self, name, text, *arguments):
        self.ended(name, synthesized('run', *arguments), False, text)

    def test_refusals(self):
        """Bad input is refused before anything runs, in one line with the expected value."""
        of = ('--liberty', OSU, '--block', BLOCK, '--set', SET)
        for what, text, *more in (
            ('a clock that is no number', 'CLOCK_MHZ: found "abc", expected', '--CLOCK_MHZ', 'abc'),
            ('a clock of 0', 'CLOCK_MHZ: found "0", expected', '--CLOCK_MHZ', '0'),
            ('OUT without a clock', 'OUT: found no CLOCK_MHZ=', '--OUT', str(OUT / 'x')),
            (
                'a PLATFORM that nobody knows',
                'PLATFORM: found "nangate44"',
                '--CLOCK_MHZ',
                '9',
                '--PLATFORM',
                'nangate44',
            ),
            (
                'an OUT that cannot be written',
                'expected a folder that can be written',
                '--CLOCK_MHZ',
                '9',
                '--OUT',
                '/proc/nothing/x',
            ),
            ('an OUT with other files', 'found a folder with other files', '--CLOCK_MHZ', '9', '--OUT', 'synth'),
            ('an FPGA family that nobody knows', 'FPGA: found "ice41"', '--FPGA', 'ice41'),
            ('a sweep of an unknown parameter', 'the nearest is Entries', '--SWEEP', 'Entires=4'),
            ('a sweep beyond the port list', 'expected Entries from 2 to 512', '--SWEEP', 'Entries=4,999'),
            ('a sweep without values', 'expected Parameter=value,value', '--SWEEP', 'Entries'),
            ('a sweep with a value twice', 'a value of Entries twice', '--SWEEP', 'Entries=4,4'),
            ('a sweep of three parameters', 'expected one or two', '--SWEEP', 'Entries=4 Slots=2 AddrW=8'),
        ):
            self.refused(what, text, *of, *more)
        self.refused(
            'a second library that is not there',
            'LIBERTY=none.lib: no such file',
            '--liberty',
            OSU,
            'none.lib',
            '--block',
            BLOCK,
            '--set',
            SET,
            '--CLOCK_MHZ',
            '9',
        )
        self.refused(
            'parameters that are illegal together only',
            r'expected power_of_two\(Banks\)',
            '--liberty',
            OSU,
            '--block',
            'cart',
            '--SWEEP',
            'Banks=2,3',
        )

    def test_corners(self):
        """One netlist at a clock in two corners, the second of which misses it."""
        slower = slow(OUT / 'slow.lib')
        status, said = synthesized(
            'run',
            '--liberty',
            OSU,
            str(slower),
            '--block',
            BLOCK,
            '--set',
            SET,
            '--CLOCK_MHZ',
            f'{CLOCK:g}',
            '--OUT',
            str(OUT / 'handoff'),
            '--PLATFORM',
            'sky130hd',
        )
        self.expect(
            'a clock that a corner misses is said',
            status == 0 and 'VIOLATED' in said and 'worst corner slow' in said and '1 with a violated clock' in said,
            said,
        )
        found = json.loads((OUT / 'handoff/result.json').read_text())
        typical, late = found['corners']
        period = 1e3 / CLOCK
        self.expect(
            'the slow corner is half as slow again',
            1.3 < (period - late['slack_ns']) / (period - typical['slack_ns']) < 1.7 and late['voltage_v'] == 1.62,
            str(found['corners']),
        )
        self.expect(
            'result.json names the worst corner',
            found['worst_corner'] == 'slow' and not found['met'] and found['parameters']['Entries'] == 8,
            str(found)[:300],
        )
        same = slow(OUT / 'other/slow.lib')
        labels = [c.label for c in handoff.corners_of([slower, same], measure.library(slower, OUT), OUT)]
        self.expect(
            'corners of the same file name keep their labels apart', labels == [str(slower), str(same)], str(labels)
        )

    def test_lost_cell(self):
        """A corner of another library."""
        result = json.loads((self.job.folder() / 'result.json').read_text())
        (OUT / 'lost.lib').write_text((OUT / 'slow.lib').read_text().replace('cell (DFFPOSX1)', 'cell (DFFPOSX9)'))
        lib = handoff.corners_of([OSU, OUT / 'lost.lib'], self.job.lib, OUT)[1]
        try:
            self.expect(
                'a corner without a cell of the netlist is refused', False, str(handoff.corner(self.job, result, lib))
            )
        except yosys.ToolError as e:
            self.expect('a corner without a cell of the netlist is refused', 'found no cell DFFPOSX1' in str(e), str(e))

    def test_constraints(self):
        """OpenSTA with the netlist and the SDC alone finds the slack of result.json."""
        script = OUT / 'read.tcl'
        script.write_text(STA.format(lib=OSU, out=OUT / 'handoff', name=BLOCK))
        done = subprocess.run(
            ['sta', '-no_init', '-exit', str(script)], capture_output=True, text=True, stdin=subprocess.DEVNULL
        )
        slack = re.search(r'^SLACK (\S+)', done.stdout, re.M)
        wanted = json.loads((OUT / 'handoff/result.json').read_text())['corners'][0]['slack_ns']
        self.expect(
            'the SDC alone gives the same slack',
            slack and abs(float(slack[1]) - wanted) < 1e-3 and 'Warning' not in done.stdout + done.stderr,
            done.stdout + done.stderr + f' wanted {wanted}',
        )
        inputs, outputs = (f'[get_ports {{{" ".join(names)}}}]' for names in handoff.ports_of(self.job))
        text = (OUT / f'handoff/{BLOCK}.sdc').read_text()
        self.expect(
            'the SDC has the driver of each input and the load of each output',
            f'set_driving_cell -lib_cell {self.job.lib.buffer} {inputs}\n' in text
            and f'set_load {self.job.lib.load:g} {outputs}\n' in text,
            text,
        )
        self.expect(
            'an SDC in picoseconds has a thousand times the period',
            f'-period {1e6 / CLOCK:g} ' in handoff.sdc(self.job, 't', 1e-12)
            and f'-period {1e3 / CLOCK:g} ' in handoff.sdc(self.job, 't', 1e-9),
        )

    def test_flow(self):
        """The inputs of OpenROAD-flow-scripts are complete: with one file removed they are not."""
        moved = OUT / 'elsewhere'
        shutil.rmtree(moved, ignore_errors=True)
        shutil.copytree(OUT / 'handoff/openroad', moved)
        config = (moved / 'config.mk').resolve()
        status, said, ports, constraint, platform = as_the_flow(config)
        wanted = {
            n: len(p['bits'])
            for n, p in json.loads((self.job.folder() / 'coarse.json').read_text())['modules'][self.job.block.name][
                'ports'
            ].items()
        }
        self.expect(
            'the hand-off is read in another folder, with these parameters',
            status == 0 and ports == wanted,
            f'{said} {ports} {wanted}',
        )
        self.expect(
            'its constraints are there, for the platform',
            os.path.exists(constraint) and 'sky130hd' in open(constraint).read() and platform == 'sky130hd',
            constraint,
        )
        listed = [
            line for line in (moved / f'{self.job.block.name}.f').read_text().splitlines() if line.endswith('.sv')
        ]
        self.expect(
            'the file list has the files of the folder',
            sorted(listed) == sorted(str(p.relative_to(moved)) for p in moved.rglob('*.sv')),
            str(listed),
        )
        (moved / listed[0]).unlink()
        self.expect('a hand-off without one of its files is not read', as_the_flow(config)[0] != 0)

    def test_whole(self):
        """A failed run leaves the previous folder, and no other."""
        before = {p: p.read_bytes() for p in (OUT / 'handoff').rglob('*') if p.is_file()}
        with contextlib.suppress(ZeroDivisionError), folder.whole(OUT / 'handoff') as new:
            (new / 'half').write_text('half')
            raise ZeroDivisionError
        folder.check(OUT / 'handoff')
        self.expect(
            'a run that fails leaves the former folder',
            before == {p: p.read_bytes() for p in (OUT / 'handoff').rglob('*') if p.is_file()}
            and not list(OUT.glob('.handoff*')),
        )

    def test_sweeps(self):
        """A cached point is not measured again; the three files agree."""
        kept = self.job._replace(clock=None).folder() / 'result.json'
        stored = json.loads(kept.read_text())
        view = 'macros' if 'macros' in stored else 'registers'
        stored[view]['fmax_mhz'] = 123.4
        for each in {'registers', 'macros'} & set(stored):
            stored[each]['activity'] |= {'inputs': 0.5, 'nets': 0.25}
        before = kept.read_text()
        try:
            kept.write_text(json.dumps(stored))
            status, said = synthesized(
                'run',
                '--liberty',
                OSU,
                '--block',
                BLOCK,
                '--set',
                SET,
                '--SWEEP',
                'Entries=8',
                '--OUT',
                str(OUT / 'kept'),
            )
        finally:
            kept.write_text(before)
        row = next(csv.DictReader(open(OUT / 'kept/sweep.csv'))) if status == 0 else {}
        self.expect(
            'a point has the activity of the set that the sweep starts from',
            (row.get('input_activity'), row.get('net_activity')) == ('0.5', '0.25')
            and '| 0.5 | 0.25 |' in said
            and '0.5 toggles of an input and 0.25 of a net' in (OUT / 'kept/sweep.svg').read_text(),
            f'{row} {said[-600:]}',
        )
        self.expect(
            'its power is that of this activity',
            float(row['power_mw']) > 1.5 * json.loads(before)[view]['power_mw'],
            f'{row}, {json.loads(before)[view]["power_mw"]}',
        )
        self.expect(
            'a sweep goes on from the points that are there',
            status == 0 and '123.4' in said and '123.4' in (OUT / 'kept/sweep.csv').read_text(),
            said,
        )
        status, said = synthesized(
            'run',
            '--liberty',
            OSU,
            '--block',
            'mrpb',
            '--set',
            'one',
            '--FPGA',
            'xilinx',
            '--SWEEP',
            'InfoW=4,8 Shared=0,1',
            '--OUT',
            str(OUT / 'grid'),
        )
        rows = list(csv.DictReader(open(OUT / 'grid/sweep.csv'))) if status == 0 else []
        flops = {(r['InfoW'], r['Shared']): int(r['flip_flops']) for r in rows}
        self.expect(
            'a sweep of two parameters has a row for each pair',
            len(flops) == 4 and flops['8', '1'] > flops['4', '1'] and f'| {rows[0]["luts"]} |' in said,
            said,
        )
        shapes = [e.tag.rpartition('}')[2] for e in ElementTree.parse(OUT / 'grid/sweep.svg').iter()] if rows else []
        points = re.findall(r'<title>[^<\s]', (OUT / 'grid/sweep.svg').read_text()) if rows else []
        self.expect(
            'its plot has a point for each row and column',
            len(points) == 4 * 2 and shapes.count('polyline') == 2 * 2,
            f'{points} {shapes}',
        )

    def test_drawn(self):
        """Two blocks with made-up points: their positions on the axis, the change to RAM, the columns."""

        def row(block, name, x, ram_bits):
            return {
                'block': block,
                name: x,
                'ram_bits': ram_bits,
                'area_um2': 10.0 * x,
                'fmax_mhz': 5.0,
                'power_mw': 1.0,
                'input_activity': 0.2,
                'net_activity': 0.1,
            }

        axes = {'a': [('Entries', [16, 2, 4])], 'b': [('Sets', [4, 8])]}
        rows = [
            row('a', 'Entries', 16, 2048),
            row('a', 'Entries', 2, 0),
            row('a', 'Entries', 4, 0),
            row('b', 'Sets', 4, 0),
            row('b', 'Sets', 8, 0),
        ]
        svg = sweep.plot('t', axes, rows, sweep.charts(rows[0]))
        area = svg.split('</svg>')[0]
        xs = {
            c: [
                float(x)
                for x in re.findall(
                    rf'<path transform="translate\(([\d.]+) [^>]*class="dot {c}">\s*<title>[^<\s]', area
                )
            ]
            for c in ('s0', 's1')
        }
        gaps = [b - a for a, b in zip(xs['s0'], xs['s0'][1:])]
        self.expect('a sweep has a numeric axis', len(gaps) == 2 and abs(gaps[1] / gaps[0] - 6) < 0.05, str(xs))
        self.expect(
            'several blocks are in one plot',
            len(xs['s1']) == 2 and abs(xs['s1'][0] - xs['s0'][1]) < 0.1 and 'Entries of a, Sets of b' in area,
            str(xs),
        )
        rule = [float(x) for x in re.findall(r'<line x1="([\d.]+)" [^>]*class="rule"', area)]
        self.expect(
            'the change from flip-flops to RAM is marked',
            len(rule) == 1 and abs(rule[0] - (xs['s0'][1] + xs['s0'][2]) / 2) < 0.1 and 'a: flip-flops | RAM' in area,
            f'{rule} {xs}',
        )
        self.expect(
            'values that would overlap have no mark',
            [v for v, _ in sweep.number_marks([1, 2, 4, 500, 512])] == [4, 512],
            str(sweep.number_marks([1, 2, 4, 500, 512])),
        )
        self.expect('one value has a mark', sweep.number_marks([8]) == [(8, '8')])
        for text, blocks, found in (
            ('P=1,2', ['a'], {'a': 'P=1,2'}),
            ('a.P=1 b.Q=2 R=3', ['a', 'b'], {'a': 'P=1 R=3', 'b': 'Q=2 R=3'}),
        ):
            self.expect(f'SWEEP="{text}"', sweep.words_of(text, blocks) == found, str(sweep.words_of(text, blocks)))
        try:
            sweep.words_of('c.P=1', ['a', 'b'])
            self.expect('a block that is not measured is refused', False)
        except ParamError as e:
            self.expect(
                'a block that is not measured is refused', 'found "c.P=1", expected one of BLOCK=a b' in str(e), str(e)
            )

    def test_families(self):
        """Cells are counted by kind; a nextpnr on the PATH is used."""
        self.expect(
            'cells are counted by kind',
            fpga.counted(
                {'LUT6': 3, 'FDRE': 2, 'RAM32M': 1, 'CARRY4': 4, 'DSP48E1': 1, 'MUXF7': 2, 'INV': 1, 'BUFG': 1}
            )
            == {'luts': 4, 'flip_flops': 2, 'rams': 1, 'dsps': 1, 'carries': 4, 'muxes': 2},
        )
        try:
            fpga.chosen('ice40 xilin')
            self.expect('an unknown family is refused', False)
        except ParamError as e:
            self.expect('an unknown family is refused', 'nearest is xilinx' in str(e), str(e))
        program = OUT / 'bin/nextpnr-ecp5'
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(FAKE_NEXTPNR)
        program.chmod(0o755)
        mrpb, path = measure.Block('mrpb'), os.environ['PATH']
        os.environ['PATH'] = f'{program.parent.resolve()}:{path}'
        try:
            placed = measure.on_fpga(measure.Job(mrpb, 'one', mrpb.sets['one'], None, OUT, None), 'ecp5')['fpga']
        finally:
            os.environ['PATH'] = path
        self.expect(
            'a nextpnr-ecp5 on the PATH is used',
            (placed['logic_cells'], placed['rams'], placed['fmax_mhz']) == (77, 2, 81.5) and placed['flip_flops'] > 0,
            str(placed),
        )
