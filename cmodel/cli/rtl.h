/* SPDX-License-Identifier: Apache-2.0 */
/* --rtl BLOCK[=PATH],...: which blocks are requested as RTL, and which instances ran as RTL. */
#ifndef MEMTWIN_RTL_H
#define MEMTWIN_RTL_H
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "system/config/config.h"

/* RTL instances of a machine, with their units, in construction order. */
struct rtl_uses {
    struct rtl_use {
        const char *block;
        char unit[32];
    } * use;
    uint32_t count, room;
};

/* Observer callback: records a block whose implementation is "rtl". */
struct block_ops;
void rtl_used(struct rtl_uses *u, const struct block_ops *face, const char *unit);
void rtl_free(struct rtl_uses *u);

/* Copies the first name of "a,b=PATH,c" to `name`; returns the rest of the list, NULL after the last. */
#define RTL_NAME 64
const char *rtl_next(const char *list, char name[static RTL_NAME]);

/* Where the sets of RTL are: the environment's MEMTWIN_RTL, else the folder rtl beside the program.  `path` has room.
 */
#define RTL_PATH 4096
const char *rtl_folder(char path[static RTL_PATH]);

/* Checks that every name of the list is a block, given once, and every path is there. */
bool rtl_names(const char *list, struct error *err);
/* Checks that every block of the list has an instance. */
bool rtl_all_used(const char *list, const struct rtl_uses *u, const char *machine, struct error *err);
/* Before the runs: every name of the list is a block, given once, used in some job's machine; this program can
 * load RTL; every machine uses at least one.  Without this check, a comparison of twins with RTL could silently compare
 * twins with twins. */
struct job;
bool rtl_check(const char *list, const struct job *jobs, uint32_t count, struct error *err);
/* After a run: every listed block that the machine uses ran as RTL, and no other block did. */
bool rtl_ran(const char *list, const struct config *c, uint32_t workloads, const struct rtl_uses *u, struct error *err);
#endif
