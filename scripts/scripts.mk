# SPDX-License-Identifier: Apache-2.0
# The two commands to begin with, installation, studies, checks of the tree, new blocks, speed, pages and tables.
STUDY := PYTHONPATH=scripts:cosim $(PY) -m
PROGRESS := $(PY) scripts/progress.py
CI := PYTHONPATH=scripts:cosim $(PY) -m ci
STUDY_ARGS = --size '$(or $(SIZE),reduced)' --only $(ONLY) --jobs $(JOBS) --verify $(or $(VERIFY),0) $(if $(UPDATE),--update) \
    $(EXECUTOR:%=--executor '%') $(CHUNK_SECONDS:%=--chunk-seconds '%')
# A study whose cases run as RTL needs the sets that its machines resolve to.
STUDY_SETS = $(shell $(STUDY) study.rtl '$(or $(STUDIES),studies)' '$(NAME)' '$(or $(SIZE),reduced)' $(MEMTWIN) $(ONLY))
STUDY_RTL = $(patsubst %,$(B)/rtl/%.so,$(STUDY_SETS))
setup: ## use: install the Debian packages of */packages.txt that are missing [SETUP=no: names them] [ALL=1: of scripts/*/packages.txt, too]
	@$(PACKAGES) */packages.txt $(if $(ALL),scripts/*/packages.txt)
# The first table needs the C tools alone.
run: ## use: install (SETUP=no: names what is missing), build, twelve kernels (ONLY="vecadd bfs": of them), twins, then RTL: two tables, two pages
	@$(if $(SETUP),$(PACKAGES) --for run && )$(PACKAGES) cmodel/packages.txt
	@$(PROGRESS) $(MAKE) $(jobs) $(MEMTWIN) && $(MAKE) study NAME=run ONLY='$(ONLY)'
	@$(PACKAGES) --for run && $(MAKE) study NAME=run_rtl ONLY='$(ONLY)'
compare: ## use: the same without installing, with conventional MSHRs of two, four and 64 times the slots beside DL-MSHR [ONLY=]
	@$(MAKE) $(jobs) build && $(MAKE) study NAME=dl_mshr SIZE=full ONLY='$(ONLY)'
reproduce: $(MEMTWIN) ## use: a headline table of each paper beside the expected means, and the time that it takes [PAPER=Gu20] [UPDATE=1]
	@$(PY) scripts/artifact/reproduce.py $(PAPER) $(if $(UPDATE),--update)
artifact: ## use: the last commit as build/artifact/memtwin-VERSION.tar.xz, for work without network [DEBS=1: with the Debian packages]
	@$(PY) scripts/artifact/pack.py $(B) $(DEBS:%=--debs)
install: ## use: program, library, headers, RTL, manual page, completion: [PREFIX=/usr/local] [DESTDIR=]
uninstall: ## use: remove what make install has written: [PREFIX=/usr/local] [DESTDIR=]
install-selftest: ## verify: examples against an installed tree in C and C++, symbols, headers, page, completion, refusals
install-selftest: | $(filter $(B)/rtl/dl_mshr/%,$(MACHINE_RTL))
install install-selftest: $(MEMTWIN) $(LIB_OBJ) $(RTL_LOAD)
install uninstall install-selftest:
	@$(PY) scripts/install/$(if $(findstring self,$@),selftest,install).py $@ '$(or $(PREFIX),/usr/local)' '$(DESTDIR)' $(B) $(CC) $^
study: $(or $(PROGRAM),$(MEMTWIN)) ## use: a study beside its paper: NAME= [SIZE= ONLY= VERIFY= PROGRAM= STUDIES= UPDATE=1 EXECUTOR= CHUNK_SECONDS=]
	@rtl='$(STUDY_RTL)'; [ -z "$$rtl" ] || $(PROGRESS) $(MAKE) $(jobs) $(B)/memtwin-rtl $$rtl
	@scripts/lock.sh $(B) $$PPID end # runs take a copy of the programs
	@$(STUDY) study '$(NAME)' $(STUDY_ARGS) --studies '$(or $(STUDIES),studies)' --program $< --build $(B)
study-selftest: $(BOTH) $(filter $(B)/rtl/mshr/%,$(MACHINE_RTL))
study-selftest: ## verify: the study engine, with Slurm, too: mistakes are named, a killed study goes on, only what changed runs again
	@$(STUDY) study.selftest $(BOTH) $(B)/study-selftest
	@SETUP=no $(PACKAGES) scripts/study/packages.txt && $(STUDY) study.slurm_selftest $(BOTH) $(B)/slurm-selftest
correlate: $(MEMTWIN) ## measure: memtwin beside ACCELSIM=accel-sim.out or its kept numbers [PRESETS=] [WORKLOADS=] [TIMEOUT=] [CHECK=1] [UPDATE=1]
	@$(STUDY) correlate $< '$(ACCELSIM)' --machines $(PRESETS) --workloads $(WORKLOADS) $(TIMEOUT:%=--timeout %) $(CHECK:%=--check) $(UPDATE:%=--update)
correlate-selftest: $(MEMTWIN) ## verify: correlate with a fake accel-sim.out: every failure of a run is named, every limit turns red
	@$(STUDY) correlate.selftest $< $(B)/correlate-selftest
check: ## develop: format, cppcheck, lint, faces, includes, words, documents: a line a rule [BLOCK=: faces and lint of it alone] [QUICK=1]
	@$(PY) scripts/check/check.py $(BLOCK)
documented: $(BOTH) $(filter $(B)/rtl/mshr/% $(B)/rtl/dl_mshr/%,$(MACHINE_RTL))
documented: ## develop: every command of the program that a document shows runs, and prints what the document shows [DEEP=1: to its end] [UPDATE=1]
	@$(PY) scripts/documented.py $(B) $(DEEP:%=--full) $(UPDATE:%=--update)
check-selftest: ## develop: every rule of make check fails on a planted violation
	@$(PY) scripts/check/selftest.py
build-selftest: ## develop: what must be built again is, nothing else; bad input is one line
	@$(PY) scripts/build_selftest.py $(B)
quick: ## develop: two minutes: the program, unit tests of what changed, text rules; leaves out RTL, lockstep, proofs, tools
	@.ci/$@
deep: ## develop: hours: every set and tier of everything, in jobs that are not run twice for a commit [PART=k/N] [STATUS=1: what has passed]
	@$(if $(STATUS),$(CI) status,$(CI) deep '$(PART)' $(JOBS))
passed: ## develop: which steps of CI have passed with the inputs that the tree has (UPDATE=1: takes over what has passed here)
	@$(CI) passed $(if $(UPDATE),--update)
ci-selftest: ## develop: CI runs what a change concerns, and a tenth of the rest; parts of make deep go on where they were stopped
	@PYTHONPATH=scripts:cosim $(PY) -m ci.selftest
release: ## use: BLOCK= with its parts as a package of its own, checked in an empty folder: build/release/*.tar.xz [OUT=file.tar.xz]
	@$(PY) scripts/release/pack.py $(B) '$(BLOCK)' $(if $(OUT),--out '$(OUT)')
release-selftest: ## verify: every package builds by itself; a file that is missing is seen [BLOCK=] [QUICK=1: two blocks]
	@$(PY) scripts/release/selftest.py $(B) $(if $(QUICK),$(or $(BLOCK),gmmu mrpb),$(WANTED))
new: ## develop: a skeleton of a block that passes everything: BLOCK=name
	@$(PY) scripts/new/new.py '$(BLOCK)'
new-selftest: ## develop: what make new stamps passes everywhere, a planted bug nowhere, bad names are refused
	@scripts/new/selftest.sh
additions: $(MEMTWIN) ## develop: one of each thing added in a copy of the tree, tried and counted: docs/adding.md (UPDATE=1)
	@$(PY) scripts/new/additions.py $(B) $(if $(UPDATE),--update)
bench: $(MEMTWIN) ## measure: speed of the harness, beside ACCELSIM=accel-sim.out or its kept seconds, and of lockstep [BLOCK=] [SET=]
	@$(dry)$(PY) scripts/bench.py $(MEMTWIN) && $(STUDY) correlate.speed $(MEMTWIN) $(if $(ACCELSIM),'$(ACCELSIM)') && $(MAKE) bench-cosim
mix: $(MEMTWIN) ## measure: instruction mix of the kernels, classes of locality: tables of two documents (UPDATE=1: write; QUICK=1: short ones)
	@$(PY) scripts/mix.py $(MEMTWIN) $(if $(UPDATE),--update) $(if $(QUICK),--quick) traces/README.md studies/dwt_pric.toml docs/dwt_pric-study.md
uvm-sizes: $(MEMTWIN) ## measure: workloads at unified-memory sizes: the table of traces/kernels/README.md (UPDATE=1: write it)
	@$(PY) scripts/uvm_sizes.py $(MEMTWIN) traces/kernels/unified_memory.toml $(if $(UPDATE),--update) traces/kernels/README.md
pages: ## develop: report pages in Chromium: overflow, cuts, axes, legends, contrast, keyboard, paper (build/report/shots)
	@SETUP=no $(PACKAGES) scripts/pages/packages.txt && $(PY) scripts/pages/check.py $(B)/report --shots $(B)/report/shots --selftest
