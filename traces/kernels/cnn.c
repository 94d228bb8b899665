/* SPDX-License-Identifier: Apache-2.0 */
/* cnn: training of a small convolutional network, image by image (UVMBench): convolutions of 5 x 5, one of 4 x 4 with a
 * stride of 4, a full layer, all forward and back in 23 launches of 64 thread blocks of 64.  A thread takes a stretch
 * of the products of a layer and adds each to its sum by an atomic; the products of one sum are neighbours, so that
 * lanes are lines apart.  Sums depend on the order of the atomics: results are compared with a tolerance. */
#include <math.h>
#include <stdio.h>

#include "program.h"

enum { BLOCK = 64, SIDE = 28, WINDOW = 5, MAPS = 6, C = SIDE - WINDOW + 1, POOL = 4, S = C / POOL, CLASSES = 10 };
enum { PIXELS = SIDE * SIDE, C_SIZE = MAPS * C * C, S_SIZE = MAPS * S * S };
#define DT 0.1f

/* A layer: sums before the step function and behind it, weights, one bias a map, and what each of them has to change.
 */
struct layer {
    gf32 preact, output, weight, bias, d_preact, d_output, d_weight;
    int size, weights;
};

struct cnn {
    gf32 input;
    struct layer c1, s1, f;
    int count, label;
    const int *labels;
    const float *pixels;
    float *first[6];           /* the weights and biases at the start */
    const struct layer *layer; /* of this launch */
};

/* The products of a kernel are numbered; `digit` are the number's places to these radices, the lowest first. */
struct digits {
    vi32 digit[6];
};

static struct digits digits_of(struct warp *w, vi32 number, const int *radix, int count)
{
    struct digits d = {0};
    vi32 rest = vvar(number);
    for (int i = 0; i < count; i++) {
        vi32 next = vvar(quotient(w, rest, radix[i]));
        d.digit[i] = vvar(vmad(next, -radix[i], rest));
        vset(rest, next);
    }
    return d;
}

/* The thread's stretch of n numbers: from n t / T to n (t + 1) / T of T threads. */
#define STRETCH(n)                                                                                                     \
    vi32 end = vvar(vglobal_x()), at = vvar(quotient(w, vmul(end, (n)), GRID_THREADS_X));                              \
    vset(end, quotient(w, vmad(end, (n), (n)), GRID_THREADS_X));                                                       \
    SIMT_WHILE (vlt(at, end))

static void fp_preact_c1(struct warp *w)
{
    static const int radix[] = {WINDOW, WINDOW, MAPS, C, C};
    const struct cnn *k = simt_args(w);
    STRETCH(WINDOW * WINDOW * C_SIZE)
    {
        struct digits d = digits_of(w, at, radix, 5);
        vi32 *i = d.digit;
        vi32 sum = vvar(vmad(vmad(i[2], C, i[3]), C, i[4]));
        vi32 weight = vvar(vmad(vmad(i[2], WINDOW, i[0]), WINDOW, i[1]));
        vi32 pixel = vvar(vmad(vadd(i[3], i[0]), SIDE, vadd(i[4], i[1])));
        vf32 factor = vload(k->c1.weight, weight);
        vred_add(k->c1.preact, sum, vmul(vload(k->input, pixel), factor));
        vset(at, vadd(at, 1));
    }
}

/* The bias of a map, or of the whole layer, whose maps have `size` sums. */
static void add_bias(struct warp *w, const struct layer *l, int size)
{
    STRETCH(l->size)
    {
        vf32 bias = vvar(vload(l->bias, quotient(w, at, size)));
        vstore(l->preact, at, vadd(vload(l->preact, at), bias));
        vset(at, vadd(at, 1));
    }
}

static void fp_bias_c1(struct warp *w)
{
    add_bias(w, &((const struct cnn *)simt_args(w))->c1, C * C);
}

static void fp_bias_s1(struct warp *w)
{
    const struct cnn *k = simt_args(w);
    STRETCH(S_SIZE)
    {
        vf32 bias = vvar(vload(k->s1.bias, 0));
        vstore(k->s1.preact, at, vadd(vload(k->s1.preact, at), bias));
        vset(at, vadd(at, 1));
    }
}

static void fp_bias_f(struct warp *w)
{
    add_bias(w, &((const struct cnn *)simt_args(w))->f, 1);
}

static void apply_step_function(struct warp *w)
{
    const struct layer *l = ((const struct cnn *)simt_args(w))->layer;
    STRETCH(l->size)
    {
        vf32 power = vexp(vsub(V(0.0f), vload(l->preact, at)));
        vstore(l->output, at, vdiv(V(1.0f), vadd(power, 1.0f)));
        vset(at, vadd(at, 1));
    }
}

/* The product number `at` of the second layer: a weight, a pixel of the first one's output, a sum. */
struct place {
    vi32 weight, pixel, sum;
};

static struct place place_s1(struct warp *w, vi32 at)
{
    static const int radix[] = {POOL, POOL, MAPS, S, S};
    struct digits d = digits_of(w, at, radix, 5);
    vi32 *i = d.digit;
    vi32 row = vvar(vmad(i[3], POOL, i[0])), column = vvar(vmad(i[4], POOL, i[1]));
    struct place p = {.weight = vvar(vmad(i[0], POOL, i[1]))};
    p.pixel = vvar(vmad(vmad(i[2], C, row), C, column));
    p.sum = vvar(vmad(vmad(i[2], S, i[3]), S, i[4]));
    return p;
}

static void fp_preact_s1(struct warp *w)
{
    const struct cnn *k = simt_args(w);
    STRETCH(POOL * POOL * S_SIZE)
    {
        struct place p = place_s1(w, at);
        vf32 factor = vload(k->s1.weight, p.weight);
        vred_add(k->s1.preact, p.sum, vmul(vload(k->c1.output, p.pixel), factor));
        vset(at, vadd(at, 1));
    }
}

/* The product number `at` of the full layer: the class runs fastest. */
static struct place place_f(struct warp *w, vi32 at)
{
    static const int radix[] = {CLASSES, MAPS, S, S};
    struct digits d = digits_of(w, at, radix, 4);
    vi32 *i = d.digit;
    struct place p = {.pixel = vvar(vmad(vmad(i[1], S, i[2]), S, i[3]))};
    p.weight = vvar(vmad(i[0], S_SIZE, p.pixel));
    p.sum = i[0];
    return p;
}

static void fp_preact_f(struct warp *w)
{
    const struct cnn *k = simt_args(w);
    STRETCH(CLASSES * S_SIZE)
    {
        struct place p = place_f(w, at);
        vf32 factor = vload(k->f.weight, p.weight);
        vred_add(k->f.preact, p.sum, vmul(vload(k->s1.output, p.pixel), factor));
        vset(at, vadd(at, 1));
    }
}

static void make_error(struct warp *w)
{
    const struct cnn *k = simt_args(w);
    STRETCH(CLASSES)
    {
        vf32 want = vselect(veq(at, k->label), V(1.0f), 0.0f);
        vstore(k->f.d_preact, at, vsub(want, vload(k->f.output, at)));
        vset(at, vadd(at, 1));
    }
}

static void bp_weight_f(struct warp *w)
{
    const struct cnn *k = simt_args(w);
    STRETCH(CLASSES * S_SIZE)
    {
        struct place p = place_f(w, at);
        vf32 change = vload(k->f.d_preact, p.sum);
        vstore(k->f.d_weight, p.weight, vmul(vload(k->s1.output, p.pixel), change));
        vset(at, vadd(at, 1));
    }
}

static void bp_bias_f(struct warp *w)
{
    const struct cnn *k = simt_args(w);
    STRETCH(CLASSES)
    {
        vf32 bias = vload(k->f.bias, at);
        vstore(k->f.bias, at, vmad(vload(k->f.d_preact, at), DT, bias));
        vset(at, vadd(at, 1));
    }
}

static void bp_output_s1(struct warp *w)
{
    const struct cnn *k = simt_args(w);
    STRETCH(CLASSES * S_SIZE)
    {
        struct place p = place_f(w, at);
        vf32 change = vload(k->f.d_preact, p.sum);
        vred_add(k->s1.d_output, p.pixel, vmul(vload(k->f.weight, p.weight), change));
        vset(at, vadd(at, 1));
    }
}

static void bp_preact(struct warp *w)
{
    const struct layer *l = ((const struct cnn *)simt_args(w))->layer;
    STRETCH(l->size)
    {
        vf32 power = vexp(vsub(V(0.0f), vload(l->preact, at)));
        vf32 out = vvar(vdiv(V(1.0f), vadd(power, 1.0f)));
        vf32 slope = vmul(vmul(vload(l->d_output, at), out), vsub(V(1.0f), out));
        vstore(l->d_preact, at, slope);
        vset(at, vadd(at, 1));
    }
}

static void bp_weight_s1(struct warp *w)
{
    const struct cnn *k = simt_args(w);
    STRETCH(POOL * POOL * S_SIZE)
    {
        struct place p = place_s1(w, at);
        vf32 change = vload(k->s1.d_preact, p.sum);
        vred_add(k->s1.d_weight, p.weight, vmul(vload(k->c1.output, p.pixel), change));
        vset(at, vadd(at, 1));
    }
}

static void bp_bias_s1(struct warp *w)
{
    const struct cnn *k = simt_args(w);
    STRETCH(S_SIZE)
    {
        vred_add(k->s1.bias, 0, vmul(vload(k->s1.d_preact, at), DT / S_SIZE));
        vset(at, vadd(at, 1));
    }
}

static void bp_output_c1(struct warp *w)
{
    const struct cnn *k = simt_args(w);
    STRETCH(POOL * POOL * S_SIZE)
    {
        struct place p = place_s1(w, at);
        vf32 change = vload(k->s1.d_preact, p.sum);
        vred_add(k->c1.d_output, p.pixel, vmul(vload(k->s1.weight, p.weight), change));
        vset(at, vadd(at, 1));
    }
}

static void bp_weight_c1(struct warp *w)
{
    static const int radix[] = {MAPS, WINDOW, WINDOW, C, C};
    const struct cnn *k = simt_args(w);
    STRETCH(WINDOW * WINDOW * C_SIZE)
    {
        struct digits d = digits_of(w, at, radix, 5);
        vi32 *i = d.digit;
        vi32 weight = vvar(vmad(vmad(i[0], WINDOW, i[1]), WINDOW, i[2]));
        vi32 sum = vvar(vmad(vmad(i[0], C, i[3]), C, i[4]));
        vi32 pixel = vvar(vmad(vadd(i[3], i[1]), SIDE, vadd(i[4], i[2])));
        vf32 change = vmul(vload(k->c1.d_preact, sum), 1.0f / (C * C));
        vred_add(k->c1.d_weight, weight, vmul(vload(k->input, pixel), change));
        vset(at, vadd(at, 1));
    }
}

static void bp_bias_c1(struct warp *w)
{
    const struct cnn *k = simt_args(w);
    STRETCH(C_SIZE)
    {
        vi32 map = vvar(remainder_of(w, at, MAPS));
        vi32 sum = vvar(vmad(map, C * C, quotient(w, at, MAPS)));
        vred_add(k->c1.bias, map, vmul(vload(k->c1.d_preact, sum), DT / (C * C)));
        vset(at, vadd(at, 1));
    }
}

static void apply_grad(struct warp *w)
{
    const struct layer *l = ((const struct cnn *)simt_args(w))->layer;
    STRETCH(l->weights)
    {
        vf32 weight = vload(l->weight, at);
        vstore(l->weight, at, vmad(vload(l->d_weight, at), DT, weight));
        vset(at, vadd(at, 1));
    }
}

static void launch(struct host *h, struct cnn *k, const struct layer *layer, const char *name,
                   void (*kernel)(struct warp *w))
{
    k->layer = layer;
    line_launch(h, name, kernel, k, BLOCK * BLOCK, BLOCK, 32);
}

static void forward(struct host *h, struct cnn *k)
{
    launch(h, k, &k->c1, "fp_preact_c1", fp_preact_c1);
    launch(h, k, &k->c1, "fp_bias_c1", fp_bias_c1);
    launch(h, k, &k->c1, "apply_step_function", apply_step_function);
    launch(h, k, &k->s1, "fp_preact_s1", fp_preact_s1);
    launch(h, k, &k->s1, "fp_bias_s1", fp_bias_s1);
    launch(h, k, &k->s1, "apply_step_function", apply_step_function);
    launch(h, k, &k->f, "fp_preact_f", fp_preact_f);
    launch(h, k, &k->f, "fp_bias_f", fp_bias_f);
    launch(h, k, &k->f, "apply_step_function", apply_step_function);
}

static void back(struct host *h, struct cnn *k)
{
    launch(h, k, &k->f, "makeError", make_error);
    launch(h, k, &k->f, "bp_weight_f", bp_weight_f);
    launch(h, k, &k->f, "bp_bias_f", bp_bias_f);
    launch(h, k, &k->s1, "bp_output_s1", bp_output_s1);
    launch(h, k, &k->s1, "bp_preact_s1", bp_preact);
    launch(h, k, &k->s1, "bp_weight_s1", bp_weight_s1);
    launch(h, k, &k->s1, "bp_bias_s1", bp_bias_s1);
    launch(h, k, &k->c1, "bp_output_c1", bp_output_c1);
    launch(h, k, &k->c1, "bp_preact_c1", bp_preact);
    launch(h, k, &k->c1, "bp_weight_c1", bp_weight_c1);
    launch(h, k, &k->c1, "bp_bias_c1", bp_bias_c1);
    launch(h, k, &k->f, "apply_grad", apply_grad);
    launch(h, k, &k->s1, "apply_grad", apply_grad);
    launch(h, k, &k->c1, "apply_grad", apply_grad);
}

static void make_layer(struct host *h, struct layer *l, const char *name, int size, int weights, int biases)
{
    static const char *const part[] = {"preact", "output", "weight", "bias", "d_preact", "d_output", "d_weight"};
    const int count[] = {size, size, weights, biases, size, size, weights};
    gf32 *const array[] = {&l->preact, &l->output, &l->weight, &l->bias, &l->d_preact, &l->d_output, &l->d_weight};
    for (int i = 0; i < 7; i++) {
        char text[32];
        snprintf(text, sizeof text, "%s_%s", name, part[i]);
        *array[i] = device_f32(h, text, (uint64_t)count[i]);
    }
    for (int i = 0; i < weights; i++) l->weight.host[i] = 0.5f - (float)rng_unit(host_rng(h));
    for (int i = 0; i < biases; i++) l->bias.host[i] = 0.5f - (float)rng_unit(host_rng(h));
    l->size = size;
    l->weights = weights;
}

static void clear_layer(const struct layer *l)
{
    memset(l->preact.host, 0, (size_t)l->size * sizeof(float));
    memset(l->d_output.host, 0, (size_t)l->size * sizeof(float));
    memset(l->d_weight.host, 0, (size_t)l->weights * sizeof(float));
}

static void make_layers(struct host *h, struct cnn *k)
{
    make_layer(h, &k->c1, "c1", C_SIZE, MAPS * WINDOW * WINDOW, MAPS);
    make_layer(h, &k->s1, "s1", S_SIZE, POOL * POOL, 1);
    make_layer(h, &k->f, "f", CLASSES, CLASSES * S_SIZE, CLASSES);
    const gf32 start[] = {k->c1.weight, k->c1.bias, k->s1.weight, k->s1.bias, k->f.weight, k->f.bias};
    for (int i = 0; i < 6; i++) k->first[i] = snapshot(h, start[i]);
}

static void cnn_host(struct host *h, void *state)
{
    struct cnn *k = state;
    k->count = option(h, "images");
    k->input = device_f32_2d(h, "l_input", SIDE, SIDE);
    make_layers(h, k);
    float *images = host_alloc(h, (uint64_t)k->count * PIXELS * sizeof *images);
    int *labels = host_alloc(h, (uint64_t)k->count * sizeof *labels);
    for (int i = 0; i < k->count * PIXELS; i++) images[i] = (float)rng_unit(host_rng(h));
    for (int i = 0; i < k->count; i++) labels[i] = (int)rng_below(host_rng(h), CLASSES);
    k->labels = labels;
    k->pixels = images;
    for (int i = 0; i < k->count; i++) {
        memcpy(k->input.host, images + i * PIXELS, PIXELS * sizeof *images);
        k->label = labels[i];
        clear_layer(&k->c1), clear_layer(&k->s1), clear_layer(&k->f);
        forward(h, k);
        back(h, k);
    }
}

/* ---- Plain C. ---- */

/* The values of the three layers after an image, and the weights and biases, in the order of `first`. */
struct pass {
    float c1[C_SIZE], s1[S_SIZE], f[CLASSES], d_c1[C_SIZE], d_s1[S_SIZE], d_f[CLASSES];
    float d_weight_c1[MAPS * WINDOW * WINDOW], d_weight_s1[POOL * POOL];
    float *const *part;
};

static float step(float x)
{
    return 1 / (1 + expf(-x));
}

static void convolve(struct pass *p, const float *pixel)
{
    for (int at = 0; at < C_SIZE; at++) {
        const int map = at / (C * C), row = at / C % C, column = at % C;
        float sum = p->part[1][map];
        for (int i = 0; i < WINDOW * WINDOW; i++)
            sum += p->part[0][map * WINDOW * WINDOW + i] * pixel[(row + i / WINDOW) * SIDE + column + i % WINDOW];
        p->c1[at] = step(sum);
    }
}

/* The element of the first layer's output that weight i of the second one multiplies for sum `at`. */
static int pooled(int at, int i)
{
    const int map = at / (S * S), row = at / S % S, column = at % S;
    return (map * C + row * POOL + i / POOL) * C + column * POOL + i % POOL;
}

static void classify(struct pass *p)
{
    for (int at = 0; at < S_SIZE; at++) {
        float sum = p->part[3][0];
        for (int i = 0; i < POOL * POOL; i++) sum += p->part[2][i] * p->c1[pooled(at, i)];
        p->s1[at] = step(sum);
    }
    for (int c = 0; c < CLASSES; c++) {
        float sum = p->part[5][c];
        for (int i = 0; i < S_SIZE; i++) sum += p->part[4][c * S_SIZE + i] * p->s1[i];
        p->f[c] = step(sum);
    }
}

static void propagate(struct pass *p)
{
    memset(p->d_s1, 0, sizeof p->d_s1);
    memset(p->d_c1, 0, sizeof p->d_c1);
    memset(p->d_weight_s1, 0, sizeof p->d_weight_s1);
    for (int c = 0; c < CLASSES; c++)
        for (int i = 0; i < S_SIZE; i++) p->d_s1[i] += p->part[4][c * S_SIZE + i] * p->d_f[c];
    for (int at = 0; at < S_SIZE; at++) {
        p->d_s1[at] *= p->s1[at] * (1 - p->s1[at]);
        for (int i = 0; i < POOL * POOL; i++) {
            p->d_weight_s1[i] += p->d_s1[at] * p->c1[pooled(at, i)];
            p->d_c1[pooled(at, i)] += p->part[2][i] * p->d_s1[at];
        }
    }
    for (int at = 0; at < C_SIZE; at++) p->d_c1[at] *= p->c1[at] * (1 - p->c1[at]);
}

static void learn(struct pass *p, const float *pixel)
{
    memset(p->d_weight_c1, 0, sizeof p->d_weight_c1);
    for (int at = 0; at < C_SIZE; at++) {
        const int map = at / (C * C), row = at / C % C, column = at % C;
        const float change = p->d_c1[at] / (C * C);
        p->part[1][map] += DT * change;
        for (int i = 0; i < WINDOW * WINDOW; i++)
            p->d_weight_c1[map * WINDOW * WINDOW + i] +=
                change * pixel[(row + i / WINDOW) * SIDE + column + i % WINDOW];
    }
    for (int i = 0; i < MAPS * WINDOW * WINDOW; i++) p->part[0][i] += DT * p->d_weight_c1[i];
    for (int i = 0; i < POOL * POOL; i++) p->part[2][i] += DT * p->d_weight_s1[i];
    for (int i = 0; i < S_SIZE; i++) p->part[3][0] += DT * p->d_s1[i] / S_SIZE;
    for (int c = 0; c < CLASSES; c++) {
        p->part[5][c] += DT * p->d_f[c];
        for (int i = 0; i < S_SIZE; i++) p->part[4][c * S_SIZE + i] += DT * p->d_f[c] * p->s1[i];
    }
}

static bool cnn_check(struct host *h, void *state, struct error *err)
{
    const struct cnn *k = state;
    struct pass *p = host_alloc(h, sizeof *p);
    p->part = k->first;
    for (int i = 0; i < k->count; i++) {
        const float *pixel = k->pixels + i * PIXELS;
        convolve(p, pixel);
        classify(p);
        for (int c = 0; c < CLASSES; c++) p->d_f[c] = (c == k->labels[i] ? 1.0f : 0.0f) - p->f[c];
        propagate(p);
        learn(p, pixel);
    }
    const gf32 got[] = {k->c1.weight, k->c1.bias,   k->s1.weight, k->s1.bias, k->f.weight,
                        k->f.bias,    k->c1.output, k->s1.output, k->f.output};
    const float *const want[] = {k->first[0], k->first[1], k->first[2], k->first[3], k->first[4],
                                 k->first[5], p->c1,       p->s1,       p->f};
    for (int i = 0; i < 9; i++)
        if (!check_f32(got[i], want[i], 1e-4, err)) return false;
    return true;
}

static const struct kernel_def cnn = {
    .name = "cnn",
    .summary = "training of a convolutional network, 23 small launches an image",
    .origin = "UVMBench CNN",
    .options = {{"images", "to learn from", NULL, 4, 1, 60000}},
    .suites = "uvmbench",
    .tables = "Gu20 5.1",
    .small = "images=1",
    .reduced = "images=1",
    .state_bytes = sizeof(struct cnn),
    .host = cnn_host,
    .check = cnn_check,
};
KERNEL_REGISTER(cnn)
