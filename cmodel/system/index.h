/* Where a line goes: cache sets (paper 000, section 3.4; 001, section 4.3) and memory partitions (000, section 3.7). */
#ifndef MEMTWIN_INDEX_H
#define MEMTWIN_INDEX_H
#include <stdint.h>

#include "system/config.h"

/* Set of a line in a cache of 2^k sets; k <= 16. */
uint32_t index_set(enum index_function f, uint32_t k, uint64_t line);
/* Partition of an interleave unit (address / partition.interleave) among `count`, and its address inside it; the two
 * together tell the unit.  MAP_XOR and MAP_IPOLY need a power of two (config_check); MAP_PRIME uses the first p
 * partitions only, p the largest prime not above `count` (13 of 16, as in the paper). */
uint32_t index_partition(enum partition_map map, uint32_t count, uint64_t unit);
uint64_t index_local(enum partition_map map, uint32_t count, uint64_t unit);
#endif
