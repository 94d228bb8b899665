# SPDX-License-Identifier: Apache-2.0
# Twin equals RTL, for every state and every input.  How: tb/prove/README.md.
PROVE := PYTHONPYCACHEPREFIX=$(B)/pycache /usr/bin/python3 tb/prove/prove.py
PROVE_BLOCKS = $(or $(BLOCK),$(BLOCKS))

prove: ## prove C twin = RTL for any state and input: [BLOCK=] [SIZES="2 4" or "Sets=8 Slots=1,2"] [DEEP=1] [ENGINE=z3]
	@$(PROVE) $(PROVE_BLOCKS) --jobs $(JOBS) --out $(B)/prove --sizes "$(SIZES)" $(if $(DEEP),--deep) $(if $(ENGINE),--engine $(ENGINE))
prove-selftest: ## the prover proved: C against gcc, cells against Icarus, planted bugs refuted [BUGS="name or block ...": these alone]
	@PYTHONPYCACHEPREFIX=$(B)/pycache /usr/bin/python3 tb/prove/selftest/run.py --jobs $(JOBS) --bugs '$(BUGS)'
.PHONY: prove prove-selftest
