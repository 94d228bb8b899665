/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a block's parameters, ports and registers from its one list of them (b.h), for scripts and READMEs.
 * Built once for each block: -include b.h, BLOCK its stem, BLOCK_UC the stem in capitals; PARTS, if it is made of other
 * blocks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)
#define DESCRIBE(b, B) BLOCK_DESC(b, B)
DESCRIBE(BLOCK, BLOCK_UC)

typedef struct JOIN(BLOCK, _cfg) cfg;
enum { MAX = 64 };

struct table {
    const char *name, *title;
    struct port_desc rows[MAX];
    uint32_t n, registers; /* of the rows, these are first; then come tables */
};

/* The widths of the inputs as the list has them: expressions over p. */
#define EXPRESSION(kind, name, width, text) #width,
static const char *const expressions[] = {JOIN(BLOCK_UC, _IN)(EXPRESSION)};

#define COUNT(...) +1
/* Of the parts: descriptors, and their registers as one table each; returns their number. */
#ifdef PARTS
#define EACH_PART(X) JOIN(BLOCK_UC, _PARTS)(X)
#else
#define EACH_PART(X)
#endif
/* clang-format off */
#define PART_DESCRIBE(part, PART) BLOCK_DESC(part, PART)
#define PART_STATE(part, PART) \
    const struct part##_cfg part = JOIN(JOIN(BLOCK, _##part), _cfg)(p); \
    t[k].name = #part; \
    t[k].n = part##_state_desc(&part, t[k].rows); \
    t[k].registers = 0 PART##_REG(COUNT); \
    k++;
EACH_PART(PART_DESCRIBE)
static uint32_t parts(const cfg *p, struct table *t)
{
    uint32_t k = 0;
    (void)p, (void)t;
    EACH_PART(PART_STATE)
    return k;
}
/* clang-format on */

static const char *const kinds[] = {"bit", "u8", "u16", "u32", "u64", "w1024"};

static uint32_t *value(cfg *p, const struct param_desc *d)
{
    return (uint32_t *)(void *)((char *)p + d->offset);
}

static void refuse(const char *arg, const char *expected)
{
    fprintf(stderr, "describe %s: '%s': expected %s\n", TEXT(BLOCK), arg, expected);
    exit(2);
}

/* Key=Value, within the limits that the list states. */
static void set(cfg *p, const struct param_desc *d, uint32_t n, const char *arg)
{
    const char *eq = strchr(arg, '=');
    uint32_t i = 0;
    while (eq && i < n && !(strlen(d[i].name) == (size_t)(eq - arg) && !strncmp(d[i].name, arg, (size_t)(eq - arg))))
        i++;
    if (!eq || i == n) refuse(arg, "Parameter=value with a parameter of this block");
    char *end, limits[64];
    const unsigned long long v = strtoull(eq + 1, &end, 0);
    snprintf(limits, sizeof limits, "a number from %u to %u", d[i].min, d[i].max);
    if (!eq[1] || *end || v < d[i].min || v > d[i].max) refuse(arg, limits);
    *value(p, &d[i]) = (uint32_t)v;
}

static void json_ports(const struct table *t, const char *const *widths)
{
    printf("\n \"%s\":[", t->name);
    for (uint32_t i = 0; i < t->n; i++) {
        const struct port_desc *r = &t->rows[i];
        printf("%s\n  {\"name\":\"%s\",\"kind\":\"%s\",\"width\":%u,", i ? "," : "", r->name, kinds[r->kind], r->width);
        if (widths) printf("\"expression\":\"%s\",", widths[i]);
        printf("\"depth\":%u,\"table\":%s,\"text\":\"%s\"}", r->depth, i < t->registers ? "false" : "true", r->text);
    }
    printf("]");
}

static void json(cfg *p, const struct param_desc *d, uint32_t n, const struct table *t, uint32_t tables)
{
    static struct table part[MAX];
    const uint32_t of_parts = parts(p, part);
    printf("{\"block\":\"%s\",\n \"params\":[", TEXT(BLOCK));
    for (uint32_t i = 0; i < n; i++)
        printf("%s\n  {\"name\":\"%s\",\"value\":%u,\"default\":%u,\"min\":%u,\"max\":%u,\"text\":\"%s\"}",
               i ? "," : "", d[i].name, *value(p, &d[i]), d[i].def, d[i].min, d[i].max, d[i].text);
    printf("]");
    for (uint32_t k = 0; k < tables; k++) printf(","), json_ports(&t[k], k ? NULL : expressions);
    printf(",\n \"parts\":{");
    for (uint32_t k = 0; k < of_parts; k++) printf("%s", k ? "," : ""), json_ports(&part[k], NULL);
    printf("}}\n");
}

static void markdown(cfg *p, const struct param_desc *d, uint32_t n, const struct table *t, uint32_t tables)
{
    printf("| parameter | default | legal | meaning |\n| --- | ---: | --- | --- |\n");
    for (uint32_t i = 0; i < n; i++)
        printf("| `%s` | %u | %u to %u | %s |\n", d[i].name, *value(p, &d[i]), d[i].min, d[i].max, d[i].text);
    for (uint32_t k = 0; k < tables; k++) {
        if (t[k].n == 0) continue; /* a combinational block has no register */
        printf("\n| %s | bits | meaning |\n| --- | ---: | --- |\n", t[k].title);
        for (uint32_t i = 0; i < t[k].n; i++) {
            const struct port_desc *r = &t[k].rows[i];
            if (r->width * r->depth == 0) continue;
            if (r->depth > 1)
                printf("| `%s` | %u x %u | %s |\n", r->name, r->depth, r->width, r->text);
            else
                printf("| `%s` | %u | %s |\n", r->name, r->width, r->text);
        }
    }
}

/* name width depth, one a line: what a shell or awk wants. */
static void text(const struct table *t, uint32_t tables)
{
    for (uint32_t k = 0; k < tables; k++)
        for (uint32_t i = 0; i < t[k].n; i++)
            printf("%s %s %u %u\n", t[k].name, t[k].rows[i].name, t[k].rows[i].width, t[k].rows[i].depth);
}

int main(int argc, char **argv)
{
    static struct param_desc d[MAX];
    static struct table t[3] = {
        {.name = "in", .title = "input"}, {.name = "out", .title = "output"}, {.name = "state", .title = "register"}};
    const uint32_t n = JOIN(BLOCK, _params)(d);
    cfg p;
    for (uint32_t i = 0; i < n; i++) *value(&p, &d[i]) = d[i].def;
    const char *form = argc > 1 ? argv[1] : "";
    for (int i = 2; i < argc; i++) set(&p, d, n, argv[i]);
    t[0].n = t[0].registers = JOIN(BLOCK, _in_desc)(&p, t[0].rows);
    t[1].n = t[1].registers = JOIN(BLOCK, _out_desc)(&p, t[1].rows);
    t[2].n = JOIN(BLOCK, _state_desc)(&p, t[2].rows);
    t[2].registers = 0 JOIN(BLOCK_UC, _REG)(COUNT);
    if (!strcmp(form, "--json"))
        json(&p, d, n, t, 3);
    else if (!strcmp(form, "--markdown"))
        markdown(&p, d, n, t, 3);
    else if (!strcmp(form, "--text"))
        text(t, 3);
    else
        refuse(form, "--json, --markdown or --text, then Parameter=value ...");
    return 0;
}
