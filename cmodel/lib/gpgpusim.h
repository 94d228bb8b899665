/* SPDX-License-Identifier: Apache-2.0 */
/* A machine as a configuration of another simulator, GPGPU-Sim 4 with traces (Accel-Sim). */
#ifndef MEMTWIN_GPGPUSIM_H
#define MEMTWIN_GPGPUSIM_H
#include <stdio.h>

#include "system/config/config.h"

/* Print the two files.  `noted`: comment lines for the reader. */
void gpgpusim_print_config(FILE *to, const struct config *c, const char *noted);
void gpgpusim_print_icnt(FILE *to, const struct config *c);
/* Lists the options and behaviours that the files cannot express, one a line.  Each line starts with `prefix`. */
void gpgpusim_gaps(const struct config *c, FILE *to, const char *prefix);

/* SM cycles that an instruction or access spends there on a path besides the latency that its file names: a chain of
 * dependent instructions of one warp takes so many more. */
enum {
    GPGPUSIM_PIPELINE =
        6, /* between issue and a unit, and behind it; with sm.sub_cores one less of this and the next two */
    GPGPUSIM_SHARED_PATH = 5, /* of a load of shared memory */
    GPGPUSIM_L1D_PATH = 4,    /* of a hit */
    GPGPUSIM_DATA = 3,        /* of it, behind the tags, with sm.sub_cores */
    GPGPUSIM_L2_PATH = 6      /* between L1D and L2, and back */
};
#define GPGPUSIM_VALUE 192
/* Starts a comment with an option of ours that no line can express. */
#define GPGPUSIM_NOTED "# memtwin: "

/* The nearest number of L2 cycles to one of SM cycles. */
uint64_t gpgpusim_l2_cycles(const struct config *c, uint64_t sm_cycles);

/* The value that the files give an option; "": they have no such line. */
void gpgpusim_value(const struct config *c, const char *option, char value[static GPGPUSIM_VALUE]);
/* The set index function of a letter of a cache; NULL: there is none. */
const char *gpgpusim_index(char letter);
#endif
