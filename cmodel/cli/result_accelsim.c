/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics of a run as lines that the scripts of Accel-Sim find: after each kernel its own cycles and
 * instructions, and sums so far.  Their names have the meaning that they have there (docs/from-nvbit.md). */
#include <inttypes.h>

#include "base/ratio.h"
#include "base/version.h"
#include "cli/number.h"
#include "cli/result.h"
#include "system/stats/counters.h"

/* Lines of the reference that no counter of ours stands for. */
static const char *const missing[] = {
    "gpu_occupancy",
    "gpu_stall_dramfull",
    "gpu_stall_icnt2sh",
    "partiton_level_parallism",
    "RESERVATION_FAIL of each kind of access",
    "MISS, SECTOR_MISS, HIT_RESERVED and MSHR_HIT of the L2 by kind of access",
    "L1I, L1C and L1T caches",
    "LOCAL, CONST, TEXTURE and INST accesses",
    "L1D_cache_core and L2_cache_bank",
    "gpgpu_n_mem_*, gpgpu_n_*_insn and gpgpu_stall_shd_mem",
    "DRAM by channel and bank",
};

static void whole(FILE *to, const char *name, uint64_t value)
{
    fprintf(to, "%s = %" PRIu64 "\n", name, value);
}

/* No line without a denominator. */
static void quotient(FILE *to, const char *name, double numerator, double denominator, const char *unit)
{
    if (denominator > 0) fprintf(to, "%s = %12.4f%s\n", name, numerator / denominator, unit);
}

static void access_line(FILE *to, const char *cache, const char *kind, const char *outcome, uint64_t value)
{
    fprintf(to, "\t%s[%s][%s] = %" PRIu64 "\n", cache, kind, outcome, value);
}

static void print_cache(FILE *to, const char *name, uint64_t accesses, uint64_t misses, uint64_t merged,
                        uint64_t refused)
{
    fprintf(to, "%s_total_cache_accesses = %" PRIu64 "\n", name, accesses);
    fprintf(to, "%s_total_cache_misses = %" PRIu64 "\n", name, misses);
    if (accesses) fprintf(to, "%s_total_cache_miss_rate = %.4f\n", name, (double)misses / (double)accesses);
    fprintf(to, "%s_total_cache_pending_hits = %" PRIu64 "\n", name, merged);
    fprintf(to, "%s_total_cache_reservation_fails = %" PRIu64 "\n", name, refused);
}

/* Reads and writes that bypass it are no accesses of an L1D there. */
static void print_l1d(FILE *to, const struct stats *s)
{
    static const char name[] = "Total_core_cache_stats_breakdown", reads[] = "GLOBAL_ACC_R", writes[] = "GLOBAL_ACC_W";
    const uint64_t refused = s->l1d_rf_line + s->l1d_rf_mshr_entry + s->l1d_rf_mshr_merge + s->l1d_rf_mshr_drain +
                             s->l1d_rf_miss_queue + s->l1d_rf_bypass_slot;
    const uint64_t write_misses = s->l1d_writes - s->l1d_write_hits;
    fputs("L1D_cache:\n", to);
    print_cache(to, "\tL1D", s->l1d_accesses - s->l1d_bypassed, s->l1d_misses + write_misses, s->l1d_merged, refused);
    fputs("Total_core_cache_stats:\n", to);
    access_line(to, name, reads, "HIT", s->l1d_hits);
    access_line(to, name, reads, "HIT_RESERVED", s->l1d_merged);
    access_line(to, name, reads, "MISS", s->l1d_misses - s->l1d_sector_misses);
    access_line(to, name, reads, "SECTOR_MISS", s->l1d_sector_misses);
    access_line(to, name, reads, "MSHR_HIT", s->l1d_merged);
    access_line(to, name, reads, "TOTAL_ACCESS", s->l1d_hits + s->l1d_merged + s->l1d_misses);
    access_line(to, name, writes, "HIT", s->l1d_write_hits);
    access_line(to, name, writes, "MISS", write_misses);
    access_line(to, name, writes, "TOTAL_ACCESS", s->l1d_writes);
}

/* An atomic is a read there. */
static void print_l2(FILE *to, const struct stats *s)
{
    static const char name[] = "L2_cache_stats_breakdown";
    const uint64_t refused = s->l2_rf_line + s->l2_rf_mshr_entry + s->l2_rf_mshr_merge + s->l2_rf_mshr_drain +
                             s->l2_rf_miss_queue + s->l2_rf_bypass_slot + s->l2_rf_link + s->l2_rf_response;
    fputs("========= L2 cache stats =========\n", to);
    print_cache(to, "L2", s->l2_accesses, s->l2_misses, s->l2_merged, refused);
    fputs("L2_total_cache_breakdown:\n", to);
    access_line(to, name, "GLOBAL_ACC_R", "HIT", s->l2_hits - s->l2_write_hits);
    access_line(to, name, "GLOBAL_ACC_R", "TOTAL_ACCESS", s->l2_reads + s->l2_atomics);
    access_line(to, name, "GLOBAL_ACC_W", "HIT", s->l2_write_hits);
    access_line(to, name, "GLOBAL_ACC_W", "TOTAL_ACCESS", s->l2_writes);
}

/* `own`: of the kernel; `all`: of all up to it. */
static void print_kernel(FILE *to, const struct result *r, const struct sample *own, const struct stats *all)
{
    const struct stats *k = &own->stats;
    const double seconds = (double)k->gpu_cycles / config_mhz(r->config.clock_sm_khz) / 1e6;
    fprintf(to, "\nkernel_name = %s\nkernel_launch_uid = %" PRIu32 "\nkernel_stream_id = %" PRIu64 "\n", own->name,
            own->launch, own->stream);
    whole(to, "gpu_sim_cycle", k->gpu_cycles);
    whole(to, "gpu_sim_insn", k->gpu_thread_instructions);
    quotient(to, "gpu_ipc", (double)k->gpu_thread_instructions, (double)k->gpu_cycles, "");
    whole(to, "gpu_tot_sim_cycle", all->gpu_cycles);
    whole(to, "gpu_tot_sim_insn", all->gpu_thread_instructions);
    quotient(to, "gpu_tot_ipc", (double)all->gpu_thread_instructions, (double)all->gpu_cycles, "");
    whole(to, "gpu_tot_issued_cta", all->gpu_blocks);
    /* There, each packet counts as 32 bytes. */
    quotient(to, "L2_BW ", 32e-9 * (double)k->xbar_responses, seconds, " GB/Sec");
    print_l1d(to, all);
    whole(to, "gpgpu_n_tot_thrd_icount", all->gpu_thread_instructions);
    whole(to, "gpgpu_n_tot_w_icount", all->gpu_warp_instructions);
    whole(to, "gpgpu_n_shmem_bkconflict", all->gpu_shared_conflict_cycles);
    whole(to, "total dram reads", all->dram_reads);
    whole(to, "total dram writes", all->dram_writes);
    print_l2(to, all);
    fprintf(to, "icnt_total_pkts_mem_to_simt=%" PRIu64 "\nicnt_total_pkts_simt_to_mem=%" PRIu64 "\n",
            all->xbar_responses, all->xbar_requests);
}

static void print_host(FILE *to, const struct result *r)
{
    const struct stats *s = &r->stats;
    const uint64_t seconds = r->seconds < 1 ? 1 : (uint64_t)r->seconds, rate = s->gpu_cycles / seconds;
    fprintf(to,
            "\n\ngpgpu_simulation_time = %" PRIu64 " days, %" PRIu64 " hrs, %" PRIu64 " min, %" PRIu64 " sec (%" PRIu64
            " sec)\n",
            seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60, seconds);
    fprintf(to, "gpgpu_simulation_rate = %" PRIu64 " (inst/sec)\n", s->gpu_thread_instructions / seconds);
    fprintf(to, "gpgpu_simulation_rate = %" PRIu64 " (cycle/sec)\n", rate);
    if (rate) fprintf(to, "gpgpu_silicon_slowdown = %" PRIu64 "x\n", r->config.clock_sm_khz * UINT64_C(1000) / rate);
}

void result_accelsim(FILE *to, const struct result *r)
{
    struct stats all = {0};
    fprintf(to, "Accel-Sim's statistics by memtwin [build %s]\n", version_text);
    fprintf(to, "workload: %s\nwithout a counter:", r->workload);
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) fprintf(to, "%s %s", i ? ";" : "", missing[i]);
    fputc('\n', to);
    for (uint32_t i = 0; i < r->kernels.count; i++) {
        stats_add(&all, &r->kernels.list[i].stats);
        print_kernel(to, r, &r->kernels.list[i], &all);
    }
    print_host(to, r);
    fputs("GPGPU-Sim: *** simulation thread exiting ***\nGPGPU-Sim: *** exit detected ***\n", to);
}
