/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/gpgpusim_readers.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "lib/gpgpusim.h"
#include "lib/gpgpusim_forms.h"

/* ---- notes on an option, and its values here */

static bool __attribute__((format(printf, 2, 3))) bad(struct gpgpusim_reading *r, const char *format, ...)
{
    char expected[320];
    va_list args;
    va_start(args, format);
    vsnprintf(expected, sizeof expected, format, args);
    va_end(args);
    const struct gpgpusim_item *i = r->item;
    return error_set(r->err, "%s:%u: %s: found \"%.200s\", expected %s", i->file, i->line, i->name, i->value, expected);
}

/* The next power of two below. */
static void put_power(struct gpgpusim_reading *r, const char *key, uint64_t value)
{
    const uint64_t taken = value ? 1ull << log2_floor(value) : 1;
    if (taken != value) gpgpusim_note(r, "%s takes powers of two: %" PRIu64 " for %" PRIu64, key, taken, value);
    gpgpusim_put(r, key, taken);
}

/* 0: without limit. */
static void put_queue(struct gpgpusim_reading *r, const char *key, uint64_t places)
{
    if (!places) gpgpusim_note(r, "%s has its most places, for a queue without limit", key);
    gpgpusim_put(r, key, places ? places : option_find(key)->max);
}

static const char *key_of(const struct gpgpusim_reading *r, char key[static 64])
{
    const char *here = r->item->row->here;
    snprintf(key, 64, "%.*s", (int)strcspn(here, " "), here);
    return key;
}

/* ---- forms of values */

/* To the nearest whole number. */
static void put_thousandths(struct gpgpusim_reading *r, const char *key, uint64_t thousandths)
{
    const uint64_t whole = (thousandths + 500) / 1000;
    if (thousandths % 1000)
        gpgpusim_note(r, "%s takes whole numbers: %" PRIu64 " for %" PRIu64 ".%03" PRIu64, key, whole,
                      thousandths / 1000, thousandths % 1000);
    gpgpusim_put(r, key, whole);
}

/* A clock in MHz. */
static void put_khz(struct gpgpusim_reading *r, const char *key, uint64_t khz, bool exact)
{
    char text[OPTION_TEXT];
    const struct config_option *o = option_find(key);
    const uint64_t taken = khz < o->min * UINT64_C(1000)   ? o->min * UINT64_C(1000)
                           : khz > o->max * UINT64_C(1000) ? o->max * UINT64_C(1000)
                                                           : khz;
    snprintf(text, sizeof text, "%" PRIu64 ".%03" PRIu64, taken / 1000, taken % 1000);
    gpgpusim_put_text(r, key, text);
    option_text(r->c, o, text);
    if (taken != khz || !exact) gpgpusim_note(r, "%s takes %u..%u with three decimals: %s", key, o->min, o->max, text);
}

typedef void putter(struct gpgpusim_reading *r, const char *key, uint64_t value);

static bool read_whole(struct gpgpusim_reading *r, const char *value, putter *put)
{
    char key[64];
    uint64_t n;
    if (gpgpusim_numbers(value, "", &n, 1) != 1) return bad(r, "a number up to 4294967295");
    put(r, key_of(r, key), n);
    return true;
}

static bool read_number(struct gpgpusim_reading *r, const char *value)
{
    return read_whole(r, value, gpgpusim_put);
}

/* SM cycles of a path in an SM. */
static uint32_t path_in(const struct gpgpusim_reading *r, uint32_t path)
{
    return path - r->c->sm_sub_cores;
}

/* A latency in SM cycles, without those of the path.  0 is as short as 1. */
static bool read_inside(struct gpgpusim_reading *r, const char *value, uint32_t path)
{
    char key[64];
    uint64_t n;
    if (gpgpusim_numbers(value, "", &n, 1) != 1) return bad(r, "a number of SM cycles");
    gpgpusim_put(r, key_of(r, key), (n ? n : 1) + path);
    return true;
}

static bool read_shared_latency(struct gpgpusim_reading *r, const char *value)
{
    return read_inside(r, value, path_in(r, GPGPUSIM_SHARED_PATH));
}

/* With units of their own, the schedulers' SM has the data of a hit three cycles behind the tags. */
static bool read_l1_latency(struct gpgpusim_reading *r, const char *value)
{
    if (r->c->sm_sub_cores) gpgpusim_put(r, "l1d.data_latency", GPGPUSIM_DATA);
    return read_inside(r, value, path_in(r, GPGPUSIM_L1D_PATH));
}

/* With 0 any collector serves any unit. */
static bool read_collectors(struct gpgpusim_reading *r, const char *value)
{
    if (strcmp(value, "0")) return true;
    gpgpusim_put(r, "sm.reg_banks", 0);
    return gpgpusim_lacks(r, "collectors that serve all units are not modelled, so reads of registers never conflict");
}

/* One bank takes an access a cycle, as no banks do. */
static bool read_banks(struct gpgpusim_reading *r, const char *value)
{
    if (!read_whole(r, value, put_power)) return false;
    if (r->c->l1d_banks == 1) gpgpusim_put(r, "l1d.banks", 0);
    if (r->c->l1d_banks && r->c->l1d_sector_bytes) gpgpusim_put_text(r, "l1d.bank_pipelines", "true");
    if (!r->c->l1d_banks || r->c->l1d_sector_bytes) return true;
    gpgpusim_put(r, "l1d.banks", 0);
    return gpgpusim_lacks(r, "an L1D without sectors takes one access a cycle");
}

static bool read_power(struct gpgpusim_reading *r, const char *value)
{
    return read_whole(r, value, put_power);
}

static bool read_queue(struct gpgpusim_reading *r, const char *value)
{
    return read_whole(r, value, put_queue);
}

/* Sets the option to `off` or `on`. */
static bool read_one_of_two(struct gpgpusim_reading *r, const char *value, const char *off, const char *on)
{
    char key[64];
    const bool is_on = !strcmp(value, "1");
    if (!is_on && strcmp(value, "0")) return bad(r, "0 or 1");
    gpgpusim_put_text(r, key_of(r, key), is_on ? on : off);
    return true;
}

static bool read_switch(struct gpgpusim_reading *r, const char *value)
{
    return read_one_of_two(r, value, "false", "true");
}

/* Accel-Sim reads a trace of several streams in order unless kernels may share SMs. */
static bool read_concurrent(struct gpgpusim_reading *r, const char *value)
{
    uint64_t n;
    if (gpgpusim_numbers(value, "", &n, 1) != 1 || n > 1) return bad(r, "0 or 1");
    gpgpusim_put(r, "cke.kernels", n ? option_find("cke.kernels")->max : 1);
    return true;
}

static bool read_kernels(struct gpgpusim_reading *r, const char *value)
{
    uint64_t n;
    if (gpgpusim_numbers(value, "", &n, 1) != 1 || !n) return bad(r, "a number of kernels, at least 1");
    if (r->c->cke_kernels > 1)
        gpgpusim_put(r, "cke.kernels", n);
    else
        gpgpusim_note(r, "kernels run one after the other (-gpgpu_concurrent_kernel_sm 0)");
    return true;
}

/* Nothing limits the reads in flight. */
static void skip_l1d(struct gpgpusim_reading *r)
{
    gpgpusim_put_text(r, "l1d.enable", "false");
    gpgpusim_put(r, "l1d.bypass.slots", option_find("l1d.bypass.slots")->max);
}

static bool read_skip(struct gpgpusim_reading *r, const char *value)
{
    if (!read_one_of_two(r, value, "true", "false")) return false;
    if (!r->c->l1d_enable) skip_l1d(r);
    return true;
}

/* ---- SM */

static bool read_clocks(struct gpgpusim_reading *r, const char *value)
{
    static const char *const keys[] = {"clock.sm", "clock.xbar", "clock.l2", "clock.dram"};
    uint64_t khz[4];
    bool exact[4];
    for (int i = 0; i < 4; i++) {
        if (!gpgpusim_thousandths(&value, &khz[i], &exact[i]) || *value != (i < 3 ? ':' : 0))
            return bad(r, "the MHz of SM:CROSSBAR:L2:DRAM");
        value++;
    }
    for (int i = 0; i < 4; i++) put_khz(r, keys[i], khz[i], exact[i]);
    return true;
}

static bool read_cores(struct gpgpusim_reading *r, const char *value)
{
    uint64_t n;
    if (gpgpusim_numbers(value, "", &n, 1) != 1 || !n) return bad(r, "a number of SMs, at least 1");
    if (n > 1) gpgpusim_note(r, "each SM has a crossbar port; there, the %" PRIu64 " SMs of a cluster share one", n);
    gpgpusim_put(r, "sm.count", n * r->c->sm_count);
    return true;
}

static bool read_warps(struct gpgpusim_reading *r, const char *value)
{
    uint64_t n[2];
    if (gpgpusim_numbers(value, ":", n, 2) != 2 || n[1] != 32 || n[0] % 32)
        return bad(r, "THREADS:32, threads in warps of 32");
    gpgpusim_put(r, "sm.warps", n[0] / 32);
    return true;
}

/* fit_split() sets the options that the next three are for. */
static bool read_adaptive(struct gpgpusim_reading *r, const char *value)
{
    r->splits = !strcmp(value, "1");
    return r->splits || !strcmp(value, "0") || bad(r, "0 or 1");
}

static int ascending(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool read_choices(struct gpgpusim_reading *r, const char *value)
{
    r->choices = gpgpusim_numbers(value, ",", r->choice, CHOICES);
    if (!r->choices) return bad(r, "sizes in KiB with commas between them, at most %d, as 0,32,64", CHOICES);
    qsort(r->choice, r->choices, sizeof *r->choice, ascending);
    return true;
}

static bool read_unified(struct gpgpusim_reading *r, const char *value)
{
    return gpgpusim_numbers(value, "", &r->unified, 1) == 1 || bad(r, "a number of KiB");
}

static bool read_two_level(struct gpgpusim_reading *r, const char *value)
{
    uint64_t n[3];
    if (gpgpusim_numbers(value, ":", n, 3) != 3) return bad(r, "two_level_active:WARPS:INNER:OUTER");
    if (n[1] != 0 || n[2] != 1) gpgpusim_note(r, "warps are taken round robin");
    gpgpusim_put_text(r, "sm.scheduler", "two_level");
    gpgpusim_put(r, "sm.two_level_group", n[0]);
    return true;
}

static bool read_limit(struct gpgpusim_reading *r, const char *value)
{
    uint64_t n[2];
    if (gpgpusim_numbers(value, ":", n, 2) != 2) return bad(r, "warp_limiting:ORDER:WARPS");
    if (n[0] != 2) gpgpusim_note(r, "greedy then oldest among them");
    gpgpusim_put_text(r, "sm.scheduler", "swl");
    gpgpusim_put(r, "sm.swl_warps", n[1]);
    return true;
}

static bool read_scheduler(struct gpgpusim_reading *r, const char *value)
{
    if (!strncmp(value, "two_level_active:", 17)) return read_two_level(r, value + 17);
    if (!strncmp(value, "warp_limiting:", 14)) return read_limit(r, value + 14);
    if (!strcmp(value, "rrr")) {
        gpgpusim_note(r, "loose round robin");
        value = "lrr";
    }
    if (strcmp(value, "lrr") && strcmp(value, "gto"))
        return bad(r, "lrr, gto, two_level_active:WARPS:INNER:OUTER or warp_limiting:ORDER:WARPS");
    gpgpusim_put_text(r, "sm.scheduler", value);
    return true;
}

static bool read_coalesce(struct gpgpusim_reading *r, const char *value)
{
    uint64_t n;
    if (gpgpusim_numbers(value, "", &n, 1) != 1) return bad(r, "a generation, 20 for Fermi");
    if (n < 20) gpgpusim_note(r, "coalesces as from Fermi on");
    gpgpusim_put_text(r, "sm.coalesce", n >= 40 ? "sector" : "segment");
    return true;
}

/* Latency and initiation interval of a unit. */
static bool unit(struct gpgpusim_reading *r, const char *value, const char *latency, uint64_t *interval)
{
    uint64_t n[2];
    if (gpgpusim_numbers(value, ",", n, 2) != 2) return bad(r, "LATENCY,INTERVAL");
    gpgpusim_put(r, latency, n[0] + path_in(r, GPGPUSIM_PIPELINE));
    *interval = n[1];
    return true;
}

static bool read_sp(struct gpgpusim_reading *r, const char *value)
{
    uint64_t interval = 1;
    if (!unit(r, value, "sm.sp_latency", &interval)) return false;
    if (r->c->sm_sub_cores)
        gpgpusim_put(r, "sm.sp_interval", interval);
    else if (interval != 1)
        gpgpusim_note(r, "an SP port takes an instruction every cycle, not every %" PRIu64, interval);
    return true;
}

static bool read_sfu(struct gpgpusim_reading *r, const char *value)
{
    uint64_t interval = 1;
    if (!unit(r, value, "sm.sfu_latency", &interval)) return false;
    gpgpusim_put(r, "sm.sfu_interval", interval);
    return true;
}

/* A unit that is a scheduler's own.  Without sm.sub_cores it is part of another, whose values were read before. */
static bool read_own(struct gpgpusim_reading *r, const char *value, const char *latency, const char *interval,
                     const char *instead)
{
    char ours[GPGPUSIM_VALUE];
    uint64_t n[2];
    if (gpgpusim_numbers(value, ",", n, 2) != 2) return bad(r, "LATENCY,INTERVAL");
    if (r->c->sm_sub_cores) {
        gpgpusim_put(r, latency, n[0] + path_in(r, GPGPUSIM_PIPELINE));
        gpgpusim_put(r, interval, n[1]);
        return true;
    }
    gpgpusim_value(r->c, r->item->name, ours);
    return !strcmp(ours, value) || gpgpusim_lacks(r, instead);
}

static bool read_int(struct gpgpusim_reading *r, const char *value)
{
    return read_own(r, value, "sm.int_latency", "sm.int_interval",
                    "integer instructions take the SP units and their latency");
}

static bool read_dp(struct gpgpusim_reading *r, const char *value)
{
    return read_own(r, value, "sm.dp_latency", "sm.dp_interval",
                    "double precision takes the SFUs, their latency and interval");
}

static bool read_tensor(struct gpgpusim_reading *r, const char *value)
{
    return read_own(r, value, "sm.tensor_latency", "sm.tensor_interval",
                    "tensor instructions take the SP units and their latency");
}

/* Units of which all schedulers share some, or each has one. */
static bool read_units(struct gpgpusim_reading *r, const char *value)
{
    if (!r->c->sm_sub_cores) return read_number(r, value);
    uint64_t n;
    if (gpgpusim_numbers(value, "", &n, 1) != 1) return bad(r, "a number up to 4294967295");
    if (n != r->c->sm_schedulers) gpgpusim_note(r, "one unit a scheduler, %u", r->c->sm_schedulers);
    return true;
}

/* Units that only schedulers of their own have. */
static bool read_own_units(struct gpgpusim_reading *r, const char *value)
{
    uint64_t n;
    if (gpgpusim_numbers(value, "", &n, 1) != 1) return bad(r, "a number up to 4294967295");
    if (!r->c->sm_sub_cores && n)
        return gpgpusim_lacks(r,
                              "the schedulers share SP units, for integers, too, and SFUs, for double precision, too");
    if (r->c->sm_sub_cores && n != r->c->sm_schedulers)
        gpgpusim_note(r, "one unit a scheduler, %u", r->c->sm_schedulers);
    return true;
}

/* "ENABLED,UNITS,LATENCY,WIDTH,WIDTH,NAME" */
static bool read_tensor_unit(struct gpgpusim_reading *r, const char *value)
{
    if (*value != '0' && *value != '1') return bad(r, "ENABLED,UNITS,LATENCY,WIDTH,WIDTH,NAME, as 1,4,8,4,4,TENSOR");
    if (*value == '1' && !r->c->sm_sub_cores) return gpgpusim_lacks(r, "tensor instructions take the SP units");
    if (*value == '0' && r->c->sm_sub_cores) gpgpusim_note(r, "a scheduler has a tensor unit");
    return true;
}

/* ---- caches */

/* Any of `letters`. */
static bool has_only(const struct gpgpusim_cache *f, int field, const char *letters)
{
    return strchr(letters, f->letter[field]) != NULL;
}

const char *gpgpusim_key_in(char key[static 64], const char *section, const char *name)
{
    snprintf(key, 64, "%s.%s", section, name);
    return key;
}

static bool read_cache(struct gpgpusim_reading *r, const char *value, const char *section, struct gpgpusim_cache *f)
{
    char key[64];
    if (!gpgpusim_cache(value, f) || !has_only(f, SECTORS, "NS") || !has_only(f, REPLACEMENT, "LF") ||
        !has_only(f, WRITES, "RBTEL") || !has_only(f, ALLOCATION, "mfs") || !has_only(f, WRITE_ALLOCATION, "NWFL") ||
        !has_only(f, INDEX, "LXHPC"))
        return bad(r, "SECTORS:SETS:128:WAYS,REPLACEMENT:WRITES:ALLOCATION:WRITE_ALLOCATION:INDEX,MSHR:ENTRIES:MERGES,"
                      "MISS_QUEUE[:0,PORT], as N:32:128:4,L:L:m:N:H,A:32:8,8");
    if (f->number[LINE_BYTES] != 128) return bad(r, "lines of 128 bytes");
    gpgpusim_put_text(r, gpgpusim_key_in(key, section, "sector_bytes"), f->letter[SECTORS] == 'S' ? "32" : "0");
    put_power(r, gpgpusim_key_in(key, section, "sets"), f->number[SETS]);
    gpgpusim_put(r, gpgpusim_key_in(key, section, "ways"), f->number[WAYS]);
    gpgpusim_put_text(r, gpgpusim_key_in(key, section, "replacement"), "lru");
    if (f->letter[REPLACEMENT] == 'F') gpgpusim_note(r, "replaces the least recently used line, not the oldest");
    const char *index = gpgpusim_index(f->letter[INDEX]);
    if (!index) gpgpusim_note(r, "indexes sets by the low bits");
    gpgpusim_put_text(r, gpgpusim_key_in(key, section, "index"), index ? index : "bmod");
    gpgpusim_put(r, gpgpusim_key_in(key, section, "mshr.entries"), f->number[ENTRIES]);
    gpgpusim_put(r, gpgpusim_key_in(key, section, "mshr.slots"), f->number[MERGES]);
    gpgpusim_put(r, gpgpusim_key_in(key, section, "miss_queue"), f->number[MISS_QUEUE]);
    return true;
}

static bool read_dl1(struct gpgpusim_reading *r, const char *value)
{
    struct gpgpusim_cache f;
    if (!strcmp(value, "none")) {
        skip_l1d(r);
        return true;
    }
    if (!read_cache(r, value, "l1d", &f)) return false;
    if (f.letter[WRITES] == 'B') gpgpusim_note(r, "a write goes to the L2 at once; the L1D keeps no dirty line");
    const bool through = has_only(&f, WRITES, "TB");
    const bool lazy = through && f.letter[WRITE_ALLOCATION] == 'L' && f.letter[ALLOCATION] == 'm';
    if (f.letter[WRITE_ALLOCATION] != 'N' && !lazy) gpgpusim_note(r, "a write that misses allocates no line");
    gpgpusim_put_text(r, "l1d.write", through ? "through" : "evict");
    gpgpusim_put_text(r, "l1d.write_miss", lazy ? "lazy" : "none");
    r->streams = f.letter[ALLOCATION] == 's';
    if (r->streams) gpgpusim_note(r, "allocates on a fill, with the MSHR entries of the file");
    gpgpusim_put_text(r, "l1d.alloc", f.letter[ALLOCATION] == 'm' ? "on_miss" : "on_fill");
    gpgpusim_put(r, "l1d.port_bytes", f.numbers > PORT && f.number[PORT] ? f.number[PORT] : 128);
    return true;
}

static bool read_perfect(struct gpgpusim_reading *r, const char *value)
{
    if (strcmp(value, "0") && strcmp(value, "1")) return bad(r, "0 or 1");
    r->perfect = *value == '1';
    gpgpusim_put(r, "constant.latency", path_in(r, GPGPUSIM_L1D_PATH));
    if (!r->perfect) gpgpusim_note(r, "instruction fetches always hit");
    return true;
}

/* Bytes of so many sets, of which the largest constant cache has at most as many. */
static void put_constants(struct gpgpusim_reading *r, uint64_t sets)
{
    const uint64_t way = (uint64_t)r->c->constant_line_bytes * r->c->constant_ways,
                   most = option_find("constant.bytes")->max;
    const uint64_t room = 1ull << log2_floor(most / way), power = sets ? 1ull << log2_floor(sets) : 1;
    const uint64_t taken = power < room ? power : room;
    if (taken != sets) gpgpusim_note(r, "constant.bytes has %" PRIu64 " sets for %" PRIu64, taken, sets);
    gpgpusim_put(r, "constant.bytes", taken * way);
}

static bool read_constants(struct gpgpusim_reading *r, const char *value)
{
    struct gpgpusim_cache f;
    gpgpusim_put(r, "constant.bytes", 0);
    if (r->perfect || !strcmp(value, "none")) return true;
    if (!gpgpusim_cache(value, &f))
        return bad(r, "N:SETS:BYTES:WAYS,REPLACEMENT:R:f:N:INDEX,MSHR:ENTRIES:MERGES,MISS_QUEUE, as "
                      "N:128:64:8,L:R:f:N:L,S:2:64,4");
    put_power(r, "constant.line_bytes", f.number[LINE_BYTES]);
    gpgpusim_put(r, "constant.ways", f.number[WAYS]);
    gpgpusim_put(r, "constant.mshr_entries", f.number[ENTRIES]);
    gpgpusim_put(r, "constant.mshr_slots", f.number[MERGES]);
    put_constants(r, f.number[SETS]);
    if (f.letter[REPLACEMENT] != 'L') gpgpusim_note(r, "replaces the least recently used line, not the oldest");
    if (f.letter[INDEX] != 'L') gpgpusim_note(r, "indexes sets by the low bits");
    if (f.number[MISS_QUEUE] < f.number[ENTRIES]) gpgpusim_note(r, "the miss queue has a place for each MSHR entry");
    return true;
}

static bool read_dl2(struct gpgpusim_reading *r, const char *value)
{
    struct gpgpusim_cache f;
    if (!read_cache(r, value, "l2", &f)) return false;
    if (f.letter[WRITES] != 'B') gpgpusim_note(r, "a write stays in the L2 until its line is evicted");
    if (f.letter[WRITE_ALLOCATION] == 'N') gpgpusim_note(r, "a write that misses goes to DRAM, and its line is read");
    if (r->c->l2_sector_bytes) gpgpusim_put_text(r, "l2.upper_half", "next");
    gpgpusim_put_text(r, "l2.write_miss",
                      f.letter[WRITE_ALLOCATION] == 'F'   ? "fetch_partial"
                      : f.letter[WRITE_ALLOCATION] == 'L' ? "lazy"
                                                          : "through");
    if (f.letter[ALLOCATION] != 'm') gpgpusim_note(r, "allocates on a miss");
    gpgpusim_put(r, "l2.port_bytes", f.numbers > PORT ? f.number[PORT] : 0);
    return true;
}

static bool read_rop(struct gpgpusim_reading *r, const char *value)
{
    uint64_t n;
    if (gpgpusim_numbers(value, "", &n, 1) != 1) return bad(r, "a number of SM cycles");
    const uint64_t cycles = gpgpusim_l2_cycles(r->c, n + GPGPUSIM_L2_PATH);
    gpgpusim_put_text(r, "l2.latency", "1");
    gpgpusim_put(r, "l2.rop_latency", cycles ? cycles - 1 : 0);
    return true;
}

static bool read_queues(struct gpgpusim_reading *r, const char *value)
{
    uint64_t n[4];
    if (gpgpusim_numbers(value, ":", n, 4) != 4) return bad(r, "IN:TO_DRAM:FROM_DRAM:OUT");
    put_queue(r, "l2.input_queue", n[0]);
    put_queue(r, "l2.response_queue", n[3]);
    r->to_dram = n[1];
    return true;
}

/* ---- crossbar */

static bool read_network(struct gpgpusim_reading *r, const char *value)
{
    if (strcmp(value, "1") && strcmp(value, "2")) return bad(r, "1, a crossbar with a file, or 2, the local crossbar");
    r->local_crossbar = *value == '2';
    if (!r->local_crossbar) return true;
    gpgpusim_put_text(r, "xbar.alloc_cycles", "0");
    gpgpusim_put_text(r, "xbar.latency", "1");
    gpgpusim_put_text(r, "xbar.input_flits", "0");
    gpgpusim_put_text(r, "xbar.output_flits", "0");
    gpgpusim_put_text(r, "xbar.input_queue", "64");
    gpgpusim_put_text(r, "xbar.output_queue", "64");
    gpgpusim_put_text(r, "xbar.transfer", "packets");
    return true;
}

static bool read_icnt_name(struct gpgpusim_reading *r, const char *value)
{
    (void)value;
    return !r->local_crossbar || gpgpusim_lacks(r, "the local crossbar (-network_mode 2) has no file");
}

static bool read_ejection(struct gpgpusim_reading *r, const char *value)
{
    if (r->local_crossbar) return gpgpusim_lacks(r, "an output has the places of -icnt_out_buffer_limit");
    return read_number(r, value);
}

static bool read_local_limit(struct gpgpusim_reading *r, const char *value)
{
    if (!r->local_crossbar) return gpgpusim_lacks(r, "the crossbar's file has the places of a port");
    return read_queue(r, value);
}

static bool read_flits(struct gpgpusim_reading *r, const char *value, uint64_t *buffer)
{
    if (gpgpusim_numbers(value, "", buffer, 1) != 1) return bad(r, "a number of flits");
    if (buffer != &r->exit) gpgpusim_put(r, "xbar.input_flits", (r->entry ? r->entry : 9) + r->router);
    if (buffer != &r->entry) gpgpusim_put(r, "xbar.output_flits", r->exit + r->router);
    return true;
}

static bool read_input_flits(struct gpgpusim_reading *r, const char *value)
{
    return read_flits(r, value, &r->entry);
}

static bool read_router_flits(struct gpgpusim_reading *r, const char *value)
{
    return read_flits(r, value, &r->router);
}

static bool read_output_flits(struct gpgpusim_reading *r, const char *value)
{
    return read_flits(r, value, &r->exit);
}

static bool read_speedup(struct gpgpusim_reading *r, const char *value)
{
    uint64_t n;
    bool exact;
    const char *at = value;
    if (!gpgpusim_thousandths(&at, &n, &exact) || *at) return bad(r, "a number, as 2.0");
    put_thousandths(r, "xbar.speedup", n);
    return true;
}

/* ---- partitions and DRAM */

static bool read_map(struct gpgpusim_reading *r, const char *value)
{
    const char *bits = value;
    uint64_t low = 64;
    bool ok = true;
    if (!strncmp(bits, "dramid@", 7)) {
        bits += 7;
        ok = gpgpusim_number(&bits, &low) && *bits++ == ';';
    }
    ok = ok && strspn(bits, "DRBCSdrbcs0.") == strlen(bits);
    if (ok && low == 64) low = gpgpusim_channel_bit(bits);
    char letters[65];
    gpgpusim_map_letters(value, letters);
    const uint32_t inside = gpgpusim_count(letters, 'C') + gpgpusim_count(letters, 'S');
    if (!ok || low > 30 || strlen(bits) - gpgpusim_count(bits, '.') != 64 || inside > 30)
        return bad(r, "dramid@BIT;64 letters of D, R, B, C, S, 0");
    gpgpusim_put(r, "partition.interleave", 1ull << low);
    gpgpusim_put(r, "dram.row_bytes", 1ull << inside);
    const size_t bank = strcspn(letters, "B"); /* the lowest bank bit selects the slice, of a line (bit 7) or more */
    if (letters[bank] && r->c->partition_slices > 1 && bank >= 7 && bank <= 20)
        gpgpusim_put(r, "partition.slice_interleave", 1ull << bank);
    return true;
}

static bool read_hash(struct gpgpusim_reading *r, const char *value)
{
    static const char *const names[] = {"modulo", "xor", "ipoly"};
    uint64_t n;
    if (gpgpusim_numbers(value, "", &n, 1) != 1) return bad(r, "0 for none, 1 for exclusive or, 2 for IPOLY");
    const bool power = is_power_of_two(r->c->partition_count);
    const uint64_t map = n == 6 ? 2 : n; /* IPOLY for any number of partitions */
    const bool random = map == 4;
    const char *name = random || (map && map <= 2 && !power) ? "rotated" : map > 2 ? "modulo" : names[map];
    if (map > 2 && !random) gpgpusim_note(r, "partitions are interleaved modulo their number");
    if (random)
        gpgpusim_note(r, "a hash of its own, where slices are drawn by random numbers");
    else if (!strcmp(name, "rotated"))
        gpgpusim_note(r, "a hash of its own, over partitions that are no power of two");
    gpgpusim_put_text(r, "partition.map", name);
    if (r->c->partition_slices > 1 && map == 2 && power) gpgpusim_put_text(r, "partition.map_of", "slices");
    return true;
}

static bool read_dram_scheduler(struct gpgpusim_reading *r, const char *value)
{
    return read_one_of_two(r, value, "fcfs", "fr_fcfs");
}

static bool read_group_bits(struct gpgpusim_reading *r, const char *value)
{
    return read_one_of_two(r, value, "high", "low");
}

static bool read_dual(struct gpgpusim_reading *r, const char *value)
{
    return read_one_of_two(r, value, "turning", "dual");
}

static bool positive(struct gpgpusim_reading *r, const char *value, uint64_t *n)
{
    return (gpgpusim_numbers(value, "", n, 1) == 1 && *n && *n <= 1024) || bad(r, "a number from 1 to 1024");
}

static bool read_chips(struct gpgpusim_reading *r, const char *value)
{
    return positive(r, value, &r->chips);
}

static bool read_ratio(struct gpgpusim_reading *r, const char *value)
{
    return positive(r, value, &r->ratio);
}

static bool read_width(struct gpgpusim_reading *r, const char *value)
{
    if (!positive(r, value, &r->width)) return false;
    gpgpusim_put(r, "dram.bus_bytes", r->width * r->ratio * r->chips);
    return true;
}

static bool read_burst(struct gpgpusim_reading *r, const char *value)
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
static bool read_one_timing(struct gpgpusim_reading *r, const char *word, uint32_t place)
{
    uint64_t n;
    const char *equals = strchr(word, '=');
    for (uint32_t i = 0; equals && i <= TIMINGS; i++)
        if (i == TIMINGS || (strlen(timing[i].name) == (size_t)(equals - word) &&
                             !strncmp(timing[i].name, word, (size_t)(equals - word)))) {
            place = i;
            break;
        }
    if (place >= TIMINGS || gpgpusim_numbers(equals ? equals + 1 : word, "", &n, 1) != 1)
        return bad(r, "nbk=N:CCD=N:RRD=N:RCD=N:RAS=N:RP=N:RC=N:CL=N:WL=N:CDLR=N:WR=N:nbkgrp=N:CCDL=N:RTPL=N");
    const bool power = !strncmp(timing[place].name, "nbk", 3);
    (power ? put_power : gpgpusim_put)(r, timing[place].key, n);
    return true;
}

static bool read_timing(struct gpgpusim_reading *r, const char *value)
{
    char text[256], *rest = NULL;
    uint32_t place = 0;
    if (strlen(value) >= sizeof text) return bad(r, "at most %zu characters", sizeof text - 1);
    snprintf(text, sizeof text, "%s", value);
    for (char *word = strtok_r(text, ": \t", &rest); word; word = strtok_r(NULL, ": \t", &rest))
        if (!read_one_timing(r, word, place++)) return false;
    return place == TIMINGS || bad(r, "%d numbers, nbk=N:CCD=N:...:RTPL=N", (int)TIMINGS);
}

static bool read_dram_latency(struct gpgpusim_reading *r, const char *value)
{
    uint64_t n;
    if (gpgpusim_numbers(value, "", &n, 1) != 1) return bad(r, "a number of SM cycles");
    gpgpusim_put(r, "dram.extra_latency", gpgpusim_l2_cycles(r->c, n));
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
#include "lib/gpgpusim.def"
};
#define LINE(there, plain, read, here, ...) {there, plain, read, here, NULL},
#define ALSO(there, here, instead, ...) {there, NULL, NULL, here, instead},
#define FIXED(there, value, instead) {there, value, NULL, NULL, instead},
#define LACK FIXED
static const struct gpgpusim_row crossbar[] = {
#include "lib/gpgpusim_icnt.def"
};

const struct gpgpusim_row *gpgpusim_rows(int file, size_t *count)
{
    *count = file == GPGPUSIM_ICNT ? sizeof crossbar / sizeof *crossbar : sizeof options / sizeof *options;
    return file == GPGPUSIM_ICNT ? crossbar : options;
}
