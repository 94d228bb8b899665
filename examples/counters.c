/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a workload on a machine and prints all counters as JSON.
 * usage: counters WORKLOAD [OPTION...]     counters vecadd:n=4096 preset=dlmshr-002-t3.2 l1d.ways=8 */
#include <inttypes.h>
#include <math.h>
#include <memtwin/memtwin.h>
#include <stdio.h>
#include <stdlib.h>

static int failed(const struct memtwin_error *err)
{
    fprintf(stderr, "counters: %s\n", err->text);
    return 1;
}

static bool print(const struct memtwin *m, struct memtwin_error *err)
{
    const size_t count = memtwin_counter_count();
    struct memtwin_value *values = calloc(count, sizeof *values);
    const bool ok = values && memtwin_counters(m, values, err);
    for (size_t i = 0; ok && i < count; i++) {
        printf("%s \"%s\": ", i ? ",\n" : "{", memtwin_counter_name(i));
        if (memtwin_counter_is_ratio(i) && isnan(values[i].ratio))
            printf("null"); /* its denominator is 0 */
        else if (memtwin_counter_is_ratio(i))
            printf("%.17g", values[i].ratio);
        else
            printf("%" PRIu64, values[i].whole);
    }
    if (ok) printf(" }\n");
    free(values);
    return ok;
}

int main(int argc, char **argv)
{
    struct memtwin_error err = {"usage: counters WORKLOAD [OPTION...]"};
    if (argc < 2) return failed(&err);
    struct memtwin *m = memtwin_create((const char *const *)argv + 2, (size_t)argc - 2, &err);
    const bool ok = m && memtwin_run(m, argv[1], 1, &err) && print(m, &err);
    memtwin_destroy(m);
    return ok ? 0 : failed(&err);
}
