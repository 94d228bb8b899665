# SPDX-License-Identifier: Apache-2.0
# SystemC benches: the block verilated with --sc and its twin as an sc_module on the same signals.  tb/systemc/README.md.
#   make tb [BLOCK=b] [SET=s] [SEED=n] [CYCLES=n] [SCENARIO=name] [WAVES=1]
# The rules for the Verilated block and its runtime are those of cosim.mk, with one more variant.
COSIM_DEF_sc := -DVM_COVERAGE=0 -DVM_SC=1 -DVM_TRACE=0 -DVM_TRACE_FST=0 -DVM_TRACE_VCD=0
COSIM_VLT_sc := --sc
COSIM_OPT_sc := -O1
COSIM_RUNTIME_sc := verilated verilated_threads
$(call rules,runtime-sc,$(call COSIM_VARIANT,sc))
$(foreach s,$(COSIM_SETS),$(call cosim-rules,$(patsubst %/,%,$(dir $s)),$(notdir $s),sc,$(B)/tb/$s))

# Debian's SystemC is built as C++17, and refuses to be linked with anything else.
TB_COMPILE := $(filter-out -std=% -O3 -g,$(COSIM_COMPILE)) -std=c++17 -O2 -Itb/systemc
# CYCLES of the caller, else the number given: other than those of lockstep.
cycles-or = $(if $(filter command environment,$(firstword $(origin CYCLES))),$(CYCLES),$1)
TB_CYCLES = $(call cycles-or,100000)

define TB_RULES # 1 block, 2 set, 3 directory
$3/main.o: tb/systemc/main.cpp $3/V.a $(call made,systemc.$1.$2)
	@echo "  CXX  $1/$2 (SystemC)"
	@$(TB_COMPILE) $(COSIM_DEF_sc) $(call cosim-define,$1,$2) $(if $(wildcard tb/systemc/$1.cpp),'-DTB_SCENARIOS="$1.cpp"') \
		-isystem $3/rtl -c $$< -o $$@

$3/bench: $3/main.o $3/V.a $(BLOCKS:%=$(O)/cmodel/blocks/%.o) $(COSIM_C) $(B)/cosim/engine/engine.o $(COSIM_RUNTIME_sc:%=$(B)/cosim/runtime/sc/%.o)
	@$(CXX) $$^ -lsystemc -lpthread -o $$@
endef
$(foreach s,$(COSIM_SETS),$(call rules,systemc.$(subst /,.,$s),$(call TB_RULES,$(patsubst %/,%,$(dir $s)),$(notdir $s),$(B)/tb/$s)))

# The twin behind DPI-C beside the RTL in SystemVerilog: counted as a parameter set called dpi.
TB_DPI := $(B)/tb/dl_mshr/dpi
$(O)/tb/dpi/%.o: tb/dpi/%.c $(HOW)
	@mkdir -p $(@D)
	@echo "  CC   $<"
	@$(CC) $(CPPFLAGS) $(filter-out -Wmissing-prototypes,$(CFLAGS)) -MMD -MP -c $< -o $@
-include $(wildcard $(O)/tb/dpi/*.d)
TB_VERILATE := $(VERILATOR) --binary -O3 -fno-life -Wall -Wno-BLKSEQ -Irtl/lib -y rtl/dl_mshr -y rtl/lib -MAKEFLAGS OBJCACHE=ccache
TB_DPI_SV := tb/dpi/dl_mshr_dpi_tb.sv $(wildcard rtl/dl_mshr/*.sv rtl/lib/*.sv*)
made-dpi := $(TB_VERILATE) $(TB_DPI_SV)
$(TB_DPI)/bench: $(TB_DPI_SV) $(O)/tb/dpi/dl_mshr_dpi.o $(O)/cmodel/blocks/dl_mshr.o $(call made,dpi verilator g++)
	@rm -rf $(@D) && mkdir -p $(@D)
	@echo "  VLT  dl_mshr/dpi"
	@$(TB_VERILATE) --Mdir $(@D)/rtl -o sim $< $(abspath $(filter %.o,$^)) >$(@D)/build.log 2>&1 || { cat $(@D)/build.log; exit 1; }
	@printf '#!/bin/sh\n# --seed n --cycles n\n"$$(dirname "$$0")"/rtl/sim "+seed=$$2" "+cycles=$$4" | grep -v "Verilog .finish"\n' >$@
	@chmod +x $@

TB_SELECTED := $(call selected,$(COSIM_SETS) $(if $(SCENARIO),,dl_mshr/dpi))

tb: $(TB_SELECTED:%=$(B)/tb/%/bench) ## SystemC benches: RTL and twin on the same pins [BLOCK=] [SET=] [PARAMS=] [SEED=] [CYCLES=] [SCENARIO=] [WAVES=1]
	@JOBS=$(JOBS) BUILD=$(B) WAVES=$(filter 1,$(WAVES)) ALL=$(if $(SET)$(SCENARIO),,1) tb/systemc/all.sh "$(TB_SELECTED)" --seed $(SEED) --cycles $(TB_CYCLES) $(if $(SCENARIO),--scenario $(SCENARIO))
.PHONY: tb
