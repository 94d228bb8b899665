# SPDX-License-Identifier: Apache-2.0
"""make correlate: presets of the reference's cards beside its cycles on the configurations that ship with it (cards.toml).

python3 -B -m scripts.correlate.cards PROGRAM DOCUMENT [--accelsim FILE] [--kept FILE] [--update].  With the reference's accel-sim.out its runs are
repeated, on the files that stand beside it, and its numbers are written; without it they are those of the folder kept/cards.  Exit status 1 if a mean error is above
the allowed one, an access of the L1D is missing or more, a run failed, or the table of the document differs.
"""
import concurrent.futures
import os
import pathlib
import shutil
import tempfile
import tomllib

from scripts.correlate import machines, reference, store
from scripts.correlate.stock import keep_table
from scripts.study.expressions import Bad
from scripts.study.program import Program

CARDS = pathlib.Path(__file__).parent / "cards.toml"
ALLOWED = 0.03  # mean absolute error of a card's cycles
LOCAL = ("LOCAL_ACC_R", "LOCAL_ACC_W")  # kinds of access that a log need not have
WITHOUT_LAUNCHES = "-gpgpu_kernel_launch_latency 0\n"
TIMEOUT = 1800  # seconds for a run of the reference


def folder_of(path):
    """The reference's numbers, beside the file of the cards."""
    return path.parent / "kept" / "cards"


def read(path=CARDS):
    with open(path, "rb") as f:
        return tomllib.load(f)


def configure(accelsim, name, folder, launches=True):
    """The configuration that ships with this accel-sim.out, in a new folder.  launches=False: they take no time."""
    simulator = pathlib.Path(accelsim).resolve().parents[2]
    card, units = (simulator / tree / "configs/tested-cfgs" / name for tree in ("gpgpu-sim", "."))
    text = "".join((f).read_text(encoding="utf-8") + "\n" for f in (card / "gpgpusim.config", units / "trace.config"))
    folder.mkdir()
    (folder / "gpgpusim.config").write_text(text + WITHOUT_LAUNCHES * (not launches), encoding="utf-8")
    for crossbar in card.glob("*.icnt"):
        shutil.copy(crossbar, folder)


def numbers_of(log):
    table = f"{reference.L1D[0]}_breakdown"
    kinds = [*reference.ACCESSES, *(kind for kind in LOCAL if f"{table}[{kind}][HIT] = " in log)]
    accesses = sum(reference.cache(log, reference.L1D, kind, "TOTAL_ACCESS") for kind in kinds)
    return {"cycles": reference.single(log, "cycles"), "accesses": accesses}


class Cards:
    """The cards of a file, their traces, and the reference's numbers."""

    def __init__(self, args, kept):
        self.program, self.accelsim = Program(args.program), args.accelsim
        self.cards, self.workloads = kept["cards"], kept["workloads"]
        self.folder = folder_of(args.kept)
        self.theirs = store.read(self.folder)

    def ours(self, preset, trace):
        """(cycles, L1D accesses without atomics, which the reference does not count)"""
        cycles, counters = machines.run_kernels(self.program, trace, "-p", preset)
        return cycles, int(counters["l1d.accesses"]) - int(counters["l1d.atomics"])

    def again(self, preset, name, trace, scratch):
        """Runs of the reference: without launches for its numbers; as the card ships, for the seconds beside the preset, which has its launches."""
        program = pathlib.Path(self.accelsim).resolve()
        log, _ = reference.execute(program, scratch / preset, trace, TIMEOUT)
        _, seconds = reference.execute(program, scratch / f"{preset}-whole", trace, TIMEOUT)
        found = store.Kept(self.workloads[name], machines.digest_of(trace.iterdir()), seconds, machines.processor())
        found.numbers = numbers_of(log)
        return reference.version(log), found

    def run_again(self, pool, traces, scratch):
        for preset, card in self.cards.items():
            configure(self.accelsim, card["files"], scratch / preset, launches=False)
            configure(self.accelsim, card["files"], scratch / f"{preset}-whole")
            config = machines.digest_of_options((scratch / preset).iterdir())
            jobs = {name: pool.submit(self.again, preset, name, t, scratch) for name, t in traces.items()}
            found = {name: job.result() for name, job in jobs.items()}
            version = next(iter(found.values()))[0]
            self.theirs[preset] = store.Machine(version, config, {}, {name: kept for name, (_, kept) in found.items()})
        store.write(self.folder, self.theirs)

    def check(self, traces):
        """The kept numbers are of these traces."""
        for preset in self.cards:
            kept = self.theirs[preset].workloads if preset in self.theirs else {}
            for name, trace in traces.items():
                if name not in kept or kept[name].trace != machines.digest_of(trace.iterdir()):
                    raise Bad(f"{preset} {name}: the kept numbers are not of this trace (ACCELSIM= runs the reference)")

    def measure(self):
        """(preset, workload) -> (cycles, L1D accesses) of memtwin."""
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            scratch = pathlib.Path(folder)
            traces = {name: scratch / name for name in self.workloads}
            for name, trace in traces.items():
                machines.write_trace(self.program, self.workloads[name], trace)
            if self.accelsim:
                self.run_again(pool, traces, scratch)
            self.check(traces)
            jobs = {(p, w): pool.submit(self.ours, p, trace) for p in self.cards for w, trace in traces.items()}
            return {key: job.result() for key, job in jobs.items()}

    def table(self, ours):
        """The table, and what is wrong."""
        wrong = []
        head = "".join(f" | {card['label']}, Accel-Sim | memtwin | error, %" for card in self.cards.values())
        rows = [f"| workload{head} |\n| --- |{' ---: |' * 3 * len(self.cards)}\n"]
        errors = {preset: [] for preset in self.cards}
        for name in self.workloads:
            row = f"| `{name}`"
            for preset in self.cards:
                theirs, (cycles, accesses) = self.theirs[preset].workloads[name].numbers, ours[preset, name]
                errors[preset].append(cycles / theirs["cycles"] - 1)
                row += f" | {theirs['cycles']:,} | {cycles:,} | {100 * errors[preset][-1]:+.1f}"
                if accesses != theirs["accesses"]:
                    wrong.append(f"{preset}, {name}: {accesses} L1D accesses, in the reference {theirs['accesses']}")
            rows.append(row + " |\n")
        means = {preset: sum(map(abs, found)) / len(found) for preset, found in errors.items()}
        rows.append("| mean absolute" + "".join(f" |  |  | {100 * mean:.1f}" for mean in means.values()) + " |\n")
        wrong += [f"{p}: mean error of cycles {m:.1%}, allowed {ALLOWED:.0%}" for p, m in means.items() if m > ALLOWED]
        return "".join(rows), wrong


def counted(args, kept):
    c = Cards(args, kept)
    text, wrong = c.table(c.measure())
    return text, wrong, f"{len(c.cards)} cards, {len(c.workloads)} workloads"


if __name__ == "__main__":
    keep_table("correlate-cards", ("program", "--accelsim"), CARDS, counted)
