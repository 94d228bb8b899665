#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the Verilator configuration that makes the registers and memories of blocks public, as their port lists name them.
# usage: registers.sh COMPILER BLOCK=MODULE ...
set -euo pipefail
compiler=$1
shift
echo '`verilator_config'
for named in "$@"; do
    block=${named%%=*} module=${named#*=}
    # shellcheck disable=SC2086  # a compiler and its options
    printf '#include "%s.h"\n#define N(k, n, ...) @n@\n%s_REG(N) %s_MEM(N)\n' "$block" "${block^^}" "${block^^}" | $compiler -E -P - |
        { grep -oE '@ ?[a-z0-9_]+ ?@' || [ $? = 1 ]; } | # a combinational block has none
        tr -d '@ ' | sed "s/.*/public_flat_rd -module \"$module\" -var \"&\"/"
done
