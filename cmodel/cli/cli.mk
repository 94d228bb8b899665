# SPDX-License-Identifier: Apache-2.0
# The version: the first heading of CHANGELOG.md, the last commit of the sources, and whether they were changed since.
VERSION_OF := cmodel rtl cosim traces
CLI_OBJ += $(O)/version.o

# Outside a git checkout the commit's name is empty.
VERSION := $(shell sed -n 's/^## //p' CHANGELOG.md | head -1) ($(shell git log -1 --format=%h -- $(VERSION_OF) 2>/dev/null)$(shell \
    git diff --quiet HEAD -- $(VERSION_OF) 2>/dev/null || echo +changes))

$(O)/version.c: version-is-current
	@mkdir -p $(@D)
	@text='#include "cli/command.h"'$$'\n''const char memtwin_version[] = "$(VERSION)";'; \
	    [ "$$text" = "$$(cat $@ 2>/dev/null)" ] || echo "$$text" > $@
version-is-current:
.PHONY: version-is-current
$(O)/version.o: $(O)/version.c $(HOW)
	@$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@
