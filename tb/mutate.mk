# SPDX-License-Identifier: Apache-2.0
# Mutants of each block's RTL, tried by the prover: tb/prove/README.md, "Mutants".
MUTATE_RTL := PYTHONPYCACHEPREFIX=$(B)/pycache /usr/bin/python3 tb/prove/mutate.py

mutate: ## mutants of the RTL, each refuted by the prover or shown equal twice: [BLOCK=] [COUNT=16] [SEED=1] [SIZES="Sets=4 Slots=2"] [CROSS=1]
	@$(MUTATE_RTL) $(or $(BLOCK),$(BLOCKS)) --jobs $(JOBS) --count $(or $(COUNT),16) --seed $(SEED) --sizes "$(SIZES)" $(if $(CROSS),--cross)
.PHONY: mutate
