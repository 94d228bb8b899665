# SPDX-License-Identifier: Apache-2.0
"""How full the wires make the routing tracks of a layer, in squares of the die."""
from collections import defaultdict

SQUARE = 2000  # hundredths of a micron


def in_squares(a, b):
    """(square's number, length in it) of a stretch from a to b."""
    low, high = min(a, b), max(a, b)
    while low < high:
        end = min(high, (low // SQUARE + 1) * SQUARE)
        yield low // SQUARE, end - low
        low = end


def fullest(wires, die, layers):
    """The largest part of a layer's tracks that is used in a square; squares of the edge are left out."""
    used = defaultdict(int)
    for segments in wires.segments.values():
        for layer, width, (x0, y0), (x1, y1) in segments:
            if width is not None or layers[layer].horizontal != (y0 == y1):
                continue
            if y0 == y1:
                for s, length in in_squares(x0, x1):
                    used[layer, s, y0 // SQUARE] += length
            else:
                for s, length in in_squares(y0, y1):
                    used[layer, x0 // SQUARE, s] += length
    whole = {
        (layer, x, y): n / (SQUARE * SQUARE / layers[layer].pitch)
        for (layer, x, y), n in used.items()
        if (x + 1) * SQUARE <= die.width and (y + 1) * SQUARE <= die.height
    }
    return max(whole.values(), default=0.0)
