/* SPDX-License-Identifier: Apache-2.0 */
/* lease_table: remaining lease of every resident page (Gu20, sections 4.3.2 and 4.5.5).  The only list of its
 * parameters, ports and registers; format: ports.h.  Bit-accurate twin of rtl/lease_table/mt_lease_table.sv; decisions
 * in rtl/lease_table/README.md. */
#ifndef MEMTWIN_LEASE_TABLE_H
#define MEMTWIN_LEASE_TABLE_H
#include "bits.h"
#include "ports.h"

#ifndef LEASE_TABLE_MAX_PAGES
#define LEASE_TABLE_MAX_PAGES 262144
#endif
#ifndef LEASE_TABLE_MAX_EVENTS
#define LEASE_TABLE_MAX_EVENTS 16
#endif

/* clang-format off */
#define LEASE_TABLE_OP(X) \
    X(LEASE_TABLE_MIGRATE, 0, "the page arrives with a lease") \
    X(LEASE_TABLE_EVICT,   1, "the page leaves") \
    X(LEASE_TABLE_RECALL,  2, "a resident page gets a lease again")

#define LEASE_TABLE_ERROR(X) \
    X(LEASE_TABLE_OK,             0, "no error") \
    X(LEASE_TABLE_ERROR_COMMAND,  1, "an unknown command or page") \
    X(LEASE_TABLE_ERROR_RESIDENT, 2, "a migration of a resident page") \
    X(LEASE_TABLE_ERROR_ABSENT,   3, "an eviction, recall or access of an absent page")

#define LEASE_TABLE_CODES(X) X(lease_table_op, LEASE_TABLE_OP) X(lease_table_error, LEASE_TABLE_ERROR)
enum lease_table_op { LEASE_TABLE_OP(ENUM_CODE) };
enum lease_table_error { LEASE_TABLE_ERROR(ENUM_CODE) };

#define LEASE_TABLE_PARAM(X) \
    X(Pages, 4096, 2, LEASE_TABLE_MAX_PAGES,   "4 KiB pages of the device memory: 16 MiB") \
    X(LeaseW,   10, 1, 15,                     "bits of a lease, in accesses") \
    X(Events,    4, 1, LEASE_TABLE_MAX_EVENTS, "expiry queue entries")

#define LEASE_TABLE_IN(X) \
    X(BIT, cmd_valid_i, 1,                    "a page is migrated, evicted or recalled") \
    X(U8,  cmd_op_i,    2,                    "enum lease_table_op") \
    X(U32, cmd_page_i,  bits_index(p->Pages), "its frame") \
    X(U16, cmd_lease_i, p->LeaseW,            "the lease of its allocation; counts as 1 if it is 0") \
    X(BIT, acc_valid_i, 1,                    "a page is accessed") \
    X(U32, acc_page_i,  bits_index(p->Pages), "its frame") \
    X(BIT, exp_ready_i, 1,                    "the offered expiry is taken")

#define LEASE_TABLE_OUT(X) \
    X(BIT, cmd_ready_o,   1,                        "commands are accepted: the table has been cleared") \
    X(BIT, cmd_done_o,    1,                        "the command is legal, and done at this clock edge") \
    X(BIT, acc_ready_o,   1,                        "an access is accepted at this clock edge") \
    X(BIT, acc_done_o,    1,                        "the accessed page is resident") \
    X(BIT, acc_expired_o, 1,                        "the lease of the accessed page had expired before: it must be recalled") \
    X(BIT, exp_valid_o,   1,                        "the lease of a page expires") \
    X(U32, exp_page_o,    bits_index(p->Pages),     "its frame; else 0") \
    X(U32, resident_o,    bits_index(p->Pages + 1), "resident pages: migrated and not evicted") \
    X(U32, expired_o,     32,                       "expired leases; saturates") \
    X(U8,  error_o,       2,                        "enum lease_table_error: the first one, sticky until reset")

#define LEASE_TABLE_REG(X) \
    X(BIT, ready_q,    1,                         "the table has been cleared since reset") \
    X(U32, sweep_q,    bits_index(p->Pages),      "the next frame to clear") \
    X(U32, resident_q, bits_index(p->Pages + 1),  "resident pages") \
    X(U32, expired_q,  32,                        "expired leases") \
    X(U8,  count_q,    bits_index(p->Events + 1), "used entries of the expiry queue") \
    X(U16, live_q,     p->Events,                 "entries not withdrawn, one bit each; bit 0 is the oldest") \
    X(U8,  error_q,    2,                         "enum lease_table_error")

#define LEASE_TABLE_MEM(X) \
    X(U16, page_q, p->LeaseW + 1,        LEASE_TABLE_MAX_PAGES,  p->Pages,  "top bit: the page is resident; below it, accesses left") \
    X(U32, exp_q,  bits_index(p->Pages), LEASE_TABLE_MAX_EVENTS, p->Events, "frame of a queued expiry, the oldest first")

/* Index bounds for the prover (tb/prove/README.md): the count need not be a power of two. */
#define LEASE_TABLE_INVARIANT(X) X(sweep_q, p->Pages)
/* clang-format on */

struct lease_table_cfg {
    LEASE_TABLE_PARAM(PARAM_FIELD)
};
struct lease_table_in {
    LEASE_TABLE_IN(PORT_FIELD)
};
struct lease_table_out {
    LEASE_TABLE_OUT(PORT_FIELD)
};
struct lease_table {
    struct lease_table_cfg p;
    LEASE_TABLE_REG(PORT_FIELD)
    LEASE_TABLE_MEM(MEM_FIELD)
};

void lease_table_init(struct lease_table *m, const struct lease_table_cfg *cfg); /* cfg must be legal; resets */
void lease_table_reset(struct lease_table *m);
void lease_table_eval(const struct lease_table *m, const struct lease_table_in *in, struct lease_table_out *out);
void lease_table_tick(struct lease_table *m, const struct lease_table_in *in);
bool lease_table_idle(const struct lease_table *m);            /* ticks without valid inputs change nothing */
void lease_table_skip(struct lease_table *m, uint64_t cycles); /* as many such ticks */
#endif
