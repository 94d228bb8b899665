/* SPDX-License-Identifier: Apache-2.0 */
/* The place of a block in the machine: creates, drives and records a block, twin or RTL.
 *
 * The face is the Verilated RTL if env->rtl_blocks names the block, else the twin.  The unit identifies the instance in
 * errors and captures: "l1d.3" is the MSHR file of L1D 3; other blocks of a unit have a suffix ("l1d.3.bpg"). */
#ifndef MEMTWIN_BLOCK_SOCKET_H
#define MEMTWIN_BLOCK_SOCKET_H
#include "system/block/block_ops.h"
#include "system/unit/gpu.h"

struct block_socket {
    const struct block_ops *ops;
    void *block;
    void (*capture)(void *context, const char *block, const void *cfg, const void *in); /* NULL: not recorded */
    void *capture_context;
    const void *cfg;
    char unit[32];
};

/* `cfg` (struct b_cfg) stays owned by the caller and must outlive this.  False and an error if the RTL is
 * not built, memory is out, or a parameter is out of range; block_socket_close() is legal even then. */
bool block_socket_open(struct block_socket *s, const struct env *env, const char *block, const void *cfg,
                       const char *unit, struct error *err);
/* The same, with `twin` in the place of the block's twin, which it equals. */
bool block_socket_open_as(struct block_socket *s, const struct env *env, const struct block_ops *twin, const void *cfg,
                          const char *unit, struct error *err);
/* The same for a model that is no block: no RTL, no captures, not reported. */
bool block_socket_open_model(struct block_socket *s, const struct block_ops *model, const void *cfg, const char *unit,
                             struct error *err);
void block_socket_close(struct block_socket *s);

static inline void block_socket_eval(const struct block_socket *s, const void *in, void *out)
{
    s->ops->eval(s->block, in, out);
}

/* The clock edge. */
static inline void block_socket_tick(const struct block_socket *s, const void *in)
{
    if (s->capture) s->capture(s->capture_context, s->ops->name, s->cfg, in);
    s->ops->tick(s->block, in);
}

/* The outputs, then the clock edge. */
static inline void block_socket_step(const struct block_socket *s, const void *in, void *out)
{
    if (s->capture) s->capture(s->capture_context, s->ops->name, s->cfg, in);
    s->ops->step(s->block, in, out);
}

static inline bool block_socket_idle(const struct block_socket *s)
{
    return s->ops->idle(s->block);
}

/* So many clock edges without valid inputs. */
void block_socket_skip(const struct block_socket *s, uint64_t cycles);
#endif
