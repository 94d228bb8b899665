/* SPDX-License-Identifier: Apache-2.0 */
/* --capture: the inputs of one block of the machine (block_socket.h) during a run, as stimulus that lockstep replays
 * (base/vec.h). */
#ifndef MEMTWIN_CAPTURE_H
#define MEMTWIN_CAPTURE_H
#include "base/error.h"
#include "base/vec.h"
#include "system/config/config.h"

struct capture {
    char unit[32]; /* "l1d.0" */
    const char *path;
    struct vec_writer *writer; /* from the first cycle on */
    struct error err;
};

/* "UNIT=FILE.vec"; can there be such a unit in this machine? */
bool capture_parse(struct capture *c, const char *text, const struct config *config, struct error *err);
/* Can it be written, to another file than `json` (NULL: none)?  For before the run. */
bool capture_possible(const struct capture *c, const char *json, struct error *err);
/* As observer.capture calls it. */
void capture_cycle(struct capture *c, const char *block, const void *cfg, const void *in);
/* False if anything could not be recorded, or nothing was. */
bool capture_finish(struct capture *c, struct error *err);
#endif
