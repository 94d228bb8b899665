/* syrk: C = alpha A A^T + beta C (Polybench-GPU).  A thread for each element of C: a[i][k] is the same for a whole row
 * of threads, a[j][k] is strided by the row length, and C is stored in every iteration (the pointers may alias). */
#include <string.h>

#include "trace/kernels.h"

#define ALPHA 12435.0f
#define BETA 4546.0f

struct syrk {
    gf32 a, c;
    float *c_before;
    int n, m;
};

static void syrk_kernel(struct warp *w)
{
    const struct syrk *s = simt_args(w);
    vi32 j = vvar(vglobal_x()), i = vvar(vglobal_y());
    SIMT_IF (vand(vlt(i, s->n), vlt(j, s->n))) {
        vi32 at = vvar(vmad(i, s->n, j));
        vf32 c = vvar(vmul(vload(s->c, at), BETA));
        vstore(s->c, at, c);
        vi32 k = vvar(0);
        SIMT_WHILE (vlt(k, s->m)) {
            vf32 left = vmul(vload(s->a, vmad(i, s->m, k)), ALPHA);
            vset(c, vmad(left, vload(s->a, vmad(j, s->m, k)), c));
            vstore(s->c, at, c);
            vset(k, vadd(k, 1));
        }
    }
}

static void syrk_host(struct host *h, void *state)
{
    struct syrk *s = state;
    s->n = option(h, "n");
    s->m = option(h, "m");
    uint64_t a = (uint64_t)s->n * (uint64_t)s->m, c = (uint64_t)s->n * (uint64_t)s->n;
    s->a = device_f32(h, "a", a);
    s->c = device_f32(h, "c", c);
    for (uint64_t i = 0; i < a; i++) s->a.host[i] = (float)rng_unit(host_rng(h));
    for (uint64_t i = 0; i < c; i++) s->c.host[i] = (float)rng_unit(host_rng(h));
    s->c_before = memcpy(host_alloc(h, c * sizeof(float)), s->c.host, c * sizeof(float));
    simt_launch(h, &(struct launch){.name = "syrk_kernel",
                                    .kernel = syrk_kernel,
                                    .args = s,
                                    .grid = {blocks_for(s->n, 32), blocks_for(s->n, 8)},
                                    .block = {32, 8},
                                    .regs = 16});
}

static bool syrk_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    const struct syrk *s = state;
    for (int i = 0; i < s->n; i++) {
        for (int j = 0; j < s->n; j++) {
            float *c = &s->c_before[i * s->n + j];
            *c *= BETA;
            for (int k = 0; k < s->m; k++) *c += ALPHA * s->a.host[i * s->m + k] * s->a.host[j * s->m + k];
        }
    }
    return check_f32(s->c, s->c_before, 0, err);
}

static const struct kernel_def syrk = {
    .name = "syrk",
    .summary = "C = alpha A A^T + beta C",
    .origin = "Polybench-GPU SYRK",
    .options = {{"n", "rows of A, rows and columns of C", NULL, 128, 1, 32768},
                {"m", "columns of A", NULL, 96, 1, 32768}},
    .state_bytes = sizeof(struct syrk),
    .host = syrk_host,
    .check = syrk_check,
};
KERNEL_REGISTER(syrk)
