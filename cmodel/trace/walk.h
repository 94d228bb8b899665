/* SPDX-License-Identifier: Apache-2.0 */
/* Reads all of an open thread block in an order that every source allows. */
#ifndef MEMTWIN_WALK_H
#define MEMTWIN_WALK_H
#include "trace/source.h"

/* Called for each instruction; false (with an error) ends the walk. */
typedef bool (*inst_visitor)(void *context, uint32_t warp, const struct inst *inst, struct error *err);

/* Each warp up to its next barrier or exit, in turns, until all have ended. */
bool block_walk(struct source *source, struct block_stream *block, uint32_t warps, inst_visitor visit, void *context,
                struct error *err);

/* The same for block `index` of the current kernel, which it opens and closes. */
bool block_visit(struct source *source, uint32_t index, uint32_t warps, inst_visitor visit, void *context,
                 struct error *err);

/* Optional callbacks during a transfer; either may be NULL. */
struct trace_progress {
    /* After every thread block. */
    void (*step)(void *context, const struct kernel_info *kernel, uint32_t blocks_done);
    /* At the end of the source, before the written file gets its name: false and an error to refuse it. */
    bool (*accept)(void *context, struct source *source, struct error *err);
    void *context;
};

static inline void progress_step(const struct trace_progress *p, const struct kernel_info *kernel, uint32_t blocks_done)
{
    if (p && p->step) p->step(p->context, kernel, blocks_done);
}

static inline bool progress_accept(const struct trace_progress *p, struct source *source, struct error *err)
{
    return !p || !p->accept || p->accept(p->context, source, err);
}
#endif
