/* SPDX-License-Identifier: Apache-2.0 */
/* Text that is packed by xz, gzip or zstd while it is written: the other side of unpack.h. */
#ifndef MEMTWIN_PACK_H
#define MEMTWIN_PACK_H
#include <stdbool.h>
#include <stdio.h>

enum pack { PACK_NONE, PACK_XZ, PACK_GZIP, PACK_ZSTD, PACKS };

extern const char *const pack_name[PACKS], *const pack_suffix[PACKS]; /* "xz", ".xz" */

/* A stream whose text goes into `to`, which stays open.  Closing it ends the packed text; a failed write or pack fails
 * there, or is in ferror(to).  NULL: out of memory. */
FILE *pack_open(FILE *to, enum pack pack);
#endif
