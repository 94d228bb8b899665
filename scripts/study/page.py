# SPDX-License-Identifier: Apache-2.0
"""Pieces of a page that needs nothing else: its style, tables and folds; light or dark as the reader has it."""
from html import escape

from scripts.study.plots import HUES

# Light and dark.  Every two of a row differ also for a reader who sees no red, no green or no blue, and each stands out from its background
# (scripts/study/selftest_pages.py measures both).
PALETTE = (
    ("#2c438f", "#c78205", "#7f8bdd", "#67151b", "#17a65d", "#dd4e94", "#3e2f4f", "#785200"),
    ("#6ea5ff", "#da7000", "#c5e6ff", "#8e579b", "#e5e93b", "#337943", "#939c9d", "#ffb47d"),
)
BASE = (
    "--ink: #16181d; --soft: #565d6b; --faint: #e3e5ea; --paper: #f7f8fa; --card: #fff; --good: #14744b; --bad: #b92525; --link: #1f5fbf; --shade: #16181d33;",
    "--ink: #e8eaef; --soft: #a3abb9; --faint: #2f343e; --paper: #121419; --card: #1a1d24; --good: #46c08c; --bad: #ff7a7a; --link: #8ab8ff; --shade: #000c;",
)
DASHES = ("none", "7 3", "2 3", "9 3 2 3", "4 2", "12 4", "1 4", "9 3 2 3 2 3")
# Tiles of 6 px over the colour: a second way to tell bars apart.
HATCHES = (
    "",
    "M-1 1l2 -2M0 6l6 -6M5 7l2 -2",
    "M2 3h2",
    "M-1 5l2 2M0 0l6 6M5 -1l2 2",
    "M0 3h6",
    "M3 0v6",
    "M0 0l6 6M0 6l6 -6",
    "M0 3h6M3 0v6",
)


def variables(theme):
    return BASE[theme] + " " + " ".join(f"--s{i}: {c};" for i, c in enumerate(PALETTE[theme]))


def hatches():
    """The patterns of the bars; a page needs them once."""
    tiles = "".join(
        f'<pattern id="h{i}" width="6" height="6" patternUnits="userSpaceOnUse"><path class="s{i}" d="M0 0h6v6h-6z"/><path class="hatch" d="{d}"/></pattern>'
        for i, d in enumerate(HATCHES)
        if d
    )
    return f"<defs>{tiles}</defs>"


PLOT = (
    """
svg { font: 11px system-ui, sans-serif; }
svg text { fill: var(--soft); font-variant-numeric: tabular-nums; } svg .name { fill: var(--ink); font-size: 12px; paint-order: stroke; stroke: var(--card); stroke-width: 4px; }
svg .grid { stroke: var(--faint); } svg .axis { stroke: var(--soft); } svg .rule { stroke: var(--soft); stroke-dasharray: 4 3; }
.path { fill: none; stroke-width: 1.8; stroke-linejoin: round; } .dashed { stroke-dasharray: 5 4; }
.dot { stroke: var(--card); stroke-width: .8; } .paper { fill: var(--card); stroke: var(--ink); stroke-width: 1.4; }
.interval { fill: none; stroke: var(--ink); stroke-width: 1.2; } .halo { fill: none; stroke: var(--card); stroke-width: 3.4; }
.band { opacity: .2; }
.hatch { fill: none; stroke: var(--card); stroke-width: 1.1; opacity: .5; }
"""
    + "\n".join(
        f".s{i} {{ fill: var(--s{i}); }} {f'rect.s{i} {{ fill: url(#h{i}); }} ' if HATCHES[i] else ''}.path.s{i} {{ fill: none; stroke: var(--s{i}); }} "
        f".d{i} {{ stroke-dasharray: {DASHES[i]}; }}"
        for i in range(HUES)
    )
    + "\n"
)

STYLE = (
    f"""
:root {{ color-scheme: light dark; {variables(0)} }}
@media (prefers-color-scheme: dark) {{ :root {{ {variables(1)} }} }}
"""
    + PLOT
    + """
* { box-sizing: border-box; }
html { scroll-padding-top: 12px; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.55 system-ui, sans-serif; }
main { max-width: 1280px; margin: 0 auto; padding: 28px 24px 72px; }
a { color: var(--link); text-underline-offset: 2px; } :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
.back { font-size: 14px; margin: 0 0 20px; } .back a { text-decoration: none; }
h1 { font-size: 30px; line-height: 1.2; letter-spacing: -.02em; margin: 0 0 8px; overflow-wrap: anywhere; }
h2 { font-size: 19px; letter-spacing: -.01em; margin: 44px 0 8px; }
p { max-width: 76ch; margin: 6px 0 14px; color: var(--soft); overflow-wrap: anywhere; }
.card, .tile { background: var(--card); border: 1px solid var(--faint); border-radius: 10px; min-width: 0; padding: 16px 18px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(200px, 100%), 1fr)); gap: 14px; margin: 26px 0 8px; }
.tile b { display: block; font-size: 27px; line-height: 1.2; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.tile span { color: var(--soft); font-size: 13px; }
.contents { margin: 26px 0 0; } .contents h2 { font-size: 14px; margin: 0 0 6px; }
.contents ol { columns: 2; column-gap: 32px; margin: 0; padding-left: 22px; font-size: 14px; color: var(--soft); } .contents li { break-inside: avoid; padding: 1px 0; }
.figures { display: grid; grid-template-columns: minmax(0, 1fr); gap: 20px; margin: 26px 0 0; }
.figure h2 { font-size: 16px; line-height: 1.35; margin: 0 0 10px; } .figure p { font-size: 13.5px; line-height: 1.5; margin: 10px 0 0; }
.figure svg, .thumb svg { width: 100%; height: auto; display: block; } .plot { max-width: 640px; } .plot.small { display: none; }
@media (min-width: 1100px) { .figures { grid-template-columns: repeat(2, minmax(0, 1fr)); align-items: start; } .full, .alone { grid-column: 1 / -1; }
  .alone { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); column-gap: 54px; } .alone h2 { grid-column: 1 / -1; } .alone p:first-child { margin-top: 0; } }
.scroll { overflow-x: auto; background: linear-gradient(to right, var(--card) 30%, transparent) left / 44px 100%, linear-gradient(to left, var(--card) 30%, transparent) right / 44px 100%,
  linear-gradient(to right, var(--shade), transparent) left / 14px 100%, linear-gradient(to left, var(--shade), transparent) right / 14px 100%; background-repeat: no-repeat;
  background-attachment: local, local, scroll, scroll; }
table { border-collapse: collapse; font-size: 12.5px; line-height: 1.35; font-variant-numeric: tabular-nums; margin: 0; }
th, td { padding: 4px 8px; text-align: right; } td { white-space: nowrap; } th { font-weight: 500; color: var(--soft); vertical-align: bottom; min-width: 7ch; max-width: 17ch; }
th[colspan] { max-width: 24ch; border-bottom: 1px solid var(--faint); text-align: center; }
thead { border-bottom: 1px solid var(--soft); } tbody tr.first { border-top: 1px solid var(--faint); }
td.l, th.l { text-align: left; } td.l { white-space: normal; min-width: 9ch; max-width: 34ch; } td.ok { color: var(--good); } td.no { color: var(--bad); font-weight: 600; } td.k { font-weight: 600; }
td.command { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 46ch; font: 11.5px/1.4 ui-monospace, monospace; }
code, pre { font: 13px ui-monospace, monospace; } pre { margin: 14px 0; background: var(--card); border: 1px solid var(--faint); border-radius: 10px; padding: 12px 16px; white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin-top: 12px; } summary { cursor: pointer; color: var(--link); font-size: 13.5px; width: fit-content; padding: 2px 4px 2px 0; } details[open] > summary { margin-bottom: 8px; }
footer { margin-top: 48px; color: var(--soft); font-size: 13px; overflow-wrap: anywhere; }
.studies { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(290px, 100%), 1fr)); gap: 20px; }
.study { position: relative; display: flex; flex-direction: column; gap: 6px; padding: 0 0 14px; overflow: hidden; } .study > :not(.thumb) { margin: 0 16px; }
.study h3 { font-size: 15px; line-height: 1.35; } .study h3 a { color: var(--ink); text-decoration: none; } .study h3 a::after { content: ""; position: absolute; inset: 0; border-radius: 10px; }
.study h3 a:focus-visible { outline: none; } .study h3 a:focus-visible::after { outline: 2px solid var(--link); outline-offset: -3px; } .study:hover { border-color: var(--soft); }
.study p { font-size: 13px; line-height: 1.45; } .study .links { margin-top: auto; } .study .links a { position: relative; z-index: 1; }
.thumb { height: 132px; padding: 14px 16px 0; border-bottom: 1px solid var(--faint); margin-bottom: 8px; overflow: hidden; } .thumb svg { height: 118px; }
.state { font-weight: 600; color: var(--soft); } .state.failed { color: var(--bad); } .state.current { color: var(--good); }
@media (max-width: 640px) { main { padding: 20px 12px 40px; } h1 { font-size: 24px; } .card { padding: 14px 12px; } .study { padding: 0 0 14px; } .contents ol { columns: 1; } .plot.large { display: none; } .plot.small { display: block; max-width: 420px; } }
@media print { @page { size: A4; margin: 10mm; } body { background: none; } main { max-width: none; padding: 0; } .card { border: 0; padding: 0 0 8mm; }
  .tiles, .figures, .alone { display: block; } .figure .plot.large { display: block; max-width: 160mm; } .figure svg { max-height: 255mm; width: auto; max-width: 100%; } .figure .plot.small, .back, .contents { display: none; } .scroll { overflow: visible; background: none; }
  table { font-size: 8px; width: 100%; } th, td { padding: 2px 3px; white-space: normal; min-width: 0 !important; } .data > summary { display: none; }
  .data:not([open])::details-content { content-visibility: visible; display: block; height: auto; }
  pre { font-size: 9px; } tr, svg { break-inside: avoid; } h2, h3 { break-after: avoid; } }
"""
)


def document(title, body, back=True):
    """`back`: is it one of the pages that the index leads to?"""
    link = '<nav class="back"><a href="index.html">&larr; All studies</a></nav>' if back else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<title>{escape(title)}</title><style>{STYLE}</style></head><body><svg width="0" height="0" style="position:absolute" aria-hidden="true">{hatches()}</svg>'
        f"<main>{link}{body}</main></body></html>\n"
    )


def stacked(svgs, label):
    """Plots below each other as one."""
    parts, y = [], 0
    for svg in svgs:
        width, height = svg[svg.index('viewBox="') + 9 :].split('"')[0].split()[2:]
        parts.append(svg.replace("<svg ", f'<svg y="{y}" width="{width}" height="{height}" ', 1))
        y += int(height) + 16
    return f'<svg viewBox="0 0 {width} {y}" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'


def standalone(svg):
    """A plot as a file of its own: on white, so that it can be read on any background."""
    width, height = map(float, svg[svg.index('viewBox="') + 9 :].split('"')[0].split()[2:])
    style = f":root {{ {variables(0)} }}{PLOT}".replace("\n", " ")
    inside = svg.replace("<svg ", f'<svg x="16" y="16" width="{width:.0f}" height="{height:.0f}" ', 1)
    return (
        '<!-- SPDX-License-Identifier: Apache-2.0 -->\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + 32:.0f} {height + 32:.0f}" width="{width + 32:.0f}" height="{height + 32:.0f}"><style>{style}</style>{hatches()}'
        f'<rect width="100%" height="100%" rx="10" style="fill: #fff"/>{inside}</svg>\n'
    ).replace("><", ">\n<")


def tile(value, words):
    return f'<div class="tile"><b>{escape(value)}</b><span>{escape(words)}</span></div>'


def head_rows(heads, left):
    """Two rows where a head has two lines: the head above "here" is repeated above "paper"."""
    if not any(top for top, _ in heads):
        return (
            "<tr>"
            + "".join(f'<th{" class=l" if i < left else ""}>{escape(below)}</th>' for i, (_, below) in enumerate(heads))
            + "</tr>"
        )
    first, second = "", ""
    for i, (top, below) in enumerate(heads):
        cls = ' class="l"' if i < left else ""
        pair = i + 1 < len(heads) and below and heads[i + 1] == ("", "paper")
        if top and below:
            first += f'<th{" colspan=2" if pair else ""}>{escape(top)}</th>'
            second += f"<th>{escape(below)}</th>"
        elif below == "paper" and i and heads[i - 1][1] == "here":
            second += f"<th>{escape(below)}</th>"
        else:
            first += f"<th{cls} rowspan=2>{escape(top or below)}</th>"
    return f"<tr>{first}</tr><tr>{second}</tr>"


def html_table(heads, rows, left, group):
    def cell(i, text, first):
        cls = (
            "l"
            if i < left
            else "command"
            if heads[i][1] == "command"
            else "ok"
            if "agree" in text
            else "no"
            if "differ" in text
            else ""
        )
        return f'<td class="{cls}{" k" if i == 0 else ""}">{escape(text if i or first else "")}</td>'

    body = "".join(
        f'<tr class="{"first" if n % group == 0 else ""}">'
        + "".join(cell(i, t, n % group == 0) for i, t in enumerate(row))
        + "</tr>"
        for n, row in enumerate(rows)
    )
    return f"<table><thead>{head_rows(heads, left)}</thead><tbody>{body}</tbody></table>"


def scrolling(table, name):
    """A table that is wider than its card scrolls there; a shadow at its side says so, and the keyboard reaches it."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(name)}">{table}</div>'


def fold(words, body, cls=""):
    return f'<details class="{cls}"><summary>{escape(words)}</summary>{body}</details>'
