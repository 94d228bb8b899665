/* SPDX-License-Identifier: Apache-2.0 */
/* way_partition: victim choice in a set whose ways are divided between kernels (UCP, Qureshi06).  The only list of its
 * parameters, ports and registers; format: ports.h.  Bit-accurate twin of rtl/way_partition/mt_way_partition.sv;
 * decisions in rtl/way_partition/README.md. */
#ifndef MEMTWIN_WAY_PARTITION_H
#define MEMTWIN_WAY_PARTITION_H
#include "bits.h"
#include "ports.h"

#define WAY_PARTITION_MAX_KERNELS 4
#define WAY_PARTITION_MAX_WAYS 16
#define WAY_PARTITION_WAYS_W(p) bits_index((p)->Ways + 1) /* a number of ways, 0 to Ways */

/* clang-format off */
#define WAY_PARTITION_ERROR(X) \
    X(WAY_PARTITION_OK,           0, "no error") \
    X(WAY_PARTITION_ERROR_KERNEL, 1, "a kernel or an owner that does not exist (3 of 3)")

#define WAY_PARTITION_CODES(X) X(way_partition_error, WAY_PARTITION_ERROR)
enum way_partition_error { WAY_PARTITION_ERROR(ENUM_CODE) };

#define WAY_PARTITION_PARAM(X) \
    X(Kernels, 2, 2, WAY_PARTITION_MAX_KERNELS, "kernels that share the cache") \
    X(Ways,    4, 2, WAY_PARTITION_MAX_WAYS,    "ways of a set")

#define WAY_PARTITION_IN(X) \
    X(BIT, ask_valid_i,  1,                                    "a line needs a way") \
    X(U8,  ask_kernel_i, bits_index(p->Kernels),               "the kernel that misses") \
    X(U32, ask_alloc_i,  p->Kernels * WAY_PARTITION_WAYS_W(p), "ways of each kernel, kernel 0 lowest") \
    X(U16, ask_filled_i, p->Ways,                              "ways with a line, valid or on its way, one bit each") \
    X(U16, ask_held_i,   p->Ways,                              "ways with an outstanding miss: locked") \
    X(U32, ask_owners_i, p->Ways * bits_index(p->Kernels),     "the kernel whose line each way has, way 0 lowest") \
    X(U64, ask_order_i,  p->Ways * bits_index(p->Ways),        "recency of each way's line, way 0 lowest; the smallest was used least recently")

#define WAY_PARTITION_OUT(X) \
    X(BIT, ask_ok_o,     1,                   "there is a way for the line") \
    X(U8,  ask_way_o,    bits_index(p->Ways), "that way; else 0") \
    X(BIT, ask_others_o, 1,                   "it has a line of another kernel, one above its allocation") \
    X(U8,  error_o,      1,                   "enum way_partition_error, sticky until reset")

#define WAY_PARTITION_REG(X) \
    X(U8, error_q, 1, "enum way_partition_error")

#define WAY_PARTITION_MEM(X)
/* clang-format on */

struct way_partition_cfg {
    WAY_PARTITION_PARAM(PARAM_FIELD)
};
struct way_partition_in {
    WAY_PARTITION_IN(PORT_FIELD)
};
struct way_partition_out {
    WAY_PARTITION_OUT(PORT_FIELD)
};
struct way_partition {
    struct way_partition_cfg p;
    WAY_PARTITION_REG(PORT_FIELD)
    WAY_PARTITION_MEM(MEM_FIELD)
};

void way_partition_init(struct way_partition *m, const struct way_partition_cfg *cfg); /* cfg must be legal; resets */
void way_partition_reset(struct way_partition *m);
void way_partition_eval(const struct way_partition *m, const struct way_partition_in *in,
                        struct way_partition_out *out);
void way_partition_tick(struct way_partition *m, const struct way_partition_in *in);
bool way_partition_idle(const struct way_partition *m);            /* ticks without valid inputs change nothing */
void way_partition_skip(struct way_partition *m, uint64_t cycles); /* as many such ticks */
#endif
