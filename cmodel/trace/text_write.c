/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "trace/check.h"
#include "base/output.h"
#include "trace/serial.h"
#include "trace/text.h"
#include "trace/text_inst.h"

struct text_writer {
    FILE *to;
    struct source *source;
    struct kernel_info kernel;
    struct text_defaults defaults;
    struct serial serial;
};

static void print_block(void *context, uint32_t block)
{
    const struct text_writer *w = context;
    fprintf(w->to, "block %" PRIu32 "\n", block);
}

static void print_warp(void *context, uint32_t warp, uint64_t insts)
{
    struct text_writer *w = context;
    (void)insts;
    w->defaults = (struct text_defaults){0, kernel_lanes(&w->kernel, warp)};
    fprintf(w->to, "warp %" PRIu32 "\n", warp);
}

static void print_inst(void *context, uint32_t warp, const struct inst *inst)
{
    struct text_writer *w = context;
    (void)warp;
    text_print_inst(w->to, &w->defaults, inst);
    w->defaults.pc = inst->pc + TEXT_PC_STEP;
}

static bool print_kernel(struct text_writer *w, int64_t only, const struct trace_progress *progress, struct error *err)
{
    const struct kernel_info *k = &w->kernel;
    fprintf(w->to, "kernel grid=%" PRIu32 ",%" PRIu32 ",%" PRIu32 " block=%" PRIu32 ",%" PRIu32 ",%" PRIu32, k->grid[0],
            k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2]);
    fprintf(w->to, " regs=%" PRIu32 " shared=%" PRIu32 " name=%s\n", k->regs_per_thread, k->shared_bytes, k->name);
    if (only >= kernel_blocks(k)) {
        return error_set(err, "%s: kernel %" PRIu32 " (%s) has thread blocks 0 to %" PRIu32 ", not %" PRId64,
                         w->source->name, w->serial.number, k->name, kernel_blocks(k) - 1, only);
    }
    const struct serial_visitor visitor = {print_block, print_warp, print_inst, w};
    for (uint32_t b = 0; b < kernel_blocks(k); b++) {
        if (only >= 0 && b != only) continue;
        if (!serial_block(&w->serial, b, &visitor, err)) return false;
        progress_step(progress, k, b + 1);
    }
    return true;
}

static void print_head(struct text_writer *w)
{
    const struct source *s = w->source;
    const uint32_t version = trace_version(s);
    char name[sizeof s->name]; /* in printable ASCII, as the format wants it */
    name_copy(name, sizeof name, s->name, strlen(s->name));
    fprintf(w->to, TEXT_MAGIC " %" PRIu32 "\nname %s\n", version, name);
    for (uint32_t i = 0; i < s->allocation_count; i++) {
        const struct allocation *a = &s->allocations[i];
        fprintf(w->to, "alloc 0x%" PRIx64 " %" PRIu64 " ", a->addr, a->bytes);
        if (version >= TRACE_VERSION_PITCH) fprintf(w->to, "%" PRIu64 " ", a->pitch);
        fprintf(w->to, "%s\n", a->name);
    }
}

static bool print_all(struct text_writer *w, const struct text_part *part, const struct trace_progress *progress,
                      struct error *err)
{
    print_head(w);
    for (;; w->serial.number++) {
        enum source_status status = w->source->ops->next_kernel(w->source, &w->kernel, err);
        if (status == SOURCE_ERROR) return false;
        if (status == SOURCE_END) break;
        if (part->kernel >= 0 && w->serial.number != part->kernel) continue;
        if (!print_kernel(w, part->block, progress, err)) return false;
    }
    if (part->kernel < w->serial.number) return true;
    return error_set(err, "%s: has %" PRIu32 " kernels, numbered from 0, not one numbered %" PRId64, w->source->name,
                     w->serial.number, part->kernel);
}

bool text_write(struct source *source, FILE *to, const struct text_part *part, const struct trace_progress *progress,
                struct error *err)
{
    struct text_writer w = {.to = to, .source = source};
    bool done = serial_begin(&w.serial, source, &w.kernel, err) && print_all(&w, part, progress, err);
    serial_end(&w.serial);
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
