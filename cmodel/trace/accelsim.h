/* SPDX-License-Identifier: Apache-2.0 */
/* Accel-Sim traces: a kernelslist.g with its kernel-N.traceg files, or one .traceg, plain or packed, as written by its
 * tracer (versions 0 to 6) and post-processing, or one .tracez.  traces/README.md defines the mapping to instructions.
 */
#ifndef MEMTWIN_ACCELSIM_H
#define MEMTWIN_ACCELSIM_H
#include "trace/pack.h"
#include "trace/source.h"
#include "trace/walk.h"

struct source *accelsim_open_list(const char *path, struct error *err);   /* a kernelslist.g */
struct source *accelsim_open_kernel(const char *path, struct error *err); /* a .traceg */

/* How a kernel's trace is written. */
struct accelsim_form {
    uint32_t version; /* of the tracer, 3 to 6 */
    bool tracez;      /* a .tracez, else a .traceg */
    enum pack pack;   /* of a .traceg */
};

/* Writes a workload as a folder with a kernelslist.g and a file per kernel, which appears under its name only when it
 * is complete and must not exist before.  The source is used up but stays the caller's. */
bool accelsim_write(struct source *source, const char *path, const struct accelsim_form *form,
                    const struct trace_progress *progress, struct error *err);

/* Approximations of the opcode mapping: LOSS(name, meaning). */
#define ACCELSIM_LOSSES(LOSS)                                                                                          \
    LOSS(unknown_opcodes, "instructions of an unknown opcode: int")                                                    \
    LOSS(dropped_registers, "source registers beyond the fourth of an instruction: no dependence")                     \
    LOSS(second_destinations, "instructions with a second destination register: no dependence on it")                  \
    LOSS(tensor_instructions, "tensor instructions (HMMA, IMMA ...): one tensor each")                                 \
    LOSS(textures, "texture and surface accesses: int, no traffic")                                                    \
    LOSS(constants, "loads of constants (LDC, ULDC) without addresses: int, no traffic")                               \
    LOSS(fences, "fences and cache control (MEMBAR, CCTL ...): int, nothing waits and no line is invalidated")         \
    LOSS(tensor_memory, "accesses of tensor memory (LDTM, STTM, UTCCP ...): int, no cycles there")                     \
    LOSS(copies, "asynchronous copies (LDGSTS): their writes to shared memory take no cycles there")                   \
    LOSS(arrivals, "arrivals at mbarriers (ARRIVES) without an address: int, no copy is waited for")                   \
    LOSS(                                                                                                              \
        bulk_copies,                                                                                                   \
        "bulk copies and reductions (UTMALDG, UTMASTG, UBLKCP ...): accesses of up to 32 lanes, each an instruction; " \
        "their accesses of shared memory take no cycles")                                                              \
    LOSS(bulk_prefetches, "bulk prefetches (UTMAPF, UBLKPF): loads, whose data also go to the SM")                     \
    LOSS(bulk_commands, "commands to the bulk copy unit (UTMACMDFLUSH, UTMACCTL ...): int, no store is waited for")    \
    LOSS(mbarriers, "accesses of mbarriers (SYNCS): a load of shared memory; lanes do not follow each other")          \
    LOSS(mbarrier_tests, "tests of mbarriers: the j-th of a warp's m tests waits for j/m of the thread block's "       \
                         "copies that arrive there")                                                                   \
    LOSS(mbarrier_waits, "tests of mbarriers at which no copy arrives: int, nothing is waited for")                    \
    LOSS(distributed_shared, "accesses of another thread block's shared memory (STAS, REDAS ...): of the own one")     \
    LOSS(clusters, "thread blocks that are not the first of their cluster: dispatched one by one")                     \
    LOSS(cluster_barriers, "waits at a barrier of the cluster (UCGABAR_WAIT): of the thread block alone")              \
    LOSS(partial_barriers, "barriers of a part of the thread block's threads: int, nothing is waited for")             \
    LOSS(replays, "spin loops that the trace has once (REPLAY_START): one pass")                                       \
    LOSS(empty_blocks, "thread blocks that a .tracez lacks: empty")                                                    \
    LOSS(shared_atomics, "atomics of shared memory: a load; lanes with one word do not follow each other")             \
    LOSS(few_matrices, "LDSM and STSM of fewer than four matrices: all lanes' addresses count")                        \
    LOSS(half_barriers, "BAR.ARV: int, does not count as an arrival")                                                  \
    LOSS(no_windows, "generic accesses without a window of shared or local memory in the header: global")              \
    LOSS(mixed_windows, "generic accesses of several memories: all lanes as the first one")                            \
    LOSS(added_exits, "warps without a final EXIT: one is added")                                                      \
    LOSS(other_streams,                                                                                                \
         "kernels of another stream than the first one's: one after the other in a trace of memtwin's own")

enum accelsim_loss {
#define ACCELSIM_LOSS(name, meaning) LOSS_##name,
    ACCELSIM_LOSSES(ACCELSIM_LOSS)
#undef ACCELSIM_LOSS
        LOSS_none,
    LOSSES = LOSS_none
};

/* Counted over the thread blocks opened so far. */
struct accelsim_counts {
    uint64_t loss[LOSSES + 1];
    char first_unknown[32]; /* the first unknown opcode; empty: none */
};

/* Names, as keys, and meanings. */
extern const char *const accelsim_loss_name[LOSSES], *const accelsim_loss_meaning[LOSSES];

/* False if the source is not an Accel-Sim trace. */
bool accelsim_counts(const struct source *source, struct accelsim_counts *counts);
#endif
