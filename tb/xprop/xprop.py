# SPDX-License-Identifier: Apache-2.0
"""make xprop: the RTL in four-state simulation (Icarus) beside lockstep's two-state run of the same stimulus.  README.md says how."""
import argparse
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cosim import manifest, parts, payload
from cosim.own_rtl import Design, OwnRtl
from tb.prove import icarus
from tb.prove.rtl import RtlError, pick_sources, yosys
from tb.prove.tool import ToolError

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

FORMS = ('written', 'muxes')  # the RTL as it is written, and with every `if` and `case` made a multiplexer by Yosys
# Known faults, planted by the selftest: block, file, correct text (occurs once), faulty text.
PLANTED = [
    ('cart', 'cart/mt_cart.sv', "((1 << in_bank) & {Banks{push}})", "(Banks'(push) << in_bank)"),
    ('gmmu', 'gmmu/mt_gmmu.sv', 'counted     = req_valid_i & req_resident_i', 'counted     = req_resident_i'),
]


class XpropError(Exception):
    pass


class Vec:
    """A .vec file (cosim/README.md): parameters, (port, width) in order, and a (reset, values) for each cycle."""

    def __init__(self, path):
        self.rows = []
        for line in path.read_text().splitlines():
            words = line.split('#')[0].split()
            if not words or words[0] in ('memtwin-vec', 'block'):
                continue
            if words[0] == 'params':
                self.params = [w.split('=') for w in words[1:]]
            elif words[0] == 'ports':
                self.ports = [(name, int(width)) for name, width in (w.split(':') for w in words[1:])]
            else:
                self.cycles(words)

    def cycles(self, words):
        reset, times = words[0] == 'R', 1
        if words[-1][0] == 'x':
            times = int(words.pop()[1:])
        values = [int(w, 16) for w in words[reset:]]
        self.rows += [(reset, values + [0] * (len(self.ports) - len(values)))] * times


class Run:
    """One parameter set and seed: its stimulus, its benches, their results."""

    def __init__(self, block, set_, args, seed):
        self.block, self.set, self.args, self.seed = block, set_, args, seed
        self.own = OwnRtl(args.rtl, args.top, block) if args.rtl else None
        self.module = self.own.module if self.own else manifest.module(block)
        kind, of_seed = 'xprop-selftest' if args.selftest else 'xprop', f'-{seed}' if seed != args.seed else ''
        self.folder = args.build / kind / block / f'{set_}{of_seed}'
        self.payload = payload.of(block, ROOT)

    def record(self):
        """Inputs and outputs of the two-state run: lockstep, so that twin and Verilated RTL agree on them."""
        self.folder.mkdir(parents=True, exist_ok=True)
        inputs, outputs = self.folder / 'in.vec', self.folder / 'out.vec'
        program = self.args.build / 'cosim' / self.block / 'lockstep'
        r = subprocess.run(
            [
                program,
                '--rtl',
                self.args.build / 'rtl' / self.block / f'{self.set}.so',
                '--seed',
                str(self.seed),
                '--cycles',
                str(self.args.cycles),
                '--write',
                inputs,
                '--outputs',
                outputs,
            ],
            capture_output=True,
            text=True,
        )
        if r.returncode:
            raise XpropError(r.stdout + r.stderr)
        self.inputs, self.outputs = Vec(inputs), Vec(outputs)
        if len(self.inputs.rows) != len(self.outputs.rows):
            raise XpropError(f'{outputs}: found {len(self.outputs.rows)} cycles, expected {len(self.inputs.rows)}')

    def unread(self, values):
        """The payload inputs whose valid is 0."""
        return {p for p, valid in self.payload.items() if valid != payload.ALWAYS and not values[valid]}

    def stimulus(self):
        """Writes the bench's memory, a line of bits for each cycle; how often each payload input is X in it."""
        unknown = dict.fromkeys(self.payload, 0)
        lines = []
        for (reset, values), (_, wanted) in zip(self.inputs.rows, self.outputs.rows):
            x = self.unread(dict(zip((n for n, _ in self.inputs.ports), values)))
            for p in x:
                unknown[p] += 1
            bits = ['0' if reset else '1']
            bits += ['x' * w if n in x else f'{v:0{w}b}' for (n, w), v in zip(self.inputs.ports, values)]
            bits += [f'{v:0{w}b}' for (_, w), v in zip(self.outputs.ports, wanted)]
            lines.append('_'.join(bits))
        (self.folder / 'rows.mem').write_text('\n'.join(lines) + '\n')
        return unknown

    def bench(self, wave, pins):
        """`pins`: port -> expression to connect it with instead of the signal of its name."""
        ins, outs, n = self.inputs.ports, self.outputs.ports, len(self.inputs.rows)
        declare = [f'  reg [{w - 1}:0] {p};' for p, w in ins]
        declare += [f'  wire [{w - 1}:0] {p};\n  reg [{w - 1}:0] two_state_{p};' for p, w in outs]
        width = 1 + sum(w for _, w in ins + outs)
        known = Design(self.own).parameters() if self.own else [n for n, _ in self.inputs.params]
        self.chosen = [(n, v) for n, v in self.inputs.params if n in known]
        row = ', '.join(['rst_ni'] + [p for p, _ in ins] + [f'two_state_{p}' for p, _ in outs])
        connect = ',\n    '.join([f'.{p}({pins.get(p, p)})' for p in ['clk_i', 'rst_ni'] + [p for p, _ in ins + outs]])
        compare = [
            f'        if ({p} !== two_state_{p}) begin\n          bad = 1;\n'
            f'          $display("differs %0d {p} %h %h", cycle, {p}, two_state_{p});\n        end'
            for p, _ in outs
        ]
        return (
            f'''// {self.name} in four states; made by tb/xprop/xprop.py.
module xprop;
  reg clk_i = 1'b0, rst_ni;
'''
            + '\n'.join(declare)
            + f'''
  reg [{width - 1}:0] rows [0:{n - 1}];
  reg bad = 0;
  integer cycle;
`ifdef MUXES  // parameters are in it
  {self.module} dut (
`else
  {self.module} #({', '.join(f'.{k}({v})' for k, v in self.chosen)}) dut (
`endif
    {connect});
  initial begin
    $readmemb("{(self.folder / 'rows.mem').resolve()}", rows);
    if ($test$plusargs("wave")) begin
      $dumpfile("{wave.resolve()}");
      $dumpvars(0, xprop);
    end
    for (cycle = 0; cycle < {n} && !bad; cycle = cycle + 1) begin
      {{{row}}} = rows[cycle];
      #1;
      if (cycle > 0) begin  // cycle 0 is the first reset
'''
            + '\n'.join(compare)
            + '''
      end
      clk_i = 1'b1;
      #1 clk_i = 1'b0;
    end
    if (!bad) $display("end %0d", cycle);
    $finish;
  end
endmodule
'''
        )

    def simulate(self, form, folder=None, rtl=ROOT / 'rtl', pins=None):
        """(cycle, [(output, four-state, two-state)]) of the first cycle that differs, or None."""
        folder = folder or self.folder / form
        folder.mkdir(parents=True, exist_ok=True)
        bench, binary, net = (folder / n for n in ('bench.v', 'bench.vvp', 'muxes.v'))
        bench.write_text(self.bench(folder / 'wave.vcd', pins or {}))
        sources, include, libs = (
            ([*(Path(f'-D{m}') for m in self.own.macros), *self.own.files], self.own.include, self.own.libraries)
            if self.own
            else pick_sources(rtl, self.block, parts.of(self.block, ROOT))
        )
        if form == 'muxes':
            yosys(
                self.module,
                sources,
                include,
                libs,
                dict(self.chosen),
                f'rename -top {self.module}; write_verilog -noattr {net}',
            )
            icarus.build('xprop', binary, [bench, net], options=['-DMUXES'])
        else:
            # Assertions are about two-state values: an X of a payload that is not read would fail them.
            icarus.build('xprop', binary, [bench, *sources], include, libs, ['-gno-assertions'])
        lines = [line.split() for line in icarus.run(binary).splitlines()]
        found = [(int(w[1]), *w[2:]) for w in lines if w and w[0] == 'differs']
        if found:
            return found[0][0], [f[1:] for f in found]
        if ['end', str(len(self.inputs.rows))] not in lines:
            raise XpropError(f'{binary}: did not run to the end')
        return None

    @property
    def name(self):
        return f'{self.block}/{self.set.split("_rtl_")[0]}'

    def rerun(self):
        own = f' {self.own.shown()} STATE=0' if self.own else ''
        return f'  rerun  make xprop BLOCK={self.block} SET={self.name.split("/")[1]} SEED={self.seed} CYCLES={self.args.cycles}{own}'

    def prepare(self):
        """Stimulus; every payload input must be X in some cycles and not in others, or X was not tried."""
        self.record()
        unknown, n = self.stimulus(), len(self.inputs.rows)
        for p, times in unknown.items():
            if self.payload[p] != payload.ALWAYS and not 0 < times < n:
                raise XpropError(
                    f'{p}: X in {times} of {n} cycles, expected some with X and some without: more CYCLES, or another SEED'
                )
        return unknown

    def check(self):
        """The lines to print, and whether all is well."""
        unknown = self.prepare()
        for form in FORMS:
            found = self.simulate(form)
            if found:
                return self.report(form, *found), False
        x = sum(1 for valid in self.payload.values() if valid != payload.ALWAYS)
        return [
            f'PASS xprop {self.name:24s} seed={self.seed} {len(self.inputs.rows):8d} cycles  {x} of {len(unknown)} '
            f'payload inputs X while their valid is 0, {len(self.outputs.ports)} outputs equal'
        ], True

    def report(self, form, cycle, outputs):
        folder = self.folder / form
        icarus.run(folder / 'bench.vvp', '+wave')
        return [
            f'FAIL xprop {self.name} ({form})  seed={self.seed} cycle={cycle}  '
            f'{len(outputs)} of {len(self.outputs.ports)} outputs differ',
            *(f'  {n:16s} four-state={a}  two-state={b}' for n, a, b in outputs),
            f'  wave   {folder}/wave.vcd, bench {folder}/bench.v',
            self.rerun(),
        ]

    # ---- selftest
    def faults(self):
        """Faults to plant: name, difference from the run without."""
        pins = {}
        for p, valid in self.payload.items():
            if valid != payload.ALWAYS:  # as if the block did not mask with this valid
                pins[valid] = pins.get(valid, valid) + f' ^ (^{p}) ^ (^{p})'
        if not pins:  # nothing is ever X: an input that is read is
            pins = {p: f"{{{w}{{1'bx}}}}" for p, w in self.inputs.ports if p in self.payload}
        yield from ((f'{p} at X', {'pins': {p: expression}}) for p, expression in pins.items())
        for block, file, before, after in PLANTED:
            if block == self.block:
                yield f'{file}: {after}', {'rtl': self.planted(file, before, after)}

    def planted(self, file, before, after):
        rtl = self.folder / 'rtl'
        shutil.rmtree(rtl, ignore_errors=True)
        shutil.copytree(ROOT / 'rtl', rtl, ignore=shutil.ignore_patterns('*.md'))
        text = (rtl / file).read_text()
        if text.count(before) != 1:
            raise XpropError(f'{file}: found {text.count(before)} times, expected once: {before}')
        (rtl / file).write_text(text.replace(before, after))
        return rtl

    def selftest(self):
        self.prepare()
        lines, ok = [], True
        for name, changes in self.faults():
            found = self.simulate('muxes', self.folder / 'planted', **changes)
            ok &= bool(found)
            said = f'cycle {found[0]}, {found[1][0][0]} is {found[1][0][1]}' if found else 'not found'
            lines.append(f'{"found" if found else "FAIL "} xprop {self.name:24s} {name}: {said}')
        return lines, ok


def guarded(body, run):
    try:
        return body(run)
    except (XpropError, RtlError, ToolError, payload.PayloadError) as e:
        return [f'FAIL xprop {run.name}', *('  ' + line for line in str(e).splitlines())], False


def all_of(body, runs, jobs):
    passed = 0
    with ThreadPoolExecutor(jobs) as pool:
        for lines, ok in pool.map(lambda r: guarded(body, r), runs):
            print('\n'.join(lines), flush=True)
            passed += ok
    return passed


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument('sets', nargs='+', help='block/set')
    p.add_argument('--build', type=Path, required=True)
    p.add_argument('--jobs', type=int, default=1)
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--seeds', type=int, default=1)
    p.add_argument('--cycles', type=int, default=10000)
    p.add_argument('--rtl', default='')
    p.add_argument('--top', default='')
    p.add_argument('--selftest', action='store_true', help='every fault that is planted must be found')
    args = p.parse_args()
    runs = [Run(*s.split('/'), args, args.seed + k) for s in args.sets for k in range(args.seeds)]
    passed = all_of(Run.selftest if args.selftest else Run.check, runs, args.jobs)
    print(f'xprop{"-selftest" if args.selftest else ""}: {passed} passed, {len(runs) - passed} failed')
    return passed != len(runs)


if __name__ == '__main__':
    sys.exit(main())
