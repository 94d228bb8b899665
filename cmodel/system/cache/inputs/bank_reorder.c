/* SPDX-License-Identifier: Apache-2.0 */
/* A queue per DRAM bank (Gu20, section 2.3). */
#include "base/arith.h"
#include "bank_reorder.h"
#include "system/config/input_kind.h"

_Static_assert(sizeof(struct bank_reorder_cfg) <= INPUT_CFG_WORDS * sizeof(uint32_t), "parameters");

static uint32_t bank_reorder_input_configure(void *cfg, const struct config *c, const struct input_bits *bits)
{
    *(struct bank_reorder_cfg *)cfg = (struct bank_reorder_cfg){.Banks = c->l2_bank_reorder_queues,
                                                                .Entries = c->l2_bank_reorder_entries,
                                                                .AddrW = INPUT_ADDR_BITS,
                                                                .BankLsb = bits->bank_lsb,
                                                                .BankMsb = bits->bank_msb,
                                                                .InfoW = INPUT_INFO_BITS,
                                                                .Rotate = c->l2_input_refused == REFUSED_ROTATE};
    return c->l2_bank_reorder_queues * c->l2_bank_reorder_entries;
}

static bool bank_reorder_input_check(const struct config *c, struct error *err)
{
    const uint32_t queues = c->l2_bank_reorder_queues;
    if (queues > c->dram_banks)
        return error_set(err, "l2.bank_reorder.queues: found %u, allowed: at most dram.banks = %u", queues,
                         c->dram_banks);
    return is_power_of_two(queues) ||
           error_set(err, "l2.bank_reorder.queues: found %u, allowed: a power of two", queues);
}

static const struct input_kind bank_reorder = {
    .policy = {"bank_reorder", "one queue per DRAM bank, round robin (block bank_reorder)"},
    .block = "bank_reorder",
    .configure = bank_reorder_input_configure,
    .check = bank_reorder_input_check};
INPUT_KIND_REGISTER(bank_reorder, .blocks = {"bank_reorder"}, .when = "l2.input=bank_reorder");
