/* SPDX-License-Identifier: Apache-2.0 */
/* bfs_queue: breadth-first search in three ways (UVMBench's bfs; bfs is Rodinia's).  simple: a launch a level, a thread
 * for each node.  queue: a thread for each node of the level, which puts nodes that it finds into the next one's queue
 * by an atomic, in whatever order the thread blocks run.  scan: four launches a level; the nodes that each one found
 * are counted and added up in shared memory, so that each knows its place in the queue.  A node's parent is its edge of
 * the lowest number, by an atomic minimum; in the original the last one that stores. */
#include <limits.h>

#include "program.h"

#define BLOCK 1024

enum variant { SIMPLE, QUEUE, SCAN };

struct bfs_queue {
    gi32 adjacency, offset, size, distance, parent, changed, queue[2], next_size, degrees, increments;
    int n, level, count; /* count: nodes of this level's queue */
    int from;            /* the queue that this launch reads */
};

/* For each edge of node u: `edge` is its number, `to` its other end. */
#define FOR_EDGES(k, u, edge, end)                                                                                     \
    vi32 edge = vvar(vload((k)->offset, u)), end = vvar(vadd(vload((k)->size, u), edge));                              \
    SIMT_WHILE (vlt(edge, end))

static void relax(struct warp *w, const struct bfs_queue *k, vi32 u, bool mark)
{
    FOR_EDGES(k, u, edge, end)
    {
        vi32 to = vvar(vload(k->adjacency, edge));
        vi32 distance = vvar(vload(k->distance, to));
        SIMT_IF (vlt(V(k->level), distance)) {
            vstore(k->distance, to, k->level + 1);
            (void)vatomic_min(k->parent, to, edge);
            if (mark) vstore(k->changed, 0, 1);
        }
        vset(edge, vadd(edge, 1));
    }
}

static void simple_kernel(struct warp *w)
{
    const struct bfs_queue *k = simt_args(w);
    vi32 u = vvar(vglobal_x());
    SIMT_IF (vlt(u, k->n)) {
        SIMT_IF (veq(vload(k->distance, u), k->level)) {
            relax(w, k, u, true);
        }
    }
}

static void queue_kernel(struct warp *w)
{
    const struct bfs_queue *k = simt_args(w);
    vi32 thread = vvar(vglobal_x());
    SIMT_IF (vlt(thread, k->count)) {
        vi32 u = vvar(vload(k->queue[k->from], thread));
        FOR_EDGES(k, u, edge, end)
        {
            vi32 to = vvar(vload(k->adjacency, edge));
            SIMT_IF (veq(vload(k->distance, to), INT_MAX)) {
                SIMT_IF (veq(vatomic_min(k->distance, to, k->level + 1), INT_MAX)) {
                    vstore(k->parent, to, edge);
                    vi32 place = vvar(vatomic_add(k->next_size, 0, 1));
                    vstore(k->queue[!k->from], place, to);
                }
            }
            vset(edge, vadd(edge, 1));
        }
    }
}

static void next_layer_kernel(struct warp *w)
{
    const struct bfs_queue *k = simt_args(w);
    vi32 thread = vvar(vglobal_x());
    SIMT_IF (vlt(thread, k->count)) {
        vi32 u = vvar(vload(k->queue[k->from], thread));
        relax(w, k, u, false);
    }
}

static void degrees_kernel(struct warp *w)
{
    const struct bfs_queue *k = simt_args(w);
    vi32 thread = vvar(vglobal_x());
    SIMT_IF (vlt(thread, k->count)) {
        vi32 u = vvar(vload(k->queue[k->from], thread)), degree = vvar(0);
        FOR_EDGES(k, u, edge, end)
        {
            vi32 to = vvar(vload(k->adjacency, edge));
            SIMT_IF (vand(veq(vload(k->parent, to), edge), vne(to, u))) {
                vset(degree, vadd(degree, 1));
            }
            vset(edge, vadd(edge, 1));
        }
        vstore(k->degrees, thread, degree);
    }
}

/* Inclusive sums of a thread block's degrees, up and down a tree; the block's total for the host. */
static void scan_kernel(struct warp *w)
{
    const struct bfs_queue *k = simt_args(w);
    si32 sums = vshared_i32("prefixSum", BLOCK);
    vi32 thread = vvar(vthread_x()), at = vvar(vglobal_x());
    SIMT_IF (vlt(at, k->count)) {
        vstore(sums, thread, vload(k->degrees, at));
    }
    vsync();
    for (int size = 2; size <= BLOCK; size *= 2) {
        SIMT_IF (veq(vand(thread, size - 1), 0)) {
            vi32 mine = vload(sums, thread);
            vstore(sums, thread, vadd(vload(sums, vadd(thread, size / 2)), mine));
        }
        vsync();
    }
    SIMT_IF (veq(thread, 0)) {
        vstore(k->increments, BLOCK_X + 1, vload(sums, thread));
    }
    vsync();
    for (int size = BLOCK; size > 1; size /= 2) {
        SIMT_IF (veq(vand(thread, size - 1), 0)) {
            vi32 right = vvar(vadd(thread, size / 2)), all = vvar(vload(sums, thread));
            vstore(sums, thread, vsub(all, vload(sums, right)));
            vstore(sums, right, all);
        }
        vsync();
    }
    SIMT_IF (vlt(at, k->count)) {
        vstore(k->degrees, at, vload(sums, thread));
    }
}

static void assign_kernel(struct warp *w)
{
    const struct bfs_queue *k = simt_args(w);
    si32 shared = vshared_i32("sharedIncrement", 1);
    vi32 thread = vvar(vthread_x()), at = vvar(vglobal_x());
    SIMT_IF (veq(thread, 0)) {
        vstore(shared, thread, vload(k->increments, BLOCK_X));
    }
    vsync();
    SIMT_IF (vlt(at, k->count)) {
        vi32 place = vvar(vload(shared, 0));
        SIMT_IF (vgt(thread, 0)) {
            vset(place, vadd(vload(k->degrees, vsub(at, 1)), place));
        }
        vi32 u = vvar(vload(k->queue[k->from], at));
        FOR_EDGES(k, u, edge, end)
        {
            vi32 to = vvar(vload(k->adjacency, edge));
            SIMT_IF (vand(veq(vload(k->parent, to), edge), vne(to, u))) {
                vstore(k->queue[!k->from], place, to);
                vset(place, vadd(place, 1));
            }
            vset(edge, vadd(edge, 1));
        }
    }
}

static void launch(struct host *h, const struct bfs_queue *k, const char *name, void (*kernel)(struct warp *w),
                   int count, uint32_t shared)
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {blocks_for(count, BLOCK)},
                                    .block = {BLOCK},
                                    .regs = 18,
                                    .shared_bytes = shared});
}

static void search_simple(struct host *h, struct bfs_queue *k)
{
    do {
        k->changed.host[0] = 0;
        launch(h, k, "simpleBfs", simple_kernel, k->n, 0);
        k->level++;
    } while (k->changed.host[0]);
}

static void search_queue(struct host *h, struct bfs_queue *k)
{
    while (k->count) {
        k->next_size.host[0] = 0;
        launch(h, k, "queueBfs", queue_kernel, k->count, 0);
        k->count = k->next_size.host[0];
        k->from = !k->from;
        k->level++;
    }
}

static void search_scan(struct host *h, struct bfs_queue *k)
{
    while (k->count) {
        launch(h, k, "nextLayer", next_layer_kernel, k->count, 0);
        launch(h, k, "countDegrees", degrees_kernel, k->count, 0);
        launch(h, k, "scanDegrees", scan_kernel, k->count, 4 * BLOCK);
        const int blocks = (int)blocks_for(k->count, BLOCK);
        for (int i = 0; i < blocks; i++) k->increments.host[i + 1] += k->increments.host[i];
        launch(h, k, "assignVerticesNextQueue", assign_kernel, k->count, 4);
        k->count = k->increments.host[blocks];
        k->from = !k->from;
        k->level++;
    }
}

/* Edges from random ends to random ends. */
static void make_graph(struct host *h, struct bfs_queue *k, int edges)
{
    int *end = host_alloc(h, (uint64_t)edges * 2 * sizeof *end), *fill = host_alloc(h, (uint64_t)k->n * sizeof *fill);
    for (int e = 0; e < edges; e++) {
        end[2 * e] = (int)rng_below(host_rng(h), (uint64_t)k->n);
        end[2 * e + 1] = (int)rng_below(host_rng(h), (uint64_t)k->n);
        k->size.host[end[2 * e]]++;
    }
    for (int i = 1; i < k->n; i++) k->offset.host[i] = k->offset.host[i - 1] + k->size.host[i - 1];
    for (int e = 0; e < edges; e++) {
        const int u = end[2 * e];
        k->adjacency.host[k->offset.host[u] + fill[u]++] = end[2 * e + 1];
    }
    for (int i = 0; i < k->n; i++) k->distance.host[i] = k->parent.host[i] = INT_MAX;
    k->distance.host[0] = 0;
}

static void bfs_queue_host(struct host *h, void *state)
{
    static void (*const searches[])(struct host *, struct bfs_queue *) = {search_simple, search_queue, search_scan};
    struct bfs_queue *k = state;
    k->n = option(h, "n");
    const int64_t edges = (int64_t)k->n * option(h, "degree");
    if (edges > INT_MAX / 2) host_fail(h, "n: found %d, expected at most 2^30 edges in all", k->n);
    const uint64_t n = (uint64_t)k->n;
    k->adjacency = device_i32(h, "d_adjacencyList", (uint64_t)edges);
    k->offset = device_i32(h, "d_edgesOffset", n);
    k->size = device_i32(h, "d_edgesSize", n);
    k->distance = device_i32(h, "d_distance", n);
    k->parent = device_i32(h, "d_parent", n);
    k->changed = device_i32(h, "d_changed", 1);
    k->queue[0] = device_i32(h, "d_currentQueue", n);
    k->queue[1] = device_i32(h, "d_nextQueue", n);
    k->next_size = device_i32(h, "d_nextQueueSize", 1);
    k->degrees = device_i32(h, "d_degrees", n);
    k->increments = device_i32(h, "incrDegrees", blocks_for(k->n, BLOCK) + 1);
    make_graph(h, k, (int)edges);
    k->count = 1;
    searches[option(h, "variant")](h, k);
}

static bool bfs_queue_check(struct host *h, void *state, struct error *err)
{
    const struct bfs_queue *k = state;
    int32_t *distance = host_alloc(h, (uint64_t)k->n * sizeof *distance), *parent = host_alloc(h, (uint64_t)k->n * 4);
    int *queue = host_alloc(h, (uint64_t)k->n * sizeof *queue), tail = 1;
    for (int i = 0; i < k->n; i++) distance[i] = i ? INT_MAX : 0, parent[i] = INT_MAX;
    for (int head = 0; head < tail; head++) {
        const int u = queue[head], first = k->offset.host[u];
        for (int e = first; e < first + k->size.host[u]; e++) {
            const int to = k->adjacency.host[e];
            if (distance[to] == INT_MAX) distance[to] = distance[u] + 1, queue[tail++] = to;
            if (distance[to] == distance[u] + 1 && e < parent[to]) parent[to] = e;
        }
    }
    const bool any = option(h, "variant") == QUEUE; /* any edge from the level before */
    return check_i32(k->distance, distance, err) && (any || check_i32(k->parent, parent, err));
}

static const struct kernel_def bfs_queue = {
    .name = "bfs_queue",
    .summary = "breadth-first search with a queue of the level's nodes",
    .origin = "UVMBench bfs",
    .options = {{"n", "nodes", NULL, 262144, 1, 1 << 24},
                {"degree", "edges of a node on average", NULL, 4, 1, 64},
                {"variant", "how a level's nodes are found", "simple|queue|scan", SCAN, 0, 0}},
    .suites = "uvmbench",
    .tables = "Gu20 5.1",
    .small = "n=64",
    .reduced = "n=4096",
    .state_bytes = sizeof(struct bfs_queue),
    .host = bfs_queue_host,
    .check = bfs_queue_check,
};
KERNEL_REGISTER(bfs_queue)
