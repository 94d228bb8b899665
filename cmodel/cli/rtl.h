/* SPDX-License-Identifier: Apache-2.0 */
/* --rtl BLOCK,...: which blocks are to run as RTL, and which did. */
#ifndef MEMTWIN_RTL_H
#define MEMTWIN_RTL_H
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "system/config/config.h"

/* The blocks of a machine that are RTL, each with its unit, in the order in which they were built. */
struct rtl_uses {
    struct rtl_use {
        const char *block;
        char unit[32];
    } * use;
    uint32_t count, room;
};

/* For an observer: keeps a block whose face is "rtl". */
void rtl_used(struct rtl_uses *u, const char *block, const char *face, const char *unit);
void rtl_free(struct rtl_uses *u);

/* The first name of "a,b,c" into `name`; the rest of the list, NULL behind the last. */
#define RTL_NAME 64
const char *rtl_next(const char *list, char name[static RTL_NAME]);

/* Is every name of the list a block, given once? */
bool rtl_names(const char *list, struct error *err);
/* Is there an instance of every block of the list? */
bool rtl_all_used(const char *list, const struct rtl_uses *u, const char *machine, struct error *err);
/* Before the runs: is every name of the list a block, given once, at work in one of the jobs' machines, and linked as
 * RTL?  Has every machine one of them?  A comparison with twins would be one of twins with twins otherwise. */
struct job;
bool rtl_check(const char *list, const struct job *jobs, uint32_t count, struct error *err);
/* After a run: did every block of the list that is at work in the machine run as RTL, and no other? */
bool rtl_ran(const char *list, const struct config *c, uint32_t workloads, const struct rtl_uses *u, struct error *err);
#endif
