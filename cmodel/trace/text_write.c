/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "trace/check.h"
#include "trace/encoded.h"
#include "base/output.h"
#include "trace/text.h"
#include "trace/text_inst.h"

struct text_writer {
    FILE *to;
    struct source *source;
    struct encoder *encoder; /* converts the interleaved warps of a block to sequential order */
    struct kernel_info kernel;
    uint32_t number; /* of the kernel */
};

static bool put_inst(void *context, uint32_t warp, const struct inst *inst, struct error *err)
{
    struct text_writer *w = context;
    const char *fault = encoder_put(w->encoder, warp, inst);
    return fault ? error_set(err, "%s: kernel %" PRIu32 " (%s): found %s", w->source->name, w->number, w->kernel.name,
                             fault)
                 : true;
}

static bool print_warp(struct text_writer *w, struct block_stream *block, uint32_t warp, struct error *err)
{
    struct text_defaults defaults = {0, kernel_lanes(&w->kernel, warp)};
    enum source_status status;
    struct inst inst;
    fprintf(w->to, "warp %" PRIu32 "\n", warp);
    while ((status = chunk_next_inst(block, warp, &inst, err)) == SOURCE_OK) {
        text_print_inst(w->to, &defaults, &inst);
        defaults.pc = inst.pc + TEXT_PC_STEP;
    }
    return status == SOURCE_END;
}

static bool print_encoded(struct text_writer *w, uint32_t index, struct error *err)
{
    struct bytes raw;
    struct chunk_place place = {w->source->name, w->number, index, "block"};
    const char *fault = encoder_end(w->encoder);
    if (!fault) fault = encoder_take(w->encoder, &raw);
    if (fault)
        return error_set(err, "%s: kernel %" PRIu32 ", thread block %" PRIu32 ": found %s", w->source->name, w->number,
                         index, fault);
    struct chunk *chunk = chunk_parse(&raw, &w->kernel, index, 1, &place, err);
    struct block_stream *block = chunk ? chunk_open_block(chunk, index, err) : NULL;
    bool done = block != NULL;
    fprintf(w->to, "block %" PRIu32 "\n", index);
    for (uint32_t warp = 0; done && warp < kernel_warps(&w->kernel); warp++) done = print_warp(w, block, warp, err);
    chunk_close_block(block);
    chunk_release(chunk);
    return done;
}

static bool print_block(struct text_writer *w, uint32_t index, struct error *err)
{
    const char *fault = encoder_begin(w->encoder, &w->kernel);
    if (fault) return error_set(err, "%s: kernel %" PRIu32 ": found %s", w->source->name, w->number, fault);
    struct block_stream *block = w->source->ops->open_block(w->source, index, err);
    if (!block) return false;
    bool done = block_walk(w->source, block, kernel_warps(&w->kernel), put_inst, w, err);
    w->source->ops->close_block(block);
    return done && print_encoded(w, index, err);
}

static bool print_kernel(struct text_writer *w, int64_t only, const struct trace_progress *progress, struct error *err)
{
    const struct kernel_info *k = &w->kernel;
    fprintf(w->to, "kernel grid=%" PRIu32 ",%" PRIu32 ",%" PRIu32 " block=%" PRIu32 ",%" PRIu32 ",%" PRIu32, k->grid[0],
            k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2]);
    fprintf(w->to, " regs=%" PRIu32 " shared=%" PRIu32 " name=%s\n", k->regs_per_thread, k->shared_bytes, k->name);
    if (only >= kernel_blocks(k)) {
        return error_set(err, "%s: kernel %" PRIu32 " (%s) has thread blocks 0 to %" PRIu32 ", not %" PRId64,
                         w->source->name, w->number, k->name, kernel_blocks(k) - 1, only);
    }
    for (uint32_t b = 0; b < kernel_blocks(k); b++) {
        if (only >= 0 && b != only) continue;
        if (!print_block(w, b, err)) return false;
        progress_step(progress, k, b + 1);
    }
    return true;
}

static void print_head(struct text_writer *w)
{
    const struct source *s = w->source;
    fprintf(w->to, TEXT_MAGIC " " TEXT_VERSION "\nname %s\n", s->name);
    for (uint32_t i = 0; i < s->allocation_count; i++) {
        const struct allocation *a = &s->allocations[i];
        fprintf(w->to, "alloc 0x%" PRIx64 " %" PRIu64 " %s\n", a->addr, a->bytes, a->name);
    }
}

static bool print_all(struct text_writer *w, const struct text_part *part, const struct trace_progress *progress,
                      struct error *err)
{
    print_head(w);
    for (;; w->number++) {
        enum source_status status = w->source->ops->next_kernel(w->source, &w->kernel, err);
        if (status == SOURCE_ERROR) return false;
        if (status == SOURCE_END) break;
        if (part->kernel >= 0 && w->number != part->kernel) continue;
        if (!print_kernel(w, part->block, progress, err)) return false;
    }
    if (part->kernel < w->number) return true;
    return error_set(err, "%s: has %" PRIu32 " kernels, numbered from 0, not one numbered %" PRId64, w->source->name,
                     w->number, part->kernel);
}

bool text_write(struct source *source, FILE *to, const struct text_part *part, const struct trace_progress *progress,
                struct error *err)
{
    struct text_writer w = {.to = to, .source = source, .encoder = encoder_new()};
    bool done = w.encoder ? print_all(&w, part, progress, err) : error_set(err, "%s: out of memory", source->name);
    encoder_free(w.encoder);
    return done;
}

bool text_write_file(struct source *source, const char *path, const struct trace_progress *progress, struct error *err)
{
    struct output out;
    struct text_part all = {-1, -1};
    if (!output_open(&out, path, err)) return false;
    bool done = text_write(source, out.file, &all, progress, err) && progress_accept(progress, source, err) &&
                output_commit(&out, err);
    output_abandon(&out);
    return done;
}
