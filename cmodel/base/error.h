/* SPDX-License-Identifier: Apache-2.0 */
/* An error message for the user: location (file and line), found, expected. */
#ifndef MEMTWIN_ERROR_H
#define MEMTWIN_ERROR_H
#include <stdbool.h>
#include <stddef.h>

struct error {
    char text[1024]; /* empty: no error */
};

/* Escapes control characters of `text` as "\\x1b", other characters without a sign of their own as "<U+00A0>".  `size`:
 * of the buffer, at most that of an error. */
void text_escape(char *text, size_t size);

/* Writes the message, escaped, if `err` is empty: the first error is the cause.  Always returns false. */
bool error_set(struct error *err, const char *format, ...) __attribute__((cold, format(printf, 2, 3)));
#endif
