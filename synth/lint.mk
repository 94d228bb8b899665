# SPDX-License-Identifier: Apache-2.0
# Every block of rtl/, with every parameter set of its manifest, through the three front ends, warnings
# fatal; then its ports and registers against the block's list (cosim/describe.c).
lint-include = $(addprefix -I,rtl/lib $(call block-rtl,$1))
lint-sources = $(wildcard $(foreach r,rtl/lib $(call block-rtl,$1),$r/*.sv))
LINT := $(foreach s,$(call selected,$(COSIM_SETS)),$(B)/lint/$(subst /,.,$s).ok)

lint-rtl: $(LINT) ## every block and parameter set through Verilator -Wall, Yosys and Icarus; ports against their list: [BLOCK=] [SET=] [PARAMS=]
	@$(if $(LINT),,$(error SET: found "$(SET)", expected a parameter set of $(or $(BLOCK),some block), rtl/*/*.toml names them))
	@echo "lint-rtl: $(words $(LINT)) of $(words $(LINT)) block and parameter sets clean"

define LINT_RULE
$(B)/lint/$1.$2.ok: $(wildcard $(foreach r,$(call block-rtl,$1) rtl/lib,$r/*.sv $r/*.svh $r/*.vlt)) synth/lint_ports.py $(B)/describe/$1 $(call made,lint.$1.$2 lint)
	@mkdir -p $$(@D)
	@echo "  LINT $1 $2"
	@verilator --lint-only -Wall $(call lint-include,$1) --top-module $1 $(addprefix -G,$(call cosim-params,$1/$2)) \
	    $(wildcard $(foreach r,$(call block-rtl,$1),$r/*.vlt)) rtl/$1/$1.sv
	@iverilog -g2012 -Wall -Wno-timescale $(call lint-include,$1) -s $1 $(addprefix -P$1.,$(call cosim-params,$1/$2)) \
	    -o /dev/null $(call lint-sources,$1) >$(B)/lint/$1.$2.icarus 2>&1 || { cat $(B)/lint/$1.$2.icarus; false; }
	@yosys -q -e '.*' -p 'read_verilog -sv $(call lint-include,$1) $(call lint-sources,$1); \
	    hierarchy -check -top $1 $(foreach p,$(call cosim-params,$1/$2),-chparam $(subst =, ,$p)); proc; check -assert; \
	    write_json $(B)/lint/$1.$2.rtl.json'
	@$(B)/describe/$1 --json $(call cosim-params,$1/$2) >$(B)/lint/$1.$2.list.json
	@python3 synth/lint_ports.py $(B)/lint/$1.$2.list.json $(B)/lint/$1.$2.rtl.json $1
	@touch $$@
endef
$(foreach s,$(COSIM_SETS),$(call rules,lint.$(subst /,.,$s),$(call LINT_RULE,$(patsubst %/,%,$(dir $s)),$(notdir $s))))
made-lint = $(shell $(VERILATOR) --version; yosys -V; iverilog -V 2>&1 | sed -n 1p)
.PHONY: lint-rtl
