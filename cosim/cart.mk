# SPDX-License-Identifier: Apache-2.0
# What stands in front of an L2 slice, in the machine: with the twin, with the RTL, and each of them with every cycle ticked.  All
# counters must be the same.
CART_RUN ?= spmv:rows=2048 transpose:width=128,height=128
CART_CASES := cart:l2.input=cart cart-rotate:l2.input=cart,l2.input_refused=rotate bank_reorder:l2.input=bank_reorder

cart-in-system: $(B)/memtwin $(B)/memtwin-rtl ## cart and bank_reorder in front of every L2 slice, twin and RTL, skipping or not: equal counters
	@out=$(B)/cart; mkdir -p $$out; \
	run() { "$$@" -q --preset cart-002-t2.2 $(foreach c,$(CART_CASES),--case $c); }; \
	run $(B)/memtwin run $(CART_RUN) --json $$out/twin.json; \
	run $(B)/memtwin run $(CART_RUN) -s sim.skip=false --json $$out/twin-ticked.json; \
	run $(B)/memtwin-rtl run $(CART_RUN) --rtl cart,bank_reorder --json $$out/rtl.json; \
	run $(B)/memtwin-rtl run $(CART_RUN) --rtl cart,bank_reorder -s sim.skip=false --json $$out/rtl-ticked.json; \
	$(call same-counters,cart bank_reorder,twin-ticked rtl rtl-ticked); \
	echo "cart, bank_reorder in system: $(words $(CART_CASES)) machines, twins and RTL, skipping and not: equal counters"
.PHONY: cart-in-system
