# SPDX-License-Identifier: Apache-2.0
"""The blocks that cases of a study run as RTL, for make.  usage: python3 -m study.rtl FOLDER NAME (all: of every study)"""
import sys
import tomllib
from pathlib import Path


def blocks(path):
    try:
        cases = tomllib.loads(path.read_text(encoding="utf-8")).get("cases", {})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return set()  # the study says what is wrong
    listed = [c.get("rtl", []) for c in cases.values() if isinstance(c, dict)]
    return {b for rtl in listed for b in ([rtl] if isinstance(rtl, str) else rtl)}


if __name__ == "__main__":
    folder, name = sys.argv[1:]
    print(" ".join(sorted(set().union(*(blocks(p) for p in Path(folder).glob("*.toml" if name == "all" else f"{name}.toml"))))))
