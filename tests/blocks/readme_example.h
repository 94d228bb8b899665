/* SPDX-License-Identifier: Apache-2.0 */
/* The worked example of a block's README as a test: the table is read from the document, its inputs drive the twin, and
 * every other cell must equal the twin's output. Text in parentheses is a remark.  Run from the root of the tree.
 *
 *     for (struct example e = example_of("mshr", "cycle"); next_row(&e);) {
 *         const bool take = flag(&e, "take");
 *         ... one cycle of the twin ...
 *         shows_number(&e, "used", out.used_o);
 *     }
 */
#ifndef MEMTWIN_TESTS_BLOCKS_README_EXAMPLE_H
#define MEMTWIN_TESTS_BLOCKS_README_EXAMPLE_H
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 12, CELL = 80, LINE = 400 };

/* A table, a row at a time. */
struct example {
    FILE *file;
    const char *block;
    uint32_t columns, rows, used; /* used: a bit for each column that the test has read or compared in this row */
    char head[COLUMNS][CELL], cell[COLUMNS][CELL];
};

/* Cuts "| a | b |" into cells; drops backticks and text in parentheses. */
static inline uint32_t cut(const char *line, char cells[COLUMNS][CELL])
{
    uint32_t n = 0, length = 0, depth = 0;
    for (const char *c = line + 1; *c && *c != '\n'; c++) {
        depth += *c == '(';
        if (*c == '|') {
            while (length && cells[n][length - 1] == ' ') length--;
            cells[n][length] = 0;
            cr_assert(++n < COLUMNS || !c[1] || c[1] == '\n', "too many columns: %s", line);
            length = 0;
        } else if (!depth && *c != '`' && (length || *c != ' ') && length + 1 < CELL) {
            cells[n][length++] = *c;
        }
        depth -= *c == ')';
    }
    return n;
}

/* The first table whose first column has this heading. */
static inline struct example example_of(const char *block, const char *first)
{
    struct example e = {.block = block};
    char name[LINE], line[LINE];
    snprintf(name, sizeof name, "rtl/%s/README.md", block);
    e.file = fopen(name, "r");
    cr_assert(e.file, "%s", name);
    while (fgets(line, sizeof line, e.file)) {
        if (*line != '|' || (e.columns = cut(line, e.head)) == 0 || strcmp(e.head[0], first) != 0) continue;
        cr_assert(fgets(line, sizeof line, e.file) && !strncmp(line, "| --", 4), "%s: no row of dashes", name);
        return e;
    }
    cr_assert_fail("%s: no table with the column %s", name, first);
    return e;
}

static inline bool next_row(struct example *e)
{
    char line[LINE] = "";
    cr_assert(e->rows == 0 || e->used == (1u << e->columns) - 1, "%s: a column that the test does not know", e->block);
    const bool more = fgets(line, sizeof line, e->file) && *line == '|';
    if (!more) {
        cr_assert(e->rows > 3, "%s: %u rows", e->block, e->rows);
        fclose(e->file);
        return false;
    }
    cr_assert_eq(cut(line, e->cell), e->columns, "%s: %s", e->block, line);
    e->rows++;
    e->used = 0;
    return true;
}

/* The text of a cell. */
static inline const char *given(struct example *e, const char *column)
{
    for (uint32_t i = 0; i < e->columns; i++)
        if (!strcmp(e->head[i], column)) {
            e->used |= 1u << i;
            return e->cell[i];
        }
    cr_assert_fail("%s: no column %s", e->block, column);
    return "";
}

static inline uint32_t number(struct example *e, const char *column)
{
    return (uint32_t)strtoul(given(e, column), NULL, 10);
}

/* An input of one bit: 1, 0 or empty. */
static inline bool flag(struct example *e, const char *column)
{
    const char *cell = given(e, column);
    cr_assert(!*cell || !strcmp(cell, "0") || !strcmp(cell, "1"), "%s, column %s: %s", e->block, column, cell);
    return *cell == '1';
}

/* The number behind a word of a cell, in `to`: false if the word is not there. */
static inline bool after(const char *cell, const char *word, uint32_t *to)
{
    const char *at = strstr(cell, word);
    if (at) *to = (uint32_t)strtoul(at + strlen(word), NULL, 10);
    return at != NULL;
}

/* The same with a number behind a slash, as in "access 10/3". */
static inline bool after2(const char *cell, const char *word, uint32_t *to, uint32_t *second)
{
    return after(cell, word, to) && after(strstr(cell, word), "/", second);
}

/* The number behind a word of a cell; -1 if the word is not there. */
static inline int event(const char *cell, const char *word)
{
    uint32_t n;
    return after(cell, word, &n) ? (int)n : -1;
}

/* The cell must be this text; empty, if there is nothing to show. */
__attribute__((format(printf, 4, 5))) static inline void shows(struct example *e, const char *column, bool valid,
                                                               const char *format, ...)
{
    char text[LINE] = "";
    va_list args;
    va_start(args, format);
    if (valid) vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cr_expect_str_eq(given(e, column), text, "rtl/%s/README.md, row %s, column %s: found \"%s\", the twin has \"%s\"",
                     e->block, e->cell[0], column, given(e, column), text);
}

static inline void shows_number(struct example *e, const char *column, uint64_t value)
{
    shows(e, column, true, "%llu", (unsigned long long)value);
}

static inline const char *name_of(const char *const *names, size_t n, uint32_t value)
{
    return value < n ? names[value] : "unknown";
}
#define NAME(value, ...)                                                                                               \
    name_of((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), value)
#endif
