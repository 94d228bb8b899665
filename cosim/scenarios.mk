# Scenarios on the twins alone, with the sanitizers of the unit tests: a small program for each block and parameter set.
SCENARIO_SETS = $(call selected,$(COSIM_SETS))
SCENARIO_BENCHES = $(SCENARIO_SETS:%=$(B)/cosim/%/twin)
SCENARIO_SAN := -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
made-scenario-twins := $(SCENARIO_SAN)
$(B)/cosim/twins/%.o: cmodel/blocks/%.c $(call made,scenario-twins gcc)
	@mkdir -p $(@D)
	@$(CC) -std=c17 $(SCENARIO_SAN) $(CPPFLAGS) -MMD -MP -c $< -o $@

define SCENARIO_RULE # 1 block, 2 set
$(B)/cosim/$1/$2/twin: cosim/twin.cpp $(foreach b,$1 $(call parts-of,$1),$(B)/cosim/twins/$b.o) $(call made,scenarios.$1.$2 g++)
	@mkdir -p $$(@D)
	@echo "  CXX  $1/$2 (twin)"
	@ccache $(CXX) -std=c++20 $(SCENARIO_SAN) -Wall -Wextra -Werror -Icosim $(CPPFLAGS) -DCOSIM_TWIN -MMD -MP -MT $$@ -MF $$@.d $(call cosim-define,$1,$2) -c $$< -o $$@.o
	@$(CXX) $(SCENARIO_SAN) $$@.o $$(filter %.o,$$^) -o $$@
endef
$(foreach s,$(COSIM_SETS),$(call rules,scenarios.$(subst /,.,$s),$(call SCENARIO_RULE,$(patsubst %/,%,$(dir $s)),$(notdir $s))))

scenarios: $(SCENARIO_BENCHES) ## the scenarios of cosim/scenarios on the twins alone, with sanitizers: [BLOCK=] [SET=]
	@failed=0; for p in $(SCENARIO_BENCHES); do $$p || failed=1; done; exit $$failed
.PHONY: scenarios
