#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make cross: builds the program with Debian's cross compiler and runs it under qemu.  Every counter of the golden runs must be that of x86-64.
# Needs root, or user namespaces, for mmdebstrap, and the network once.  usage: check.sh BUILD
set -euo pipefail
folder=$1/aarch64
mapfile -t libraries < <(grep -e '-dev$' cmodel/packages.txt)
mkdir -p "$folder"
folder=$(realpath "$folder")
if [ ! -d "$folder/sysroot" ]; then
    echo "  SYSROOT arm64"
    rm -rf "$folder/new"
    mmdebstrap --quiet --variant=extract --architectures=arm64 --include="$(IFS=,; echo "${libraries[*]},libgcc-12-dev")" bookworm "$folder/new"
    mv "$folder/new" "$folder/sysroot"
fi
make -s -j"${JOBS:-2}" B="$folder/tree" CC="aarch64-linux-gnu-gcc --sysroot=$folder/sysroot" "$folder/tree/memtwin"
printf '#!/bin/sh\nexec qemu-aarch64 "%s/tree/memtwin" "$@"\n' "$folder" >"$folder/memtwin"
chmod +x "$folder/memtwin"
/usr/bin/python3 -B -m tests.golden.counters --jobs "${JOBS:-2}" "$folder/memtwin"
