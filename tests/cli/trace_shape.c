/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin trace shape: sizes of a workload that has not run. */
#include "command_line.h"

Test(trace_shape, a_kernel_of_the_program)
{
    struct outcome o = memtwin("trace shape atax:rows=4096,columns=4096,block=256");
    expect_status(o, 0);
    expect_text(o, "first kernel atax_kernel1, 16 thread blocks of 8 warps\n");
    expect_text(o, "allocated    67158016 bytes\n"); /* 4096 x 4096 floats and three vectors */
}

Test(trace_shape, json)
{
    struct outcome o = memtwin("trace shape --json vecadd:n=4096,block=256");
    expect_status(o, 0);
    expect_text(o, "\"blocks\": 16,");
    expect_text(o, "\"bytes\": 49152,");
    expect_text(o, "\"warps\": 8,");
}

Test(trace_shape, what_is_wrong_is_named)
{
    expect_end("trace shape vecadd:n=0", 1, "option n: found \"0\"");
}
