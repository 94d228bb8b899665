/* Where a line goes: cache sets (paper 000, section 3.4; 001, section 4.3) and memory partitions (000, section 3.7). */
#ifndef MEMTWIN_INDEX_H
#define MEMTWIN_INDEX_H
#include <stdint.h>

#include "system/config.h"

/* Set of a line in a cache of 2^k sets; 1 <= k <= 16. */
uint32_t index_set(enum index_function f, uint32_t k, uint64_t line);
/* Partition of an interleave unit (address / partition.interleave) among `count`, and its address inside it. */
uint32_t index_partition(enum partition_map map, uint32_t count, uint64_t unit);
uint64_t index_local(enum partition_map map, uint32_t count, uint64_t unit);
#endif
