/* SPDX-License-Identifier: Apache-2.0 */
/* ring: a queue whose depth is no power of two; a block for the prover's own tests. */
#ifndef RING_H
#define RING_H
#include "bits.h"
#include "ports.h"

#ifndef RING_MAX_DEPTH
#define RING_MAX_DEPTH 16
#endif

/* clang-format off */
#define RING_PARAM(X) \
    X(Depth, 3, 2, RING_MAX_DEPTH, "elements") \
    X(DataW, 40, 1, 1024, "bits of an element")

#define RING_IN(X) \
    X(BIT,   put_valid_i, 1,        "an element comes") \
    X(W1024, put_data_i,  p->DataW, "it") \
    X(BIT,   get_ready_i, 1,        "the oldest element is taken")

#define RING_OUT(X) \
    X(BIT,   put_ready_o, 1,        "there is room") \
    X(BIT,   get_valid_o, 1,        "there is an element") \
    X(W1024, get_data_o,  p->DataW, "the oldest element")

#define RING_REG(X) \
    X(U8, head_q,       bits_index(p->Depth),     "where the oldest is") \
    X(U8, u_fill_count_q, bits_index(p->Depth + 1), "how many there are: register of a part")

#define RING_MEM(X) \
    X(W1024, data_q, p->DataW, RING_MAX_DEPTH, p->Depth, "the elements")

#define RING_INVARIANT(X) \
    X(head_q, p->Depth) \
    X(u_fill_count_q, p->Depth + 1)
/* clang-format on */

struct ring_cfg {
    RING_PARAM(PARAM_FIELD)
};
struct ring_in {
    RING_IN(PORT_FIELD)
};
struct ring_out {
    RING_OUT(PORT_FIELD)
};
struct ring {
    struct ring_cfg p;
    RING_REG(PORT_FIELD)
    RING_MEM(MEM_FIELD)
};
#endif
