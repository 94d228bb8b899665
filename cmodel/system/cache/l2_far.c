/* SPDX-License-Identifier: Apache-2.0 */
#include "system/cache/l2_far.h"

#include "base/arith.h"

bool l2_far_init(struct l2_far *f, const struct config *c)
{
    const struct miss_kind *file = miss_kind_of(c, MISS_L2);
    const uint32_t places = c->l2_link_queue;
    *f = (struct l2_far){.latency = c->l2_far_latency,
                         .width = c->l2_link_bytes,
                         .most = file->shape(c, MISS_L2).lines - 1,
                         .shared = !file->own_slots};
    return ring_init(&f->in, sizeof(struct packet), places) && ring_init(&f->out, sizeof(struct packet), places) &&
           ring_init_growing(&f->back, sizeof(struct packet), 2 * places);
}

void l2_far_free(struct l2_far *f)
{
    ring_free(&f->in);
    ring_free(&f->out);
    ring_free(&f->back);
}

uint64_t l2_far_carry(const struct l2_far *f, uint64_t *free, uint32_t bytes, uint64_t now)
{
    const uint64_t cycles = bytes ? ceil_div(bytes, f->width) : 1;
    *free = now + cycles;
    return now + cycles - 1 + f->latency;
}
