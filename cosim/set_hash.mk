# SPDX-License-Identifier: Apache-2.0
# set_hash in the machine: every function of the L1D, every partition map, and the presets, with the twin, with the RTL, and each
# of them with every cycle ticked.  All counters must be the same.
SET_HASH_RUN ?= bfs:n=2048 mvt:n=128
SET_HASH_CASES := $(foreach f,bmod bxor pmod a_prime d_prime ipoly fermi,l1d.index=$f) \
	$(foreach m,modulo xor prime ipoly a_prime d_prime,partition.map=$m)
SET_HASH_PRESETS := dlmshr-002-t3.2 cart-002-t2.2 fermi-000-t1 fermi-003-t2 sound

set-hash-in-system: $(MEMTWIN) $(MEMTWIN_RTL) ## each index function and partition map in the machine, twin and RTL, skipping or not: equal counters
	@out=$(B)/set_hash; mkdir -p $$out; n=0; \
	same() { \
	    $(MEMTWIN) run -q $(SET_HASH_RUN) "$$@" --json $$out/twin.json; \
	    $(MEMTWIN) run -q $(SET_HASH_RUN) "$$@" -s sim.skip=false --json $$out/twin-ticked.json; \
	    $(MEMTWIN_RTL) run -q $(SET_HASH_RUN) "$$@" --rtl set_hash --json $$out/rtl.json; \
	    $(MEMTWIN_RTL) run -q $(SET_HASH_RUN) "$$@" --rtl set_hash -s sim.skip=false --json $$out/rtl-ticked.json; \
	    $(call same-counters,set_hash,twin-ticked rtl rtl-ticked,$$*); \
	    n=$$((n + 1)); \
	}; \
	for c in $(SET_HASH_CASES); do same --preset maxwell-000-t3 -s $$c; done; \
	for p in $(SET_HASH_PRESETS); do same --preset $$p; done; \
	echo "set_hash in system: $$n machines, each with twin and RTL, skipping and not: equal counters"
.PHONY: set-hash-in-system
