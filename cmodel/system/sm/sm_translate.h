/* SPDX-License-Identifier: Apache-2.0 */
/* Between an SM's coalescer and its L1D: its TLB, and a replay buffer of accesses whose page is not in it.
 *
 * An access that hits continues in the same cycle.  A miss is parked in one of uvm.replay places,
 * and the LSU continues with the next; without a free place it waits.  Accesses that wait for one page keep their
 * order; the first requests the translation (translate.h).  After the answer, the page's accesses have priority over
 * the LSU's head at the L1D, one per cycle, pages in the order of their answers; they do not use the SM's TLB again, so
 * it may evict the page meanwhile.  If the page is unmapped before all have been accepted, the rest stays parked and
 * the translation is requested again.
 *
 * Accesses to addresses outside every allocation need no translation.
 *
 * With uvm.lease_unit and an eviction by leases, a counter in each entry of the TLB notes its page to the GMMU
 * (translate_note), which reports accesses hidden by the TLB. */
#ifndef MEMTWIN_SM_TRANSLATE_H
#define MEMTWIN_SM_TRANSLATE_H
#include "system/cache/l1d.h"
#include "system/uvm/translate.h"

struct sm_translate;

enum translation { TRANSLATED, TRANSLATION_PARKED, TRANSLATION_FULL };

struct sm_translate *sm_translate_create(struct env *env, struct translate *shared, uint32_t sm, struct error *err);
void sm_translate_destroy(struct sm_translate *t);
/* The parked access for the L1D in this cycle; NULL: the LSU's head may access it. */
const struct access *sm_translate_replay(struct sm_translate *t);
/* Looks up the page of the LSU's head. */
enum translation sm_translate_access(struct sm_translate *t, const struct access *a);
/* The L1D accepted the access that these two returned last; true if it was a parked access. */
bool sm_translate_accepted(struct sm_translate *t);
/* Whether this cycle presented another access than the previous one.  Then the cycle is not a fixed point, even if the
 * L1D's is. */
bool sm_translate_changed(struct sm_translate *t);
/* The page has been answered; an access of it may be presented. */
void sm_translate_answer(struct sm_translate *t, uint32_t page);
bool sm_translate_maps(const struct sm_translate *t, uint32_t page); /* whether an access to the page may proceed */
bool sm_translate_unmap(struct sm_translate *t, uint32_t page);      /* true: the TLB held it */
void sm_translate_idle(struct sm_translate *t, uint64_t cycles);     /* counts cycles like the last one */
uint32_t sm_translate_parked(const struct sm_translate *t);          /* accesses */
#endif
