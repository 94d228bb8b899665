/* What stands between the crossbar and an L2 slice: a FIFO.  A block that reorders accesses takes its place by
 * giving these functions another body; the slice peeks at the request that is offered, retries it for as long as it is
 * refused, and pops it once it is accepted. */
#ifndef MEMTWIN_L2_INPUT_H
#define MEMTWIN_L2_INPUT_H
#include "system/fifo.h"

struct l2_input {
    struct fifo fifo;
};

static inline bool l2_input_init(struct l2_input *q, uint32_t limit)
{
    return fifo_init(&q->fifo, limit);
}

static inline void l2_input_free(struct l2_input *q)
{
    free(q->fifo.slots);
}

static inline bool l2_input_room(const struct l2_input *q)
{
    return fifo_room(&q->fifo);
}

static inline void l2_input_push(struct l2_input *q, const struct packet *p)
{
    fifo_push(&q->fifo, p);
}

static inline const struct packet *l2_input_peek(const struct l2_input *q)
{
    return fifo_peek(&q->fifo);
}

static inline void l2_input_pop(struct l2_input *q)
{
    fifo_pop(&q->fifo);
}
#endif
