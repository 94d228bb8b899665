# SPDX-License-Identifier: Apache-2.0
"""FPGA families: cell counts by Yosys, and place and route where nextpnr supports the family.  The block is placed between registers; its
ports are shifted in and folded out, since it has more ports than the device has pins."""
import json
import re
import shutil
import subprocess
from typing import NamedTuple

from cosim.manifest import ParamError, nearest
from synth import yosys

SEED = 1


class Family(NamedTuple):
    """name: of the device or family; synth: Yosys's command; place: nextpnr's arguments; output: nextpnr's option for the required output file."""

    name: str
    synth: str
    place: tuple = ()
    output: str = ''


FAMILIES = {
    'ice40': Family('iCE40 HX8K', 'synth_ice40', ('nextpnr-ice40', '--hx8k', '--package', 'ct256'), '--asc'),
    'ecp5': Family('ECP5 85k', 'synth_ecp5', ('nextpnr-ecp5', '--85k', '--package', 'CABGA756'), '--textcfg'),
    'xilinx': Family('Xilinx 7 series', 'synth_xilinx -family xc7 -noiopad -noclkbuf'),
    'intel': Family('Intel Cyclone V', 'synth_intel_alm -family cyclonev -noiopad -noclkbuf'),
    'gowin': Family('Gowin', 'synth_gowin -noiopads'),
    'nexus': Family('Lattice Nexus', 'synth_nexus -noiopad'),
    'gatemate': Family('GateMate', 'synth_gatemate -noiopad -noclkbuf'),
    'efinix': Family('Efinix Trion', 'synth_efinix'),
    'anlogic': Family('Anlogic EG4', 'synth_anlogic'),
}
PLACED = ('ice40',)  # placers installed by make setup
# Cell kinds of all families, first match; a cell without a match is a pad or a clock buffer.
KINDS = {
    'dsps': r'DSP|MULT|SB_MAC|MISTRAL_MUL',
    'rams': r'RAM|MISTRAL_M|M10K|MLAB|DP16K|PDPW|EBR|EFX_DPRAM|SDPB|DPB$|^SP(X9)?$',
    'carries': r'CARRY|CCU2|^ALU$|ADDF|ALUT_ARITH|EFX_ADD|AL_MAP_ADDER',
    'flip_flops': r'DFF|^FD[A-Z]|^FD1P3|TRELLIS_FF|MISTRAL_FF|EFX_FF|AL_MAP_SEQ',
    'muxes': r'MUX|L6MUX|MX\d|WIDEFN',
    'luts': r'LUT|L2T|MISTRAL_(ALUT|NOT)|^INV$',
}


def chosen(text):
    """The families that FPGA= names."""
    for name in text.split():
        if name not in FAMILIES:
            raise ParamError(f'FPGA: found "{name}", expected one of {", ".join(FAMILIES)}{nearest(name, FAMILIES)}')
    return list(dict.fromkeys(text.split()))


def placer(family):
    """The place-and-route program, or None: then only Yosys's cells are counted."""
    place = FAMILIES[family].place
    return place[0] if place and (family in PLACED or shutil.which(place[0])) else None


def ports(coarse, name):
    """{port: (direction, bits)} of the elaborated block."""
    return {p: (v['direction'], len(v['bits'])) for p, v in coarse['modules'][name]['ports'].items()}


def wrapper(name, found):
    """Registers at every input and output, so that only paths inside the block are timed."""
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


def mapped(family, block, out, top):
    """Cells of the family: {type: count}.  If `top` is not the block itself, its wrapper is read."""
    more = '' if top == block.name else f'read_verilog {out / "fpga_top.v"}\n'
    yosys.yosys(
        f'''read_json {out / 'coarse.json'}
{more}hierarchy -check -top {top}
{FAMILIES[family].synth} -top {top}
write_json {out / f'{top}.json'}
''',
        out / f'{top}.log',
    )
    cells = {}
    for c in json.loads((out / f'{top}.json').read_text())['modules'][top]['cells'].values():
        cells[c['type']] = cells.get(c['type'], 0) + 1
    return dict(sorted(cells.items()))


def counted(cells):
    """Cells by kind: {kind: count}."""
    kinds = dict.fromkeys(('luts', 'flip_flops', 'rams', 'dsps', 'carries', 'muxes'), 0)
    for cell, n in cells.items():
        kind = next((k for k, pattern in KINDS.items() if re.search(pattern, cell)), None)
        if kind:
            kinds[kind] += n
    return kinds


def place_and_route(family, block, out):
    """nextpnr's utilization and Fmax of the wrapper."""
    command = [
        *FAMILIES[family].place,
        '--seed',
        str(SEED),
        '--json',
        str(out / 'fpga_top.json'),
        FAMILIES[family].output,
        str(out / 'fpga.out'),
        '--freq',
        '12',
        '--report',
        str(out / 'fpga_report.json'),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    (out / 'nextpnr.log').write_text(done.stdout + done.stderr)
    if done.returncode:
        raise yosys.ToolError(f'{command[0]} failed, see {out}/nextpnr.log: {done.stderr.strip().splitlines()[-1:]}')
    report = json.loads((out / 'fpga_report.json').read_text())
    used = {k: v['used'] for k, v in report['utilization'].items() if v['used']}
    return used, max(float(m) for m in re.findall(r'Max frequency for clock[^:]*: ([\d.]+) MHz', done.stderr)[-1:])


def measured(family, block, coarse, out):
    """Cells of the block; if it is placed, also logic cells and Fmax of the block between registers."""
    cells = mapped(family, block, out, block.name)
    result = {'by_type': cells} | counted(cells)
    if placer(family):
        (out / 'fpga_top.v').write_text(wrapper(block.name, ports(coarse, block.name)))
        mapped(family, block, out, 'fpga_top')
        used, fmax = place_and_route(family, block, out)
        logic = {'ice40': ('ICESTORM_LC', 'ICESTORM_RAM'), 'ecp5': ('TRELLIS_COMB', 'DP16KD')}[family]
        result |= {
            'logic_cells': used.get(logic[0], 0),
            'rams': used.get(logic[1], 0),
            'fmax_mhz': fmax,
            'placed': used,
        }
    return result
