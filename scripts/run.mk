# SPDX-License-Identifier: Apache-2.0
# The two commands to begin with: studies/run.toml and studies/dl_mshr.toml, from a fresh machine.
setup: ## use: install the Debian packages of scripts/packages.txt that are missing
	@scripts/setup.sh scripts/packages.txt
run: ## use: install, build, twelve kernels (ONLY="vecadd bfs": of them), twins and RTL: one table, a page
	@$(MAKE) setup
	@$(MAKE) $(jobs) build
	@$(MAKE) study NAME=run ONLY='$(ONLY)'
compare: ## use: the same, with conventional MSHRs of two, four and 64 times the slots beside DL-MSHR
	@$(MAKE) setup
	@$(MAKE) $(jobs) build
	@$(MAKE) study NAME=dl_mshr SIZE=full ONLY='$(ONLY)'
.PHONY: setup run compare
