/* SPDX-License-Identifier: Apache-2.0 */
/* The twin of one block, cycle by cycle: two misses of one line merge in an MSHR file; its fill drains both. */
#include <inttypes.h>
#include <memtwin/mshr.h>
#include <stdio.h>

static const struct mshr_in cycles[] = {
    {.req_valid_i = true, .req_addr_i = 1, .req_info_i = 10, .drain_ready_i = true},
    {.req_valid_i = true, .req_addr_i = 1, .req_info_i = 11, .drain_ready_i = true},
    {.fill_valid_i = true, .fill_addr_i = 1, .drain_ready_i = true},
    {.drain_ready_i = true},
    {.drain_ready_i = true},
};

int main(void)
{
    const struct mshr_cfg cfg = {.Entries = 4, .Slots = 2, .AddrW = 16, .InfoW = 8};
    struct mshr m;
    mshr_init(&m, &cfg);
    for (size_t i = 0; i < sizeof cycles / sizeof *cycles; i++) {
        struct mshr_out out;
        mshr_eval(&m, &cycles[i], &out);
        printf("%zu used=%u", i, (unsigned)out.used_slots_o);
        if (out.rsp_valid_o) printf(" result=%s", out.rsp_result_o == MSHR_PRIMARY ? "primary" : "secondary");
        if (out.drain_valid_o) printf(" out=%" PRIu64 " info=%" PRIu32, out.drain_addr_o, out.drain_info_o);
        printf("%s\n", out.drain_valid_o && out.drain_last_o ? " last" : "");
        mshr_tick(&m, &cycles[i]);
    }
    return 0;
}
