/* SPDX-License-Identifier: Apache-2.0 */
/* A config file of a text, for the time of reading it. */
#ifndef MEMTWIN_TESTS_INI_FILE_H
#define MEMTWIN_TESTS_INI_FILE_H
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system/config/config.h"

enum { INI_PATH = 32 };

/* As config_file; `path` gets the name that the file had. */
static inline bool ini_read(const char *text, struct config *c, struct sources *s, char path[INI_PATH],
                            struct error *err)
{
    snprintf(path, INI_PATH, "/tmp/memtwin-ini-XXXXXX");
    const int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    const bool ok = config_file(c, s, path, err);
    unlink(path);
    return ok;
}
#endif
