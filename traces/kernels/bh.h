/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers and arrays of bh, and its steps in plain C. */
#ifndef MEMTWIN_BH_H
#define MEMTWIN_BH_H
#include <math.h>
#include <string.h>

#include "octree.h"
#include "plummer.h"

#define DEPTH OCTREE_LEVELS
#define BOX_THREADS 512
#define SUM_THREADS 128
#define SORT_THREADS 64
#define FORCE_THREADS 256
#define MOVE_THREADS 1024
#define FORCE_WARPS (FORCE_THREADS / WARP_SIZE)

#define TIME_STEP 0.025f
#define HALF_STEP (TIME_STEP * 0.5f)
#define SOFTENING (0.05f * 0.05f)
#define OPENING 4.0f /* 1 / tolerance^2 */

/* Arrays seen by the host: the device's, or those of the reference. */
struct system {
    struct octree tree; /* with positions and children */
    float *velocity[3], *acceleration[3], *mass;
    int32_t *count, *start, *sort;
};

struct bh {
    gf32 position[3], velocity[3], acceleration[3], mass;
    gf32 low[3], high[3], radius; /* low, high: of each thread block's bodies */
    gi32 child, count, start, sort;
    struct system host, plain;
    int bodies, root, steps, sms, step;
    int first, past; /* cells of the launch */
};

/* ---- Plain C: the same steps, with the search as a recursion. ---- */

static float plain_box(const struct bh *k, struct system *s)
{
    float widest = 0;
    for (int d = 0; d < 3; d++) {
        float low = s->tree.position[d][0], high = low;
        for (int i = 0; i < k->bodies; i++)
            low = fminf(low, s->tree.position[d][i]), high = fmaxf(high, s->tree.position[d][i]);
        widest = fmaxf(widest, high - low);
        s->tree.position[d][k->root] = (low + high) * 0.5f;
    }
    return widest * 0.5f;
}

static void plain_sum(const struct bh *k, struct system *s, int cell)
{
    float mass = 0, moment[3] = {0};
    int32_t *child = s->tree.child + cell * 8, count = 0, children = 0;
    for (int i = 0; i < 8; i++) {
        int c = child[i];
        if (c < 0) continue;
        child[i] = -1;
        child[children++] = c;
        count += c >= k->bodies ? s->count[c] : 1;
        mass += s->mass[c];
        for (int d = 0; d < 3; d++) moment[d] += s->tree.position[d][c] * s->mass[c];
    }
    for (int d = 0; d < 3; d++) s->tree.position[d][cell] = moment[d] * (1 / mass);
    s->mass[cell] = mass;
    s->count[cell] = count;
}

/* Depth first.  Returns where the next body goes. */
static int plain_sort(const struct bh *k, struct system *s, int cell, int start)
{
    s->start[cell] = start;
    for (int i = 0; i < 8 && s->tree.child[cell * 8 + i] >= 0; i++) {
        int child = s->tree.child[cell * 8 + i];
        if (child < k->bodies) {
            s->sort[start++] = child;
        } else {
            start = plain_sort(k, s, child, start);
        }
    }
    return start;
}

struct group { /* the bodies of a warp */
    int bodies;
    float x[WARP_SIZE][3], a[WARP_SIZE][3];
};

static float square_distance(const struct system *s, const float x[3], int node)
{
    float square = SOFTENING;
    for (int d = 2; d >= 0; d--) {
        float way = s->tree.position[d][node] - x[d];
        square = way * way + square;
    }
    return square;
}

static bool is_far(const struct system *s, const struct group *g, int node, float far)
{
    for (int b = 0; b < g->bodies; b++) {
        if (square_distance(s, g->x[b], node) < far) return false;
    }
    return true;
}

static void plain_attract(const struct system *s, struct group *g, int node)
{
    for (int b = 0; b < g->bodies; b++) {
        float inverse = 1 / sqrtf(square_distance(s, g->x[b], node)),
              pull = s->mass[node] * inverse * inverse * inverse;
        for (int d = 0; d < 3; d++) g->a[b][d] += (s->tree.position[d][node] - g->x[b][d]) * pull;
    }
}

static void plain_search(const struct bh *k, const struct system *s, struct group *g, int cell, float far)
{
    for (int i = 0; i < 8 && s->tree.child[cell * 8 + i] >= 0; i++) {
        int node = s->tree.child[cell * 8 + i];
        if (node < k->bodies || is_far(s, g, node, far)) {
            plain_attract(s, g, node);
        } else {
            plain_search(k, s, g, node, far * 0.25f);
        }
    }
}

static void plain_forces(const struct bh *k, struct system *s, float radius)
{
    for (int first = 0; first < k->bodies; first += WARP_SIZE) {
        struct group g = {.bodies = k->bodies - first < WARP_SIZE ? k->bodies - first : WARP_SIZE};
        for (int b = 0; b < g.bodies; b++) {
            for (int d = 0; d < 3; d++) g.x[b][d] = s->tree.position[d][s->sort[first + b]];
        }
        plain_search(k, s, &g, k->root, radius * radius * OPENING);
        for (int b = 0; b < g.bodies; b++) {
            for (int d = 0, body = s->sort[first + b]; d < 3; d++) {
                float old = s->acceleration[d][body];
                if (k->step > 0) s->velocity[d][body] += (g.a[b][d] - old) * HALF_STEP;
                s->acceleration[d][body] = g.a[b][d];
            }
        }
    }
}

static void plain_move(const struct bh *k, struct system *s)
{
    for (int d = 0; d < 3; d++) {
        for (int i = 0; i < k->bodies; i++) {
            float change = s->acceleration[d][i] * HALF_STEP, half = s->velocity[d][i] + change;
            s->tree.position[d][i] += half * TIME_STEP;
            s->velocity[d][i] = half + change;
        }
    }
}
#endif
