# SPDX-License-Identifier: Apache-2.0
# The unit tests: one Criterion binary of all tests/*/*.c but the fuzzers, run plain and with sanitizers.
# TEST=pattern runs those whose suite/name contains it.
TEST_SRC := $(filter-out tests/fuzz/%,$(wildcard tests/*/*.c))
TEST_OBJ := $(TEST_SRC:%.c=$(O)/%.o)
TESTS := $(O)/unit-tests
$(TEST_OBJ): CPPFLAGS += -Itests

# tests/system/fake_driver.c stands in front of these.
DRIVER := create destroy page line pages request lease_unit note used wrote pin unpin tick wake empty progress finish
$(TESTS): LDFLAGS += $(DRIVER:%=-Wl,--wrap=uvm_%)

made-tests-$(notdir $(O)) := $(DRIVER) $(TEST_OBJ)
$(TESTS): $(TEST_OBJ) $(LIB_OBJ) $(LINKED) $(call made,tests-$(notdir $(O)))
	@echo "  LINK $@"
	@$(CC) $(LDFLAGS) $(filter %.o,$^) -lcriterion $(LDLIBS) -o $@.new
	@mv $@.new $@ # at once: a run that goes on starts itself again for each test

-include $(TEST_OBJ:.o=.d)

test: ## unit tests, plain and then with ASan and UBSan (TEST=pattern: a subset)
	@$(MAKE) setup
	@$(MAKE) $(jobs) test-run
	@$(MAKE) $(jobs) test-run SAN=1

# A sanitizer's report that is ours: any error, and a leak with a frame in this tree (Criterion's runner itself leaves 48
# bytes behind in its main process).
SANITIZER_FOUND := 'ERROR: (Address|Undefined|Thread|Memory)|runtime error:|^ +\#[0-9]+ 0x.* (cmodel|tests|traces)/[^ ]*:[0-9]+'

# Both the exit status and the log must be right: Criterion exits 0 when no test matched, and when a test leaked.  23 is
# LeakSanitizer's status for the runner itself; whether a leak is ours, the log tells.  A log without a closing line gives an
# empty $$line, which fails below; the last `|| :` only keeps the log's end from hiding the FAIL line.
test-run: $(TESTS)
	@echo "  TEST $(if $(SAN),sanitized,plain)  runs; as it goes: $(O)/tests.log"
	@status=0; $(TESTS) -j$(JOBS) $(if $(TEST),--filter '*$(TEST)*') >$(O)/tests.log 2>&1 || status=$$?; \
	line=$$(grep -a 'Synthesis: ' $(O)/tests.log | tail -1) || line=; \
	if ! [[ $$status =~ ^(0$(if $(SAN),|23))$$ ]] || grep -aqE $(SANITIZER_FOUND) $(O)/tests.log || \
	    ! grep -qE 'Tested: .*[1-9].* \| Passing: .* \| Failing: [^|]*\b0\b.* \| Crashing: [^|]*\b0\b' \
	        <<<"$$(sed 's/\x1b\[[0-9;]*m//g' <<<"$$line")"; then \
	    grep -av '^\[ *\(RUN\|PASS\)' $(O)/tests.log | head -200 || :; \
	    echo "FAIL test$(if $(SAN), SAN=1)  status $$status  log: $(O)/tests.log  rerun: make test-run$(if $(SAN), SAN=1) TEST=$(or $(TEST),suite/name)"; exit 1; \
	fi; \
	echo "  TEST $(if $(SAN),sanitized,plain)  $$(sed -E 's/\x1b\[[0-9;]*m//g; s/.*Synthesis: //' <<<"$$line")"
.PHONY: test test-run
