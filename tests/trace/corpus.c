/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that fuzzing kept (tests/fuzz/READER.tar.gz, unpacked by tests/fuzz/fuzz.sh): each is read as the fuzzer reads
 * it. A crash, a leak (SAN=1) or a hang fails. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"
#include "support.h"

static void replay(const char *reader, void (*fuzz)(const uint8_t *, size_t))
{
    char path[512];
    const char *given = getenv("FUZZ_INPUTS"), *seeds = given ? given : "build/fuzz/seeds";
    snprintf(path, sizeof path, "%.200s/%s", seeds, reader);
    DIR *dir = opendir(path);
    cr_assert(dir, "no folder %s", path);
    unsigned inputs = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.') continue;
        size_t size;
        snprintf(path, sizeof path, "%.200s/%s/%.200s", seeds, reader, entry->d_name);
        uint8_t *data = read_file(path, &size);
        fuzz(data, size);
        free(data);
        inputs++;
    }
    closedir(dir);
    cr_assert_gt(inputs, 0);
}

Test(corpus, binary, .timeout = 60)
{
    replay("binary", fuzz_binary);
}

Test(corpus, text, .timeout = 60)
{
    replay("text", fuzz_text);
}

Test(corpus, accelsim, .timeout = 60)
{
    replay("accelsim", fuzz_accelsim);
}

Test(corpus, tracez, .timeout = 60)
{
    replay("tracez", fuzz_tracez);
}
