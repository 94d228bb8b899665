# SPDX-License-Identifier: Apache-2.0
"""Compares the shape of a study's workloads with the originals: thread blocks against SMs, length of rows, data against caches and device memory."""
import json
import re
from dataclasses import dataclass

from scripts.study.figures import Shown
from scripts.study.measure import written

TITLE = "Shapes beside the originals"
LINE_BYTES, FLOAT_BYTES = 128, 4
# The size option that gives the length of a matrix row, in floats.
ROW = {
    "atax": "columns",
    "bicg": "columns",
    "gesummv": "columns",
    "mvt": "n",
    "syrk": "m",
    "syr2k": "m",
    "gemm": "nk",
    "kmeans": "dimensions",
    "streamcluster": "dim",
    "srad": "columns",
    "srad_v2": "columns",
    "2dconv": "columns",
    "hotspot": "columns",
    "fdtd2d": "columns",
    "transpose": "width",
    "convsep": "width",
    "lud": "n",
    "nw": "n",
    "2mm": "nk",
    "3mm": "nk",
    "lbm": "x",
    "covar": "m",
    "gaussian": "n",
    "gabor": "width",
    "sift": "width",
}
known = {}  # (digest of the program, workload): its shape


@dataclass
class Shape:
    blocks: float  # of the first kernel, per SM
    row: list  # bytes
    l1: float  # data over the capacity of all SMs' L1Ds
    l2: float
    device: float


def row_bytes(name):
    found = re.search(rf"[:,]{ROW.get(name.partition(':')[0], '-')}=(\d+)", name)
    return [int(found[1]) * FLOAT_BYTES] if found else []


def of_workload(program, word):
    """Answer of `memtwin trace shape`; the studies of a command share workloads."""
    key = program.digest, word
    if key not in known:
        known[key] = json.loads(program.ask("trace", "shape", "--json", word))
    return known[key]


def shape(program, words, config):
    """Of workloads side by side: the sum."""
    number = {k: int(v) for k, v in config.items() if v.isdigit()}
    parts = [of_workload(program, w) for w in words]
    data = sum(p["bytes"] for p in parts)
    l1, l2 = (LINE_BYTES * number[f"{c}.sets"] * number[f"{c}.ways"] for c in ("l1d", "l2"))
    percent = number["uvm.oversubscribe_percent"] if config["uvm.enable"] == "true" else 0
    return Shape(
        sum(p["blocks"] for p in parts) / number["sm.count"],
        [r for p in parts for r in row_bytes(p["workload"])],
        data / (l1 * number["sm.count"]),
        data / (l2 * number["partition.count"] * number["partition.slices"]),
        percent / 100 if percent else data / (number["uvm.device_kib"] * 1024),
    )


def warnings(here, original, blocks):
    """`blocks`: resident in an SM."""
    if here.blocks < min(original.blocks, 2 * blocks):
        yield "too few thread blocks"
    if here.row != original.row:
        yield "another length of rows"
    for level, ours, theirs in (
        ("L1D", here.l1, original.l1),
        ("L2", here.l2, original.l2),
        ("device memory", here.device, original.device),
    ):
        if (ours > 1) != (theirs > 1):
            yield f"{'exceeds' if ours > 1 else 'fits'} the {level}"


def cells(here, original):
    pairs = [
        (written(a, "number"), written(b, "number"))
        for a, b in (
            (here.blocks, original.blocks),
            (here.l1, original.l1),
            (here.l2, original.l2),
            (here.device, original.device),
        )
    ]
    rows = tuple(" ".join(f"{r:,}" for r in s.row) or "-" for s in (here, original))
    return [text for pair in (pairs[0], rows, *pairs[1:]) for text in pair]


def show(study, program):
    """The figure, or none without originals."""
    shown = Shown(TITLE, "A workload of another shape may have another result.", False, gap=0)
    shown.heads = (
        [("", "workload")]
        + [
            (above, below)
            for above in (
                "thread blocks per SM",
                "bytes of a row",
                "data over L1Ds",
                "data over L2",
                "data over device",
            )
            for below in ("here", "original")
        ]
        + [("", "warning")]
    )
    for w in study.workloads.values():
        words = w.sizes.get(study.size)
        if not words or not w.original:
            continue
        config = program.machine(study.change + w.change)
        here, original = shape(program, words, config), shape(program, w.original, program.machine(study.whole))
        shown.rows.append(
            [w.label, *cells(here, original), "; ".join(warnings(here, original, int(config["sm.blocks"])))]
        )
    return [shown] if shown.rows else []
