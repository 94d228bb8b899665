/* SPDX-License-Identifier: Apache-2.0 */
/* spmv: y = A x, A sparse with rows of power-law length.  In CSR form (Bell and Garland): scalar, a thread for each
 * row, every lane in its own part of the matrix, long rows leave a warp nearly empty; vector, a warp for each row.  In
 * JDS form (Parboil): rows sorted by length and stored by column, so that a warp's rows are of similar length and its
 * lanes side by side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/unrolled.h"

enum variant { SCALAR, VECTOR, JDS };

/* On the host. */
struct csr {
    int *row_start, *column;
    float *value;
};

struct spmv {
    struct csr csr;
    gi32 row_start, column, permutation; /* JDS: the row of each sorted one */
    gf32 value, x, y;
    int rows, *first, *bound; /* JDS: where each column begins; the longest row of each warp */
    enum variant variant;
};

static void scalar_kernel(struct warp *w)
{
    const struct spmv *k = simt_args(w);
    vi32 row = vvar(vglobal_x());
    SIMT_IF (vlt(row, k->rows)) {
        vi32 j = vvar(vload(k->row_start, row)), end = vvar(vload(k->row_start, vadd(row, 1)));
        vf32 sum = vvar(0.0f);
        SIMT_WHILE (vlt(j, end)) {
            vf32 x = vload(k->x, vload(k->column, j));
            vset(sum, vmad(vload(k->value, j), x, sum));
            vset(j, vadd(j, 1));
        }
        vstore(k->y, row, sum);
    }
}

/* The sum over lanes goes through shared memory; no result depends on sums of lanes beyond the reach of a step. */
static void vector_kernel(struct warp *w)
{
    const struct spmv *k = simt_args(w);
    sf32 sums = vshared_f32("sums", (uint32_t)BLOCK_DIM_X + WARP_SIZE / 2);
    vi32 thread = vvar(vthread_x()), lane = vvar(vand(thread, WARP_SIZE - 1));
    vi32 row = vvar(vshr(vadd(thread, BLOCK_X * BLOCK_DIM_X), 5));
    SIMT_IF (vlt(row, k->rows)) {
        vi32 end = vvar(vload(k->row_start, vadd(row, 1)));
        vi32 j = vvar(vadd(vload(k->row_start, row), lane));
        vf32 sum = vvar(0.0f);
        SIMT_WHILE (vlt(j, end)) {
            vf32 x = vload(k->x, vload(k->column, j));
            vset(sum, vmad(vload(k->value, j), x, sum));
            vset(j, vadd(j, WARP_SIZE));
        }
        vstore(sums, thread, sum);
        for (int step = WARP_SIZE / 2; step; step /= 2) {
            vset(sum, vadd(vload(sums, vadd(thread, step)), sum));
            vstore(sums, thread, sum);
        }
        SIMT_IF (veq(lane, 0)) {
            vstore(k->y, row, sum);
        }
    }
}

/* As the suite's: the next value and x, and the index after them, are on their way while a term is added.  `first` and
 * `bound` are in constant memory: reading a word of them is one instruction. */
static void jds_kernel(struct warp *w)
{
    const struct spmv *k = simt_args(w);
    vi32 row = vvar(vglobal_x());
    SIMT_IF (vlt(row, k->rows)) {
        const int *first = k->first;
        vi32 end = vvar(k->bound[BLOCK_X * BLOCK_DIM_X / WARP_SIZE + (int)WARP_INDEX]);
        vi32 at = vvar(vadd(row, *first++)), index = vvar(vload(k->column, at));
        vf32 value = vvar(vload(k->value, at)), x = vvar(vload(k->x, index)), sum = vvar(0.0f);
        SIMT_IF (vgt(end, 1)) {
            vi32 j = vvar(2);
            vset(at, vadd(row, *first++));
            vset(index, vload(k->column, at));
            SIMT_WHILE (vlt(j, end)) {
                vf32 value_next = vvar(vload(k->value, at));
                vi32 start = vvar(*first++);
                vset(at, vadd(row, start));
                vi32 index_next = vvar(vload(k->column, at));
                vf32 x_next = vvar(vload(k->x, index));
                vset(sum, vmad(value, x, sum));
                vset(index, index_next);
                vset(value, value_next);
                vset(x, x_next);
                vset(j, vadd(j, 1));
            }
            vset(sum, vmad(value, x, sum));
            vset(value, vload(k->value, at));
            vset(x, vload(k->x, index));
        }
        vset(sum, vmad(value, x, sum));
        vstore(k->y, vload(k->permutation, row), sum);
    }
}

/* The two loops over a row in CSR form, lanes `step` entries apart, as a compiler unrolls them: four terms a turn,
 * pointers that move on once, other terms at an offset. */
static vf32 unrolled_sum(struct warp *w, const struct spmv *k, vi32 first, vi32 end, int step)
{
    vf32 sum = vvar(0.0f);
    vaddr column = vaddress(first), value = vaddress(first);
    vi32 j = vvar(first);
    for (int turn = UNROLLED; turn; turn = turn > 1 ? 1 : 0) { /* a loop of whole turns, one of single terms */
        vi32 bound = vvar(vsub(end, (turn - 1) * step));
        SIMT_WHILE (vlt(j, bound)) {
            for (int u = 0; u < turn; u++) {
                vf32 x = vload(k->x, vload_at(k->column, vnext(column, u * step)));
                vset(sum, vmad(vload_at(k->value, vnext(value, u * step)), x, sum));
            }
            vmove(column, turn * step);
            vmove(value, turn * step);
            vset(j, vadd(j, turn * step));
        }
    }
    return sum;
}

static void unrolled_scalar_kernel(struct warp *w)
{
    const struct spmv *k = simt_args(w);
    vi32 row = vvar(vglobal_x());
    SIMT_IF (vlt(row, k->rows)) {
        vaddr from = vaddress(row);
        vi32 end = vvar(vload_at(k->row_start, vnext(from, 1)));
        vstore(k->y, row, unrolled_sum(w, k, vvar(vload_at(k->row_start, from)), end, 1));
    }
}

static void unrolled_vector_kernel(struct warp *w)
{
    const struct spmv *k = simt_args(w);
    sf32 sums = vshared_f32("sums", (uint32_t)BLOCK_DIM_X + WARP_SIZE / 2);
    vi32 thread = vvar(vthread_x()), lane = vvar(vand(thread, WARP_SIZE - 1));
    vi32 row = vvar(vshr(vadd(thread, BLOCK_X * BLOCK_DIM_X), 5));
    SIMT_IF (vlt(row, k->rows)) {
        vaddr from = vaddress(row);
        vi32 end = vvar(vload_at(k->row_start, vnext(from, 1)));
        vi32 first = vvar(vadd(vload_at(k->row_start, from), lane));
        vaddr mine = vaddress(thread);
        vf32 sum = unrolled_sum(w, k, first, end, WARP_SIZE);
        vstore_at(sums, mine, sum);
        for (int step = WARP_SIZE / 2; step; step /= 2) {
            vset(sum, vadd(vload_at(sums, vnext(mine, step)), sum));
            vstore_at(sums, mine, sum);
        }
        SIMT_IF (veq(lane, 0)) {
            vstore(k->y, row, sum);
        }
    }
}

/* Terms in flight in JDS form: they alternate between two sets of registers, which need no moves. */
struct jds_terms {
    vf32 value[2], x[2];
    vi32 index[2], at, row;
    const int *first; /* of the next column */
};

static void load_pair(struct warp *w, const struct spmv *k, struct jds_terms *t, int which)
{
    vset(t->value[which], vload(k->value, t->at));
    vset(t->x[which], vload(k->x, t->index[which]));
}

/* Adds the term of `which`, loads the next one, and the index of the one after it. */
static void jds_step(struct warp *w, const struct spmv *k, struct jds_terms *t, vf32 *sum, int which)
{
    vset(t->value[!which], vload(k->value, t->at));
    vi32 start = vvar(*t->first++);
    vset(t->at, vadd(t->row, start));
    vset(t->index[which], vload(k->column, t->at));
    vset(t->x[!which], vload(k->x, t->index[!which]));
    vset(*sum, vmad(t->value[which], t->x[which], *sum));
}

static void unrolled_jds_kernel(struct warp *w)
{
    const struct spmv *k = simt_args(w);
    vi32 row = vvar(vglobal_x());
    SIMT_IF (vlt(row, k->rows)) {
        vi32 end = vvar(k->bound[BLOCK_X * BLOCK_DIM_X / WARP_SIZE + (int)WARP_INDEX]);
        vf32 sum = vvar(0.0f);
        struct jds_terms t = {.row = row, .first = k->first};
        t.at = vvar(vadd(row, *t.first++));
        for (int which = 0; which < 2; which++) {
            t.index[which] = vvar(which ? V(0) : vload(k->column, t.at));
            t.value[which] = vvar(which ? V(0.0f) : vload(k->value, t.at));
            t.x[which] = vvar(which ? V(0.0f) : vload(k->x, t.index[which]));
        }
        SIMT_IF (vgt(end, 1)) {
            vi32 j = vvar(3);
            vset(t.at, vadd(row, *t.first++));
            vset(t.index[1], vload(k->column, t.at));
            SIMT_WHILE (vlt(j, end)) {
                for (int which = 0; which < 2; which++) jds_step(w, k, &t, &sum, which);
                vset(j, vadd(j, 2));
            }
            SIMT_IF (veq(j, end)) { /* an odd number of terms: one is left */
                jds_step(w, k, &t, &sum, 0);
                vset(sum, vmad(t.value[1], t.x[1], sum));
                load_pair(w, k, &t, 0);
            }
            SIMT_ELSE
            {
                vset(sum, vmad(t.value[0], t.x[0], sum));
                load_pair(w, k, &t, 1);
                vset(t.value[0], t.value[1]);
                vset(t.x[0], t.x[1]);
            }
        }
        vset(sum, vmad(t.value[0], t.x[0], sum));
        vstore(k->y, vload(k->permutation, row), sum);
    }
}

/* Pareto with exponent 1.5: most rows short, a few very long. */
static int row_length(struct rng *r, int mean, int columns)
{
    double length = mean / 3.0 / pow(1 - rng_unit(r), 1 / 1.5);
    int limit = columns < 64 * mean ? columns : 64 * mean;
    return length < limit ? (int)length : limit;
}

/* Half of the entries anywhere, half in the columns that many rows use. */
static int column_number(struct rng *r, int columns)
{
    double u = rng_unit(r);
    return (int)((rng_u64(r) & 1 ? u : u * u * u) * columns);
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* A row's columns, sorted, each once; returns how many. */
static int make_row(struct rng *r, int *column, int length, int columns)
{
    for (int i = 0; i < length; i++) column[i] = column_number(r, columns);
    qsort(column, (size_t)length, sizeof *column, by_number);
    int kept = 0;
    for (int i = 0; i < length; i++) {
        if (!kept || column[i] != column[kept - 1]) column[kept++] = column[i];
    }
    return kept;
}

static void make_matrix(struct host *h, struct spmv *k, int mean, int columns)
{
    struct rng *r = host_rng(h);
    int *length = host_alloc(h, (uint64_t)k->rows * sizeof *length);
    uint64_t room = 0;
    for (int i = 0; i < k->rows; i++) room += (uint64_t)(length[i] = row_length(r, mean, columns));
    if (room > INT32_MAX) host_fail(h, "found %llu entries, expected less than 2^31", (unsigned long long)room);
    struct csr *m = &k->csr;
    m->row_start = host_alloc(h, ((uint64_t)k->rows + 1) * sizeof *m->row_start);
    m->column = host_alloc(h, (room + 1) * sizeof *m->column);
    m->value = host_alloc(h, (room + 1) * sizeof *m->value);
    for (int i = 0, count = 0; i < k->rows; i++) {
        count += make_row(r, m->column + count, length[i], columns);
        m->row_start[i + 1] = count;
    }
    for (int j = 0; j < m->row_start[k->rows]; j++) m->value[j] = (float)rng_unit(r);
}

static void send_csr(struct host *h, struct spmv *k)
{
    const uint64_t rows = (uint64_t)k->rows, entries = (uint64_t)k->csr.row_start[k->rows];
    k->row_start = device_i32(h, "row_start", rows + 1);
    k->column = device_i32(h, "column", entries + 1);
    k->value = device_f32(h, "value", entries + 1);
    memcpy(k->row_start.host, k->csr.row_start, (rows + 1) * sizeof(int));
    memcpy(k->column.host, k->csr.column, entries * sizeof(int));
    memcpy(k->value.host, k->csr.value, entries * sizeof(float));
}

static int entries_of(const struct spmv *k, int row)
{
    return k->csr.row_start[row + 1] - k->csr.row_start[row];
}

/* Longest first; rows of one length in their order. */
static int *sorted_rows(struct host *h, const struct spmv *k)
{
    int *rows = host_alloc(h, (uint64_t)k->rows * sizeof *rows), longest = 0, n = 0;
    for (int i = 0; i < k->rows; i++) longest = entries_of(k, i) > longest ? entries_of(k, i) : longest;
    int *end = host_alloc(h, ((uint64_t)longest + 2) * sizeof *end);
    for (int i = 0; i < k->rows; i++) end[entries_of(k, i)]++;
    for (int length = longest; length >= 0; length--) n += end[length], end[length] = n - end[length];
    for (int i = 0; i < k->rows; i++) rows[end[entries_of(k, i)]++] = i;
    return rows;
}

/* Rows of a warp are filled up with zeros to the longest of them, and to one entry at least. */
static void send_jds(struct host *h, struct spmv *k)
{
    const int warps = (int)blocks_for(k->rows, WARP_SIZE), *rows = sorted_rows(h, k);
    k->bound = host_alloc(h, (uint64_t)warps * sizeof *k->bound);
    for (int i = 0; i < warps; i++)
        k->bound[i] = entries_of(k, rows[i * WARP_SIZE]) ? entries_of(k, rows[i * WARP_SIZE]) : 1;
    const int longest = k->bound[0];
    k->first = host_alloc(h, ((uint64_t)longest + 1) * sizeof *k->first);
    for (int j = 0, n = warps; j < longest; j++) {
        while (k->bound[n - 1] <= j) n--;
        k->first[j + 1] = k->first[j] + n * WARP_SIZE;
    }
    const uint64_t room = (uint64_t)k->first[longest];
    k->column = device_i32(h, "d_index", room);
    k->value = device_f32(h, "d_data", room);
    k->permutation = device_i32(h, "d_perm", (uint64_t)k->rows);
    memcpy(k->permutation.host, rows, (uint64_t)k->rows * sizeof *rows);
    for (int i = 0; i < k->rows; i++)
        for (int j = 0, from = k->csr.row_start[rows[i]]; j < entries_of(k, rows[i]); j++) {
            k->column.host[k->first[j] + i] = k->csr.column[from + j];
            k->value.host[k->first[j] + i] = k->csr.value[from + j];
        }
}

static void spmv_host(struct host *h, void *state)
{
    static const char *const names[] = {"spmv_csr_scalar", "spmv_csr_vector", "spmv_jds"};
    static void (*const kernels[][3])(struct warp *) = {
        [KERNEL_WRITTEN] = {scalar_kernel, vector_kernel, jds_kernel},
        [KERNEL_UNROLLED] = {unrolled_scalar_kernel, unrolled_vector_kernel, unrolled_jds_kernel}};
    struct spmv *k = state;
    const int code = option(h, KERNEL_CODE_NAME);
    int columns = option(h, "columns"), block = option(h, "block");
    k->rows = option(h, "rows");
    k->variant = (enum variant)option(h, "variant");
    make_matrix(h, k, option(h, "mean"), columns);
    if (k->variant == JDS)
        send_jds(h, k);
    else
        send_csr(h, k);
    k->x = device_f32(h, "x", (uint64_t)columns);
    k->y = device_f32(h, "y", (uint64_t)k->rows);
    for (int i = 0; i < columns; i++) k->x.host[i] = (float)rng_unit(host_rng(h));
    if (k->variant != SCALAR && block % WARP_SIZE)
        host_fail(h, "block: found %d, expected a multiple of %d for this variant", block, WARP_SIZE);
    simt_launch(h, &(struct launch){.name = names[k->variant],
                                    .kernel = kernels[code][k->variant],
                                    .args = k,
                                    .grid = {blocks_for(k->rows, k->variant == VECTOR ? block / WARP_SIZE : block)},
                                    .block = {(uint32_t)block},
                                    .regs = code == KERNEL_UNROLLED ? 24 : 16,
                                    .shared_bytes = k->variant == VECTOR ? (uint32_t)(block + WARP_SIZE / 2) * 4 : 0});
}

/* In the order of the kernel: one sum, or 32 of them added pairwise. */
static float row_sum(const struct spmv *k, int row)
{
    float sum[WARP_SIZE] = {0};
    int lanes = k->variant == VECTOR ? WARP_SIZE : 1;
    for (int j = k->csr.row_start[row], l = 0; j < k->csr.row_start[row + 1]; j++, l = (l + 1) % lanes) {
        sum[l] += k->csr.value[j] * k->x.host[k->csr.column[j]];
    }
    for (int step = lanes / 2; step; step /= 2) {
        for (int l = 0; l < step; l++) sum[l] += sum[l + step];
    }
    return sum[0];
}

static bool spmv_check(struct host *h, void *state, struct error *err)
{
    const struct spmv *k = state;
    float *y = host_alloc(h, (uint64_t)k->rows * sizeof *y);
    for (int i = 0; i < k->rows; i++) y[i] = row_sum(k, i);
    return check_f32(k->y, y, 0, err);
}

static const struct kernel_def spmv = {
    .name = "spmv",
    .summary = "sparse matrix times vector, rows of power-law length",
    .origin = "Bell and Garland, CSR scalar and vector; Parboil, JDS",
    .options = {{"rows", "of the matrix", NULL, 65536, 1, 1 << 26},
                {"columns", "of the matrix", NULL, 65536, 1, 1 << 26},
                {"mean", "entries of a row, about", NULL, 6, 1, 4096},
                {"variant", "a thread or a warp for each row; a thread, rows sorted", "scalar|vector|jds", 0, 0, 0},
                {"block", "threads of a thread block", NULL, 128, 1, 1024},
                KERNEL_CODE_OPTION},
    .suites = "parboil",
    .tables = "Gu20 2.3; Dai17 6",
    .small = "rows=64,columns=32",
    .reduced = "rows=4096,columns=4096",
    .state_bytes = sizeof(struct spmv),
    .host = spmv_host,
    .check = spmv_check,
};
KERNEL_REGISTER(spmv)
