/* SPDX-License-Identifier: Apache-2.0 */
/* lease_sampler: leases of allocations from sampled accesses to their pages (Gu20, section 4.3.2.1).  The only list of
 * its parameters, ports and registers; format: ports.h.  Bit-accurate twin of rtl/lease_sampler/mt_lease_sampler.sv;
 * decisions in rtl/lease_sampler/README.md. */
#ifndef MEMTWIN_LEASE_SAMPLER_H
#define MEMTWIN_LEASE_SAMPLER_H
#include "bits.h"
#include "ports.h"

#ifndef LEASE_SAMPLER_MAX_GROUPS
#define LEASE_SAMPLER_MAX_GROUPS 64
#endif
#ifndef LEASE_SAMPLER_MAX_ENTRIES
#define LEASE_SAMPLER_MAX_ENTRIES 64
#endif

/* A block is 64 KiB: 16 pages of 4 KiB.  Widths of a block number; of the largest dividend (a sum of Entries
 * quotients, or an average times ScaleNum), which is also the cycles of a division; of the largest divisor (16
 * pages, Entries, or ScaleDen << FracW). */
#define LEASE_SAMPLER_BLOCK_W(p) ((p)->PageW - 4)
#define LEASE_SAMPLER_DIVIDE_W(p)                                                                                      \
    ((p)->CountW + (p)->FracW + bits_max(bits_index((p)->Entries), bits_index((p)->ScaleNum + 1)))
#define LEASE_SAMPLER_DIVISOR_W(p)                                                                                     \
    bits_max(bits_max(5, bits_index((p)->Entries + 1)), bits_index((p)->ScaleDen + 1) + (p)->FracW)

/* clang-format off */
#define LEASE_SAMPLER_ERROR(X) \
    X(LEASE_SAMPLER_OK,          0, "no error") \
    X(LEASE_SAMPLER_ERROR_GROUP, 1, "a group that does not exist")

#define LEASE_SAMPLER_STATE(X) \
    X(LEASE_SAMPLER_REST,   0, "counts, or waits for a sample") \
    X(LEASE_SAMPLER_ENTRY,  1, "takes the next entry of the group") \
    X(LEASE_SAMPLER_SCALE,  2, "multiplies the average by ScaleNum") \
    X(LEASE_SAMPLER_DIVIDE, 3, "divides, one quotient bit per cycle") \
    X(LEASE_SAMPLER_ROUND,  4, "rounds the quotient") \
    X(LEASE_SAMPLER_UPDATE, 5, "sets the lease of the group")

#define LEASE_SAMPLER_PHASE(X) \
    X(LEASE_SAMPLER_PAGES,   0, "N_i/P_i of an entry") \
    X(LEASE_SAMPLER_AVERAGE, 1, "the sum of the entries by n") \
    X(LEASE_SAMPLER_LEASE,   2, "the average scaled to a lease")

#define LEASE_SAMPLER_CODES(X) X(lease_sampler_error, LEASE_SAMPLER_ERROR) X(lease_sampler_state, LEASE_SAMPLER_STATE) X(lease_sampler_phase, LEASE_SAMPLER_PHASE)
enum lease_sampler_error { LEASE_SAMPLER_ERROR(ENUM_CODE) };
enum lease_sampler_state { LEASE_SAMPLER_STATE(ENUM_CODE) };
enum lease_sampler_phase { LEASE_SAMPLER_PHASE(ENUM_CODE) };

#define LEASE_SAMPLER_PARAM(X) \
    X(Groups,      16, 1, LEASE_SAMPLER_MAX_GROUPS,  "page groups: allocations") \
    X(Entries,     16, 1, LEASE_SAMPLER_MAX_ENTRIES, "64 KiB blocks counted at a time") \
    X(PageW,       18, 5, 48,      "bits of a page number") \
    X(CountW,      10, 1, 16,      "bits of an access counter") \
    X(LeaseW,      10, 1, 15,      "bits of a lease, in accesses") \
    X(Duty,      1000, 1, 1048575, "D: cycles of a period in which accesses are counted") \
    X(Period,    6000, 2, 16777215, "S: cycles of a period; the divisions must fit in its rest after Duty") \
    X(ScaleNum,     6, 1, 63,      "LEASE_SCALE = ScaleNum/ScaleDen, its numerator: S/D") \
    X(ScaleDen,     1, 1, 63,      "its denominator") \
    X(OldShift,     2, 0, 7,       "a lease is ((2^OldShift - 1) * old + new) / 2^OldShift; 0: new alone") \
    X(FracW,        8, 0, 12,      "fractional bits of N/P and of the average") \
    X(InitLease, 32767, 1, 32767,  "the lease of a group without a sample; at most all ones of LeaseW")

#define LEASE_SAMPLER_IN(X) \
    X(BIT, acc_valid_i,    1,                     "a page request; never stalled") \
    X(U8,  acc_group_i,    bits_index(p->Groups), "the group of its page") \
    X(U64, acc_page_i,     p->PageW,              "its page") \
    X(BIT, forget_valid_i, 1,                     "a group is (re)written: its sample and its entries are cleared") \
    X(U8,  forget_group_i, bits_index(p->Groups), "which") \
    X(U8,  look_group_i,   bits_index(p->Groups), "group of the lease lookup")

#define LEASE_SAMPLER_VALID(X) X(look_group_i, always)

#define LEASE_SAMPLER_OUT(X) \
    X(U16, look_lease_o, p->LeaseW,             "its lease, at least 1, in the same cycle") \
    X(BIT, look_known_o, 1,                     "set by a sample; else it is InitLease") \
    X(BIT, upd_valid_o,  1,                     "a sample sets a lease, for one cycle") \
    X(U8,  upd_group_o,  bits_index(p->Groups), "its group; else 0") \
    X(U16, upd_lease_o,  p->LeaseW,             "the lease; else 0") \
    X(BIT, sampling_o,   1,                     "accesses are counted in this cycle") \
    X(U32, ignored_o,    32,                    "accesses not counted, as there was no free entry; saturates") \
    X(U32, samples_o,    32,                    "leases set by samples; saturates") \
    X(U8,  error_o,      1,                     "enum lease_sampler_error: sticky until reset")

#define LEASE_SAMPLER_REG(X) \
    X(U32, cycle_q,   bits_index(p->Period),          "cycle of the period") \
    X(U8,  state_q,   3,                              "enum lease_sampler_state") \
    X(U8,  phase_q,   2,                              "enum lease_sampler_phase: the current division") \
    X(U8,  work_q,    bits_index(p->Groups),          "the current group") \
    X(U8,  n_q,       bits_index(p->Entries + 1),     "n: its entries processed so far") \
    X(U64, sum_q,     LEASE_SAMPLER_DIVIDE_W(p),      "the sum of N_i/P_i; then the average; then the new lease") \
    X(U64, quot_q,    LEASE_SAMPLER_DIVIDE_W(p),      "bits of the dividend, above bits of the quotient") \
    X(U32, rest_q,    LEASE_SAMPLER_DIVISOR_W(p),     "partial remainder") \
    X(U32, divisor_q, LEASE_SAMPLER_DIVISOR_W(p),     "P_i, n, or ScaleDen * 2^FracW") \
    X(U8,  step_q,    bits_index(LEASE_SAMPLER_DIVIDE_W(p)), "quotient bits still to come, less 1") \
    X(U64, valid_q,   p->Entries,                     "entries in use") \
    X(U64, known_q,   p->Groups,                      "groups with a sample") \
    X(U32, ignored_q, 32,                             "accesses not counted") \
    X(U32, samples_q, 32,                             "leases set") \
    X(U8,  error_q,   1,                              "enum lease_sampler_error")

#define LEASE_SAMPLER_MEM(X) \
    X(U8,  group_q, bits_index(p->Groups),    LEASE_SAMPLER_MAX_ENTRIES, p->Entries, "group of an entry") \
    X(U64, block_q, LEASE_SAMPLER_BLOCK_W(p), LEASE_SAMPLER_MAX_ENTRIES, p->Entries, "its 64 KiB block") \
    X(U16, count_q, p->CountW,                LEASE_SAMPLER_MAX_ENTRIES, p->Entries, "N: accesses; saturates") \
    X(U16, tag_q,   16,                       LEASE_SAMPLER_MAX_ENTRIES, p->Entries, "accessed pages of the block, one bit each") \
    X(U16, lease_q, p->LeaseW,                LEASE_SAMPLER_MAX_GROUPS,  p->Groups,  "the lease of a group with a sample")

/* Bound for the prover (tb/prove/README.md): the period need not be a power of two. */
#define LEASE_SAMPLER_INVARIANT(X) X(cycle_q, p->Period)
/* clang-format on */

struct lease_sampler_cfg {
    LEASE_SAMPLER_PARAM(PARAM_FIELD)
};
struct lease_sampler_in {
    LEASE_SAMPLER_IN(PORT_FIELD)
};
struct lease_sampler_out {
    LEASE_SAMPLER_OUT(PORT_FIELD)
};
struct lease_sampler {
    struct lease_sampler_cfg p;
    LEASE_SAMPLER_REG(PORT_FIELD)
    LEASE_SAMPLER_MEM(MEM_FIELD)
};

void lease_sampler_init(struct lease_sampler *m, const struct lease_sampler_cfg *cfg); /* cfg must be legal; resets */
void lease_sampler_reset(struct lease_sampler *m);
void lease_sampler_eval(const struct lease_sampler *m, const struct lease_sampler_in *in,
                        struct lease_sampler_out *out);
void lease_sampler_tick(struct lease_sampler *m, const struct lease_sampler_in *in);
bool lease_sampler_idle(const struct lease_sampler *m);            /* no entry in use and no division in progress:
                                                                    * only the period counter runs */
void lease_sampler_skip(struct lease_sampler *m, uint64_t cycles); /* as many ticks without valid inputs */

/* Upper bound of the cycles after Duty until every lease is set. */
uint32_t lease_sampler_longest(const struct lease_sampler_cfg *cfg);
/* Checks combinations of parameters that are each in range.  Returns an error text; NULL: legal. */
const char *lease_sampler_illegal(const struct lease_sampler_cfg *cfg);
#endif
