/* SPDX-License-Identifier: Apache-2.0 */
/* streamcluster: k-median clustering of points (Rodinia, from PARSEC).  The host opens and closes centres by a local
 * search; for each candidate one launch, pgain, has every point compute its saving if it moved to the candidate. Points
 * are records of 32 bytes, coordinates lie dimension by dimension, and each point adds to a row of its own in work_mem,
 * whose columns are the centres of the moment: a new row length for each launch. */
#include <math.h>
#include <string.h>

#include "trace/kernels.h"

#define THREADS 512 /* of a thread block */
#define ITER 3      /* candidates: ITER k log k of them */
#define SP 1        /* tries of the first solution before centres are made cheaper */
#define TOGETHER 8  /* points whose distances the host computes together */

struct point { /* as the device sees it: 32 bytes with pointers and long of 64 bits */
    float weight;
    const float *coord;
    int64_t assign; /* its centre's number */
    float cost;     /* of that: weight * squared distance */
};
_Static_assert(sizeof(struct point) == 32 && offsetof(struct point, assign) == 16, "the layout of the original");

struct clustering {
    struct point *point;
    float *work; /* `stride` a point, one more row for the host */
    uint8_t *member;
    int32_t *table; /* of a centre: its column */
    bool *is_center;
    float *price; /* [n]: costs_at() */
    int *feasible, feasible_count;
    int n, dim, kmin, kmax, k, stride, x; /* x: the candidate */
    float z;                              /* the price of a centre */
    struct rng rng;
    void (*compute_cost)(struct host *h, struct clustering *c);
    /* On the device. */
    gf32 coord, work_mem;
    graw points;
    gi32 center_table;
    gu8 switch_membership;
};

struct streamcluster {
    struct clustering device, plain;
};

static void pgain_kernel(struct warp *w)
{
    const struct clustering *c = simt_args(w);
    vi32 point = vvar(vglobal_x());
    SIMT_IF (vlt(point, c->n)) {
        vf32 distance = vvar(0.0f);
        vi32 i = vvar(0);
        SIMT_WHILE (vlt(i, c->dim)) {
            vf32 mine = vload(c->coord, vmad(i, c->n, point));
            vf32 difference = vsub(mine, vload(c->coord, vmad(i, c->n, c->x)));
            vset(distance, vmad(difference, difference, distance));
            vset(i, vadd(i, 1));
        }
        vf32 price = vmul(distance, vpart_f32(vload_part(c->points, point, offsetof(struct point, weight), 4)));
        vset(distance, price);
        vf32 cost = vvar(vpart_f32(vload_part(c->points, point, offsetof(struct point, cost), 4)));
        SIMT_IF (vlt(distance, cost)) {
            vstore(c->switch_membership, point, 1u);
            vi32 at = vvar(vmad(point, c->stride, c->k));
            vf32 lower = vload(c->work_mem, at);
            vstore(c->work_mem, at, vadd(lower, vsub(distance, cost)));
        }
        SIMT_ELSE
        {
            vi32 center = vpart_i32(vload_part(c->points, point, offsetof(struct point, assign), 8));
            vi32 at = vvar(vmad(point, c->stride, vload(c->center_table, center)));
            vf32 lower = vload(c->work_mem, at);
            vstore(c->work_mem, at, vadd(lower, vsub(cost, distance)));
        }
    }
}

static void cost_on_device(struct host *h, struct clustering *c)
{
    simt_launch(h, &(struct launch){.name = "kernel_compute_cost",
                                    .kernel = pgain_kernel,
                                    .args = c,
                                    .grid = {blocks_for(c->n, THREADS)},
                                    .block = {THREADS},
                                    .regs = 18});
}

static float squared_distance(const struct clustering *c, const struct point *a, const struct point *b)
{
    float sum = 0;
    for (int i = 0; i < c->dim; i++) sum += (a->coord[i] - b->coord[i]) * (a->coord[i] - b->coord[i]);
    return sum;
}

static float cost_at(const struct clustering *c, int i, int center)
{
    return squared_distance(c, &c->point[i], &c->point[center]) * c->point[i].weight;
}

/* squared_distance() of several points: their sums do not wait for each other. */
static void squared_distances(const struct clustering *c, const struct point *a, const struct point *b,
                              float sum[TOGETHER])
{
    float sums[TOGETHER] = {0};
    for (int i = 0; i < c->dim; i++) {
        for (int k = 0; k < TOGETHER; k++) {
            const float difference = a[k].coord[i] - b->coord[i];
            sums[k] += difference * difference;
        }
    }
    memcpy(sum, sums, sizeof sums);
}

/* cost_at() of all points. */
static void costs_at(struct clustering *c, int center)
{
    int i = 0;
    for (; i + TOGETHER <= c->n; i += TOGETHER) squared_distances(c, &c->point[i], &c->point[center], &c->price[i]);
    for (; i < c->n; i++) c->price[i] = squared_distance(c, &c->point[i], &c->point[center]);
    for (i = 0; i < c->n; i++) c->price[i] *= c->point[i].weight;
}

static void cost_in_plain_c(struct host *h, struct clustering *c)
{
    (void)h;
    costs_at(c, c->x);
    for (int i = 0; i < c->n; i++) {
        float *row = c->work + (size_t)i * (size_t)c->stride, price = c->price[i], saved = c->point[i].cost;
        c->member[i] = price < saved;
        if (c->member[i]) {
            row[c->k] += price - saved;
        } else {
            row[c->table[c->point[i].assign]] += saved - price;
        }
    }
}

/* ---- The host's search. ---- */

static void shuffle_points(struct clustering *c)
{
    for (int i = 0; i < c->n - 1; i++) {
        int j = i + (int)rng_below(&c->rng, (uint64_t)(c->n - i));
        struct point p = c->point[i];
        c->point[i] = c->point[j];
        c->point[j] = p;
    }
}

static void shuffle_feasible(struct clustering *c)
{
    for (int i = 0; i < c->feasible_count; i++) {
        int j = i + (int)rng_below(&c->rng, (uint64_t)(c->feasible_count - i)), x = c->feasible[i];
        c->feasible[i] = c->feasible[j];
        c->feasible[j] = x;
    }
}

/* A first solution: each point becomes a centre with a chance that grows with its cost.  The cost of it all. */
static float speedy(struct clustering *c)
{
    costs_at(c, 0);
    for (int i = 0; i < c->n; i++) c->point[i].cost = c->price[i], c->point[i].assign = 0;
    c->k = 1;
    for (int center = 1; center < c->n; center++) {
        if ((float)rng_unit(&c->rng) >= c->point[center].cost / c->z) continue;
        c->k++;
        costs_at(c, center);
        for (int i = 0; i < c->n; i++) {
            float cost = c->price[i];
            if (cost < c->point[i].cost) c->point[i].cost = cost, c->point[i].assign = center;
        }
    }
    float total = 0;
    for (int i = 0; i < c->n; i++) total += c->point[i].cost;
    return c->z * (float)c->k + total;
}

static int candidates(int k)
{
    return (int)(ITER * (float)k * logf((float)k));
}

/* The points that may become centres.  All weights are 1, so that choosing by weight is choosing any. */
static void select_feasible(struct clustering *c)
{
    bool all = c->n <= candidates(c->kmin);
    c->feasible_count = all ? c->n : candidates(c->kmin);
    for (int i = 0; i < c->feasible_count; i++) {
        c->feasible[i] = all ? i : (int)rng_below(&c->rng, (uint64_t)c->n);
    }
}

/* A first solution with at least kmin centres: *hiz is then the price that was too high.  No launches yet. */
static float start(struct clustering *c, float *hiz)
{
    *hiz = 0;
    for (int i = 0; i < c->n; i++) *hiz += cost_at(c, i, 0);
    c->z = *hiz / 2;
    shuffle_points(c);
    float cost = speedy(c);
    int tries = 0;
    for (; c->k < c->kmin && tries < SP; tries++) cost = speedy(c);
    for (; c->k < c->kmin; tries++) {
        if (tries >= SP) *hiz = c->z, c->z = *hiz / 2, tries = 0;
        shuffle_points(c);
        cost = speedy(c);
    }
    select_feasible(c);
    for (int i = 0; i < c->n; i++) c->is_center[c->point[i].assign] = true;
    return cost;
}

/* The saving of closing each centre beside the candidate, into the host's row of the work memory; and the total cost of
 * opening the candidate. */
static float cost_of_opening(struct clustering *c)
{
    float *saved = c->work + (size_t)c->n * (size_t)c->stride, cost = c->z;
    for (int i = 0; i < c->n; i++) {
        float *row = c->work + (size_t)i * (size_t)c->stride;
        if (c->is_center[i]) {
            float low = c->z;
            for (int j = 0; j < c->n; j++) low += c->work[(size_t)j * (size_t)c->stride + (size_t)c->table[i]];
            saved[c->table[i]] = low;
            if (low > 0) row[c->k] -= low;
        }
        cost += row[c->k];
    }
    return cost;
}

static void open_candidate(struct clustering *c)
{
    const float *saved = c->work + (size_t)c->n * (size_t)c->stride;
    for (int i = 0; i < c->n; i++) {
        if (!c->member[i] && saved[c->table[c->point[i].assign]] <= 0) continue;
        c->point[i].cost = cost_at(c, i, c->x);
        c->point[i].assign = c->x;
    }
    for (int i = 0; i < c->n; i++) c->is_center[i] = c->is_center[i] && saved[c->table[i]] <= 0;
    c->is_center[c->x] = true;
}

static void count_centers(struct clustering *c)
{
    c->k = 0;
    for (int i = 0; i < c->n; i++) {
        if (c->is_center[i]) c->table[i] = c->k++;
    }
}

/* The saving of opening the candidate; 0 if it is not worth it. */
static float pgain(struct host *h, struct clustering *c)
{
    count_centers(c);
    c->stride = c->k + 1;
    memset(c->work, 0, (size_t)c->stride * ((size_t)c->n + 1) * sizeof *c->work);
    memset(c->member, 0, (size_t)c->n);
    c->compute_cost(h, c);
    float cost = cost_of_opening(c);
    if (cost >= 0) return 0;
    open_candidate(c);
    count_centers(c);
    return -cost;
}

/* Rounds of candidates until one saves less than the share `enough` of the cost. */
static float improve(struct host *h, struct clustering *c, float cost, float enough)
{
    float change = cost;
    while (change / cost > enough) {
        change = 0;
        shuffle_feasible(c);
        for (int i = 0; i < candidates(c->kmax); i++) {
            c->x = c->feasible[i % c->feasible_count];
            change += pgain(h, c);
        }
        cost -= change;
    }
    return cost;
}

static bool nearly_right(const struct clustering *c)
{
    double k = c->k;
    return (k <= 1.1 * c->kmax && k >= 0.9 * c->kmin) || (c->k <= c->kmax + 2 && c->k >= c->kmin - 2);
}

/* Binary search for the price of a centre at which their number is right. */
static void search(struct host *h, struct clustering *c, float cost, float hiz)
{
    float loz = 0;
    do {
        cost = improve(h, c, cost, 0.1f);
        if (nearly_right(c)) cost = improve(h, c, cost, 0.001f);
        float z = c->z;
        if (c->k > c->kmax) loz = z;
        if (c->k < c->kmin) hiz = z;
        if (c->k > c->kmax || c->k < c->kmin) c->z = (hiz + loz) / 2, cost += (c->z - z) * (float)c->k;
    } while ((c->k > c->kmax || c->k < c->kmin) && loz < 0.999f * hiz);
}

/* ---- The workload. ---- */

/* The feasible candidates and the first centres bound the centres of any moment, and with that a row's length. */
static uint64_t work_size(const struct clustering *c)
{
    uint64_t centers = (uint64_t)c->k + (uint64_t)c->feasible_count, n = (uint64_t)c->n;
    return ((centers < n ? centers : n) + 1) * (n + 1);
}

/* Uniform in the unit cube, as the original's stream. */
static void make_points(struct host *h, struct clustering *c)
{
    float *coord = host_alloc(h, (uint64_t)c->n * (uint64_t)c->dim * sizeof *coord);
    for (int i = 0; i < c->n * c->dim; i++) coord[i] = (float)rng_unit(&c->rng);
    for (int i = 0; i < c->n; i++)
        c->point[i] = (struct point){.weight = 1, .coord = coord + (size_t)i * (size_t)c->dim};
}

static void make_tables(struct host *h, struct clustering *c)
{
    c->is_center = host_alloc(h, (uint64_t)c->n * sizeof *c->is_center);
    c->feasible = host_alloc(h, (uint64_t)c->n * sizeof *c->feasible);
    c->price = host_alloc(h, (uint64_t)c->n * sizeof *c->price);
}

static void streamcluster_host(struct host *h, void *state)
{
    struct streamcluster *s = state;
    struct clustering *c = &s->device;
    c->n = option(h, "n");
    c->dim = option(h, "dim");
    c->kmin = option(h, "kmin");
    c->kmax = option(h, "kmax");
    if (c->kmax < c->kmin) host_fail(h, "kmax: found %d, expected at least kmin, %d", c->kmax, c->kmin);
    if (c->n <= c->kmax) host_fail(h, "n: found %d, expected more points than centres (kmax, %d)", c->n, c->kmax);
    uint64_t n = (uint64_t)c->n;
    c->points = device_raw(h, "points", n, sizeof(struct point));
    c->coord = device_f32(h, "coord", n * (uint64_t)c->dim);
    c->center_table = device_i32(h, "center_table", n);
    c->switch_membership = device_u8(h, "switch_membership", n);
    c->point = (void *)c->points.host;
    c->table = c->center_table.host;
    c->member = c->switch_membership.host;
    c->compute_cost = cost_on_device;
    rng_seed(&c->rng, rng_u64(host_rng(h)));
    make_tables(h, c);
    make_points(h, c);
    s->plain = *c;
    s->plain.point = memcpy(host_alloc(h, n * sizeof(struct point)), c->point, n * sizeof(struct point));
    float hiz, cost = start(c, &hiz);
    c->work_mem = device_f32(h, "work_mem", work_size(c));
    c->work = c->work_mem.host;
    for (int i = 0; i < c->n * c->dim; i++) c->coord.host[i] = c->point[i % c->n].coord[i / c->n];
    search(h, c, cost, hiz);
}

static bool same_points(const struct clustering *got, const struct clustering *want, struct error *err)
{
    for (int i = 0; i < got->n; i++) {
        const struct point *g = &got->point[i], *p = &want->point[i];
        if (g->assign == p->assign && g->cost == p->cost && g->weight == p->weight) continue;
        return error_set(err, "wrong result: points[%d] belongs to %lld at cost %.9g, plain C computes %lld at %.9g", i,
                         (long long)g->assign, (double)g->cost, (long long)p->assign, (double)p->cost);
    }
    return true;
}

/* Nothing that the search decided must disagree with the points themselves: each belongs to a centre, at its cost. */
static bool consistent(const struct clustering *c, struct error *err)
{
    for (int i = 0; i < c->n; i++) {
        const struct point *p = &c->point[i];
        if (c->is_center[p->assign] && p->cost == cost_at(c, i, (int)p->assign)) continue;
        return error_set(err, "wrong result: points[%d] belongs to %lld, which is %sa centre, at cost %.9g, not %.9g",
                         i, (long long)p->assign, c->is_center[p->assign] ? "" : "not ", (double)p->cost,
                         (double)cost_at(c, i, (int)p->assign));
    }
    return true;
}

/* The same search over again, with the costs worked out in plain C. */
static bool streamcluster_check(struct host *h, void *state, struct error *err)
{
    struct streamcluster *s = state;
    struct clustering *c = &s->plain;
    c->compute_cost = cost_in_plain_c;
    c->table = host_alloc(h, (uint64_t)c->n * sizeof *c->table);
    c->member = host_alloc(h, (uint64_t)c->n);
    c->work = host_alloc(h, s->device.work_mem.array->count * sizeof(float));
    make_tables(h, c);
    float hiz, cost = start(c, &hiz);
    search(h, c, cost, hiz);
    return same_points(&s->device, c, err) && consistent(&s->device, err) &&
           check_i32(s->device.center_table, c->table, err) && check_f32(s->device.work_mem, c->work, 0, err);
}

static const struct kernel_def streamcluster = {
    .name = "streamcluster",
    .summary = "k-median clustering, a launch for each candidate of the host's search",
    .origin = "Rodinia streamcluster",
    .options = {{"n", "points", NULL, 4096, 3, 1 << 20},
                {"dim", "coordinates of a point", NULL, 24, 1, 1024},
                {"kmin", "fewest centres", NULL, 3, 2, 1000},
                {"kmax", "most centres", NULL, 4, 2, 1000}},
    .suites = "rodinia uvmbench",
    .tables = "Gu20 3.1, 5.1",
    .small = "n=32,dim=3",
    .reduced = "n=256",
    .state_bytes = sizeof(struct streamcluster),
    .host = streamcluster_host,
    .check = streamcluster_check,
};
KERNEL_REGISTER(streamcluster)
