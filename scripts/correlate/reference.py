# SPDX-License-Identifier: Apache-2.0
"""Accel-Sim: a run of the user's accel-sim.out, and the numbers of its log."""
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass

from scripts.study.expressions import Bad

VERSION = re.compile(r"GPGPU-Sim Simulator Version (\d+)\.(\S+)\s+\[build ([^\]]*)\]")
MAJOR = 4  # of GPGPU-Sim: others have other options and other statistics
MEMORY_GIB = 16

# The last line of each kind counts: statistics accumulate over kernels.
SINGLE = {
    "cycles": r"gpu_tot_sim_cycle = (\d+)",
    "instructions": r"gpu_tot_sim_insn = (\d+)",
    "warp_instructions": r"gpgpu_n_tot_w_icount = (\d+)",
    "latency": r"averagemflatency = (\d+)",
}
L1D, L2 = ("Total_core_cache_stats", "Total_core_cache_fail_stats"), (
    "L2_cache_stats",
    "L2_cache_stats_fail",
)  # tables of outcomes, of failures
ACCESSES = ("GLOBAL_ACC_R", "GLOBAL_ACC_W")
CAUSES = {
    "line": "LINE_ALLOC_FAIL",
    "miss_queue": "MISS_QUEUE_FULL",
    "mshr_entry": "MSHR_ENRTY_FAIL",
    "mshr_merge": "MSHR_MERGE_ENRTY_FAIL",
}
CHANNEL = re.compile(r"^DRAM\[(\d+)\]:.*\n(n_cmd=.*)$", re.M)
CHANNEL_PARTS = {"activates": ("n_act",), "requests": ("n_req",), "reads": ("n_rd", "n_rd_L2_A")}


@dataclass
class Run:
    version: str
    numbers: dict
    seconds: float  # of user time


def single(log, name):
    found = re.findall(f"^{SINGLE[name]}", log, re.M)
    if not found:
        raise Bad(f'the log has no line "{SINGLE[name].split(" ", maxsplit=1)[0]} = ..."')
    return int(found[-1])


def cache(log, level, access, outcome):
    """A number from the table of a cache; the table must exist."""
    table = f"{level[0]}_breakdown"
    if f"{table}[{access}][HIT] = " not in log:
        raise Bad(f'the log has no line "{table}[{access}][HIT] = ..."')
    found = re.findall(rf"{table}\[{access}\]\[{outcome}\] = (\d+)", log)
    return int(found[-1]) if found else 0


def failed(log, level, cause):
    """Refused attempts, all kinds of access; a cause that never occurred has no line."""
    last = dict(re.findall(rf"{level[1]}_breakdown\[(\w+)\]\[{cause}\] = (\d+)", log))
    return sum(map(int, last.values()))


def channels(log):
    """Numbers of DRAM summed over channels; reads are column commands."""
    last = dict(CHANNEL.findall(log))
    if not last:
        raise Bad('the log has no line "DRAM[0]: ..." with "n_cmd=..." below')
    fields = [dict(re.findall(r"(\w+)=([\d.]+)", line)) for line in last.values()]
    missing = [p for parts in CHANNEL_PARTS.values() for p in parts if any(p not in f for f in fields)]
    if missing:
        raise Bad(f"the log's lines of DRAM have no {missing[0]}")
    return {name: sum(int(f[p]) for f in fields for p in parts) for name, parts in CHANNEL_PARTS.items()}


def numbers(log, columns):
    """The statistics of a log, in memtwin's units.  `columns`: column commands per DRAM read (line or sector); a write may have fewer."""
    found = {name: single(log, name) for name in SINGLE}
    for name, level in (("l1d", L1D), ("l2", L2)):
        read, write = (cache(log, level, a, "TOTAL_ACCESS") for a in ACCESSES)
        hits = [cache(log, level, a, "HIT") for a in ACCESSES]
        found |= {
            f"{name}.accesses": read + write,
            f"{name}.reads": read,
            f"{name}.hits": hits[0] + (hits[1] if name == "l2" else 0),
        }
    found |= {f"l1d.rf.{ours}": failed(log, L1D, theirs) for ours, theirs in CAUSES.items()}
    found["l2.rf"] = sum(failed(log, L2, cause) for cause in CAUSES.values())
    dram = channels(log)
    dram["reads"] //= columns
    dram["writes"] = dram["requests"] - dram["reads"]
    return found | {f"dram.{name}": value for name, value in dram.items()}


def version(log):
    found = VERSION.search(log)
    if not found:
        raise Bad('the log names no version, expected "GPGPU-Sim Simulator Version 4..."')
    if int(found[1]) != MAJOR:
        raise Bad(f"found GPGPU-Sim {found[1]}.{found[2]}, expected {MAJOR}.x")
    return f"GPGPU-Sim {found[1]}.{found[2]}, build {found[3]}"


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_GIB << 30,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def kill(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def execute(program, folder, trace, timeout):
    """Runs the reference in the folder of its configuration; returns its log and user seconds."""
    command = [str(program), "-trace", str(trace / "kernelslist.g"), "-config", "gpgpusim.config"]
    with tempfile.TemporaryFile() as out:
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                preexec_fn=limits,
                start_new_session=True,
            )
        except OSError as e:
            raise Bad(f"{program}: {e.strerror}, expected the program accel-sim.out") from None
        end = time.monotonic() + timeout
        try:
            while not (done := os.wait4(process.pid, os.WNOHANG))[0]:
                if time.monotonic() > end:
                    kill(process)
                    os.wait4(process.pid, 0)
                    raise Bad(f"not done after {timeout} s (TIMEOUT= allows more)")
                time.sleep(0.02)
        finally:
            kill(process)
            process.returncode = 0  # waited for above
        out.seek(0)
        log = out.read().decode(errors="replace")
    status = os.waitstatus_to_exitcode(done[1])
    if status:
        words = [line.strip() for line in log.splitlines() if line.strip()]
        raise Bad(
            f"{'ended by signal ' + signal.Signals(-status).name if status < 0 else f'exit status {status}'}: {words[-1] if words else 'no output'}"
        )
    return log, done[2].ru_utime


def run(program, folder, trace, columns, timeout):
    log, seconds = execute(pathlib.Path(program).resolve(), folder, trace, timeout)
    return Run(version(log), numbers(log, columns), seconds)
