# SPDX-License-Identifier: Apache-2.0
# The face "model" of every block that rtl/ has (block_model.h): the twins register themselves, nothing is listed by hand.
LIB_OBJ += $(O)/block_models.o

# Written anew only when the list of blocks changes.
$(O)/block_models.c: block-models-are-current
	@mkdir -p $(@D)
	@{ echo '#include "system/block/block_model.h"'; for b in $(BLOCKS); do printf '#include "%s.h"\nBLOCK_MODEL(%s, %s);\n' $$b $$b $${b^^}; done; } >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
block-models-are-current:
.PHONY: block-models-are-current
$(O)/block_models.o: $(O)/block_models.c $(HOW)
	@echo "  CC   $<"
	@$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@
-include $(O)/block_models.d
