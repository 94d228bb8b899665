# SPDX-License-Identifier: Apache-2.0
# The two commands to begin with, installation, studies, checks of the tree, new blocks, speed, pages and tables.
PROGRESS := $(PY) scripts.progress
STUDY_ARGS = --size '$(or $(SIZE),reduced)' --only $(ONLY) --jobs $(JOBS) --verify $(or $(VERIFY),0) $(if $(UPDATE),--update) \
    $(if $(KEEP),--keep) $(KEPT:%=--kept '%') \
    $(EXECUTOR:%=--executor '%') $(CHUNK_SECONDS:%=--chunk-seconds '%')
# A study whose cases run as RTL needs the sets that its machines resolve to.
STUDY_SETS = $(shell $(PY) scripts.study.rtl '$(or $(STUDIES),studies)' '$(NAME)' '$(or $(SIZE),reduced)' $(MEMTWIN) $(ONLY))
STUDY_RTL = $(patsubst %,$(B)/rtl/%.so,$(STUDY_SETS))
setup: ## use: install missing Debian packages of */packages.txt [SETUP=no: only lists them] [ALL=1: of */*/packages.txt, too]
	@$(PACKAGES) */packages.txt $(if $(ALL),*/*/packages.txt)
# The first table needs the C tools alone.
run: ## use: install packages (SETUP=no: list missing ones), build, run twelve kernels (ONLY="vecadd bfs": a subset): twins, then RTL
	@$(if $(SETUP),$(PACKAGES) --for run && )$(PACKAGES) cmodel/packages.txt
	@$(PROGRESS) $(MAKE) $(jobs) $(MEMTWIN) && $(MAKE) study NAME=run ONLY='$(ONLY)'
	@$(PACKAGES) --for run && $(MAKE) study NAME=run_rtl ONLY='$(ONLY)'
compare: ## use: like make run without packages, with conventional MSHRs of two, four and 64 times the slots beside DL-MSHR [ONLY=]
	@$(MAKE) $(jobs) build && $(MAKE) study NAME=dl_mshr SIZE=full ONLY='$(ONLY)'
reproduce: $(MEMTWIN) ## use: one headline table per paper, compared with the documents, with its run time [PAPER=Gu20]
	@$(PY) scripts.artifact.reproduce $(PAPER)
artifact: ## use: the last commit as build/artifact/memtwin-VERSION.tar.xz, for use without network [DEBS=1: with the Debian packages]
	@$(PY) scripts.artifact.pack $(B) $(DEBS:%=--debs)
install: ## use: install program, library, headers, RTL, manual page, completion: [PREFIX=/usr/local] [DESTDIR=]
uninstall: ## use: remove the files of make install: [PREFIX=/usr/local] [DESTDIR=]
install-selftest: ## verify: examples against an installed tree in C and C++, symbols, headers, manual page, completion, refusals
install-selftest: | $(filter $(B)/rtl/dl_mshr/%,$(MACHINE_RTL))
install install-selftest: $(MEMTWIN) $(LIB_OBJ) $(RTL_LOAD)
install uninstall install-selftest:
	@$(PY) scripts.install.$(if $(findstring self,$@),selftest,install) $@ '$(or $(PREFIX),/usr/local)' '$(DESTDIR)' $(B) $(CC) $^
python: $(MEMTWIN) $(LIB_OBJ) $(RTL_LOAD) $(DESCRIBE)
python: ## use: the Python module libmemtwin in build/python: twins, RTL and the machine
	@$(PY) scripts.python.generate $(B) $(CC) $(filter-out $(DESCRIBE),$^)
python-selftest: python $(B)/rtl/mshr/tiny.so ## verify: the Python module: every block, RTL beside a twin, the machine, examples, types, messages
	@$(PY) scripts.python.selftest $(B)
study: $(or $(PROGRAM),$(MEMTWIN)) ## use: a study [NAME= SIZE= ONLY= VERIFY= PROGRAM= STUDIES= UPDATE= KEEP= KEPT= EXECUTOR= CHUNK_SECONDS=]
	@rtl='$(STUDY_RTL)'; [ -z "$$rtl" ] || $(PROGRESS) $(MAKE) $(jobs) $(B)/memtwin-rtl $$rtl
	@scripts/lock.sh $(B) $$PPID end # runs take a copy of the programs
	@$(PY) scripts.study '$(NAME)' $(STUDY_ARGS) --studies '$(or $(STUDIES),studies)' --program $< --build $(B)
study-selftest: $(BOTH) $(filter $(B)/rtl/mshr/%,$(MACHINE_RTL))
study-selftest: ## verify: the study engine, also with Slurm: errors are reported, a killed study resumes, only changed points run again
	@$(PY) scripts.study.selftest $(BOTH) $(B)/study-selftest
	@SETUP=no $(PACKAGES) scripts/study/packages.txt && $(PY) scripts.study.slurm_selftest $(BOTH) $(B)/slurm-selftest
correlate: $(MEMTWIN) ## measure: memtwin against ACCELSIM=accel-sim.out or its kept numbers [PRESETS=] [WORKLOADS=] [TIMEOUT=] [CHECK=1] [UPDATE=1]
	@$(PY) scripts.correlate $< '$(ACCELSIM)' --machines $(PRESETS) --workloads $(WORKLOADS) \
	    $(TIMEOUT:%=--timeout %) $(CHECK:%=--check) $(UPDATE:%=--update)
	@$(if $(strip $(PRESETS) $(WORKLOADS)),,$(PY) scripts.correlate.cards $< docs/correlation.md \
	    $(if $(ACCELSIM),--update --accelsim '$(ACCELSIM)',$(UPDATE:%=--update)))
correlate-stock: $(MEMTWIN) ## measure: memtwin on files that ship with the reference, STOCK=folder, beside its cycles on them [UPDATE=1]
	@$(if $(STOCK),,echo 'make correlate-stock: expected STOCK=folder, with a folder for each configuration' >&2; exit 2;) \
	    $(PY) scripts.correlate.stock $< '$(STOCK)' docs/correlation.md $(UPDATE:%=--update)
correlate-selftest: $(MEMTWIN) ## verify: make correlate with a fake accel-sim.out: reports every failed run and every exceeded limit
	@$(PY) scripts.correlate.selftest $< $(B)/correlate-selftest
silicon: $(MEMTWIN) ## measure: machines beside what GPUs measured: ONLY="latency_l1 vecadd" [SILICON=folder of others] [QUICK=1] [CHECK=1] [UPDATE=1]
	@$(PY) scripts.silicon $< --jobs $(JOBS) --only $(ONLY) $(SILICON:%=--data '%') $(QUICK:%=--quick) $(CHECK:%=--check) $(UPDATE:%=--update)
silicon-selftest: $(MEMTWIN) ## verify: make silicon: every shape runs, counts are exact, wrong rows and files are refused
	@$(PY) scripts.silicon.selftest $<
cross: ## verify: program and unit tests built for aarch64, run under qemu: golden counters equal those of x86-64
	@SETUP=no $(PACKAGES) scripts/aarch64/needs.txt && scripts/aarch64/check.sh $(B)
check: ## develop: format, cppcheck, lint, faces, includes, words, documents: one line per rule [BLOCK=: faces and lint of one block] [QUICK=1]
	@$(PY) scripts.check.check $(BLOCK)
beside: ## develop: the counts on top of docs/papers-beside-ours.md against its rows, and the verdicts there [UPDATE=1]
	@$(PY) scripts.study.beside $(if $(UPDATE),--update)
moved: ## develop: numbers of the documents beside those of an earlier commit, for docs/moved-numbers.md [UPDATE=1]
	@$(PY) scripts.study.moved $(if $(UPDATE),--update)
documented: $(BOTH) $(filter $(B)/rtl/mshr/% $(B)/rtl/dl_mshr/%,$(MACHINE_RTL))
documented: ## develop: run every memtwin command of the documents and compare shown output [DEEP=1: without a cycle limit] [UPDATE=1]
	@$(PY) scripts.documented $(B) $(DEEP:%=--full) $(UPDATE:%=--update)
selftest: $(or $(OF:%=%-selftest),$(SELFTESTS))
selftest: ## verify: all self-tests: commands report planted faults [OF="check prove": check-selftest and prove-selftest]
	@echo "selftest: $(words $^) passed"
check-selftest: ## develop: every rule of make check reports a planted violation
	@$(PY) scripts.check.selftest
build-selftest: ## develop: incremental builds rebuild exactly what changed; bad input gives a one-line error
	@$(PY) scripts.build_selftest $(B)
quick: ## develop: two minutes: build, unit tests of changed files, text rules; without RTL, lockstep, proofs and tools
	@.ci/$@
deep: ## develop: hours: all sets and tiers, as jobs that run once per commit [PART=k/N] [STATUS=1: list passed jobs]
	@$(if $(STATUS),$(PY) scripts.ci status,$(PY) scripts.ci deep '$(PART)' $(JOBS))
passed: ## develop: CI steps that have passed with the current inputs (UPDATE=1: adds the steps that passed here)
	@$(PY) scripts.ci passed $(if $(UPDATE),--update)
ci-selftest: ## develop: CI runs the steps affected by a change, and a tenth of the others; interrupted parts of make deep resume
	@$(PY) scripts.ci.selftest
release release-selftest: $(DESCRIBE)
release: ## use: self-contained package of BLOCK= with its parts, checked in an empty folder: build/release/*.tar.xz [OUT=file.tar.xz]
	@$(PY) scripts.release.pack $(B) '$(BLOCK)' $(if $(OUT),--out '$(OUT)')
release-selftest: ## verify: every package builds by itself; a missing file is detected [BLOCK=] [QUICK=1: two blocks]
	@$(PY) scripts.release.selftest $(B) $(if $(QUICK),$(or $(BLOCK),gmmu mrpb),$(WANTED))
new: ## develop: skeleton of a new block that passes all checks: BLOCK=name
	@$(PY) scripts.new.new '$(BLOCK)'
new-selftest: ## develop: the make new skeleton passes all checks; planted bugs fail them; illegal names are refused
	@scripts/new/selftest.sh
additions: $(MEMTWIN) ## develop: adds one of each kind of thing in a copy of the tree, runs it, counts changed lines: docs/adding.md (UPDATE=1)
	@$(PY) scripts.new.additions $(B) $(if $(UPDATE),--update)
bench: $(MEMTWIN) ## measure: simulation speed, beside ACCELSIM=accel-sim.out or its kept seconds, and lockstep speed [BLOCK=] [SET=]
	@$(dry)$(PY) scripts.bench $(MEMTWIN) && $(PY) scripts.correlate.speed $(MEMTWIN) $(if $(ACCELSIM),'$(ACCELSIM)') && $(MAKE) bench-cosim
mix: $(MEMTWIN) ## measure: instruction mix and locality classes of the kernels: tables of two documents (UPDATE=1: write; QUICK=1: short kernels)
	@$(PY) scripts.mix $(MEMTWIN) $(if $(UPDATE),--update) $(if $(QUICK),--quick) traces/README.md studies/dwt_pric.toml docs/dwt_pric-study.md
programs: $(MEMTWIN) ## measure: all kernels at a reduced size: the table of traces/kernels/README.md (UPDATE=1: write it)
	@$(PY) scripts.programs $(MEMTWIN) $(if $(UPDATE),--update) traces/kernels/README.md
uvm-sizes: $(MEMTWIN) ## measure: workload sizes for unified memory: the table of traces/kernels/README.md (UPDATE=1: write it)
	@$(PY) scripts.uvm_sizes $(MEMTWIN) traces/kernels/unified_memory.toml $(if $(UPDATE),--update) traces/kernels/README.md
pages: ## develop: report pages in Chromium: overflow, cuts, axes, legends, contrast, keyboard, paper (build/report/shots)
	@SETUP=no $(PACKAGES) scripts/pages/packages.txt && $(PY) scripts.pages.check $(B)/report --shots $(B)/report/shots --selftest
