# SPDX-License-Identifier: Apache-2.0
"""Yosys steps: a block at a parameter set to its tables, its netlist in library cells, and the netlist as plain gates."""
import json
import re
import subprocess

from synth import gates

MACRO_BITS = 1024  # smaller tables stay flip-flops: a macro's periphery would outweigh its cells


# Yosys's default script has neither: without dch, area-first mapping stays deep, and plain `buffer` strings its buffers in a line.  dc2 and syn3
# are left out on purpose: they do not keep levels, and turn a prefix tree back into the ripple chain that it replaced.  dch with its own limits does
# not end in ten minutes on dl_mshr at its L1D size, nor does ifraig.
ABC = """strash
scorr
dch -C 20 -S 20
map -B 0.9 {D}
topo
buffer -c -N 12
topo
upsize {D}
dnsize {D}
stime -p
"""
FLIP_FLOP_FO4 = 7  # of the period, for clock to output and setup, which ABC does not see


class ToolError(Exception):
    pass


def yosys(script, log):
    log.parent.mkdir(parents=True, exist_ok=True)
    path = log.with_suffix('.ys')
    path.write_text(script)
    done = subprocess.run(['yosys', '-q', '-l', str(log), '-s', str(path)], capture_output=True, text=True)
    if done.returncode:
        raise ToolError(f'yosys failed, see {log}: {(done.stderr or done.stdout).strip()[-300:]}')
    return log.read_text()


def coarse(block, params, out):
    """Elaborated and flattened, with tables kept.  memory_dff is not run: a table keeps the ports of the RTL."""
    read, lookup = block.for_yosys()
    chparam = ' '.join(f'-chparam {k} {v}' for k, v in block.taken(params).items())
    yosys(
        f'''read_verilog -sv {read}
hierarchy -check -top {block.module} {lookup} {chparam}
proc
flatten
opt_expr
opt_clean
check
opt -nodffe -nosdff
wreduce
peepopt
opt_clean
alumacc
share
opt
opt_mem
opt_mem_priority
memory_collect
opt_clean
rename -top {block.name}
write_json {out / 'coarse.json'}
''',
        out / 'coarse.log',
    )
    return json.loads((out / 'coarse.json').read_text())


def number(text):
    return int(text.replace('x', '0'), 2)


def top(design, name):
    return design['modules'][name]


def tables(design, name):
    """Every table: {name: words, width, reads, writes, constant reads, kind}.  A table with constant-address reads of (nearly) all its words
    is searched as a whole: a CAM."""
    found = {}
    for cell, c in top(design, name)['cells'].items():
        if c['type'] != '$mem_v2':
            continue
        p, address = c['parameters'], c['connections']['RD_ADDR']
        abits, reads = number(p['ABITS']), number(p['RD_PORTS'])
        constant = sum(all(isinstance(b, str) for b in address[r * abits : (r + 1) * abits]) for r in range(reads))
        t = {
            'words': number(p['SIZE']),
            'width': number(p['WIDTH']),
            'abits': abits,
            'reads': reads,
            'writes': number(p['WR_PORTS']),
            'fixed_reads': constant,
        }
        t['bits'] = t['words'] * t['width']
        t['kind'] = (
            'cam'
            if t['words'] > 2 and constant * 2 > t['words']
            else 'ram'
            if reads <= 2 and t['writes'] == 1 and t['bits'] >= MACRO_BITS
            else 'registers'
        )
        t['cell'] = cell
        found[p['MEMID'].lstrip('\\')] = t
    return found


def macro_name(table):
    return 'macro_' + re.sub(r'\W', '_', table)


def with_macros(design, name, found):
    """The same design with each RAM as an instance of its macro: clk, write (we, wa, wd) and asynchronous reads (ra0, rd0 ...)."""
    for table, t in found.items():
        if t['kind'] != 'ram':
            continue
        m = macro_name(table)
        old = top(design, name)['cells'].pop(t['cell'])['connections']
        if len(set(map(str, old['WR_EN']))) != 1:
            raise ToolError(f'{table}: found a write enable for parts of a word, expected one for all of it')
        a, w = t['abits'], t['width']
        connections = {'clk': old['WR_CLK'], 'we': old['WR_EN'][:1], 'wa': old['WR_ADDR'], 'wd': old['WR_DATA']}
        directions = dict.fromkeys(connections, 'input')
        for r in range(t['reads']):
            connections |= {
                f'ra{r}': old['RD_ADDR'][r * a : (r + 1) * a],
                f'rd{r}': old['RD_DATA'][r * w : (r + 1) * w],
            }
            directions |= {f'ra{r}': 'input', f'rd{r}': 'output'}
        top(design, name)['cells'][table] = {
            'hide_name': 0,
            'type': m,
            'parameters': {},
            'attributes': {'keep': '1'},
            'port_directions': directions,
            'connections': connections,
        }
        width = (
            {'clk': 1, 'we': 1, 'wa': a, 'wd': w}
            | {f'ra{r}': a for r in range(t['reads'])}
            | {f'rd{r}': w for r in range(t['reads'])}
        )
        bit = iter(range(2, 2 + sum(width.values())))
        design['modules'][m] = {
            'attributes': {'blackbox': '1'},
            'cells': {},
            'netnames': {},
            'ports': {p: {'direction': directions[p], 'bits': [next(bit) for _ in range(n)]} for p, n in width.items()},
        }
    return design


def registers_named(design, name):
    """The same design with only register names kept: a flip-flop must not take the name of an equivalent wire."""
    t = top(design, name)
    state = {b for c in t['cells'].values() if 'Q' in c['connections'] for b in c['connections']['Q']}
    ports = {b for p in t['ports'].values() for b in p['bits']}
    names = {
        n: v
        for n, v in t['netnames'].items()
        if n in t['ports'] or not v['hide_name'] and all(b in state and b not in ports for b in v['bits'])
    }
    return {**design, 'modules': {**design['modules'], name: {**t, 'netnames': names}}}


def map_to(lib, design, name, out, view, period_ps, load):
    """Maps to the library's cells: <view>.v, and the number of cells."""
    source, netlist = out / f'{view}.json', out / f'{view}.v'
    source.write_text(json.dumps(registers_named(design, name)))
    (out / 'abc.constr').write_text(f'set_driving_cell {lib.buffer}\nset_load {load}\n')
    # JSON lacks the counter of automatic names: new names start far beyond those in it.
    (out / 'names.il').write_text('autoidx 10000000\n')
    macros = ' '.join(m for m in design['modules'] if m.startswith('macro_'))
    (out / 'abc.script').write_text(ABC)
    yosys(
        f'''read_liberty -lib -ignore_miss_func {lib.plain}
read_rtlil {out / 'names.il'}
read_json {source}
hierarchy -check -top {name}
synth -top {name} -run fine:check
dfflibmap -liberty {lib.plain}
opt
abc -liberty {lib.plain} -constr {out / 'abc.constr'} -D {max(period_ps - FLIP_FLOP_FO4 * lib.fo4 * 1e12, 1):.0f} -script {out / 'abc.script'}
setundef -zero
opt_clean -purge
splitnets
opt_clean -purge
check -mapped -assert
write_json {out / (view + '.netlist.json')}
tee -o {out / (view + '.stat')} stat -liberty {lib.plain} -top {name}
{f'delete {macros}' if macros else ''}
write_verilog -noattr -noexpr -nohex -nodec {netlist}
''',
        out / f'{view}.log',
    )
    cells = {
        m[1]: int(m[2])
        for m in re.finditer(
            r'^ {5}(\S+) +(\d+)$', (out / f'{view}.stat').read_text().split('Number of cells')[-1], re.M
        )
    }
    return {k: v for k, v in cells.items() if k in lib.cells}


def as_gates(lib, name, out, view, rams):
    """The netlist for lockstep."""
    gates.write(
        out / f'{view}.netlist.json',
        name,
        lib.cells,
        {macro_name(n): t for n, t in rams.items()},
        out / f'{view}.gates',
    )
