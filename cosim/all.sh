#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the lockstep programs of "block/set block/set ...", JOBS at a time, with the arguments that follow, once for each of
# SEEDS seeds; a line each and a closing line.  Every golden file must have found the parameter set that it was written for.
set -uo pipefail
kind=$1 sets=$2
shift 2
if [ -z "$sets" ]; then
    echo "cosim: no such block or parameter set; rtl/*/*.toml names them" >&2
    exit 2
fi
seed=0 vec=
for ((i = 1; i < $#; i++)); do
    j=$((i + 1))
    [ "${!i}" = --seed ] && seed=${!j}
    [ "${!i}" = --vec ] && vec=${!j}
done
[ -z "$vec" ] || seed=vec # what a replay keeps is not to overwrite what it replays
seeds=$seed
for ((i = 1; i < ${SEEDS:-1}; i++)); do seeds+=" $((seed + i))"; done

one() {
    local set=$1 seed=$2 kind=$3 block=${1%/*} golden=() f
    local log=$BUILD/cosim/$1/log.$2 more=()
    [ "$seed" = vec ] || more=(--seed "$seed")
    shift 3
    for f in tests/golden/"$block"/*.vec; do [ -e "$f" ] && golden+=(--golden "$f"); done
    mkdir -p "$BUILD/cosim/$set"
    if [ ! -e "$BUILD/rtl/$set$kind" ]; then # of a user's RTL
        echo "FAIL cosim ${set%_rtl_*}  does not build" | tee "$log"
        return
    fi
    "$BUILD/cosim/$block/lockstep" --rtl "$BUILD/rtl/$set$kind" "$@" "${more[@]}" "${golden[@]}" --keep "$BUILD/cosim/$set-$seed" ${MAKE:+--make "$MAKE"} >"$log" 2>&1
    local status=$?
    echo $status >"$log.status"
    flock "$BUILD/cosim" grep -v '^golden ' "$log"
    [ $status -le 1 ] || echo "FAIL cosim $set  ended with status $status"
}
export -f one
export BUILD MAKE
for s in $sets; do rm -f "$BUILD/cosim/$s"/log*; done
for s in $sets; do for n in $seeds; do echo "$s $n"; done; done | xargs -P "${JOBS:-2}" -L1 bash -c 'one "${@: -2}" "${@:1:$#-2}"' - "$kind" "$@"
passed=0 failed=0
for s in $sets; do
    for n in $seeds; do
        if [ "$(cat "$BUILD/cosim/$s/log.$n.status" 2>/dev/null)" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    done
done
if [ -z "$vec" ]; then
    for b in $(tr ' ' '\n' <<<"$sets" | cut -d/ -f1 | sort -u); do
        [ "$(/usr/bin/python3 -B -m cosim.manifest sets "$b" | wc -l)" = "$(tr ' ' '\n' <<<"$sets" | grep -c "^$b/")" ] || continue
        mapfile -t logs < <(tr ' ' '\n' <<<"$sets" | sed -n "s|^$b/.*|$BUILD/cosim/&/log.${seeds%% *}|p")
        for f in tests/golden/"$b"/*.vec; do
            [ -e "$f" ] || continue
            grep -qsF "golden $f" "${logs[@]}" || { echo "FAIL cosim $b  $f: no parameter set of rtl/$b/$b.toml is its own"; failed=$((failed + 1)); }
        done
    done
fi
echo "cosim: $passed passed, $failed failed"
[ "$failed" = 0 ]
