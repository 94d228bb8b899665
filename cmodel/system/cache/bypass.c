/* SPDX-License-Identifier: Apache-2.0 */
#include "system/cache/bypass.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/host.h"
#include "system/config/bypass_kind.h"

enum { INFO_BITS = 24 };

struct bypass *bypass_create(struct env *env, uint32_t sm, struct error *err)
{
    char unit[32];
    snprintf(unit, sizeof unit, "l1d.%u.bypass", sm);
    struct bypass *b = host_calloc(1, sizeof *b);
    if (!b) return error_set(err, "%s: out of memory", unit), NULL;
    *b = (struct bypass){.c = env->config, .kind = bypass_kind_of(env->config)};
    b->slots_cfg = (struct bypass_slots_cfg){.Slots = b->c->l1d_bypass_slots, .InfoW = INFO_BITS};
    if (block_socket_open(&b->slots, env, "bypass_slots", &b->slots_cfg, unit, err)) {
        if (!b->kind->create) return b;
        b->learner = b->kind->create(env, sm, err);
        if (b->learner) return b;
    }
    bypass_destroy(b);
    return NULL;
}

void bypass_destroy(struct bypass *b)
{
    /* mutant: negated: a leak: the sanitized run of `make test` finds it */
    if (!b) return;
    block_socket_close(&b->slots);
    if (b->learner) b->kind->destroy(b->learner);
    free(b);
}

bool bypass_decide(const struct bypass *b, const struct bypass *decider, uint32_t owner)
{
    return b->kind->decide(b->c, b->learner, decider->learner, owner);
}

static void eval_slots(struct bypass *b, struct bypass_slots_out *out)
{
    b->asked = true;
    block_socket_eval(&b->slots, &b->slots_in, out);
    if (out->used_o != b->used)
        /* mutant: left out: a check of the block, which fails only if the block is wrong: `make prove` and `make cosim`
         * are for that */
        error_set(&b->fault, "%s: used_o: found %u, expected %u (sent less returned)", b->slots.unit, out->used_o,
                  b->used);
}

bool bypass_return(struct bypass *b, uint32_t slot, uint32_t *info)
{
    struct bypass_slots_out out;
    b->slots_in.ret_valid_i = true;
    b->slots_in.ret_slot_i = (uint16_t)slot;
    eval_slots(b, &out);
    b->slots_in.ret_valid_i = out.ret_valid_o;
    *info = out.ret_info_o;
    return out.ret_valid_o;
}

bool bypass_take(struct bypass *b, uint32_t info, uint32_t *slot)
{
    struct bypass_slots_out out;
    b->slots_in.req_valid_i = true;
    b->slots_in.req_info_i = info;
    eval_slots(b, &out);
    *slot = out.req_slot_o;
    b->slots_in.req_valid_i = out.req_ready_o; /* a refused request changes no state: no tick needed */
    return out.req_ready_o;
}

void bypass_access(struct bypass *b, uint64_t line, uint32_t set, uint32_t owner, uint32_t owners)
{
    b->kind->access(b->learner, line, set, owner, owners);
}

void bypass_failure(struct bypass *b)
{
    b->kind->failure(b->learner);
}

bool bypass_edge(struct bypass *b, struct error *err)
{
    struct bypass_slots_in *in = &b->slots_in;
    if (in->req_valid_i || in->ret_valid_i) block_socket_tick(&b->slots, in);
    b->used += (uint32_t)in->req_valid_i - (uint32_t)in->ret_valid_i;
    *in = (struct bypass_slots_in){0};
    b->asked = false;
    if (b->learner && !b->kind->edge(b->learner, err)) return false;
    return !b->fault.text[0] || error_set(err, "%s", b->fault.text);
}

bool bypass_learner_settling(const struct bypass *b)
{
    return b->kind->settling(b->learner);
}

void bypass_idle(struct bypass *b, uint64_t failures)
{
    if (b->learner) b->kind->idle(b->learner, failures);
}

void bypass_flush(struct bypass *b)
{
    if (b->learner) b->kind->flush(b->learner);
}
