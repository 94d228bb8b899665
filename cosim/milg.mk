# SPDX-License-Identifier: Apache-2.0
# milg and qbmi in the machine: every scheme of cke.scheme, with the twins, with the RTL, and each of them with every cycle
# ticked.  All counters must be the same.  Then what they saw there, in lockstep.
CKE_PAIR ?= mvt:n=256 kmeans:iterations=1
CKE_THREE ?= $(CKE_PAIR) vecadd
CKE_MACHINE := --preset maxwell-000-t5 -s sm.count=2 -s cke.cycles=60000
CKE_SCHEMES := rbmi qbmi smil,cke.limit0=9,cke.limit1=3 dmil dmil,cke.relax=lift dmil,cke.relax=hold dmil,cke.rf_bits=17 qbmi_dmil \
    qbmi,sm.scheduler=swl,sm.swl_warps=2 rbmi,sm.scheduler=two_level,sm.two_level_group=2 qbmi_dmil,sm.scheduler=swl,sm.swl_warps=4
CKE_CAPTURED := milg:sm.0.milg0 milg:sm.1.milg1 qbmi:sm.0.qbmi

milg-in-system: $(B)/memtwin $(B)/memtwin-rtl ## milg and qbmi in the machine: each scheme of cke.scheme, twins and RTL, skipping or not: equal counters; their traffic there, replayed
	@out=$(B)/milg; mkdir -p $$out; \
	run() { \
	    "$$@" -q $(CKE_MACHINE) $(foreach s,$(CKE_SCHEMES),--case $(subst $(comma),-,$s):cke.scheme=$s); \
	}; \
	for w in "$(CKE_PAIR)" "$(CKE_THREE)"; do \
	    run $(B)/memtwin cke $$w --json $$out/twin.json; \
	    run $(B)/memtwin cke $$w -s sim.skip=false --json $$out/twin-ticked.json; \
	    run $(B)/memtwin-rtl cke $$w --rtl milg,qbmi --json $$out/rtl.json; \
	    run $(B)/memtwin-rtl cke $$w --rtl milg,qbmi -s sim.skip=false --json $$out/rtl-ticked.json; \
	    $(call same-counters,milg qbmi,twin-ticked rtl rtl-ticked,$$w); \
	    echo "milg, qbmi in system: $(words $(CKE_SCHEMES)) schemes of $$w, twins and RTL, skipping and not: equal counters"; \
	done; \
	for c in $(CKE_CAPTURED); do \
	    vec=$$out/$${c#*:}.vec; \
	    $(B)/memtwin cke -q $(CKE_MACHINE) $(CKE_PAIR) -s cke.scheme=qbmi_dmil --capture $${c#*:}=$$vec; \
	    $(MAKE) cosim BLOCK=$${c%:*} SET=paper VEC=$$vec; \
	done
.PHONY: milg-in-system
