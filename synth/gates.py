"""The file that cosim/gates.hpp runs: a netlist of Yosys's simple gates (JSON) as truth tables in topological order."""
import json
from array import array

# Output for inputs a, b, c: bit a + 2b + 4c of the table.
TABLES = {'$_NOT_': ('A', 0x55), '$_BUF_': ('A', 0xAA), '$_AND_': ('AB', 0x88), '$_NAND_': ('AB', 0x77), '$_OR_': ('AB', 0xEE), '$_NOR_': ('AB', 0x11),
          '$_XOR_': ('AB', 0x66), '$_XNOR_': ('AB', 0x99), '$_ANDNOT_': ('AB', 0x22), '$_ORNOT_': ('AB', 0xBB), '$_MUX_': ('ABS', 0xCA), '$_NMUX_': ('ABS', 0x35)}


class Netlist:
    def __init__(self, module):
        self.nets = {'0': 0, '1': 1, 'x': 0, 'z': 0}
        self.module, self.ops, self.flops = module, [], []

    def net(self, bit):
        return self.nets.setdefault(bit, len(self.nets) - 2)

    def read(self):
        for name, cell in self.module['cells'].items():
            kind, c = cell['type'], cell['connections']
            if kind in TABLES:
                pins, table = TABLES[kind]
                self.ops.append(([self.net(c[p][0]) for p in pins], self.net(c['Y'][0]), table))
            elif kind == '$_DFF_P_' and c['C'] == self.clock():
                self.flops.append((self.net(c['D'][0]), self.net(c['Q'][0])))
            else:
                raise ValueError(f'{name}: found a cell {kind}, expected a simple gate or a flip-flop of clk_i')
        self.nets_read = len(self.nets) - 2

    def clock(self):
        return self.module['ports']['clk_i']['bits']

    def sorted_ops(self):
        driver = {op[1]: i for i, op in enumerate(self.ops)}
        waits = [sum(n in driver for n in op[0]) for op in self.ops]
        users = {}
        for i, op in enumerate(self.ops):
            for n in op[0]:
                users.setdefault(n, []).append(i)
        ready, order = [i for i, w in enumerate(waits) if not w], []
        while ready:
            i = ready.pop()
            order.append(self.ops[i])
            for u in users.get(self.ops[i][1], ()):
                waits[u] -= 1
                if not waits[u]:
                    ready.append(u)
        if len(order) != len(self.ops):
            raise ValueError(f'found a combinational loop through {len(self.ops) - len(order)} gates')
        return order


def write(json_path, name, path):
    module = json.loads(json_path.read_text())['modules'][name]
    n = Netlist(module)
    n.read()
    ports = {d: sorted((p, v['bits']) for p, v in module['ports'].items() if v['direction'] == d and p != 'clk_i') for d in ('input', 'output')}
    for _, bits in ports['input'] + ports['output']:
        for b in bits:
            n.net(b)
    clock = n.net(n.clock()[0])
    inputs = [n.net(b) for p, bits in ports['input'] if p != 'rst_ni' for b in bits]
    # What a cell of the library drives: nets that a pin of an instance names.
    pins = {n.net(b) for p, v in module['netnames'].items() if '.' in p for b in v['bits'] if b in n.nets}
    driven = sorted(pins - set(inputs) - {0, 1, clock, *(n.net(b) for b in module['ports']['rst_ni']['bits'])})
    words = array('I', [max(n.nets.values()) + 1, len(n.ops)])
    for operands, y, table in n.sorted_ops():
        words.extend([*operands, *[0] * (3 - len(operands)), y, table])
    words.append(len(n.flops))
    for flop in n.flops:
        words.extend(flop)
    for d in ('input', 'output'):
        words.append(len(ports[d]))
        for _, bits in ports[d]:
            words.extend([len(bits), *map(n.net, bits)])
    words.append(len(inputs))
    words.extend([len(inputs) + len(driven), *inputs, *driven])
    path.write_bytes(words.tobytes())
