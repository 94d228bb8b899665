# SPDX-License-Identifier: Apache-2.0
"""make correlate: presets of the reference's cards beside its cycles on the configurations that ship with it (cards.toml).

python3 -B -m scripts.correlate.cards PROGRAM DOCUMENT [--kept FILE] [--update].  Exit status 1 if a mean error is above the allowed one, an access
of the L1D is missing or more, a run failed, or the table of the document differs.
"""
import concurrent.futures
import os
import pathlib
import tempfile

from scripts.correlate import machines
from scripts.correlate.stock import keep_table
from scripts.study.program import Program

KEPT = pathlib.Path(__file__).parent / "cards.toml"
ALLOWED = 0.03  # mean absolute error of a card's cycles


def run(program, preset, trace):
    """(cycles, L1D accesses without atomics, which the reference does not count)"""
    cycles, counters = machines.run_kernels(program, trace, "-p", preset)
    return cycles, int(counters["l1d.accesses"]) - int(counters["l1d.atomics"])


def measure(program, kept):
    """(preset, workload) -> what run() returns."""
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        traces = {name: pathlib.Path(temporary) / name for name in kept["workloads"]}
        for name, trace in traces.items():
            machines.write_trace(program, kept["workloads"][name], trace)
        jobs = {(p, w): pool.submit(run, program, p, trace) for p in kept["cards"] for w, trace in traces.items()}
        return {key: job.result() for key, job in jobs.items()}


def table(kept, ours):
    """The table, and what is wrong."""
    cards, wrong = kept["cards"], []
    head = "".join(f" | {card['label']}, Accel-Sim | memtwin | error, %" for card in cards.values())
    rows = [f"| workload{head} |\n| --- |{' ---: |' * 3 * len(cards)}\n"]
    errors = {preset: [] for preset in cards}
    for name in kept["workloads"]:
        row = f"| `{name}`"
        for preset, card in cards.items():
            cycles, accesses = ours[preset, name]
            errors[preset].append(cycles / card["cycles"][name] - 1)
            row += f" | {card['cycles'][name]:,} | {cycles:,} | {100 * errors[preset][-1]:+.1f}"
            if accesses != card["accesses"][name]:
                wrong.append(f"{preset}, {name}: {accesses} L1D accesses, in the reference {card['accesses'][name]}")
        rows.append(row + " |\n")
    means = {preset: sum(map(abs, found)) / len(found) for preset, found in errors.items()}
    rows.append("| mean absolute" + "".join(f" |  |  | {100 * mean:.1f}" for mean in means.values()) + " |\n")
    wrong += [f"{p}: mean error of cycles {m:.1%}, allowed {ALLOWED:.0%}" for p, m in means.items() if m > ALLOWED]
    return "".join(rows), wrong


def counted(args, kept):
    text, wrong = table(kept, measure(Program(args.program), kept))
    return text, wrong, f"{len(kept['cards'])} cards, {len(kept['workloads'])} workloads"


if __name__ == "__main__":
    keep_table("correlate-cards", ("program",), KEPT, counted)
