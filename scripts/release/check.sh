#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds what this folder holds, with the tools that are installed: Verilator, Icarus Verilog, Yosys, and a C compiler for the twins.  With
# Verilator and the compiler, the bench runs the RTL beside its twin: random inputs, every output compared in every cycle.
# usage: ./check.sh
set -u
cd "$(dirname "$0")" || exit 1
passed=0 failed=0
log=$(mktemp) work=$(mktemp -d) || exit 1
trap 'rm -rf "$log" "$work"' EXIT

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
# lockstep BLOCK: the bench, built and run; its last words are in the log.
lockstep() {
    include=$(verilator --getenv VERILATOR_ROOT)/include/vltstd objects=
    for c in "bench/$1_dpi.c" cmodel/blocks/*.c; do
        object=$work/$(basename "$c" .c).o
        "${CC:-cc}" -std=c17 -O1 -fPIC -Icmodel/blocks -I"$include" -c "$c" -o "$object" || return 1
        objects="$objects $object"
    done
    # shellcheck disable=SC2086 # a list of files without blanks
    verilator --binary -Wall -Wno-BLKSEQ --assert -f "rtl/$1/$1.f" --top-module "mt_$1_dpi_tb" --Mdir "$work/obj" -MAKEFLAGS OPT_FAST=-O1 -o bench \
        "bench/mt_$1_dpi_pkg.sv" "bench/mt_$1_twin.sv" "bench/mt_$1_dpi_tb.sv" $objects >"$work/built" 2>&1 ||
        { tail -n 20 "$work/built" && return 1; }
    "$work/obj/bench" +seed=1 +cycles=20000 >"$work/said" 2>&1
    cat "$work/said"
    grep -q '^\(\[[^]]*\] \)\{0,1\}PASS dpi' "$work/said"
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
for glue in bench/*_dpi.c; do
    block=$(basename "$glue" _dpi.c)
    ! installed verilator || ! installed "${CC:-cc}" || check "lockstep $block: RTL and twin, 20000 cycles" lockstep "$block"
done
echo "check: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
