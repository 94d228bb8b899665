/* SPDX-License-Identifier: Apache-2.0 */
/* --blocks: the blocks of each machine, with their parameters. */
#ifndef MEMTWIN_BLOCKS_H
#define MEMTWIN_BLOCKS_H
#include "cli/jobs.h"

/* Builds the machine of each job and prints its blocks; no machine runs a cycle.  Returns the exit status. */
int blocks_show(const struct job *jobs, uint32_t count, const struct result_files *files, bool quiet);
#endif
