# SPDX-License-Identifier: Apache-2.0
"""Setup, hold, skew and power of a routed netlist with its wires: OpenSTA with SPEF; and the flow's own timer beside it."""
import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from synth import measure
from synth.layout import netlist as netlists, rc
from synth.yosys import ToolError

QFLOW = Path('/usr/lib/qflow/bin')


class Run(NamedTuple):
    lib: object
    macros: Path | None
    out: Path
    top: str
    seen: dict  # activity
    tree: bool  # of the clock; else it is ideal

    def sta(self, period, latency, clocked=()):
        """(report, {setup, hold}: slack) in the library's unit of time."""
        env = {
            **os.environ,
            'LIBS': ' '.join(str(p) for p in (self.lib.plain, self.macros) if p),
            'NETLIST': str(self.out / f'{self.top}.v'),
            'TOP': self.top,
            'PERIOD': f'{period:.5f}',
            'LATENCY': f'{latency:.5f}',
            'DRIVER': self.lib.buffer,
            'LOAD': f'{self.lib.load}',
            'SPEF': str(self.out / 'routed.spef'),
            'TREE': str(int(self.tree)),
            'ACTIVITY': f'{self.seen["nets"]:.6f}',
            'INPUT_ACTIVITY': f'{self.seen["inputs"]:.6f}',
            'CLOCKED': ' '.join(clocked),
        }
        command = ['sta', '-no_init', '-exit', 'synth/layout.tcl']
        done = subprocess.run(command, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        report, log = done.stdout + done.stderr, self.out / 'layout.sta'
        log.write_text(report)
        found = {k: float(v) for k, v in re.findall(r'^RESULT (\w+) (\S+)$', report, re.M)}
        if 'done' not in found or re.search(r'^(STA ERROR|Error|Warning: .*\.spef)', report, re.M):
            raise ToolError(f'sta failed on the routed netlist, see {log}')
        return report, found


def arrivals(report):
    """Rising edges at the clock pins."""
    return [float(t) for t in re.findall(r'^ARRIVAL .*\n \(clk \^\) r [^:]+:(\S+)', report, re.M)]


def tree_mw(report):
    """Power of the clock tree's buffers."""
    return 1e3 * sum(map(float, re.findall(r'^(?: +\S+){3} +(\S+) CLKBUF1_l\w+$', report, re.M)))


def measured(run, clocked, period):
    """Latency and skew of the clock, minimum period, hold slack, and power at the minimum period.  The outside's clock has the mean latency."""
    at = arrivals(run.sta(period, 0.0, clocked)[0]) if run.tree else []
    latency, skew = (sum(at) / len(at), max(at) - min(at)) if at else (0.0, 0.0)
    slack = run.sta(period, latency)[1]
    minimum = max(period - slack['setup'], 1e-6)
    ns, report = run.lib.time * 1e9, run.sta(minimum, latency)[0]
    return {
        'min_period_ns': minimum * ns,
        'fmax_mhz': 1e3 / (minimum * ns),
        'hold_ns': slack['hold'] * ns,
        'latency_ns': latency * ns,
        'skew_ns': skew * ns,
        'power_mw': measure.power_mw(report),
        'tree_mw': tree_mw(report),
    }


def plain(name):
    return re.sub(r'\W', '_', name)


def flow_mhz(netlist, lib, out):
    """Fmax by vesta, the timer of qflow, from the router's RC; None without it.  Names are those that it can read."""
    if not (QFLOW / 'vesta').exists():
        return None
    cells = {plain(n): (kind, {p: plain(net) for p, net in pins.items()}) for n, (kind, pins) in netlist.cells.items()}
    ports = [
        netlists.Port(plain(b), p.direction, [plain(n)]) for p in netlist.ports for b, n in p.bits() if n not in '01'
    ]
    (out / 'flow.v').write_text(netlists.verilog(netlists.Netlist(netlist.name, ports, cells)))
    (out / 'flow.rc').write_text(re.sub(r'[\[\]]', '_', (out / 'routed.rc').read_text()))
    subprocess.run(
        [QFLOW / 'rc2dly', '-r', 'flow.rc', '-l', lib.plain.resolve(), '-d', 'flow.dly'], cwd=out, capture_output=True
    )
    done = subprocess.run(
        [QFLOW / 'vesta', '-c', '-d', 'flow.dly', '--summary', 'reports', 'flow.v', lib.plain.resolve()],
        cwd=out,
        capture_output=True,
        text=True,
        errors='replace',
    )
    (out / 'flow.log').write_text(done.stdout + done.stderr)
    found = re.search(r'Computed maximum clock frequency[^=]*= ([\d.]+) MHz', done.stdout)
    return float(found[1]) if found else None


def write_spef(out, netlist):
    """routed.spef from the router's file.  Returns picofarads of all wires."""
    nets = rc.read(out / 'routed.rc', netlist)
    inputs = {b for b, _ in netlist.port_bits('input')}
    (out / 'routed.spef').write_text(rc.spef(nets, netlist.name, inputs))
    return sum(n.total() for n in nets)
