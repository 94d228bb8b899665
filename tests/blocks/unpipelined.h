/* SPDX-License-Identifier: Apache-2.0 */
/* Reference model of an MSHR file, without pipeline, states or pointers: lines with queues of requests, and sets in
 * use. A cycle calls ref_request() when the request under way commits, ref_pop() and ref_fill(); the order is the
 * caller's. */
#ifndef MEMTWIN_TESTS_BLOCKS_UNPIPELINED_H
#define MEMTWIN_TESTS_BLOCKS_UNPIPELINED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mshr_file.h"

enum { REF_SETS = 64, REF_SLOTS = 512 };

struct ref_line {
    bool used;
    uint64_t addr;
    uint32_t info[REF_SLOTS], n; /* requests in order of arrival */
    bool write[REF_SLOTS];
    uint32_t data[REF_SLOTS];
    uint32_t set[REF_SETS], sets; /* sets it owns, in order */
};

struct ref {
    uint32_t sets, slots, reserved;
    bool links; /* false: a line owns one set */
    bool busy[REF_SETS];
    struct ref_line line[REF_SETS];
    struct ref_line *draining; /* NULL: none */
    uint32_t out;              /* its requests that have come out */
    bool error;
};

struct ref_answer {
    enum mshr_result result;
    uint32_t set;
};

static inline struct ref_line *ref_find(struct ref *r, uint64_t addr)
{
    for (uint32_t i = 0; i < r->sets; i++)
        if (r->line[i].used && r->line[i].addr == addr) return &r->line[i];
    return NULL;
}

static inline uint32_t ref_count(const struct ref *r, uint32_t from, uint32_t to)
{
    uint32_t n = 0;
    for (uint32_t i = from; i < to; i++) n += !r->busy[i];
    return n;
}

/* The lowest free set of from..to-1, or -1. */
static inline int ref_free(const struct ref *r, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (!r->busy[i]) return (int)i;
    return -1;
}

static inline void ref_take(struct ref *r, struct ref_line *l, int set)
{
    r->busy[set] = true;
    l->set[l->sets++] = (uint32_t)set;
}

static inline struct ref_answer ref_request(struct ref *r, uint64_t addr, uint32_t info, bool write, uint32_t data)
{
    struct ref_answer a = {MSHR_SECONDARY, 0};
    struct ref_line *l = ref_find(r, addr);
    if (l && l == r->draining) return (struct ref_answer){MSHR_RF_DRAIN, 0};
    if (!l) {
        int set = ref_free(r, 0, r->reserved);
        if (set < 0) set = ref_free(r, r->reserved, r->sets);
        if (set < 0) return (struct ref_answer){MSHR_RF_ENTRY, 0};
        for (l = r->line; l->used; l++) {
        }
        *l = (struct ref_line){.used = true, .addr = addr};
        ref_take(r, l, set);
        a.result = MSHR_PRIMARY;
    } else if (l->n == l->sets * r->slots) {
        const int set = r->links ? ref_free(r, r->reserved, r->sets) : -1;
        if (set < 0) return (struct ref_answer){MSHR_RF_MERGE, 0};
        ref_take(r, l, set);
    }
    l->info[l->n] = info;
    l->write[l->n] = write;
    l->data[l->n++] = data;
    a.set = l->set[l->sets - 1];
    return a;
}

/* The oldest request of the draining line leaves; a set is free when nothing of it is left. */
static inline void ref_pop(struct ref *r)
{
    struct ref_line *l = r->draining;
    const bool last = ++r->out == l->n;
    if (last || r->out % r->slots == 0) r->busy[l->set[(r->out - 1) / r->slots]] = false;
    if (last) {
        l->used = false;
        r->draining = NULL;
    }
}

static inline void ref_fill(struct ref *r, uint64_t addr)
{
    r->draining = ref_find(r, addr);
    r->out = 0;
    r->error = r->error || !r->draining;
}

static inline uint32_t ref_slots(const struct ref *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->sets; i++) n += r->line[i].used ? r->line[i].n : 0;
    return r->draining ? n - r->out : n;
}
#endif
