/* SPDX-License-Identifier: Apache-2.0 */
/* The form that a compiler makes of a kernel's loops, beside the kernel as written: several terms a turn, and addresses
 * that several accesses share.  The kernel has the option `code`, which is in a workload's name only if it is not the
 * default, so that identities stay comparable. */
#ifndef MEMTWIN_UNROLLED_H
#define MEMTWIN_UNROLLED_H
#include "trace/kernels.h"

enum kernel_code { KERNEL_WRITTEN, KERNEL_UNROLLED };
#define KERNEL_CODE_NAME "code"
#define KERNEL_CODE_OPTION                                                                                             \
    {                                                                                                                  \
        KERNEL_CODE_NAME, "loops as written, or unrolled, with shared addresses, as by a compiler",                    \
            "written|unrolled", KERNEL_WRITTEN, 0, 0                                                                   \
    }
enum { UNROLLED = 4 }; /* terms of a turn */

/* A variable that holds the address of an element of one array.  Its computation is one instruction, as in front of an
 * access; accesses through it need none.  vnext() is so many elements on, a scalar: the offset of the memory
 * instruction, which costs nothing.  vmove() moves it, by one instruction. */
typedef struct {
    vi32 element;
} vaddr;

#define vaddress(i) simt_address(w, SIMT_PC, V(i))
#define vnext(address, elements) simt_elements_on((address), (elements))
#define vmove(address, elements) simt_move(w, SIMT_PC, &(address), (elements))
#define vload_at(g, address)                                                                                           \
    _Generic((g), gf32                                                                                                 \
             : simt_load_at_gf32, gi32                                                                                 \
             : simt_load_at_gi32, sf32                                                                                 \
             : simt_load_at_sf32, si32                                                                                 \
             : simt_load_at_si32)(w, SIMT_PC, (g), (address).element)
#define vstore_at(g, address, value)                                                                                   \
    SIMT_CALL_3(_Generic((g), gf32                                                                                     \
                         : simt_store_at_gf32, gi32                                                                    \
                         : simt_store_at_gi32, sf32                                                                    \
                         : simt_store_at_sf32, si32                                                                    \
                         : simt_store_at_si32),                                                                        \
                (g), (address).element, V(value))

vaddr simt_address(struct warp *w, uint32_t pc, vi32 i);
void simt_move(struct warp *w, uint32_t pc, vaddr *address, int elements);

#define SIMT_DECLARE_AT(array, value)                                                                                  \
    value simt_load_at_##array(struct warp *w, uint32_t pc, array g, vi32 at);                                         \
    void simt_store_at_##array(struct warp *w, uint32_t pc, array g, vi32 at, value v);
SIMT_DECLARE_AT(gf32, vf32)
SIMT_DECLARE_AT(gi32, vi32)
SIMT_DECLARE_AT(sf32, vf32)
SIMT_DECLARE_AT(si32, vi32)

static inline vaddr simt_elements_on(vaddr address, int elements)
{
    for (int l = 0; l < WARP_SIZE; l++)
        address.element.lane[l] = (int32_t)((uint32_t)address.element.lane[l] + (uint32_t)elements);
    return address;
}
#endif
