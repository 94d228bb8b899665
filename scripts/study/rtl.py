# SPDX-License-Identifier: Apache-2.0
"""The RTL sets of a study's machines, as BLOCK/SET, for make.  usage: python3 -B -m scripts.study.rtl STUDIES NAME SIZE PROGRAM [ONLY ...]
NAME all: all studies.  Errors in a study are not reported here, but by the study itself."""
import sys
from pathlib import Path

from scripts.study import plan
from scripts.study.expressions import Bad
from scripts.study.program import Program
from scripts.study.spec import load


def sets(file, size, program, only):
    try:
        if "rtl" in file.read_text(encoding="utf-8"):
            return {s for p in plan.points(load(file, size, program, only), program) for s in p.sets}
    except (Bad, OSError, UnicodeDecodeError):
        pass
    return set()


def main():
    folder, name, size, path, *only = sys.argv[1:]
    program = Program(path)
    program.rtl_digest = lambda sets: ""  # they are not built yet
    files = Path(folder).glob("*.toml" if name == "all" else f"{name}.toml")
    print(" ".join(sorted({s for f in files for s in sets(f, size, program, only)})))


if __name__ == "__main__":
    main()
