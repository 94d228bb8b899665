/* SPDX-License-Identifier: Apache-2.0 */
#include "system/stats/observe.h"

const char *const place_names[PLACES] = {
    /* clang-format off */
    [AT_COALESCER] = "coalescer",
    [AT_TLB_MISS] = "tlb miss",
    [AT_L1D_HIT] = "l1d hit",
    [AT_L1D_MISS] = "l1d miss",
    [AT_L1D_MERGE] = "l1d merge",
    [AT_L1D_REFUSED] = "l1d refused",
    [AT_L1D_BYPASS] = "l1d bypass",
    [AT_L1D_WRITE] = "l1d write",
    [AT_MISS_QUEUE] = "miss queue",
    [AT_XBAR_IN] = "crossbar in",
    [AT_L2_IN] = "l2 in",
    [AT_L2_HIT] = "l2 hit",
    [AT_L2_MISS] = "l2 miss",
    [AT_L2_MERGE] = "l2 merge",
    [AT_L2_BYPASS] = "l2 bypass",
    [AT_L2_REFUSED] = "l2 refused",
    [AT_DRAM_QUEUE] = "dram queue",
    [AT_DRAM_ISSUE] = "dram issue",
    [AT_DRAM_DONE] = "dram done",
    [AT_L2_FILL] = "l2 fill",
    [AT_XBAR_BACK] = "crossbar back",
    [AT_L1D_FILL] = "l1d fill",
    [AT_DONE] = "done",
    /* clang-format on */
};
