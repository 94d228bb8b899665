# The unit tests: one Criterion binary of all tests/*/*.c but the fuzzers, run plain and with sanitizers.
# TEST=pattern runs those whose suite/name contains it.
TEST_SRC := $(filter-out tests/fuzz/%,$(wildcard tests/*/*.c))
TEST_OBJ := $(TEST_SRC:%.c=$(O)/%.o)
TESTS := $(O)/unit-tests
$(TEST_OBJ): CPPFLAGS += -Itests

$(TESTS): $(TEST_OBJ) $(LIB_OBJ)
	@echo "  LINK $@"
	@$(CC) $(LDFLAGS) $^ -lcriterion $(LDLIBS) -o $@

-include $(TEST_OBJ:.o=.d)

test: ## unit tests, plain and then with ASan and UBSan (TEST=pattern: a subset)
	@$(MAKE) test-run
	@$(MAKE) test-run SAN=1

# Criterion exits 0 when no test matched, and when LeakSanitizer found a leak: the log tells.
test-run: $(TESTS)
	@$(TESTS) -j$(JOBS) $(if $(TEST),--filter '*$(TEST)*') >$(O)/tests.log 2>&1 || true
	@line=$$(grep -a 'Synthesis: ' $(O)/tests.log | tail -1); \
	if grep -aqE 'ERROR: [A-Za-z]*Sanitizer|runtime error:' $(O)/tests.log || \
	    ! grep -qE 'Tested: .*[1-9].* \| Passing: .* \| Failing: [^|]*\b0\b.* \| Crashing: [^|]*\b0\b' \
	        <<<"$$(sed 's/\x1b\[[0-9;]*m//g' <<<"$$line")"; then \
	    grep -av '^\[ *\(RUN\|PASS\)' $(O)/tests.log | head -200; \
	    echo "FAIL test$(if $(SAN), SAN=1)  log: $(O)/tests.log  rerun: make test-run$(if $(SAN), SAN=1) TEST=$(or $(TEST),suite/name)"; exit 1; \
	fi; \
	echo "  TEST $(if $(SAN),sanitized,plain)  $$(sed -E 's/\x1b\[[0-9;]*m//g; s/.*Synthesis: //' <<<"$$line")"
.PHONY: test test-run
