# SPDX-License-Identifier: Apache-2.0
# Fuzzers of the trace readers: clang's libFuzzer with both sanitizers.  tests/fuzz/READER.tar.gz keeps inputs; tests/trace/corpus.c replays them.
FUZZ_READERS := binary text accelsim
FUZZ_SRC := tests/trace/harness.c cmodel/base/error.c cmodel/base/output.c \
    $(patsubst %,cmodel/trace/%.c,accelsim accelsim_inst binary_write check decode digest encode info lines text_inst text_read text_write walk)
SECONDS ?= 60

$(B)/fuzz/%: tests/fuzz/fuzz_%.c $(FUZZ_SRC) $(wildcard tests/trace/harness.h cmodel/trace/*.h cmodel/trace/*.def) cmodel/trace/binary_read.c
	@mkdir -p $(@D)
	@echo "  FUZZ $@"
	@clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -D_GNU_SOURCE \
	    -Icmodel -Itests/trace $< $(FUZZ_SRC) -lzstd -llzma -lxxhash -o $@

SEEDS := $(FUZZ_READERS:%=$(B)/fuzz/seeds/%)
$(SEEDS): $(B)/fuzz/seeds/%: tests/fuzz/%.tar.gz
	@rm -rf $@ $@.new && mkdir -p $@.new
	@tar -xzf $< -C $@.new
	@mv $@.new $@ && touch $@
test-run: $(SEEDS)

# The seeds are copied, so that only `make fuzz-keep` changes what is under version control.
$(FUZZ_READERS:%=fuzz-%): fuzz-%: $(B)/fuzz/% $(B)/fuzz/seeds/%
	@mkdir -p $(B)/fuzz/corpus/$* && cp -n $(B)/fuzz/seeds/$*/* $(B)/fuzz/corpus/$*/
	@cd $(B)/fuzz && ./$* -max_total_time=$(SECONDS) -rss_limit_mb=2048 -timeout=20 -max_len=65536 -print_final_stats=1 \
	    -artifact_prefix=$*- $(if $(wildcard tests/fuzz/$*.dict),-dict=$(CURDIR)/tests/fuzz/$*.dict) corpus/$* > $*.log 2>&1 || \
	    { tail -30 $*.log; echo "FAIL fuzz $*  input: $(B)/fuzz/$*-*  log: $(B)/fuzz/$*.log"; exit 1; }
	@awk '/number_of_executed_units/ {n = $$2} /cov:/ {c = $$0; sub(/.*cov: /, "", c); sub(/ .*/, "", c)} \
	    END {printf "  fuzz %-9s %d inputs in %d s, %d edges, no finding\n", "$*", n, $(SECONDS), c}' $(B)/fuzz/$*.log

fuzz: $(FUZZ_READERS:%=fuzz-%) ## verify: fuzz the trace readers, SECONDS=60 each

# The seeds, and of the inputs that fuzzing found those that reach an edge which no seed reaches.  The same inputs give the same bytes.
PACK := tar --sort=name --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -cf -
$(FUZZ_READERS:%=fuzz-keep-%): fuzz-keep-%: $(B)/fuzz/% $(B)/fuzz/seeds/%
	@rm -rf $(B)/fuzz/keep/$* && mkdir -p $(B)/fuzz/keep/$* $(B)/fuzz/corpus/$* && cp $(B)/fuzz/seeds/$*/* $(B)/fuzz/keep/$*/
	@cd $(B)/fuzz && ./$* -merge=1 -rss_limit_mb=2048 -timeout=20 keep/$* corpus/$* > keep/$*.log 2>&1 || { tail -30 keep/$*.log; exit 1; }
	@$(PACK) -C $(B)/fuzz/keep/$* . | gzip -9n > tests/fuzz/$*.tar.gz.new && mv tests/fuzz/$*.tar.gz.new tests/fuzz/$*.tar.gz
	@echo "  keep $*: $$(ls $(B)/fuzz/keep/$* | wc -l) inputs, $$(ls $(B)/fuzz/seeds/$* | wc -l) before"
fuzz-keep: $(FUZZ_READERS:%=fuzz-keep-%) ## develop: add to tests/fuzz/READER.tar.gz what fuzzing found and reaches further
.PHONY: fuzz $(FUZZ_READERS:%=fuzz-%) fuzz-keep $(FUZZ_READERS:%=fuzz-keep-%)
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
