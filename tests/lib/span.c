/* SPDX-License-Identifier: Apache-2.0 */
/* A caller's access has the size of the coalescer's access for a warp that touches the same bytes. */
#include "lib/span.h"

#include <criterion/criterion.h>

#include "system/sm/coalescer.h"

/* A warp whose lanes touch these bytes, some of them more than once. */
static struct inst warp_that_touches(uint64_t first, uint32_t bytes)
{
    struct inst inst = {.op = INST_STORE, .mask = UINT32_MAX, .size = bytes < 4 ? 1 : 4};
    for (uint32_t l = 0; l < WARP_SIZE; l++) {
        const uint32_t at = l * inst.size;
        inst.addr[l] = first + (at + inst.size <= bytes ? at : bytes - inst.size);
    }
    return inst;
}

static void expect_as_coalesced(const struct memtwin_access *a, const struct inst *inst, uint32_t sector_bytes)
{
    struct line_access wanted[COALESCER_MAX];
    const struct span s = span_of(a, sector_bytes);
    const uint32_t count = coalesce(inst, sector_bytes ? COALESCE_SECTOR : COALESCE_LINE, wanted);
    cr_assert_eq(s.parts, count, "%u bytes at %lu: %u parts, coalesced to %u", a->bytes, a->address, s.parts, count);
    for (uint32_t i = 0; i < count; i++) {
        cr_assert_eq(s.part[i].bytes, wanted[i].bytes, "%u bytes at %lu", a->bytes, a->address);
        cr_assert_eq(s.part[i].sector, wanted[i].sector, "%u bytes at %lu", a->bytes, a->address);
    }
    cr_assert_eq(s.words, words_written(inst, a->address / MEMTWIN_LINE_BYTES));
}

Test(span, every_part_of_a_line_is_rounded_as_by_the_coalescer)
{
    for (uint32_t from = 0; from < MEMTWIN_LINE_BYTES; from++)
        for (uint32_t bytes = 1; bytes <= MEMTWIN_LINE_BYTES - from; bytes++) {
            const struct memtwin_access a = {
                .address = 5 * MEMTWIN_LINE_BYTES + from, .bytes = bytes, .kind = MEMTWIN_WRITE};
            const struct inst inst = warp_that_touches(a.address, bytes);
            cr_assert(span_legal(&a, NULL));
            expect_as_coalesced(&a, &inst, 0);
            expect_as_coalesced(&a, &inst, 32);
        }
}

/* Byte enables leave out sectors and words. */
Test(span, only_enabled_bytes_count)
{
    const struct memtwin_access a = {.bytes = 128, .kind = MEMTWIN_WRITE, .enable = {0xf0, 0xf00000000}};
    const struct span whole = span_of(&a, 0), sectors = span_of(&a, 32);
    cr_expect_eq(whole.parts, 1);
    cr_expect_eq(whole.part[0].bytes, 128);
    cr_expect_eq(whole.words, 1u << 1 | 1u << 24);
    cr_expect_eq(sectors.parts, 2);
    cr_expect_eq(sectors.part[0].sector, 0);
    cr_expect_eq(sectors.part[1].sector, 3);
}
