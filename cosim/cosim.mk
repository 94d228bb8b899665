# SPDX-License-Identifier: Apache-2.0
# Lockstep, and the program with RTL in it.  README.md says how to use it and how to add a block; rules.py writes the rules of each product.
SEED ?= 1
SEEDS := 1
# JUNIT= and JSON=: $(call reported,COMMAND) runs it and writes results for a CI.  Files of an earlier run go first.
RESULTS := $(call said,JUNIT) $(call said,JSON)
$(if $(and $(strip $(RESULTS)),$(ALONE)),$(shell rm -f -- $(call quoted,$(call said,JUNIT)) $(call quoted,$(call said,JSON))))
reported = $(if $(and $(strip $(RESULTS)),$(if $(DRY),,yes)),{ ( $1 ) || { s=$$?; echo "@status $$s"; exit $$s; }; } 2>&1 | \
    $(PY) cosim.results $@ '$(call said,JUNIT)' '$(call said,JSON)',$1)
CYCLES ?= 5000000
COSIM_OPT ?= -O1
CXX := g++
VERILATOR := verilator
VERILATOR_INCLUDE := $(shell $(VERILATOR) --getenv VERILATOR_ROOT 2>/dev/null)/include
VERILATE := $(VERILATOR) --cc -Wall -O3 --x-assign unique --x-initial unique -Irtl/lib
COSIM_INCLUDE := -Icosim $(CPPFLAGS) -isystem $(VERILATOR_INCLUDE) -isystem $(VERILATOR_INCLUDE)/vltstd
COSIM_COMPILE := ccache $(CXX) -std=c++20 -g1 $(COSIM_OPT) $(MARCH) -Wall -Wextra -Werror $(COSIM_INCLUDE) -MMD -MP
export CCACHE_SLOPPINESS := pch_defines,time_macros # ccache needs these to keep objects that include a precompiled header
-include $(wildcard $(patsubst %,$(B)/%/*.d,cosim/* rtl/*/* tb/*/* describe)) # headers
COSIM_C := $(patsubst %,$(O)/cmodel/%.o,base/vec base/output base/error lib/rtl_load)
made-cosim := $(COSIM_COMPILE) $(VERILATE) $(WARN)
made-verilator = $(shell $(VERILATOR) --version; $(CXX) --version) $(VERILATOR_INCLUDE) $(CXX) $(if $(filter command,$(origin CXXFLAGS)),$(CXXFLAGS))
COSIM_HOW := $(call made,cosim verilator gcc)
# Generated headers (header.py): `made` is written after each run, a header only if it changes.  (+: make -n looks at the header, too.)
there = $(if $(wildcard $@),,@$(dry)[ -e $@ ] || { rm -f $<; echo "$@: is not there any more; the next make writes it"; exit 1; })
$(B)/headers/%/block.hpp: $(B)/headers/%/made ; +$(there)
$(B)/headers/%/rtl.hpp: $(B)/headers/%/made ; +$(there)
$(B)/headers/%/pins.hpp: $(B)/headers/%/made ; +$(there)
BOTH := $(MEMTWIN) $(B)/memtwin-rtl
first-sets = $(foreach b,$(call due,$1),$(firstword $(filter $b/%,$(SELECTED)))) # of each block, a small one
small-sets = $(if $(QUICK),$(call first-sets,$1),$(call due-sets,$1))
MACHINE_RTL := $(MACHINE_SETS:%=$(B)/rtl/%.so)
due-machine = $(foreach b,$(call due,machine),$(filter $(B)/rtl/$b/%,$(MACHINE_RTL)))
RTL_KIND := $(if $(filter 1,$(WAVES)),.waves).so
# Sets as shared objects, and the lockstep programs of their blocks.
programs-of = $(patsubst %,$(B)/cosim/%/lockstep,$(sort $(foreach s,$1,$(firstword $(subst /, ,$s)))))
lockstep-of = $(1:%=$(B)/rtl/%.so) $(call programs-of,$1)
COSIM_ARGS = --seed $(SEED) --cycles $(CYCLES) $(MODE:%=--mode %) $(patsubst %,--state %,$(filter-out 0,$(call said,STATE))) \
    $(if $(COVER),--cover) $(VEC:%=--vec %) $(if $(WRITE),--write $(WRITE)) $(if $(OUTPUTS),--outputs $(OUTPUTS)) \
    $(if $(COSIM_SELECT),--select ' $(COSIM_SELECT)')
CAPTURE_RUN ?= bfs:n=16384
TOGGLE_SETS ?= sets8 $(if $(QUICK),,l1d)
TOGGLES = SEED=$(SEED) RUN='$(CAPTURE_RUN)' C='$(COSIM_C)' VERILATE='$(VERILATE)' COMPILE='$(COSIM_COMPILE) $(COSIM_DEF)'
build: $(BOTH) ## use: build/memtwin, and build/memtwin-rtl, which loads Verilated RTL
	@echo "$@: $^ are up to date"
rtl: $(SELECTED:%=$(B)/rtl/%$(RTL_KIND)) ## use: Verilated RTL, build/rtl/BLOCK/SET.so [BLOCK= SET= PARAMS= RTL= TOP= STATE=0 WAVES=1]
	@$(if $(and $(call said,RTL),$(filter-out .waves.so,$(RTL_KIND))),$(PY) cosim.own_rtl place $(B) $(SELECTED),:)
# Some sets of a user's RTL may not build.  The others run, and all.sh fails each that was not built.
own-sets = $(if $(call said,RTL),$(SELECTED:%=$(B)/rtl/%$(RTL_KIND)))
cosim: $(if $(own-sets),,$(patsubst %,$(B)/rtl/%$(RTL_KIND),$(call due-sets,cosim))) $(call programs-of,$(call due-sets,cosim))
cosim: ## verify: lockstep [BLOCK= SET= PARAMS= SEED= SEEDS= CYCLES= WAVES=1 MODE= VEC= RTL= TOP= STATE=0 JUNIT= JSON=]
	@$(dry)$(call reported,$(unless-due) $(if $(own-sets),$(MAKE) -k $(jobs) $(own-sets) || :;) \
	    SEEDS=$(SEEDS) MAKE="$(if $(filter 0,$(WAVES)),,$(MAKE))" cosim/all.sh $(RTL_KIND) "$(call due-sets,$@)" $(COSIM_ARGS))
results-selftest: ## verify: results for a CI follow their schemas and hold each failure; commands with several seeds run each
	@$(PY) scripts.results.selftest $(B)
COVERED ?= # the sets of make coverage
coverage: $(COVERED:%=$(B)/rtl/%.cover.so) $(call programs-of,$(COVERED))
coverage: ## verify: lines, branches, toggles of the RTL [BLOCK= SET= PARAMS= SEED= SEEDS= CYCLES= RTL= TOP= STATE=0 UPDATE=1 JUNIT= JSON=]
	@$(call reported,$(PY) cosim.coverage $(COVERED) --build $(B) --jobs $(JOBS) --seed $(SEED) --seeds $(SEEDS) \
	    --cycles $(call cycles-or,200000) --params "$(PARAMS)" $(OWN_RTL) --state '$(call said,STATE)' \
	    $(if $(SET)$(PARAMS),--some) $(if $(UPDATE),--update))
coverage-selftest: ## verify: what make coverage counts, finds constant and refuses, on a small module
	@$(PY) scripts.results.coverage_selftest $(B)
scenarios: $(patsubst %,$(B)/cosim/%/twin,$(call due,scenarios))
scenarios: ## verify: the directed scenarios on the twins alone, with sanitizers: the sets, and both ends of each parameter [BLOCK= SET= PARAMS=]
	@$(unless-due) cosim/scenarios.sh "$(call due-sets,$@)" $(if $(SET),,&& $(PY) cosim.sizes scenarios $(B) $(call due,$@))
cosim-captured: $(MEMTWIN) $(call lockstep-of,$(foreach b,$(call due,cosim-captured),$(filter $b/%,$(CAPTURED))))
cosim-captured: ## verify: traffic of a full-system run (CAPTURE_RUN=workload) in lockstep [BLOCK=]
	@$(dry)$(unless-due) MAKE="$(MAKE)" $(PY) cosim.machine captured $(B) '$(CAPTURE_RUN)' $(call due,$@)
cosim-selftest: ## verify: planted bugs: lockstep finds, shrinks and keeps each [BUGS="name or block ..."] [QUICK=1: a few of each block]
	@$(unless-due) cosim/selftest.sh $(if $(QUICK),--few) $(or $(BUGS),$(if $(DUE),$(call due,$@)))
sizes: ## verify: the RTL with each parameter at both ends of its range, clean under -Wall [BLOCK=] [DEEP=1: beside large ones, too]
	@$(unless-due) $(PY) cosim.sizes lint $(B) $(if $(DEEP),--deep) $(call due,$@)
cosim-sizes: $(call lockstep-of,$(call first-sets,cosim-sizes))
cosim-sizes: ## verify: lockstep with each parameter at both ends of its range, CYCLES=200000 [BLOCK= CYCLES=]
	@$(dry)MAKE="$(MAKE)" $(PY) cosim.sizes lockstep $(B) --cycles=$(if $(filter file,$(origin CYCLES)),200000,$(CYCLES)) $(WANTED)
machine: $(BOTH) $(due-machine) ## verify: every block in the machine, twin and RTL, skipping or not: equal counters [BLOCK=]
	@$(dry)$(unless-due) MAKE="$(MAKE)" $(PY) cosim.machine machine $(B) $(call due,$@)
bench-cosim: $(call lockstep-of,$(SELECTED)) ## measure: cycles/s of the bare RTL, the twin and lockstep [BLOCK=] [SET=] [PARAMS=]
	@for s in $(SELECTED); do $(B)/cosim/$${s%/*}/lockstep --rtl $(B)/rtl/$$s.so --bench; done
toggles: $(MEMTWIN) $(call lockstep-of,$(TOGGLE_SETS:%=dl_mshr/%)) $(COSIM_C)
toggles: ## measure: bits that dl_mshr's gated comparators toggle, with and without GateCmp [TOGGLE_SETS= TOGGLE_CYCLES= SEED= CAPTURE_RUN= QUICK=1]
	@$(if $(filter dl_mshr,$(call due,$@)),,echo "toggles: dl_mshr is as it passed: .ci/passed.tsv"; exit 0;) \
	$(TOGGLES) cosim/toggles.sh $(or $(TOGGLE_CYCLES),200000) $(TOGGLE_SETS)
describe: $(DESCRIBE) ## develop: the ports, parameters and registers of one BLOCK= [ARGS="Sets=8 ..."]
	@$(PY) cosim.params '$(BLOCK)' '$(ARGS)' && $(B)/describe/$(BLOCK) --markdown $(ARGS)
port-comments: $(DESCRIBE) ## develop: comments of ports and parameters in the RTL are the port list's (UPDATE=1: write them) [BLOCK=]
	@$(PY) cosim.port_comments $(if $(UPDATE),--update) $(B)/describe $(WANTED)
