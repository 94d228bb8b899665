#include "system/block_socket.h"

#include <stdio.h>
#include <string.h>

static bool names_block(const char *list, const char *block)
{
    size_t n = strlen(block);
    for (; list && *list; list += strcspn(list, ","), list += *list == ',')
        if (strcspn(list, ",") == n && !memcmp(list, block, n)) return true;
    return false;
}

bool block_socket_open(struct block_socket *s, const struct env *env, const char *block, const void *cfg,
                       const char *unit, struct error *err)
{
    const char *face = names_block(env->rtl_blocks, block) ? "rtl" : "model";
    const struct observer *o = env->observer;
    *s = (struct block_socket){.ops = block_find(block, face), .cfg = cfg};
    snprintf(s->unit, sizeof s->unit, "%s", unit);
    if (!s->ops)
        return error_set(err,
                         "%s: no face \"%s\" of block %s is linked into this program; build/memtwin-rtl has the RTL",
                         unit, face, block);
    if (o && o->capture && o->capture_unit && !strcmp(o->capture_unit, unit)) {
        s->capture = o->capture;
        s->capture_context = o->context;
    }
    s->block = s->ops->create(cfg, err);
    return s->block;
}

void block_socket_close(struct block_socket *s)
{
    if (s->block) s->ops->destroy(s->block);
    s->block = NULL;
}
