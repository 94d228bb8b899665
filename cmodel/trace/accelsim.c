/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and thread blocks of Accel-Sim traces.  A kernel's text is read forward as its blocks are opened.
 * The start of each block is recorded on the way, so that any block can be opened again.  A .tracez has an index.
 * Memory, whatever the size of the file: a mark of 24 bytes, or of 16 in a .tracez, for each block of the kernel, and
 * the open blocks. */
#include "trace/accelsim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/accelsim_source.h"
#include "trace/check.h"

#define NEWEST_VERSION 6

/* Of the current kernel. */
static const char *path_of(const struct accelsim_source *s)
{
    return s->files.kernel[s->next - 1].path;
}

/* Of the current line. */
static const char *place_text(const struct accelsim_source *s, char text[100])
{
    const struct place *p = &s->place;
    if (!s->tracez)
        snprintf(text, 100, "%" PRIu64, lines_number(s->lines));
    else if (!p->body)
        snprintf(text, 100, " line %" PRIu64 " of the header", lines_number(s->lines));
    else
        snprintf(text, 100, " thread block %" PRIu32 ", warp %" PRIu32 ", instruction %" PRIu64, p->block, p->warp,
                 p->inst);
    return text;
}

bool accelsim_fail(struct accelsim_source *s, const char *message, struct error *err)
{
    char place[100];
    return error_set(err, "%s:%s: %s", path_of(s), place_text(s, place), message);
}

bool accelsim_fail_at(struct accelsim_source *s, const char *found, const char *expected, struct error *err)
{
    char message[400];
    snprintf(message, sizeof message, "found '%.60s', expected %s", found, expected);
    return accelsim_fail(s, message, err);
}

enum source_status accelsim_next_line(struct accelsim_source *s, struct error *err)
{
    enum source_status status;
    do {
        status = lines_next(s->lines, &s->line, err);
        while (status == SOURCE_OK && (*s->line == ' ' || *s->line == '\t')) s->line++;
    } while (status == SOURCE_OK && !*s->line);
    return status;
}

char *accelsim_value_of(char *line, const char *key)
{
    size_t n = strlen(key);
    if (strncmp(line, key, n) != 0) return NULL;
    line += n + strspn(line + n, " \t");
    if (*line != '=') return NULL;
    return line + 1 + strspn(line + 1, " \t");
}

/* Three numbers in "(1,2,3)" or "1,2,3". */
static bool parse_triple(char *text, uint32_t d[3])
{
    for (int i = 0; i < 3; i++) {
        uint64_t n;
        char *token = token_next(&text, "(), \t");
        if (!token || !token_number(token, 10, UINT32_MAX, &n)) return false;
        d[i] = (uint32_t)n;
    }
    return !token_next(&text, "(), \t");
}

bool accelsim_parse_u64(struct accelsim_source *s, char *value, uint64_t limit, uint64_t *n, struct error *err)
{
    char *token = token_next(&value, " \t");
    return (token && token_number(token, 10, limit, n)) ||
           accelsim_fail_at(s, token ? token : "nothing", "a number", err);
}

bool accelsim_parse_u32(struct accelsim_source *s, char *value, uint32_t *n, struct error *err)
{
    uint64_t wide = 0;
    bool done = accelsim_parse_u64(s, value, UINT32_MAX, &wide, err);
    *n = (uint32_t)wide;
    return done;
}

/* A header line; keys without effect on the memory system are ignored. */
static bool parse_header_line(struct accelsim_source *s, struct error *err)
{
    char *v, *line = s->line + 1;
    uint64_t n = 0;
    if ((v = accelsim_value_of(line, "kernel name"))) return kernel_name_copy(&s->info, v), true;
    if ((v = accelsim_value_of(line, "grid dim")))
        return parse_triple(v, s->info.grid) || accelsim_fail_at(s, s->line, "(x,y,z)", err);
    if ((v = accelsim_value_of(line, "block dim")))
        return parse_triple(v, s->info.block) || accelsim_fail_at(s, s->line, "(x,y,z)", err);
    if ((v = accelsim_value_of(line, "shmem"))) return accelsim_parse_u32(s, v, &s->info.shared_bytes, err);
    if ((v = accelsim_value_of(line, "nregs"))) return accelsim_parse_u32(s, v, &s->info.regs_per_thread, err);
    if ((v = accelsim_value_of(line, "cuda stream id")))
        return accelsim_parse_u64(s, v, UINT64_MAX, &s->info.stream, err);
    if ((v = accelsim_value_of(line, "shmem base_addr")))
        return accelsim_parse_u64(s, v, UINT64_MAX, &s->parser.format.shared_base, err);
    if ((v = accelsim_value_of(line, "local mem base_addr")))
        return accelsim_parse_u64(s, v, UINT64_MAX, &s->parser.format.local_base, err);
    if ((v = accelsim_value_of(line, "accelsim tracer version")))
        return accelsim_parse_u32(s, v, &s->parser.format.version, err);
    if (!(v = accelsim_value_of(line, "enable lineinfo"))) return true;
    if (!accelsim_parse_u64(s, v, 1, &n, err)) return false;
    s->parser.format.line_numbers = n == 1;
    return true;
}

static bool begins_block(const struct accelsim_source *s)
{
    return !strncmp(s->line, "#BEGIN_TB", 9);
}

static bool parse_header(struct accelsim_source *s, struct error *err)
{
    enum source_status status;
    while ((status = accelsim_next_line(s, err)) == SOURCE_OK && !begins_block(s)) {
        if (*s->line == '-' && !parse_header_line(s, err)) return false;
        if (*s->line != '-' && *s->line != '#')
            return accelsim_fail_at(s, s->line, "a header line, which begins with '-', or #BEGIN_TB", err);
    }
    if (status == SOURCE_ERROR) return false;
    if (!s->info.name[0] || !s->info.grid[0] || !s->info.block[0])
        return accelsim_fail(s, "found no -kernel name, -grid dim or -block dim before here", err);
    if (s->parser.format.version > NEWEST_VERSION)
        return accelsim_fail(s, "found an unknown tracer version, expected 0 to 6", err);
    const char *fault = kernel_fault(&s->info);
    if (fault) return error_set(err, "%s: found %s", path_of(s), fault);
    if (status == SOURCE_OK) lines_back(s->lines);
    s->frontier = lines_here(s->lines);
    s->parser.format.block_threads = kernel_threads(&s->info);
    s->parser.format.threads = (uint64_t)kernel_blocks(&s->info) * kernel_threads(&s->info);
    return true;
}

static void close_kernel(struct accelsim_source *s)
{
    lines_close(s->lines);
    tracez_close(s->tracez);
    free(s->marks);
    s->lines = NULL;
    s->tracez = NULL;
    s->marks = NULL;
    s->mark_count = 0;
}

/* Reads the next kernel's header. */
static bool open_header(struct accelsim_source *s, struct error *err)
{
    const char *path = s->files.kernel[s->next++].path;
    s->info = (struct kernel_info){0};
    s->parser.format = (struct accelsim_format){0};
    s->place = (struct place){0};
    if (!tracez_open(path, &s->tracez, err)) return false;
    s->lines = s->tracez ? lines_from(path, tracez_read, s->tracez, err) : lines_open(path, err);
    return s->lines && parse_header(s, err);
}

static bool open_kernel(struct accelsim_source *s, struct error *err)
{
    if (!open_header(s, err)) return false;
    accelsim_begin_kernel(&s->parser);
    return !s->tracez || tracez_index(s->tracez, &s->info, err);
}

static enum source_status accelsim_next_kernel(struct source *source, struct kernel_info *info, struct error *err)
{
    struct accelsim_source *s = (struct accelsim_source *)source;
    close_kernel(s);
    encoder_restart(s->encoder);
    if (s->resolved) encoder_restart(s->resolved);
    if (s->next == s->files.count) return SOURCE_END;
    if (!open_kernel(s, err)) {
        close_kernel(s);
        return SOURCE_ERROR;
    }
    if (s->next == 1) s->first_stream = s->info.stream;
    s->parser.counts.loss[LOSS_other_streams] += s->info.stream != s->first_stream;
    *info = s->info;
    return SOURCE_OK;
}

/* Index of a block's mark, or of the first mark after it. */
static uint32_t find_mark(const struct accelsim_source *s, uint32_t index)
{
    uint32_t low = 0, high = s->mark_count;
    if (high && s->marks[high - 1].index < index) return high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->marks[middle].index < index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool add_mark(struct accelsim_source *s, uint32_t index, struct error *err)
{
    uint32_t at = find_mark(s, index), n = s->mark_count;
    if (at < n && s->marks[at].index == index)
        return accelsim_fail_at(s, "the same thread block again", "each only once", err);
    if ((n & (n - 1)) == 0) {
        struct block_mark *grown = realloc(s->marks, (n ? 2 * (size_t)n : 1) * sizeof *grown);
        if (!grown) return accelsim_fail(s, "out of memory", err);
        s->marks = grown;
    }
    memmove(s->marks + at + 1, s->marks + at, (n - at) * sizeof *s->marks);
    s->marks[at] = (struct block_mark){index, lines_here(s->lines)};
    s->mark_count++;
    return true;
}

/* "thread block = x,y,z" after a #BEGIN_TB. */
static bool parse_block_line(struct accelsim_source *s, uint32_t *index, struct error *err)
{
    uint32_t at[3];
    enum source_status status = accelsim_next_line(s, err);
    if (status == SOURCE_ERROR) return false;
    char *value = status == SOURCE_OK ? accelsim_value_of(s->line, "thread block") : NULL;
    if (!value || !parse_triple(value, at))
        return accelsim_fail_at(s, status == SOURCE_OK ? s->line : "the end of the file", "thread block = x,y,z", err);
    const uint32_t *grid = s->info.grid;
    if (at[0] >= grid[0] || at[1] >= grid[1] || at[2] >= grid[2])
        return accelsim_fail_at(s, "a thread block outside", "one within the grid", err);
    *index = (at[2] * grid[1] + at[1]) * grid[0] + at[0];
    return add_mark(s, *index, err);
}

/* Skips the rest of a thread block. */
static bool skip_block(struct accelsim_source *s, struct error *err)
{
    enum source_status status;
    while ((status = accelsim_next_line(s, err)) == SOURCE_OK && strncmp(s->line, "#END_TB", 7) != 0) {
        if (begins_block(s)) return accelsim_fail_at(s, s->line, "#END_TB first", err);
    }
    s->frontier = lines_here(s->lines);
    return status != SOURCE_ERROR; /* at the end of the file parse_warps() tells whether the block is complete */
}

/* Scans forward to the body of the next thread block without a mark. */
static bool search_block(struct accelsim_source *s, uint32_t wanted, struct error *err)
{
    if (!lines_seek(s->lines, s->frontier, err)) return false;
    for (;;) {
        enum source_status status = accelsim_next_line(s, err);
        if (status == SOURCE_ERROR) return false;
        if (status == SOURCE_END) break;
        if (!begins_block(s) && *s->line == '#') continue;
        if (!begins_block(s)) return accelsim_fail_at(s, s->line, "#BEGIN_TB", err);
        uint32_t index = 0;
        if (!parse_block_line(s, &index, err)) return false;
        if (index == wanted) return true;
        if (!skip_block(s, err)) return false;
    }
    return error_set(err, "%s:%" PRIu64 ": found the end of the file, expected thread block %" PRIu32 " of %" PRIu32,
                     path_of(s), lines_number(s->lines), wanted, kernel_blocks(&s->info));
}

/* In a .tracez: `body` is the block's place in the index. */
static bool go_to_record(struct accelsim_source *s, uint32_t index, struct line_mark *body, struct error *err)
{
    if (!tracez_block(s->tracez, index, &body->number, err)) return false;
    s->parser.counts.loss[LOSS_empty_blocks] += body->number == 0;
    lines_restart(s->lines);
    return true;
}

/* Seeks to a block's body, scanning forward if it has no mark yet. */
static bool go_to_block(struct accelsim_source *s, uint32_t index, struct line_mark *body, bool *fresh,
                        struct error *err)
{
    s->place = (struct place){.body = true, .block = index};
    *fresh = false;
    if (s->tracez) return go_to_record(s, index, body, err);
    uint32_t at = find_mark(s, index);
    *fresh = at == s->mark_count || s->marks[at].index != index;
    if (*fresh ? !search_block(s, index, err) : !lines_seek(s->lines, s->marks[at].body, err)) return false;
    *body = lines_here(s->lines);
    return true;
}

static struct block_stream *accelsim_open_block(struct source *source, uint32_t index, struct error *err)
{
    struct accelsim_source *s = (struct accelsim_source *)source;
    struct line_mark body;
    struct block_stream *stream = NULL;
    bool fresh;
    if (!s->lines || index >= kernel_blocks(&s->info)) {
        error_set(err, "%s: there is no thread block %" PRIu32 " in the kernel", s->base.name, index);
        return NULL;
    }
    if (!go_to_block(s, index, &body, &fresh, err) || !accelsim_parse_block(s, index, err)) return NULL;
    if (fresh) s->frontier = lines_here(s->lines);
    struct chunk_place place = {path_of(s), s->next - 1, body.number, s->tracez ? "byte" : "line"};
    const char *fault = accelsim_stream_block(s, index, &place, &stream);
    if (fault) accelsim_fail(s, fault, err);
    return stream;
}

static void accelsim_skip_to(struct source *source, uint32_t kernel)
{
    ((struct accelsim_source *)source)->next = kernel;
}

static bool accelsim_launches(struct source *source, struct launches *l, struct error *err)
{
    struct accelsim_source *s = (struct accelsim_source *)source;
    bool done = true;
    *l = (struct launches){calloc(s->files.count, sizeof *l->list), s->files.count};
    if (!l->list) return error_set(err, "%s: out of memory", s->base.name);
    for (uint32_t i = 0; done && i < l->count; i++) {
        s->next = i;
        done = open_header(s, err);
        l->list[i] = (struct kernel_launch){s->info.stream, s->files.kernel[i].copies};
        close_kernel(s);
    }
    s->next = 0;
    return done;
}

static void accelsim_close(struct source *source)
{
    struct accelsim_source *s = (struct accelsim_source *)source;
    close_kernel(s);
    accelsim_files_free(&s->files);
    encoder_free(s->encoder);
    encoder_free(s->resolved);
    free(s->base.allocations);
    free(s->base.copies);
    free(s);
}

static const struct source_ops accelsim_ops = {accelsim_next_kernel, accelsim_open_block, chunk_next_inst,
                                               chunk_close_block,    accelsim_close,      chunk_reader,
                                               chunk_next_heads};

bool accelsim_counts(const struct source *source, struct accelsim_counts *counts)
{
    if (source->ops != &accelsim_ops) return false;
    *counts = ((const struct accelsim_source *)source)->parser.counts;
    return true;
}

static struct source *open_any(const char *path, bool list, struct error *err)
{
    struct accelsim_source *s = calloc(1, sizeof *s);
    if (!s) {
        error_set(err, "%s: out of memory", path);
        return NULL;
    }
    s->base.ops = &accelsim_ops;
    s->base.launches = accelsim_launches;
    s->base.skip_to = accelsim_skip_to;
    s->encoder = encoder_new(true);
    name_from_path(s->base.name, sizeof s->base.name, path);
    bool done = s->encoder ? true : error_set(err, "%s: out of memory", path);
    if (done) done = accelsim_files_open(&s->files, path, list, &s->base, err);
    if (done) return &s->base;
    accelsim_close(&s->base);
    return NULL;
}

struct source *accelsim_open_list(const char *path, struct error *err)
{
    return open_any(path, true, err);
}

struct source *accelsim_open_kernel(const char *path, struct error *err)
{
    return open_any(path, false, err);
}
