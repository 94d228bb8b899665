/* SPDX-License-Identifier: Apache-2.0 */
/* Which options a machine reads, and which blocks it uses.
 *
 * Options have conditions in options.def (`needs`), blocks where their policy registers, or in option_use.c.  A
 * condition is "KEY=VALUE|VALUE", "KEY!=VALUE|VALUE", or several of them joined by " or "; those joined by "; " must
 * all hold.  The key "workloads" is the number of workloads that share an SM. */
#ifndef MEMTWIN_OPTION_USE_H
#define MEMTWIN_OPTION_USE_H
#include "system/config/options.h"

#define CONDITION_TEXT 128

/* Whether a machine `c` with so many workloads per SM reads the option.  If not, `missing` describes an unmet
 * condition: "l1d.mshr.kind=dl_mshr". */
bool option_is_read(const struct config *c, uint32_t workloads, const struct config_option *o,
                    char missing[static CONDITION_TEXT]);

/* The same for a block by its stem.  False with an empty `missing`: no machine uses the block. */
bool block_is_at_work(const struct config *c, uint32_t workloads, const char *block,
                      char missing[static CONDITION_TEXT]);
/* The block that contains `block` as a part; NULL: it stands alone. */
const char *block_whole(const char *block);

/* The blocks that have a condition, for tests; NULL past the last. */
const char *condition_of_block(uint32_t i);

/* Turns it into the machine of a workload that runs alone: nothing is divided between workloads (`several` in
 * options.def).
 */
void config_alone(struct config *c);
#endif
