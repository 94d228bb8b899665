# SPDX-License-Identifier: Apache-2.0
# build/memtwin-rtl: the command with the Verilated blocks linked in, for `memtwin-rtl run --rtl dl_mshr`.
MEMTWIN_RTL := $(B)/memtwin-rtl
RTL_BLOCKS := $(sort $(patsubst %/,%,$(dir $(COSIM_SYSTEM))))
RTL_OBJ := $(COSIM_SYSTEM:%=$(B)/cosim/%/fast/rtl_set.o) $(RTL_BLOCKS:%=$(B)/cosim/%/rtl_block.o)
RTL_LIB := $(COSIM_SYSTEM:%=$(B)/cosim/%/fast/V.a)

define RTL_SET # 1 block, 2 set
$(B)/cosim/$1/$2/fast/rtl_set.o: cosim/rtl_set.cpp $(B)/cosim/$1/$2/fast/V.a $(call made,rtl.$1.$2)
	@echo "  CXX  $1/$2 (face rtl)"
	@$(COSIM_COMPILE) $(COSIM_DEF_fast) $(call cosim-define,$1,$2) -isystem $(B)/cosim/$1/$2/fast/rtl -c $$< -o $$@
endef
$(foreach s,$(COSIM_SYSTEM),$(call rules,rtl.$(subst /,.,$s),$(call RTL_SET,$(patsubst %/,%,$(dir $s)),$(notdir $s))))

$(B)/cosim/%/rtl_block.o: cosim/rtl_block.cpp $(call made,engine g++)
	@mkdir -p $(@D)
	@echo "  CXX  $* (face rtl)"
	@$(COSIM_COMPILE) -DCOSIM_BLOCK=$* -DCOSIM_LIST=$(call upper,$*) -c $< -o $@

made-memtwin-rtl := $(RTL_OBJ) $(RTL_LIB)
$(MEMTWIN_RTL): $(CLI_OBJ) $(LIB_OBJ) $(RTL_OBJ) $(RTL_LIB) $(COSIM_RUNTIME_fast:%=$(B)/cosim/runtime/fast/%.o) $(LINKED) $(call made,memtwin-rtl)
	@echo "  LINK $@"
	@$(CXX) $(LDFLAGS) $(filter %.o %.a,$^) $(LDLIBS) -o $@

# In a recipe: $$out/twin.json has the counters of the results named in $2, and in those of them that are called rtl... blocks $1
# ran as RTL, and no others.  $3: what else a failure's line says.
same-counters = for other in $2; do \
        rtl=; case $$other in rtl*) rtl="--rtl $(subst $(space),$(comma),$1)";; esac; \
        $(MEMTWIN) compare $$out/twin.json $$out/$$other.json $$rtl >$$out/log || { cat $$out/log; echo "FAIL $1 in system  $$other  $3"; exit 1; }; \
    done

build: $(MEMTWIN) $(MEMTWIN_RTL) ## build/memtwin, and build/memtwin-rtl with the Verilated blocks linked in
.PHONY: build
