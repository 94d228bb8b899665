/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of `memtwin cke`, and its runs. */
#ifndef MEMTWIN_CKE_RUNS_H
#define MEMTWIN_CKE_RUNS_H
#include "cli/machine.h"
#include "cli/result.h"

enum { CKE_CASES = 1024 };

enum cke_rule { RULE_EVEN, RULE_BEST, RULE_STATIC };
/* Values of --partition.  The first and the last are also values of cke.partition. */
static const char *const cke_rules[] = {"even", "best", "static", NULL};
enum cke_pool { POOL_NONE, POOL_COMPLEMENTARY, POOL_IN_ORDER };

struct cke_arguments {
    struct machine_choice machine;
    const char *workloads[MAX_WORKLOADS], *cases[CKE_CASES];
    uint32_t workload_count, case_count, threads;
    const char *rtl, *capture;
    struct result_files files;
    uint64_t seed;
    enum cke_rule rule;
    enum cke_pool pool;
    uint32_t tolerance; /* per cent */
    bool quiet, curves, until_end;
};

/* These two return the exit status. */
int cke_run(struct cke_arguments *a);
int cke_show_curves(const struct cke_arguments *a);
#endif
