# SPDX-License-Identifier: Apache-2.0
# Checks of the tree, new blocks, speed, pages and tables.
CHECK := PYTHONPYCACHEPREFIX=$(B)/pycache /usr/bin/python3 scripts/check

check: ## develop: format, cppcheck, lint, faces, includes, words, documents: a line a rule [BLOCK=: faces and lint of it alone]
	@$(CHECK)/check.py $(BLOCK)
quick: ## develop: two minutes: the program, unit tests of what changed, text rules; leaves out RTL, lockstep, proofs, tools
	@$(MAKE) $(jobs) $(MEMTWIN)
	@$(CHECK)/check.py --text
	@tests=$$(python3 scripts/quick.py); [ -z "$$tests" ] || $(MAKE) $(jobs) test-run TEST="$$tests"
	@echo "left out: lint, cppcheck, sanitizers, every other unit test, lockstep, SystemC, proofs, formal, synthesis, studies (.ci/run has them)"
deep: build ## develop: hours: every set and tier of everything; leaves out nothing but a second library (LIBERTY=)
	@$(MAKE) check check-selftest build-selftest test scenarios cosim cosim-captured cosim-selftest machine xprop xprop-selftest tb
	@$(MAKE) prove DEEP=1
	@$(MAKE) prove-selftest formal mutate mutate-system new-selftest toggles synth-check synth-selftest
	@$(MAKE) fuzz config-fuzz-deep config-fuzz-selftest mutate-selftest mix uvm-sizes study-selftest
	@$(MAKE) study NAME=all SIZE=full
check-selftest: ## develop: every rule of make check fails on a planted violation
	@$(CHECK)/selftest.py
build-selftest: ## develop: what must be built again is, nothing else; bad input is one line
	@JOBS=$(JOBS) /usr/bin/python3 -B scripts/build_selftest.py $(B)
new: ## develop: a skeleton of a block that passes everything: BLOCK=name
	@python3 scripts/new/new.py '$(BLOCK)'
	@echo "next: change it face by face, cmodel/blocks/$(BLOCK)_ports.h first; make check cosim prove tb BLOCK=$(BLOCK), make test TEST=$(BLOCK)"
new-selftest: ## develop: what make new stamps passes everywhere, a planted bug nowhere, bad names are refused
	@JOBS=$(JOBS) BUILD=$(B) scripts/new/selftest.sh
additions: $(MEMTWIN) ## develop: one of each thing added in a copy of the tree, tried and counted: docs/adding.md (UPDATE=1)
	@JOBS=$(JOBS) /usr/bin/python3 -B scripts/new/additions.py $(B) $(if $(UPDATE),--update)
bench: $(MEMTWIN) ## measure: speed of the harness and of lockstep beside the bare Verilated blocks [BLOCK=] [SET=]
	@python3 scripts/bench.py $(MEMTWIN)
	@$(MAKE) bench-cosim
mix: $(MEMTWIN) ## measure: the instruction mix of every kernel: the table of traces/README.md (UPDATE=1: write it)
	@python3 -B scripts/mix.py $(MEMTWIN) $(if $(UPDATE),--update) traces/README.md
uvm-sizes: $(MEMTWIN) ## measure: workloads at unified-memory sizes: the table of traces/kernels/README.md (UPDATE=1: write it)
	@python3 -B scripts/uvm_sizes.py $(MEMTWIN) traces/kernels/unified_memory.toml $(if $(UPDATE),--update) traces/kernels/README.md
pages: ## develop: report pages in Chromium: nothing overflows, nothing is cut (build/report/shots)
	@scripts/setup.sh scripts/pages/packages.txt
	@python3 -B scripts/pages/check.py $(B)/report --shots $(B)/report/shots --selftest
.PHONY: check quick deep check-selftest build-selftest new new-selftest additions bench mix uvm-sizes pages
