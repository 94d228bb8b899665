/* SPDX-License-Identifier: Apache-2.0 */
/* How many SM cycles a memory partition may run ahead (memory_partition.h). */
#include <criterion/criterion.h>

#include "system/memory_partition.h"

/* The slices' clock is half of the SMs'. */
static uint64_t ahead(bool watched, const char *const *options)
{
    static struct memory_partitions all;
    struct config c;
    struct error err;
    config_default(&c);
    cr_assert(config_set(&c, "clock.sm=1000", &err) && config_set(&c, "clock.l2=500", &err), "%s", err.text);
    for (; *options; options++) cr_assert(config_set(&c, *options, &err), "%s", err.text);
    struct env env = {.config = &c, .watched = watched};
    memory_partitions_init(&all, &env, &(struct memory_partition_client){0});
    return all.ahead;
}

#define OPTIONS(...) ((const char *const[]){"l2.rop_latency=101", __VA_ARGS__, NULL})
#define COPIES "l2.host_copies=true"

Test(running_ahead, is_for_the_time_that_a_request_waits_in_front_of_the_slice)
{
    cr_expect_eq(ahead(false, OPTIONS("l2.rop_latency=101")), 200);
    cr_expect_eq(ahead(false, OPTIONS("l2.rop_latency=2")), 2);
    cr_expect_eq(ahead(false, OPTIONS("l2.rop_latency=1")), 0);
    cr_expect_eq(ahead(false, OPTIONS("l2.rop_latency=0")), 0);
}

Test(running_ahead, is_not_where_something_else_reads_or_changes_a_slice)
{
    cr_expect_eq(ahead(true, OPTIONS("sim.skip=true")), 0, "observed");
    cr_expect_eq(ahead(false, OPTIONS("sim.skip=false")), 0);
    cr_expect_eq(ahead(false, OPTIONS("uvm.enable=true")), 0);
    cr_expect_eq(ahead(false, OPTIONS("l2.replacement=drrip")), 0, "a policy that learns");
}

Test(running_ahead, is_not_where_the_host_may_copy_beside_running_kernels)
{
    cr_expect_eq(ahead(false, OPTIONS(COPIES, "cke.kernels=1")), 200, "one kernel at a time");
    cr_expect_eq(ahead(false, OPTIONS(COPIES, "cke.kernels=2")), 0);
    cr_expect_eq(ahead(false, OPTIONS(COPIES, "cke.kernels=1", "cke.cycles=1000")), 0);
    cr_expect_eq(ahead(false, OPTIONS("cke.kernels=2", "cke.cycles=1000")), 200, "no copies");
}
