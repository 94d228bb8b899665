/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/open.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/accelsim.h"
#include "trace/binary.h"
#include "trace/kernels.h"
#include "trace/lines.h"
#include "trace/text.h"

const char *source_kind_name(enum source_kind kind)
{
    static const char *const names[] = {"unknown",
                                        "memtwin binary trace",
                                        "memtwin text trace",
                                        "Accel-Sim kernel list",
                                        "Accel-Sim kernel trace",
                                        "built-in kernel"};
    return names[kind];
}

/* A folder means its kernelslist.g, plain or packed; there may be none. */
static const char *list_in(const char *path, char *buffer, size_t size)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) return path;
    for (int p = PACK_NONE; p < PACKS; p++) {
        if ((size_t)snprintf(buffer, size, "%s/kernelslist.g%s", path, pack_suffix[p]) >= size) return path;
        if (stat(buffer, &st) == 0) return buffer;
    }
    snprintf(buffer, size, "%s/kernelslist.g", path);
    return buffer;
}

static enum source_kind line_kind(const char *line)
{
    if (!strncmp(line, TEXT_MAGIC, strlen(TEXT_MAGIC))) return SOURCE_TEXT;
    if (*line == '-') return SOURCE_ACCELSIM_KERNEL;
    if (!strncmp(line, "Memcpy", 6) || !strncmp(line, "kernel", 6) || !strncmp(line, "nccl", 4))
        return SOURCE_ACCELSIM_LIST;
    return SOURCE_UNKNOWN;
}

/* False and an error: no line can be read from the file. */
static bool is_text(const char *path, struct error *err)
{
    char *line;
    struct lines *lines = lines_open(path, err);
    const bool done = lines && lines_next(lines, &line, err) != SOURCE_ERROR;
    lines_close(lines);
    return done;
}

/* Detects the format by the first line that is neither blank nor a comment, inside packed text too. */
static enum source_kind text_kind(const char *path)
{
    enum source_kind kind = SOURCE_UNKNOWN;
    struct error ignored = {0};
    struct lines *lines = lines_open(path, &ignored);
    char *line;
    bool blank = true;
    while (lines && blank && lines_next(lines, &line, &ignored) == SOURCE_OK) {
        line += strspn(line, " \t");
        blank = !*line || *line == '#';
        if (!blank) kind = line_kind(line);
    }
    lines_close(lines);
    return kind;
}

static enum source_kind file_kind(const char *path)
{
    char magic[8] = {0};
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(magic, 1, sizeof magic, file) : 0;
    if (file) fclose(file);
    const char *dot = strrchr(path, '.');
    if ((n == sizeof magic && !memcmp(magic, BINARY_MAGIC, sizeof magic)) || (dot && !strcmp(dot, ".mtt")))
        return SOURCE_BINARY;
    return text_kind(path);
}

/* No kernel name looks like this: report a missing file. */
static bool looks_like_a_file(const char *path)
{
    static const char *const suffixes[] = {".mtt", ".mttx", ".txt", ".g", ".traceg", ".tracez", ".xz", ".gz", ".zst"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++) {
        if (!strcmp(dot, suffixes[i])) return true;
    }
    return strchr(path, '/') != NULL;
}

enum source_kind source_kind(const char *path)
{
    char buffer[4096];
    struct stat st;
    if (stat(path, &st) != 0) return looks_like_a_file(path) ? SOURCE_UNKNOWN : SOURCE_KERNEL;
    if (S_ISDIR(st.st_mode))
        return stat(list_in(path, buffer, sizeof buffer), &st) == 0 ? SOURCE_ACCELSIM_LIST : SOURCE_UNKNOWN;
    return file_kind(path);
}

static struct source *unknown(const char *path, struct error *err)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        error_set(err, "%s: cannot open: %s", path, strerror(errno));
    } else if (S_ISDIR(st.st_mode)) {
        error_set(err, "%s: found a folder without a kernelslist.g in it", path);
    } else if (is_text(path, err)) {
        error_set(err,
                  "%s: not a workload: found neither the first bytes of a memtwin binary trace (.mtt), nor "
                  "'memtwin-trace' (.mttx), nor "
                  "Memcpy and kernel lines (kernelslist.g), nor a '-kernel name' header (.tracez, or .traceg, plain or "
                  "packed by xz, gzip or zstd)",
                  path);
    }
    return NULL;
}

struct source *source_open(const char *path, uint64_t seed, struct error *err)
{
    return source_open_aligned(path, seed, KERNEL_ALIGN, err);
}

struct source *source_open_aligned(const char *path, uint64_t seed, int align, struct error *err)
{
    char buffer[4096];
    switch (source_kind(path)) {
    case SOURCE_BINARY:
        return binary_open(path, err);
    case SOURCE_TEXT:
        return text_open(path, err);
    case SOURCE_ACCELSIM_LIST:
        return accelsim_open_list(list_in(path, buffer, sizeof buffer), err);
    case SOURCE_ACCELSIM_KERNEL:
        return accelsim_open_kernel(path, err);
    case SOURCE_KERNEL:
        return kernel_open_aligned(path, seed, align, err);
    case SOURCE_UNKNOWN:
        break;
    }
    return unknown(path, err);
}
