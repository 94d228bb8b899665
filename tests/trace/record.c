/* SPDX-License-Identifier: Apache-2.0 */
/* Built-in kernels recorded: the file holds the kernel's instructions. */
#include <criterion/criterion.h>

#include "support.h"
#include "trace/kernels.h"

/* Small enough to be quick; loops, divergence, barriers, shared memory, several kernels. */
static const char *const specs[] = {"vecadd:n=5000",
                                    "transpose:width=64,height=64",
                                    "atax:rows=64,columns=96",
                                    "gesummv:rows=64",
                                    "histogram:n=4096",
                                    "kmeans:n=512",
                                    "bfs:n=300",
                                    "spmv:rows=300,columns=300"};

Test(record, a_recorded_kernel_is_the_kernel)
{
    struct error err = {0};
    for (size_t n = 0; n < sizeof specs / sizeof *specs; n++) {
        struct source *a = kernel_open(specs[n], 9, &err);
        cr_assert(a, "%s", err.text);
        must_write(a, scratch("record.mtt"));
        struct source *b = must_open(scratch("record.mtt"));
        a = kernel_open(specs[n], 9, &err);
        assert_same(a, b, false);
        cr_assert(kernel_verify(a, &err), "%s", err.text);
        a->ops->close(a);
        b->ops->close(b);
    }
}
