# SPDX-License-Identifier: Apache-2.0
# The unit tests: one Criterion binary of all tests/*/*.c but the fuzzers, run plain and with sanitizers.  Fuzzers, random machines, mutants.
# The page's source is its worked example, which tests/system/your_mechanism.c checks.
PAGE := $(G)/page_of_your_mechanism
TEST_OBJ := $(patsubst %.c,$(O)/%.o,$(filter-out tests/fuzz/%,$(wildcard tests/*/*.c)) $(PAGE).c)
TESTS := $(O)/unit-tests
# Wrapped by tests/system/fake_driver.c; the tags by tests/system/stream.c.
DRIVER := create destroy page line pages request lease_unit note used wrote pin unpin tick wake empty progress finish sync
WRAP := $(DRIVER:%=-Wl,--wrap=uvm_%) -Wl,--wrap=tags_probe,--wrap=tags_flush,--wrap=tags_drop_clean
STARTS_SOONER := $(if $(SAN),-no-pie) # no half a million relocations
made-tests-$(notdir $(O)) := $(WRAP) $(STARTS_SOONER) $(TEST_OBJ)
$(TESTS) $(O)/memtwin: LDFLAGS += $(STARTS_SOONER)
# Fuzzers of the trace readers.  tests/fuzz/READER.tar.gz keeps inputs: the seeds, which tests/trace/corpus.c replays.
READERS := binary text accelsim tracez
FUZZ_INPUTS := $(READERS:%=$(B)/fuzz/seeds/%)
-include $(TEST_OBJ:.o=.d)
# Tests, and sanitized the kernels, compile faster with less; the model keeps OPT, and with OPT= the kernels do.  The plain tests run kernels
# as users have them.
TEST_OPT := -Itests -O$(if $(SAN),0,1) -g1
KERNEL_OPT := $(if $(SAN),$(if $(filter command,$(origin OPT)),,-O0))
made-lowered-$(notdir $(O)) := $(TEST_OPT) $(KERNEL_OPT)
KERNEL_OBJ := $(filter $(O)/traces/kernels/%,$(LIB_OBJ))
$(TEST_OBJ): CFLAGS += $(TEST_OPT)
$(KERNEL_OBJ): CFLAGS += $(KERNEL_OPT)
$(TEST_OBJ) $(if $(SAN),$(KERNEL_OBJ)): $(call made,lowered-$(notdir $(O)))
$(PAGE).c: docs/your-mechanism.md
	@mkdir -p $(@D) && sed -n '/^```c$$/,/^```$$/{/^```/!p}' $< >$@.new && mv $@.new $@
$(TESTS): $(TEST_OBJ) $(LIB_OBJ) $(RTL_LOAD) $(LINKED) $(call made,tests-$(notdir $(O)))
	@echo "  LINK $@"
	@$(CC) $(LDFLAGS) $(WRAP) $(filter %.o,$^) -lcriterion $(LDLIBS) $(whole) # at once: a run that goes on starts itself again
test: ## verify: unit tests, plain and with ASan and UBSan; installs missing packages [TEST=pattern] [SETUP=no] [JUNIT= JSON=]
	@$(call reported,$(if $(DRY),,rm -f $(B)/*/tests.log.xml &&) $(PACKAGES) --for test && \
	    $(PROGRESS) $(MAKE) $(jobs) test-run && $(PROGRESS) $(MAKE) $(jobs) test-run SAN=1)
test-run: $(TESTS) $(MEMTWIN) $(FUZZ_INPUTS)
	@MEMTWIN=$(MEMTWIN) FUZZ_INPUTS=$(B)/fuzz/seeds tests/run.sh $(TESTS) $(O)/tests.log $(JOBS) $(if $(SAN),sanitized,plain) '$(TEST)'
$(READERS:%=$(B)/fuzz/%): $(B)/fuzz/%: tests/fuzz/fuzz_%.c tests/fuzz/fuzz.sh $(wildcard tests/trace/harness.[ch] cmodel/trace/* cmodel/base/*)
	@tests/fuzz/fuzz.sh build $*
$(FUZZ_INPUTS): $(B)/fuzz/seeds/%: tests/fuzz/%.tar.gz
	@tests/fuzz/fuzz.sh unpack $*
$(READERS:%=fuzz-%): fuzz-%: $(B)/fuzz/% $(B)/fuzz/seeds/%
	@tests/fuzz/fuzz.sh run $* $(or $(SECONDS),60)
$(READERS:%=fuzz-keep-%): fuzz-keep-%: $(B)/fuzz/% $(B)/fuzz/seeds/%
	@tests/fuzz/fuzz.sh keep $*
fuzz: $(READERS:%=fuzz-%) ## verify: fuzz the trace readers, SECONDS=60 each
fuzz-keep: $(READERS:%=fuzz-keep-%) ## develop: add fuzzing inputs with new coverage to tests/fuzz/READER.tar.gz
trace-memory: $(MEMTWIN) ## verify: memory of a run of GB=2 gigabytes of text, and of its .tracez [RUN_ONLY=1]
	@$(PY) tests.trace.large_bundle $(MEMTWIN) --gigabytes $(or $(GB),2) $(if $(RUN_ONLY),--run-only)
.PHONY: test-run trace-memory machine-rtl $(READERS:%=fuzz-%) $(READERS:%=fuzz-keep-%)
config-fuzz: $(BOTH) $(due-machine)
config-fuzz-selftest: $(BOTH) $(filter $(B)/rtl/mshr/%,$(MACHINE_RTL))
machine-rtl: # all RTL that these two and make machine load
	@MAKE="$(MAKE) $(jobs)" $(PY) cosim.machine rtl $(B) mshr $(call due,machine)
config-fuzz: ## verify: every option at both range ends, presets, RUNS=60 random machines [SEED=1] [KEYS=regex] [EVERY=1] [ONLY=trial]
	@$(PY) tests.fuzz.config_fuzz --jobs $(JOBS) --seed $(SEED) --runs $(or $(RUNS),60) --keys '$(KEYS)' \
	    $(if $(EVERY),--every) $(ONLY:%=--only %) --blocks '$(call due,machine)' $(BOTH)
config-fuzz-selftest: ## verify: config-fuzz detects a planted failure of each kind
	@tests/fuzz/config_fuzz_selftest.sh $(BOTH)
config-fuzz-deep: ## verify: both range ends of every option on every preset, then DEEP_RUNS=20000 random machines [SEED=]
	@$(MAKE) config-fuzz EVERY=1 RUNS=$(or $(DEEP_RUNS),20000)
MUTANT_TESTS := $(filter $(O)/tests/system/% $(O)/$(PAGE).o,$(TEST_OBJ))
MUTATE := $(PY) tests.mutate.mutate --jobs $(JOBS) --flags "$(CPPFLAGS) $(filter-out -g -W%,$(CFLAGS))" --ldflags "$(WRAP)" \
    --libs "-lcriterion $(LDLIBS)" --objects-root $(O) --objects "$(MUTANT_TESTS) $(LIB_OBJ) $(RTL_LOAD)"
mutate-system mutate-selftest: $(MUTANT_TESTS) $(LIB_OBJ) $(RTL_LOAD)
mutate-system: ## verify: mutants of cmodel/system [FILES= COUNT=120 SEED=1 SLOW=1 AGAIN=1 FUNCTION= STALE=1 UPDATE=1]
	@$(MUTATE) $(FILES) --count $(or $(COUNT),120) --seed $(SEED) --function '$(FUNCTION)' \
	    $(if $(SLOW),--slow) $(if $(AGAIN),--again) $(if $(STALE),--stale) $(if $(UPDATE),--update)
mutate-selftest: ## verify: tests of the mutation runs, on a few mutants
	@$(PY) tests.mutate.selftest
