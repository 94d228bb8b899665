/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/accelsim_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "trace/digest.h"
#include "trace/lines.h"

/* `path` becomes its own; `list` is for messages. */
static bool add_path(struct accelsim_files *f, const char *list, char *path, struct error *err)
{
    uint32_t n = f->count;
    struct accelsim_file *grown = n & (n - 1) ? f->kernel : realloc(f->kernel, (n ? 2 * (size_t)n : 1) * sizeof *grown);
    if (grown) f->kernel = grown;
    if (!grown || !path) {
        free(path);
        return error_set(err, "%s: out of memory", list);
    }
    f->kernel[f->count++] = (struct accelsim_file){path, f->copied};
    return true;
}

/* A kernel's file is in the folder of the list.  Its name is the rest of the line, with the blanks within it. */
static bool add_kernel(struct accelsim_files *f, const char *list, const char *name, struct error *err)
{
    const char *slash = strrchr(list, '/');
    char *path = NULL;
    int length = (int)strlen(name);
    while (length && strchr(" \t", name[length - 1])) length--;
    if (asprintf(&path, "%.*s%.*s", slash ? (int)(slash - list + 1) : 0, list, length, name) < 0) path = NULL;
    return add_path(f, list, path, err);
}

static bool parse_list_line(struct accelsim_files *f, struct source *source, const char *list, uint64_t number,
                            char *line, struct error *err)
{
    line += strspn(line, " \t");
    if (!*line || *line == '#' || !strncmp(line, "nccl", 4)) return true;
    f->copied += !strncmp(line, "Memcpy", 6);
    if (!strncmp(line, "MemcpyDtoH", 10)) return true;
    if (!strncmp(line, "MemcpyHtoD,", 11))
        return accelsim_copy_add(&f->copies, source, f->count, list, number, line + 11, err);
    if (!strncmp(line, "kernel", 6)) return add_kernel(f, list, line, err);
    return error_set(err, "%s:%" PRIu64 ": found '%.200s', expected MemcpyHtoD,ADDRESS,BYTES or kernel-N.traceg", list,
                     number, line);
}

static bool parse_list(struct accelsim_files *f, const char *list, struct source *source, struct error *err)
{
    struct lines *lines = lines_open(list, err);
    enum source_status status = lines ? SOURCE_OK : SOURCE_ERROR;
    char *line;
    while (status == SOURCE_OK && (status = lines_next(lines, &line, err)) == SOURCE_OK) {
        if (!parse_list_line(f, source, list, lines_number(lines), line, err)) status = SOURCE_ERROR;
    }
    lines_close(lines);
    if (status != SOURCE_END || !accelsim_copies_allocate(&f->copies, list, source, err)) return false;
    return f->count || error_set(err, "%s: found no kernels", list);
}

/* Hashes a file's length and its first and last 64 KiB; hashing a whole trace before the run would take too long. */
static bool hash_file(XXH3_state_t *state, const char *path, struct error *err)
{
    static const long piece = 65536;
    FILE *file = fopen(path, "rb");
    char *data = malloc((size_t)piece);
    bool done = file && data && fseek(file, 0, SEEK_END) == 0;
    long size = done ? ftell(file) : 0;
    for (int i = 0; done && i < 2; i++) {
        done = fseek(file, i && size > piece ? size - piece : 0, SEEK_SET) == 0;
        if (done) XXH3_128bits_update(state, data, fread(data, 1, (size_t)piece, file));
    }
    char length[32];
    XXH3_128bits_update(state, length, (size_t)snprintf(length, sizeof length, "%ld", size));
    if (file) fclose(file);
    free(data);
    return done || error_set(err, "%s: cannot be read", path);
}

/* Sets the identity: a digest of the files, not of the instructions. */
static bool identify(const struct accelsim_files *f, const char *path, struct source *source, struct error *err)
{
    XXH3_state_t *state = XXH3_createState();
    if (!state || XXH3_128bits_reset(state) != XXH_OK) return error_set(err, "%s: out of memory", path);
    bool done = hash_file(state, path, err);
    for (uint32_t i = 0; done && i < f->count; i++) done = hash_file(state, f->kernel[i].path, err);
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
    XXH3_freeState(state);
    char text[65];
    digest_text(canonical.digest, text);
    snprintf(source->identity, sizeof source->identity, "files-%.50s", text);
    return done;
}

bool accelsim_files_open(struct accelsim_files *f, const char *path, bool list, struct source *source,
                         struct error *err)
{
    const bool done = list ? parse_list(f, path, source, err) : add_path(f, path, strdup(path), err);
    return done && identify(f, path, source, err);
}

void accelsim_files_free(struct accelsim_files *f)
{
    for (uint32_t i = 0; i < f->count; i++) free(f->kernel[i].path);
    free(f->kernel);
    free(f->copies.list);
}
