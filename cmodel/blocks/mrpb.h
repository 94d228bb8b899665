/* SPDX-License-Identifier: Apache-2.0 */
/* mrpb: memory request prioritization buffer (Dai17, section 3.4.2; Khairy15, table 4; Gu20, sections 2.5 and 3.5).
 * The only list of its parameters, ports and registers; format: ports.h.  Bit-accurate twin of rtl/mrpb/mt_mrpb.sv;
 * decisions in rtl/mrpb/README.md. */
#ifndef MEMTWIN_MRPB_H
#define MEMTWIN_MRPB_H
#include "bits.h"
#include "ports.h"

#ifndef MRPB_MAX_QUEUES
#define MRPB_MAX_QUEUES 128
#endif
#ifndef MRPB_MAX_ENTRIES
#define MRPB_MAX_ENTRIES 256
#endif

/* clang-format off */
#define MRPB_ERROR(X) \
    X(MRPB_OK,          0, "no error") \
    X(MRPB_ERROR_QUEUE, 1, "a request named a queue that does not exist; it was not accepted")

#define MRPB_CODES(X) X(mrpb_error, MRPB_ERROR)
enum mrpb_error { MRPB_ERROR(ENUM_CODE) };

#define MRPB_PARAM(X) \
    X(Queues,  48, 1, MRPB_MAX_QUEUES,  "number of queues, one for each warp") \
    X(Entries, 32, 1, MRPB_MAX_ENTRIES, "requests held: by all queues together (Shared=1), by each queue (Shared=0)") \
    X(Shared,   1, 0, 1,  "organisation; 1: queues are linked lists in one pool of entries; 0: each queue has entries of its own") \
    X(InfoW,   64, 1, 64, "bits of a request")

#define MRPB_IN(X) \
    X(BIT, in_valid_i,    1,                     "an incoming request is valid") \
    X(U8,  in_queue_i,    bits_index(p->Queues), "its queue; 0 has the highest priority") \
    X(U64, in_info_i,     p->InfoW,              "the request") \
    X(BIT, out_ready_i,   1,                     "the offered request is taken") \
    X(BIT, out_refused_i, 1,                     "the offered request is refused in this cycle: the next offer is chosen anew; ignored with out_ready_i")

#define MRPB_VALID(X) X(out_refused_i, always)

#define MRPB_OUT(X) \
    X(BIT, in_ready_o,  1,                     "the incoming request fits and is accepted at this clock edge; 0 without in_valid_i") \
    X(BIT, out_valid_o, 1,                     "a queued request is offered") \
    X(U8,  out_queue_o, bits_index(p->Queues), "its queue; else 0") \
    X(U64, out_info_o,  p->InfoW,              "the request; else 0") \
    X(U16, used_o,      bits_index(MRPB_PLACES + 1), "requests held") \
    X(U32, stalls_o,    32,                    "cycles in which an incoming request was not accepted; saturates") \
    X(U8,  error_o,     1,                     "enum mrpb_error, sticky until reset")

#define MRPB_REG(X) \
    X(BIT, hold_q,       1,                     "the request offered in the last cycle is held: neither taken nor refused") \
    X(U8,  hold_queue_q, bits_index(p->Queues), "its queue") \
    X(U16, used_q,       bits_index(MRPB_PLACES + 1), "requests held") \
    X(U32, stalls_q,     32,                    "cycles in which an incoming request was not accepted") \
    X(U8,  error_q,      1,                     "enum mrpb_error")

#define MRPB_PLACES (p->Shared ? p->Entries : p->Queues * p->Entries)
#define MRPB_MAX_PLACES (MRPB_MAX_QUEUES * MRPB_MAX_ENTRIES)
/* Bytes, not bool: compilers do not vectorise over bool. */
#define MRPB_MEM(X) \
    X(U8,  valid_q, 1,                      MRPB_MAX_QUEUES,  p->Queues, "the queue holds a request") \
    X(U8,  busy_q,  1,                      MRPB_MAX_ENTRIES, p->Shared ? p->Entries : 0, "the entry of the pool holds a request") \
    X(U16, head_q,  bits_index(p->Entries), MRPB_MAX_QUEUES,  p->Queues, "entry of the queue's oldest request") \
    X(U16, tail_q,  bits_index(p->Entries), MRPB_MAX_QUEUES,  p->Queues, "entry of its youngest request") \
    X(U16, next_q,  bits_index(p->Entries), MRPB_MAX_ENTRIES, p->Shared ? p->Entries : 0, "entry of the next request of the same queue") \
    X(U64, info_q,  p->InfoW,               MRPB_MAX_PLACES,  MRPB_PLACES, "the request; at queue * Entries + entry if Shared=0")

/* Index bounds for the prover. */
#define MRPB_INVARIANT(X) \
    X(hold_queue_q, p->Queues) \
    X(head_q,       p->Entries) \
    X(tail_q,       p->Entries) \
    X(next_q,       p->Entries)
/* clang-format on */

struct mrpb_cfg {
    MRPB_PARAM(PARAM_FIELD)
};
struct mrpb_in {
    MRPB_IN(PORT_FIELD)
};
struct mrpb_out {
    MRPB_OUT(PORT_FIELD)
};
struct mrpb {
    struct mrpb_cfg p;
    MRPB_REG(PORT_FIELD)
    MRPB_MEM(MEM_FIELD)
};

void mrpb_init(struct mrpb *m, const struct mrpb_cfg *cfg); /* cfg must be legal; resets */
void mrpb_reset(struct mrpb *m);
void mrpb_eval(const struct mrpb *m, const struct mrpb_in *in, struct mrpb_out *out);
void mrpb_tick(struct mrpb *m, const struct mrpb_in *in);
bool mrpb_idle(const struct mrpb *m);            /* ticks without valid inputs change nothing */
void mrpb_skip(struct mrpb *m, uint64_t cycles); /* as many such ticks */
#endif
