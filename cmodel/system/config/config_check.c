/* SPDX-License-Identifier: Apache-2.0 */
/* Rules across options. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "system/config/bypass_kind.h"
#include "system/config/config.h"
#include "system/config/dram_timing.h"
#include "system/config/index_kind.h"
#include "system/config/input_kind.h"
#include "system/config/miss_kind.h"
#include "system/config/replacement_kind.h"

static bool power_of_two(const char *key, uint32_t value, struct error *err)
{
    return is_power_of_two(value) || error_set(err, "%s: found %u, allowed: a power of two", key, value);
}

static bool powers_of_two(const struct config *c, struct error *err)
{
    return power_of_two("l1d.sets", c->l1d_sets, err) && power_of_two("l2.sets", c->l2_sets, err) &&
           power_of_two("tlb.l1.sets", c->tlb_l1_sets, err) && power_of_two("tlb.l2.sets", c->tlb_l2_sets, err) &&
           power_of_two("uvm.lease_unit", c->uvm_lease_unit, err) &&
           power_of_two("partition.interleave", c->partition_interleave, err) &&
           power_of_two("partition.slices", c->partition_slices, err) &&
           power_of_two("partition.slice_interleave", config_slice_unit(c), err) &&
           power_of_two("dram.banks", c->dram_banks, err) &&
           power_of_two("dram.bank_groups", c->dram_bank_groups, err) &&
           power_of_two("dram.row_bytes", c->dram_row_bytes, err) &&
           power_of_two("dram.atom_bytes", c->dram_atom_bytes, err);
}

static bool check_sets(const char *key, uint32_t sets, uint32_t index, struct error *err)
{
    const uint32_t plain = policy_plain("set index");
    const struct set_index *kind = set_index_at(index);
    if (kind->sets && kind->sets != sets)
        return error_set(err, "%s.index: found %s with %s.sets = %u, allowed with it: %u sets", key, kind->policy.name,
                         key, sets, kind->sets);
    return sets > 1 || index == plain ||
           error_set(err, "%s.index: one set needs no index function; allowed with %s.sets = 1: %s", key, key,
                     set_index_at(plain)->policy.name);
}

static bool check_sector(const char *key, uint32_t found, struct error *err)
{
    return !found || found == 32 || error_set(err, "%s.sector_bytes: found %u, allowed: 0 or 32", key, found);
}

/* A way is taken at the write. */
static bool check_l1_write(const struct config *c, struct error *err)
{
    if (c->l1d_write_miss == L1_WRITE_NONE || c->l1d_write == WRITE_EVICT || !c->l1d_enable) return true;
    if (c->l1d_alloc != ALLOC_ON_MISS)
        return error_set(err, "l1d.write_miss: allowed with l1d.alloc = on_fill: none only");
    return !c->l1d_unbounded || error_set(err, "l1d.write_miss: allowed with l1d.unbounded = true: none only");
}

/* A bank serves each place of a sector once. */
static bool check_banks(const struct config *c, struct error *err)
{
    if (!c->l1d_banks) return true;
    if (!power_of_two("l1d.banks", c->l1d_banks, err) || !power_of_two("l1d.bank_bytes", c->l1d_bank_bytes, err))
        return false;
    return c->l1d_banks * c->l1d_bank_bytes >= 32 ||
           error_set(err, "l1d.banks: found %u of %u bytes, allowed: banks that have the 32 bytes of a sector",
                     c->l1d_banks, c->l1d_bank_bytes);
}

/* An access of a sectored L1D is to one sector.  A slice accepts all sectors of a request at once. */
static bool check_sectors(const struct config *c, struct error *err)
{
    if (!check_sector("l1d", c->l1d_sector_bytes, err) || !check_sector("l2", c->l2_sector_bytes, err)) return false;
    if (c->l1d_sector_bytes && c->sm_coalesce != COALESCE_SECTOR)
        return error_set(err, "l1d.sector_bytes: found %u, allowed: 0, or 32 with sm.coalesce = sector",
                         c->l1d_sector_bytes);
    return !c->l2_sector_bytes || c->l2_input_queue >= 4 ||
           error_set(err,
                     "l2.input_queue: found %u, allowed with l2.sector_bytes = 32: at least 4, the sectors of a line",
                     c->l2_input_queue);
}

static bool check_partitions(const struct config *c, struct error *err)
{
    const struct partition_map *map = partition_map_at(c->partition_map);
    char any[128] = "";
    const bool power = is_power_of_two(c->partition_count);
    if (c->partition_map_of == MAP_OF_SLICES && !power)
        return error_set(err,
                         "partition.map_of: found slices with partition.count = %u, allowed with it: a power of two",
                         c->partition_count);
    if (map->any || power) return true;
    for (uint32_t i = 0; policy_at("partition map", i); i++)
        if (partition_map_at(i)->any)
            snprintf(any + strlen(any), sizeof any - strlen(any), "%s%s", *any ? ", " : "",
                     partition_map_at(i)->policy.name);
    return error_set(err, "partition.map: found %s over %u partitions, no power of two; allowed over them: %s",
                     map->policy.name, c->partition_count, any);
}

/* With on_fill only the MSHR file tracks a line being fetched.  A write-through miss needs miss queue entries for the
 * write, the read and a victim. */
static bool check_write_miss(const struct config *c, struct error *err)
{
    if (c->l2_write_miss == WRITE_MISS_FETCH) return true;
    if (c->l2_alloc != ALLOC_ON_MISS)
        return error_set(err, "l2.write_miss: allowed with l2.alloc = on_fill: fetch only");
    return c->l2_write_miss != WRITE_MISS_THROUGH || c->l2_miss_queue >= 3 ||
           error_set(err, "l2.write_miss: found through with l2.miss_queue = %u, allowed with it: at least 3",
                     c->l2_miss_queue);
}

/* Foreign lines leave a way and a line of the MSHR file to the others (cache/l2_far.h). */
static bool check_foreign(const struct config *c, struct error *err)
{
    if (c->l2_ways < 2 && !c->l2_unbounded)
        return error_set(err, "l2.ways: found %u, allowed with l2.halves = 2: at least 2", c->l2_ways);
    return miss_kind_of(c, MISS_L2)->shape(c, MISS_L2).lines > 1 ||
           error_set(err, "l2.mshr.kind: found a file of one line, allowed with l2.halves = 2: two or more");
}

static bool check_halves(const struct config *c, struct error *err)
{
    if (c->l2_halves == 1) return true;
    if (c->partition_count % 2)
        return error_set(err, "partition.count: found %u, allowed with l2.halves = 2: an even number",
                         c->partition_count);
    if (c->l2_alloc != ALLOC_ON_MISS)
        return error_set(err, "l2.halves: found 2, allowed with l2.alloc = on_fill: 1, since a change at home finds a "
                              "copy on its way by its way in the tags");
    if (c->l2_upper_half != HALF_OWN)
        return error_set(err, "l2.halves: found 2, allowed with l2.upper_half = next: 1, since both have the same mark "
                              "for lines of another slice");
    return check_foreign(c, err);
}

/* The reordering blocks derive bank and row from the line addresses of their slice: the bits that select the slice are
 * none of these (dram/dram.h has the order of the bits). */
static bool slices_share_rows(const struct config *c)
{
    const uint32_t bank = log2_floor(max_u32(4 * c->dram_atom_bytes, 128)), banks = c->dram_banks > 1;
    const uint32_t first = log2_floor(config_slice_unit(c)), end = first + log2_floor(c->partition_slices);
    return end <= log2_floor(c->dram_row_bytes) + banks && !(banks && first <= bank && bank < end);
}

static bool check_slices(const struct config *c, struct error *err)
{
    if (config_slice_unit(c) < 128)
        return error_set(err, "partition.slice_interleave: found %u, allowed: 0, or a power of two from 128, a line",
                         c->partition_slice_interleave);
    return c->l2_input == policy_plain("L2 input") || slices_share_rows(c) ||
           error_set(err,
                     "partition.slices: found %u of %u bytes, allowed with l2.input = %s: slices that share every row "
                     "of a bank of %u bytes",
                     c->partition_slices, config_slice_unit(c), policy_at("L2 input", c->l2_input)->name,
                     c->dram_row_bytes);
}

static bool check_split(const struct config *c, struct error *err)
{
    const uint32_t count = config_choices(c), *choice = c->sm_shared_choices;
    if (!config_splits(c)) return true;
    for (uint32_t i = 1; i < count; i++)
        if (choice[i] <= choice[i - 1])
            return error_set(err, "sm.shared_choices: found %u behind %u, allowed: ascending numbers", choice[i],
                             choice[i - 1]);
    const uint32_t most = choice[count - 1], ways = c->l1d_ways;
    if (most * 1024 < c->sm_shared_bytes)
        return error_set(
            err, "sm.shared_choices: found %u KiB as the largest, allowed with sm.shared_bytes = %u: at least %u", most,
            c->sm_shared_bytes, (uint32_t)ceil_div(c->sm_shared_bytes, 1024));
    if (!config_ways_beside(c, most))
        return error_set(
            err,
            "sm.unified_kib: found %u, allowed with sm.shared_choices up to %u and l1d.ways = %u: at least "
            "%u, which leaves a way",
            c->sm_unified_kib, most, ways, (uint32_t)ceil_div(2 * ways * most, 2 * ways - 1));
    return (!replacement_of(c, MISS_L1D)->create && !bypass_kind_of(c)->create) ||
           error_set(
               err,
               "sm.shared_choices: found choices up to %u, allowed with l1d.replacement = %s and l1d.bypass.mode = "
               "%s: 0 alone; what learns from an L1D has a place for each of l1d.ways",
               most, policy_at("replacement", c->l1d_replacement)->name,
               policy_at("L1D bypass", c->l1d_bypass_mode)->name);
}

static bool check_file(const struct config *c, enum miss_cache cache, struct error *err)
{
    const struct miss_kind *kind = miss_kind_of(c, cache);
    return !kind->check || kind->check(c, cache, err);
}

static bool check_replacement(const struct config *c, enum miss_cache cache, struct error *err)
{
    const struct replacement *kind = replacement_of(c, cache);
    return !kind->check || kind->check(c, cache, err);
}

static bool check_input(const struct config *c, struct error *err)
{
    const struct input_kind *kind = input_kind_of(c);
    return !kind->check || kind->check(c, err);
}

static bool check_dram(const struct config *c, struct error *err)
{
    if (c->dram_bank_groups > c->dram_banks)
        return error_set(err, "dram.bank_groups: found %u, allowed: at most dram.banks = %u", c->dram_bank_groups,
                         c->dram_banks);
    /* mutant: 4 - 1: both sides are powers of two: none lies between three and four times */
    if (c->dram_row_bytes < 4 * c->dram_atom_bytes)
        return error_set(err, "dram.row_bytes: found %u, allowed: at least %u, four times dram.atom_bytes",
                         c->dram_row_bytes, 4 * c->dram_atom_bytes);
    if (c->dram_t_ccdl < c->dram_t_ccd)
        return error_set(err, "dram.t.ccdl: found %u, allowed: at least dram.t.ccd = %u", c->dram_t_ccdl,
                         c->dram_t_ccd);
    if (c->dram_t_rc < c->dram_t_ras)
        return error_set(err, "dram.t.rc: found %u, allowed: at least dram.t.ras = %u", c->dram_t_rc, c->dram_t_ras);
    const uint64_t least = dram_least_refi(c);
    if (c->dram_refresh && c->dram_t_refi < least)
        return error_set(err,
                         "dram.t.refi: found %u, allowed: at least %" PRIu64
                         ", so that with dram.t.rfc = %u and the other dram.t.* a request moves between two refreshes",
                         c->dram_t_refi, least, c->dram_t_rfc);
    return true;
}

static bool check_bypass(const struct config *c, struct error *err)
{
    const struct bypass_kind *kind = bypass_kind_of(c);
    return !kind->check || kind->check(c, err);
}

/* A slice knows outstanding lines only by reserved tags, so on_fill is refused. */
static bool check_l2_bypass(const struct config *c, struct error *err)
{
    const struct l2_bypass *kind = l2_bypass_of(c);
    const struct stall_bypass *stall = stall_bypass_of(c, MISS_L2);
    if (kind->check && !kind->check(c, err)) return false;
    return !stall->around || c->l2_alloc == ALLOC_ON_MISS ||
           error_set(err, "l2.bypass.on_stall: found %s with l2.alloc = on_fill, allowed with it: %s",
                     stall->policy.name, policy_at("bypass on stall", policy_plain("bypass on stall"))->name);
}

/* Ending a run at cke.cycles would leave migrations unfinished.  The arbiters need an LSU whose head goes straight
 * to the L1D, without translation. */
static bool check_uvm(const struct config *c, struct error *err)
{
    if (!c->uvm_enable) return true;
    if (c->cke_cycles) return error_set(err, "uvm.enable: allowed with cke.cycles = 0 only, found %u", c->cke_cycles);
    if (c->l1d_latency_at == LATENCY_FRONT)
        return error_set(err, "uvm.enable: allowed with l1d.latency_at = behind only");
    const uint32_t in_order = policy_plain("L1D input");
    if (c->l1d_input != in_order)
        return error_set(err, "uvm.enable: allowed with l1d.input = %s only", policy_at("L1D input", in_order)->name);
    return c->cke_scheme == CKE_PLAIN || error_set(err, "uvm.enable: allowed with cke.scheme = plain only");
}

/* A workload that restarts never frees its slot for a waiting one. */
static bool check_pool(const struct config *c, struct error *err)
{
    return !c->cke_concurrent || !c->cke_cycles ||
           error_set(err, "cke.concurrent: found %u with cke.cycles = %u, allowed with it: 0", c->cke_concurrent,
                     c->cke_cycles);
}

static bool check_input_free(const struct config *c, struct error *err)
{
    return c->l2_input_free <= c->l2_input_queue ||
           error_set(err, "l2.input_free: found %u, allowed: at most l2.input_queue = %u", c->l2_input_free,
                     c->l2_input_queue);
}

static bool check_path(const char *key, uint32_t latency, uint32_t least, struct error *err)
{
    return latency >= least ||
           error_set(err, "%s: found %u, allowed with sm.reg_banks: at least %u, of which operand collectors take %u",
                     key, latency, least, COLLECTORS_PATH);
}

static bool check_collectors(const struct config *c, struct error *err)
{
    if (!c->sm_reg_banks) return true;
    if (c->l1d_latency_at != LATENCY_FRONT)
        return error_set(err, "sm.reg_banks: found %u, allowed with l1d.latency_at = behind: 0", c->sm_reg_banks);
    if (c->sm_sub_cores)
        return error_set(err, "sm.reg_banks: found %u, allowed with sm.sub_cores = true: 0; the schedulers share them",
                         c->sm_reg_banks);
    return check_path("sm.sp_latency", c->sm_sp_latency, COLLECTORS_PATH + 1, err) &&
           check_path("sm.sfu_latency", c->sm_sfu_latency, COLLECTORS_PATH + 1, err) &&
           check_path("sm.shared_latency", c->sm_shared_latency, COLLECTORS_PATH + 1, err) &&
           check_path("l1d.latency", c->l1d_latency, COLLECTORS_PATH, err) &&
           check_path("constant.latency", c->constant_latency, COLLECTORS_PATH, err);
}

static bool check_constant(const struct config *c, struct error *err)
{
    const uint32_t way = c->constant_line_bytes * c->constant_ways;
    if (!c->constant_bytes) return true;
    if (!power_of_two("constant.line_bytes", c->constant_line_bytes, err)) return false;
    return (c->constant_bytes % way == 0 && is_power_of_two(c->constant_bytes / way)) ||
           error_set(err,
                     "constant.bytes: found %u, allowed with constant.line_bytes = %u and constant.ways = %u: 0, or a "
                     "power of two times %u",
                     c->constant_bytes, c->constant_line_bytes, c->constant_ways, way);
}

/* A cycle is left in front of the tags. */
static bool check_data_latency(const struct config *c, struct error *err)
{
    const uint32_t path = c->sm_reg_banks ? COLLECTORS_PATH : 0;
    if (c->l1d_latency_at == LATENCY_BEHIND || !c->l1d_data_latency) return true;
    return c->l1d_latency > path + c->l1d_data_latency ||
           error_set(err, "l1d.data_latency: found %u, allowed with l1d.latency = %u: at most %u", c->l1d_data_latency,
                     c->l1d_latency, c->l1d_latency > path ? c->l1d_latency - path - 1 : 0);
}

bool config_check(const struct config *c, struct error *err)
{
    return powers_of_two(c, err) && check_sets("l1d", c->l1d_sets, c->l1d_index, err) &&
           check_sets("l2", c->l2_sets, c->l2_index, err) && check_partitions(c, err) && check_write_miss(c, err) &&
           check_sectors(c, err) && check_l1_write(c, err) && check_banks(c, err) && check_slices(c, err) &&
           check_file(c, MISS_L1D, err) && check_file(c, MISS_L2, err) && check_replacement(c, MISS_L1D, err) &&
           check_replacement(c, MISS_L2, err) && check_dram(c, err) && check_input(c, err) && check_bypass(c, err) &&
           check_split(c, err) && check_l2_bypass(c, err) && check_uvm(c, err) && check_pool(c, err) &&
           check_collectors(c, err) && check_data_latency(c, err) && check_input_free(c, err) &&
           check_constant(c, err) && check_halves(c, err);
}
