/* A file that appears under its name only when it is complete. */
#ifndef MEMTWIN_OUTPUT_H
#define MEMTWIN_OUTPUT_H
#include <stdio.h>

#include "base/error.h"

struct output {
    FILE *file;
    const char *path;     /* the caller's, must outlive this */
    char temporary[4096]; /* empty: written in place, as devices are */
};

bool output_open(struct output *o, const char *path, struct error *err);
/* Flushes to the disk and renames; false and an error if anything written since the start failed. */
bool output_commit(struct output *o, struct error *err);
/* Drops what was written; nothing to do after output_commit. */
void output_abandon(struct output *o);
bool output_error(const struct output *o, struct error *err); /* reports errno; always false */
#endif
