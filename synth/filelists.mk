# SPDX-License-Identifier: Apache-2.0
# rtl/<b>/<b>.f and rtl/<b>/<b>.core: what a design needs of a block, for tools that know nothing of this build.
filelists: ## rtl/*/*.f and *.core are what the sources say (UPDATE=1: write them); Verilator, Icarus and Yosys read each block by its list alone [BLOCK=]
	@PYTHONDONTWRITEBYTECODE=1 python3 synth/filelists.py $(if $(UPDATE),--update) --lint $(or $(BLOCK),$(BLOCKS))
.PHONY: filelists
