# SPDX-License-Identifier: Apache-2.0
"""Tables as SRAM and CAM macros: area and access time by an analytic model, and a liberty cell for the timing tool.

Area.  Bit cells as CACTI has them (5.1, Thoziyoor08; unchanged in 6.5, which Dai17 and Gu20 used): 146 F^2
for a six-transistor SRAM cell with one port, 292 F^2 for a CAM cell, F the feature size, the SRAM cell 1.46 times as high as wide.
A port more adds a wire pitch of 2.5 F for its word line, and one (read) or two (write) for its bit lines.  Periphery as in
Mulder91: sense amplifiers as high as six cells, drivers and decoder as wide as six, so (words + 6) x (bits + 6) cells.
Access time.  A RAM's delay grows by about 1.2 fanout-of-four inverter delays with each doubling of its bits (Amrutur00):
1.2 FO4 log2(bits), FO4 measured in the library at hand (sta.tcl).  Writing needs the address and data half of that before
the clock edge."""
from math import log2

SRAM_F2, CAM_F2, ASPECT, PITCH_F, EDGE_CELLS, FO4_PER_BIT = 146, 292, 1.46, 2.5, 6, 1.2
THRESHOLDS = ' '.join(
    f'{what}_threshold_pct_{edge} : {pct};'
    for edge in ('rise', 'fall')
    for what, pct in (('input', 50), ('output', 50), ('slew_lower', 20), ('slew_upper', 80))
)
NODES_NM = {'NangateOpenCellLibrary': 45, 'sky130': 130, 'osu018': 180}


def node_nm(library, given=None):
    """Feature size of a library: given, or known from its name."""
    return int(given) if given else next((nm for start, nm in NODES_NM.items() if library.startswith(start)), None)


def cell_um2(nm, reads=0, writes=1, cam=False):
    """One bit; the first write port reads as well, if there is no other read port (reads=0)."""
    width = (SRAM_F2 / ASPECT) ** 0.5
    high, wide = width * ASPECT + PITCH_F * (reads + writes - 1), width + PITCH_F * (reads + 2 * (writes - 1))
    return (high * wide + (CAM_F2 - SRAM_F2 if cam else 0)) * (nm / 1000) ** 2


def array_um2(words, bits, nm, **ports):
    return (words + EDGE_CELLS) * (bits + EDGE_CELLS) * cell_um2(nm, **ports)


def cache_um2(sets, ways, line_bytes, tag_bits, nm):
    """Data and tag arrays of a cache, a single port each."""
    return array_um2(sets * ways, 8 * line_bytes, nm) + array_um2(sets, ways * tag_bits, nm)


def access_fo4(words, bits):
    return FO4_PER_BIT * log2(words * bits)


def bus_type(bits):
    return (
        f'  type (b{bits}) {{ base_type : array; data_type : bit; bit_width : {bits}; bit_from : {bits - 1}; bit_to : 0; '
        f'downto : true; }}\n'
    )


def scalar_arc(kind, related, values, when=''):
    tables = ' '.join(f'{v} (scalar) {{ values ("{t:.5f}"); }}' for v, t in values.items())
    return f'timing () {{ related_pin : "{related}"; timing_type : {kind}; {when}{tables} }}'


def liberty(macros, fo4, lib):
    """A library with one cell per macro: {name: table}; times in the unit of `lib`, `fo4` in seconds."""
    text = ''.join(bus_type(b) for b in sorted({b for m in macros.values() for b in (m['abits'], m['width'])}))
    for name, m in macros.items():
        access = access_fo4(m['words'], m['width']) * fo4 / lib.time
        delay = {
            'cell_rise': access,
            'cell_fall': access,
            'rise_transition': fo4 / lib.time,
            'fall_transition': fo4 / lib.time,
        }
        setup = {'rise_constraint': access / 2, 'fall_constraint': access / 2}
        pin_cap = 10e-15 / lib.cap if m['nm'] > 90 else 2e-15 / lib.cap
        text += f'  cell ({name}) {{ area : {m["sram_um2"]:.3f};\n    pin (clk) {{ direction : input; clock : true; capacitance : {pin_cap:.5f}; }}\n'
        for pin, bits in (('wa', m['abits']), ('wd', m['width']), ('we', 0)):
            head = f'bus ({pin}) {{ bus_type : b{bits};' if bits else f'pin ({pin}) {{'
            text += f'    {head} direction : input; capacitance : {pin_cap:.5f}; {scalar_arc("setup_rising", "clk", setup)} }}\n'
        for r in range(m['reads']):
            text += f'    bus (ra{r}) {{ bus_type : b{m["abits"]}; direction : input; capacitance : {pin_cap:.5f}; }}\n'
            arcs = (
                scalar_arc('rising_edge', 'clk', delay)
                + ' '
                + ' '.join(
                    scalar_arc('combinational', f'ra{r}[{i}]', delay, 'timing_sense : non_unate; ')
                    for i in range(m['abits'])
                )
            )
            text += f'    bus (rd{r}) {{ bus_type : b{m["width"]}; direction : output; {arcs} }}\n'
        text += '  }\n'
    return (
        f'library (macros) {{\n  delay_model : table_lookup;\n  time_unit : "{lib.time * 1e9:g}ns";\n  voltage_unit : "1V";\n  current_unit : "1mA";\n'
        f'  leakage_power_unit : "1nW";\n  capacitive_load_unit (1, {"ff" if lib.cap < 1e-12 else "pf"});\n  nom_voltage : {lib.voltage};\n  {THRESHOLDS}\n'
        f'  nom_temperature : 25;\n  nom_process : 1;\n{text}}}\n'
    )
