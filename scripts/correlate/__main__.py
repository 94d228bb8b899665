# SPDX-License-Identifier: Apache-2.0
"""make correlate: runs the reference if it is given, runs memtwin on the same traces, and shows both.

python3 -B -m scripts.correlate PROGRAM [ACCELSIM] [--machines ...] [--workloads ...] [--check] [--update]; exit status 1 if a run failed, the document differs
or, with --check, an error exceeds its limit.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from scripts.correlate import counters, machines, reference, report, store
from scripts.study.documents import markdown
from scripts.study.expressions import Bad, nearest
from scripts.study.files import write_whole
from scripts.study.program import Program

LINE_BYTES = 128
UNREAD = ("cke.", "tlb.", "uvm.", "pcie.", "sim.")  # option sections that no run here reads


def chosen(words, known, what):
    """The named ones, or all."""
    for word in words:
        if word not in known:
            raise Bad(f'found unknown {what} "{word}", expected one of {", ".join(known)}{nearest(word, known)}')
    return [k for k in known if not words or k in words]


@dataclass
class Result:
    """A run of both programs."""

    machine: str
    workload: str
    shift: int  # of the option of [shifts]
    version: str  # of the reference
    config: str  # digest of the machine's files, without the shift
    kept: store.Kept
    ours: dict  # memtwin's counters

    def key(self):
        return key_of(self.workload, self.shift)


def key_of(workload, shift):
    """Name of a run among the kept numbers."""
    return f"{workload}{shift:+d}" if shift else workload


class Correlation:
    def __init__(self, args):
        self.args = args
        self.config = machines.read(args.config)
        self.program = Program(args.program)
        self.machines = {name: m["label"] for name, m in self.config["machines"].items()}
        self.against = {name: m["against"] for name, m in self.config["machines"].items() if "against" in m}
        self.folder = pathlib.Path(args.kept)
        self.kept = store.read(self.folder)
        self.failures = []

    def change(self, machine, shift=0):
        return machines.arguments(self.config, machine) + (["--set", self.shifted(machine, shift)] if shift else [])

    def shifted(self, machine, shift):
        """The option of [shifts], this much later or earlier than the machine's."""
        option = self.config["shifts"]["option"]
        return f"{option}={int(self.options(machine)[option]) + shift}"

    def shifts_of(self, workload):
        shifts = self.config.get("shifts", {"workloads": []})
        return shifts["by"] if workload in shifts["workloads"] else [0]

    def options(self, machine):
        return {k: v for k, v in self.program.machine(self.change(machine)).items() if not k.startswith(UNREAD)}

    def files(self, machine, folder, shift=0):
        """Writes the reference's configuration files of a machine; returns the digest of their options."""
        self.program.ask("config", *self.change(machine, shift), "--format", "gpgpusim", "-o", str(folder))
        return machines.digest_of_options(folder.iterdir())

    def ours(self, machine, trace, shift):
        before = os.times()
        out = subprocess.run(
            [
                self.args.program,
                "run",
                str(trace),
                *self.change(machine, shift),
                "--threads",
                "1",
                "--quiet",
                "--json",
                "-",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if out.returncode:
            raise Bad(out.stderr.strip().splitlines()[-1])
        after = os.times()
        return json.loads(out.stdout)["counters"], after.children_user - before.children_user

    def columns(self, machine):
        """Column commands of a DRAM read."""
        options = self.options(machine)
        block = int(options["l2.sector_bytes"]) or LINE_BYTES
        return max(1, block // int(options["dram.atom_bytes"]))

    def known(self, machine, config):
        """Whether the kept reference numbers belong to this machine."""
        if self.args.accelsim or machine not in self.kept:
            return True
        kept, now = self.kept[machine], self.options(machine)
        if config != kept.config:
            self.failures.append(
                f"{machine}: the configuration is another one than the kept numbers': found {config}, expected {kept.config} "
                "(ACCELSIM= runs the reference again)"
            )
            return False
        if now != kept.options and not self.args.update:
            changed = sorted(k for k in now.keys() | kept.options.keys() if now.get(k) != kept.options.get(k))
            self.failures.append(
                f"{machine}: {self.folder}/{machine}.tsv has other values of {', '.join(changed)} (UPDATE=1 writes them)"
            )
        return True

    def theirs(self, machine, workload, shift, digest, trace, folder):
        """Runs the reference, or uses its kept numbers."""
        arguments = self.config["workloads"][workload] + (f" {self.shifted(machine, shift)}" if shift else "")
        if self.args.accelsim:
            run = reference.run(self.args.accelsim, folder, trace, self.columns(machine), self.args.timeout)
            return run.version, store.Kept(arguments, digest, run.seconds, machines.processor(), run.numbers)
        m = self.kept.get(machine, store.Machine())
        found = m.workloads.get(key_of(workload, shift))
        if not found:
            raise Bad("nothing is kept of the reference (ACCELSIM= runs it)")
        if digest != found.trace:
            raise Bad(
                f"the trace is another one than the kept numbers': found {digest}, expected {found.trace} (ACCELSIM= runs the reference again)"
            )
        if arguments != found.arguments:
            raise Bad(
                f"the kept numbers are of {found.arguments}, expected {arguments} (ACCELSIM= runs the reference again)"
            )
        return m.version, found

    def one(self, machine, workload, shift, trace, digest, folder, config):
        version, kept = self.theirs(machine, workload, shift, digest, trace, folder)
        counters_of, seconds = self.ours(machine, trace, shift)
        result = Result(machine, workload, shift, version, config, kept, counters_of)
        database, key = pathlib.Path(self.args.build) / "correlate.sqlite", result.key()
        store.store(database, machine, key, "reference", version, config, digest, kept.seconds, kept.numbers)
        store.store(database, machine, key, "memtwin", self.program.version, config, digest, seconds, counters_of)
        return result

    def attempt(self, job):
        machine, workload, shift = job[:3]
        try:
            return self.one(*job)
        except Bad as e:
            self.failures.append(f"{machine} {key_of(workload, shift)}: {e}")
            return None

    def folders(self, machine, workloads, scratch):
        """{shift: folder with the machine's files}, and the digest of the files without a shift."""
        folders = {
            shift: scratch / f"machine-{key_of(machine, shift)}" for w in workloads for shift in self.shifts_of(w)
        }
        digest = ""
        for shift, folder in folders.items():
            found = self.files(machine, folder, shift)
            digest = digest if shift else found
        return folders, digest

    def run(self, names, workloads, scratch):
        """Results, in the order of the file."""
        traces, jobs = {w: scratch / f"trace-{w}" for w in workloads}, []
        for w, folder in traces.items():
            machines.write_trace(self.program, self.config["workloads"][w], folder)
        digests = {w: machines.digest_of(folder.iterdir()) for w, folder in traces.items()}
        for m in names:
            folders, config = self.folders(m, workloads, scratch)
            if self.known(m, config):
                jobs += [
                    (m, w, shift, traces[w], digests[w], folders[shift], config)
                    for w in workloads
                    for shift in self.shifts_of(w)
                ]
        with ThreadPoolExecutor(self.args.jobs) as pool:
            return [r for r in pool.map(self.attempt, jobs) if r]

    def keep(self, results):
        """Writes the reference's numbers and memtwin's options into the tree.  Numbers of a machine with another configuration or version are dropped."""
        for r in results:
            m = self.kept.get(r.machine)
            if not m or (m.version, m.config) != (r.version, r.config):
                m = self.kept[r.machine] = store.Machine(r.version, r.config)
            m.options = self.options(r.machine)
            m.workloads[r.key()] = r.kept
        store.write(self.folder, self.kept)

    def show(self, results, whole):
        """Writes the page, and the document if all workloads have run."""
        compared = [(r.machine, r.workload, r.kept.numbers, r.ours) for r in results]
        versions = "; ".join([self.program.version, *sorted({r.version for r in results})])
        target = pathlib.Path(self.args.build) / "report" / "correlate.html"
        write_whole(target, report.page(compared, self.machines, versions, self.failures))
        print(f"{len(results)} results; {target}")
        seconds = {(r.machine, r.workload): r.kept.seconds for r in results}
        tables = {
            "errors": report.summary(compared, self.machines),
            "causes": report.causes_table(compared, self.machines),
            "effects": report.effects_table(compared, self.machines, self.against),
            "cycles": report.cycles_table(compared, self.machines, seconds),
            "shifts": report.shifts_table(compared, self.machines),
        }
        print(markdown(tables["errors"]), end="")
        if whole and not self.failures:
            self.document(
                {name: markdown(t) for name, t in tables.items()}
                | {
                    "version": "".join(
                        f"- {self.machines[m]}: {v}\n" for m, v in dict((r.machine, r.version) for r in results).items()
                    )
                }
            )
        return compared

    def document(self, tables):
        path = pathlib.Path(self.args.document)
        text = new = path.read_text(encoding="utf-8")
        for name, table in tables.items():
            marks = re.compile(rf"(<!-- correlate {name} -->\n).*?(<!-- /correlate -->)", re.S)
            if not marks.search(new):
                raise Bad(f'{path}: found no "<!-- correlate {name} -->" ... "<!-- /correlate -->"')
            new = marks.sub(lambda m, t=table: m[1] + t + m[2], new)
        if new == text:
            return
        if self.args.update or self.args.accelsim:
            write_whole(path, new)
        else:
            self.failures.append(f"{path}: its tables are not these results' (UPDATE=1 writes them)")


def arguments():
    parser = argparse.ArgumentParser(prog="correlate", allow_abbrev=False)
    parser.add_argument("program", help="memtwin")
    parser.add_argument("accelsim", nargs="?", default="", help="accel-sim.out; without it the kept numbers are taken")
    parser.add_argument("--machines", nargs="*", default=[])
    parser.add_argument("--workloads", nargs="*", default=[])
    parser.add_argument("--check", action="store_true", help="errors beyond the limits of counters.py are failures")
    parser.add_argument(
        "--update", action="store_true", help="write the tables of the document and the options beside the kept numbers"
    )
    parser.add_argument("--jobs", type=int, default=os.environ.get("JOBS", 1))
    parser.add_argument("--timeout", type=float, default=600, help="seconds for a run of the reference")
    parser.add_argument("--build", default=os.environ.get("BUILD", "build"))
    parser.add_argument("--config", default=machines.CONFIG)
    parser.add_argument("--kept", default=machines.KEPT, help="folder of the reference's numbers")
    parser.add_argument("--document", default="docs/correlation.md")
    return parser.parse_args()


def main():
    args = arguments()
    try:
        c = Correlation(args)
        names = chosen(args.machines, c.machines, "machine")
        workloads = chosen(args.workloads, c.config["workloads"], "workload")
        with tempfile.TemporaryDirectory() as scratch:
            results = c.run(names, workloads, pathlib.Path(scratch))
        if (args.accelsim or args.update) and results:
            c.keep(results)
        compared = c.show(results, not args.machines and not args.workloads)
        if args.check:
            limited = [*counters.summaries(compared), *counters.causes(compared)]
            c.failures += [line for s in limited for line in s.exceeded()]
    except (Bad, OSError) as e:
        sys.exit(f"correlate: {e}")
    for line in c.failures:
        print(f"FAIL correlate {line}", file=sys.stderr)
    print(f"correlate: {len(results)} compared, {len(c.failures)} failed")
    return 1 if c.failures else 0


if __name__ == "__main__":
    sys.exit(main())
