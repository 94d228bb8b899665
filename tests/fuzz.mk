# Fuzzers of the trace readers: clang's libFuzzer with both sanitizers. tests/trace/corpus.c replays what is kept.
FUZZ_READERS := binary text accelsim
FUZZ_SRC := tests/trace/harness.c cmodel/base/error.c cmodel/base/output.c \
    $(patsubst %,cmodel/trace/%.c,accelsim accelsim_inst binary_write check decode digest encode info lines text_inst text_read text_write walk)
SECONDS ?= 60

$(B)/fuzz/%: tests/fuzz/fuzz_%.c $(FUZZ_SRC) $(wildcard tests/trace/harness.h cmodel/trace/*.h cmodel/trace/*.def) cmodel/trace/binary_read.c
	@mkdir -p $(@D)
	@echo "  FUZZ $@"
	@clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -D_GNU_SOURCE \
	    -Icmodel -Itests/trace $< $(FUZZ_SRC) -lzstd -llzma -lxxhash -o $@

# The seeds are copied, so that only `make fuzz-keep` changes what is under version control.
$(FUZZ_READERS:%=fuzz-%): fuzz-%: $(B)/fuzz/%
	@mkdir -p $(B)/fuzz/corpus/$* && cp -n tests/fuzz/corpus/$*/* $(B)/fuzz/corpus/$*/
	@cd $(B)/fuzz && ./$* -max_total_time=$(SECONDS) -rss_limit_mb=2048 -timeout=20 -max_len=65536 -print_final_stats=1 \
	    -artifact_prefix=$*- $(if $(wildcard tests/fuzz/$*.dict),-dict=$(CURDIR)/tests/fuzz/$*.dict) corpus/$* > $*.log 2>&1 || \
	    { tail -30 $*.log; echo "FAIL fuzz $*  input: $(B)/fuzz/$*-*  log: $(B)/fuzz/$*.log"; exit 1; }
	@awk '/number_of_executed_units/ {n = $$2} /cov:/ {c = $$0; sub(/.*cov: /, "", c); sub(/ .*/, "", c)} \
	    END {printf "  fuzz %-9s %d inputs in %d s, %d edges, no finding\n", "$*", n, $(SECONDS), c}' $(B)/fuzz/$*.log

fuzz: $(FUZZ_READERS:%=fuzz-%) ## verify: fuzz the trace readers, SECONDS=60 each
.PHONY: fuzz $(FUZZ_READERS:%=fuzz-%)
.PRECIOUS: $(B)/fuzz/%

# Random configurations: tests/fuzz/config_fuzz.py.
RUNS ?= 60
DEEP_RUNS ?= 20000
CONFIG_FUZZ := python3 -B tests/fuzz/config_fuzz.py

config-fuzz: $(MEMTWIN) $(B)/memtwin-rtl ## verify: every option at both ends, presets, RUNS=60 random machines [SEED=1] [KEYS=regex] [EVERY=1] [ONLY=trial]
	@$(CONFIG_FUZZ) --seed $(SEED) --runs $(RUNS) --keys '$(KEYS)' $(if $(EVERY),--every) $(if $(ONLY),--only $(ONLY)) --jobs $(JOBS) $^
config-fuzz-selftest: $(MEMTWIN) $(B)/memtwin-rtl ## verify: each kind of failure, planted: config-fuzz finds it
	@tests/fuzz/config_fuzz_selftest.sh $^
config-fuzz-deep: ## verify: both ends of every option on every preset, then DEEP_RUNS=20000 random machines [SEED=]
	@$(MAKE) config-fuzz EVERY=1 RUNS=$(DEEP_RUNS)
.PHONY: config-fuzz config-fuzz-selftest config-fuzz-deep
