/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of comma-separated values (RFC 4180). */
#ifndef MEMTWIN_CSV_H
#define MEMTWIN_CSV_H
#include <jansson.h>
#include <stdio.h>

/* Quoted if the text has a comma, a quotation mark or a line break. */
void csv_text(FILE *to, const char *text);
/* A line for each number and text of a JSON value: its path ("classes.line.reads", "kernel_list.0.warps"), the value.
 */
void csv_json(FILE *to, const json_t *value);
#endif
