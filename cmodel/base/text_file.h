/* SPDX-License-Identifier: Apache-2.0 */
/* A configuration file of any format, read as a whole. */
#ifndef MEMTWIN_TEXT_FILE_H
#define MEMTWIN_TEXT_FILE_H
#include "base/error.h"

/* The text of a file of at most 1 MiB without a zero byte; free() it.  NULL and an error naming the file if there is
 * none, or it is something else. */
char *text_file_read(const char *path, struct error *err);
#endif
