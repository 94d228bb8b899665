# SPDX-License-Identifier: Apache-2.0
"""Building blocks of a self-contained page: number tables and SVG plots, light or dark by the reader's setting."""
from html import escape

STYLE = """
:root { color-scheme: light dark; --ink: #16181d; --soft: #5c6370; --faint: #e3e5ea; --paper: #fbfbfc; --card: #fff;
  --good: #1a8a5a; --bad: #c62f2f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaef; --soft: #9aa2b1; --faint: #2b2f38; --paper: #121419; --card: #1a1d24;
  --good: #46c08c; --bad: #ff6f6f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.55 system-ui, sans-serif; }
main { max-width: 1280px; margin: 0 auto; padding: 48px 24px 80px; }
h1 { font-size: 30px; line-height: 1.2; letter-spacing: -.02em; margin: 0 0 8px; }
h2 { font-size: 19px; letter-spacing: -.01em; margin: 52px 0 4px; }
p { max-width: 76ch; margin: 6px 0 16px; color: var(--soft); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(200px, 100%), 1fr)); gap: 14px; margin: 30px 0 8px; }
.tile, .card { background: var(--card); border: 1px solid var(--faint); border-radius: 10px; }
.tile { padding: 16px 18px; } .card { min-width: 0; padding: 16px 18px 8px; overflow-x: auto; }
.tile b { display: block; font-size: 27px; line-height: 1.2; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.tile span { color: var(--soft); font-size: 13px; }
h3 { font-size: 14px; font-weight: 600; margin: 0 0 8px; }
svg { width: 100%; height: auto; display: block; font: 11px system-ui, sans-serif; }
svg text { fill: var(--soft); font-variant-numeric: tabular-nums; } svg .name { fill: var(--ink); font-size: 12px; }
svg .grid { stroke: var(--faint); } svg .axis { stroke: var(--soft); }
COLOURS
.key { display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: 12.5px; color: var(--soft); margin: 2px 0 8px; }
.key i { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 6px; }
table { border-collapse: collapse; font-size: 12.5px; font-variant-numeric: tabular-nums; white-space: nowrap; margin: 0 0 8px; }
th, td { padding: 4px 7px; text-align: right; } th { font-weight: 500; color: var(--soft); vertical-align: bottom; line-height: 1.3; }
thead tr { border-bottom: 1px solid var(--soft); } tbody tr.first { border-top: 1px solid var(--faint); }
td.l, th.l { text-align: left; } td.ok { color: var(--good); } td.no { color: var(--bad); font-weight: 600; } td.k { font-weight: 600; }
code, pre { font: 13px ui-monospace, monospace; } pre { background: var(--card); border: 1px solid var(--faint); border-radius: 10px; padding: 14px 18px; overflow-x: auto; }
@media (max-width: 600px) { main { padding: 28px 12px 48px; } h1 { font-size: 24px; } .card { padding: 12px 12px 6px; } .card svg { min-width: 560px; } }
@media print { @page { size: A4 landscape; margin: 10mm; } body { background: none; } main { max-width: none; padding: 0; } .card { overflow: visible; border: 0; padding: 0; }
  .tiles { display: block; } .card svg { max-width: 180mm; } table { font-size: 8.5px; white-space: normal; width: 100%; } th, td { padding: 2px 3px; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 9px; } tr, svg { break-inside: avoid; } h2, h3 { break-after: avoid; } }
details { margin-top: 12px; } summary { cursor: pointer; color: var(--soft); } footer { margin-top: 56px; color: var(--soft); font-size: 13px; }
"""


def key(items):
    return '<div class="key">' + "".join(f'<span><i class="{c}"></i>{escape(t)}</span>' for c, t in items) + "</div>"


def tile(value, words):
    return f'<div class="tile"><b>{escape(value)}</b><span>{escape(words)}</span></div>'


def html_table(heads, rows, left, group):
    def cell(i, text, first):
        cls = "l" if i < left else "ok" if "agree" in text else "no" if "differ" in text else ""
        return f'<td class="{cls}{" k" if i == 0 else ""}">{escape(text if i or first else "")}</td>'
    head = "".join(f'<th class="{"l" if i < left else ""}">{escape(top)}<br>{escape(below)}</th>' for i, (top, below) in enumerate(heads))
    body = "".join(f'<tr class="{"first" if n % group == 0 else ""}">' +
                   "".join(cell(i, t, n % group == 0) for i, t in enumerate(row)) + "</tr>" for n, row in enumerate(rows))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
