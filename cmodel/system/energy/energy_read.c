/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "system/energy/energy.h"

#define NOT_EVENTS "no_event"
#define BLOCK "block"
#define RAM "ram"

extern const char energies_text[], energy_blocks_text[]; /* energy.mk */

struct reader {
    struct energy_model *m;
    char source[SOURCE_TEXT]; /* of the lines below; "": none yet */
};

static const char *counter_name(const void *context, size_t i)
{
    uint32_t count;
    (void)context;
    return counter_list(&count)[i].name;
}

static bool find_counter(const char *name, uint32_t *found, struct error *err)
{
    uint32_t count;
    char near[NEAREST_TEXT];
    const struct counter *list = counter_list(&count);
    for (*found = 0; *found < count; ++*found)
        if (!strcmp(list[*found].name, name)) break;
    if (*found == count)
        return error_set(err, "found the counter \"%s\", expected one of memtwin list stats%s", name,
                         nearest_text(near, name, count, counter_name, NULL));
    return !list[*found].is_ratio || error_set(err, "found the ratio %s, expected a counter: events are counted", name);
}

static bool read_factor(struct energy_factor *f, const char *word, struct error *err)
{
    char *end;
    f->number = strtod(word, &end);
    if (!*end && isfinite(f->number) && f->number >= 0) return true;
    f->option = option_find(word);
    f->area = !strcmp(word, "area.blocks");
    return f->area || (f->option && (f->option->kind == OPTION_UINT || f->option->kind == OPTION_DECIMAL)) ||
           error_set(err, "found \"%s\", expected a number from 0 on, an option that is a number, or area.blocks",
                     word);
}

/* "40 * 32 / clock.sm". */
static bool read_product(struct energy_row *r, const char *text, struct error *err)
{
    char copy[INI_TEXT], *left = copy;
    bool wanted = true;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word; (word = strtok_r(left, " \t", &left));) {
        if (wanted && r->factors == ENERGY_FACTORS)
            return error_set(err, "found more than %d factors in \"%s\"", ENERGY_FACTORS, text);
        if (wanted && !read_factor(&r->factor[r->factors++], word, err)) return false;
        if (!wanted && strcmp(word, "*") && strcmp(word, "/"))
            return error_set(err, "found \"%s\" behind a factor of \"%s\", expected * or /", word, text);
        if (!wanted && r->factors < ENERGY_FACTORS) r->factor[r->factors].divides = *word == '/';
        wanted = !wanted;
    }
    return !wanted || error_set(err, "found \"%s\", expected an energy in picojoules: FACTOR * FACTOR / ...", text);
}

static bool find_part(struct energy_model *m, const char *name, uint32_t *found, struct error *err)
{
    for (*found = 0; *found < m->parts; ++*found)
        if (!strcmp(m->part[*found], name)) return true;
    if (m->parts == ENERGY_PARTS - ENERGY_BLOCK_PARTS)
        return error_set(err, "found part \"%s\", which is one more than %d", name, ENERGY_PARTS - ENERGY_BLOCK_PARTS);
    snprintf(m->part[m->parts++], ENERGY_NAME, "%.*s", ENERGY_NAME - 1, name);
    return true;
}

/* The model's row of this part, counter and label, or a new one. */
static struct energy_row *row_of(struct energy_model *m, const struct energy_row *r)
{
    for (uint32_t i = 0; i < m->rows; i++) {
        struct energy_row *old = &m->row[i];
        if (old->part == r->part && old->counter == r->counter && !strcmp(old->label, r->label)) return old;
    }
    return m->rows < ENERGY_ROWS ? &m->row[m->rows++] : NULL;
}

/* "COUNTER" or "COUNTER (LABEL)". */
static bool read_event(struct reader *rd, const char *part, char *key, const struct ini_item *item, struct error *err)
{
    struct energy_row r = {.factors = 0};
    const size_t n = strcspn(key, " \t");
    if (key[n] && sscanf(key + n, " (%31[^)])", r.label) != 1)
        return error_set(err, "found \"%s\", expected COUNTER or COUNTER (LABEL)", key);
    key[n] = 0;
    if (!find_counter(key, &r.counter, err)) return false;
    if (!source_of(rd->source, item->comment, r.source, err)) return false;
    if (!*r.source)
        return error_set(err, "%s: found no source, expected \"source = TEXT\" above it or \"; from TEXT\" behind it",
                         key);
    if (!read_product(&r, item->value, err) || !find_part(rd->m, part, &r.part, err)) return false;
    struct energy_row *row = row_of(rd->m, &r);
    if (!row) return error_set(err, "%s: found more than %d energies", key, ENERGY_ROWS);
    *row = r;
    rd->m->classed[r.counter] = true;
    return true;
}

/* "COUNTER = reason", or "PREFIX* = reason". */
static bool read_no_event(struct energy_model *m, const char *key, const char *reason, struct error *err)
{
    uint32_t count, one;
    const size_t n = strlen(key);
    const struct counter *list = counter_list(&count);
    bool some = false;
    if (!*reason) return error_set(err, "%s: found no reason, expected why it is no event", key);
    if (key[n - 1] != '*') return find_counter(key, &one, err) && (m->classed[one] = true);
    for (uint32_t i = 0; i < count; i++)
        if (!strncmp(list[i].name, key, n - 1)) some = m->classed[i] = true;
    return some || error_set(err, "found \"%s\", which no counter matches", key);
}

static struct energy_block *block_of(struct energy_model *m, const char *block, const char *parameters)
{
    for (uint32_t i = 0; i < m->blocks; i++)
        if (!strcmp(m->block[i].block, block) && !strcmp(m->block[i].parameters, parameters)) return &m->block[i];
    return m->blocks < ENERGY_BLOCKS ? &m->block[m->blocks++] : NULL;
}

/* Goes beyond "NUMBER WHAT, " if that is next. */
static bool read_optional(const char **text, const char *what, double *value)
{
    char *end;
    const double v = strtod(*text, &end);
    const size_t n = strlen(what);
    if (end == *text || strncmp(end, what, n)) return true;
    *value = v;
    *text = end + n;
    return isfinite(v) && v >= 0;
}

/* "BLOCK/SET = AREA um2, FMAX MHz, ENERGY pJ, [CLOCK pJ clock, ][WORD pJ a word, ]PARAMETERS"; "-" is no energy. */
static bool read_block(struct reader *rd, const char *key, const struct ini_item *item, struct error *err)
{
    struct energy_block b = {.pj_per_cycle = (double)NAN};
    char energy[ENERGY_NAME], *end = energy;
    int parameters = 0;
    if (sscanf(key, "%31[^/]/%31s", b.block, b.set) != 2)
        return error_set(err, "found \"%s\", expected BLOCK/SET", key);
    sscanf(item->value, "%lf um2, %lf MHz, %31s pJ, %n", &b.area_um2, &b.fmax_mhz, energy, &parameters);
    const bool has_energy = parameters && strcmp(energy, "-");
    if (has_energy) b.pj_per_cycle = strtod(energy, &end);
    const bool is_energy = !has_energy || (end != energy && !*end && isfinite(b.pj_per_cycle) && b.pj_per_cycle >= 0);
    const char *rest = item->value + parameters;
    const bool is_rest = read_optional(&rest, " pJ clock, ", &b.clock_pj) &&
                         read_optional(&rest, " pJ a word, ", &b.word_pj) && isalpha((unsigned char)*rest);
    if (!parameters || !isfinite(b.area_um2 + b.fmax_mhz) || b.area_um2 < 0 || b.fmax_mhz <= 0 || !is_energy ||
        !is_rest)
        return error_set(err,
                         "%s: found \"%s\", expected AREA um2, FMAX MHz, ENERGY pJ, [CLOCK pJ clock, ][WORD pJ a word, "
                         "]PARAMETERS (ENERGY of a cycle; \"-\": none)",
                         key, item->value);
    snprintf(b.parameters, sizeof b.parameters, "%s", rest);
    if (!source_of(rd->source, item->comment, b.source, err)) return false;
    if (!*b.source) return error_set(err, "%s: found no source, expected \"source = TEXT\" above it", key);
    struct energy_block *block = block_of(rd->m, b.block, b.parameters);
    if (!block) return error_set(err, "%s: found more than %d blocks", key, ENERGY_BLOCKS);
    *block = b;
    return true;
}

static struct energy_ram *ram_of(struct energy_model *m, const struct energy_ram *r)
{
    for (uint32_t i = 0; i < m->rams; i++)
        if (!strcmp(m->ram[i].unit, r->unit) && !strcmp(m->ram[i].block, r->block)) return &m->ram[i];
    return m->rams < ENERGY_RAMS ? &m->ram[m->rams++] : NULL;
}

/* "UNIT/BLOCK = COUNTER + COUNTER ...". */
static bool read_ram(struct energy_model *m, const char *key, const char *value, struct error *err)
{
    struct energy_ram r = {.counters = 0};
    char copy[INI_TEXT], *left = copy;
    if (sscanf(key, "%31[^/]/%31s", r.unit, r.block) != 2)
        return error_set(err, "found \"%s\", expected UNIT/BLOCK", key);
    snprintf(copy, sizeof copy, "%s", value);
    for (char *word; (word = strtok_r(left, " \t+", &left));) {
        if (r.counters == ENERGY_RAM_COUNTERS)
            return error_set(err, "%s: found more than %d counters in \"%s\"", key, ENERGY_RAM_COUNTERS, value);
        if (!find_counter(word, &r.counter[r.counters++], err)) return false;
    }
    if (!r.counters) return error_set(err, "%s: found \"%s\", expected COUNTER + COUNTER ...", key, value);
    struct energy_ram *ram = ram_of(m, &r);
    if (!ram) return error_set(err, "%s: found more than %d lines", key, ENERGY_RAMS);
    *ram = r;
    return true;
}

static bool take(void *context, const struct ini_item *item, struct error *err)
{
    struct reader *rd = context;
    char part[INI_TEXT], *key;
    snprintf(part, sizeof part, "%s", item->key);
    key = strchr(part, '.');
    if (!strcmp(key ? key + 1 : part, "source")) return source_of(item->value, "", rd->source, err);
    if (!key || key - part >= ENERGY_NAME)
        return error_set(
            err, "found \"%s\" in no section, expected it below [PART], [" BLOCK "], [" RAM "] or [" NOT_EVENTS "]",
            item->key);
    *key++ = 0;
    if (!strcmp(part, NOT_EVENTS)) return read_no_event(rd->m, key, item->value, err);
    if (!strcmp(part, BLOCK)) return read_block(rd, key, item, err);
    if (!strcmp(part, RAM)) return read_ram(rd->m, key, item->value, err);
    return read_event(rd, part, key, item, err);
}

bool energy_read(struct energy_model *m, const char *text, const char *name, struct error *err)
{
    uint32_t count;
    struct reader rd = {.m = m};
    counter_list(&count);
    if (count > ENERGY_COUNTERS)
        return error_set(err, "%s: found %u counters, expected at most ENERGY_COUNTERS", name, count);
    return ini_parse(text, name, take, &rd, err);
}

bool energy_default(struct energy_model *m, struct error *err)
{
    return energy_read(m, energies_text, "energies.ini", err) &&
           energy_read(m, energy_blocks_text, "energy_blocks.ini", err);
}

bool energy_is_complete(const struct energy_model *m, struct error *err)
{
    uint32_t count;
    const struct counter *list = counter_list(&count);
    for (uint32_t i = 0; i < count; i++)
        if (!list[i].is_ratio && !m->classed[i])
            return error_set(err,
                             "%s: found no energy of this counter, expected one below [PART] of a file of --energy, "
                             "or the counter below [" NOT_EVENTS "]",
                             list[i].name);
    return true;
}
