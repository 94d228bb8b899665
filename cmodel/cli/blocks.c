/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/blocks.h"

#include <string.h>

#include "cli/command.h"
#include "lib/workloads.h"
#include "system/block/block_rows.h"

static void add(void *context, const struct block_ops *face, const void *cfg, const char *unit)
{
    block_rows_add(context, face, cfg, unit);
}

static bool build(const struct job *j, struct block_rows *rows, struct error *err)
{
    const struct observer observer = {.block = add, .context = rows};
    struct workloads w = {.config = &j->result.config, .seed = j->result.seed, .observer = &observer};
    w.name[0] = j->workload;
    memcpy(w.name + 1, j->beside, sizeof j->beside);
    bool ok = workloads_open(&w, err);
    for (uint32_t i = 0; ok && run_needs_ranges(w.config) && i < w.count; i++) ok = workloads_collect(&w, i, err);
    ok = ok && workloads_build(&w, err);
    workloads_close(&w);
    return ok;
}

/* The name of a workload as it is printed; NULL after the last one. */
static const char *name_of(const struct job *j, uint32_t i, struct error *text)
{
    const char *name = i == MAX_WORKLOADS ? NULL : i ? j->beside[i - 1] : j->workload;
    *text = (struct error){""};
    if (name) error_set(text, "%s", name);
    return name ? text->text : NULL;
}

static void print(FILE *to, const struct job *j, const struct block_rows *rows)
{
    struct error text;
    for (uint32_t i = 0; name_of(j, i, &text); i++) fprintf(to, "%s%s", i ? " + " : "", text.text);
    fprintf(to, "%s%s\n", j->result.case_name ? " " : "", j->result.case_name ? j->result.case_name : "");
    fprintf(to, "  %-16s %5s  %s\n", "block", "units", "parameters");
    for (uint32_t i = 0; i < rows->count; i++)
        fprintf(to, "  %-16s %5u  %s\n", rows->row[i].block, rows->row[i].units, rows->row[i].parameters);
}

static json_t *json_of(const struct job *j, const struct block_rows *rows)
{
    json_t *blocks = json_array(), *names = json_array();
    struct error text;
    for (uint32_t i = 0; name_of(j, i, &text); i++) json_array_append_new(names, json_string(text.text));
    for (uint32_t i = 0; i < rows->count; i++)
        json_array_append_new(blocks, json_pack("{s:s, s:i, s:s, s:s}", "block", rows->row[i].block, "units",
                                                (int)rows->row[i].units, "unit", rows->row[i].unit, "parameters",
                                                rows->row[i].parameters));
    return json_pack("{s:o, s:s?, s:o}", "workloads", names, "case", j->result.case_name, "blocks", blocks);
}

int blocks_show(const struct job *jobs, uint32_t count, const struct result_files *files, bool quiet)
{
    struct error err = {""};
    json_t *list = json_array();
    bool ok = result_possible(files, &err);
    for (uint32_t i = 0; ok && i < count; i++) {
        struct block_rows rows = {.count = 0};
        ok = build(&jobs[i], &rows, &err);
        if (ok && !quiet) print(result_table_to(files), &jobs[i], &rows);
        if (ok) json_array_append_new(list, json_of(&jobs[i], &rows));
    }
    ok = ok && result_write_value(files, list, &err);
    json_decref(list);
    return ok ? 0 : command_error(&err);
}
