/* atax: y = A^T (A x) (Polybench-GPU).  One kernel with a thread for each row, whose loads of A are strided by the row
 * length (32 lines a warp), one with a thread for each column, coalesced.  The original's pointers may alias, so that a
 * compiler keeps the running sum in a register but stores it in every iteration; so does this. */
#include <string.h>

#include "trace/kernels.h"

struct atax {
    gf32 a, x, y, tmp;
    int rows, columns;
};

static void rows_kernel(struct warp *w)
{
    const struct atax *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->rows)) {
        vf32 sum = vvar(vload(k->tmp, i));
        vi32 j = vvar(0);
        SIMT_WHILE (vlt(j, k->columns)) {
            vset(sum, vmad(vload(k->a, vmad(i, k->columns, j)), vload(k->x, j), sum));
            vstore(k->tmp, i, sum);
            vset(j, vadd(j, 1));
        }
    }
}

static void columns_kernel(struct warp *w)
{
    const struct atax *k = simt_args(w);
    vi32 j = vvar(vglobal_x());
    SIMT_IF (vlt(j, k->columns)) {
        vf32 sum = vvar(vload(k->y, j));
        vi32 i = vvar(0);
        SIMT_WHILE (vlt(i, k->rows)) {
            vset(sum, vmad(vload(k->a, vmad(i, k->columns, j)), vload(k->tmp, i), sum));
            vstore(k->y, j, sum);
            vset(i, vadd(i, 1));
        }
    }
}

static void launch(struct host *h, struct atax *k, const char *name, void (*kernel)(struct warp *w), int threads)
{
    int block = option(h, "block");
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {blocks_for(threads, block)},
                                    .block = {(uint32_t)block},
                                    .regs = 14});
}

static void atax_host(struct host *h, void *state)
{
    struct atax *k = state;
    k->rows = option(h, "rows");
    k->columns = option(h, "columns");
    uint64_t size = (uint64_t)k->rows * (uint64_t)k->columns;
    k->a = device_f32(h, "a", size);
    k->x = device_f32(h, "x", (uint64_t)k->columns);
    k->y = device_f32(h, "y", (uint64_t)k->columns);
    k->tmp = device_f32(h, "tmp", (uint64_t)k->rows);
    for (uint64_t i = 0; i < size; i++) k->a.host[i] = (float)rng_unit(host_rng(h));
    for (int j = 0; j < k->columns; j++) k->x.host[j] = (float)rng_unit(host_rng(h));
    launch(h, k, "atax_kernel1", rows_kernel, k->rows);
    launch(h, k, "atax_kernel2", columns_kernel, k->columns);
}

static bool atax_check(struct host *h, void *state, struct error *err)
{
    const struct atax *k = state;
    float *tmp = host_alloc(h, (uint64_t)k->rows * sizeof *tmp), *y = host_alloc(h, (uint64_t)k->columns * sizeof *y);
    for (int i = 0; i < k->rows; i++) {
        for (int j = 0; j < k->columns; j++) tmp[i] += k->a.host[i * k->columns + j] * k->x.host[j];
    }
    for (int i = 0; i < k->rows; i++) {
        for (int j = 0; j < k->columns; j++) y[j] += k->a.host[i * k->columns + j] * tmp[i];
    }
    return check_f32(k->tmp, tmp, 0, err) && check_f32(k->y, y, 0, err);
}

static const struct kernel_def atax = {
    .name = "atax",
    .summary = "y = A^T (A x), strided by row, then coalesced",
    .origin = "Polybench-GPU ATAX",
    .options = {{"rows", "of A", NULL, 4096, 1, 32768},
                {"columns", "of A", NULL, 256, 1, 32768},
                {"block", "threads of a thread block", NULL, 128, 1, 1024}},
    .state_bytes = sizeof(struct atax),
    .host = atax_host,
    .check = atax_check,
};
KERNEL_REGISTER(atax)
