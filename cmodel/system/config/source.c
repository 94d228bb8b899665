/* SPDX-License-Identifier: Apache-2.0 */
#include "system/config/source.h"

#include <string.h>

static bool starts_with(const char *text, const char *word)
{
    const size_t n = strlen(word);
    return !strncmp(text, word, n) && (!text[n] || strchr(" :", text[n]));
}

bool source_of(const char *file, const char *comment, char text[static SOURCE_TEXT], struct error *err)
{
    const char *head = "", *joint = "";
    if (starts_with(comment, "chosen")) {
        if (strncmp(comment, "chosen: ", 8))
            return error_set(err, "found \"; %s\", expected \"; chosen: REASON\"", comment);
    } else if (starts_with(comment, "from")) {
        if (strncmp(comment, "from ", 5)) return error_set(err, "found \"; %s\", expected \"; from SOURCE\"", comment);
        comment += 5;
    } else {
        head = file;
        joint = *comment ? ": " : "";
    }
    const size_t n = strlen(head) + strlen(joint) + strlen(comment);
    if (n >= SOURCE_TEXT) return error_set(err, "a source of %zu characters; at most %d", n, SOURCE_TEXT - 1);
    stpcpy(stpcpy(stpcpy(text, head), joint), comment);
    return true;
}
