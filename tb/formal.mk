# SPDX-License-Identifier: Apache-2.0
formal: ## properties of the blocks by bounded model checking and induction: [BLOCK=]
	@python3 tb/formal/formal.py $(or $(BLOCK),$(BLOCKS)) --jobs $(JOBS) --out $(B)/formal
.PHONY: formal
