/* SPDX-License-Identifier: Apache-2.0 */
/* The options of config.h as data, to list, print, parse and save them; and the presets. */
#ifndef MEMTWIN_OPTIONS_H
#define MEMTWIN_OPTIONS_H
#include <stddef.h>
#include <stdint.h>

#include "system/config/config.h"

enum option_kind { OPTION_UINT, OPTION_DECIMAL, OPTION_LIST, OPTION_BOOL, OPTION_ENUM, OPTION_POLICY };

struct config_option {
    const char *key; /* "l1d.mshr.entries" */
    size_t length;   /* of the key */
    enum option_kind kind;
    uint32_t def, min, max; /* of a decimal: whole numbers, where its field has thousandths */
    uint32_t count;         /* numbers of a list */
    const char *names;      /* of an enum: "fr_fcfs|fcfs"; of a policy: the default */
    const char *text;
    size_t offset;        /* of its uint32_t, or of the first one of a list, in struct config */
    const char *policies; /* of a policy: its kind (policy.h) */
    const char *source;   /* of the default (source.h) */
    const char *needs;    /* conditions of option_use.h; NULL: every machine reads it */
    const char *several;  /* its values that divide a machine between workloads, "smk|ucp", "*": all; NULL: none */
    const char *alone;    /* in place of these in the run of a workload alone; NULL: the default */
    bool values;          /* a list that is no number for each workload */
};

enum {
#define OPT_UINT(field, ...) NUMBER_OF_##field,
#define OPT_DECIMAL OPT_UINT
#define OPT_LIST OPT_UINT
#define OPT_BOOL OPT_UINT
#define OPT_ENUM OPT_UINT
#define OPT_POLICY OPT_UINT
#include "system/config/options.def"
#undef OPT_UINT
#undef OPT_DECIMAL
#undef OPT_LIST
#undef OPT_BOOL
#undef OPT_ENUM
#undef OPT_POLICY
    OPTIONS
};

const struct config_option *option_list(uint32_t *count);
/* By its key; or a list for workloads by that of one of its numbers, "cke.blocks0".  NULL: none. */
const struct config_option *option_find(const char *key);
/* config_set(), and the option that it set; NULL and an error if none. */
const struct config_option *option_set(struct config *c, const char *assignment, struct error *err);
/* Of a list, the first; of a decimal, thousandths. */
uint32_t option_get(const struct config *c, const struct config_option *o);
/* Of a number or a decimal. */
double option_number(const struct config *c, const struct config_option *o);
uint32_t option_get_at(const struct config *c, const struct config_option *o, uint32_t i); /* of a list */
/* Its value as a config file gives it; always fits. */
#define OPTION_TEXT 64
void option_text(const struct config *c, const struct config_option *o, char text[static OPTION_TEXT]);
/* The i-th value of an enum or a policy; false past the last. */
bool option_value(const struct config_option *o, uint32_t i, char text[static OPTION_TEXT]);
/* Whether this is a value of an enum or a policy. */
bool option_has_value(const struct config_option *o, const char *value);
/* Allowed values: "2..512", "1..100, up to 3 decimals", "0..64, up to 8 numbers" of workloads, "0..1024, up to 10
 * values", "true or false", "fr_fcfs or fcfs". */
#define OPTION_ALLOWED 96
void option_allowed(const struct config_option *o, char text[static OPTION_ALLOWED]);

/* A preset is a config file of cmodel/system/config/presets/ carried inside the program. */
struct preset {
    const char *name;
    const char *text;
};

const struct preset *preset_get(uint32_t i);
uint32_t preset_count(void);
/* Its first comment line, shown by `memtwin list presets`. */
void preset_summary(const struct preset *p, char text[static 128]);
/* True if it describes a whole machine: it names a base.  Otherwise it modifies the machine so far. */
bool preset_is_machine(const struct preset *p);
#endif
