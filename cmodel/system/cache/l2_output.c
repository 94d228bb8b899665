/* SPDX-License-Identifier: Apache-2.0 */
#include "system/cache/l2_output.h"

bool l2_output_init(struct l2_output *o, struct env *env, uint32_t slice, struct dram *channel, uint32_t back)
{
    const struct config *c = env->config;
    *o = (struct l2_output){.env = env, .channel = channel, .sectors = sectors_of(c->l2_sector_bytes), .slice = slice};
    o->slice_shift = log2_floor(c->partition_slices);
    o->unit_shift = log2_floor(c->partition_interleave) - LINE_SHIFT;
    o->front = c->dram_latency_at == LATENCY_FRONT;
    if (!ring_init(&o->misses, sizeof(struct transfer), c->l2_miss_queue + 1) ||
        !ring_init(&o->delayed, sizeof(struct transfer), c->dram_front_queue) ||
        !ring_init(&o->fills, sizeof(struct transfer), back))
        return false;
    o->misses.limit = c->l2_miss_queue; /* in a queue of one, a victim's write-back follows the read that evicts it */
    return true;
}

void l2_output_free(struct l2_output *o)
{
    ring_free(&o->misses);
    ring_free(&o->delayed);
    ring_free(&o->fills);
}

void l2_output_read(struct l2_output *o, uint64_t block, uint32_t tag, const struct request *who)
{
    *(struct transfer *)ring_push(&o->misses) =
        (struct transfer){.block = block, .who = who, .tag = tag, .bytes = (uint16_t)o->sectors.bytes};
}

void l2_output_write(struct l2_output *o, uint64_t block, uint32_t bytes, uint32_t tag, const struct request *who)
{
    o->env->stats->l2_written_bytes += bytes;
    *(struct transfer *)ring_push(&o->misses) =
        (struct transfer){.block = block, .who = who, .tag = tag, .bytes = (uint16_t)bytes, .write = true};
}

/* A line of the slice as a line of its channel, whose interleave units go to the slices in turn. */
static uint64_t channel_line(const struct l2_output *o, uint64_t local)
{
    const uint64_t inside = local & (((uint64_t)1 << o->unit_shift) - 1);
    const uint64_t unit = (local >> o->unit_shift) << o->slice_shift | (o->slice & ((1u << o->slice_shift) - 1));
    return unit << o->unit_shift | inside;
}

static uint64_t local_line(const struct l2_output *o, uint64_t line)
{
    const uint64_t inside = line & (((uint64_t)1 << o->unit_shift) - 1);
    return line >> (o->unit_shift + o->slice_shift) << o->unit_shift | inside;
}

void l2_output_to_dram(struct l2_output *o, struct ring *queue)
{
    const struct transfer *t = ring_peek(queue);
    const struct sectors *s = &o->sectors;
    const uint64_t block = block_of(s, channel_line(o, block_line(s, t->block)), block_sector(s, t->block));
    dram_push(
        o->channel,
        &(struct dram_request){
            .address = block_address(s, block), .tag = t->tag, .bytes = t->bytes, .write = t->write, .who = t->who});
    ring_pop(queue);
}

void l2_output_delay(struct l2_output *o, uint64_t now)
{
    struct transfer *last = ring_push(&o->delayed);
    *last = *(const struct transfer *)ring_peek(&o->misses);
    last->ready = now + o->env->config->dram_extra_latency;
    ring_pop(&o->misses);
}

bool l2_output_done(struct l2_output *o, const struct dram_request *r, uint64_t ready)
{
    if (r->write && r->tag == NO_REQUEST) return false;
    const struct sectors *s = &o->sectors;
    const uint64_t block = block_at(s, r->address);
    *(struct transfer *)ring_push(&o->fills) =
        (struct transfer){.block = block_of(s, local_line(o, block_line(s, block)), block_sector(s, block)),
                          .ready = ready,
                          .tag = r->tag,
                          .bytes = r->bytes,
                          .write = r->write};
    return true;
}
