/* SPDX-License-Identifier: Apache-2.0 */
/* A file that appears under its name only when it is complete: written to a temporary file, then renamed. */
#ifndef MEMTWIN_OUTPUT_H
#define MEMTWIN_OUTPUT_H
#include <stdio.h>

#include "base/error.h"

struct output {
    FILE *file;
    const char *path;     /* owned by the caller, must outlive this */
    char temporary[4096]; /* empty: written in place (devices, pipes) */
};

bool output_open(struct output *o, const char *path, struct error *err);
/* Flushes to the disk and renames.  False and an error if any write failed. */
bool output_commit(struct output *o, struct error *err);
/* Discards the file.  No effect after output_commit(). */
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

/* Whether a file can be written there.  Call it before the work, so that a bad path fails at once. */
bool output_possible(const char *path, struct error *err);
/* Whether two paths name the same file.  Devices never do. */
bool output_same(const char *a, const char *b);

/* Installs signal handlers: a fatal signal removes incomplete files; SIGXFSZ becomes a write error. */
void output_catch_signals(void);
#endif
