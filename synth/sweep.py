# SPDX-License-Identifier: Apache-2.0
"""Blocks over one or two of their parameters: SWEEP="Entries=8,16,32 Slots=2,4", "mshr.Entries=8,16 dl_mshr.Sets=16,32".  Writes a table, a
CSV file and a plot; points are cached like other results, so an interrupted sweep resumes.  Power uses one switching activity for all points."""
import csv
import io
import itertools

from cosim import folder, params
from cosim.manifest import ParamError
from scripts.study import page, plots
from synth import handoff, measure

POINTS = 64
ACTIVITY = (
    'input_activity',
    'net_activity',
)  # columns: mean toggles per cycle of an input, and of the output of a cell


def words_of(text, blocks):
    """{block: its words of SWEEP}: "Parameter=..." applies to all blocks, "block.Parameter=..." to one."""
    found = {b: [] for b in blocks}
    for word in text.split():
        block, dot, own = word.partition('=')[0].partition('.')
        if dot and block not in found:
            raise ParamError(f'SWEEP: found "{word}", expected one of BLOCK={" ".join(blocks)} before the point')
        for b in [block] if dot else blocks:
            found[b].append(word[len(block) + 1 :] if dot else word)
    return {b: ' '.join(words) for b, words in found.items()}


def axes_of(text, known, block):
    """[(parameter, values)] of SWEEP; each value is checked against the port list."""
    axes = {}
    for word in text.split():
        name, eq, values = word.partition('=')
        if not eq or not values:
            raise ParamError(
                f'SWEEP of {block}: found "{word}", expected Parameter=value,value ... with {", ".join(known)}'
            )
        if name in axes:
            raise ParamError(f'SWEEP of {block}: found {name} twice, expected it once')
        axes[name] = [params.check_value(name, v, known, f'SWEEP of {block}') for v in values.split(',')]
        if len(set(axes[name])) != len(axes[name]):
            raise ParamError(f'SWEEP of {block}: found a value of {name} twice in {values}, expected each once')
    if not 1 <= len(axes) <= 2:
        raise ParamError(f'SWEEP of {block}: found {len(axes)} parameters, expected one or two')
    return list(axes.items())


def points_of(axes, base):
    """Parameters of each point, the last axis varying fastest."""
    points = [base | dict(zip((n for n, _ in axes), v)) for v in itertools.product(*(values for _, values in axes))]
    if len(points) > POINTS:
        raise ParamError(f'SWEEP: found {len(points)} points, expected at most {POINTS}')
    return points


def of_cells(job, result, activity, corner=None):
    """Columns of a point in a cell library, with power at this activity: at the clock of the job in this corner, or at Fmax."""
    view = handoff.smaller_view(result)
    shown = result.get('macros') or result['registers']
    at_clock = (
        handoff.corner(job, result | {view: result[view] | {'activity': activity}}, corner, view) if corner else None
    )
    power = at_clock['power_mw'] if corner else at_fmax(job, result, view, activity)
    row = {
        'cells': shown['cells'],
        'flip_flops': shown['flip_flops'],
        'ram_bits': shown.get('sram_bits', 0),
        'area_um2': round(shown['area_um2'], 1),
        'fmax_mhz': round((at_clock or shown)['fmax_mhz'], 1),
    }
    return (
        row
        | ({'slack_ns': at_clock['slack_ns']} if corner else {})
        | {'power_mw': round(power, 4)}
        | dict(zip(ACTIVITY, (round(activity[k], 4) for k in ('inputs', 'nets'))))
    )


def at_fmax(job, result, view, activity):
    """Power at the point's own Fmax."""
    out, period = job.folder(), result[view]['min_period_ns'] * 1e-9 / job.lib.time
    macros = handoff.macros_for(job, result, job.lib, out, view)
    return measure.power_mw(
        measure.sta(job.lib, out / f'{view}.v', job.block.name, period, out / f'{view}.sweep', macros, activity)[1]
    )


def of_fpga(result):
    """Columns of a point on an FPGA."""
    found = result['fpga']
    return {
        k: found[k]
        for k in ('logic_cells', 'luts', 'flip_flops', 'rams', 'dsps', 'carries', 'muxes', 'fmax_mhz')
        if k in found
    }


def markdown(names, rows):
    lines = [names, ['---:'] * len(names), *([f'{c:,}' if not isinstance(c, str) else c for c in row] for row in rows)]
    return ''.join('| ' + ' | '.join(line) + ' |\n' for line in lines)


def as_csv(names, rows):
    text = io.StringIO()
    csv.writer(text, lineterminator='\n').writerows([names, *rows])
    return text.getvalue()


def lines_of(axes, rows):
    """[(label, [(x, row)])]: a line per block and value of its second parameter, over the first."""
    lines = []
    for block, of_block in axes.items():
        mine = [r for r in rows if r.get('block', block) == block]
        (first, _), *second = of_block
        for value in second[0][1] if second else [None]:
            label = [block] * (len(axes) > 1) + ([f'{second[0][0]}={value}'] if second else [])
            line = sorted((r[first], k) for k, r in enumerate(mine) if value is None or r[second[0][0]] == value)
            lines.append((' '.join(label), [(x, mine[k]) for x, k in line]))
    return lines


def number_marks(values):
    """The labelled values of a numeric axis: of two that are too close, the lower one is left out."""
    low, high, shown = min(values), max(values), []
    for v in sorted(set(values), reverse=True):
        if (
            not shown
            or (shown[-1] - v) / (high - low) * (plots.WIDE - 120) > 5 * (len(str(v)) + len(str(shown[-1]))) + 6
        ):
            shown.append(v)
    return [(v, str(v)) for v in reversed(shown)]


def ram_of(row):
    return row.get('ram_bits') or row.get('rams') or 0


def switches(lines):
    """[(x, words)]: positions where a line changes between flip-flops and RAM."""
    found = []
    for label, points in lines:
        for (x, before), (y, after) in zip(points, points[1:]):
            if bool(ram_of(before)) != bool(ram_of(after)):
                found.append(
                    (
                        (x + y) / 2,
                        (f'{label}: ' if label else '') + ('flip-flops | RAM' if ram_of(after) else 'RAM | flip-flops'),
                    )
                )
    return found


def plot(title, axes, rows, columns):
    """A chart per column over the first parameter of each block, on a numeric axis; the change from flip-flops to RAM is a rule."""
    lines, charts = lines_of(axes, rows), []
    first = ', '.join(
        dict.fromkeys(
            of[0][0] if len({o[0][0] for o in axes.values()}) == 1 else f'{of[0][0]} of {b}' for b, of in axes.items()
        )
    )
    marks = number_marks([x for _, points in lines for x, _ in points])
    keys = [(k, 'both', label) for k, (label, _) in enumerate(lines) if label]
    for column, words in columns.items():
        series = [
            (
                k,
                'both',
                [
                    (x, r[column], f'{label or first} {x}: {r[column]:,}{", RAM" if ram_of(r) else ""}')
                    for x, r in points
                ],
            )
            for k, (label, points) in enumerate(lines)
        ]
        charts.append(plots.chart(f'{title}: {words}', series, marks, first, words, keys=keys, rules=switches(lines)))
    return page.standalone(page.stacked(charts, title))


WORDS = {
    'area_um2': 'area, um^2',
    'fmax_mhz': 'Fmax, MHz',
    'power_mw': 'power, mW',
    'logic_cells': 'logic cells',
    'luts': 'LUTs',
    'flip_flops': 'flip-flops',
}


def charts(row):
    """The plotted values of a row."""
    wanted = (
        ('area_um2', 'fmax_mhz', 'power_mw')
        if 'area_um2' in row
        else (
            'logic_cells' if 'logic_cells' in row else 'luts',
            'flip_flops',
            *(['fmax_mhz'] if 'fmax_mhz' in row else []),
        )
    )
    at = (
        f' with {row[ACTIVITY[0]]:g} toggles of an input and {row[ACTIVITY[1]]:g} of a net in a cycle'
        if ACTIVITY[0] in row
        else ''
    )
    return {c: WORDS[c] + (at if c == 'power_mw' else '') for c in wanted}


def write(path, title, head, axes, rows):
    """The table in Markdown and as CSV, the plot, and the result.  Returns the table."""
    names = list(dict.fromkeys(n for r in rows for n in r))
    names.sort(
        key=lambda n: n != 'block' and not any(n == a for of in axes.values() for a, _ in of)
    )  # blocks may have other parameters
    cells = [[r.get(n, '') for n in names] for r in rows]
    table = markdown(names, cells)
    with folder.whole(path) as new:
        (new / 'sweep.md').write_text(f'# {title}\n\n{table}')
        (new / 'sweep.csv').write_text(as_csv(names, cells))
        (new / 'sweep.svg').write_text(plot(title, axes, rows, charts(rows[0])))
        folder.write_json(
            new / folder.RESULT, head | {'sweep': {b: dict(of) for b, of in axes.items()}, 'points': rows}
        )
    return table
