# SPDX-License-Identifier: Apache-2.0
# Lockstep: one program for each block and parameter set.  README.md says how to use it and how to add a block.
#   make cosim [BLOCK=b] [SET=s | PARAMS="Sets=8 ..."] [SEED=n] [CYCLES=n] [MODE=cross|rtl|model] [STATE=k] [VEC=file] [WRITE=file [OUTPUTS=file]] [COVER=1] [WAVES=0|1]
SEED ?= 1
CYCLES ?= 5000000
VERILATOR := verilator
VERILATOR_INCLUDE := $(shell $(VERILATOR) --getenv VERILATOR_ROOT 2>/dev/null)/include
CXX := g++
COSIM_CXXFLAGS := -std=c++20 -g -O3 -march=x86-64-v2 -Wall -Wextra -Werror -Icosim $(CPPFLAGS) -isystem $(VERILATOR_INCLUDE) -isystem $(VERILATOR_INCLUDE)/vltstd
VERILATE := $(VERILATOR) --cc -Wall -O3 --x-assign unique --x-initial unique -Irtl/lib

comma := ,
space := $() $()
# Of the manifests: words block/set:Key=Value,Key=Value, @block/set for those in the machine, +block/set:unit:option for captures.
COSIM_ALL := $(shell python3 cosim/manifest.py words)
# A set of one's own, PARAMS="Sets=8 ..." with BLOCK=, or the one that a .vec file names: params.py checks and names it.
ifneq ($(PARAMS)$(VEC),)
COSIM_GIVEN := $(shell python3 cosim/params.py $(if $(VEC),vec '$(VEC)' '$(BLOCK)' '$(filter-out custom%,$(SET))' '$(PARAMS)',set '$(BLOCK)' '$(PARAMS)') 2>&1)
ifneq ($(.SHELLSTATUS),0)
$(error $(COSIM_GIVEN))
endif
COSIM_ALL := $(sort $(COSIM_ALL) $(COSIM_GIVEN))
COSIM_GIVEN := $(subst /, ,$(firstword $(subst :, ,$(COSIM_GIVEN))))
ifneq ($(and $(PARAMS),$(filter-out custom $(lastword $(COSIM_GIVEN)),$(SET))),)
$(error SET: found "$(SET)" and PARAMS="$(PARAMS)", expected one of the two)
endif
override BLOCK := $(firstword $(COSIM_GIVEN))
override SET := $(lastword $(COSIM_GIVEN))
endif
COSIM_SETS := $(foreach w,$(filter-out @% +%,$(COSIM_ALL)),$(firstword $(subst :, ,$w)))
COSIM_SYSTEM := $(patsubst @%,%,$(filter @%,$(COSIM_ALL)))
COSIM_BLOCKS := $(foreach b,$(BLOCKS),$(if $(wildcard cosim/$b.cpp),$b))
cosim-params = $(subst $(comma), ,$(patsubst $1:%,%,$(filter $1:%,$(COSIM_ALL))))

# Verilator's runtime and the engine, without and with waves.
COSIM_DEF := -DVM_COVERAGE=0 -DVM_SC=0 -DVM_TRACE_VCD=0
COSIM_DEF_fast := $(COSIM_DEF) -DVM_TRACE=0 -DVM_TRACE_FST=0
COSIM_DEF_waves := $(COSIM_DEF) -DVM_TRACE=1 -DVM_TRACE_FST=1 -DCOSIM_TRACE
COSIM_VLT_fast := --assert
COSIM_VLT_waves := --assert --trace-fst
# What runs millions of cycles is compiled for them; what runs once, or a few thousand, is not.
COSIM_OPT_fast := -O3
COSIM_OPT_waves := -O1
COSIM_RUNTIME_fast := verilated verilated_threads
COSIM_RUNTIME_waves := verilated verilated_threads verilated_fst_c
COSIM_ENGINE := $(B)/cosim/engine/engine.o $(B)/cosim/engine/run.o
COSIM_C := $(O)/cmodel/base/vec.o $(O)/cmodel/base/output.o $(O)/cmodel/base/error.o
# Names of the registers, to read them out of the RTL; a combinational block has none.
COSIM_REGISTERS = printf '\#include "%s_ports.h"\n\#define N(k, n, ...) @n@\n%s_REG(N) %s_MEM(N)\n' $1 $2 $2 | \
	$(CC) -E -P $(CPPFLAGS) - | { grep -oE '@ ?[a-z0-9_]+ ?@' || [ $$? = 1 ]; } | tr -d '@ '
# One process for all names: a process for each use of one took most of the time in which make reads these files.
$(foreach w,$(shell printf '%s\n' $(BLOCKS) | sed 's/.*/&=\U&/'),$(eval upper-$w))
upper = $(upper-$1)
# A block and what it is made of: as folders of RTL, as twins.
block-rtl = $(patsubst %,rtl/%,$1 $(call parts-of,$1))
block-twins = $(patsubst %,$(O)/cmodel/blocks/%.o,$1 $(call parts-of,$1))
parts-header = $(if $(call parts-of,$1),$(B)/cosim/$1/parts.hpp)
# For each part, what state.hpp wants to know.
$(B)/cosim/%/parts.hpp: cmodel/blocks/%_ports.h cosim/parts.py cosim/cosim.mk
	@mkdir -p $(@D)
	@for p in $(call parts-of,$*); do printf '#define STATE_TWIN %s\n#define STATE_LIST %s\n#define STATE_CFG $*_%s_cfg(&cfg)\n' $$p $${p^^} $$p; \
	printf '#define STATE_SIGNAL(x) $*__DOT__u_%s__DOT__##x\n#include "state.hpp"\n' $$p; done >$@

# What decides how RTL becomes C++, besides the rules below.
made-verilator = $(shell $(VERILATOR) --version) $(VERILATOR_INCLUDE) $(value COSIM_REGISTERS) $(CXX) $(if $(filter command,$(origin CXXFLAGS)),$(CXXFLAGS))
# Objects write down which headers they read.
COSIM_COMPILE := ccache $(CXX) $(COSIM_CXXFLAGS) -MMD -MP
-include $(wildcard $(addprefix $(B)/,cosim/engine/*.d cosim/*/*.d cosim/*/*/*.d cosim/*/*/*/*.d tb/*/*/*.d synth/lockstep/*/*/*.d))

define COSIM_VARIANT # 1 variant
$(B)/cosim/runtime/$1/%.o: $(VERILATOR_INCLUDE)/%.cpp $(call made,runtime-$1 g++ verilator)
	@mkdir -p $$(@D)
	@echo "  CXX  $$*.cpp ($1)"
	@ccache $(CXX) -std=c++17 -O3 $(COSIM_DEF_$1) -I$(VERILATOR_INCLUDE) -I$(VERILATOR_INCLUDE)/vltstd -c $$< -o $$@
endef
$(foreach v,fast waves,$(call rules,runtime-$v,$(call COSIM_VARIANT,$v)))

made-engine := $(COSIM_COMPILE)
$(B)/cosim/engine/%.o: cosim/%.cpp $(call made,engine g++)
	@mkdir -p $(@D)
	@echo "  CXX  $<"
	@$(COSIM_COMPILE) -c $< -o $@

# The options with which a file is compiled for one block and set.
cosim-define = -DCOSIM_BLOCK=$1 -DCOSIM_LIST=$(call upper,$1) -DCOSIM_SET_NAME='"$2"' -DCOSIM_RTL=V$1_$2 '-DCOSIM_SIGNAL(x)=$1__DOT__\#\#x' \
	'-DCOSIM_SET=$(foreach p,$(call cosim-params,$1/$2),c.$p;)' $(patsubst %,'-DCOSIM_PARTS="%"',$(abspath $(call parts-header,$1)))

# The RTL as C++: $(B)/cosim/block/set/variant/V.a.  Every warning is fatal, UNOPTFLAT above all.
define COSIM_RULES # 1 block, 2 set, 3 variant, 4 directory
$4/V.a: $(wildcard $(foreach r,$(call block-rtl,$1) rtl/lib,$r/*.sv $r/*.vlt $r/*.svh)) $(call made,$(subst /,.,$4) g++ verilator) \
	$(foreach b,$1 $(call parts-of,$1),cmodel/blocks/$b_ports.h) $(call parts-header,$1)
	@rm -rf $4 && mkdir -p $4/rtl
	@echo "  VLT  $1/$2 ($3)"
	@{ echo '`verilator_config'; $(foreach b,$1 $(call parts-of,$1),$$(call COSIM_REGISTERS,$b,$(call upper,$b)) | sed 's/.*/public_flat_rd -module "$b" -var "&"/';) } >$4/public.vlt
	@$(VERILATE) $(COSIM_VLT_$3) --top-module $1 --prefix V$1_$2 --Mdir $4/rtl $(addprefix -y ,$(call block-rtl,$1) rtl/lib) $(addprefix -G,$(call cosim-params,$1/$2)) \
		$4/public.vlt $(wildcard $(foreach r,$(call block-rtl,$1),$r/*.vlt)) rtl/$1/$1.sv
	@$$(MAKE) -s -C $4/rtl -f V$1_$2.mk V$1_$2__ALL.a OBJCACHE=ccache OPT_FAST=$(COSIM_OPT_$3) OPT_SLOW=-O0 OPT_GLOBAL=-O1 >$4/build.log 2>&1 || { cat $4/build.log; exit 1; }
	@cp $4/rtl/V$1_$2__ALL.a $$@

$4/lockstep.o: cosim/$1.cpp $4/V.a
	@echo "  CXX  $1/$2 ($3)"
	@$(COSIM_COMPILE) $(COSIM_DEF_$3) $(call cosim-define,$1,$2) -isystem $4/rtl -c $$< -o $$@

$4/lockstep: $4/lockstep.o $4/V.a $(call block-twins,$1) $(COSIM_C) $(COSIM_ENGINE) $(COSIM_RUNTIME_$3:%=$(B)/cosim/runtime/$3/%.o)
	@$(CXX) $$^ -lz -lpthread -o $$@
endef
cosim-rules = $(call rules,$(subst /,.,$4),$(call COSIM_RULES,$1,$2,$3,$4))
$(foreach v,fast waves,$(foreach s,$(COSIM_SETS),$(call cosim-rules,$(patsubst %/,%,$(dir $s)),$(notdir $s),$v,$(B)/cosim/$s/$v)))

# The selected blocks and sets.
selected = $(filter $(if $(SET),$(addsuffix /$(SET),$(BLOCKS)),%),$(filter $(addsuffix /%,$(or $(BLOCK),$(BLOCKS))),$1))
COSIM_SELECTED := $(call selected,$(filter $(COSIM_BLOCKS:%=%/%),$(COSIM_SETS)))
COSIM_KIND := $(if $(filter 1,$(WAVES)),waves,fast)
COSIM_ARGS = --seed $(SEED) --cycles $(CYCLES) $(if $(MODE),--mode $(MODE)) $(if $(STATE),--state $(STATE)) $(if $(COVER),--cover) $(if $(VEC),--vec $(VEC)) $(if $(WRITE),--write $(WRITE)) $(if $(OUTPUTS),--outputs $(OUTPUTS))

cosim: $(COSIM_SELECTED:%=$(B)/cosim/%/$(COSIM_KIND)/lockstep) ## twins and RTL in lockstep: [BLOCK=] [SET=] [PARAMS="Sets=8 ..."] [SEED=] [CYCLES=] [WAVES=1] [MODE=] [VEC=]
	@JOBS=$(JOBS) MAKE="$(if $(filter 0,$(WAVES)),,$(MAKE))" BUILD=$(B) cosim/all.sh $(COSIM_KIND) "$(COSIM_SELECTED)" $(COSIM_ARGS)
# A failing run builds the traced variant through this and lets it run up to the failure.
cosim-wave: $(B)/cosim/$(BLOCK)/$(SET)/waves/lockstep
	@$< $(WAVE_ARGS)
bench-cosim: $(COSIM_SELECTED:%=$(B)/cosim/%/fast/lockstep) ## cycles/s of the bare RTL, the twin and lockstep, for every parameter set [BLOCK=] [SET=] [PARAMS=]
	@for s in $(COSIM_SELECTED); do $(B)/cosim/$$s/fast/lockstep --bench; done
# Captured traffic: what a block sees in a full-system run, replayed in lockstep: [captures] of the manifests.
CAPTURE_RUN ?= bfs:n=16384
CAPTURED := $(patsubst +%,%,$(filter $(if $(BLOCK),+$(BLOCK)/%,+%),$(COSIM_ALL)))
cosim-captured: $(MEMTWIN) $(foreach c,$(CAPTURED),$(B)/cosim/$(firstword $(subst :, ,$c))/fast/lockstep) ## traffic of a full-system run (CAPTURE_RUN=workload), replayed in lockstep: [BLOCK=]
	@mkdir -p $(B)/cosim/captured
	@for c in $(CAPTURED); do IFS=: read -ra f <<<"$$c"; block=$${f[0]%/*} set=$${f[0]#*/} vec=$(B)/cosim/captured/$${f[0]/\//-}.vec; \
	$(MEMTWIN) run -q "$${f[@]:2}" --capture "$${f[1]}=$$vec" $(CAPTURE_RUN); \
	$(MAKE) cosim BLOCK=$$block SET=$$set VEC=$$vec; done
cosim-selftest: ## plants the bugs of rtl/*/*.toml in a copy of the tree: lockstep must find, shrink and keep each of them [BUGS="name or block ..."]
	@BUILD=$(B) cosim/selftest.sh $(BUGS)
.PHONY: cosim cosim-wave bench-cosim cosim-captured cosim-selftest
.SECONDARY:
