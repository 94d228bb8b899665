/* SPDX-License-Identifier: Apache-2.0 */
/* sift: orientations and descriptors of an image's keypoints (Lowe04, sections 5 and 6), a thread block for each
 * keypoint.  Both kernels look at 16 x 16 samples around it: the first at neighbouring pixels, the second at places
 * that are turned and spread by the keypoint.  Each sample adds to a histogram in shared memory.  Keypoints are in
 * scanning order, so that windows overlap with those of the next ones and of those that are a row of keypoints away. */
#include <math.h>
#include <stdlib.h>

#include "trace/kernels.h"

#define SIDE 16 /* samples of a window */
#define ROWS 8  /* of threads: each takes two samples */
#define THREADS (SIDE * ROWS)
#define DIRECTIONS 36 /* of the histogram that gives the orientation */
#define CELLS 4       /* of a side of a descriptor */
#define PARTS 8       /* directions of a cell */
#define FEATURES (CELLS * CELLS * PARTS)
#define VOTE 65536.0f          /* a vote of 1, in fixed point: sums do not depend on the order of the warps */
#define LIMIT 0.2f             /* of a feature: less weight to large gradients (Lowe04, section 6.1) */
#define SPREAD 0.75f           /* samples are so many scales apart */
#define ORIENTATION_SIGMA 1.5f /* scales */
#define TINY 1e-20f            /* against division by 0 where the image is flat */

struct keypoint {
    float x, y, scale;
};

struct sift {
    gf32 image, orientations, descriptors;
    graw keypoints;
    int width, height, count;
};

struct gradient {
    vf32 magnitude, turn; /* turn: direction, 0 to 1 of a circle */
};

/* ---- Both kernels. ---- */

/* atan(a) / a in powers of a^2, a in 0..1 (Abramowitz64, 4.4.49). */
static const float atan_terms[] = {0.0208351f, -0.0851330f, 0.1801410f, -0.3302995f, 0.9998660f};
#define ATAN_TERMS (sizeof atan_terms / sizeof atan_terms[0])
#define CIRCLE 6.2831853f

static vf32 turn_of(struct warp *w, vf32 across, vf32 down)
{
    vf32 width = vabs(across), height = vabs(down);
    vbool steep = vgt(height, width);
    vf32 longer = vmax(vmax(width, height), TINY);
    vf32 ratio = vvar(vdiv(vmin(width, height), longer));
    vf32 square = vvar(vmul(ratio, ratio)), turn = vvar(atan_terms[0]);
    for (size_t i = 1; i < ATAN_TERMS; i++) vset(turn, vmad(turn, square, atan_terms[i]));
    vset(turn, vmul(vmul(turn, ratio), 1 / CIRCLE));
    vset(turn, vselect(steep, vsub(V(0.25f), turn), turn));
    vset(turn, vselect(vlt(across, 0.0f), vsub(V(0.5f), turn), turn));
    vset(turn, vselect(vlt(down, 0.0f), vsub(V(1.0f), turn), turn));
    return turn;
}

static vi32 limited(struct warp *w, vi32 at, int count)
{
    return vvar(vmax(vmin(at, count - 1), 0));
}

/* Between the neighbours of a pixel; those beyond the image's edge are on it. */
static struct gradient gradient_at(struct warp *w, const struct sift *k, vi32 column, vi32 row)
{
    vi32 right = vmin(vadd(column, 1), k->width - 1);
    vf32 across = vvar(vload(k->image, vmad(row, k->width, right)));
    vi32 left = vmax(vadd(column, -1), 0);
    vset(across, vsub(across, vload(k->image, vmad(row, k->width, left))));
    vi32 below = vmin(vadd(row, 1), k->height - 1);
    vf32 down = vvar(vload(k->image, vmad(below, k->width, column)));
    vi32 above = vmax(vadd(row, -1), 0);
    vset(down, vsub(down, vload(k->image, vmad(above, k->width, column))));
    vf32 magnitude = vvar(vsqrt(vmad(across, across, vmul(down, down))));
    return (struct gradient){magnitude, turn_of(w, across, down)};
}

static vf32 field(struct warp *w, const struct sift *k, uint32_t offset)
{
    return vpart_f32(vload_part(k->keypoints, BLOCK_X, offset, sizeof(float)));
}

static void vote(struct warp *w, su32 votes, vi32 bin, vf32 weight)
{
    vu32 count = vvar(vuint(vtrunc(vmul(weight, VOTE)))); /* read again for each lane of a contended word */
    vred_add(votes, bin, count);
}

/* ---- Orientations. ---- */

static vf32 votes_for(struct warp *w, su32 votes, vi32 direction)
{
    return vvar(vfloat(vload(votes, direction)));
}

/* The direction with the most votes, between its neighbours by a parabola. */
static vf32 peak(struct warp *w, su32 votes)
{
    vi32 best = vvar(0);
    vu32 most = vvar(vload(votes, 0));
    vi32 i = vvar(1);
    SIMT_WHILE (vlt(i, DIRECTIONS)) {
        vu32 here = vvar(vload(votes, i));
        vset(best, vselect(vgt(here, most), i, best));
        vset(most, vmax(most, here));
        vset(i, vadd(i, 1));
    }
    vf32 before = votes_for(w, votes, vselect(veq(best, 0), V(DIRECTIONS - 1), vadd(best, -1)));
    vf32 after = votes_for(w, votes, vselect(veq(best, DIRECTIONS - 1), V(0), vadd(best, 1)));
    vf32 bend = vvar(vsub(vsub(vmul(vfloat(most), 2.0f), before), after));
    vf32 offset = vdiv(vmul(vsub(after, before), 0.5f), vmax(bend, 1.0f));
    return vmul(vadd(vadd(vfloat(best), 0.5f), offset), 1.0f / DIRECTIONS);
}

static void compute_orientations(struct warp *w)
{
    const struct sift *k = simt_args(w);
    su32 votes = vshared_u32("votes", DIRECTIONS);
    vi32 x = vvar(vthread_x()), y = vvar(vthread_y()), thread = vvar(vmad(y, SIDE, x));
    SIMT_IF (vlt(thread, DIRECTIONS)) {
        vstore(votes, thread, 0u);
    }
    vsync();
    vi32 column = vvar(vtrunc(vadd(field(w, k, offsetof(struct keypoint, x)), 0.5f)));
    vi32 row = vvar(vtrunc(vadd(field(w, k, offsetof(struct keypoint, y)), 0.5f)));
    vf32 sigma = vmul(field(w, k, offsetof(struct keypoint, scale)), ORIENTATION_SIGMA);
    vf32 fall = vvar(vdiv(V(-0.5f), vmul(sigma, sigma)));
    vset(x, vadd(x, -SIDE / 2));
    vset(y, vadd(y, -SIDE / 2));
    SIMT_WHILE (vlt(y, SIDE / 2)) {
        vi32 pixel_x = limited(w, vadd(column, x), k->width), pixel_y = limited(w, vadd(row, y), k->height);
        struct gradient g = gradient_at(w, k, pixel_x, pixel_y);
        vi32 square = vmad(x, x, vmul(y, y));
        vf32 weight = vvar(vmul(g.magnitude, vexp(vmul(vfloat(square), fall))));
        vi32 direction = vvar(vmin(vtrunc(vmul(g.turn, (float)DIRECTIONS)), DIRECTIONS - 1));
        vote(w, votes, direction, weight);
        vset(y, vadd(y, ROWS));
    }
    vsync();
    SIMT_IF (veq(thread, 0)) {
        vstore(k->orientations, BLOCK_X, peak(w, votes));
    }
}

/* ---- Descriptors. ---- */

/* A sample votes in the cells around it and in two directions of each, less for those farther away. */
static void vote_around(struct warp *w, su32 votes, vi32 x, vi32 y, vf32 weight, vf32 direction)
{
    vi32 left = vvar(vadd(vshr(vadd(x, CELLS / 2), 2), -1)), top = vvar(vadd(vshr(vadd(y, CELLS / 2), 2), -1));
    vf32 right_share = vvar(vsub(vmad(vfloat(x), 0.25f, V(-0.375f)), vfloat(left)));
    vf32 lower_share = vvar(vsub(vmad(vfloat(y), 0.25f, V(-0.375f)), vfloat(top)));
    vi32 part = vvar(vtrunc(direction));
    vf32 next_share = vvar(vsub(direction, vfloat(part)));
    vi32 first = vvar(vmul(vmad(top, CELLS, left), PARTS));
    for (int i = 0; i < 4; i++) {
        const int right = i % 2, down = i / 2, cell = (down * CELLS + right) * PARTS;
        vbool inside = vand(vge(left, -right), vlt(left, CELLS - right));
        inside = vand(vand(vge(top, -down), vlt(top, CELLS - down)), inside);
        SIMT_IF (inside) {
            vf32 share = vvar(vmul(weight, right ? right_share : vsub(V(1.0f), right_share)));
            vset(share, vmul(share, down ? lower_share : vsub(V(1.0f), lower_share)));
            vi32 bin = vvar(vadd(vadd(vand(part, PARTS - 1), first), cell));
            vote(w, votes, bin, vmul(share, vsub(V(1.0f), next_share)));
            vset(bin, vadd(vadd(vand(vadd(part, 1), PARTS - 1), first), cell));
            vote(w, votes, bin, vmul(share, next_share));
        }
    }
}

/* A thread's value divided by the length of all threads' vector. */
static vf32 normalized(struct warp *w, sf32 sums, vi32 thread, vf32 value)
{
    vstore(sums, thread, vmul(value, value));
    for (int stride = THREADS / 2; stride; stride /= 2) {
        vsync();
        SIMT_IF (vlt(thread, stride)) {
            vf32 other = vvar(vload(sums, vadd(thread, stride)));
            vstore(sums, thread, vadd(vload(sums, thread), other));
        }
    }
    vsync();
    vf32 scaled = vvar(vmul(value, vrsqrt(vmax(vload(sums, 0), TINY))));
    vsync();
    return scaled;
}

static void extract_descriptors(struct warp *w)
{
    const struct sift *k = simt_args(w);
    su32 votes = vshared_u32("votes", FEATURES);
    sf32 sums = vshared_f32("sums", THREADS);
    vi32 x = vvar(vthread_x()), y = vvar(vthread_y()), thread = vvar(vmad(y, SIDE, x));
    vstore(votes, thread, 0u);
    vsync();
    vf32 center_x = vvar(field(w, k, offsetof(struct keypoint, x)));
    vf32 center_y = vvar(field(w, k, offsetof(struct keypoint, y)));
    vf32 distance = vvar(vmul(field(w, k, offsetof(struct keypoint, scale)), SPREAD));
    vf32 orientation = vvar(vload(k->orientations, BLOCK_X)), angle = vmul(orientation, CIRCLE);
    vf32 cosine = vvar(vcos(angle)), sine = vvar(vsin(angle));
    SIMT_WHILE (vlt(y, SIDE)) {
        vf32 u = vvar(vadd(vfloat(x), 0.5f - SIDE / 2)), v = vvar(vadd(vfloat(y), 0.5f - SIDE / 2));
        vf32 across = vmad(distance, vsub(vmul(u, cosine), vmul(v, sine)), center_x);
        vi32 column = limited(w, vtrunc(vadd(across, 0.5f)), k->width);
        vf32 along = vmad(distance, vadd(vmul(u, sine), vmul(v, cosine)), center_y);
        vi32 row = limited(w, vtrunc(vadd(along, 0.5f)), k->height);
        struct gradient g = gradient_at(w, k, column, row);
        vset(g.turn, vsub(g.turn, orientation));
        vset(g.turn, vselect(vlt(g.turn, 0.0f), vadd(g.turn, 1.0f), g.turn));
        vset(g.turn, vmul(g.turn, (float)PARTS));
        vf32 square = vmad(u, u, vmul(v, v));
        vf32 weight = vvar(vmul(g.magnitude, vexp(vmul(square, -2.0f / (SIDE * SIDE)))));
        vote_around(w, votes, x, y, weight, g.turn);
        vset(y, vadd(y, ROWS));
    }
    vsync();
    vf32 feature = vvar(vfloat(vload(votes, thread)));
    vset(feature, vmin(normalized(w, sums, thread, feature), LIMIT));
    vstore(k->descriptors, vadd(thread, BLOCK_X * FEATURES), normalized(w, sums, thread, feature));
}

/* ---- The host's part. ---- */

static int by_place(const void *a, const void *b)
{
    const struct keypoint *p = a, *q = b;
    if ((int)p->y != (int)q->y) return p->y < q->y ? -1 : 1;
    return p->x < q->x ? -1 : p->x > q->x;
}

static void make_input(struct host *h, const struct sift *k)
{
    for (uint64_t i = 0; i < k->image.array->count; i++) k->image.host[i] = (float)rng_unit(host_rng(h));
    struct keypoint *keypoint = (void *)k->keypoints.host;
    for (int i = 0; i < k->count; i++) {
        keypoint[i].x = (float)rng_unit(host_rng(h)) * (float)(k->width - 1);
        keypoint[i].y = (float)rng_unit(host_rng(h)) * (float)(k->height - 1);
        keypoint[i].scale = 1.6f * exp2f((float)rng_unit(host_rng(h))); /* an octave (Lowe04, section 3.3) */
    }
    qsort(keypoint, (size_t)k->count, sizeof *keypoint, by_place);
}

static void launch(struct host *h, const struct sift *k, const char *name, void (*kernel)(struct warp *w),
                   uint32_t regs, uint32_t shared_words)
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {(uint32_t)k->count},
                                    .block = {SIDE, ROWS},
                                    .regs = regs,
                                    .shared_bytes = shared_words * (uint32_t)sizeof(float)});
}

static void sift_host(struct host *h, void *state)
{
    struct sift *k = state;
    k->width = option(h, "width");
    k->height = option(h, "height");
    k->count = option(h, "keypoints");
    k->image = device_f32_2d(h, "image", (uint64_t)k->height, (uint64_t)k->width);
    k->keypoints = device_raw(h, "keypoints", (uint64_t)k->count, sizeof(struct keypoint));
    k->orientations = device_f32(h, "orientations", (uint64_t)k->count);
    k->descriptors = device_f32(h, "descriptors", (uint64_t)k->count * FEATURES);
    make_input(h, k);
    launch(h, k, "ComputeOrientations", compute_orientations, 28, DIRECTIONS);
    launch(h, k, "ExtractSiftDescriptors", extract_descriptors, 36, FEATURES + THREADS);
}

/* ---- Plain C. ---- */

static float plain_turn(float across, float down)
{
    const float width = fabsf(across), height = fabsf(down);
    const float ratio = fminf(width, height) / fmaxf(fmaxf(width, height), TINY), square = ratio * ratio;
    float turn = atan_terms[0];
    for (size_t i = 1; i < ATAN_TERMS; i++) turn = turn * square + atan_terms[i];
    turn = turn * ratio * (1 / CIRCLE);
    if (height > width) turn = 0.25f - turn;
    if (across < 0) turn = 0.5f - turn;
    return down < 0 ? 1 - turn : turn;
}

static float pixel(const struct sift *k, int column, int row)
{
    column = column < 0 ? 0 : column < k->width ? column : k->width - 1;
    row = row < 0 ? 0 : row < k->height ? row : k->height - 1;
    return k->image.host[row * k->width + column];
}

static float plain_gradient(const struct sift *k, int column, int row, float *turn)
{
    column = column < 0 ? 0 : column < k->width ? column : k->width - 1;
    row = row < 0 ? 0 : row < k->height ? row : k->height - 1;
    const float across = pixel(k, column + 1, row) - pixel(k, column - 1, row);
    const float down = pixel(k, column, row + 1) - pixel(k, column, row - 1);
    *turn = plain_turn(across, down);
    return sqrtf(across * across + down * down);
}

static float plain_orientation(const struct sift *k, const struct keypoint *p)
{
    uint32_t votes[DIRECTIONS] = {0};
    const float sigma = p->scale * ORIENTATION_SIGMA, fall = -0.5f / (sigma * sigma);
    for (int i = 0; i < SIDE * SIDE; i++) {
        const int across = i % SIDE - SIDE / 2, along = i / SIDE - SIDE / 2;
        float turn;
        float weight = plain_gradient(k, (int)(p->x + 0.5f) + across, (int)(p->y + 0.5f) + along, &turn);
        weight *= expf((float)(across * across + along * along) * fall);
        const int direction = (int)(turn * DIRECTIONS);
        votes[direction < DIRECTIONS ? direction : DIRECTIONS - 1] += (uint32_t)(weight * VOTE);
    }
    int best = 0;
    for (int i = 1; i < DIRECTIONS; i++) best = votes[i] > votes[best] ? i : best;
    const float before = (float)votes[(best + DIRECTIONS - 1) % DIRECTIONS];
    const float after = (float)votes[(best + 1) % DIRECTIONS];
    const float bend = (float)votes[best] * 2 - before - after;
    return ((float)best + 0.5f + (after - before) * 0.5f / fmaxf(bend, 1)) * (1.0f / DIRECTIONS);
}

/* The share of cell `at` of a sample at `place`, in cells. */
static float share(float place, int at)
{
    const float distance = fabsf(place - (float)at);
    return distance < 1 ? 1 - distance : 0;
}

static void plain_votes(uint32_t votes[FEATURES], int x, int y, float weight, float turn)
{
    const float column = (float)x * 0.25f - 0.375f, row = (float)y * 0.25f - 0.375f, direction = turn * PARTS;
    const int part = (int)direction;
    const float next_share = direction - (float)part;
    for (int cell = 0; cell < CELLS * CELLS; cell++) {
        const float here = weight * share(column, cell % CELLS) * share(row, cell / CELLS);
        votes[cell * PARTS + part % PARTS] += (uint32_t)(here * (1 - next_share) * VOTE);
        votes[cell * PARTS + (part + 1) % PARTS] += (uint32_t)(here * next_share * VOTE);
    }
}

static void plain_normalize(float feature[FEATURES])
{
    float sums[FEATURES];
    for (int i = 0; i < FEATURES; i++) sums[i] = feature[i] * feature[i];
    for (int stride = FEATURES / 2; stride; stride /= 2) {
        for (int i = 0; i < stride; i++) sums[i] += sums[i + stride];
    }
    const float scale = 1 / sqrtf(fmaxf(sums[0], TINY));
    for (int i = 0; i < FEATURES; i++) feature[i] *= scale;
}

static void plain_descriptor(const struct sift *k, const struct keypoint *p, float orientation, float feature[FEATURES])
{
    uint32_t votes[FEATURES] = {0};
    const float cosine = cosf(orientation * CIRCLE), sine = sinf(orientation * CIRCLE), distance = p->scale * SPREAD;
    for (int i = 0; i < SIDE * SIDE; i++) {
        const float u = (float)(i % SIDE) + (0.5f - SIDE / 2), v = (float)(i / SIDE) + (0.5f - SIDE / 2);
        const int column = (int)(distance * (u * cosine - v * sine) + p->x + 0.5f);
        const int row = (int)(distance * (u * sine + v * cosine) + p->y + 0.5f);
        float turn;
        const float magnitude = plain_gradient(k, column, row, &turn);
        turn -= orientation;
        const float weight = magnitude * expf((u * u + v * v) * (-2.0f / (SIDE * SIDE)));
        plain_votes(votes, i % SIDE, i / SIDE, weight, turn < 0 ? turn + 1 : turn);
    }
    for (int i = 0; i < FEATURES; i++) feature[i] = (float)votes[i];
    plain_normalize(feature);
    for (int i = 0; i < FEATURES; i++) feature[i] = fminf(feature[i], LIMIT);
    plain_normalize(feature);
}

static bool sift_check(struct host *h, void *state, struct error *err)
{
    const struct sift *k = state;
    const struct keypoint *keypoint = (const void *)k->keypoints.host;
    float *orientations = host_alloc(h, (uint64_t)k->count * sizeof(float));
    float *descriptors = host_alloc(h, (uint64_t)k->count * FEATURES * sizeof(float));
    for (int i = 0; i < k->count; i++) {
        orientations[i] = plain_orientation(k, keypoint + i);
        plain_descriptor(k, keypoint + i, orientations[i], descriptors + i * FEATURES);
    }
    return check_f32(k->orientations, orientations, 0, err) && check_f32(k->descriptors, descriptors, 0, err);
}

static const struct kernel_def sift = {
    .name = "sift",
    .summary = "orientations and descriptors of keypoints, a thread block each",
    .origin = "Lowe04",
    .options = {{"keypoints", "of the image", NULL, 512, 1, 1 << 22},
                {"width", "of the image", NULL, 512, 1, 16384},
                {"height", "of the image", NULL, 512, 1, 16384}},
    .suites = "own",
    .tables = "Chen16 4.2",
    .small = "keypoints=2,width=40,height=40",
    .reduced = "keypoints=16,width=128,height=128",
    .state_bytes = sizeof(struct sift),
    .host = sift_host,
    .check = sift_check,
};
KERNEL_REGISTER(sift)
