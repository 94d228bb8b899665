/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/span.h"

#include <inttypes.h>

#include "system/config/miss_kind.h"
#include "system/unit/request.h"

#define LAST_ADDRESS (((uint64_t)1 << (MISS_ADDR_BITS + LINE_SHIFT)) - 1) /* bits of a line in the miss file */

/* A bit for each byte of a line. */
typedef unsigned __int128 line_bytes;
_Static_assert(LINE_BYTES == 128 && LINE_BYTES == MEMTWIN_LINE_BYTES, "as many bits");

static line_bytes all_bytes(const struct memtwin_access *a)
{
    const line_bytes all = a->bytes < LINE_BYTES ? ((line_bytes)1 << a->bytes) - 1 : ~(line_bytes)0;
    return all << (a->address & (LINE_BYTES - 1));
}

static line_bytes enabled(const struct memtwin_access *a)
{
    const line_bytes e = (line_bytes)a->enable[1] << 64 | a->enable[0];
    return e && a->kind == MEMTWIN_WRITE ? e : all_bytes(a);
}

bool span_legal(const struct memtwin_access *a, struct error *err)
{
    const uint32_t room = LINE_BYTES - (uint32_t)(a->address & (LINE_BYTES - 1));
    if (a->address > LAST_ADDRESS)
        return error_set(err, "access: address: found 0x%" PRIx64 ", allowed: up to 0x%" PRIx64, a->address,
                         LAST_ADDRESS);
    if (!a->bytes || a->bytes > room)
        return error_set(err, "access: bytes: found %" PRIu32 " at 0x%" PRIx64 ", allowed: 1..%" PRIu32 ", in its line",
                         a->bytes, a->address, room);
    if ((a->enable[0] || a->enable[1]) && a->kind != MEMTWIN_WRITE)
        return error_set(err, "access: enable: found byte enables, allowed: of a write only");
    if (enabled(a) & ~all_bytes(a))
        return error_set(err, "access: enable: found a byte outside the %" PRIu32 " bytes at 0x%" PRIx64, a->bytes,
                         a->address);
    return true;
}

/* Which quarters of the line have any of the bytes. */
static uint32_t sectors_touched(line_bytes bytes)
{
    uint32_t touched = 0;
    for (uint32_t i = 0; i < LINE_BYTES / SECTOR_BYTES; i++)
        touched |= (uint32_t)((uint32_t)(bytes >> i * SECTOR_BYTES) != 0) << i;
    return touched;
}

static uint32_t words_covered(line_bytes bytes)
{
    uint32_t words = 0;
    for (uint32_t w = 0; w < LINE_BYTES / WORD_BYTES; w++)
        words |= (uint32_t)((bytes >> w * WORD_BYTES & 0xf) == 0xf) << w;
    return words;
}

static void add(struct span *s, uint32_t bytes, uint32_t sector)
{
    s->part[s->parts].bytes = (uint8_t)bytes;
    s->part[s->parts].sector = (uint8_t)sector;
    s->parts++;
}

struct span span_of(const struct memtwin_access *a, uint32_t sector_bytes)
{
    const line_bytes bytes = enabled(a);
    const uint32_t touched = sectors_touched(bytes), lowest = (uint32_t)__builtin_ctz(touched);
    struct span s = {.words = words_covered(bytes)};
    if (sector_bytes)
        for (uint32_t rest = touched; rest; rest &= rest - 1) add(&s, SECTOR_BYTES, (uint32_t)__builtin_ctz(rest));
    else if ((touched & (touched - 1)) == 0)
        add(&s, SECTOR_BYTES, lowest);
    else if (touched == 0x3 || touched == 0xc)
        add(&s, 2 * SECTOR_BYTES, lowest);
    else
        add(&s, LINE_BYTES, 0);
    return s;
}
