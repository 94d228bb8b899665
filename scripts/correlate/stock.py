# SPDX-License-Identifier: Apache-2.0
"""make correlate-stock STOCK=folder: memtwin on configurations that ship with the reference, beside the reference's cycles on these very files (stock.toml).

python3 -B -m scripts.correlate.stock PROGRAM FOLDER DOCUMENT [--kept FILE] [--update]; FOLDER has a folder for each configuration, with its gpgpusim.config,
trace.config and crossbar's file.  Exit status 1 if a file is missing or another one, a run failed, or the table of the document differs.
"""
import argparse
import pathlib
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
    """Digest of the options of a configuration."""
    files = []
    for pattern in FILES:
        found = sorted(folder.glob(pattern))
        if len(found) != 1:
            raise Bad(f"{folder}: found {len(found)} files {pattern}, expected one")
        files += found
    return machines.digest_of_options(files)


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
                if workload not in card:
                    row += " | - | -"
                    continue
                more = [word for option in card.get("set", []) for word in ("-s", option)]
                cycles, _ = machines.run_kernels(program, trace, "-c", str(files / FILES[0]), *more)
                row += f" | {card[workload]:,} | {cycles:,}"
            rows.append(row + " |\n")
    return "".join(rows)


def keep_table(command, arguments, default, counted):
    """The command: prints the table of counted(arguments, kept numbers), writes it into DOCUMENT or compares it with that there, and says the rest.  Status 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog=command)
    for name in (*arguments, "document"):
        parser.add_argument(name)
    parser.add_argument("--kept", type=pathlib.Path, default=default)
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    try:
        with open(args.kept, "rb") as f:
            text, wrong, said = counted(args, tomllib.load(f))
    except (Bad, OSError) as e:
        sys.exit(f"FAIL {command}: {e}")
    print(text, end="")
    for problem in wrong:
        print(f"FAIL {command}: {problem}")
    marked.keep(command, args.document, text, args.update)
    print(f"{command}: {said}, {len(wrong)} failed")
    sys.exit(bool(wrong))


def counted(args, kept):
    text = table(Program(args.program), pathlib.Path(args.folder), kept)
    return text, [], f"{len(kept['configurations'])} configurations"


if __name__ == "__main__":
    keep_table("correlate-stock", ("program", "folder"), KEPT, counted)
