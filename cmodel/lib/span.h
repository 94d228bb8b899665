/* SPDX-License-Identifier: Apache-2.0 */
/* The part of its line that an access moves, as the coalescer rounds it. */
#ifndef MEMTWIN_SPAN_H
#define MEMTWIN_SPAN_H
#include "base/error.h"
#include "lib/memtwin.h"

struct span {
    uint32_t parts; /* one, or one for each sector */
    uint32_t words; /* of the line of which all bytes are touched */
    struct {
        uint8_t bytes, sector; /* as in struct access */
    } part[4];
};

/* Checks the address, the bytes and the byte enables. */
bool span_legal(const struct memtwin_access *a, struct error *err);
/* Of a legal access; `sector_bytes` of the L1D, 0: whole lines. */
struct span span_of(const struct memtwin_access *a, uint32_t sector_bytes);
#endif
