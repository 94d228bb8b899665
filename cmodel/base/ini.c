/* SPDX-License-Identifier: Apache-2.0 */
#include "base/ini.h"

#include <ctype.h>
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

/* Where the comment of a line starts; its length if there is none. */
static int comment_at(struct span s)
{
    for (int i = 0;; i++) {
        i += (int)strcspn(s.start + i, ";#\n");
        if (i >= s.length) return s.length;
        if (i == 0 || isspace((unsigned char)s.start[i - 1])) return i;
    }
}

static struct span line_of(const char *text)
{
    return (struct span){text, (int)strcspn(text, "\n")};
}

static const char *next_line(struct span line)
{
    return line.start + line.length + (line.start[line.length] == '\n');
}

static bool is_indented_comment(struct span line)
{
    const int at = comment_at(line);
    return at > 0 && at < line.length && !trim((struct span){line.start, at}).length;
}

/* Appends to a text of `n` characters, and cuts it; returns its new length. */
static size_t append(char text[static INI_TEXT], size_t n, struct span s)
{
    const size_t room = INI_TEXT - 1 - n, length = (size_t)s.length < room ? (size_t)s.length : room;
    memcpy(text + n, s.start, length);
    text[n + length] = 0;
    return n + length;
}

static void read_comment(struct span line, char comment[static INI_TEXT])
{
    size_t n = 0;
    comment[0] = 0;
    do {
        const int at = comment_at(line), mark = at < line.length;
        const struct span s = trim((struct span){line.start + at + mark, line.length - at - mark});
        if (s.length && n) n = append(comment, n, (struct span){" ", 1});
        n = append(comment, n, s);
        line = line_of(next_line(line));
    } while (is_indented_comment(line));
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
    const char *dot = *section ? "." : "";
    const size_t n = strlen(section) + strlen(dot) + (size_t)left.length;
    if (n >= INI_TEXT) return error_set(err, "a key of %zu characters; at most %d", n, INI_TEXT - 1);
    stpcpy(stpcpy(stpcpy(key, section), dot), name);
    return true;
}

bool ini_parse(const char *text, const char *name,
               bool (*take)(void *context, const struct ini_item *item, struct error *err), void *context,
               struct error *err)
{
    char section[INI_TEXT] = "";
    struct ini_item item = {.line = 1};
    if (!strncmp(text, "\xef\xbb\xbf", 3)) text += 3; /* a byte-order mark of UTF-8 */
    for (struct span line; *text; text = next_line(line), item.line++) {
        line = line_of(text);
        const struct span s = trim((struct span){text, comment_at(line)});
        struct error why = {""};
        bool ok = true;
        if (s.length && *s.start == '[')
            ok = parse_section(s, section, &why);
        else if (s.length) {
            read_comment(line, item.comment);
            ok = split(s, section, item.key, item.value, &why) && take(context, &item, &why);
        }
        if (!ok) return error_set(err, "%s:%u: %.900s", name, item.line, why.text);
    }
    return true;
}
