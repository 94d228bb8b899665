/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/sub_cores.h"

#include <stdlib.h>
#include <string.h>

struct sub_cores *sub_cores_create(const struct config *c, struct error *err)
{
    if (!c->sm_sub_cores) return NULL;
    struct sub_cores *s = calloc(1, sizeof *s);
    if (!s) return error_set(err, "sm: out of memory"), NULL;
    memset(s->of_warp, UNIT_KINDS, sizeof s->of_warp);
    s->interval[UNIT_SP] = c->sm_sp_interval;
    s->interval[UNIT_INT] = c->sm_int_interval;
    s->interval[UNIT_DP] = c->sm_dp_interval;
    s->interval[UNIT_SFU] = c->sm_sfu_interval;
    s->interval[UNIT_TENSOR] = c->sm_tensor_interval;
    return s;
}

void sub_cores_tick(struct sm *sm)
{
    struct busy_units *b = &sm->sub_cores->busy;
    const uint64_t now = sm->array->env->sm_cycle;
    for (uint32_t s = 0; s < sm->array->c->sm_schedulers; s++)
        for (uint32_t rest = b->kinds[s]; rest; rest &= rest - 1) {
            const uint32_t unit = (uint32_t)__builtin_ctz(rest);
            if (b->until[s][unit] <= now) b->kinds[s] &= (uint8_t) ~(1u << unit);
        }
}

static bool is_needed(const struct sm *sm, uint32_t scheduler, uint32_t unit)
{
    uint64_t ready = 0;
    for (uint32_t i = 0; i < WARP_WORDS; i++)
        ready |= sm->word[i].wait[FOR_PORT] & sm->sub_cores->needs[unit][i] &
                 warp_set_word(sm->scheduler[scheduler].mine, i);
    return ready;
}

uint64_t sub_cores_wake(const struct sm *sm)
{
    const struct busy_units *b = &sm->sub_cores->busy;
    uint64_t wake = NEVER;
    for (uint32_t s = 0; s < sm->array->c->sm_schedulers; s++)
        for (uint32_t rest = b->kinds[s]; rest; rest &= rest - 1) {
            const uint32_t unit = (uint32_t)__builtin_ctz(rest);
            if (is_needed(sm, s, unit)) wake = min_u64(wake, b->until[s][unit]);
        }
    return wake;
}
