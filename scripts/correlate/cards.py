# SPDX-License-Identifier: Apache-2.0
"""make correlate: the presets of the reference's cards beside its cycles on the configurations that ship with it (cards.toml).

python3 -B -m scripts.correlate.cards PROGRAM DOCUMENT [--kept FILE] [--update].  Exit status 1 if a mean error is above the allowed one, an access
of the L1D is missing or more, a run failed, or the table of the document differs.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import sys
import tempfile
import tomllib

from scripts import marked
from scripts.correlate import machines
from scripts.study.expressions import Bad
from scripts.study.program import Program

KEPT = pathlib.Path(__file__).parent / "cards.toml"
ALLOWED = 0.05  # mean absolute error of a card's cycles


def run(program, preset, trace):
    """(cycles without the launches of kernels, L1D accesses without atomics, which the reference does not count)"""
    found = json.loads(program.ask("run", str(trace), "-p", preset, "--quiet", "--kernels", "--json", "-"))
    counters, launch = found["counters"], int(found["config"]["sm.launch_cycles"])
    cycles = int(counters["gpu.cycles"]) - len(found["kernels"]) * launch
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


def main():
    parser = argparse.ArgumentParser(prog="correlate-cards")
    parser.add_argument("program")
    parser.add_argument("document")
    parser.add_argument("--kept", type=pathlib.Path, default=KEPT)
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    try:
        with open(args.kept, "rb") as f:
            kept = tomllib.load(f)
        text, wrong = table(kept, measure(Program(args.program), kept))
    except (Bad, OSError) as e:
        sys.exit(f"FAIL correlate-cards: {e}")
    print(text, end="")
    for problem in wrong:
        print(f"FAIL correlate-cards: {problem}")
    marked.keep("correlate-cards", args.document, text, args.update)
    print(f"correlate-cards: {len(kept['cards'])} cards, {len(kept['workloads'])} workloads, {len(wrong)} failed")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
