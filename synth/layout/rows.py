# SPDX-License-Identifier: Apache-2.0
"""Cells in rows: no overlap, on sites, the rest of each row as filler."""
from synth.layout.place import SITE, Spot
from synth.yosys import ToolError

FILLER = 'FILL'


def legal(spots, widths, core):
    """Moves cells along their rows, as little as a pass from the left and one from the right can.  A cell that its row has no room for
    goes into the nearest row that has."""
    rows = {r: [] for r in range(core.rows)}
    used = dict.fromkeys(rows, 0)
    for name in sorted(spots, key=lambda n: (spots[n].x, spots[n].row, n)):
        wanted = spots[name].row
        row = min(
            (r for r in rows if used[r] + widths[name] <= core.width), key=lambda r: (abs(r - wanted), r), default=None
        )
        if row is None:
            raise ToolError(
                f'placement: found no row with room for {name}, expected a density below 1: DENSITY= is too high'
            )
        rows[row].append(name)
        used[row] += widths[name]
    return {
        name: Spot(r, x, spots[name].flipped)
        for r, names in rows.items()
        for name, x in packed(names, spots, widths, core)
    }


def packed(names, spots, widths, core):
    """(name, x) of a row's cells, from left to right."""
    xs, free = [], 0
    for n in names:
        xs.append(max(free, spots[n].x // SITE * SITE))
        free = xs[-1] + widths[n]
    limit = core.width
    for k in reversed(range(len(names))):
        xs[k] = min(xs[k], limit - widths[names[k]])
        limit = xs[k]
    return zip(names, xs)


def fillers(spots, widths, core):
    """Spots of the filler cells, each one site wide."""
    for r in range(core.rows):
        x = 0
        for name in sorted((n for n in spots if spots[n].row == r), key=lambda n: spots[n].x):
            yield from (Spot(r, at, False) for at in range(x, spots[name].x, SITE))
            x = spots[name].x + widths[name]
        yield from (Spot(r, at, False) for at in range(x, core.width, SITE))
