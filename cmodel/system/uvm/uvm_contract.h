/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's contract with the block gmmu (rtl/gmmu/README.md), checked at the block's ports alone:
 * a page that is handed out to be evicted goes, or is accessed while it is still there, which recalls it.  A page of
 * which the driver does neither stays without a lease, in no table, and is never handed out again. */
#ifndef MEMTWIN_UVM_CONTRACT_H
#define MEMTWIN_UVM_CONTRACT_H
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "gmmu.h"

struct uvm_contract {
    uint32_t pages, owed; /* pages that were handed out, and neither went nor were accessed since */
    uint64_t *since;      /* of each page: the cycle after which it is owed; 0: it is not */
};

bool uvm_contract_open(struct uvm_contract *c, uint32_t pages); /* false: out of memory */
void uvm_contract_close(struct uvm_contract *c);
/* A clock edge of the block.  False and an error: a page arrives that was handed out and has not gone. */
bool uvm_contract_edge(struct uvm_contract *c, const struct gmmu_in *in, const struct gmmu_out *out, uint64_t cycle,
                       struct error *err);
/* Nothing more will happen.  False and an error: a page is owed. */
bool uvm_contract_end(const struct uvm_contract *c, struct error *err);
#endif
