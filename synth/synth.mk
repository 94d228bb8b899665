# Area, timing and power of the blocks, and their netlists in lockstep with the twins.  README.md says what is measured and how.
LIBERTY ?= /usr/share/qflow/tech/osu018/osu018_stdcells.lib
SYNTH_LIB := $(firstword $(subst ., ,$(notdir $(LIBERTY))))
SYNTH_DIR := $(B)/synth/$(SYNTH_LIB)
SYNTH_PY := PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 synth/synth.py

synth: $(MEMTWIN) ## area, timing, power; ends with the netlist in lockstep: [BLOCK=] [SET=] [LIBERTY=file] [PARAMS="Sets=8 ..."] [NODE=nm]
	@$(SYNTH_PY) run --liberty $(LIBERTY) --build $(B) --jobs $(JOBS) $(BLOCK:%=--block %) $(SET:%=--set %) $(NODE:%=--node %) $(foreach p,$(PARAMS),--param $p)
synth-check: $(MEMTWIN) ## the same against synth/baseline/: area and Fmax within 5 % either way (UPDATE=1: write it)
	@$(SYNTH_PY) check --liberty $(LIBERTY) --build $(B) --jobs $(JOBS) $(BLOCK:%=--block %) $(NODE:%=--node %) $(if $(UPDATE),--update)
.PHONY: synth synth-check

# A netlist as C++, with a count of how often each net toggles; UNOPTFLAT stays fatal, since Verilator simulates such netlists wrongly.
COSIM_DEF_netlist := -DVM_COVERAGE=1 -DVM_SC=0 -DVM_TRACE=0 -DVM_TRACE_FST=0 -DVM_TRACE_VCD=0 -DCOSIM_NETLIST
COSIM_RUNTIME_netlist := verilated verilated_threads verilated_cov
$(eval $(call COSIM_VARIANT,netlist))
define SYNTH_RULES # 1 block, 2 set, 3 variant, 4 directory
$4/V.a: $4/sim.v
	@rm -rf $4/rtl && mkdir -p $4/rtl
	@$(VERILATE) -Wno-lint -Wno-style --coverage-toggle --top-module $1 --prefix V$1_$2 --Mdir $4/rtl $4/sim.v
	@$$(MAKE) -s -C $4/rtl -f V$1_$2.mk V$1_$2__ALL.a OBJCACHE=ccache OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1 >$4/build.log 2>&1 || { cat $4/build.log; exit 1; }
	@cp $4/rtl/V$1_$2__ALL.a $$@

$(COSIM_LINK)
endef
$(foreach s,$(COSIM_SETS),$(eval $(call SYNTH_RULES,$(patsubst %/,%,$(dir $s)),$(notdir $s),netlist,$(SYNTH_DIR)/$s/netlist)))
