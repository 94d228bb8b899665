# SPDX-License-Identifier: Apache-2.0
# bpg and bypass_slots in the machine: each mode, level and scope, with the twins, with the RTL, and each of them with every cycle
# ticked.  All counters must be the same.
BYPASS_RUN ?= bicg:rows=256,columns=64,block=256 srad:rows=32,columns=229
BYPASS_MACHINE := --preset fermi-000-t1 -s sm.count=3
BYPASS_BPG := $(foreach v,warp block warp_of_block,$(foreach s,local global,l1d.bypass.mode=bpg,l1d.bypass.level=$v,l1d.bypass.scope=$s))
BYPASS_CASES := l1d.bypass.from_warp=3,l1d.bypass.level=warp_of_block l1d.enable=false $(BYPASS_BPG) $(lastword $(BYPASS_BPG)),l1d.bpg.rebase=true \
	$(lastword $(BYPASS_BPG)),l1d.bypass.slots=128,l1d.mshr.kind=dl_mshr,l1d.alloc=on_fill

bypass-in-system: $(B)/memtwin $(B)/memtwin-rtl ## bpg and bypass_slots in the machine: modes, levels, scopes, twins and RTL, skipping or not: equal counters
	@out=$(B)/bypass; mkdir -p $$out; \
	run() { "$$@" -q $(BYPASS_MACHINE) $(foreach c,$(BYPASS_CASES),--case $(subst $(comma),-,$c):$c); }; \
	run $(B)/memtwin run $(BYPASS_RUN) --json $$out/twin.json; \
	run $(B)/memtwin run $(BYPASS_RUN) -s sim.skip=false --json $$out/twin-ticked.json; \
	run $(B)/memtwin-rtl run $(BYPASS_RUN) --rtl bpg,bypass_slots --json $$out/rtl.json; \
	run $(B)/memtwin-rtl run $(BYPASS_RUN) --rtl bpg,bypass_slots -s sim.skip=false --json $$out/rtl-ticked.json; \
	$(call same-counters,bpg bypass_slots,twin-ticked rtl rtl-ticked); \
	echo "bypass in system: $(words $(BYPASS_CASES)) machines of $(words $(BYPASS_RUN)) workloads, twins and RTL, skipping and not: equal counters"
.PHONY: bypass-in-system
