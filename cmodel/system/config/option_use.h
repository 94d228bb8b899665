/* SPDX-License-Identifier: Apache-2.0 */
/* Which options a machine reads, and which blocks are at work in it.
 *
 * The condition of an option is in options.def: a meaning that begins with "dl_mshr: " or "bank_reorder, cart: " is of
 * an option that is read only if the option of its section that has these values has one of them.  Conditions across
 * sections and of numbers, and those of blocks, are in option_use.c. */
#ifndef MEMTWIN_OPTION_USE_H
#define MEMTWIN_OPTION_USE_H
#include "system/config/options.h"

#define CONDITION_TEXT 128

/* Does a machine `c` with so many workloads on every SM read the option?  If not, `missing` is a condition that it does
 * not meet: "l1d.mshr.kind=dl_mshr". */
bool option_is_read(const struct config *c, uint32_t workloads, const struct config_option *o,
                    char missing[static CONDITION_TEXT]);

/* The same for a block by its stem.  False with an empty `missing`: there is no such block in any machine. */
bool block_is_at_work(const struct config *c, uint32_t workloads, const char *block,
                      char missing[static CONDITION_TEXT]);
/* The block in which `block` is in the machine, as a part; NULL: it stands for itself. */
const char *block_whole(const char *block);

/* The keys and blocks that the conditions of option_use.c are about, for tests; NULL behind the last. */
const char *condition_of_option(uint32_t i);
const char *condition_of_block(uint32_t i);
#endif
