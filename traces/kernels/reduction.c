/* SPDX-License-Identifier: Apache-2.0 */
/* reduction: the sum of an array (CUDA SDK, reduction, its last kernel).  A thread adds the elements that are a grid
 * apart, two a turn; the thread block adds its sums pairwise in shared memory; further launches add the thread blocks'
 * sums. */
#include "program.h"

struct reduction {
    gi32 array[2]; /* by turns the input and the output of a launch */
    gi32 data;
    int n, block, most;
    gi32 in, out; /* of this launch */
    int count;
};

static void reduce_kernel(struct warp *w)
{
    const struct reduction *k = simt_args(w);
    si32 sums = vshared_i32("sdata", (uint32_t)k->block);
    const int twice = 2 * k->block;
    vi32 thread = vvar(vthread_x()), i = vvar(vadd(thread, BLOCK_X * twice)), sum = vvar(0);
    SIMT_WHILE (vlt(i, k->count)) {
        vset(sum, vadd(sum, vload(k->in, i)));
        vi32 second = vvar(vadd(i, k->block));
        SIMT_IF (vlt(second, k->count)) {
            vset(sum, vadd(sum, vload(k->in, second)));
        }
        vset(i, vadd(i, twice * GRID_DIM_X));
    }
    vstore(sums, thread, sum);
    vsync();
    for (int stride = k->block / 2; stride; stride /= 2) {
        SIMT_IF (vlt(thread, stride)) {
            vset(sum, vadd(sum, vload(sums, vadd(thread, stride))));
            vstore(sums, thread, sum);
        }
        vsync();
    }
    SIMT_IF (veq(thread, 0)) {
        vstore(k->out, BLOCK_X, sum);
    }
}

static int blocks_of(const struct reduction *k)
{
    const int blocks = (int)blocks_for(k->count, 2 * k->block);
    return blocks < k->most ? blocks : k->most;
}

static void reduction_host(struct host *h, void *state)
{
    struct reduction *k = state;
    k->n = option(h, "n");
    k->block = option(h, "block");
    k->most = option(h, "blocks");
    if (k->block & (k->block - 1)) host_fail(h, "block: found %d, expected a power of two", k->block);
    k->data = device_i32(h, "d_idata", (uint64_t)k->n);
    for (int i = 0; i < 2; i++) k->array[i] = device_i32(h, i ? "d_odata2" : "d_odata", (uint64_t)k->most);
    for (int i = 0; i < k->n; i++) k->data.host[i] = (int32_t)rng_below(host_rng(h), 256);
    k->in = k->data;
    k->count = k->n;
    int turn = 0;
    do {
        const int blocks = blocks_of(k);
        k->out = k->array[turn];
        simt_launch(h, &(struct launch){.name = "reduce6",
                                        .kernel = reduce_kernel,
                                        .args = k,
                                        .grid = {(uint32_t)blocks},
                                        .block = {(uint32_t)k->block},
                                        .regs = 16,
                                        .shared_bytes = (uint32_t)k->block * 4});
        k->in = k->out;
        k->count = blocks;
        turn = !turn;
    } while (k->count > 1);
}

static bool reduction_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    const struct reduction *k = state;
    uint32_t sum = 0;
    for (int i = 0; i < k->n; i++) sum += (uint32_t)k->data.host[i];
    if (k->in.host[0] == (int32_t)sum) return true;
    return error_set(err, "wrong result: %s[0] is %d, plain C computes %d", k->in.array->name, k->in.host[0],
                     (int32_t)sum);
}

static const struct kernel_def reduction = {
    .name = "reduction",
    .summary = "sum of an array: two elements a turn, then a tree in shared memory",
    .origin = "CUDA SDK reduction",
    .options = {{"n", "elements", NULL, 1 << 24, 1, 1 << 30},
                {"block", "threads of a thread block, a power of two", NULL, 256, 1, 1024},
                {"blocks", "thread blocks at most", NULL, 64, 1, 65535}},
    .suites = "sdk",
    .tables = "Gu20 3.1",
    .small = "n=640",
    .reduced = "n=262144",
    .state_bytes = sizeof(struct reduction),
    .host = reduction_host,
    .check = reduction_check,
};
KERNEL_REGISTER(reduction)
