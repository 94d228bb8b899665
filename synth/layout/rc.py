# SPDX-License-Identifier: Apache-2.0
"""Resistance and capacitance of the wires: the router's file as SPEF.  The router gives each net as a tree of sections, "( R C rest )", in
ohms and picofarads; half of a section's capacitance goes to each of its ends.  The router counts the fringe of one edge of a wire; with both
edges, as LEF means it, a section has 1.9 times as much on every layer (within 2 %)."""
import re

from synth.yosys import ToolError

JOINT = 0.001  # ohms between a section's end and the pin there
BOTH_EDGES = 1.9


class Net:
    """One line of the router's file: NET DRIVERS DRIVER PINS ( R C ... ) , ..."""

    def __init__(self, line):
        head, _, tree = line.partition('(')
        words = head.split()
        if len(words) != 4:
            raise ToolError(f'RC of the router: found "{line[:80]}", expected a net, its driver and a tree')
        self.name, self.driver = words[0], words[2]
        self.count, self.caps, self.resistors, self.pins = 0, {}, [], []
        self.sections(iter(re.findall(r'[(),]|[^\s(),]+', '(' + tree)))

    def sections(self, tokens):
        """A long wire has more sections in one another than Python has levels of calls."""
        inside = [0]
        for token in tokens:
            if token == '(':
                inside.append(self.section(inside[-1], float(next(tokens)), float(next(tokens))))
            elif token == ')':
                inside.pop()
                if not inside:
                    return
            elif token != ',':
                self.pins.append((token, inside[-1]))

    def section(self, node, ohms, picofarads):
        """From a node to a new one, which it returns."""
        self.count += 1
        self.resistors.append((node, self.count, ohms))
        for n in (node, self.count):
            self.caps[n] = self.caps.get(n, 0.0) + BOTH_EDGES * picofarads / 2
        return self.count

    def named(self, pins):
        """Gives the places that the router calls ERROR the pins of the net that it has not named; any other such pin goes to the last place."""
        missing = [p for p in pins if p not in {self.driver, *(q for q, _ in self.pins)}]
        if self.driver == 'ERROR' and missing:
            self.driver = missing.pop(0)
        found = [(p, at) for p, at in self.pins if not p.endswith('ERROR')]
        free = [at for p, at in self.pins if p.endswith('ERROR')]
        self.pins = found + [(p, free.pop(0) if free else self.count) for p in missing]

    def total(self):
        return sum(self.caps.values())


def read(path, netlist):
    nets, pins = [Net(line) for line in path.read_text().splitlines() if '(' in line], netlist.nets()
    for net in nets:
        net.named([f'{name or "PIN"}/{pin}' for name, pin in pins[net.name]])
    return nets


def pin_name(pin):
    """(is it a port, its name in SPEF)"""
    owner, _, name = pin.rpartition('/')
    return (True, name) if owner == 'PIN' else (False, f'{owner}:{name}')


def spef(nets, design, inputs):
    """`inputs`: port bits that drive their net."""
    lines = [
        '*SPEF "IEEE 1481-1998"',
        f'*DESIGN "{design}"',
        '*DATE ""',
        '*VENDOR "memtwin"',
        '*PROGRAM "qrouter"',
        '*VERSION ""',
        '*DESIGN_FLOW ""',
        '*DIVIDER /',
        '*DELIMITER :',
        '*BUS_DELIMITER [ ]',
        '*T_UNIT 1 NS',
        '*C_UNIT 1 PF',
        '*R_UNIT 1 OHM',
        '*L_UNIT 1 HENRY',
        '*NAME_MAP',
    ]
    ports = {pin_name(p)[1] for n in nets for p in (n.driver, *(q for q, _ in n.pins)) if pin_name(p)[0]}
    for k, n in enumerate(nets, 1):
        name = n.name if n.name in ports else re.sub(r'([\[\]])', r'\\\1', n.name)
        lines.append(f'*{k} {name}')
    for k, n in enumerate(nets, 1):
        lines += [f'*D_NET *{k} {n.total():.8g}', '*CONN']
        for pin, way in [(n.driver, 'O'), *((p, 'I') for p, _ in n.pins)]:
            port, name = pin_name(pin)
            lines.append(f'*P {name} {"I" if name in inputs else "O"}' if port else f'*I {name} {way}')
        lines.append('*CAP')
        lines += [f'{i} *{k}:{node} {c:.8g}' for i, (node, c) in enumerate(n.caps.items(), 1)]
        lines.append('*RES')
        joints = [
            (pin_name(n.driver)[1], f'*{k}:0', JOINT),
            *((f'*{k}:{at}', pin_name(p)[1], JOINT) for p, at in n.pins),
        ]
        wires = [(f'*{k}:{a}', f'*{k}:{b}', ohms) for a, b, ohms in n.resistors]
        lines += [f'{i} {a} {b} {ohms:.6g}' for i, (a, b, ohms) in enumerate(joints + wires, 1)]
        lines.append('*END')
    return '\n'.join([*lines, ''])
