# SPDX-License-Identifier: Apache-2.0
# The preset files, carried inside the program: every .ini found is one, and its file name is its name.
PRESETS := $(sort $(wildcard cmodel/system/config/presets/*.ini))
LIB_OBJ += $(O)/presets.o

# A struct preset (two pointers) for each, in a section that the linker delimits.
$(O)/presets.s: cmodel/system/presets.mk cmodel/system/config/presets $(PRESETS)
	@mkdir -p $(@D)
	@for p in $(PRESETS); do printf '%s\n' '	.section .rodata' "1:	.asciz \"$$(basename $$p .ini)\"" \
	    "2:	.incbin \"$$p\"" '	.byte 0' '	.section memtwin_presets, "aw"' '	.balign 8' '	.quad 1b, 2b'; done > $@
	@printf '	.section .note.GNU-stack,"",@progbits\n' >> $@
$(O)/presets.o: $(O)/presets.s
	@echo "  AS   cmodel/system/config/presets/*.ini"
	@$(CC) -c $< -o $@
