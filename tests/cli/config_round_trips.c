/* SPDX-License-Identifier: Apache-2.0 */
/* `memtwin config` prints a config file that gives the same machine, for every preset. */
#include "command_line.h"
#include "system/config/options.h"

static void round_trip(const char *preset)
{
    char line[512];
    struct outcome first = memtwinf("config --preset %s", preset);
    expect_status(first, 0);
    snprintf(line, sizeof line, "%s/%s.ini", scratch(), preset);
    FILE *f = fopen(line, "w");
    cr_assert_not_null(f);
    fputs(first.text, f);
    fclose(f);
    struct outcome second = memtwinf("config --config %s/%s.ini", scratch(), preset);
    expect_status(second, 0);
    cr_expect_str_eq(second.text, first.text);
}

Test(cli_config, every_preset_round_trips)
{
    for (uint32_t i = 0; i < preset_count(); i++) round_trip(preset_get(i)->name);
}

Test(cli_config, later_options_win)
{
    expect_text(memtwin("config --preset sound --set l1d.mshr.entries=96"), "mshr.entries = 96");
    expect_text(memtwin("config --set l1d.mshr.entries=96 --preset sound"), "mshr.entries = 128");
    expect_text(memtwin("config --preset dlmshr-002-t3.2 --preset dlmshr"), "mshr.kind = dl_mshr");
}

Test(cli_config, lists_every_option_preset_and_counter)
{
    struct outcome o = memtwin("list options");
    uint32_t count;
    const struct config_option *options = option_list(&count);
    for (uint32_t i = 0; i < count; i++) expect_text(o, options[i].key);
    o = memtwin("list presets");
    for (uint32_t i = 0; i < preset_count(); i++) expect_text(o, preset_get(i)->name);
    o = memtwin("list stats");
    expect_text(o, "l1d.rf.mshr_entry");
    expect_text(o, "gpu.ipc");
    o = memtwin("list blocks");
    expect_text(o, "dl_mshr");
    o = memtwin("list kernels");
    expect_text(o, "vecadd");
    o = memtwin("list policies");
    expect_text(o, "warp scheduler: sm.scheduler");
    expect_text(o, "two_level");
}
