# SPDX-License-Identifier: Apache-2.0
"""make correlate-stock STOCK=folder: memtwin on configurations that ship with the reference, beside the reference's cycles on these very files (stock.toml).

python3 -B -m scripts.correlate.stock PROGRAM FOLDER DOCUMENT [--kept FILE] [--update]; FOLDER has a folder for each configuration, with its gpgpusim.config,
trace.config and crossbar's file.  Exit status 1 if a file is missing or another one, a run failed, or the table of the document differs.
"""
import argparse
import hashlib
import json
import pathlib
import re
import sys
import tempfile
import tomllib

from scripts import marked
from scripts.correlate import machines
from scripts.study.expressions import Bad
from scripts.study.program import Program

KEPT = pathlib.Path(__file__).parent / "stock.toml"
FILES = ("gpgpusim.config", "trace.config", "*.icnt")


def digest_of(folder):
    """Digest of the options of a configuration, independent of order and comments."""
    lines = []
    for pattern in FILES:
        found = sorted(folder.glob(pattern))
        if len(found) != 1:
            raise Bad(f"{folder}: found {len(found)} files {pattern}, expected one")
        text = found[0].read_text(encoding="utf-8", errors="replace")
        lines += [" ".join(re.sub(r"(#|//).*", "", line).split()) for line in text.splitlines()]
    return hashlib.sha256("\n".join(sorted(filter(None, lines))).encode()).hexdigest()[:16]


def cycles(program, config, trace, options):
    """Of a run on that file, with these options, without the launches of its kernels."""
    more = [word for option in options for word in ("-s", option)]
    run = json.loads(program.ask("run", str(trace), "-c", str(config), *more, "--quiet", "--kernels", "--json", "-"))
    launches = len(run["kernels"]) * int(run["config"]["sm.launch_cycles"])
    return int(run["counters"]["gpu.cycles"]) - launches


def table(program, folder, kept):
    """A row for each configuration that is kept."""
    names = list(kept["workloads"])
    head = "".join(f" | `{name}`, Accel-Sim | memtwin" for name in names)
    rows = [f"| configuration{head} |\n| --- |{' ---: | ---: |' * len(names)}\n"]
    with tempfile.TemporaryDirectory() as temporary:
        traces = {name: pathlib.Path(temporary) / name for name in names}
        for name, trace in traces.items():
            machines.write_trace(program, kept["workloads"][name], trace)
        for name, card in kept["configurations"].items():
            files = folder / card.get("files", name)
            found = digest_of(files)
            if found != card["digest"]:
                raise Bad(f"{files}: found other options, digest {found}, expected {card['digest']}: {kept['version']}")
            row = f"| {card.get('label', name)}"
            for workload, trace in traces.items():
                options = card.get("set", [])
                ours = f"{cycles(program, files / FILES[0], trace, options):,}" if workload in card else "-"
                row += f" | {card[workload]:,} | {ours}" if workload in card else " | - | -"
            rows.append(row + " |\n")
    return "".join(rows)


def main():
    parser = argparse.ArgumentParser(prog="correlate-stock")
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("document")
    parser.add_argument("--kept", type=pathlib.Path, default=KEPT)
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    try:
        with open(args.kept, "rb") as f:
            kept = tomllib.load(f)
        text = table(Program(args.program), args.folder, kept)
    except (Bad, OSError) as e:
        sys.exit(f"FAIL correlate-stock: {e}")
    print(text, end="")
    marked.keep("correlate-stock", args.document, text, args.update)
    print(f"correlate-stock: {len(kept['configurations'])} configurations, {args.document} has their table")


if __name__ == "__main__":
    main()
