# SPDX-License-Identifier: Apache-2.0
"""The critical path in RTL signal names.  OpenSTA reports the start and end cell; their registers have names.  Cells between them have none
after ABC, so the named signals are those on the longest path between the same registers before mapping, each operator as deep as a tree of
its inputs."""
import re
from math import ceil, log2

BITWISE = {'$not', '$pos', '$and', '$or', '$xor', '$xnor', '$mux', '$pmux', '$bwmux'}
CARRIED = {'$add', '$sub', '$neg', '$alu', '$macc', '$mul', '$lcu'}
STATE = {'CLK', 'Q', 'ARST', 'ALOAD', 'AD'}


def plain(name):
    """Name without bit index: a signal; instance and register; for other signals of an instance, the instance; in a generate block, the signal."""
    parts = [p for p in re.sub(r'\[\d+\]', '', name.lstrip('\\').strip()).split('.') if not p.startswith('g_')]
    return '.'.join(parts) if parts[-1].endswith('_q') else next((p for p in parts if p.startswith('u_')), parts[-1])


def owner(netlist, instance, point, aliases):
    """The register or macro of an instance, or the port of a path end."""
    text = re.search(rf'^  (\S+) \\?{re.escape(instance)} +\((.*?)\n  \);', netlist, re.M | re.S)
    if not text or text[1].startswith('macro_'):
        return plain(point if not text else instance)
    nets = [n.lstrip('\\').strip() for pin, n in re.findall(r'\.(\w+)\((.*?)\)', text[2]) if pin in ('Q', 'QN', 'Q_N')]
    return next((aliases.get(n, plain(n)) for n in nets if not re.match(r'_\d+_', n)), instance)


def names_of(design):
    """{bit: the signals that contain it}."""
    names = {}
    for name, v in design['netnames'].items():
        if not v['hide_name']:
            for b in v['bits']:
                names.setdefault(b, []).append(name)
    return names


def called(design, names):
    """{bit of a register: the register}."""
    state = {b for cell in design['cells'].values() if 'Q' in cell['connections'] for b in cell['connections']['Q']}
    return {
        b: plain(min(names[b], key=lambda n: (not plain(n).endswith('_q'), n.count('.'), len(n), n)))
        for b in state
        if b in names
    }


def state(design):
    """{register or table: its bits}."""
    bits = {}
    for name in called(design, names_of(design)).values():
        bits[name] = bits.get(name, 0) + 1
    for c in design['cells'].values():
        p = c['parameters']
        if c['type'] == '$mem_v2' and int(p['WR_PORTS'], 2):
            bits[plain(p['MEMID'])] = int(p['SIZE'], 2) * int(p['WIDTH'], 2)
    return bits


def registers(design, called):
    """{name of a bit in any signal: its register}."""
    return {
        f'{n}[{i}]' if len(v['bits']) > 1 else n: called[b]
        for n, v in design['netnames'].items()
        for i, b in enumerate(v['bits'])
        if b in called
    }


def depth(n):
    return ceil(log2(n)) if n > 1 else 1


def arcs(cell):
    """(inputs, outputs, levels) of a word-level cell: which output bits depend on which input bits."""
    kind, c = cell['type'], cell['connections']
    outs = [p for p, d in cell['port_directions'].items() if d == 'output']
    ins = [p for p, d in cell['port_directions'].items() if d == 'input']
    if kind == '$mem_v2':
        a = len(c['RD_ADDR']) // max(int(cell['parameters']['RD_PORTS'], 2), 1)
        w = int(cell['parameters']['WIDTH'], 2)
        for r in range(int(cell['parameters']['RD_PORTS'], 2)):
            yield c['RD_ADDR'][r * a : (r + 1) * a], c['RD_DATA'][r * w : (r + 1) * w], depth(
                int(cell['parameters']['SIZE'], 2)
            )
    elif 'Q' in c or kind.startswith('macro_'):
        return
    elif kind in BITWISE:
        s, n = c.get('S', []), len(c['Y'])
        for i, y in enumerate(c['Y']):
            yield [b for p in ('A', 'B') for b in c.get(p, [])[i::n]] + (s if kind != '$bwmux' else s[i : i + 1]), [
                y
            ], 1 if kind != '$pmux' else depth(len(s)) + 1
    elif kind in CARRIED:
        for p in outs:
            for i, y in enumerate(c[p]):
                yield [b for q in ins for b in (c[q] if kind in ('$macc', '$mul') else c[q][: i + 1])], [y], 2 + depth(
                    len(c[p])
                )
    else:
        yield [b for p in ins for b in c[p]], [b for p in outs for b in c[p]], depth(sum(len(c[p]) for p in ins))


def ends(design, names, register):
    """Bits driven by a register, table or port of this name, and bits that drive it."""
    leave, enter = set(), set()
    for p, v in design['ports'].items():
        if plain(p) == register:
            (leave if v['direction'] == 'input' else enter).update(v['bits'])
    for cell in design['cells'].values():
        c = cell['connections']
        if cell['type'] == '$mem_v2':
            if plain(cell['parameters']['MEMID']) == register:
                leave.update(c['RD_DATA'])
                enter.update(b for p in ('WR_ADDR', 'WR_DATA', 'WR_EN', 'RD_ADDR') for b in c[p])
        elif 'Q' in c and any(plain(n) == register for b in c['Q'] for n in names.get(b, [])):
            leave.update(c['Q'])
            enter.update(b for p, bits in c.items() if p not in STATE for b in bits)
    return leave, enter


def longest(design, start, end):
    """Bits on the longest path from one of `start` to one of `end`."""
    feeds, waits, work = {}, {}, []
    for cell in design['cells'].values():
        for inputs, outputs, levels in arcs(cell):
            inputs = [b for b in inputs if isinstance(b, int)]
            work.append([len(inputs), outputs, levels])
            for b in inputs:
                feeds.setdefault(b, []).append(len(work) - 1)
            for b in outputs:
                waits[b] = waits.get(b, 0) + 1
    at, came = dict.fromkeys(start, 0), {}
    ready = [b for b in set(feeds) | set(start) if b not in waits] + [b for b in start if b in waits]
    arrived = set()
    ready += [b for n, outputs, _ in work if not n for b in outputs]
    while ready:
        bit = ready.pop()
        if bit in arrived:
            continue
        arrived.add(bit)
        for k in feeds.get(bit, ()):
            work[k][0] -= 1
            for b in work[k][1]:
                if bit in at and at[bit] + work[k][2] > at.get(b, -1) and b not in start:
                    at[b], came[b] = at[bit] + work[k][2], bit
                if not work[k][0]:
                    ready.append(b)
    last = max((b for b in end if b in at and (b in came or b in start)), key=lambda b: (at[b], b), default=None)
    path = []
    while last is not None:
        path.append(last)
        last = came.get(last)
    return path[::-1]


def between(report):
    """Start and end of OpenSTA's first path, and the number of cells between."""
    points = re.findall(r'^(?:Startpoint|Endpoint): (\S+)', report, re.M)[:2]
    return points, len(
        set(re.findall(r' [v^] (\S+)/\S+ \(\w+\)$', report.split('data arrival time')[0], re.M)) - set(points)
    )


def describe(report, netlist, design):
    """{'from', 'to', 'via': signals in order, 'cells'} of an OpenSTA report."""
    points, cells = between(report)
    if len(points) < 2:
        return {'from': '', 'to': '', 'via': [], 'cells': 0}
    names = names_of(design)
    aliases = registers(design, called(design, names))
    first, last = (owner(netlist, p, p, aliases) for p in points)
    path = longest(design, ends(design, names, first)[0], ends(design, names, last)[1])
    via = [plain(min(names[b], key=lambda n: (n.count('.'), len(n), n))) for b in path[1:] if b in names]
    return {'from': first, 'to': last, 'via': [n for n in dict.fromkeys(via) if n not in (first, last)], 'cells': cells}
