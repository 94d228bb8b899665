/* SPDX-License-Identifier: Apache-2.0 */
/* A machine as a configuration of another simulator, GPGPU-Sim 4 with traces (Accel-Sim). */
#ifndef MEMTWIN_GPGPUSIM_H
#define MEMTWIN_GPGPUSIM_H
#include <stdio.h>

#include "system/config/config.h"

/* Writes gpgpusim.config and memtwin.icnt into the new folder `path`.  It appears whole or not at all. */
bool gpgpusim_write(const struct config *c, const char *path, struct error *err);
/* Lists the options and behaviours that the files cannot express, one a line.  Each line starts with `prefix`. */
void gpgpusim_gaps(const struct config *c, FILE *to, const char *prefix);

/* Cycles that an instruction spends there between issue and its unit, and behind it. */
#define GPGPUSIM_PIPELINE 6
#define GPGPUSIM_VALUE 192

/* The nearest number of L2 cycles to one of SM cycles. */
uint64_t gpgpusim_l2_cycles(const struct config *c, uint64_t sm_cycles);

/* The value that the files give an option; "": they have no such line. */
void gpgpusim_value(const struct config *c, const char *option, char value[static GPGPUSIM_VALUE]);
/* The set index function of a letter of a cache; NULL: there is none. */
const char *gpgpusim_index(char letter);
#endif
