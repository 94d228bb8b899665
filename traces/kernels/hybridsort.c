/* SPDX-License-Identifier: Apache-2.0 */
/* hybridsort: floats into 1024 buckets, each then sorted by merging (Rodinia).  A histogram gives the buckets' limits;
 * a thread finds the bucket of an element by a binary search and counts it in shared memory; sums over the thread
 * blocks give the places to which the elements are scattered.  Then threads sort groups of four in registers, and merge
 * runs of them, twice as long in each launch and with half as many threads. */
#include <stdlib.h>

#include "program.h"

#define DIVISIONS 1024 /* buckets */
#define LOG_DIVISIONS 10
#define BINS 1024 /* of the histogram */
#define HISTOGRAM_WARPS 3
#define HISTOGRAM_BLOCKS 64
#define BUCKET_BLOCK 32
#define BAND 128 /* elements of a thread */
#define TAG_SHIFT 27
#define COUNT_MASK 0x07ffffffu
#define PREFIX_BLOCK 128
#define BLOCK 256
#define PASS_BLOCK 208
#define PASS_BLOCKS 8 /* at least */

struct hybridsort {
    graw list[2], floats[2]; /* by turns source and destination, as records of four floats, and of one */
    gu32 bins, prefix, sizes, places;
    gi32 index;
    gf32 pivots;
    float *input, least, greatest;
    int n, blocks;
    int from, fours;          /* the source; records of four of all buckets */
    int run, threads;         /* of a pass: records of a thread, threads of a bucket */
    int start[DIVISIONS + 1]; /* first record of a bucket (constant memory) */
    int final[DIVISIONS + 1]; /* first element of a bucket in the sorted list (constant memory) */
};

struct four {
    vf32 v[4];
};

static vf32 float_of(const vpart *part, int i)
{
    vf32 v;
    for (int l = 0; l < WARP_SIZE; l++) memcpy(&v.lane[l], part->lane[l] + 4 * i, 4);
    v.r = part->r;
    return v;
}

static vpart part_of(const vf32 *values, int count)
{
    vpart part = {.r = values[0].r};
    for (int i = 0; i < count; i++)
        for (int l = 0; l < WARP_SIZE; l++) memcpy(part.lane[l] + 4 * i, &values[i].lane[l], 4);
    return part;
}

static vf32 load_float(struct warp *w, graw floats, vi32 at)
{
    vpart part = vload_part(floats, at, 0, 4);
    return vpart_f32(part);
}

static void store_float(struct warp *w, graw floats, vi32 at, vf32 value)
{
    vpart part = part_of(&value, 1);
    vstore_part(floats, at, 0, 4, part);
}

/* The four registers of the load count as one, a variable of the caller's block. */
static struct four load_four(struct warp *w, graw list, vi32 at)
{
    struct four f;
    vpart part = vload_part(list, at, 0, 16);
    f.v[0] = vvar(float_of(&part, 0));
    part.r = f.v[0].r;
    for (int i = 1; i < 4; i++) f.v[i] = float_of(&part, i);
    return f;
}

static void store_four(struct warp *w, graw list, vi32 at, const struct four *f)
{
    vpart part = part_of(f->v, 4);
    vstore_part(list, at, 0, 16, part);
}

/* An element of constant memory for each lane: one instruction. */
static vi32 constant(struct warp *w, const int *table, int count, vi32 at)
{
    vi32 v = vadd(at, 0);
    for (int l = 0; l < WARP_SIZE; l++)
        if (v.lane[l] >= 0 && v.lane[l] < count) v.lane[l] = table[v.lane[l]];
    return v;
}

/* Adds 1 to counters of this warp in shared memory and returns the counts before.  Lanes with one counter write it with
 * their tags, and all but the one whose tag stays try again. */
static vu32 count_one(struct warp *w, su32 counts, vi32 at, vu32 tag)
{
    vu32 count = vvar(0u);
    vi32 again = vvar(1);
    SIMT_WHILE (vne(again, 0)) {
        vset(count, vor(tag, vadd(vand(vload(counts, at), COUNT_MASK), 1u)));
        vstore(counts, at, count);
        SIMT_IF (veq(vload(counts, at), count)) {
            vset(again, 0);
        }
    }
    vset(count, vand(count, COUNT_MASK));
    return vsub(count, 1u);
}

static void clear(struct warp *w, su32 counts, vi32 thread, int count)
{
    vi32 i = vvar(thread);
    SIMT_WHILE (vlt(i, count)) {
        vstore(counts, i, 0u);
        vset(i, vadd(i, BLOCK_DIM_X));
    }
}

static void histogram_kernel(struct warp *w)
{
    const struct hybridsort *k = simt_args(w);
    su32 counts = vshared_u32("s_Hist", HISTOGRAM_WARPS * BINS);
    vi32 thread = vvar(vthread_x()), at = vvar(vglobal_x()), mine = vvar(vmul(vshr(thread, 5), BINS));
    vu32 tag = vvar(vuint(vshl(thread, TAG_SHIFT)));
    clear(w, counts, thread, HISTOGRAM_WARPS * BINS);
    vsync();
    SIMT_WHILE (vlt(at, k->n)) {
        vf32 place = vdiv(vsub(load_float(w, k->floats[0], at), k->least), k->greatest - k->least);
        vi32 bin = vvar(vadd(mine, vand(vtrunc(vmul(place, (float)BINS)), BINS - 1)));
        (void)count_one(w, counts, bin, tag);
        vset(at, vadd(at, GRID_THREADS_X));
    }
    vsync();
    SIMT_WHILE (vlt(thread, BINS)) {
        vu32 sum = vvar(0u);
        for (int base = 0; base < HISTOGRAM_WARPS * BINS; base += BINS)
            vset(sum, vadd(sum, vand(vload(counts, vadd(thread, base)), COUNT_MASK)));
        vred_add(k->bins, thread, sum);
        vset(thread, vadd(thread, BLOCK_DIM_X));
    }
}

/* The number of the element's bucket. */
static vi32 bucket_of(struct warp *w, gf32 pivots, vf32 element)
{
    vi32 at = vvar(DIVISIONS / 2 - 1);
    vf32 pivot = vvar(vload(pivots, at));
    for (int jump = DIVISIONS / 4; jump; jump /= 2) {
        vbool lower = vlt(element, pivot);
        vset(at, vselect(lower, vsub(at, jump), vadd(at, jump)));
        vset(pivot, vload(pivots, at));
    }
    vi32 next = vvar(vadd(at, 1));
    return vselect(vlt(element, pivot), at, next);
}

/* Each element's bucket and its place among those that this thread block has of the bucket. */
static void count_kernel(struct warp *w)
{
    const struct hybridsort *k = simt_args(w);
    su32 counts = vshared_u32("s_offset", DIVISIONS);
    vi32 thread = vvar(vthread_x()), at = vvar(vglobal_x());
    vu32 tag = vvar(vuint(vshl(thread, TAG_SHIFT)));
    clear(w, counts, thread, DIVISIONS);
    vsync();
    SIMT_WHILE (vlt(at, k->n)) {
        vf32 element = vvar(load_float(w, k->floats[0], at));
        vi32 bucket = vvar(bucket_of(w, k->pivots, element));
        vi32 place = vint(count_one(w, counts, bucket, tag));
        vstore(k->index, at, vadd(vshl(place, LOG_DIVISIONS), bucket));
        vset(at, vadd(at, GRID_THREADS_X));
    }
    vsync();
    SIMT_WHILE (vlt(thread, DIVISIONS)) {
        vstore(k->prefix, vadd(thread, BLOCK_X * DIVISIONS), vand(vload(counts, thread), COUNT_MASK));
        vset(thread, vadd(thread, BLOCK_DIM_X));
    }
}

/* For each bucket, how many elements the thread blocks before have of it. */
static void prefix_kernel(struct warp *w)
{
    const struct hybridsort *k = simt_args(w);
    vi32 bucket = vvar(vglobal_x()), at = vvar(bucket);
    vu32 sum = vvar(0u);
    SIMT_WHILE (vlt(at, k->blocks * DIVISIONS)) {
        vu32 count = vvar(vload(k->prefix, at));
        vstore(k->prefix, at, sum);
        vset(sum, vadd(sum, count));
        vset(at, vadd(at, DIVISIONS));
    }
    vstore(k->sizes, bucket, sum);
}

static void scatter_kernel(struct warp *w)
{
    const struct hybridsort *k = simt_args(w);
    su32 places = vshared_u32("s_offset", DIVISIONS);
    vi32 i = vvar(vthread_x()), at = vvar(vglobal_x());
    SIMT_WHILE (vlt(i, DIVISIONS)) {
        vstore(places, i, vadd(vload(k->places, i), vload(k->prefix, vadd(i, BLOCK_X * DIVISIONS))));
        vset(i, vadd(i, BLOCK_DIM_X));
    }
    vsync();
    SIMT_WHILE (vlt(at, k->n)) {
        vf32 element = vvar(load_float(w, k->floats[0], at));
        vi32 index = vvar(vload(k->index, at));
        vi32 first = vvar(vint(vload(places, vand(index, DIVISIONS - 1))));
        store_float(w, k->floats[1], vadd(first, vshr(index, LOG_DIVISIONS)), element);
        vset(at, vadd(at, GRID_THREADS_X));
    }
}

static void exchange(struct warp *w, vf32 *low, vf32 *high)
{
    vf32 least = vmin(*low, *high);
    vset(*high, vmax(*low, *high));
    vset(*low, least);
}

/* Sorts four of which the first two and the last two are sorted. */
static void sort_pairs(struct warp *w, struct four *f)
{
    exchange(w, &f->v[0], &f->v[2]);
    exchange(w, &f->v[1], &f->v[3]);
    exchange(w, &f->v[1], &f->v[2]);
}

static void sort_first_kernel(struct warp *w)
{
    const struct hybridsort *k = simt_args(w);
    vi32 at = vvar(vglobal_x());
    SIMT_IF (vlt(at, k->fours)) {
        struct four f = load_four(w, k->list[k->from], at), sorted;
        for (int i = 0; i < 4; i += 2) {
            sorted.v[i] = vvar(vmin(f.v[i], f.v[i + 1]));
            sorted.v[i + 1] = vvar(vmax(f.v[i], f.v[i + 1]));
        }
        sort_pairs(w, &sorted);
        store_four(w, k->list[!k->from], at, &sorted);
    }
}

/* Of two sorted groups the lower four to a, the higher four to b, each sorted. */
static void merge_fours(struct warp *w, struct four *a, struct four *b)
{
    struct four *const both[] = {a, b};
    for (int i = 0; i < 4; i++) exchange(w, &a->v[i], &b->v[3 - i]);
    for (int i = 0; i < 2; i++) {
        exchange(w, &both[i]->v[0], &both[i]->v[1]);
        exchange(w, &both[i]->v[2], &both[i]->v[3]);
        sort_pairs(w, both[i]);
    }
}

static void take(struct warp *w, struct four *to, const struct four *from, vi32 *at)
{
    for (int i = 0; i < 4; i++) vset(to->v[i], from->v[i]);
    vset(*at, vadd(*at, 1));
}

/* Two runs of up to run / 2 records each, from `a_at` and `b_at` on, become one. */
static void merge_runs(struct warp *w, const struct hybridsort *k, vi32 a_at, vi32 b_at, vi32 end)
{
    const graw from = k->list[k->from];
    const int last = k->fours - 1;
    vi32 a_end = vvar(b_at), b_end = vvar(vmin(vadd(b_at, k->run / 2), end)), out = vvar(a_at);
    struct four first_a = load_four(w, from, a_at), first_b = load_four(w, from, b_at), a, b;
    for (int i = 0; i < 4; i++) {
        a.v[i] = vvar(first_a.v[i]);
        b.v[i] = vvar(first_b.v[i]);
    }
    vset(a_at, vadd(a_at, 1));
    vset(b_at, vadd(b_at, 1));
    vi32 more = vvar(1);
    SIMT_WHILE (vne(more, 0)) {
        struct four next_a = load_four(w, from, vmin(a_at, last)), next_b = load_four(w, from, vmin(b_at, last));
        merge_fours(w, &a, &b);
        store_four(w, k->list[!k->from], out, &a);
        vset(out, vadd(out, 1));
        vbool first = vlt(next_a.v[0], next_b.v[0]);
        vbool has_a = vlt(a_at, a_end), has_b = vlt(b_at, b_end);
        vset(more, vselect(vor(has_a, has_b), V(1), 0));
        SIMT_IF (vand(has_a, vor(first, vge(b_at, b_end)))) {
            take(w, &a, &next_a, &a_at);
        }
        SIMT_ELSE
        {
            SIMT_IF (vlt(b_at, b_end)) {
                take(w, &a, &next_b, &b_at);
            }
        }
    }
    store_four(w, k->list[!k->from], out, &b);
}

static void merge_kernel(struct warp *w)
{
    const struct hybridsort *k = simt_args(w);
    vi32 thread = vvar(vglobal_x()), bucket = vvar(vquot(thread, k->threads));
    SIMT_IF (vge(bucket, DIVISIONS)) {
        SIMT_RETURN;
    }
    vi32 part = vvar(vsub(thread, vmul(bucket, k->threads)));
    vi32 a_at = vvar(vmad(part, k->run, constant(w, k->start, DIVISIONS, bucket)));
    vi32 end = vvar(constant(w, k->start + 1, DIVISIONS, bucket)), b_at = vvar(vadd(a_at, k->run / 2));
    SIMT_IF (vge(a_at, end)) {
        SIMT_RETURN;
    }
    SIMT_IF (vge(b_at, end)) {
        SIMT_WHILE (vlt(a_at, end)) {
            struct four f = load_four(w, k->list[k->from], a_at);
            store_four(w, k->list[!k->from], a_at, &f);
            vset(a_at, vadd(a_at, 1));
        }
        SIMT_RETURN;
    }
    merge_runs(w, k, a_at, b_at, end);
}

/* Leaves out the zeros that filled the buckets' last records: they are the first elements now. */
static void pack_kernel(struct warp *w)
{
    const struct hybridsort *k = simt_args(w);
    const int to = k->final[BLOCK_Y], count = k->final[BLOCK_Y + 1] - to;
    const int filled = 4 * (k->start[BLOCK_Y + 1] - k->start[BLOCK_Y]) - count;
    vi32 at = vvar(vglobal_x());
    SIMT_IF (vlt(at, count)) {
        vf32 element = load_float(w, k->floats[k->from], vadd(at, 4 * k->start[BLOCK_Y] + filled));
        store_float(w, k->floats[!k->from], vadd(at, to), element);
    }
}

/* Limits of buckets of equal size: within a bin of the histogram, elements count as evenly spread. */
static void choose_pivots(struct hybridsort *k)
{
    const double width = ((double)k->greatest - k->least) / BINS, share = (double)k->n / DIVISIONS;
    double before = 0; /* elements of the bins before */
    int p = 0;
    for (int bin = 0; bin < BINS; before += k->bins.host[bin++])
        for (; p < DIVISIONS && (p + 1) * share < before + k->bins.host[bin]; p++)
            k->pivots.host[p] = (float)(k->least + width * (bin + ((p + 1) * share - before) / k->bins.host[bin]));
    for (; p < DIVISIONS; p++) k->pivots.host[p] = k->greatest;
}

/* Buckets begin at records of four. */
static void place_buckets(struct hybridsort *k)
{
    for (int i = 0; i < DIVISIONS; i++) {
        const int size = (int)k->sizes.host[i];
        k->places.host[i] = 4 * (uint32_t)k->start[i];
        k->start[i + 1] = k->start[i] + (size + 3) / 4;
        k->final[i + 1] = k->final[i] + size;
    }
    k->fours = k->start[DIVISIONS];
}

static void bucket_sort(struct host *h, struct hybridsort *k)
{
    const int band = BUCKET_BLOCK * BAND;
    simt_launch(h, &(struct launch){.name = "histogram1024Kernel",
                                    .kernel = histogram_kernel,
                                    .args = k,
                                    .grid = {HISTOGRAM_BLOCKS},
                                    .block = {32 * HISTOGRAM_WARPS},
                                    .regs = 20,
                                    .shared_bytes = 4 * HISTOGRAM_WARPS * BINS});
    choose_pivots(k);
    struct launch l = {.name = "bucketcount",
                       .kernel = count_kernel,
                       .args = k,
                       .grid = {blocks_for(k->n, band)},
                       .block = {BUCKET_BLOCK},
                       .regs = 20,
                       .shared_bytes = 4 * DIVISIONS};
    simt_launch(h, &l);
    line_launch(h, "bucketprefixoffset", prefix_kernel, k, DIVISIONS, PREFIX_BLOCK, 16);
    place_buckets(k);
    l.name = "bucketsort";
    l.kernel = scatter_kernel;
    simt_launch(h, &l);
    k->from = 1;
}

static int largest_bucket(const struct hybridsort *k)
{
    int largest = 0;
    for (int i = 0; i < DIVISIONS; i++)
        if (k->start[i + 1] - k->start[i] > largest) largest = k->start[i + 1] - k->start[i];
    return largest;
}

static void merge_buckets(struct host *h, struct hybridsort *k)
{
    const int largest = largest_bucket(k);
    line_launch(h, "mergeSortFirst", sort_first_kernel, k, k->fours, BLOCK, 24);
    k->from = !k->from;
    for (k->run = 2, k->threads = 0; k->threads != 1; k->run *= 2, k->from = !k->from) {
        k->threads = (int)blocks_for(largest, k->run);
        const int threads = k->threads * DIVISIONS, few = (int)blocks_for(threads, PASS_BLOCKS);
        line_launch(h, "mergeSortPass", merge_kernel, k, threads, few < PASS_BLOCK ? few : PASS_BLOCK, 48);
    }
    simt_launch(h, &(struct launch){.name = "mergepack",
                                    .kernel = pack_kernel,
                                    .args = k,
                                    .grid = {blocks_for(4 * largest, BLOCK), DIVISIONS},
                                    .block = {BLOCK},
                                    .regs = 12});
    k->from = !k->from;
}

static void make_input(struct host *h, struct hybridsort *k)
{
    k->input = host_alloc(h, (uint64_t)k->n * sizeof(float));
    for (int i = 0; i < k->n; i++) k->input[i] = (float)rng_unit(host_rng(h));
    k->least = k->greatest = k->input[0];
    for (int i = 0; i < k->n; i++) {
        if (k->input[i] < k->least) k->least = k->input[i];
        if (k->input[i] > k->greatest) k->greatest = k->input[i];
    }
    memcpy(k->list[0].host, k->input, (uint64_t)k->n * sizeof(float));
}

static void hybridsort_host(struct host *h, void *state)
{
    struct hybridsort *k = state;
    k->n = option(h, "n");
    k->blocks = (int)blocks_for(k->n, BUCKET_BLOCK * BAND);
    const uint64_t fours = blocks_for(k->n, 4) + DIVISIONS;
    for (int i = 0; i < 2; i++) {
        k->list[i] = device_raw(h, i ? "d_output" : "d_input", fours, 16);
        k->floats[i] = device_view(h, k->list[i], 4 * fours, 4);
    }
    k->bins = device_u32(h, "d_Result1024", BINS);
    k->pivots = device_f32(h, "l_pivotpoints", DIVISIONS);
    k->index = device_i32(h, "d_indice", (uint64_t)k->n);
    k->prefix = device_u32(h, "d_prefixoffsets", (uint64_t)k->blocks * DIVISIONS);
    k->sizes = device_u32(h, "d_offsets", DIVISIONS);
    k->places = device_u32(h, "l_offsets", DIVISIONS);
    make_input(h, k);
    bucket_sort(h, k);
    merge_buckets(h, k);
}

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static bool hybridsort_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    const struct hybridsort *k = state;
    const float *got = (const float *)(const void *)k->list[k->from].host;
    qsort(k->input, (size_t)k->n, sizeof(float), by_value);
    for (int i = 0; i < k->n; i++)
        if (got[i] != k->input[i])
            return error_set(err, "wrong result: %s[%d] is %.9g, plain C computes %.9g", k->list[k->from].array->name,
                             i, (double)got[i], (double)k->input[i]);
    return true;
}

static const struct kernel_def hybridsort = {
    .name = "hybridsort",
    .summary = "floats sorted by a scatter into 1024 buckets and merges in them",
    .origin = "Rodinia hybridsort",
    .options = {{"n", "elements", NULL, 4194304, 1, 1 << 25}},
    .suites = "rodinia",
    .tables = "Gu20 3.1",
    .small = "n=3000",
    .reduced = "n=16384",
    .state_bytes = sizeof(struct hybridsort),
    .host = hybridsort_host,
    .check = hybridsort_check,
};
KERNEL_REGISTER(hybridsort)
