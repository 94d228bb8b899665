/* SPDX-License-Identifier: Apache-2.0 */
/* probe mshr, probe dl_mshr: an input line is a clock cycle of the block, and so is an output line.  Uses the
 * block's port list only, so twin and RTL share this code. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/probe.h"
#include "cli/rtl.h"
#include "bits.h"
#include "mshr_file.h"
#include "system/block/block_ops.h"

#define PORTS 64
#define PARAMS 32

struct bench {
    const struct block_ops *ops;
    void *block;
    struct port_desc in_desc[PORTS], out_desc[PORTS];
    uint32_t in_count, out_count;
    uint8_t *in, *out;
    uint64_t cycle;
};

static const struct port_desc *find(const struct port_desc *d, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(d[i].name, name)) return &d[i];
    abort(); /* both blocks have these ports */
}

static void put(struct bench *b, const char *name, uint64_t value)
{
    static const size_t size[] = {sizeof(bool), 1, 2, 4, 8, 8};
    const struct port_desc *d = find(b->in_desc, b->in_count, name);
    memcpy(b->in + d->offset, &value, size[d->kind]); /* least significant byte first: the host is little-endian */
}

static uint64_t get(const struct bench *b, const char *name)
{
    static const size_t size[] = {sizeof(bool), 1, 2, 4, 8, 8};
    const struct port_desc *d = find(b->out_desc, b->out_count, name);
    uint64_t value = 0;
    memcpy(&value, b->out + d->offset, size[d->kind]);
    return value;
}

/* The block's parameters from the configuration; the others keep their defaults. */
static uint32_t parameter(const struct probe *p, const char *name, uint32_t def)
{
    const struct config *c = &p->machine.config;
    bool l1d = !strcmp(p->cache, "l1d"), linked = !strcmp(p->component, "dl_mshr");
    if (!strcmp(name, "Entries")) return l1d ? c->l1d_mshr_entries : c->l2_mshr_entries;
    if (!strcmp(name, "Sets")) return l1d ? c->l1d_dl_mshr_sets : c->l2_dl_mshr_sets;
    if (!strcmp(name, "Slots") && linked) return l1d ? c->l1d_dl_mshr_slots : c->l2_dl_mshr_slots;
    if (!strcmp(name, "Slots")) return l1d ? c->l1d_mshr_slots : c->l2_mshr_slots;
    if (!strcmp(name, "Reserved")) return l1d ? c->l1d_dl_mshr_reserved : c->l2_dl_mshr_reserved;
    if (!strcmp(name, "TailPtr")) return l1d ? c->l1d_dl_mshr_tail_ptr : c->l2_dl_mshr_tail_ptr;
    if (!strcmp(name, "DataW")) return l1d ? 0 : c->l2_mshr_data_bits;
    return def;
}

static bool bench_open(struct bench *b, const struct probe *p, struct error *err)
{
    char folder[RTL_PATH], path[BLOCK_PATH];
    *b = (struct bench){.ops = block_find(p->component)};
    struct param_desc params[PARAMS];
    uint32_t count = b->ops->params(params);
    uint8_t *cfg = calloc(1, b->ops->cfg_size);
    b->in = calloc(1, b->ops->in_size);
    b->out = calloc(1, b->ops->out_size);
    if (!cfg || !b->in || !b->out) error_set(err, "%s: out of memory", p->component);
    for (uint32_t i = 0; cfg && i < count; i++) {
        uint32_t value = parameter(p, params[i].name, params[i].def);
        memcpy(cfg + params[i].offset, &value, sizeof value);
    }
    const bool own = block_in_list(p->rtl, p->component, path) && *path;
    if (!err->text[0])
        b->ops = own ? block_own_face(p->component, path, cfg, err)
                     : block_face(p->component, p->rtl ? rtl_folder(folder) : NULL, cfg, err);
    if (!err->text[0]) {
        b->in_count = b->ops->in_desc(cfg, b->in_desc);
        b->out_count = b->ops->out_desc(cfg, b->out_desc);
        b->block = b->ops->create(cfg, err);
    }
    free(cfg);
    if (b->block) b->ops->reset(b->block);
    return b->block;
}

static void bench_close(struct bench *b)
{
    if (b->block) b->ops->destroy(b->block);
    free(b->in);
    free(b->out);
}

#define EXPECTED "R LINE [INFO], W LINE [INFO], F LINE, S or ."

/* Largest value of a port. */
static uint64_t most(const struct bench *b, const char *port)
{
    return bits_mask(find(b->in_desc, b->in_count, port)->width);
}

/* The words of one cycle: any of request, fill, stalled drain. */
static bool read_cycle(struct bench *b, const struct probe *p, struct error *err)
{
    uint64_t value;
    memset(b->in, 0, b->ops->in_size);
    put(b, "drain_ready_i", 1);
    for (uint32_t i = 0; i < p->word_count; i++) {
        const char *word = p->words[i];
        bool request = !strcmp(word, "R") || !strcmp(word, "W");
        if (request || !strcmp(word, "F")) {
            if (!probe_number(p, ++i, "a line number", most(b, "req_addr_i"), &value, err)) return false;
            put(b, request ? "req_valid_i" : "fill_valid_i", 1);
            put(b, request ? "req_addr_i" : "fill_addr_i", value);
        } else if (!strcmp(word, "S"))
            put(b, "drain_ready_i", 0);
        else if (strcmp(word, "."))
            return probe_wrong(p, i, EXPECTED, err);
        if (!request) continue;
        put(b, "req_write_i", *word == 'W');
        if (i + 1 == p->word_count || !strchr("0123456789", p->words[i + 1][0])) continue;
        if (!probe_number(p, ++i, "requester information", most(b, "req_info_i"), &value, err)) return false;
        put(b, "req_info_i", value);
    }
    return true;
}

static uint64_t input(const struct bench *b, const char *name)
{
    return b->in[find(b->in_desc, b->in_count, name)->offset];
}

/* Evaluates, prints the cycle, ticks.  Returns whether the block was active. */
static bool run_cycle(struct bench *b)
{
    static const char *const results[] = {"primary", "secondary", "rf_entry", "rf_merge", "rf_drain", "?", "?", "?"};
    b->ops->eval(b->block, b->in, b->out);
    printf("%" PRIu64, b->cycle++);
    if (input(b, "req_valid_i") && !get(b, "req_ready_o")) printf(" request=wait");
    if (input(b, "fill_valid_i")) printf(" fill=%s", get(b, "fill_ready_o") ? "taken" : "wait");
    if (get(b, "rsp_valid_o"))
        printf(" answer=%s set=%" PRIu64, results[get(b, "rsp_result_o") & 7], get(b, "rsp_set_o"));
    if (get(b, "drain_valid_o"))
        printf(" out=0x%" PRIx64 " info=%" PRIu64 " %s%s%s", get(b, "drain_addr_o"), get(b, "drain_info_o"),
               get(b, "drain_write_o") ? "W" : "R", get(b, "drain_last_o") ? " last" : "",
               input(b, "drain_ready_i") ? "" : " stalled");
    printf(" used=%" PRIu64 " free=%" PRIu64 " reserved=%" PRIu64, get(b, "used_slots_o"), get(b, "free_o"),
           get(b, "free_reserved_o"));
    printf(get(b, "error_o") ? " error=fill\n" : "\n");
    bool busy = get(b, "rsp_valid_o") || get(b, "drain_valid_o") || !get(b, "req_ready_o");
    b->ops->tick(b->block, b->in);
    return busy;
}

bool probe_miss_file(struct probe *p, struct error *err)
{
    struct bench b;
    bool ok = bench_open(&b, p, err);
    while (ok && probe_next(p, err)) {
        ok = read_cycle(&b, p, err);
        if (ok) run_cycle(&b);
    }
    if (ok && !err->text[0]) {
        memset(b.in, 0, b.ops->in_size);
        put(&b, "drain_ready_i", 1);
        run_cycle(&b); /* answers take up to two more cycles */
        while (run_cycle(&b)) {
        }
    }
    bench_close(&b);
    return ok && !err->text[0];
}
