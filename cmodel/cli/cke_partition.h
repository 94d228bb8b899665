/* SPDX-License-Identifier: Apache-2.0 */
/* How many thread blocks of each workload one SM holds, chosen as Warped-Slicer does (Dai17, section 4.2.5): each
 * workload runs alone with 1, 2, 3 ... thread blocks in an SM, and of the partitions that fit the SM's resources the
 * one is taken in which the workload that loses most, against its best number, loses least.  The STP that the runs
 * alone predict has the scale of the measured one: against each workload alone with all thread blocks that fit. */
#ifndef MEMTWIN_CKE_PARTITION_H
#define MEMTWIN_CKE_PARTITION_H
#include "cli/jobs.h"

enum { MOST_BLOCKS = 64 }; /* of sm.blocks */

/* A workload's speed over the thread blocks of it that an SM holds: [1] to [most]; more do not fit. */
struct curve {
    uint32_t most;
    double ipc[MOST_BLOCKS + 1];
    struct workload_stats needs; /* of a thread block */
    char workload[256];
};

struct partition {
    uint32_t workloads;
    struct curve curve[MAX_WORKLOADS];
    uint32_t blocks[MAX_WORKLOADS];
    double least; /* the smallest share of its best speed alone that a workload is predicted to keep */
    double sum;   /* of these shares: decides between partitions with the same least */
    double stp;   /* predicted: speed with these thread blocks over that with all that fit, as cke_stp() has it */
};

/* `job` names the workloads, and the machine, seed and RTL of the runs alone. */
bool partition_best(struct partition *p, const struct job *job, uint32_t threads, bool progress, struct error *err);
void partition_table(FILE *to, const struct partition *p);
#endif
