/* A full-system run: a workload through the whole machine. */
#ifndef MEMTWIN_RUN_H
#define MEMTWIN_RUN_H
#include "base/error.h"
#include "system/config.h"
#include "system/observe.h"
#include "system/stats.h"
#include "trace/source.h"

struct run_setup {
    struct config config;
    struct source *source;          /* stays the caller's */
    const char *rtl_blocks;         /* comma-separated block stems whose Verilated RTL replaces the twin; "" or NULL: none */
    const struct observer *observer; /* NULL: none */
};

/* Runs to the end and checks the conservation laws; false and an error if anything fails, `stats` then holds what was
 * counted so far. No state outlives the call, so any number of runs may go on in parallel threads. */
bool run_workload(const struct run_setup *setup, struct stats *stats, struct error *err);
#endif
