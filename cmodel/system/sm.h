/* The SMs: warps, schedulers, scoreboard, LSU with coalescer and L1D, and the dispatch of thread blocks to them. */
#ifndef MEMTWIN_SM_H
#define MEMTWIN_SM_H
#include "system/gpu.h"
#include "system/memory.h"
#include "trace/source.h"

struct sm_array;

struct sm_array *sm_array_create(struct env *env, struct source *source, struct error *err);
void sm_array_destroy(struct sm_array *a);
/* Connects the memory; sm_array_client() is what the memory calls back. */
struct memory_client sm_array_client(struct sm_array *a);
void sm_array_connect(struct sm_array *a, struct memory *m);
/* One SM cycle (env->sm_cycle): dispatch, then every SM that is awake. False and an error if the source fails. */
bool sm_array_tick(struct sm_array *a, struct error *err);
uint64_t sm_array_wake(const struct sm_array *a);
/* No thread block left, none running, nothing in flight. */
bool sm_array_done(const struct sm_array *a);
/* Thread blocks finished of those in the current kernel, for progress: 0..1. */
double sm_array_share(const struct sm_array *a);
bool sm_array_finish(struct sm_array *a, struct error *err);
#endif
