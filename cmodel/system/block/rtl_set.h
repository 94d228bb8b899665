/* SPDX-License-Identifier: Apache-2.0 */
/* The Verilated RTL of one parameter set as a shared object: `make rtl BLOCK=mshr SET=l1d' builds
 * build/rtl/mshr/l1d.so. The machine, lockstep and SystemC load the same file.  It needs nothing of the program that
 * loads it; cosim/rtl_set.cpp is its source. */
#ifndef MEMTWIN_RTL_SET_H
#define MEMTWIN_RTL_SET_H
#include "system/block/block_ops.h"

#define RTL_SET_SYMBOL "memtwin_rtl_set" /* const struct rtl_set, the one symbol that the file exports */
enum { RTL_SET_VERSION = 3 };            /* of the structs below; a file of another version is refused */

/* Calls for test benches, with an instance of create_random().  `in` and `out` are struct b_in and b_out, `twin` is
 * struct b.  A cycle is settle(), then edge(); inputs may be settled several times. */
struct rtl_bench {
    void *(*create_random)(uint64_t seed);                 /* registers and tables start with random bits */
    void (*clip)(void *in);                                /* cuts inputs to the widths of their ports */
    void (*settle)(void *rtl, const void *in, bool reset); /* clock low */
    void (*sample)(const void *rtl, void *out);
    bool (*outputs_differ)(const void *rtl, const void *out);
    bool (*edge)(void *rtl); /* clock high; false: an assertion of the RTL does not hold, which Verilator prints */
    /* Registers and tables; NULL: those of this RTL are not compared. */
    void (*load)(const void *rtl, void *twin);
    bool (*state_differs)(const void *rtl, const void *twin);
    /* A wave of the RTL, and of the outputs and registers of a twin beside it (NULL: none); NULL: not a traced build.
     */
    void (*wave)(void *rtl, const char *path, const void *out, const void *twin);
    void (*dump)(void *rtl, uint64_t time);
    /* Calls each(to, name) for the signals of a wave that was written: "TOP.mt_mshr.addr_q[0][3:0]". */
    void (*signals)(const char *path, void *to, void (*each)(void *to, const char *name));
    /* Writes Verilator's coverage file: the most hits of each point in one of the instances that were destroyed so far,
     * counted from the end of its first reset.  NULL: not a build with coverage. */
    void (*coverage)(const char *path);
};

struct rtl_set {
    uint32_t version;
    const char *set;        /* its name */
    const char *module;     /* of the RTL */
    const void *cfg;        /* struct b_cfg */
    size_t twin_size;       /* of struct b */
    bool foreign;           /* RTL of a user: rtl_find_own() alone takes it */
    struct block_ops ops;   /* for the machine; reset() is a cycle of reset */
    struct rtl_bench bench; /* destroyed by ops.destroy(), too */
};

/* Loads one file.  NULL and an error that names it if it is none, or is of another version or block.  It stays loaded.
 */
const struct rtl_set *rtl_open(const char *path, const char *block, struct error *err);
/* The RTL with these parameters among folder/BLOCK/ *.so.  NULL and an error with the command that builds it. */
const struct block_ops *rtl_find(const char *folder, const char *block, const void *cfg, struct error *err);
/* The same of a user's RTL: `path` is a set, or a folder of sets. */
const struct block_ops *rtl_find_own(const char *path, const char *block, const void *cfg, struct error *err);
#endif
