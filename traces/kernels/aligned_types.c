/* SPDX-License-Identifier: Apache-2.0 */
/* aligned_types: copies an array of records, once for each of the CUDA SDK's eleven types (alignedTypes; Gu20,
 * figure 3.3). A record that is not aligned to its size is copied in several narrow accesses to the same lines:
 * secondary misses. */
#include <string.h>

#include "trace/kernels.h"

struct type {
    const char *name;
    uint32_t bytes, parts, part_bytes; /* of a record; accesses that copy it */
};

static const struct type types[] = {
    {"uint8", 1, 1, 1},
    {"uint16", 2, 1, 2},
    {"RGBA8_misaligned", 4, 4, 1},
    {"LA32_misaligned", 8, 2, 4},
    {"RGB32_misaligned", 12, 3, 4},
    {"RGBA32_misaligned", 16, 4, 4},
    {"RGBA8", 4, 1, 4},
    {"LA32", 8, 1, 8},
    {"RGB32", 16, 1, 16}, /* 12 bytes of data */
    {"RGBA32", 16, 1, 16},
    {"RGBA32_2", 32, 2, 16},
};
#define TYPES (sizeof types / sizeof types[0])

struct aligned_types {
    graw in, out;         /* bytes */
    graw in_now, out_now; /* as records of the current type */
    struct type type;
    int records;
    struct error wrong;
};

static void copy_kernel(struct warp *w)
{
    const struct aligned_types *k = simt_args(w);
    const struct type *t = &k->type;
    vi32 i = vvar(vglobal_x());
    SIMT_WHILE (vlt(i, k->records)) {
        vpart part[4];
        for (uint32_t p = 0; p < t->parts; p++) part[p] = vload_part(k->in_now, i, p * t->part_bytes, t->part_bytes);
        for (uint32_t p = 0; p < t->parts; p++) vstore_part(k->out_now, i, p * t->part_bytes, t->part_bytes, part[p]);
        vset(i, vadd(i, GRID_THREADS_X));
    }
}

static bool compare(const struct aligned_types *k, struct error *err)
{
    for (uint64_t i = 0; i < k->out.array->count; i++) {
        uint8_t want = i < (uint64_t)k->records * k->type.bytes ? k->in.host[i] : 0;
        if (k->out.host[i] == want) continue;
        return error_set(err, "wrong result: type %s, out[%llu] is %u, plain C computes %u", k->type.name,
                         (unsigned long long)i, k->out.host[i], want);
    }
    return true;
}

static void aligned_types_host(struct host *h, void *state)
{
    struct aligned_types *k = state;
    uint64_t bytes = (uint64_t)option(h, "bytes");
    k->in = device_raw(h, "in", bytes, 1);
    k->out = device_raw(h, "out", bytes, 1);
    for (uint64_t i = 0; i < bytes; i++) k->in.host[i] = (uint8_t)(1 + rng_below(host_rng(h), 255));
    for (size_t t = 0; t < TYPES; t++) {
        if (t) compare(k, &k->wrong);
        k->type = types[t];
        k->records = (int)(bytes / k->type.bytes);
        k->in_now = device_view(h, k->in, (uint64_t)k->records, k->type.bytes);
        k->out_now = device_view(h, k->out, (uint64_t)k->records, k->type.bytes);
        memset(k->out.host, 0, bytes);
        simt_launch(h, &(struct launch){.name = k->type.name,
                                        .kernel = copy_kernel,
                                        .args = k,
                                        .grid = {(uint32_t)option(h, "blocks")},
                                        .block = {(uint32_t)option(h, "block")},
                                        .regs = 16});
    }
}

static bool aligned_types_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    const struct aligned_types *k = state;
    if (k->wrong.text[0]) return error_set(err, "%s", k->wrong.text);
    return compare(k, err);
}

static const struct kernel_def aligned_types = {
    .name = "aligned_types",
    .summary = "copies of records of eleven types, aligned and not",
    .origin = "CUDA SDK alignedTypes",
    .options = {{"bytes", "of the array", NULL, 1048576, 32, 1 << 30},
                {"block", "threads of a thread block", NULL, 256, 1, 1024},
                {"blocks", "thread blocks", NULL, 512, 1, 1 << 20}},
    .suites = "sdk",
    .tables = "Gu20 2.3, 3.1",
    .small = "bytes=640,blocks=2",
    .reduced = "bytes=131072,blocks=64",
    .state_bytes = sizeof(struct aligned_types),
    .host = aligned_types_host,
    .check = aligned_types_check,
};
KERNEL_REGISTER(aligned_types)
