#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each kind of failure, planted in a wrapper around the program; config_fuzz.py must fail and say what it found.
# usage: config_fuzz_selftest.sh MEMTWIN MEMTWIN_RTL
set -euo pipefail
declare -A program=([memtwin]=$(realpath "$1") [rtl]=$(realpath "$2"))
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# try NAME EXPECTED SCRIPT: SCRIPT wraps both programs and gets their arguments.
try() {
    for face in memtwin rtl; do
        printf '#!/usr/bin/env bash\nface=%s\n%s\nexec %s "$@"\n' "$face" "$3" "${program[$face]}" >"$folder/$face"
        chmod +x "$folder/$face"
    done
    if /usr/bin/python3 -B -m tests.fuzz.config_fuzz --runs 2 --keys 'l2\.(latency|sets)' --blocks mshr "$folder/memtwin" "$folder/rtl" >"$folder/log" 2>&1; then
        echo "FAIL config-fuzz-selftest  $1: not found"
        exit 1
    fi
    grep -q -- "$2" "$folder/log" || {
        echo "FAIL config-fuzz-selftest  $1: expected \"$2\""
        cat "$folder/log"
        exit 1
    }
    echo "  found  $1"
}

try 'an abort' 'exit status -6' 'if [[ "$*" = *l2.sets* ]]; then kill -ABRT $$; fi'
try 'a deadlock' 'nothing can go on' 'if [[ "$*" = *l2.sets* ]]; then echo "memtwin: cycle 9: nothing can go on" >&2; exit 1; fi'
try 'a refusal that names no option' 'not in one line that names an option' \
    'if [[ "$*" = *l2.sets=1\ * ]]; then echo "memtwin: that cannot be" >&2; exit 1; fi'
try 'a run without end' 'sim.max_cycles' 'if [[ "$1" = run ]]; then set -- "$@" --set=sim.max_cycles=50; fi'
try 'counters that skipping changes' ', ticked ' 'if [[ "$*" = *sim.skip=false* ]]; then set -- "$@" --set=dram.t.cl=99; fi'
try 'counters that RTL changes' 'as RTL' 'if [[ $face = rtl ]]; then set -- "$@" --set=dram.t.cl=99; fi'
