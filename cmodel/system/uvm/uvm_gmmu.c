/* SPDX-License-Identifier: Apache-2.0 */
/* The block gmmu in the machine.  It is evaluated in cycles with work.  Its outputs take effect at that cycle's
 * clock edge, which is applied at the start of the next evaluated cycle.  Idle cycles are skipped. */
#include <inttypes.h>

#include "system/uvm/uvm_core.h"

static struct gmmu_cfg make_cfg(const struct config *c)
{
    return (struct gmmu_cfg){.Pages = c->uvm_table_pages,
                             .Allocs = c->uvm_table_allocs,
                             .Requesters = (uint32_t)ceil_div(c->sm_count, uvm_share(c)),
                             .Faults = c->uvm_mshr_entries,
                             .Coalesce = c->uvm_coalesce_entries,
                             .Samples = c->uvm_lease_samples,
                             .LeaseW = c->uvm_lease_bits,
                             .Events = 4,
                             .Batch = c->uvm_coalesce_batch,
                             .Duty = c->uvm_lease_duty,
                             .Period = c->uvm_lease_period,
                             .ScaleNum = c->uvm_lease_scale_num,
                             .ScaleDen = c->uvm_lease_scale_den,
                             .OldShift = c->uvm_lease_old_shift,
                             .MaxLog = c->uvm_cap_max_log,
                             .OverLog = c->uvm_cap_over_log,
                             .CNum = c->uvm_cap_c_num,
                             .CDen = c->uvm_cap_c_den,
                             .FirstPage = c->uvm_cap_first_page,
                             .InitLease = c->uvm_lease_init};
}

/* One cycle before the machine's first. */
static void boot_cycle(struct uvm *u)
{
    block_socket_eval(&u->socket, &u->in, &u->out);
    block_socket_tick(&u->socket, &u->in);
}

/* Before cycle 0: clears the lease table, writes the allocations. */
static void boot(struct uvm *u)
{
    do boot_cycle(u);
    while (!u->out.ready_o);
    for (uint32_t i = 0; i < u->pages->group_count; i++) {
        const struct page_group *g = &u->pages->groups[i];
        u->in = (struct gmmu_in){
            .alloc_valid_i = true, .alloc_index_i = (uint8_t)i, .alloc_base_i = g->first, .alloc_pages_i = g->count};
        boot_cycle(u);
    }
    u->idle = false;
}

/* The divisions of a sample must finish before the next duty begins. */
static bool check_period(const struct uvm *u, struct error *err)
{
    const struct lease_sampler_cfg sampler = gmmu_lease_sampler_cfg(&u->cfg);
    const uint32_t divisions = lease_sampler_longest(&sampler), least = u->c->uvm_lease_duty + divisions;
    return u->c->uvm_lease_period >= least ||
           error_set(
               err,
               "uvm.lease_period: found %u, allowed: %u or more: uvm.lease_duty = %u plus %u cycles to divide the "
               "samples, with uvm.lease_samples = %u and uvm.table_allocs = %u",
               u->c->uvm_lease_period, least, u->c->uvm_lease_duty, divisions, u->c->uvm_lease_samples,
               u->c->uvm_table_allocs);
}

bool gmmu_open(struct uvm *u, struct error *err)
{
    u->cfg = make_cfg(u->c);
    if (!check_period(u, err)) return false;
    if (!block_socket_open(&u->socket, u->env, "gmmu", &u->cfg, "gmmu", err)) return false;
    if (!uvm_contract_open(&u->contract, u->cfg.Pages)) return error_set(err, "unified memory: out of memory");
    boot(u);
    return true;
}

static void check(struct uvm *u)
{
    const struct gmmu_out *o = &u->out;
    uint32_t expected = u->pages->in_state[PAGE_DEVICE] + u->gone_waiting;
    if (o->error_o)
        /* mutant: left out: a check of the block, which fails only if the block is wrong: `make prove` and `make cosim`
         * are for that */
        error_set(&u->pages->broken, "gmmu, cycle %" PRIu64 ": error_o: found %u (code %u), expected 0", u->block_cycle,
                  o->error_o, o->error_code_o);
    if (o->resident_o != expected)
        error_set(&u->pages->broken,
                  "gmmu, cycle %" PRIu64 ": resident_o: found %u, expected %u: pages in device memory plus departures "
                  "not yet sent to the block",
                  u->block_cycle, o->resident_o, expected);
}

static void told(struct uvm *u, bool arrive)
{
    const uint32_t page = ((const struct command *)ring_peek(&u->commands))->page;
    ring_pop(&u->commands);
    u->gone_waiting -= !arrive;
    if (arrive) service_arrived(u, page);
}

static void answer(struct uvm *u, uint32_t page, uint32_t sm)
{
    pages_answer(u->pages, page, sm);
    u->client.translated(u->client.context, page, sm);
    uvm_poke(u);
}

static void want_chunk(struct uvm *u, uint32_t chunk, uint32_t pages)
{
    for (uint32_t i = 0; i < PAGES_PER_BLOCK; i++)
        if (pages >> i & 1) uvm_want(u, (chunk << BLOCK_SHIFT) + i);
}

/* Applies the outputs, which are final at the clock edge. */
static void clock_edge(struct uvm *u)
{
    const struct gmmu_in in = u->in;
    const struct gmmu_out out = u->out;
    check(u);
    uvm_contract_edge(&u->contract, &in, &out, u->block_cycle, &u->pages->broken);
    block_socket_tick(&u->socket, &in);
    if (in.gone_valid_i && out.gone_ready_o) told(u, false);
    if (in.arrive_valid_i && out.arrive_ready_o) {
        told(u, true);
        u->full = false;
    }
    if (out.rsp_valid_o) answer(u, out.rsp_page_o, out.rsp_id_o);
    if (out.fault_valid_o) service_fault(u, out.fault_page_o);
    if (in.serve_valid_i && out.serve_ready_o) u->cap_asked = true;
    if (out.mig_valid_o) want_chunk(u, out.mig_chunk_o, out.mig_pages_o);
    if (u->deciding && !in.serve_valid_i && out.serve_ready_o && !out.mig_valid_o) service_decided(u);
    if (in.press_valid_i && out.press_ready_o) u->press = false;
    if (out.evict_valid_o) evict_offer(u, out.evict_block_o, out.evict_pages_o, out.evict_why_o);
    if (out.press_done_o) evict_pressed(u, out.press_count_o);
}

void gmmu_catch_up(struct uvm *u)
{
    uint64_t now = u->env->sm_cycle;
    if (u->driven && u->block_cycle < now) {
        u->driven = u->asked = false;
        clock_edge(u);
        u->idle = block_socket_idle(&u->socket);
        u->block_cycle++;
    }
    if (u->block_cycle < now) block_socket_skip(&u->socket, now - u->block_cycle);
    u->block_cycle = now;
}

/* COMING pages count as resident: a prefetch must not request them again. */
static uint16_t residency(const struct uvm *u, uint32_t chunk)
{
    uint32_t bits = 0, first = chunk << BLOCK_SHIFT;
    for (uint32_t i = 0; i < PAGES_PER_BLOCK; i++)
        if (pages_exist(u->pages, first + i) && u->pages->page[first + i].state != PAGE_HOST) bits |= 1u << i;
    return (uint16_t)bits;
}

/* Saturated at the port's width. */
static uint32_t available(const struct uvm *u)
{
    uint32_t most = (uint32_t)bits_mask(GMMU_COUNT_W(&u->cfg)), free = pages_available(u->pages);
    return free < most ? free : most;
}

static uint8_t alloc_of(const struct uvm *u, uint32_t page)
{
    return u->pages->group_of_tree[page >> TREE_SHIFT];
}

static void inputs(struct uvm *u)
{
    const struct command *c = ring_peek(&u->commands);
    u->in = (struct gmmu_in){.lease_enable_i = u->eviction->leases,
                             .fault_ready_i = true,
                             .rsp_ready_i = true,
                             .mig_ready_i = true,
                             .evict_ready_i = true,
                             .press_valid_i = u->press};
    if (c && c->arrive) {
        u->in.arrive_valid_i = true;
        u->in.arrive_page_i = c->page;
        u->in.arrive_alloc_i = alloc_of(u, c->page);
    } else if (c) {
        u->in.gone_valid_i = true;
        u->in.gone_page_i = c->page;
    }
    if (u->deciding && !u->cap_asked) {
        u->in.serve_valid_i = true;
        u->in.serve_page_i = u->demand;
        u->in.serve_alloc_i = alloc_of(u, u->demand);
        u->in.avail_pages_i = available(u);
        u->in.oversubscribed_i = u->oversubscribed;
    }
}

static void evaluate(struct uvm *u)
{
    inputs(u);
    block_socket_eval(&u->socket, &u->in, &u->out);
    u->driven = true;
    if (!u->out.look_valid_o) return;
    /* Set after the evaluation, because the chunk to look up is one of its outputs. */
    u->in.look_ready_i = true;
    u->in.look_resident_i = residency(u, u->out.look_chunk_o);
}

void gmmu_drive(struct uvm *u)
{
    if (!u->idle || u->commands.count || u->deciding || u->press) evaluate(u);
}

/* While the far-fault table is full, the answer to the same request cannot change until a page arrives. */
static bool still_full(const struct uvm *u, uint32_t page, uint32_t sm)
{
    return u->full && u->full_page == page && u->full_sm == sm && !u->driven;
}

/* A refusal counts every cycle, also the cycles that were skipped without a retry. */
static enum uvm_answer refuse(struct uvm *u)
{
    if (!u->refused) u->refused_since = u->env->sm_cycle;
    u->refused = true;
    return UVM_RETRY;
}

static void accept(struct uvm *u)
{
    if (u->refused) u->s->uvm_refused += u->env->sm_cycle - u->refused_since;
    u->refused = false;
    u->s->uvm_requests++;
}

/* Drives the block's request port in this cycle. */
static void present(struct uvm *u, uint32_t page, uint32_t sm)
{
    if (!u->driven) evaluate(u);
    u->asked = true;
    u->wake = u->env->sm_cycle + 1;
    u->in.req_valid_i = true;
    u->in.req_page_i = page;
    u->in.req_alloc_i = alloc_of(u, page);
    u->in.req_id_i = (uint8_t)sm;
    u->in.req_resident_i = u->pages->page[page].state == PAGE_DEVICE;
    block_socket_eval(&u->socket, &u->in, &u->out);
    if (u->in.req_resident_i && u->out.req_ready_o) evict_spare(u, page);
}

enum uvm_answer uvm_request(struct uvm *u, uint32_t page, uint32_t sm)
{
    if (!pages_exist(u->pages, page)) pages_break(u->pages, page, "an SM requests it");
    if (u->asked && u->block_cycle == u->env->sm_cycle) return UVM_RETRY;
    if (still_full(u, page, sm)) return refuse(u);
    if (u->block_cycle < u->env->sm_cycle) gmmu_catch_up(u);
    present(u, page, sm);
    u->full = u->out.req_ready_o && u->out.req_result_o == GMMU_FULL;
    u->full_page = page;
    u->full_sm = sm;
    if (!u->out.req_ready_o || u->full || u->out.req_result_o == GMMU_DRAINING) return refuse(u);
    accept(u);
    if (u->out.req_result_o == GMMU_RESIDENT) return UVM_RESIDENT;
    u->pages->page[page].fault |= u->out.req_result_o == GMMU_PRIMARY;
    *(u->out.req_result_o == GMMU_PRIMARY ? &u->s->uvm_faults : &u->s->uvm_faults_merged) += 1;
    pages_wait(u->pages, page, sm);
    return UVM_WAITS;
}

uint32_t uvm_lease_unit(const struct uvm *u)
{
    return u->eviction->leases ? u->c->uvm_lease_unit : 0;
}

/* A request for a resident page is accepted when both lease units are ready.  It never faults, so the SM number is
 * don't-care. */
enum uvm_noted uvm_note(struct uvm *u, uint32_t page, uint32_t sm)
{
    if (u->block_cycle < u->env->sm_cycle) gmmu_catch_up(u);
    if (u->pages->page[page].state != PAGE_DEVICE) return UVM_NOTE_LATE;
    present(u, page, sm);
    return u->out.req_ready_o ? UVM_NOTE_TAKEN : UVM_NOTE_RETRY;
}
