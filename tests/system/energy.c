/* SPDX-License-Identifier: Apache-2.0 */
/* The energy of a run: every counter is an event with an energy and a source, or listed as none; parts add up. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "system/config/options.h"
#include "system/energy/energy.h"

static struct energy_model model;
static struct block_rows rows;
static struct config c;

static void begin(void)
{
    struct error err = {""};
    memset(&model, 0, sizeof model);
    memset(&rows, 0, sizeof rows);
    config_default(&c);
    cr_assert(energy_default(&model, &err), "%s", err.text);
}

static uint32_t counter(const char *name)
{
    uint32_t count, i = 0;
    const struct counter *list = counter_list(&count);
    while (i < count && strcmp(list[i].name, name)) i++;
    cr_assert_lt(i, count, "no counter %s", name);
    return i;
}

static uint64_t each(const char *name, const char *label)
{
    uint64_t femtojoules = 0;
    struct error err = {""};
    const struct energy_machine machine = energy_machine(&model, &rows);
    for (uint32_t i = 0; i < model.rows; i++)
        if (model.row[i].counter == counter(name) && !strcmp(model.row[i].label, label))
            cr_assert(energy_each(&model.row[i], &c, &machine, &femtojoules, &err), "%s", err.text);
    return femtojoules;
}

static struct energy energy_for(const struct stats *s)
{
    struct energy e;
    struct error err = {""};
    const struct energy_machine machine = energy_machine(&model, &rows);
    cr_assert(energy_of(&model, &machine, &c, s, &e, &err), "%s", err.text);
    return e;
}

static void expect_refusal(const char *text, const char *message)
{
    struct error err = {""};
    begin();
    cr_expect_not(energy_read(&model, text, "my.ini", &err), "accepted: %s", text);
    cr_expect(strstr(err.text, message), "expected \"%s\" in \"%s\"", message, err.text);
}

Test(energy, every_counter_is_an_event_with_a_source_or_listed_as_none)
{
    struct error err = {""};
    begin();
    cr_expect(energy_is_complete(&model, &err), "%s", err.text);
    for (uint32_t i = 0; i < model.rows; i++) cr_expect(*model.row[i].source, "row %u", i);
    for (uint32_t i = 0; i < model.blocks; i++) cr_expect(*model.block[i].source, "%s", model.block[i].block);
}

Test(energy, a_counter_without_an_energy_is_an_error_that_names_it)
{
    struct error err = {""};
    begin();
    model.classed[counter("l2.fills")] = false;
    cr_expect_not(energy_is_complete(&model, &err));
    cr_expect(strstr(err.text, "l2.fills: found no energy of this counter, expected one below [PART]"), "%s", err.text);
}

/* The published figures, as they were computed by hand. */
Test(energy, values_are_those_of_their_sources)
{
    begin();
    cr_expect_eq(each("gpu.warp_instructions", ""), 62222); /* 70 pJ * 40 / 45 */
    cr_expect_eq(each("l1d.hits", "size"), 13520);          /* 16 KB */
    cr_expect_eq(each("dram.activates", ""), 10800000);     /* 1.8 chips of 6 nJ */
    cr_expect_eq(each("dram.bytes", "pins"), 15000);
    cr_expect_eq(each("gpu.cycles", "SMs"), 39155673); /* 28 SMs of 1.59 W at 1137 MHz */
    c.l1d_ways = 8;
    cr_expect_eq(each("l1d.hits", "size"), 27040);
}

Test(energy, parts_sum_to_the_total_and_intervals_to_the_run)
{
    begin();
    const struct stats first = {.gpu_cycles = 1001, .gpu_thread_instructions = 77, .dram_bytes = 4096, .l1d_hits = 3},
                       second = {.gpu_cycles = 13, .gpu_thread_instructions = 5, .dram_bytes = 32, .l1d_hits = 9},
                       both = {.gpu_cycles = 1014, .gpu_thread_instructions = 82, .dram_bytes = 4128, .l1d_hits = 12};
    const struct energy e = energy_for(&both);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < model.parts + ENERGY_BLOCK_PARTS; i++) sum += e.part[i];
    cr_expect_eq(sum, e.total);
    cr_expect_gt(e.total, 0);
    cr_expect_eq(energy_for(&first).total + energy_for(&second).total, e.total);
}

static void add_block(const char *block, const char *parameters, const char *unit, uint32_t units)
{
    struct block_row *r = &rows.row[rows.count++];
    r->block = block;
    r->units = units;
    snprintf(r->parameters, sizeof r->parameters, "%s", parameters);
    snprintf(r->unit, sizeof r->unit, "%s", unit);
}

Test(energy, a_block_is_clocked_as_its_unit_and_leaks_by_its_area)
{
    struct error err = {""};
    const char *text = "source = a test\n[block]\nmshr/a = 1000000 um2, 900 MHz, 10 pJ, Entries=4\n"
                       "mshr/b = 500000 um2, 800 MHz, - pJ, Entries=8\n";
    begin();
    c.clock_l2_khz = 2 * c.clock_sm_khz;
    cr_assert(energy_read(&model, text, "my.ini", &err), "%s", err.text);
    add_block("mshr", "Entries=4", "l1d.0", 3);
    add_block("mshr", "Entries=4", "l2.0", 2);
    add_block("mshr", "Entries=8", "l1d.1", 2);
    const struct stats s = {.gpu_cycles = 100};
    const struct energy e = energy_for(&s);
    cr_expect_eq(e.block[0], 3 * 10000 * 100);
    cr_expect_eq(e.block[1], 2 * 10000 * 100 * 2);
    cr_expect_eq(e.block[2], 0, "without an energy");
    cr_expect_eq(e.part[energy_part_of_blocks(&model)], e.block[0] + e.block[1]);
    cr_expect_eq(e.part[energy_part_of_clock(&model)], 0);
    struct energy_machine machine = energy_machine(&model, &rows);
    cr_expect_float_eq(machine.area_mm2, 6, 1e-9);
    cr_expect_float_eq(machine.fmax_mhz, 800, 1e-9);
    cr_expect_eq(each("gpu.cycles", "blocks"), (uint64_t)(235.0 * 6 * 1e9 / c.clock_sm_khz + 0.5));
    add_block("mshr", "Entries=99", "l1d.2", 1);
    machine = energy_machine(&model, &rows);
    cr_expect(machine.area_mm2 != machine.area_mm2 && machine.fmax_mhz != machine.fmax_mhz, "unknown: no number");
    cr_expect_float_eq(machine.known_mm2, 6, 1e-9);
}

/* The clock tree in every cycle of the unit, a word for each count of its counters in all units; a block of another
 * unit has no words, and one without RAMs none either. */
Test(energy, a_block_has_its_clock_tree_and_the_words_of_its_rams)
{
    struct error err = {""};
    const char *text =
        "source = a test\n[block]\nmshr/a = 1 um2, 900 MHz, 10 pJ, 3 pJ clock, 0.5 pJ a word, Entries=4\n"
        "mshr/b = 1 um2, 800 MHz, - pJ, 2 pJ clock, Entries=8\n"
        "[ram]\nl1d/mshr = l1d.misses + l1d.merged\n";
    begin();
    c.clock_l2_khz = 2 * c.clock_sm_khz;
    cr_assert(energy_read(&model, text, "my.ini", &err), "%s", err.text);
    add_block("mshr", "Entries=4", "l1d.0", 3);
    add_block("mshr", "Entries=8", "l2.0", 2);
    add_block("mshr", "Entries=4", "sm.0", 1);
    const struct stats s = {.gpu_cycles = 100, .l1d_misses = 7, .l1d_merged = 4};
    const struct energy e = energy_for(&s);
    cr_expect_eq(e.block[0], 3 * 10000 * 100 + 11 * 500);
    cr_expect_eq(e.words[0], 11);
    cr_expect_eq(e.clock[0], 3 * 3000 * 100);
    cr_expect(e.block[1] == 0 && e.clock[1] == 2 * 2000 * 100 * 2 && e.words[1] == 0);
    cr_expect(e.block[2] == 10000 * 100 && e.words[2] == 0, "no line counts the words of this unit");
    cr_expect_eq(e.part[energy_part_of_clock(&model)], e.clock[0] + e.clock[1] + e.clock[2]);
    cr_expect_eq(e.part[energy_part_of_blocks(&model)], e.block[0] + e.block[1] + e.block[2]);
}

/* Of every block with RAMs in the table, but for those that only scans read (block_overlap, lease_table). */
Test(energy, words_of_rams_are_counted)
{
    begin();
    for (uint32_t i = 0; i < model.blocks; i++) {
        const struct energy_block *b = &model.block[i];
        bool counted = !(b->word_pj > 0) || !strcmp(b->block, "block_overlap") || !strcmp(b->block, "lease_table");
        for (uint32_t k = 0; k < model.rams; k++) counted = counted || !strcmp(model.ram[k].block, b->block);
        cr_expect(counted, "%s/%s", b->block, b->set);
    }
}

Test(energy, a_file_replaces_rows_and_adds_others)
{
    struct error err = {""};
    begin();
    const uint32_t before = model.rows, parts = model.parts;
    cr_assert(energy_read(&model, "source = mine\n[l2]\nl2.hits = 7 * 2 ; a note\n[mine]\nl2.hits (again) = 1\n",
                          "my.ini", &err),
              "%s", err.text);
    cr_expect_eq(model.rows, before + 1);
    cr_expect_eq(model.parts, parts + 1);
    cr_expect_eq(each("l2.hits", ""), 14000);
    cr_expect_eq(each("l2.hits", "again"), 1000);
    cr_expect_str_eq(model.row[model.rows - 1].source, "mine");
}

Test(energy, damaged_lines_name_file_line_found_and_expected)
{
    expect_refusal("[l2]\nl2.hits = 7\n", "my.ini:2: l2.hits: found no source, expected \"source = TEXT\" above it");
    expect_refusal("source = x\n[l2]\nl2.hitz = 7\n",
                   "my.ini:3: found the counter \"l2.hitz\", expected one of memtwin "
                   "list stats; the nearest is l2.hits");
    expect_refusal("source = x\n[l2]\nl2.hit_rate = 7\n", "my.ini:3: found the ratio l2.hit_rate, expected a counter");
    expect_refusal("source = x\n[l2]\nl2.hits = 7 pJ\n", "found \"pJ\" behind a factor of \"7 pJ\", expected * or /");
    expect_refusal("source = x\n[l2]\nl2.hits = -7\n", "found \"-7\", expected a number from 0 on, an option");
    expect_refusal("source = x\n[l2]\nl2.hits = nan\n", "found \"nan\", expected a number from 0 on, an option");
    expect_refusal("source = x\n[l2]\nl2.hits = 7 *\n", "found \"7 *\", expected an energy in picojoules");
    expect_refusal("source = x\n[l2]\nl2.hits = 7 * l1d.mshr.kind\n", "found \"l1d.mshr.kind\", expected a number");
    expect_refusal("source = x\n[l2]\nl2.hits [a] = 7\n", "found \"l2.hits [a]\", expected COUNTER or COUNTER (LABEL)");
    expect_refusal("source = x\nhits = 7\n", "my.ini:2: found \"hits\" in no section");
    expect_refusal("[no_event]\nl2.none* = x\n", "my.ini:2: found \"l2.none*\", which no counter matches");
    expect_refusal("[no_event]\nl2.hits =\n", "my.ini:2: l2.hits: found no reason, expected why it is no event");
    expect_refusal("source = x\n[block]\nmshr = 1\n", "my.ini:3: found \"mshr\", expected BLOCK/SET");
    expect_refusal("source = x\n[block]\nmshr/a = 1 um2, 2 MHz, x pJ, A=1\n",
                   "mshr/a: found \"1 um2, 2 MHz, x pJ, A=1\", expected AREA um2, FMAX MHz, ENERGY pJ, [CLOCK");
    expect_refusal("source = x\n[block]\nmshr/a = nan um2, 2 MHz, 1 pJ, A=1\n", "mshr/a: found \"nan um2, ");
    expect_refusal("source = x\n[block]\nmshr/a = 1 um2, 2 MHz, inf pJ, A=1\n", "mshr/a: found \"1 um2, ");
    expect_refusal("[block]\nmshr/a = 1 um2, 2 MHz, 3 pJ, A=1\n", "mshr/a: found no source");
    expect_refusal("source = x\n[block]\nmshr/a = 1 um2, 2 MHz, 3 pJ, 4 pJ tree, A=1\n",
                   "expected AREA um2, FMAX MHz, ENERGY pJ, [CLOCK pJ clock, ][WORD pJ a word, ]PARAMETERS");
    expect_refusal("source = x\n[block]\nmshr/a = 1 um2, 2 MHz, 3 pJ, -4 pJ clock, A=1\n", "mshr/a: found \"1 um2, ");
    expect_refusal("source = x\n[block]\nmshr/a = 1 um2, 2 MHz, 3 pJ, inf pJ a word, A=1\n", "mshr/a: found \"1 um2, ");
    expect_refusal("[ram]\nmshr = l1d.misses\n", "my.ini:2: found \"mshr\", expected UNIT/BLOCK");
    expect_refusal("[ram]\nl1d/mshr = l1d.mises\n", "my.ini:2: found the counter \"l1d.mises\", expected one of");
    expect_refusal("[ram]\nl1d/mshr =\n", "my.ini:2: l1d/mshr: found \"\", expected COUNTER + COUNTER ...");
    expect_refusal("[ram]\nl1d/mshr = l2.hits l2.hits l2.hits l2.hits l2.hits\n",
                   "l1d/mshr: found more than 4 counters");
}

Test(energy, what_no_number_holds_is_an_error)
{
    struct energy e;
    struct error err = {""};
    const struct stats s = {.l2_hits = 1000000000000};
    begin();
    cr_assert(energy_read(&model, "source = x\n[l2]\nl2.hits = 1e12\n", "my.ini", &err), "%s", err.text);
    struct energy_machine machine = energy_machine(&model, &rows);
    cr_expect_not(energy_of(&model, &machine, &c, &s, &e, &err));
    cr_expect(strstr(err.text, "energy of l2.hits: found more than 2^64 fJ"), "%s", err.text);
    err.text[0] = 0;
    cr_assert(energy_read(&model, "source = x\n[l2]\nl2.hits = 1 / 0\n", "my.ini", &err), "%s", err.text);
    cr_expect_not(energy_of(&model, &machine, &c, &s, &e, &err));
    cr_expect(strstr(err.text, "energy of l2.hits: found inf fJ, expected 0 to 2^63"), "%s", err.text);
}
