/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/unpack.h"

#define BUFFER (4 * LINE_MAX_BYTES)
#define MARK "\xef\xbb\xbf" /* byte-order mark of UTF-8 */

struct lines {
    char *path;
    int fd;
    FILE *spool;           /* replaces fd after the first backward seek in packed text */
    struct unpack *packed; /* NULL: plain text */
    lines_reader *read;    /* in place of a file; NULL: none */
    void *context;
    uint64_t at, number; /* offset of buffer[begin]; lines delivered */
    size_t begin, end;
    size_t taken, length;                 /* bytes of the last line, with and without its newline */
    char cut;                             /* the byte that the NUL at its end replaced */
    bool ended;                           /* the buffer holds the end of the file */
    bool nul;                             /* the file has a NUL: each line is searched for one */
    char buffer[BUFFER + 1 + LINE_SLACK]; /* a NUL at `end`; last, as it is not cleared */
};

static bool lines_error(const struct lines *l, const char *what, struct error *err)
{
    return error_set(err, "%s: after line %" PRIu64 ": %s", l->path, l->number, what);
}

static ssize_t raw_read(struct lines *l, void *to, size_t size, struct error *err)
{
    const char *fault;
    if (l->read) return l->read(l->context, to, size, err);
    ssize_t n = l->packed ? unpack_read(l->packed, to, size, &fault) : read(l->fd, to, size);
    return n < 0 ? lines_error(l, l->packed ? fault : strerror(errno), err) - 1 : n;
}

static struct lines *lines_new(const char *path, struct error *err)
{
    struct lines *l = malloc(sizeof *l);
    if (l) memset(l, 0, offsetof(struct lines, buffer) + 1);
    if (!l || !(l->path = strdup(path))) {
        error_set(err, "%s: out of memory", path);
        free(l);
        return NULL;
    }
    l->fd = -1;
    return l;
}

struct lines *lines_from(const char *path, lines_reader *read, void *context, struct error *err)
{
    struct lines *l = lines_new(path, err);
    if (!l) return NULL;
    l->read = read;
    l->context = context;
    return l;
}

struct lines *lines_open(const char *path, struct error *err)
{
    const char *fault;
    struct lines *l = lines_new(path, err);
    if (!l) return NULL;
    l->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (l->fd < 0) {
        error_set(err, "%s: cannot open: %s", path, strerror(errno));
    } else {
        l->packed = unpack_open(l->fd, &fault);
        if (!fault) return l;
        error_set(err, "%s: %s", path, fault);
    }
    lines_close(l);
    return NULL;
}

void lines_close(struct lines *l)
{
    if (!l) return;
    unpack_close(l->packed);
    if (l->spool) {
        fclose(l->spool);
    } else if (l->fd >= 0) {
        close(l->fd);
    }
    free(l->path);
    free(l);
}

/* Moves the unread rest to the front of the buffer and reads more. */
static bool refill(struct lines *l, struct error *err)
{
    memmove(l->buffer, l->buffer + l->begin, l->end - l->begin);
    l->end -= l->begin;
    l->begin = 0;
    ssize_t n = raw_read(l, l->buffer + l->end, BUFFER - l->end, err);
    if (n < 0) return false;
    if (memchr(l->buffer + l->end, '\0', (size_t)n)) l->nul = true;
    l->end += (size_t)n;
    l->buffer[l->end] = '\0';
    l->ended = n == 0;
    if (l->at == 0 && !strncmp(l->buffer, MARK, strlen(MARK))) l->begin = l->at = strlen(MARK);
    return true;
}

/* End of the line at `begin`, reading more as needed; NULL and an error. */
static char *line_end(struct lines *l, struct error *err)
{
    size_t searched = 0;
    for (;;) {
        char *start = l->buffer + l->begin;
        char *newline = memchr(start + searched, '\n', l->end - l->begin - searched);
        searched = l->end - l->begin;
        size_t length = newline ? (size_t)(newline - start) : searched;
        if (length >= LINE_MAX_BYTES) {
            lines_error(l, "found a line of more than 65535 bytes", err);
            return NULL;
        }
        if (newline || l->ended) return start + length;
        if (!refill(l, err)) return NULL;
    }
}

enum source_status lines_next(struct lines *l, char **line, struct error *err)
{
    char *end = line_end(l, err);
    if (!end) return SOURCE_ERROR;
    char *start = l->buffer + l->begin;
    size_t length = (size_t)(end - start);
    if (l->ended && start == l->buffer + l->end) return SOURCE_END;
    l->taken = length + (end != l->buffer + l->end);
    l->begin += l->taken;
    l->at += l->taken;
    l->number++;
    if (l->nul && memchr(start, '\0', length)) {
        const bool tar = l->number == 1 && length > 262 && !memcmp(start + 257, "ustar", 5);
        error_set(err, "%s:%" PRIu64 ": found %s, expected text", l->path, l->number,
                  tar ? "a tar archive of files" : "a NUL byte");
        return SOURCE_ERROR;
    }
    if (length && start[length - 1] == '\r') length--;
    l->length = length;
    l->cut = start[length];
    start[length] = '\0';
    *line = start;
    return SOURCE_OK;
}

void lines_back(struct lines *l)
{
    char *start = l->buffer + l->begin - l->taken;
    start[l->length] = l->cut;
    l->begin -= l->taken;
    l->at -= l->taken;
    l->number--;
}

char *lines_peek(struct lines *l)
{
    return l->buffer + l->begin;
}

void lines_take(struct lines *l, size_t length, uint64_t count)
{
    l->begin += length;
    l->at += length;
    l->number += count;
}

bool lines_take_same(struct lines *l, const char *text, size_t length, uint64_t count)
{
    if (l->end - l->begin < length || memcmp(l->buffer + l->begin, text, length) != 0) return false;
    lines_take(l, length, count);
    return true;
}

const char *lines_taken(const struct lines *l, size_t length)
{
    return length <= l->begin ? l->buffer + l->begin - length : NULL;
}

struct line_mark lines_here(const struct lines *l)
{
    return (struct line_mark){l->at, l->number + 1};
}

uint64_t lines_number(const struct lines *l)
{
    return l->number;
}

static void forget_buffer(struct lines *l, struct line_mark mark)
{
    l->begin = l->end = 0;
    l->buffer[0] = '\0';
    l->ended = false;
    l->at = mark.offset;
    l->number = mark.number - 1;
}

void lines_restart(struct lines *l)
{
    forget_buffer(l, (struct line_mark){0, 1});
}

/* Decodes all of the packed text into a temporary file, which replaces it from then on. */
static bool spool(struct lines *l, struct error *err)
{
    FILE *to = tmpfile();
    const char *fault = NULL;
    unpack_close(l->packed);
    l->packed = to && lseek(l->fd, 0, SEEK_SET) == 0 ? unpack_open(l->fd, &fault) : NULL;
    if (!l->packed) {
        error_set(err, "%s: cannot make a temporary file: %s", l->path, fault ? fault : strerror(errno));
        if (to) fclose(to);
        return false;
    }
    ssize_t n;
    while ((n = raw_read(l, l->buffer, BUFFER, err)) > 0 && fwrite(l->buffer, 1, (size_t)n, to) == (size_t)n) continue;
    if (n != 0 || fflush(to) != 0) {
        error_set(err, "%s: cannot spool its text into a temporary file: %s", l->path, strerror(errno));
        fclose(to);
        return false;
    }
    close(l->fd);
    l->spool = to;
    l->fd = fileno(to);
    unpack_close(l->packed);
    l->packed = NULL;
    return true;
}

/* Decodes forward, dropping everything before the mark. */
static bool skip_to(struct lines *l, struct line_mark mark, struct error *err)
{
    while (l->at + (l->end - l->begin) < mark.offset) {
        l->at += l->end - l->begin;
        l->begin = l->end = 0;
        if (!refill(l, err)) return false;
        if (l->ended) return lines_error(l, "the file became shorter", err);
    }
    l->begin += (size_t)(mark.offset - l->at);
    l->at = mark.offset;
    l->number = mark.number - 1;
    return true;
}

bool lines_seek(struct lines *l, struct line_mark mark, struct error *err)
{
    bool buffered = mark.offset >= l->at && mark.offset <= l->at + (l->end - l->begin);
    if (buffered || (l->packed && mark.offset > l->at)) return skip_to(l, mark, err);
    if (l->packed && !spool(l, err)) return false;
    if (lseek(l->fd, (off_t)mark.offset, SEEK_SET) < 0) return lines_error(l, strerror(errno), err);
    forget_buffer(l, mark);
    return true;
}

char *token_next(char **rest, const char *separators)
{
    char *token = *rest + strspn(*rest, separators);
    if (!*token) return NULL;
    char *end = token + strcspn(token, separators);
    *rest = end + (*end != '\0');
    *end = '\0';
    return token;
}

bool token_number(const char *token, unsigned base, uint64_t limit, uint64_t *value)
{
    uint64_t v = 0;
    if (token[0] == '0' && (token[1] == 'x' || token[1] == 'X')) {
        base = 16;
        token += 2;
    }
    if (!*token) return false;
    for (; *token; token++) {
        unsigned digit = digit_value(*token);
        if (digit >= base || __builtin_mul_overflow(v, (uint64_t)base, &v) || __builtin_add_overflow(v, digit, &v))
            return false;
    }
    *value = v;
    return v <= limit;
}
