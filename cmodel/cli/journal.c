/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/journal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void journal_at(struct journal *j, const struct request *r, enum place place, uint32_t unit, uint64_t cycle)
{
    if (j->count == j->room) {
        size_t room = j->room ? 2 * j->room : 64;
        struct journal_entry *grown = realloc(j->entries, room * sizeof *grown);
        if (!grown) return;
        j->entries = grown;
        j->room = room;
    }
    j->entries[j->count] = (struct journal_entry){*r, place, unit, j->count, cycle};
    j->count++;
}

static int by_request(const void *a, const void *b)
{
    const struct journal_entry *x = a, *y = b;
    if (x->request.id != y->request.id) return x->request.id < y->request.id ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void print_head(FILE *to, const struct request *r)
{
    static const char *const kinds[] = {"read", "write", "atomic"};
    fprintf(to, "request %" PRIu64 ": %s of line 0x%" PRIx64 ", %u bytes, SM %u\n", r->id, kinds[r->kind],
            r->line << LINE_SHIFT, r->bytes, r->sm);
    fprintf(to, "  %12s %8s  %-4s %s\n", "cycle", "passed", "unit", "place");
}

static void print_entry(FILE *to, const struct journal_entry *e, uint64_t first)
{
    fprintf(to, "  %12" PRIu64 " %8" PRIu64 "  %-4u %s\n", e->cycle, e->cycle - first, e->unit, place_names[e->place]);
}

char *journal_text(struct journal *j)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (j->count) qsort(j->entries, j->count, sizeof *j->entries, by_request);
    uint64_t first = 0;
    for (size_t i = 0; to && i < j->count; i++) {
        const struct journal_entry *e = &j->entries[i];
        if (i == 0 || e[-1].request.id != e->request.id) {
            first = e->cycle;
            print_head(to, &e->request);
        }
        print_entry(to, e, first);
    }
    if (to) fclose(to);
    free(j->entries);
    *j = (struct journal){0};
    return text;
}
