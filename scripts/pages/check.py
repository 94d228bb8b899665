#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every page of a report in headless Chromium: check.py FOLDER [--shots FOLDER] [--selftest].

At three widths nothing may overflow the page, no text of a plot may be cut, and the axes must cover the data.  Printed, every word of every
table must be on the paper.  --selftest plants one fault of each kind in the first page with bars and expects it to be found.
"""
import argparse
import collections
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

WIDTHS = (390, 800, 1400)
CHROMIUM = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--virtual-time-budget=4000"]

# Runs in the page, inside a frame of the tested width.  The frame's document reports to the outer document.
MEASURE = """<script>addEventListener('load', () => {
  const found = [], root = document.documentElement;
  if (root.scrollWidth > innerWidth) found.push(`the page is ${root.scrollWidth} px wide in a window of ${innerWidth}`);
  for (const svg of document.querySelectorAll('svg')) {
    const box = svg.viewBox.baseVal, name = svg.getAttribute('aria-label');
    for (const t of svg.querySelectorAll('text')) {
      const b = t.getBBox();
      if (b.x < -1 || b.x + b.width > box.width + 1 || b.y < -1 || b.y + b.height > box.height + 1) found.push(`plot "${name}": text "${t.textContent}" is cut`);
    }
    const lines = [...svg.querySelectorAll('line')], at = (l, n) => +l.getAttribute(n);
    const across = lines.filter(l => at(l, 'y1') === at(l, 'y2')).map(l => at(l, 'y1')), down = lines.filter(l => at(l, 'x1') === at(l, 'x2')).map(l => at(l, 'x1'));
    for (const e of svg.querySelectorAll('rect, circle, path')) {
      const b = e.getBBox(), mark = e.tagName === 'rect' ? 1 : 6;
      if (down.length && (b.x < Math.min(...down) - mark || b.x + b.width > Math.max(...down) + mark)) found.push(`plot "${name}": the axis ends before ${e.textContent}`);
      if (across.length && (b.y < Math.min(...across) - mark || b.y + b.height > Math.max(...across) + mark)) found.push(`plot "${name}": the axis ends before ${e.textContent}`);
    }
  }
  parent.document.getElementById('found').textContent = JSON.stringify(found);
});</script>"""


def chromium(folder, *arguments):
    done = subprocess.run([*CHROMIUM, f"--user-data-dir={folder}/profile", *arguments], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        sys.exit(f"pages: chromium: exit status {done.returncode}: {done.stderr.strip().splitlines()[-1:]}")
    return done.stdout


def at_width(text, width, shot):
    """Layout errors of the page in a window of this width; writes a screenshot to `shot`."""
    with tempfile.TemporaryDirectory() as folder:
        outer = pathlib.Path(folder) / "outer.html"
        outer.write_text(f'<!doctype html><meta charset="utf-8"><body style="margin:0"><iframe style="border:0;width:{width}px;height:2400px" srcdoc="'
                         f'{html.escape(text + MEASURE)}"></iframe><pre id="found">nothing measured</pre></body>', encoding="utf-8")
        found = re.search(r'<pre id="found">(.*?)</pre>', chromium(folder, "--dump-dom", f"--window-size={max(width, 500)},2400", outer.as_uri()), re.S)
        try:
            wrong = json.loads(html.unescape(found[1]))
        except (TypeError, ValueError):
            wrong = ["the page was not measured"]
        if shot:
            chromium(folder, f"--screenshot={shot}", f"--window-size={width},2400", outer.as_uri())
        return [f"{width} px: {w}" for w in dict.fromkeys(wrong)]


def words_of_tables(text):
    """Number of occurrences of each word in the printed tables."""
    shown = re.sub(r"<details>.*?</details>", "", text, flags=re.S)
    cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", shown, re.S)
    return collections.Counter(w for c in cells for w in html.unescape(re.sub(r"<[^>]*>", " ", c)).split())


def printed(text, target):
    """Layout errors of the page on paper."""
    with tempfile.TemporaryDirectory() as folder:
        page, boxes = pathlib.Path(folder) / "page.html", pathlib.Path(folder) / "boxes.html"
        page.write_text(text, encoding="utf-8")
        pdf = target or f"{folder}/page.pdf"
        chromium(folder, f"--print-to-pdf={pdf}", "--no-pdf-header-footer", page.as_uri())
        subprocess.run(["pdftotext", "-bbox", pdf, boxes], check=True)
        there = collections.Counter()
        for sheet in re.findall(r"<page .*?</page>", boxes.read_text(encoding="utf-8"), re.S):
            width = float(re.search(r'<page width="([\d.]+)"', sheet)[1])
            there += collections.Counter(html.unescape(w) for x0, x1, w in re.findall(r'xMin="([-\d.]+)".*?xMax="([-\d.]+)".*?>(.*?)</word>', sheet)
                                         if float(x0) >= 0 and float(x1) <= width)
        missing = words_of_tables(text) - there
        return [f"printed: {sum(missing.values())} words of tables are not on the paper, the first {next(iter(missing))}"] if missing else []


def check(text, name, shots):
    wrong = [] if '<meta name="viewport"' in text else ["no viewport line"]
    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(at_width, text, w, shots and str(shots / f"{name}-{w}.png")) for w in WIDTHS]
        jobs.append(pool.submit(printed, text, shots and str(shots / f"{name}.pdf")))
        return wrong + [w for job in jobs for w in job.result()]


# Planted faults: pattern, new text, words that the check must print.
PLANTED = [
    (r'<meta name="viewport"[^>]*>', "", "no viewport line"),
    (r"<main>", '<main><div style="width:420px">wide</div>', "390 px: the page is"),
    (r'(<text x=)"[\d.]+" ', r'\1"-40.0" ', "is cut"),
    (r'(<rect [^>]*?)width="[\d.]+"', r'\1width="2000"', "the axis ends before"),
    (r"@media print \{.*\n.*\n.*\} \}\n", "table { width: 2000px; }\n", "words of tables are not on the paper"),
]


def selftest(text):
    failed = 0
    for pattern, new, said in PLANTED:
        planted, count = re.subn(pattern, new, text, count=1)
        found = check(planted, "planted", None) if count else ["there is no place for it"]
        good = any(said in f for f in found)
        failed += not good
        print(f"{'ok   ' if good else 'FAIL '} planted: {said}{'' if good else f'; found {found}'}")
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--shots", type=pathlib.Path)
    parser.add_argument("--selftest", action="store_true")
    options = parser.parse_args()
    pages = sorted(options.folder.glob("*.html"))
    if not pages:
        sys.exit(f"pages: {options.folder}: found no page, expected some: make run, make study NAME=...")
    if options.shots:
        options.shots.mkdir(parents=True, exist_ok=True)
    failed = 0
    for page in pages:
        wrong = check(page.read_text(encoding="utf-8"), page.stem, options.shots and options.shots.absolute())
        failed += bool(wrong)
        print(f"{'FAIL ' if wrong else 'ok   '} {page}" + "".join(f"\n      {w}" for w in wrong))
    count = len(pages)
    if options.selftest:
        failed += selftest(next(p for p in pages if "<rect " in p.read_text(encoding="utf-8")).read_text(encoding="utf-8"))
        count += len(PLANTED)
    print(f"pages: {count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
