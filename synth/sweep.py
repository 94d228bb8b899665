# SPDX-License-Identifier: Apache-2.0
"""A block over one or two of its parameters: SWEEP="Entries=8,16,32 Slots=2,4".  A table, a CSV file and a plot; points are kept as other results are, so a
sweep that was ended goes on where it stopped."""
import csv
import io
import itertools
import re
import subprocess
import sys
from html import escape
from pathlib import Path

import folder
import params
from manifest import ParamError

sys.path.append(str(Path(__file__).resolve().parent.parent / 'scripts'))
from study import plots  # noqa: E402

POINTS = 64
COLOURS = ('#4477aa', '#ee6677', '#228833', '#ccbb44', '#66ccee', '#aa3377', '#bbbbbb', '#222222')
STYLE = ('svg{font:11px system-ui,sans-serif}text{fill:#555}.name{fill:#111;font-size:12px}.grid{stroke:#ddd}.axis{stroke:#555}.path{fill:none;stroke-width:1.6}'
         + ''.join(f'.path.s{i}{{stroke:{c}}}circle.s{i},rect.s{i}{{fill:{c}}}' for i, c in enumerate(COLOURS)))
LEGEND = 24  # pixels


def axes_of(text, known, block):
    """[(parameter, values)] of SWEEP; each value is checked against the port list."""
    axes = {}
    for word in text.split():
        name, eq, values = word.partition('=')
        if not eq or not values:
            raise ParamError(f'SWEEP of {block}: found "{word}", expected Parameter=value,value ... with {", ".join(known)}')
        if name in axes:
            raise ParamError(f'SWEEP of {block}: found {name} twice, expected it once')
        axes[name] = [params.check_value(name, v, known, f'SWEEP of {block}') for v in values.split(',')]
        if len(set(axes[name])) != len(axes[name]):
            raise ParamError(f'SWEEP of {block}: found a value of {name} twice in {values}, expected each once')
    if not 1 <= len(axes) <= 2:
        raise ParamError(f'SWEEP of {block}: found {len(axes)} parameters, expected one or two')
    return list(axes.items())


def points_of(axes, base):
    """(values, parameters) of each point, the last axis first to change."""
    points = [(v, base | dict(zip((n for n, _ in axes), v))) for v in itertools.product(*(values for _, values in axes))]
    if len(points) > POINTS:
        raise ParamError(f'SWEEP: found {len(points)} points, expected at most {POINTS}')
    return points


def broken_rule(said):
    """The rule of the RTL that a parameter breaks, from what Verilator says of it."""
    at = re.search(r"(\S+?):(\d+):\d+: .*'illegal_parameter'", said)
    if not at:
        return None
    rule = re.search(r'MT_PARAM_CHECK\(\w+, (.*)\)', Path(at[1]).read_text().splitlines()[int(at[2]) - 1])
    return f'{at[1]}:{at[2]}: expected {rule[1] if rule else "other parameters"}'


def elaborate(block, points):
    """Refuses parameters that are legal each but not together: the RTL says which rule they break."""
    for _, chosen in points:
        # Only an error of elaboration refuses a point.  Warnings of lint do not: make lint-rtl is the check for them.
        done = subprocess.run(['verilator', '--lint-only', '-Wno-fatal', '-Wno-lint', '-f', f'rtl/{block.name}/{block.name}.f', '--top-module', block.module,
                               *(f'-G{n}={v}' for n, v in chosen.items())], capture_output=True, text=True)
        if done.returncode:
            reason = broken_rule(done.stderr) or done.stderr.strip().splitlines()[0]
            raise ParamError(f'SWEEP of {block.name}: found {" ".join(f"{n}={v}" for n, v in chosen.items())}: {reason}')


def of_cells(result, at_clock=None):
    """Columns of a point in a cell library."""
    view = result.get('macros') or result['registers']
    row = {'cells': view['cells'], 'flip_flops': view['flip_flops'], 'area_um2': round(view['area_um2'], 1), 'fmax_mhz': round((at_clock or view)['fmax_mhz'], 1)}
    return row | ({'slack_ns': at_clock['slack_ns']} if at_clock else {}) | {'power_mw': round((at_clock or view)['power_mw'], 4)}


def of_fpga(result):
    """Columns of a point on an FPGA."""
    found = result['fpga']
    return {k: found[k] for k in ('logic_cells', 'luts', 'flip_flops', 'rams', 'dsps', 'carries', 'muxes', 'fmax_mhz') if k in found}


def markdown(names, rows):
    lines = [names, ['---:'] * len(names), *([f'{c:,}' if not isinstance(c, str) else c for c in row] for row in rows)]
    return ''.join('| ' + ' | '.join(line) + ' |\n' for line in lines)


def as_csv(names, rows):
    text = io.StringIO()
    csv.writer(text, lineterminator='\n').writerows([names, *rows])
    return text.getvalue()


def plot(title, axes, rows, columns):
    """A chart for each column over the first axis, whose values stand at equal distances; a line for each value of the second."""
    parts, height, place = [], LEGEND, {v: k for k, v in enumerate(sorted(axes[0][1]))}
    seconds = axes[1][1] if axes[1:] else [None]
    names = [n for n, _ in axes]
    for k, second in enumerate(seconds if axes[1:] else []):
        parts.append(f'<rect x="{60 + 110 * k}" y="8" width="10" height="10" class="s{k % len(COLOURS)}"/>' + plots.text(75 + 110 * k, 17, f'{names[1]}={second}'))
    for column, words in columns.items():
        series = []
        for k, second in enumerate(seconds):
            of = sorted((r for r in rows if second is None or r[names[1]] == second), key=lambda r: r[names[0]])
            series.append((f's{k % len(COLOURS)}', 'both', [(place[r[names[0]]], r[column], f'{names[0]}={r[names[0]]}: {r[column]:,}') for r in of]))
        chart = plots.chart(f'{title}: {words}', series, [(k, str(v)) for v, k in place.items()], names[0], words, form=lambda v: f'{v:,g}')
        parts.append(chart.replace('<svg ', f'<svg y="{height}" width="{plots.WIDTH}" height="{plots.HEIGHT}" ', 1))
        height += plots.HEIGHT
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {plots.WIDTH} {height}" role="img" aria-label="{escape(title)}"><style>{STYLE}</style>'
            f'<rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}</svg>\n')


WORDS = {'area_um2': 'area, um^2', 'fmax_mhz': 'Fmax, MHz', 'power_mw': 'power, mW', 'logic_cells': 'logic cells', 'luts': 'LUTs', 'flip_flops': 'flip-flops'}


def charts(row):
    """The values of a row that are plotted."""
    wanted = ('area_um2', 'fmax_mhz', 'power_mw') if 'area_um2' in row else ('logic_cells' if 'logic_cells' in row else 'luts', 'flip_flops', *(['fmax_mhz'] if 'fmax_mhz' in row else []))
    return {c: WORDS[c] for c in wanted}


def write(path, title, head, axes, rows):
    """The table in Markdown and as CSV, the plot, and the result.  Returns the table."""
    names = list(rows[0])
    table = markdown(names, [list(r.values()) for r in rows])
    with folder.whole(path) as new:
        (new / 'sweep.md').write_text(f'# {title}\n\n{table}')
        (new / 'sweep.csv').write_text(as_csv(names, [list(r.values()) for r in rows]))
        (new / 'sweep.svg').write_text(plot(title, axes, rows, charts(rows[0])))
        folder.write_json(new / folder.RESULT, head | {'sweep': dict(axes), 'points': rows})
    return table
