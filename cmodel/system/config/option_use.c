/* SPDX-License-Identifier: Apache-2.0 */
#include "system/config/option_use.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "gmmu_ports.h"

/* A condition: "KEY=VALUE|VALUE", "KEY!=VALUE|VALUE", or several of them joined by " or ".  The key "workloads" is
 * the number of workloads that share an SM. */
struct condition {
    const char *of; /* an option, a prefix of options if it ends in '.', or a block */
    const char *needs;
};

/* All matching rules must hold.  No rule is about an option that it names itself. */
static const struct condition of_options[] = {
    {"tlb.", "uvm.enable=true"},
    {"uvm.", "uvm.enable=true"},
    {"pcie.", "uvm.enable=true"},
    {"tlb.l2.sets", "tlb.l2.ways!=0"},
    {"uvm.device_kib", "uvm.oversubscribe_percent=0"},
    {"uvm.prefetch_when_full", "uvm.prefetch!=np"},
    {"uvm.order", "uvm.prefetch!=np"},
    {"uvm.seed", "uvm.prefetch=rp or uvm.evict=re"},
    {"uvm.note_queue", "uvm.lease_unit!=0"},
    {"dram.t.refi", "dram.refresh=true"},
    {"xbar.input_queue", "xbar.input_flits=0"},
    {"xbar.output_queue", "xbar.output_flits=0"},
    {"dram.t.rfc", "dram.refresh=true"},
    {"l1d.bypass.level", "l1d.bypass.mode=static|bpg"},
    {"l1d.bypass.mode", "workloads!=1 or l1d.bypass.mode=off|static|bpg|stream|blocks"},
    {"l1d.bypass.blocks1", "workloads!=1"},
    {"l1d.bypass.blocks2", "workloads=3|4|5|6|7|8"},
    {"l1d.bypass.blocks3", "workloads=4|5|6|7|8"},
    {"l1d.bypass.path",
     "l1d.bypass.mode=static|bpg|stream|learner|blocks or l1d.enable=false or l1d.bypass.on_stall!=off or "
     "l1d.replacement=pdp"},
    {"l1d.bypass.slots",
     "l1d.bypass.mode=static|bpg|stream|learner|blocks or l1d.enable=false or l1d.bypass.on_stall!=off or "
     "l1d.replacement=pdp"},
    {"l1d.stream.", "l1d.bypass.mode=stream"},
    {"l2.stream.", "l2.bypass.mode=stream"},
    {"l2.bypass.slots", "l2.bypass.mode=stream or l2.bypass.on_stall!=off"},
    {"l1d.bypass.on_stall", "l1d.enable=true"},
    {"l1d.bypass.from_warp", "l1d.enable=true"},
    {"l1d.sets", "l1d.enable=true or l1d.bypass.mode=bpg"},
    {"l1d.index", "l1d.enable=true or l1d.bypass.mode=bpg"},
    {"l1d.sector_bytes", "l1d.enable=true"},
    {"l1d.ways", "l1d.enable=true or l1d.bypass.mode=bpg"},
    {"l1d.replacement", "l1d.enable=true"},
    {"l1d.pdp.", "l1d.enable=true"},
    {"l1d.ucp.", "l1d.enable=true"},
    {"l1d.unbounded", "l1d.enable=true"},
    {"l1d.sets", "l1d.unbounded=false or l1d.bypass.mode=bpg"},
    {"l1d.ways", "l1d.unbounded=false or l1d.bypass.mode=bpg"},
    {"l1d.index", "l1d.unbounded=false or l1d.bypass.mode=bpg"},
    {"l1d.replacement", "l1d.unbounded=false"},
    {"l2.sets", "l2.unbounded=false"},
    {"l2.ways", "l2.unbounded=false"},
    {"l2.index", "l2.unbounded=false"},
    {"l2.replacement", "l2.unbounded=false"},
    {"l1d.alloc", "l1d.enable=true"},
    {"l1d.write", "l1d.enable=true"},
    {"l1d.latency", "l1d.enable=true"},
    {"l1d.mshr.", "l1d.enable=true"},
    {"l1d.dl_mshr.", "l1d.enable=true"},
    {"l1d.perfect.", "l1d.enable=true"},
    {"sm.ranges", "sm.dispatch=overlap"},
    {"cke.scheme", "workloads!=1 or cke.scheme=plain|smil|dmil|qbmi_dmil"},
    {"cke.shared", "cke.scheme=rbmi|qbmi"},
    {"cke.shared", "workloads!=1"},
    {"cke.partition", "workloads!=1"},
    {"cke.blocks0", "workloads=1 or cke.partition=even|static|tlp"},
    {"cke.quota0", "sm.throttle=smk"},
    {"cke.quota1", "sm.throttle=smk"},
    {"cke.quota2", "sm.throttle=smk"},
    {"cke.quota3", "sm.throttle=smk"},
    {"cke.quota_debt", "sm.throttle=smk"},
    {"cke.quota2", "workloads=3|4|5|6|7|8"},
    {"cke.quota3", "workloads=4|5|6|7|8"},
    {"cke.concurrent", "workloads!=1"},
    {"cke.memory_intensive", "workloads!=1"},
    {"cke.memory_intensive", "cke.concurrent!=0"},
    {"cke.slicer.", "workloads!=1"},
    {"cke.smc.", "workloads!=1"},
    {"cke.blocks1", "workloads!=1"},
    {"cke.blocks2", "workloads=3|4|5|6|7|8"},
    {"cke.blocks3", "workloads=4|5|6|7|8"},
    {"cke.blocks4", "workloads=5|6|7|8"},
    {"cke.blocks5", "workloads=6|7|8"},
    {"cke.blocks6", "workloads=7|8"},
    {"cke.blocks7", "workloads=8"},
    {"cke.tlp.shift", "cke.partition=tlp"},
    {"cke.tlp.shift", "workloads!=1"},
    {"cke.limit1", "workloads!=1"},
    {"cke.limit2", "workloads=3|4|5|6|7|8"},
    {"cke.limit3", "workloads=4|5|6|7|8"},
};

static const struct condition of_blocks[] = {
    {"mshr", "l1d.mshr.kind=mshr or l2.mshr.kind=mshr"},
    {"dl_mshr", "l1d.mshr.kind=dl_mshr or l2.mshr.kind=dl_mshr"},
    {"milg", "cke.scheme=smil|dmil|qbmi_dmil"},
    {"qbmi", "cke.scheme=rbmi|qbmi|qbmi_dmil"},
    {"qbmi", "workloads!=1"},
    {"set_hash", "l1d.sets!=1 or l2.sets!=1 or partition.count!=1"},
    {"cart", "l2.input=cart"},
    {"bank_reorder", "l2.input=bank_reorder"},
    {"mrpb", "l1d.input=mrpb"},
    {"bpg", "l1d.bypass.mode=bpg"},
    {"stream_bypass", "l1d.bypass.mode=stream or l2.bypass.mode=stream"},
    {"pdp", "l1d.replacement=pdp"},
    {"umon", "l1d.replacement=ucp"},
    {"way_partition", "l1d.replacement=ucp"},
    {"lost_locality", "sm.throttle=ccws"},
    {"warp_quota", "sm.throttle=smk"},
    {"warp_locality", "sm.scheduler=locality"},
    {"bypass_slots", "workloads!=0"}, /* always used */
    {"gmmu", "uvm.enable=true"},
    {"block_overlap", "sm.dispatch=overlap"},
    {"tlp_modulator", "cke.partition=tlp or l1d.bypass.mode=learner"},
    {"tlp_modulator", "workloads!=1"},
    {"bypass_learner", "l1d.bypass.mode=learner"},
    {"bypass_learner", "workloads!=1"},
    {"dwt_core", "sm.throttle=dwt"},
    {"dwt_coordinator", "sm.throttle=dwt"},
};

#define PART_OF_GMMU(part, ...) {#part, "gmmu"},
static const struct condition of_parts[] = {GMMU_PARTS(PART_OF_GMMU)};

#define COUNT(list) (sizeof list / sizeof *list)

/* Whether `word` is one of the words between '|'. */
static bool among(const char *list, size_t length, const char *word)
{
    const char *end = list + length;
    for (size_t n; list < end; list += n + 1) {
        n = strcspn(list, "|");
        if (n > (size_t)(end - list)) n = (size_t)(end - list);
        if (strlen(word) == n && !memcmp(list, word, n)) return true;
    }
    return false;
}

static void value_of(const struct config *c, uint32_t workloads, const char *key, char text[static OPTION_TEXT])
{
    const struct config_option *o = option_find(key);
    assert(o || !strcmp(key, "workloads")); /* a condition of this file names an unknown option */
    if (o)
        option_text(c, o, text);
    else
        snprintf(text, OPTION_TEXT, "%u", workloads);
}

static bool holds(const struct config *c, uint32_t workloads, const char *needs)
{
    for (const char *next = needs; next; needs = next + strlen(" or ")) {
        next = strstr(needs, " or ");
        size_t length = next ? (size_t)(next - needs) : strlen(needs), key = strcspn(needs, "!=");
        const size_t values = key + (needs[key] == '!' ? 2 : 1);
        char name[CONDITION_TEXT], text[OPTION_TEXT];
        snprintf(name, sizeof name, "%.*s", (int)key, needs);
        value_of(c, workloads, name, text);
        if (among(needs + values, length - values, text) == (needs[key] == '=')) return true;
        if (!next) return false;
    }
    return false;
}

static bool is_about(const struct condition *k, const char *key)
{
    size_t n = 0;
    while (k->of[n] && k->of[n] == key[n]) n++;
    if (k->of[n]) return false;
    if (k->of[n - 1] != '.') return !key[n];
    const size_t own = strlen(key);
    return !(!strncmp(k->needs, key, own) && k->needs[own] == '=');
}

static bool all_hold(const struct condition *list, size_t length, const struct config *c, uint32_t workloads,
                     const char *key, char missing[static CONDITION_TEXT])
{
    for (size_t i = 0; i < length; i++) {
        if (!is_about(&list[i], key) || holds(c, workloads, list[i].needs)) continue;
        snprintf(missing, CONDITION_TEXT, "%s", list[i].needs);
        return false;
    }
    return true;
}

/* "bank_reorder, cart: ..." as "bank_reorder|cart"; "" if the meaning does not start with such a list. */
static void values_before_colon(const char *meaning, char values[static CONDITION_TEXT])
{
    size_t n = 0, length = strspn(meaning, "abcdefghijklmnopqrstuvwxyz0123456789_, ");
    if (meaning[length] != ':' || length >= CONDITION_TEXT) length = 0;
    for (size_t i = 0; i < length; i++)
        if (meaning[i] != ' ') values[n++] = (char)(meaning[i] == ',' ? '|' : meaning[i]);
    values[n] = 0;
}

/* Whether each of `values` is a value of the option. */
static bool has_values(const struct config_option *o, const char *values)
{
    for (size_t n; *values; values += n + (values[n] == '|')) {
        char word[CONDITION_TEXT];
        n = strcspn(values, "|");
        memcpy(word, values, n);
        word[n] = 0;
        if (!option_has_value(o, word)) return false;
    }
    return true;
}

/* The condition at the start of an option's meaning; "" if none. */
static void condition_in_meaning(const struct config_option *o, char needs[static CONDITION_TEXT])
{
    char values[CONDITION_TEXT];
    uint32_t count;
    const struct config_option *all = option_list(&count);
    const size_t section = strcspn(o->key, ".") + 1;
    values_before_colon(o->text, values);
    needs[0] = 0;
    for (uint32_t i = 0; *values && i < count; i++) {
        bool named = all[i].kind == OPTION_ENUM || all[i].kind == OPTION_POLICY;
        if (!named || strncmp(all[i].key, o->key, section) || !has_values(&all[i], values)) continue;
        snprintf(needs, CONDITION_TEXT, "%s=%.80s", all[i].key, values);
        return;
    }
}

bool option_is_read(const struct config *c, uint32_t workloads, const struct config_option *o,
                    char missing[static CONDITION_TEXT])
{
    if (!all_hold(of_options, COUNT(of_options), c, workloads, o->key, missing)) return false;
    condition_in_meaning(o, missing);
    return !*missing || holds(c, workloads, missing);
}

const char *block_whole(const char *block)
{
    for (size_t i = 0; i < COUNT(of_parts); i++)
        if (!strcmp(of_parts[i].of, block)) return of_parts[i].needs;
    return NULL;
}

bool block_is_at_work(const struct config *c, uint32_t workloads, const char *block,
                      char missing[static CONDITION_TEXT])
{
    bool known = false;
    missing[0] = 0;
    for (size_t i = 0; i < COUNT(of_blocks); i++) known = known || !strcmp(of_blocks[i].of, block);
    return known && all_hold(of_blocks, COUNT(of_blocks), c, workloads, block, missing);
}

const char *condition_of_option(uint32_t i)
{
    return i < COUNT(of_options) ? of_options[i].of : NULL;
}

const char *condition_of_block(uint32_t i)
{
    return i < COUNT(of_blocks)                     ? of_blocks[i].of
           : i - COUNT(of_blocks) < COUNT(of_parts) ? of_parts[i - COUNT(of_blocks)].of
                                                    : NULL;
}
