# SPDX-License-Identifier: Apache-2.0
"""Place and route on an iCE40 HX8K: the block between registers, its ports shifted in and folded out, since it has more of them than pins."""
import json
import re
import subprocess

import yosys

DEVICE = ['--hx8k', '--package', 'ct256']
SEED = 1


def ports(coarse, name):
    """{port: (direction, bits)} of the elaborated block."""
    return {p: (v['direction'], len(v['bits'])) for p, v in coarse['modules'][name]['ports'].items()}


def wrapper(name, found):
    """A register before every input and behind every output: paths inside the block are what is timed."""
    ins = {p: n for p, (d, n) in found.items() if d == 'input' and p not in ('clk_i', 'rst_ni')}
    outs = {p: n for p, (d, n) in found.items() if d == 'output'}
    place, connections = 0, []
    for p, n in ins.items():
        connections.append(f'.{p}(in_q[{place + n - 1}:{place}])')
        place += n
    total_in, place = max(place, 1), 0
    for p, n in outs.items():
        connections.append(f'.{p}(out[{place + n - 1}:{place}])')
        place += n
    return f'''module fpga_top (input clk_i, input rst_ni, input bit_i, output reg bit_o);
  reg [{total_in}-1:0] in_q;
  reg [{place}-1:0] out_q;
  wire [{place}-1:0] out;
  reg rst_q;
  {name} u_block (.clk_i(clk_i), .rst_ni(rst_q), {', '.join(connections)});
  always @(posedge clk_i) begin
    rst_q <= rst_ni;
    in_q <= {{in_q, bit_i}};
    out_q <= out;
    bit_o <= ^out_q;
  end
endmodule
'''


def place_and_route(block, params, coarse, out):
    (out / 'fpga_top.v').write_text(wrapper(block.name, ports(coarse, block.name)))
    yosys.yosys(f'''read_json {out / 'coarse.json'}
read_verilog {out / 'fpga_top.v'}
hierarchy -check -top fpga_top
synth_ice40 -top fpga_top -json {out / 'fpga.json'}
''', out / 'fpga.log')
    done = subprocess.run(['nextpnr-ice40', *DEVICE, '--seed', str(SEED), '--json', str(out / 'fpga.json'), '--asc', str(out / 'fpga.asc'), '--freq', '12',
                           '--report', str(out / 'fpga_report.json')], capture_output=True, text=True)
    (out / 'nextpnr.log').write_text(done.stdout + done.stderr)
    if done.returncode:
        raise yosys.ToolError(f'nextpnr-ice40 failed, see {out}/nextpnr.log: {done.stderr.strip().splitlines()[-1:]}')
    report = json.loads((out / 'fpga_report.json').read_text())
    used = report['utilization']
    fmax = max(float(m) for m in re.findall(r'Max frequency for clock[^:]*: ([\d.]+) MHz', done.stderr)[-1:])
    return {'logic_cells': used['ICESTORM_LC']['used'], 'rams': used['ICESTORM_RAM']['used'], 'fmax_mhz': fmax}
