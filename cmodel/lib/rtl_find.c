/* SPDX-License-Identifier: Apache-2.0 */
/* The set of RTL with the parameters that a machine asks for (rtl_set.h). */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "system/block/rtl_set.h"

enum { PATH = 4096 };

static int is_set(const struct dirent *e)
{
    const char *dot = strchr(e->d_name, '.'); /* SET.so; SET.waves.so is traced, and slower */
    return dot && !strcmp(dot, ".so");
}

/* An error if a set was built for other ports. */
static bool has_ports(const struct rtl_set *s, const char *path, struct error *err)
{
    const struct block_ops *twin = block_find(s->ops.name);
    return (s->ops.cfg_size == twin->cfg_size && s->ops.in_size == twin->in_size &&
            s->ops.out_size == twin->out_size) ||
           error_set(err, "%s: found other ports than the twin of %s has: make rtl BLOCK=%s rebuilds it", path,
                     twin->name, twin->name);
}

/* The set of a file if it has these parameters.  A set of a user is taken only where `own` asks for one. */
static const struct rtl_set *in_file(const char *path, const char *block, bool own, const void *cfg, struct error *err)
{
    const struct rtl_set *s = rtl_open(path, block, err);
    if (!s || (s->foreign && !own) || !has_ports(s, path, err)) return NULL;
    return memcmp(s->cfg, cfg, s->ops.cfg_size) ? NULL : s;
}

static const struct rtl_set *in_folder(const char *folder, const char *block, bool own, const void *cfg,
                                       struct error *err)
{
    char path[PATH];
    struct dirent **file;
    const struct rtl_set *found = NULL;
    const int count = scandir(folder, &file, is_set, alphasort); /* the same one on every machine */
    for (int i = 0; i < count; i++) {
        if (!found && !err->text[0] && snprintf(path, sizeof path, "%s/%s", folder, file[i]->d_name) < (int)sizeof path)
            found = in_file(path, block, own, cfg, err);
        free(file[i]);
    }
    if (count >= 0) free(file);
    return found;
}

const struct block_ops *rtl_find(const char *folder, const char *block, const void *cfg, struct error *err)
{
    char path[PATH], text[BLOCK_PARAMETERS];
    snprintf(path, sizeof path, "%s/%s", folder, block);
    const struct rtl_set *s = in_folder(path, block, false, cfg, err);
    if (s) return &s->ops;
    block_parameters(block_find(block), cfg, text);
    error_set(err, "%s: found no RTL with these parameters in %s/%s, expected: make rtl BLOCK=%s PARAMS=\"%s\"", block,
              folder, block, block, text);
    return NULL;
}

const struct block_ops *rtl_find_own(const char *path, const char *block, const void *cfg, struct error *err)
{
    char text[BLOCK_PARAMETERS];
    struct stat st;
    if (stat(path, &st)) {
        error_set(err, "--rtl %s=%s: found nothing there, expected a set of RTL (SET.so of make rtl RTL=) or a folder",
                  block, path);
        return NULL;
    }
    const struct rtl_set *s =
        S_ISDIR(st.st_mode) ? in_folder(path, block, true, cfg, err) : in_file(path, block, true, cfg, err);
    if (s) return &s->ops;
    block_parameters(block_find(block), cfg, text);
    error_set(err, "--rtl %s=%s: found no RTL with these parameters, expected: make rtl BLOCK=%s PARAMS=\"%s\" RTL=...",
              block, path, block, text);
    return NULL;
}
