# SPDX-License-Identifier: Apache-2.0
# The GMMU's block in the machine: with the twin, with the RTL, and each of them with every cycle ticked.  All counters must be the
# same.  Its set is `small`; the handling is short, as the RTL is ticked in every cycle.
GMMU_RUN ?= transpose:width=256,height=256,align=65536 hotspot:rows=128,align=65536
GMMU_MACHINE := -s uvm.table_pages=4096 -s uvm.fault_ns=200 -s uvm.oversubscribe_percent=130 -s tlb.l1.sets=1 -s tlb.l1.ways=1
GMMU_CASES := sp-ture:uvm.prefetch=sp,uvm.evict=ture cap-ture:uvm.prefetch=cap,uvm.evict=ture rp-re:uvm.prefetch=rp,uvm.evict=re \
    tp-te:uvm.prefetch=tp,uvm.evict=te notes:uvm.prefetch=cap,uvm.evict=ture,uvm.lease_unit=1

gmmu-in-system: $(B)/memtwin $(B)/memtwin-rtl ## unified memory, the block gmmu as twin and RTL, skipping or not: equal counters
	@out=$(B)/gmmu; mkdir -p $$out; \
	run() { "$$@" -q --preset uvm-002-t4.1 $(GMMU_MACHINE) $(foreach c,$(GMMU_CASES),--case $c); }; \
	run $(B)/memtwin run $(GMMU_RUN) --json $$out/twin.json; \
	run $(B)/memtwin run $(GMMU_RUN) -s sim.skip=false --json $$out/twin-ticked.json; \
	run $(B)/memtwin-rtl run $(GMMU_RUN) --rtl gmmu --json $$out/rtl.json; \
	$(call same-counters,gmmu,twin-ticked rtl); \
	echo "gmmu in system: $(words $(GMMU_CASES)) machines, twin and RTL, skipping and not: equal counters"
.PHONY: gmmu-in-system
