/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of reads, by hand from traces of a few lines. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support.h"
#include "trace/kernels.h"
#include "trace/locality.h"

static struct locality of_trace(const char *text, uint32_t sms)
{
    struct locality l;
    struct error err = {0};
    write_file(scratch("locality.mttx"), text, strlen(text));
    struct source *s = must_open(scratch("locality.mttx"));
    cr_assert(locality_collect(s, sms, &l, NULL, &err), "%s", err.text);
    s->ops->close(s);
    return l;
}

/* Counts in the order of LOCALITY_CLASSES. */
static void expect_classes(const struct locality *l, const uint64_t expected[LOCALITY_COUNT])
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < LOCALITY_COUNT; i++) {
        cr_expect_eq(l->of[i], expected[i], "class %u: found %lu, expected %lu", i, l->of[i], expected[i]);
        sum += l->of[i];
    }
    cr_expect_eq(l->reads, sum);
}

#define EXPECT(l, ...) expect_classes(&(l), (const uint64_t[LOCALITY_COUNT]){__VA_ARGS__})

Test(locality, a_thread_or_its_warp_reads_a_line_again)
{
    const struct locality l = of_trace("memtwin-trace 1\nkernel grid=1 block=32 name=k\nblock 0\nwarp 0\n"
                                       "load.4 lanes=0-3 at=0x10000\n"
                                       "load.4 lanes=2-5 at=0x10040\n" /* lanes 2 and 3 again */
                                       "load.4 lanes=8 at=0x10000\n"   /* another lane */
                                       "load.4 lanes=8 at=0x10000\n"
                                       "load.4 lanes=8 at=0x1007e\n" /* the end of this line, the start of the next */
                                       "exit\n",
                                       15);
    EXPECT(l, 2, 3, 1);
}

/* Line 0x10000 goes from warp to warp and from block to block: 0 and 2 are on SM 0 of two, 1 is on SM 1. */
static const char blocks[] = "memtwin-trace 1\nkernel grid=3 block=64 name=k\n"
                             "block 0\nwarp 0\nload.4 at=0x10000+4\nexit\nwarp 1\nload.4 at=0x10000+4\nexit\n"
                             "block 1\nwarp 0\nload.4 at=0x20000+4\nexit\nwarp 1\nexit\n"
                             "block 2\nwarp 0\nload.4 at=0x10000+4\nload.4 at=0x20000+4\nexit\nwarp 1\nexit\n";

Test(locality, blocks_are_round_robin_over_the_sms)
{
    const struct locality two = of_trace(blocks, 2), three = of_trace(blocks, 3), one = of_trace(blocks, 1);
    EXPECT(two, 2, 0, 0, 1, 1, 1, 0);
    EXPECT(three, 2, 0, 0, 1, 0, 2, 0);
    EXPECT(one, 2, 0, 0, 1, 2, 0, 0);
}

/* A store and an atomic are the last access, too, and are no reads. */
Test(locality, what_a_kernel_wrote_is_read_by_the_next)
{
    const struct locality l = of_trace("memtwin-trace 1\nkernel grid=1 block=32 name=a\nblock 0\nwarp 0\n"
                                       "store.4 at=0x10000+4\natomic.4 at=0x20000+4\nload.4 at=0x10000+4\nexit\n"
                                       "kernel grid=1 block=32 name=b\nblock 0\nwarp 0\n"
                                       "load.4 at=0x10000+4\nload.4 at=0x20000+4\nload.4 at=0x20000+4\nexit\n",
                                       15);
    EXPECT(l, 0, 2, 0, 0, 0, 0, 2);
}

/* Many lines: the table of lines grows.  A stream has no locality. */
Test(locality, a_streaming_kernel_has_none)
{
    struct error err = {0};
    struct locality l;
    struct source *s = kernel_open("vecadd:n=262144", 1, &err);
    cr_assert(locality_collect(s, 15, &l, NULL, &err), "%s", err.text);
    cr_expect(kernel_verify(s, &err), "%s", err.text);
    s->ops->close(s);
    EXPECT(l, 2 * 262144 / 32);
}
