/* SPDX-License-Identifier: Apache-2.0 */
/* Output of memtwin trace ranges. */
#include "command_line.h"

Test(trace_ranges, tables)
{
    struct outcome o = memtwin("trace ranges traces/small/tiles.mttx");
    expect_status(o, 0);
    expect_text(o, "workload     tiles\n");
    expect_text(o, "elsewhere    1 accesses outside all arrays\n");
    expect_text(o, "kernel 0  tiles  2 thread blocks\n");
    expect_text(
        o, "  table                             4x8       1x1         2            9      2.00      3.00   22.22   "
           "66.67      3.50      3.00  100.00   65.00\n");
    expect_text(o, "kernel 1  reversed  1 thread blocks\n");
}

Test(trace_ranges, the_unit_follows_the_bits)
{
    struct outcome o = memtwin("trace ranges --bits 2 traces/small/tiles.mttx");
    expect_status(o, 0);
    expect_text(o, "  table                             4x8       2x4         2            9");
    expect_text(o, "  vector                            8x1       4x1         1            8");
}

Test(trace_ranges, blocks)
{
    struct outcome o = memtwin("trace ranges --blocks traces/small/tiles.mttx");
    expect_status(o, 0);
    expect_text(o,
                "  block 0         table                               3  ends x=1 y=1 2x3 covers 66.67 unused 66.67  "
                "bounds x=0 y=0 3x4 covers 100.00 unused 75.00\n");
    expect_text(o, "  block 1         table                               6  ends x=0 y=0 0x0 covers 0.00 unused -  "
                   "bounds x=0 y=0 4x2 covers 100.00 unused 50.00\n");
}

Test(trace_ranges, json)
{
    struct outcome o = memtwin("trace ranges --json --blocks traces/small/tiles.mttx");
    expect_status(o, 0);
    expect_text(o, "\"pitch\": 512,\n      \"row_lines\": 4,\n      \"rows\": 8,\n      \"unit_lines\": 1,");
    expect_text(o,
                "\"block\": 0,\n          \"bounds\": {\n            \"height\": 4,\n            \"inside\": 3,\n"
                "            \"touched\": 3,\n            \"width\": 3,\n            \"x\": 0,\n            \"y\": 0");
    expect_text(o, "\"elsewhere\": 1,");
    o = memtwin("trace ranges --json traces/small/tiles.mttx");
    expect_status(o, 0);
    cr_expect_null(strstr(o.text, "block_list"));
}

Test(trace_ranges, what_is_wrong_is_named)
{
    expect_end("trace ranges --bits 0 vecadd", 2, "--bits: found '0', expected a number from 1 to 32");
    expect_end("trace ranges --bits 33 vecadd", 2, "--bits: found '33', expected a number from 1 to 32");
    expect_end("trace ranges", 2, "expected a workload");
    expect_end("trace ranges vecad", 1, "the nearest is vecadd");
}
