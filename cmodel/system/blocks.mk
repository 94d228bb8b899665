# SPDX-License-Identifier: Apache-2.0
# The face "model" of every block that rtl/ has (block_model.h): the twins register themselves, nothing is listed by hand.
LIB_SRC += $(G)/block_models.c
made-blocks := $(BLOCKS)
$(G)/block_models.c: $(call made,blocks)
	@mkdir -p $(@D)
	@printf '#include "%s.h"\n' system/block/block_model $(BLOCKS) >$@
	@for b in $(BLOCKS); do echo "BLOCK_MODEL($$b, $${b^^});"; done >>$@
