/* SPDX-License-Identifier: Apache-2.0 */
/* Between the SMs and the memory below them: the calls of each to the other. */
#ifndef MEMTWIN_PORT_H
#define MEMTWIN_PORT_H
#include <stdbool.h>
#include <stdint.h>

#include "system/unit/request.h"

/* Interface from the SMs to the memory system.  memory.h implements it, and tests/system/bench.c with a fixed latency.
 */
struct memory_port {
    bool (*room)(void *memory, uint32_t sm, const struct request *r); /* for this one */
    void (*send)(void *memory, uint32_t sm, const struct request *r);
    bool (*empty)(const void *memory);
    void *memory;
};

/* The SM side of it: called when something arrives at an SM, and when its crossbar input has room again. */
struct memory_client {
    void (*respond)(void *context, uint32_t sm, const struct request *r); /* never refused: SMs sink responses */
    void (*room)(void *context, uint32_t sm);
    void *context;
};
#endif
