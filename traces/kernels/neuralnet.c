/* SPDX-License-Identifier: Apache-2.0 */
/* neuralnet: recognition of handwritten digits (NN of GPGPU-Sim's suite; LeCun's network of two convolutions and two
 * full layers).  A launch a layer, a column of thread blocks an image: 13 x 13 and 5 x 5 threads convolve, then a
 * thread block of one thread adds up each unit of a full layer, word by word. */
#include <math.h>

#include "trace/kernels.h"

#define WINDOW 5 /* side of a convolution's kernel */
#define STEP 2   /* from one window to the next */

struct layer {
    const char *name;
    int maps, side;         /* of the input; a full layer: 1 unit each */
    int out_maps, out_side; /* of the output */
    uint32_t regs;
};

static const struct layer layers[] = {
    {"executeFirstLayer", 1, 29, 6, 13, 20},
    {"executeSecondLayer", 6, 13, 50, 5, 32},
    {"executeThirdLayer", 1250, 1, 100, 1, 10},
    {"executeFourthLayer", 100, 1, 10, 1, 10},
};
#define LAYERS 4

struct neuralnet {
    gf32 neurons[LAYERS + 1], weights[LAYERS];
    const struct layer *layer; /* of the launch */
    gf32 in, out, weight;
    int images;
};

static int inputs(const struct layer *l)
{
    return l->maps * l->side * l->side;
}

static int outputs(const struct layer *l)
{
    return l->out_maps * l->out_side * l->out_side;
}

static bool convolves(const struct layer *l)
{
    return l->out_side > 1;
}

/* Of one output map or unit: the bias, then a weight for each input of a window, the maps next to one another. */
static int weights_of_map(const struct layer *l)
{
    return 1 + (convolves(l) ? WINDOW * WINDOW * l->maps : inputs(l));
}

/* 1.7159 tanh(2/3 x), with tanh(y) = 1 - 2 / (exp(2 y) + 1). */
#define AMPLITUDE 1.7159f
#define SLOPE (2 * 0.66666667f)

static vf32 activation(struct warp *w, vf32 x)
{
    vf32 quotient = vdiv(V(2.0f), vadd(vexp(vmul(x, SLOPE)), 1.0f));
    return vmul(vsub(V(1.0f), quotient), AMPLITUDE);
}

/* Kernel templates are in constant memory, and the loops are unrolled. */
static void convolution_kernel(struct warp *w)
{
    const struct neuralnet *k = simt_args(w);
    const struct layer *l = k->layer;
    int first = BLOCK_X * (1 + WINDOW * WINDOW * l->maps), image = BLOCK_Y * inputs(l);
    vi32 x = vvar(vthread_x()), y = vvar(vthread_y());
    vi32 corner = vvar(vmad(y, STEP * l->side, vmul(x, STEP)));
    vf32 sum = vvar(vload(k->weight, first));
    for (int i = 0; i < WINDOW * WINDOW; i++) {
        int pixel = i / WINDOW * l->side + i % WINDOW + image;
        for (int map = 0; map < l->maps; map++) {
            vf32 neuron = vload(k->in, vadd(corner, pixel + map * l->side * l->side));
            vset(sum, vmad(neuron, vload(k->weight, first + 1 + i * l->maps + map), sum));
        }
    }
    int to = BLOCK_Y * outputs(l) + BLOCK_X * l->out_side * l->out_side;
    vstore(k->out, vadd(vmad(y, l->out_side, x), to), activation(w, sum));
}

static void full_kernel(struct warp *w)
{
    const struct neuralnet *k = simt_args(w);
    const struct layer *l = k->layer;
    int first = BLOCK_X * (1 + inputs(l)), image = BLOCK_Y * inputs(l);
    vf32 sum = vvar(vload(k->weight, first));
    vi32 i = vvar(0);
    SIMT_WHILE (vlt(i, inputs(l))) {
        vf32 neuron = vload(k->in, vadd(i, image));
        vset(sum, vmad(neuron, vload(k->weight, vadd(i, first + 1)), sum));
        vset(i, vadd(i, 1));
    }
    vstore(k->out, BLOCK_Y * outputs(l) + BLOCK_X, activation(w, sum));
}

/* ---- The host's part. ---- */

/* A stroke of random width and direction on a dark ground. */
static void draw_digit(struct rng *r, float *pixel, int side)
{
    double slope = 2 * rng_unit(r) - 1, shift = side * (0.3 + 0.4 * rng_unit(r)), width = 1.5 + 2 * rng_unit(r);
    for (int i = 0; i < side * side; i++) {
        double distance = fabs(i % side - shift - slope * (i / side - side / 2.0));
        pixel[i] = distance < width ? (float)(1 - distance / width / 2) : 0;
    }
}

static void make_network(struct host *h, struct neuralnet *k)
{
    static const char *const neurons[] = {"Layer1_Neurons_GPU", "Layer2_Neurons_GPU", "Layer3_Neurons_GPU",
                                          "Layer4_Neurons_GPU", "Layer5_Neurons_GPU"};
    static const char *const weights[] = {"Layer1_Weights_GPU", "Layer2_Weights_GPU", "Layer3_Weights_GPU",
                                          "Layer4_Weights_GPU"};
    uint64_t images = (uint64_t)k->images;
    k->neurons[0] = device_f32(h, neurons[0], images * (uint64_t)inputs(&layers[0]));
    for (int n = 0; n < LAYERS; n++) {
        const struct layer *l = &layers[n];
        int count = l->out_maps * weights_of_map(l);
        double scale = 2 / sqrt(weights_of_map(l));
        k->neurons[n + 1] = device_f32(h, neurons[n + 1], images * (uint64_t)outputs(l));
        k->weights[n] = device_f32(h, weights[n], (uint64_t)count);
        for (int i = 0; i < count; i++) k->weights[n].host[i] = (float)(scale * (2 * rng_unit(host_rng(h)) - 1));
    }
    for (int i = 0; i < k->images; i++)
        draw_digit(host_rng(h), k->neurons[0].host + i * inputs(&layers[0]), layers[0].side);
}

static void neuralnet_host(struct host *h, void *state)
{
    struct neuralnet *k = state;
    k->images = option(h, "images");
    make_network(h, k);
    for (int n = 0; n < LAYERS; n++) {
        const struct layer *l = k->layer = &layers[n];
        k->in = k->neurons[n];
        k->out = k->neurons[n + 1];
        k->weight = k->weights[n];
        simt_launch(h, &(struct launch){.name = l->name,
                                        .kernel = convolves(l) ? convolution_kernel : full_kernel,
                                        .args = k,
                                        .grid = {(uint32_t)l->out_maps, (uint32_t)k->images},
                                        .block = {(uint32_t)l->out_side, (uint32_t)l->out_side},
                                        .regs = l->regs});
    }
}

/* Where the window's input `i` of an output unit is; of a full layer, the inputs are in order. */
static int input_of(const struct layer *l, int unit, int i)
{
    if (!convolves(l)) return i;
    int map = i % l->maps, dx = i / l->maps % WINDOW, dy = i / l->maps / WINDOW;
    int x = STEP * (unit % l->out_side), y = STEP * (unit / l->out_side % l->out_side);
    return (map * l->side + y + dy) * l->side + x + dx;
}

static void plain_layer(const struct layer *l, const float *in, const float *weights, float *out)
{
    for (int unit = 0; unit < outputs(l); unit++) {
        const float *weight = weights + unit / (l->out_side * l->out_side) * weights_of_map(l);
        float sum = weight[0];
        for (int i = 0; i < weights_of_map(l) - 1; i++) sum += in[input_of(l, unit, i)] * weight[i + 1];
        out[unit] = (1 - 2 / (expf(sum * SLOPE) + 1)) * AMPLITUDE;
    }
}

static bool neuralnet_check(struct host *h, void *state, struct error *err)
{
    const struct neuralnet *k = state;
    const float *in = k->neurons[0].host;
    for (int n = 0; n < LAYERS; n++) {
        const struct layer *l = &layers[n];
        float *out = host_alloc(h, (uint64_t)k->images * (uint64_t)outputs(l) * sizeof *out);
        for (int i = 0; i < k->images; i++) {
            plain_layer(l, in + i * inputs(l), k->weights[n].host, out + i * outputs(l));
        }
        if (!check_f32(k->neurons[n + 1], out, 0, err)) return false;
        in = out;
    }
    return true;
}

static const struct kernel_def neuralnet = {
    .name = "neuralnet",
    .summary = "recognition of digits: two convolutions, two full layers of a thread a block",
    .origin = "GPGPU-Sim ISPASS NN",
    .options = {{"images", "digits to recognize", NULL, 28, 1, 65535}},
    .suites = "ispass",
    .small = "images=1",
    .reduced = "images=1",
    .state_bytes = sizeof(struct neuralnet),
    .host = neuralnet_host,
    .check = neuralnet_check,
};
KERNEL_REGISTER(neuralnet)
