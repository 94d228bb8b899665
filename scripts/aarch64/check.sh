#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make cross: builds the program and the unit tests with Debian's cross compiler and runs them under qemu.  Every counter of the golden runs must
# be that of x86-64, and every test must pass.  Tests start themselves again: qemu-user-binfmt lets the kernel run programs of aarch64.
# Needs root, or user namespaces, for mmdebstrap, and the network once.  usage: check.sh BUILD
set -euo pipefail
folder=$1/aarch64
mapfile -t libraries < <(grep -h -e '-dev$' cmodel/packages.txt tests/packages.txt | grep -v clang)
mkdir -p "$folder"
folder=$(realpath "$folder")
sysroot=$folder/sysroot-$(IFS=,; sha256sum <<<"${libraries[*]}" | cut -c1-8)
if [ ! -d "$sysroot" ]; then
    echo "  SYSROOT arm64"
    rm -rf "$folder/new"
    mmdebstrap --quiet --variant=extract --architectures=arm64 --include="$(IFS=,; echo "${libraries[*]},libgcc-12-dev")" bookworm "$folder/new"
    mv "$folder/new" "$sysroot"
fi
build() { make -s -j"${JOBS:-2}" B="$folder/tree" CC="aarch64-linux-gnu-gcc --sysroot=$sysroot" "$@"; }
build "$folder/tree/memtwin"
[ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ] || update-binfmts --enable qemu-aarch64
export QEMU_LD_PREFIX=$sysroot
/usr/bin/python3 -B -m tests.golden.counters --jobs "${JOBS:-2}" "$folder/tree/memtwin"
build test-run
