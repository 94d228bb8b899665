# SPDX-License-Identifier: Apache-2.0
# The C side: twins, harness, workloads, command.  Every .c file found is built; nothing is listed by hand.
CC := gcc
OPT ?= -O3 -march=x86-64-v2
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla -Werror
CFLAGS := -std=c17 -g $(OPT) $(WARN) -D_GNU_SOURCE
CPPFLAGS := -Icmodel -Icmodel/blocks
LDLIBS := -ljansson -lzstd -llzma -lxxhash -lm -lpthread

# SAN=1 builds a second tree with AddressSanitizer and UBSan.
ifeq ($(SAN),1)
O := $(B)/san
CFLAGS += -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS += -fsanitize=address,undefined
else
O := $(B)/obj
endif

CLI_SRC := $(wildcard cmodel/cli/*.c)
LIB_SRC := $(wildcard cmodel/base/*.c cmodel/blocks/*.c cmodel/trace/*.c $(patsubst %,cmodel/system/%.c,* */* */*/*) traces/kernels/*.c)
CLI_OBJ := $(CLI_SRC:%.c=$(O)/%.o)
LIB_OBJ := $(LIB_SRC:%.c=$(O)/%.o)
include $(sort $(wildcard cmodel/*/*.mk))

# An object depends on how it is compiled, a program on how it is linked, and of what.
HOW := $(call made,c-$(notdir $(O)) gcc)
LINKED := $(call made,link-$(notdir $(O)) gcc)
$(O)/%.o: %.c $(HOW)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  CC   $<$(if $(SAN), (sanitized))")
	$(if $(V),,@)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

MEMTWIN := $(if $(SAN),$(O)/memtwin,$(B)/memtwin)
$(MEMTWIN): $(CLI_OBJ) $(LIB_OBJ) $(LINKED)
	@echo "  LINK $@"
	@$(CC) $(LDFLAGS) $(filter %.o,$^) $(LDLIBS) -o $@

# Floating point must give the same bits everywhere: no contraction, no fast math.
CFLAGS += -ffp-contract=off
made-c-$(notdir $(O)) := $(CC) $(CPPFLAGS) $(CFLAGS)
made-link-$(notdir $(O)) := $(CC) $(LDFLAGS) $(CLI_OBJ) $(LIB_OBJ) $(LDLIBS)

-include $(CLI_OBJ:.o=.d) $(LIB_OBJ:.o=.d)


