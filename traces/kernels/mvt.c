/* mvt: x1 += A y1, x2 += A^T y2 (Polybench-GPU).  As in atax, one kernel strides by row, the other is coalesced; A is
 * square, so that few warps run for long. */
#include <string.h>

#include "trace/kernels.h"

struct mvt {
    gf32 a, x1, x2, y1, y2;
    float *x1_before, *x2_before;
    int n;
};

static void rows_kernel(struct warp *w)
{
    const struct mvt *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->n)) {
        vf32 sum = vvar(vload(k->x1, i));
        vi32 j = vvar(0);
        SIMT_WHILE (vlt(j, k->n)) {
            vset(sum, vmad(vload(k->a, vmad(i, k->n, j)), vload(k->y1, j), sum));
            vstore(k->x1, i, sum);
            vset(j, vadd(j, 1));
        }
    }
}

static void columns_kernel(struct warp *w)
{
    const struct mvt *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->n)) {
        vf32 sum = vvar(vload(k->x2, i));
        vi32 j = vvar(0);
        SIMT_WHILE (vlt(j, k->n)) {
            vset(sum, vmad(vload(k->a, vmad(j, k->n, i)), vload(k->y2, j), sum));
            vstore(k->x2, i, sum);
            vset(j, vadd(j, 1));
        }
    }
}

static gf32 random_vector(struct host *h, const char *name, uint64_t count)
{
    gf32 v = device_f32(h, name, count);
    for (uint64_t i = 0; i < count; i++) v.host[i] = (float)rng_unit(host_rng(h));
    return v;
}

static float *copy(struct host *h, gf32 v)
{
    uint64_t bytes = v.array->count * sizeof(float);
    return memcpy(host_alloc(h, bytes), v.host, bytes);
}

static void launch(struct host *h, struct mvt *k, const char *name, void (*kernel)(struct warp *w))
{
    int block = option(h, "block");
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {blocks_for(k->n, block)},
                                    .block = {(uint32_t)block},
                                    .regs = 14});
}

static void mvt_host(struct host *h, void *state)
{
    struct mvt *k = state;
    k->n = option(h, "n");
    uint64_t n = (uint64_t)k->n;
    k->a = random_vector(h, "a", n * n);
    k->x1 = random_vector(h, "x1", n);
    k->x2 = random_vector(h, "x2", n);
    k->y1 = random_vector(h, "y1", n);
    k->y2 = random_vector(h, "y2", n);
    k->x1_before = copy(h, k->x1);
    k->x2_before = copy(h, k->x2);
    launch(h, k, "mvt_kernel1", rows_kernel);
    launch(h, k, "mvt_kernel2", columns_kernel);
}

static bool mvt_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    const struct mvt *k = state;
    float *x1 = k->x1_before, *x2 = k->x2_before;
    for (int i = 0; i < k->n; i++) {
        for (int j = 0; j < k->n; j++) x1[i] += k->a.host[i * k->n + j] * k->y1.host[j];
    }
    for (int j = 0; j < k->n; j++) {
        for (int i = 0; i < k->n; i++) x2[i] += k->a.host[j * k->n + i] * k->y2.host[j];
    }
    return check_f32(k->x1, x1, 0, err) && check_f32(k->x2, x2, 0, err);
}

static const struct kernel_def mvt = {
    .name = "mvt",
    .summary = "x1 += A y1 and x2 += A^T y2",
    .origin = "Polybench-GPU MVT",
    .options = {{"n", "rows and columns of A", NULL, 1024, 1, 32768},
                {"block", "threads of a thread block", NULL, 32, 1, 1024}},
    .state_bytes = sizeof(struct mvt),
    .host = mvt_host,
    .check = mvt_check,
};
KERNEL_REGISTER(mvt)
