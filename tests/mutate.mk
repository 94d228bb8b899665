# SPDX-License-Identifier: Apache-2.0
# Mutation runs.  tests/mutate/README.md says what counts and how to read the report.
MUTATE := PYTHONPYCACHEPREFIX=$(B)/pycache /usr/bin/python3 tests/mutate/mutate.py
MUTATE_OBJ = $(filter $(O)/tests/system/%,$(TEST_OBJ)) $(LIB_OBJ)
MUTATE_FILES = $(or $(FILES),$(wildcard $(patsubst %,cmodel/system/%.c,* */* */*/*)))

mutate-system: $(TEST_OBJ) $(LIB_OBJ) ## verify: mutants of cmodel/system, tried by tests/system [FILES=] [COUNT=500] [SEED=1] [SLOW=1] [AGAIN=1] [FUNCTION=] [STALE=1] [UPDATE=1]
	@$(MUTATE) $(MUTATE_FILES) --count $(or $(COUNT),500) --seed $(SEED) --jobs $(JOBS) $(if $(SLOW),--slow) $(if $(AGAIN),--again) \
	    $(if $(FUNCTION),--function $(FUNCTION)) $(if $(STALE),--stale) $(if $(FILES),,--whole) $(if $(UPDATE),--update) --flags "$(CPPFLAGS) $(filter-out -g -W%,$(CFLAGS))" \
	    --ldflags "$(DRIVER:%=-Wl,--wrap=uvm_%)" --libs "-lcriterion $(LDLIBS)" --objects "$(MUTATE_OBJ)" --objects-root $(O)
mutate-selftest: $(TEST_OBJ) $(LIB_OBJ) ## verify: the mutation runs, on a few mutants
	@PYTHONPYCACHEPREFIX=$(B)/pycache /usr/bin/python3 tests/mutate/selftest.py
.PHONY: mutate-system mutate-selftest
