/* SPDX-License-Identifier: Apache-2.0 */
/* Computed by both versions of srad: a pixel's diffusion coefficient, on the device and in plain C. */
#ifndef MEMTWIN_SRAD_H
#define MEMTWIN_SRAD_H
#include <string.h>

#include "trace/kernels.h"

#define LAMBDA 0.5f /* how far a step of diffusion goes */

/* Of the differences to the four neighbours; not yet limited to 0..1. */
static inline vf32 diffusion(struct warp *w, vf32 pixel, vf32 n, vf32 s, vf32 west, vf32 e, float q0)
{
    vf32 gradient = vmad(e, e, vmad(west, west, vmad(s, s, vmul(n, n))));
    gradient = vvar(vdiv(gradient, vmul(pixel, pixel)));
    vf32 laplacian = vvar(vdiv(vadd(vadd(vadd(n, s), west), e), pixel));
    vf32 q = vvar(vsub(vmul(gradient, 0.5f), vmul(vmul(laplacian, laplacian), 1.0f / 16)));
    vf32 below = vvar(vmad(laplacian, 0.25f, 1.0f));
    vset(q, vdiv(q, vmul(below, below)));
    vf32 scale = vadd(V(1.0f), q0);
    vf32 c = vvar(vdiv(vsub(q, q0), vmul(scale, q0)));
    vset(c, vdiv(V(1.0f), vadd(c, 1.0f)));
    return c;
}

/* Variance over squared mean. */
static inline float speckle(float sum, float squares, int pixels)
{
    float mean = sum / (float)pixels, variance = squares / (float)pixels - mean * mean;
    return variance / (mean * mean);
}

/* ---- Plain C. ---- */

struct plane {
    int rows, columns, down, right; /* down, right: elements to the next row and column */
};

struct gradients {
    float north, south, west, east;
};

static inline struct gradients gradients(const struct plane *p, const float *image, int row, int column)
{
    int i = row * p->down + column * p->right;
    return (struct gradients){(row ? image[i - p->down] : image[i]) - image[i],
                              (row + 1 < p->rows ? image[i + p->down] : image[i]) - image[i],
                              (column ? image[i - p->right] : image[i]) - image[i],
                              (column + 1 < p->columns ? image[i + p->right] : image[i]) - image[i]};
}

static inline float coefficient(struct gradients g, float pixel, float q0)
{
    float square = g.north * g.north + g.south * g.south + g.west * g.west + g.east * g.east;
    float gradient = square / (pixel * pixel), laplacian = (g.north + g.south + g.west + g.east) / pixel;
    float below = 1 + 0.25f * laplacian;
    float q = (0.5f * gradient - 1.0f / 16 * (laplacian * laplacian)) / (below * below);
    float c = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
    return c < 0 ? 0 : c > 1 ? 1 : c;
}

static inline float moved(const struct plane *p, const float *image, const float *c, int row, int column)
{
    int i = row * p->down + column * p->right;
    struct gradients g = gradients(p, image, row, column);
    float south = row + 1 < p->rows ? c[i + p->down] : c[i], east = column + 1 < p->columns ? c[i + p->right] : c[i];
    float divergence = c[i] * g.north + south * g.south + c[i] * g.west + east * g.east;
    return image[i] + 0.25f * LAMBDA * divergence;
}

/* One step; `next` is scratch memory, c becomes the coefficients. */
static inline void diffuse(const struct plane *p, float *image, float *next, float *c, float q0)
{
    int pixels = p->rows * p->columns;
    for (int n = 0; n < pixels; n++) {
        int row = n / p->columns, column = n % p->columns, i = row * p->down + column * p->right;
        c[i] = coefficient(gradients(p, image, row, column), image[i], q0);
    }
    for (int n = 0; n < pixels; n++) {
        int row = n / p->columns, column = n % p->columns;
        next[row * p->down + column * p->right] = moved(p, image, c, row, column);
    }
    memcpy(image, next, (size_t)pixels * sizeof *image);
}
#endif
