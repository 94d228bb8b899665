/* SPDX-License-Identifier: Apache-2.0 */
/* bfs: breadth-first search, level by level, two kernels a level (Rodinia).  The graph is R-MAT (power-law degrees) or
 * a grid; either way neighbours are scattered over memory and the host looks at a flag after each level. */
#include "trace/kernels.h"

struct bfs {
    gi32 node; /* first edge and number of edges of each */
    gi32 edge, cost;
    gu8 mask, updating, visited, over;
    int n, source;
};

static void frontier_kernel(struct warp *w)
{
    const struct bfs *k = simt_args(w);
    vi32 node = vvar(vglobal_x());
    SIMT_IF (vlt(node, k->n)) {
        SIMT_IF (vne(vload(k->mask, node), 0u)) {
            vstore(k->mask, node, 0u);
            vi32 entry = vvar(vshl(node, 1));
            vi32 i = vvar(vload(k->node, entry));
            vi32 end = vvar(vadd(vload(k->node, vadd(entry, 1)), i));
            SIMT_WHILE (vlt(i, end)) {
                vi32 neighbour = vvar(vload(k->edge, i));
                SIMT_IF (veq(vload(k->visited, neighbour), 0u)) {
                    vstore(k->cost, neighbour, vadd(vload(k->cost, node), 1));
                    vstore(k->updating, neighbour, 1u);
                }
                vset(i, vadd(i, 1));
            }
        }
    }
}

static void update_kernel(struct warp *w)
{
    const struct bfs *k = simt_args(w);
    vi32 node = vvar(vglobal_x());
    SIMT_IF (vlt(node, k->n)) {
        SIMT_IF (vne(vload(k->updating, node), 0u)) {
            vstore(k->mask, node, 1u);
            vstore(k->visited, node, 1u);
            vstore(k->over, 0, 1u);
            vstore(k->updating, node, 0u);
        }
    }
}

/* ---- Graphs: pairs of nodes, then both directions in the form above. ---- */

struct pairs {
    int *from, *to;
    uint64_t count;
};

/* One edge of an R-MAT graph with the usual probabilities 0.57, 0.19, 0.19, 0.05; nodes beyond n are drawn again. */
static void rmat_edge(struct rng *r, int n, int *from, int *to)
{
    do {
        *from = *to = 0;
        for (int size = 1; size < n; size *= 2) {
            double u = rng_unit(r);
            *from = *from * 2 + (u >= 0.76);
            *to = *to * 2 + ((u >= 0.57 && u < 0.76) || u >= 0.95);
        }
    } while (*from >= n || *to >= n);
}

static int *shuffled(struct host *h, int n)
{
    int *label = host_alloc(h, (uint64_t)n * sizeof *label);
    for (int i = 0; i < n; i++) {
        int k = (int)rng_below(host_rng(h), (uint64_t)i + 1);
        label[i] = label[k];
        label[k] = i;
    }
    return label;
}

static struct pairs new_pairs(struct host *h, uint64_t room)
{
    return (struct pairs){host_alloc(h, room * sizeof(int)), host_alloc(h, room * sizeof(int)), 0};
}

static void add_pair(struct pairs *p, int from, int to)
{
    p->from[p->count] = from;
    p->to[p->count++] = to;
}

static struct pairs rmat(struct host *h, int n, int degree)
{
    uint64_t count = (uint64_t)n * (uint64_t)degree / 2;
    struct pairs p = new_pairs(h, count);
    const int *label = shuffled(h, n); /* else all the large nodes are neighbours in memory */
    for (uint64_t i = 0; i < count; i++) {
        int from, to;
        rmat_edge(host_rng(h), n, &from, &to);
        add_pair(&p, label[from], label[to]);
    }
    return p;
}

static struct pairs grid(struct host *h, int n)
{
    int width = 1;
    while (width * width < n) width++;
    struct pairs p = new_pairs(h, 2 * (uint64_t)n);
    for (int i = 0; i < n; i++) {
        if (i % width + 1 < width && i + 1 < n) add_pair(&p, i, i + 1);
        if (i + width < n) add_pair(&p, i, i + width);
    }
    return p;
}

static void make_graph(struct host *h, struct bfs *k, const struct pairs *p)
{
    if (p->count > INT32_MAX / 2 - 1)
        host_fail(h, "found %llu edges, expected less than 2^31", (unsigned long long)p->count * 2);
    k->node = device_i32(h, "nodes", 2 * (uint64_t)k->n);
    k->edge = device_i32(h, "edges", 2 * p->count + 1);
    int32_t *node = k->node.host;
    for (uint64_t i = 0; i < p->count; i++) node[2 * p->from[i] + 1]++, node[2 * p->to[i] + 1]++;
    for (int i = 1; i < k->n; i++) node[2 * i] = node[2 * i - 2] + node[2 * i - 1];
    int *next = host_alloc(h, (uint64_t)k->n * sizeof *next);
    for (int i = 0; i < k->n; i++) next[i] = node[2 * i];
    for (uint64_t i = 0; i < p->count; i++) {
        k->edge.host[next[p->from[i]]++] = p->to[i];
        k->edge.host[next[p->to[i]]++] = p->from[i];
    }
}

static int best_connected(const struct bfs *k)
{
    int best = 0;
    for (int i = 1; i < k->n; i++) {
        if (k->node.host[2 * i + 1] > k->node.host[2 * best + 1]) best = i;
    }
    return best;
}

enum { RMAT, GRID };

static void launch(struct host *h, struct bfs *k, const char *name, void (*kernel)(struct warp *w))
{
    int block = option(h, "block");
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {blocks_for(k->n, block)},
                                    .block = {(uint32_t)block},
                                    .regs = 14});
}

static void bfs_host(struct host *h, void *state)
{
    struct bfs *k = state;
    k->n = option(h, "n");
    bool power_law = option(h, "graph") == RMAT;
    struct pairs p = power_law ? rmat(h, k->n, option(h, "degree")) : grid(h, k->n);
    make_graph(h, k, &p);
    k->source = power_law ? best_connected(k) : 0;
    k->mask = device_u8(h, "graph_mask", (uint64_t)k->n);
    k->updating = device_u8(h, "updating_mask", (uint64_t)k->n);
    k->visited = device_u8(h, "visited", (uint64_t)k->n);
    k->cost = device_i32(h, "cost", (uint64_t)k->n);
    k->over = device_u8(h, "over", 1);
    for (int i = 0; i < k->n; i++) k->cost.host[i] = i == k->source ? 0 : -1;
    k->mask.host[k->source] = k->visited.host[k->source] = 1;
    do {
        k->over.host[0] = 0;
        launch(h, k, "Kernel", frontier_kernel);
        launch(h, k, "Kernel2", update_kernel);
    } while (k->over.host[0]);
}

static bool bfs_check(struct host *h, void *state, struct error *err)
{
    const struct bfs *k = state;
    int32_t *cost = host_alloc(h, (uint64_t)k->n * sizeof *cost),
            *queue = host_alloc(h, (uint64_t)k->n * sizeof *queue);
    for (int i = 0; i < k->n; i++) cost[i] = -1;
    int head = 0, tail = 0;
    cost[k->source] = 0;
    queue[tail++] = k->source;
    while (head < tail) {
        int node = queue[head++], first = k->node.host[2 * node];
        for (int i = first; i < first + k->node.host[2 * node + 1]; i++) {
            int to = k->edge.host[i];
            if (cost[to] >= 0) continue;
            cost[to] = cost[node] + 1;
            queue[tail++] = to;
        }
    }
    return check_i32(k->cost, cost, err);
}

static const struct kernel_def bfs = {
    .name = "bfs",
    .summary = "breadth-first search over a power-law graph or a grid",
    .origin = "Rodinia bfs",
    .options = {{"n", "nodes", NULL, 32768, 1, 1 << 26},
                {"degree", "neighbours of a node, on average (rmat)", NULL, 12, 2, 256},
                {"graph", "R-MAT, or a square grid", "rmat|grid", RMAT, 0, 0},
                {"block", "threads of a thread block", NULL, 128, 1, 1024}},
    .suites = "rodinia",
    .tables = "Gu20 2.3, 3.1",
    .small = "n=64",
    .reduced = "n=2048",
    .state_bytes = sizeof(struct bfs),
    .host = bfs_host,
    .check = bfs_check,
};
KERNEL_REGISTER(bfs)
