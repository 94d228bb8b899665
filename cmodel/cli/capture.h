/* SPDX-License-Identifier: Apache-2.0 */
/* --capture: records the inputs of one block of the machine (block_socket.h) as stimulus that lockstep replays
 * (base/vec.h). */
#ifndef MEMTWIN_CAPTURE_H
#define MEMTWIN_CAPTURE_H
#include "base/error.h"
#include "base/vec.h"
#include "cli/result.h"
#include "system/config/config.h"

struct capture {
    char unit[32]; /* "l1d.0" */
    const char *path;
    struct vec_writer *writer; /* from the first cycle on */
    struct error err;
};

/* Parses "UNIT=FILE.vec"; false if this machine has no such unit. */
bool capture_parse(struct capture *c, const char *text, const struct config *config, struct error *err);
/* Whether the file can be written and is none of the others.  Call it before the run. */
bool capture_possible(const struct capture *c, const struct result_files *others, struct error *err);
/* Callback for observer.capture. */
void capture_cycle(struct capture *c, const char *block, const void *cfg, const void *in);
/* False if a write failed or nothing was recorded. */
bool capture_finish(struct capture *c, struct error *err);
#endif
