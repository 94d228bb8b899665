/* SPDX-License-Identifier: Apache-2.0 */
/* An error that a user will read: what, where (file, place), found, expected. */
#ifndef MEMTWIN_ERROR_H
#define MEMTWIN_ERROR_H
#include <stdbool.h>
#include <stddef.h>

struct error {
    char text[1024]; /* empty: no error */
};

/* Escapes control characters in `text`, of `size` bytes (an error's at most): "\\x1b". */
void text_escape(char *text, size_t size);

/* Writes the message if `err` holds none yet (the first cause is the one to read), escaped; always returns false. */
bool error_set(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
