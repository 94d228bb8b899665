/* SPDX-License-Identifier: Apache-2.0 */
/* Learning hardware for two workloads on each SM, driven by sampling periods (Liang17, sections 4.3 and 4.4): the
 * blocks tlp_modulator ("sm.3.tlp"), and bypass_learner ("sm.3.learner") if l1d.bypass.mode = learner.
 *
 * A workload has kernel A's ports of the blocks, or kernel B's, until it is done; then the next one of a pool gets
 * them.  So the thread blocks that the other workload has on the SM keep their ports.
 *
 * With cke.partition = tlp the modulator changes the limits of its SM; otherwise it holds them and marks the periods.
 * Its inputs and counts of a cycle are applied at the start of the next one, so the SMs may sleep.  The learner has no
 * clock: each event is one clock edge of it.  It defers a period until the thread blocks that run have the tags chosen.
 */
#include "system/sm/pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bypass_learner.h"
#include "system/block/block_socket.h"
#include "system/config/bypass_kind.h"
#include "system/sm/block_partition.h"
#include "system/sm/turns.h"
#include "tlp_modulator.h"

enum { COUNT_BITS = 32, AMOUNT_BITS = 21, PAIR = 2 };
enum { KERNEL_A, KERNEL_B, NO_KERNEL };

/* Since the start of the run; by kernel, A or B. */
struct counts {
    uint64_t cycles, sp[PAIR], ldst[PAIR], stalls;
};

struct pair_sm {
    struct block_socket modulator, learner; /* the learner: only with l1d.bypass.mode = learner */
    struct tlp_modulator_in in;
    bool event;           /* an input since the last clock edge */
    bool open;            /* within a period */
    bool done;            /* the learner's last state */
    uint32_t limit[PAIR]; /* of A and B, as the modulator has them */
    struct counts now, at_open;
};

struct pair {
    struct sm_array *array;
    struct tlp_modulator_cfg cfg;
    struct bypass_learner_cfg learner_cfg;
    bool steps, learns;
    uint8_t kernel[MAX_WORKLOADS];   /* A, B, or NO_KERNEL: not started yet */
    const struct workload *of[PAIR]; /* A's and B's; NULL: none yet */
    bool both;                       /* kernels of both run */
    struct pair_sm sm[];
};

static void destroy(void *state)
{
    struct pair *s = state;
    for (uint32_t i = 0; i < s->array->c->sm_count; i++) {
        block_socket_close(&s->sm[i].modulator);
        block_socket_close(&s->sm[i].learner);
    }
    free(s);
}

static bool open_sm(struct pair *s, uint32_t sm, struct error *err)
{
    char unit[32];
    snprintf(unit, sizeof unit, "sm.%u.tlp", sm);
    if (!block_socket_open(&s->sm[sm].modulator, s->array->env, "tlp_modulator", &s->cfg, unit, err)) return false;
    snprintf(unit, sizeof unit, "sm.%u.learner", sm);
    return !s->learns ||
           block_socket_open(&s->sm[sm].learner, s->array->env, "bypass_learner", &s->learner_cfg, unit, err);
}

static bool can_be(const struct sm_array *a, bool learns, struct error *err)
{
    return turns_at_once(a) <= PAIR ||
           error_set(err,
                     "%s: found %s with %u workloads at a time, allowed with it: at most 2 (Liang17, section 4.6); "
                     "cke.concurrent = 2 (memtwin cke --pool) runs them in pairs",
                     learns ? "l1d.bypass.mode" : "cke.partition",
                     learns ? a->bypass->policy.name : a->partition->policy.name, turns_at_once(a));
}

static bool learns(const struct sm_array *a)
{
    return bypass_kind_of(a->c)->of_blocks;
}

static void *new_pair(struct sm_array *a, struct error *err)
{
    const uint32_t slots = a->c->sm_blocks < PAIR ? PAIR : a->c->sm_blocks;
    if (!can_be(a, learns(a), err)) return NULL;
    struct pair *s = calloc(1, sizeof *s + a->c->sm_count * sizeof *s->sm);
    if (!s) return error_set(err, "sm: out of memory"), NULL;
    *s = (struct pair){.array = a, .steps = a->partition->steps, .learns = learns(a)};
    memset(s->kernel, NO_KERNEL, sizeof s->kernel);
    s->cfg = (struct tlp_modulator_cfg){
        .Blocks = slots, .CountW = COUNT_BITS, .ResW = AMOUNT_BITS, .Shift = a->c->cke_tlp_shift};
    s->learner_cfg = (struct bypass_learner_cfg){.Blocks = slots, .StallW = COUNT_BITS};
    bool ok = true;
    for (uint32_t i = 0; ok && i < a->c->sm_count; i++) ok = open_sm(s, i, err);
    if (ok) return s;
    destroy(s);
    return NULL;
}

static struct pair_sm *of_sm(void *state, const struct sm *sm)
{
    return &((struct pair *)state)->sm[sm->number];
}

static uint8_t kernel_of(const struct pair *s, const struct thread_block *b)
{
    return s->kernel[b->workload->number];
}

static uint32_t may_hold(const struct pair *s, const struct sm *sm, uint32_t kernel)
{
    return s->of[kernel] ? sm->may_hold[s->of[kernel]->number] : 0;
}

/* The learner. */

static uint8_t slots_at_most(const struct pair *s, uint32_t limit)
{
    return (uint8_t)(limit < s->cfg.Blocks ? limit : s->cfg.Blocks);
}

static struct bypass_learner_out read_learner(const struct pair *s, const struct sm *sm, struct bypass_learner_in *in)
{
    struct bypass_learner_out out;
    in->limit_a_i = slots_at_most(s, may_hold(s, sm, KERNEL_A));
    in->limit_b_i = slots_at_most(s, may_hold(s, sm, KERNEL_B));
    block_socket_eval(&s->sm[sm->number].learner, in, &out);
    return out;
}

static bool defers(const struct pair *s, const struct sm *sm)
{
    return s->learns && read_learner(s, sm, &(struct bypass_learner_in){0}).defer_o;
}

/* A law: so many thread blocks bypass in a period as the learner has chosen, counted on the SM itself. */
static void check_tags(const struct pair *s, const struct sm *sm)
{
    const struct bypass_learner_out out = read_learner(s, sm, &(struct bypass_learner_in){0});
    uint32_t tagged[PAIR] = {0};
    for (uint32_t i = 0; i < s->array->c->sm_blocks; i++) {
        const struct thread_block *b = &sm->blocks[i];
        if (b->stream && b->around) tagged[kernel_of(s, b)]++;
    }
    if (tagged[KERNEL_A] != out.by_a_o || tagged[KERNEL_B] != out.by_b_o)
        error_set(s->array->error, "%s: a period starts: found %u and %u thread blocks that bypass, expected %u and %u",
                  s->sm[sm->number].learner.unit, tagged[KERNEL_A], tagged[KERNEL_B], out.by_a_o, out.by_b_o);
}

/* An event and its clock edge.  Returns the tag of a thread block that starts. */
static bool teach(struct pair *s, const struct sm *sm, struct bypass_learner_in in)
{
    struct pair_sm *d = &s->sm[sm->number];
    struct stats *stats = s->array->env->stats;
    const struct bypass_learner_out out = read_learner(s, sm, &in);
    block_socket_tick(&d->learner, &in);
    const struct bypass_learner_out after = read_learner(s, sm, &(struct bypass_learner_in){0});
    if (after.error_o) error_set(s->array->error, "%s: error_o: found %u, expected 0", d->learner.unit, after.error_o);
    stats->learner_periods += in.period_valid_i && !d->done;
    stats->learner_tagged += out.launch_tag_o;
    stats->learner_learnt += after.done_o && !d->done;
    if (after.done_o && !d->done) stats->learner_number_sum += (uint64_t)after.by_a_o + after.by_b_o;
    d->done = after.done_o;
    return out.launch_tag_o;
}

/* The modulator. */

static bool limits_differ(const struct pair *s, const struct sm *sm)
{
    const uint32_t *limit = s->sm[sm->number].limit;
    return s->both && (may_hold(s, sm, KERNEL_A) != limit[KERNEL_A] || may_hold(s, sm, KERNEL_B) != limit[KERNEL_B]);
}

static uint64_t amounts(const uint32_t of[PARTITION_RESOURCES])
{
    uint64_t all = 0;
    for (uint32_t i = 1; i < PARTITION_RESOURCES; i++) all |= (uint64_t)of[i] << ((i - 1) * AMOUNT_BITS);
    return all;
}

static uint64_t needs(const struct workload *k)
{
    uint32_t of[PARTITION_RESOURCES] = {0};
    if (k) partition_needs(k, of);
    return amounts(of);
}

static void give_amounts(const struct pair *s, struct tlp_modulator_in *in)
{
    uint32_t of[PARTITION_RESOURCES];
    in->need_a_i = needs(s->of[KERNEL_A]);
    in->need_b_i = needs(s->of[KERNEL_B]);
    partition_has(s->array->c, of);
    in->have_i = amounts(of);
}

/* Starts a pair of kernels with its limits, or restarts it after the limits changed. */
static void give_limits(struct pair *s, const struct sm *sm)
{
    struct pair_sm *d = &s->sm[sm->number];
    for (uint32_t k = 0; k < PAIR; k++) {
        d->limit[k] = may_hold(s, sm, k);
        if (d->limit[k] > s->cfg.Blocks)
            error_set(
                s->array->error,
                "cke.partition: found %s with l1d.bypass.mode = learner, but it does not limit the thread blocks of "
                "workload %u (kernel %s), and the learner's sampling period is the lifetime of that many (Liang17, "
                "section 4.4); allowed with it: a partition with such a limit, such as even or tlp",
                s->array->partition->policy.name, s->of[k]->number, s->of[k]->kernel.name);
    }
    d->in.start_valid_i = true;
    d->in.start_a_i = slots_at_most(s, d->limit[KERNEL_A]);
    d->in.start_b_i = slots_at_most(s, d->limit[KERNEL_B]);
    d->event = true;
}

static uint32_t count_since(uint64_t now, uint64_t before)
{
    const uint64_t n = now - before, most = bits_mask(COUNT_BITS);
    return (uint32_t)(n < most ? n : most);
}

/* They are held from the end of a period to the start of the next one. */
static void give_counts(struct pair_sm *d)
{
    const struct counts *now = &d->now, *then = &d->at_open;
    if (!d->open) return;
    d->in.cycles_i = count_since(now->cycles, then->cycles);
    d->in.sp_a_i = count_since(now->sp[KERNEL_A], then->sp[KERNEL_A]);
    d->in.sp_b_i = count_since(now->sp[KERNEL_B], then->sp[KERNEL_B]);
    d->in.ldst_a_i = count_since(now->ldst[KERNEL_A], then->ldst[KERNEL_A]);
    d->in.ldst_b_i = count_since(now->ldst[KERNEL_B], then->ldst[KERNEL_B]);
}

static void end_period(struct pair *s, const struct sm *sm)
{
    struct pair_sm *d = &s->sm[sm->number];
    const uint32_t stalls = count_since(d->now.stalls, d->at_open.stalls);
    d->open = false;
    s->array->env->stats->tlp_periods++;
    if (s->learns) teach(s, sm, (struct bypass_learner_in){.period_valid_i = true, .period_stalls_i = stalls});
}

/* The limits after a step. */
static void step(struct pair *s, struct sm *sm, bool kernel)
{
    struct pair_sm *d = &s->sm[sm->number];
    struct stats *stats = s->array->env->stats;
    struct tlp_modulator_out out;
    block_socket_eval(&d->modulator, &d->in, &out);
    stats->tlp_up0 += !kernel;
    stats->tlp_up1 += kernel;
    stats->tlp_down0 += kernel && out.limit_a_o < d->limit[KERNEL_A];
    stats->tlp_down1 += !kernel && out.limit_b_o < d->limit[KERNEL_B];
    d->limit[KERNEL_A] = out.limit_a_o;
    d->limit[KERNEL_B] = out.limit_b_o;
    for (uint32_t k = 0; k < PAIR; k++) partition_limit(sm, s->of[k]->number, d->limit[k]);
}

static void clear_inputs(struct pair_sm *d)
{
    d->in.start_valid_i = d->in.stop_valid_i = d->in.launch_valid_i = d->in.finish_valid_i = false;
    d->in.launch_a_i = d->in.launch_b_i = d->in.finish_i = 0;
    d->event = false;
}

/* A clock edge.  The counts include all cycles before this one, also for a sleeping SM. */
static void edge(void *state, struct sm *sm)
{
    struct pair *s = state;
    struct pair_sm *d = of_sm(state, sm);
    struct tlp_modulator_out out;
    if (limits_differ(s, sm)) give_limits(s, sm);
    d->now.cycles = s->array->env->sm_cycle;
    d->in.hold_i = !s->steps;
    d->in.defer_i = !d->open && defers(s, sm);
    if (d->in.start_valid_i || d->in.stop_valid_i) d->open = false;
    give_counts(d);
    block_socket_eval(&d->modulator, &d->in, &out);
    block_socket_tick(&d->modulator, &d->in);
    clear_inputs(d);
    if (out.error_o) error_set(s->array->error, "%s: error_o: found %u, expected 0", d->modulator.unit, out.error_o);
    if (out.close_o) end_period(s, sm);
    if (out.step_valid_o) step(s, sm, out.step_kernel_o);
    if (!out.open_o) return;
    if (s->learns) check_tags(s, sm);
    d->open = true;
    d->at_open = d->now;
}

static bool due(const void *state, const struct sm *sm)
{
    const struct pair *s = state;
    const struct pair_sm *d = &s->sm[sm->number];
    return d->event || limits_differ(s, sm) || !block_socket_idle(&d->modulator);
}

static uint64_t next(const void *state)
{
    const struct sm_array *a = ((const struct pair *)state)->array;
    for (uint32_t i = 0; i < a->c->sm_count; i++)
        if (due(state, &a->sms[i])) return a->env->sm_cycle + 1;
    return NEVER;
}

/* Inputs. */

/* At most two workloads run concurrently, so a third one takes the place of a finished one. */
static void take_places(struct pair *s)
{
    const struct sm_array *a = s->array;
    for (uint32_t w = 0; w < a->workloads; w++) {
        if (!a->workload[w].running || s->kernel[w] != NO_KERNEL) continue;
        s->kernel[w] = s->of[KERNEL_A] && !s->of[KERNEL_A]->done ? KERNEL_B : KERNEL_A;
        s->of[s->kernel[w]] = &a->workload[w];
    }
}

static bool runs(const struct pair *s, uint32_t kernel)
{
    return s->of[kernel] && s->of[kernel]->running;
}

static void kernels_changed(struct pair *s)
{
    take_places(s);
    s->both = runs(s, KERNEL_A) && runs(s, KERNEL_B);
    for (uint32_t i = 0; i < s->array->c->sm_count; i++) {
        const struct sm *sm = &s->array->sms[i];
        struct pair_sm *d = &s->sm[i];
        give_amounts(s, &d->in);
        d->in.start_valid_i = false;
        d->in.stop_valid_i = !s->both;
        d->in.stop_kernel_i = runs(s, KERNEL_A);
        d->event = true;
        if (s->learns) teach(s, sm, (struct bypass_learner_in){.start_valid_i = s->both, .stop_valid_i = !s->both});
        if (s->both) give_limits(s, sm);
    }
}

static bool kernel_started(void *state, struct sm_array *a, struct workload *k)
{
    (void)a, (void)k;
    kernels_changed(state);
    return true;
}

static void kernel_ended(void *state, struct sm_array *a, struct workload *k)
{
    (void)a;
    if (k->done) kernels_changed(state); /* else the next one starts at once */
}

/* Sets `around` of a thread block, which is false before, if the bypass_learner gives it a tag. */
static void block_started(void *state, struct sm *sm, struct thread_block *b)
{
    struct pair *s = state;
    struct pair_sm *d = of_sm(state, sm);
    const uint64_t slot = (uint64_t)1 << (b - sm->blocks);
    const bool kernel = kernel_of(s, b);
    d->in.launch_valid_i = d->event = true;
    *(kernel ? &d->in.launch_b_i : &d->in.launch_a_i) |= slot;
    if (s->learns)
        b->around = teach(s, sm, (struct bypass_learner_in){.launch_valid_i = true, .launch_kernel_i = kernel});
}

static void block_finished(void *state, struct sm *sm, struct thread_block *b)
{
    struct pair *s = state;
    struct pair_sm *d = of_sm(state, sm);
    d->in.finish_valid_i = d->event = true;
    d->in.finish_i |= (uint64_t)1 << (b - sm->blocks);
    if (s->learns)
        teach(s, sm,
              (struct bypass_learner_in){
                  .finish_valid_i = true, .finish_kernel_i = kernel_of(s, b), .finish_tag_i = b->around});
}

static void issued(void *state, const struct sm *sm, uint32_t w, const struct inst *i)
{
    of_sm(state, sm)->now.sp[kernel_of(state, sm->warps[w].block)] += inst_is_sp(i->op);
}

static void occupied(void *state, const struct sm *sm, const struct thread_block *b, uint32_t cycles)
{
    of_sm(state, sm)->now.ldst[kernel_of(state, b)] += cycles;
}

/* The SM's last `cycles` cycles were alike. */
static void idle(void *state, const struct sm *sm, uint64_t cycles)
{
    for (uint32_t i = 0; i < sm->array->c->sm_schedulers; i++) switch (stall_of(sm->stalls, i)) {
        case STALL_LSU:
        case STALL_MEMORY_PORT:
        case STALL_MEMORY:
        case STALL_PORT:
            of_sm(state, sm)->now.stalls += cycles;
            break;
        default:
            break;
        }
}

static bool pair_tick(void *state, const struct sm *sm, struct error *err)
{
    (void)err;
    idle(state, sm, 1);
    return false;
}

bool pair_create(struct sm_array *a, struct error *err)
{
    static const struct sm_hooks hooks = {.create = new_pair,
                                          .destroy = destroy,
                                          .due = due,
                                          .edge = edge,
                                          .next = next,
                                          .kernel_started = kernel_started,
                                          .kernel_ended = kernel_ended,
                                          .block_started = block_started,
                                          .block_finished = block_finished,
                                          .issued = issued,
                                          .occupied = occupied,
                                          .tick = pair_tick,
                                          .idle = idle};
    /* Alone, a workload has nothing to share. */
    const bool needed = a->workloads > 1 && (learns(a) || a->partition->steps);
    return !needed || sm_events_add(a, &hooks, NULL, err);
}
