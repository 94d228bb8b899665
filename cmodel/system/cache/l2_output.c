/* SPDX-License-Identifier: Apache-2.0 */
#include "system/cache/l2_output.h"

bool l2_output_init(struct l2_output *o, struct env *env, uint32_t slice, struct dram *channel, uint32_t back)
{
    const struct config *c = env->config;
    *o = (struct l2_output){.env = env, .channel = channel, .sectors = sectors_of(c->l2_sector_bytes), .slice = slice};
    o->slice_shift = log2_floor(c->partition_slices);
    o->unit_shift = log2_floor(config_slice_unit(c)) - LINE_SHIFT;
    o->passes = o->comes = NEVER;
    o->front = c->dram_latency_at == LATENCY_FRONT;
    o->taken = c->dram_intake == INTAKE_CHANNEL;
    o->latency = c->dram_extra_latency;
    o->limit = c->l2_miss_queue;
    o->stages = o->front ? c->dram_front_queue : 0;
    /* One more: in a miss queue of one, a victim's write-back follows the read that evicts it. */
    return ring_init(&o->to_dram, sizeof(struct transfer), o->limit + 1 + o->stages) &&
           ring_init(&o->fills, sizeof(struct transfer), back);
}

void l2_output_free(struct l2_output *o)
{
    ring_free(&o->to_dram);
    ring_free(&o->fills);
}

static struct transfer *enqueue(struct l2_output *o)
{
    o->misses++;
    return ring_push(&o->to_dram);
}

void l2_output_read(struct l2_output *o, uint64_t block, uint32_t tag, const struct request *who)
{
    *enqueue(o) = (struct transfer){.block = block, .who = who, .tag = tag, .bytes = (uint16_t)o->sectors.bytes};
}

void l2_output_write(struct l2_output *o, uint64_t block, uint32_t bytes, uint32_t tag, const struct request *who)
{
    o->env->stats->l2_written_bytes += bytes;
    *enqueue(o) = (struct transfer){.block = block, .who = who, .tag = tag, .bytes = (uint16_t)bytes, .write = true};
}

/* A line of the slice as a line of its channel, whose units go to the slices in turn. */
static uint64_t channel_line(const struct l2_output *o, uint64_t local)
{
    const uint64_t inside = local & (((uint64_t)1 << o->unit_shift) - 1);
    const uint64_t unit = (local >> o->unit_shift) << o->slice_shift | (o->slice & ((1u << o->slice_shift) - 1));
    return unit << o->unit_shift | inside;
}

void l2_output_to_dram(struct l2_output *o)
{
    const struct transfer *t = ring_peek(&o->to_dram);
    const struct sectors *s = &o->sectors;
    const uint64_t block = block_of(s, channel_line(o, block_line(s, t->block)), block_sector(s, t->block));
    dram_push(o->channel, &(struct dram_request){.address = block_address(s, block),
                                                 .block = t->block,
                                                 .tag = t->tag,
                                                 .bytes = t->bytes,
                                                 .write = t->write,
                                                 .who = t->who});
    ring_pop(&o->to_dram);
}

bool l2_output_done(struct l2_output *o, const struct dram_request *r, uint64_t ready)
{
    if (r->write && r->tag == NO_REQUEST) return false;
    o->comes = min_u64(o->comes, ready);
    *(struct transfer *)ring_push(&o->fills) =
        (struct transfer){.block = r->block, .ready = ready, .tag = r->tag, .bytes = r->bytes, .write = r->write};
    return true;
}
