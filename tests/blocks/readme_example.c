/* The worked example of both READMEs is what the twins do: each row is computed here and must stand there, in order.
 * Run from the root of the tree, like all tests. */
#include <stdio.h>
#include <string.h>

#include "files.h"

struct row {
    char request;
    uint32_t info;
    char fill;
    bool take;
};

/* Three misses to line A without a gap, one to B; A's data arrives together with a fourth miss to A; A is drained. */
static const struct row rows[] = {{'A', 0, 0, 0}, {'A', 1, 0, 0}, {'A', 2, 0, 0}, {'B', 3, 0, 0}, {'A', 4, 'A', 0},
                                  {0, 0, 0, 1},   {0, 0, 0, 1},   {'A', 5, 0, 1}, {0, 0, 0, 1}};
enum { ROWS = sizeof rows / sizeof *rows, LINE = 256, SETS = 4 };

static const char *const results[] = {"PRIMARY", "SECONDARY", "RF_ENTRY", "RF_MERGE", "RF_DRAIN"};

static char *slurp(const char *path)
{
    static char text[1 << 16];
    FILE *f = fopen(path, "r");
    cr_assert(f, "%s", path);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

/* A cell of the table: "A/2", or empty. */
static const char *cell(char *to, bool valid, char line, uint32_t info, const char *more)
{
    to[0] = 0;
    if (valid) snprintf(to, LINE, "%c/%u%s", line, info, more);
    return to;
}

static const char *answer(char *to, bool valid, uint32_t result, uint32_t set)
{
    to[0] = 0;
    if (valid) snprintf(to, LINE, result <= MSHR_SECONDARY ? "%s, set %u" : "%s", results[result], set);
    return to;
}

#define IN(B, r)                                                                                                       \
    (struct B##_in)                                                                                                    \
    {                                                                                                                  \
        .req_valid_i = (r).request, .req_addr_i = (uint64_t)(r).request, .req_info_i = (r).info,                       \
        .fill_valid_i = (r).fill, .fill_addr_i = (uint64_t)(r).fill, .drain_ready_i = (r).take                         \
    }
/* One row, as in the table; `state` tells each set's state. */
#define ROW(line, state)                                                                                               \
    snprintf(line, sizeof line, "| %u | %s | %.1s | %s | %s | %s | %u | %u | %s |\n", t,                               \
             cell(c[0], rows[t].request, rows[t].request, rows[t].info, ""), rows[t].fill ? &rows[t].fill : "",        \
             rows[t].take ? "1" : "", answer(c[1], o.rsp_valid_o, o.rsp_result_o, o.rsp_set_o),                        \
             cell(c[2], o.drain_valid_o, (char)o.drain_addr_o, o.drain_info_o, o.drain_last_o ? " last" : ""),         \
             o.free_o, o.used_slots_o, state)

static const char *find_row(const char *text, const char *line)
{
    const char *at = strstr(text, line);
    cr_assert(at, "not in the README, or not in order: %s", line);
    return at + strlen(line);
}

Test(readme, dl_mshr_example)
{
    struct dl_mshr *m = dl_new(SETS, 2, 0, 1, 0);
    const char *text = slurp("rtl/dl_mshr/README.md");
    for (uint32_t t = 0; t < ROWS; t++) {
        char c[3][LINE], line[4 * LINE], state[LINE] = "";
        const struct dl_mshr_in in = IN(dl_mshr, rows[t]);
        struct dl_mshr_out o;
        dl_mshr_eval(m, &in, &o);
        for (uint32_t i = 0; i < SETS; i++) sprintf(state + strlen(state), i ? " S%u" : "S%u", m->state_q[i]);
        ROW(line, state);
        text = find_row(text, line);
        dl_mshr_tick(m, &in);
    }
    free(m);
}

Test(readme, mshr_example)
{
    struct mshr *m = mshr_new(SETS, 2, 0);
    const char *text = slurp("rtl/mshr/README.md");
    for (uint32_t t = 0; t < ROWS; t++) {
        char c[3][LINE], line[4 * LINE], state[LINE] = "";
        const struct mshr_in in = IN(mshr, rows[t]);
        struct mshr_out o;
        mshr_eval(m, &in, &o);
        for (uint32_t i = 0; i < SETS; i++) strcat(state, m->live_q[i] ? "L" : m->busy_q[i] ? "D" : "-");
        ROW(line, state);
        text = find_row(text, line);
        mshr_tick(m, &in);
    }
    free(m);
}
