# SPDX-License-Identifier: Apache-2.0
# The unit tests: one Criterion binary of all tests/*/*.c but the fuzzers, run plain and with sanitizers.
# TEST=pattern runs those whose suite/name contains it.
TEST_SRC := $(filter-out tests/fuzz/%,$(wildcard tests/*/*.c))
TEST_OBJ := $(TEST_SRC:%.c=$(O)/%.o) $(O)/tests/system/page_of_your_mechanism.o
TESTS := $(O)/unit-tests
$(TEST_OBJ): CPPFLAGS += -Itests

# The worked example of the page, which tests/system/your_mechanism.c checks.
$(O)/tests/system/page_of_your_mechanism.c: docs/your-mechanism.md
	@mkdir -p $(@D)
	@sed -n '/^```c$$/,/^```$$/{/^```/!p}' $< >$@
$(O)/tests/system/page_of_your_mechanism.o: $(O)/tests/system/page_of_your_mechanism.c $(HOW)
	@echo "  CC   $<"
	@$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# tests/system/fake_driver.c stands in front of these.
DRIVER := create destroy page line pages request lease_unit note used wrote pin unpin tick wake empty progress finish
$(TESTS): LDFLAGS += $(DRIVER:%=-Wl,--wrap=uvm_%)

made-tests-$(notdir $(O)) := $(DRIVER) $(TEST_OBJ)
$(TESTS): $(TEST_OBJ) $(LIB_OBJ) $(LINKED) $(call made,tests-$(notdir $(O)))
	@echo "  LINK $@"
	@$(CC) $(LDFLAGS) $(filter %.o,$^) -lcriterion $(LDLIBS) -o $@.new
	@mv $@.new $@ # at once: a run that goes on starts itself again for each test

-include $(TEST_OBJ:.o=.d)

test: ## verify: unit tests, plain and with ASan and UBSan [TEST=pattern]
	@$(MAKE) setup
	@$(MAKE) $(jobs) test-run
	@$(MAKE) $(jobs) test-run SAN=1

test-run: $(TESTS)
	@tests/run.sh $(TESTS) $(O)/tests.log $(JOBS) $(if $(SAN),sanitized,plain) '$(TEST)'
.PHONY: test test-run
