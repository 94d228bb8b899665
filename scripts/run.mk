# The main job: real kernels through the machine of paper 002, table 3.2, each miss file as twin and as RTL, and a report.
# One result file a run; make runs only what is older than the program.
RUN := $(B)/run
RUN_PRESET := dlmshr-002-t3.2
RUN_KERNELS := aligned_types atax bfs blackscholes gesummv histogram kmeans mvt spmv syrk transpose vecadd
RUN_SEED := 1

# What a case adds to `memtwin run`.  A name that ends in -rtl is a case with the RTL of its miss file in place of the twin.
CASES := mshr dl mshr-rtl dl-rtl
STUDY := mshr-2x mshr-2x2x mshr-8x8x
CASE_mshr :=
CASE_dl := --preset dlmshr
CASE_mshr-2x := --preset mshr-2x
CASE_mshr-2x2x := --preset mshr-2x2x
CASE_mshr-8x8x := --preset mshr-8x8x
CASE_mshr-rtl := $(CASE_mshr) --rtl mshr
CASE_dl-rtl := $(CASE_dl) --rtl dl_mshr

run-files = $(foreach c,$(1),$(RUN_KERNELS:%=$(RUN)/%.$(c).json))
RUN_FILES := $(call run-files,$(CASES))
STUDY_FILES := $(call run-files,$(STUDY))

RUN_WANTED := $(RUN_FILES) $(if $(filter run-study,$(MAKECMDGOALS)),$(STUDY_FILES))

define CASE_RULE
$(RUN)/%.$(1).json: $(if $(filter %-rtl,$(1)),$(B)/memtwin-rtl,$(MEMTWIN)) $(call made,run.$(1))
	@mkdir -p $(RUN)
	@$$< run '$$*' --preset $(RUN_PRESET) $(CASE_$(1)) --seed $(RUN_SEED) --threads 1 --quiet --json $$@
	@printf '  RUN  %3d of %d  %-14s %-10s %7.1f s\n' "$$$$(find $$(RUN_WANTED) -newer $$< 2>/dev/null | wc -l)" \
	    $$(words $$(RUN_WANTED)) '$$*' '$(1)' "$$$$(sed -n 's/.*"seconds": \([0-9.]*\).*/\1/p' $$@)"
endef
$(foreach c,$(CASES) $(STUDY),$(call rules,run.$(c),$(call CASE_RULE,$(c))))

setup: ## use: install the Debian packages of scripts/packages.txt that are missing
	@scripts/setup.sh scripts/packages.txt
run: ## use: install, build, twelve kernels (RUN_KERNELS=), twins and RTL: one table, a page
	@$(MAKE) setup
	@$(MAKE) $(jobs) build
	@$(MAKE) $(jobs) run-results
	@python3 -B scripts/report.py $(RUN) $(MEMTWIN) $(B)/report/index.html
compare: ## use: the same, with conventional MSHRs of two, four and 64 times the slots beside DL-MSHR
	@$(MAKE) setup
	@$(MAKE) $(jobs) build
	@$(MAKE) $(jobs) run-results run-study
	@python3 -B scripts/report.py $(RUN) $(MEMTWIN) $(B)/report/index.html
run-results: $(RUN_FILES)
run-study: $(STUDY_FILES)
.PHONY: setup run compare run-results run-study
