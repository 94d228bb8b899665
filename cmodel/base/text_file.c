/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT (1 << 20)

static bool read_all(FILE *f, char *text, const char *path, struct error *err)
{
    const size_t n = fread(text, 1, LIMIT + 1, f);
    if (ferror(f)) return error_set(err, "%s: cannot be read: %s", path, strerror(errno));
    if (n > LIMIT) return error_set(err, "%s: longer than %d bytes: not a config file", path, LIMIT);
    if (memchr(text, 0, n)) return error_set(err, "%s: holds a zero byte: not a config file", path);
    text[n] = 0;
    return true;
}

char *text_file_read(const char *path, struct error *err)
{
    FILE *f = fopen(path, "r");
    char *text = f ? malloc(LIMIT + 1) : NULL;
    if (!f)
        error_set(err, "%s: cannot be read: %s", path, strerror(errno));
    else if (!text)
        error_set(err, "%s: out of memory", path);
    else if (!read_all(f, text, path, err)) {
        free(text);
        text = NULL;
    }
    if (f) fclose(f);
    return text;
}
