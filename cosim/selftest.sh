#!/usr/bin/env bash
# Does lockstep find bugs?  Plants one-line bugs, one at a time, in a copy of the tree: each must end in a FAIL whose shrunk
# stimulus fails again when it is replayed, and passes once the bug is taken out.  `selftest.sh [name ...]`: those only.
set -euo pipefail
cd "$(dirname "$0")/.."
root=${BUILD:-build}/cosim-selftest
tree=$root/tree
export CCACHE_NOHASHDIR=1

# name | block | set | file | sed command: one line is changed, the program still builds
bugs() {
    cat <<'EOF'
rtl-link-flag      | dl_mshr | sets4  | rtl/dl_mshr/dl_mshr.sv     | s/l\[fill_set\] | (link & (tail == fill_set))/l[fill_set]/
rtl-no-reset       | dl_mshr | sets4  | rtl/dl_mshr/dl_mshr.sv     | /^      error_q  *<= '0;/d
rtl-drain-clash    | dl_mshr | sets4  | rtl/dl_mshr/dl_mshr.sv     | s/(drain_valid_q & ~done & (req_addr_i == drain_addr_q))/(drain_valid_q \& (req_addr_i == drain_addr_q))/
rtl-forwarding     | dl_mshr | sets4  | rtl/dl_mshr/dl_mshr.sv     | s/req_fresh = alloc & (req_addr_i/req_fresh = merge \& (req_addr_i/
rtl-refused-state  | dl_mshr | sets4  | rtl/dl_mshr/dl_mshr_dau.sv | s/n_free_set_i ? S8 : S9/n_free_set_i ? S8 : S7/
rtl-address-bit    | dl_mshr | sets4  | rtl/dl_mshr/dl_mshr.sv     | s/(fill_operand == addr_q\[i\])/((fill_operand | AddrW'(1)) == (addr_q[i] | AddrW'(1)))/
rtl-payload        | dl_mshr | tiny   | rtl/dl_mshr/dl_mshr.sv     | s/write_q\[slot_index\] <= s2_write_q/write_q[slot_index] <= s2_write_q \& ~link/
rtl-reuse          | mshr    | tiny   | rtl/mshr/mshr.sv           | s/.vector_i(~busy_q | freed)/.vector_i(~busy_q)/
rtl-merge-full     | mshr    | tiny   | rtl/mshr/mshr.sv           | s/last_q\[hit_set\] == SlotW'(Slots - 1)/last_q[hit_set] == SlotW'(Slots - 2)/
twin-walk          | dl_mshr | notail | cmodel/blocks/dl_mshr.c    | s/w->fill_ready = (\(.*\)) && !w->walk;/w->fill_ready = \1;/
twin-error         | dl_mshr | sets4  | cmodel/blocks/dl_mshr.c    | s/m->error_q = w->fill_bad ? MSHR_ERROR_FILL : m->error_q/m->error_q = w->fill_bad ? MSHR_ERROR_FILL : MSHR_OK/
twin-reset         | dl_mshr | sets4  | cmodel/blocks/dl_mshr.c    | /^    m->used_slots_q = 0;/d
twin-drain-clash   | dl_mshr | sets4  | cmodel/blocks/dl_mshr.c    | s/w->look_drain = draining || filled/w->look_drain = draining || (filled \&\& w->done)/
twin-counter       | dl_mshr | sets4  | cmodel/blocks/dl_mshr.c    | s/freed_r = w->set_done && freed_reserved/freed_r = w->done \&\& freed_reserved/
twin-unused-state  | dl_mshr | sets4  | cmodel/blocks/dl_mshr.c    | s/m->s2_write_q = in->req_write_i/m->s2_write_q = in->req_write_i \&\& !w->look_drain/
twin-order         | mshr    | tiny   | cmodel/blocks/mshr.c       | s/m->live_q\[w->fill_set\] = 0/m->live_q[w->fill_set] = w->alloc/
twin-search        | mshr    | tiny   | cmodel/blocks/mshr.c       | s/(m->n_free_q != 0 || w->done)/m->n_free_q != 0/
EOF
}

prepare() {
    rm -rf "$root/clean" "$root/kept"
    mkdir -p "$root/clean" "$tree"
    cp -r Makefile cmodel cosim rtl "$root/clean"
    for d in Makefile cmodel cosim rtl; do update "$root/clean/$d" "$tree/$d"; done
}
# Copies only what differs, so that a second run builds little.
update() {
    local f
    find "$1" -type f -printf '%P\n' | while read -r f; do
        local from=$1${f:+/$f} to=$2${f:+/$f}
        cmp -s "$from" "$to" && continue
        mkdir -p "$(dirname "$to")"
        cp "$from" "$to"
    done
}

in_tree() { make -C "$tree" cosim WAVES="${wave/1/}" CYCLES=200000 "$@" 2>&1; }

not_found() {
    sed 's/^/    /' "$log" | tail -n 30
    echo "FAIL selftest $name: $1"
    failed=$((failed + 1))
}

try() {
    local file=$1 command=$2 vec=build/cosim/$block/$set-1.vec log=$root/$name.log
    sed -i "$command" "$tree/$file"
    if [ "$(diff "$root/clean/$file" "$tree/$file" | grep -c '^<')" != 1 ]; then
        : >"$log"
        not_found "the bug does not change one line of $file: it has to be written anew"
    elif in_tree BLOCK="$block" SET="$set" >"$log" || ! grep -q '^FAIL cosim' "$log"; then
        not_found 'it was not found'
    elif ! grep -q 'keep .*replayed: [0-9]' "$log"; then
        not_found 'its stimulus was not kept or does not fail again'
    elif [ "$wave" = 1 ] && ! grep -q "wave   .*.fst (" "$log"; then
        not_found 'there is no wave'
    elif in_tree BLOCK="$block" SET="$set" VEC="$vec" >"$log.vec" || ! grep -q '^FAIL cosim' "$log.vec"; then
        log=$log.vec not_found "make cosim VEC=$vec does not fail"
    else
        mkdir -p "$root/kept/$block/$set"
        cp "$tree/$vec" "$root/kept/$block/$set/$name.vec"
        printf 'found %-18s %s  %s\n' "$name" "$(grep -o 'cycle=.*' "$log" | head -n 1)" "$(grep -o 'shrunk from [0-9]* to [0-9]* cycles' "$log")"
        passed=$((passed + 1))
    fi
    cp "$root/clean/$file" "$tree/$file"
}

passed=0 failed=0 waves=
prepare
wanted=" $* "
while IFS='|' read -r name block set file command; do
    read -r name block set file <<<"$name $block $set $file"
    [ "$wanted" = "  " ] || [[ $wanted == *" $name "* ]] || continue
    # One wave on each side shows that it works; the others save the build of the traced variant.
    wave=0
    [[ $waves == *"${name%%-*}"* ]] || wave=1 waves+=${name%%-*}
    try "$file" "$(sed 's/^ *//' <<<"$command")" </dev/null
done < <(bugs | sed 's/ | /|/; s/ | /|/; s/ | /|/; s/ | /|/')

# Without the bugs, every kept stimulus passes.
wave=0
for f in "$root"/kept/*/*/*.vec; do
    [ -e "$f" ] || break
    name=${f##*/} name=${name%.vec}
    set=${f%/*} block=${set%/*} set=${set##*/} block=${block##*/} log=$root/$name.clean.log
    if in_tree BLOCK="$block" SET="$set" VEC="$(realpath "$f")" >"$log"; then
        echo "clean $name: passes without its bug"
    else
        not_found 'its stimulus fails without the bug too'
    fi
done
echo "cosim-selftest: $passed bugs found, $failed failed"
[ $failed = 0 ]
