/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/digest.h"

#include <stdio.h>
#include <string.h>

#include "trace/bytes.h"

bool digest_init(struct digest *d)
{
    memset(d, 0, sizeof *d);
    d->state = XXH3_createState();
    return d->state && XXH3_128bits_reset(d->state) == XXH_OK;
}

void digest_free(struct digest *d)
{
    XXH3_freeState(d->state);
    d->state = NULL;
}

static void add_number(struct digest *d, uint64_t v)
{
    uint8_t le[8];
    for (int i = 0; i < 8; i++) le[i] = (uint8_t)(v >> (8 * i));
    XXH3_128bits_update(d->state, le, sizeof le);
}

static void add_name(struct digest *d, const char *name)
{
    add_number(d, strlen(name));
    XXH3_128bits_update(d->state, name, strlen(name));
}

void digest_allocations(struct digest *d, const struct source *source)
{
    add_number(d, source->allocation_count);
    for (uint32_t i = 0; i < source->allocation_count; i++) {
        add_name(d, source->allocations[i].name);
        add_number(d, source->allocations[i].addr);
        add_number(d, source->allocations[i].bytes);
        if (source->allocations[i].pitch) add_number(d, source->allocations[i].pitch);
    }
}

void digest_kernel(struct digest *d, const struct kernel_info *kernel)
{
    add_name(d, kernel->name);
    for (int i = 0; i < 3; i++) add_number(d, kernel->grid[i]);
    for (int i = 0; i < 3; i++) add_number(d, kernel->block[i]);
    add_number(d, kernel->regs_per_thread);
    add_number(d, kernel->shared_bytes);
}

void digest_inst(struct digest *d, uint32_t warp, const struct inst *i)
{
    const bool memory = inst_is_memory(i->op), sized = memory || inst_has_mbarrier(i->op);
    uint64_t word[3 + WARP_SIZE] = {i->op | (uint64_t)(sized ? i->size : 0) << 8 | (uint64_t)i->dst << 16 |
                                        (uint64_t)i->count << 32,
                                    i->pc | (uint64_t)i->mask << 32};
    size_t n = 3;
    for (int s = 0; s < INST_MAX_SRC; s++) word[2] |= (uint64_t)i->src[s] << (8 * s);
    for (uint32_t rest = memory ? i->mask : 0; rest; rest &= rest - 1) word[n++] = i->addr[__builtin_ctz(rest)];
    d->warp[warp] = XXH3_64bits_withSeed(word, n * sizeof *word, d->warp[warp]);
}

void digest_block(struct digest *d, uint32_t warps)
{
    for (uint32_t w = 0; w < warps; w++) {
        add_number(d, d->warp[w]);
        d->warp[w] = 0;
    }
}

void digest_finish(struct digest *d, uint8_t out[DIGEST_BYTES])
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(d->state));
    memcpy(out, canonical.digest, DIGEST_BYTES);
}

void digest_text(const uint8_t digest[DIGEST_BYTES], char text[65])
{
    int n = sprintf(text, "xxh128:");
    for (int i = 0; i < DIGEST_BYTES; i++) n += sprintf(text + n, "%02x", digest[i]);
}
