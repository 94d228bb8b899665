# SPDX-License-Identifier: Apache-2.0
# SystemC and DPI-C benches, proofs, formal properties, mutants of the RTL, four-state simulation.  Each folder of tb has a README.
TB_COMPILE := $(filter-out -std=% $(COSIM_OPT),$(COSIM_COMPILE)) -std=c++17 -Itb/systemc # Debian's SystemC is C++17, and links with nothing else
made-tb := $(TB_COMPILE) $(CC) $(CPPFLAGS) $(CFLAGS)
cycles-or = $(if $(filter command environment,$(firstword $(origin CYCLES))),$(CYCLES),$1) # of the caller, else the number given
TB_ARGS = --seed $(SEED) --cycles $(call cycles-or,100000) $(if $(SCENARIO),--scenario $(SCENARIO))
OWN_RTL = --rtl '$(call said,RTL)' --top '$(call said,TOP)'
XPROP := $(PY) tb.xprop.xprop --build $(B) --jobs $(JOBS) --seed $(SEED) --seeds $(SEEDS) --cycles $(call cycles-or,10000)
tb: $(foreach s,$(call small-sets,tb),$(B)/tb/$s/bench $(B)/rtl/$s.so)
tb: ## verify: SystemC, RTL and twin [BLOCK= SET= PARAMS= SEED= SEEDS= CYCLES= SCENARIO= WAVES= QUICK= RTL= TOP= STATE=0 JUNIT= JSON=]
	@$(call reported,$(unless-due) OWN='$(COSIM_SELECT)' SEEDS=$(SEEDS) WAVES=$(filter 1,$(WAVES)) \
	    ALL=$(if $(SET)$(SCENARIO)$(QUICK),,1) tb/systemc/all.sh "$(call small-sets,$@)" $(TB_ARGS))
dpi: $(DESCRIBE) ## verify: DPI-C: package, glue, twin as a module, bench beside RTL [BLOCK= SET= PARAMS= OUT= SEED= SEEDS= CYCLES= QUICK=1 RTL= TOP=]
	@$(PY) tb.dpi.dpi $(call first-sets,dpi) --params '$(PARAMS)' --out '$(call said,OUT)' $(OWN_RTL) \
	    --seed $(SEED) --seeds $(SEEDS) --cycles $(call cycles-or,20000) $(QUICK:%=--quick)
dpi-selftest: ## verify: a planted bug turns the DPI-C bench red; the files are plain SystemVerilog and C, and stand alone
foreign-selftest: ## verify: RTL from outside the tree, in lockstep and in proofs: equal, with a bug, with other ports, with wrong relations
own-selftest: $(BOTH) $(DESCRIBE) ## verify: the commands of docs/own-rtl.md, and each message about RTL of one's own
	@$(PY) tb.foreign.own $(B)
dpi-selftest foreign-selftest: $(DESCRIBE)
	@$(PY) tb.$(@:-selftest=).selftest $(B)
prove: ## verify: C twin = RTL for any state and input [BLOCK= SIZES="2 4" or "Sets=8,9" DEEP=1 ENGINE=z3 RTL= TOP= DEPTH= RELATION= JUNIT= JSON=]
	@$(call reported,$(unless-due) $(PY) tb.prove.prove $(call due,$@) --jobs $(JOBS) --out $(B)/prove --sizes "$(SIZES)" \
	    $(if $(DEEP),--deep) $(ENGINE:%=--engine %) \
	    $(OWN_RTL) --relation '$(call said,RELATION)' $(patsubst %,--depth %,$(call said,DEPTH)))
prove-selftest: ## verify: the prover proved: C against gcc, cells against Icarus, planted bugs refuted [BUGS="name or block ..."] [QUICK=1: a fifth]
	@$(PY) tb.prove.selftest.run --jobs $(JOBS) --bugs '$(BUGS)' $(QUICK:%=--quick)
formal: ## verify: the properties of each block, by bounded model checking and induction [BLOCK=] [RTL= TOP=] [JUNIT= JSON=]
	@$(call reported,$(unless-due) $(PY) tb.formal.formal $(call due,$@) --jobs $(JOBS) --out $(B)/formal $(OWN_RTL))
mutate: ## verify: mutants of the RTL, refuted or shown equal twice [BLOCK=] [COUNT=16] [SEED=1] [SIZES=] [CROSS=1] [UPDATE=1]
	@$(PY) tb.prove.mutate $(WANTED) --jobs $(JOBS) --count $(or $(COUNT),16) --seed $(SEED) --sizes "$(SIZES)" \
	    $(if $(CROSS),--cross) $(if $(UPDATE),--update)
xprop: $(call lockstep-of,$(call small-sets,xprop))
xprop: ## verify: X on payload that is not valid reaches no output [BLOCK=] [SET=] [SEED=] [SEEDS=] [CYCLES=] [QUICK=1] [RTL= TOP= STATE=0]
	@$(unless-due) $(XPROP) $(call small-sets,$@) $(OWN_RTL)
xprop-selftest: $(call lockstep-of,$(call first-sets,xprop-selftest)) ## verify: every valid at X, and planted faults: xprop finds each [BLOCK=]
	@$(unless-due) $(XPROP) --selftest $(call first-sets,$@)
