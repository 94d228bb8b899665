/* SPDX-License-Identifier: Apache-2.0 */
/* atax: y = A^T (A x) (Polybench-GPU).  One kernel by rows, one by columns (polybench.h). */
#include "polybench.h"
#include "trace/unrolled.h"

struct atax {
    struct matvec ax, aty;
};

/* The kernel of polybench.h as a compiler unrolls it, whose sizes are constants: four terms a turn, pointers that move
 * on once, other terms at an offset. */
static void unrolled_kernel(struct warp *w)
{
    const struct matvec *k = simt_args(w);
    const int terms = k->transposed ? k->rows : k->columns, step = k->transposed ? k->columns : 1;
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->transposed ? k->columns : k->rows)) {
        vaddr out = vaddress(i), in = vaddress(0);
        vaddr a = vaddress(k->transposed ? i : vmul(i, k->columns));
        vi32 j = vvar(0);
        vf32 sum = vvar(vload_at(k->out, out));
        for (int turn = UNROLLED; turn; turn = turn > 1 ? 1 : 0) { /* a loop of whole turns, one of single terms */
            SIMT_WHILE (vle(j, terms - turn)) {
                for (int u = 0; u < turn; u++) {
                    vf32 x = vload_at(k->in, vnext(in, u));
                    vset(sum, vmad(vload_at(k->a, vnext(a, u * step)), x, sum));
                    vstore_at(k->out, out, sum);
                }
                vmove(in, turn);
                vmove(a, turn * step);
                vset(j, vadd(j, turn));
            }
        }
    }
}

static void atax_host(struct host *h, void *state)
{
    struct atax *k = state;
    int rows = option(h, "rows"), columns = option(h, "columns");
    gf32 a = random_f32_2d(h, "a", (uint64_t)rows, (uint64_t)columns);
    gf32 x = random_f32(h, "x", (uint64_t)columns);
    gf32 y = device_f32(h, "y", (uint64_t)columns);
    gf32 tmp = device_f32(h, "tmp", (uint64_t)rows);
    k->ax = (struct matvec){.a = a, .in = x, .out = tmp, .rows = rows, .columns = columns};
    k->aty = (struct matvec){.a = a, .in = tmp, .out = y, .rows = rows, .columns = columns, .transposed = true};
    if (option(h, KERNEL_CODE_NAME) == KERNEL_UNROLLED) {
        const int block = option(h, "block");
        line_launch(h, "atax_kernel1", unrolled_kernel, &k->ax, rows, block, 24);
        line_launch(h, "atax_kernel2", unrolled_kernel, &k->aty, columns, block, 24);
        return;
    }
    matvec_launch(h, &k->ax, "atax_kernel1");
    matvec_launch(h, &k->aty, "atax_kernel2");
}

static bool atax_check(struct host *h, void *state, struct error *err)
{
    const struct atax *k = state;
    float *tmp = host_alloc(h, (uint64_t)k->ax.rows * sizeof *tmp);
    float *y = host_alloc(h, (uint64_t)k->ax.columns * sizeof *y);
    matvec_reference(&k->ax, k->ax.in.host, tmp);
    matvec_reference(&k->aty, tmp, y);
    return check_f32(k->ax.out, tmp, 0, err) && check_f32(k->aty.out, y, 0, err);
}

static const struct kernel_def atax = {
    .name = "atax",
    .summary = "y = A^T (A x), strided by row, then coalesced",
    .origin = "Polybench-GPU ATAX",
    .options = {{"rows", "of A", NULL, 4096, 1, 32768},
                {"columns", "of A", NULL, 256, 1, 32768},
                {"block", "threads of a thread block", NULL, 128, 1, 1024},
                KERNEL_CODE_OPTION},
    .suites = "polybench uvmbench",
    .tables = "Gu20 5.1; Dai17 6",
    .small = "rows=8,columns=6",
    .reduced = "rows=512,columns=256",
    .state_bytes = sizeof(struct atax),
    .host = atax_host,
    .check = atax_check,
};
KERNEL_REGISTER(atax)
