/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/version.h"
#include "lib/gpgpusim.h"
#include "system/config/options.h"
#include "system/config/policy.h"

struct text {
    char text[96];
};

static void value_of(const struct config *c, const char *key, char text[static OPTION_TEXT])
{
    option_text(c, option_find(key), text);
}

static bool is(const struct config *c, const char *key, const char *value)
{
    char text[OPTION_TEXT];
    value_of(c, key, text);
    return !strcmp(text, value);
}

static const struct {
    const char *name;
    char letter;
} index_letters[] = {{"bmod", 'L'}, {"bxor", 'X'}, {"fermi", 'H'}, {"ipoly", 'P'}};
enum { INDEX_LETTERS = sizeof index_letters / sizeof *index_letters };

const char *gpgpusim_index(char letter)
{
    for (size_t i = 0; i < INDEX_LETTERS; i++)
        if (index_letters[i].letter == letter) return index_letters[i].name;
    return NULL;
}

/* The letter of a set index function; 0: there is none. */
static char letter_of(const struct config *c, const char *key)
{
    for (size_t i = 0; i < INDEX_LETTERS; i++)
        if (is(c, key, index_letters[i].name)) return index_letters[i].letter;
    return 0;
}

static bool has_letter(const struct config *c, const char *key)
{
    return letter_of(c, key) != 0;
}

static char index_letter(const struct config *c, const char *key)
{
    return has_letter(c, key) ? letter_of(c, key) : 'L';
}

static char write_miss_letter(const struct config *c)
{
    return c->l2_write_miss == WRITE_MISS_THROUGH ? 'W' : c->l2_write_miss == WRITE_MISS_LAZY ? 'L' : 'F';
}

/* The rest of the cache's line; without it, the port moves a line. */
static struct text l2_port(const struct config *c)
{
    struct text t = {""};
    if (c->l2_port_bytes) snprintf(t.text, sizeof t.text, ":0,%" PRIu32, c->l2_port_bytes);
    return t;
}

static bool bypasses(const struct config *c)
{
    return !is(c, "l1d.bypass.on_stall", "off") || is(c, "l1d.bypass.mode", "bpg") ||
           is(c, "l1d.bypass.mode", "stream") || is(c, "l1d.bypass.mode", "learner") ||
           is(c, "l1d.bypass.mode", "blocks") ||
           (is(c, "l1d.bypass.mode", "static") && c->l1d_bypass_from_warp < c->sm_warps);
}

static bool bypasses_l2(const struct config *c)
{
    return !is(c, "l2.bypass.on_stall", "off") || !is(c, "l2.bypass.mode", "off");
}

static struct text clocks(const struct config *c)
{
    static const char *const keys[] = {"clock.sm", "clock.xbar", "clock.l2", "clock.dram"};
    struct text t = {""};
    for (int i = 0; i < 4; i++) {
        char mhz[OPTION_TEXT];
        value_of(c, keys[i], mhz);
        snprintf(t.text + strlen(t.text), sizeof t.text - strlen(t.text), "%s%s", i ? ":" : "", mhz);
    }
    return t;
}

static struct text warp_scheduler(const struct config *c)
{
    struct text t = {"gto"};
    if (is(c, "sm.scheduler", "lrr")) snprintf(t.text, sizeof t.text, "lrr");
    if (is(c, "sm.scheduler", "two_level"))
        snprintf(t.text, sizeof t.text, "two_level_active:%" PRIu32 ":0:1", c->sm_two_level_group);
    if (is(c, "sm.scheduler", "swl")) snprintf(t.text, sizeof t.text, "warp_limiting:2:%" PRIu32, c->sm_swl_warps);
    return t;
}

/* The file of a machine without a constant cache needs the line, too. */
static struct text constants(const struct config *c)
{
    struct text t = {"N:64:64:2,L:R:f:N:L,S:2:32,4"};
    if (c->constant_bytes)
        snprintf(t.text, sizeof t.text,
                 "N:%" PRIu32 ":%" PRIu32 ":%" PRIu32 ",L:R:f:N:L,%c:%" PRIu32 ":%" PRIu32 ",%" PRIu32,
                 c->constant_bytes / (c->constant_line_bytes * c->constant_ways), c->constant_line_bytes,
                 c->constant_ways, c->l2_sector_bytes ? 'S' : 'A', c->constant_mshr_entries, c->constant_mshr_slots,
                 max_u32(c->constant_mshr_entries, 4));
    return t;
}

/* The three lines of a split are written for a machine that has one. */
static struct text choices(const struct config *c)
{
    struct text t = {""};
    if (config_splits(c)) option_text(c, option_find("sm.shared_choices"), t.text);
    return t;
}

static struct text unified(const struct config *c)
{
    struct text t = {""};
    if (config_splits(c)) snprintf(t.text, sizeof t.text, "%" PRIu32, c->sm_unified_kib);
    return t;
}

/* A split L1D has the ways of all its unified memory. */
static uint32_t ways_there(const struct config *c)
{
    return config_splits(c) ? max_u32(c->sm_unified_kib * 8 / c->l1d_sets, 1) : c->l1d_ways;
}

/* The latency in the file, for one of `latency` cycles in all. */
static uint32_t inside(uint32_t latency, uint32_t path)
{
    return latency > path ? latency - path : 1;
}

/* SM cycles of a path in an SM. */
static uint32_t path_in(const struct config *c, uint32_t path)
{
    return path - c->sm_sub_cores;
}

/* A unit cannot be shorter than its interval. */
static uint32_t unit_latency(const struct config *c, uint32_t latency, uint32_t interval)
{
    return max_u32(inside(latency, path_in(c, GPGPUSIM_PIPELINE)), interval);
}

static uint32_t int_latency(const struct config *c)
{
    return c->sm_sub_cores ? unit_latency(c, c->sm_int_latency, c->sm_int_interval)
                           : unit_latency(c, c->sm_sp_latency, 1);
}

static uint32_t dp_latency(const struct config *c)
{
    return c->sm_sub_cores ? unit_latency(c, c->sm_dp_latency, c->sm_dp_interval)
                           : unit_latency(c, c->sm_sfu_latency, c->sm_sfu_interval);
}

static uint32_t tensor_latency(const struct config *c)
{
    return c->sm_sub_cores ? unit_latency(c, c->sm_tensor_latency, c->sm_tensor_interval)
                           : unit_latency(c, c->sm_sp_latency, 1);
}

/* Both latencies are counted in SM cycles there. */
uint64_t gpgpusim_l2_cycles(const struct config *c, uint64_t sm_cycles)
{
    return (sm_cycles * c->clock_l2_khz + c->clock_sm_khz / 2) / c->clock_sm_khz;
}

static uint32_t sm_cycles(const struct config *c, uint32_t l2_cycles)
{
    return (uint32_t)(((uint64_t)l2_cycles * c->clock_sm_khz + c->clock_l2_khz / 2) / c->clock_l2_khz);
}

/* Whether the L2 cycles are as many again when they are read. */
static bool is_whole(const struct config *c, uint32_t cycles)
{
    return gpgpusim_l2_cycles(c, sm_cycles(c, cycles)) == cycles;
}

/* The flits of a line's packet, in which the crossbar's queues are counted there. */
static uint32_t line_flits(const struct config *c)
{
    return (uint32_t)ceil_div(128 + c->xbar_header_bytes, c->xbar_flit_bytes);
}

static uint32_t input_flits(const struct config *c)
{
    return c->xbar_input_flits ? c->xbar_input_flits : c->xbar_input_queue * line_flits(c);
}

/* An input is a buffer where packets enter, and one of the router's. */
static uint32_t router_flits(const struct config *c)
{
    return input_flits(c) / 2;
}

/* An output is a buffer of the router's credits, as long as that of an input, and one where packets leave. */
static uint32_t boundary_flits(const struct config *c)
{
    if (!c->xbar_output_flits) return c->xbar_output_queue * line_flits(c);
    return c->xbar_output_flits > router_flits(c) ? c->xbar_output_flits - router_flits(c) : 1;
}

static bool allocates_writes(const struct config *c)
{
    return c->l1d_write == WRITE_THROUGH && c->l1d_write_miss != L1_WRITE_NONE;
}

static uint32_t partition_indexing(const struct config *c)
{
    return is(c, "partition.map", "xor") ? 1 : is(c, "partition.map", "ipoly") ? 2 : 0;
}

/* Data transfers per DRAM clock: four, unless the width of the bus would be a fraction. */
static uint32_t transfers(const struct config *c)
{
    return c->dram_bus_bytes % 4 == 0 ? 4 : c->dram_bus_bytes % 2 == 0 ? 2 : 1;
}

/* Adds a field of address bits, from the low end upwards, and a dot between bytes. */
struct map {
    char text[72];
    uint32_t bits, at;
};

static void map_field(struct map *m, uint32_t bits, char letter)
{
    for (; bits; bits--, m->bits++) {
        if (m->bits && m->bits % 8 == 0) m->text[--m->at] = '.';
        m->text[--m->at] = letter;
    }
}

/* Consecutive bytes of a channel in one bank. */
static uint32_t lowest_bank(const struct config *c)
{
    return (uint32_t)max_u64(4 * c->dram_atom_bytes, 128);
}

/* The order of dram_map(), without the bits of the partition. */
static struct text address_map(const struct config *c)
{
    const uint32_t atom = log2_floor(c->dram_atom_bytes), row = log2_floor(c->dram_row_bytes),
                   low = log2_floor(lowest_bank(c)), banks = log2_floor(c->dram_banks);
    struct map m = {.at = sizeof m.text - 1};
    map_field(&m, atom, 'S');
    map_field(&m, low - atom, 'C');
    map_field(&m, banks ? 1 : 0, 'B');
    map_field(&m, row > low ? row - low : 0, 'C');
    map_field(&m, banks ? banks - 1 : 0, 'B');
    map_field(&m, 47 - m.bits, 'R'); /* addresses of traces have up to 47 bits */
    map_field(&m, 64 - m.bits, '0');
    struct text t;
    snprintf(t.text, sizeof t.text, "dramid@%" PRIu32 ";%s", log2_floor(c->partition_interleave), &m.text[m.at]);
    return t;
}

static void print_gap(FILE *to, const char *prefix, const char *what, const char *text)
{
    fprintf(to, "%s%s: the reference %s\n", prefix, what, text);
}

/* The first option of a row with its value; a section unchanged. */
static void print_option_gap(FILE *to, const char *prefix, const struct config *c, const char *keys, const char *text)
{
    char key[64], what[64 + 3 + OPTION_TEXT], value[OPTION_TEXT];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(keys, " "), keys);
    const struct config_option *o = option_find(key);
    if (o) option_text(c, o, value);
    snprintf(what, sizeof what, "%s%s%s", key, o ? " = " : "", o ? value : "");
    print_gap(to, prefix, what, text);
}

#define LINE(there, plain, read, here, ...) here,
#define ALSO(there, here, instead, ...) here,
#define SAME(here, why) here,
#define GAP(here, when, instead) here,
static const char *const mapped[] = {
#define WITH_ICNT
#include "lib/gpgpusim.def"
};

/* Whether a row names the option, or its section: "l1d.pdp.*". */
static bool has_row(const char *key)
{
    for (size_t i = 0; i < sizeof mapped / sizeof *mapped; i++)
        for (const char *word = mapped[i]; *word; word += strspn(word, " ")) {
            const size_t n = strcspn(word, " *");
            const bool section = word[n] == '*';
            if (!strncmp(word, key, n) && (section || !key[n])) return true;
            word += n + section;
        }
    return false;
}

/* The options that the reference lacks: it behaves as with the default. */
static void print_others(FILE *to, const char *prefix, const struct config *c)
{
    struct config plain;
    uint32_t count;
    const struct config_option *o = option_list(&count);
    config_default(&plain);
    for (uint32_t i = 0; i < count; i++) {
        char now[OPTION_TEXT], before[OPTION_TEXT];
        option_text(c, &o[i], now);
        option_text(&plain, &o[i], before);
        if (!has_row(o[i].key) && strcmp(now, before)) print_option_gap(to, prefix, c, o[i].key, "has none");
    }
}

#define GAP(here, when, instead)                                                                                       \
    if (when) print_option_gap(to, prefix, c, here, instead);
#define OTHER(what, instead) print_gap(to, prefix, what, instead);
static void print_gaps(FILE *to, const char *prefix, const struct config *c)
{
#define WITH_ICNT
#include "lib/gpgpusim.def"
}

void gpgpusim_gaps(const struct config *c, FILE *to, const char *prefix)
{
    print_gaps(to, prefix, c);
    print_others(to, prefix, c);
}

/* A line of the file; none, if it has no value. */
static void __attribute__((format(printf, 4, 5)))
print_line(FILE *to, const char *there, const char *here, const char *format, ...)
{
    char value[GPGPUSIM_VALUE];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    if (*value) fprintf(to, "%s %s%s%s\n", there, value, *here ? "  # " : "", here);
}

#define LINE(there, plain, read, here, ...) print_line(to, there, here, __VA_ARGS__);
#define ALSO(there, here, instead, ...) LINE(there, 0, 0, here, __VA_ARGS__)
#define FIXED(there, value, why) fprintf(to, there " " value "  # " why "\n");
#define NEED FIXED
static void print_lines(FILE *to, const struct config *c)
{
#include "lib/gpgpusim.def"
}

void gpgpusim_print_config(FILE *to, const struct config *c, const char *noted)
{
    fprintf(to, "# written by memtwin %s\n# without a counterpart:\n", version_text);
    gpgpusim_gaps(c, to, "#   ");
    fprintf(to, "%s\n", noted);
    print_lines(to, c);
}

/* A crossbar: one router, a queue per input port and a virtual channel. */
#define LINE(there, plain, read, here, ...)                                                                            \
    fprintf(to, there " = " __VA_ARGS__);                                                                              \
    fprintf(to, ";  // " here "\n");
#define ALSO(there, here, instead, ...) LINE(there, 0, 0, here, __VA_ARGS__)
#define FIXED(there, value, why) fprintf(to, there " = " value ";  // " why "\n");
void gpgpusim_print_icnt(FILE *to, const struct config *c)
{
    fprintf(to, "// written by memtwin %s\n", version_text);
#include "lib/gpgpusim_icnt.def"
}

#define LINE(there, plain, read, here, ...) ALSO(there, here, 0, __VA_ARGS__)
#define ALSO(there, here, instead, ...)                                                                                \
    if (!strcmp(option, there)) snprintf(value, GPGPUSIM_VALUE, __VA_ARGS__);
void gpgpusim_value(const struct config *c, const char *option, char value[static GPGPUSIM_VALUE])
{
    *value = 0;
#define WITH_ICNT
#include "lib/gpgpusim.def"
}
