/* SPDX-License-Identifier: Apache-2.0 */
#include "system/config/option_use.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "gmmu.h"
#include "system/config/policy.h"

struct condition {
    const char *of;    /* a block */
    const char *needs; /* option_use.h; of a part: its whole */
};

/* Blocks that no policy drives; those of policies stand in the files of the policies. */
static const struct condition of_blocks[] = {
    {"milg", "cke.scheme=smil|dmil|qbmi_dmil"},
    {"qbmi", "cke.scheme=rbmi|qbmi|qbmi_dmil; workloads!=1"},
    {"set_hash", "l1d.sets!=1 or l2.sets!=1 or partition.count!=1"},
    {"bypass_slots", "workloads!=0"}, /* always used */
    {"gmmu", "uvm.enable=true"},
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

/* Workloads that a list is for, up to the last whose number is not the default. */
static uint32_t given_numbers(const struct config *c, const struct config_option *o)
{
    uint32_t n = o->kind == OPTION_LIST && !o->values ? o->count : 0;
    while (n && option_get_at(c, o, n - 1) == o->def) n--;
    return n;
}

bool option_is_read(const struct config *c, uint32_t workloads, const struct config_option *o,
                    char missing[static CONDITION_TEXT])
{
    const uint32_t given = given_numbers(c, o);
    if (given > workloads) {
        char condition[CONDITION_TEXT];
        snprintf(condition, sizeof condition, given == 2 ? "workloads!=1" : "workloads=%u", given);
        describe(condition, missing);
        return false;
    }
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

/* The i-th condition: of_blocks, then those of policies; false past the last.  A policy without a block: of = NULL. */
static bool condition_at(uint32_t i, struct condition *x)
{
    if (i < COUNT(of_blocks)) return *x = of_blocks[i], true;
    i -= (uint32_t)COUNT(of_blocks);
    const struct policy_entry *e = policy_entry(i / POLICY_BLOCKS);
    if (e) *x = (struct condition){e->blocks[i % POLICY_BLOCKS], e->when};
    return e;
}

/* Adds one of several conditions to the text, unless it stands there. */
static void add(const char *condition, char missing[static CONDITION_TEXT])
{
    const size_t n = strlen(missing);
    if (!strstr(missing, condition)) snprintf(missing + n, CONDITION_TEXT - n, "%s%s", n ? " or " : "", condition);
}

bool block_is_at_work(const struct config *c, uint32_t workloads, const char *block,
                      char missing[static CONDITION_TEXT])
{
    struct condition x;
    missing[0] = 0;
    for (uint32_t i = 0; condition_at(i, &x); i++) {
        char unmet[CONDITION_TEXT];
        if (!x.of || strcmp(x.of, block)) continue;
        if (all_hold(c, workloads, x.needs, unmet)) return true;
        add(unmet, missing);
    }
    return false;
}

const char *condition_of_block(uint32_t i)
{
    struct condition x;
    if (i < COUNT(of_parts)) return of_parts[i].of;
    i -= (uint32_t)COUNT(of_parts);
    for (uint32_t k = 0; condition_at(k, &x); k++)
        if (x.of && !i--) return x.of;
    return NULL;
}
