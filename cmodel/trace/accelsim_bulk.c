/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/accelsim_bulk.h"

#include <string.h>

#include "trace/accelsim_line.h"
#include "trace/accelsim_mbarriers.h"

static uint32_t round_up(uint64_t bytes)
{
    return (uint32_t)((bytes + BULK_ALIGN - 1) / BULK_ALIGN * BULK_ALIGN);
}

/* Bytes that a lane accesses. */
static uint32_t unit_of(const struct accelsim_bulk *b)
{
    uint64_t all = b->bytes;
    for (uint32_t p = 0; p < b->pieces; p++) all |= b->addr[p];
    return all % INST_MAX_SIZE ? BULK_ALIGN : INST_MAX_SIZE;
}

bool accelsim_bulk_inst(const struct accelsim_bulk *b, uint32_t n, struct inst *inst)
{
    const uint32_t unit = b->unit, in_piece = b->bytes / unit, units = b->pieces * in_piece;
    const uint32_t first = n * b->lanes, left = first < units ? units - first : 0;
    const uint32_t lanes = left < b->lanes ? left : b->lanes;
    memset(inst->addr, 0, sizeof inst->addr);
    for (uint32_t lane = 0; lane < lanes; lane++)
        inst->addr[lane] = b->addr[(first + lane) / in_piece] + (uint64_t)((first + lane) % in_piece) * unit;
    inst->strided = false;
    inst->op = lanes ? b->op : INST_ARRIVE;
    inst->size = lanes ? (uint8_t)unit : accelsim_mbarrier(b->mbarrier);
    inst->mask = lanes ? UINT32_MAX >> (WARP_SIZE - lanes) : 1;
    if (!lanes) memset(inst->src, INST_NO_REG, sizeof inst->src);
    return lanes || (inst_is_copy(b->op) && n == (units + b->lanes - 1) / b->lanes);
}

/* Mode 3: all addresses; mode 4: the first one, and the difference of each to the one before. */
static bool get_pieces(struct line *l, struct accelsim_bulk *b)
{
    static const char number_of[] = "a number of addresses of a bulk copy, 0 to 16384";
    uint64_t mode, count, step;
    if (!number(l, 10, UINT32_MAX, "an address mode", &mode)) return false;
    if (mode != 3 && mode != 4)
        return complain(l, "another address mode", "3 (list) or 4 (base and differences) for a bulk copy");
    if (mode == 4 && !number(l, 16, UINT64_MAX, "an address", &b->addr[0])) return false;
    if (!number(l, 10, BULK_PIECES, number_of, &count)) return false;
    for (uint32_t n = mode == 4; n < count; n++) {
        if (mode == 3 && !number(l, 16, UINT64_MAX, "an address", &b->addr[n])) return false;
        if (mode == 4 && !difference(l, "a difference per further address", &step)) return false;
        if (mode == 4) b->addr[n] = b->addr[n - 1] + step;
    }
    b->pieces = (uint32_t)count;
    return true;
}

bool accelsim_bulk_parse(struct line *l, uint32_t width)
{
    struct accelsim_bulk *b = &l->parser->bulk;
    uint64_t multicast, blocks, bytes, outside;
    if (!number(l, 16, UINT32_MAX, "the address of an mbarrier", &b->mbarrier) ||
        !number(l, 10, 1, "0 or 1: whether several thread blocks receive the data", &multicast) ||
        (multicast && !number(l, 16, UINT16_MAX, "a mask of thread blocks", &blocks)) ||
        !number(l, 10, BULK_BYTES, "a number of bytes, at most 262144", &bytes) ||
        !number(l, 10, BULK_BYTES, "a number of bytes, at most 262144", &outside) || !get_pieces(l, b))
        return false;
    if (outside > bytes) return complain(l, "more bytes out of bounds than in all", "at most as many");
    const uint64_t inside = bytes - outside, every = b->pieces ? (inside + b->pieces - 1) / b->pieces : 0;
    b->bytes = round_up(bytes ? every : width);
    if (!b->bytes) b->pieces = 0;
    if ((uint64_t)b->bytes * b->pieces > 2 * BULK_BYTES)
        return complain(l, "addresses of more bytes", "those of at most 524288 bytes");
    for (uint32_t n = 0; n < b->pieces; n++) b->addr[n] -= b->addr[n] % BULK_ALIGN;
    b->unit = unit_of(b);
    return true;
}
