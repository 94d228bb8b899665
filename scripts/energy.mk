# SPDX-License-Identifier: Apache-2.0
# Energies of the blocks (cmodel/system/energy/README.md).
ENERGY_RUN ?= spmv:rows=4096,columns=4096
energy: $(MEMTWIN) ## measure: energy of a run, its blocks by the activity of its own traffic [ENERGY_RUN="WORKLOAD OPTION ..."] [LIBERTY=] [NODE=]
	@$(PY) scripts.energy run $(B) '$(or $(LIBERTY),/usr/share/qflow/tech/osu018/osu018_stdcells.lib)' '$(NODE)' '$(ENERGY_RUN)'
energy-blocks: ## measure: the blocks' table of energies against synth/baseline.tsv [UPDATE=1: write it]
	@$(PY) scripts.energy blocks $(if $(UPDATE),--update)
energy-selftest: $(MEMTWIN) ## measure: a table of blocks that differs from the baselines is reported; wrong runs are refused
	@$(PY) scripts.energy.selftest $(B)
