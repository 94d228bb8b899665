/* SPDX-License-Identifier: Apache-2.0 */
#include "system/energy/energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/stats/law.h"

static const struct energy_block *find_block(const struct energy_model *m, const struct block_row *row)
{
    for (uint32_t i = 0; i < m->blocks; i++)
        if (!strcmp(m->block[i].block, row->block) && !strcmp(m->block[i].parameters, row->parameters))
            return &m->block[i];
    return NULL;
}

/* "l1d" of "l1d.0". */
static bool is_unit(const char *unit, const char *kind)
{
    const size_t n = strlen(kind);
    return !strncmp(unit, kind, n) && (!unit[n] || unit[n] == '.');
}

static const struct energy_ram *find_ram(const struct energy_model *m, const struct block_row *row)
{
    for (uint32_t i = 0; i < m->rams; i++)
        if (!strcmp(m->ram[i].block, row->block) && is_unit(row->unit, m->ram[i].unit)) return &m->ram[i];
    return NULL;
}

struct energy_machine energy_machine(const struct energy_model *m, const struct block_rows *rows)
{
    struct energy_machine machine = {.rows = rows, .fmax_mhz = (double)INFINITY};
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct energy_block *b = machine.known[i] = find_block(m, &rows->row[i]);
        machine.ram[i] = find_ram(m, &rows->row[i]);
        machine.area_mm2 += b ? b->area_um2 * rows->row[i].units / 1e6 : (double)NAN;
        machine.known_mm2 += b ? b->area_um2 * rows->row[i].units / 1e6 : 0;
        machine.fmax_mhz = !b || b->fmax_mhz < machine.fmax_mhz ? (b ? b->fmax_mhz : (double)NAN) : machine.fmax_mhz;
    }
    if (isnan(machine.area_mm2) || !rows->count) machine.fmax_mhz = (double)NAN;
    return machine;
}

static double value_of(const struct energy_factor *f, const struct config *c, const struct energy_machine *machine)
{
    return f->area ? machine->known_mm2 : f->option ? option_number(c, f->option) : f->number;
}

static bool whole(double femtojoules, uint64_t *result)
{
    if (!(femtojoules >= 0 && femtojoules < 0x1p63)) return false;
    *result = (uint64_t)llround(femtojoules);
    return true;
}

static const char *name_of(uint32_t counter)
{
    uint32_t count;
    return counter_list(&count)[counter].name;
}

bool energy_each(const struct energy_row *r, const struct config *c, const struct energy_machine *machine,
                 uint64_t *femtojoules, struct error *err)
{
    double product = 1000; /* a picojoule */
    for (uint32_t i = 0; i < r->factors; i++) {
        const double value = value_of(&r->factor[i], c, machine);
        product = r->factor[i].divides ? product / value : product * value;
    }
    return whole(product, femtojoules) ||
           error_set(err, "energy of %s: found %g fJ, expected 0 to 2^63", name_of(r->counter), product);
}

/* *sum += a * b. */
static bool add_product(uint64_t *sum, uint64_t a, uint64_t b)
{
    uint64_t product;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

/* Clock of the unit that a block is in, MHz. */
static double clock_of(const char *unit, const struct config *c)
{
    return config_mhz(!strncmp(unit, "l2.", 3)     ? c->clock_l2_khz
                      : !strncmp(unit, "xbar.", 5) ? c->clock_xbar_khz
                                                   : c->clock_sm_khz);
}

/* *sum += all units of a block, over the run, at so many picojoules a cycle of their clock. */
static bool add_cycles(uint64_t *sum, double pj, const struct block_row *row, const struct config *c,
                       const struct stats *s)
{
    uint64_t each; /* of one SM cycle */
    return whole(1000 * pj * row->units * clock_of(row->unit, c) / config_mhz(c->clock_sm_khz), &each) &&
           add_product(sum, each, s->gpu_cycles);
}

/* Words of the block's RAMs that are written and read: of all units of its kind. */
static uint64_t words_of(const struct energy_ram *ram, const struct counter_value *values)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; ram && i < ram->counters; i++) sum += values[ram->counter[i]].whole;
    return sum;
}

/* All units of a block over the run: its cycles if their energy is known, its RAMs and its clock tree. */
static bool of_block(const struct energy_machine *machine, uint32_t i, const struct config *c, const struct stats *s,
                     const struct counter_value *values, struct energy *e)
{
    uint64_t word;
    const struct energy_block *b = machine->known[i];
    const struct block_row *row = &machine->rows->row[i];
    if (!b) return true;
    e->words[i] = b->word_pj > 0 ? words_of(machine->ram[i], values) : 0;
    return (isnan(b->pj_per_cycle) || add_cycles(&e->block[i], b->pj_per_cycle, row, c, s)) &&
           whole(1000 * b->word_pj, &word) && add_product(&e->block[i], word, e->words[i]) &&
           add_cycles(&e->clock[i], b->clock_pj, row, c, s);
}

/* Sums of the parts and of all rows, taken apart: they must agree. */
static bool add_up(const struct energy_model *m, const struct energy_machine *machine, struct energy *e,
                   struct error *err)
{
    uint64_t parts = 0;
    bool fits = true;
    for (uint32_t i = 0; i < m->rows; i++)
        fits = fits && add_product(&e->part[m->row[i].part], 1, e->row[i]) && add_product(&e->total, 1, e->row[i]);
    for (uint32_t i = 0; i < machine->rows->count; i++)
        fits = fits && add_product(&e->part[energy_part_of_blocks(m)], 1, e->block[i]) &&
               add_product(&e->part[energy_part_of_clock(m)], 1, e->clock[i]) &&
               add_product(&e->total, 1, e->block[i]) && add_product(&e->total, 1, e->clock[i]);
    for (uint32_t i = 0; i < m->parts + ENERGY_BLOCK_PARTS; i++) parts += e->part[i];
    const struct law laws[] = {{"sum of the parts = total", true, parts, LAW_EQUAL, e->total}};
    return (fits || error_set(err, "energy: found more than 2^64 fJ")) && laws_hold("energy: ", LAWS(laws), err);
}

bool energy_of(const struct energy_model *m, const struct energy_machine *machine, const struct config *c,
               const struct stats *s, struct energy *e, struct error *err)
{
    uint32_t count;
    counter_list(&count);
    struct counter_value *values = calloc(count, sizeof *values);
    bool ok = values || error_set(err, "energy: out of memory");
    *e = (struct energy){.total = 0};
    if (ok) counter_values(s, c, values);
    for (uint32_t i = 0; ok && i < m->rows; i++) {
        uint64_t each;
        ok = energy_each(&m->row[i], c, machine, &each, err) &&
             (add_product(&e->row[i], each, values[m->row[i].counter].whole) ||
              error_set(err, "energy of %s: found more than 2^64 fJ", name_of(m->row[i].counter)));
    }
    for (uint32_t i = 0; ok && i < machine->rows->count; i++)
        ok = of_block(machine, i, c, s, values, e) ||
             error_set(err, "energy of block %s: found more than 2^64 fJ", machine->rows->row[i].block);
    free(values);
    return ok && add_up(m, machine, e, err);
}
