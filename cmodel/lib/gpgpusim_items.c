/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/gpgpusim_items.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

/* A place in the text, which is cut into words. */
struct place {
    const struct gpgpusim_items *items;
    char *at;
    uint32_t line;
};

static bool complain(const struct place *p, uint32_t line, const char *found, const char *expected, struct error *err)
{
    return error_set(err, "%s:%u: found \"%.200s\", expected %s", p->items->file, line, found, expected);
}

/* Overwrites comments with blanks. */
static void blank_comments(char *text, const char *mark)
{
    while ((text = strstr(text, mark)) != NULL)
        while (*text && *text != '\n') *text++ = ' ';
}

static void skip_blanks(struct place *p)
{
    for (; isspace((unsigned char)*p->at); p->at++) p->line += *p->at == '\n';
}

static bool begin(struct gpgpusim_items *items, struct place *p, const char *file, const char *text,
                  const char *comment, struct error *err)
{
    *items = (struct gpgpusim_items){.file = strdup(file), .text = strdup(text), .at = calloc(MOST, sizeof *items->at)};
    if (!items->file || !items->text || !items->at) return error_set(err, "%s: out of memory", file);
    *p = (struct place){items, items->text, 1};
    if (!strncmp(p->at, "\xef\xbb\xbf", 3)) p->at += 3; /* a byte-order mark of UTF-8 */
    blank_comments(p->at, comment);
    skip_blanks(p);
    return true;
}

static bool add(struct gpgpusim_items *items, const struct place *p, uint32_t line, const char *name, const char *value,
                struct error *err)
{
    if (items->count == MOST)
        return error_set(err, "%s:%u: found more than %d options: not a config file", items->file, p->line, MOST);
    for (uint32_t i = 0; i < items->count; i++)
        if (!strcmp(items->at[i].name, name)) items->at[i].replaced = true;
    items->at[items->count++] = (struct gpgpusim_item){.file = items->file, .name = name, .value = value, .line = line};
    return true;
}

static bool is_name(const char *word)
{
    const char *rest = word + 1;
    if (*word != '-' || !isalpha((unsigned char)*rest)) return false;
    while (isalnum((unsigned char)*rest) || *rest == '_' || *rest == ':') rest++;
    return !*rest;
}

/* The word at `p`, cut off, and moves to the next one. */
static char *take_word(struct place *p)
{
    char *word = p->at;
    while (*p->at && !isspace((unsigned char)*p->at)) p->at++;
    if (*p->at) {
        p->line += *p->at == '\n';
        *p->at++ = 0;
    }
    skip_blanks(p);
    return word;
}

/* The text between quotes, with one blank for several blanks and new lines; NULL: they do not end. */
static char *take_quoted(struct place *p)
{
    char *word = ++p->at, *to = word, *end = strchr(word, '"');
    if (!end) return NULL;
    while (p->at < end)
        if (isspace((unsigned char)*p->at)) {
            skip_blanks(p);
            *to++ = ' ';
        } else
            *to++ = *p->at++;
    p->at = end + 1;
    *to = 0;
    skip_blanks(p);
    return word;
}

static bool take_option(struct gpgpusim_items *items, struct place *p, struct error *err)
{
    const uint32_t line = p->line;
    const char *name = take_word(p);
    if (!is_name(name)) return complain(p, line, name, "-option value", err);
    const uint32_t value_line = p->line;
    const bool quoted = *p->at == '"';
    const char *value = quoted ? take_quoted(p) : take_word(p);
    if (!value) return error_set(err, "%s:%u: %s: found no end of the quoted value", items->file, value_line, name);
    if (!quoted && (!*value || is_name(value)))
        return error_set(err, "%s:%u: %s: found %s%s, expected a value", items->file, line, name,
                         *value ? "the option " : "nothing", value);
    return add(items, p, line, name, value, err);
}

bool gpgpusim_options(struct gpgpusim_items *items, const char *file, const char *text, struct error *err)
{
    struct place p;
    bool ok = begin(items, &p, file, text, "#", err);
    while (ok && *p.at) ok = take_option(items, &p, err);
    return ok;
}

/* Cuts blanks off the end. */
static char *cut(char *word)
{
    for (size_t n = strlen(word); n && isspace((unsigned char)word[n - 1]);) word[--n] = 0;
    return word;
}

static bool take_assignment(struct gpgpusim_items *items, struct place *p, struct error *err)
{
    const uint32_t line = p->line;
    char *name = p->at, *end = strchr(name, ';');
    if (!end) return complain(p, line, cut(name), "name = value;", err);
    for (; p->at < end; p->at++) p->line += *p->at == '\n';
    *p->at++ = 0;
    skip_blanks(p);
    char *equals = strchr(name, '=');
    if (!equals || equals == name) return complain(p, line, name, "name = value;", err);
    *equals++ = 0;
    equals += strspn(equals, " \t\r\n");
    cut(name);
    cut(equals);
    if (strpbrk(name, " \t\r\n")) return complain(p, line, name, "one name in front of '='", err);
    if (!*equals) return error_set(err, "%s:%u: %s: found nothing, expected a value", items->file, line, name);
    return add(items, p, line, name, equals, err);
}

bool gpgpusim_assignments(struct gpgpusim_items *items, const char *file, const char *text, struct error *err)
{
    struct place p;
    bool ok = begin(items, &p, file, text, "//", err);
    while (ok && *p.at) ok = take_assignment(items, &p, err);
    return ok;
}

void gpgpusim_items_free(struct gpgpusim_items *items)
{
    for (uint32_t i = 0; i < items->count; i++) free(items->at[i].note);
    free(items->at);
    free(items->text);
    free(items->file);
    *items = (struct gpgpusim_items){0};
}
