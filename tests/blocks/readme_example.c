/* SPDX-License-Identifier: Apache-2.0 */
/* The worked example of every block's README. */
#include "readme_example.h"

#include "bank_reorder.h"
#include "bpg.h"
#include "bypass_slots.h"
#include "cap.h"
#include "cart.h"
#include "evict_coalescer.h"
#include "far_fault_mshr.h"
#include "files.h"
#include "gmmu.h"
#include "lease_sampler.h"
#include "lease_table.h"
#include "milg.h"
#include "qbmi.h"
#include "set_hash.h"

/* "{5, 6}". */
static const char *pages(char text[CELL], uint32_t set)
{
    strcpy(text, "{");
    for (uint32_t i = 0; i < 16; i++)
        if (set >> i & 1) sprintf(text + strlen(text), text[1] ? ", %u" : "%u", i);
    return strcat(text, "}");
}

/* One cycle of a twin: its outputs in `o`, then the clock edge. */
#define CYCLE(B, m, ...)                                                                                               \
    const struct B##_in in = {__VA_ARGS__};                                                                            \
    struct B##_out o;                                                                                                  \
    B##_eval(m, &in, &o);                                                                                              \
    B##_tick(m, &in)

/* The columns that both miss files share; "A/2" is line A, requester 2. */
#define MISS_FILE(B, e, m)                                                                                             \
    const char *request = given(e, "request"), *fill = given(e, "fill");                                               \
    CYCLE(B, m, .req_valid_i = *request, .req_addr_i = (uint64_t)*request,                                             \
          .req_info_i = *request ? (uint32_t)atoi(request + 2) : 0, .fill_valid_i = *fill,                             \
          .fill_addr_i = (uint64_t)*fill, .drain_ready_i = flag(e, "take"));                                           \
    const char *result = NAME(o.rsp_result_o, "PRIMARY", "SECONDARY", "RF_ENTRY", "RF_MERGE", "RF_DRAIN");             \
    if (o.rsp_result_o <= MSHR_SECONDARY)                                                                              \
        shows(e, "answer", o.rsp_valid_o, "%s, set %u", result, o.rsp_set_o);                                          \
    else                                                                                                               \
        shows(e, "answer", o.rsp_valid_o, "%s", result);                                                               \
    shows(e, "drain", o.drain_valid_o, "%c/%u%s", (char)o.drain_addr_o, o.drain_info_o,                                \
          o.drain_last_o ? " last" : "");                                                                              \
    shows_number(e, "free", o.free_o);                                                                                 \
    shows_number(e, "used", o.used_slots_o)

Test(readme_example, mshr)
{
    struct mshr *m = mshr_new(4, 2, 0);
    for (struct example e = example_of("mshr", "cycle"); next_row(&e);) {
        char state[5] = "";
        for (uint32_t i = 0; i < 4; i++) strcat(state, m->live_q[i] ? "L" : m->busy_q[i] ? "D" : "-");
        MISS_FILE(mshr, &e, m);
        shows(&e, "cycle", true, "%u", e.rows - 1);
        shows(&e, "entries", true, "%s", state);
    }
    free(m);
}

Test(readme_example, dl_mshr)
{
    struct dl_mshr *m = dl_new(4, 2, 0, 1, 0);
    for (struct example e = example_of("dl_mshr", "cycle"); next_row(&e);) {
        uint8_t s[4];
        for (uint32_t i = 0; i < 4; i++) s[i] = m->state_q[i];
        MISS_FILE(dl_mshr, &e, m);
        shows(&e, "cycle", true, "%u", e.rows - 1);
        shows(&e, "state_q", true, "S%u S%u S%u S%u", s[0], s[1], s[2], s[3]);
    }
    free(m);
}

/* Requests are "A0": a letter for the line or bank, and a number. */
static uint64_t info_of(const char *request)
{
    return *request ? (uint64_t)*request << 8 | (uint64_t)request[1] : 0;
}

Test(readme_example, bank_reorder)
{
    const struct bank_reorder_cfg cfg = {.Banks = 2, .Entries = 2, .AddrW = 16, .BankMsb = 5, .InfoW = 16};
    struct bank_reorder *m = calloc(1, sizeof *m);
    bank_reorder_init(m, &cfg);
    for (struct example e = example_of("bank_reorder", "cycle"); next_row(&e);) {
        const char *request = given(&e, "in");
        shows_number(&e, "turn", m->turn_bank_q);
        CYCLE(bank_reorder, m, .in_valid_i = *request, .in_addr_i = *request == 'B', .in_info_i = info_of(request),
              .out_ready_i = flag(&e, "out_ready_i"));
        shows_number(&e, "in_ready_o", o.in_ready_o);
        shows(&e, "offered", o.out_valid_o, "%c%c", (char)(o.out_info_o >> 8), (char)o.out_info_o);
        cr_expect(o.out_valid_o || !o.out_info_o);
        shows_number(&e, "held", o.used_o);
        shows(&e, "cycle", true, "%u", e.rows - 1);
    }
    free(m);
}

static void bits(char text[9], uint32_t value, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++) text[i] = value >> (width - 1 - i) & 1 ? '1' : '0';
    text[width] = 0;
}

/* A, B: columns 0 and 1 of a row of bank 0; C: another row of bank 0; D: bank 1. */
Test(readme_example, cart)
{
    static const uint64_t lines[] = {0, 1 << 1, 1 << 8, 1};
    const struct cart_cfg cfg = {.Banks = 2,
                                 .Rows = 2,
                                 .Cols = 2,
                                 .Entries = 2,
                                 .AddrW = 16,
                                 .BankLsb = 0,
                                 .BankMsb = 4,
                                 .RowLsb = 8,
                                 .InfoW = 16};
    struct cart *m = calloc(1, sizeof *m);
    cart_init(m, &cfg);
    for (struct example e = example_of("cart", "cycle"); next_row(&e);) {
        const char *request = given(&e, "in");
        char valid[9], linked[9], blocked[9];
        bits(valid, m->valid_q[0], 4);
        bits(linked, m->linked_q[0], 4);
        bits(blocked, m->blocked_q[0], 4);
        shows(&e, "bank 0: valid, linked, blocked", true, "%s %s %s", valid, linked, blocked);
        CYCLE(cart, m, .in_valid_i = *request, .in_addr_i = *request ? lines[*request - 'A'] : 0,
              .in_info_i = info_of(request), .out_ready_i = flag(&e, "take"));
        shows_number(&e, "ready", o.in_ready_o);
        shows(&e, "offered, queue", o.out_valid_o, "%c%c, %u", (char)(o.out_info_o >> 8), (char)o.out_info_o,
              o.out_queue_o);
        cr_expect(o.out_valid_o || (!o.out_info_o && !o.out_queue_o));
        shows_number(&e, "used", o.used_o);
        shows(&e, "cycle", true, "%u", e.rows - 1);
    }
    free(m);
}

/* Hits 0, 1, 3, 6, 10, 15, 21, 30 and 512 failures at the interval's last access, which is cycle 0. */
Test(readme_example, bpg)
{
    static const uint16_t hits[8] = {0, 1, 3, 6, 10, 15, 21, 30};
    const struct bpg_cfg cfg = {BPG_PARAM(PARAM_DEFAULT)};
    struct bpg *m = calloc(1, sizeof *m);
    bpg_init(m, &cfg);
    memcpy(m->hits_q, hits, sizeof hits);
    m->rf_q = 512;
    m->count_q = 999;
    const struct bpg_in last = {.acc_valid_i = true, .acc_set_i = 1, .acc_owners_i = 8}, quiet = {0};
    bpg_tick(m, &last);
    bpg_tick(m, &quiet);
    for (struct example e = example_of("bpg", "cycle"); next_row(&e);) {
        const uint32_t l = m->busy_q ? m->l_q : 0, worth = m->snap_q[0] << 3,
                       cost = (uint32_t)m->base_q * m->ratio_q >> 14;
        const uint32_t failures = (uint32_t)m->base_q * m->ratio_q >> 13;
        CYCLE(bpg, m, 0);
        shows(&e, "cycle", true, "%u", e.rows + 1);
        shows(&e, "L", l, "%u", l);
        shows(&e, "hits x 8", l, "%u", worth);
        shows(&e, "RF_est", l, "%u", failures);
        shows(&e, "adjusted", l, "%d", (int)worth - (int)cost);
        shows(&e, "best so far", l, "%u", l == 8 ? m->l_max_q : m->best_l_q);
        shows_number(&e, "l_max_o", o.l_max_o);
        shows_number(&e, "strobe_o", o.strobe_o);
        if (l && m->best_l_q == l) cr_expect_eq(m->best_q, (1u << 23) + worth - cost, "%u", l);
    }
    free(m);
}

Test(readme_example, bypass_slots)
{
    const struct bypass_slots_cfg cfg = {.Slots = 2, .InfoW = 24};
    struct bypass_slots *m = calloc(1, sizeof *m);
    bypass_slots_init(m, &cfg);
    for (struct example e = example_of("bypass_slots", "cycle"); next_row(&e);) {
        const char *request = given(&e, "request");
        uint32_t slot = 0;
        const bool back = after(given(&e, "data of"), "slot ", &slot);
        CYCLE(bypass_slots, m, .req_valid_i = *request, .req_info_i = (uint32_t)*request, .ret_valid_i = back,
              .ret_slot_i = (uint16_t)slot);
        shows_number(&e, "req_ready_o", o.req_ready_o);
        shows_number(&e, "req_slot_o", o.req_slot_o);
        shows(&e, "ret_info_o", o.ret_valid_o, "%c", (char)o.ret_info_o);
        shows_number(&e, "used_o", o.used_o);
        shows_number(&e, "error_o", o.error_o);
        shows(&e, "cycle", true, "%u", e.rows - 1);
    }
    free(m);
}

/* One allocation of 256 pages, 40 free ones, a fault at page 20, which cycle 0 accepts; chunk 0 is there. */
Test(readme_example, cap)
{
    const struct cap_cfg cfg = {
        .Allocs = 4, .PageW = 36, .CountW = 22, .MaxLog = 4, .OverLog = 3, .CNum = 11, .CDen = 10, .FirstPage = 1};
    struct cap *m = calloc(1, sizeof *m);
    cap_init(m, &cfg);
    const struct cap_in alloc = {.alloc_valid_i = true, .alloc_pages_i = 256};
    cap_tick(m, &alloc);
    for (struct example e = example_of("cap", "cycle"); next_row(&e);) {
        shows(&e, "state", true, "%s", NAME(m->state_q, "IDLE", "SCALE", "MULTIPLY", "CHOOSE", "WINDOW", "WALK"));
        const bool product = m->state_q != CAP_IDLE && m->state_q != CAP_SCALE;
        shows(&e, "sum_q", product, "%llu", (unsigned long long)m->sum_q);
        shows(&e, "limit_q", product, "%llu", (unsigned long long)m->limit_q);
        shows(&e, "log_q", product, "%u", m->log_q);
        CYCLE(cap, m, .fault_valid_i = e.rows == 1, .fault_page_i = 20, .avail_pages_i = 40, .look_ready_i = true,
              .look_resident_i = m->chunk_q == 0 ? 0xffff : 0, .req_ready_i = true);
        shows_number(&e, "fault_ready_o", o.fault_ready_o);
        shows(&e, "window", o.win_valid_o, "%u to %u", (uint32_t)o.win_first_o, (uint32_t)o.win_last_o);
        shows(&e, "looked up", o.look_valid_o, "%u", (uint32_t)o.look_chunk_o);
        shows(&e, "asked for", o.req_valid_o, "%u", (uint32_t)o.req_chunk_o);
        shows(&e, "cycle", true, "%u", e.rows - 1);
    }
    cr_expect(cap_idle(m) && m->asked_q == 1);
    free(m);
}

Test(readme_example, evict_coalescer)
{
    const struct evict_coalescer_cfg cfg = {.Entries = 2, .PageW = 18, .Batch = 4};
    struct evict_coalescer *m = calloc(1, sizeof *m);
    evict_coalescer_init(m, &cfg);
    for (struct example e = example_of("evict_coalescer", "cycle"); next_row(&e);) {
        const char *text = given(&e, "in");
        uint32_t expired = 0, page = 0, accessed = 0, other = 0;
        const bool expiry = after2(text, "expiry ", &expired, &page),
                   access = after2(text, "access ", &accessed, &other);
        CYCLE(evict_coalescer, m, .exp_valid_i = expiry, .exp_page_i = expired << 4 | page, .acc_valid_i = access,
              .acc_page_i = accessed << 4 | other, .evict_ready_i = strstr(text, "evict_ready"),
              .press_valid_i = strstr(text, "pressure"), .recall_ready_i = strstr(text, "recall_ready"));
        char set[CELL];
        shows_number(&e, "exp_ready_o", o.exp_ready_o);
        shows_number(&e, "acc_ready_o", o.acc_ready_o);
        shows(&e, "offered for eviction", o.evict_valid_o, "%u %s, %s", (uint32_t)o.evict_block_o,
              pages(set, o.evict_pages_o), o.evict_why_o == EVICT_COALESCER_FULL ? "FULL" : "PRESSURE");
        shows(&e, "batch done", o.press_done_o, "%u", o.press_count_o);
        shows(&e, "recall", o.recall_valid_o, "%u %s", (uint32_t)o.recall_block_o, pages(set, o.recall_pages_o));
        cr_expect(o.evict_valid_o || (!o.evict_block_o && !o.evict_pages_o));
        cr_expect(o.recall_valid_o || (!o.recall_block_o && !o.recall_pages_o));
        cr_expect(o.press_done_o || !o.press_count_o);
        shows_number(&e, "used_o", o.used_o);
        shows(&e, "cycle", true, "%u", e.rows - 1);
    }
    free(m);
}

Test(readme_example, far_fault_mshr)
{
    const struct far_fault_mshr_cfg cfg = {.Entries = 2, .Requesters = 3, .PageW = 18};
    struct far_fault_mshr *m = calloc(1, sizeof *m);
    far_fault_mshr_init(m, &cfg);
    for (struct example e = example_of("far_fault_mshr", "cycle"); next_row(&e);) {
        const char *request = given(&e, "request"), *fill = given(&e, "fill");
        uint32_t id = 0;
        after(request, " by ", &id);
        CYCLE(far_fault_mshr, m, .req_valid_i = *request, .req_page_i = strtoul(request, NULL, 10),
              .req_id_i = (uint8_t)id, .fill_valid_i = *fill, .fill_page_i = strtoul(fill, NULL, 10),
              .fault_ready_i = flag(&e, "fault_ready_i"), .rsp_ready_i = flag(&e, "rsp_ready_i"));
        shows(&e, "result", *request, "%s", NAME(o.req_result_o, "PRIMARY", "SECONDARY", "FULL", "DRAINING"));
        shows(&e, "fault offered", o.fault_valid_o, "%u", (uint32_t)o.fault_page_o);
        shows_number(&e, "fill_hit_o", o.fill_hit_o);
        cr_expect(o.fault_valid_o || !o.fault_page_o);
        cr_expect(o.rsp_valid_o || (!o.rsp_page_o && !o.rsp_id_o && !o.rsp_last_o));
        shows(&e, "response", o.rsp_valid_o, "%u to %u%s", (uint32_t)o.rsp_page_o, o.rsp_id_o,
              o.rsp_last_o ? ", last" : "");
        shows_number(&e, "used_o", o.used_o);
        shows(&e, "cycle", true, "%u", e.rows - 1);
    }
    free(m);
}

/* In cycles 0 to 2 page 3 of group 1 is accessed twice, page 7 once. */
Test(readme_example, lease_sampler)
{
    const struct lease_sampler_cfg cfg = {.Groups = 2,
                                          .Entries = 2,
                                          .PageW = 6,
                                          .CountW = 2,
                                          .LeaseW = 4,
                                          .Duty = 4,
                                          .Period = 60,
                                          .ScaleNum = 3,
                                          .ScaleDen = 1,
                                          .OldShift = 2,
                                          .FracW = 0,
                                          .InitLease = 32767};
    struct lease_sampler *m = calloc(1, sizeof *m);
    lease_sampler_init(m, &cfg);
    for (struct example e = example_of("lease_sampler", "cycle"); next_row(&e);) {
        while (m->cycle_q < number(&e, "cycle")) {
            CYCLE(lease_sampler, m, .acc_valid_i = m->cycle_q < 3, .acc_group_i = 1,
                  .acc_page_i = m->cycle_q < 2 ? 3 : 7);
        }
        struct lease_sampler_out o;
        lease_sampler_eval(m, &(struct lease_sampler_in){0}, &o);
        const char *state = NAME(m->state_q, "REST", "ENTRY", "SCALE", "DIVIDE", "ROUND", "UPDATE");
        const bool dividing = m->state_q == LEASE_SAMPLER_DIVIDE || m->state_q == LEASE_SAMPLER_ROUND;
        shows(&e, "state", true, "%s", state);
        shows(&e, "divisor_q", dividing, "%u", m->divisor_q);
        shows_number(&e, "rest_q", m->rest_q);
        shows_number(&e, "quot_q", m->quot_q);
        shows_number(&e, "sum_q", m->sum_q);
        shows(&e, "update", o.upd_valid_o, "group %u, lease %u", o.upd_group_o, o.upd_lease_o);
    }
    cr_expect(m->known_q == 2 && m->lease_q[1] == 6);
    free(m);
}

Test(readme_example, lease_table)
{
    const struct lease_table_cfg cfg = {.Pages = 4, .LeaseW = 10, .Events = 1};
    struct lease_table *m = calloc(1, sizeof *m);
    lease_table_init(m, &cfg);
    for (uint32_t i = 0; i < 4; i++) lease_table_tick(m, &(struct lease_table_in){0});
    for (struct example e = example_of("lease_table", "cycle"); next_row(&e);) {
        const char *text = given(&e, "in");
        uint32_t page = 0, lease = 0;
        const bool migrate = after(text, "migrate ", &page) && after(text, "lease ", &lease);
        const bool evict = after(text, "evict ", &page), access = after(text, "access ", &page);
        CYCLE(lease_table, m, .cmd_valid_i = migrate || evict,
              .cmd_op_i = migrate ? LEASE_TABLE_MIGRATE : LEASE_TABLE_EVICT, .cmd_page_i = page,
              .cmd_lease_i = (uint16_t)lease, .acc_valid_i = access, .acc_page_i = page,
              .exp_ready_i = flag(&e, "exp_ready_i"));
        shows_number(&e, "acc_ready_o", o.acc_ready_o);
        shows_number(&e, "acc_expired_o", o.acc_expired_o);
        shows(&e, "expiry offered", o.exp_valid_o, "%u", (uint32_t)o.exp_page_o);
        cr_expect(o.exp_valid_o || !o.exp_page_o);
        shows_number(&e, "resident_o", o.resident_o);
        shows(&e, "cycle", true, "%u", e.rows - 1);
    }
    free(m);
}

Test(readme_example, milg)
{
    const struct milg_cfg cfg = {.InflightW = 3, .RfW = 4, .ReqW = 2, .Relax = MILG_GROW};
    struct milg m = {0};
    milg_init(&m, &cfg);
    for (struct example e = example_of("milg", "cycle"); next_row(&e);) {
        const char *events = given(&e, "events");
        shows_number(&e, "in flight", m.inflight_q);
        shows_number(&e, "max", m.max_q);
        shows_number(&e, "requests", m.req_q);
        shows_number(&e, "failures", m.rf_q);
        CYCLE(milg, &m, .issue_valid_i = strstr(events, "issue"), .retire_valid_i = strstr(events, "complete"),
              .retire_count_i = 1, .req_valid_i = strstr(events, "request"), .fail_valid_i = strstr(events, "failure"));
        shows_number(&e, "limit_o", o.limit_o);
        shows_number(&e, "issue_ok_o", o.issue_ok_o);
        shows(&e, "new limit", o.update_o, "%u", o.new_limit_o);
        cr_expect(o.update_o || !o.new_limit_o);
        shows(&e, "cycle", true, "%u", e.rows - 1);
    }
}

/* Req/Minst 2 and 3; both kernels ask in every cycle, and the one that is granted issues. */
Test(readme_example, qbmi)
{
    const struct qbmi_cfg cfg = {.Kernels = 2, .ReqW = 10, .QuotaW = 16, .Carry = 1};
    struct qbmi m = {0};
    qbmi_init(&m, &cfg);
    qbmi_tick(&m, &(struct qbmi_in){.kernels_valid_i = true, .kernels_i = 3});
    m.set_q[0] = m.quota_q[0] = 3;
    m.set_q[1] = m.quota_q[1] = 2;
    for (struct example e = example_of("qbmi", "cycle"); next_row(&e);) {
        const struct qbmi_in ask = {.ask_i = 3};
        struct qbmi_out granted;
        qbmi_eval(&m, &ask, &granted);
        shows(&e, "quotas", true, "%u, %u", m.quota_q[0], m.quota_q[1]);
        shows(&e, "granted", granted.grant_valid_o, "%u", granted.grant_kernel_o);
        CYCLE(qbmi, &m, .ask_i = 3, .issue_valid_i = granted.grant_valid_o, .issue_kernel_i = granted.grant_kernel_o);
        shows(&e, "refill_o", o.refill_o, "1");
        shows(&e, "cycle", true, "%u", e.rows - 1);
    }
}

/* Pages 9, 3 and 5 arrive with leases of 3 accesses; page 3 is accessed twice. */
Test(readme_example, gmmu)
{
    struct gmmu_cfg cfg = {GMMU_PARAM(PARAM_DEFAULT)};
    cfg.Pages = 64;
    cfg.Faults = 4;
    cfg.Allocs = cfg.Coalesce = cfg.Samples = cfg.LeaseW = cfg.Events = 2;
    static const uint32_t arrivals[] = {9, 3, 5};
    struct gmmu *m = calloc(1, sizeof *m);
    gmmu_init(m, &cfg);
    for (uint32_t i = 0; i < 64; i++) gmmu_tick(m, &(struct gmmu_in){.lease_enable_i = true});
    gmmu_tick(m, &(struct gmmu_in){.lease_enable_i = true, .alloc_valid_i = true, .alloc_pages_i = 64});
    for (uint32_t i = 0; i < 3; i++)
        gmmu_tick(m, &(struct gmmu_in){.lease_enable_i = true, .arrive_valid_i = true, .arrive_page_i = arrivals[i]});
    for (uint32_t i = 0; i < 2; i++)
        gmmu_tick(
            m, &(struct gmmu_in){.lease_enable_i = true, .req_valid_i = true, .req_page_i = 3, .req_resident_i = true});
    for (struct example e = example_of("gmmu", "cycle"); next_row(&e);) {
        const char *text = given(&e, "in");
        uint32_t page = 0;
        const bool access = after(text, "access ", &page), gone = after(text, "gone ", &page),
                   arrive = after(text, "arrive ", &page), press = strstr(text, "press");
        CYCLE(gmmu, m, .lease_enable_i = true, .req_valid_i = access, .req_page_i = page, .req_resident_i = access,
              .gone_valid_i = gone, .gone_page_i = page, .arrive_valid_i = arrive, .arrive_page_i = page,
              .press_valid_i = press);
        char set[CELL];
        const bool ready = access ? o.req_ready_o : gone ? o.gone_ready_o : arrive ? o.arrive_ready_o : o.press_ready_o;
        shows(&e, "ready", *text, "%u", ready);
        shows_number(&e, "expired_o", o.expired_o);
        shows(&e, "evict_pages_o", o.evict_valid_o, "%s", pages(set, o.evict_pages_o));
        cr_expect(o.evict_valid_o || !o.evict_pages_o);
        shows_number(&e, "recalled_o", o.recalled_o);
        shows(&e, "cycle", true, "%u", e.rows - 1);
        cr_expect_eq(o.error_o, GMMU_NONE);
    }
    free(m);
}

/* Line 1000 in 32 sets; the steps are for the reader. */
Test(readme_example, set_hash)
{
    static const char *const functions[] = {"BMOD", "BXOR", "PMOD", "A_PRIME", "D_PRIME", "IPOLY", "FERMI", "XORSHIFT"};
    for (struct example e = example_of("set_hash", "function"); next_row(&e);) {
        struct set_hash_cfg cfg = {.Function = e.rows - 1, .IndexW = 5, .AddrW = 41};
        struct set_hash m;
        set_hash_init(&m, &cfg);
        CYCLE(set_hash, &m, .addr_i = 1000);
        given(&e, "steps");
        shows(&e, "function", true, "%s", functions[e.rows - 1]);
        shows_number(&e, "index", o.index_o);
    }
}
