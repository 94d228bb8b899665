/* SPDX-License-Identifier: Apache-2.0 */
/* Output of memtwin trace locality. */
#include "command_line.h"

Test(trace_locality, a_table)
{
    struct outcome o = memtwin("trace locality vecadd:n=4096");
    expect_status(o, 0);
    expect_text(o, "workload     vecadd:n=4096,block=256\n");
    expect_text(o, "SMs          15, thread blocks round robin\n");
    expect_text(o, "cold                     256   100.00  the first access to the line\n");
    expect_text(o, "inter-kernel               0     0.00  by an earlier kernel\n");
    expect_text(o, "total                    256   100.00\n");
}

Test(trace_locality, json)
{
    struct outcome o = memtwin("trace locality --json --sms 2 vecadd:n=4096");
    expect_status(o, 0);
    expect_text(o, "\"cold\": {\n      \"reads\": 256,\n      \"share\": 1.0\n    }");
    expect_text(o, "\"sms\": 2,");
    expect_text(o, "\"reads\": 256,");
}

Test(trace_locality, what_is_wrong_is_named)
{
    expect_end("trace locality --sms 0 vecadd", 2, "--sms: found '0', expected a number from 1 to 65536");
    expect_end("trace locality", 2, "expected a workload");
    expect_end("trace locality vecad", 1, "the nearest is vecadd");
}
