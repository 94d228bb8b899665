/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/gpgpusim_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/text_file.h"
#include "lib/gpgpusim.h"
#include "lib/gpgpusim_forms.h"
#include "lib/gpgpusim_readers.h"
#include "system/config/option_use.h"

#define BASE(assignment) assignment,
static const char *const base[] = {
#include "lib/gpgpusim.def"
};
enum { BASES = sizeof base / sizeof *base };

static const struct gpgpusim_row *row_of(const struct gpgpusim_row *rows, size_t count, const char *name)
{
    const struct gpgpusim_row *best = NULL;
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t n = strcspn(rows[i].name, "*");
        if (!strcmp(rows[i].name, name)) return &rows[i];
        if (rows[i].name[n] && n > length && !strncmp(rows[i].name, name, n)) {
            best = &rows[i];
            length = n;
        }
    }
    return best;
}

static const char *row_name(const void *rows, size_t i)
{
    return ((const struct gpgpusim_row *)rows)[i].name;
}

static struct gpgpusim_item *item_named(struct gpgpusim_reading *r, const char *name)
{
    for (int f = GPGPUSIM_FILES; f--;)
        for (uint32_t i = 0; i < r->files[f].count; i++) {
            struct gpgpusim_item *item = &r->files[f].at[i];
            if (!item->replaced && !strcmp(item->name, name)) return item;
        }
    return NULL;
}

/* ---- one step after the other */

/* Makes the option of that name the one being read, or one with the default `value` that no file has. */
static struct gpgpusim_item *about(struct gpgpusim_reading *r, const char *name, const char *value)
{
    struct gpgpusim_item *item = item_named(r, name);
    free(r->plain.note);
    r->plain = (struct gpgpusim_item){.file = "default", .name = name, .value = value};
    return r->item = item ? item : &r->plain;
}

static bool read_row(struct gpgpusim_reading *r, const struct gpgpusim_row *row, bool whole)
{
    struct gpgpusim_item *item = about(r, row->name, row->plain);
    if (item == &r->plain && !(whole && row->plain)) return true;
    item->row = row;
    item->mapped = true;
    return row->read(r, item->value);
}

static bool read_rows(struct gpgpusim_reading *r, int file, bool whole)
{
    size_t count;
    const struct gpgpusim_row *rows = gpgpusim_rows(file, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].read && !read_row(r, &rows[i], whole)) return false;
    return true;
}

static void fit_cache(struct gpgpusim_reading *r, const char *section, const char *option, uint32_t sets)
{
    char key[64], text[OPTION_TEXT];
    about(r, option, NULL);
    option_text(r->c, option_find(gpgpusim_key_in(key, section, "index")), text);
    if ((!strcmp(text, "fermi") && sets != 32) || (sets == 1 && strcmp(text, "bmod"))) {
        gpgpusim_note(r, "indexes sets by the low bits: the function %s is for %s", text,
                      sets == 1 ? "several sets" : "32 sets");
        gpgpusim_put_text(r, key, "bmod");
    }
}

static void fit_sectors(struct gpgpusim_reading *r)
{
    about(r, "-gpgpu_coalesce_arch", NULL);
    if (r->c->l1d_sector_bytes && r->c->sm_coalesce != COALESCE_SECTOR) {
        gpgpusim_note(r, "coalesces by 32 bytes, as an L1D with sectors needs");
        gpgpusim_put_text(r, "sm.coalesce", "sector");
    }
}

static void fit_l2_queues(struct gpgpusim_reading *r)
{
    about(r, "-gpgpu_dram_partition_queues", NULL);
    if (r->c->l2_sector_bytes && r->c->l2_input_queue < 4) {
        gpgpusim_note(r, "l2.input_queue = 4, for the sectors of a line");
        gpgpusim_put(r, "l2.input_queue", 4);
    }
    if (r->to_dram != r->c->l2_miss_queue)
        gpgpusim_note(r, "the queue to DRAM is the miss queue of -gpgpu_cache:dl2, l2.miss_queue = %u",
                      r->c->l2_miss_queue);
    about(r, "-gpgpu_cache:dl2", NULL);
    if (r->c->l2_write_miss == WRITE_MISS_THROUGH && r->c->l2_miss_queue < 3) {
        gpgpusim_note(r, "l2.miss_queue = 3, for a write, its read and its victim");
        gpgpusim_put(r, "l2.miss_queue", 3);
    }
}

static void at_least(struct gpgpusim_reading *r, const char *key, uint32_t found, uint32_t least)
{
    if (found >= least) return;
    gpgpusim_note(r, "%s = %u, the least with the others", key, least);
    gpgpusim_put(r, key, least);
}

static void fit_dram(struct gpgpusim_reading *r)
{
    about(r, "-gpgpu_dram_timing_opt", NULL);
    if (r->c->dram_bank_groups > r->c->dram_banks) {
        gpgpusim_note(r, "dram.bank_groups = %u, one for each bank", r->c->dram_banks);
        gpgpusim_put(r, "dram.bank_groups", r->c->dram_banks);
    }
    at_least(r, "dram.t.ccdl", r->c->dram_t_ccdl, r->c->dram_t_ccd);
    at_least(r, "dram.t.rc", r->c->dram_t_rc, r->c->dram_t_ras);
    char value[GPGPUSIM_VALUE], here[65], there[65];
    struct gpgpusim_item *map = about(r, "-gpgpu_mem_addr_mapping", NULL);
    at_least(r, "dram.row_bytes", r->c->dram_row_bytes, 4 * r->c->dram_atom_bytes);
    gpgpusim_value(r->c, "-gpgpu_mem_addr_mapping", value);
    gpgpusim_map_letters(value, here);
    if (map->value) gpgpusim_map_letters(map->value, there);
    if (map->value && strcmp(here, there))
        gpgpusim_note(r, "banks and columns at other bits: %s", strrchr(value, ';') + 1);
}

/* Shared memory never has more than the largest choice, and the L1D keeps a way. */
static uint32_t usable_choices(struct gpgpusim_reading *r)
{
    uint32_t n = 0;
    about(r, "-gpgpu_shmem_option", NULL);
    for (uint32_t i = 0; i < r->choices; i++)
        if (r->choice[i] >= r->unified)
            gpgpusim_note(r, "without %" PRIu64 ", beside which an L1D has no way", r->choice[i]);
        else if (!n || r->choice[i] != r->choice[n - 1])
            r->choice[n++] = r->choice[i];
    return n;
}

static void put_choices(struct gpgpusim_reading *r, uint32_t count)
{
    char text[24 * CHOICES] = "";
    for (uint32_t i = 0, n = 0; i < count; i++)
        n += (uint32_t)snprintf(text + n, sizeof text - n, "%s%" PRIu64, i ? "," : "", r->choice[i]);
    gpgpusim_put_text(r, "sm.shared_choices", text);
}

static void put_unified(struct gpgpusim_reading *r)
{
    about(r, "-gpgpu_unified_l1d_size", NULL);
    gpgpusim_put(r, "sm.unified_kib", r->unified);
    gpgpusim_put(r, "l1d.ways", r->unified * 1024 / (128 * r->c->l1d_sets));
}

/* The ways of -gpgpu_cache:dl1 are those of a part of the unified memory. */
static void fit_split(struct gpgpusim_reading *r)
{
    if (!r->splits || !r->c->l1d_enable) return;
    const uint32_t count = usable_choices(r);
    const uint64_t most = count ? r->choice[count - 1] : 0;
    if (!most) {
        about(r, "-gpgpu_adaptive_cache_config", NULL);
        gpgpusim_lacks(r, "no choice leaves both a shared memory and an L1D: both keep their sizes");
        return;
    }
    put_choices(r, count);
    put_unified(r);
    about(r, "-gpgpu_shmem_size", NULL);
    if (r->c->sm_shared_bytes > most * 1024) {
        gpgpusim_note(r, "sm.shared_bytes = %" PRIu64 ", the largest of -gpgpu_shmem_option", most * 1024);
        gpgpusim_put(r, "sm.shared_bytes", most * 1024);
    }
    about(r, "-gpgpu_cache:dl1", NULL);
    if (r->streams) gpgpusim_note(r, "also in a kernel without shared memory, where it allocates on a miss");
}

static void fit(struct gpgpusim_reading *r)
{
    fit_split(r);
    fit_cache(r, "l1d", "-gpgpu_cache:dl1", r->c->l1d_sets);
    fit_cache(r, "l2", "-gpgpu_cache:dl2", r->c->l2_sets);
    fit_sectors(r);
    fit_l2_queues(r);
    fit_dram(r);
}

/* An option that no reader took. */
static void classify(struct gpgpusim_reading *r, struct gpgpusim_item *item, int file)
{
    size_t count;
    const struct gpgpusim_row *rows = gpgpusim_rows(file, &count);
    char ours[GPGPUSIM_VALUE], near[NEAREST_TEXT];
    if (item->replaced || (item->row && item->row->read)) return;
    r->item = item;
    item->row = row_of(rows, count, item->name);
    if (item->row && item->row->read) {
        gpgpusim_lacks(r, "another file gives it, too");
        return;
    }
    if (!item->row) {
        char text[NEAREST_TEXT + 32];
        snprintf(text, sizeof text, "unknown%s", nearest_text(near, item->name, count, row_name, rows));
        gpgpusim_lacks(r, text);
        return;
    }
    if (item->row->here)
        gpgpusim_value(r->c, item->name, ours);
    else
        snprintf(ours, sizeof ours, "%s", item->row->plain ? item->row->plain : "");
    item->mapped = !strcmp(ours, item->value);
    if (!item->mapped) gpgpusim_lacks(r, item->row->instead);
}

static void classify_all(struct gpgpusim_reading *r)
{
    for (int f = 0; f < GPGPUSIM_FILES; f++)
        for (uint32_t i = 0; i < r->files[f].count; i++) classify(r, &r->files[f].at[i], f);
}

/* ---- what memtwin wrote in comments */

/* The next such comment from `text` on, behind its mark, and moves `line` there; NULL: none. */
static const char *next_noted(const char *text, uint32_t *line)
{
    const size_t mark = strlen(GPGPUSIM_NOTED);
    for (;; ++*line) {
        if (!strncmp(text, GPGPUSIM_NOTED, mark)) return text + mark;
        text = strchr(text, '\n');
        if (!text++) return NULL;
    }
}

static bool has_word(const char *words, const char *key)
{
    const size_t n = strlen(key);
    for (; *words; words += strspn(words, " ")) {
        const size_t word = strcspn(words, " ");
        if (word == n && !strncmp(words, key, n)) return true;
        words += word;
    }
    return false;
}

/* Whether a line of the file says something else than a machine with the noted options. */
static bool is_overruled(struct gpgpusim_reading *r, const struct config *noted, const char *key)
{
    size_t count;
    char value[GPGPUSIM_VALUE];
    for (int f = GPGPUSIM_MAIN; f <= GPGPUSIM_ICNT; f += GPGPUSIM_ICNT) {
        const struct gpgpusim_row *rows = gpgpusim_rows(f, &count);
        for (size_t i = 0; i < count; i++) {
            if (!rows[i].read || !has_word(rows[i].here, key)) continue;
            const struct gpgpusim_item *item = item_named(r, rows[i].name);
            gpgpusim_value(noted, rows[i].name, value);
            if (item && strcmp(value, item->value)) return true;
        }
    }
    return false;
}

/* Sets one noted option of `to`, "key = value" up to the end of its line. */
static const struct config_option *set_noted(struct gpgpusim_reading *r, struct config *to, const char *text,
                                             uint32_t line)
{
    char assignment[128];
    struct error why = {""};
    snprintf(assignment, sizeof assignment, "%.*s", (int)strcspn(text, "\r\n"), text);
    const struct config_option *o = option_set(to, assignment, &why);
    if (!o) error_set(r->err, "%s:%u: %.900s", r->files[GPGPUSIM_MAIN].file, line, why.text);
    return o;
}

/* Takes the noted options, but for those whose lines were changed. */
static bool restore(struct gpgpusim_reading *r, const char *text)
{
    struct config noted = *r->c;
    uint32_t line = 1, count;
    const struct config_option *all = option_list(&count);
    for (const char *at = next_noted(text, &line); at; at = next_noted(at, &line))
        if (!set_noted(r, &noted, at, line)) return false;
    line = 1;
    for (const char *at = next_noted(text, &line); at; at = next_noted(at, &line)) {
        struct config one = noted;
        const struct config_option *o = set_noted(r, &one, at, line);
        if (!o) return false;
        const bool overruled = is_overruled(r, &noted, o->key);
        r->overruled += overruled;
        r->restored += !overruled;
        if (overruled) continue;
        set_noted(r, r->c, at, line);
        if (r->sources) snprintf(r->sources->of[o - all], SOURCE_TEXT, "%.200s:%u", r->files[GPGPUSIM_MAIN].file, line);
    }
    return true;
}

/* ---- the files */

static bool of_trace_config(const char *name)
{
    return !strncmp(name, "-trace_opcode_", 14) || !strncmp(name, "-specialized_unit_", 18);
}

/* How many of the options are trace.config's. */
static uint32_t trace_options(const struct gpgpusim_items *items)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < items->count; i++) n += of_trace_config(items->at[i].name);
    return n;
}

/* The path of a file beside another one; NULL: out of memory. */
static char *beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    char *joined;
    if (*name == '/' || !slash) return strdup(name);
    return asprintf(&joined, "%.*s/%s", (int)(slash - path), path, name) < 0 ? NULL : joined;
}

typedef bool lexer(struct gpgpusim_items *items, const char *file, const char *text, struct error *err);

/* Reads the words of a file beside the first one.  One that does not exist is noted as missing. */
static bool load_beside(struct gpgpusim_reading *r, int file, const char *name, lexer *words)
{
    char *path = beside(r->files[GPGPUSIM_MAIN].file, name), *text = NULL;
    bool ok = path != NULL || error_set(r->err, "%s: out of memory", name);
    r->missing[file] = ok && access(path, F_OK) && errno == ENOENT;
    if (ok && !r->missing[file])
        ok = (text = text_file_read(path, r->err)) != NULL && words(&r->files[file], path, text, r->err);
    free(text);
    free(path);
    return ok;
}

static bool read_crossbar(struct gpgpusim_reading *r)
{
    struct gpgpusim_item *item = item_named(r, "-inter_config_file");
    if (!item || r->local_crossbar) return true;
    if (!load_beside(r, GPGPUSIM_ICNT, item->value, gpgpusim_assignments)) return false;
    r->item = item;
    if (r->missing[GPGPUSIM_ICNT])
        gpgpusim_lacks(r, "no such file; the crossbar has the queues of the reference's defaults");
    return read_rows(r, GPGPUSIM_ICNT, false);
}

static bool start(struct gpgpusim_reading *r)
{
    if (!config_preset(r->c, r->sources, "defaults", r->err) || !config_preset(r->c, r->sources, "gpgpusim", r->err))
        return false;
    for (size_t i = 0; i < BASES; i++)
        if (!config_set(r->c, base[i], r->err)) return false;
    return true;
}

static bool read_files(struct gpgpusim_reading *r, const char *path, const char *text, bool *whole)
{
    if (!gpgpusim_options(&r->files[GPGPUSIM_MAIN], path, text, r->err)) return false;
    const uint32_t count = r->files[GPGPUSIM_MAIN].count, trace = trace_options(&r->files[GPGPUSIM_MAIN]);
    if (!count) return error_set(r->err, "%s: found no option, expected -option value", path);
    *whole = trace < count;
    if (*whole && !start(r)) return false;
    return trace || load_beside(r, GPGPUSIM_TRACE, "trace.config", gpgpusim_options);
}

static bool read_machine(struct gpgpusim_reading *r, const char *path, const char *text, bool check)
{
    bool whole = false;
    struct error why = {""};
    if (!read_files(r, path, text, &whole)) return false;
    if (!read_rows(r, GPGPUSIM_MAIN, whole) || !read_crossbar(r)) return false;
    if (whole) fit(r);
    if (!restore(r, text)) return false;
    classify_all(r);
    return !check || config_check(r->c, &why) || error_set(r->err, "%s: no machine of memtwin: %.900s", path, why.text);
}

/* ---- the report */

static void print_text(FILE *to, const char *text)
{
    char escaped[1024];
    snprintf(escaped, sizeof escaped, "%.900s", text);
    text_escape(escaped, sizeof escaped);
    fputs(escaped, to);
}

/* "sm.count = 80, ...", those that the machine reads. */
static void print_ours(FILE *to, const struct config *c, const char *here)
{
    const char *between = "";
    char key[64], value[OPTION_TEXT], missing[CONDITION_TEXT];
    for (const char *word = here; *word; word += strspn(word, " ")) {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(word, " "), word);
        word += strlen(key);
        const struct config_option *o = option_find(key);
        if (!option_is_read(c, 1, o, missing)) continue;
        option_text(c, o, value);
        fprintf(to, "%s%s = %s", between, key, value);
        between = ", ";
    }
}

static void print_item(FILE *to, const struct config *c, const struct gpgpusim_item *item)
{
    fprintf(to, ";   %u: ", item->line);
    print_text(to, item->name);
    fputc(' ', to);
    print_text(to, item->value);
    fputs(": ", to);
    if (item->mapped && item->row->here)
        print_ours(to, c, item->row->here);
    else if (item->mapped)
        fputs(item->row->instead, to);
    if (item->note) fputs(item->mapped ? "; differs: " : "", to);
    if (item->note) print_text(to, item->note);
    fputc('\n', to);
}

static void print_part(FILE *to, const struct config *c, const struct gpgpusim_items *items, bool mapped)
{
    for (uint32_t i = 0; i < items->count; i++)
        if (!items->at[i].replaced && items->at[i].mapped == mapped) print_item(to, c, &items->at[i]);
}

static struct gpgpusim_counts count_items(const struct gpgpusim_items *items)
{
    struct gpgpusim_counts n = {0};
    for (uint32_t i = 0; i < items->count; i++) {
        const struct gpgpusim_item *item = &items->at[i];
        n.options += !item->replaced;
        n.mapped += !item->replaced && item->mapped;
        n.nearest += !item->replaced && item->mapped && item->nearest;
    }
    return n;
}

static void print_file(FILE *to, const struct config *c, const struct gpgpusim_items *items)
{
    const struct gpgpusim_counts n = count_items(items);
    fputs("; ", to);
    print_text(to, items->file);
    fprintf(to, ": %u options: %u mapped, %u without counterpart\n; mapped, with line and option:\n", n.options,
            n.mapped, n.options - n.mapped);
    print_part(to, c, items, true);
    fputs("; without counterpart, and what holds instead:\n", to);
    print_part(to, c, items, false);
    for (uint32_t i = 0; i < items->count; i++)
        if (items->at[i].replaced)
            fprintf(to, "; line %u: %s is given again below\n", items->at[i].line, items->at[i].name);
}

static void finish(const struct gpgpusim_reading *r, FILE *report, struct gpgpusim_counts *counts)
{
    for (int f = 0; f < GPGPUSIM_FILES; f++) {
        if (!r->files[f].file) continue;
        const struct gpgpusim_counts n = count_items(&r->files[f]);
        counts->options += n.options;
        counts->mapped += n.mapped;
        counts->nearest += n.nearest;
        if (report) print_file(report, r->c, &r->files[f]);
    }
    if (report && r->restored + r->overruled)
        fprintf(report, "; options in its comments: %u, of which changed lines replace %u\n",
                r->restored + r->overruled, r->overruled);
    counts->no_trace = r->missing[GPGPUSIM_TRACE];
    counts->no_crossbar = r->missing[GPGPUSIM_ICNT];
    if (report && r->missing[GPGPUSIM_TRACE])
        fputs("; no trace.config beside it: the reference's default latencies\n", report);
    if (report) fputc('\n', report);
}

bool gpgpusim_is(const char *path, const char *text)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (!strncmp(text, "\xef\xbb\xbf", 3)) text += 3;
    for (text += strspn(text, " \t\r\n"); *text == '#'; text += strspn(text, " \t\r\n")) text += strcspn(text, "\n");
    return *text == '-' || !strcmp(name, "gpgpusim.config");
}

bool gpgpusim_read(struct config *c, struct sources *sources, const char *path, const char *text, FILE *report,
                   struct gpgpusim_counts *counts, struct error *err)
{
    struct config copy = *c;
    struct gpgpusim_reading r = {.c = &copy,
                                 .sources = sources,
                                 .chips = 1,
                                 .ratio = 1,
                                 .width = 1,
                                 .entry = 9,
                                 .router = 8,
                                 .exit = 16,
                                 .err = err};
    const bool ok = read_machine(&r, path, text, counts != NULL);
    if (counts) *counts = (struct gpgpusim_counts){0};
    if (ok && counts) finish(&r, report, counts);
    if (ok) *c = copy;
    for (int f = 0; f < GPGPUSIM_FILES; f++) gpgpusim_items_free(&r.files[f]);
    free(r.plain.note);
    return ok;
}

bool gpgpusim_or_ini(struct config *c, struct sources *sources, const char *path, struct gpgpusim_counts *counts,
                     struct error *err)
{
    char *text = text_file_read(path, err);
    const bool ok = text && (gpgpusim_is(path, text) ? gpgpusim_read(c, sources, path, text, NULL, counts, err)
                                                     : config_text(c, sources, text, path, err));
    free(text);
    return ok;
}
