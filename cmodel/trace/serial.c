/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/serial.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/check.h"

bool serial_begin(struct serial *s, struct source *source, const struct kernel_info *kernel, struct error *err)
{
    *s = (struct serial){.source = source,
                         .kernel = kernel,
                         .encoder = encoder_new(true),
                         .insts = calloc(TRACE_MAX_WARPS, sizeof *s->insts)};
    if (s->encoder && s->insts) return true;
    serial_end(s);
    return error_set(err, "%s: out of memory", source->name);
}

void serial_end(struct serial *s)
{
    encoder_free(s->encoder);
    free(s->insts);
    *s = (struct serial){0};
}

static bool fail(const struct serial *s, const char *fault, struct error *err)
{
    return error_set(err, "%s: kernel %" PRIu32 " (%s): found %s", s->source->name, s->number, s->kernel->name, fault);
}

static bool put_inst(void *context, uint32_t warp, const struct inst *inst, struct error *err)
{
    struct serial *s = context;
    const char *fault = encoder_put(s->encoder, warp, inst);
    if (fault) return fail(s, fault, err);
    s->insts[warp] += inst_length(inst);
    return true;
}

static bool encode(struct serial *s, uint32_t index, struct error *err)
{
    const char *fault = encoder_begin(s->encoder, s->kernel);
    if (fault) return fail(s, fault, err);
    memset(s->insts, 0, TRACE_MAX_WARPS * sizeof *s->insts);
    return block_visit(s->source, index, kernel_warps(s->kernel), put_inst, s, err);
}

static bool visit_warp(struct serial *s, struct block_stream *block, uint32_t warp, const struct serial_visitor *v,
                       struct error *err)
{
    enum source_status status;
    struct inst inst;
    v->warp(v->context, warp, s->insts[warp]);
    while ((status = chunk_next_inst(block, warp, &inst, err)) == SOURCE_OK) {
        inst_fill(&inst);
        v->inst(v->context, warp, &inst);
    }
    return status == SOURCE_END;
}

bool serial_block(struct serial *s, uint32_t index, const struct serial_visitor *v, struct error *err)
{
    struct block_stream *block = NULL;
    const struct chunk_place place = {s->source->name, s->number, index, "block"};
    if (!encode(s, index, err)) return false;
    const char *fault = encoder_open(s->encoder, index, &place, &block);
    if (fault) return fail(s, fault, err);
    bool done = true;
    v->block(v->context, index);
    for (uint32_t warp = 0; done && warp < kernel_warps(s->kernel); warp++) done = visit_warp(s, block, warp, v, err);
    chunk_close_block(block);
    return done;
}
