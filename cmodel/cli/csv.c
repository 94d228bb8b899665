/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/csv.h"

#include <string.h>

void csv_text(FILE *to, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, to);
        return;
    }
    putc('"', to);
    for (; *text; text++) {
        if (*text == '"') putc('"', to);
        putc(*text, to);
    }
    putc('"', to);
}

static void leaf(FILE *to, const char *path, const json_t *value)
{
    csv_text(to, path);
    putc(',', to);
    if (json_is_string(value))
        csv_text(to, json_string_value(value));
    else if (!json_is_null(value))
        json_dumpf(value, to, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
    putc('\n', to);
}

static void lines(FILE *to, const char *path, const json_t *value)
{
    char inner[512];
    const char *key, *dot = *path ? "." : "";
    size_t i;
    json_t *item;
    if (json_is_object(value)) {
        json_object_foreach((json_t *)value, key, item)
        {
            snprintf(inner, sizeof inner, "%s%s%s", path, dot, key);
            lines(to, inner, item);
        }
    } else if (json_is_array(value)) {
        json_array_foreach(value, i, item)
        {
            snprintf(inner, sizeof inner, "%s%s%zu", path, dot, i);
            lines(to, inner, item);
        }
    } else {
        leaf(to, path, value);
    }
}

void csv_json(FILE *to, const json_t *value)
{
    fputs("key,value\n", to);
    lines(to, "", value);
}
