/* SPDX-License-Identifier: Apache-2.0 */
/* bh: gravitation between bodies after Barnes and Hut (LonestarGPU).  Bodies and cells of an octree are one set of
 * nodes; the host builds the tree, kernels do the rest: bounding box, centres of mass from the leaves up, an order in
 * which neighbours are near each other, forces, motion.  For forces a warp walks the tree with one stack in shared
 * memory: it opens a cell unless all its lanes are far enough away. */
#include "bh.h"

/* ---- Bounding box. ---- */

static void take_bodies(struct warp *w, const struct bh *k, vf32 low[3], vf32 high[3])
{
    for (int d = 0; d < 3; d++) {
        low[d] = vvar(vload(k->position[d], 0));
        high[d] = vvar(low[d]);
    }
    vi32 i = vvar(vglobal_x());
    SIMT_WHILE (vlt(i, k->bodies)) {
        for (int d = 0; d < 3; d++) {
            vf32 x = vvar(vload(k->position[d], i));
            vset(low[d], vmin(low[d], x));
            vset(high[d], vmax(high[d], x));
        }
        vset(i, vadd(i, GRID_THREADS_X));
    }
}

/* The first threads take the boxes of as many others. */
static void join_boxes(struct warp *w, vi32 thread, int distance, vf32 low[3], vf32 high[3], const sf32 lows[3],
                       const sf32 highs[3])
{
    SIMT_IF (vlt(thread, distance)) {
        vi32 other = vvar(vadd(thread, distance));
        for (int d = 0; d < 3; d++) {
            vset(low[d], vmin(low[d], vload(lows[d], other)));
            vstore(lows[d], thread, low[d]);
            vset(high[d], vmax(high[d], vload(highs[d], other)));
            vstore(highs[d], thread, high[d]);
        }
    }
}

static void box_kernel(struct warp *w)
{
    static const char *const names[] = {"sminx", "sminy", "sminz", "smaxx", "smaxy", "smaxz"};
    const struct bh *k = simt_args(w);
    vi32 thread = vvar(vthread_x());
    vf32 low[3], high[3];
    sf32 lows[3], highs[3];
    take_bodies(w, k, low, high);
    for (int d = 0; d < 3; d++) {
        lows[d] = vshared_f32(names[d], BOX_THREADS);
        highs[d] = vshared_f32(names[d + 3], BOX_THREADS);
        vstore(lows[d], thread, low[d]);
        vstore(highs[d], thread, high[d]);
    }
    for (int distance = BOX_THREADS / 2; distance > 0; distance /= 2) {
        vsync();
        join_boxes(w, thread, distance, low, high, lows, highs);
    }
    SIMT_IF (veq(thread, 0)) {
        for (int d = 0; d < 3; d++) {
            vstore(k->low[d], BLOCK_X, low[d]);
            vstore(k->high[d], BLOCK_X, high[d]);
        }
    }
}

/* Done by the last finishing thread block in the original: joins the boxes and makes the root. */
static void root_kernel(struct warp *w)
{
    const struct bh *k = simt_args(w);
    SIMT_IF (veq(vthread_x(), 0)) {
        vf32 widest = vvar(0.0f);
        for (int d = 0; d < 3; d++) {
            vf32 low = vvar(vload(k->low[d], 0)), high = vvar(vload(k->high[d], 0));
            vi32 i = vvar(1);
            SIMT_WHILE (vlt(i, (int)k->low[d].array->count)) {
                vset(low, vmin(low, vload(k->low[d], i)));
                vset(high, vmax(high, vload(k->high[d], i)));
                vset(i, vadd(i, 1));
            }
            vset(widest, vmax(widest, vsub(high, low)));
            vstore(k->position[d], k->root, vmul(vadd(low, high), 0.5f));
        }
        vstore(k->radius, 0, vmul(widest, 0.5f));
        vstore(k->mass, k->root, -1.0f);
        vstore(k->start, k->root, 0);
        for (int i = 0; i < 8; i++) vstore(k->child, k->root * 8 + i, -1);
    }
}

/* ---- Centres of mass, then the order of the bodies: in the original, cells wait until their children or their parent
 * are ready; here each level is a launch. ---- */

struct sum {
    vf32 mass, moment[3];
    vi32 count, children;
};

static void add_child(struct warp *w, const struct bh *k, si32 cache, struct sum *s, vi32 entry, vi32 child, int i)
{
    SIMT_IF (vne(s->children, i)) { /* to the front: a search stops at the first hole */
        vstore(k->child, vadd(entry, i), -1);
        vstore(k->child, vadd(entry, s->children), child);
    }
    vstore(cache, vthread_x(), child);
    vf32 mass = vvar(vload(k->mass, child));
    SIMT_IF (vge(child, k->bodies)) {
        vi32 more = vload(k->count, child);
        vset(s->count, vadd(vsub(more, 1), s->count));
    }
    vset(s->mass, vadd(s->mass, mass));
    for (int d = 0; d < 3; d++) vset(s->moment[d], vmad(vload(k->position[d], child), mass, s->moment[d]));
    vset(s->children, vadd(s->children, 1));
}

static void sum_kernel(struct warp *w)
{
    const struct bh *k = simt_args(w);
    si32 cache = vshared_i32("child", SUM_THREADS * 8);
    vi32 cell = vvar(vadd(vglobal_x(), k->first));
    SIMT_WHILE (vlt(cell, k->past)) {
        struct sum s = {.mass = vvar(0.0f)};
        s.count = vvar(0);
        s.children = vvar(0);
        for (int d = 0; d < 3; d++) s.moment[d] = vvar(0.0f);
        vi32 entry = vvar(vshl(cell, 3)), child = vvar(0);
        for (int i = 0; i < 8; i++) {
            vset(child, vload(k->child, vadd(entry, i)));
            SIMT_IF (vge(child, 0)) {
                add_child(w, k, cache, &s, entry, child, i);
            }
        }
        vstore(k->count, cell, vadd(s.count, s.children));
        vf32 inverse = vvar(vdiv(V(1.0f), s.mass));
        for (int d = 0; d < 3; d++) vstore(k->position[d], cell, vmul(s.moment[d], inverse));
        vstore(k->mass, cell, s.mass);
        vset(cell, vadd(cell, GRID_THREADS_X));
    }
}

static void sort_kernel(struct warp *w)
{
    const struct bh *k = simt_args(w);
    vi32 cell = vvar(vadd(vglobal_x(), k->first));
    SIMT_WHILE (vlt(cell, k->past)) {
        vi32 start = vvar(vload(k->start, cell)), entry = vvar(vshl(cell, 3)), child = vvar(0);
        for (int i = 0; i < 8; i++) {
            vset(child, vload(k->child, vadd(entry, i)));
            SIMT_IF (vge(child, k->bodies)) {
                vstore(k->start, child, start);
                vset(start, vadd(vload(k->count, child), start));
            }
            SIMT_ELSE
            {
                SIMT_IF (vge(child, 0)) {
                    vstore(k->sort, start, child);
                    vset(start, vadd(start, 1));
                }
            }
        }
        vset(cell, vadd(cell, GRID_THREADS_X));
    }
}

/* ---- Forces. ---- */

/* A stack for each warp of a thread block, and the squared distance at which a level's cells are not opened. */
struct stacks {
    si32 position, node;
    sf32 far;
};

struct walker {
    vi32 lane, bottom, depth; /* bottom: of the warp's stack; depth: of all stacks */
    vf32 x[3], a[3];
};

static void find_distances(struct warp *w, const struct bh *k, const struct stacks *s, vi32 thread)
{
    SIMT_IF (veq(thread, 0)) {
        vf32 width = vvar(vload(k->radius, 0)); /* of the root's children */
        vf32 far = vvar(vmul(vmul(width, width), OPENING));
        vi32 level = vvar(0);
        SIMT_WHILE (vlt(level, k->host.tree.levels)) {
            vstore(s->far, level, far);
            vset(far, vmul(far, 0.25f));
            vset(level, vadd(level, 1));
        }
    }
}

/* A copy for each warp, beside its stack. */
static void copy_distances(struct warp *w, const struct stacks *s, const struct walker *g)
{
    SIMT_IF (vlt(g->lane, DEPTH)) {
        vf32 far = vload(s->far, g->lane);
        vstore(s->far, vadd(g->lane, g->bottom), far);
    }
}

static void attract(struct warp *w, const struct bh *k, struct walker *g, vi32 node, const vf32 way[3], vf32 square)
{
    vf32 inverse = vvar(vrsqrt(square));
    vf32 pull = vmul(vload(k->mass, node), inverse);
    pull = vvar(vmul(vmul(pull, inverse), inverse));
    for (int d = 0; d < 3; d++) vset(g->a[d], vmad(way[d], pull, g->a[d]));
}

static void open_cell(struct warp *w, const struct stacks *s, struct walker *g, vi32 cell)
{
    vset(g->depth, vadd(g->depth, 1));
    SIMT_IF (veq(g->lane, 0)) {
        vstore(s->node, g->depth, vshl(cell, 3));
        vstore(s->position, g->depth, 0);
    }
}

/* The next child of the cell on top of the stack. */
static void visit_child(struct warp *w, const struct bh *k, const struct stacks *s, struct walker *g)
{
    vi32 position = vvar(vload(s->position, g->depth));
    vi32 node = vvar(vload(k->child, vadd(vload(s->node, g->depth), position)));
    SIMT_IF (veq(g->lane, 0)) {
        vstore(s->position, g->depth, vadd(position, 1));
    }
    SIMT_IF (vge(node, 0)) {
        vf32 way[3], square = vvar(SOFTENING);
        for (int d = 2; d >= 0; d--) {
            way[d] = vvar(vsub(vload(k->position[d], node), g->x[d]));
            vset(square, vmad(way[d], way[d], square));
        }
        SIMT_IF (vor(vlt(node, k->bodies), vall(vge(square, vload(s->far, g->depth))))) {
            attract(w, k, g, node, way, square);
        }
        SIMT_ELSE
        {
            open_cell(w, s, g, node);
        }
    }
    SIMT_ELSE
    {
        vset(g->depth, vmax(vsub(g->depth, 1), g->bottom)); /* no more children */
    }
}

static void visit_children(struct warp *w, const struct bh *k, const struct stacks *s, struct walker *g)
{
    SIMT_WHILE (vlt(vload(s->position, g->depth), 8)) {
        visit_child(w, k, s, g);
    }
}

static void push_root(struct warp *w, const struct bh *k, const struct stacks *s, struct walker *g)
{
    vset(g->depth, g->bottom);
    SIMT_IF (veq(g->lane, 0)) {
        vstore(s->position, g->depth, 0);
        vstore(s->node, g->depth, k->root * 8);
    }
}

static void walk(struct warp *w, const struct bh *k, const struct stacks *s, struct walker *g)
{
    push_root(w, k, s, g);
    SIMT_WHILE (vge(g->depth, g->bottom)) {
        visit_children(w, k, s, g);
        vset(g->depth, vsub(g->depth, 1));
    }
}

static void store_force(struct warp *w, const struct bh *k, const struct walker *g, vi32 body)
{
    for (int d = 0; d < 3 && k->step > 0; d++) {
        vf32 change = vmul(vsub(g->a[d], vload(k->acceleration[d], body)), HALF_STEP);
        vstore(k->velocity[d], body, vadd(change, vload(k->velocity[d], body)));
    }
    for (int d = 0; d < 3; d++) vstore(k->acceleration[d], body, g->a[d]);
}

static void force_on(struct warp *w, const struct bh *k, const struct stacks *s, struct walker *g, vi32 body)
{
    for (int d = 0; d < 3; d++) {
        g->x[d] = vvar(vload(k->position[d], body));
        g->a[d] = vvar(0.0f);
    }
    walk(w, k, s, g);
    store_force(w, k, g, body);
}

static void force_kernel(struct warp *w)
{
    const struct bh *k = simt_args(w);
    struct stacks s;
    s.position = vshared_i32("pos", DEPTH * FORCE_WARPS), s.node = vshared_i32("node", DEPTH * FORCE_WARPS);
    s.far = vshared_f32("dq", DEPTH * FORCE_WARPS);
    vi32 thread = vvar(vthread_x()), i = vvar(vglobal_x());
    find_distances(w, k, &s, thread);
    vsync();
    struct walker g = {.lane = vvar(vand(thread, WARP_SIZE - 1))};
    g.bottom = vvar(vmul(vshr(thread, 5), DEPTH));
    copy_distances(w, &s, &g);
    vsync();
    g.depth = vvar(g.bottom);
    SIMT_WHILE (vlt(i, k->bodies)) {
        force_on(w, k, &s, &g, vvar(vload(k->sort, i)));
        vset(i, vadd(i, GRID_THREADS_X));
    }
}

static void move_kernel(struct warp *w)
{
    const struct bh *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_WHILE (vlt(i, k->bodies)) {
        for (int d = 0; d < 3; d++) {
            vf32 change = vvar(vmul(vload(k->acceleration[d], i), HALF_STEP));
            vf32 half = vvar(vadd(vload(k->velocity[d], i), change));
            vf32 x = vload(k->position[d], i);
            vstore(k->position[d], i, vmad(half, TIME_STEP, x));
            vstore(k->velocity[d], i, vadd(half, change));
        }
        vset(i, vadd(i, GRID_THREADS_X));
    }
}

/* ---- The host's part. ---- */

static void launch(struct host *h, struct bh *k, const char *name, void (*kernel)(struct warp *w), int blocks,
                   int threads, uint32_t regs, uint32_t shared)
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {(uint32_t)blocks},
                                    .block = {(uint32_t)threads},
                                    .regs = regs,
                                    .shared_bytes = shared});
}

static void make_bodies(struct host *h, struct bh *k)
{
    for (int i = 0; i < k->bodies; i++) {
        float position[3], velocity[3];
        plummer_body(host_rng(h), position, velocity);
        k->host.mass[i] = 1.0f / (float)k->bodies;
        for (int d = 0; d < 3; d++) {
            k->host.tree.position[d][i] = position[d];
            k->host.velocity[d][i] = velocity[d];
        }
    }
}

static void *copied(struct host *h, const void *from, uint64_t bytes)
{
    return memcpy(host_alloc(h, bytes), from, bytes);
}

static void copy_system(struct host *h, struct bh *k)
{
    uint64_t nodes = ((uint64_t)k->root + 1) * 4, bodies = (uint64_t)k->bodies * 4;
    for (int d = 0; d < 3; d++) {
        k->plain.tree.position[d] = copied(h, k->host.tree.position[d], nodes);
        k->plain.velocity[d] = copied(h, k->host.velocity[d], bodies);
        k->plain.acceleration[d] = copied(h, k->host.acceleration[d], bodies);
    }
    k->plain.mass = copied(h, k->host.mass, nodes);
    k->plain.tree.child = copied(h, k->host.tree.child, nodes * 8);
    k->plain.count = copied(h, k->host.count, nodes);
    k->plain.start = copied(h, k->host.start, nodes);
    k->plain.sort = copied(h, k->host.sort, bodies);
}

static void make_arrays(struct host *h, struct bh *k)
{
    static const char *const names[][3] = {{"posx", "posy", "posz"},
                                           {"velx", "vely", "velz"},
                                           {"accx", "accy", "accz"},
                                           {"minx", "miny", "minz"},
                                           {"maxx", "maxy", "maxz"}};
    uint64_t nodes = (uint64_t)k->root + 1, bodies = (uint64_t)k->bodies, blocks = 3 * (uint64_t)k->sms;
    k->child = device_i32(h, "child", nodes * 8);
    for (int d = 0; d < 3; d++) {
        k->position[d] = device_f32(h, names[0][d], nodes), k->host.tree.position[d] = k->position[d].host;
        k->velocity[d] = device_f32(h, names[1][d], bodies), k->host.velocity[d] = k->velocity[d].host;
        k->acceleration[d] = device_f32(h, names[2][d], bodies), k->host.acceleration[d] = k->acceleration[d].host;
        k->low[d] = device_f32(h, names[3][d], blocks);
        k->high[d] = device_f32(h, names[4][d], blocks);
    }
    k->mass = device_f32(h, "mass", nodes), k->host.mass = k->mass.host;
    k->count = device_i32(h, "count", nodes), k->host.count = k->count.host;
    k->start = device_i32(h, "start", nodes), k->host.start = k->start.host;
    k->sort = device_i32(h, "sort", bodies), k->host.sort = k->sort.host;
    k->host.tree.child = k->child.host;
    k->radius = device_f32(h, "radius", 1);
}

static void launch_level(struct host *h, struct bh *k, int level, bool sums)
{
    k->first = k->host.tree.first[level];
    k->past = k->host.tree.past[level];
    if (sums)
        launch(h, k, "SummarizationKernel", sum_kernel, 6 * k->sms, SUM_THREADS, 28, SUM_THREADS * 8 * 4);
    else
        launch(h, k, "SortKernel", sort_kernel, 6 * k->sms, SORT_THREADS, 13, 0);
}

/* Thread blocks are so many for each SM, and their threads take several bodies or cells each. */
static void bh_host(struct host *h, void *state)
{
    struct bh *k = state;
    k->bodies = option(h, "bodies");
    k->steps = option(h, "steps");
    k->sms = option(h, "sms");
    int nodes = k->bodies * 2 < 1024 * k->sms ? 1024 * k->sms : k->bodies * 2;
    k->root = (nodes + WARP_SIZE - 1) / WARP_SIZE * WARP_SIZE - 1;
    k->host.tree.bodies = k->plain.tree.bodies = k->bodies;
    k->host.tree.root = k->plain.tree.root = k->root;
    make_arrays(h, k);
    make_bodies(h, k);
    copy_system(h, k);
    for (k->step = 0; k->step < k->steps; k->step++) {
        launch(h, k, "BoundingBoxKernel", box_kernel, 3 * k->sms, BOX_THREADS, 22, 6 * BOX_THREADS * 4);
        launch(h, k, "BoundingBoxKernel_root", root_kernel, 1, BOX_THREADS, 14, 0);
        octree_build(h, &k->host.tree, k->radius.host[0]);
        for (int i = k->host.tree.levels - 1; i >= 0; i--) launch_level(h, k, i, true);
        for (int i = 0; i < k->host.tree.levels; i++) launch_level(h, k, i, false);
        launch(h, k, "ForceCalculationKernel", force_kernel, 5 * k->sms, FORCE_THREADS, 28,
               3 * DEPTH * FORCE_WARPS * 4);
        launch(h, k, "IntegrationKernel", move_kernel, k->sms, MOVE_THREADS, 32, 0);
    }
}

/* ---- The result. ---- */

static bool bh_check(struct host *h, void *state, struct error *err)
{
    struct bh *k = state;
    struct system *s = &k->plain;
    for (k->step = 0; k->step < k->steps; k->step++) {
        float radius = plain_box(k, s);
        octree_build(h, &s->tree, radius);
        for (int cell = s->tree.first[s->tree.levels - 1]; cell <= k->root; cell++) plain_sum(k, s, cell);
        plain_sort(k, s, k->root, 0);
        plain_forces(k, s, radius);
        plain_move(k, s);
    }
    for (int d = 0; d < 3; d++) {
        if (!check_f32(k->acceleration[d], s->acceleration[d], 0, err) ||
            !check_f32(k->velocity[d], s->velocity[d], 0, err) ||
            !check_f32(k->position[d], s->tree.position[d], 0, err))
            return false;
    }
    return check_f32(k->mass, s->mass, 0, err) && check_i32(k->child, s->tree.child, err) &&
           check_i32(k->count, s->count, err) && check_i32(k->start, s->start, err) && check_i32(k->sort, s->sort, err);
}

static const struct kernel_def bh = {
    .name = "bh",
    .summary = "gravitation after Barnes and Hut: each warp walks an octree",
    .origin = "LonestarGPU bh",
    .options = {{"bodies", "of the cluster", NULL, 10000, 1, 1 << 22},
                {"steps", "of time", NULL, 1, 1, 1000},
                {"sms", "that the grids are made for", NULL, 15, 1, 1024}},
    .suites = "lonestar",
    .small = "bodies=20,sms=1",
    .reduced = "bodies=200,sms=2",
    .state_bytes = sizeof(struct bh),
    .host = bh_host,
    .check = bh_check,
};
KERNEL_REGISTER(bh)
