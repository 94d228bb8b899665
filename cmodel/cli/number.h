/* SPDX-License-Identifier: Apache-2.0 */
/* Real numbers in the forms of a result; a ratio may be no number (base/ratio.h). */
#ifndef MEMTWIN_NUMBER_H
#define MEMTWIN_NUMBER_H
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { NUMBER_TEXT = 64, NUMBER_DIGITS = 12 }; /* significant digits in a file */

/* With so many decimals, or "-".  Return `text`. */
const char *number_text(char text[static NUMBER_TEXT], double value, int decimals);
const char *number_percent(char text[static NUMBER_TEXT], double share, int decimals, const char *sign);
json_t *number_json(double value);             /* a real, or null */
json_t *number_of(uint64_t value, bool there); /* an integer, or null if there is none */
void number_csv(FILE *to, double value);       /* or nothing */
#endif
