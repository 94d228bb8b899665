/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/gmmu/mt_gmmu.sv: five blocks and their interconnection.  Gu20, sections 4.2.1 and 4.3;
 * decisions in rtl/gmmu/README.md. */
#ifndef MEMTWIN_GMMU_H
#define MEMTWIN_GMMU_H
#include "cap.h"
#include "evict_coalescer.h"
#include "far_fault_mshr.h"
#include "gmmu_ports.h"
#include "lease_sampler.h"
#include "lease_table.h"

struct gmmu_cfg {
    GMMU_PARAM(PARAM_FIELD)
};
struct gmmu_in {
    GMMU_IN(PORT_FIELD)
};
struct gmmu_out {
    GMMU_OUT(PORT_FIELD)
};
struct gmmu {
    struct gmmu_cfg p;
    GMMU_REG(PORT_FIELD)
    GMMU_MEM(MEM_FIELD)
    GMMU_PARTS(PART_FIELD)
};

/* Parameters of the parts, as mt_gmmu.sv sets them.  The prefetcher's page counts have one bit more than page numbers,
 * because a count can equal the number of all pages. */
BITS_FUNCTION struct cap_cfg gmmu_cap_cfg(const struct gmmu_cfg *p)
{
    const struct cap_cfg c = {.Allocs = p->Allocs,
                              .PageW = GMMU_COUNT_W(p),
                              .CountW = GMMU_COUNT_W(p),
                              .MaxLog = p->MaxLog,
                              .OverLog = p->OverLog,
                              .CNum = p->CNum,
                              .CDen = p->CDen,
                              .FirstPage = p->FirstPage};
    return c;
}
BITS_FUNCTION struct lease_sampler_cfg gmmu_lease_sampler_cfg(const struct gmmu_cfg *p)
{
    const struct lease_sampler_cfg c = {.Groups = p->Allocs,
                                        .Entries = p->Samples,
                                        .PageW = GMMU_PAGE_W(p),
                                        .CountW = 10,
                                        .LeaseW = p->LeaseW,
                                        .Duty = p->Duty,
                                        .Period = p->Period,
                                        .ScaleNum = p->ScaleNum,
                                        .ScaleDen = p->ScaleDen,
                                        .OldShift = p->OldShift,
                                        .FracW = 8,
                                        .InitLease = p->InitLease};
    return c;
}
BITS_FUNCTION struct lease_table_cfg gmmu_lease_table_cfg(const struct gmmu_cfg *p)
{
    const struct lease_table_cfg c = {.Pages = p->Pages, .LeaseW = p->LeaseW, .Events = p->Events};
    return c;
}
BITS_FUNCTION struct evict_coalescer_cfg gmmu_evict_coalescer_cfg(const struct gmmu_cfg *p)
{
    const struct evict_coalescer_cfg c = {.Entries = p->Coalesce, .PageW = GMMU_PAGE_W(p), .Batch = p->Batch};
    return c;
}
BITS_FUNCTION struct far_fault_mshr_cfg gmmu_far_fault_mshr_cfg(const struct gmmu_cfg *p)
{
    const struct far_fault_mshr_cfg c = {.Entries = p->Faults, .Requesters = p->Requesters, .PageW = GMMU_PAGE_W(p)};
    return c;
}

void gmmu_init(struct gmmu *m, const struct gmmu_cfg *cfg); /* cfg must be legal; resets */
void gmmu_reset(struct gmmu *m);
void gmmu_eval(const struct gmmu *m, const struct gmmu_in *in, struct gmmu_out *out);
void gmmu_tick(struct gmmu *m, const struct gmmu_in *in);
bool gmmu_idle(const struct gmmu *m);            /* equivalent to skip without valid inputs */
void gmmu_skip(struct gmmu *m, uint64_t cycles); /* as many such ticks */

/* Checks combinations of parameters that are each in range.  Returns an error text; NULL: legal. */
const char *gmmu_illegal(const struct gmmu_cfg *cfg);
#endif
