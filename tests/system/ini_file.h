/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a config file whose text stands in a test. */
#ifndef MEMTWIN_TESTS_INI_FILE_H
#define MEMTWIN_TESTS_INI_FILE_H
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "system/config/config.h"

enum { INI_PATH = 32 };

/* As config_file, of a file in memory; `path` gets its name. */
static inline bool ini_read(const char *text, struct config *c, struct sources *s, char path[INI_PATH],
                            struct error *err)
{
    const int fd = memfd_create("ini", 0);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    snprintf(path, INI_PATH, "/proc/self/fd/%d", fd);
    const bool ok = config_file(c, s, path, err);
    close(fd);
    return ok;
}
#endif
