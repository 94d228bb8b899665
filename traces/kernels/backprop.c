/* SPDX-License-Identifier: Apache-2.0 */
/* backprop: training of a network with one hidden layer of 16 units (Rodinia).  Thread blocks of 16 x 16, one for 16
 * inputs: the first kernel multiplies weights by inputs in shared memory and adds up the 16 rows in a tree; the host
 * finishes the forward pass and works out the error of each hidden unit; the second kernel adjusts the weights between
 * inputs and hidden layer. */
#include <math.h>
#include <string.h>

#include "trace/kernels.h"

#define HIDDEN 16
#define SIDE HIDDEN /* of a thread block */
#define LEVELS 4    /* of the tree */
#define ETA 0.3f
#define MOMENTUM 0.3f
#define TARGET 0.1f

struct output { /* the one output unit: from each hidden unit, weight and last change */
    float weight[HIDDEN + 1], change[HIDDEN + 1];
};

struct backprop {
    gf32 input, weights, momentum, partial, delta; /* index 0 of a layer is its threshold unit */
    float *first_weights;
    struct output first_output;
    int inputs, epochs;
};

/* The thread's weight: rows are inputs, columns hidden units. */
static vi32 weight_index(struct warp *w, vi32 tx, vi32 ty)
{
    vi32 first = vvar(BLOCK_Y * (HIDDEN + 1) * SIDE + 1 + (HIDDEN + 1));
    return vadd(vmad(ty, HIDDEN + 1, tx), first);
}

static void forward_kernel(struct warp *w)
{
    const struct backprop *k = simt_args(w);
    sf32 node = vshared_f32("input_node", SIDE), matrix = vshared_f32("weight_matrix", SIDE * SIDE);
    vi32 tx = vvar(vthread_x()), ty = vvar(vthread_y());
    vi32 index = vvar(weight_index(w, tx, ty)), cell = vvar(vmad(ty, SIDE, tx));
    SIMT_IF (veq(tx, 0)) {
        vstore(node, ty, vload(k->input, vadd(ty, BLOCK_Y * SIDE + 1)));
    }
    vsync();
    vstore(matrix, cell, vload(k->weights, index));
    vsync();
    vf32 weight = vload(matrix, cell);
    vstore(matrix, cell, vmul(weight, vload(node, ty)));
    vsync();
    for (int i = 1; i <= LEVELS; i++) {
        vi32 power = vtrunc(vexp2(V((float)i)));
        SIMT_IF (veq(vrem(ty, power), 0)) {
            vf32 sum = vload(matrix, cell);
            vstore(matrix, cell, vadd(sum, vload(matrix, vadd(cell, SIDE * (1 << (i - 1))))));
        }
        vsync();
    }
    vstore(k->weights, index, vload(matrix, cell));
    vsync();
    SIMT_IF (veq(tx, 0)) {
        vstore(k->partial, vadd(ty, BLOCK_Y * HIDDEN), vload(matrix, ty));
    }
}

/* The thread's change of weight: ETA delta input + MOMENTUM change before. */
static vf32 change(struct warp *w, const struct backprop *k, vi32 x, vi32 y, vi32 index)
{
    vf32 step = vmul(vmul(vload(k->delta, x), ETA), vload(k->input, y));
    return vmad(vload(k->momentum, index), MOMENTUM, step);
}

/* The same for the weight of the threshold unit, which is always 1. */
static vf32 threshold_change(struct warp *w, const struct backprop *k, vi32 x)
{
    vf32 step = vmul(vload(k->delta, x), ETA);
    return vmad(vload(k->momentum, x), MOMENTUM, step);
}

/* The pointers may alias: the operands of the change are loaded again after the weight is stored. */
static void adjust_kernel(struct warp *w)
{
    const struct backprop *k = simt_args(w);
    vi32 tx = vvar(vthread_x()), ty = vvar(vthread_y());
    vi32 index = vvar(weight_index(w, tx, ty)), x = vvar(vadd(tx, 1)), y = vvar(vadd(ty, BLOCK_Y * SIDE + 1));
    vstore(k->weights, index, vadd(change(w, k, x, y, index), vload(k->weights, index)));
    vstore(k->momentum, index, change(w, k, x, y, index));
    vsync();
    if (BLOCK_Y > 0) return;
    SIMT_IF (veq(ty, 0)) {
        vstore(k->weights, x, vadd(threshold_change(w, k, x), vload(k->weights, x)));
        vstore(k->momentum, x, threshold_change(w, k, x));
    }
}

/* ---- The host's part. ---- */

static float squash(float x)
{
    return 1.0f / (1.0f + expf(-x));
}

/* From the sums of the thread blocks to the error of each hidden unit; the output unit learns, too. */
static void host_step(const struct backprop *k, struct output *o, const float *weights, const float *partial,
                      float *delta)
{
    float hidden[HIDDEN + 1] = {1.0f}, sum = 0;
    for (int j = 1; j <= HIDDEN; j++) {
        float in = 0;
        for (int block = 0; block < k->inputs / SIDE; block++) in += partial[block * HIDDEN + j - 1];
        hidden[j] = squash(in + weights[j]);
    }
    for (int j = 0; j <= HIDDEN; j++) sum += o->weight[j] * hidden[j];
    float output = squash(sum), error = output * (1 - output) * (TARGET - output);
    for (int j = 1; j <= HIDDEN; j++) delta[j] = hidden[j] * (1 - hidden[j]) * (error * o->weight[j]);
    for (int j = 0; j <= HIDDEN; j++) {
        o->change[j] = ETA * error * hidden[j] + MOMENTUM * o->change[j];
        o->weight[j] += o->change[j];
    }
}

static void launch(struct host *h, struct backprop *k, const char *name, void (*kernel)(struct warp *w), uint32_t regs,
                   uint32_t shared)
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {1, (uint32_t)(k->inputs / SIDE)},
                                    .block = {SIDE, SIDE},
                                    .regs = regs,
                                    .shared_bytes = shared});
}

static void make_network(struct host *h, struct backprop *k)
{
    uint64_t inputs = (uint64_t)k->inputs + 1, weights = inputs * (HIDDEN + 1);
    k->input = device_f32(h, "input_cuda", inputs);
    k->weights = device_f32(h, "input_hidden_cuda", weights);
    k->partial = device_f32(h, "hidden_partial_sum", (uint64_t)k->inputs / SIDE * HIDDEN);
    k->delta = device_f32(h, "hidden_delta_cuda", HIDDEN + 1);
    k->momentum = device_f32(h, "input_prev_weights_cuda", weights);
    k->first_weights = host_alloc(h, weights * sizeof(float));
    for (uint64_t i = 0; i < inputs; i++) k->input.host[i] = i ? (float)rng_unit(host_rng(h)) : 1.0f;
    for (uint64_t i = 0; i < weights; i++) k->first_weights[i] = (float)(rng_unit(host_rng(h)) - 0.5);
    for (int i = 0; i <= HIDDEN; i++) k->first_output.weight[i] = (float)rng_unit(host_rng(h));
}

static void backprop_host(struct host *h, void *state)
{
    struct backprop *k = state;
    k->inputs = option(h, "inputs");
    k->epochs = option(h, "epochs");
    if (k->inputs % SIDE) host_fail(h, "inputs: found %d, expected a multiple of %d", k->inputs, SIDE);
    make_network(h, k);
    size_t bytes = k->weights.array->count * sizeof(float);
    float *weights = memcpy(host_alloc(h, bytes), k->first_weights, bytes);
    struct output output = k->first_output;
    for (int i = 0; i < k->epochs; i++) {
        memcpy(k->weights.host, weights, bytes);
        launch(h, k, "bpnn_layerforward_CUDA", forward_kernel, 12, (SIDE + SIDE * SIDE) * 4);
        host_step(k, &output, weights, k->partial.host, k->delta.host);
        memcpy(k->weights.host, weights, bytes); /* the first kernel leaves its sums in them */
        launch(h, k, "bpnn_adjust_weights_cuda", adjust_kernel, 20, 0);
        memcpy(weights, k->weights.host, bytes);
    }
}

/* The sum of `n` rows' products in column j, as the tree adds them. */
static float tree_sum(const struct backprop *k, const float *weights, int row, int j, int n)
{
    if (n == 1) return weights[row * (HIDDEN + 1) + j] * k->input.host[row];
    return tree_sum(k, weights, row, j, n / 2) + tree_sum(k, weights, row + n / 2, j, n / 2);
}

static void adjust(const struct backprop *k, const float *delta, float *weights, float *momentum)
{
    for (int row = 0; row <= k->inputs; row++) {
        for (int j = 1; j <= HIDDEN; j++) {
            int i = row * (HIDDEN + 1) + j;
            momentum[i] = ETA * delta[j] * k->input.host[row] + MOMENTUM * momentum[i];
            weights[i] += momentum[i];
        }
    }
}

static bool backprop_check(struct host *h, void *state, struct error *err)
{
    struct backprop *k = state;
    float *weights = k->first_weights, *momentum = host_alloc(h, k->momentum.array->count * sizeof(float));
    float *partial = host_alloc(h, k->partial.array->count * sizeof(float)), delta[HIDDEN + 1] = {0};
    for (int epoch = 0; epoch < k->epochs; epoch++) {
        for (int i = 0; i < k->inputs; i++) {
            partial[i] = tree_sum(k, weights, i / HIDDEN * SIDE + 1, i % HIDDEN + 1, SIDE);
        }
        host_step(k, &k->first_output, weights, partial, delta);
        adjust(k, delta, weights, momentum);
    }
    return check_f32(k->partial, partial, 0, err) && check_f32(k->weights, weights, 0, err) &&
           check_f32(k->momentum, momentum, 0, err);
}

static const struct kernel_def backprop = {
    .name = "backprop",
    .summary = "training of a network, sums of 16 x 16 products in shared memory",
    .origin = "Rodinia backprop",
    .options = {{"inputs", "input units, a multiple of 16", NULL, 65536, 16, 65535 * 16},
                {"epochs", "times that the weights are adjusted", NULL, 1, 1, 1000}},
    .suites = "rodinia uvmbench",
    .tables = "Gu20 2.3, 3.1, 5.1; Dai17 6; Chen16 4.2",
    .small = "inputs=32",
    .reduced = "inputs=1024",
    .state_bytes = sizeof(struct backprop),
    .host = backprop_host,
    .check = backprop_check,
};
KERNEL_REGISTER(backprop)
