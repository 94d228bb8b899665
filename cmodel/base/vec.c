/* SPDX-License-Identifier: Apache-2.0 */
#include "base/vec.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"

enum { WORDS = 32, HEX_TEXT = 260, VERSION = 1 };

/* Converts a value of any kind to and from 32 words, least significant first. */
static void words_load(const struct port_desc *port, const void *in, uint32_t element, uint32_t *words)
{
    static const size_t sizes[] = {sizeof(bool), 1, 2, 4, 8, 4 * WORDS};
    const size_t size = sizes[port->kind];
    memset(words, 0, 4 * WORDS);
    const char *at = (const char *)in + port->offset + element * size;
    uint64_t value = 0;
    if (port->kind == PORT_KIND_W1024) {
        memcpy(words, at, size);
        return;
    }
    memcpy(&value, at, size);
    words[0] = (uint32_t)value;
    words[1] = (uint32_t)(value >> 32);
}

static void words_store(const struct port_desc *port, void *in, const uint32_t *words)
{
    static const size_t sizes[] = {sizeof(bool), 1, 2, 4, 8, 4 * WORDS};
    const uint64_t value = words[0] | (uint64_t)words[1] << 32;
    memcpy((char *)in + port->offset, port->kind == PORT_KIND_W1024 ? (const void *)words : &value, sizes[port->kind]);
}

static uint32_t words_width(const uint32_t *words)
{
    for (uint32_t bit = 32 * WORDS; bit > 0; bit--)
        if (words[(bit - 1) / 32] >> ((bit - 1) % 32) & 1) return bit;
    return 0;
}

static void words_hex(const uint32_t *words, char *text)
{
    uint32_t top = WORDS - 1;
    while (top > 0 && !words[top]) top--;
    text += sprintf(text, "%" PRIx32, words[top]);
    while (top-- > 0) text += sprintf(text, "%08" PRIx32, words[top]);
}

void vec_hex(const struct port_desc *port, const void *in, uint32_t element, char *text)
{
    uint32_t words[WORDS];
    words_load(port, in, element, words);
    words_hex(words, text);
}

/* The writer holds a cycle until a different one follows, so that equal cycles become one line. */
struct vec_writer {
    struct output out;
    char *path;
    struct port_desc in[VEC_PORTS];
    uint32_t in_count;
    uint64_t repeats;
    bool failed;
    char line[VEC_PORTS * HEX_TEXT], next[VEC_PORTS * HEX_TEXT];
};

static bool too_large(const struct vec_block *block, struct error *err)
{
    if (block->in_count <= VEC_PORTS && block->param_count <= VEC_PARAMS) return false;
    error_set(err, "block %s has %u inputs and %u parameters, expected at most %d and %d", block->name, block->in_count,
              block->param_count, VEC_PORTS, VEC_PARAMS);
    return true;
}

static void write_head(FILE *f, const struct vec_block *block, const char *comment)
{
    fprintf(f, "memtwin-vec %d\nblock %s\nparams", VERSION, block->name);
    for (uint32_t i = 0; i < block->param_count; i++) {
        uint32_t value;
        memcpy(&value, (const char *)block->cfg + block->params[i].offset, sizeof value);
        fprintf(f, " %s=%" PRIu32, block->params[i].name, value);
    }
    fputs("\nports", f);
    for (uint32_t i = 0; i < block->in_count; i++) fprintf(f, " %s:%" PRIu32, block->in[i].name, block->in[i].width);
    fputc('\n', f);
    while (comment && *comment) {
        const size_t n = strcspn(comment, "\n");
        fprintf(f, "# %.*s\n", (int)n, comment);
        comment += n + (comment[n] == '\n');
    }
}

struct vec_writer *vec_create(const char *path, const struct vec_block *block, const char *comment, struct error *err)
{
    if (too_large(block, err)) return NULL;
    struct vec_writer *w = calloc(1, sizeof *w);
    if (w) w->path = strdup(path);
    if (!w || !w->path) error_set(err, "%s: out of memory", path);
    if (!w || !w->path || !output_open(&w->out, w->path, err)) {
        if (w) free(w->path);
        free(w);
        return NULL;
    }
    w->in_count = block->in_count;
    memcpy(w->in, block->in, block->in_count * sizeof *block->in);
    write_head(w->out.file, block, comment);
    return w;
}

static void flush_line(struct vec_writer *w)
{
    if (!w->repeats) return;
    fputs(w->line, w->out.file);
    if (w->repeats > 1) fprintf(w->out.file, " x%" PRIu64, w->repeats);
    if (fputc('\n', w->out.file) == EOF) w->failed = true;
    w->repeats = 0;
}

/* Trailing zeros are left out; an idle cycle is `0`. */
static void format_line(const struct vec_writer *w, bool reset, const void *in, char *line)
{
    uint32_t words[WORDS], used = 0;
    for (uint32_t i = 0; i < w->in_count; i++) {
        words_load(&w->in[i], in, 0, words);
        if (words_width(words)) used = i + 1;
    }
    if (!used && !reset) used = 1;
    *line = 0;
    if (reset) line += sprintf(line, "R");
    for (uint32_t i = 0; i < used; i++) {
        if (i || reset) *line++ = ' ';
        vec_hex(&w->in[i], in, 0, line);
        line += strlen(line);
    }
}

void vec_put(struct vec_writer *w, bool reset, const void *in)
{
    format_line(w, reset, in, w->next);
    if (w->repeats && strcmp(w->next, w->line)) flush_line(w);
    if (!w->repeats) strcpy(w->line, w->next);
    w->repeats++;
}

bool vec_finish(struct vec_writer *w, struct error *err)
{
    flush_line(w);
    const bool ok = !w->failed || output_error(&w->out, err);
    if (!ok) output_abandon(&w->out);
    const bool done = ok && output_commit(&w->out, err);
    free(w->path);
    free(w);
    return done;
}

struct vec_reader {
    FILE *file;
    char *path, *line;
    size_t line_size;
    uint64_t number; /* number of the line */
    struct vec_header head;
    uint64_t head_line;
    char *ports;
    uint64_t ports_line;
    struct port_desc in[VEC_PORTS];
    uint32_t in_count;
    size_t in_size;
    uint64_t repeats; /* repetitions of the cycle in `held` still to return */
    bool held_reset;
    uint32_t held[VEC_PORTS][WORDS];
};

/* Next non-empty line without comment and surrounding blanks; NULL at the end. */
static char *next_line(struct vec_reader *r)
{
    while (getline(&r->line, &r->line_size, r->file) >= 0) {
        r->number++;
        char *at = r->line;
        at[strcspn(at, "#\r\n")] = 0;
        at += strspn(at, " \t");
        size_t n = strlen(at);
        while (n && isspace((unsigned char)at[n - 1])) at[--n] = 0;
        if (n) return at;
    }
    return NULL;
}

#define READ_ERROR(r, line, format, ...) error_set(err, "%s:%" PRIu64 ": " format, (r)->path, (line), __VA_ARGS__)

/* Value of a header line `key value`. */
static char *head_value(struct vec_reader *r, const char *key, struct error *err)
{
    char *line = next_line(r);
    const size_t n = strlen(key);
    if (line && !strncmp(line, key, n) && line[n] == ' ') return line + n + strspn(line + n, " ");
    READ_ERROR(r, r->number + !line, "found \"%.60s\", expected \"%s ...\"", line ? line : "the end of the file", key);
    return NULL;
}

static bool parse_number(const char *text, const char *end, int base, uint64_t max, uint64_t *value)
{
    char *stop;
    errno = 0;
    if (!isxdigit((unsigned char)*text)) return false;
    *value = strtoull(text, &stop, base);
    return stop == end && !errno && *value <= max;
}

static bool parse_params(struct vec_reader *r, char *text, struct error *err)
{
    char *rest;
    for (char *word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        const uint32_t i = r->head.param_count;
        char *equals = strchr(word, '=');
        uint64_t value;
        if (!equals || equals == word || equals - word >= VEC_NAME ||
            !parse_number(equals + 1, equals + strlen(equals), 10, UINT32_MAX, &value))
            return READ_ERROR(r, r->number, "found parameter \"%.80s\", expected NAME=NUMBER", word);
        if (i == VEC_PARAMS) return READ_ERROR(r, r->number, "found more than %d parameters", VEC_PARAMS);
        memcpy(r->head.params[i].name, word, (size_t)(equals - word));
        r->head.params[i].value = (uint32_t)value;
        r->head.param_count++;
    }
    return true;
}

static bool read_head(struct vec_reader *r, struct error *err)
{
    char *value = head_value(r, "memtwin-vec", err);
    if (!value) return false;
    if (strcmp(value, "1")) return READ_ERROR(r, r->number, "found version \"%.20s\", expected %d", value, VERSION);
    if (!(value = head_value(r, "block", err))) return false;
    if (strlen(value) >= VEC_NAME) return READ_ERROR(r, r->number, "found a block name of %zu letters", strlen(value));
    strcpy(r->head.block, value);
    if (!(value = head_value(r, "params", err))) return false;
    r->head_line = r->number;
    if (!parse_params(r, value, err)) return false;
    if (!(value = head_value(r, "ports", err))) return false;
    r->ports_line = r->number;
    r->ports = strdup(value);
    return r->ports || error_set(err, "%s: out of memory", r->path);
}

struct vec_reader *vec_open(const char *path, struct error *err)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        error_set(err, "%s: cannot be read: %s", path, strerror(errno));
        return NULL;
    }
    struct vec_reader *r = calloc(1, sizeof *r);
    if (r) r->path = strdup(path);
    if (!r || !r->path) {
        error_set(err, "%s: out of memory", path);
        fclose(file);
        free(r);
        return NULL;
    }
    r->file = file;
    if (read_head(r, err)) return r;
    vec_close(r);
    return NULL;
}

const struct vec_header *vec_head(const struct vec_reader *r)
{
    return &r->head;
}

static bool known_param(const struct param_desc *params, uint32_t count, const char *name)
{
    bool known = false;
    for (uint32_t i = 0; i < count; i++) known = known || !strcmp(params[i].name, name);
    return known;
}

static bool find_param(const struct vec_header *h, const char *name, uint32_t *value)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < h->param_count; i++) {
        if (strcmp(h->params[i].name, name)) continue;
        *value = h->params[i].value;
        found++;
    }
    return found == 1;
}

bool vec_params(struct vec_reader *r, const char *block, const struct param_desc *params, uint32_t count, void *cfg,
                struct error *err)
{
    const struct vec_header *h = &r->head;
    if (strcmp(h->block, block)) return error_set(err, "%s: found block %s, expected %s", r->path, h->block, block);
    for (uint32_t i = 0; i < h->param_count; i++)
        if (!known_param(params, count, h->params[i].name))
            return READ_ERROR(r, r->head_line, "%s: unknown parameter %s", block, h->params[i].name);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = 0;
        if (!find_param(h, params[i].name, &value))
            return READ_ERROR(r, r->head_line, "expected parameter %s once", params[i].name);
        if (value < params[i].min || value > params[i].max)
            return READ_ERROR(r, r->head_line, "found %s=%" PRIu32 ", expected %" PRIu32 " to %" PRIu32, params[i].name,
                              value, params[i].min, params[i].max);
        memcpy((char *)cfg + params[i].offset, &value, sizeof value);
    }
    return true;
}

static bool bind_params(struct vec_reader *r, const struct vec_block *b, struct error *err)
{
    uint32_t cfg[VEC_PARAMS] = {0};
    if (!vec_params(r, b->name, b->params, b->param_count, cfg, err)) return false;
    for (uint32_t i = 0; i < b->param_count; i++) {
        uint32_t found, expected;
        memcpy(&found, (const char *)cfg + b->params[i].offset, sizeof found);
        memcpy(&expected, (const char *)b->cfg + b->params[i].offset, sizeof expected);
        if (found != expected)
            return READ_ERROR(r, r->head_line, "found %s=%" PRIu32 ", expected %" PRIu32, b->params[i].name, found,
                              expected);
    }
    return true;
}

bool vec_bind(struct vec_reader *r, const struct vec_block *block, struct error *err)
{
    if (too_large(block, err) || !bind_params(r, block, err)) return false;
    char *rest, *word = strtok_r(r->ports, " \t", &rest);
    for (uint32_t i = 0; i < block->in_count; i++) {
        char expected[VEC_NAME * 2];
        snprintf(expected, sizeof expected, "%s:%" PRIu32, block->in[i].name, block->in[i].width);
        if (!word || strcmp(word, expected))
            return READ_ERROR(r, r->ports_line, "found port \"%.80s\", expected %s", word ? word : "", expected);
        word = strtok_r(NULL, " \t", &rest);
    }
    if (word) return READ_ERROR(r, r->ports_line, "found port \"%.80s\", expected no more", word);
    memcpy(r->in, block->in, block->in_count * sizeof *block->in);
    r->in_count = block->in_count;
    r->in_size = block->in_size;
    return true;
}

/* Parses any number of hex digits into words. */
static bool parse_words(const char *text, uint32_t *words)
{
    memset(words, 0, 4 * WORDS);
    size_t n = strlen(text), bit = 0;
    if (!n) return false;
    for (; n-- > 0; bit += 4) {
        const char c = (char)tolower((unsigned char)text[n]);
        if (!isxdigit((unsigned char)c)) return false;
        const uint32_t digit = (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
        if (bit >= 32 * WORDS && digit) return false;
        if (bit < 32 * WORDS) words[bit / 32] |= digit << bit % 32;
    }
    return true;
}

static bool parse_value(struct vec_reader *r, uint32_t i, const char *word, struct error *err)
{
    if (i >= r->in_count)
        return READ_ERROR(r, r->number, "found a value \"%.40s\" after the last port, expected %" PRIu32 " at most",
                          word, r->in_count);
    if (!parse_words(word, r->held[i]))
        return READ_ERROR(r, r->number, "found \"%.40s\" for %s, expected hex digits", word, r->in[i].name);
    if (words_width(r->held[i]) > r->in[i].width)
        return READ_ERROR(r, r->number, "found %.40s for %s, expected at most %" PRIu32 " bits", word, r->in[i].name,
                          r->in[i].width);
    return true;
}

static bool parse_cycle(struct vec_reader *r, char *line, struct error *err)
{
    char *rest, *word = strtok_r(line, " \t", &rest);
    memset(r->held, 0, sizeof r->held);
    r->repeats = 1;
    r->held_reset = !strcmp(word, "R");
    if (r->held_reset) word = strtok_r(NULL, " \t", &rest);
    for (uint32_t i = 0; word && *word != 'x'; i++) {
        if (!parse_value(r, i, word, err)) return false;
        word = strtok_r(NULL, " \t", &rest);
    }
    if (!word) return true;
    const char *const more = strtok_r(NULL, " \t", &rest);
    if (more || !parse_number(word + 1, word + strlen(word), 10, UINT64_MAX, &r->repeats) || !r->repeats)
        return READ_ERROR(r, r->number, "found \"%.40s%s%.40s\", expected xN, N > 0, at the end of the line", word,
                          more ? " " : "", more ? more : "");
    return true;
}

enum vec_item vec_get(struct vec_reader *r, void *in, struct error *err)
{
    if (!r->repeats) {
        char *line = next_line(r);
        if (!line && ferror(r->file)) {
            error_set(err, "%s: cannot be read: %s", r->path, strerror(errno));
            return VEC_ERROR;
        }
        if (!line) return VEC_END;
        if (!parse_cycle(r, line, err)) {
            r->repeats = 0;
            return VEC_ERROR;
        }
    }
    r->repeats--;
    memset(in, 0, r->in_size);
    for (uint32_t i = 0; i < r->in_count; i++) words_store(&r->in[i], in, r->held[i]);
    return r->held_reset ? VEC_RESET : VEC_CYCLE;
}

void vec_close(struct vec_reader *r)
{
    if (!r) return;
    fclose(r->file);
    free(r->line);
    free(r->ports);
    free(r->path);
    free(r);
}
