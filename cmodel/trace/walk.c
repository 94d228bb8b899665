/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/walk.h"

#include "trace/check.h"

/* Reads one warp up to its next barrier or its end. */
static bool walk_warp(struct source *source, struct block_stream *block, uint32_t warp, bool *ended, inst_visitor visit,
                      void *context, struct error *err)
{
    for (;;) {
        struct inst inst;
        enum source_status status = source_next_inst(source, block, warp, &inst, err);
        if (status == SOURCE_ERROR) return false;
        *ended = status == SOURCE_END || inst.op == INST_EXIT;
        if (status == SOURCE_END) return true;
        if (!visit(context, warp, &inst, err)) return false;
        if (*ended || inst.op == INST_BARRIER) return true;
    }
}

bool block_walk(struct source *source, struct block_stream *block, uint32_t warps, inst_visitor visit, void *context,
                struct error *err)
{
    bool ended[TRACE_MAX_WARPS] = {false};
    if (warps > TRACE_MAX_WARPS)
        return error_set(err, "%s: more than %u warps in a thread block", source->name, TRACE_MAX_WARPS);
    for (uint32_t left = warps; left;) {
        left = 0;
        for (uint32_t w = 0; w < warps; w++) {
            if (ended[w]) continue;
            if (!walk_warp(source, block, w, &ended[w], visit, context, err)) return false;
            left += !ended[w];
        }
    }
    return true;
}

bool block_visit(struct source *source, uint32_t index, uint32_t warps, inst_visitor visit, void *context,
                 struct error *err)
{
    struct block_stream *block = source->ops->open_block(source, index, err);
    if (!block) return false;
    bool done = block_walk(source, block, warps, visit, context, err);
    source->ops->close_block(block);
    return done;
}
