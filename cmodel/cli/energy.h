/* SPDX-License-Identifier: Apache-2.0 */
/* --energy: the energy of each run, in its table and files. */
#ifndef MEMTWIN_CLI_ENERGY_H
#define MEMTWIN_CLI_ENERGY_H
#include "cli/cke.h"
#include "system/energy/energy.h"

/* Of one run; its machine points into it. */
struct run_energy {
    const struct energy_model *model;
    struct block_rows blocks;
    struct energy_machine machine;
    struct energy energy;
};

/* Adds the file to the model; NULL: only the tables of the program, which come first in any case. */
bool run_energy_read(struct energy_model *m, const char *path, struct error *err);
/* All 0 but the model; NULL if there is none, or no memory. */
struct run_energy *run_energy_begin(const struct energy_model *m);
/* At the end of a run; `e` is what run_energy_begin(m) returned. */
bool run_energy_end(const struct energy_model *m, struct run_energy *e, const struct config *c, const struct stats *s,
                    struct error *err);
/* Calls a number of `to` for each counter of --energy: "energy.l1d", "energy.total", "area.blocks", "fmax.blocks". */
void run_energy_numbers(const struct run_energy *e, const struct config *c, const struct stats *s,
                        const struct cke_sink *to);
/* A run's rows: event, count, energy, source. */
json_t *run_energy_json(const struct run_energy *e, const struct config *c, const struct stats *s);
/* Parts as rows, runs as columns of this width. */
void run_energy_table(FILE *to, int label, int width, const struct result *results, uint32_t count);
/* memtwin list energies. */
void run_energy_list(void);
#endif
