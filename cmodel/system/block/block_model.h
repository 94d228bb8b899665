/* SPDX-License-Identifier: Apache-2.0 */
/* The face "model": a C twin as a struct block_ops.  BLOCK_MODEL(b, B) defines and registers it for block `b` with the
 * lists `B_...`; blocks.mk generates one such line per block.  A twin may have b_step(), which equals b_eval() and then
 * b_tick(), for less work. */
#ifndef MEMTWIN_BLOCK_MODEL_H
#define MEMTWIN_BLOCK_MODEL_H
#include <stdlib.h>

#include "system/block/block_ops.h"

/* Checks that every parameter of `cfg` is in range.  The error names parameter, value and range. */
bool block_check(const char *block, const struct param_desc *params, uint32_t count, const void *cfg,
                 struct error *err);

#define BLOCK_MODEL(b, B)                                                                                              \
    BLOCK_DESC(b, B)                                                                                                   \
    static void *b##_model_create(const void *cfg, struct error *err)                                                  \
    {                                                                                                                  \
        struct param_desc params[sizeof(struct b##_cfg) / sizeof(uint32_t)];                                           \
        if (!block_check(#b, params, b##_params(params), cfg, err)) return NULL;                                       \
        struct b *m = calloc(1, sizeof *m);                                                                            \
        if (!m) {                                                                                                      \
            error_set(err, #b ": out of memory: %zu bytes for its twin", sizeof *m);                                   \
            return NULL;                                                                                               \
        }                                                                                                              \
        b##_init(m, cfg);                                                                                              \
        return m;                                                                                                      \
    }                                                                                                                  \
    static void b##_model_reset(void *m)                                                                               \
    {                                                                                                                  \
        b##_reset(m);                                                                                                  \
    }                                                                                                                  \
    static void b##_model_eval(void *m, const void *in, void *out)                                                     \
    {                                                                                                                  \
        b##_eval(m, in, out);                                                                                          \
    }                                                                                                                  \
    static void b##_model_tick(void *m, const void *in)                                                                \
    {                                                                                                                  \
        b##_tick(m, in);                                                                                               \
    }                                                                                                                  \
    __attribute__((weak)) void b##_step(struct b *, const struct b##_in *, struct b##_out *);                          \
    static void b##_model_step(void *m, const void *in, void *out)                                                     \
    {                                                                                                                  \
        if (b##_step) {                                                                                                \
            b##_step(m, in, out);                                                                                      \
            return;                                                                                                    \
        }                                                                                                              \
        b##_eval(m, in, out);                                                                                          \
        b##_tick(m, in);                                                                                               \
    }                                                                                                                  \
    static bool b##_model_idle(const void *m)                                                                          \
    {                                                                                                                  \
        return b##_idle(m);                                                                                            \
    }                                                                                                                  \
    static void b##_model_skip(void *m, uint64_t cycles)                                                               \
    {                                                                                                                  \
        b##_skip(m, cycles);                                                                                           \
    }                                                                                                                  \
    static uint32_t b##_model_in(const void *cfg, struct port_desc *d)                                                 \
    {                                                                                                                  \
        return b##_in_desc(cfg, d);                                                                                    \
    }                                                                                                                  \
    static uint32_t b##_model_out(const void *cfg, struct port_desc *d)                                                \
    {                                                                                                                  \
        return b##_out_desc(cfg, d);                                                                                   \
    }                                                                                                                  \
    static const struct block_ops b##_model = {#b,                                                                     \
                                               "model",                                                                \
                                               b##_model_create,                                                       \
                                               free,                                                                   \
                                               b##_model_reset,                                                        \
                                               b##_model_eval,                                                         \
                                               b##_model_tick,                                                         \
                                               b##_model_step,                                                         \
                                               b##_model_idle,                                                         \
                                               b##_model_skip,                                                         \
                                               b##_params,                                                             \
                                               b##_model_in,                                                           \
                                               b##_model_out,                                                          \
                                               sizeof(struct b##_cfg),                                                 \
                                               sizeof(struct b##_in),                                                  \
                                               sizeof(struct b##_out)};                                                \
    BLOCK_REGISTER(b##_model)
#endif
