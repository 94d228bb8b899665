#!/usr/bin/env python3
"""The table and the page of `make run`: report.py FOLDER PROGRAM PAGE.html.  Exit status 1 if a twin and its RTL differ."""
import pathlib
import sys

import page
from results import CASES, PAPER, PAPER_UTILISATION, STUDY, Results
from study.render import update_index
from tables import print_rows


def twin_and_rtl(results, kernel, case):
    found = results.disagreements(kernel, case)
    if found is None:
        return "not run"
    count = len(results.run(kernel, case).counters)
    return f"{len(found)} of {count} differ" if found else f"all {count} agree"


def cause(name):
    return lambda r: f"{r.per_kilo(r.rf('l1d', name)):,.1f}"


def percent(name):
    return lambda r: f"{100 * r[name]:.1f}"


# Two lines of head, and what stands below: a function of a run.
COLUMNS = [
    ("", "cycles", lambda r: f"{r['gpu.cycles']:,}"),
    ("", "IPC", lambda r: f"{r['gpu.ipc']:.2f}"),
    ("L1D RF:", "no line", cause("line")),
    ("MSHR", "entry", cause("mshr_entry")),
    ("MSHR", "merge", cause("mshr_merge")),
    ("MSHR", "drain", cause("mshr_drain")),
    ("miss", "queue", cause("miss_queue")),
    ("L2 RF:", "all", lambda r: f"{r.per_kilo(r.rf('l2')):,.1f}"),
    ("slots %", "L1D", percent("l1d.mshr.utilisation")),
    ("slots %", "L2", percent("l2.mshr.utilisation")),
    ("hits %", "L1D", percent("l1d.hit_rate")),
    ("hits %", "L2", percent("l2.hit_rate")),
    ("mean", "latency", lambda r: f"{r['mem.latency_avg']:,.0f}"),
    ("row", "hits %", percent("dram.row_hit_rate")),
]


def table(results):
    """Heads and rows of text: what the terminal and the page show."""
    heads = [("", "kernel"), ("", "miss file"), *((top, head) for top, head, _ in COLUMNS), ("counters of", "twin and RTL")]
    rows = [[k, CASES[c], *(text(results.run(k, c)) for _, _, text in COLUMNS), twin_and_rtl(results, k, c)]
            for k in results.kernels for c in ("mshr", "dl")]
    return heads, rows


def study(results):
    """Rows of the five-way comparison: case, ours and the paper's changes of failures and IPC."""
    def change(x):
        return "" if x is None else f"{x:+.1f} %"
    return [[CASES[c], change(results.mean_rf_change(c, "mshr_rf")), change(results.mean_rf_change(c)), change(PAPER[c]["rf"]), change(results.mean_ipc_change(c)),
             change(PAPER[c]["ipc"])] for c in [*STUDY, "dl"]]


STUDY_HEADS = [("", "against MSHR"), ("failures by a", "full file"), ("failures,", "all"), ("", "Gu20"), ("IPC,", "here"), ("", "Gu20")]


def print_summary(results):
    print("\nRF: reservation failures per 1000 warp instructions.  slots %: MSHR slots in use, mean over the run.")
    print(f"Of the failures with MSHR, {results.mshr_share():.1f} % came from a full MSHR file (paper: more than 97 %).")
    print(f"DL-MSHR against MSHR, same number of slots, {len(results.kernels)} kernels: "
          f"failures {results.mean_rf_change('dl'):+.1f} % (paper {PAPER['dl']['rf']:+.1f}), "
          f"those by a full MSHR file {results.mean_rf_change('dl', 'mshr_rf'):+.1f} %, "
          f"IPC {results.mean_ipc_change('dl'):+.1f} % ({PAPER['dl']['ipc']:+.1f}), "
          f"L1D slot use {results.mean_utilisation_change('dl', 'l1d'):+.1f} % ({PAPER_UTILISATION:+.1f})")


def main():
    folder, program, target = sys.argv[1:]
    results = Results(folder, program)
    if not results.kernels:
        sys.exit(f"report: {folder} holds no kernel with both miss files that is newer than {program}, expected what make run leaves there")
    if results.strangers():
        sys.exit(f"report: found results of another machine, expected one for all: {' '.join(results.strangers())}")
    heads, rows = table(results)
    print_rows(heads, rows, 2, 2)
    print_summary(results)
    if results.has_study():
        print_rows(*results.study_by_kernel(), 1, 0)
        print_rows(STUDY_HEADS, study(results), 1, 0)
    target = pathlib.Path(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page.render(results, heads, rows, STUDY_HEADS, study(results) if results.has_study() else []))
    update_index(target, target.parent.parent / "study")
    print(f"\n{target}: the same, with plots")
    if any(results.agreement(k) == "DIFFER" for k in results.kernels):
        sys.exit("report: a twin and its RTL differ; see them with: build/memtwin compare KERNEL.CASE.json KERNEL.CASE-rtl.json")


if __name__ == "__main__":
    main()
