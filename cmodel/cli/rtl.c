/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rtl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "cli/jobs.h"
#include "system/block/block_ops.h"
#include "system/config/option_use.h"

void rtl_used(struct rtl_uses *u, const struct block_ops *face, const char *unit)
{
    if (strcmp(face->face, "rtl")) return;
    if (u->count == u->room) {
        uint32_t room = u->room ? 2 * u->room : 64;
        struct rtl_use *grown = realloc(u->use, room * sizeof *grown);
        if (!grown) return; /* missing instances are found by rtl_ran() */
        u->use = grown;
        u->room = room;
    }
    struct rtl_use *use = &u->use[u->count++];
    use->block = face->name;
    snprintf(use->unit, sizeof use->unit, "%s", unit);
}

void rtl_free(struct rtl_uses *u)
{
    free(u->use);
    *u = (struct rtl_uses){0};
}

const char *rtl_next(const char *list, char name[static RTL_NAME])
{
    const size_t n = strcspn(list, ",");
    snprintf(name, RTL_NAME, "%.*s", (int)strcspn(list, "=,"), list);
    return list[n] ? list + n + 1 : NULL;
}

static const char *block_name(const void *context, size_t i)
{
    uint32_t count;
    (void)context;
    return block_list(&count)[i]->name;
}

static bool is_block(const char *name, struct error *err)
{
    uint32_t count;
    char near[NEAREST_TEXT];
    block_list(&count);
    if (!*name) return error_set(err, "--rtl: found an empty name, expected a block (memtwin list blocks)");
    if (!block_find(name))
        return error_set(err, "--rtl: unknown block \"%s\"%s (memtwin list blocks shows all)", name,
                         nearest_text(near, name, count, block_name, NULL));
    const char *whole = block_whole(name);
    return !whole || error_set(err, "--rtl: %s is in the machine as a part of %s, expected %s", name, whole, whole);
}

static bool given_once(const char *list, const char *name, struct error *err)
{
    char other[RTL_NAME];
    uint32_t times = 0;
    while (list) {
        list = rtl_next(list, other);
        times += !strcmp(name, other);
    }
    return times == 1 || error_set(err, "--rtl: found %s %u times, expected it once", name, times);
}

const char *rtl_folder(char path[static RTL_PATH])
{
    const char *given = getenv("MEMTWIN_RTL");
    if (given && *given) return given;
    ssize_t n = readlink("/proc/self/exe", path, RTL_PATH - 1);
    path[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(path, '/');
    snprintf(slash ? slash + 1 : path, slash ? RTL_PATH - (size_t)(slash + 1 - path) : RTL_PATH, "rtl");
    return path;
}

/* BLOCK=PATH: the path of a user's RTL is there. */
static bool has_place(const char *entry, const char *name, struct error *err)
{
    const char *at = entry + strlen(name) + 1;
    const int n = (int)strcspn(at, ",");
    char path[BLOCK_PATH];
    if (entry[strlen(name)] != '=') return true;
    if (!n) return error_set(err, "--rtl %s=: found no path, expected a set of RTL or a folder of sets", name);
    if (n >= BLOCK_PATH)
        return error_set(err, "--rtl %s=: found a path of %d bytes, expected at most %d", name, n, BLOCK_PATH - 1);
    snprintf(path, sizeof path, "%.*s", n, at);
    return !access(path, R_OK) ||
           error_set(err,
                     "--rtl %s=%s: found nothing there, expected a set of RTL (SET.so of make rtl RTL=) or a folder",
                     name, path);
}

bool rtl_names(const char *list, struct error *err)
{
    char name[RTL_NAME];
    for (const char *rest = list; rest;) {
        const char *entry = rest;
        rest = rtl_next(entry, name);
        if (!is_block(name, err) || !given_once(list, name, err) || !has_place(entry, name, err)) return false;
    }
    return true;
}

static uint32_t instances(const struct rtl_uses *u, const char *name)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < u->count; i++) n += !strcmp(u->use[i].block, name);
    return n;
}

bool rtl_all_used(const char *list, const struct rtl_uses *u, const char *machine, struct error *err)
{
    char name[RTL_NAME];
    for (const char *rest = list; rest;) {
        rest = rtl_next(rest, name);
        if (!instances(u, name)) return error_set(err, "--rtl: %s is not used in %s", name, machine);
    }
    return true;
}

static uint32_t workloads(const struct job *j)
{
    uint32_t n = 1;
    while (n < MAX_WORKLOADS && j->beside[n - 1]) n++;
    return n;
}

static bool at_work(const struct job *j, const char *block, char missing[static CONDITION_TEXT])
{
    return block_is_at_work(&j->result.config, workloads(j), block, missing);
}

static bool at_work_somewhere(const char *name, const struct job *jobs, uint32_t count, struct error *err)
{
    char missing[CONDITION_TEXT] = "";
    for (uint32_t i = 0; i < count; i++)
        if (at_work(&jobs[i], name, missing)) return true;
    if (!*missing) return error_set(err, "--rtl: %s is in no machine", name);
    return error_set(err, "--rtl: %s is not used in %s, expected %s", name,
                     count == 1 ? "this machine" : "any of these machines", missing);
}

static bool has_some(const char *list, const struct job *j, struct error *err)
{
    char name[RTL_NAME], missing[CONDITION_TEXT];
    for (const char *rest = list; rest;) {
        rest = rtl_next(rest, name);
        if (at_work(j, name, missing)) return true;
    }
    return error_set(
        err, "--rtl: no block of %s is used in case %s, expected %s there, too, or a block in --rtl that the case uses",
        list, j->result.case_name, missing);
}

bool rtl_check(const char *list, const struct job *jobs, uint32_t count, struct error *err)
{
    char name[RTL_NAME];
    if (!rtl_names(list, err)) return false;
    for (const char *rest = list; rest;) {
        rest = rtl_next(rest, name);
        if (!at_work_somewhere(name, jobs, count, err)) return false;
    }
    if (!block_loads_rtl())
        return error_set(err, "--rtl: this program has only twins; build/memtwin-rtl loads RTL (make build)");
    for (uint32_t i = 0; i < count; i++)
        if (!has_some(list, &jobs[i], err)) return false;
    return true;
}

bool rtl_ran(const char *list, const struct config *c, uint32_t workload_count, const struct rtl_uses *u,
             struct error *err)
{
    char name[RTL_NAME], missing[CONDITION_TEXT];
    uint32_t known = 0;
    for (const char *rest = list && *list ? list : NULL; rest;) {
        rest = rtl_next(rest, name);
        uint32_t n = instances(u, name);
        known += n;
        if (!n == block_is_at_work(c, workload_count, name, missing))
            return error_set(err, "--rtl: found %u instances of the RTL of %s, expected %s", n, name,
                             n ? "none" : "one at least");
    }
    return known == u->count ||
           error_set(err, "--rtl: found %u instances of RTL, expected %u of %s", u->count, known, list);
}
