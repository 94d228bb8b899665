/* SPDX-License-Identifier: Apache-2.0 */
/* A file that appears under its name only when it is complete. */
#ifndef MEMTWIN_OUTPUT_H
#define MEMTWIN_OUTPUT_H
#include <stdio.h>

#include "base/error.h"

struct output {
    FILE *file;
    const char *path;     /* the caller's, must outlive this */
    char temporary[4096]; /* empty: written in place, as devices and pipes are */
};

bool output_open(struct output *o, const char *path, struct error *err);
/* Flushes to the disk and renames; false and an error if anything written since the start failed. */
bool output_commit(struct output *o, struct error *err);
/* Drops what was written; nothing to do after output_commit. */
void output_abandon(struct output *o);
bool output_error(const struct output *o, struct error *err); /* reports errno; always false */

/* A folder that appears under its name only when it is complete.  Files are written into `temporary` until then. */
struct output_folder {
    const char *path;     /* the caller's, must outlive this */
    char temporary[4096]; /* empty: nothing to remove */
};

bool output_folder_open(struct output_folder *f, const char *path, struct error *err); /* false: `path` exists */
bool output_folder_commit(struct output_folder *f, struct error *err);
void output_folder_abandon(struct output_folder *f);

/* Could a file be written there?  For before the work. */
bool output_possible(const char *path, struct error *err);
/* Would two paths be one file?  Never devices. */
bool output_same(const char *a, const char *b);

/* For the program: a signal that ends it removes the files that are not complete, and one of a file too large is an
 * error of the write. */
void output_catch_signals(void);
#endif
