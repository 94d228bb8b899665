/* SPDX-License-Identifier: Apache-2.0 */
/* spmv: y = A x, A sparse in CSR form with rows of power-law length (Bell and Garland's scalar and vector kernels).
 * Scalar: a thread for each row, every lane in its own part of the matrix, long rows leave a warp nearly empty. Vector:
 * a warp for each row. */
#include <math.h>
#include <stdlib.h>

#include "trace/kernels.h"

struct spmv {
    gi32 row_start, column;
    gf32 value, x, y;
    int rows, vector;
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
    int *column = host_alloc(h, (room + 1) * sizeof *column), count = 0;
    k->row_start = device_i32(h, "row_start", (uint64_t)k->rows + 1);
    for (int i = 0; i < k->rows; i++) {
        count += make_row(r, column + count, length[i], columns);
        k->row_start.host[i + 1] = count;
    }
    k->column = device_i32(h, "column", (uint64_t)count + 1);
    k->value = device_f32(h, "value", (uint64_t)count + 1);
    for (int j = 0; j < count; j++) {
        k->column.host[j] = column[j];
        k->value.host[j] = (float)rng_unit(r);
    }
}

static void spmv_host(struct host *h, void *state)
{
    struct spmv *k = state;
    int columns = option(h, "columns"), block = option(h, "block");
    k->rows = option(h, "rows");
    k->vector = option(h, "variant");
    make_matrix(h, k, option(h, "mean"), columns);
    k->x = device_f32(h, "x", (uint64_t)columns);
    k->y = device_f32(h, "y", (uint64_t)k->rows);
    for (int i = 0; i < columns; i++) k->x.host[i] = (float)rng_unit(host_rng(h));
    if (k->vector && block % WARP_SIZE)
        host_fail(h, "block: found %d, expected a multiple of %d for the vector variant", block, WARP_SIZE);
    simt_launch(h, &(struct launch){.name = k->vector ? "spmv_csr_vector" : "spmv_csr_scalar",
                                    .kernel = k->vector ? vector_kernel : scalar_kernel,
                                    .args = k,
                                    .grid = {blocks_for(k->rows, k->vector ? block / WARP_SIZE : block)},
                                    .block = {(uint32_t)block},
                                    .regs = 16,
                                    .shared_bytes = k->vector ? (uint32_t)(block + WARP_SIZE / 2) * 4 : 0});
}

/* In the order of the kernel: one sum, or 32 of them added pairwise. */
static float row_sum(const struct spmv *k, int row)
{
    float sum[WARP_SIZE] = {0};
    int lanes = k->vector ? WARP_SIZE : 1;
    for (int j = k->row_start.host[row], l = 0; j < k->row_start.host[row + 1]; j++, l = (l + 1) % lanes) {
        sum[l] += k->value.host[j] * k->x.host[k->column.host[j]];
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
    .origin = "Bell and Garland, CSR scalar and vector",
    .options = {{"rows", "of the matrix", NULL, 65536, 1, 1 << 26},
                {"columns", "of the matrix", NULL, 65536, 1, 1 << 26},
                {"mean", "entries of a row, about", NULL, 6, 1, 4096},
                {"variant", "a thread or a warp for each row", "scalar|vector", 0, 0, 0},
                {"block", "threads of a thread block", NULL, 128, 1, 1024}},
    .state_bytes = sizeof(struct spmv),
    .host = spmv_host,
    .check = spmv_check,
};
KERNEL_REGISTER(spmv)
