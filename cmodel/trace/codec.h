/* SPDX-License-Identifier: Apache-2.0 */
/* Encoding rules shared by encode.c and decode.c. */
#ifndef MEMTWIN_CODEC_H
#define MEMTWIN_CODEC_H
#include "trace/encoded.h"

/* All fields of an instruction but mask and addresses; base and stride are those of its first use. */
struct template
{
    uint8_t op, dst, src[INST_MAX_SRC];
    uint16_t count;
    uint8_t size;
    bool strided;  /* always false: a place for the field of struct inst */
    uint8_t slot;  /* number of its address slot in each warp, if it accesses memory */
    uint8_t plain; /* length of the run of arithmetic templates from this one on, at most 255; templates_add() */
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
    uint32_t number; /* of the template */
    uint64_t base, stride;
};

/* Template table of a chunk, or of the blocks of a kernel that are encoded in memory; each holds a reference.  Address
 * slots are numbered in order of first use, and a warp allocates only the used ones.  A table in memory has no slots:
 * an address is coded as its distance from the template's.  That takes more bytes, but sequential ones, which miss the
 * host's cache less often than slots. */
struct templates {
    uint32_t references, count, room;
    uint32_t slots; /* that a warp needs; 0 in memory */
    bool in_memory;
    uint8_t slot_plus_1[ADDRESS_SLOTS]; /* by template number modulo ADDRESS_SLOTS; 0: not needed */
    struct template *row;
    struct inst_head *head;    /* of each row */
    struct head_table *tables; /* all tables of heads, the largest first: readers point into the smaller ones, too */
};

struct templates *templates_new(uint32_t room, bool in_memory); /* with one reference; NULL: out of memory */
void templates_release(struct templates *t);
bool templates_resize(struct templates *t, uint32_t room);
void templates_clear(struct templates *t);
/* There must be room.  Assigns the slot, if any. */
void templates_add(struct templates *t, const struct template *added);

/* The slot of a template; `claimed` has a bit per slot of the warp that holds one.  In memory it is `passing`. */
static inline struct address_slot *address_slot_find(const struct templates *table, struct address_slot *slots,
                                                     uint32_t *claimed, uint32_t number, struct address_slot *passing)
{
    const struct template *t = &table->row[number];
    if (table->in_memory) {
        *passing = (struct address_slot){number, t->base, t->stride};
        return passing;
    }
    struct address_slot *slot = &slots[t->slot];
    if (!(*claimed >> t->slot & 1) || slot->number != number) {
        *slot = (struct address_slot){number, t->base, t->stride};
        *claimed |= 1u << t->slot;
    }
    return slot;
}

/* Opens a thread block whose warps begin at these bytes of the chunk, up to the end of the last.  Always takes
 * ownership of raw.data and `begin`.  NULL: out of memory. */
struct block_stream *chunk_open_single(struct templates *templates, struct bytes *raw, uint32_t *begin,
                                       const struct kernel_info *kernel, uint32_t index,
                                       const struct chunk_place *place);
#endif
