/* SPDX-License-Identifier: Apache-2.0 */
#include "system/config/source.h"

#include <stdio.h>
#include <string.h>

static bool starts_with(const char *text, const char *word)
{
    const size_t n = strlen(word);
    return !strncmp(text, word, n) && (!text[n] || strchr(" :", text[n]));
}

bool source_of(const char *file, const char *comment, char text[static SOURCE_TEXT], struct error *err)
{
    int n;
    if (starts_with(comment, "chosen")) {
        if (strncmp(comment, "chosen: ", 8))
            return error_set(err, "found \"; %s\", expected \"; chosen: REASON\"", comment);
        n = snprintf(text, SOURCE_TEXT, "%s", comment);
    } else if (starts_with(comment, "from")) {
        if (strncmp(comment, "from ", 5)) return error_set(err, "found \"; %s\", expected \"; from SOURCE\"", comment);
        n = snprintf(text, SOURCE_TEXT, "%s", comment + 5);
    } else
        n = snprintf(text, SOURCE_TEXT, "%s%s%s", file, *comment ? ": " : "", comment);
    return n < SOURCE_TEXT || error_set(err, "a source of %d characters; at most %d", n, SOURCE_TEXT - 1);
}
