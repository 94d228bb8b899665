/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/gpgpusim_read.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/nearest.h"
#include "base/text_file.h"
#include "cli/gpgpusim.h"
#include "cli/gpgpusim_items.h"
#include "system/config/option_use.h"

enum { MAIN, TRACE, ICNT, FILES };

struct reading {
    struct config *c;
    struct sources *sources; /* or NULL */
    struct gpgpusim_items files[FILES];
    struct gpgpusim_item *item; /* the one being read */
    bool missing[FILES];
    bool local_crossbar;          /* the reference's own, without a file */
    uint64_t chips, ratio, width; /* of a DRAM channel: chips, transfers a clock, bytes */
    uint64_t to_dram;             /* places of the queue from L2 to DRAM */
    struct error *err;
};

typedef bool reader(struct reading *r, const char *value);

struct gpgpusim_row {
    const char *name;
    const char *plain; /* LINE: the reference's default; FIXED, LACK: the value that behaves like us; NULL: none */
    reader *read;      /* LINE, TAKE */
    const char *here;  /* our options; NULL: none */
    const char *instead;
};

/* ---- what a reader does */

/* Adds to what differs.  The option stays mapped. */
static void __attribute__((format(printf, 2, 3))) note(struct reading *r, const char *format, ...)
{
    char *text = NULL, *all = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) text = NULL;
    va_end(args);
    r->item->nearest = true;
    if (text && r->item->note && asprintf(&all, "%s; %s", r->item->note, text) >= 0) {
        free(r->item->note);
        free(text);
        r->item->note = all;
    } else if (!r->item->note)
        r->item->note = text;
    else
        free(text);
}

/* The option has no counterpart after all. */
static bool lacks(struct reading *r, const char *instead)
{
    note(r, "%s", instead);
    r->item->mapped = r->item->nearest = false;
    return true;
}

static bool __attribute__((format(printf, 2, 3))) bad(struct reading *r, const char *format, ...)
{
    char expected[320];
    va_list args;
    va_start(args, format);
    vsnprintf(expected, sizeof expected, format, args);
    va_end(args);
    const struct gpgpusim_item *i = r->item;
    return error_set(r->err, "%s:%u: %s: found \"%.200s\", expected %s", i->file, i->line, i->name, i->value, expected);
}

/* Sets an option to a value that it takes. */
static void put_text(struct reading *r, const char *key, const char *value)
{
    char assignment[128];
    uint32_t count;
    const struct config_option *all = option_list(&count);
    snprintf(assignment, sizeof assignment, "%s=%s", key, value);
    const struct config_option *o = option_set(r->c, assignment, r->err);
    if (!o || !r->sources) return;
    char *to = r->sources->of[o - all];
    if (r->item->line)
        snprintf(to, SOURCE_TEXT, "%.160s:%u: %.80s", r->item->file, r->item->line, r->item->name);
    else
        snprintf(to, SOURCE_TEXT, "GPGPU-Sim 4: default of %.80s", r->item->name);
}

/* The nearest number that the option takes. */
static void put(struct reading *r, const char *key, uint64_t value)
{
    const struct config_option *o = option_find(key);
    const uint64_t taken = value < o->min ? o->min : value > o->max ? o->max : value;
    char text[24];
    if (taken != value)
        note(r, "%s = %" PRIu64 ", the nearest of %u..%u to %" PRIu64, key, taken, o->min, o->max, value);
    snprintf(text, sizeof text, "%" PRIu64, taken);
    put_text(r, key, text);
}

/* The next power of two below. */
static void put_power(struct reading *r, const char *key, uint64_t value)
{
    const uint64_t taken = value ? 1ull << log2_floor(value) : 1;
    if (taken != value) note(r, "%s takes powers of two: %" PRIu64 " for %" PRIu64, key, taken, value);
    put(r, key, taken);
}

/* 0: without limit. */
static void put_queue(struct reading *r, const char *key, uint64_t places)
{
    if (!places) note(r, "%s has its most places, for a queue without limit", key);
    put(r, key, places ? places : option_find(key)->max);
}

static const char *key_of(const struct reading *r, char key[static 64])
{
    const char *here = r->item->row->here;
    snprintf(key, 64, "%.*s", (int)strcspn(here, " "), here);
    return key;
}

/* ---- forms of values */

/* A number of 32 bits at `*at`, and moves behind it. */
static bool number_at(const char **at, uint64_t *n)
{
    char *end;
    if (!isdigit((unsigned char)**at)) return false;
    errno = 0;
    *n = strtoull(*at, &end, 10);
    *at = end;
    return !errno && *n <= UINT32_MAX;
}

/* Numbers with one of `separators` between two.  How many; 0: there is something else, or there are more than `most`.
 */
static uint32_t numbers(const char *value, const char *separators, uint64_t *n, uint32_t most)
{
    for (uint32_t i = 0; i < most; i++) {
        if (!number_at(&value, &n[i])) return 0;
        if (!*value) return i + 1;
        if (!strchr(separators, *value++)) return 0;
    }
    return 0;
}

/* A number, perhaps with a decimal point, in thousandths. */
static bool thousandths_at(const char **at, uint64_t *n)
{
    if (!number_at(at, n)) return false;
    *n *= 1000;
    if (**at != '.') return true;
    ++*at;
    for (uint64_t unit = 100; isdigit((unsigned char)**at); unit /= 10, ++*at) *n += unit * (uint64_t)(**at - '0');
    return true;
}

/* To the nearest whole number. */
static void put_thousandths(struct reading *r, const char *key, uint64_t thousandths)
{
    const uint64_t whole = (thousandths + 500) / 1000;
    if (thousandths % 1000)
        note(r, "%s takes whole numbers: %" PRIu64 " for %" PRIu64 ".%03" PRIu64, key, whole, thousandths / 1000,
             thousandths % 1000);
    put(r, key, whole);
}

static bool read_number(struct reading *r, const char *value)
{
    char key[64];
    uint64_t n;
    if (numbers(value, "", &n, 1) != 1) return bad(r, "a number up to 4294967295");
    put(r, key_of(r, key), n);
    return true;
}

static bool read_power(struct reading *r, const char *value)
{
    char key[64];
    uint64_t n;
    if (numbers(value, "", &n, 1) != 1) return bad(r, "a number up to 4294967295");
    put_power(r, key_of(r, key), n);
    return true;
}

static bool read_queue(struct reading *r, const char *value)
{
    char key[64];
    uint64_t n;
    if (numbers(value, "", &n, 1) != 1) return bad(r, "a number up to 4294967295");
    put_queue(r, key_of(r, key), n);
    return true;
}

/* Sets the option to `off` or `on`. */
static bool choose(struct reading *r, const char *value, const char *off, const char *on)
{
    char key[64];
    const bool is_on = !strcmp(value, "1");
    if (!is_on && strcmp(value, "0")) return bad(r, "0 or 1");
    put_text(r, key_of(r, key), is_on ? on : off);
    return true;
}

static bool read_switch(struct reading *r, const char *value)
{
    return choose(r, value, "false", "true");
}

static bool read_skip(struct reading *r, const char *value)
{
    return choose(r, value, "true", "false");
}

/* ---- SM */

static bool read_clocks(struct reading *r, const char *value)
{
    static const char *const keys[] = {"clock.sm", "clock.xbar", "clock.l2", "clock.dram"};
    uint64_t mhz[4];
    for (int i = 0; i < 4; i++) {
        if (!thousandths_at(&value, &mhz[i]) || *value != (i < 3 ? ':' : 0))
            return bad(r, "the MHz of SM:CROSSBAR:L2:DRAM");
        value++;
    }
    for (int i = 0; i < 4; i++) put_thousandths(r, keys[i], mhz[i]);
    return true;
}

static bool read_cores(struct reading *r, const char *value)
{
    uint64_t n;
    if (numbers(value, "", &n, 1) != 1 || !n) return bad(r, "a number of SMs, at least 1");
    if (n > 1) note(r, "each SM has a crossbar port; there, the %" PRIu64 " SMs of a cluster share one", n);
    put(r, "sm.count", n * r->c->sm_count);
    return true;
}

static bool read_warps(struct reading *r, const char *value)
{
    uint64_t n[2];
    if (numbers(value, ":", n, 2) != 2 || n[1] != 32 || n[0] % 32) return bad(r, "THREADS:32, threads in warps of 32");
    put(r, "sm.warps", n[0] / 32);
    return true;
}

static bool read_two_level(struct reading *r, const char *value)
{
    uint64_t n[3];
    if (numbers(value, ":", n, 3) != 3) return bad(r, "two_level_active:WARPS:INNER:OUTER");
    if (n[1] != 0 || n[2] != 1) note(r, "warps are taken round robin");
    put_text(r, "sm.scheduler", "two_level");
    put(r, "sm.two_level_group", n[0]);
    return true;
}

static bool read_limit(struct reading *r, const char *value)
{
    uint64_t n[2];
    if (numbers(value, ":", n, 2) != 2) return bad(r, "warp_limiting:ORDER:WARPS");
    if (n[0] != 2) note(r, "greedy then oldest among them");
    put_text(r, "sm.scheduler", "swl");
    put(r, "sm.swl_warps", n[1]);
    return true;
}

static bool read_scheduler(struct reading *r, const char *value)
{
    if (!strncmp(value, "two_level_active:", 17)) return read_two_level(r, value + 17);
    if (!strncmp(value, "warp_limiting:", 14)) return read_limit(r, value + 14);
    if (!strcmp(value, "rrr")) {
        note(r, "loose round robin");
        value = "lrr";
    }
    if (strcmp(value, "lrr") && strcmp(value, "gto"))
        return bad(r, "lrr, gto, two_level_active:WARPS:INNER:OUTER or warp_limiting:ORDER:WARPS");
    put_text(r, "sm.scheduler", value);
    return true;
}

static bool read_coalesce(struct reading *r, const char *value)
{
    uint64_t n;
    if (numbers(value, "", &n, 1) != 1) return bad(r, "a generation, 20 for Fermi");
    if (n < 20) note(r, "coalesces as from Fermi on");
    put_text(r, "sm.coalesce", n >= 40 ? "sector" : "segment");
    return true;
}

/* Latency and initiation interval of a unit. */
static bool unit(struct reading *r, const char *value, const char *latency, uint64_t *interval)
{
    uint64_t n[2];
    if (numbers(value, ",", n, 2) != 2) return bad(r, "LATENCY,INTERVAL");
    put(r, latency, n[0] + GPGPUSIM_PIPELINE);
    *interval = n[1];
    return true;
}

static bool read_sp(struct reading *r, const char *value)
{
    uint64_t interval = 1;
    if (!unit(r, value, "sm.sp_latency", &interval)) return false;
    if (interval != 1) note(r, "an SP port takes an instruction every cycle, not every %" PRIu64, interval);
    return true;
}

static bool read_sfu(struct reading *r, const char *value)
{
    uint64_t interval = 1;
    if (!unit(r, value, "sm.sfu_latency", &interval)) return false;
    put(r, "sm.sfu_interval", interval);
    return true;
}

/* ---- caches */

struct cache_fields {
    char letter[7];     /* sectors, replacement, writes, allocation, write allocation, index, MSHR */
    uint64_t number[8]; /* sets, line, ways, entries, merges, miss queue, FIFO, port */
    uint32_t letters, numbers;
};
enum { SECTORS, REPLACEMENT, WRITES, ALLOCATION, WRITE_ALLOCATION, INDEX };
enum { SETS, LINE_BYTES, WAYS, ENTRIES, MERGES, MISS_QUEUE, FIFO_PLACES, PORT };

/* Stops where the value differs from the form; at its end it must have its miss queue. */
static bool cache_fields(const char *value, struct cache_fields *f)
{
    *f = (struct cache_fields){.numbers = 0};
    for (const char *form = "c:n:n:n,c:c:c:c:c,c:n:n,n:n,n"; *form && *value; form++)
        if (*form == 'n') {
            if (!number_at(&value, &f->number[f->numbers++])) return false;
        } else if (*form == 'c') {
            if (!isalpha((unsigned char)*value)) return false;
            f->letter[f->letters++] = *value++;
        } else if (*value++ != *form)
            return false;
    return !*value && f->numbers > MISS_QUEUE;
}

/* Any of `letters`. */
static bool has_only(const struct cache_fields *f, int field, const char *letters)
{
    return strchr(letters, f->letter[field]) != NULL;
}

/* "l1d" and "sets": "l1d.sets". */
static const char *key_in(char key[static 64], const char *section, const char *name)
{
    snprintf(key, 64, "%s.%s", section, name);
    return key;
}

static bool read_cache(struct reading *r, const char *value, const char *section, struct cache_fields *f)
{
    char key[64];
    if (!cache_fields(value, f) || !has_only(f, SECTORS, "NS") || !has_only(f, REPLACEMENT, "LF") ||
        !has_only(f, WRITES, "RBTEL") || !has_only(f, ALLOCATION, "mfs") || !has_only(f, WRITE_ALLOCATION, "NWFL") ||
        !has_only(f, INDEX, "LXHPC"))
        return bad(r, "SECTORS:SETS:128:WAYS,REPLACEMENT:WRITES:ALLOCATION:WRITE_ALLOCATION:INDEX,MSHR:ENTRIES:MERGES,"
                      "MISS_QUEUE[:0,PORT], as N:32:128:4,L:L:m:N:H,A:32:8,8");
    if (f->number[LINE_BYTES] != 128) return bad(r, "lines of 128 bytes");
    put_text(r, key_in(key, section, "sector_bytes"), f->letter[SECTORS] == 'S' ? "32" : "0");
    put_power(r, key_in(key, section, "sets"), f->number[SETS]);
    put(r, key_in(key, section, "ways"), f->number[WAYS]);
    put_text(r, key_in(key, section, "replacement"), "lru");
    if (f->letter[REPLACEMENT] == 'F') note(r, "replaces the least recently used line, not the oldest");
    const char *index = gpgpusim_index(f->letter[INDEX]);
    if (!index) note(r, "indexes sets by the low bits");
    put_text(r, key_in(key, section, "index"), index ? index : "bmod");
    put(r, key_in(key, section, "mshr.entries"), f->number[ENTRIES]);
    put(r, key_in(key, section, "mshr.slots"), f->number[MERGES]);
    put(r, key_in(key, section, "miss_queue"), f->number[MISS_QUEUE]);
    return true;
}

static bool read_dl1(struct reading *r, const char *value)
{
    struct cache_fields f;
    if (!strcmp(value, "none")) {
        put_text(r, "l1d.enable", "false");
        return true;
    }
    if (!read_cache(r, value, "l1d", &f)) return false;
    if (f.letter[WRITES] == 'B') note(r, "a write goes to the L2 at once; the L1D keeps no dirty line");
    if (f.letter[WRITE_ALLOCATION] != 'N') note(r, "a write that misses allocates no line");
    put_text(r, "l1d.write", has_only(&f, WRITES, "TB") ? "through" : "evict");
    if (f.letter[ALLOCATION] == 's') note(r, "allocates on a fill, with the MSHR entries of the file");
    put_text(r, "l1d.alloc", f.letter[ALLOCATION] == 'm' ? "on_miss" : "on_fill");
    put(r, "l1d.port_bytes", f.numbers > PORT && f.number[PORT] ? f.number[PORT] : 128);
    return true;
}

static bool read_dl2(struct reading *r, const char *value)
{
    struct cache_fields f;
    if (!read_cache(r, value, "l2", &f)) return false;
    if (f.letter[WRITES] != 'B') note(r, "a write stays in the L2 until its line is evicted");
    if (f.letter[WRITE_ALLOCATION] == 'N') note(r, "a write that misses goes to DRAM, and its line is read");
    put_text(r, "l2.write_miss",
             f.letter[WRITE_ALLOCATION] == 'F'   ? "fetch_partial"
             : f.letter[WRITE_ALLOCATION] == 'L' ? "lazy"
                                                 : "through");
    if (f.letter[ALLOCATION] != 'm') note(r, "allocates on a miss");
    put(r, "l2.port_bytes", f.numbers > PORT ? f.number[PORT] : 0);
    return true;
}

static uint64_t l2_cycles(const struct reading *r, uint64_t sm_cycles)
{
    return (sm_cycles * r->c->clock_l2 + r->c->clock_sm / 2) / r->c->clock_sm;
}

static bool read_rop(struct reading *r, const char *value)
{
    uint64_t n;
    if (numbers(value, "", &n, 1) != 1) return bad(r, "a number of SM cycles");
    const uint64_t cycles = l2_cycles(r, n);
    put_text(r, "l2.latency", "1");
    put(r, "l2.rop_latency", cycles ? cycles - 1 : 0);
    return true;
}

static bool read_queues(struct reading *r, const char *value)
{
    uint64_t n[4];
    if (numbers(value, ":", n, 4) != 4) return bad(r, "IN:TO_DRAM:FROM_DRAM:OUT");
    put_queue(r, "l2.input_queue", n[0]);
    put_queue(r, "l2.response_queue", n[3]);
    r->to_dram = n[1];
    return true;
}

/* ---- crossbar */

static bool read_network(struct reading *r, const char *value)
{
    if (strcmp(value, "1") && strcmp(value, "2")) return bad(r, "1, a crossbar with a file, or 2, the local crossbar");
    r->local_crossbar = *value == '2';
    if (!r->local_crossbar) return true;
    put_text(r, "xbar.alloc_cycles", "0");
    put_text(r, "xbar.latency", "1");
    put_text(r, "xbar.input_flits", "0");
    put_text(r, "xbar.output_flits", "0");
    put_text(r, "xbar.input_queue", "64");
    put_text(r, "xbar.output_queue", "64");
    note(r, "a packet takes a cycle for each of its flits; there, always one");
    return true;
}

static bool read_icnt_name(struct reading *r, const char *value)
{
    (void)value;
    return !r->local_crossbar || lacks(r, "the local crossbar (-network_mode 2) has no file");
}

static bool read_ejection(struct reading *r, const char *value)
{
    if (r->local_crossbar) return lacks(r, "an output has the places of -icnt_out_buffer_limit");
    return read_number(r, value);
}

static bool read_local_limit(struct reading *r, const char *value)
{
    if (!r->local_crossbar) return lacks(r, "the crossbar's file has the places of a port");
    return read_queue(r, value);
}

static bool read_input_flits(struct reading *r, const char *value)
{
    uint64_t n;
    if (numbers(value, "", &n, 1) != 1) return bad(r, "a number of flits");
    put(r, "xbar.input_flits", n ? n : 9);
    return true;
}

static bool read_speedup(struct reading *r, const char *value)
{
    uint64_t n;
    const char *at = value;
    if (!thousandths_at(&at, &n) || *at) return bad(r, "a number, as 2.0");
    put_thousandths(r, "xbar.speedup", n);
    return true;
}

/* ---- partitions and DRAM */

/* The letters of the bits in front of the row, from the lowest on, without those of the channel. */
static void map_letters(const char *map, char letters[static 65])
{
    size_t n = 0;
    const char *bits = strrchr(map, ';') ? strrchr(map, ';') + 1 : map;
    for (size_t i = strlen(bits); i-- && n < 64;)
        if (strchr("BCS", toupper((unsigned char)bits[i]))) letters[n++] = (char)toupper((unsigned char)bits[i]);
    letters[n] = 0;
}

static uint32_t count_of(const char *letters, char letter)
{
    uint32_t n = 0;
    for (; *letters; letters++) n += *letters == letter;
    return n;
}

/* Where the lowest bit of the channel is; 64: nowhere. */
static uint64_t channel_bit(const char *bits)
{
    uint64_t at = 0;
    for (size_t i = strlen(bits); i--;) {
        if (toupper((unsigned char)bits[i]) == 'D') return at;
        at += bits[i] != '.';
    }
    return 64;
}

static bool read_map(struct reading *r, const char *value)
{
    const char *bits = value;
    uint64_t low = 64;
    bool ok = true;
    if (!strncmp(bits, "dramid@", 7)) {
        bits += 7;
        ok = number_at(&bits, &low) && *bits++ == ';';
    }
    ok = ok && strspn(bits, "DRBCSdrbcs0.") == strlen(bits);
    if (ok && low == 64) low = channel_bit(bits);
    char letters[65];
    map_letters(value, letters);
    const uint32_t inside = count_of(letters, 'C') + count_of(letters, 'S');
    if (!ok || low > 30 || strlen(bits) - count_of(bits, '.') != 64 || inside > 30)
        return bad(r, "dramid@BIT;64 letters of D, R, B, C, S, 0");
    put(r, "partition.interleave", 1ull << low);
    put(r, "dram.row_bytes", 1ull << inside);
    return true;
}

static bool read_hash(struct reading *r, const char *value)
{
    static const char *const names[] = {"modulo", "xor", "ipoly"};
    uint64_t n;
    if (numbers(value, "", &n, 1) != 1) return bad(r, "0 for none, 1 for exclusive or, 2 for IPOLY");
    const bool power = is_power_of_two(r->c->partition_count);
    const uint64_t map = n == 6 ? 2 : n; /* IPOLY for any number of partitions */
    const bool known = map < 3 && (map == 0 || power);
    if (!known)
        note(r, power ? "partitions are interleaved modulo their number"
                      : "partitions are interleaved modulo their number, which is no power of two");
    put_text(r, "partition.map", known ? names[map] : "modulo");
    return true;
}

static bool read_dram_scheduler(struct reading *r, const char *value)
{
    return choose(r, value, "fcfs", "fr_fcfs");
}

static bool read_group_bits(struct reading *r, const char *value)
{
    return choose(r, value, "high", "low");
}

static bool read_dual(struct reading *r, const char *value)
{
    return choose(r, value, "single", "dual");
}

static bool positive(struct reading *r, const char *value, uint64_t *n)
{
    return (numbers(value, "", n, 1) == 1 && *n && *n <= 1024) || bad(r, "a number from 1 to 1024");
}

static bool read_chips(struct reading *r, const char *value)
{
    return positive(r, value, &r->chips);
}

static bool read_ratio(struct reading *r, const char *value)
{
    return positive(r, value, &r->ratio);
}

static bool read_width(struct reading *r, const char *value)
{
    if (!positive(r, value, &r->width)) return false;
    put(r, "dram.bus_bytes", r->width * r->ratio * r->chips);
    return true;
}

static bool read_burst(struct reading *r, const char *value)
{
    uint64_t n;
    if (!positive(r, value, &n)) return false;
    put_power(r, "dram.atom_bytes", n * r->width * r->chips);
    return true;
}

/* In the order of a value without names. */
static const struct {
    const char *name, *key;
} timing[] = {{"nbk", "dram.banks"},   {"CCD", "dram.t.ccd"},   {"RRD", "dram.t.rrd"}, {"RCD", "dram.t.rcd"},
              {"RAS", "dram.t.ras"},   {"RP", "dram.t.rp"},     {"RC", "dram.t.rc"},   {"CL", "dram.t.cl"},
              {"WL", "dram.t.wl"},     {"CDLR", "dram.t.cdlr"}, {"WR", "dram.t.wr"},   {"nbkgrp", "dram.bank_groups"},
              {"CCDL", "dram.t.ccdl"}, {"RTPL", "dram.t.rtpl"}};
enum { TIMINGS = sizeof timing / sizeof *timing };

/* One number, with a name in front or by its place. */
static bool read_one_timing(struct reading *r, const char *word, uint32_t place)
{
    uint64_t n;
    const char *equals = strchr(word, '=');
    for (uint32_t i = 0; equals && i <= TIMINGS; i++)
        if (i == TIMINGS || (strlen(timing[i].name) == (size_t)(equals - word) &&
                             !strncmp(timing[i].name, word, (size_t)(equals - word)))) {
            place = i;
            break;
        }
    if (place >= TIMINGS || numbers(equals ? equals + 1 : word, "", &n, 1) != 1)
        return bad(r, "nbk=N:CCD=N:RRD=N:RCD=N:RAS=N:RP=N:RC=N:CL=N:WL=N:CDLR=N:WR=N:nbkgrp=N:CCDL=N:RTPL=N");
    const bool power = !strncmp(timing[place].name, "nbk", 3);
    (power ? put_power : put)(r, timing[place].key, n);
    return true;
}

static bool read_timing(struct reading *r, const char *value)
{
    char text[256], *rest = NULL;
    uint32_t place = 0;
    if (strlen(value) >= sizeof text) return bad(r, "at most %zu characters", sizeof text - 1);
    snprintf(text, sizeof text, "%s", value);
    for (char *word = strtok_r(text, ": \t", &rest); word; word = strtok_r(NULL, ": \t", &rest))
        if (!read_one_timing(r, word, place++)) return false;
    return place == TIMINGS || bad(r, "%d numbers, nbk=N:CCD=N:...:RTPL=N", (int)TIMINGS);
}

static bool read_dram_latency(struct reading *r, const char *value)
{
    uint64_t n;
    if (numbers(value, "", &n, 1) != 1) return bad(r, "a number of SM cycles");
    put(r, "dram.extra_latency", l2_cycles(r, n));
    return true;
}

/* ---- the table */

#define LINE(there, plain, read, here, ...) {there, plain, read, here, NULL},
#define ALSO(there, here, instead, ...) {there, NULL, NULL, here, instead},
#define FIXED(there, value, instead) {there, value, NULL, NULL, instead},
#define TAKE(there, plain, read, here) {there, plain, read, here, NULL},
#define LACK FIXED
#define NEED(there, value, instead) {there, NULL, NULL, NULL, instead},
static const struct gpgpusim_row options[] = {
#include "cli/gpgpusim.def"
};
#define LINE(there, plain, read, here, ...) {there, plain, read, here, NULL},
#define ALSO(there, here, instead, ...) {there, NULL, NULL, here, instead},
#define FIXED(there, value, instead) {there, value, NULL, NULL, instead},
#define LACK FIXED
static const struct gpgpusim_row crossbar[] = {
#include "cli/gpgpusim_icnt.def"
};
#define BASE(assignment) assignment,
static const char *const base[] = {
#include "cli/gpgpusim.def"
};
enum {
    OPTION_ROWS = sizeof options / sizeof *options,
    CROSSBAR_ROWS = sizeof crossbar / sizeof *crossbar,
    BASES = sizeof base / sizeof *base
};

static const struct gpgpusim_row *row_of(const struct gpgpusim_row *rows, size_t count, const char *name)
{
    const struct gpgpusim_row *best = NULL;
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t n = strcspn(rows[i].name, "*");
        if (!strcmp(rows[i].name, name)) return &rows[i];
        if (rows[i].name[n] && n > length && !strncmp(rows[i].name, name, n)) {
            best = &rows[i];
            length = n;
        }
    }
    return best;
}

static const char *row_name(const void *rows, size_t i)
{
    return ((const struct gpgpusim_row *)rows)[i].name;
}

static struct gpgpusim_item *item_named(struct reading *r, const char *name)
{
    for (int f = FILES; f--;)
        for (uint32_t i = 0; i < r->files[f].count; i++) {
            struct gpgpusim_item *item = &r->files[f].at[i];
            if (!item->replaced && !strcmp(item->name, name)) return item;
        }
    return NULL;
}

/* ---- one step after the other */

static bool read_row(struct reading *r, const struct gpgpusim_row *row, bool whole)
{
    struct gpgpusim_item plain = {.file = "default", .name = row->name, .value = row->plain};
    r->item = item_named(r, row->name);
    if (!r->item && !(whole && row->plain)) return true;
    if (!r->item) r->item = &plain;
    r->item->row = row;
    r->item->mapped = true;
    const bool ok = row->read(r, r->item->value);
    free(plain.note);
    return ok;
}

static bool read_rows(struct reading *r, const struct gpgpusim_row *rows, size_t count, bool whole)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].read && !read_row(r, &rows[i], whole)) return false;
    return true;
}

/* Lets notes go to the option of that name, or nowhere; true if it has one. */
static struct gpgpusim_item *about(struct reading *r, const char *name, struct gpgpusim_item *nothing)
{
    struct gpgpusim_item *item = item_named(r, name);
    *nothing = (struct gpgpusim_item){.file = "default", .name = name};
    return r->item = item ? item : nothing;
}

static void fit_cache(struct reading *r, const char *section, const char *option, uint32_t sets)
{
    struct gpgpusim_item nothing;
    char key[64], text[OPTION_TEXT];
    about(r, option, &nothing);
    option_text(r->c, option_find(key_in(key, section, "index")), text);
    if ((!strcmp(text, "fermi") && sets != 32) || (sets == 1 && strcmp(text, "bmod"))) {
        note(r, "indexes sets by the low bits: the function %s is for %s", text,
             sets == 1 ? "several sets" : "32 sets");
        put_text(r, key, "bmod");
    }
    free(nothing.note);
}

static void fit_sectors(struct reading *r)
{
    struct gpgpusim_item nothing;
    about(r, "-gpgpu_coalesce_arch", &nothing);
    if (r->c->l1d_sector_bytes && r->c->sm_coalesce != COALESCE_SECTOR) {
        note(r, "coalesces by 32 bytes, as an L1D with sectors needs");
        put_text(r, "sm.coalesce", "sector");
    }
    free(nothing.note);
}

static void fit_l2_queues(struct reading *r)
{
    struct gpgpusim_item nothing;
    about(r, "-gpgpu_dram_partition_queues", &nothing);
    if (r->c->l2_sector_bytes && r->c->l2_input_queue < 4) {
        note(r, "l2.input_queue = 4, for the sectors of a line");
        put(r, "l2.input_queue", 4);
    }
    if (r->to_dram != r->c->l2_miss_queue)
        note(r, "the queue to DRAM is the miss queue of -gpgpu_cache:dl2, l2.miss_queue = %u", r->c->l2_miss_queue);
    free(nothing.note);
    about(r, "-gpgpu_cache:dl2", &nothing);
    if (r->c->l2_write_miss == WRITE_MISS_THROUGH && r->c->l2_miss_queue < 3) {
        note(r, "l2.miss_queue = 3, for a write, its read and its victim");
        put(r, "l2.miss_queue", 3);
    }
    free(nothing.note);
}

static void at_least(struct reading *r, const char *key, uint32_t found, uint32_t least)
{
    if (found >= least) return;
    note(r, "%s = %u, the least with the others", key, least);
    put(r, key, least);
}

static void fit_dram(struct reading *r)
{
    struct gpgpusim_item nothing;
    about(r, "-gpgpu_dram_timing_opt", &nothing);
    if (r->c->dram_bank_groups > r->c->dram_banks) {
        note(r, "dram.bank_groups = %u, one for each bank", r->c->dram_banks);
        put(r, "dram.bank_groups", r->c->dram_banks);
    }
    at_least(r, "dram.t.ccdl", r->c->dram_t_ccdl, r->c->dram_t_ccd);
    at_least(r, "dram.t.rc", r->c->dram_t_rc, r->c->dram_t_ras);
    free(nothing.note);
    char value[GPGPUSIM_VALUE], here[65], there[65];
    struct gpgpusim_item *map = about(r, "-gpgpu_mem_addr_mapping", &nothing);
    at_least(r, "dram.row_bytes", r->c->dram_row_bytes, 4 * r->c->dram_atom_bytes);
    gpgpusim_value(r->c, "-gpgpu_mem_addr_mapping", value);
    map_letters(value, here);
    if (map->value) map_letters(map->value, there);
    if (map->value && strcmp(here, there)) note(r, "banks and columns at other bits: %s", strrchr(value, ';') + 1);
    free(nothing.note);
}

static void fit(struct reading *r)
{
    fit_cache(r, "l1d", "-gpgpu_cache:dl1", r->c->l1d_sets);
    fit_cache(r, "l2", "-gpgpu_cache:dl2", r->c->l2_sets);
    fit_sectors(r);
    fit_l2_queues(r);
    fit_dram(r);
}

/* An option that no reader took. */
static void classify(struct reading *r, struct gpgpusim_item *item, const struct gpgpusim_row *rows, size_t count)
{
    char ours[GPGPUSIM_VALUE], near[NEAREST_TEXT];
    if (item->replaced || (item->row && item->row->read)) return;
    r->item = item;
    item->row = row_of(rows, count, item->name);
    if (!item->row) {
        char text[NEAREST_TEXT + 32];
        snprintf(text, sizeof text, "unknown%s", nearest_text(near, item->name, count, row_name, rows));
        lacks(r, text);
        return;
    }
    if (item->row->here)
        gpgpusim_value(r->c, item->name, ours);
    else
        snprintf(ours, sizeof ours, "%s", item->row->plain ? item->row->plain : "");
    item->mapped = !strcmp(ours, item->value);
    if (!item->mapped) lacks(r, item->row->instead);
}

static void classify_all(struct reading *r)
{
    for (int f = 0; f < FILES; f++)
        for (uint32_t i = 0; i < r->files[f].count; i++)
            classify(r, &r->files[f].at[i], f == ICNT ? crossbar : options, f == ICNT ? CROSSBAR_ROWS : OPTION_ROWS);
}

/* ---- the files */

static bool of_trace_config(const char *name)
{
    return !strncmp(name, "-trace_opcode_", 14) || !strncmp(name, "-specialized_unit_", 18);
}

/* How many of the options are trace.config's. */
static uint32_t trace_options(const struct gpgpusim_items *items)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < items->count; i++) n += of_trace_config(items->at[i].name);
    return n;
}

/* The path of a file beside another one; NULL: out of memory. */
static char *beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    char *joined;
    if (*name == '/' || !slash) return strdup(name);
    return asprintf(&joined, "%.*s/%s", (int)(slash - path), path, name) < 0 ? NULL : joined;
}

typedef bool lexer(struct gpgpusim_items *items, const char *file, const char *text, struct error *err);

/* Reads the words of a file beside the first one.  One that does not exist is noted as missing. */
static bool load_beside(struct reading *r, int file, const char *name, lexer *words)
{
    char *path = beside(r->files[MAIN].file, name), *text = NULL;
    bool ok = path != NULL || error_set(r->err, "%s: out of memory", name);
    r->missing[file] = ok && access(path, F_OK) && errno == ENOENT;
    if (ok && !r->missing[file])
        ok = (text = text_file_read(path, r->err)) != NULL && words(&r->files[file], path, text, r->err);
    free(text);
    free(path);
    return ok;
}

static bool read_crossbar(struct reading *r)
{
    struct gpgpusim_item *item = item_named(r, "-inter_config_file");
    if (!item || r->local_crossbar) return true;
    if (!load_beside(r, ICNT, item->value, gpgpusim_assignments)) return false;
    r->item = item;
    if (r->missing[ICNT]) lacks(r, "no such file; the crossbar has the queues of the reference's defaults");
    return read_rows(r, crossbar, CROSSBAR_ROWS, false);
}

static bool start(struct reading *r)
{
    if (!config_preset(r->c, r->sources, "defaults", r->err) || !config_preset(r->c, r->sources, "gpgpusim", r->err))
        return false;
    for (size_t i = 0; i < BASES; i++)
        if (!config_set(r->c, base[i], r->err)) return false;
    return true;
}

static bool read_files(struct reading *r, const char *path, const char *text, bool *whole)
{
    if (!gpgpusim_options(&r->files[MAIN], path, text, r->err)) return false;
    const uint32_t count = r->files[MAIN].count, trace = trace_options(&r->files[MAIN]);
    if (!count) return error_set(r->err, "%s: found no option, expected -option value", path);
    *whole = trace < count;
    if (*whole && !start(r)) return false;
    return trace || load_beside(r, TRACE, "trace.config", gpgpusim_options);
}

static bool read_machine(struct reading *r, const char *path, const char *text)
{
    bool whole = false;
    struct error why = {""};
    if (!read_files(r, path, text, &whole)) return false;
    if (!read_rows(r, options, OPTION_ROWS, whole) || !read_crossbar(r)) return false;
    if (whole) fit(r);
    classify_all(r);
    return config_check(r->c, &why) || error_set(r->err, "%s: no machine of memtwin: %.900s", path, why.text);
}

/* ---- the report */

static void print_text(FILE *to, const char *text)
{
    char escaped[1024];
    snprintf(escaped, sizeof escaped, "%.900s", text);
    text_escape(escaped, sizeof escaped);
    fputs(escaped, to);
}

/* "sm.count = 80, ..." */
static void print_ours(FILE *to, const struct config *c, const char *here)
{
    const char *between = "";
    char missing[CONDITION_TEXT];
    for (const char *word = here; *word; word += strspn(word, " ")) {
        char key[64], value[OPTION_TEXT];
        const size_t n = strcspn(word, " ");
        snprintf(key, sizeof key, "%.*s", (int)n, word);
        option_text(c, option_find(key), value);
        if (option_is_read(c, 1, option_find(key), missing)) fprintf(to, "%s%s = %s", between, key, value);
        between = ", ";
        word += n;
    }
}

static void print_item(FILE *to, const struct config *c, const struct gpgpusim_item *item)
{
    fprintf(to, ";   %u: ", item->line);
    print_text(to, item->name);
    fputc(' ', to);
    print_text(to, item->value);
    fputs(": ", to);
    if (item->mapped && item->row->here)
        print_ours(to, c, item->row->here);
    else if (item->mapped)
        fputs(item->row->instead, to);
    if (item->note) fputs(item->mapped ? "; differs: " : "", to);
    if (item->note) print_text(to, item->note);
    fputc('\n', to);
}

static void print_part(FILE *to, const struct config *c, const struct gpgpusim_items *items, bool mapped)
{
    for (uint32_t i = 0; i < items->count; i++)
        if (!items->at[i].replaced && items->at[i].mapped == mapped) print_item(to, c, &items->at[i]);
}

static struct gpgpusim_counts count_items(const struct gpgpusim_items *items)
{
    struct gpgpusim_counts n = {0};
    for (uint32_t i = 0; i < items->count; i++) {
        const struct gpgpusim_item *item = &items->at[i];
        n.options += !item->replaced;
        n.mapped += !item->replaced && item->mapped;
        n.nearest += !item->replaced && item->mapped && item->nearest;
    }
    return n;
}

static void print_file(FILE *to, const struct config *c, const struct gpgpusim_items *items)
{
    const struct gpgpusim_counts n = count_items(items);
    fputs("; ", to);
    print_text(to, items->file);
    fprintf(to, ": %u options: %u mapped, %u without counterpart\n; mapped, with line and option:\n", n.options,
            n.mapped, n.options - n.mapped);
    print_part(to, c, items, true);
    fputs("; without counterpart, and what holds instead:\n", to);
    print_part(to, c, items, false);
    for (uint32_t i = 0; i < items->count; i++)
        if (items->at[i].replaced)
            fprintf(to, "; line %u: %s is given again below\n", items->at[i].line, items->at[i].name);
}

static void finish(const struct reading *r, FILE *report, struct gpgpusim_counts *counts)
{
    for (int f = 0; f < FILES; f++) {
        if (!r->files[f].file) continue;
        const struct gpgpusim_counts n = count_items(&r->files[f]);
        counts->options += n.options;
        counts->mapped += n.mapped;
        counts->nearest += n.nearest;
        if (report) print_file(report, r->c, &r->files[f]);
    }
    counts->no_trace = r->missing[TRACE];
    counts->no_crossbar = r->missing[ICNT];
    if (report && r->missing[TRACE]) fputs("; no trace.config beside it: the reference's default latencies\n", report);
    if (report) fputc('\n', report);
}

bool gpgpusim_is(const char *path, const char *text)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (!strncmp(text, "\xef\xbb\xbf", 3)) text += 3;
    for (text += strspn(text, " \t\r\n"); *text == '#'; text += strspn(text, " \t\r\n")) text += strcspn(text, "\n");
    return *text == '-' || !strcmp(name, "gpgpusim.config");
}

bool gpgpusim_read(struct config *c, struct sources *sources, const char *path, const char *text, FILE *report,
                   struct gpgpusim_counts *counts, struct error *err)
{
    struct config copy = *c;
    struct reading r = {.c = &copy, .sources = sources, .chips = 1, .ratio = 1, .width = 1, .err = err};
    const bool ok = read_machine(&r, path, text);
    *counts = (struct gpgpusim_counts){0};
    if (ok) {
        finish(&r, report, counts);
        *c = copy;
    }
    for (int f = 0; f < FILES; f++) gpgpusim_items_free(&r.files[f]);
    return ok;
}
