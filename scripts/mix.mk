# SPDX-License-Identifier: Apache-2.0
mix: $(MEMTWIN) ## instruction mix of every built-in kernel: the table of traces/README.md is what they do (UPDATE=1: write it)
	@python3 -B scripts/mix.py $(MEMTWIN) $(if $(UPDATE),--update) traces/README.md
.PHONY: mix
