/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Bytes of a control character at `c`: 0, 1, or 2 (U+0080 to U+009F). */
static size_t control_bytes(const unsigned char *c)
{
    if (*c < ' ' || *c == 0x7f) return 1;
    return *c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0 ? 2 : 0;
}

void text_escape(char *text, size_t size)
{
    char copy[sizeof((struct error *)0)->text];
    size_t n = 0;
    snprintf(copy, sizeof copy, "%s", text);
    for (const unsigned char *c = (const unsigned char *)copy; *c && n + sizeof "\\xc2\\x80" <= size;) {
        size_t bytes = control_bytes(c);
        if (!bytes) text[n++] = (char)*c++;
        for (; bytes; bytes--) n += (size_t)sprintf(&text[n], "\\x%02x", *c++);
    }
    text[n] = 0;
}

bool error_set(struct error *err, const char *format, ...)
{
    if (!err || err->text[0]) return false;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    text_escape(err->text, sizeof err->text);
    return false;
}
