/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses of an instruction in short: those of its active lanes from the first one on. */
#ifndef MEMTWIN_PATTERN_H
#define MEMTWIN_PATTERN_H
#include "trace/inst.h"

struct pattern {
    uint64_t base;                /* of the first active lane */
    uint64_t stride;              /* per lane number from there; 0 unless strided */
    bool strided;                 /* a single lane is, too */
    uint64_t step[WARP_SIZE - 1]; /* from each active lane to the next; only if not strided */
};

/* The instruction must have an active lane. */
void pattern_find(struct pattern *p, const struct inst *i);
/* The same from base and steps. */
void pattern_find_stride(struct pattern *p, uint32_t mask);
void pattern_fill(const struct pattern *p, struct inst *i);
#endif
