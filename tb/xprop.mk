# SPDX-License-Identifier: Apache-2.0
# Four-state simulation: tb/xprop/README.md.
XPROP := PYTHONPYCACHEPREFIX=$(B)/pycache /usr/bin/python3 tb/xprop/xprop.py --build $(B) --jobs $(JOBS) --seed $(SEED) --cycles $(call cycles-or,10000)
# The first set of each block, which is a small one.
XPROP_FIRST := $(foreach b,$(COSIM_BLOCKS),$(firstword $(filter $b/%,$(COSIM_SELECTED))))
XPROP_SETS := $(if $(QUICK),$(XPROP_FIRST),$(COSIM_SELECTED))

xprop: $(XPROP_SETS:%=$(B)/cosim/%/fast/lockstep) ## four states: X on payload that is not valid reaches no output: [BLOCK=] [SET=] [SEED=] [CYCLES=] [QUICK=1: a set each]
	@$(XPROP) $(XPROP_SETS)
xprop-selftest: $(XPROP_FIRST:%=$(B)/cosim/%/fast/lockstep) ## every valid of every block at X, and planted faults of the RTL: each must be found [BLOCK=]
	@$(XPROP) --selftest $(XPROP_FIRST)
.PHONY: xprop xprop-selftest
