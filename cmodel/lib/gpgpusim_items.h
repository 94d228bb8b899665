/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the files of GPGPU-Sim: which option has which value, and where. */
#ifndef MEMTWIN_GPGPUSIM_ITEMS_H
#define MEMTWIN_GPGPUSIM_ITEMS_H
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct gpgpusim_row;

struct gpgpusim_item {
    const char *file, *name, *value;
    uint32_t line;
    bool replaced, mapped, nearest;
    char *note; /* what differs; NULL: nothing */
    const struct gpgpusim_row *row;
};

/* Items of one file.  All 0: none. */
struct gpgpusim_items {
    char *file, *text;
    struct gpgpusim_item *at;
    uint32_t count;
};

/* "-option value", separated by blanks and new lines; "#" starts a comment; a value in quotes may have several lines.
 */
bool gpgpusim_options(struct gpgpusim_items *items, const char *file, const char *text, struct error *err);
/* "name = value;", and "//" starts a comment. */
bool gpgpusim_assignments(struct gpgpusim_items *items, const char *file, const char *text, struct error *err);
void gpgpusim_items_free(struct gpgpusim_items *items);
#endif
