/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration files of GPGPU-Sim 4 with traces (Accel-Sim) as a machine: gpgpusim.config, and, beside it,
 * trace.config and the crossbar's file.  An option of theirs is mapped to options of ours, or has no counterpart.  A
 * value that no option of ours takes becomes the nearest one.  A file of trace.config's options alone modifies the
 * machine so far. */
#ifndef MEMTWIN_GPGPUSIM_READ_H
#define MEMTWIN_GPGPUSIM_READ_H
#include <stdio.h>

#include "system/config/source.h"

/* Options of all files, each counted once. */
struct gpgpusim_counts {
    uint32_t options, mapped, nearest; /* nearest: of those mapped, to a value that is not the same */
    bool no_trace, no_crossbar;        /* whether these files were not found */
};

/* Whether it is such a file, not an ini file: by its name, or by its first character. */
bool gpgpusim_is(const char *path, const char *text);

/* Applies the text of the file `path`.  `sources` may be NULL.  Lists every option in `report`, unless it is NULL, each
 * line as a comment of an ini file.  False and an error with file, line, option, found and expected: the file is
 * damaged; then `c` is unchanged. */
bool gpgpusim_read(struct config *c, struct sources *sources, const char *path, const char *text, FILE *report,
                   struct gpgpusim_counts *counts, struct error *err);
/* Applies the file `path`, whether it is such a file or an ini file, which leaves `counts` as they are. */
bool gpgpusim_or_ini(struct config *c, struct sources *sources, const char *path, struct gpgpusim_counts *counts,
                     struct error *err);
#endif
