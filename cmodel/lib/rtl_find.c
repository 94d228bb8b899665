/* SPDX-License-Identifier: Apache-2.0 */
/* The set of RTL with the parameters that a machine asks for (rtl_set.h). */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/block/rtl_set.h"

enum { PATH = 4096 };

static int is_set(const struct dirent *e)
{
    const char *dot = strchr(e->d_name, '.'); /* SET.so; SET.waves.so is traced, and slower */
    return dot && !strcmp(dot, ".so");
}

/* Whether a set has these parameters; an error if it was built for other ports. */
static bool has(const struct rtl_set *s, const char *path, const void *cfg, struct error *err)
{
    const struct block_ops *twin = block_find(s->ops.name);
    if (s->foreign) return false;
    if (s->ops.cfg_size != twin->cfg_size || s->ops.in_size != twin->in_size || s->ops.out_size != twin->out_size)
        return error_set(err, "%s: found other ports than the twin of %s has: make rtl BLOCK=%s rebuilds it", path,
                         twin->name, twin->name);
    return !memcmp(s->cfg, cfg, s->ops.cfg_size);
}

static const struct rtl_set *find(const char *folder, const char *block, const void *cfg, struct error *err)
{
    char path[PATH];
    struct dirent **file;
    const struct rtl_set *found = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, block);
    const int count = scandir(path, &file, is_set, alphasort); /* the same one on every machine */
    for (int i = 0; i < count; i++) {
        if (!found && !err->text[0] &&
            snprintf(path, sizeof path, "%s/%s/%s", folder, block, file[i]->d_name) < (int)sizeof path) {
            const struct rtl_set *s = rtl_open(path, block, err);
            if (s && has(s, path, cfg, err)) found = s;
        }
        free(file[i]);
    }
    if (count >= 0) free(file);
    return found;
}

const struct block_ops *rtl_find(const char *folder, const char *block, const void *cfg, struct error *err)
{
    const struct rtl_set *s = find(folder, block, cfg, err);
    if (s) return &s->ops;
    char text[BLOCK_PARAMETERS];
    block_parameters(block_find(block), cfg, text);
    error_set(err, "%s: found no RTL with these parameters in %s/%s, expected: make rtl BLOCK=%s PARAMS=\"%s\"", block,
              folder, block, block, text);
    return NULL;
}
