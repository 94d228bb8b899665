# SPDX-License-Identifier: Apache-2.0
uvm-sizes: $(MEMTWIN) ## workloads at unified-memory sizes: results right, footprints within limits, the table of traces/kernels/README.md (UPDATE=1: write it)
	@python3 -B scripts/uvm_sizes.py $(MEMTWIN) traces/kernels/unified_memory.toml $(if $(UPDATE),--update) traces/kernels/README.md
.PHONY: uvm-sizes
