/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of L2 input: a file of cache/inputs/ each (policy.h), whose name is a value of l2.input.  A kind is the
 * incoming queue alone, or a block behind it with the ports of cart, and the mapping of options to its parameters. */
#ifndef MEMTWIN_INPUT_KIND_H
#define MEMTWIN_INPUT_KIND_H
#include "system/config/config.h"
#include "system/config/policy.h"

enum { INPUT_ADDR_BITS = 41, INPUT_INFO_BITS = 24, INPUT_CFG_WORDS = 32 };

/* Positions in a line address of the bits by which the DRAM channel finds bank and row. */
struct input_bits {
    uint32_t bank_lsb, bank_msb; /* the lowest bank bit; the lowest of the others, which are contiguous */
    uint32_t row_lsb;
};

struct input_kind {
    struct policy policy;
    const char *block; /* NULL: the queue alone */
    /* Writes the block's struct of parameters, of at most INPUT_CFG_WORDS; returns the number of requests it holds. */
    uint32_t (*configure)(void *cfg, const struct config *c, const struct input_bits *bits);
    bool (*check)(const struct config *c, struct error *err); /* for config_check(); or NULL */
};

#define INPUT_KIND_REGISTER(...) POLICY_REGISTER("L2 input", __VA_ARGS__)

static inline const struct input_kind *input_kind_of(const struct config *c)
{
    return (const struct input_kind *)policy_at("L2 input", c->l2_input);
}
#endif
