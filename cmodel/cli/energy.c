/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/energy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_file.h"
#include "cli/number.h"

#define BLOCKS "blocks"
#define CLOCK "clock"
#define TOTAL "total"

static bool names_are_free(const struct energy_model *m, const char *path, struct error *err)
{
    for (uint32_t i = 0; i < m->parts; i++)
        if (!strcmp(m->part[i], BLOCKS) || !strcmp(m->part[i], CLOCK) || !strcmp(m->part[i], TOTAL))
            return error_set(err, "%s: found part [%s], expected another name: energy.%s is computed", path, m->part[i],
                             m->part[i]);
    return true;
}

bool run_energy_read(struct energy_model *m, const char *path, struct error *err)
{
    if (!m->rows && !energy_default(m, err)) return false;
    char *text = path ? text_file_read(path, err) : NULL;
    const bool ok = !path || (text && energy_read(m, text, path, err) && names_are_free(m, path, err));
    free(text);
    return ok;
}

struct run_energy *run_energy_begin(const struct energy_model *m)
{
    struct run_energy *e = m ? calloc(1, sizeof *e) : NULL;
    if (e) e->model = m;
    return e;
}

bool run_energy_end(const struct energy_model *m, struct run_energy *e, const struct config *c, const struct stats *s,
                    struct error *err)
{
    if (!e) return !m || error_set(err, "--energy: out of memory");
    e->machine = energy_machine(e->model, &e->blocks);
    return energy_of(e->model, &e->machine, c, s, &e->energy, err);
}

static uint32_t part_count(const struct energy_model *m)
{
    return m->parts + ENERGY_BLOCK_PARTS;
}

static const char *part_name(const struct energy_model *m, uint32_t part)
{
    return part == energy_part_of_blocks(m) ? BLOCKS : part == energy_part_of_clock(m) ? CLOCK : m->part[part];
}

void run_energy_numbers(const struct run_energy *e, const struct config *c, const struct stats *s,
                        const struct cke_sink *to)
{
    struct energy sum;
    struct error ignored = {""}; /* the run's own energy is above that of any part of it, and it fitted */
    char name[ENERGY_NAME + 8];
    if (!e || !energy_of(e->model, &e->machine, c, s, &sum, &ignored)) return;
    for (uint32_t i = 0; i < part_count(e->model); i++) {
        snprintf(name, sizeof name, "energy.%s", part_name(e->model, i));
        to->whole(to->context, name, sum.part[i]);
    }
    to->whole(to->context, "energy." TOTAL, sum.total);
    to->ratio(to->context, "area.blocks", e->machine.area_mm2);
    to->ratio(to->context, "fmax.blocks", e->machine.fmax_mhz);
}

static json_t *events_json(const struct run_energy *e, const struct config *c, const struct stats *s)
{
    uint32_t count;
    const struct counter *list = counter_list(&count);
    json_t *array = json_array();
    struct counter_value *values = calloc(count, sizeof *values);
    if (values) counter_values(s, c, values);
    for (uint32_t i = 0; values && i < e->model->rows; i++) {
        const struct energy_row *r = &e->model->row[i];
        struct error ignored = {""};
        uint64_t each = 0;
        energy_each(r, c, &e->machine, &each, &ignored);
        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:s}", "part", e->model->part[r->part],
                                        "counter", list[r->counter].name, "label", r->label, "count",
                                        (json_int_t)values[r->counter].whole, "femtojoules_each", (json_int_t)each,
                                        "femtojoules", (json_int_t)e->energy.row[i], "source", r->source));
    }
    free(values);
    return array;
}

static json_t *blocks_json(const struct run_energy *e)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < e->blocks.count; i++) {
        const struct energy_block *b = e->machine.known[i];
        const struct block_row *r = &e->blocks.row[i];
        json_array_append_new(
            array,
            json_pack("{s:s, s:s?, s:s, s:i, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:s?}", "block", r->block, "set",
                      b ? b->set : NULL, "parameters", r->parameters, "units", (int)r->units, "area_um2",
                      number_json(b ? b->area_um2 : (double)NAN), "pj_per_cycle",
                      number_json(b ? b->pj_per_cycle : (double)NAN), "pj_clock",
                      number_json(b ? b->clock_pj : (double)NAN), "pj_word", number_json(b ? b->word_pj : (double)NAN),
                      "words", (json_int_t)e->energy.words[i], "femtojoules", (json_int_t)e->energy.block[i],
                      "femtojoules_clock", (json_int_t)e->energy.clock[i], "source", b ? b->source : NULL));
    }
    return array;
}

json_t *run_energy_json(const struct run_energy *e, const struct config *c, const struct stats *s)
{
    return json_pack("{s:o, s:o}", "events", events_json(e, c, s), "blocks", blocks_json(e));
}

struct columns {
    FILE *to;
    int label, width;
    const struct result *results;
    uint32_t count;
};

static bool has_energy(const struct result *r)
{
    return r->energy && !r->err.text[0];
}

/* Microjoules of part `part`; past the last, of all. */
static double microjoules(const struct run_energy *e, uint32_t part)
{
    return (double)(part == part_count(e->model) ? e->energy.total : e->energy.part[part]) / 1e9;
}

static void print_part(const struct columns *c, const char *name, uint32_t part)
{
    fprintf(c->to, "  %-*s", c->label - 2, name);
    for (uint32_t i = 0; i < c->count; i++) {
        char text[NUMBER_TEXT];
        const struct result *r = &c->results[i];
        number_text(text, has_energy(r) ? microjoules(r->energy, part) : (double)NAN, 3);
        fprintf(c->to, " %*s", c->width, text);
    }
    fputc('\n', c->to);
}

static const char *missing_of(const struct run_energy *e, uint32_t i)
{
    const struct energy_block *b = e->machine.known[i];
    if (!b) return "area and energy";
    if (isnan(b->pj_per_cycle)) return "the energy of a cycle";
    return b->word_pj > 0 && !e->machine.ram[i] ? "the energy of its RAMs" : NULL;
}

/* Blocks whose energy, or some of it, is in no part. */
static void print_missing(FILE *to, const struct result *r)
{
    for (uint32_t i = 0; i < r->energy->blocks.count; i++) {
        const char *missing = missing_of(r->energy, i);
        const struct energy_block *b = r->energy->machine.known[i];
        const struct block_row *row = &r->energy->blocks.row[i];
        if (!missing) continue;
        fprintf(to, "  without %s: %s%s%" PRIu32 " x %s%s%s\n", missing, r->case_name ? r->case_name : "",
                r->case_name ? ": " : "", row->units, row->block, b ? "/" : " ", b ? b->set : row->parameters);
    }
}

void run_energy_table(FILE *to, int label, int width, const struct result *results, uint32_t count)
{
    const struct columns c = {to, label, width, results, count};
    const struct energy_model *m = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (has_energy(&results[i])) m = results[i].energy->model;
    if (!m) return;
    fprintf(to, "Energy, uJ\n");
    for (uint32_t i = 0; i < part_count(m); i++) print_part(&c, part_name(m, i), i);
    print_part(&c, "total", part_count(m));
    for (uint32_t i = 0; i < count; i++)
        if (has_energy(&results[i])) print_missing(to, &results[i]);
}

void run_energy_list(void)
{
    struct energy_model *m = calloc(1, sizeof *m);
    struct error err = {""};
    struct config c;
    uint32_t count;
    const struct counter *list = counter_list(&count);
    const struct block_rows none = {.count = 0};
    config_default(&c);
    if (!m || !energy_default(m, &err)) fprintf(stderr, "memtwin: %s\n", err.text);
    const struct energy_machine machine = energy_machine(m, &none);
    printf("%-12s %-44s %14s  %s\n", "part", "counter", "pJ, defaults", "source");
    for (uint32_t i = 0; m && i < m->rows; i++) {
        const struct energy_row *r = &m->row[i];
        char event[96];
        uint64_t each = 0;
        snprintf(event, sizeof event, *r->label ? "%s (%s)" : "%s", list[r->counter].name, r->label);
        energy_each(r, &c, &machine, &each, &err);
        printf("%-12s %-44s %14.3f  %s\n", m->part[r->part], event, (double)each / 1000, r->source);
    }
    free(m);
}
