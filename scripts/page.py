"""The report as one page that needs nothing else: numbers as tables, plots as SVG, light or dark as the reader has it."""
from html import escape

import plots
from results import CASES, CAUSES, PAPER, STUDY

STYLE = """
:root { color-scheme: light dark; --ink: #16181d; --soft: #5c6370; --faint: #e3e5ea; --paper: #fbfbfc; --card: #fff;
  --mshr: #9aa3b2; --dl: #2a6fdb; --worse: #d2572b; --good: #1a8a5a; --bad: #c62f2f;
  --line: #8d6fd1; --mshr_entry: #d94a4a; --mshr_merge: #e8a317; --mshr_drain: #22a884; --miss_queue: #3b82d6; --response: #9aa3b2; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaef; --soft: #9aa2b1; --faint: #2b2f38; --paper: #121419; --card: #1a1d24;
  --mshr: #6d7686; --dl: #5b9bff; --worse: #ef7d54; --good: #46c08c; --bad: #ff6f6f;
  --line: #a78bea; --mshr_entry: #f06a6a; --mshr_merge: #f2b53c; --mshr_drain: #3fc79f; --miss_queue: #67a6f0; --response: #6d7686; } }
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
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(460px, 100%), 1fr)); gap: 14px; }
h3 { font-size: 14px; font-weight: 600; margin: 0 0 8px; }
svg { width: 100%; height: auto; display: block; font: 11px system-ui, sans-serif; }
svg text { fill: var(--soft); font-variant-numeric: tabular-nums; } svg .name { fill: var(--ink); font-size: 12px; }
svg .grid { stroke: var(--faint); } svg .axis { stroke: var(--soft); }
.mshr { fill: var(--mshr); background: var(--mshr); } .dl { fill: var(--dl); background: var(--dl); } .worse { fill: var(--worse); background: var(--worse); }
KEYS
.key { display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: 12.5px; color: var(--soft); margin: 2px 0 8px; }
.key i { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 6px; }
table { border-collapse: collapse; font-size: 12.5px; font-variant-numeric: tabular-nums; white-space: nowrap; margin: 0 0 8px; }
th, td { padding: 4px 7px; text-align: right; } th { font-weight: 500; color: var(--soft); vertical-align: bottom; line-height: 1.3; }
thead tr { border-bottom: 1px solid var(--soft); } tbody tr.first { border-top: 1px solid var(--faint); }
td.l, th.l { text-align: left; } td.ok { color: var(--good); } td.no { color: var(--bad); font-weight: 600; } td.k { font-weight: 600; }
code, pre { font: 13px ui-monospace, monospace; } pre { background: var(--card); border: 1px solid var(--faint); border-radius: 10px; padding: 14px 18px; overflow-x: auto; }
@media (max-width: 600px) { main { padding: 28px 12px 48px; } h1 { font-size: 24px; } .card { padding: 12px 12px 6px; } .card svg { min-width: 560px; } }
@media print { @page { size: A4 landscape; margin: 10mm; } body { background: none; } main { max-width: none; padding: 0; } .card { overflow: visible; border: 0; padding: 0; }
  .pair, .tiles { display: block; } .card svg { max-width: 180mm; } table { font-size: 8.5px; white-space: normal; width: 100%; } th, td { padding: 2px 3px; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 9px; } tr, svg { break-inside: avoid; } h2, h3 { break-after: avoid; } }
details { margin-top: 12px; } summary { cursor: pointer; color: var(--soft); } footer { margin-top: 56px; color: var(--soft); font-size: 13px; }
"""


def key(items):
    return '<div class="key">' + "".join(f'<span><i class="{c}"></i>{escape(t)}</span>' for c, t in items) + "</div>"


def card(title, *body):
    return f'<div class="card"><h3>{escape(title)}</h3>{"".join(body)}</div>'


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


def failures_plot(results, cache, causes):
    """Per kernel the failures of both miss files by cause, as shares of the conventional file's."""
    groups = []
    for k in results.kernels:
        base = results.run(k, "mshr").rf(cache)
        rows = []
        for case in ("mshr", "dl"):
            r = results.run(k, case)
            unit = 100 / base if base else 0
            stack = [(r.rf(cache, c) * unit, c, f"{k}, {CASES[case]}: {CAUSES[c]} {r.rf(cache, c):,}") for c in causes]
            rows.append((stack, f"{r.per_kilo(r.rf(cache)):,.1f}"))
        groups.append((k, rows))
    return plots.bars(f"{cache} reservation failures by cause", groups, lambda v: f"{v:g} %")


def pair_plot(results, name, label, form, scale=1.0):
    def rows(k):
        return [([(results.run(k, c)[name] * scale, c, f"{k}, {CASES[c]}: {form(results.run(k, c)[name] * scale)}")],
                 form(results.run(k, c)[name] * scale)) for c in ("mshr", "dl")]
    return plots.bars(label, [(k, rows(k)) for k in results.kernels])


def study_plot(results, what):
    groups = []
    for c in [*STUDY, "dl"]:
        ours = results.mean_rf_change(c) if what == "rf" else results.mean_ipc_change(c)
        good = ours <= 0 if what == "rf" else ours >= 0
        rows = [(ours, "dl" if good else "worse", "here"), (PAPER[c][what], "mshr", "Gu20")]
        groups.append((CASES[c].replace(" entries, ", "/").replace(" slots", ""),
                       [([(abs(v), cls, f"{CASES[c]}, {who}: {v:+.1f} %")], f"{v:+.1f} %") if v is not None else
                        ([], "not given") for v, cls, who in rows]))
    return plots.bars(f"mean change of {what}", groups, lambda v: f"{v:g} %")


KEY = [("dl", "here"), ("worse", "here, the other way"), ("mshr", "Gu20")]


def study_section(results, heads, rows):
    if not rows:
        return "<h2>Against larger conventional files</h2><p>Not run: <code>make compare</code> adds two, four and 64 times the slots.</p>"
    each_heads, each = results.study_by_kernel()
    return ("<h2>Against larger conventional files</h2><p>The paper's schemes, each against the conventional file of 32 entries. "
            "Failures: mean of the normalised counts of L1D and L2; IPC: geometric mean. The paper's averages are over its own 30 "
            "benchmarks; the line for 8×/8× is from its figure 3.13.</p><div class='pair'>" +
            card("Reservation failures: size of the decrease", key(KEY), study_plot(results, "rf")) +
            card("IPC: size of the increase", key(KEY), study_plot(results, "ipc")) + "</div><br>" +
            card("Averages", html_table(heads, rows, 1, 1)) + "<br>" + card("Each kernel", html_table(each_heads, each, 1, 1)))


def tiles(results):
    kernels = results.kernels
    verified = sum(results.run(k, c).workload["verified"] is True for k in kernels for c in ("mshr", "dl"))
    compared = [results.disagreements(k, c) for k in kernels for c in ("mshr", "dl")]
    agree, run = sum(d == [] for d in compared), sum(d is not None for d in compared)
    return '<div class="tiles">' + "".join([
        tile(f"{verified} of {2 * len(kernels)}", "runs whose numeric result equals plain C's"),
        tile(f"{agree} of {run}", "runs in which twin and RTL agree in every counter"),
        tile(f"{results.mean_rf_change('dl', 'mshr_rf'):+.1f} %", "failures caused by a full MSHR file, DL-MSHR against MSHR"),
        tile(f"{results.mean_rf_change('dl'):+.1f} %", f"reservation failures of every cause (paper: {PAPER['dl']['rf']:+.1f} %)"),
        tile(f"{results.mean_ipc_change('dl'):+.1f} %", f"IPC, DL-MSHR against MSHR (paper: {PAPER['dl']['ipc']:+.1f} %)"),
    ]) + "</div>"


def machine(results):
    run = results.run(results.kernels[0], "mshr")
    lines = "\n".join(f"{k} = {str(v).lower() if isinstance(v, bool) else v}" for k, v in run.config.items())
    seconds = sum(r.host["seconds"] for runs in results.runs.values() for r in runs.values())
    return (f"<h2>How these numbers came about</h2><p>Every kernel is executed thread by thread, and what it computes is compared with "
            f"plain C; its memory accesses go through the whole machine, cycle by cycle. The machine is preset <code>dlmshr-002-t3.2</code>; "
            f"both miss files have the same number of slots. Inputs come from seed {run.workload['seed']}. "
            f"{sum(len(r) for r in results.runs.values())} runs took {seconds:.0f} s of processor time.</p>"
            f"<pre>make run\nbuild/memtwin run {escape(results.kernels[0])} --preset dlmshr-002-t3.2 --case mshr: --case dl:preset=dlmshr</pre>"
            f"<details><summary>Every option of the machine</summary><pre>{escape(lines)}</pre></details>"
            f"<footer>memtwin {escape(run.version)}</footer>")


def render(results, heads, rows, study_heads, study_rows):
    both = key([("mshr", "MSHR"), ("dl", "DL-MSHR")])
    causes = ["line", "mshr_entry", "mshr_merge", "mshr_drain", "miss_queue"]
    speed = [(k, results.ipc_change(k, "dl"), f"{results.ipc_change(k, 'dl'):+.1f} %") for k in results.kernels]
    style = STYLE.replace("KEYS", " ".join(f".{c} {{ fill: var(--{c}); background: var(--{c}); }}" for c in CAUSES))
    body = [
        "<h1>DL-MSHR on real kernels</h1>",
        f"<p>{len(results.kernels)} GPU kernels through the memory system of Gu20, table 3.2: a conventional file of miss status "
        "holding registers against the dynamically linked one, each as C twin and as the Verilated RTL in its place.</p>",
        tiles(results),
        "<h2>What dynamic linking changes</h2>",
        "<p>A reservation failure is a cycle in which a miss could not be accepted. Bars: upper MSHR, lower DL-MSHR, as shares of the "
        "upper one; numbers: failures per 1000 warp instructions. With the conventional file "
        f"{results.mshr_share():.1f} % of all failures came from a full MSHR file; in the paper it was more than 97 %.</p>",
        '<div class="pair">',
        card("L1D reservation failures by cause", key([(c, CAUSES[c]) for c in causes]), failures_plot(results, "l1d", causes)),
        card("L2 reservation failures by cause", key([(c, CAUSES[c]) for c in CAUSES]), failures_plot(results, "l2", CAUSES)),
        card("IPC, change by DL-MSHR", plots.diverging("IPC change", speed, lambda v: f"{v:+g} %" if v else "0")),
        card("Mean memory latency, cycles", both, pair_plot(results, "mem.latency_avg", "latency", lambda v: f"{v:,.0f}")),
        card("L1D MSHR slots in use, %", both, pair_plot(results, "l1d.mshr.utilisation", "L1D slots", lambda v: f"{v:.1f}", 100)),
        card("L2 MSHR slots in use, %", both, pair_plot(results, "l2.mshr.utilisation", "L2 slots", lambda v: f"{v:.1f}", 100)),
        "</div>",
        "<h2>All of it</h2><p>RF: reservation failures per 1000 warp instructions. The last column compares every counter of the run "
        "with the C twin with that of the run with the RTL.</p>",
        f'<div class="card">{html_table(heads, rows, 2, 2)}</div>',
        study_section(results, study_heads, study_rows),
        machine(results),
    ]
    return ('<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>memtwin: DL-MSHR on real kernels</title><style>{style}</style></head><body><main>{''.join(body)}</main></body></html>\n")
