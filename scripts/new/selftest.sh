#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The skeleton of `make new`, in a copy of the tree: every check passes unchanged; a bug planted in the RTL or in the twin fails
# each of them; names that exist or are none are refused.  Objects that are there already are taken along.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=${BUILD:-build}/new-selftest
tree=$root/tree
block=probe_stage
jobs=-j${JOBS:-2}
passed=0 failed=0
export CCACHE_NOHASHDIR=1

rm -rf "$tree"
mkdir -p "$tree/build"
if [ -e .git ]; then git ls-files -coz --exclude-standard; else find . -path ./build -prune -o -type f -print0; fi |
    while IFS= read -r -d '' f; do [ ! -e "$f" ] || printf '%s\0' "$f"; done | xargs -0 cp -a --parents -t "$tree"
for d in made rules obj san memtwin describe headers lint cosim/runtime cosim/engine; do
    [ ! -e "build/$d" ] || { mkdir -p "$tree/build/$(dirname "$d")" && cp -a "build/$d" "$tree/build/$d"; }
done

# expect STATUS NAME TEXT COMMAND...: it ends with success (0) or not (1), and says TEXT.
expect() {
    local want=$1 name=$2 text=$3 log=$root/$2.log status=0
    shift 3
    (cd "$tree" && unset MAKEFLAGS MAKELEVEL && timeout 400 "$@") >"$log" 2>&1 || status=1
    if [ "$status" = "$want" ] && grep -qE -- "$text" "$log"; then
        passed=$((passed + 1))
        echo "PASS new-selftest $name: $(grep -E -- "$text" "$log" | tail -n 1 | cut -c1-110)"
    else
        failed=$((failed + 1))
        echo "FAIL new-selftest $name: status $status, wanted $want and \"$text\"; log: $log"
        tail -n 20 "$log" | sed 's/^/    /'
    fi
}
stamp() { expect "$1" "$2" "$3" make new BLOCK="$4"; }
# plant FILE SED: the line must be there.
plant() {
    cp -p "$tree/$1" "$root/kept"
    sed -i "$2" "$tree/$1"
    ! cmp -s "$tree/$1" "$root/kept" || { echo "FAIL new-selftest: $2 changes nothing in $1" && exit 1; }
}
undo() {
    cp "$root/kept" "$tree/$1"
}

stamp 1 refuse-existing 'exists|already' mshr
stamp 1 refuse-lib 'something else' lib
stamp 1 refuse-keyword 'something else' register
stamp 1 refuse-capital 'expected a name' NewBlock
stamp 1 refuse-digit 'expected a name' 2x
stamp 1 refuse-empty 'expected a block' ''
stamp 1 refuse-path 'expected a name' ../x
stamp 1 refuse-struct 'already' rng

stamp 0 stamp 'NEW .*blocks' $block
stamp 1 refuse-again 'exists|already' $block
expect 0 check ' passed, 0 failed' make check QUICK=1
expect 0 cosim 'cosim: 4 passed, 0 failed' make "$jobs" cosim BLOCK=$block CYCLES=200000
expect 0 prove '^[1-9][0-9]* passed, 0 failed' make prove BLOCK=$block
expect 0 formal 'formal: 3 of 3 runs proved' make formal BLOCK=$block
expect 0 tb 'tb: 12 passed, 0 failed' make "$jobs" tb BLOCK=$block CYCLES=20000
expect 0 synth 'synth: 1 passed, 0 failed' make synth BLOCK=$block
expect 0 bugs 'cosim-selftest: 2 bugs found of 2, 0 failed' make cosim-selftest BUGS=$block
expect 0 test 'sanitized +Tested: 4 ' make "$jobs" test TEST=$block
expect 0 registered "^$block$" build/memtwin list blocks

# The RTL drops a waiting item; the twin refuses one that fits: every face must notice.
plant rtl/$block/mt_$block.sv 's/full_d      = accept | (full_q & ~out_ready_i)/full_d      = accept/'
expect 1 rtl-bug-cosim 'FAIL cosim' make cosim BLOCK=$block SET=odd CYCLES=20000 WAVES=0
expect 1 rtl-bug-prove 'REFUTED' make prove BLOCK=$block SIZES=2
expect 1 rtl-bug-formal 'FAIL formal' make formal BLOCK=$block
expect 1 rtl-bug-tb 'FAIL tb' make tb BLOCK=$block SET=odd CYCLES=2000
undo rtl/$block/mt_$block.sv
plant cmodel/blocks/$block.c 's/return !m->full_q || in->out_ready_i;/return !m->full_q \&\& !in->out_ready_i;/'
expect 1 twin-bug-cosim 'FAIL cosim' make cosim BLOCK=$block SET=odd CYCLES=20000 WAVES=0
expect 1 twin-bug-prove 'REFUTED' make prove BLOCK=$block SIZES=2
expect 1 twin-bug-test 'FAIL test' make test-run TEST=$block
undo cmodel/blocks/$block.c

echo "new-selftest: $passed passed, $failed failed"
[ "$failed" = 0 ]
