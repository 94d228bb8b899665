/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of the papers' tables, copied out by hand, against the preset files. */
#include <criterion/criterion.h>
#include <string.h>

#include "system/config/options.h"
#include "system/named.h"

static struct config load(const char *preset)
{
    struct config c;
    struct error err = {""};
    config_default(&c);
    cr_assert(config_preset(&c, NULL, preset, &err), "%s", err.text);
    cr_assert(config_check(&c, &err), "%s: %s", preset, err.text);
    return c;
}

/* GB/s (10^9 bytes) of all channels. */
static double peak(const struct config *c)
{
    return c->partition_count * (double)c->dram_bus_bytes * config_mhz(c->clock_dram_khz) / 1000;
}

static uint32_t l1d_bytes(const struct config *c)
{
    return c->l1d_sets * c->l1d_ways * 128;
}

static uint32_t l2_bytes(const struct config *c)
{
    return c->partition_count * c->partition_slices * c->l2_sets * c->l2_ways * 128;
}

Test(config_presets, gu20_table_3_2)
{
    struct config c = load("dlmshr-002-t3.2");
    cr_expect_eq(c.sm_count, 28);
    cr_expect_eq(c.sm_warps, 48);
    cr_expect_eq(c.sm_blocks, 8);
    cr_expect_eq(c.partition_count, 8);
    cr_expect_eq(l1d_bytes(&c), 16 << 10);
    cr_expect_eq(c.l1d_mshr_entries * c.l1d_mshr_slots, 32 * 8);
    cr_expect_eq(l2_bytes(&c), 8 * 128 << 10);
    cr_expect_eq(c.l2_mshr_entries * c.l2_mshr_slots, 32 * 4);
    cr_expect_eq(c.clock_sm_khz, 1137000);
    cr_expect_eq(c.clock_l2_khz, 1137000);
    cr_expect_float_eq(peak(&c), 345.6, 1e-9);
    cr_expect_eq(c.dram_banks, 16);
}

/* Its configuration of the GTX 480, by line, and its structure. */
Test(config_presets, gpgpusim_3_2_2)
{
    struct config c = load("gpgpusim");
    cr_expect_eq(c.clock_sm_khz, 700000);
    cr_expect_eq(c.sm_count, 15);
    cr_expect_eq(c.sm_warps * 32, 1536);
    cr_expect_eq(c.sm_coalesce, COALESCE_SEGMENT);
    cr_expect_eq(l1d_bytes(&c), 16 << 10);
    cr_expect_eq(c.l1d_index, SET_INDEX("bmod"));
    cr_expect_eq(c.l1d_latency, 1);
    cr_expect_not(c.l1d_flush);
    cr_expect_eq(l2_bytes(&c), 768 << 10);
    cr_expect_eq(c.partition_count * c.partition_slices, 12);
    cr_expect_eq(c.l2_miss_queue, 4);
    cr_expect_eq(c.l2_rop_latency, 120);
    cr_expect_eq(c.l2_write_miss, WRITE_MISS_THROUGH);
    cr_expect_eq(c.dram_extra_latency, 100);
    cr_expect_eq(c.dram_latency_at, LATENCY_FRONT);
    cr_expect_eq(c.dram_row_bytes, 4096);
    cr_expect_eq(1 + c.dram_queue + c.dram_front_queue * c.partition_slices, 16 + 116 - 1, "credits, rounded down");
    cr_expect_float_eq(peak(&c), 177.4, 0.05);
}

/* Options that no table gives have the simulator's values. */
Test(config_presets, tables_start_from_gpgpusim)
{
    static const char *const tables[] = {"fermi-000-t1", "maxwell-000-t3", "maxwell-000-t5",
                                         "fermi-001-t1", "cart-002-t2.2",  "dlmshr-002-t3.2",
                                         "uvm-002-t4.1", "fermi-003-t2",   "fermi-004-t4.1"};
    struct config base = load("gpgpusim");
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct config c = load(tables[i]);
        cr_expect_eq(c.sm_coalesce, base.sm_coalesce, "%s", tables[i]);
        cr_expect_eq(c.l1d_latency, base.l1d_latency, "%s", tables[i]);
        cr_expect_eq(c.xbar_latency, base.xbar_latency, "%s", tables[i]);
        cr_expect_eq(c.xbar_input_flits, base.xbar_input_flits, "%s", tables[i]);
        cr_expect_eq(c.l2_rop_latency, base.l2_rop_latency, "%s", tables[i]);
        cr_expect_eq(c.l2_miss_queue, base.l2_miss_queue, "%s", tables[i]);
        cr_expect_eq(c.l2_write_miss, base.l2_write_miss, "%s", tables[i]);
        cr_expect_eq(c.dram_latency_at, base.dram_latency_at, "%s", tables[i]);
        cr_expect_eq(c.dram_front_queue, 115 / c.partition_slices, "%s", tables[i]);
    }
}

/* Of NVIDIA's documents: SMs, warps and shared memory of one, size of the L2, bandwidth of the DRAM. */
Test(config_presets, cards)
{
    static const struct {
        const char *preset;
        uint32_t clock, sms, warps, shared_kib, l2_kib;
        double peak;
    } cards[] = {
        {"v100", 1380, 80, 64, 96, 6 << 10, 898.0},          {"a100", 1410, 108, 64, 164, 40 << 10, 1555.2},
        {"rtx2060", 1680, 30, 32, 64, 3 << 10, 336.1},       {"rtx3070", 1725, 46, 48, 100, 4 << 10, 448.1},
        {"h100-pcie", 1755, 114, 64, 228, 50 << 10, 2039.0}, {"h100-sxm", 1980, 132, 64, 228, 50 << 10, 3352.3}};
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        const struct config c = load(cards[i].preset);
        cr_expect_eq(c.clock_sm_khz, 1000 * cards[i].clock, "%s", cards[i].preset);
        cr_expect_eq(c.sm_count, cards[i].sms, "%s", cards[i].preset);
        cr_expect_eq(c.sm_warps, cards[i].warps, "%s", cards[i].preset);
        cr_expect_eq(c.sm_shared_bytes, cards[i].shared_kib << 10, "%s", cards[i].preset);
        cr_expect_eq(l2_bytes(&c), cards[i].l2_kib << 10, "%s", cards[i].preset);
        cr_expect_float_eq(peak(&c), cards[i].peak, 0.1, "%s: %f", cards[i].preset, peak(&c));
        cr_expect(c.l1d_banks * c.l1d_bank_bytes == 128 && c.l1d_sector_bytes == 32, "%s", cards[i].preset);
        cr_expect(c.sm_launch_cycles && c.sm_block_interval > 100, "%s", cards[i].preset);
    }
}

/* Of Accel-Sim's configurations: clocks, L1D, partitions. */
Test(config_presets, accelsim)
{
    static const struct {
        const char *preset;
        uint32_t sm, dram_khz, l1d_kib, mshr_entries, mshr_slots, count, slices, l2_sets, l2_ways, launch;
    } cards[] = {{"v100-accelsim", 1132, 850000, 128, 512, 8, 32, 2, 32, 24, 5000},
                 {"rtx2060-accelsim", 1365, 3500500, 96, 256, 32, 12, 2, 64, 16, 5000},
                 {"rtx3070-accelsim", 1132, 3500500, 128, 384, 48, 16, 2, 64, 16, 5000},
                 {"a100-accelsim", 1410, 6048000, 192, 512, 64, 40, 4, 128, 16, 5000},
                 {"h100-accelsim", 1980, 5238000, 256, 512, 64, 40, 2, 256, 20, 3000}};
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        const struct config c = load(cards[i].preset);
        const char *name = cards[i].preset;
        cr_expect(c.clock_sm_khz == 1000 * cards[i].sm && c.clock_dram_khz == cards[i].dram_khz, "%s", name);
        cr_expect_eq(l1d_bytes(&c), cards[i].l1d_kib << 10, "%s", name);
        cr_expect(c.l1d_banks == 4 && c.l1d_bank_bytes == 32, "%s", name);
        cr_expect_eq(c.l1d_mshr_entries, cards[i].mshr_entries, "%s", name);
        cr_expect_eq(c.l1d_mshr_slots, cards[i].mshr_slots, "%s", name);
        cr_expect(c.partition_count == cards[i].count && c.partition_slices == cards[i].slices, "%s", name);
        cr_expect(c.l2_sets == cards[i].l2_sets && c.l2_ways == cards[i].l2_ways, "%s", name);
        cr_expect(c.sm_launch_cycles == cards[i].launch && c.xbar_alloc_cycles == 0, "%s", name);
    }
}

Test(config_presets, variants_keep_the_rest_and_the_slots)
{
    struct config base = load("dlmshr-002-t3.2"), dl = base, four = base;
    struct error err = {""};
    cr_assert(config_preset(&dl, NULL, "dlmshr", &err), "%s", err.text);
    cr_expect_eq(dl.l1d_mshr_kind, MISS_FILE("dl_mshr"));
    cr_expect_eq(dl.l1d_dl_mshr_sets * dl.l1d_dl_mshr_slots, base.l1d_mshr_entries * base.l1d_mshr_slots);
    cr_expect_eq(dl.l2_dl_mshr_sets * dl.l2_dl_mshr_slots, base.l2_mshr_entries * base.l2_mshr_slots);
    cr_expect_eq(dl.l1d_dl_mshr_reserved * 2, dl.l1d_dl_mshr_sets);
    dl.l1d_mshr_kind = dl.l2_mshr_kind = MISS_FILE("mshr");
    cr_expect_eq(memcmp(&dl, &base, sizeof dl), 0);
    cr_assert(config_preset(&four, NULL, "mshr-2x2x", &err), "%s", err.text);
    cr_expect_eq(four.l1d_mshr_entries * four.l1d_mshr_slots, 4 * base.l1d_mshr_entries * base.l1d_mshr_slots);
    cr_expect_eq(four.l2_mshr_entries * four.l2_mshr_slots, 4 * base.l2_mshr_entries * base.l2_mshr_slots);
}

Test(config_presets, gu20_tables_2_2_and_4_1)
{
    struct config c = load("cart-002-t2.2");
    cr_expect_eq(c.clock_sm_khz, 1400000);
    cr_expect_eq(c.clock_l2_khz, 700000);
    cr_expect_eq(c.clock_dram_khz, 1150000);
    cr_expect_eq(c.partition_count, 8);
    cr_expect_eq(l1d_bytes(&c), 16 << 10);
    cr_expect_eq(l2_bytes(&c), 8 * 128 << 10);
    cr_expect_eq(c.l1d_mshr_entries, 32);
    c = load("uvm-002-t4.1");
    cr_expect_eq(c.sm_count, 28);
    cr_expect_eq(c.clock_sm_khz, 1481000);
    cr_expect_eq(c.sm_warps, 64);
    cr_expect_eq(c.sm_blocks, 32);
    cr_expect(c.uvm_enable);
    cr_expect_eq(c.uvm_walk_latency, 100);
    cr_expect_eq(c.tlb_l1_sets * c.tlb_l1_ways, 4096);
}

Test(config_presets, khairy15_table_1)
{
    struct config c = load("fermi-001-t1");
    cr_expect_eq(c.sm_count, 15);
    cr_expect_eq(c.clock_sm_khz, 700000);
    cr_expect_eq(c.clock_xbar_khz, 1400000);
    cr_expect_eq(c.sm_warps * 32, 1536);
    cr_expect_eq(l2_bytes(&c), 6 * 128 << 10);
    cr_expect_eq(c.l2_mshr_entries, 32);
    cr_expect_eq(c.l1d_bypass_slots, 4096, "no limit");
    cr_expect_eq(c.l2_bypass_slots, 4096, "no limit");
    cr_expect_float_eq(peak(&c) * 933.333333 / 924, 179.2, 0.01, "the table's bandwidth is this bus at 933 MHz");
    cr_expect_eq(c.dram_t_cl, 12);
    cr_expect_eq(c.dram_t_rp, 12);
    cr_expect_eq(c.dram_t_rc, 40);
    cr_expect_eq(c.dram_t_ras, 28);
    cr_expect_eq(c.dram_t_rcd, 12);
    cr_expect_eq(c.dram_t_rrd, 6);
}

Test(config_presets, dai17_tables_1_3_and_5)
{
    struct config c = load("fermi-000-t1");
    cr_expect_eq(c.clock_sm_khz, 1400000);
    cr_expect_eq(c.l1d_write, WRITE_THROUGH);
    cr_expect_eq(c.l1d_miss_queue, 8);
    cr_expect_eq(c.partition_count * c.dram_bus_bytes / 4, 48, "bytes of bus width, four transfers a clock");
    c = load("maxwell-000-t3");
    cr_expect_eq(c.sm_count, 16);
    cr_expect_eq(c.sm_schedulers, 4);
    cr_expect_eq(c.sm_warps, 96);
    cr_expect_eq(c.sm_blocks, 16);
    cr_expect_eq(c.l1d_mshr_entries, 64);
    cr_expect_eq(c.sm_shared_bytes, 96 << 10);
    cr_expect_eq(l2_bytes(&c), 2048 << 10);
    cr_expect_eq(c.l2_mshr_entries, 128);
    c = load("maxwell-000-t5");
    cr_expect_eq(l1d_bytes(&c), 24 << 10);
    cr_expect_eq(c.l1d_ways, 6);
    cr_expect_eq(c.l1d_index, SET_INDEX("bxor"));
    cr_expect_eq(c.l1d_mshr_entries, 128);
    cr_expect_eq(c.partition_count * c.dram_bus_bytes / 4, 48);
}

Test(config_presets, dai17_section_3_9)
{
    struct config c = load("sound");
    cr_expect_eq(c.l1d_index, SET_INDEX("bxor"));
    cr_expect_eq(c.l1d_alloc, ALLOC_ON_FILL);
    cr_expect_eq(c.l2_alloc, ALLOC_ON_MISS, "of its simulator");
    cr_expect_eq(c.l1d_mshr_entries, 128);
    cr_expect_eq(c.l1d_bypass_slots, 32);
    cr_expect_eq(c.partition_map, PARTITION_MAP("xor"));
    cr_expect_eq(c.sm_warps, 96, "the rest is table 3");
}

/* Both files, by line. */
Test(config_presets, daisim17_maxwell_like_and_gtx480)
{
    struct config c = load("maxwell-wddd");
    cr_expect_eq(c.clock_sm_khz, 700000);
    cr_expect_eq(c.clock_dram_khz, 924000);
    cr_expect_eq(c.sm_warps * 32, 3072);
    cr_expect_eq(l1d_bytes(&c), 16 << 10);
    cr_expect_eq(l2_bytes(&c), 2048 << 10);
    cr_expect_eq(c.l1d_index, SET_INDEX("xorshift"));
    cr_expect_eq(c.partition_map, PARTITION_MAP("xorshift"));
    cr_expect_eq(c.l1d_miss_queue, 128);
    cr_expect_eq(c.l2_miss_queue, 128);
    cr_expect_eq(c.xbar_latency, 200);
    cr_expect_eq(c.l2_rop_latency, 10);
    cr_expect_eq(c.l2_write_miss, WRITE_MISS_THROUGH);
    cr_expect_eq(c.l1d_bypass_path, PATH_DIRECT);
    cr_expect_float_eq(peak(&c), 473.1, 0.05);
    c = load("gtx480-gpgpusim");
    cr_expect_eq(c.clock_sm_khz, 700000);
    cr_expect_eq(c.sm_atomics, ATOMICS_APART);
    cr_expect_eq(c.sm_warps * 32, 1536);
    cr_expect_eq(l1d_bytes(&c), 16 << 10);
    cr_expect_eq(l2_bytes(&c), 768 << 10);
    cr_expect_eq(c.l1d_index, SET_INDEX("fermi"));
    cr_expect_eq(c.l2_miss_queue, 4);
    cr_expect_eq(c.partition_count * c.partition_slices, 12);
    cr_expect_eq(c.l2_rop_latency, 120);
    cr_expect_float_eq(peak(&c), 177.4, 0.05);
}

/* The file, by line; lines without a counterpart are in the preset's head. */
Test(config_presets, ganguly19_gtx_1080_ti)
{
    struct config c = load("uvm-uvmsmart");
    cr_expect_eq(c.clock_sm_khz, 1481000);
    cr_expect_eq(c.clock_xbar_khz, 2962000);
    cr_expect_eq(c.sm_count, 28);
    cr_expect_eq(c.sm_warps * 32, 2048);
    cr_expect_not(c.l1d_enable);
    cr_expect_eq(c.partition_count * c.partition_slices, 22);
    cr_expect_eq(l2_bytes(&c), 22 * 128 << 10);
    cr_expect_eq(c.dram_queue, 64);
    cr_expect_eq(c.dram_bank_groups, 1);
    cr_expect_float_eq(peak(&c), 484, 1e-9);
    cr_expect_eq(c.tlb_l1_sets * c.tlb_l1_ways, 4096);
    cr_expect_eq(c.tlb_l2_ways, 0);
    cr_expect_eq(c.uvm_walk_latency, 100);
    cr_expect_eq(c.uvm_fault_ns, 45000);
    cr_expect_eq(c.uvm_order, ORDER_ADDRESS);
}

Test(config_presets, liang17_and_chen16)
{
    struct config c = load("fermi-003-t2");
    cr_expect_eq(l2_bytes(&c), 768 << 10);
    cr_expect_eq(c.l2_sets, 64);
    cr_expect_eq(c.l2_ways, 8);
    cr_expect_eq(c.dram_extra_latency, 100);
    cr_expect_eq(c.dram_t_ccdl, 3);
    cr_expect_eq(c.l1d_bypass_slots, 4096, "no limit");
    c = load("fermi-004-t4.1");
    cr_expect_eq(l2_bytes(&c), 768 << 10);
    cr_expect_eq(c.l2_ways, 8);
    cr_expect_eq(c.partition_count, 6);
    cr_expect_eq(c.dram_queue, 16);
    cr_expect_eq(c.sm_overlap_entries, 8192);
    cr_expect_eq(c.sm_overlap_steps, 1000000);
}

Test(config_presets, all_are_legal)
{
    for (uint32_t i = 0; i < preset_count(); i++) load(preset_get(i)->name);
    cr_expect_geq(preset_count(), 19);
}

/* The first line, without the marks of a comment. */
Test(config_presets, a_summary_is_the_first_line_of_the_preset)
{
    for (uint32_t i = 0; i < preset_count(); i++) {
        char text[128];
        preset_summary(preset_get(i), text);
        const char *at = strstr(preset_get(i)->text, text);
        cr_assert(at && *text, "%s: found \"%s\"", preset_get(i)->name, text);
        cr_expect_null(strchr(";# ", *text), "%s: found \"%s\"", preset_get(i)->name, text);
        cr_expect_null(memchr(preset_get(i)->text, '\n', (size_t)(at - preset_get(i)->text)));
    }
}

Test(config_presets, a_summary_is_cut_to_its_room)
{
    char line[200] = "; ", text[129];
    memset(line + 2, 'a', sizeof line - 3);
    text[128] = 'b';
    preset_summary(&(struct preset){.text = line}, text);
    cr_expect_eq(strlen(text), 127);
    cr_expect_eq(text[128], 'b');
}

/* Each mechanism of the papers, with the options that switch it on. */
Test(config_presets, cards_take_every_mechanism)
{
    static const char *const cards[] = {"v100", "a100", "h100-pcie", "h100-sxm"};
    static const char *const mechanisms[][4] = {
        {"sm.shared_choices=0", "l1d.sets=128", "l1d.ways=11", "l1d.bypass.mode=bpg"},
        {"l1d.bypass.mode=stream", "l2.bypass.mode=stream"},
        {"l1d.bypass.mode=learner", "cke.partition=tlp"},
        {"sm.throttle=dwt"},
        {"sm.throttle=ccws"},
        {"l1d.index=ipoly"},
        {"l1d.input=mrpb", "l1d.bypass.on_stall=any"},
        {"l1d.mshr.kind=dl_mshr", "l2.mshr.kind=dl_mshr"},
        {"l2.input=cart"},
        {"l2.input=bank_reorder"},
        {"cke.scheme=qbmi"},
        {"cke.scheme=dmil"},
        {"sm.dispatch=overlap", "sm.scheduler=locality"},
        {"uvm.enable=true", "uvm.prefetch=cap", "uvm.evict=ture"},
    };
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++)
        for (size_t k = 0; k < sizeof mechanisms / sizeof *mechanisms; k++) {
            struct config c = load(cards[i]);
            struct error err = {""};
            for (size_t n = 0; n < 4 && mechanisms[k][n]; n++)
                cr_assert(config_set(&c, mechanisms[k][n], &err), "%s", err.text);
            cr_expect(config_check(&c, &err), "%s: %s", cards[i], err.text);
        }
}
