/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of a globular cluster: Plummer's empirical model. */
#ifndef MEMTWIN_PLUMMER_H
#define MEMTWIN_PLUMMER_H
#include <math.h>

#include "base/rng.h"

/* A random vector in the unit sphere.  Returns its length. */
static inline double plummer_direction(struct rng *r, double v[3])
{
    double square;
    do {
        square = 0;
        for (int d = 0; d < 3; d++) v[d] = 2 * rng_unit(r) - 1, square += v[d] * v[d];
    } while (square > 1 || square == 0);
    return sqrt(square);
}

static inline void plummer_body(struct rng *r, float position[3], float velocity[3])
{
    const double scale = 3 * 3.14159265358979 / 16;
    double v[3], x, y, radius = 1 / sqrt(pow(0.999 * (1 - rng_unit(r)), -2.0 / 3) - 1),
                       length = plummer_direction(r, v);
    for (int d = 0; d < 3; d++) position[d] = (float)(v[d] / length * scale * radius);
    do x = rng_unit(r), y = 0.1 * rng_unit(r);
    while (y > x * x * pow(1 - x * x, 3.5));
    double speed = x * sqrt(1 / scale) * sqrt(2 / sqrt(1 + radius * radius));
    length = plummer_direction(r, v);
    for (int d = 0; d < 3; d++) velocity[d] = (float)(v[d] / length * speed);
}
#endif
