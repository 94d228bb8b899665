# SPDX-License-Identifier: Apache-2.0
# A new block: every face of it, from scripts/new/, as a register stage that passes everything.
new: ## a skeleton of all faces of a new block, which passes check, cosim, prove, tb and test as it stands: BLOCK=name
	@python3 scripts/new/new.py '$(BLOCK)'
	@echo "next: change it face by face, cmodel/blocks/$(BLOCK)_ports.h first; make check cosim prove tb BLOCK=$(BLOCK), make test TEST=$(BLOCK)"
new-selftest: ## what make new stamps, in a copy of the tree: it passes everywhere, a planted bug nowhere, and bad names are refused
	@JOBS=$(JOBS) BUILD=$(B) scripts/new/selftest.sh
.PHONY: new new-selftest
