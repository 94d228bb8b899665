# SPDX-License-Identifier: Apache-2.0
# Area, timing and power of the blocks, their netlists in lockstep with the twins, lint and file lists of the RTL.  README.md says more.
SYNTH := $(PY) synth.synth
SYNTH_ARGS = --liberty $(or $(LIBERTY),/usr/share/qflow/tech/osu018/osu018_stdcells.lib) --build $(B) --jobs $(JOBS) \
    $(patsubst %,--block %,$(if $(DUE),$(call due,synth-check),$(BLOCK))) \
    $(SET:%=--set %) $(NODE:%=--node %) $(foreach v,CLOCK_MHZ OUT PLATFORM FPGA SWEEP,$(if $($v),--$v '$($v)'))
LINT := $(foreach s,$(call small-sets,lint-rtl),$(B)/lint/$(subst /,.,$s).ok)
made-lint = $(shell $(VERILATOR) --version; yosys -V; iverilog -V 2>&1 | sed -n 1p)
synth: $(MEMTWIN) ## measure: area, timing, power [BLOCK= SET= PARAMS= LIBERTY= NODE=] [CLOCK_MHZ= OUT= PLATFORM=] [FPGA=] [SWEEP="P=1,2"] [RTL= TOP=]
	@$(SYNTH) run $(SYNTH_ARGS) $(foreach p,$(PARAMS),--param $p) $(OWN_RTL)
synth-check: $(MEMTWIN) ## measure: make synth against synth/baseline.tsv, tolerance 5 % [BLOCK= SET= LIBERTY=] (UPDATE=1: write; QUICK=1: small sets)
	@$(unless-due) $(SYNTH) check $(SYNTH_ARGS) $(if $(UPDATE),--update) $(if $(QUICK),--quick)
synth-pages: ## measure: check docs/area-timing.md and the areas in READMEs against the baselines (UPDATE=1: write them)
	@$(SYNTH) pages $(if $(UPDATE),--update)
synth-selftest: $(MEMTWIN) ## measure: a wrong gate, a changed baseline and a manually edited page are each detected
	@$(PY) synth.selftest $(B)
lint-rtl: $(LINT) ## verify: parameter sets in Verilator, Yosys, Icarus; ports against their list [BLOCK=] [SET=] [PARAMS=] [QUICK=1: small sets]
	@echo "lint-rtl: $(words $(LINT)) of $(words $(LINT)) block and parameter sets clean"
filelists: ## verify: rtl/*/*.core match the sources (UPDATE=1: write them); each block passes lint with the .f of its release [BLOCK=]
	@$(PY) synth.filelists $(B) $(if $(UPDATE),--update) --lint $(WANTED)
LAYOUT = SETUP=no $(PACKAGES) synth/layout/packages.txt && $(PY) synth.layout
LAYOUT_ARGS = --build $(B) --jobs $(JOBS) $(BLOCK:%=--block %) $(SET:%=--set %) $(foreach p,$(PARAMS),--param $p)
layout: $(MEMTWIN) ## measure: a block placed and routed in OSU 0.18 um: DEF, GDS, picture BLOCK= [SET=] [PARAMS=] [DENSITY= ASPECT= CLOCK=]
	@$(LAYOUT) run $(LAYOUT_ARGS) $(foreach v,DENSITY ASPECT CLOCK,$(if $($v),--$v '$($v)'))
layout-check: $(MEMTWIN) ## measure: make layout against synth/layout.tsv, 5 % [BLOCK=] [SET=] [PARAMS=] (UPDATE=1: write; QUICK=1: two sets)
	@$(LAYOUT) check $(LAYOUT_ARGS) $(if $(UPDATE),--update) $(if $(QUICK),--quick)
layout-selftest: $(MEMTWIN) ## measure: a cut wire, exchanged nets, a changed baseline, an unrouted net: each is detected
	@$(LAYOUT).selftest $(B)
