/* SPDX-License-Identifier: Apache-2.0 */
/* Thread blocks of each workload per SM, chosen as Warped-Slicer does (Xu16; Dai17, section 4.2.5).  Each workload
 * runs alone with 1, 2, 3 ... thread blocks per SM.  Of the partitions that fit the SM, the one with the smallest
 * maximum loss is chosen, loss being relative to the workload's best run alone.  The predicted STP is relative to
 * each workload alone with all thread blocks that fit, as cke_stp() is. */
#ifndef MEMTWIN_CKE_PARTITION_H
#define MEMTWIN_CKE_PARTITION_H
#include "cli/cke_curves.h"

struct partition {
    struct curves curves; /* in: made before */
    uint32_t blocks[MAX_WORKLOADS];
    double least; /* the smallest predicted share of a workload's best speed alone */
    double sum;   /* sum of these shares: breaks ties of `least` */
    double stp;   /* predicted: speed with these thread blocks over speed with all that fit, as in cke_stp() */
};

bool partition_best(struct partition *p, const struct config *c, struct error *err);
void partition_table(FILE *to, const struct partition *p);
#endif
