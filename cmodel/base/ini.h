/* SPDX-License-Identifier: Apache-2.0 */
/* Ini text: "[section]", "key = value", comments from ';' or '#' (at the start of a line or after a blank) to its end.
 */
#ifndef MEMTWIN_INI_H
#define MEMTWIN_INI_H
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define INI_TEXT 256 /* longest key (its section and a dot before it) and longest value, with the final 0 */

/* Gives every assignment to item(), the key as "section.key".  Stops at the first error, whether of the text or of
 * item(), and says "name:line: " before it. */
bool ini_parse(const char *text, const char *name,
               bool (*item)(void *context, const char *key, const char *value, uint32_t line, struct error *err),
               void *context, struct error *err);
#endif
