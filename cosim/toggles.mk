# SPDX-License-Identifier: Apache-2.0
# Optimization 2 of dl_mshr (GateCmp), counted: toggles.cpp says what and how.
#   make toggles [TOGGLE_SETS="sets8 l1d"] [TOGGLE_CYCLES=n] [SEED=n] [CAPTURE_RUN=workload]
TOGGLE_SETS ?= sets8 l1d
TOGGLE_CYCLES ?= 200000
TOGGLES := $(B)/cosim/toggles
# Random traffic for every set, and what a full-system run gives to the units that have a set of their name.
TOGGLE_UNITS := $(filter l1d l2,$(TOGGLE_SETS))
TOGGLE_RUNS := $(TOGGLE_SETS:%=%/random) $(TOGGLE_UNITS:%=%/captured)

# GateCmp comes last, so that it holds whatever the set says.
define TOGGLE_MODEL # 1 set, 2 gated or plain, 3 GateCmp, 4 the Verilated class
$(TOGGLES)/$1/$2/V.a: $(wildcard rtl/dl_mshr/*.sv rtl/dl_mshr/*.vlt rtl/lib/*.sv rtl/lib/*.svh) $(call made,toggles.$1 g++ verilator)
	@rm -rf $$(@D) && mkdir -p $$(@D)/rtl
	@echo "  VLT  dl_mshr/$1 (GateCmp=$3)"
	@{ echo '`verilator_config'; printf 'public_flat_rd -module "dl_mshr" -var "%s"\n' req_operand fill_operand h req_match fill_match; } >$$(@D)/public.vlt
	@$(VERILATE) --top-module dl_mshr --prefix $4 --Mdir $$(@D)/rtl -y rtl/dl_mshr -y rtl/lib \
		$(addprefix -G,$(filter-out GateCmp=%,$(call cosim-params,dl_mshr/$1)) GateCmp=$3) $$(@D)/public.vlt $(wildcard rtl/dl_mshr/dl_mshr.vlt) rtl/dl_mshr/dl_mshr.sv
	@$$(MAKE) -s -C $$(@D)/rtl -f $4.mk $4__ALL.a OBJCACHE=ccache OPT_FAST=-O2 OPT_SLOW=-O1 OPT_GLOBAL=-O1 >$$(@D)/build.log 2>&1 || { cat $$(@D)/build.log; exit 1; }
	@cp $$(@D)/rtl/$4__ALL.a $$@
endef
define TOGGLE_RULES # 1 set
$(call TOGGLE_MODEL,$1,gated,1,Vdl_mshr_$1)

$(call TOGGLE_MODEL,$1,plain,0,Vplain_$1)

$(TOGGLES)/$1/toggles.o: cosim/toggles.cpp $(TOGGLES)/$1/gated/V.a $(TOGGLES)/$1/plain/V.a
	@echo "  CXX  toggles.cpp ($1)"
	@$(COSIM_COMPILE) $(COSIM_DEF_fast) $(call cosim-define,dl_mshr,$1) -DTOGGLES_PLAIN=Vplain_$1 \
		-isystem $(TOGGLES)/$1/gated/rtl -isystem $(TOGGLES)/$1/plain/rtl -c $$< -o $$@

$(TOGGLES)/$1/toggles: $(TOGGLES)/$1/toggles.o $(TOGGLES)/$1/gated/V.a $(TOGGLES)/$1/plain/V.a $(COSIM_C) $(COSIM_RUNTIME_fast:%=$(B)/cosim/runtime/fast/%.o)
	@$(CXX) $$^ -lpthread -o $$@

$(TOGGLES)/$1/random.vec: $(B)/cosim/dl_mshr/$1/fast/lockstep FORCE-toggles
	@$$< --mode rtl --seed $(SEED) --cycles $(TOGGLE_CYCLES) --write $$@ >/dev/null

$(TOGGLES)/$1/captured.vec: $(MEMTWIN) FORCE-toggles
	@$$< run -q -s l1d.mshr.kind=dl_mshr -s l2.mshr.kind=dl_mshr --capture $1.0=$$@ $(CAPTURE_RUN)
endef
$(foreach s,$(TOGGLE_SETS),$(call rules,toggles.$s,$(call TOGGLE_RULES,$s)))

toggles: $(TOGGLE_SETS:%=$(TOGGLES)/%/toggles) $(TOGGLE_RUNS:%=$(TOGGLES)/%.vec) ## dl_mshr's gated comparators: operand bits toggled a cycle, with and without: [TOGGLE_SETS=] [TOGGLE_CYCLES=] [SEED=]
	@echo "dl_mshr: bits of the comparators' operands that toggle in a cycle, GateCmp=0 and 1; random: seed=$(SEED); captured: $(CAPTURE_RUN)"
	@printf '%-9s %-9s %9s %7s %10s %10s %6s %10s %10s %6s\n' set traffic cycles heads 'req =0' '=1' left 'fill =0' '=1' left
	@passed=0 failed=0; for r in $(TOGGLE_RUNS); do \
	if $(TOGGLES)/$${r%/*}/toggles $${r#*/}=$(TOGGLES)/$$r.vec; then passed=$$((passed + 1)); else failed=$$((failed + 1)); fi; done; \
	echo "toggles: $$passed passed, $$failed failed"; [ $$failed = 0 ]
FORCE-toggles:
.PHONY: toggles FORCE-toggles
