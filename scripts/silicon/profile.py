# SPDX-License-Identifier: Apache-2.0
"""Makes kept/CARD-programs.csv from the profiler's output for programs.cu: python3 -m scripts.silicon.profile run.csv... >file

A launch has the values of its shortest run.
"""
import csv
import sys

METRICS = {
    "time_ns": "gpu__time_duration.sum",
    "cycles": "sm__cycles_elapsed.max",
    "warp_instructions": "smsp__inst_executed.sum",
    "l1_read_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1_read_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "l1_write_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l2_read_sectors": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_read_hits": "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
    "l2_write_sectors": "lts__t_sectors_srcunit_tex_op_write.sum",
    "dram_read_sectors": "dram__sectors_read.sum",
    "dram_write_sectors": "dram__sectors_write.sum",
}


def launches(path):
    """The names of all launches, and the profiler's values of each."""
    with open(path, encoding="utf-8") as f:
        lines = list(f)
    names = []
    for line in lines:
        words = line.split()
        if words[:1] == ["workload"]:
            names += [(words[1], n) for n in range(int(words[2]))]
    values = {}
    for r in csv.DictReader(line for line in lines if line.startswith('"')):
        values.setdefault(int(r["ID"]), {})[r["Metric Name"]] = int(r["Metric Value"].replace(",", ""))
    if len(values) != len(names):
        raise SystemExit(f"{path}: found {len(values)} profiled launches, expected {len(names)}")
    return names, [values[i] for i in sorted(values)]


def main(paths):
    runs = [launches(p) for p in paths]
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["workload", "launch", *METRICS])
    for n, name in enumerate(runs[0][0]):
        best = min((values[n] for _, values in runs), key=lambda v: v[METRICS["time_ns"]])
        out.writerow([*name, *(best[m] for m in METRICS.values())])


if __name__ == "__main__":
    main(sys.argv[1:])
