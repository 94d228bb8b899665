# SPDX-License-Identifier: Apache-2.0
"""The input of cosim/gates.cpp: a mapped netlist (JSON of Yosys) as truth tables of up to three inputs in topological order.  Cell functions
come from the library; Yosys does not interpret its own netlist here."""
import json
import re
from array import array

TOKEN = re.compile(r"\s*([A-Za-z_]\w*|[01!'^&*+|()])")
AND, BUFFER, NOT, MUX = 0x88, 0xAA, 0x55, 0xCA  # place a + 2b + 4c of the table; MUX is c ? b : a


class Function:
    """A liberty function: ! and ' first, then ^, then & * or nothing between, then + |."""

    def __init__(self, text):
        self.text, self.tokens = text, []
        place = 0
        while text[place:].strip():
            m = TOKEN.match(text, place)
            if not m:
                raise ValueError(f'function "{text}": found "{text[place:]}", expected a pin or an operator')
            self.tokens.append(m[1])
            place = m.end()
        self.tree = self.any_of()
        if self.tokens:
            raise ValueError(f'function "{text}": found "{self.tokens[0]}", expected its end')

    def next_is(self, *wanted):
        return self.tokens and self.tokens[0] in wanted

    def any_of(self):
        tree = self.all_of()
        while self.next_is('+', '|'):
            self.tokens.pop(0)
            tree = ('|', tree, self.all_of())
        return tree

    def all_of(self):
        tree = self.odd_of()
        while self.tokens and not self.next_is('+', '|', ')'):
            if self.next_is('&', '*'):
                self.tokens.pop(0)
            tree = ('&', tree, self.odd_of())
        return tree

    def odd_of(self):
        tree = self.pin()
        while self.next_is('^'):
            self.tokens.pop(0)
            tree = ('^', tree, self.pin())
        return tree

    def pin(self):
        t = self.tokens.pop(0) if self.tokens else ''
        if t == '!':
            tree = ('!', self.pin())
        elif t == '(':
            tree = self.any_of()
            if not self.tokens or self.tokens.pop(0) != ')':
                raise ValueError(f'function "{self.text}": found no ) for a (')
        elif re.match(r'\w', t):
            tree = t
        else:
            raise ValueError(f'function "{self.text}": found "{t}", expected a pin')
        while self.next_is("'"):
            self.tokens.pop(0)
            tree = ('!', tree)
        return tree


def support(tree):
    if isinstance(tree, str):
        return [] if tree in '01' else [tree]
    return list(dict.fromkeys(p for t in tree[1:] for p in support(t)))


def value(tree, pins):
    if isinstance(tree, str):
        return int(tree) if tree in '01' else pins[tree]
    v = [value(t, pins) for t in tree[1:]]
    return 1 - v[0] if tree[0] == '!' else {'&': min(v), '|': max(v), '^': sum(v) % 2}[tree[0]]


def cofactor(table, pin, bit):
    """The table with one pin fixed to `bit`.  Tables are tuples: index i + 2j + ... is for pins i, j ..."""
    return tuple(v for k, v in enumerate(table) if k >> pin & 1 == bit)


def pair(table, count):
    """Two pins that matter only through one function of both: (i, j, its four values), i < j."""
    for i in range(count):
        for j in range(i + 1, count):
            parts = [cofactor(cofactor(table, j, b), i, a) for b in (0, 1) for a in (0, 1)]
            if len(set(parts)) <= 2:
                return (
                    i,
                    j,
                    [p != parts[0] for p in parts],
                    parts[0],
                    next((p for p in parts if p != parts[0]), parts[0]),
                )
    return None


def steps_of(table, pins, done):
    """Appends steps (name, pins, table of three pins) for a function to `done`; returns the name of the last.  Functions of more pins are
    decomposed: into a function of two pins and the rest if possible, else by a pin."""
    name = f'step {len(done)}'
    found = pair(table, len(pins)) if len(pins) > 3 else None
    if found:
        i, j, values, zero, one = found
        done.append((name, [pins[i], pins[j]], sum(values[k & 3] << k for k in range(8))))
        return steps_of(zero + one, [p for k, p in enumerate(pins) if k not in (i, j)] + [name], done)
    if len(pins) > 3:
        zero, one = (steps_of(cofactor(table, len(pins) - 1, b), pins[:-1], done) for b in (0, 1))
        name = f'step {len(done)}'
        done.append((name, [zero, one, pins[-1]], MUX))
        return name
    done.append((name, pins, sum(table[k % len(table)] << k for k in range(8))))
    return name


def recipe_of(text):
    """Steps of a liberty function; the last one is its value."""
    tree, steps = Function(text).tree, []
    pins = support(tree)
    steps_of(
        tuple(value(tree, {p: k >> i & 1 for i, p in enumerate(pins)}) for k in range(1 << len(pins))), pins, steps
    )
    return steps


class Netlist:
    def __init__(self, module, cells, rams):
        self.module, self.cells, self.rams = module, cells, rams
        self.count, self.nets, self.ops, self.flops, self.driven, self.known = (
            2,
            {'0': 0, '1': 1, 'x': 0, 'z': 0},
            [],
            [],
            [],
            {},
        )

    def fresh(self):
        self.count += 1
        return self.count - 1

    def net(self, bit):
        if bit not in self.nets:
            self.nets[bit] = self.fresh()
        return self.nets[bit]

    def op(self, table, *inputs, out=None):
        out = self.fresh() if out is None else out
        self.ops.append((inputs, out, table))
        return out

    def function(self, text, pins, out=None):
        """The net with the value of a function of these pins."""
        if text not in self.known:
            self.known[text] = recipe_of(text)
        nets = dict(pins)
        for name, inputs, table in self.known[text]:
            last = name == self.known[text][-1][0]
            nets[name] = self.op(table, *(nets[p] for p in inputs), out=out if last else None)
        return nets[name]

    def add(self, kind, pins):
        cell = self.cells[kind]
        inside = self.flop(kind, cell['state'], pins) if cell['state'] else {}
        for pin, text in cell['logic'].items():
            if pin in pins:
                self.driven.append(self.function(text, pins | inside, out=pins[pin]))

    def flop(self, kind, state, pins):
        if state.get('clear') or state.get('preset') or pins.get(state['clocked_on']) not in self.clocks:
            raise ValueError(f'found a {kind}, expected a flip-flop of clk_i without clear or preset')
        q = self.fresh()
        self.flops.append((self.function(state['next_state'], pins), q))
        return {state['q']: q, state['qn']: self.op(NOT, q)}

    def clock_nets(self):
        """The nets of clk_i: its own, and those behind the buffers of a clock tree."""
        buffers = [
            (self.net(c['connections'][text.strip('() ')][0]), self.net(c['connections'][pin][0]))
            for c in self.module['cells'].values()
            for pin, text in self.cells.get(c['type'], {'logic': {}})['logic'].items()
            if text.strip('() ') in c['connections'] and c['connections'].get(pin)
        ]
        found, new = (
            set(),
            {self.net(self.module['ports']['clk_i']['bits'][0])} if 'clk_i' in self.module['ports'] else set(),
        )
        while new:
            found |= new
            new = {y for a, y in buffers if a in found} - found
        return found

    def ram(self, t, c):
        """A macro as flip-flops with an address decoder for writes and a tree of multiplexers for reads."""
        pin = {p: [self.net(b) for b in bits] for p, bits in c.items()}
        words = []
        not_wa = [self.op(NOT, a) for a in pin['wa']]
        for w in range(t['words']):
            here = pin['we'][0]
            for i, a in enumerate(pin['wa']):
                here = self.op(AND, here, a if w >> i & 1 else not_wa[i])
            bits = [self.fresh() for _ in range(t['width'])]
            self.flops += [(self.op(MUX, q, d, here), q) for q, d in zip(bits, pin['wd'])]
            words.append(bits)
        for r in range(t['reads']):
            for b, out in enumerate(pin[f'rd{r}']):
                row = [word[b] for word in words]
                for a in pin[f'ra{r}']:
                    row = [
                        self.op(MUX, row[k], row[k + 1] if k + 1 < len(row) else 0, a) for k in range(0, len(row), 2)
                    ]
                self.op(BUFFER, row[0], out=out)
                self.driven.append(out)

    def read(self):
        self.clocks = self.clock_nets()
        for name, cell in self.module['cells'].items():
            kind, c = cell['type'], cell['connections']
            if kind in self.rams:
                self.ram(self.rams[kind], c)
            elif kind in self.cells:
                self.add(kind, {p: self.net(bits[0]) for p, bits in c.items() if bits})
            else:
                raise ValueError(f'{name}: found a cell {kind}, expected one of the library or a macro')

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


def write(json_path, name, cells, rams, path):
    module = json.loads(json_path.read_text())['modules'][name]
    n = Netlist(module, cells, rams)
    n.read()
    ports = {
        d: sorted((p, v['bits']) for p, v in module['ports'].items() if v['direction'] == d and p != 'clk_i')
        for d in ('input', 'output')
    }
    lists = {d: [[n.net(b) for b in bits] for _, bits in ports[d]] for d in ports}
    inputs = [n.net(b) for p, bits in ports['input'] if p != 'rst_ni' for b in bits]
    driven = sorted(set(n.driven) - set(inputs))
    words = array('I', [n.count, len(n.ops)])
    for operands, y, table in n.sorted_ops():
        words.extend([*operands, *[0] * (3 - len(operands)), y, table])
    words.append(len(n.flops))
    for flop in n.flops:
        words.extend(flop)
    for d in ('input', 'output'):
        words.append(len(lists[d]))
        for nets in lists[d]:
            words.extend([len(nets), *nets])
    words.append(len(inputs))
    words.extend([len(inputs) + len(driven), *inputs, *driven])
    path.write_bytes(words.tobytes())
