/* SPDX-License-Identifier: Apache-2.0 */
/* Where the value of each option comes from: a paper's table, a simulator's file, or a choice with its reason.
 *
 * A default has its source in options.def.  In a preset or config file, "source = Gu20, table 3.2" holds for the lines
 * below it, up to the next such line:
 *     ways = 4                  Gu20, table 3.2
 *     ways = 4     ; 16 KB      Gu20, table 3.2: 16 KB
 *     ways = 4     ; from TEXT  TEXT
 *     ways = 4     ; chosen: REASON
 * In a file without such a line, the source of a value is "FILE:LINE". */
#ifndef MEMTWIN_CONFIG_SOURCE_H
#define MEMTWIN_CONFIG_SOURCE_H
#include "base/ini.h"
#include "system/config/options.h"

#define SOURCE_TEXT INI_TEXT

struct sources {
    char of[OPTIONS][SOURCE_TEXT]; /* by the option's number in option_list() */
};

/* The source of a value below "source = `file`" with this comment.  False and an error: "chosen" without a reason,
 * "from" without a source, or a text that is too long. */
bool source_of(const char *file, const char *comment, char text[static SOURCE_TEXT], struct error *err);
#endif
