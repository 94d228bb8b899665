/* SPDX-License-Identifier: Apache-2.0 */
/* Ini text: "[section]", "key = value".  A comment starts with ';' or '#' at the start of a line or after a blank. */
#ifndef MEMTWIN_INI_H
#define MEMTWIN_INI_H
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define INI_TEXT 256 /* longest key (section, dot, key) and longest value, with the final 0 */

struct ini_item {
    char key[INI_TEXT], value[INI_TEXT]; /* the key as "section.key" */
    char comment[INI_TEXT];              /* of its line and of indented comment lines below it; a longer one is cut */
    uint32_t line;
};

/* Calls take() for every assignment.  Stops at the first error of the text or of take(), and prefixes it with
 * "name:line: ". */
bool ini_parse(const char *text, const char *name,
               bool (*take)(void *context, const struct ini_item *item, struct error *err), void *context,
               struct error *err);
#endif
