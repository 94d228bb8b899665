/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin config --from, and --config with a gpgpusim.config: machines in the words of GPGPU-Sim are read, and every
 * option is accounted for. */
#include <sys/stat.h>

#include "base/rng.h"
#include "command_line.h"

/* A card by facts of its configuration.  The files below are written from them. */
struct card {
    const char *name, *clocks;
    int sms, threads, blocks, l1_latency, partitions, slices, hash, rop, dram_latency, width, ratio, burst, dual, skip;
    const char *scheduler, *l1d, *l2, *timing, *map;
    bool local;
};

static const struct card cards[] = {
    {"titanx",
     "1417.0:1417.0:1417.0:2500.0",
     28,
     2048,
     32,
     82,
     12,
     2,
     4,
     120,
     100,
     4,
     4,
     8,
     0,
     1,
     "gto",
     "S:4:128:96,L:L:s:N:L,A:256:8,16:0,32",
     "S:64:128:16,L:B:m:L:P,A:256:64,16:0,32",
     "\"nbk=16:CCD=2:RRD=8:RCD=16:RAS=37:RP=16:RC=52:\n   CL=16:WL=6:CDLR=7:WR=16:nbkgrp=4:CCDL=4:RTPL=3\"",
     "RBBBCCCC.BCCSSSSS",
     false},
    {"qv100",
     "1132:1132:1132:850",
     80,
     2048,
     32,
     20,
     32,
     2,
     2,
     160,
     100,
     16,
     2,
     2,
     1,
     0,
     "lrr",
     "S:4:128:64,L:T:m:L:L,A:512:8,16:0,32",
     "S:32:128:24,L:B:m:L:P,A:192:4,32:0,32",
     "nbk=16:CCD=1:RRD=3:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3",
     "RBBBCCCB.CCCSSSSS",
     true},
    {"rtx2060",
     "1365:1365:1365:3500.5",
     30,
     1024,
     16,
     32,
     12,
     2,
     0,
     194,
     96,
     2,
     4,
     16,
     0,
     0,
     "lrr",
     "S:4:128:64,L:T:m:L:L,A:256:32,16:0,32",
     "S:64:128:16,L:B:m:L:P,A:192:4,32:0,32",
     "16:4:12:24:55:24:78:24:8:10:24:4:6:4",
     "RBBBCCCC.BCCSSSSS",
     true},
    {"rtx3070",
     "1132:1132:1132:3500.5",
     46,
     1536,
     32,
     39,
     16,
     2,
     2,
     187,
     254,
     2,
     4,
     16,
     0,
     0,
     "lrr",
     "S:4:128:256,L:T:m:L:L,A:384:48,16:0,32",
     "S:64:128:16,L:B:m:L:P,A:192:4,32:0,32",
     "nbk=16:CCD=4:RRD=12:RCD=24:RAS=55:RP=24:RC=78:CL=24:WL=8:CDLR=10:WR=24:nbkgrp=4:CCDL=6:RTPL=4",
     "RBBBCCCC.BCCSSSSS",
     true},
    {"a100",
     "1410:1410:1512:1215",
     108,
     2048,
     32,
     34,
     40,
     4,
     0,
     200,
     190,
     16,
     2,
     2,
     1,
     0,
     "lrr",
     "S:4:128:64,L:T:m:L:L,A:512:64,16:0,32",
     "S:128:128:16,L:B:m:L:X,A:192:4,32:0,32",
     "nbk=16:CCD=1:RRD=7:RCD=22:RAS=50:RP=22:RC=72:CL=22:WL=4:CDLR=5:WR=19:nbkgrp=4:CCDL=4:RTPL=7",
     "RBBBCCCC.BCCSSSSS",
     true},
    {"h100",
     "1980:3106:3106:3106",
     132,
     2048,
     32,
     41,
     40,
     2,
     6,
     237,
     194,
     8,
     2,
     4,
     1,
     0,
     "lrr",
     "S:4:128:64,L:T:m:L:L,A:512:64,16:0,32",
     "S:256:128:20,L:B:m:L:X,A:384:4,32:0,32",
     "nbk=16:CCD=1:RRD=6:RCD=19:RAS=45:RP=19:RC=50:CL=19:WL=6:CDLR=8:WR=21:nbkgrp=4:CCDL=6:RTPL=8",
     "RBBBCCCC.BCCSSSSS",
     false},
};
enum { CARDS = sizeof cards / sizeof *cards };

static FILE *new_file(const char *folder, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", scratch(), folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s", scratch(), folder, name);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f, "%s", path);
    return f;
}

static void print_card(FILE *f, const struct card *k)
{
    fprintf(f, "# memory first\n-gpgpu_n_mem %d\n-gpgpu_n_sub_partition_per_mchannel %d\n", k->partitions, k->slices);
    fprintf(f, "-gpgpu_memory_partition_indexing %d\n-gpgpu_l2_rop_latency %d\n", k->hash, k->rop);
    fprintf(f, "-gpgpu_cache:dl2   %s\n-gpgpu_cache:dl2_texture_only 0\n", k->l2);
    fprintf(f, "-gpgpu_dram_partition_queues 64:64:64:64\n-gpgpu_perf_sim_memcpy 1\n-dram_latency %d\n",
            k->dram_latency);
    fprintf(f, "-gpgpu_dram_timing_opt %s\n-gpgpu_dram_scheduler 1\n-gpgpu_frfcfs_dram_sched_queue_size 64\n",
            k->timing);
    fprintf(f, "-gpgpu_dram_return_queue_size 192\n-gpgpu_n_mem_per_ctrlr 1\n-gpgpu_dram_buswidth %d\n", k->width);
    fprintf(f, "-dram_data_command_freq_ratio %d # of the bus\n-gpgpu_dram_burst_length %d\n", k->ratio, k->burst);
    fprintf(f,
            "-gpgpu_mem_address_mask 1\n-gpgpu_mem_addr_mapping dramid@8;00000000.00000000.00000000.00000000."
            "0000RRRR.RRRRRRRR.%s\n",
            k->map);
    fprintf(f, "-dram_dual_bus_interface %d\n-dram_bnk_indexing_policy 0\n-dram_bnkgrp_indexing_policy 1\n", k->dual);
    if (k->local)
        fputs("-network_mode 2\n-icnt_in_buffer_limit 512\n-icnt_out_buffer_limit 512\n-icnt_subnets "
              "2\n-icnt_arbiter_algo 1\n",
              f);
    else
        fputs("-network_mode 1\n-inter_config_file net.icnt\n", f);
    fprintf(f, "-icnt_flit_size 40\n-gpgpu_n_cluster_ejection_buffer_size 32\n\n# SMs\n-gpgpu_n_clusters %d\n", k->sms);
    fprintf(f, "-gpgpu_n_cores_per_cluster 1\n-gpgpu_clock_domains %s\n-gpgpu_shader_cta %d\n", k->clocks, k->blocks);
    fprintf(f, "-gpgpu_shader_core_pipeline %d:32\n-gpgpu_shader_registers 65536\n-gpgpu_simd_model 1\n", k->threads);
    fprintf(f, "-gpgpu_num_sched_per_core 4\n-gpgpu_scheduler %s\n-gpgpu_max_insn_issue_per_warp 1\n", k->scheduler);
    fputs("-gpgpu_sub_core_model 1\n-gpgpu_num_sp_units 4\n-gpgpu_num_sfu_units 4\n-gpgpu_num_dp_units 4\n"
          "-gpgpu_num_int_units 4\n-gpgpu_tensor_core_avail 1\n-gpgpu_num_tensor_core_units 4\n"
          "-gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8,4,4\n-gpgpu_num_reg_banks 16\n"
          "-gpgpu_reg_file_port_throughput 2\n-gpgpu_enable_specialized_operand_collector 0\n"
          "-gpgpu_operand_collector_num_units_gen 8\n-gpgpu_coalesce_arch 61\n-gpgpu_inst_fetch_throughput 4\n"
          "-gpgpu_perfect_inst_const_cache 1\n-gpgpu_cache:il1 N:64:128:16,L:R:f:N:L,S:2:48,4\n",
          f);
    fprintf(f, "-gpgpu_cache:dl1 %s\n-gpgpu_l1_latency %d\n-gpgpu_gmem_skip_L1D %d\n", k->l1d, k->l1_latency, k->skip);
    fputs("-gpgpu_l1_banks 4\n-gpgpu_l1_cache_write_ratio 25\n-gpgpu_flush_l1_cache 1\n-gpgpu_adaptive_cache_config 1\n"
          "-gpgpu_unified_l1d_size 128\n-gpgpu_shmem_option 0,32,64\n-gpgpu_shmem_size 98304\n"
          "-gpgpu_shmem_sizeDefault 98304\n-gpgpu_shmem_per_block 49152\n-gpgpu_shmem_num_banks 32\n"
          "-gpgpu_smem_latency 29\n-gpgpu_lrc_enabled 1\n-gpgpu_kernel_launch_latency 5000\n"
          "-gpgpu_ptx_force_max_capability 70\n-ptx_opcode_latency_int 4,13,4,5,145,21\n-gpgpu_runtime_stat 500\n"
          "-gpgpu_memlatency_stat 14\n-visualizer_enabled 0\n",
          f);
}

static void write_card(const struct card *k)
{
    FILE *f = new_file(k->name, "gpgpusim.config");
    print_card(f, k);
    fclose(f);
    f = new_file(k->name, "trace.config");
    fputs("-trace_opcode_latency_initiation_int 4,2\n-trace_opcode_latency_initiation_sp 4,2\n"
          "-trace_opcode_latency_initiation_dp 8,4\n-trace_opcode_latency_initiation_sfu 20,8\n"
          "-trace_opcode_latency_initiation_tensor 8,8\n\n# branches\n-specialized_unit_1 1,4,4,4,4,BRA\n"
          "-trace_opcode_latency_initiation_spec_op_1 4,4\n",
          f);
    fclose(f);
    if (k->local) return;
    f = new_file(k->name, "net.icnt");
    fputs("// one stage\ntopology = fly;\nn = 1; k = 52;\nuse_map = 0;\nflit_size = 40;\nsubnets = 2;\nnum_vcs = 1;\n"
          "vc_buf_size = 64;\ninput_buffer_size = 256;\nboundary_buffer_size = 64;\nejection_buffer_size = 64;\n"
          "internal_speedup = 2.0; // twice\nrouting_function = dest_tag;\npacket_size = {{1,2},\n  {3}};\n",
          f);
    fclose(f);
}

/* Options in the file: at a '-', or a '=' of the crossbar's, that starts a line or follows a ';'. */
static unsigned options_in(const char *folder, const char *name)
{
    char path[256], line[512];
    unsigned n = 0;
    snprintf(path, sizeof path, "%s/%s/%s", scratch(), folder, name);
    FILE *f = fopen(path, "r");
    cr_assert_not_null(f, "%s", path);
    while (fgets(line, sizeof line, f)) {
        if (!strncmp(line, "//", 2)) continue;
        n += *line == '-';
        for (const char *c = strchr(line, '='); c && strstr(name, ".icnt"); c = strchr(c + 1, '=')) n++;
    }
    fclose(f);
    return n;
}

/* The report counts the file's options, and lists as many. */
static void expect_all_listed(const struct outcome *o, const char *folder, const char *name)
{
    char head[256];
    unsigned options = 0, mapped = 0, without = 0, listed = 0;
    snprintf(head, sizeof head, "; %s/%s/%s: ", scratch(), folder, name);
    const char *at = strstr(o->text, head);
    cr_assert_not_null(at, "no %sin:\n%s", head, o->text);
    cr_assert_eq(
        sscanf(at + strlen(head), "%u options: %u mapped, %u without counterpart", &options, &mapped, &without), 3);
    cr_expect_eq(options, options_in(folder, name), "%s %s: %u options, expected %u", folder, name, options,
                 options_in(folder, name));
    cr_expect_eq(mapped + without, options);
    for (at = strchr(at, '\n') + 1; *at == ';'; at = strchr(at, '\n') + 1) {
        if (!strncmp(at, "; /", 3)) break;
        listed += !strncmp(at, ";   ", 4);
        cr_expect(strncmp(at, ";   ", 4) || strstr(at, ": ") < strchr(at, '\n'), "%.*s", 80, at);
    }
    cr_expect_eq(listed, options, "%s %s: %u listed, expected %u", folder, name, listed, options);
}

static struct outcome read_card(const struct card *k)
{
    write_card(k);
    struct outcome o = memtwinf("config --from %s/%s/gpgpusim.config", scratch(), k->name);
    expect_status(o, 0);
    return o;
}

Test(cli_from_gpgpusim, every_option_is_mapped_or_has_no_counterpart)
{
    for (int i = 0; i < CARDS; i++) {
        struct outcome o = read_card(&cards[i]);
        expect_all_listed(&o, cards[i].name, "gpgpusim.config");
        expect_all_listed(&o, cards[i].name, "trace.config");
        if (!cards[i].local) expect_all_listed(&o, cards[i].name, "net.icnt");
        cr_expect_null(strstr(o.text, "unknown"), "%s", o.text);
    }
}

Test(cli_from_gpgpusim, the_machines_run)
{
    for (int i = 0; i < CARDS; i++) {
        write_card(&cards[i]);
        struct outcome o = memtwinf("run -c %s/%s/gpgpusim.config vecadd:n=2048", scratch(), cards[i].name);
        expect_status(o, 0);
        expect_text(o, "verified");
        expect_text(o, "without counterpart (memtwin config --from lists them)");
        cr_expect_null(strstr(o.text, "no trace.config"), "%s", o.text);
    }
}

Test(cli_from_gpgpusim, a_volta)
{
    struct outcome o = read_card(&cards[1]);
    const char *const expected[] = {
        "clock.dram = 850",
        "sm.count = 80",
        "sm.warps = 64",
        "sm.shared_choices = 0,32,64",
        "sm.unified_kib = 128, l1d.ways = 256",
        "-gpgpu_shmem_size 98304: sm.shared_bytes = 65536; differs: sm.shared_bytes = 65536, "
        "the largest of -gpgpu_shmem_option",
        "l1d.sector_bytes = 32",
        "l1d.mshr.entries = 512",
        "l2.mshr.entries = 192",
        "l2.write_miss = lazy",
        "l2.rop_latency = 165",
        "dram.bus_bytes = 32",
        "dram.atom_bytes = 32",
        "dram.row_bytes = 2048",
        "dram.t.rc = 40",
        "partition.map = ipoly",
        "xbar.input_queue = 512",
        "sm.sp_latency = 9",
        "l1d.banks = 4",
        "sm.launch_cycles = 5000",
        "-gpgpu_enable_specialized_operand_collector 0: collectors that serve all units",
        "reg_banks = 0 ",
        "sm.sub_cores = true",
        "-specialized_unit_1 1,4,4,4,4,BRA: the unit does not exist here; its instructions take the INT units"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) expect_text(o, expected[i]);
    expect_text(o, "\n[xbar]\n");
    expect_text(o, "alloc_cycles = 0 ");
    expect_text(o, "latency_at = front ");
}

Test(cli_from_gpgpusim, values_that_no_option_takes_become_the_nearest)
{
    struct outcome o = read_card(&cards[2]);
    expect_text(o, "-gpgpu_clock_domains 1365:1365:1365:3500.5: clock.sm = 1365, clock.xbar = 1365, clock.l2 = "
                   "1365, clock.dram = 3500.5\n");
    o = read_card(&cards[5]);
    expect_text(o, "a hash of its own, over partitions that are no power of two");
    o = read_card(&cards[0]);
    expect_text(o, "-gpgpu_gmem_skip_L1D 1: l1d.enable = false");
    expect_text(o, "allocates on a fill, with the MSHR entries of the file");
    expect_text(o, "internal_speedup 2.0: xbar.speedup = 2");
    expect_text(o, "vc_buf_size 64: xbar.input_flits = 320");
    FILE *f = new_file("near", "gpgpusim.config");
    fputs("-gpgpu_n_clusters 300\n-gpgpu_n_cores_per_cluster 1\n-gpgpu_n_mem 130\n-gpgpu_no_such 3\n"
          "-gpgpu_frfcfs_dram_sched_queue_size 0\n-gpgpu_cache:dl2 N:48:128:8,F:T:f:N:C,A:32:4,4\n-gpgpu_n_mem 140\n",
          f);
    fclose(f);
    o = memtwinf("config --from %s/near/gpgpusim.config", scratch());
    expect_status(o, 0);
    expect_text(o, "6 options: 5 mapped, 1 without counterpart");
    expect_text(o, "sm.count = 256, the nearest of 1..256 to 300");
    expect_text(o, "partition.count = 128, the nearest of 1..128 to 140");
    expect_text(o, "line 3: -gpgpu_n_mem is given again below");
    expect_text(o, "-gpgpu_no_such 3: unknown");
    expect_text(o, "dram.queue has its most places");
    expect_text(o, "l2.sets takes powers of two: 32 for 48");
    expect_text(o, "replaces the least recently used line, not the oldest");
    expect_text(o, "no trace.config beside it");
}

Test(cli_from_gpgpusim, clocks_are_rounded_to_a_kilohertz)
{
    FILE *f = new_file("clocks", "gpgpusim.config");
    fputs("-gpgpu_clock_domains 1365.0004:1365.0005:0.5:3500.50000\n", f);
    fclose(f);
    struct outcome o = memtwinf("config --from %s/clocks/gpgpusim.config", scratch());
    expect_status(o, 0);
    expect_text(o, "clock.sm = 1365, clock.xbar = 1365.001, clock.l2 = 1, clock.dram = 3500.5");
    expect_text(o, "clock.sm takes 1..100000 with three decimals: 1365;");
    expect_text(o, "clock.xbar takes 1..100000 with three decimals: 1365.001;");
    expect_text(o, "clock.l2 takes 1..100000 with three decimals: 1\n");
    cr_expect_null(strstr(o.text, "clock.dram takes"), "%s", o.text);
}

/* ---- damaged files */

static void expect_refused(const char *text, const char *message)
{
    FILE *f = new_file("bad", "gpgpusim.config");
    fputs(text, f);
    fclose(f);
    struct outcome o = memtwinf("config --from %s/bad/gpgpusim.config", scratch());
    expect_status(o, 2);
    expect_text(o, message);
    o = memtwinf("run -c %s/bad/gpgpusim.config vecadd:n=64", scratch());
    expect_status(o, 2);
    expect_text(o, message);
}

Test(cli_from_gpgpusim, names_file_line_option_found_and_expected)
{
    expect_refused("# SMs\n\n-gpgpu_n_clusters many\n",
                   "gpgpusim.config:3: -gpgpu_n_clusters: found \"many\", expected a number up to 4294967295");
    expect_refused("-gpgpu_n_clusters 99999999999999999999\n", "gpgpusim.config:1: -gpgpu_n_clusters: found \"999");
    expect_refused("-gpgpu_n_clusters -3\n", "found \"-3\", expected a number");
    expect_refused("-gpgpu_n_clusters\n-gpgpu_n_mem 8\n",
                   "gpgpusim.config:1: -gpgpu_n_clusters: found the option -gpgpu_n_mem, expected a value");
    expect_refused("-gpgpu_n_mem 8\n-gpgpu_n_clusters",
                   "gpgpusim.config:2: -gpgpu_n_clusters: found nothing, expected a value");
    expect_refused("-gpgpu_n_mem 8 9\n", "gpgpusim.config:1: found \"9\", expected -option value");
    expect_refused("<<<<<<< HEAD\n-gpgpu_n_mem 8\n", "gpgpusim.config:1: found \"<<<<<<<\", expected -option value");
    expect_refused("-gpgpu_n_clust\xc3\xa9rs 8\n", "expected -option value");
    expect_refused("-gpgpu_clock_domains 1:2:3\n", "expected the MHz of SM:CROSSBAR:L2:DRAM");
    expect_refused("-gpgpu_shader_core_pipeline 1024:16\n", "expected THREADS:32");
    expect_refused("-gpgpu_cache:dl1 N:32:128:4,L:L:m:N:H,A:32\n", "expected SECTORS:SETS:128:WAYS");
    expect_refused("-gpgpu_cache:dl1 N:32:64:4,L:L:m:N:H,A:32:8,8\n", "expected lines of 128 bytes");
    expect_refused("-gpgpu_cache:dl1 N:32:128:4,L:L:m:N:H,A:32:8,8:\n", "expected SECTORS:SETS:128:WAYS");
    expect_refused("-gpgpu_cache:dl2 none\n", "gpgpusim.config:1: -gpgpu_cache:dl2: found \"none\"");
    expect_refused("-gpgpu_dram_timing_opt nbk=16:CCD=2\n", "expected 14 numbers");
    expect_refused("-gpgpu_dram_timing_opt nbk=16:XYZ=2\n", "expected nbk=N:CCD=N");
    expect_refused("-gpgpu_dram_timing_opt \"nbk=16:\n",
                   "gpgpusim.config:1: -gpgpu_dram_timing_opt: found no end of the quoted value");
    expect_refused("-gpgpu_mem_addr_mapping dramid@8;0000RRRR\n", "expected dramid@BIT;64 letters");
    expect_refused("-gpgpu_scheduler fair\n", "expected lrr, gto, two_level_active:");
    expect_refused("-gpgpu_flush_l1_cache yes\n", "found \"yes\", expected 0 or 1");
    expect_refused("-network_mode 3\n", "expected 1, a crossbar with a file, or 2");
    expect_refused("-gpgpu_dram_buswidth 0\n", "expected a number from 1 to 1024");
    expect_refused("# nothing\n", "gpgpusim.config: found no option, expected -option value");
    expect_end("config --from /nonexistent/gpgpusim.config", 2,
               "/nonexistent/gpgpusim.config: cannot be read: No such file");
    expect_end("config --from /tmp", 2, "/tmp: cannot be read: Is a directory");
    expect_end("config --from tests/tests.mk", 2, "tests/tests.mk: found an ini file, expected one of GPGPU-Sim");
    struct outcome o = memtwinf("run -c %s/bad/gpgpusim.config vecadd:n=64", scratch());
    expect_status(o, 2);
}

Test(cli_from_gpgpusim, names_the_line_of_the_crossbars_file)
{
    FILE *f = new_file("bad_net", "gpgpusim.config");
    fputs("-gpgpu_n_clusters 4\n-inter_config_file x.icnt\n", f);
    fclose(f);
    struct outcome o = memtwinf("config --from %s/bad_net/gpgpusim.config", scratch());
    expect_status(o, 0);
    expect_text(o, "-inter_config_file x.icnt: no such file");
    o = memtwinf("run -c %s/bad_net/gpgpusim.config vecadd:n=64", scratch());
    expect_text(o, "; no trace.config; no file of the crossbar (memtwin");
    f = new_file("bad_net", "x.icnt");
    fputs("k = 4;\n\ninput_buffer_size = several;\n", f);
    fclose(f);
    o = memtwinf("config --from %s/bad_net/gpgpusim.config", scratch());
    expect_status(o, 2);
    expect_text(o, "x.icnt:3: input_buffer_size: found \"several\", expected a number of flits");
    f = new_file("bad_net", "x.icnt");
    fputs("k = 4;\nflit_size\n", f);
    fclose(f);
    o = memtwinf("config --from %s/bad_net/gpgpusim.config", scratch());
    expect_text(o, "x.icnt:2: found \"flit_size\", expected name = value;");
}

/* A byte-order mark, carriage returns, a value on the next line: as usual. */
Test(cli_from_gpgpusim, harmless_differences_are_accepted)
{
    FILE *f = new_file("windows", "machine.txt");
    fputs("\xef\xbb\xbf# a machine\r\n-gpgpu_n_clusters\r\n  7\r\n-gpgpu_n_cores_per_cluster\t2 # two\r\n", f);
    fclose(f);
    struct outcome o = memtwinf("config -c %s/windows/machine.txt", scratch());
    expect_status(o, 0);
    expect_text(o, "count = 14 ");
    o = memtwinf("config -c %s/windows/machine.txt --sources", scratch());
    expect_text(o, "machine.txt:4: -gpgpu_n_cores_per_cluster");
    expect_text(o, "GPGPU-Sim 4: default of -gpgpu_n_mem");
}

/* Caches of version 3.2 have no letter for sectors, and perhaps no port. */
Test(cli_from_gpgpusim, a_machine_of_3_2)
{
    FILE *f = new_file("old", "gpgpusim.config");
    fputs("-gpgpu_n_clusters 15\n-gpgpu_cache:dl1 32:128:4,L:L:m:N:H,A:32:8,8\n"
          "-gpgpu_cache:dl2 64:128:8,L:B:m:W:L,A:32:4,4:0,32\n-gpgpu_scheduler two_level_active:6:0:1\n",
          f);
    fclose(f);
    struct outcome o = memtwinf("config --from %s/old/gpgpusim.config", scratch());
    expect_status(o, 0);
    expect_text(o, "4 options: 4 mapped, 0 without counterpart");
    expect_text(o, "l1d.write = evict, l1d.alloc = on_miss, l1d.index = fermi");
    expect_text(o, "l2.write_miss = through, l2.port_bytes = 32");
    expect_text(o, "sm.scheduler = two_level, sm.two_level_group = 6");
}

static struct outcome read_split(const char *options)
{
    FILE *f = new_file("split", "gpgpusim.config");
    fprintf(f, "-gpgpu_n_clusters 4\n-gpgpu_shmem_size 65536\n%s\n", options);
    fclose(f);
    return memtwinf("config --from %s/split/gpgpusim.config", scratch());
}

#define UNIFIED "-gpgpu_adaptive_cache_config 1\n-gpgpu_unified_l1d_size 128\n"
#define L1D "-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:512:8,16:0,32\n"

/* The L1D of the file is a part of the memory that it divides with shared memory. */
Test(cli_from_gpgpusim, shared_memory_and_l1d_divide_a_memory)
{
    struct outcome o = read_split(UNIFIED L1D "-gpgpu_shmem_option 64,0,128,32,0");
    expect_text(o, "shared_choices = 0,32,64 ");
    expect_text(o,
                "-gpgpu_shmem_option 64,0,128,32,0: sm.shared_choices = 0,32,64; differs: without 128, beside which an "
                "L1D has no way\n");
    expect_text(o, "unified_kib = 128 ");
    expect_text(o, "\nways = 256 ");
    expect_text(o, "-gpgpu_shmem_size 65536: sm.shared_bytes = 65536\n");
    o = read_split(UNIFIED L1D "-gpgpu_shmem_option 0,32");
    expect_text(o, "sm.shared_bytes = 32768, the largest of -gpgpu_shmem_option\n");
    o = read_split(UNIFIED "-gpgpu_shmem_option 0,64\n-gpgpu_cache:dl1 S:4:128:64,L:L:s:N:L,A:256:8,16:0,32");
    expect_text(o, "also in a kernel without shared memory, where it allocates on a miss\n");
}

Test(cli_from_gpgpusim, or_keep_their_sizes)
{
    static const char *const unsplit[] = {L1D "-gpgpu_shmem_option 0,64\n-gpgpu_unified_l1d_size 128\n",
                                          L1D UNIFIED "-gpgpu_adaptive_cache_config 0\n-gpgpu_shmem_option 0,64",
                                          L1D UNIFIED, L1D UNIFIED "-gpgpu_shmem_option 128",
                                          L1D "-gpgpu_adaptive_cache_config 1\n-gpgpu_shmem_option 0,64"};
    for (size_t i = 0; i < sizeof unsplit / sizeof *unsplit; i++) {
        struct outcome o = read_split(unsplit[i]);
        expect_status(o, 0);
        expect_text(o, "\nshared_choices = 0 ");
        expect_text(o, "\nways = 64 ");
        cr_expect_eq(strstr(o.text, "no choice leaves both a shared memory and an L1D") != NULL, i > 1, "%s", o.text);
    }
}

Test(cli_from_gpgpusim, choices_that_are_none_are_refused)
{
    expect_text(read_split("-gpgpu_shmem_option 0,8,x"), "found \"0,8,x\", expected sizes in KiB with commas");
    expect_text(read_split("-gpgpu_shmem_option 0,1,2,3,4,5,6,7,8,9,10"), "at most 10, as 0,32,64");
    expect_text(read_split("-gpgpu_adaptive_cache_config yes"), "expected 0 or 1");
    expect_text(read_split("-gpgpu_unified_l1d_size all"), "expected a number of KiB");
}

Test(cli_from_gpgpusim, a_huge_file_is_refused)
{
    FILE *f = new_file("huge", "gpgpusim.config");
    for (int i = 0; i < 5000; i++) fprintf(f, "-o%d 1\n", i);
    fclose(f);
    struct outcome o = memtwinf("config --from %s/huge/gpgpusim.config", scratch());
    expect_status(o, 2);
    expect_text(o, "found more than 4096 options: not a config file");
    f = new_file("huge", "gpgpusim.config");
    for (int i = 0; i < 1 << 20; i++) fputc('-', f);
    fputc('\n', f);
    fclose(f);
    o = memtwinf("config --from %s/huge/gpgpusim.config", scratch());
    expect_status(o, 2);
    expect_text(o, "longer than 1048576 bytes");
}

Test(cli_from_gpgpusim, trace_config_alone_modifies_the_machine_so_far)
{
    write_card(&cards[1]);
    struct outcome o = memtwinf("config -p sound -c %s/qv100/trace.config", scratch());
    expect_status(o, 0);
    expect_text(o, "sp_latency = 10 ");
    expect_text(o, "mshr.entries = 128 "); /* sound's */
    cr_expect_null(strstr(o.text, "is a whole machine"), "%s", o.text);
    o = memtwinf("config -p sound -c %s/qv100/gpgpusim.config", scratch());
    expect_text(o, "is a whole machine");
}

/* A file with a few bytes changed, or cut off, is read or refused in a line that names it. */
Test(cli_from_gpgpusim, a_damaged_file_ends_no_run_but_with_a_message)
{
    static char text[16384], damaged[16384];
    const char bytes[] = "\xff\x01 -:=\"#;,.9A\n";
    char path[256];
    struct rng rng;
    rng_seed(&rng, 3);
    write_card(&cards[0]);
    snprintf(path, sizeof path, "%s/titanx/gpgpusim.config", scratch());
    FILE *f = fopen(path, "r");
    const size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    for (int trial = 0; trial < 60; trial++) {
        memcpy(damaged, text, n + 1);
        for (int i = 0; i < 3; i++) damaged[rng_below(&rng, n)] = bytes[rng_below(&rng, sizeof bytes - 1)];
        if (trial % 3 == 0) damaged[rng_below(&rng, n)] = 0;
        f = new_file("damaged", "gpgpusim.config");
        fputs(damaged, f);
        fclose(f);
        struct outcome o = memtwinf("config --from %s/damaged/gpgpusim.config", scratch());
        cr_expect(o.status == 0 || o.status == 2, "status %d:\n%s", o.status, o.text);
        expect_text(o, "damaged/gpgpusim.config:");
    }
}

/* As in Accel-Sim, kernels of several streams run at once where the file says so. */
Test(cli_from_gpgpusim, concurrent_kernels)
{
    static const struct {
        const char *lines, *kernels;
    } files[] = {{"-gpgpu_max_concurrent_kernel 128\n", "kernels = 1 "},
                 {"-gpgpu_concurrent_kernel_sm 0\n", "kernels = 1 "},
                 {"-gpgpu_concurrent_kernel_sm 1\n", "kernels = 8 "},
                 {"-gpgpu_concurrent_kernel_sm 1\n-gpgpu_max_concurrent_kernel 4\n", "kernels = 4 "}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        FILE *f = new_file("kernels", "gpgpusim.config");
        fputs(files[i].lines, f);
        fclose(f);
        struct outcome o = memtwinf("config --from %s/kernels/gpgpusim.config", scratch());
        expect_status(o, 0);
        expect_text(o, files[i].kernels);
        expect_text(o, ", 0 without counterpart");
    }
    FILE *f = new_file("kernels", "gpgpusim.config");
    fputs("-gpgpu_concurrent_kernel_sm 1\n-gpgpu_max_concurrent_kernel 0\n", f);
    fclose(f);
    struct outcome o = memtwinf("config --from %s/kernels/gpgpusim.config", scratch());
    expect_status(o, 2);
    expect_text(
        o, "gpgpusim.config:2: -gpgpu_max_concurrent_kernel: found \"0\", expected a number of kernels, at least 1");
}

/* The constant cache counts where the file does not say that every load hits. */
Test(cli_from_gpgpusim, constant_caches)
{
    static const struct {
        const char *lines, *says[4];
    } files[] = {
        {"-gpgpu_const_cache:l1 N:128:64:8,L:R:f:N:L,S:2:64,4\n",
         {"\nbytes = 65536 ", "\nmshr_entries = 2 ", "\nmshr_slots = 64 ", "differs: instruction fetches always hit"}},
        {"-gpgpu_perfect_inst_const_cache 1\n-gpgpu_const_cache:l1 N:128:64:8,L:R:f:N:L,S:2:64,4\n",
         {"[constant]\nbytes = 0 ", "\nlatency = 4 "}},
        {"-gpgpu_perfect_inst_const_cache 1\n-gpgpu_sub_core_model 1\n-gpgpu_enable_specialized_operand_collector 0\n",
         {"[constant]\nbytes = 0 ", "\nlatency = 3 "}},
        {"-gpgpu_perfect_inst_const_cache 0\n-gpgpu_const_cache:l1 none\n", {"[constant]\nbytes = 0 "}},
        {"-gpgpu_perfect_inst_const_cache 0\n-gpgpu_const_cache:l1 12:48:3,F:R:f:N:H,A:9:7,4\n",
         {"\nbytes = 768 ", "\nline_bytes = 32 ", "constant.line_bytes takes powers of two: 32 for 48",
          "constant.bytes has 8 sets for 12; replaces the least recently used line, not the oldest"}},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        FILE *f = new_file("constants", "gpgpusim.config");
        fprintf(f, "-gpgpu_perfect_inst_const_cache 0\n%s", files[i].lines);
        fclose(f);
        struct outcome o = memtwinf("config --from %s/constants/gpgpusim.config", scratch());
        expect_status(o, 0);
        for (int s = 0; s < 4 && files[i].says[s]; s++) expect_text(o, files[i].says[s]);
    }
    expect_refused("-gpgpu_const_cache:l1 N:128:64\n", "found \"N:128:64\", expected N:SETS:BYTES:WAYS,");
    expect_refused("-gpgpu_perfect_inst_const_cache 2\n", "found \"2\", expected 0 or 1");
}
