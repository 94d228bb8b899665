# SPDX-License-Identifier: Apache-2.0
"""Every page of a report in headless Chromium: check.py FOLDER [--shots FOLDER] [--selftest].

At three widths, light and dark: nothing overflows, no text of a plot is cut, small or on another, the axes cover the data, a legend names every
series, and everything stands out from its background (measure.js).  The Tab key reaches every link and fold, with a visible focus.  Printed,
every word of every table is on the paper.  --selftest plants one fault of each kind in the first study's page with bars and expects it to be found.
"""
import argparse
import collections
import html
import pathlib
import re
import subprocess
import sys
import tempfile

from scripts.pages.browser import Browser

WIDTHS = (390, 800, 1400)
SHOTS = ((390, False), (390, True), (800, False), (1400, False), (1400, True))
MEASURE = (pathlib.Path(__file__).parent / "measure.js").read_text(encoding="utf-8")
FOCUSED = """(() => { const e = document.activeElement, s = getComputedStyle(e), after = getComputedStyle(e, '::after');
  return [[...document.querySelectorAll('a[href], summary, .scroll')].indexOf(e), [s, after].some(s => s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2)]; })()"""
REACHABLE = "[...document.querySelectorAll('a[href], summary, .scroll')].map(e => [e.checkVisibility({contentVisibilityAuto: true}), e.textContent.slice(0, 40)])"


def measured(browser, path, shots, name):
    """Faults on a screen."""
    wrong = []
    for width in WIDTHS:
        for dark in (False, True):
            browser.open(path, width, dark)
            where = f"{width} px{', dark' if dark else ''}"
            wrong += [f"{where}: {w}" for w in browser.run(MEASURE)]
            if shots and (width, dark) in SHOTS:
                browser.shot(shots / f"{name}-{width}{'-dark' if dark else ''}.png")
    browser.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    return wrong + [f"{WIDTHS[-1]} px, all unfolded: {w}" for w in browser.run(MEASURE) if w not in "".join(wrong)]


def keyboard(browser, path):
    """Links and tables that the Tab key does not reach, or whose focus cannot be seen."""
    browser.open(path, WIDTHS[-1])
    wanted = browser.run(REACHABLE)
    reached, blind = set(), []
    for _ in range(len(wanted) + 2):
        browser.press("Tab", 9)
        i, visible = browser.run(FOCUSED)
        if i in reached or i < 0:
            break
        reached.add(i)
        blind += [] if visible else [f'keyboard: "{wanted[i][1]}" has the focus without a sign']
    return (
        blind[:1]
        + [
            f'keyboard: Tab does not reach "{words}"'
            for i, (there, words) in enumerate(wanted)
            if there and i not in reached
        ][:3]
    )


def words_of_tables(text):
    """How often each word stands in the tables that are printed."""
    shown = re.sub(r'<details class="long">.*?</details>', "", text, flags=re.S)
    cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", shown, re.S)
    return collections.Counter(w for c in cells for w in html.unescape(re.sub(r"<[^>]*>", " ", c)).split())


def printed(browser, path, text, pdf):
    """Faults of the printed page."""
    browser.open(path, WIDTHS[-1])
    browser.pdf(pdf)
    boxes = subprocess.run(["pdftotext", "-bbox", pdf, "-"], check=True, capture_output=True, text=True).stdout
    there = collections.Counter()
    for sheet in re.findall(r"<page .*?</page>", boxes, re.S):
        width = float(re.search(r'<page width="([\d.]+)"', sheet)[1])
        there += collections.Counter(
            html.unescape(w)
            for x0, x1, w in re.findall(r'xMin="([-\d.]+)".*?xMax="([-\d.]+)".*?>(.*?)</word>', sheet)
            if float(x0) >= 0 and float(x1) <= width
        )
    missing = words_of_tables(text) - there
    return (
        [f"printed: {sum(missing.values())} words of tables are not on the paper, the first {next(iter(missing))}"]
        if missing
        else []
    )


def written(text, name):
    """Words that the text of the page lacks."""
    wrong = [] if '<meta name="viewport"' in text else ["no viewport line"]
    if name != "index" and 'href="index.html"' not in text:
        wrong.append("no link back to the index")
    inside = set(re.findall(r' id="([^"]*)"', text))
    return wrong + [
        f"a link to #{target}, which is not there"
        for target in re.findall(r'href="#([^"]*)"', text)
        if target not in inside
    ]


def check(browser, text, name, shots):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "page.html"
        path.write_text(text, encoding="utf-8")
        wrong = written(text, name) + measured(browser, path, shots, name) + keyboard(browser, path)
        return wrong + printed(browser, path, text, (shots or pathlib.Path(folder)) / f"{name}.pdf")


# Planted faults: pattern, new text, words that the check must print.
PLANTED = [
    (r'<meta name="viewport"[^>]*>', "", "no viewport line"),
    (r'href="index.html"', 'href="other.html"', "no link back to the index"),
    (r'href="#figure1"', 'href="#figure0"', "a link to #figure0, which is not there"),
    (r"<main>", '<main><div style="width:420px">wide</div>', "390 px: the page is"),
    (r"<h2>", '<h2 style="width:3000px">', "px outside of its card"),
    (r"\.scroll \{ overflow-x: auto;[^}]*\}", ".scroll { overflow-x: auto; }", "is cut without a sign"),
    (r'(class="name".*?<text x=)"[\d.]+" ', r'\1"-40.0" ', "is cut"),
    (r"svg \{ font: 11px", "svg { font: 7px", "px high"),
    (r'(<text x="[\d.]+" y="[\d.]+" class="tick".*?</text>)', r"\1\1", "stands on"),
    (r'(<g class="area"[^>]*><rect [^>]*?)width="[\d.]+"', r'\1width="2000"', "the axis ends before"),
    (r'data-of="s0"', 'data-of="s9"', "the series s0 is not named in a legend"),
    (r"--soft: #\w+;", "--soft: #aaa;", "has a contrast of 2.3"),
    (
        r"(?s)(prefers-color-scheme: dark.*?)--soft: #\w+;",
        r"\1--soft: #444;",
        "390 px, dark: text of p has a contrast of",
    ),
    (r"--s1: #\w+;", "--s1: #f0e442;", "the colour of series 1 has a contrast of 1.3"),
    (r':focus-visible \{[^}]*\}', "*:focus { outline: none; }", "has the focus without a sign"),
    (r"<summary>", '<summary tabindex="-1">', "keyboard: Tab does not reach"),
    (r"@media print \{(?s:.*?\} \})\n", "table { width: 2000px; }\n", "words of tables are not on the paper"),
    (r"\.data:not\(\[open\]\)::details-content \{[^}]*\}", "", "words of tables are not on the paper"),
]


def selftest(browser, text):
    failed = 0
    for pattern, new, said in PLANTED:
        planted, count = re.subn(pattern, new, text, count=1)
        found = check(browser, planted, "planted", None) if count else ["there is no place for it"]
        good = any(said in f for f in found)
        failed += not good
        print(f"{'ok   ' if good else 'FAIL '} planted: {said}{'' if good else f'; found {found[:4]}'}", flush=True)
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
    browser, failed = Browser(), 0
    for page in pages:
        wrong = check(browser, page.read_text(encoding="utf-8"), page.stem, options.shots and options.shots.absolute())
        failed += bool(wrong)
        print(f"{'FAIL ' if wrong else 'ok   '} {page}" + "".join(f"\n      {w}" for w in wrong), flush=True)
    count = len(pages)
    if options.selftest:
        failed += selftest(
            browser,
            next(
                t
                for t in (p.read_text(encoding="utf-8") for p in pages if p.name.startswith("study-"))
                if 'class="area"' in t and "<rect x" in t
            ),
        )
        count += len(PLANTED)
    browser.close()
    print(f"pages: {count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
