/* SPDX-License-Identifier: Apache-2.0 */
/* The recorded registers are the true dependences of the values. */
#include <criterion/criterion.h>

#include "trace/simt_reader.h"

static void chain(struct warp *w)
{
    const struct small *s = simt_args(w);
    vi32 i = vvar(vthread_x());
    vi32 x = vload(s->in, i);
    vi32 y = vmad(x, 3, i);
    SIMT_IF (vlt(y, 5)) {
        vstore(s->out, i, y);
    }
}
SMALL_KERNEL(small_chain, chain, 1, 32, 8, 0)

static bool reads(const struct inst *i, uint8_t reg)
{
    bool found = false;
    for (int s = 0; s < INST_MAX_SRC; s++) found |= i->src[s] == reg;
    return found;
}

/* S2R i; IMAD a = i; LOAD x = [a]; IMAD y = x * 3 + i; SETP p = y; BRA p; IMAD b = i; STORE [b], y; EXIT. */
Test(simt_registers, each_instruction_reads_what_earlier_ones_wrote)
{
    struct inst t[32];
    uint32_t n = read_warp(&small_chain, t, 32, NULL);
    const uint8_t ops[] = {INST_INT, INST_INT, INST_LOAD,  INST_INT, INST_INT,
                           INST_INT, INST_INT, INST_STORE, INST_EXIT};
    cr_assert_eq(n, sizeof ops);
    for (uint32_t i = 0; i < n; i++) cr_assert_eq(t[i].op, ops[i], "instruction %u", i);
    cr_assert_eq(t[0].dst, 0); /* vvar redirected the first instruction: no move */
    cr_assert(reads(&t[1], 0));
    cr_assert(reads(&t[2], t[1].dst));
    cr_assert(reads(&t[3], t[2].dst) && reads(&t[3], 0));
    cr_assert(reads(&t[4], t[3].dst) && t[4].dst >= 248);
    cr_assert(reads(&t[5], t[4].dst) && t[5].dst == INST_NO_REG);
    cr_assert(reads(&t[6], 0));
    cr_assert(reads(&t[7], t[6].dst) && reads(&t[7], t[3].dst) && t[7].dst == INST_NO_REG);
}

Test(simt_registers, pcs_are_distinct_and_every_register_is_one_of_the_kernels)
{
    struct inst t[32];
    uint32_t n = read_warp(&small_chain, t, 32, NULL);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < i; k++) cr_assert_neq(t[i].pc, t[k].pc);
        cr_assert(t[i].dst < 8 || t[i].dst >= 248);
        cr_assert_eq(t[i].pc % 8, 0);
    }
}

static void accumulate(struct warp *w)
{
    vi32 n = vvar(0), copy = vvar(n);
    SIMT_WHILE (vlt(n, 3)) {
        vset(n, vadd(n, 1));
    }
    vset(copy, n);
}
SMALL_KERNEL(small_accumulate, accumulate, 1, 32, 8, 0)

/* MOV n; MOV copy = n; 4 tests and branches around 3 additions n = n + 1; MOV copy = n; EXIT. */
Test(simt_registers, a_variable_keeps_its_register_and_a_copy_is_a_move)
{
    struct inst t[32];
    cr_assert_eq(read_warp(&small_accumulate, t, 32, NULL), 2 + 4 * 2 + 3 + 1 + 1);
    cr_assert(t[1].dst == 1 && reads(&t[1], 0));
    for (int i = 0; i < 3; i++) {
        const struct inst *add = &t[4 + 3 * i];
        cr_assert(add->dst == 0 && reads(add, 0));
        cr_assert_eq(add->pc, t[4].pc);
    }
    cr_assert(t[13].dst == 1 && reads(&t[13], 0));
}

static void scopes(struct warp *w)
{
    vi32 i = vvar(vthread_x());
    for (int k = 0; k < 20; k++) { /* 20 times 2 variables would not fit 8 registers */
        SIMT_IF (vlt(i, 5)) {
            vi32 a = vvar(1), b = vvar(2);
            vset(a, vadd(a, b));
        }
    }
}
SMALL_KERNEL(small_scopes, scopes, 1, 32, 8, 0)

Test(simt_registers, variables_are_free_again_at_the_end_of_their_block)
{
    struct inst t[256];
    uint32_t n = read_warp(&small_scopes, t, 256, NULL);
    for (uint32_t i = 0; i < n; i++) cr_assert(t[i].dst < 8 || t[i].dst >= 248);
}

static void stale_value(struct warp *w)
{
    const struct small *s = simt_args(w);
    vi32 early = vthread_x();
    for (int i = 0; i < 8; i++) vstore(s->out, i, vadd(V(1), i));
    vstore(s->out, early, 1);
}
SMALL_KERNEL(small_stale_value, stale_value, 1, 32, 8, 0)

static void moved_value(struct warp *w)
{
    const struct small *s = simt_args(w);
    vi32 x = vvar(0), sum = vadd(x, 1);
    vset(x, sum);
    vstore(s->out, sum, 1); /* the addition went to x's register */
}
SMALL_KERNEL(small_moved_value, moved_value, 1, 32, 8, 0)

static void too_many_variables(struct warp *w)
{
    for (int i = 0; i < 6; i++) {
        vi32 x = vvar(i);
        vset(x, 1);
    }
}
SMALL_KERNEL(small_too_many_variables, too_many_variables, 1, 32, 8, 0)

static void set_of_a_temporary(struct warp *w)
{
    vi32 x = vthread_x();
    vset(x, 1);
}
SMALL_KERNEL(small_set_of_a_temporary, set_of_a_temporary, 1, 32, 8, 0)

static void stale_predicate(struct warp *w)
{
    vi32 i = vvar(vthread_x());
    vbool first = vlt(i, 1);
    for (int k = 0; k < 7; k++) {
        SIMT_IF (vlt(i, k)) {
        }
    }
    SIMT_IF (first) {
    }
}
SMALL_KERNEL(small_stale_predicate, stale_predicate, 1, 32, 8, 0)

Test(simt_registers, reading_a_lost_value_and_running_out_are_errors)
{
    const struct {
        const struct kernel_def *def;
        const char *text;
    } cases[] = {{&small_stale_value, "after its register R7 was reused"},
                 {&small_moved_value, "after its register R7 was reused"},
                 {&small_too_many_variables, "6 variables and 3 temporaries do not fit its 8 registers"},
                 {&small_set_of_a_temporary, "vset() of a value that vvar() did not declare"},
                 {&small_stale_predicate, "a predicate is read after 7 later ones"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct inst t[256];
        struct error err = {""};
        read_warp(cases[i].def, t, 256, &err);
        cr_assert(strstr(err.text, cases[i].text), "expected \"%s\" in \"%s\"", cases[i].text, err.text);
    }
}
