# SPDX-License-Identifier: Apache-2.0
"""The energy of the blocks in one run: the traffic of the first unit of each block is captured, its netlist is run with it beside the twin, and
OpenSTA gives the power at the activity of that traffic.  The result is a file for memtwin run --energy=FILE."""
import json
import re
import shlex
import subprocess
from pathlib import Path

from scripts.energy import blocks
from synth import baseline, handoff, measure, storage
from synth.measure import ToolError

NM = 45  # the energies are at this feature size


def memtwin(build, *words):
    done = subprocess.run([str(build / 'memtwin'), *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ToolError((done.stderr.strip() or f'memtwin {shlex.join(words)}: status {done.returncode}'))
    return done.stdout


def blocks_of(build, words):
    """The blocks of the run's machine: dicts with block, units, unit, parameters."""
    machines = json.loads(memtwin(build, 'run', *words, '--blocks', '--quiet', '--json', '-'))
    if len(machines) != 1:
        raise ToolError(f'ENERGY_RUN: found {len(machines)} runs, expected one workload on one machine')
    return machines[0]['blocks']


def captured(build, words, row, out):
    """The traffic of the block's first unit, in every cycle, idle ones included; None if it had no input."""
    out.mkdir(parents=True, exist_ok=True)
    vec = out / 'run.vec'
    try:
        memtwin(build, 'run', *words, '-s', 'sim.skip=false', '--quiet', '--capture', f'{row["unit"]}={vec}')
    except ToolError as e:
        if 'nothing to record' in str(e):
            return None
        raise
    return vec


def netlist(job):
    """(result, name of its netlist, macros or None) of the smaller view."""
    result = measure.one(job)
    view = handoff.smaller_view(result)
    return result[view], view, job.folder() / 'macros.lib' if view == 'macros' else None


def activity(job, view, vec):
    """Activity of the netlist under this traffic; every output equals the twin's in every cycle."""
    program, out = job.build / 'cosim' / job.block.name / 'lockstep', job.folder()
    measure.make(program, job.block, job.set)
    toggles = out / 'run.toggles'
    toggles.unlink(missing_ok=True)
    words = ['--set', job.build / 'sets' / job.block.name / job.set, '--vec', vec]
    words += ['--gates', out / f'{view}.gates', '--activity', toggles]
    done = subprocess.run([str(w) for w in (program, *words)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ToolError(f'{job.block.name}/{job.set}: {(done.stdout + done.stderr)[:1500]}')
    return measure.activity(toggles)


def scale(job, pj, view):
    """A library of another feature size: as the baselines of both libraries relate, of the same traffic."""
    if job.nm == NM:
        return pj, view['area_um2'], view['fmax_mhz'], f'{job.lib.name}'
    kept = baseline.load().get(job.block.name, {}).get(job.set, {})
    small, large = (blocks.smaller(kept.get(name, {})) for name in (blocks.LIBRARY, job.lib.name))
    if not small or not large:
        raise ToolError(
            f'{job.block.name}/{job.set}: found {job.lib.name} of {job.nm} nm, and no baseline of it at {NM} nm; expected LIBERTY= of {NM} nm'
        )
    ratio = small['power_mw'] / small['fmax_mhz'] / (large['power_mw'] / large['fmax_mhz'])
    return (
        pj * ratio,
        small['area_um2'],
        small['fmax_mhz'],
        f'{job.lib.name}, scaled by {ratio:.4f} as its baseline to {NM} nm',
    )


def kept_energies(row):
    """pJ of the clock tree in a cycle, and of a word of the RAMs, as the table has them: the traffic changes neither."""
    found = re.search(rf'^{row["block"]}/\S+ = .*? pJ, (.*){re.escape(row["parameters"])}$', blocks.text(), re.M)
    kept = dict(re.findall(r'([\d.]+) pJ (clock|a word), ', found[1])[::-1]) if found else {}
    named = {what: float(number) for number, what in kept.items()}
    return named.get('clock', 0), named.get('a word', 0)


def measured(build, lib, nm, words, row):
    """The line of a block; None if it has no gates, or had no input."""
    block = measure.Block(row['block'])
    chosen = {n: int(v) for n, v in (word.split('=') for word in row['parameters'].split())}
    if blocks.wires(row['block'], chosen):
        return None
    job = measure.Job(block, block.named(chosen), chosen, lib, build, nm)
    vec = captured(build, words, row, job.folder())
    if not vec:
        return None
    view, name, macros = netlist(job)
    seen = activity(job, name, vec)
    period = view['min_period_ns'] * 1e-9 / lib.time
    folder = job.folder()
    report = measure.sta(lib, folder / f'{name}.v', block.name, period, folder / 'run.power', macros, seen)[1]
    pj, area, fmax, how = scale(job, 1000 * measure.power_mw(report) / view['fmax_mhz'], view)
    said = f'traffic of {row["unit"]}, {seen["nets"]:.4f} toggles of a net in a cycle; {how}'
    print(f'  {row["block"]}/{job.set}: {pj:.3f} pJ a cycle, {said}', flush=True)
    return (
        blocks.line(f'{row["block"]}/{job.set}', area, fmax, (pj, *kept_energies(row)), row['parameters']).rstrip()
        + f'  ; from make energy: {said}\n'
    )


def run(text, build, liberty, node):
    """Measures every block of the run, and writes the file.  Returns its path and the words of the run."""
    words = shlex.split(text)
    rows = blocks_of(build, words)
    lib = measure.library(liberty, build)
    nm = storage.node_nm(lib.name, node)
    found = [(row, measured(build, lib, nm, words, row)) for row in rows]
    for row, line in found:
        if not line:
            print(f'  {row["block"]} of {row["unit"]}: wires alone, or no input in this run')
    out = Path(build) / 'energy' / 'blocks.ini'
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(f'; Blocks with the activity of: {text}\n\n[block]\n' + ''.join(line for _, line in found if line))
    return out, words
