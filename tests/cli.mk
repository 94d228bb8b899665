# SPDX-License-Identifier: Apache-2.0
# The tests of the command line run the program itself.
test-run: $(MEMTWIN)
test-run: export MEMTWIN := $(MEMTWIN)
