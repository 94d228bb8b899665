#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the directed scenarios of "block/set block/set ..." on the twins alone; a line each and a closing line.
set -uo pipefail
passed=0 failed=0
for s in $1; do
    if "$BUILD/cosim/${s%/*}/twin" --set "$BUILD/sets/$s"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
if [ -z "$1" ]; then
    echo "scenarios: no such block or parameter set; rtl/*/*.toml names them" >&2
    exit 2
fi
echo "scenarios: $passed passed, $failed failed"
[ $failed = 0 ]
