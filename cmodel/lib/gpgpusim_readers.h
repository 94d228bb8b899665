/* SPDX-License-Identifier: Apache-2.0 */
/* How the values of GPGPU-Sim's options are read: a reader for each form, called by its row of the table. */
#ifndef MEMTWIN_GPGPUSIM_READERS_H
#define MEMTWIN_GPGPUSIM_READERS_H
#include "lib/gpgpusim_items.h"
#include "system/config/source.h"

enum { GPGPUSIM_MAIN, GPGPUSIM_TRACE, GPGPUSIM_ICNT, GPGPUSIM_FILES };

struct gpgpusim_reading {
    struct config *c;
    struct sources *sources; /* or NULL */
    struct gpgpusim_items files[GPGPUSIM_FILES];
    struct gpgpusim_item *item; /* the one being read */
    struct gpgpusim_item plain; /* in place of one that no file has */
    bool missing[GPGPUSIM_FILES];
    bool local_crossbar;          /* the reference's own, without a file */
    uint64_t chips, ratio, width; /* of a DRAM channel: chips, transfers a clock, bytes */
    uint64_t entry, router,
        exit; /* flits of the buffers of a crossbar: where packets enter, of the router, where they leave */
    uint64_t choice[CHOICES], unified; /* KiB of shared memory, ascending, and of all it shares with the L1D */
    uint32_t choices;
    bool splits;                  /* by kernel */
    bool perfect;                 /* constant loads always hit */
    bool streams;                 /* the L1D allocates by kernel, too */
    uint64_t to_dram;             /* places of the queue from L2 to DRAM */
    uint32_t restored, overruled; /* options in comments that hold, and those that a changed line replaces */
    struct error *err;
};

typedef bool gpgpusim_reader(struct gpgpusim_reading *r, const char *value);

struct gpgpusim_row {
    const char *name;
    const char *plain;     /* LINE: the reference's default; FIXED, LACK: the value that behaves like us; NULL: none */
    gpgpusim_reader *read; /* LINE, TAKE */
    const char *here;      /* our options; NULL: none */
    const char *instead;
};

/* The rows for the options of a file. */
const struct gpgpusim_row *gpgpusim_rows(int file, size_t *count);

/* Adds to what differs from the reference in the item being read.  It stays mapped. */
void gpgpusim_note(struct gpgpusim_reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The item has no counterpart after all; true. */
bool gpgpusim_lacks(struct gpgpusim_reading *r, const char *instead);
/* Sets an option to a value that it takes, and notes the source. */
void gpgpusim_put_text(struct gpgpusim_reading *r, const char *key, const char *value);
/* Sets it to the nearest number that it takes. */
void gpgpusim_put(struct gpgpusim_reading *r, const char *key, uint64_t value);
/* "l1d" and "sets": "l1d.sets". */
const char *gpgpusim_key_in(char key[static 64], const char *section, const char *name);
#endif
