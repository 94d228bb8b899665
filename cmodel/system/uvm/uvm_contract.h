/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's contract with the block gmmu (rtl/gmmu/README.md), checked at the block's ports: a page in a block
 * accepted for eviction must then leave (gone_*), or be accessed while still resident, which recalls it.  A page
 * with neither stays without a lease, in no table, and is never offered for eviction again. */
#ifndef MEMTWIN_UVM_CONTRACT_H
#define MEMTWIN_UVM_CONTRACT_H
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "gmmu.h"

struct uvm_contract {
    uint32_t pages, owed; /* pages accepted for eviction, neither gone nor accessed since */
    uint64_t *since;      /* by page: the cycle of its eviction offer; 0: not owed */
};

bool uvm_contract_open(struct uvm_contract *c, uint32_t pages); /* false: out of memory */
void uvm_contract_close(struct uvm_contract *c);
/* A clock edge of the block.  False and an error: an owed page arrives. */
bool uvm_contract_edge(struct uvm_contract *c, const struct gmmu_in *in, const struct gmmu_out *out, uint64_t cycle,
                       struct error *err);
/* At the end of the run.  False and an error: a page is still owed. */
bool uvm_contract_end(const struct uvm_contract *c, struct error *err);
#endif
