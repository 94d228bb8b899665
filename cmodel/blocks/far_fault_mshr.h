/* SPDX-License-Identifier: Apache-2.0 */
/* far_fault_mshr: outstanding far-faults, merged by page (Gu20, sections 4.2.1 and 4.3, figure 4.5).  The only list of
 * its parameters, ports and registers; format: ports.h.  Bit-accurate twin of rtl/far_fault_mshr/mt_far_fault_mshr.sv;
 * decisions in rtl/far_fault_mshr/README.md. */
#ifndef MEMTWIN_FAR_FAULT_MSHR_H
#define MEMTWIN_FAR_FAULT_MSHR_H
#include "bits.h"
#include "ports.h"

#ifndef FAR_FAULT_MSHR_MAX_ENTRIES
#define FAR_FAULT_MSHR_MAX_ENTRIES 256
#endif

/* clang-format off */
#define FAR_FAULT_RESULT(X) \
    X(FAR_FAULT_PRIMARY,   0, "a new far-fault: sent to the driver") \
    X(FAR_FAULT_SECONDARY, 1, "merged with an outstanding far-fault") \
    X(FAR_FAULT_FULL,      2, "refused: no entry is free") \
    X(FAR_FAULT_DRAINING,  3, "refused: the page arrives in this cycle, or its responses are being sent: it is resident")

#define FAR_FAULT_MSHR_ERROR(X) \
    X(FAR_FAULT_MSHR_OK,              0, "no error") \
    X(FAR_FAULT_MSHR_ERROR_REQUESTER, 1, "a requester that does not exist") \
    X(FAR_FAULT_MSHR_ERROR_TWICE,     2, "the requester already waits for this page")

#define FAR_FAULT_MSHR_CODES(X) X(far_fault_result, FAR_FAULT_RESULT) X(far_fault_mshr_error, FAR_FAULT_MSHR_ERROR)
enum far_fault_result { FAR_FAULT_RESULT(ENUM_CODE) };
enum far_fault_mshr_error { FAR_FAULT_MSHR_ERROR(ENUM_CODE) };

#define FAR_FAULT_MSHR_PARAM(X) \
    X(Entries,    64, 1, FAR_FAULT_MSHR_MAX_ENTRIES, "far-faults outstanding at a time; one comparator per entry and search port") \
    X(Requesters, 28, 1, 64, "requesters: streaming multiprocessors") \
    X(PageW,      18, 1, 48, "bits of a page number")

#define FAR_FAULT_MSHR_IN(X) \
    X(BIT, req_valid_i,   1,                         "a request for a page that is not in device memory") \
    X(U64, req_page_i,    p->PageW,                  "its page") \
    X(U8,  req_id_i,      bits_index(p->Requesters), "who asks") \
    X(BIT, fault_ready_i, 1,                         "the driver takes the offered fault") \
    X(BIT, fill_valid_i,  1,                         "a page has arrived in device memory") \
    X(U64, fill_page_i,   p->PageW,                  "its number") \
    X(BIT, rsp_ready_i,   1,                         "the response is taken")

#define FAR_FAULT_MSHR_OUT(X) \
    X(BIT, req_ready_o,  1,                          "a request is answered: always 1") \
    X(BIT, req_done_o,   1,                          "the request waits from this clock edge on: PRIMARY, or SECONDARY and legal") \
    X(U8,  req_result_o, 2,                          "enum far_fault_result, in the request's cycle; else 0") \
    X(BIT, fault_valid_o, 1,                         "the oldest primary fault not yet taken by the driver is offered") \
    X(U64, fault_page_o, p->PageW,                   "its page; else 0") \
    X(BIT, fill_ready_o, 1,                          "the fill is taken at this clock edge") \
    X(BIT, fill_hit_o,   1,                          "a requester waits for the filled page") \
    X(BIT, rsp_valid_o,  1,                          "a response: the page has arrived") \
    X(U64, rsp_page_o,   p->PageW,                   "the page; else 0") \
    X(U8,  rsp_id_o,     bits_index(p->Requesters),  "a waiting requester, lowest number first; else 0") \
    X(BIT, rsp_last_o,   1,                          "the last response for this page") \
    X(U16, used_o,       bits_index(p->Entries + 1), "far-faults outstanding") \
    X(U16, waiting_o,    bits_index(p->Entries + 1), "entries whose fault the driver has not taken") \
    X(U32, faults_o,     32,                         "primary faults; saturates") \
    X(U32, merged_o,     32,                         "secondary faults; saturates") \
    X(U8,  error_o,      2,                          "enum far_fault_mshr_error: the first one, sticky until reset")

#define FAR_FAULT_MSHR_REG(X) \
    X(U16, used_q,       bits_index(p->Entries + 1), "far-faults outstanding") \
    X(U16, waiting_q,    bits_index(p->Entries + 1), "entries whose fault the driver has not taken") \
    X(U64, drain_wait_q, p->Requesters,              "requesters still to be answered for the page that arrived last") \
    X(U64, drain_page_q, p->PageW,                   "that page") \
    X(U32, faults_q,     32,                         "primary faults") \
    X(U32, merged_q,     32,                         "secondary faults") \
    X(U8,  error_q,      2,                          "enum far_fault_mshr_error")

/* Bytes, not bool: compilers do not vectorise over bool. */
#define FAR_FAULT_MSHR_MEM(X) \
    X(U8,  busy_q,  1,                      FAR_FAULT_MSHR_MAX_ENTRIES, p->Entries, "the entry is in use") \
    X(U64, page_q,  p->PageW,               FAR_FAULT_MSHR_MAX_ENTRIES, p->Entries, "its page") \
    X(U64, wait_q,  p->Requesters,          FAR_FAULT_MSHR_MAX_ENTRIES, p->Entries, "requesters that wait for the page") \
    X(U16, order_q, bits_index(p->Entries), FAR_FAULT_MSHR_MAX_ENTRIES, p->Entries, "entries whose faults the driver has not taken, the oldest first")

/* Index bounds for the prover (tb/prove/README.md): the count need not be a power of two. */
#define FAR_FAULT_MSHR_INVARIANT(X) X(order_q, p->Entries)
/* clang-format on */

struct far_fault_mshr_cfg {
    FAR_FAULT_MSHR_PARAM(PARAM_FIELD)
};
struct far_fault_mshr_in {
    FAR_FAULT_MSHR_IN(PORT_FIELD)
};
struct far_fault_mshr_out {
    FAR_FAULT_MSHR_OUT(PORT_FIELD)
};
struct far_fault_mshr {
    struct far_fault_mshr_cfg p;
    FAR_FAULT_MSHR_REG(PORT_FIELD)
    FAR_FAULT_MSHR_MEM(MEM_FIELD)
};

void far_fault_mshr_init(struct far_fault_mshr *m,
                         const struct far_fault_mshr_cfg *cfg); /* cfg must be legal; resets */
void far_fault_mshr_reset(struct far_fault_mshr *m);
void far_fault_mshr_eval(const struct far_fault_mshr *m, const struct far_fault_mshr_in *in,
                         struct far_fault_mshr_out *out);
void far_fault_mshr_tick(struct far_fault_mshr *m, const struct far_fault_mshr_in *in);
bool far_fault_mshr_idle(const struct far_fault_mshr *m);            /* ticks without valid inputs change nothing */
void far_fault_mshr_skip(struct far_fault_mshr *m, uint64_t cycles); /* as many such ticks */

/* Invariants of reachable states, for sizes at which an index may be out of range; the prover shows them
 * (tb/prove/README.md). */
BITS_FUNCTION bool far_fault_mshr_invariant_one_entry_a_page(const struct far_fault_mshr *m)
{
    if (bits_power_of_two(m->p.Entries)) return true;
    bool one = true;
    for (uint32_t i = 0; i < m->p.Entries; i++)
        for (uint32_t j = 0; j < i; j++) one &= !m->busy_q[i] || !m->busy_q[j] || m->page_q[i] != m->page_q[j];
    return one;
}
#endif
