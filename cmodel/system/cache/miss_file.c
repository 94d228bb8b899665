/* SPDX-License-Identifier: Apache-2.0 */
#include "system/cache/miss_file.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/host.h"
#include "dl_mshr.h"

/* The structs of mshr serve both blocks: their ports are one list (mshr_file.h). */
_Static_assert(sizeof(struct mshr_in) == sizeof(struct dl_mshr_in), "inputs");
_Static_assert(sizeof(struct mshr_out) == sizeof(struct dl_mshr_out), "outputs");

static bool open_socket(struct miss_file *f, struct env *env, const struct miss_kind *kind, const char *unit,
                        struct error *err)
{
    if (kind->model) return block_socket_open_model(&f->socket, kind->model, f->cfg, unit, err);
    if (kind->twin) return block_socket_open_as(&f->socket, env, kind->twin, f->cfg, unit, err);
    return block_socket_open(&f->socket, env, kind->block, f->cfg, unit, err);
}

struct miss_file *miss_file_create(struct env *env, enum miss_cache cache, const char *unit, struct error *err)
{
    const struct config *c = env->config;
    const struct miss_kind *kind = miss_kind_of(c, cache);
    const uint32_t data_bits = cache == MISS_L2 ? c->l2_mshr_data_bits : 0; /* nothing waits in an L1D to be written */
    /* mutant: 1 + 1: more memory than is needed */
    struct miss_file *f = host_calloc(1, sizeof *f);
    if (!f) return error_set(err, "%s: out of memory", unit), NULL;
    kind->configure(f->cfg, c, cache, data_bits);
    f->registered = kind->registered;
    f->data_mask = (uint32_t)bits_mask(data_bits);
    if (open_socket(f, env, kind, unit, err)) return f;
    free(f);
    return NULL;
}

void miss_file_destroy(struct miss_file *f)
{
    if (!f) return;
    block_socket_close(&f->socket);
    free(f);
}

/* Differs from slot to slot, so that data drained with another slot is detected. */
static uint32_t data_of(const struct miss_file *f, uint64_t line, uint32_t info)
{
    return ((uint32_t)line * 0x9e3779b1u ^ info) & f->data_mask;
}

static bool refused(enum mshr_result r)
{
    return r != MSHR_PRIMARY && r != MSHR_SECONDARY;
}

/* f->in still holds the request that the answer is for. */
static void take_answer(struct miss_file *f, const struct mshr_out *o, struct miss_answer *answer)
{
    *answer = (struct miss_answer){o->rsp_valid_o, o->rsp_result_o};
    if (!answer->valid) return;
    f->waiting = false;
    if (refused(answer->result)) {
        f->now = (struct refusal){true, f->in.req_addr_i, f->in.req_info_i, answer->result};
    } else {
        f->accepted = true;
        f->used++;
    }
}

static void take_drain(struct miss_file *f, const struct mshr_out *o, struct miss_drain *drain)
{
    *drain = (struct miss_drain){o->drain_valid_o, o->drain_write_o, o->drain_last_o, o->drain_addr_o, o->drain_info_o};
    const bool popped = drain->valid & f->drain_ready;
    f->popped = popped;
    f->used -= popped;
    f->draining &= !(popped & drain->last);
}

static bool wrong_data(const struct miss_file *f, const struct mshr_out *o)
{
    const bool write = o->drain_valid_o & o->drain_write_o;
    return write & (o->drain_data_o[0] != data_of(f, o->drain_addr_o, o->drain_info_o));
}

static void name_fault(struct miss_file *f, const struct mshr_out *o)
{
    if (o->error_o != MSHR_OK) error_set(&f->fault, "%s: error_o: found %u, expected 0", f->socket.unit, o->error_o);
    if (o->used_slots_o != f->used)
        error_set(&f->fault, "%s: used_slots_o: found %u, expected %u (accepted less drained)", f->socket.unit,
                  o->used_slots_o, f->used);
    if (o->drain_valid_o != f->draining)
        error_set(&f->fault, "%s: drain_valid_o: found %d, expected %d", f->socket.unit, o->drain_valid_o, f->draining);
    if (wrong_data(f, o))
        error_set(&f->fault, "%s: drain_data_o of line 0x%" PRIx64 ": found 0x%08x, expected 0x%08x", f->socket.unit,
                  o->drain_addr_o, o->drain_data_o[0], data_of(f, o->drain_addr_o, o->drain_info_o));
}

/* One branch for all checks: name_fault() finds the one that failed. */
static void check(struct miss_file *f, const struct mshr_out *o)
{
    const bool wrong = (o->error_o != MSHR_OK) | (o->used_slots_o != f->used) | (o->drain_valid_o != f->draining);
    if (wrong | wrong_data(f, o)) name_fault(f, o);
}

static const struct mshr_in *inputs(struct miss_file *f)
{
    f->in.drain_ready_i = f->drain_ready;
    return &f->in;
}

void miss_file_outputs(struct miss_file *f, struct miss_answer *answer, struct miss_drain *drain)
{
    struct mshr_out out;
    block_socket_eval(&f->socket, inputs(f), &out);
    f->active = f->evaluated = true;
    f->req_ready = out.req_ready_o;
    f->fill_ready = out.fill_ready_o;
    check(f, &out);
    if (f->registered) take_answer(f, &out, answer);
    take_drain(f, &out, drain);
}

bool miss_file_fill(struct miss_file *f, uint64_t line)
{
    assert(!f->in.req_valid_i);
    if (f->evaluated && !f->fill_ready) return false;
    f->active = f->in.fill_valid_i = true;
    f->in.fill_addr_i = line;
    f->filled = f->draining = true;
    return true;
}

static bool refused_again(const struct miss_file *f, uint64_t line)
{
    return f->known.line == line && miss_file_refuses_again(f);
}

/* The cycle has had the clock edge of another request, with its fill and its drain. */
static void next_edge(struct miss_file *f)
{
    f->drain_ready = f->in.fill_valid_i = f->stepped = false;
}

bool miss_file_request(struct miss_file *f, uint64_t line, uint32_t info, bool write, struct miss_answer *answer)
{
    /* After the edge of another request of this cycle the answer may differ. */
    const bool again = !f->stepped && refused_again(f, line);
    assert(!f->waiting);
    if (f->stepped) next_edge(f);
    /* mutant: false -> true: no file refuses to be asked: an mshr is always ready, a dl_mshr unless it walks, when the
     * request before still waits for its answer */
    if (f->evaluated && !f->req_ready) return false;
    f->active = true;
    if (again) {
        *answer = (struct miss_answer){true, f->known.result};
        /* mutant: left out: a shortcut for speed: without it the SM stays awake one cycle more */
        f->now = (struct refusal){true, line, info, f->known.result};
        return true;
    }
    f->in.req_valid_i = true;
    f->in.req_addr_i = line;
    f->in.req_info_i = info;
    f->in.req_write_i = write;
    f->in.req_data_i[0] = write ? data_of(f, line, info) : 0;
    f->waiting = true;
    if (!f->registered) { /* the last input of a cycle: the clock edge shares its search */
        struct mshr_out out;
        block_socket_step(&f->socket, inputs(f), &out);
        f->stepped = true;
        take_answer(f, &out, answer);
    }
    return true;
}

static bool same(const struct refusal *a, const struct refusal *b)
{
    if (!a->valid || !b->valid) return a->valid == b->valid;
    return a->line == b->line && a->info == b->info && a->result == b->result;
}

/* For a file whose answers come a cycle later.  Without other activity, the second refusal of the same request for the
 * same reason changes no state. */
static void settle(struct miss_file *f)
{
    f->changed |= f->waiting != f->was_waiting || !same(&f->now, &f->refusal) || (f->waiting && !f->now.valid);
    f->refusal = f->now;
    f->was_waiting = f->waiting;
}

/* For a file that answers at once.  A refusal changes no state, so it holds until the state changes. */
static void remember(struct miss_file *f)
{
    if (f->now.valid) f->known = f->now;
    f->known.valid &= !f->changed;
}

static void begin_anew(struct miss_file *f)
{
    f->active = f->accepted = f->filled = f->popped = f->evaluated = f->stepped = false;
    f->now.valid = false;
    f->in.req_valid_i = f->in.fill_valid_i = false;
}

bool miss_file_edge(struct miss_file *f, struct error *err)
{
    const bool checked = f->evaluated;
    f->changed = f->accepted | f->filled | f->popped;
    if (f->registered)
        settle(f);
    else
        remember(f);
    if (!f->stepped && (f->evaluated | f->in.req_valid_i | f->in.fill_valid_i))
        block_socket_tick(&f->socket, inputs(f));
    begin_anew(f);
    return !checked || !f->fault.text[0] || error_set(err, "%s", f->fault.text);
}
