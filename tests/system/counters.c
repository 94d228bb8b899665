/* SPDX-License-Identifier: Apache-2.0 */
/* Counters by name, and ratios of them. */
#include <criterion/criterion.h>
#include <string.h>

#include "system/stats/counters.h"

static const struct counter_value *value_of(const char *name, const struct counter_value *values)
{
    uint32_t count;
    const struct counter *list = counter_list(&count);
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(list[i].name, name)) return &values[i];
    cr_assert_fail("no counter %s among %u", name, count);
    return NULL;
}

Test(counters, a_ratio_is_of_its_counters)
{
    static const struct stats s = {.gpu_cycles = 400, .gpu_warp_instructions = 100, .l1d_hits = 2, .l1d_misses = 6};
    struct counter_value values[1024];
    struct config c;
    uint32_t count;
    counter_list(&count);
    cr_assert(count > 100 && count < sizeof values / sizeof *values);
    config_default(&c);
    counter_values(&s, &c, values);
    cr_expect_eq(value_of("gpu.cycles", values)->whole, 400);
    cr_expect_float_eq(value_of("gpu.ipc", values)->ratio, 0.25, 1e-12);
    cr_expect_float_eq(value_of("l1d.hit_rate", values)->ratio, 0.25, 1e-12);
}
