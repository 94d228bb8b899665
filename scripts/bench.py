# SPDX-License-Identifier: Apache-2.0
"""make bench: how fast the harness is, on three workloads of some seconds.

Each workload runs alone on one thread, then once on every core at the same time.
Alone, time is the process's own processor time, start and the making of inputs included, since machines are shared; on all
cores it is wall time.  Last, a workload of 64 MiB with unified memory, over-subscribed, against the same with all data there.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

from scripts.correlate.machines import processor

WORKLOADS = [  # its kind of access, workload
    ("streaming", "copy:n=4194304"),
    ("strided", "atax:rows=4096,columns=1024"),
    ("random", "gather:n=2097152,entries=16777216"),
]
CASES = [("mshr", []), ("dl_mshr", ["--preset", "dlmshr"])]
PRESET = "dlmshr-002-t3.2"
UNIFIED, UNIFIED_PRESET = "addvect:n=8388608", "uvm-002-t4.1"
UNIFIED_CASES = [("resident", ["uvm.enable=false"])] + [
    (f"{prefetch}+{evict}", [f"uvm.prefetch={prefetch}", f"uvm.evict={evict}", "uvm.oversubscribe_percent=110"])
    for prefetch, evict in (("np", "se"), ("tp", "te"), ("cap", "ture"))
]


def processor_time():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(memtwin, workload, extra, copies, preset=PRESET):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [
            memtwin,
            "run",
            *[workload] * copies,
            "--preset",
            preset,
            *extra,
            "--threads",
            str(copies),
            "--quiet",
            "--json",
            out.name,
        ]
        start, start_cpu = time.monotonic(), processor_time()
        subprocess.run(command, check=True)
        seconds = processor_time() - start_cpu if copies == 1 else time.monotonic() - start
        data = json.load(open(out.name, encoding="utf-8"))
    runs = data if isinstance(data, list) else data.get("runs", [data])
    return runs, seconds


def unified(memtwin):
    """Cost of far-faults in the harness, seconds per access: minimum of three interleaved runs."""
    print(f"unified memory: {UNIFIED}, 64 MiB, preset {UNIFIED_PRESET}, 110 % of device memory")
    print(f"{'policies':<10} {'cycles':>14} {'faults':>7} {'seconds':>8} {'ns/access':>9}  times resident's")
    rows = {}
    for _ in range(3):
        for case, options in UNIFIED_CASES:
            (one,), seconds = run(memtwin, UNIFIED, [word for o in options for word in ("--set", o)], 1, UNIFIED_PRESET)
            if case not in rows or seconds < rows[case][1]:
                rows[case] = one["counters"], seconds
    cost = {case: seconds / counters["l1d.accesses"] for case, (counters, seconds) in rows.items()}
    for case, (counters, seconds) in rows.items():
        print(
            f"{case:<10} {counters['gpu.cycles']:>14,} {counters['uvm.faults_handled']:>7,} {seconds:>8.2f} {cost[case] * 1e9:>9,.0f}  "
            f"{cost[case] / cost['resident']:>14.2f}x"
        )
    print(f"dearest: {max(cost.values()) / cost['resident']:.2f} times resident's (target: below 2)")


def main():
    memtwin = sys.argv[1]
    cores = os.cpu_count() or 1
    print(f"machine: {processor()}, {cores} cores; preset {PRESET}")
    print(
        f"{'workload':<10} {'misses in':<8} {'threads':>7} {'L1 acc/s':>11} {'warp inst/s':>12} {'cycles/s':>11} "
        f"{'seconds':>8}"
    )
    for name, workload in WORKLOADS:
        for case, extra in CASES:
            for copies in dict.fromkeys((1, cores)):
                runs, seconds = run(memtwin, workload, extra, copies)
                total = {
                    key: sum(r["counters"][key] for r in runs)
                    for key in ("l1d.accesses", "gpu.warp_instructions", "gpu.cycles")
                }
                rate = {key: value / seconds for key, value in total.items()}
                print(
                    f"{name:<10} {case:<8} {copies:>7} {rate['l1d.accesses']:>11,.0f} "
                    f"{rate['gpu.warp_instructions']:>12,.0f} {rate['gpu.cycles']:>11,.0f} {seconds:>8.2f}",
                    flush=True,
                )
    unified(memtwin)


if __name__ == "__main__":
    main()
