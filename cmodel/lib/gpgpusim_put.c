/* SPDX-License-Identifier: Apache-2.0 */
/* The options that a line of GPGPU-Sim sets, and notes on how it differs. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/gpgpusim_readers.h"
#include "system/config/options.h"

void __attribute__((format(printf, 2, 3))) gpgpusim_note(struct gpgpusim_reading *r, const char *format, ...)
{
    char *text = NULL, *all = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) text = NULL;
    va_end(args);
    r->item->nearest = true;
    if (text && r->item->note && asprintf(&all, "%s; %s", r->item->note, text) >= 0) {
        free(r->item->note);
        free(text);
        r->item->note = all;
    } else if (!r->item->note)
        r->item->note = text;
    else
        free(text);
}

bool gpgpusim_lacks(struct gpgpusim_reading *r, const char *instead)
{
    gpgpusim_note(r, "%s", instead);
    r->item->mapped = r->item->nearest = false;
    return true;
}

void gpgpusim_put_text(struct gpgpusim_reading *r, const char *key, const char *value)
{
    char assignment[128];
    uint32_t count;
    const struct config_option *all = option_list(&count);
    snprintf(assignment, sizeof assignment, "%s=%s", key, value);
    const struct config_option *o = option_set(r->c, assignment, r->err);
    if (!o || !r->sources) return;
    char *to = r->sources->of[o - all];
    if (r->item->line)
        snprintf(to, SOURCE_TEXT, "%.160s:%u: %.80s", r->item->file, r->item->line, r->item->name);
    else
        snprintf(to, SOURCE_TEXT, "GPGPU-Sim 4: default of %.80s", r->item->name);
}

void gpgpusim_put(struct gpgpusim_reading *r, const char *key, uint64_t value)
{
    const struct config_option *o = option_find(key);
    const uint64_t taken = value < o->min ? o->min : value > o->max ? o->max : value;
    char text[24];
    if (taken != value)
        gpgpusim_note(r, "%s = %" PRIu64 ", the nearest of %u..%u to %" PRIu64, key, taken, o->min, o->max, value);
    snprintf(text, sizeof text, "%" PRIu64, taken);
    gpgpusim_put_text(r, key, text);
}
