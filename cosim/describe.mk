# SPDX-License-Identifier: Apache-2.0
# build/describe/<block> prints what <block>_ports.h lists: --json, --markdown or --text, then Parameter=value ...
DESCRIBE := $(BLOCKS:%=$(B)/describe/%)
DESCRIBE_CFLAGS := -std=c17 -O1 $(WARN)
made-describe := $(CC) $(CPPFLAGS) $(DESCRIBE_CFLAGS)
$(DESCRIBE): $(B)/describe/%: cosim/describe.c $(call made,describe gcc)
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS) $(DESCRIBE_CFLAGS) -include cmodel/blocks/$*.h -DBLOCK=$* -DBLOCK_UC=$(call upper,$*) -MMD -MP -MF $@.d $< -o $@
-include $(wildcard $(B)/describe/*.d)

describe: $(DESCRIBE) ## print the ports, parameters and registers of BLOCK= (ARGS="Sets=8 ...")
	@$(if $(filter 1,$(words $(BLOCK))),,$(error describe needs one BLOCK=, found "$(BLOCK)"))
	@python3 cosim/params.py check $(BLOCK) '$(ARGS)'
	@$(B)/describe/$(BLOCK) --markdown $(ARGS)
.PHONY: describe

port-comments: $(DESCRIBE) ## the comment of every port and parameter in the RTL is its meaning in the port list (UPDATE=1: write it) [BLOCK=]
	@for b in $(or $(BLOCK),$(BLOCKS)); do python3 cosim/port_comments.py $(if $(UPDATE),--update) $(B)/describe/$$b $$b; done
	@echo "port-comments: $(words $(or $(BLOCK),$(BLOCKS))) of $(words $(or $(BLOCK),$(BLOCKS))) blocks agree"
.PHONY: port-comments
