/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The binary reader once more, without its checksums: an input that passes them is found by no mutation. */
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#endif
#define binary_open binary_open_unchecked
#include "trace/binary_read.c"
#undef binary_open

#include "trace/accelsim.h"
#include "trace/info.h"
#include "trace/ranges.h"
#include "trace/text.h"

struct memory_file {
    int fd;
    char path[40];
};

static struct memory_file memory_file(const uint8_t *data, size_t size)
{
    struct memory_file f = {.fd = memfd_create("input", 0)};
    snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.fd);
    if (f.fd < 0 || write(f.fd, data, size) != (ssize_t)size) abort();
    return f;
}

static void read_ranges(struct source *s)
{
    struct ranges r;
    struct error err = {0};
    if (!s->read_ranges) return;
    if (!s->read_ranges(s, &r, &err) && !err.text[0]) abort();
    ranges_free(&r);
}

static void read_launches(struct source *s)
{
    struct launches l = {0};
    struct error err = {0};
    if (s->launches && !s->launches(s, &l, &err) && !err.text[0]) abort();
    free(l.list);
}

/* Reads all, front to back; then, where that went well, the first block after the last. */
static void read_all(struct source *s, struct error *err, char digest[65])
{
    struct trace_info info;
    digest[0] = '\0';
    if (!s) {
        if (!err->text[0]) abort(); /* a refusal without a reason */
        return;
    }
    read_launches(s);
    bool done = info_collect(s, &info, NULL, err);
    if (done) strcpy(digest, info.digest);
    if (!done && !err->text[0]) abort();
    info_free(&info);
    read_ranges(s);
    s->ops->close(s);
}

/* The blocks of the first kernel in falling order. */
static void read_backwards(struct source *s, struct error *err)
{
    struct kernel_info kernel;
    if (!s) return;
    if (s->ops->next_kernel(s, &kernel, err) == SOURCE_OK) {
        uint32_t n = kernel_blocks(&kernel);
        for (uint32_t b = n < 8 ? n : 8; b-- > 0;) {
            struct block_stream *block = s->ops->open_block(s, b, err);
            if (!block) break;
            s->ops->close_block(block);
        }
    }
    s->ops->close(s);
}

static void read_both(struct source *(*open)(const char *, struct error *), const uint8_t *data, size_t size)
{
    struct memory_file f = memory_file(data, size);
    struct error forwards = {0}, backwards = {0};
    char digest[65];
    read_all(open(f.path, &forwards), &forwards, digest);
    read_backwards(open(f.path, &backwards), &backwards);
    close(f.fd);
}

void fuzz_binary(const uint8_t *data, size_t size)
{
    read_both(binary_open_unchecked, data, size);
}

static void check_again(struct source *s, const char *digest)
{
    char *text = NULL, again[65];
    size_t length;
    struct error err = {0};
    struct text_part all = {-1, -1};
    FILE *to = open_memstream(&text, &length);
    if (!to || !text_write(s, to, &all, NULL, &err)) abort();
    fclose(to);
    s->ops->close(s);
    struct memory_file f = memory_file((uint8_t *)text, length);
    read_all(text_open(f.path, &err), &err, again);
    if (strcmp(digest, again) != 0) abort();
    close(f.fd);
    free(text);
}

void fuzz_text(const uint8_t *data, size_t size)
{
    struct memory_file f = memory_file(data, size);
    struct error err = {0};
    char digest[65];
    read_all(text_open(f.path, &err), &err, digest);
    if (digest[0]) check_again(text_open(f.path, &err), digest);
    close(f.fd);
}

void fuzz_accelsim(const uint8_t *data, size_t size)
{
    bool kernel = size && (data[0] == '-' || data[0] == 0xfd);
    read_both(kernel ? accelsim_open_kernel : accelsim_open_list, data, size);
}

void fuzz_tracez(const uint8_t *data, size_t size)
{
    read_both(accelsim_open_kernel, data, size);
}
