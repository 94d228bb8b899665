# Prefetchers and evictions of unified memory: every file of policies/ is one, and registers itself (uvm_policy.h).
LIB_OBJ += $(patsubst %.c,$(O)/%.o,$(wildcard cmodel/system/policies/*.c))
