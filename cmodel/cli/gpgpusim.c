/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/output.h"
#include "base/version.h"
#include "cli/gpgpusim.h"
#include "system/config/options.h"
#include "system/config/policy.h"

struct text {
    char text[96];
};

static void value_of(const struct config *c, const char *key, char text[static OPTION_TEXT])
{
    option_text(c, option_find(key), text);
}

static bool is(const struct config *c, const char *key, const char *value)
{
    char text[OPTION_TEXT];
    value_of(c, key, text);
    return !strcmp(text, value);
}

/* The letter of a set index function; 0: there is none. */
static char letter_of(const struct config *c, const char *key)
{
    static const struct {
        const char *name;
        char letter;
    } letters[] = {{"bmod", 'L'}, {"bxor", 'X'}, {"fermi", 'H'}, {"ipoly", 'P'}};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (is(c, key, letters[i].name)) return letters[i].letter;
    return 0;
}

static bool has_letter(const struct config *c, const char *key)
{
    return letter_of(c, key) != 0;
}

static char index_letter(const struct config *c, const char *key)
{
    return has_letter(c, key) ? letter_of(c, key) : 'L';
}

static char write_miss_letter(const struct config *c)
{
    return c->l2_write_miss == WRITE_MISS_THROUGH ? 'W' : c->l2_write_miss == WRITE_MISS_LAZY ? 'L' : 'F';
}

/* The rest of the cache's line; without it, the port moves a line. */
static struct text l2_port(const struct config *c)
{
    struct text t = {""};
    if (c->l2_port_bytes) snprintf(t.text, sizeof t.text, ":0,%" PRIu32, c->l2_port_bytes);
    return t;
}

static bool bypasses(const struct config *c)
{
    return !is(c, "l1d.bypass.on_stall", "off") || is(c, "l1d.bypass.mode", "bpg") ||
           is(c, "l1d.bypass.mode", "stream") || is(c, "l1d.bypass.mode", "learner") ||
           is(c, "l1d.bypass.mode", "blocks") ||
           (is(c, "l1d.bypass.mode", "static") && c->l1d_bypass_from_warp < c->sm_warps);
}

static bool bypasses_l2(const struct config *c)
{
    return !is(c, "l2.bypass.on_stall", "off") || !is(c, "l2.bypass.mode", "off");
}

static struct text warp_scheduler(const struct config *c)
{
    struct text t = {"gto"};
    if (is(c, "sm.scheduler", "lrr")) snprintf(t.text, sizeof t.text, "lrr");
    if (is(c, "sm.scheduler", "two_level"))
        snprintf(t.text, sizeof t.text, "two_level_active:%" PRIu32 ":0:1", c->sm_two_level_group);
    if (is(c, "sm.scheduler", "swl")) snprintf(t.text, sizeof t.text, "warp_limiting:2:%" PRIu32, c->sm_swl_warps);
    return t;
}

/* SM cycles that an instruction or access spends there on a path besides the latency that its file names: a chain of
 * dependent instructions of one warp takes so many more. */
enum {
    UNIT_PATH = 6,   /* between issue and its unit, and behind it */
    SHARED_PATH = 5, /* of a load of shared memory */
    L1D_PATH = 3,    /* of a hit */
    L2_PATH = 6      /* between L1D and L2, and back */
};

/* The latency in the file, for one of `latency` cycles in all. */
static uint32_t inside(uint32_t latency, uint32_t path)
{
    return latency > path ? latency - path : 1;
}

/* A unit cannot be shorter than its interval. */
static uint32_t unit_latency(uint32_t latency, uint32_t interval)
{
    return max_u32(inside(latency, UNIT_PATH), interval);
}

/* Both latencies are counted in SM cycles there. */
static uint32_t sm_cycles(const struct config *c, uint32_t l2_cycles)
{
    return (uint32_t)(((uint64_t)l2_cycles * c->clock_sm + c->clock_l2 / 2) / c->clock_l2);
}

static uint32_t partition_indexing(const struct config *c)
{
    return is(c, "partition.map", "xor") ? 1 : is(c, "partition.map", "ipoly") ? 2 : 0;
}

/* Data transfers per DRAM clock: four, unless the width of the bus would be a fraction. */
static uint32_t transfers(const struct config *c)
{
    return c->dram_bus_bytes % 4 == 0 ? 4 : c->dram_bus_bytes % 2 == 0 ? 2 : 1;
}

/* Adds a field of address bits, from the low end upwards, and a dot between bytes. */
struct map {
    char text[72];
    uint32_t bits, at;
};

static void map_field(struct map *m, uint32_t bits, char letter)
{
    for (; bits; bits--, m->bits++) {
        if (m->bits && m->bits % 8 == 0) m->text[--m->at] = '.';
        m->text[--m->at] = letter;
    }
}

/* The order of dram_map(), without the bits of the partition. */
static struct text address_map(const struct config *c)
{
    const uint32_t atom = log2_floor(c->dram_atom_bytes), row = log2_floor(c->dram_row_bytes),
                   low = log2_floor(max_u64(4 * c->dram_atom_bytes, 128)), banks = log2_floor(c->dram_banks);
    struct map m = {.at = sizeof m.text - 1};
    map_field(&m, atom, 'S');
    map_field(&m, low - atom, 'C');
    map_field(&m, banks ? 1 : 0, 'B');
    map_field(&m, row > low ? row - low : 0, 'C');
    map_field(&m, banks ? banks - 1 : 0, 'B');
    map_field(&m, 47 - m.bits, 'R'); /* addresses of traces have up to 47 bits */
    map_field(&m, 64 - m.bits, '0');
    struct text t;
    snprintf(t.text, sizeof t.text, "dramid@%" PRIu32 ";%s", log2_floor(c->partition_interleave), &m.text[m.at]);
    return t;
}

static void print_gap(FILE *to, const char *prefix, const char *what, const char *text)
{
    fprintf(to, "%s%s: the reference %s\n", prefix, what, text);
}

/* The first option of a row with its value; a section unchanged. */
static void print_option_gap(FILE *to, const char *prefix, const struct config *c, const char *keys, const char *text)
{
    char key[64], what[64 + 3 + OPTION_TEXT], value[OPTION_TEXT];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(keys, " "), keys);
    const struct config_option *o = option_find(key);
    if (o) option_text(c, o, value);
    snprintf(what, sizeof what, "%s%s%s", key, o ? " = " : "", o ? value : "");
    print_gap(to, prefix, what, text);
}

#define LINE(there, here, ...) here,
#define FIXED(there, value, why)
#define SAME(here, why) here,
#define GAP(here, when, instead) here,
#define OTHER(what, instead)
static const char *const mapped[] = {
#include "cli/gpgpusim.def"
};
#undef LINE
#undef SAME
#undef GAP
#undef OTHER

/* Whether a row names the option, or its section: "l1d.pdp.*". */
static bool has_row(const char *key)
{
    for (size_t i = 0; i < sizeof mapped / sizeof *mapped; i++)
        for (const char *word = mapped[i]; *word; word += strspn(word, " ")) {
            const size_t n = strcspn(word, " *");
            const bool section = word[n] == '*';
            if (!strncmp(word, key, n) && (section || !key[n])) return true;
            word += n + section;
        }
    return false;
}

/* The options that the reference lacks: it behaves as with the default. */
static void print_others(FILE *to, const char *prefix, const struct config *c)
{
    struct config plain;
    uint32_t count;
    const struct config_option *o = option_list(&count);
    config_default(&plain);
    for (uint32_t i = 0; i < count; i++) {
        char now[OPTION_TEXT], before[OPTION_TEXT];
        option_text(c, &o[i], now);
        option_text(&plain, &o[i], before);
        if (!has_row(o[i].key) && strcmp(now, before)) print_option_gap(to, prefix, c, o[i].key, "has none");
    }
}

#define LINE(there, here, ...)
#define SAME(here, why)
#define GAP(here, when, instead)                                                                                       \
    if (when) print_option_gap(to, prefix, c, here, instead);
#define OTHER(what, instead) print_gap(to, prefix, what, instead);
void gpgpusim_gaps(const struct config *c, FILE *to, const char *prefix)
{
#include "cli/gpgpusim.def"
    print_others(to, prefix, c);
}
#undef LINE
#undef FIXED
#undef GAP
#undef OTHER

#define LINE(there, here, ...)                                                                                         \
    fprintf(to, there " " __VA_ARGS__);                                                                                \
    fprintf(to, "  # " here "\n");
#define FIXED(there, value, why) fprintf(to, there " " value "  # " why "\n");
#define GAP(here, when, instead)
#define OTHER(what, instead)
static void print_lines(FILE *to, const struct config *c)
{
#include "cli/gpgpusim.def"
}

static void print_config(FILE *to, const struct config *c)
{
    fprintf(to, "# written by memtwin %s\n# without a counterpart:\n", version_text);
    gpgpusim_gaps(c, to, "#   ");
    fputc('\n', to);
    print_lines(to, c);
}

/* A crossbar: one router, a queue per input port and a virtual channel. */
static void print_icnt(FILE *to, const struct config *c)
{
    const uint32_t line_flits = (uint32_t)ceil_div(128 + c->xbar_header_bytes, c->xbar_flit_bytes);
    const uint32_t input = c->xbar_input_flits ? c->xbar_input_flits : c->xbar_input_queue * line_flits;
    const uint32_t router = input / 2; /* an input is a buffer where packets enter, and one of the router's */
    const uint32_t output = c->xbar_output_flits ? c->xbar_output_flits : c->xbar_output_queue * line_flits;
    fprintf(to, "// written by memtwin %s\n", version_text);
    fprintf(to, "k = %" PRIu32 ";\n", c->sm_count + c->partition_count * c->partition_slices);
    fprintf(to, "flit_size = %" PRIu32 ";\n", c->xbar_flit_bytes);
    fprintf(to, "input_buffer_size = %" PRIu32 ";\n", input - router);
    fprintf(to, "boundary_buffer_size = %" PRIu32 ";\n", output);
    fprintf(to, "vc_buf_size = %" PRIu32 ";\n", router);
    fprintf(to, "internal_speedup = %" PRIu32 ".0;\n", c->xbar_speedup);
    fputs("n = 1;\nnetwork_count = 2;\nsubnets = 2;\ntopology = fly;\nrouting_function = dest_tag;\nuse_map = 0;\n"
          "sim_type = gpgpusim;\nnum_vcs = 1;\nvc_allocator = islip;\nsw_allocator = islip;\nalloc_iters = 1;\n"
          "wait_for_tail_credit = 0;\ninput_speedup = 1;\noutput_speedup = 1;\n"
          "credit_delay = 0;\nrouting_delay = 0;\nvc_alloc_delay = 1;\nsw_alloc_delay = 1;\n"
          "read_request_subnet = 0;\nwrite_request_subnet = 0;\nread_reply_subnet = 1;\nwrite_reply_subnet = 1;\n"
          "read_request_begin_vc = 0;\nread_request_end_vc = 0;\nwrite_request_begin_vc = 0;\n"
          "write_request_end_vc = 0;\nread_reply_begin_vc = 0;\nread_reply_end_vc = 0;\nwrite_reply_begin_vc = 0;\n"
          "write_reply_end_vc = 0;\n",
          to);
}

static bool write_file(const char *folder, const char *name, void (*print)(FILE *to, const struct config *c),
                       const struct config *c, struct error *err)
{
    struct output out;
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0) return error_set(err, "%s: out of memory", folder);
    bool done = output_open(&out, path, err);
    if (done) {
        print(out.file, c);
        done = output_commit(&out, err);
        output_abandon(&out);
    }
    free(path);
    return done;
}

bool gpgpusim_write(const struct config *c, const char *path, struct error *err)
{
    struct output_folder folder;
    if (!output_folder_open(&folder, path, err)) return false;
    bool done = write_file(folder.temporary, "gpgpusim.config", print_config, c, err) &&
                write_file(folder.temporary, "memtwin.icnt", print_icnt, c, err) && output_folder_commit(&folder, err);
    output_folder_abandon(&folder);
    return done;
}
