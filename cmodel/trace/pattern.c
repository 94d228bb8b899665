/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/pattern.h"

#include <string.h>

/* Whether the active lanes' addresses are `at` plus a multiple of the stride.  Mostly all lanes are active: the first
 * loop vectorises. */
static bool is_strided(const struct inst *i, uint64_t at, uint64_t stride)
{
    uint64_t differ = 0;
    at -= (uint64_t)__builtin_ctz(i->mask) * stride;
    if (i->mask == 0xffffffffu) {
        for (uint32_t lane = 0; lane < WARP_SIZE; lane++, at += stride) differ |= i->addr[lane] ^ at;
        return !differ;
    }
    for (uint32_t rest = i->mask; rest && !differ; rest &= rest - 1)
        differ = i->addr[__builtin_ctz(rest)] ^ (at + (unsigned)__builtin_ctz(rest) * stride);
    return !differ;
}

static void find_steps(struct pattern *p, const struct inst *i)
{
    uint64_t last = p->base, *step = p->step;
    for (uint32_t rest = i->mask & (i->mask - 1); rest; rest &= rest - 1) {
        const uint64_t at = i->addr[__builtin_ctz(rest)];
        *step++ = at - last;
        last = at;
    }
}

void pattern_find(struct pattern *p, const struct inst *i)
{
    const int first = __builtin_ctz(i->mask);
    const uint32_t rest = i->mask & (i->mask - 1);
    p->base = i->addr[first];
    p->stride = 0;
    p->strided = true;
    if (!rest) return;
    const int second = __builtin_ctz(rest), gap = second - first;
    const int64_t step = (int64_t)(i->addr[second] - p->base);
    const uint64_t stride = (uint64_t)(step / gap);
    p->strided = step % gap == 0 && is_strided(i, p->base, stride);
    if (p->strided) {
        p->stride = stride;
    } else {
        find_steps(p, i);
    }
}

void pattern_find_stride(struct pattern *p, uint32_t mask)
{
    int lane = __builtin_ctz(mask);
    uint32_t rest = mask & (mask - 1);
    const int gap = rest ? __builtin_ctz(rest) - lane : 1;
    const uint64_t *step = p->step, first = rest ? *step : 0;
    p->stride = gap == 1 ? first : (uint64_t)((int64_t)first / gap);
    for (p->strided = true; rest && p->strided; rest &= rest - 1) {
        const int next = __builtin_ctz(rest);
        p->strided = *step++ == p->stride * (unsigned)(next - lane);
        lane = next;
    }
    if (!p->strided) p->stride = 0;
}

void pattern_fill(const struct pattern *p, struct inst *i)
{
    if (p->strided) {
        inst_fill_strided(i, p->base, p->stride);
        return;
    }
    uint64_t at = p->base;
    const uint64_t *step = p->step;
    memset(i->addr, 0, sizeof i->addr);
    i->addr[__builtin_ctz(i->mask)] = at;
    for (uint32_t rest = i->mask & (i->mask - 1); rest; rest &= rest - 1) i->addr[__builtin_ctz(rest)] = at += *step++;
}
