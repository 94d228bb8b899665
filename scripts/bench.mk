# SPDX-License-Identifier: Apache-2.0
bench: $(MEMTWIN) ## speed of the harness (three workloads, one core and all) and of lockstep against the bare Verilated blocks [BLOCK=] [SET=]
	@python3 scripts/bench.py $(MEMTWIN)
	@$(MAKE) bench-cosim
.PHONY: bench
