#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Does lockstep find bugs?  Plants one-line bugs, one at a time, in a copy of the tree: each must end in a FAIL whose shrunk
# stimulus fails again when it is replayed, and passes once the bug is taken out.  `selftest.sh [block or name ...]`: those only.
# JOBS blocks at a time, each in a process (BLOCK=) and a copy of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
base=${BUILD:-build}/cosim-selftest
export CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=$PWD

# What each block's process printed, as it ends, and the sum of their closing lines.  All of these count: that a process fails, that
# one has no closing line, and that fewer bugs were tried than were asked for.
all_blocks() {
    local list blocks bugs status=0
    list=$(/usr/bin/python3 -B -m cosim.manifest bugs lockstep "$@")
    bugs=$(wc -l <<<"$list")
    blocks=$(cut -d'|' -f1 <<<"$list" | uniq)
    mkdir -p "$base"
    rm -f "$base"/*.out
    # One wave on each side shows that it works; the others save the build of the traced variant.
    export WAVES_OF=${blocks%%$'\n'*}
    xargs -P "${JOBS:-2}" -I{} sh -c 'out=$1/$2.out; block=$2; shift 2; BLOCK=$block "$0" "$@" >$out 2>&1; status=$?
        grep -v ^cosim-selftest: $out; exit $status' "$PWD/cosim/selftest.sh" "$base" {} "$@" <<<"$blocks" || status=$?
    awk -v bugs="$bugs" -v status="$status" '/^cosim-selftest:/ { found += $2; failed += $5 }
        END { printf "cosim-selftest: %d bugs found of %d, %d failed\n", found, bugs, failed; exit status || failed || found != bugs }' "$base"/*.out
}

prepare() {
    rm -rf "$root/clean" "$root/kept"
    mkdir -p "$root/clean" "$tree"
    cp -r Makefile cmodel cosim rtl "$root/clean"
    for d in Makefile cmodel cosim rtl; do update "$root/clean/$d" "$tree/$d"; done
}
# Makes $2 as $1.  Copies only files that differ, so that a second run builds little; deletes files that $1 lost.
update() {
    local line name
    [ -e "$2" ] || cp -r "$1" "$2"
    { LC_ALL=C diff -rq "$1" "$2" || [ $? = 1 ]; } | while read -ra line; do
        name=${line[2]%:}/${line[3]} # Only in FOLDER: NAME
        case ${line[0]}:$name in
        Files:*) cp "${line[1]}" "${line[3]}" ;; # Files A and B differ
        Only:"$1"/*) cp -r "$name" "$2${name#"$1"}" ;;
        *) rm -r "$name" ;;
        esac
    done
}

in_tree() { make -C "$tree" cosim WAVES="${wave/1/}" CYCLES=200000 "$@" 2>&1; }

# A wave has a scope of the RTL and one of the twin, and in both the outputs; the save file of GTKWave beside it names signals of the wave.
# The wave shows a mismatch if both sides differed ($2: not empty; an assertion can end a run, too), and declares the enums of ports.
both_sides() {
    local reader=$root/fst_text from=/usr/share/verilator/include
    [ -x "$reader" ] || gcc -O1 -w -I$from -I$from/gtkwave '-DFST_CONFIG_INCLUDE="fst_config.h"' cosim/fst_text.c $from/gtkwave/{fstapi,fastlz,lz4}.c -lz -lpthread -o "$reader"
    "$reader" "$1" | awk '$1 == "$scope" { scope[++n] = $3 } $1 == "$upscope" { n-- } $1 == "$var" && $5 ~ /_o$/ { seen[scope[n] " " $5] = 1 }
        END { for (s in seen) { split(s, w, " "); if (w[1] == "TOP") { all++; twins += ("twin " w[2]) in seen } } exit !(all && all == twins) }' &&
        "$reader" "$1" | awk -v save="${1%.fst}.gtkw" -v differed="${2:-}" '
            $1 == "$scope" { path[++n] = path[n - 1] $3 "." } $1 == "$upscope" { n-- } $1 == "$attrbegin" { enums++ }
            $1 == "$var" { name = $5; if ($6 != "$end") name = name $6; there[path[n] name] = 1; if (path[n] $5 == "twin.mismatch") code = $4 }
            code != "" && $0 == "1" code { differ = 1 }
            END {
                while ((getline line <save) > 0) if (line ~ /^(TOP|twin)\./) { signals++; if (!(line in there)) { print "no signal " line; bad = 1 } }
                named = !system("grep -q \"^^1 \" " save)
                exit bad || signals < 4 || (differed != "" && !differ) || (named && !enums)
            }'
}

not_found() {
    sed 's/^/    /' "$log" | tail -n 30
    echo "FAIL selftest $name: $1"
    failed=$((failed + 1))
}

try() {
    local vec=build/cosim/$block/$set-1.vec log=$root/$name.log
    if ! /usr/bin/python3 -B -m cosim.manifest plant "$block" "$name" "$tree" >"$log" 2>&1; then
        not_found 'it cannot be planted'
    elif in_tree BLOCK="$block" "$at" >"$log" || ! grep -q '^FAIL cosim' "$log"; then
        not_found 'it was not found'
    elif ! grep -q 'keep .*replayed: ' "$log" || grep -q 'replayed: does NOT fail' "$log"; then
        not_found 'its stimulus was not kept or does not fail again'
    elif [ "$wave" = 1 ] && ! grep -q "wave   .*.fst (" "$log"; then
        not_found 'there is no wave'
    elif [ "$wave" = 1 ] && ! both_sides "$tree/build/cosim/$block/$set-1.fst" "$(grep -m 1 '^FAIL cosim.*differ' "$log")"; then
        not_found 'its wave does not hold the RTL and the twin in pairs, with the mismatch'
    elif in_tree BLOCK="$block" "$at" VEC="$vec" >"$log.vec" || ! grep -q '^FAIL cosim' "$log.vec"; then
        log=$log.vec not_found "make cosim VEC=$vec does not fail"
    else
        mkdir -p "$root/kept/$block/$set"
        cp "$tree/$vec" "$root/kept/$block/$set/$name.vec"
        printf 'found %-18s %s  %s\n' "$name" "$(grep -o 'cycle=.*' "$log" | head -n 1)" "$(grep -o 'shrunk from [0-9]* to [0-9]* cycles' "$log")"
        passed=$((passed + 1))
    fi
    for d in cmodel/blocks rtl; do update "$root/clean/$d" "$tree/$d"; done
}

if [ -z "${BLOCK:-}" ]; then
    all_blocks "$@"
    exit
fi
root=$base/$BLOCK tree=$base/$BLOCK/tree mine=$BLOCK
unset BLOCK
passed=0 failed=0 waves=
[ "$WAVES_OF" = "$mine" ] || waves=' rtl twin '
prepare
while IFS='|' read -r block name set at; do
    [ "$block" = "$mine" ] || continue
    wave=0
    [[ $waves == *"${name%%-*}"* ]] || wave=1 waves+=${name%%-*}
    try </dev/null
done < <(/usr/bin/python3 -B -m cosim.manifest bugs lockstep "$@")

# Without the bugs, every kept stimulus passes.
wave=0
for f in "$root"/kept/*/*/*.vec; do
    [ -e "$f" ] || break
    name=${f##*/} name=${name%.vec}
    set=${f%/*} block=${set%/*} set=${set##*/} block=${block##*/} log=$root/$name.clean.log
    # The traced variant that the first bug of each side made writes the wave of a run that passes, too.
    traced=
    [ ! -e "$tree/build/rtl/$block/$set.waves.so" ] || traced=1
    wave=$traced
    if ! in_tree BLOCK="$block" VEC="$(realpath "$f")" ${traced:+WAVES=1} >"$log"; then
        not_found 'its stimulus fails without the bug too'
    elif [ -n "$traced" ] && ! both_sides "$tree/$(sed -n 's/^  wave   \([^ ]*\) .*/\1/p' "$log")"; then
        not_found 'a run that passes with WAVES=1 leaves no wave of RTL and twin'
    else
        echo "clean $name: passes without its bug${traced:+, and leaves its wave}"
    fi
done
rm -rf "$tree/build/cosim/headers" # precompiled headers are large; ccache has copies
echo "cosim-selftest: $passed bugs found, $failed failed"
[ $failed = 0 ]
