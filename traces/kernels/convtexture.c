/* SPDX-License-Identifier: Apache-2.0 */
/* convtexture: a separable convolution whose pixels come from a texture (CUDA SDK, convolutionTexture; convsep is the
 * one by shared memory).  A thread loads 17 neighbours along a row, in the second launch along a column; the texture
 * unit limits coordinates to the image, without instructions.  Here its loads go through the L1D. */
#include "program.h"

#define RADIUS 8
#define TAPS (2 * RADIUS + 1)

struct convtexture {
    gf32 image, rows, output;
    float tap[TAPS];
    int width, height;
};

/* The texture unit limits a coordinate, without an instruction. */
static vi32 limited(vi32 i, int n)
{
    for (int l = 0; l < WARP_SIZE; l++) i.lane[l] = i.lane[l] < 0 ? 0 : i.lane[l] >= n ? n - 1 : i.lane[l];
    return i;
}

static void rows_kernel(struct warp *w)
{
    const struct convtexture *k = simt_args(w);
    vi32 x = vvar(vglobal_x()), y = vvar(vglobal_y());
    SIMT_IF (vand(vlt(x, k->width), vlt(y, k->height))) {
        vi32 row = vvar(vmul(y, k->width));
        vf32 sum = vvar(0.0f);
        for (int i = -RADIUS; i <= RADIUS; i++) {
            vi32 column = limited(vadd(x, i), k->width);
            vset(sum, vmad(vload(k->image, vadd(column, row)), k->tap[RADIUS - i], sum));
        }
        vstore(k->rows, vadd(row, x), sum);
    }
}

static void columns_kernel(struct warp *w)
{
    const struct convtexture *k = simt_args(w);
    vi32 x = vvar(vglobal_x()), y = vvar(vglobal_y());
    SIMT_IF (vand(vlt(x, k->width), vlt(y, k->height))) {
        vf32 sum = vvar(0.0f);
        for (int i = -RADIUS; i <= RADIUS; i++) {
            vi32 row = limited(vadd(y, i), k->height);
            vset(sum, vmad(vload(k->rows, vmad(row, k->width, x)), k->tap[RADIUS - i], sum));
        }
        vstore(k->output, vmad(y, k->width, x), sum);
    }
}

static void launch(struct host *h, const struct convtexture *k, const char *name, void (*kernel)(struct warp *w))
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {blocks_for(k->width, 16), blocks_for(k->height, 12)},
                                    .block = {16, 12},
                                    .regs = 16});
}

static void convtexture_host(struct host *h, void *state)
{
    struct convtexture *k = state;
    k->width = option(h, "width");
    k->height = option(h, "height");
    const uint64_t rows = (uint64_t)k->height, columns = (uint64_t)k->width;
    k->image = random_f32_2d(h, "texSrc", rows, columns);
    k->rows = device_f32_2d(h, "texRows", rows, columns);
    k->output = device_f32_2d(h, "d_Output", rows, columns);
    for (int i = 0; i < TAPS; i++) k->tap[i] = (float)rng_unit(host_rng(h));
    launch(h, k, "convolutionRowsKernel", rows_kernel);
    launch(h, k, "convolutionColumnsKernel", columns_kernel); /* the host has copied the rows into the texture */
}

static int within(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static bool convtexture_check(struct host *h, void *state, struct error *err)
{
    const struct convtexture *k = state;
    const uint64_t bytes = k->image.array->count * sizeof(float);
    float *rows = host_alloc(h, bytes), *output = host_alloc(h, bytes);
    for (int y = 0; y < k->height; y++)
        for (int x = 0; x < k->width; x++)
            for (int i = -RADIUS; i <= RADIUS; i++)
                rows[y * k->width + x] += k->image.host[y * k->width + within(x + i, k->width)] * k->tap[RADIUS - i];
    for (int y = 0; y < k->height; y++)
        for (int x = 0; x < k->width; x++)
            for (int i = -RADIUS; i <= RADIUS; i++)
                output[y * k->width + x] += rows[within(y + i, k->height) * k->width + x] * k->tap[RADIUS - i];
    return check_f32(k->rows, rows, 0, err) && check_f32(k->output, output, 0, err);
}

static const struct kernel_def convtexture = {
    .name = "convtexture",
    .summary = "separable convolution by a texture, 17 loads an element",
    .origin = "CUDA SDK convolutionTexture",
    .options = {{"width", "of the image", NULL, 3072, 1, 32768}, {"height", "of the image", NULL, 1536, 1, 32768}},
    .suites = "sdk",
    .tables = "Gu20 2.3",
    .small = "width=20,height=8",
    .reduced = "width=256,height=96",
    .state_bytes = sizeof(struct convtexture),
    .host = convtexture_host,
    .check = convtexture_check,
};
KERNEL_REGISTER(convtexture)
