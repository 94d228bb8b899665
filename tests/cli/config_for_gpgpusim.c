/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin config --format gpgpusim: the files give the machine that the options describe, in the words of GPGPU-Sim. */
#include "command_line.h"
#include "system/config/options.h"

#define LINE(there, plain, read, here, ...) here,
#define ALSO(there, here, instead, ...) here,
#define TAKE(there, plain, read, here) here,
#define GAP(here, when, instead) here,
#define SAME(here, why) here,
static const char *const rows[] = {
#define WITH_ICNT
#include "lib/gpgpusim.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Whether a word of a row names the option, or its section. */
static bool names(const char *row, const char *key)
{
    while (*row) {
        const size_t n = strcspn(row, " ");
        const bool section = row[n - 1] == '*';
        if (section ? !strncmp(row, key, n - 1) : n == strlen(key) && !strncmp(row, key, n)) return true;
        row += n + (row[n] == ' ');
    }
    return false;
}

Test(cli_gpgpusim, every_row_names_options)
{
    uint32_t count;
    const struct config_option *o = option_list(&count);
    for (int r = 0; r < ROWS; r++)
        for (const char *word = rows[r]; *word; word += strcspn(word, " "), word += *word == ' ') {
            char one[64];
            bool found = false;
            snprintf(one, sizeof one, "%.*s", (int)strcspn(word, " "), word);
            for (uint32_t i = 0; i < count; i++) found |= names(one, o[i].key);
            cr_expect(found, "%s: no such option", one);
        }
}

static struct outcome write_machine(const char *arguments)
{
    static int number;
    struct outcome o = memtwinf("config %s --format gpgpusim -o %s/machine%d", arguments, scratch(), ++number);
    expect_status(o, 0);
    char link[256];
    snprintf(link, sizeof link, "ln -sfn machine%d %s/machine", number, scratch());
    cr_assert_eq(system(link), 0);
    return o;
}

/* The value of an option in the file written last, without its comment. */
static void expect_value(const char *file, const char *option, const char *value)
{
    char path[256], line[1024], found[1024] = "nothing";
    snprintf(path, sizeof path, "%s/machine/%s", scratch(), file);
    FILE *f = fopen(path, "r");
    cr_assert_not_null(f, "%s", path);
    const size_t n = strlen(option);
    while (fgets(line, sizeof line, f))
        if (!strncmp(line, option, n) && line[n] == ' ') {
            line[strcspn(line, "#/\n")] = 0;
            snprintf(found, sizeof found, "%s", line + n + 1);
            for (size_t end = strlen(found); end && found[end - 1] == ' ';) found[--end] = 0;
        }
    fclose(f);
    cr_expect_str_eq(found, value, "%s: found %s, expected %s", option, found, value);
}

#define expect_config(option, value) expect_value("gpgpusim.config", option, value)

Test(cli_gpgpusim, clocks_keep_their_decimals)
{
    struct outcome o = write_machine("--set clock.dram=3500.5 --set clock.xbar=850.125");
    expect_status(o, 0);
    expect_config("-gpgpu_clock_domains", "1137:850.125:1137:3500.5");
}

Test(cli_gpgpusim, the_machine_of_dl_mshr)
{
    struct outcome o = write_machine("--preset dlmshr-002-t3.2");
    expect_config("-gpgpu_clock_domains", "1137:1137:1137:2700");
    expect_config("-gpgpu_n_clusters", "28");
    expect_config("-gpgpu_shader_core_pipeline", "1536:32");
    expect_config("-gpgpu_cache:dl1", "N:32:128:4,L:L:m:N:L,A:32:8,8:0,128");
    expect_config("-gpgpu_cache:dl2", "N:64:128:16,L:B:m:W:L,A:32:4,4");
    expect_config("-gpgpu_mem_addr_mapping",
                  "dramid@8;00000000.00000000.0RRRRRRR.RRRRRRRR.RRRRRRRR.RRRRRRRR.BBBCCCCC.BCCSSSSS");
    expect_config("-gpgpu_dram_timing_opt", "nbk=16:CCD=2:RRD=6:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=4:CDLR=5:WR=12:"
                                            "nbkgrp=2:CCDL=3:RTPL=2");
    expect_config("-dram_data_command_freq_ratio", "4");
    expect_config("-gpgpu_dram_buswidth", "4");
    expect_config("-gpgpu_dram_burst_length", "8");
    expect_config("-dram_latency", "100");
    expect_value("memtwin.icnt", "k", "= 36;");
    expect_value("memtwin.icnt", "input_buffer_size", "= 9;"); /* of 17 flits, the rest in the router */
    expect_value("memtwin.icnt", "vc_buf_size", "= 8;");
    expect_value("memtwin.icnt", "boundary_buffer_size", "= 16;"); /* of 24 */
    expect_config("-gpgpu_num_reg_banks", "16");
    expect_text(o, "sm.reg_banks = 0: the reference reads registers from banks");
    cr_expect_null(strstr(o.text, "l1d.mshr.kind"), "%s", o.text);
    expect_text(o, "sm.lsu_queue = 5: the reference holds");
}

Test(cli_gpgpusim, a_fermi)
{
    write_machine("--preset fermi-000-t1 --set sm.scheduler=two_level --set l1d.flush=false");
    expect_config("-gpgpu_clock_domains", "1400:1400:700:924");
    expect_config("-gpgpu_cache:dl1", "N:32:128:4,L:T:m:N:X,A:32:8,8:0,128");
    expect_config("-gpgpu_scheduler", "two_level_active:6:0:1");
    expect_config("-gpgpu_flush_l1_cache", "0");
    expect_config("-gpgpu_n_mem", "6");
    expect_config("-gpgpu_l2_rop_latency", "236"); /* in SM cycles, two for one of the L2; six on the path */
    expect_config("-gpgpu_n_sub_partition_per_mchannel", "1");
    expect_config("-gpgpu_mem_addr_mapping",
                  "dramid@8;00000000.00000000.0RRRRRRR.RRRRRRRR.RRRRRRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS");
    expect_config("-gpgpu_dram_buswidth", "8");
}

Test(cli_gpgpusim, a_collector_port_for_each_sp_unit)
{
    write_machine("--set sm.sp_units=2 --set sm.reg_banks=8 --set sm.collectors.sp=5 --set l1d.latency_at=front");
    expect_config("-gpgpu_num_reg_banks", "8");
    expect_config("-gpgpu_operand_collector_num_units_sp", "5");
    expect_config("-gpgpu_operand_collector_num_in_ports_sp", "2");
    struct outcome o = write_machine("--preset maxwell-000-t3 --set sm.warps=96");
    expect_config("-gpgpu_num_sp_units", "4");
    expect_config("-gpgpu_operand_collector_num_in_ports_sp", "4");
    expect_config("-gpgpu_operand_collector_num_out_ports_sp", "4");
    expect_text(o, "sm.warps = 96: the reference ends without a message");
    expect_text(o, "an opcode of a unit of its own (BRA of Volta and later): the reference has such units where");
}

Test(cli_gpgpusim, a_bus_that_four_does_not_divide)
{
    struct outcome o = write_machine("--set dram.bus_bytes=6 --set dram.atom_bytes=32");
    expect_config("-dram_data_command_freq_ratio", "2");
    expect_config("-gpgpu_dram_buswidth", "3");
    expect_config("-gpgpu_dram_burst_length", "12"); /* six clocks */
    expect_text(o, "dram.atom_bytes = 32: the reference moves a multiple of dram.bus_bytes");
}

Test(cli_gpgpusim, a_machine_built_like_the_reference)
{
    struct outcome o = write_machine("--preset dlmshr-002-t3.2 --set partition.slices=2 --set l2.write_miss=through "
                                     "--set l2.rop_latency=119 --set l2.latency=1 --set l1d.latency_at=front "
                                     "--set l1d.latency=31 "
                                     "--set l1d.port_bytes=64 --set xbar.speedup=2 --set xbar.alloc_cycles=1 "
                                     "--set xbar.input_flits=9 --set dram.latency_at=front");
    expect_config("-gpgpu_n_sub_partition_per_mchannel", "2");
    expect_config("-gpgpu_cache:dl1", "N:32:128:4,L:L:m:N:L,A:32:8,8:0,64");
    expect_config("-gpgpu_cache:dl2", "N:64:128:16,L:B:m:W:L,A:32:4,4");
    expect_config("-gpgpu_l2_rop_latency", "114");
    expect_config("-gpgpu_dram_return_queue_size", "115");
    expect_value("memtwin.icnt", "k", "= 44;");
    expect_value("memtwin.icnt", "internal_speedup", "= 2.0;");
    expect_value("memtwin.icnt", "input_buffer_size", "= 5;");
    expect_value("memtwin.icnt", "vc_buf_size", "= 4;");
    for (const char *const *w = (const char *const[]){"l1d.latency", "l2.latency", "xbar.alloc", "dram.latency", NULL};
         *w; w++)
        cr_expect_null(strstr(o.text, *w), "%s:\n%s", *w, o.text);
}

/* An L1D of lines waits for all sectors of the L2's response; one of sectors has one access a sector. */
Test(cli_gpgpusim, a_machine_with_sectors)
{
    struct outcome o = write_machine("--preset dlmshr-002-t3.2 --set l2.sector_bytes=32 --set l2.write_miss=lazy "
                                     "--set l2.port_bytes=32");
    expect_config("-gpgpu_cache:dl1", "N:32:128:4,L:L:m:N:L,S:32:8,8:0,128");
    expect_config("-gpgpu_cache:dl2", "S:64:128:16,L:B:m:L:L,A:32:4,4:0,32");
    expect_config("-gpgpu_coalesce_arch", "20");
    cr_expect_null(strstr(o.text, "l2.write_miss"), "%s", o.text);
    o = write_machine("--preset dlmshr-002-t3.2 --set l2.sector_bytes=32 --set l1d.sector_bytes=32 "
                      "--set sm.coalesce=sector");
    expect_config("-gpgpu_cache:dl1", "S:32:128:4,L:L:m:N:L,A:32:8,8:0,128");
    expect_config("-gpgpu_coalesce_arch", "40");
    o = write_machine("--set l2.write_miss=lazy");
    expect_text(o, "l2.write_miss = lazy: the reference fetches a line on a read of unwritten bytes only if");
}

Test(cli_gpgpusim, options_without_a_counterpart_are_listed)
{
    struct outcome o =
        write_machine("--preset dlmshr-002-t3.2 --preset dlmshr --set l1d.index=pmod --set l2.input=cart "
                      "--set uvm.enable=true --set dram.refresh=true --set l1d.bypass.on_stall=way");
    expect_text(o, "l1d.bypass.*: the reference sends every read through the L1D");
    expect_text(o, "l1d.mshr.kind = dl_mshr: the reference has a conventional file");
    expect_text(o, "l1d.index = pmod: the reference uses the low bits");
    expect_text(o, "l2.input = cart: the reference takes requests in order");
    expect_text(o, "uvm.*: the reference keeps all pages");
    expect_text(o, "dram.refresh = true: the reference has no refresh");
    expect_config("-gpgpu_cache:dl1", "N:32:128:4,L:L:m:N:L,A:32:8,8:0,128");
    char search[256];
    snprintf(search, sizeof search, "grep -qF '#   l2.input = cart: the reference takes' %s/machine/gpgpusim.config",
             scratch());
    cr_expect_eq(system(search), 0, "the file lacks the list");
    o = write_machine("--preset dlmshr-002-t3.2 --set l1d.input=mrpb");
    expect_text(o, "l1d.input = mrpb: the reference takes accesses in the order of issue");
}

Test(cli_gpgpusim, bad_arguments_are_refused)
{
    expect_end("config --format gpgpusim", 2, "expected --format gpgpusim and -o DIR, both or none");
    expect_end("config -o x", 2, "expected --format gpgpusim and -o DIR, both or none");
    expect_end("config --format gem5", 2, "--format: found 'gem5', expected ini or gpgpusim");
    expect_end("config --format gpgpusim -o tests", 1, "tests: exists, expected the name of a new folder");
    expect_end("config --format gpgpusim -o /nonexistent/x", 1, "/nonexistent/x: cannot write: No such file");
}
