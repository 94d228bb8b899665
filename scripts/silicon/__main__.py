# SPDX-License-Identifier: Apache-2.0
"""make silicon: measurements of GPUs beside memtwin's machine of the same name.

python3 -B -m scripts.silicon PROGRAM [--only TEST...] [--data FOLDER] [--jobs N] [--update | --check]; exit status 1 if a run
failed or, with --check, docs/silicon.md differs.  Without --update and --check all rows are printed.
"""
import argparse
import concurrent.futures
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

from scripts import marked
from scripts.silicon import others, report, rows, shapes
from scripts.study.expressions import Bad

PAGE = "docs/silicon.md"


class Machine:
    """Runs of one program on the machine of a card."""

    def __init__(self, program, card):
        self.program, self.card = program, card
        config = self.run("vecadd:n=32")["config"]
        self.clock, self.sms = config["clock.sm"], config["sm.count"]  # MHz

    def ask(self, *words):
        out = subprocess.run([self.program, *words], capture_output=True, text=True, check=False)
        if out.returncode:
            raise Bad(f"{' '.join(words)}: {out.stderr.strip() or out.returncode}")
        return out.stdout

    def run(self, workload, *options):
        chosen = [word for option in options for word in ("-s", option)]
        command = ("run", workload, "-p", self.card, *chosen, "--quiet", "--threads", "1", "--json", "-")
        return json.loads(self.ask(*command))

    def cycles(self, text):
        """Of a trace that warms its caches itself, or wants them cold: no copy from the host does."""
        with tempfile.NamedTemporaryFile("w", suffix=".mttx") as f:
            f.write(text)
            f.flush()
            return self.run(f.name, "l2.host_copies=false")["counters"]["gpu.cycles"]

    def shape(self, row):
        """The value of a shape, in the unit of its row; None: the machine has no counterpart."""
        shape = shapes.of(row.test, {**row.arguments, **({"sms": self.sms} if row.test == "l1_bandwidth" else {})})
        if shape is None:
            return None
        took = self.cycles(shape.more) - self.cycles(shape.less)
        if row.unit == "GB/s":
            return shape.units * self.clock / took / 1000
        return took / shape.units * (1000 / self.clock if row.unit.startswith("ns") else 1)

    def program_rows(self, workload, launches):
        """Counters of each launch alone, on cold caches, as the profiler runs them."""
        with tempfile.TemporaryDirectory() as folder:
            self.ask("trace", "export", workload, "-o", f"{folder}/trace")
            return [self.run(f"{folder}/trace/kernel-{n + 1}.traceg")["counters"] for n in range(launches)]


def arguments():
    parser = argparse.ArgumentParser(prog="make silicon", description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--only", nargs="*", default=[], help="tests and programs")
    parser.add_argument("--data", help="a folder with latency.csv, and so on, of other cards (SILICON=)")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="without long programs of other cards (QUICK=1)")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--check", action="store_true")
    return parser.parse_args()


def main():
    args = arguments()
    found = rows.read() + (others.read(pathlib.Path(args.data)) if args.data else [])
    wanted = [r for r in rows.chosen(found, args.only) if not (args.quick and others.is_long(r))]
    machines = {card: Machine(args.program, card) for card in dict.fromkeys(r.card for r in wanted)}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        simulated = list(pool.map(lambda r: r.simulate(machines[r.card]), wanted))
    results = [result for r, values in zip(wanted, simulated) for result in r.results(values)]
    print(report.every_row(results))
    print(report.summary(results))
    if args.update or args.check:
        kept = [r for r in results if r.card in rows.kept_cards()]
        marked.keep("silicon", PAGE, report.page(kept), args.update)
        if args.data:
            marked.keep("silicon-others", PAGE, report.summary([r for r in results if r not in kept]), args.update)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Bad, OSError, csv.Error) as e:
        sys.exit(f"FAIL silicon: {e}")
