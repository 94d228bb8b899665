#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A fuzzer of a trace reader, and the inputs that it keeps: tests/fuzz/READER.tar.gz.  usage:
#   fuzz.sh build READER            compiles $BUILD/fuzz/READER: clang's libFuzzer with both sanitizers
#   fuzz.sh unpack READER           the kept inputs, into $BUILD/fuzz/seeds/READER
#   fuzz.sh run READER SECONDS      fuzzes a copy of the seeds; only `keep` changes files under version control
#   fuzz.sh keep READER             packs the seeds, and of the inputs that fuzzing found those that reach an edge which no seed reaches;
#                                   the same inputs give the same bytes
set -euo pipefail
reader=$2 folder=$BUILD/fuzz root=$PWD
trace=({accelsim,accelsim_block,accelsim_bulk,accelsim_copies,accelsim_inst,accelsim_list,accelsim_map,accelsim_mbarriers,accelsim_opcode,accelsim_runs,binary_write,check,decode,digest,encode,info,lines,pattern,ranges,ranges_file,serial,templates,text_inst,text_read,text_write,tracez_read,unpack,walk,warp_ranges}.c)

build() {
    echo "  FUZZ $folder/$reader"
    clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -D_GNU_SOURCE -Icmodel -Itests/trace \
        "tests/fuzz/fuzz_$reader.c" tests/trace/harness.c cmodel/base/{error,output}.c "${trace[@]/#/cmodel/trace/}" \
        -lzstd -llzma -lz -lxxhash -o "$folder/$reader"
}

unpack() {
    local seeds=$folder/seeds/$reader
    rm -rf "$seeds" "$seeds.new"
    mkdir -p "$seeds.new"
    tar -xzf "tests/fuzz/$reader.tar.gz" -C "$seeds.new"
    mv "$seeds.new" "$seeds"
    touch "$seeds"
}

run() {
    local seconds=$1 log=$reader.log dictionary=()
    [ ! -e "tests/fuzz/$reader.dict" ] || dictionary=("-dict=$root/tests/fuzz/$reader.dict")
    mkdir -p "$folder/corpus/$reader"
    cp -n "$folder/seeds/$reader"/* "$folder/corpus/$reader/"
    cd "$folder"
    "./$reader" "-max_total_time=$seconds" -rss_limit_mb=2048 -timeout=20 -max_len=65536 -print_final_stats=1 \
        "-artifact_prefix=$reader-" "${dictionary[@]}" "corpus/$reader" >"$log" 2>&1 || {
        tail -n 30 "$log"
        echo "FAIL fuzz $reader  input: $folder/$reader-*  log: $folder/$log"
        exit 1
    }
    awk -v reader="$reader" -v seconds="$seconds" '/number_of_executed_units/ { n = $2 } /cov:/ { c = $0; sub(/.*cov: /, "", c); sub(/ .*/, "", c) }
        END { printf "  fuzz %-9s %d inputs in %d s, %d edges, no finding\n", reader, n, seconds, c }' "$log"
}

keep() {
    local kept=$folder/keep/$reader packed=tests/fuzz/$reader.tar.gz
    rm -rf "$kept"
    mkdir -p "$kept" "$folder/corpus/$reader"
    cp "$folder/seeds/$reader"/* "$kept/"
    "$folder/$reader" -merge=1 -rss_limit_mb=2048 -timeout=20 "$kept" "$folder/corpus/$reader" >"$kept.log" 2>&1 || {
        tail -n 30 "$kept.log"
        exit 1
    }
    tar --sort=name --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -cf - -C "$kept" . | gzip -9n >"$packed.new"
    mv "$packed.new" "$packed"
    echo "  keep $reader: $(find "$kept" -type f | wc -l) inputs, $(find "$folder/seeds/$reader" -type f | wc -l) before"
}

mkdir -p "$folder"
"$1" "${@:3}"
