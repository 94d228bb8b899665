/* SPDX-License-Identifier: Apache-2.0 */
#include "system/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/host.h"
#include "system/cache/index.h"
#include "system/cache/l2_far.h"
#include "system/cache/sectors.h"
#include "system/config/bypass_kind.h"
#include "system/noc/xbar.h"
#include "system/memory_partition.h"
#include "system/stats/law.h"
#include "system/unit/pool.h"

#define UNITS 4096 /* entries of the cache of unit_place, direct-mapped */
#define NO_WHOLE UINT32_MAX

/* Partition and local number of an interleave unit.  Cached, because the partition maps divide. */
struct unit_place {
    uint64_t unit;  /* plus one; 0: none */
    uint64_t place; /* its number in the partition, times MOST_PARTITIONS, plus the partition */
};

struct memory {
    struct env *env;
    const struct config *c;
    struct memory_client client;
    struct domain xbar; /* of the present SM cycle */
    struct xbar *requests, *responses;
    struct line_index map;
    uint32_t divisor; /* of a modulo map: a unit's remainder by it selects the partition; 0: another map */
    uint8_t of_remainder[MOST_PARTITIONS];         /* partition of each remainder */
    uint32_t slices_shift;                         /* log2 of all slices, with partition.map_of = slices; else 0 */
    uint32_t flits[LINE_BYTES / SECTOR_BYTES + 1]; /* of a packet with so many sectors of data */
    struct sectors sectors;                        /* of the L2 */
    struct pool wholes;                            /* requests of several sectors of the L2 */
    uint8_t *parts_left;                           /* [wholes]: sectors not answered */
    struct error error;
    uint64_t wake;           /* SM cycle; memory_wake() */
    uint64_t sent, returned; /* requests taken from the SMs, responses given to them */
    struct unit_place *known;
    struct memory_partitions all;
};

/* Doubles the table of requests of several sectors. */
static bool more_wholes(struct memory *m)
{
    const uint32_t n = m->wholes.size ? 2 * m->wholes.size : 1024;
    uint8_t *parts_left = realloc(m->parts_left, n);
    if (parts_left) m->parts_left = parts_left;
    return (parts_left && pool_grow(&m->wholes, n)) || error_set(&m->error, "memory: out of memory");
}

/* A modulo map is evaluated once per remainder; as RTL or with a capture, once per unit. */
static void set_remainders(struct memory *m)
{
    const bool modulo = m->map.cfg.Function == SET_HASH_BMOD || m->map.cfg.Function == SET_HASH_PMOD;
    if (m->slices_shift || !modulo || m->map.of || m->map.socket.capture ||
        (m->env->rtl_blocks && m->env->rtl_blocks[0]))
        return;
    m->divisor = m->map.divisor;
    for (uint32_t i = 0; i < m->divisor; i++) m->of_remainder[i] = (uint8_t)index_of(&m->map, i);
}

static void set_flits(struct memory *m)
{
    for (uint32_t i = 0; i <= LINE_BYTES / SECTOR_BYTES; i++)
        m->flits[i] = m->c->xbar_transfer == TRANSFER_PACKETS
                          ? 1
                          : request_flits(i * SECTOR_BYTES, m->c->xbar_header_bytes, m->c->xbar_flit_bytes);
}

static uint32_t request_size(const struct memory *m, const struct request *r)
{
    return m->flits[(r->kind != REQUEST_READ) * (r->bytes / SECTOR_BYTES)];
}

/* Without a branch: the host cannot predict which kind of response is next. */
static uint32_t response_size(const struct memory *m, const struct request *r)
{
    return m->flits[(r->kind != REQUEST_WRITE) * (r->bytes / SECTOR_BYTES)];
}

/* A slice answers each sector of a request separately.  The sender gets one response, with the last sector. */
static void start_whole(struct memory *m, struct packet *p)
{
    const uint32_t parts = blocks_in(&m->sectors, p->r.bytes);
    p->whole = NO_WHOLE;
    if (parts == 1) return;
    if (!m->wholes.left && !more_wholes(m)) return;
    p->whole = pool_take(&m->wholes);
    m->parts_left[p->whole] = (uint8_t)parts;
}

/* Packets of one slice to one SM stay in order in the crossbar, so the last that enters it is the last that comes out.
 */
static bool is_last_part(const struct memory *m, const struct packet *p)
{
    return p->whole == NO_WHOLE || m->parts_left[p->whole] == 1;
}

/* It has entered the crossbar. */
static void end_part(struct memory *m, const struct packet *p, bool last)
{
    if (!last)
        m->parts_left[p->whole]--;
    else if (p->whole != NO_WHOLE)
        pool_give(&m->wholes, p->whole);
}

/* Calls between the parts. */

static bool deliver_request(void *context, uint32_t output, const struct packet *p)
{
    struct memory *m = context;
    return memory_partitions_push(&m->all, output, p);
}

static void request_room(void *context, uint32_t input)
{
    struct memory *m = context;
    m->client.room(m->client.context, input);
}

static bool deliver_response(void *context, uint32_t output, const struct packet *p)
{
    struct memory *m = context;
    struct stats *s = m->env->stats;
    s->mem_reply_count++;
    s->mem_reply_sum += m->env->sm_cycle - p->r.born;
    if (!p->last) return true;
    m->returned++;
    m->client.respond(m->client.context, output, &p->r);
    return true;
}

static void response_room(void *context, uint32_t input)
{
    struct memory *m = context;
    memory_partitions_resume(&m->all, input);
}

static bool respond(void *context, uint32_t slice, const struct packet *p)
{
    struct memory *m = context;
    const uint32_t n = response_size(m, &p->r);
    const bool last = is_last_part(m, p);
    struct packet *sent = xbar_push(m->responses, slice, p->r.sm, n, m->xbar.start);
    if (!sent) return false;
    *sent = *p;
    sent->last = last;
    end_part(m, p, last);
    struct stats *s = m->env->stats;
    s->xbar_responses++;
    s->xbar_response_flits += n;
    return true;
}

static void slice_room(void *context, uint32_t slice)
{
    struct memory *m = context;
    xbar_resume(m->requests, slice);
}

static bool create_partitions(struct memory *m, struct error *err)
{
    const struct memory_partition_client client = {
        .slice = {.respond = respond, .context = m}, .room = slice_room, .context = m};
    memory_partitions_init(&m->all, m->env, &client);
    return memory_partitions_create(&m->all, err);
}

/* A buffer that counts flits holds the longest packet. */
static bool check_flits(const char *key, uint32_t found, uint32_t least, struct error *err)
{
    return !found || found >= least ||
           error_set(err, "%s: found %u, allowed: 0, or at least %u, the flits of a line and its header", key, found,
                     least);
}

static bool create_crossbars(struct memory *m, struct error *err)
{
    const struct config *c = m->c;
    const uint32_t slices = c->partition_count * c->partition_slices;
    const struct xbar_client to_l2 = {.deliver = deliver_request, .room = request_room, .context = m};
    const struct xbar_client to_sm = {.deliver = deliver_response, .room = response_room, .context = m};
    struct xbar_setup s = {.name = "request crossbar",
                           .inputs = c->sm_count,
                           .outputs = slices,
                           .latency = c->xbar_latency,
                           .input_queue = c->xbar_input_queue,
                           .output_queue = c->xbar_output_queue,
                           .input_flits = c->xbar_input_flits,
                           .output_flits = c->xbar_output_flits,
                           .alloc_cycles = c->xbar_alloc_cycles,
                           .speedup = c->xbar_speedup,
                           .fixed = c->xbar_arbiter == ARBITER_FIXED,
                           .packets = c->xbar_transfer == TRANSFER_PACKETS,
                           .front = c->xbar_input_room == ROOM_FRONT,
                           .max_flits = m->flits[LINE_BYTES / SECTOR_BYTES],
                           .stall_cycles = &m->env->stats->xbar_stall_cycles};
    if (!check_flits("xbar.input_flits", s.input_flits, s.max_flits, err)) return false;
    if (!check_flits("xbar.output_flits", s.output_flits, s.max_flits, err)) return false;
    m->requests = xbar_create(&s, &to_l2, err);
    s.name = "response crossbar";
    s.inputs = slices;
    s.outputs = c->sm_count;
    m->responses = m->requests ? xbar_create(&s, &to_sm, err) : NULL;
    return m->responses;
}

struct memory *memory_create(struct env *env, const struct memory_client *client, struct error *err)
{
    const struct config *c = env->config;
    struct memory *m = host_malloc(sizeof *m);
    if (!m) return error_set(err, "memory: out of memory"), NULL;
    *m = (struct memory){
        .env = env, .c = c, .client = *client, .xbar = domain_at(c->clock_xbar_khz, c->clock_sm_khz), .wake = NEVER};
    m->known = calloc(UNITS, sizeof *m->known);
    set_flits(m);
    m->sectors = sectors_of(c->l2_sector_bytes);
    m->slices_shift = c->partition_map_of == MAP_OF_SLICES ? log2_floor(config_mapped(c)) : 0;
    if (!m->known)
        error_set(err, "memory: out of memory");
    else if (index_open_partitions(&m->map, env, c->partition_map, config_mapped(c), "xbar.map", err) &&
             create_partitions(m, err) && create_crossbars(m, err)) {
        set_remainders(m);
        return m;
    }
    memory_destroy(m);
    return NULL;
}

void memory_destroy(struct memory *m)
{
    if (!m) return;
    memory_partitions_destroy(&m->all);
    xbar_destroy(m->requests);
    xbar_destroy(m->responses);
    index_close(&m->map);
    pool_free(&m->wholes);
    free(m->parts_left);
    free(m->known);
    free(m);
}

bool memory_room(struct memory *m, uint32_t sm, const struct request *r)
{
    const uint64_t now = m->env->sm_cycle;
    if (xbar_room(m->requests, sm, request_size(m, r), next_tick(&m->xbar, now))) return true;
    m->wake = min_u64(m->wake, in_sm_cycles(&m->xbar, now, xbar_wake(m->requests)));
    return false;
}

static uint64_t look_up_place(struct memory *m, uint64_t unit)
{
    const uint64_t local = index_local(&m->map, unit);
    const uint32_t partition = m->divisor ? m->of_remainder[unit - local * m->divisor] : index_of(&m->map, unit);
    return local * MOST_PARTITIONS + partition;
}

/* A capture of the partition map needs every lookup, so it does not use this cache. */
static const struct unit_place *place_of(struct memory *m, uint64_t unit)
{
    struct unit_place *p = &m->known[unit % UNITS];
    if (p->unit != unit + 1 || m->map.socket.capture)
        *p = (struct unit_place){.unit = unit + 1, .place = look_up_place(m, unit)};
    return p;
}

/* With partition.map_of = slices: the partitions take turns before the map. */
static uint64_t turn_of(const struct memory *m, uint64_t unit)
{
    const uint32_t count = m->c->partition_count;
    return (unit >> log2_floor(count)) * MOST_PARTITIONS + (unit & (count - 1));
}

/* Returns the line's L2 slice; *local is the line number within it. */
static uint32_t slice_of(struct memory *m, uint64_t line, uint64_t *local)
{
    const uint32_t shift = m->all.interleave_shift - LINE_SHIFT, slice_shift = m->all.slice_unit_shift - LINE_SHIFT;
    const uint64_t inside = line & (((uint64_t)1 << shift) - 1);
    const uint64_t place = m->slices_shift ? turn_of(m, line >> shift) : place_of(m, line >> shift)->place;
    const uint64_t in_partition = place / MOST_PARTITIONS << shift | inside, unit = in_partition >> slice_shift;
    const uint64_t slice = place % MOST_PARTITIONS << m->all.slice_shift | (unit & (m->all.slices - 1));
    *local = unit >> m->all.slice_shift << slice_shift | (in_partition & (((uint64_t)1 << slice_shift) - 1));
    if (!m->slices_shift) return (uint32_t)slice;
    return index_of(&m->map, line >> shift >> m->slices_shift << m->slices_shift | slice);
}

/* Even SMs are at the first half of the L2.  The slice that an SM asks for a line is of its own half. */
static uint32_t slice_for(struct memory *m, uint32_t sm, uint64_t line, uint64_t *local)
{
    const uint32_t home = slice_of(m, line, local);
    if (m->c->l2_halves == 1) return home;
    const uint32_t partner = memory_partitions_partner(&m->all, home);
    if ((home > partner) == (sm & 1)) return home;
    *local |= FOREIGN;
    return partner;
}

/* With l2.upper_half = next: the number in the slice of the line behind this one. */
static uint64_t next_line(struct memory *m, uint64_t line, uint32_t slice)
{
    uint64_t local;
    const uint32_t owner = slice_of(m, line + 1, &local);
    return owner == slice ? local : local | FOREIGN;
}

static bool is_upper_half(const struct request *r)
{
    return r->bytes == LINE_BYTES / 2 && r->sector == SECTORS / 2;
}

bool memory_drop(struct memory *m, uint64_t line)
{
    uint64_t local;
    const uint32_t slice = slice_of(m, line, &local);
    return memory_partitions_drop(&m->all, slice, local);
}

/* Of a copy larger than four times the L2 only the end is made: it replaces all lines, whatever the map. */
void memory_copied(struct memory *m, const struct host_copy *copy)
{
    const struct config *c = m->c;
    const uint64_t slices = (uint64_t)c->partition_count * c->partition_slices;
    const uint64_t most = 4 * slices * c->l2_sets * c->l2_ways << m->sectors.shift;
    const uint64_t end = block_at(&m->sectors, copy->addr + (copy->bytes - 1));
    uint64_t block = block_at(&m->sectors, copy->addr);
    if (end - block >= most) block = end - most + 1;
    while (block <= end) {
        const uint64_t line = block_line(&m->sectors, block);
        uint64_t local;
        const uint32_t slice = slice_of(m, line, &local);
        for (; block <= end && block_line(&m->sectors, block) == line; block++)
            memory_partitions_copied(&m->all, slice, local, block_sector(&m->sectors, block));
    }
}

void memory_send(struct memory *m, uint32_t sm, const struct request *r)
{
    uint64_t local;
    const uint32_t n = request_size(m, r), to = slice_for(m, sm, r->line, &local);
    if (m->c->l2_upper_half == HALF_NEXT && is_upper_half(r)) local = next_line(m, r->line, to);
    struct packet *p = xbar_push(m->requests, sm, to, n, next_tick(&m->xbar, m->env->sm_cycle));
    *p = (struct packet){.r = *r, .local = local};
    p->r.sm = (uint16_t)sm;
    start_whole(m, p);
    m->sent++;
    m->env->stats->xbar_requests++;
    m->env->stats->xbar_request_flits += n;
    env_at(m->env, r, AT_XBAR_IN, sm);
    m->wake = min_u64(m->wake, in_sm_cycles(&m->xbar, m->env->sm_cycle, 0));
}

static uint64_t next_wake(const struct memory *m)
{
    const uint64_t wake = min_u64(xbar_wake(m->requests), xbar_wake(m->responses));
    return min_u64(m->all.soonest, in_sm_cycles(&m->xbar, m->env->sm_cycle, wake));
}

DEFINE_RUN(xbar)

void memory_tick(struct memory *m)
{
    const bool skip = m->c->sim_skip;
    const uint64_t now = m->env->sm_cycle;
    domain_enter(&m->xbar, now);
    memory_partitions_tick(&m->all);
    run_xbar(m->requests, &m->xbar, skip);
    run_xbar(m->responses, &m->xbar, skip);
    m->wake = next_wake(m);
}

/* Only a tick or a sent request changes it. */
uint64_t memory_wake(const struct memory *m)
{
    return m->wake;
}

bool memory_empty(const struct memory *m)
{
    return m->sent == m->returned && memory_partitions_empty(&m->all);
}

void memory_describe(const struct memory *m, char *text, size_t size)
{
    text[0] = 0;
    if (memory_empty(m)) return;
    snprintf(text, size, "%" PRIu64 " requests and acknowledgements are below the SMs; busy:%s%s",
             m->sent - m->returned, xbar_empty(m->requests) ? "" : " xbar (requests)",
             xbar_empty(m->responses) ? "" : " xbar (responses)");
    memory_partitions_describe(&m->all, text + strlen(text), size - strlen(text));
}

/* ended: nothing is in flight. */
static bool counters_agree(const struct memory *m, bool ended, struct error *err)
{
    const struct stats *s = m->env->stats;
    const uint64_t reads_around = s->l2_bypassed - s->l2_bypassed_writes;
    const uint64_t written = s->l2_writebacks + s->l2_written_through + s->l2_bypassed_writes;
    const uint64_t bytes = s->dram_reads * m->sectors.bytes + s->l2_written_bytes;
    const uint64_t far = s->l2_far_reads + s->l2_far_writes + s->l2_far_atomics;
    const struct law laws[] = {
        {"requests in = responses out", ended, m->sent, LAW_EQUAL, m->returned},
        {"responses out <= requests in", !ended, m->returned, LAW_AT_MOST, m->sent},
        {"l2.accesses = xbar.requests + l2.split + l2.far.reads + .writes + .atomics", ended, s->l2_accesses, LAW_EQUAL,
         s->xbar_requests + s->l2_split + far},
        {"l2.accesses <= xbar.requests + l2.split + l2.far.reads + .writes + .atomics", !ended, s->l2_accesses,
         LAW_AT_MOST, s->xbar_requests + s->l2_split + far},
        {"xbar.responses = l2.accesses - l2.far.reads - .writes - .atomics", ended, s->xbar_responses, LAW_EQUAL,
         s->l2_accesses - far},
        {"xbar.responses <= l2.accesses - l2.far.reads - .writes - .atomics", !ended, s->xbar_responses, LAW_AT_MOST,
         s->l2_accesses - far},
        {"l2.accesses = l2.hits + l2.misses + l2.merged + l2.bypassed + l2.far.sent", true, s->l2_accesses, LAW_EQUAL,
         s->l2_hits + s->l2_misses + s->l2_merged + s->l2_bypassed + s->l2_far_sent},
        {"l2.far.reads = l2.far.fetched", ended, s->l2_far_reads, LAW_EQUAL, s->l2_far_fetched},
        {"l2.far.reads <= l2.far.fetched", !ended, s->l2_far_reads, LAW_AT_MOST, s->l2_far_fetched},
        {"l2.far.writes + l2.far.atomics = l2.far.sent", ended, s->l2_far_writes + s->l2_far_atomics, LAW_EQUAL,
         s->l2_far_sent},
        {"l2.far.writes + l2.far.atomics <= l2.far.sent", !ended, s->l2_far_writes + s->l2_far_atomics, LAW_AT_MOST,
         s->l2_far_sent},
        {"l2.accesses = l2.reads + l2.writes + l2.atomics", true, s->l2_accesses, LAW_EQUAL,
         s->l2_reads + s->l2_writes + s->l2_atomics},
        {"l2.fills = l2.misses - l2.unfetched", ended, s->l2_fills, LAW_EQUAL, s->l2_misses - s->l2_unfetched},
        {"dram.reads = l2.fills + l2.bypassed - l2.bypassed_writes - l2.far.fetched", ended, s->dram_reads, LAW_EQUAL,
         s->l2_fills + reads_around - s->l2_far_fetched},
        {"l2.fills <= dram.reads + l2.far.reads", !ended, s->l2_fills, LAW_AT_MOST, s->dram_reads + s->l2_far_reads},
        {"dram.reads <= l2.misses + l2.bypassed - l2.bypassed_writes", !ended, s->dram_reads, LAW_AT_MOST,
         s->l2_misses + reads_around},
        {"dram.writes = l2.writebacks + l2.written_through + l2.bypassed_writes", ended, s->dram_writes, LAW_EQUAL,
         written},
        {"dram.writes <= l2.writebacks + l2.written_through + l2.bypassed_writes", !ended, s->dram_writes, LAW_AT_MOST,
         written},
        {"dram.bytes = dram.reads * (128, or l2.sector_bytes) + l2.written_bytes", ended, s->dram_bytes, LAW_EQUAL,
         bytes},
        {"dram.bytes <= dram.reads * (128, or l2.sector_bytes) + l2.written_bytes", !ended, s->dram_bytes, LAW_AT_MOST,
         bytes},
        {"l2.sector_misses <= l2.misses", ended, s->l2_sector_misses, LAW_AT_MOST, s->l2_misses},
        {"l1d.atomics <= l2.atomics", ended, s->l1d_atomics, LAW_AT_MOST, s->l2_atomics},
        {"l2.evictions = 0 with l2.unbounded", ended && m->c->l2_unbounded, s->l2_evictions, LAW_EQUAL, 0},
        {"dram.row_hits + dram.row_misses = dram.reads + dram.writes", ended, s->dram_row_hits + s->dram_row_misses,
         LAW_EQUAL, s->dram_reads + s->dram_writes},
    };
    return laws_hold("memory: ", LAWS(laws), err) && policy_laws_hold("L2 bypass", m->c, s, err);
}

void memory_sync(struct memory *m, uint64_t cycles)
{
    xbar_sync(m->requests, ticks_before(&m->xbar, cycles));
    xbar_sync(m->responses, ticks_before(&m->xbar, cycles));
    memory_partitions_sync(&m->all, cycles);
}

bool memory_finish(struct memory *m, struct error *err)
{
    uint64_t cycles = m->env->sm_cycle + 1;
    memory_sync(m, cycles);
    bool ok = memory_partitions_finish(&m->all, cycles, err);
    if (m->error.text[0]) ok = error_set(err, "%s", m->error.text);
    if (m->env->cut) return counters_agree(m, false, err) && ok;
    if (!xbar_empty(m->requests) || !xbar_empty(m->responses))
        ok = error_set(err, "memory: packets left in the crossbar at the end");
    if (pool_used(&m->wholes)) ok = error_set(err, "memory: requests of several sectors left at the end");
    return counters_agree(m, true, err) && ok;
}
