/* SPDX-License-Identifier: Apache-2.0 */
/* Curves: the speed of each workload alone with 1, 2, 3 ... thread blocks per SM, and their types (Liang17,
 * section 4.1).
 */
#ifndef MEMTWIN_CKE_CURVES_H
#define MEMTWIN_CKE_CURVES_H
#include <jansson.h>

#include "cli/jobs.h"

enum { MOST_BLOCKS = 64 }; /* of sm.blocks */

/* Fastest with all that fit, with one thread block, or with a number between. */
enum curve_type { CURVE_UP, CURVE_OPTIMAL, CURVE_DOWN };
const char *curve_type_name(enum curve_type type);

/* Speed of a workload by its thread blocks per SM: [1] to [most]; more do not fit. */
struct curve {
    uint32_t most;
    double ipc[MOST_BLOCKS + 1];
    uint32_t opt; /* the least that are as fast as the best, up to the tolerance */
    enum curve_type type;
    struct workload_stats needs; /* of a thread block */
    char workload[256];
};

struct curves {
    uint32_t count;
    struct curve curve[MAX_WORKLOADS];
};

/* `job` names the workloads, and the machine, seed and RTL of the runs; `tolerance` is in per cent. */
bool curves_make(struct curves *c, const struct job *job, uint32_t tolerance, uint32_t threads, bool progress,
                 struct error *err);
/* With an asterisk at the marked number of each workload. */
void curves_print(FILE *to, const struct curves *c, const uint32_t marked[MAX_WORKLOADS]);
/* These two: with the resources that `opt` thread blocks use of an SM of this machine (Liang17, table III). */
void curves_table(FILE *to, const struct curves *c, const struct config *m);
json_t *curves_json(const struct curves *c, const struct config *m);
#endif
