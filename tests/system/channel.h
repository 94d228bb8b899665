/* SPDX-License-Identifier: Apache-2.0 */
/* One DRAM channel on the bench: pushes at chosen clocks, and the clock in which each request was done. */
#ifndef TESTS_CHANNEL_H
#define TESTS_CHANNEL_H
#include <criterion/criterion.h>

#include "system/dram/dram.h"
#include "system/unit/unit.h"

#define CHANNEL_REQUESTS 8192

struct channel {
    struct config c;
    struct stats s;
    struct env env;
    struct dram *d;
    uint64_t clock; /* the next to be ticked */
    uint32_t pushed, done, rooms;
    uint64_t at[CHANNEL_REQUESTS];    /* clock in which request i was done */
    uint32_t order[CHANNEL_REQUESTS]; /* requests in the order in which they were done */
};

static inline void channel_done(void *context, const struct dram_request *r, uint64_t clock)
{
    struct channel *ch = context;
    ch->at[r->tag] = clock;
    ch->order[ch->done++] = r->tag;
}

static inline void channel_room(void *context)
{
    ((struct channel *)context)->rooms++;
}

/* `options`: "key=value" strings, ended by NULL, over the defaults. */
static inline void channel_open(struct channel *ch, const char *const *options)
{
    struct error err = {0};
    memset(ch, 0, sizeof *ch);
    config_default(&ch->c);
    for (; options && *options; options++) cr_assert(config_set(&ch->c, *options, &err), "%s", err.text);
    ch->env = (struct env){.config = &ch->c, .stats = &ch->s};
    struct dram_client client = {.done = channel_done, .room = channel_room, .context = ch};
    ch->d = dram_create(&ch->env, 0, &client, &err);
    cr_assert(ch->d, "%s", err.text);
}

static inline uint32_t channel_push(struct channel *ch, uint64_t address, uint32_t bytes, bool write)
{
    cr_assert(dram_room(ch->d));
    dram_push(ch->d,
              &(struct dram_request){.address = address, .bytes = (uint16_t)bytes, .write = write, .tag = ch->pushed});
    return ch->pushed++;
}

static inline void channel_until(struct channel *ch, uint64_t clock)
{
    for (; ch->clock < clock; ch->clock++)
        if (!ch->c.sim_skip || dram_wake(ch->d) <= ch->clock) dram_tick(ch->d, ch->clock);
}

static inline void channel_drain(struct channel *ch)
{
    for (uint64_t limit = ch->clock + 1000000; !dram_empty(ch->d); channel_until(ch, ch->clock + 1))
        cr_assert(ch->clock < limit, "the channel is stuck");
    dram_sync(ch->d, ch->clock);
}

static inline void channel_close(struct channel *ch)
{
    dram_destroy(ch->d);
}
#endif
