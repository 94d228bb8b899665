# SPDX-License-Identifier: Apache-2.0
# The preset files, carried inside the program: every .ini found is one, and its file name is its name.
PRESET_FILES := $(sort $(wildcard cmodel/system/config/presets/*.ini))
$(O)/presets.o: cmodel/system/presets.sh $(PRESET_FILES) cmodel/system/config/presets
	@mkdir -p $(@D)
	@echo "  AS   cmodel/system/config/presets/*.ini"
	@$< $(PRESET_FILES) | $(CC) -x assembler -c - -o $@
