/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of an Accel-Sim trace, written by a test: kernel-N.traceg reads lines from N * 0x10000000 on. */
#ifndef TESTS_TRACE_KERNEL_H
#define TESTS_TRACE_KERNEL_H
#include "command_line.h"

/* A kernel that loads `loads` lines of its own, one after the other.  "-": a copy instead. */
struct step {
    const char *stream;
    int blocks, loads;
};

static inline void write_kernel_with(const char *folder, int number, const struct step *s, int shared_bytes)
{
    char path[600];
    snprintf(path, sizeof path, "%s/kernel-%d.traceg", folder, number);
    FILE *to = fopen(path, "w");
    cr_assert_not_null(to, "%s", path);
    fprintf(to,
            "-kernel name = k%d\n-kernel id = %d\n-grid dim = (%d,1,1)\n-block dim = (32,1,1)\n-shmem = %d\n"
            "-nregs = 16\n-cuda stream id = %s\n-accelsim tracer version = 3\n-enable lineinfo = 0\n",
            number, number, s->blocks, shared_bytes, s->stream);
    for (int b = 0; b < s->blocks; b++) {
        fprintf(to, "#BEGIN_TB\nthread block = %d,0,0\nwarp = 0\ninsts = %d\n", b, s->loads + 1);
        for (int i = 0; i < s->loads; i++)
            fprintf(to, "%04x ffffffff 1 R2 LDG.E 1 R2 4 1 0x%x 4\n", 16 * i,
                    0x10000000u * (unsigned)number + 0x10000u * (unsigned)b + 128u * (unsigned)i);
        fprintf(to, "%04x ffffffff 0 EXIT 0 0\n#END_TB\n", 16 * s->loads);
    }
    fclose(to);
}

static inline void write_kernel(const char *folder, int number, const struct step *s)
{
    write_kernel_with(folder, number, s, 0);
}
#endif
