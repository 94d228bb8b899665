/* SPDX-License-Identifier: Apache-2.0 */
#include "system/block/block_socket.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* `twin`: NULL for that of the block. */
static const struct block_ops *face(const struct env *env, const char *block, const struct block_ops *twin,
                                    const void *cfg, struct error *err)
{
    char path[BLOCK_PATH];
    if (!block_in_list(env->rtl_blocks, block, path)) return twin ? twin : block_face(block, NULL, cfg, err);
    if (*path) return block_own_face(block, path, cfg, err);
    return block_face(block, env->rtl_folder ? env->rtl_folder : "rtl", cfg, err);
}

static bool open_face(struct block_socket *s, const struct env *env, const char *block, const struct block_ops *twin,
                      const void *cfg, const char *unit, struct error *err)
{
    const struct observer *o = env->observer;
    *s = (struct block_socket){.cfg = cfg};
    snprintf(s->unit, sizeof s->unit, "%s", unit);
    struct error why = {""};
    s->ops = face(env, block, twin, cfg, &why);
    if (!s->ops) return error_set(err, "%s: %s", unit, *why.text ? why.text : "found no such block");
    if (o && o->capture && o->capture_unit && !strcmp(o->capture_unit, unit)) {
        s->capture = o->capture;
        s->capture_context = o->context;
    }
    s->block = s->ops->create(cfg, err);
    if (s->block && o && o->block) o->block(o->context, s->ops, cfg, unit);
    return s->block;
}

bool block_socket_open(struct block_socket *s, const struct env *env, const char *block, const void *cfg,
                       const char *unit, struct error *err)
{
    return open_face(s, env, block, NULL, cfg, unit, err);
}

bool block_socket_open_as(struct block_socket *s, const struct env *env, const struct block_ops *twin, const void *cfg,
                          const char *unit, struct error *err)
{
    return open_face(s, env, twin->name, twin, cfg, unit, err);
}

bool block_socket_open_model(struct block_socket *s, const struct block_ops *model, const void *cfg, const char *unit,
                             struct error *err)
{
    *s = (struct block_socket){.ops = model, .cfg = cfg};
    snprintf(s->unit, sizeof s->unit, "%s", unit);
    s->block = model->create(cfg, err);
    return s->block;
}

void block_socket_close(struct block_socket *s)
{
    if (s->block) s->ops->destroy(s->block);
}

/* A capture records every cycle, skipped ones too. */
void block_socket_skip(const struct block_socket *s, uint64_t cycles)
{
    static const uint64_t nothing[64];
    assert(s->ops->in_size <= sizeof nothing);
    for (uint64_t i = 0; s->capture && i < cycles; i++) s->capture(s->capture_context, s->ops->name, s->cfg, nothing);
    s->ops->skip(s->block, cycles);
}
