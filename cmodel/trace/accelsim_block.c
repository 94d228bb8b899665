/* SPDX-License-Identifier: Apache-2.0 */
/* The warps of a thread block of an Accel-Sim trace: their lines become instructions in the encoder. */
#include <string.h>

#include "trace/accelsim_source.h"
#include "trace/check.h"

/* True: there is none. */
static bool put_fault(struct accelsim_source *s, const char *fault, struct error *err)
{
    char message[300];
    if (!fault) return true;
    snprintf(message, sizeof message, "found %s", fault);
    return accelsim_fail(s, message, err);
}

/* As many instructions as the transfer needs. */
static bool put_bulk(struct accelsim_source *s, uint32_t warp, const struct accelsim_inst *i, struct error *err)
{
    struct inst piece = i->inst;
    for (uint32_t n = 0; accelsim_bulk_inst(&s->parser.bulk, n, &piece); n++) {
        if (piece.op == INST_ARRIVE) accelsim_mbarriers_note(&s->mbarriers, warp, &piece);
        if (!put_fault(s, encoder_put(s->encoder, warp, &piece), err)) return false;
    }
    return true;
}

static bool put(struct accelsim_source *s, uint32_t warp, struct accelsim_inst *i, struct error *err)
{
    s->parser.counts.loss[i->head->loss]++;
    if (i->kind == ACCELSIM_NONE) return true;
    if (i->kind == ACCELSIM_BULK) return put_bulk(s, warp, i, err);
    if (!i->repeats && inst_has_mbarrier(i->inst.op)) accelsim_mbarriers_note(&s->mbarriers, warp, &i->inst);
    const char *fault = i->repeats ? encoder_repeat(s->encoder, warp, i->template, i->inst.mask, &i->addresses)
                                   : encoder_put_pattern(s->encoder, warp, &i->inst, &i->addresses, i->template);
    return put_fault(s, fault, err);
}

/* A stream without a final EXIT gets one; so does a warp without instructions. */
static bool put_exit(struct accelsim_source *s, uint32_t warp, uint32_t pc, struct error *err)
{
    struct inst exit = {
        .op = INST_EXIT, .dst = INST_NO_REG, .count = 1, .pc = pc, .mask = kernel_lanes(&s->info, warp)};
    memset(exit.src, INST_NO_REG, sizeof exit.src);
    s->parser.counts.loss[LOSS_added_exits]++;
    return put_fault(s, encoder_put(s->encoder, warp, &exit), err);
}

/* The next line of a warp, whose instruction mostly is known; *length: 0 if it is not, or is no plain line. */
static bool next_inst(struct accelsim_source *s, const struct accelsim_warp *place, struct accelsim_inst *inst,
                      size_t *length, struct error *err)
{
    *length = accelsim_parse_again(&s->parser, lines_peek(s->lines), place, inst);
    if (*length) {
        lines_take(s->lines, *length, 1);
        return true;
    }
    enum source_status status = accelsim_next_line(s, err);
    if (status == SOURCE_ERROR) return false;
    if (status == SOURCE_END)
        return accelsim_fail_at(s, "the end of the file", "another instruction of the warp: it is truncated", err);
    const char *fault = accelsim_parse(&s->parser, s->line, place, inst);
    return fault ? accelsim_fail(s, fault, err) : true;
}

/* Reads a line that is in no run. */
static bool parse_inst(struct accelsim_source *s, const struct accelsim_warp *place, uint32_t warp,
                       struct accelsim_open_run *open, struct accelsim_inst *i, struct error *err)
{
    size_t length;
    if (!next_inst(s, place, i, &length, err)) return false;
    const bool plain = i->plain && length;
    if (open->count && !plain) accelsim_run_close(&s->runs, open, length);
    if (!put(s, warp, i, err)) return false;
    if (plain) accelsim_run_add(&s->runs, open, i, length, place->last);
    return true;
}

static bool parse_insts(struct accelsim_source *s, uint32_t block, uint32_t warp, uint64_t count, struct error *err)
{
    uint64_t thread = (uint64_t)block * kernel_threads(&s->info) + (uint64_t)warp * WARP_SIZE;
    struct accelsim_warp place = {thread, kernel_lanes(&s->info, warp), false};
    struct accelsim_open_run open = {.lines = s->lines, .encoder = s->encoder, .warp = warp};
    struct accelsim_inst i;
    uint32_t last_pc = 0;
    bool ended = false;
    s->place.warp = warp;
    for (uint64_t n = 0; n < count;) {
        const struct accelsim_run *r = accelsim_run_take(&s->runs, &open, count - n);
        if (r) {
            n += r->count;
            last_pc = r->last_pc;
            ended = r->code.to.ended;
            for (int k = 0; k <= LOSSES; k++) s->parser.counts.loss[k] += r->losses[k];
            continue;
        }
        place.last = ++n == count;
        s->place.inst = n;
        if (!parse_inst(s, &place, warp, &open, &i, err)) return false;
        last_pc = i.head->pc;
        ended = !i.repeats && i.kind == ACCELSIM_ONE && i.inst.op == INST_EXIT;
    }
    s->exited = ended;
    return ended || put_exit(s, warp, last_pc, err);
}

/* "insts = N" and the instructions of a warp, after "warp = W". */
static bool parse_warp(struct accelsim_source *s, uint32_t block, uint32_t warp, struct error *err)
{
    uint64_t count = 0;
    enum source_status status = accelsim_next_line(s, err);
    if (status == SOURCE_ERROR) return false;
    char *value = status == SOURCE_OK ? accelsim_value_of(s->line, "insts") : NULL;
    if (!value) return accelsim_fail_at(s, status == SOURCE_OK ? s->line : "the end of the file", "insts = N", err);
    return accelsim_parse_u64(s, value, UINT64_MAX, &count, err) && parse_insts(s, block, warp, count, err);
}

/* The two lines before a warp's instructions, with an empty one before them, as tracers write them; `warp` is one that
 * may follow.  False: other lines, or wrong ones, and none is taken. */
static bool take_warp(struct accelsim_source *s, const bool seen[TRACE_MAX_WARPS], uint32_t *warp, uint64_t *count)
{
    uint64_t w;
    const char *first = lines_peek(s->lines), *at = plain_field(first + (*first == '\n'), "warp = ", &w);
    if (at) at = plain_field(at, "insts = ", count);
    if (!at || w >= kernel_warps(&s->info) || seen[w]) return false;
    lines_take(s->lines, (size_t)(at - first), 2 + (*first == '\n'));
    *warp = (uint32_t)w;
    return true;
}

/* A line that names the thread block's place in its cluster.  A block of rank 0 may be a cluster of its own. */
static bool parse_cluster(struct accelsim_source *s, struct error *err)
{
    uint32_t rank = 0;
    char *value = accelsim_value_of(s->line, "cluster rank");
    if (value && !accelsim_parse_u32(s, value, &rank, err)) return false;
    s->parser.counts.loss[LOSS_clusters] += rank != 0;
    return true;
}

/* At the end of the file: every warp has all its lines, and the last one is not cut short. */
static bool is_complete(const struct accelsim_source *s, const bool seen[TRACE_MAX_WARPS])
{
    uint32_t missing = 0;
    for (uint32_t w = 0; w < kernel_warps(&s->info); w++) missing += !seen[w];
    return s->exited && !missing;
}

/* The lines of a thread block up to its #END_TB, which some tracers leave out at the end of the file. */
static bool parse_warps(struct accelsim_source *s, uint32_t block, bool seen[TRACE_MAX_WARPS], struct error *err)
{
    uint32_t warp = 0;
    uint64_t count;
    for (;;) {
        if (take_warp(s, seen, &warp, &count)) {
            seen[warp] = true;
            if (!parse_insts(s, block, warp, count, err)) return false;
            continue;
        }
        enum source_status status = accelsim_next_line(s, err);
        if (status == SOURCE_ERROR) return false;
        if (status == SOURCE_END)
            return is_complete(s, seen) || accelsim_fail_at(s, "the end of the file", "#END_TB: it is truncated", err);
        if (!strncmp(s->line, "#END_TB", 7)) return true;
        if (!strncmp(s->line, "cluster", 7)) { /* since Hopper */
            if (!parse_cluster(s, err)) return false;
            continue;
        }
        char *value = accelsim_value_of(s->line, "warp");
        if (!value) return accelsim_fail_at(s, s->line, "warp = N or #END_TB", err);
        if (!accelsim_parse_u32(s, value, &warp, err)) return false;
        if (warp >= kernel_warps(&s->info) || seen[warp])
            return accelsim_fail_at(s, s->line, "each warp of the thread block once", err);
        seen[warp] = true;
        if (!parse_warp(s, block, warp, err)) return false;
    }
}

bool accelsim_parse_block(struct accelsim_source *s, uint32_t block, struct error *err)
{
    bool seen[TRACE_MAX_WARPS] = {false};
    const char *fault = encoder_begin(s->encoder, &s->info);
    s->parser.chunk = encoder_chunk(s->encoder);
    accelsim_mbarriers_clear(&s->mbarriers);
    if (fault) return accelsim_fail(s, fault, err);
    if (!parse_warps(s, block, seen, err)) return false;
    for (uint32_t w = 0; w < kernel_warps(&s->info); w++) {
        if (!seen[w] && !put_exit(s, w, 0, err)) return false;
    }
    return true;
}

/* Replaces the thread block by one whose tests of mbarriers have their counts. */
static const char *resolve_mbarriers(struct accelsim_source *s, uint32_t block, const struct chunk_place *place,
                                     struct block_stream **stream)
{
    struct block_stream *from = *stream;
    if (!s->resolved) s->resolved = encoder_new(true);
    const char *fault = s->resolved ? encoder_begin(s->resolved, &s->info) : "out of memory";
    if (!fault)
        fault = accelsim_mbarriers_put(&s->mbarriers, from, s->resolved, kernel_warps(&s->info), &s->parser.counts);
    *stream = NULL;
    if (!fault) fault = encoder_open(s->resolved, block, place, stream);
    chunk_close_block(from);
    return fault;
}

const char *accelsim_stream_block(struct accelsim_source *s, uint32_t block, const struct chunk_place *place,
                                  struct block_stream **stream)
{
    const char *fault = encoder_open(s->encoder, block, place, stream);
    return !fault && s->mbarriers.tested ? resolve_mbarriers(s, block, place, stream) : fault;
}
