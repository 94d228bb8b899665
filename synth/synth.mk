# SPDX-License-Identifier: Apache-2.0
# Area, timing and power of the blocks, and their netlists in lockstep with the twins.  README.md says what is measured and how.
LIBERTY ?= /usr/share/qflow/tech/osu018/osu018_stdcells.lib
SYNTH_LIB := $(firstword $(subst ., ,$(notdir $(LIBERTY))))
SYNTH_DIR := $(B)/synth/$(SYNTH_LIB)
SYNTH_PY := PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 synth/synth.py

synth: $(MEMTWIN) ## area, timing, power; ends with the netlist in lockstep: [BLOCK=] [SET=] [LIBERTY=file] [PARAMS="Sets=8 ..."] [NODE=nm]
	@$(SYNTH_PY) run --liberty $(LIBERTY) --build $(B) --jobs $(JOBS) $(BLOCK:%=--block %) $(SET:%=--set %) $(NODE:%=--node %) $(foreach p,$(PARAMS),--param $p)
synth-check: $(MEMTWIN) ## the same against synth/baseline.tsv: area and Fmax within 5 % either way [BLOCK=] [SET=] (UPDATE=1: write it; QUICK=1: the small sets)
	@$(SYNTH_PY) check --liberty $(LIBERTY) --build $(B) --jobs $(JOBS) $(BLOCK:%=--block %) $(SET:%=--set %) $(NODE:%=--node %) $(if $(UPDATE),--update) $(if $(QUICK),--quick)
synth-pages: ## docs/area-timing.md, the Timing lines and the areas in READMEs are what the baselines say (UPDATE=1: write them)
	@$(SYNTH_PY) pages $(if $(UPDATE),--update)
synth-selftest: $(MEMTWIN) ## a wrong gate, a moved baseline, other tools, a page edited by hand, bad arguments: each is seen
	@PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 synth/selftest.py $(B)
.PHONY: synth synth-check synth-pages synth-selftest

# Lockstep with a netlist (cosim/gates.hpp) in place of the Verilated block; one program serves every library.
define SYNTH_RULES # 1 block, 2 set, 3 directory
$3/lockstep.o: cosim/$1.cpp $(call made,netlist.$1.$2 g++) $(call parts-header,$1)
	@mkdir -p $3
	@$(COSIM_COMPILE) $(COSIM_DEF_fast) -DCOSIM_NETLIST $(call cosim-define,$1,$2) -c $$< -o $$@
$3/lockstep: $3/lockstep.o $(call block-twins,$1) $(COSIM_C) $(COSIM_ENGINE) $(COSIM_RUNTIME_fast:%=$(B)/cosim/runtime/fast/%.o)
	@$(CXX) $$^ -lz -lpthread -o $$@
endef
$(foreach s,$(COSIM_SETS),$(call rules,netlist.$(subst /,.,$s),$(call SYNTH_RULES,$(patsubst %/,%,$(dir $s)),$(notdir $s),$(B)/synth/lockstep/$s)))
