# SPDX-License-Identifier: Apache-2.0
# Lockstep, and the program with RTL in it.  README.md says how to use it and how to add a block; rules.py writes the rules of each product.
SEED ?= 1
CYCLES ?= 5000000
COSIM_OPT ?= -O3 # for millions of cycles; COSIM_OPT=-O1 compiles faster, for short runs
CXX := g++
VERILATOR := verilator
VERILATOR_INCLUDE := $(shell $(VERILATOR) --getenv VERILATOR_ROOT 2>/dev/null)/include
VERILATE := $(VERILATOR) --cc -Wall -O3 --x-assign unique --x-initial unique -Irtl/lib
COSIM_INCLUDE := -Icosim $(CPPFLAGS) -isystem $(VERILATOR_INCLUDE) -isystem $(VERILATOR_INCLUDE)/vltstd
COSIM_COMPILE := ccache $(CXX) -std=c++20 -g1 $(COSIM_OPT) -march=x86-64-v2 -Wall -Wextra -Werror $(COSIM_INCLUDE) -MMD -MP
export CCACHE_SLOPPINESS := pch_defines,time_macros # ccache needs these to keep objects that include a precompiled header
-include $(wildcard $(patsubst %,$(B)/%/*.d,cosim/engine cosim/* cosim/*/* cosim/*/*/* tb/*/* synth/lockstep/*/* describe)) # headers
COSIM_C := $(O)/cmodel/base/vec.o $(O)/cmodel/base/output.o $(O)/cmodel/base/error.o
made-cosim := $(COSIM_COMPILE) $(VERILATE) $(WARN)
made-verilator = $(shell $(VERILATOR) --version) $(VERILATOR_INCLUDE) $(CXX) $(if $(filter command,$(origin CXXFLAGS)),$(CXXFLAGS))
COSIM_HOW := $(call made,cosim verilator gcc)
BOTH := $(MEMTWIN) $(B)/memtwin-rtl
FIRST_SETS := $(foreach b,$(WANTED),$(firstword $(filter $b/%,$(SELECTED)))) # of each block, a small one
SMALL_SETS := $(if $(QUICK),$(FIRST_SETS),$(SELECTED))
LOCKSTEP := $(B)/cosim/%/fast/lockstep
COSIM_KIND := $(if $(filter 1,$(WAVES)),waves,fast)
COSIM_ARGS = --seed $(SEED) --cycles $(CYCLES) $(MODE:%=--mode %) $(patsubst %,--state %,$(filter-out 0,$(call said,STATE))) \
    $(if $(COVER),--cover) $(VEC:%=--vec %) $(if $(WRITE),--write $(WRITE)) $(if $(OUTPUTS),--outputs $(OUTPUTS))
CAPTURE_RUN ?= bfs:n=16384
TOGGLE_SETS ?= sets8 l1d
TOGGLES = SEED=$(SEED) RUN='$(CAPTURE_RUN)' C='$(COSIM_C)' VERILATE='$(VERILATE)' COMPILE='$(COSIM_COMPILE) $(COSIM_DEF_fast)'
build: $(BOTH) ## use: build/memtwin, and build/memtwin-rtl with the Verilated blocks linked in
cosim: $(SELECTED:%=$(B)/cosim/%/$(COSIM_KIND)/lockstep) ## verify: lockstep [BLOCK= SET= PARAMS= SEED= CYCLES= WAVES=1 MODE= VEC= RTL= TOP= STATE=0]
	@MAKE="$(if $(filter 0,$(WAVES)),,$(MAKE))" cosim/all.sh $(COSIM_KIND) "$(SELECTED)" $(COSIM_ARGS)
scenarios: $(SMALL_SETS:%=$(B)/cosim/%/twin) ## verify: the directed scenarios on the twins alone, with sanitizers [BLOCK=] [SET=] [QUICK=1]
	@failed=0; for p in $^; do $$p || failed=1; done; exit $$failed
cosim-wave: $(SELECTED:%=$(B)/cosim/%/waves/lockstep)
	@$< $(WAVE_ARGS) # of a failing run: the traced variant runs up to the failure
cosim-captured: $(MEMTWIN) $(patsubst %,$(LOCKSTEP),$(filter $(WANTED:%=%/%),$(CAPTURED)))
cosim-captured: ## verify: traffic of a full-system run (CAPTURE_RUN=workload) in lockstep [BLOCK=]
	@MAKE="$(MAKE)" $(PY) cosim/machine.py captured $(B) '$(CAPTURE_RUN)' $(WANTED)
cosim-selftest: ## verify: planted bugs: lockstep finds, shrinks and keeps each [BUGS="name or block ..."] [QUICK=1: a few of each block]
	@cosim/selftest.sh $(if $(QUICK),--few) $(BUGS)
machine: $(BOTH) ## verify: every block in the machine, twin and RTL, skipping or not: equal counters [BLOCK=]
	@MAKE="$(MAKE)" $(PY) cosim/machine.py machine $(B) $(WANTED)
bench-cosim: $(SELECTED:%=$(LOCKSTEP)) ## measure: cycles/s of the bare RTL, the twin and lockstep [BLOCK=] [SET=] [PARAMS=]
	@for p in $^; do $$p --bench; done
toggles: $(MEMTWIN) $(TOGGLE_SETS:%=$(B)/cosim/dl_mshr/%/fast/lockstep) $(COSIM_C)
toggles: ## measure: bits that dl_mshr's gated comparators toggle, with and without GateCmp [TOGGLE_SETS=] [TOGGLE_CYCLES=] [SEED=]
	@$(TOGGLES) cosim/toggles.sh $(or $(TOGGLE_CYCLES),200000) $(TOGGLE_SETS)
describe: $(DESCRIBE) ## develop: the ports, parameters and registers of one BLOCK= [ARGS="Sets=8 ..."]
	@$(PY) cosim/params.py '$(BLOCK)' '$(ARGS)' && $(B)/describe/$(BLOCK) --markdown $(ARGS)
port-comments: $(DESCRIBE) ## develop: comments of ports and parameters in the RTL are the port list's (UPDATE=1: write them) [BLOCK=]
	@$(PY) cosim/port_comments.py $(if $(UPDATE),--update) $(B)/describe $(WANTED)
