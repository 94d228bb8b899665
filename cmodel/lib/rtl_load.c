/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a set of RTL (rtl_set.h).  A static program cannot, and is linked without this file. */
#include <dlfcn.h>
#include <string.h>

#include "system/block/rtl_set.h"

static bool fits(const struct rtl_set *s, const char *path, const char *block, struct error *err)
{
    if (s->version != RTL_SET_VERSION)
        return error_set(err, "%s: found version %u of a set of RTL, expected %u: make rtl BLOCK=%s builds it anew",
                         path, s->version, RTL_SET_VERSION, block);
    return !strcmp(s->ops.name, block) || error_set(err, "%s: found RTL of %s, expected %s", path, s->ops.name, block);
}

const struct rtl_set *rtl_open(const char *path, const char *block, struct error *err)
{
    void *file = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const struct rtl_set *s = file ? dlsym(file, RTL_SET_SYMBOL) : NULL;
    if (!s) error_set(err, "%s: found no set of RTL, expected one of make rtl BLOCK=%s (%s)", path, block, dlerror());
    const bool ok = s && fits(s, path, block, err);
    if (file) dlclose(file); /* it stays loaded: NODELETE */
    return ok ? s : NULL;
}
