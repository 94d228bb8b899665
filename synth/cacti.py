# SPDX-License-Identifier: Apache-2.0
"""CACTI beside our own RAM model, if a `cacti` binary is on the PATH (not in Debian)."""
import re
import shutil
import subprocess

from synth import yosys

CONFIG = """-size (bytes) {bytes}
-block size (bytes) {line}
-associativity 1
-read-write port 0
-exclusive read port {reads}
-exclusive write port 1
-single ended read ports 0
-UCA bank count 1
-technology (u) {um}
-page size (bits) 8192
-burst length 8
-internal prefetch width 8
-Data array cell type - "itrs-hp"
-Data array peripheral type - "itrs-hp"
-Tag array cell type - "itrs-hp"
-Tag array peripheral type - "itrs-hp"
-output/input bus width {bits}
-operating temperature (K) 300
-cache type "ram"
-tag size (b) "default"
-access mode (normal, sequential, fast) - "normal"
-design objective (weight delay, dynamic power, leakage power, cycle time, area) 0:0:0:0:100
-deviate (delay, dynamic power, leakage power, cycle time, area) 60:100000:100000:100000:1000000
-Optimize ED or ED^2 (ED, ED^2, NONE): "NONE"
-Cache model (NUCA, UCA)  - "UCA"
-Wire signalling (fullswing, lowswing, default) - "default"
-Wire inside mat - "global"
-Wire outside mat - "global"
-Interconnect projection - "conservative"
-Add ECC - "false"
-Print level (DETAILED, CONCISE) - "CONCISE"
-Print input parameters - "false"
"""


def binary():
    return shutil.which('cacti')


def macro(words, width, reads, nm, path):
    """{'cacti_um2', 'cacti_ns'} of a table; empty without the binary.  CACTI words are whole bytes."""
    if not binary():
        return {}
    line = (width + 7) // 8
    path.write_text(CONFIG.format(bytes=words * line, line=line, bits=8 * line, reads=max(reads, 1), um=nm / 1000))
    done = subprocess.run([binary(), '-infile', str(path)], capture_output=True, text=True)
    size = re.search(r'Cache height x width \(mm\): ([\d.eE+-]+) x ([\d.eE+-]+)', done.stdout)
    access = re.search(r'Access time \(ns\): ([\d.eE+-]+)', done.stdout)
    if not size or not access:
        raise yosys.ToolError(
            f'cacti gave no area and access time for {path}: {(done.stdout + done.stderr).strip()[-200:]}'
        )
    return {'cacti_um2': float(size[1]) * float(size[2]) * 1e6, 'cacti_ns': float(access[1])}
