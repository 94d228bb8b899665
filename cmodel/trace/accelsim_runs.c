/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/accelsim_runs.h"

#include <string.h>

/* Its highest bits choose the set.  Warps that execute the same code differ in the place, in the mask of the first
 * line, and in mask and register of the second line if the first is short, as a barrier is. */
static uint64_t tag_of(const struct encoder_place *from, const char *text)
{
    uint64_t first, second, third, hash = (uint64_t)from->mask << 32 | from->next;
    memcpy(&first, text + 5, sizeof first);
    memcpy(&second, text + 36, sizeof second);
    memcpy(&third, text + 44, sizeof third);
    hash = (hash ^ first) * 0x9e3779b97f4a7c15u;
    hash = ((hash ^ hash >> 32) + second) * 0x9e3779b97f4a7c15u;
    return ((hash ^ hash >> 32) + third) * 0x9e3779b97f4a7c15u;
}

/* Takes the run if the warp goes on with it. */
static bool take(const struct accelsim_run *r, const struct accelsim_open_run *o, uint64_t left)
{
    if (!encoder_place_same(&r->code.from, &o->from)) return false;
    if (r->code.to.ended ? r->count != left : r->count > left) return false;
    if (!encoder_has_room(o->encoder, o->warp)) return false;
    if (!lines_take_same(o->lines, r->text, r->length, r->count)) return false;
    encoder_put_run(o->encoder, o->warp, &r->code);
    return true;
}

const struct accelsim_run *accelsim_run_take(struct accelsim_runs *runs, struct accelsim_open_run *o, uint64_t left)
{
    if (o->count) return NULL;
    o->from = encoder_place(o->encoder, o->warp);
    if (o->behind) {
        o->behind = false;
        return NULL;
    }
    const uint64_t tag = tag_of(&o->from, lines_peek(o->lines)), set = tag >> (64 - RUN_SET_BITS);
    for (uint32_t way = 0; way < RUN_WAYS; way++) {
        const struct accelsim_run *r = &runs->run[set][way];
        if (runs->tag[set][way] != tag || !take(r, o, left)) continue;
        o->behind = r->whole;
        return r;
    }
    return NULL;
}

/* Keeps the open run, if the lines are still in memory; `after`: bytes that were taken after them. */
static void keep(struct accelsim_runs *runs, const struct accelsim_open_run *o, size_t after)
{
    const char *text = o->length <= RUN_BYTES ? lines_taken(o->lines, o->length + after) : NULL;
    if (!text) return;
    const uint64_t tag = tag_of(&o->from, text), set = tag >> (64 - RUN_SET_BITS);
    const uint32_t way = runs->replaced++ % RUN_WAYS;
    struct accelsim_run *r = &runs->run[set][way];
    if (!encoder_run(o->encoder, o->warp, &o->from, &r->code)) return;
    runs->tag[set][way] = tag;
    r->length = o->length;
    r->count = o->count;
    r->last_pc = o->last_pc;
    r->whole = after != 0;
    memcpy(r->losses, o->losses, sizeof r->losses);
    memcpy(r->text, text, o->length);
}

static void forget(struct accelsim_open_run *o)
{
    o->count = o->length = 0;
    memset(o->losses, 0, sizeof o->losses);
}

void accelsim_run_close(struct accelsim_runs *runs, struct accelsim_open_run *o, size_t after)
{
    if (after) keep(runs, o, after);
    forget(o);
}

void accelsim_run_add(struct accelsim_runs *runs, struct accelsim_open_run *o, const struct accelsim_inst *i,
                      size_t length, bool last)
{
    o->length += (uint32_t)length;
    o->count++;
    o->losses[i->head->loss]++;
    o->last_pc = i->head->pc;
    if (!last && o->length <= RUN_BYTES - LINE_SLACK) return;
    keep(runs, o, 0);
    forget(o);
}
