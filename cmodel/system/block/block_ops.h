/* SPDX-License-Identifier: Apache-2.0 */
/* One face (implementation) of a block as an object: the C twin or the Verilated RTL behind the same calls,
 * indistinguishable for the harness. */
#ifndef MEMTWIN_BLOCK_OPS_H
#define MEMTWIN_BLOCK_OPS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ports.h"

struct block_ops {
    const char *name;                                    /* stem, e.g. "dl_mshr" */
    const char *face;                                    /* "model", the twin, or "rtl" */
    void *(*create)(const void *cfg, struct error *err); /* struct b_cfg; NULL and an error on failure */
    void (*destroy)(void *block);
    void (*reset)(void *block);
    void (*eval)(void *block, const void *in, void *out); /* struct b_in, struct b_out */
    void (*tick)(void *block, const void *in);
    void (*step)(void *block, const void *in, void *out); /* eval, then tick */
    bool (*idle)(const void *block); /* ticks without valid inputs are equivalent to skip; RTL: always false */
    void (*skip)(void *block, uint64_t cycles); /* as many such ticks */
    /* Its port lists as data (ports.h): each fills `d` if not NULL and returns the number of entries. */
    uint32_t (*params)(struct param_desc *d);
    uint32_t (*in_desc)(const void *cfg, struct port_desc *d);
    uint32_t (*out_desc)(const void *cfg, struct port_desc *d);
    size_t cfg_size, in_size, out_size;
};

/* Twins register themselves in a linker section; NULL: no such block. */
const struct block_ops *block_find(const char *name);
const struct block_ops *const *block_list(uint32_t *count);
/* The face of a block for the parameters `cfg`: its RTL among the sets of a folder (rtl_set.h), or without one its
 * twin. NULL and an error if there is none. */
const struct block_ops *block_face(const char *name, const char *rtl_folder, const void *cfg, struct error *err);
/* The RTL of a user for these parameters: a set of RTL, or a folder of sets.  NULL and an error if there is none. */
const struct block_ops *block_own_face(const char *name, const char *path, const void *cfg, struct error *err);
/* A list of blocks whose RTL replaces the twin: "mshr,cart=PATH", PATH being a user's RTL.  Whether the list
 * has a block; `path` becomes its path, "" without one. */
#define BLOCK_PATH 1024
bool block_in_list(const char *list, const char *block, char path[BLOCK_PATH]);
/* The parameters of struct b_cfg: "Entries=32 Slots=8 ...". */
#define BLOCK_PARAMETERS 512
void block_parameters(const struct block_ops *ops, const void *cfg, char text[BLOCK_PARAMETERS]);
/* Whether this program can load RTL. */
bool block_loads_rtl(void);

#define BLOCK_REGISTER(ops)                                                                                            \
    __attribute__((used, section("memtwin_blocks"))) static const struct block_ops *const block_registered_##ops = &ops
#endif
