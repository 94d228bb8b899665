/* SPDX-License-Identifier: Apache-2.0 */
/* Ini text: "[section]", "key = value".  A comment starts with ';' or '#' at the start of a line or after a blank. */
#ifndef MEMTWIN_INI_H
#define MEMTWIN_INI_H
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define INI_TEXT 256 /* longest key (section, dot, key) and longest value, with the final 0 */

/* Calls item() for every assignment, the key as "section.key".  Stops at the first error of the text or of item(),
 * and prefixes it with "name:line: ". */
bool ini_parse(const char *text, const char *name,
               bool (*item)(void *context, const char *key, const char *value, uint32_t line, struct error *err),
               void *context, struct error *err);
#endif
