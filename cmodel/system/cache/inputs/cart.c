/* SPDX-License-Identifier: Apache-2.0 */
/* Cache Access Reordering Tree (Gu20, section 2.4). */
#include "cart.h"
#include "system/config/input_kind.h"

_Static_assert(sizeof(struct cart_cfg) <= INPUT_CFG_WORDS * sizeof(uint32_t), "parameters");

static uint32_t cart_input_configure(void *cfg, const struct config *c, const struct input_bits *bits)
{
    *(struct cart_cfg *)cfg = (struct cart_cfg){.Banks = c->dram_banks,
                                                .Rows = c->l2_cart_rows,
                                                .Cols = c->l2_cart_cols,
                                                .Entries = c->l2_cart_entries,
                                                .AddrW = INPUT_ADDR_BITS,
                                                .BankLsb = bits->bank_lsb,
                                                .BankMsb = bits->bank_msb,
                                                .RowLsb = bits->row_lsb,
                                                .InfoW = INPUT_INFO_BITS,
                                                .Rotate = c->l2_input_refused == REFUSED_ROTATE,
                                                .Patience = c->l2_cart_patience};
    return c->dram_banks * c->l2_cart_rows * c->l2_cart_cols * c->l2_cart_entries;
}

static bool cart_input_check(const struct config *c, struct error *err)
{
    return c->dram_banks >= 2 ||
           error_set(err, "l2.input: found cart with dram.banks = %u, allowed with it: 2 to 64", c->dram_banks);
}

static const struct input_kind cart = {.policy = {"cart", "by DRAM bank, row and line (block cart)"},
                                       .block = "cart",
                                       .configure = cart_input_configure,
                                       .check = cart_input_check};
INPUT_KIND_REGISTER(cart, .blocks = {"cart"}, .when = "l2.input=cart");
