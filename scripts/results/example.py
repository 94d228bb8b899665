# SPDX-License-Identifier: Apache-2.0
"""A notebook as a plain script (cells begin with # %%): results of memtwin, read with memtwin.py beside it.

    build/memtwin run atax:rows=256 --case four: --case eight:l1d.ways=8 --kernels --interval 20000 --json out.json
    python3 scripts/results/example.py out.json
"""
# %% Read
import sys

import memtwin

path = sys.argv[1] if len(sys.argv) > 1 else "out.json"
runs = memtwin.load(path)

# %% A table: IPC and hit rate of each run; a hit rate without accesses is undefined
for run in runs:
    rate = run["counters"]["l1d.hit_rate"]
    print(
        f"{run['workload']:<48} {run['case']:<8} IPC {run['counters']['gpu.ipc']:.4f}  L1D hit rate {'-' if rate is None else f'{rate:.3f}'}"
    )

# %% Each kernel's share of the cycles
for run in runs:
    for k in run["kernels"]:
        print(
            f"{run['case']:<8} {k['number']:>3} {k['kernel']:<20} {(k['to'] - k['from']) / run['counters']['gpu.cycles']:.1%}"
        )

# %% IPC over time: a bar for each interval
for run in runs:
    most = max((i["counters"]["gpu.ipc"] for i in run["intervals"]), default=0) or 1
    for i in run["intervals"]:
        print(f"{run['case']:<8} {i['from']:>9} {'#' * round(40 * i['counters']['gpu.ipc'] / most)}")

# %% The same with pandas, if it is installed
try:
    table = memtwin.frame(path, "gpu.ipc", "l1d.hit_rate")
    print(table[table["scope"] == "kernel"].groupby(["case", "kernel"])["gpu.ipc"].agg(["mean", "count"]))
except ImportError as e:
    print(e)
