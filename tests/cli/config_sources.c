/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin config --sources: a line an option, with its value and where that comes from. */
#include "command_line.h"
#include "system/config/options.h"

Test(cli_sources, a_value_names_its_preset_s_source_or_the_command_line)
{
    struct outcome o = memtwin("config --sources --preset sound --set l1d.ways=2");
    expect_status(o, 0);
    expect_text(o, "option                     value        source\n");
    expect_text(o, "\nl1d.ways                   2            command line\n");
    expect_text(o, "\nl1d.mshr.entries           128          Dai17, section 3.9\n");
    expect_text(o, "\nsm.schedulers              4            Dai17, table 3\n");
    expect_text(o, "\nl2.miss_queue              4            Bakhoda09: GPGPU-Sim 3.2.2, "
                   "configs/GTX480/gpgpusim.config: line 58\n");
}

Test(cli_sources, later_values_bring_their_own_source)
{
    expect_text(memtwin("config --sources --set l1d.ways=2 --preset sound"),
                "\nl1d.ways                   4            Dai17, table 3: ");
}

Test(cli_sources, every_option_has_its_line)
{
    struct outcome o = memtwin("config --sources");
    uint32_t count, lines = 0;
    option_list(&count);
    for (const char *p = o.text; (p = strchr(p, '\n')); p++) lines++;
    cr_expect_eq(lines, count + 1);
}

Test(cli_sources, a_file_name_has_no_control_over_the_terminal)
{
    char line[256];
    snprintf(line, sizeof line, "%s/a\033b.ini", scratch());
    FILE *f = fopen(line, "w");
    cr_assert_not_null(f);
    fputs("\n[l1d]\nways = 2\n", f);
    fclose(f);
    struct outcome o = memtwinf("config --sources --config \"$(printf '%s/a\\033b.ini')\"", scratch());
    expect_status(o, 0);
    expect_text(o, "/a\\x1bb.ini:3\n");
}

Test(cli_summary, has_sizes_and_rates)
{
    struct outcome o = memtwin("config --preset dlmshr-002-t3.2 --summary");
    expect_status(o, 0);
    expect_text(o, "\nl1d_kib                            16 KiB    L1D of one SM\n"); /* 32 sets of 4 lines */
    expect_text(o, "\nl1d_requests_in_flight            256        ");                /* 32 entries of 8 slots */
    expect_text(o, "\nl2_kib                           1024 KiB    "); /* 8 slices of 64 sets of 16 lines */
    expect_text(o, "\ndram_peak_gbs                   345.6 GB/s   "); /* Gu20, table 3.2 */
    cr_expect_null(strstr(o.text, "pcie"), "without unified memory");
    expect_text(memtwin("config --preset uvm-002-t4.1 --summary"), "\npcie_peak_gbs");
    cr_expect_null(strstr(memtwin("config --summary --set l1d.enable=false").text, "l1d_kib"));
    expect_end("config --summary --sources", 2, "found several of --sources, --summary and --format gpgpusim");
}
