# Scenarios on the twin alone, with the sanitizers of the unit tests: one small program for each block and parameter set.
SCENARIO_SETS = $(call selected,$(COSIM_SETS))
SCENARIO_FLAGS := -std=c++20 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
define SCENARIO_RULE # 1 block, 2 set
$(B)/cosim/$1/$2/twin: cosim/twin.cpp $(foreach b,$1 $(call parts-of,$1),cmodel/blocks/$b.c) $(call made,scenarios.$1.$2 g++ gcc)
	@mkdir -p $$(@D)
	@echo "  CXX  $1/$2 (twin)"
	@$(foreach b,$1 $(call parts-of,$1),$(CC) -std=c17 $(filter-out -std=%,$(SCENARIO_FLAGS)) $(CPPFLAGS) -c cmodel/blocks/$b.c -o $$@.$b.o && ) \
	ccache $(CXX) $(SCENARIO_FLAGS) -Wall -Wextra -Werror -Icosim $(CPPFLAGS) -DCOSIM_TWIN -MMD -MP -MF $$@.d $(call cosim-define,$1,$2) -c $$< -o $$@.o && \
	$(CXX) $(SCENARIO_FLAGS) $$@.o $(foreach b,$1 $(call parts-of,$1),$$@.$b.o) -o $$@
endef
$(foreach s,$(COSIM_SETS),$(call rules,scenarios.$(subst /,.,$s),$(call SCENARIO_RULE,$(patsubst %/,%,$(dir $s)),$(notdir $s))))

SCENARIO_BENCHES = $(SCENARIO_SETS:%=$(B)/cosim/%/twin)
scenarios: $(SCENARIO_BENCHES) ## the scenarios of cosim/scenarios on the twins alone, with sanitizers: [BLOCK=] [SET=]
	@failed=0; for p in $(SCENARIO_BENCHES); do $$p || failed=1; done; exit $$failed
.PHONY: scenarios
