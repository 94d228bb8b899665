#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints assembly that carries preset files: a struct preset (two pointers) for each, in a section that the linker delimits.
# usage: presets.sh FILE ...
for p in "$@"; do
    printf '%s\n' '	.section .rodata' "1:	.asciz \"$(basename "$p" .ini)\"" "2:	.incbin \"$p\"" '	.byte 0' \
        '	.section memtwin_presets, "aw"' '	.balign 8' '	.quad 1b, 2b'
done
printf '	.section .note.GNU-stack,"",@progbits\n'
