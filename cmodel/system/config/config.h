/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration of one run: plain numbers, one field per option, described once in options.def. */
#ifndef MEMTWIN_CONFIG_H
#define MEMTWIN_CONFIG_H
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum access_ranges { ACCESS_ENDS, ACCESS_BOUNDS }; /* as enum range_rule */
enum access_order { ORDER_LANES, ORDER_FROM_HIGHEST };
enum coalesce_unit { COALESCE_LINE, COALESCE_SEGMENT, COALESCE_SECTOR };
enum atomic_accesses { ATOMICS_COALESCED, ATOMICS_APART };
enum warp_end { END_LOADS, END_STORES };
enum alloc_policy { ALLOC_ON_MISS, ALLOC_ON_FILL };
enum write_policy { WRITE_EVICT, WRITE_THROUGH };
enum l1_write_miss { L1_WRITE_NONE, L1_WRITE_LAZY, L1_WRITE_WORDS };
enum bypass_level { BYPASS_WARP, BYPASS_BLOCK, BYPASS_WARP_OF_BLOCK };
enum bypass_path { PATH_MISS_QUEUE, PATH_DIRECT };
enum atomic_path { ATOMICS_INSIDE, ATOMICS_AROUND };
enum stream_tags { STREAM_KEEP, STREAM_DROP };
enum bypass_scope { BYPASS_LOCAL, BYPASS_GLOBAL };
enum cke_scheme { CKE_PLAIN, CKE_RBMI, CKE_QBMI, CKE_SMIL, CKE_DMIL, CKE_QBMI_DMIL };
enum cke_relax { CKE_LIFT, CKE_GROW, CKE_HOLD };        /* as milg's parameter Relax */
enum l2_input_refused { REFUSED_HOLD, REFUSED_ROTATE }; /* as cart's parameter Rotate */
enum uvm_order { ORDER_RUN, ORDER_PAGE, ORDER_ADDRESS };
enum uvm_writeback { WRITEBACK_ALL, WRITEBACK_DIRTY };
enum write_miss { WRITE_MISS_FETCH, WRITE_MISS_FETCH_PARTIAL, WRITE_MISS_THROUGH, WRITE_MISS_LAZY };
enum sm_turn { TURN_ALWAYS, TURN_ACTIVE };
enum l1d_fill { FILL_IN_TURN, FILL_AT_ONCE };
enum latency_place { LATENCY_BEHIND, LATENCY_FRONT };
enum xbar_input_room { ROOM_BOTH, ROOM_FRONT };
enum partition_map_of { MAP_OF_PARTITIONS, MAP_OF_SLICES };
enum xbar_transfer { TRANSFER_FLITS, TRANSFER_PACKETS };
enum xbar_arbiter { ARBITER_ROUND_ROBIN, ARBITER_FIXED };
enum dram_group_bits { GROUP_LOW, GROUP_HIGH };
enum dram_command_bus { BUS_SINGLE, BUS_DUAL, BUS_TURNING };
enum dram_done { DONE_LAST, DONE_FIRST };
enum l2_upper_half { HALF_OWN, HALF_NEXT };
enum dram_intake { INTAKE_SLICES, INTAKE_CHANNEL };
enum {
    COLLECTORS_PATH = 4
}; /* SM cycles of each latency that an instruction spends in operand collectors, with sm.reg_banks */
enum dram_rtpl_scope { RTPL_GROUP, RTPL_BANK };

struct config {
#define OPT_UINT(field, key, def, min, max, text, ...) uint32_t field;
#define OPT_DECIMAL OPT_UINT
#define OPT_LIST(field, key, count, def, min, max, text, ...) uint32_t field[count];
#define OPT_BOOL(field, key, def, text, ...) uint32_t field;
#define OPT_ENUM(field, key, def, names, text, ...) uint32_t field;
#define OPT_POLICY(field, key, def, policies, text, ...) uint32_t field;
#include "system/config/options.def"
#undef OPT_UINT
#undef OPT_DECIMAL
#undef OPT_LIST
#undef OPT_BOOL
#undef OPT_ENUM
#undef OPT_POLICY
};

struct sources; /* source.h */

/* Defaults from options.def, and their sources. */
void config_default(struct config *c);
void sources_default(struct sources *s);
/* Applies preset `name`, after config_default(), and notes in `sources`, unless it is NULL, where each value comes
 * from. Unknown name: the error suggests the nearest. */
bool config_preset(struct config *c, struct sources *sources, const char *name, struct error *err);
/* Applies "key=value".  Unknown key: the error suggests the nearest; bad value: it lists the allowed ones. */
bool config_set(struct config *c, const char *assignment, struct error *err);
/* Applies an ini file: sections and keys form option keys ("[l1d]" then "mshr.entries = 64"); a first line "preset =
 * NAME" outside any section names a base.  `sources` as above.  Errors name file and line. */
bool config_file(struct config *c, struct sources *sources, const char *path, struct error *err);
/* The same of its text; `name` is that of the file. */
bool config_text(struct config *c, struct sources *sources, const char *text, const char *name, struct error *err);
/* Checks rules across options: powers of two, sizes that must fit each other. */
bool config_check(const struct config *c, struct error *err);

/* A clock in MHz. */
static inline double config_mhz(uint32_t khz)
{
    return khz / 1000.0;
}

enum { CHOICES = sizeof((struct config *)0)->sm_shared_choices / sizeof(uint32_t) };

/* Numbers of sm.shared_choices that are choices: zeros at its end are none. */
static inline uint32_t config_choices(const struct config *c)
{
    uint32_t n = CHOICES;
    while (n && !c->sm_shared_choices[n - 1]) n--;
    return n;
}

/* Whether SMs are split between shared memory and L1D, by kernel. */
static inline bool config_splits(const struct config *c)
{
    return config_choices(c) && c->l1d_enable && !c->l1d_unbounded;
}

/* Whether a write takes a way of an L1D. */
static inline bool config_writes_allocate(const struct config *c)
{
    return c->l1d_enable && c->l1d_write == WRITE_THROUGH && c->l1d_write_miss != L1_WRITE_NONE;
}

/* Ways of an L1D beside so many KiB of shared memory, to the nearest whole number. */
static inline uint32_t config_ways_beside(const struct config *c, uint32_t shared_kib)
{
    const uint64_t all = c->sm_unified_kib, left = all > shared_kib ? all - shared_kib : 0;
    return (uint32_t)((2 * c->l1d_ways * left + all) / (2 * all));
}

/* Partitions or slices over which partition.map goes. */
static inline uint32_t config_mapped(const struct config *c)
{
    return c->partition_count * (c->partition_map_of == MAP_OF_SLICES ? c->partition_slices : 1);
}

/* SP units or SFUs of an SM, of which `shared` belong to all schedulers without sm.sub_cores; with it a scheduler has
 * one of each kind. */
static inline uint32_t config_units(const struct config *c, uint32_t shared)
{
    return c->sm_sub_cores ? c->sm_schedulers : shared;
}

/* SM cycles between two instructions of an SP unit. */
static inline uint32_t config_sp_interval(const struct config *c)
{
    return c->sm_sub_cores ? c->sm_sp_interval : 1;
}

/* Consecutive bytes of a partition in one L2 slice. */
static inline uint32_t config_slice_unit(const struct config *c)
{
    return c->partition_slice_interleave ? c->partition_slice_interleave : c->partition_interleave;
}
#endif
