/* SPDX-License-Identifier: Apache-2.0 */
/* 3dconv: a convolution of a volume, 15 terms over 11 of the 27 neighbours, one launch for each plane but the first and
 * the last (Polybench-GPU).  A launch reads three planes, of which the next one reads two again.  The border of the
 * result is not written. */
#include "polybench.h"

/* In the original's order.  The first six terms are of two elements only, which a compiler loads once. */
#define TERMS 15
#define TWICE 6
static const struct {
    int i, j, k;
    float weight;
} term[TERMS] = {{-1, -1, -1, 2}, {1, -1, -1, 4}, {-1, -1, -1, 5}, {1, -1, -1, 7}, {-1, -1, -1, -8},
                 {1, -1, -1, 10}, {0, -1, 0, -3}, {0, 0, 0, 6},    {0, 1, 0, -9},  {-1, -1, 1, 2},
                 {1, -1, 1, 4},   {-1, 0, 1, 5},  {1, 0, 1, 7},    {-1, 1, 1, -8}, {1, 1, 1, 10}};

struct conv3d {
    gf32 a, b;
    int ni, nj, nk;
    int i; /* the plane of this launch */
};

static int distance(const struct conv3d *k, int t)
{
    return (term[t].i * k->nj + term[t].j) * k->nk + term[t].k;
}

static void conv3d_kernel(struct warp *w)
{
    const struct conv3d *p = simt_args(w);
    vi32 k = vvar(vglobal_x()), j = vvar(vglobal_y());
    vbool last = vand(vlt(j, p->nj - 1), vlt(k, p->nk - 1));
    SIMT_IF (vand(vand(last, vgt(j, 0)), vgt(k, 0))) {
        vi32 at = vvar(vadd(vmad(j, p->nk, k), p->i * p->nj * p->nk));
        vf32 below = vvar(vload(p->a, vadd(at, distance(p, 0)))), above = vvar(vload(p->a, vadd(at, distance(p, 1))));
        vf32 sum = vvar(0.0f);
        for (int t = 0; t < TWICE; t++) vset(sum, vmad(t % 2 ? above : below, term[t].weight, sum));
        for (int t = TWICE; t < TERMS; t++) vset(sum, vmad(vload(p->a, vadd(at, distance(p, t))), term[t].weight, sum));
        vstore(p->b, at, sum);
    }
}

static void conv3d_host(struct host *h, void *state)
{
    struct conv3d *p = state;
    p->ni = option(h, "ni");
    p->nj = option(h, "nj");
    p->nk = option(h, "nk");
    const uint64_t rows = (uint64_t)p->ni * (uint64_t)p->nj, columns = (uint64_t)p->nk;
    p->a = random_f32_2d(h, "a", rows, columns);
    p->b = device_f32_2d(h, "b", rows, columns);
    for (p->i = 1; p->i < p->ni - 1; p->i++)
        plane_launch(h, "convolution3D_kernel", conv3d_kernel, p, p->nj, p->nk, 34); /* ptxas 13.0, sm_75 */
}

static bool conv3d_check(struct host *h, void *state, struct error *err)
{
    const struct conv3d *p = state;
    float *b = host_alloc(h, p->b.array->count * sizeof *b);
    for (int i = 1; i < p->ni - 1; i++) {
        for (int j = 1; j < p->nj - 1; j++) {
            for (int k = 1; k < p->nk - 1; k++) {
                int at = (i * p->nj + j) * p->nk + k;
                for (int t = 0; t < TERMS; t++) b[at] += term[t].weight * p->a.host[at + distance(p, t)];
            }
        }
    }
    return check_f32(p->b, b, 0, err);
}

static const struct kernel_def conv3d = {
    .name = "3dconv",
    .summary = "convolution of a volume, a launch for each plane",
    .origin = "Polybench-GPU 3DCONV",
    .options = {{"ni", "planes", NULL, 96, 3, 1024},
                {"nj", "rows of a plane", NULL, 128, 1, 1024},
                {"nk", "columns of a plane", NULL, 128, 1, 1024}},
    .suites = "polybench uvmbench",
    .tables = "Gu20 5.1",
    .small = "ni=3,nj=4,nk=5",
    .reduced = "ni=16,nj=64,nk=64",
    .state_bytes = sizeof(struct conv3d),
    .host = conv3d_host,
    .check = conv3d_check,
};
KERNEL_REGISTER(conv3d)
