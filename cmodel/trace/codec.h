/* SPDX-License-Identifier: Apache-2.0 */
/* Encoding rules shared by encode.c and decode.c. */
#ifndef MEMTWIN_CODEC_H
#define MEMTWIN_CODEC_H
#include "trace/encoded.h"

/* All fields of an instruction but mask and addresses; base and stride are those of its first use. */
struct template
{
    uint8_t op, size, dst, src[INST_MAX_SRC];
    uint16_t count;
    uint32_t pc;
    uint64_t base, stride;
};

/* Control varint: zigzag(template - (last template + 1)) << CONTROL_BITS | mask follows | address mode. */
enum { ADDRESS_NONE, ADDRESS_SAME, ADDRESS_STRIDE, ADDRESS_LIST };
#define CONTROL_MODE 3u
#define CONTROL_MASK 4u
#define CONTROL_BITS 3

/* Last address of each recently used template of a warp, direct-mapped by template number. */
#define ADDRESS_SLOTS 32

struct address_slot {
    uint32_t tag; /* template number + 1 */
    uint64_t base, stride;
};

struct warp_state {
    uint64_t next; /* expected next template number: last + 1; 0 at the start */
    uint32_t mask; /* of the last instruction; all lanes at the start */
    struct address_slot slot[ADDRESS_SLOTS];
};

static inline void warp_state_init(struct warp_state *s)
{
    memset(s, 0, sizeof *s);
    s->mask = 0xffffffffu;
}

static inline struct address_slot *warp_state_slot(struct warp_state *s, uint32_t number, const struct template *t)
{
    struct address_slot *slot = &s->slot[number % ADDRESS_SLOTS];
    if (slot->tag != number + 1) *slot = (struct address_slot){number + 1, t->base, t->stride};
    return slot;
}
#endif
