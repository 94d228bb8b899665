/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 character at `c`; 0: it is none. */
static size_t utf8_bytes(const unsigned char *c)
{
    const size_t bytes = *c < 0x80 ? 1 : *c >> 5 == 6 ? 2 : *c >> 4 == 14 ? 3 : *c >> 3 == 30 ? 4 : 0;
    for (size_t i = 1; i < bytes; i++)
        if (c[i] >> 6 != 2) return 0;
    return bytes;
}

/* Bytes of a control character at `c`: 0, 1, or 2 (U+0080 to U+009F).  A byte of no UTF-8 character is one, too. */
static size_t control_bytes(const unsigned char *c)
{
    if (*c < ' ' || *c == 0x7f || !utf8_bytes(c)) return 1;
    return *c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0 ? 2 : 0;
}

/* Characters that look like a blank or like nothing. */
static const struct {
    uint16_t first, last;
} invisible[] = {{0xa0, 0xa0},     {0xad, 0xad},     {0x34f, 0x34f},   {0x61c, 0x61c},   {0x115f, 0x1160},
                 {0x1680, 0x1680}, {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x2000, 0x200f}, {0x2028, 0x202f},
                 {0x205f, 0x206f}, {0x2800, 0x2800}, {0x3000, 0x3000}, {0x3164, 0x3164}, {0xfe00, 0xfe0f},
                 {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff9, 0xfffb}};

/* Bytes of such a character at `c`, of two or three; 0: another one. */
static size_t invisible_bytes(const unsigned char *c, unsigned *code)
{
    const size_t bytes = utf8_bytes(c);
    if (bytes != 2 && bytes != 3) return 0;
    *code = bytes == 2 ? *c & 0x1fu : *c & 0xfu;
    for (size_t i = 1; i < bytes; i++) *code = *code << 6 | (c[i] & 0x3fu);
    for (size_t i = 0; i < sizeof invisible / sizeof *invisible; i++)
        if (*code >= invisible[i].first && *code <= invisible[i].last) return bytes;
    return 0;
}

void text_escape(char *text, size_t size)
{
    char copy[sizeof((struct error *)0)->text];
    size_t n = 0;
    snprintf(copy, sizeof copy, "%s", text);
    for (const unsigned char *c = (const unsigned char *)copy; *c && n + sizeof "\\xc2\\x80" <= size;) {
        unsigned code = 0;
        size_t escaped = control_bytes(c);
        const size_t unseen = escaped ? 0 : invisible_bytes(c, &code);
        size_t plain = escaped || unseen ? 0 : utf8_bytes(c);
        if (unseen) n += (size_t)sprintf(&text[n], "<U+%04X>", code);
        c += unseen;
        for (; escaped; escaped--) n += (size_t)sprintf(&text[n], "\\x%02x", *c++);
        for (; plain; plain--) text[n++] = (char)*c++;
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
