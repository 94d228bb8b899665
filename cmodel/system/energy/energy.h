/* SPDX-License-Identifier: Apache-2.0 */
/* The energy of a run: its counters times a table of energies (README.md).
 *
 * Energies are whole femtojoules, so that sums are exact: the parts of a run add up to its total, and those of its
 * intervals to the run's. */
#ifndef MEMTWIN_ENERGY_H
#define MEMTWIN_ENERGY_H
#include "system/block/block_rows.h"
#include "system/config/source.h"
#include "system/stats/counters.h"

enum {
    ENERGY_ROWS = 96,
    ENERGY_PARTS = 16,
    ENERGY_BLOCKS = 256,
    ENERGY_RAMS = 32,
    ENERGY_RAM_COUNTERS = 4,
    ENERGY_FACTORS = 12,
    ENERGY_NAME = 32,
    ENERGY_COUNTERS = 512
};

/* A number or an option of the machine. */
struct energy_factor {
    const struct config_option *option; /* NULL: a number, or the area */
    double number;
    bool area, divides; /* area: mm^2 of the machine's blocks */
};

/* An event: an energy for each count of a counter. */
struct energy_row {
    uint32_t part, counter;  /* counter: in counter_list() */
    char label[ENERGY_NAME]; /* tells several rows of a counter apart; "": the counter alone */
    struct energy_factor factor[ENERGY_FACTORS];
    uint32_t factors;
    char source[SOURCE_TEXT];
};

/* A block with these parameters, as synthesized. */
struct energy_block {
    char block[ENERGY_NAME], set[ENERGY_NAME], parameters[INI_TEXT];
    double area_um2, fmax_mhz, pj_per_cycle; /* NaN: no energy, since no run was captured */
    double clock_pj, word_pj; /* the clock tree in a cycle; a word of its RAMs, written and read; 0: none */
    char source[SOURCE_TEXT];
};

/* The counters whose sum is how many words of a block's RAMs are written and read, in all units of the kind. */
struct energy_ram {
    char unit[ENERGY_NAME], block[ENERGY_NAME]; /* unit: "l1d" */
    uint32_t counter[ENERGY_RAM_COUNTERS], counters;
};

struct energy_model {
    char part[ENERGY_PARTS][ENERGY_NAME];
    struct energy_row row[ENERGY_ROWS];
    struct energy_block block[ENERGY_BLOCKS];
    struct energy_ram ram[ENERGY_RAMS];
    uint32_t parts, rows, blocks, rams;
    bool classed[ENERGY_COUNTERS]; /* by counter: it is an event, or listed as none */
};

/* The blocks of a machine in the model. */
struct energy_machine {
    const struct energy_block *known[BLOCK_ROWS]; /* NULL: not in the model */
    const struct energy_ram *ram[BLOCK_ROWS];     /* NULL: nothing counts the words of its RAMs */
    const struct block_rows *rows;
    double area_mm2, fmax_mhz; /* of all blocks; NaN: one is not in the model */
    double known_mm2;          /* of those in the model */
};

struct energy {
    uint64_t row[ENERGY_ROWS], block[BLOCK_ROWS], clock[BLOCK_ROWS]; /* femtojoules; of a block, all its units */
    uint64_t words[BLOCK_ROWS];                                      /* of its RAMs, written and read */
    uint64_t part[ENERGY_PARTS], total;
};

/* The parts: those of the model's events, the blocks, and their clock trees. */
enum { ENERGY_BLOCK_PARTS = 2 };
static inline uint32_t energy_part_of_blocks(const struct energy_model *m)
{
    return m->parts;
}
static inline uint32_t energy_part_of_clock(const struct energy_model *m)
{
    return m->parts + 1;
}

/* The tables carried inside the program: energies.ini and energy_blocks.ini. */
bool energy_default(struct energy_model *m, struct error *err);
/* Adds a file: a row that the model already has replaces it.  `m` is all 0 before the first. */
bool energy_read(struct energy_model *m, const char *text, const char *name, struct error *err);
/* Whether every counter is an event with an energy, or listed as none; an error names the first that is not. */
bool energy_is_complete(const struct energy_model *m, struct error *err);

/* `rows` must outlive the result. */
struct energy_machine energy_machine(const struct energy_model *m, const struct block_rows *rows);
/* Femtojoules of one count; an error if it is none or above 2^63. */
bool energy_each(const struct energy_row *r, const struct config *c, const struct energy_machine *machine,
                 uint64_t *femtojoules, struct error *err);
/* Of a run or of a part of it. */
bool energy_of(const struct energy_model *m, const struct energy_machine *machine, const struct config *c,
               const struct stats *s, struct energy *e, struct error *err);
#endif
