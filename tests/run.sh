#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the unit tests and judges both status and log: Criterion exits 0 when no test matched, and when a test leaked.
# usage: run.sh PROGRAM LOG JOBS sanitized|plain PATTERN
set -uo pipefail
program=$1 log=$2 jobs=$3 kind=$4 pattern=$5 more="" ok='^0$'
if [ "$kind" = sanitized ]; then
    more=' SAN=1' ok='^(0|23)$'
    export LSAN_OPTIONS=exitcode=23 # not that of a failed test: Criterion's runner leaves 48 bytes; the log tells whether a leak is ours
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_sigill=1 # UBSan traps
fi
# A sanitizer's report that is ours: any error (ILL is undefined behaviour, on the line of frame #0), any report with a frame in this tree, and a
# leak without a frame of Criterion.  One in a library, such as that of JSON, has no other frames where the library has no frame pointers.
found='ERROR: (Address|Undefined|Thread|Memory)|runtime error:|^ +#[0-9]+ 0x.* (cmodel|tests|traces)/[^ ]*:[0-9]+'
leaks() { LC_ALL=C awk 'BEGIN { RS = "" } /leak of [0-9]+ byte/ && !/libcriterion/ { found = 1 } END { exit !found }' "$log"; }
echo "  TEST $kind  runs; as it goes: $log"
rm -f "$log.xml" # for JUNIT= and JSON=
"$program" -j"$jobs" --xml="$log.xml" ${pattern:+--filter "*$pattern*"} >"$log" 2>&1
status=$?
line=$(grep -a 'Synthesis: ' "$log" | tail -1 | sed 's/\x1b\[[0-9;]*m//g')
if ! [[ $status =~ $ok ]] || grep -aqE "$found" "$log" || leaks || ! grep -qE 'Tested: .*[1-9].* \| Passing: .* \| Failing: [^|]*\b0\b.* \| Crashing: [^|]*\b0\b' <<<"$line"; then
    grep -av '^\[ *\(RUN\|PASS\)' "$log" | head -200
    echo "FAIL test$more  status $status  log: $log  rerun: make test-run$more TEST=${pattern:-suite/name}"
    exit 1
fi
echo "  TEST $kind  ${line#*Synthesis: }"
