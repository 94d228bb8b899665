/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels, thread blocks and warps of Accel-Sim traces.  A kernel's text is read forward as its blocks are opened.
 * The start of each block is recorded on the way, so that any block can be opened again.  A .tracez has an index.
 * Memory, whatever the size of the file: a mark of 24 bytes, or of 16 in a .tracez, for each block of the kernel, and
 * the open blocks. */
#include "trace/accelsim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/accelsim_inst.h"
#include "trace/accelsim_list.h"
#include "trace/accelsim_mbarriers.h"
#include "trace/accelsim_runs.h"
#include "trace/check.h"
#include "trace/encoded.h"
#include "trace/lines.h"
#include "trace/tracez.h"

#define NEWEST_VERSION 6

struct block_mark {
    uint32_t index;
    struct line_mark body; /* the line after "thread block = x,y,z" */
};

struct accelsim_source {
    struct source base;
    struct accelsim_files files;
    uint32_t next; /* of them */
    struct encoder *encoder;
    struct encoder *resolved; /* of thread blocks that test mbarriers; NULL: none has */
    /* the current kernel */
    struct kernel_info info;
    uint64_t first_stream;
    struct lines *lines;
    struct tracez *tracez;    /* delivers the lines; NULL: a text */
    struct block_mark *marks; /* sorted by index */
    uint32_t mark_count;
    struct line_mark frontier; /* end of the scanned part of the file */
    char *line;                /* the current one */
    bool exited;               /* the last warp read ends in its EXIT */
    struct place {
        bool body; /* else in the header */
        uint32_t block, warp;
        uint64_t inst; /* from 1; 0: before the first */
    } place;           /* of the current line, for messages about a .tracez */
    struct accelsim_parser parser;
    struct accelsim_runs runs;
    struct accelsim_mbarriers mbarriers;
};

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

static bool fail(struct accelsim_source *s, const char *message, struct error *err)
{
    char place[100];
    return error_set(err, "%s:%s: %s", path_of(s), place_text(s, place), message);
}

static bool fail_at(struct accelsim_source *s, const char *found, const char *expected, struct error *err)
{
    char message[400];
    snprintf(message, sizeof message, "found '%.60s', expected %s", found, expected);
    return fail(s, message, err);
}

/* The next non-blank line, without leading blanks. */
static enum source_status next_line(struct accelsim_source *s, struct error *err)
{
    enum source_status status;
    do {
        status = lines_next(s->lines, &s->line, err);
        while (status == SOURCE_OK && (*s->line == ' ' || *s->line == '\t')) s->line++;
    } while (status == SOURCE_OK && !*s->line);
    return status;
}

/* "KEY = VALUE": the value if the line starts with the key, else NULL. */
static char *value_of(char *line, const char *key)
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

static bool parse_u64(struct accelsim_source *s, char *value, uint64_t limit, uint64_t *n, struct error *err)
{
    char *token = token_next(&value, " \t");
    return (token && token_number(token, 10, limit, n)) || fail_at(s, token ? token : "nothing", "a number", err);
}

static bool parse_u32(struct accelsim_source *s, char *value, uint32_t *n, struct error *err)
{
    uint64_t wide = 0;
    bool done = parse_u64(s, value, UINT32_MAX, &wide, err);
    *n = (uint32_t)wide;
    return done;
}

/* A header line; keys without effect on the memory system are ignored. */
static bool parse_header_line(struct accelsim_source *s, struct error *err)
{
    char *v, *line = s->line + 1;
    uint64_t n = 0;
    if ((v = value_of(line, "kernel name"))) return kernel_name_copy(&s->info, v), true;
    if ((v = value_of(line, "grid dim"))) return parse_triple(v, s->info.grid) || fail_at(s, s->line, "(x,y,z)", err);
    if ((v = value_of(line, "block dim"))) return parse_triple(v, s->info.block) || fail_at(s, s->line, "(x,y,z)", err);
    if ((v = value_of(line, "shmem"))) return parse_u32(s, v, &s->info.shared_bytes, err);
    if ((v = value_of(line, "nregs"))) return parse_u32(s, v, &s->info.regs_per_thread, err);
    if ((v = value_of(line, "cuda stream id"))) return parse_u64(s, v, UINT64_MAX, &s->info.stream, err);
    if ((v = value_of(line, "shmem base_addr"))) return parse_u64(s, v, UINT64_MAX, &s->parser.format.shared_base, err);
    if ((v = value_of(line, "local mem base_addr")))
        return parse_u64(s, v, UINT64_MAX, &s->parser.format.local_base, err);
    if ((v = value_of(line, "accelsim tracer version"))) return parse_u32(s, v, &s->parser.format.version, err);
    if (!(v = value_of(line, "enable lineinfo"))) return true;
    if (!parse_u64(s, v, 1, &n, err)) return false;
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
    while ((status = next_line(s, err)) == SOURCE_OK && !begins_block(s)) {
        if (*s->line == '-' && !parse_header_line(s, err)) return false;
        if (*s->line != '-' && *s->line != '#')
            return fail_at(s, s->line, "a header line, which begins with '-', or #BEGIN_TB", err);
    }
    if (status == SOURCE_ERROR) return false;
    if (!s->info.name[0] || !s->info.grid[0] || !s->info.block[0])
        return fail(s, "found no -kernel name, -grid dim or -block dim before here", err);
    if (s->parser.format.version > NEWEST_VERSION)
        return fail(s, "found an unknown tracer version, expected 0 to 6", err);
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
    if (at < n && s->marks[at].index == index) return fail_at(s, "the same thread block again", "each only once", err);
    if ((n & (n - 1)) == 0) {
        struct block_mark *grown = realloc(s->marks, (n ? 2 * (size_t)n : 1) * sizeof *grown);
        if (!grown) return fail(s, "out of memory", err);
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
    enum source_status status = next_line(s, err);
    if (status == SOURCE_ERROR) return false;
    char *value = status == SOURCE_OK ? value_of(s->line, "thread block") : NULL;
    if (!value || !parse_triple(value, at))
        return fail_at(s, status == SOURCE_OK ? s->line : "the end of the file", "thread block = x,y,z", err);
    const uint32_t *grid = s->info.grid;
    if (at[0] >= grid[0] || at[1] >= grid[1] || at[2] >= grid[2])
        return fail_at(s, "a thread block outside", "one within the grid", err);
    *index = (at[2] * grid[1] + at[1]) * grid[0] + at[0];
    return add_mark(s, *index, err);
}

/* Skips the rest of a thread block. */
static bool skip_block(struct accelsim_source *s, struct error *err)
{
    enum source_status status;
    while ((status = next_line(s, err)) == SOURCE_OK && strncmp(s->line, "#END_TB", 7) != 0) {
        if (begins_block(s)) return fail_at(s, s->line, "#END_TB first", err);
    }
    s->frontier = lines_here(s->lines);
    return status != SOURCE_ERROR; /* at the end of the file parse_warps() tells whether the block is complete */
}

/* Scans forward to the body of the next thread block without a mark. */
static bool search_block(struct accelsim_source *s, uint32_t wanted, struct error *err)
{
    if (!lines_seek(s->lines, s->frontier, err)) return false;
    for (;;) {
        enum source_status status = next_line(s, err);
        if (status == SOURCE_ERROR) return false;
        if (status == SOURCE_END) break;
        if (!begins_block(s) && *s->line == '#') continue;
        if (!begins_block(s)) return fail_at(s, s->line, "#BEGIN_TB", err);
        uint32_t index = 0;
        if (!parse_block_line(s, &index, err)) return false;
        if (index == wanted) return true;
        if (!skip_block(s, err)) return false;
    }
    return error_set(err, "%s:%" PRIu64 ": found the end of the file, expected thread block %" PRIu32 " of %" PRIu32,
                     path_of(s), lines_number(s->lines), wanted, kernel_blocks(&s->info));
}

/* True: there is none. */
static bool put_fault(struct accelsim_source *s, const char *fault, struct error *err)
{
    char message[300];
    if (!fault) return true;
    snprintf(message, sizeof message, "found %s", fault);
    return fail(s, message, err);
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
    enum source_status status = next_line(s, err);
    if (status == SOURCE_ERROR) return false;
    if (status == SOURCE_END)
        return fail_at(s, "the end of the file", "another instruction of the warp: it is truncated", err);
    const char *fault = accelsim_parse(&s->parser, s->line, place, inst);
    return fault ? fail(s, fault, err) : true;
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
    enum source_status status = next_line(s, err);
    if (status == SOURCE_ERROR) return false;
    char *value = status == SOURCE_OK ? value_of(s->line, "insts") : NULL;
    if (!value) return fail_at(s, status == SOURCE_OK ? s->line : "the end of the file", "insts = N", err);
    return parse_u64(s, value, UINT64_MAX, &count, err) && parse_insts(s, block, warp, count, err);
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
    char *value = value_of(s->line, "cluster rank");
    if (value && !parse_u32(s, value, &rank, err)) return false;
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
        enum source_status status = next_line(s, err);
        if (status == SOURCE_ERROR) return false;
        if (status == SOURCE_END)
            return is_complete(s, seen) || fail_at(s, "the end of the file", "#END_TB: it is truncated", err);
        if (!strncmp(s->line, "#END_TB", 7)) return true;
        if (!strncmp(s->line, "cluster", 7)) { /* since Hopper */
            if (!parse_cluster(s, err)) return false;
            continue;
        }
        char *value = value_of(s->line, "warp");
        if (!value) return fail_at(s, s->line, "warp = N or #END_TB", err);
        if (!parse_u32(s, value, &warp, err)) return false;
        if (warp >= kernel_warps(&s->info) || seen[warp])
            return fail_at(s, s->line, "each warp of the thread block once", err);
        seen[warp] = true;
        if (!parse_warp(s, block, warp, err)) return false;
    }
}

static bool parse_block(struct accelsim_source *s, uint32_t block, struct error *err)
{
    bool seen[TRACE_MAX_WARPS] = {false};
    const char *fault = encoder_begin(s->encoder, &s->info);
    s->parser.chunk = encoder_chunk(s->encoder);
    accelsim_mbarriers_clear(&s->mbarriers);
    if (fault) return fail(s, fault, err);
    if (!parse_warps(s, block, seen, err)) return false;
    for (uint32_t w = 0; w < kernel_warps(&s->info); w++) {
        if (!seen[w] && !put_exit(s, w, 0, err)) return false;
    }
    return true;
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

/* Replaces the thread block by one whose tests of mbarriers have their counts. */
static const char *resolve_mbarriers(struct accelsim_source *s, uint32_t index, const struct chunk_place *place,
                                     struct block_stream **stream)
{
    struct block_stream *from = *stream;
    if (!s->resolved) s->resolved = encoder_new(true);
    const char *fault = s->resolved ? encoder_begin(s->resolved, &s->info) : "out of memory";
    if (!fault)
        fault = accelsim_mbarriers_put(&s->mbarriers, from, s->resolved, kernel_warps(&s->info), &s->parser.counts);
    *stream = NULL;
    if (!fault) fault = encoder_open(s->resolved, index, place, stream);
    chunk_close_block(from);
    return fault;
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
    if (!go_to_block(s, index, &body, &fresh, err) || !parse_block(s, index, err)) return NULL;
    if (fresh) s->frontier = lines_here(s->lines);
    struct chunk_place place = {path_of(s), s->next - 1, body.number, s->tracez ? "byte" : "line"};
    const char *fault = encoder_open(s->encoder, index, &place, &stream);
    if (!fault && s->mbarriers.tested) fault = resolve_mbarriers(s, index, &place, &stream);
    if (fault) fail(s, fault, err);
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
