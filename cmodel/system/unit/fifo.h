/* SPDX-License-Identifier: Apache-2.0 */
/* A bounded first-in first-out queue of packets: what every part below the SMs keeps its requests in.  Its storage is
 * allocated once; nothing below the SMs allocates while a run goes on. */
#ifndef MEMTWIN_FIFO_H
#define MEMTWIN_FIFO_H
#include <stdlib.h>

#include "system/unit/request.h"

struct packet {
    struct request r;
    uint64_t local; /* the line's number inside its partition */
    uint64_t ready; /* first cycle of the reader's clock in which it may leave, where a queue is also a pipeline */
};

struct fifo {
    struct packet *slots;
    uint32_t mask, head, count, limit;
};

static inline bool fifo_init(struct fifo *f, uint32_t limit)
{
    uint32_t size = 1;
    while (size < limit) size *= 2;
    *f = (struct fifo){.slots = calloc(size, sizeof *f->slots), .mask = size - 1, .limit = limit};
    return f->slots;
}

static inline bool fifo_room(const struct fifo *f)
{
    return f->count < f->limit;
}

static inline void fifo_push(struct fifo *f, const struct packet *p)
{
    f->slots[(f->head + f->count++) & f->mask] = *p;
}

/* The oldest, or NULL. */
static inline const struct packet *fifo_peek(const struct fifo *f)
{
    return f->count ? &f->slots[f->head] : NULL;
}

static inline void fifo_pop(struct fifo *f)
{
    f->head = (f->head + 1) & f->mask;
    f->count--;
}
#endif
