/* SPDX-License-Identifier: Apache-2.0 */
#include "system/cache/bypass.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bpg.h"
#include "bypass_slots.h"
#include "base/arith.h"
#include "system/block/block_socket.h"

enum { INFO_BITS = 24, TAG_BITS = 32, OWNER_BITS = 7 };

struct bypass {
    const struct config *c;
    struct stats *stats;
    struct block_socket slots;
    struct bypass_slots_cfg slots_cfg;
    struct bypass_slots_in slots_in;
    uint32_t used;

    struct block_socket bpg; /* not open: another SM decides, or an option */
    struct bpg_cfg bpg_cfg;
    struct bpg_in bpg_in;
    struct bpg_in second; /* an access that comes in a cycle that has one: for the next */
    uint32_t accesses;    /* in this interval */
    bool sampled;         /* one of them was in a sampled set */
    uint32_t settle;      /* clock edges until a decision that has begun has been made and seen */
    uint32_t l_max;       /* that everybody has seen */
    struct error fault;
};

static struct bpg_cfg make_bpg(const struct config *c)
{
    return (struct bpg_cfg){.Calcs = c->l1d_bpg_calcs,
                            .Sets = c->l1d_sets,
                            .SampledSets = c->l1d_bpg_sampled_sets,
                            .Ways = c->l1d_ways,
                            .TagW = TAG_BITS,
                            .OwnerW = OWNER_BITS,
                            .Interval = c->l1d_bpg_interval,
                            .HitW = c->l1d_bpg_hit_bits,
                            .RfW = c->l1d_bpg_rf_bits,
                            .HitShift = log2_floor(c->l1d_sets / c->l1d_bpg_sampled_sets),
                            .EShift = c->l1d_bpg_e_shift,
                            .Rebase = c->l1d_bpg_rebase,
                            .LastAll = c->l1d_bpg_last_all,
                            .Parallel = 0};
}

static bool open_bpg(struct bypass *b, const struct env *env, uint32_t sm, struct error *err)
{
    char unit[32];
    if (b->c->l1d_bypass_mode != BYPASS_BPG || (b->c->l1d_bypass_scope == BYPASS_GLOBAL && sm)) return true;
    snprintf(unit, sizeof unit, "l1d.%u.bpg", sm);
    b->bpg_cfg = make_bpg(b->c);
    return block_socket_open(&b->bpg, env, "bpg", &b->bpg_cfg, unit, err);
}

struct bypass *bypass_create(struct env *env, uint32_t sm, struct error *err)
{
    char unit[32];
    snprintf(unit, sizeof unit, "l1d.%u.bypass", sm);
    struct bypass *b = calloc(1, sizeof *b);
    if (!b) return error_set(err, "%s: out of memory", unit), NULL;
    *b = (struct bypass){.c = env->config, .stats = env->stats, .l_max = env->config->l1d_bpg_calcs};
    b->slots_cfg = (struct bypass_slots_cfg){.Slots = b->c->l1d_bypass_slots, .InfoW = INFO_BITS};
    if (block_socket_open(&b->slots, env, "bypass_slots", &b->slots_cfg, unit, err) && open_bpg(b, env, sm, err))
        return b;
    bypass_destroy(b);
    return NULL;
}

void bypass_destroy(struct bypass *b)
{
    if (!b) return;
    block_socket_close(&b->slots);
    block_socket_close(&b->bpg);
    free(b);
}

/* The decider asks its bpg; the others compare with what it has sent them. */
bool bypass_decide(const struct bypass *b, const struct bypass *decider, uint32_t owner)
{
    if (b->c->l1d_bypass_mode == BYPASS_STATIC) return owner >= b->c->l1d_bypass_from_warp;
    if (b->c->l1d_bypass_mode == BYPASS_OFF) return false;
    if (b != decider) return decider->l_max < b->c->l1d_bpg_calcs && owner >= decider->l_max;
    const struct bpg_in in = {.ask_owner_i = (uint16_t)owner};
    struct bpg_out out;
    block_socket_eval(&b->bpg, &in, &out);
    return out.ask_bypass_o;
}

static void eval_slots(struct bypass *b, struct bypass_slots_out *out)
{
    block_socket_eval(&b->slots, &b->slots_in, out);
    if (out->used_o != b->used)
        error_set(&b->fault, "%s: used_o: found %u, expected %u (what went out less what came back)", b->slots.unit,
                  out->used_o, b->used);
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
    b->slots_in.req_valid_i = out.req_ready_o; /* a refused request changes nothing: it need not be ticked */
    return out.req_ready_o;
}

void bypass_access(struct bypass *b, uint64_t line, uint32_t set, uint32_t owner, uint32_t owners)
{
    if (!b->bpg.block) return;
    struct bpg_in *in = b->bpg_in.acc_valid_i ? &b->second : &b->bpg_in;
    if (in->acc_valid_i) error_set(&b->fault, "%s: three accesses wait for it, at most two can", b->bpg.unit);
    in->acc_valid_i = true;
    in->acc_set_i = (uint16_t)set;
    in->acc_tag_i = line & bits_mask(TAG_BITS);
    in->acc_owner_i = (uint16_t)owner;
    in->acc_owners_i = (uint16_t)owners;
    b->stats->bpg_accesses++;
}

void bypass_failure(struct bypass *b)
{
    b->bpg_in.rf_valid_i = true;
}

static void count_bpg(struct bypass *b, const struct bpg_out *out)
{
    b->stats->bpg_sampled += out->acc_sampled_o;
    b->stats->bpg_sampled_hits += out->acc_hits_o >> (b->bpg_cfg.Calcs - 1) & 1;
    if (!out->strobe_o) return;
    b->stats->bpg_decisions++;
    b->stats->bpg_l_max_sum += out->l_max_o;
    b->stats->bpg_l_max_changes += out->l_max_o != b->l_max;
    b->l_max = out->l_max_o;
}

/* A decision takes a look-up and Calcs turns, and is out in the next cycle. */
static void bpg_edge(struct bypass *b)
{
    struct bpg_out out;
    block_socket_eval(&b->bpg, &b->bpg_in, &out);
    if (out.error_o != BPG_OK) error_set(&b->fault, "%s: error_o: found %u, expected 0", b->bpg.unit, out.error_o);
    count_bpg(b, &out);
    block_socket_tick(&b->bpg, &b->bpg_in);
    b->settle -= b->settle > 0;
    b->sampled |= out.acc_sampled_o;
    if (b->bpg_in.acc_valid_i && ++b->accesses == b->bpg_cfg.Interval) {
        b->stats->bpg_blind += !b->sampled;
        b->accesses = 0;
        b->sampled = false;
        b->settle = b->bpg_cfg.Calcs + 2;
    }
    b->bpg_in = b->second;
    b->second = (struct bpg_in){0};
}

bool bypass_end(struct bypass *b, struct error *err)
{
    struct bypass_slots_in *in = &b->slots_in;
    if (in->req_valid_i || in->ret_valid_i) block_socket_tick(&b->slots, in);
    b->used += (uint32_t)in->req_valid_i - (uint32_t)in->ret_valid_i;
    *in = (struct bypass_slots_in){0};
    if (b->bpg.block && (b->settle || b->bpg_in.acc_valid_i || b->bpg_in.rf_valid_i)) bpg_edge(b);
    return !b->fault.text[0] || error_set(err, "%s", b->fault.text);
}

bool bypass_settling(const struct bypass *b)
{
    return b->settle || b->bpg_in.acc_valid_i;
}

/* The counter saturates, and nothing else happens: more failures than it can hold change nothing. */
void bypass_idle(struct bypass *b, uint64_t failures)
{
    uint64_t most = bits_mask(b->bpg_cfg.RfW);
    for (uint64_t i = 0; b->bpg.block && i < failures && i < most; i++) {
        b->bpg_in.rf_valid_i = true;
        bpg_edge(b);
    }
}

void bypass_flush(struct bypass *b)
{
    if (!b->bpg.block) return;
    if (b->bpg_in.acc_valid_i) bpg_edge(b);
    b->bpg_in.flush_valid_i = true;
    bpg_edge(b);
}

uint32_t bypass_used(const struct bypass *b)
{
    return b->used;
}
