/* SPDX-License-Identifier: Apache-2.0 */
/* Locality of global reads: who accessed a line last before it is read (Khairy15, section 3.1, figure 3).
 *
 * A read is one 128-byte line of a load after coalescing.  The last access to that line, a load, store or atomic, gives
 * its class.  Thread blocks run one after another, in the order of the trace; interleaving is not modelled.  Block b of
 * a kernel is on SM b modulo `sms`. */
#ifndef MEMTWIN_LOCALITY_H
#define MEMTWIN_LOCALITY_H
#include "trace/source.h"
#include "trace/walk.h"

#define LOCALITY_CLASSES(X)                                                                                            \
    X(COLD, "cold", "the first access to the line")                                                                    \
    X(INTRA_THREAD, "intra-thread", "by the same warp, a lane of this read among its lanes")                           \
    X(INTRA_WARP, "intra-warp", "by other lanes of the same warp")                                                     \
    X(INTRA_BLOCK, "intra-block", "by another warp of the same thread block")                                          \
    X(INTRA_CORE, "intra-core", "by another thread block on the same SM")                                              \
    X(INTER_CORE, "inter-core", "by a thread block on another SM")                                                     \
    X(INTER_KERNEL, "inter-kernel", "by an earlier kernel")

#define LOCALITY_CODE(code, name, text) LOCALITY_##code,
enum locality_class { LOCALITY_CLASSES(LOCALITY_CODE) LOCALITY_COUNT };

struct locality {
    char name[256], identity[65];
    uint32_t sms;
    uint64_t reads, of[LOCALITY_COUNT];
};

/* Reads all of the source, which stays owned by the caller.  False and an error if it fails. */
bool locality_collect(struct source *source, uint32_t sms, struct locality *l, const struct trace_progress *progress,
                      struct error *err);
#endif
