# SPDX-License-Identifier: Apache-2.0
# rtl/<b>/<b>.f and rtl/<b>/<b>.core: what a design needs of a block, for tools that know nothing of this build.
filelists: ## verify: rtl/*/*.f and *.core are what the sources say; each block lints by its list alone (UPDATE=1: write them) [BLOCK=]
	@PYTHONDONTWRITEBYTECODE=1 python3 synth/filelists.py $(if $(UPDATE),--update) --lint $(or $(BLOCK),$(BLOCKS))
.PHONY: filelists
