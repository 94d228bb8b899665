/* SPDX-License-Identifier: Apache-2.0 */
/* Between an SM's coalescer and its L1D: its TLB, and a replay buffer of accesses whose page is not in it.
 *
 * An access that hits continues in the same cycle.  A miss is parked in one of uvm.replay places,
 * and the LSU continues with the next; without a free place it waits.  Accesses that wait for one page keep their
 * order, and the first of them asks for the translation (translate.h).  Once it is there, the page's accesses go to the
 * L1D before the LSU's head, one a cycle, pages in the order of their answers; they need the SM's TLB no more, which
 * may lose the page to others meanwhile.  If the page is unmapped before all are through, the rest is parked as before
 * and its translation is asked for again.
 *
 * Accesses to addresses outside every allocation need no translation.
 *
 * With uvm.lease_unit and an eviction by leases, a counter in each entry of the TLB notes its page to the GMMU
 * (translate_note) so that it hears of accesses that the TLB hides. */
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
/* The L1D has accepted what these two gave last; true if it was a parked access. */
bool sm_translate_accepted(struct sm_translate *t);
/* Was another access presented in this cycle than in the one before?  Then the cycle was no fixed point, even if the
 * L1D's was. */
bool sm_translate_changed(struct sm_translate *t);
/* The page has been answered; an access of it may be presented. */
void sm_translate_answer(struct sm_translate *t, uint32_t page);
bool sm_translate_maps(const struct sm_translate *t, uint32_t page); /* may an access to the page go on? */
bool sm_translate_unmap(struct sm_translate *t, uint32_t page);      /* true: the TLB held it */
void sm_translate_idle(struct sm_translate *t, uint64_t cycles);     /* counts cycles like the last one */
uint32_t sm_translate_parked(const struct sm_translate *t);          /* accesses */
#endif
