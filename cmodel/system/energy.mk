# SPDX-License-Identifier: Apache-2.0
# The tables of energies, carried inside the program.
ENERGY_FILES := energies energy_blocks
$(O)/energies.o: $(ENERGY_FILES:%=cmodel/system/energy/%.ini)
	@mkdir -p $(@D)
	@echo "  AS   cmodel/system/energy/*.ini"
	@for f in $(ENERGY_FILES); do printf '\t%s\n' '.section .rodata' ".globl $${f}_text" "$${f}_text: .incbin \"cmodel/system/energy/$$f.ini\"" \
	    '.byte 0' '.section .note.GNU-stack,"",@progbits'; done | $(CC) -x assembler -c - -o $@
