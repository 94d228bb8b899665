/* Reading all of an open thread block in an order that every source allows. */
#ifndef MEMTWIN_WALK_H
#define MEMTWIN_WALK_H
#include "trace/source.h"

/* Called for each instruction; false (with an error) ends the walk. */
typedef bool (*inst_visitor)(void *context, uint32_t warp, const struct inst *inst, struct error *err);

/* Warp after warp up to its next barrier or exit, then again, until all have ended. */
bool block_walk(struct source *source, struct block_stream *block, uint32_t warps, inst_visitor visit, void *context,
                struct error *err);

/* How long a transfer takes is for the caller to show: called after every thread block. */
struct trace_progress {
    void (*step)(void *context, const struct kernel_info *kernel, uint32_t blocks_done);
    void *context;
};
#endif
