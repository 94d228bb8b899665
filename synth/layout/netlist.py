# SPDX-License-Identifier: Apache-2.0
"""A flat netlist in library cells: from the JSON that Yosys writes, to Verilog, to the JSON that lockstep reads."""
import json
import re
from dataclasses import dataclass


@dataclass
class Port:
    name: str
    direction: str
    nets: list  # of bit 0, bit 1 ...; '0' and '1' are constants

    def bits(self):
        """(name of the bit, its net)"""
        return [(f'{self.name}[{i}]' if len(self.nets) > 1 else self.name, n) for i, n in enumerate(self.nets)]


class Netlist:
    def __init__(self, name, ports, cells):
        self.name, self.ports, self.cells = name, ports, cells  # cells: instance -> (kind, {pin: net})

    def nets(self):
        """net -> [(instance, pin)], ports as (None, bit); constants are left out."""
        found = {}
        for port in self.ports:
            for bit, net in port.bits():
                found.setdefault(net, []).append((None, bit))
        for name, (_, pins) in self.cells.items():
            for pin, net in pins.items():
                found.setdefault(net, []).append((name, pin))
        return {n: pins for n, pins in found.items() if n not in '01'}

    def port_bits(self, direction):
        return [b for p in self.ports if p.direction == direction for b in p.bits()]


def names_of(module):
    """bit -> name of its net: a port's bit, a register's bit, or a number."""
    names = {}
    for ports in (True, False):
        for name, v in module['netnames'].items():
            if (name in module['ports']) != ports or (not ports and v['hide_name']):
                continue
            for i, bit in enumerate(v['bits']):
                names.setdefault(bit, f'{name}[{i}]' if len(v['bits']) > 1 else name)
    return names


def read(path, name, buffer):
    """The netlist in a JSON file of Yosys.  `buffer` (cell, input, output) separates an output port from another port on its net."""
    module = json.loads(path.read_text())['modules'][name]
    names = names_of(module)

    def net(bit):
        return bit.replace('x', '0') if isinstance(bit, str) else names.setdefault(bit, f'_{bit}_')

    cells = {}
    for k, c in enumerate(module['cells'].values()):
        pins = {p: bits for p, bits in c['connections'].items() if bits}
        cells[f'{c["type"]}_{k}'] = (
            c['type'],
            {f'{p}[{i}]' if len(b) > 1 else p: net(bit) for p, b in pins.items() for i, bit in enumerate(b)},
        )
    taken, ports = set(), []
    for p, v in module['ports'].items():
        bits = Port(p, v['direction'], [f'{p}[{i}]' if len(v['bits']) > 1 else p for i in range(len(v['bits']))])
        for i, (bit, old) in enumerate(zip(list(bits.nets), v['bits'])):
            if isinstance(old, str):
                bits.nets[i] = net(old)
            elif net(old) != bit:
                cells[f'{buffer[0]}_p{len(taken)}b{i}'] = (buffer[0], {buffer[1]: net(old), buffer[2]: bit})
        taken.add(p)
        ports.append(bits)
    return Netlist(name, ports, cells)


def buses(pins):
    """{pin or bus: its nets, bit 0 first} of {pin or pin[bit]: net}."""
    found = {}
    for pin, net in sorted(pins.items(), key=lambda p: int(p[0].rpartition('[')[2][:-1]) if p[0].endswith(']') else 0):
        found.setdefault(pin.split('[')[0], []).append(net)
    return {p: found[p] for p in dict.fromkeys(pin.split('[')[0] for pin in pins)}


def constants(netlist):
    """Cell pins that are tied to a constant."""
    return [f'{name}.{pin}' for name, (_, pins) in netlist.cells.items() for pin, n in pins.items() if n in '01']


def verilog(netlist):
    """Ports are vectors, as in the RTL."""
    bits = {n for p in netlist.ports for n in p.nets}

    def word(net):
        return f"1'b{net}" if net in '01' else net if net in bits or re.fullmatch(r'\w+', net) else f'\\{net} '

    lines = [f'module {netlist.name} (' + ', '.join(p.name for p in netlist.ports) + ');']
    for p in netlist.ports:
        lines.append(f'  {p.direction} {f"[{len(p.nets) - 1}:0] " if len(p.nets) > 1 else ""}{p.name};')
    lines += [f'  wire {word(n)};' for n in netlist.nets() if n not in bits]
    lines += [f'  assign {bit} = {word(n)};' for bit, n in netlist.port_bits('output') if n in '01']
    for name, (kind, pins) in netlist.cells.items():
        groups = {p: [word(n) for n in nets] for p, nets in buses(pins).items()}
        lines.append(
            f'  {kind} {name} (\n'
            + ',\n'.join(
                f'    .{p}({n[0] if len(n) == 1 else "{" + ", ".join(n[::-1]) + "}"})' for p, n in groups.items()
            )
            + '\n  );'
        )
    return '\n'.join([*lines, 'endmodule', ''])


def as_json(netlist):
    """In the form that gates.py reads."""
    number = {'0': '0', '1': '1'}

    def bit(net):
        return number.setdefault(net, len(number))

    cells = {}
    for name, (kind, pins) in netlist.cells.items():
        cells[name] = {'type': kind, 'connections': {p: [bit(n) for n in nets] for p, nets in buses(pins).items()}}
    ports = {p.name: {'direction': p.direction, 'bits': [bit(n) for n in p.nets]} for p in netlist.ports}
    return json.dumps({'modules': {netlist.name: {'ports': ports, 'cells': cells}}})
