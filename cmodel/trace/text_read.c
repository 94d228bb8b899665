/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/digest.h"
#include "trace/encoded.h"
#include "trace/lines.h"
#include "trace/text.h"
#include "trace/text_inst.h"

struct text_kernel {
    struct kernel_info info;
    uint64_t first_block; /* index into marks */
};

struct text_source {
    struct source base;
    char *path;
    struct lines *lines;
    uint32_t version;
    char *line; /* the current line, if `pending`: not consumed yet */
    bool pending;
    struct text_kernel *kernels;
    struct line_mark *marks; /* mark of every thread block's first line after "block N" */
    uint64_t kernel_count, mark_count, next;
    struct encoder *encoder;
    struct digest *digest; /* during the first pass */
};

static bool fail(struct text_source *s, const char *message, struct error *err)
{
    return error_set(err, "%s:%" PRIu64 ": %s", s->path, lines_number(s->lines), message);
}

static bool fail_at(struct text_source *s, const char *found, const char *expected, struct error *err)
{
    return error_set(err, "%s:%" PRIu64 ": found '%.60s', expected %s", s->path, lines_number(s->lines), found,
                     expected);
}

/* The next non-blank line, without leading blanks. */
static enum source_status next_line(struct text_source *s, struct error *err)
{
    while (!s->pending) {
        enum source_status status = lines_next(s->lines, &s->line, err);
        if (status != SOURCE_OK) return status;
        s->line += strspn(s->line, " \t");
        s->pending = *s->line && *s->line != '#';
    }
    return SOURCE_OK;
}

/* The rest of the line after `word`; NULL if the line does not start with it. */
static char *after(char *line, const char *word)
{
    size_t n = strlen(word);
    return !strncmp(line, word, n) && (line[n] == ' ' || line[n] == '\t' || !line[n]) ? line + n : NULL;
}

static bool parse_dimensions(char *text, uint32_t d[3])
{
    d[0] = d[1] = d[2] = 1;
    int n = 0;
    for (char *item; (item = token_next(&text, ",")); n++) {
        uint64_t v;
        if (n == 3 || !token_number(item, 10, UINT32_MAX, &v)) return false;
        d[n] = (uint32_t)v;
    }
    return n > 0;
}

static bool parse_kernel_field(struct text_source *s, char *field, struct kernel_info *k, uint32_t *seen,
                               struct error *err)
{
    static const char *const keys[] = {"grid", "block", "regs", "shared", NULL};
    char *value = strchr(field, '=');
    uint64_t n = 0;
    if (!value) return fail_at(s, field, "KEY=VALUE", err);
    *value++ = '\0';
    if (text_seen(keys, field, seen)) return fail_at(s, field, "each of grid, block, regs, shared once", err);
    bool number = token_number(value, 10, UINT32_MAX, &n);
    if (!strcmp(field, "grid"))
        return parse_dimensions(value, k->grid) || fail_at(s, "another grid", "grid=X,Y,Z", err);
    if (!strcmp(field, "block"))
        return parse_dimensions(value, k->block) || fail_at(s, "another block", "block=X,Y,Z", err);
    if (!number) return fail_at(s, value, "a 32-bit number", err);
    if (!strcmp(field, "regs")) return k->regs_per_thread = (uint32_t)n, true;
    if (!strcmp(field, "shared")) return k->shared_bytes = (uint32_t)n, true;
    return fail_at(s, field, "grid, block, regs, shared or, last, name", err);
}

/* Grows at every power of two. */
static void *grow(void *array, uint64_t count, size_t size)
{
    return count & (count - 1) ? array : realloc(array, (count ? 2 * count : 1) * size);
}

static bool parse_kernel(struct text_source *s, char *text, struct error *err)
{
    struct text_kernel *grown = grow(s->kernels, s->kernel_count, sizeof *grown);
    if (!grown) return fail(s, "out of memory", err);
    s->kernels = grown;
    struct text_kernel *k = &s->kernels[s->kernel_count];
    *k = (struct text_kernel){.info = {.grid = {1, 1, 1}, .block = {WARP_SIZE, 1, 1}}, .first_block = s->mark_count};
    uint32_t seen = 0;
    char *name = strstr(text, " name=");
    if (!name) return fail_at(s, "no name", "kernel ... name=NAME", err);
    *name = '\0';
    name += 6;
    if (strlen(name) >= sizeof k->info.name) return fail_at(s, name, "a name of at most 63 characters", err);
    strcpy(k->info.name, name);
    for (char *field; (field = token_next(&text, " \t"));) {
        if (!parse_kernel_field(s, field, &k->info, &seen, err)) return false;
    }
    const char *fault = kernel_fault(&k->info);
    if (fault) return error_set(err, "%s:%" PRIu64 ": found %s", s->path, lines_number(s->lines), fault);
    s->kernel_count++;
    return true;
}

static bool parse_inst(struct text_source *s, uint32_t warp, struct text_defaults *defaults, struct inst *inst,
                       struct error *err)
{
    char fault[256];
    if (text_parse_inst(s->line, defaults, inst, fault, sizeof fault)) return fail(s, fault, err);
    const char *refused = encoder_put(s->encoder, warp, inst);
    if (refused) return error_set(err, "%s:%" PRIu64 ": found %s", s->path, lines_number(s->lines), refused);
    if (s->digest) digest_inst(s->digest, warp, inst);
    defaults->pc = inst->pc + TEXT_PC_STEP;
    s->pending = false;
    return true;
}

/* "warp N" and its instructions up to its exit. */
static bool parse_warp(struct text_source *s, const struct kernel_info *k, uint32_t warp, struct error *err)
{
    char expected[32];
    uint64_t n;
    struct inst inst = {.op = INST_OPS};
    struct text_defaults defaults = {0, kernel_lanes(k, warp)};
    snprintf(expected, sizeof expected, "warp %" PRIu32, warp);
    enum source_status status = next_line(s, err);
    if (status == SOURCE_ERROR) return false;
    char *rest = status == SOURCE_OK ? after(s->line, "warp") : NULL;
    char *number = rest ? token_next(&rest, " \t") : NULL;
    if (!number || !token_number(number, 10, UINT32_MAX, &n) || n != warp) {
        return fail_at(s, status == SOURCE_END ? "the end of the file" : number ? number : s->line, expected, err);
    }
    s->pending = false;
    while (inst.op != INST_EXIT) {
        status = next_line(s, err);
        if (status == SOURCE_ERROR) return false;
        if (status == SOURCE_END) return fail_at(s, "the end of the file", "the warp's exit", err);
        if (!parse_inst(s, warp, &defaults, &inst, err)) return false;
    }
    return true;
}

/* Encodes the warps of a thread block. */
static bool parse_block(struct text_source *s, const struct kernel_info *k, struct error *err)
{
    const char *fault = encoder_begin(s->encoder, k);
    if (fault) return fail(s, fault, err);
    for (uint32_t w = 0; w < kernel_warps(k); w++) {
        if (!parse_warp(s, k, w, err)) return false;
    }
    return true;
}

static bool drop_block(struct text_source *s, struct error *err)
{
    struct bytes raw = {0};
    const char *fault = encoder_end(s->encoder);
    if (!fault) fault = encoder_take(s->encoder, &raw);
    bytes_free(&raw);
    return fault ? fail(s, fault, err) : true;
}

/* "block N", the next one of the current kernel. */
static bool index_block(struct text_source *s, uint64_t index, char *rest, struct error *err)
{
    const struct kernel_info *k = &s->kernels[s->kernel_count - 1].info;
    char expected[48];
    uint64_t n;
    snprintf(expected, sizeof expected, "block %" PRIu64, index);
    char *number = token_next(&rest, " \t");
    if (!number || !token_number(number, 10, UINT32_MAX, &n) || n != index)
        return fail_at(s, number ? number : "block", expected, err);
    struct line_mark *grown = grow(s->marks, s->mark_count, sizeof *grown);
    if (!grown) return fail(s, "out of memory", err);
    s->marks = grown;
    s->marks[s->mark_count++] = lines_here(s->lines);
    s->pending = false;
    if (!parse_block(s, k, err) || !drop_block(s, err)) return false;
    digest_block(s->digest, kernel_warps(k));
    return true;
}

static bool index_kernel(struct text_source *s, char *rest, struct error *err)
{
    if (!parse_kernel(s, rest, err)) return false;
    const struct kernel_info *k = &s->kernels[s->kernel_count - 1].info;
    s->pending = false;
    digest_kernel(s->digest, k);
    for (uint64_t b = 0; b < kernel_blocks(k); b++) {
        enum source_status status = next_line(s, err);
        if (status == SOURCE_ERROR) return false;
        char *found = status == SOURCE_OK ? after(s->line, "block") : NULL;
        if (!found)
            return fail_at(s, status == SOURCE_OK ? s->line : "the end of the file", "the kernel's next block", err);
        if (!index_block(s, b, found, err)) return false;
    }
    return true;
}

/* alloc ADDRESS BYTES NAME; in version 2: alloc ADDRESS BYTES PITCH NAME */
static bool parse_allocation(struct text_source *s, char *rest, struct error *err)
{
    struct allocation a = {0};
    char place[sizeof err->text];
    uint64_t *const numbers[] = {&a.addr, &a.bytes, &a.pitch};
    const int count = s->version >= TRACE_VERSION_PITCH ? 3 : 2;
    bool valid = true;
    for (int i = 0; i < count && valid; i++) {
        const char *token = token_next(&rest, " \t");
        valid = token && token_number(token, 10, UINT64_MAX, numbers[i]);
    }
    rest += valid ? strspn(rest, " \t") : 0;
    if (!valid || strlen(rest) >= sizeof a.name)
        return fail_at(s, "something else",
                       count == 3 ? "alloc ADDRESS BYTES PITCH NAME (of at most 31 characters)"
                                  : "alloc ADDRESS BYTES NAME (of at most 31 characters)",
                       err);
    strcpy(a.name, rest);
    snprintf(place, sizeof place, "%.950s:%" PRIu64, s->path, lines_number(s->lines));
    s->pending = false;
    return source_allocate(&s->base, &a, place, err);
}

static bool parse_name(struct text_source *s, char *rest, struct error *err)
{
    rest += strspn(rest, " \t");
    if (strlen(rest) >= sizeof s->base.name || name_fault(rest))
        return fail_at(s, rest, "a name of at most 255 printable characters", err);
    strcpy(s->base.name, rest);
    s->pending = false;
    return true;
}

static bool index_directive(struct text_source *s, struct error *err)
{
    char *rest;
    if ((rest = after(s->line, "kernel"))) return index_kernel(s, rest, err);
    if ((rest = after(s->line, "alloc"))) return parse_allocation(s, rest, err);
    if ((rest = after(s->line, "name"))) return parse_name(s, rest, err);
    return fail_at(s, s->line, "name, alloc or kernel", err);
}

static bool check_magic(struct text_source *s, struct error *err)
{
    enum source_status status = next_line(s, err);
    if (status == SOURCE_ERROR) return false;
    char *rest = status == SOURCE_OK ? after(s->line, TEXT_MAGIC) : NULL;
    const char *version = rest ? token_next(&rest, " \t") : NULL;
    uint64_t n = 0;
    s->pending = false;
    if (!rest) return fail_at(s, status == SOURCE_OK ? s->line : "an empty file", TEXT_MAGIC " 1", err);
    if (!version || !token_number(version, 10, TRACE_VERSION_PITCH, &n) || n < TRACE_VERSION_FIRST)
        return fail_at(s, version ? version : "no version", "version 1 or 2", err);
    s->version = (uint32_t)n;
    return true;
}

static bool index_file(struct text_source *s, struct error *err)
{
    struct digest digest;
    uint8_t identity[DIGEST_BYTES];
    s->digest = &digest;
    bool done = digest_init(&digest) ? check_magic(s, err) : fail(s, "out of memory", err);
    enum source_status status = SOURCE_OK;
    while (done && (status = next_line(s, err)) == SOURCE_OK) done = index_directive(s, err);
    if (done && status == SOURCE_END) {
        digest_allocations(&digest, &s->base);
        digest_finish(&digest, identity);
        digest_text(identity, s->base.identity);
    }
    digest_free(&digest);
    s->digest = NULL;
    return done && status == SOURCE_END;
}

static enum source_status text_next_kernel(struct source *source, struct kernel_info *info, struct error *err)
{
    struct text_source *s = (struct text_source *)source;
    (void)err;
    encoder_restart(s->encoder);
    if (s->next == s->kernel_count) return SOURCE_END;
    *info = s->kernels[s->next++].info;
    return SOURCE_OK;
}

static struct block_stream *text_open_block(struct source *source, uint32_t index, struct error *err)
{
    struct text_source *s = (struct text_source *)source;
    const struct text_kernel *k = s->next ? &s->kernels[s->next - 1] : NULL;
    if (!k || index >= kernel_blocks(&k->info)) {
        error_set(err, "%s: there is no thread block %" PRIu32 " in kernel %" PRId64, s->path, index,
                  (int64_t)s->next - 1);
        return NULL;
    }
    struct line_mark mark = s->marks[k->first_block + index];
    struct chunk_place place = {s->path, (uint32_t)s->next - 1, mark.number, "line"};
    struct block_stream *stream = NULL;
    s->pending = false;
    if (!lines_seek(s->lines, mark, err) || !parse_block(s, &k->info, err)) return NULL;
    const char *fault = encoder_open(s->encoder, index, &place, &stream);
    if (fault) fail(s, fault, err);
    return stream;
}

static void text_close(struct source *source)
{
    struct text_source *s = (struct text_source *)source;
    lines_close(s->lines);
    encoder_free(s->encoder);
    free(s->base.allocations);
    free(s->kernels);
    free(s->marks);
    free(s->path);
    free(s);
}

static const struct source_ops text_ops = {text_next_kernel, text_open_block, chunk_next_inst, chunk_close_block,
                                           text_close,       chunk_reader,    chunk_next_heads};

struct source *text_open(const char *path, struct error *err)
{
    struct text_source *s = calloc(1, sizeof *s);
    if (!s) {
        error_set(err, "%s: out of memory", path);
        return NULL;
    }
    s->base.ops = &text_ops;
    s->path = strdup(path);
    s->encoder = encoder_new(true);
    const char *slash = strrchr(path, '/');
    name_from_path(s->base.name, sizeof s->base.name, slash ? slash + 1 : path);
    if (!s->path || !s->encoder) {
        error_set(err, "%s: out of memory", path);
    } else if ((s->lines = lines_open(path, err)) && index_file(s, err)) {
        return &s->base;
    }
    text_close(&s->base);
    return NULL;
}
