/* SPDX-License-Identifier: Apache-2.0 */
/* Requests below the coalescer: one access to (part of) one 128-byte line. */
#ifndef MEMTWIN_REQUEST_H
#define MEMTWIN_REQUEST_H
#include <stdbool.h>
#include <stdint.h>

#include "base/arith.h"

#define LINE_BYTES 128u
#define LINE_SHIFT 7
#define SECTOR_BYTES 32u
#define WORD_BYTES 4u

enum request_kind { REQUEST_READ, REQUEST_WRITE, REQUEST_ATOMIC };

struct request {
    uint64_t line;    /* byte address >> LINE_SHIFT */
    uint64_t id;      /* number of the access in the run, from 0: --trace-request follows the first ones */
    uint64_t born;    /* SM cycle in which it entered the L1D's pipeline (l1d.latency_at = front) or, without, the L1D;
                         of a sector of several, the slice */
    uint32_t tag;     /* the sender's own mark; comes back with the response */
    uint32_t written; /* words of the line of which a write covers all bytes; if l2.write_miss asks for them */
    uint16_t sm;
    uint8_t kind;   /* enum request_kind */
    uint8_t bytes;  /* 32, 64 or 128: the part of the line that the request moves */
    uint8_t sector; /* its first 32 bytes of the line */
    bool bypass;    /* a read that fills no L1D line */
    bool constant;  /* a read of the constant cache (cache/constant.h) */
};

/* A request below the SMs. */
struct packet {
    struct request r;
    uint64_t local; /* the line's number inside its partition */
    uint64_t ready; /* first cycle of the reader's clock in which it may leave, where a queue is also a pipeline */
    uint32_t whole; /* of a request of several sectors of the L2: its number in memory.c */
    uint8_t parts;  /* in an L2 slice: requests of a sector each, from r.sector on */
    bool last;      /* of the responses to a request */
    bool far;       /* of the partner of an L2 slice (l2_far.h) */
};

/* Flits of a packet, header included (a read's request and a write's response carry no data); at least one. */
static inline uint32_t request_flits(uint32_t data_bytes, uint32_t header_bytes, uint32_t flit_bytes)
{
    const uint32_t bytes = data_bytes + header_bytes;
    return bytes ? (uint32_t)ceil_div(bytes, flit_bytes) : 1;
}
#endif
