#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the benches of "block/set block/set ...", JOBS at a time, with the arguments that follow; a line for each scenario
# and random run, and a closing line.  With ALL=1 every scenario must have found a parameter set that it applies to.
set -uo pipefail
sets=$1
shift
if [ -z "$sets" ]; then
    echo "tb: no such block or parameter set; rtl/*/*.toml names them" >&2
    exit 2
fi

one() {
    local dir=$BUILD/tb/$1 set=$1 seed n=0 status=0 last
    shift
    for ((seed = $2; n < ${SEEDS:-1}; n++, seed++)); do # $2: of --seed, which is first
        SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1 "$dir/bench" --rtl "$BUILD/rtl/$set.so" "$@" --seed $seed ${WAVES:+--wave "$dir/wave"} 2>&1
        last=$?
        [ $last -le $status ] || status=$last
    done >"$dir/log"
    if [ $status -gt 1 ] || { [[ "$*" != *--scenario* ]] && ! grep -qE '^(PASS|FAIL) ' "$dir/log"; }; then
        echo "FAIL tb $set  ended with status $status; see $dir/log" >>"$dir/log"
    fi
    flock "$BUILD/tb" sed "/^other /d;s|^  rerun .*|&${OWN:+ $OWN}|" "$dir/log"
    [ -z "$WAVES" ] || echo "  wave   $dir/wave.vcd"
}
export -f one
export BUILD WAVES OWN
tr ' ' '\n' <<<"$sets" | xargs -P "${JOBS:-2}" -I{} bash -c 'one "$@"' - {} "$@"

logs=$(for s in $sets; do cat "$BUILD/tb/$s/log"; done)
passed=$(grep -c '^PASS ' <<<"$logs")
failed=$(grep -c '^FAIL ' <<<"$logs")
if [ -n "${ALL:-}" ]; then
    for name in $(sed -n 's|^other tb \([^/]*\)/[^ ]* *\(.*\)|\1/\2|p' <<<"$logs" | sort -u); do
        grep -qE "^(PASS|FAIL) tb ${name%/*}/.* ${name#*/}( |:)" <<<"$logs" && continue
        echo "FAIL tb ${name%/*}  ${name#*/}: no parameter set of rtl/${name%/*}/${name%/*}.toml is one that it applies to"
        failed=$((failed + 1))
    done
fi
echo "tb: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
