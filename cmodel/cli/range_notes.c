/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/range_notes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const rules[RANGE_RULES] = {"ends", "bounds"};

static void print_gaps(FILE *to, const struct ranges *r, const struct range_gaps *g)
{
    if (!r->array_count) fprintf(to, "; the workload declares no arrays");
    if (g->elsewhere)
        fprintf(to, "; %" PRIu64 " of %" PRIu64 " accesses are outside all arrays", g->elsewhere, g->accesses);
    if (g->bare)
        fprintf(to, "; %" PRIu64 " of %" PRIu64 " thread blocks have no rectangle and no locality with another",
                g->bare, g->blocks);
    if (g->flat)
        fprintf(to, "; %" PRIu32 " of %" PRIu32 " arrays have no pitch: each is one row", g->flat, r->array_count);
    if (g->crowded)
        fprintf(to, "; %" PRIu32 " of %" PRIu32 " kernels access more than %u arrays: the %u with most accesses count",
                g->crowded, g->kernels, RANGE_SLOTS, RANGE_SLOTS);
}

char *range_note(const struct ranges *r, enum range_rule rule)
{
    const struct range_gaps g = ranges_gaps(r, rule);
    char *text = NULL;
    size_t size;
    if (r->array_count && !g.elsewhere && !g.bare && !g.flat && !g.crowded) return NULL;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    fprintf(to, "%s: access ranges (sm.ranges = %s)", r->name, rules[rule]);
    print_gaps(to, r, &g);
    fclose(to);
    return text;
}
