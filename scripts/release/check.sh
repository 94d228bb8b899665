#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds what this folder holds, with the tools that are installed: Verilator, Icarus Verilog, Yosys, and a C compiler for the twins.
# usage: ./check.sh
set -u
cd "$(dirname "$0")" || exit 1
passed=0 failed=0
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

# check WHAT COMMAND...: a line that says whether it succeeds.
check() {
    what=$1
    shift
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        echo "ok   $what"
    else
        failed=$((failed + 1))
        echo "FAIL $what: $*"
        head -n 20 "$log" | sed 's/^/     /'
    fi
}
installed() { command -v "$1" >/dev/null 2>&1 || { echo "skip $1: not installed" && false; }; }

[ ! -e SHA256SUMS ] || ! installed sha256sum || check 'every file is as it was packed' sha256sum -c --quiet SHA256SUMS
for list in rtl/*/*.f; do
    top=mt_$(basename "$list" .f)
    files=$(sed -e '/^\/\//d' -e 's/^+incdir+/-I/' "$list" | tr '\n' ' ')
    ! installed verilator || check "verilator $list" verilator --lint-only -Wall -f "$list" --top-module "$top"
    ! installed iverilog || check "iverilog $list" iverilog -g2012 -Wall -Wno-timescale -c "$list" -s "$top" -t null
    ! installed yosys || check "yosys $list" yosys -q -e '.*' -p "read_verilog -sv $files; hierarchy -check -top $top"
done
for twin in cmodel/blocks/*.c; do
    ! installed "${CC:-cc}" || check "${CC:-cc} $twin" "${CC:-cc}" -std=c17 -Wall -Wextra -Werror -Icmodel/blocks -c "$twin" -o /dev/null
done
echo "check: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
