/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/accelsim_copies.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace/check.h"
#include "trace/lines.h"

/* A list that doubles whenever it is full; NULL: out of memory. */
static void *with_room(void *list, uint32_t n, size_t size)
{
    return n & (n - 1) ? list : realloc(list, (n ? 2 * (size_t)n : 1) * size);
}

bool accelsim_copy_add(struct accelsim_copies *c, struct source *source, uint32_t kernel, const char *list,
                       uint64_t line, char *rest, struct error *err)
{
    char *addr = token_next(&rest, ", \t"), *bytes = token_next(&rest, ", \t");
    struct accelsim_copy copy = {.line = line};
    if (!addr || !bytes || !token_number(addr, 16, UINT64_MAX, &copy.addr) ||
        !token_number(bytes, 10, UINT64_MAX, &copy.last))
        return error_set(err, "%s:%" PRIu64 ": expected MemcpyHtoD,ADDRESS,BYTES", list, line);
    if (copy.last == 0) return true;
    copy.last += copy.addr - 1;
    if (copy.last < copy.addr) return error_set(err, "%s:%" PRIu64 ": found an allocation beyond 2^64", list, line);
    struct accelsim_copy *all = with_room(c->list, c->count, sizeof *all);
    if (all) c->list = all;
    struct host_copy *ordered = with_room(source->copies, source->copy_count, sizeof *ordered);
    if (ordered) source->copies = ordered;
    if (!all || !ordered) return error_set(err, "%s: out of memory", list);
    c->list[c->count++] = copy;
    source->copies[source->copy_count++] = (struct host_copy){copy.addr, copy.last - copy.addr + 1, kernel};
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct accelsim_copy *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int by_line(const void *a, const void *b)
{
    const struct accelsim_copy *x = a, *y = b;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Overlapping copies form one allocation, at the position of the first. */
static void merge(struct accelsim_copies *c)
{
    uint32_t merged = 0;
    struct accelsim_copy *list = c->list;
    if (!c->count) return;
    qsort(list, c->count, sizeof *list, by_address);
    for (uint32_t i = 1; i < c->count; i++) {
        struct accelsim_copy *m = &list[merged];
        if (list[i].addr > m->last) {
            list[++merged] = list[i];
            continue;
        }
        if (list[i].last > m->last) m->last = list[i].last;
        if (list[i].line < m->line) m->line = list[i].line;
    }
    c->count = merged + 1;
    qsort(list, c->count, sizeof *list, by_line);
}

bool accelsim_copies_allocate(struct accelsim_copies *c, const char *list, struct source *source, struct error *err)
{
    merge(c);
    for (uint32_t i = 0; i < c->count; i++) {
        const struct accelsim_copy *copy = &c->list[i];
        const uint64_t above_first = copy->last - copy->addr;
        struct allocation a = {.addr = copy->addr, .bytes = above_first + (above_first < UINT64_MAX)};
        char place[sizeof err->text];
        snprintf(a.name, sizeof a.name, "copy%" PRIu32, i);
        snprintf(place, sizeof place, "%.950s:%" PRIu64, list, copy->line);
        if (!source_allocate(source, &a, place, err)) return false;
    }
    return true;
}
