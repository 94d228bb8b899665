/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "base/output.h"
#include "cli/result.h"

static bool standard(const char *path)
{
    return path && !strcmp(path, "-");
}

FILE *result_table_to(const struct result_files *f)
{
    return standard(f->json) || standard(f->csv) ? stderr : stdout;
}

static bool possible(const char *path, struct error *err)
{
    return !path || standard(path) || output_possible(path, err);
}

bool result_possible(const struct result_files *f, struct error *err)
{
    if (f->json && f->csv && (standard(f->json) ? standard(f->csv) : output_same(f->json, f->csv)))
        return error_set(err, "--csv: found \"%s\", which is also the file of --json", f->csv);
    return possible(f->json, err) && possible(f->csv, err);
}

typedef void writer(FILE *to, const struct result_files *f, const struct result *results, uint32_t count);

static void json(FILE *to, const struct result_files *f, const struct result *results, uint32_t count)
{
    result_json(to, results, count, f->threads);
}

static void csv(FILE *to, const struct result_files *f, const struct result *results, uint32_t count)
{
    (void)f;
    result_csv(to, results, count);
}

static bool write_one(writer *write, const char *path, const struct result_files *f, const struct result *results,
                      uint32_t count, struct error *err)
{
    struct output o;
    if (!path) return true;
    if (standard(path)) {
        write(stdout, f, results, count);
        return (!fflush(stdout) && !ferror(stdout)) || error_set(err, "standard output: %s", strerror(errno));
    }
    if (!output_open(&o, path, err)) return false;
    write(o.file, f, results, count);
    return output_commit(&o, err);
}

bool result_write(const struct result_files *f, const struct result *results, uint32_t count, struct error *err)
{
    return write_one(json, f->json, f, results, count, err) && write_one(csv, f->csv, f, results, count, err);
}
