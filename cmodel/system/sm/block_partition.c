/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/block_partition.h"

#include <inttypes.h>
#include <stdio.h>

static const struct resource {
    const char *what, *option;
} resources[PARTITION_RESOURCES] = {{"thread block slots", "sm.blocks"},
                                    {"warps", "sm.warps"},
                                    {"registers", "sm.registers"},
                                    {"bytes of shared memory", "sm.shared_bytes"}};

const char *partition_resource(uint32_t i)
{
    return resources[i].what;
}

const char *partition_option(uint32_t i)
{
    return resources[i].option;
}

void partition_has(const struct config *c, uint32_t has[PARTITION_RESOURCES])
{
    has[0] = c->sm_blocks;
    has[1] = c->sm_warps;
    has[2] = c->sm_registers;
    has[3] = c->sm_shared_bytes;
}

void partition_needs(const struct workload *k, uint32_t needs[PARTITION_RESOURCES])
{
    needs[0] = 1;
    needs[1] = k->block_warps;
    needs[2] = k->block_registers;
    needs[3] = k->kernel.shared_bytes;
}

uint32_t partition_share(const struct sm_array *a, const struct workload *k, uint32_t parts, uint32_t *scarce)
{
    uint32_t have[PARTITION_RESOURCES], need[PARTITION_RESOURCES], blocks = UINT32_MAX;
    partition_has(a->c, have);
    partition_needs(k, need);
    for (uint32_t i = 0; i < PARTITION_RESOURCES; i++) {
        if (!need[i] || have[i] / parts / need[i] >= blocks) continue;
        blocks = have[i] / parts / need[i];
        if (scarce) *scarce = i;
    }
    return blocks;
}

uint32_t partition_most(const struct sm_array *a, const struct workload *k)
{
    return partition_share(a, k, 1, NULL);
}

void partition_limit(struct sm *sm, uint32_t workload, uint32_t blocks)
{
    if (blocks > sm->may_hold[workload]) sm->array->workload[workload].dispatch = true;
    sm->may_hold[workload] = blocks;
}

void partition_limit_all(struct sm_array *a, uint32_t workload, uint32_t blocks)
{
    for (uint32_t i = 0; i < a->c->sm_count; i++) partition_limit(&a->sms[i], workload, blocks);
}

bool partition_fits(const struct sm_array *a, const uint32_t blocks[MAX_WORKLOADS])
{
    uint32_t have[PARTITION_RESOURCES];
    uint64_t sum[PARTITION_RESOURCES] = {0};
    partition_has(a->c, have);
    for (uint32_t w = 0; w < a->workloads; w++) {
        uint32_t need[PARTITION_RESOURCES];
        partition_needs(&a->workload[w], need);
        /* mutant: && -> ||: past the end of an array for every workload that runs: the sanitized run of `make test`
         * finds it */
        for (uint32_t i = 0; a->workload[w].running && i < PARTITION_RESOURCES; i++)
            sum[i] += (uint64_t)blocks[w] * need[i];
    }
    for (uint32_t i = 0; i < PARTITION_RESOURCES; i++) {
        if (sum[i] <= have[i]) continue;
        char text[512] = "";
        /* mutant: < -> <= (2): of four workloads three are in front of the last: their text is shorter than `text` */
        for (uint32_t w = 0, n = 0; w < a->workloads && n < sizeof text; w++)
            if (a->workload[w].running)
                n += (uint32_t)snprintf(text + n, sizeof text - n, "%s%u of %.60s (kernel %.60s)", n ? ", " : "",
                                        blocks[w], a->workload[w].source->name, a->workload[w].kernel.name);
        return error_set(a->error, "thread blocks in one SM: %s need %" PRIu64 " %s, but %s = %u", text, sum[i],
                         resources[i].what, resources[i].option, have[i]);
    }
    return true;
}

static bool all_dispatched(const struct workload *k)
{
    return !workload_is_here(k) || (k->running && k->next_block == k->blocks);
}

void partition_in_turn(struct sm_array *a)
{
    bool turn = true;
    for (uint32_t w = 0; w < a->workloads; w++) {
        const uint32_t next = a->order[w];
        partition_limit_all(a, next, turn ? UINT32_MAX : 0);
        turn = turn && all_dispatched(&a->workload[next]);
    }
}

static bool serves(const struct sm_array *a, struct error *err)
{
    const struct block_partition *p = a->partition;
    return !p->most || a->workloads <= p->most ||
           error_set(err, "cke.partition: found %s with %u workloads, allowed with it: at most %u", p->policy.name,
                     a->workloads, p->most);
}

static const struct block_partition *at(uint32_t i)
{
    return (const struct block_partition *)policy_at("block partition", i);
}

static const struct block_partition *choose_block_partition(const struct sm_array *a)
{
    uint32_t i = 0;
    if (!a->streams) return at(a->workloads > 1 ? a->c->cke_partition : policy_plain("block partition"));
    while (!at(i)->of_streams) i++;
    return at(i);
}

bool partition_create(struct sm_array *a, struct error *err)
{
    a->partition = choose_block_partition(a);
    for (uint32_t w = 0; w < a->workloads; w++) partition_limit_all(a, w, UINT32_MAX);
    return serves(a, err) && sm_events_add(a, &a->partition->hooks, NULL, err);
}
