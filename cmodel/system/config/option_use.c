/* SPDX-License-Identifier: Apache-2.0 */
#include "system/config/option_use.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "gmmu_ports.h"

struct condition {
    const char *of;    /* a block */
    const char *needs; /* option_use.h; of a part: its whole */
};

static const struct condition of_blocks[] = {
    {"mshr", "l1d.mshr.kind=mshr or l2.mshr.kind=mshr"},
    {"dl_mshr", "l1d.mshr.kind=dl_mshr or l2.mshr.kind=dl_mshr"},
    {"milg", "cke.scheme=smil|dmil|qbmi_dmil"},
    {"qbmi", "cke.scheme=rbmi|qbmi|qbmi_dmil; workloads!=1"},
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
    {"tlp_modulator", "cke.partition=tlp or l1d.bypass.mode=learner; workloads!=1"},
    {"bypass_learner", "l1d.bypass.mode=learner; workloads!=1"},
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

/* The condition as text for a message: those on the number of workloads in words, others unchanged. */
static void describe(const char *condition, char text[static CONDITION_TEXT])
{
    const char *const key = "workloads", *const values = condition + strlen(key), *rest = strstr(condition, " or ");
    const bool number = !strncmp(condition, key, strlen(key));
    if (!number)
        snprintf(text, CONDITION_TEXT, "%s", condition);
    else if (*values == '!')
        snprintf(text, CONDITION_TEXT, "two or more workloads (memtwin cke)%s", rest ? rest : "");
    else if (!strncmp(values, "=1", 2))
        snprintf(text, CONDITION_TEXT, "one workload%s", rest ? rest : "");
    else
        snprintf(text, CONDITION_TEXT, "%c or more workloads (memtwin cke)%s", values[1], rest ? rest : "");
}

/* Whether all conditions hold; if not, `missing` describes the first that does not. */
static bool all_hold(const struct config *c, uint32_t workloads, const char *needs, char missing[static CONDITION_TEXT])
{
    for (size_t n; *needs; needs += n + (needs[n] ? strlen("; ") : 0)) {
        char condition[CONDITION_TEXT];
        n = strcspn(needs, ";");
        snprintf(condition, sizeof condition, "%.*s", (int)n, needs);
        if (holds(c, workloads, condition)) continue;
        describe(condition, missing);
        return false;
    }
    return true;
}

bool option_is_read(const struct config *c, uint32_t workloads, const struct config_option *o,
                    char missing[static CONDITION_TEXT])
{
    return !o->needs || all_hold(c, workloads, o->needs, missing);
}

void config_alone(struct config *c)
{
    uint32_t count;
    const struct config_option *o = option_list(&count);
    struct config plain;
    config_default(&plain);
    for (uint32_t i = 0; i < count; i++) {
        char now[OPTION_TEXT], alone[OPTION_TEXT], assignment[CONDITION_TEXT];
        struct error never = {""};
        option_text(c, &o[i], now);
        option_text(&plain, &o[i], alone);
        if (!o[i].several || (strcmp(o[i].several, "*") && !among(o[i].several, strlen(o[i].several), now))) continue;
        snprintf(assignment, sizeof assignment, "%s=%s", o[i].key, o[i].alone ? o[i].alone : alone);
        const bool done = config_set(c, assignment, &never);
        assert(done); /* `alone` of an option is one of its values */
        (void)done;
    }
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
    missing[0] = 0;
    for (size_t i = 0; i < COUNT(of_blocks); i++)
        if (!strcmp(of_blocks[i].of, block)) return all_hold(c, workloads, of_blocks[i].needs, missing);
    return false;
}

const char *condition_of_block(uint32_t i)
{
    return i < COUNT(of_blocks)                     ? of_blocks[i].of
           : i - COUNT(of_blocks) < COUNT(of_parts) ? of_parts[i - COUNT(of_blocks)].of
                                                    : NULL;
}
