/* SPDX-License-Identifier: Apache-2.0 */
#include "base/ini.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct span {
    const char *start;
    int length;
};

static struct span trim(struct span s)
{
    while (s.length && isspace((unsigned char)*s.start)) s.start++, s.length--;
    while (s.length && isspace((unsigned char)s.start[s.length - 1])) s.length--;
    return s;
}

static struct span without_comment(struct span s)
{
    for (int i = 0; i < s.length; i++)
        if ((s.start[i] == ';' || s.start[i] == '#') && (i == 0 || isspace((unsigned char)s.start[i - 1])))
            s.length = i;
    return trim(s);
}

static bool copy(char *to, struct span s, const char *what, struct error *err)
{
    if (s.length >= INI_TEXT) return error_set(err, "%s of %d characters; at most %d", what, s.length, INI_TEXT - 1);
    memcpy(to, s.start, (size_t)s.length);
    to[s.length] = 0;
    return true;
}

static bool parse_section(struct span s, char *section, struct error *err)
{
    if (s.length < 3 || s.start[s.length - 1] != ']')
        return error_set(err, "found \"%.*s\", expected [section]", s.length, s.start);
    return copy(section, trim((struct span){s.start + 1, s.length - 2}), "a section name", err);
}

static bool split(struct span s, const char *section, char *key, char *value, struct error *err)
{
    const char *equals = memchr(s.start, '=', (size_t)s.length);
    if (!equals) return error_set(err, "found \"%.*s\", expected key = value", s.length, s.start);
    struct span left = trim((struct span){s.start, (int)(equals - s.start)});
    struct span right = trim((struct span){equals + 1, (int)(s.start + s.length - equals - 1)});
    if (!left.length) return error_set(err, "found \"%.*s\", expected a key before '='", s.length, s.start);
    char name[INI_TEXT];
    if (!copy(name, left, "a key", err) || !copy(value, right, "a value", err)) return false;
    int n = snprintf(key, INI_TEXT, "%s%s%s", section, *section ? "." : "", name);
    return n < INI_TEXT || error_set(err, "a key of %d characters; at most %d", n, INI_TEXT - 1);
}

bool ini_parse(const char *text, const char *name,
               bool (*item)(void *context, const char *key, const char *value, uint32_t line, struct error *err),
               void *context, struct error *err)
{
    char section[INI_TEXT] = "", key[INI_TEXT], value[INI_TEXT];
    for (uint32_t line = 1; *text; line++) {
        int length = (int)strcspn(text, "\n");
        struct span s = without_comment((struct span){text, length});
        text += length + (text[length] == '\n');
        struct error why = {""};
        bool ok = true;
        if (s.length && *s.start == '[')
            ok = parse_section(s, section, &why);
        else if (s.length)
            ok = split(s, section, key, value, &why) && item(context, key, value, line, &why);
        if (!ok) return error_set(err, "%s:%u: %.900s", name, line, why.text);
    }
    return true;
}
