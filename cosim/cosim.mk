# SPDX-License-Identifier: Apache-2.0
# Lockstep, and the program with RTL in it.  README.md says how to use it and how to add a block; rules.py writes the rules of each set.
SEED ?= 1
CYCLES ?= 5000000
VERILATOR := verilator
VERILATOR_INCLUDE := $(shell $(VERILATOR) --getenv VERILATOR_ROOT 2>/dev/null)/include
CXX := g++
COSIM_CXXFLAGS := -std=c++20 -g -O3 -march=x86-64-v2 -Wall -Wextra -Werror -Icosim $(CPPFLAGS) -isystem $(VERILATOR_INCLUDE) -isystem $(VERILATOR_INCLUDE)/vltstd
VERILATE := $(VERILATOR) --cc -Wall -O3 --x-assign unique --x-initial unique -Irtl/lib
# Objects write down which headers they read.
COSIM_COMPILE := ccache $(CXX) $(COSIM_CXXFLAGS) -MMD -MP
-include $(wildcard $(addprefix $(B)/,cosim/engine/*.d cosim/*/*.d cosim/*/*/*.d cosim/*/*/*/*.d tb/*/*/*.d synth/lockstep/*/*/*.d describe/*.d))

# Verilator's runtime and the engine, for lockstep without and with waves, and for SystemC.
COSIM_DEF := -DVM_COVERAGE=0 -DVM_TRACE_VCD=0
COSIM_DEF_fast := $(COSIM_DEF) -DVM_SC=0 -DVM_TRACE=0 -DVM_TRACE_FST=0
COSIM_DEF_waves := $(COSIM_DEF) -DVM_SC=0 -DVM_TRACE=1 -DVM_TRACE_FST=1 -DCOSIM_TRACE
COSIM_DEF_sc := $(COSIM_DEF) -DVM_SC=1 -DVM_TRACE=0 -DVM_TRACE_FST=0
COSIM_VLT_fast := --assert
COSIM_VLT_waves := --assert --trace-fst
COSIM_VLT_sc := --sc
# -O3 only for the variant that runs millions of cycles.
COSIM_OPT_fast := -O3
COSIM_OPT_waves := -O1
COSIM_OPT_sc := -O1
COSIM_ENGINE := $(B)/cosim/engine/engine.o $(B)/cosim/engine/run.o
COSIM_C := $(O)/cmodel/base/vec.o $(O)/cmodel/base/output.o $(O)/cmodel/base/error.o
# Makes the registers of block $1 ($2: in capitals; $3: its module) public; a combinational block has none.
COSIM_REGISTERS = printf '\#include "%s_ports.h"\n\#define N(k, n, ...) @n@\n%s_REG(N) %s_MEM(N)\n' $1 $2 $2 | \
	$(CC) -E -P $(CPPFLAGS) - | { grep -oE '@ ?[a-z0-9_]+ ?@' || [ $$? = 1 ]; } | tr -d '@ ' | sed 's/.*/public_flat_rd -module "$3" -var "&"/'
made-cosim := $(COSIM_COMPILE) $(VERILATE) $(foreach v,fast waves sc,$(COSIM_DEF_$v) $(COSIM_VLT_$v) $(COSIM_OPT_$v)) $(value COSIM_REGISTERS)
made-verilator = $(shell $(VERILATOR) --version) $(VERILATOR_INCLUDE) $(CXX) $(if $(filter command,$(origin CXXFLAGS)),$(CXXFLAGS))
COSIM_HOW := $(call made,cosim verilator g++)

$(B)/cosim/engine/%.o: cosim/%.cpp $(COSIM_HOW)
	@mkdir -p $(@D)
	@echo "  CXX  $<"
	@$(COSIM_COMPILE) -c $< -o $@
$(B)/cosim/%/rtl_block.o: cosim/rtl_block.cpp $(COSIM_HOW)
	@mkdir -p $(@D)
	@echo "  CXX  $* (face rtl)"
	@b=$*; $(COSIM_COMPILE) -DCOSIM_BLOCK=$$b -DCOSIM_LIST=$${b^^} -c $< -o $@

# build/memtwin-rtl: the command with the Verilated blocks linked in, for `memtwin-rtl run --rtl dl_mshr`.
MEMTWIN_RTL := $(B)/memtwin-rtl
RTL_LIB := $(MACHINE_SETS:%=$(B)/cosim/%/fast/V.a)
RTL_OBJ := $(MACHINE_SETS:%=$(B)/cosim/%/fast/rtl_set.o) $(patsubst %/,$(B)/cosim/%/rtl_block.o,$(sort $(dir $(MACHINE_SETS))))
made-memtwin-rtl := $(RTL_OBJ) $(RTL_LIB)
$(MEMTWIN_RTL): $(CLI_OBJ) $(LIB_OBJ) $(RTL_OBJ) $(RTL_LIB) $(B)/cosim/runtime/fast/verilated.o $(B)/cosim/runtime/fast/verilated_threads.o $(LINKED) $(call made,memtwin-rtl)
	@echo "  LINK $@"
	@$(CXX) $(LDFLAGS) $(filter %.o %.a,$^) $(LDLIBS) -o $@

# build/describe/<block> prints what <block>_ports.h lists: --json, --markdown or --text, then Parameter=value ...
DESCRIBE := $(BLOCKS:%=$(B)/describe/%)
made-describe := $(CC) $(CPPFLAGS) $(WARN)
$(DESCRIBE): $(B)/describe/%: cosim/describe.c $(call made,describe gcc)
	@mkdir -p $(@D)
	@b=$*; $(CC) $(CPPFLAGS) -std=c17 -O1 $(WARN) -include cmodel/blocks/$$b.h -DBLOCK=$$b -DBLOCK_UC=$${b^^} -MMD -MP -MF $@.d $< -o $@

# The first set of each block, which is a small one.
FIRST_SETS := $(foreach b,$(WANTED),$(firstword $(filter $b/%,$(SELECTED))))
# The twin alone, with the sanitizers of the unit tests.
TWIN_FLAGS := -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
made-twin := $(TWIN_FLAGS) $(CPPFLAGS) $(CC)
TWIN_HOW := $(call made,twin gcc g++)

COSIM_KIND := $(if $(filter 1,$(WAVES)),waves,fast)
COSIM_ARGS = --seed $(SEED) --cycles $(CYCLES) $(if $(MODE),--mode $(MODE)) $(if $(STATE),--state $(STATE)) $(if $(COVER),--cover) $(if $(VEC),--vec $(VEC)) $(if $(WRITE),--write $(WRITE)) $(if $(OUTPUTS),--outputs $(OUTPUTS))
CAPTURE_RUN ?= bfs:n=16384
LOCKSTEPS := $(SELECTED:%=$(B)/cosim/%/fast/lockstep)
CAPTURES := $(filter $(WANTED:%=%/%),$(CAPTURED))

build: $(MEMTWIN) $(MEMTWIN_RTL) ## use: build/memtwin, and build/memtwin-rtl with the Verilated blocks linked in
cosim: $(SELECTED:%=$(B)/cosim/%/$(COSIM_KIND)/lockstep) ## verify: lockstep of twins and RTL [BLOCK=] [SET=] [PARAMS="Sets=8 ..."] [SEED=] [CYCLES=] [WAVES=1] [MODE=] [VEC=]
	@JOBS=$(JOBS) MAKE="$(if $(filter 0,$(WAVES)),,$(MAKE))" BUILD=$(B) cosim/all.sh $(COSIM_KIND) "$(SELECTED)" $(COSIM_ARGS)
scenarios: $(patsubst %,$(B)/cosim/%/twin,$(if $(QUICK),$(FIRST_SETS),$(SELECTED))) ## verify: the directed scenarios on the twins alone, with sanitizers [BLOCK=] [SET=] [QUICK=1]
	@failed=0; for p in $^; do $$p || failed=1; done; exit $$failed
# A failing run builds the traced variant through this and lets it run up to the failure.
cosim-wave: $(B)/cosim/$(BLOCK)/$(SET)/waves/lockstep
	@$< $(WAVE_ARGS)
cosim-captured: $(MEMTWIN) $(CAPTURES:%=$(B)/cosim/%/fast/lockstep) ## verify: traffic of a full-system run (CAPTURE_RUN=workload) in lockstep [BLOCK=]
	@MAKE="$(MAKE)" python3 cosim/machine.py captured $(B) '$(CAPTURE_RUN)' $(WANTED)
cosim-selftest: ## verify: the bugs of the manifests, planted: lockstep finds, shrinks and keeps each [BUGS="name or block ..."]
	@JOBS=$(JOBS) BUILD=$(B) cosim/selftest.sh $(BUGS)
machine: $(MEMTWIN) $(MEMTWIN_RTL) ## verify: every block in the machine, twin and RTL, skipping or not: equal counters [BLOCK=]
	@MAKE="$(MAKE)" python3 cosim/machine.py machine $(B) $(WANTED)
bench-cosim: $(LOCKSTEPS) ## measure: cycles/s of the bare RTL, the twin and lockstep [BLOCK=] [SET=] [PARAMS=]
	@for s in $(SELECTED); do $(B)/cosim/$$s/fast/lockstep --bench; done
TOGGLE_SETS ?= sets8 l1d
TOGGLE_CYCLES ?= 200000
toggles: $(MEMTWIN) $(TOGGLE_SETS:%=$(B)/cosim/dl_mshr/%/fast/lockstep) $(O)/cmodel/base/vec.o ## measure: bits that dl_mshr's gated comparators toggle, with and without GateCmp [TOGGLE_SETS=] [TOGGLE_CYCLES=] [SEED=]
	@BUILD=$(B) SEED=$(SEED) RUN='$(CAPTURE_RUN)' C='$(COSIM_C)' COMPILE='$(COSIM_COMPILE) $(COSIM_DEF_fast)' VERILATE='$(VERILATE)' cosim/toggles.sh $(TOGGLE_CYCLES) $(TOGGLE_SETS)
describe: $(DESCRIBE) ## develop: the ports, parameters and registers of one BLOCK= [ARGS="Sets=8 ..."]
	@$(if $(filter 1,$(words $(BLOCK))),,$(error describe needs one BLOCK=, found "$(BLOCK)"))
	@python3 cosim/params.py $(BLOCK) '$(ARGS)'
	@$(B)/describe/$(BLOCK) --markdown $(ARGS)
port-comments: $(DESCRIBE) ## develop: comments of ports and parameters in the RTL are the port list's (UPDATE=1: write them) [BLOCK=]
	@for b in $(WANTED); do python3 cosim/port_comments.py $(if $(UPDATE),--update) $(B)/describe/$$b $$b; done
	@echo "port-comments: $(words $(WANTED)) of $(words $(WANTED)) blocks agree"
.PHONY: build cosim scenarios cosim-wave cosim-captured cosim-selftest machine bench-cosim toggles describe port-comments
