/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of memtwin.h: a machine, and its stepped half. */
#ifndef MEMTWIN_LIB_MACHINE_H
#define MEMTWIN_LIB_MACHINE_H
#include "lib/memtwin.h"
#include "system/config/config.h"
#include "system/stats/stats.h"

enum { QUEUE_DEFAULT = 8, QUEUE_MOST = 65536 };

struct stepped; /* stepped.h */

struct memtwin {
    struct config config;
    struct stats stats;
    uint32_t queue;                /* accesses of an SM */
    bool enters_memory;            /* "enter=memory" */
    bool ran;                      /* memtwin_run() was called */
    char *rtl_blocks, *rtl_folder; /* as in run.h; NULL: not given */
    struct stepped *stepped;
};

/* Copies the message for the caller, who may not want it; always false. */
bool machine_failed(struct memtwin_error *to, const struct error *from);
#endif
