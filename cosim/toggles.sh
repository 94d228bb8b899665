#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Optimization 2 of dl_mshr (GateCmp), counted: toggles.cpp says what and how.  usage: toggles.sh CYCLES SET ...; make toggles gives the rest.
# Random traffic for every set, and what a full-system run (RUN) gives to the units that have a set of their name.
set -euo pipefail
cycles=$1 module=mt_dl_mshr
shift
out=$BUILD/cosim/toggles
read -ra verilate <<<"$VERILATE"
read -ra compile <<<"$COMPILE"
read -ra c <<<"$C"
export CCACHE_NOHASHDIR=1

# model SET NAME GATECMP CLASS: GateCmp comes last, so that it holds whatever the set says.
model() {
    local dir=$out/$1/$2 params v
    mapfile -t params < <(/usr/bin/python3 -B -m cosim.manifest params dl_mshr "$1" | grep -v '^GateCmp=' | sed 's/^/-G/')
    rm -rf "$dir" && mkdir -p "$dir/rtl"
    { echo '`verilator_config' && for v in req_operand fill_operand h req_match fill_match; do echo "public_flat_rd -module \"$module\" -var \"$v\""; done; } >"$dir/public.vlt"
    "${verilate[@]}" --top-module $module --prefix "$4" --Mdir "$dir/rtl" -y rtl/dl_mshr -y rtl/lib "${params[@]}" "-GGateCmp=$3" "$dir/public.vlt" rtl/dl_mshr/$module.sv >/dev/null
    make -s -C "$dir/rtl" -f "$4.mk" "$4__ALL.a" OBJCACHE=ccache OPT_FAST=-O2 OPT_SLOW=-O1 OPT_GLOBAL=-O1 >"$dir/build.log" 2>&1 || { cat "$dir/build.log"; exit 1; }
}

build() {
    local dir=$out/$1
    model "$1" gated 1 "Vdl_mshr_$1"
    model "$1" plain 0 Vplain
    "${compile[@]}" "-I$BUILD/headers/dl_mshr/$1" -isystem "$dir/gated/rtl" -isystem "$dir/plain/rtl" -c cosim/toggles.cpp -o "$dir/toggles.o"
    g++ "$dir/toggles.o" "$dir/gated/rtl/Vdl_mshr_$1__ALL.a" "$dir/plain/rtl/Vplain__ALL.a" "${c[@]}" "$BUILD"/cosim/runtime/plain/*.o -lpthread -o "$dir/toggles"
}

echo "dl_mshr: bits of the comparators' operands that toggle in a cycle, GateCmp=0 and 1; random: seed=$SEED; captured: $RUN"
printf '%-9s %-9s %9s %7s %10s %10s %6s %10s %10s %6s\n' set traffic cycles heads 'req =0' '=1' left 'fill =0' '=1' left
passed=0 failed=0
for set in "$@"; do
    build "$set"
    "$BUILD/cosim/dl_mshr/lockstep" --rtl "$BUILD/rtl/dl_mshr/$set.so" --mode rtl --seed "$SEED" --cycles "$cycles" --write "$out/$set/random.vec" >"$out/$set/random.log"
    runs=(random)
    if [[ $set == l1d || $set == l2 ]]; then
        "$BUILD/memtwin" run -q -s l1d.mshr.kind=dl_mshr -s l2.mshr.kind=dl_mshr --capture "$set.0=$out/$set/captured.vec" "$RUN"
        runs+=(captured)
    fi
    for r in "${runs[@]}"; do
        if "$out/$set/toggles" "$r=$out/$set/$r.vec"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    done
done
echo "toggles: $passed passed, $failed failed"
[ $failed = 0 ]
