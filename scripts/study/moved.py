# SPDX-License-Identifier: Apache-2.0
"""Numbers of the documents beside those of an earlier commit: which moved, and why, as the table of docs/moved-numbers.md.

python3 -B -m scripts.study.moved [--update]

The page names the commit.  Numbers are those between the marks <!-- study NAME SIZE, METRIC of CASE -->; both trees must have them.  The last
column of the table is written by hand and stays with its row; a row without it fails."""
import pathlib
import re
import subprocess
import sys

from scripts.study.documents import NUMBER
from scripts.study.files import write_whole

PAGE = pathlib.Path("docs/moved-numbers.md")
TABLE = re.compile(r"(<!-- moved since (?P<commit>[0-9a-f]+) -->\n)(?P<body>.*?)(<!-- /moved -->)", re.S)
VALUE = re.compile(r"([-+]?[\d.,]+)( %)?")
LEAST = 0.02
HEAD = "| number | then | now | change, % | cause |\n| --- | ---: | ---: | ---: | --- |\n"
NONE = "not known"


def git(*words):
    done = subprocess.run(["git", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"FAIL moved: {PAGE}: git {' '.join(words)}: {done.stderr.strip()}; expected a clone with its history")
    return done.stdout


def numbers(texts):
    """Of each mark: its text and the document in which it stands first."""
    found = {}
    for document, text in texts:
        for m in NUMBER.finditer(text):
            found.setdefault(f"{m['name']} {m['size']}, {m['what']}", (m["body"], document))
    return found


def ratio(text):
    """A gain in percent as a ratio; None: no number."""
    m = VALUE.fullmatch(text)
    if not m:
        return None
    value = float(m[1].replace(",", ""))
    return 1 + value / 100 if m[2] else value


def moved(then, now):
    """The numbers that both have, but not a paper's, with their change, the largest first."""
    rows = []
    for name in then.keys() & now.keys():
        before, after = ratio(then[name][0]), ratio(now[name][0])
        if not name.endswith(", paper") and before and after and abs(after / before - 1) > LEAST:
            rows.append((name, then[name][0], now[name][0], after / before - 1, now[name][1]))
    return sorted(rows, key=lambda r: (-abs(r[3]), r[0]))


def causes(body):
    """The last column by the first."""
    rows = (line.strip().strip("|").split("|") for line in body.splitlines()[2:])
    return {cells[0].strip(): cells[-1].strip() for cells in rows}


def table(rows, known):
    lines = []
    for name, before, after, change, document in rows:
        first = f"[{name}]({pathlib.Path(document).name})"
        lines.append(f"| {first} | {before} | {after} | {100 * change:+.1f} | {known.get(first, NONE)} |\n")
    return HEAD + "".join(lines)


def main():
    text = PAGE.read_text(encoding="utf-8")
    m = TABLE.search(text)
    if not m:
        sys.exit(f"FAIL moved: {PAGE}: found no <!-- moved since COMMIT --> ... <!-- /moved -->")
    commit = m["commit"]
    before = [f for f in git("ls-tree", "-r", "--name-only", commit, "docs").split() if f.endswith(".md")]
    then = numbers((f, git("show", f"{commit}:{f}")) for f in before)
    now = numbers(
        (f, pathlib.Path(f).read_text(encoding="utf-8")) for f in sorted(git("ls-files", "docs/*.md").split())
    )
    rows = moved(then, now)
    new = TABLE.sub(lambda m: m[1] + table(rows, causes(m["body"])) + m[4], text)
    if "--update" in sys.argv[1:]:
        write_whole(PAGE, new)
    elif new != text:
        sys.exit(
            f"FAIL moved: {PAGE}: found other rows than {commit} and the documents give; make moved UPDATE=1 writes them"
        )
    unknown = new.count(f"| {NONE} |\n")
    both = sum(not n.endswith(", paper") for n in then.keys() & now.keys())
    print(f"moved: {len(rows)} of {both} numbers by more than {LEAST:.0%}, {unknown} without a cause")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
