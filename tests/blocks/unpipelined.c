/* SPDX-License-Identifier: Apache-2.0 */
/* Both files, under random traffic with back-pressure, against a file without pipeline: every output, every cycle. */
#include "unpipelined.h"

#include "base/rng.h"
#include "files.h"

enum { CYCLES = 60000 };

/* The inputs of a cycle; both files have the same input ports. */
struct drive {
    bool request, write, fill, take;
    uint64_t addr, fill_addr;
    uint32_t info, data;
};

struct traffic {
    struct rng rng;
    uint32_t request, fill, take, lines, wrong; /* percent; number of lines */
};

static uint32_t pick(struct rng *rng, const uint32_t *of, uint32_t n)
{
    return of[rng_below(rng, n)];
}

static bool percent(struct rng *rng, uint32_t p)
{
    return rng_below(rng, 100) < p;
}

/* Now and then the mix changes: floods, trickles, one line, many lines, a drain that nobody takes. */
static void change(struct traffic *t, uint32_t sets)
{
    t->request = pick(&t->rng, (uint32_t[]){100, 90, 50, 10}, 4);
    t->fill = pick(&t->rng, (uint32_t[]){0, 3, 15, 50, 100}, 5);
    t->take = pick(&t->rng, (uint32_t[]){100, 90, 50, 10}, 4);
    t->lines = pick(&t->rng, (uint32_t[]){1, 2, 3, sets, 2 * sets}, 5);
    t->wrong = pick(&t->rng, (uint32_t[]){0, 0, 0, 10}, 4);
}

/* Fills name a line that waits, or the line asked for in this or the last cycle, which may just become one that waits.
 */
static struct drive draw(struct traffic *t, struct ref *r, uint64_t previous)
{
    struct drive d = {.request = percent(&t->rng, t->request), .take = percent(&t->rng, t->take)};
    d.addr = 1000 + rng_below(&t->rng, t->lines);
    d.write = percent(&t->rng, 50);
    d.info = (uint32_t)rng_below(&t->rng, 1u << 24);
    d.data = (uint32_t)rng_u64(&t->rng);
    const struct ref_line *l = &r->line[rng_below(&t->rng, r->sets)];
    const bool waits = l->used && l != r->draining;
    d.fill_addr = waits ? l->addr : percent(&t->rng, 50) ? previous : d.addr;
    d.fill = percent(&t->rng, waits || d.fill_addr == previous ? t->fill : t->wrong);
    return d;
}

/* Outputs that depend on the state at the start of the cycle alone. */
struct seen {
    bool drain_valid, drain_write, drain_last, error;
    uint64_t drain_addr;
    uint32_t drain_info, drain_data, free, free_reserved, used_slots;
};

static struct seen look(const struct ref *r)
{
    struct seen s = {.free = ref_count(r, r->reserved, r->sets),
                     .free_reserved = ref_count(r, 0, r->reserved),
                     .used_slots = ref_slots(r),
                     .error = r->error,
                     .drain_valid = r->draining};
    if (r->draining) {
        const struct ref_line *l = r->draining;
        s.drain_addr = l->addr;
        s.drain_info = l->info[r->out];
        s.drain_write = l->write[r->out];
        s.drain_data = l->data[r->out];
        s.drain_last = r->out + 1 == l->n;
    }
    return s;
}

/* The two files differ in their types only. */
#define DRIVE(type, d)                                                                                                 \
    (struct type)                                                                                                      \
    {                                                                                                                  \
        .req_valid_i = (d).request, .req_addr_i = (d).addr, .req_info_i = (d).info, .req_write_i = (d).write,          \
        .req_data_i = {(d).data}, .fill_valid_i = (d).fill, .fill_addr_i = (d).fill_addr, .drain_ready_i = (d).take    \
    }
#define SAME(field, value)                                                                                             \
    cr_assert_eq(out.field, value, "seed %lu cycle %u: " #field " is %lu, not %lu", seed, c, (unsigned long)out.field, \
                 (unsigned long)(value))
#define SAME_SEEN(s)                                                                                                   \
    do {                                                                                                               \
        SAME(drain_valid_o, (s).drain_valid);                                                                          \
        SAME(drain_addr_o, (s).drain_addr);                                                                            \
        SAME(drain_info_o, (s).drain_info);                                                                            \
        SAME(drain_write_o, (s).drain_write);                                                                          \
        SAME(drain_data_o[0], (s).drain_data);                                                                         \
        SAME(drain_last_o, (s).drain_last);                                                                            \
        SAME(free_o, (s).free);                                                                                        \
        SAME(free_reserved_o, (s).free_reserved);                                                                      \
        SAME(used_slots_o, (s).used_slots);                                                                            \
        SAME(error_o, (s).error ? MSHR_ERROR_FILL : MSHR_OK);                                                          \
    } while (0)

static void run_mshr(uint32_t entries, uint32_t slots, unsigned long seed)
{
    struct mshr *m = mshr_new(entries, slots, 32);
    struct ref r = {.sets = entries, .slots = slots};
    struct traffic t;
    uint32_t results[5] = {0};
    rng_seed(&t.rng, seed);
    for (uint32_t c = 0; c < CYCLES; c++) {
        if (c % 300 == 0) change(&t, entries);
        const struct drive d = draw(&t, &r, 1000);
        const struct mshr_in in = DRIVE(mshr_in, d);
        struct mshr_out out;
        mshr_eval(m, &in, &out);
        const struct seen s = look(&r);
        SAME_SEEN(s);
        if (r.draining && d.take) ref_pop(&r);
        SAME(fill_ready_o, !r.draining);
        if (d.fill && !r.draining) ref_fill(&r, d.fill_addr);
        struct ref_answer a = {0};
        if (d.request) a = ref_request(&r, d.addr, d.info, d.write, d.data);
        results[a.result] += d.request;
        SAME(req_ready_o, true);
        SAME(rsp_valid_o, d.request);
        SAME(rsp_result_o, a.result);
        SAME(rsp_set_o, a.set);
        mshr_tick(m, &in);
    }
    for (uint32_t i = 0; i < 5; i++) cr_assert(results[i] > 100 || (i == MSHR_SECONDARY && slots == 1), "result %u", i);
    free(m);
}

/* The request that was taken in the cycle before, and how many sets it has yet to walk over. */
struct pending {
    bool valid;
    struct drive d;
    uint32_t walk;
};

static struct pending accept(struct ref *r, const struct drive *d, bool tail_ptr)
{
    const struct ref_line *l = ref_find(r, d->addr);
    return (struct pending){d->request, *d, l && l != r->draining && !tail_ptr ? l->sets - 1 : 0};
}

static void run_dl_mshr(uint32_t sets, uint32_t slots, uint32_t reserved, bool tail_ptr, unsigned long seed)
{
    struct dl_mshr *m = dl_new(sets, slots, reserved, tail_ptr, 32);
    struct ref r = {.sets = sets, .slots = slots, .reserved = reserved, .links = true};
    struct traffic t;
    struct pending p = {0};
    uint32_t results[5] = {0};
    rng_seed(&t.rng, seed);
    for (uint32_t c = 0; c < CYCLES; c++) {
        if (c % 300 == 0) change(&t, sets);
        const struct drive d = draw(&t, &r, p.valid ? p.d.addr : 1000);
        const struct dl_mshr_in in = DRIVE(dl_mshr_in, d);
        struct dl_mshr_out out;
        dl_mshr_eval(m, &in, &out);
        const struct seen s = look(&r);
        SAME_SEEN(s);
        const bool walks = p.valid && p.walk > 0, answers = p.valid && !walks;
        struct ref_answer a = {0};
        if (answers) a = ref_request(&r, p.d.addr, p.d.info, p.d.write, p.d.data);
        results[a.result] += answers;
        SAME(rsp_valid_o, answers);
        SAME(rsp_result_o, a.result);
        SAME(rsp_set_o, a.set);
        if (r.draining && d.take && out.drain_valid_o) ref_pop(&r);
        SAME(fill_ready_o, !r.draining && !walks);
        if (d.fill && !r.draining && !walks) ref_fill(&r, d.fill_addr);
        SAME(req_ready_o, !walks);
        if (walks)
            p.walk--;
        else
            p = accept(&r, &d, tail_ptr);
        dl_mshr_tick(m, &in);
    }
    for (uint32_t i = 0; i < 5; i++) cr_assert(results[i] > 100, "result %u", i);
    free(m);
}

Test(unpipelined, mshr_does_what_a_file_without_pipeline_does)
{
    for (unsigned long seed = 1; seed <= 4; seed++) {
        run_mshr(2, 2, seed);
        run_mshr(5, 3, seed);
        run_mshr(8, 1, seed);
        run_mshr(32, 8, seed);
    }
}

Test(unpipelined, dl_mshr_does_what_a_file_without_pipeline_does)
{
    for (unsigned long seed = 1; seed <= 4; seed++) {
        run_dl_mshr(2, 2, 0, true, seed);
        run_dl_mshr(4, 1, 1, true, seed);
        run_dl_mshr(7, 3, 3, true, seed);
        run_dl_mshr(64, 2, 32, true, seed);
    }
}

Test(unpipelined, dl_mshr_without_tail_pointer_does_what_a_file_without_pipeline_does)
{
    for (unsigned long seed = 1; seed <= 4; seed++) {
        run_dl_mshr(2, 2, 0, false, seed);
        run_dl_mshr(8, 2, 2, false, seed);
        run_dl_mshr(16, 4, 0, false, seed);
    }
}
