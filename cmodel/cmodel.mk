# SPDX-License-Identifier: Apache-2.0
# The C side: twins, harness, workloads, command.  Every .c file found is built; nothing is listed by hand.
CC := gcc
MARCH := $(if $(filter x86_64-%,$(shell $(CC) -dumpmachine 2>/dev/null)),-march=x86-64-v2)
OPT ?= $(if $(SAN),-O1,-O3) $(MARCH) # the sanitized program runs tests alone: -O1 compiles in half of the time
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla -Werror
# gcc does not warn of a nested initializer without names, such as .policy = {"lru", "..."}, nor of an inline function that a file does not use.
WARN += $(if $(findstring clang,$(CC)),-Wno-missing-field-initializers -Wno-unused-function)
# Floating point must give the same bits everywhere: no contraction, no fast math.  The same objects make programs and the library.
CFLAGS := -std=c17 -g$(if $(SAN),1) $(OPT) $(WARN) -D_GNU_SOURCE -ffp-contract=off -fPIE
CPPFLAGS := -Icmodel -Icmodel/blocks
LDLIBS := -ljansson -lzstd -llzma -lz -lxxhash -lm -lpthread
# SAN=1 builds a second tree with AddressSanitizer and UBSan.  A check of UBSan traps: with a description of each, nine of ten globals that
# AddressSanitizer guards in each process would be descriptions.  It names the line of the trap (tests/run.sh).
O := $(B)/$(if $(SAN),san,obj)
SANITIZE := -fsanitize=address,undefined -fsanitize-undefined-trap-on-error
CFLAGS += $(if $(SAN),$(SANITIZE) -fno-omit-frame-pointer)
LDFLAGS += $(if $(SAN),$(SANITIZE))
G := $(B)/generated
# Kernels compile longest, so they come first.
LIB_SRC := $(wildcard traces/kernels/*.c) $(G)/version.c \
    $(wildcard $(patsubst %,cmodel/%.c,base/* blocks/* lib/* trace/* $(patsubst %,system/%,* */* */*/*)))
include $(sort $(wildcard cmodel/*/*.mk))
CLI_OBJ := $(patsubst %.c,$(O)/%.o,$(wildcard cmodel/cli/*.c))
RTL_LOAD := $(O)/cmodel/lib/rtl_find.o $(O)/cmodel/lib/rtl_load.o
LIB_OBJ := $(filter-out $(RTL_LOAD),$(LIB_SRC:%.c=$(O)/%.o)) $(O)/presets.o $(O)/energies.o

# An object depends on how it is compiled, a program on how it is linked, and of what.  A static command starts sooner.
OF_KERNELS := -g1 # compiles in two thirds of the time
made-c-$(notdir $(O)) := $(CC) $(CPPFLAGS) $(CFLAGS) $(OF_KERNELS)
made-link-$(notdir $(O)) := $(CC) $(if $(SAN),,-static) $(LDFLAGS) $(CLI_OBJ) $(LIB_OBJ) $(LDLIBS)
LINKED := $(call made,link-$(notdir $(O)) gcc)
$(O)/traces/kernels/%.o: CFLAGS += $(OF_KERNELS)
$(O)/%.o: %.c $(call made,c-$(notdir $(O)) gcc)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  CC   $<$(if $(SAN), (sanitized))")
	$(if $(V),,@)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< $(whole-object)
$(G)/version.c: FORCE
	@cmodel/cli/version.sh $@
MEMTWIN := $(if $(SAN),$(O)/memtwin,$(B)/memtwin)
$(MEMTWIN): $(LIB_OBJ) $(CLI_OBJ) $(LINKED)
	@echo "  LINK $@"
	@$(CC) $(if $(SAN),,-static) $(LDFLAGS) $(filter %.o,$^) $(LDLIBS) $(whole)
# The same, dynamic: it can load RTL (system/block/rtl_set.h).
$(B)/memtwin-rtl: $(CLI_OBJ) $(LIB_OBJ) $(RTL_LOAD) $(LINKED)
	@echo "  LINK $@"
	@$(CC) $(LDFLAGS) $(filter %.o,$^) $(LDLIBS) $(whole)
-include $(CLI_OBJ:.o=.d) $(LIB_OBJ:.o=.d) $(RTL_LOAD:.o=.d)
