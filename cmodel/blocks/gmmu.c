/* SPDX-License-Identifier: Apache-2.0 */
#include "gmmu.h"
#include "onehot.h"

/* Ports of the parts, and the arbitration between them. */
struct nets {
    struct cap_in cap_in;
    struct cap_out cap;
    struct lease_sampler_in sampler_in;
    struct lease_sampler_out sampler;
    struct lease_table_in table_in;
    struct lease_table_out table;
    struct evict_coalescer_in coalescer_in;
    struct evict_coalescer_out coalescer;
    struct far_fault_mshr_in far_fault_in;
    struct far_fault_mshr_out far_fault;
    bool ready, recall, gone, gone_ready, arrive, arrive_ready, come, access, miss, req_ready;
    bool bad_request, bad_arrive, bad_alloc;
    uint32_t recall_page;
};

/* The allocation table; writing or freeing an entry restarts its lease. */
static void alloc_nets(const struct gmmu *m, const struct gmmu_in *in, struct nets *n)
{
    const bool legal = in->alloc_pages_i == 0 || in->alloc_base_i + in->alloc_pages_i <= m->p.Pages;
    n->cap_in.alloc_valid_i = in->alloc_valid_i && legal;
    n->cap_in.alloc_index_i = in->alloc_index_i;
    n->cap_in.alloc_base_i = in->alloc_base_i;
    n->cap_in.alloc_pages_i = in->alloc_pages_i;
    n->cap_in.fault_valid_i = in->serve_valid_i;
    n->cap_in.fault_alloc_i = in->serve_alloc_i;
    n->cap_in.fault_page_i = in->serve_page_i;
    n->cap_in.avail_pages_i = in->avail_pages_i;
    n->cap_in.oversubscribed_i = in->oversubscribed_i;
    n->cap_in.look_ready_i = in->look_ready_i;
    n->cap_in.look_resident_i = in->look_resident_i;
    n->cap_in.req_ready_i = in->mig_ready_i;
    cap_eval(&m->cap, &n->cap_in, &n->cap);
    n->bad_alloc = in->alloc_valid_i && !legal && n->cap.alloc_ready_o;
    n->sampler_in.forget_valid_i = n->cap.alloc_done_o;
    n->sampler_in.forget_group_i = in->alloc_index_i;
}

/* Priority on the lease table's command port: recall, departure, arrival.  Readiness of the other parts is evaluated
 * first, with no valid input.  A command that the lease table refuses reaches no other part. */
static void command_nets(const struct gmmu *m, const struct gmmu_in *in, struct nets *n)
{
    const bool there = in->arrive_page_i < m->p.Pages && in->arrive_alloc_i < m->p.Allocs;
    n->table_in.cmd_valid_i = false;
    n->table_in.acc_valid_i = false;
    n->table_in.exp_ready_i = false;
    n->far_fault_in.req_valid_i = false;
    n->far_fault_in.fill_valid_i = false;
    n->far_fault_in.fault_ready_i = in->fault_ready_i;
    n->far_fault_in.rsp_ready_i = in->rsp_ready_i;
    lease_table_eval(&m->lease_table, &n->table_in, &n->table);
    far_fault_mshr_eval(&m->far_fault_mshr, &n->far_fault_in, &n->far_fault);
    n->ready = n->table.cmd_ready_o;
    n->recall = m->recall_pages_q != 0;
    n->recall_page = m->recall_block_q << 4 | onehot_index(first_one(m->recall_pages_q));
    n->gone_ready = n->ready && !n->recall;
    n->gone = in->gone_valid_i && n->gone_ready;
    n->arrive_ready = n->ready && !n->recall && !in->gone_valid_i && n->far_fault.fill_ready_o;
    n->arrive = in->arrive_valid_i && n->arrive_ready && there;
    n->bad_arrive = in->arrive_valid_i && n->arrive_ready && !there;
}

static void command_ports(const struct gmmu *m, const struct gmmu_in *in, struct nets *n)
{
    n->sampler_in.acc_valid_i = false;
    n->sampler_in.look_group_i = n->arrive ? in->arrive_alloc_i : in->req_alloc_i;
    lease_sampler_eval(&m->lease_sampler, &n->sampler_in, &n->sampler);
    n->table_in.cmd_valid_i = n->recall || n->gone || n->arrive;
    n->table_in.cmd_op_i = n->recall ? LEASE_TABLE_RECALL : n->gone ? LEASE_TABLE_EVICT : LEASE_TABLE_MIGRATE;
    n->table_in.cmd_page_i = n->recall ? n->recall_page : n->gone ? in->gone_page_i : in->arrive_page_i;
    n->table_in.cmd_lease_i = n->recall ? m->recall_lease_q : n->sampler.look_lease_o;
    n->table_in.acc_page_i = in->req_page_i;
    lease_table_eval(&m->lease_table, &n->table_in, &n->table);
    n->coalescer_in.exp_valid_i = n->table.exp_valid_o;
    n->coalescer_in.exp_page_i = n->table.exp_page_o;
    n->coalescer_in.acc_valid_i = false;
    n->coalescer_in.acc_page_i = in->req_page_i;
    n->coalescer_in.acc_expired_i = false;
    n->come = n->arrive && n->table.cmd_done_o;
    n->coalescer_in.clear_valid_i = n->come || (n->gone && n->table.cmd_done_o);
    n->coalescer_in.clear_page_i = n->gone ? in->gone_page_i : in->arrive_page_i;
    n->coalescer_in.press_valid_i = in->press_valid_i;
    n->coalescer_in.evict_ready_i = in->evict_ready_i;
    n->coalescer_in.recall_ready_i = !n->recall;
    evict_coalescer_eval(&m->evict_coalescer, &n->coalescer_in, &n->coalescer);
    n->table_in.exp_ready_i = n->coalescer.exp_ready_o;
}

/* A resident page: with leases on, an access, which lease table and coalescer must both accept.  An absent page: a
 * far-fault. */
static void request_nets(const struct gmmu *m, const struct gmmu_in *in, struct nets *n)
{
    const bool there = in->req_page_i < m->p.Pages && in->req_alloc_i < m->p.Allocs && in->req_id_i < m->p.Requesters;
    const bool counted = in->req_valid_i && in->req_resident_i && in->lease_enable_i && there;
    const bool free = n->table.acc_ready_o && n->coalescer.acc_ready_o;
    n->req_ready = n->ready && (free || !counted);
    n->access = in->req_valid_i && n->req_ready && counted;
    n->miss = in->req_valid_i && n->req_ready && !in->req_resident_i && there;
    n->bad_request = in->req_valid_i && n->req_ready && !there;
    n->table_in.acc_valid_i = n->access;
    lease_table_eval(&m->lease_table, &n->table_in, &n->table);
    n->coalescer_in.acc_valid_i = n->table.acc_done_o;
    n->coalescer_in.acc_expired_i = n->table.acc_expired_o;
    evict_coalescer_eval(&m->evict_coalescer, &n->coalescer_in, &n->coalescer);
    n->far_fault_in.req_valid_i = n->miss;
    n->far_fault_in.req_page_i = in->req_page_i;
    n->far_fault_in.req_id_i = in->req_id_i;
    n->far_fault_in.fill_valid_i = n->come;
    n->far_fault_in.fill_page_i = in->arrive_page_i;
    far_fault_mshr_eval(&m->far_fault_mshr, &n->far_fault_in, &n->far_fault);
    n->sampler_in.acc_valid_i = n->table.acc_done_o || (in->lease_enable_i && n->far_fault.req_done_o);
    n->sampler_in.acc_group_i = in->req_alloc_i;
    n->sampler_in.acc_page_i = in->req_page_i;
}

static void settle(const struct gmmu *m, const struct gmmu_in *in, struct nets *n)
{
    alloc_nets(m, in, n);
    command_nets(m, in, n);
    command_ports(m, in, n);
    request_nets(m, in, n);
}

void gmmu_init(struct gmmu *m, const struct gmmu_cfg *cfg)
{
    const struct cap_cfg cap = gmmu_cap_cfg(cfg);
    const struct lease_sampler_cfg sampler = gmmu_lease_sampler_cfg(cfg);
    const struct lease_table_cfg table = gmmu_lease_table_cfg(cfg);
    const struct evict_coalescer_cfg coalescer = gmmu_evict_coalescer_cfg(cfg);
    const struct far_fault_mshr_cfg far_fault = gmmu_far_fault_mshr_cfg(cfg);
    m->p = *cfg;
    m->recall_block_q = 0;
    m->recall_lease_q = 0;
    cap_init(&m->cap, &cap);
    lease_sampler_init(&m->lease_sampler, &sampler);
    lease_table_init(&m->lease_table, &table);
    evict_coalescer_init(&m->evict_coalescer, &coalescer);
    far_fault_mshr_init(&m->far_fault_mshr, &far_fault);
    gmmu_reset(m);
}

/* Registers that are don't-care without a recall in progress have no reset in the RTL, and none here. */
void gmmu_reset(struct gmmu *m)
{
    m->recall_pages_q = 0;
    m->error_q = GMMU_OK;
    cap_reset(&m->cap);
    lease_sampler_reset(&m->lease_sampler);
    lease_table_reset(&m->lease_table);
    evict_coalescer_reset(&m->evict_coalescer);
    far_fault_mshr_reset(&m->far_fault_mshr);
}

static void error_outputs(const struct gmmu *m, const struct nets *n, struct gmmu_out *out)
{
    const uint8_t code[] = {GMMU_OK,          m->error_q,           n->cap.error_o,      n->sampler.error_o,
                            n->table.error_o, n->coalescer.error_o, n->far_fault.error_o};
    uint32_t part = GMMU_NONE;
    for (uint32_t i = GMMU_FAR_FAULT_MSHR; i > GMMU_NONE; i--) part = code[i] ? i : part;
    out->error_o = (uint8_t)part;
    out->error_code_o = code[part];
}

static void prefetch_outputs(const struct gmmu *m, const struct nets *n, struct gmmu_out *out)
{
    const uint32_t chunk = (uint32_t)bits_mask(GMMU_CHUNK_W(&m->p));
    out->alloc_ready_o = n->cap.alloc_ready_o;
    out->serve_ready_o = n->cap.fault_ready_o;
    out->win_valid_o = n->cap.win_valid_o;
    out->win_log_o = n->cap.win_log_o;
    out->win_first_o = (uint32_t)n->cap.win_first_o & chunk;
    out->win_last_o = (uint32_t)n->cap.win_last_o & chunk;
    out->look_valid_o = n->cap.look_valid_o;
    out->look_chunk_o = (uint32_t)n->cap.look_chunk_o & chunk;
    out->mig_valid_o = n->cap.req_valid_o;
    out->mig_chunk_o = (uint32_t)n->cap.req_chunk_o & chunk;
    out->mig_pages_o = n->cap.req_pages_o;
    out->mig_alloc_o = n->cap.req_alloc_o;
    out->mig_demand_o = n->cap.req_demand_o;
    out->asked_o = n->cap.asked_o;
    out->samples_o = n->sampler.samples_o;
    out->ignored_o = n->sampler.ignored_o;
}

static void evict_outputs(const struct nets *n, struct gmmu_out *out)
{
    out->press_ready_o = n->coalescer.press_ready_o;
    out->press_done_o = n->coalescer.press_done_o;
    out->press_count_o = n->coalescer.press_count_o;
    out->evict_valid_o = n->coalescer.evict_valid_o;
    out->evict_block_o = n->coalescer.evict_block_o;
    out->evict_pages_o = n->coalescer.evict_pages_o;
    out->evict_why_o = n->coalescer.evict_why_o;
    out->resident_o = n->table.resident_o;
    out->expired_o = n->table.expired_o;
    out->recalled_o = n->coalescer.recalled_o;
    out->evicted_o = n->coalescer.evicted_o;
}

void gmmu_eval(const struct gmmu *m, const struct gmmu_in *in, struct gmmu_out *out)
{
    struct nets n;
    settle(m, in, &n);
    out->ready_o = n.ready;
    out->req_ready_o = n.req_ready;
    out->req_result_o = n.miss ? n.far_fault.req_result_o + 1 : GMMU_RESIDENT;
    out->fault_valid_o = n.far_fault.fault_valid_o;
    out->fault_page_o = (uint32_t)n.far_fault.fault_page_o;
    out->arrive_ready_o = n.arrive_ready;
    out->gone_ready_o = n.gone_ready;
    out->rsp_valid_o = n.far_fault.rsp_valid_o;
    out->rsp_page_o = (uint32_t)n.far_fault.rsp_page_o;
    out->rsp_id_o = n.far_fault.rsp_id_o;
    out->rsp_last_o = n.far_fault.rsp_last_o;
    out->faults_o = n.far_fault.faults_o;
    out->merged_o = n.far_fault.merged_o;
    prefetch_outputs(m, &n, out);
    evict_outputs(&n, out);
    error_outputs(m, &n, out);
}

/* Accepts a revoked block whole; then one of its pages per cycle gets its lease, lowest first. */
static void tick_recall(struct gmmu *m, const struct nets *n)
{
    if (n->recall) {
        m->recall_pages_q &= (uint16_t)(m->recall_pages_q - 1);
    } else if (n->coalescer.recall_valid_o) {
        m->recall_pages_q = n->coalescer.recall_pages_o;
        m->recall_block_q = n->coalescer.recall_block_o;
    }
    if (n->table.acc_done_o) m->recall_lease_q = n->sampler.look_lease_o;
}

void gmmu_tick(struct gmmu *m, const struct gmmu_in *in)
{
    struct nets n;
    settle(m, in, &n);
    tick_recall(m, &n);
    cap_tick(&m->cap, &n.cap_in);
    lease_sampler_tick(&m->lease_sampler, &n.sampler_in);
    lease_table_tick(&m->lease_table, &n.table_in);
    evict_coalescer_tick(&m->evict_coalescer, &n.coalescer_in);
    far_fault_mshr_tick(&m->far_fault_mshr, &n.far_fault_in);
    if (m->error_q == GMMU_OK)
        m->error_q = n.bad_request  ? GMMU_ERROR_REQUEST
                     : n.bad_arrive ? GMMU_ERROR_ARRIVE
                     : n.bad_alloc  ? GMMU_ERROR_ALLOC
                                    : GMMU_OK;
}

bool gmmu_idle(const struct gmmu *m)
{
    return m->recall_pages_q == 0 && cap_idle(&m->cap) && lease_sampler_idle(&m->lease_sampler) &&
           lease_table_idle(&m->lease_table) && evict_coalescer_idle(&m->evict_coalescer) &&
           far_fault_mshr_idle(&m->far_fault_mshr);
}

void gmmu_skip(struct gmmu *m, uint64_t cycles)
{
    cap_skip(&m->cap, cycles);
    lease_sampler_skip(&m->lease_sampler, cycles);
    lease_table_skip(&m->lease_table, cycles);
    evict_coalescer_skip(&m->evict_coalescer, cycles);
    far_fault_mshr_skip(&m->far_fault_mshr, cycles);
}

const char *gmmu_illegal(const struct gmmu_cfg *cfg)
{
    const struct lease_sampler_cfg sampler = gmmu_lease_sampler_cfg(cfg);
    return lease_sampler_illegal(&sampler);
}
