/* SPDX-License-Identifier: Apache-2.0 */
/* bn: learning the structure of a Bayesian network by orders of its nodes (UVMBench).  A thread for each set of up to
 * four parents counts, for each node, the rows of data in each state of the parents; then, for each order and node, a
 * thread for each set of predecessors looks up its score, and a tree in shared memory finds the best.  Binomials are in
 * a table where the original multiplies and divides, the predecessors in shared memory where it has them in local
 * memory. */
#include <math.h>

#include "program.h"

#define MOST 4 /* parents */
#define BLOCK 256
#define NONE (-1e15f)

struct bn {
    gf32 scores, log_gamma, best;
    gi32 data, binomials, before, parents;
    int nodes, rows, orders, sets;
    int node, predecessors, total, slot; /* of this launch; slot: of its first thread block in best and parents */
    int *order;
};

/* Members of the subset number `id` of 1..n, by size, then in lexical order; -1 past the size. */
struct subset {
    vi32 size, member[MOST];
};

static vi32 binomial(struct warp *w, const struct bn *k, vi32 n, vi32 m)
{
    return vload(k->binomials, vmad(n, MOST + 1, m));
}

static struct subset subset_of(struct warp *w, const struct bn *k, vi32 id, int n)
{
    struct subset s = {.size = vvar(0)};
    for (int i = 0; i < MOST; i++) s.member[i] = vvar(-1);
    vi32 rank = vvar(id), count = vvar(1), last = vvar(0), rest = vvar(0);
    SIMT_IF (vgt(rank, 0)) {
        vset(s.size, 1);
        vset(count, n);
        SIMT_WHILE (vgt(rank, count)) {
            vset(rank, vsub(rank, count));
            vset(s.size, vadd(s.size, 1));
            vset(count, vload(k->binomials, vadd(s.size, n * (MOST + 1))));
        }
    }
    for (int i = 0; i < MOST; i++) {
        SIMT_IF (vgt(s.size, i)) {
            vset(rest, vsub(s.size, i + 1));
            vset(last, vadd(last, 1));
            vset(count, binomial(w, k, vsub(V(n), last), rest));
            SIMT_WHILE (vgt(rank, count)) {
                vset(rank, vsub(rank, count));
                vset(last, vadd(last, 1));
                vset(count, binomial(w, k, vsub(V(n), last), rest));
            }
            vset(s.member[i], last);
        }
    }
    return s;
}

/* Adds 1 to the count of the node's value if the row's parents are in this state. */
static void count_row(struct warp *w, const struct bn *k, const struct subset *s, vi32 state, vi32 first, int node,
                      vi32 *zeros, vi32 *ones)
{
    vi32 same = vvar(1);
    for (int i = 0; i < MOST; i++) {
        SIMT_IF (vand(vgt(s->size, i), vne(same, 0))) {
            vi32 value = vload(k->data, vadd(first, s->member[i]));
            SIMT_IF (vne(value, vand(vshr(state, i), 1))) {
                vset(same, 0);
            }
        }
    }
    SIMT_IF (vne(same, 0)) {
        vi32 value = vvar(vload(k->data, vadd(first, node)));
        vset(*ones, vadd(*ones, value));
        vset(*zeros, vadd(vsub(*zeros, value), 1));
    }
}

static void score_node(struct warp *w, const struct bn *k, const struct subset *s, vi32 id, int node)
{
    vi32 state = vvar(0), states = vvar(vshl(V(1), s->size));
    vi32 at = vvar(vadd(id, node * k->sets));
    SIMT_WHILE (vlt(state, states)) {
        vi32 zeros = vvar(0), ones = vvar(0), first = vvar(0);
        SIMT_WHILE (vlt(first, k->rows * k->nodes)) {
            count_row(w, k, s, state, first, node, &zeros, &ones);
            vset(first, vadd(first, k->nodes));
        }
        vf32 score = vvar(vload(k->log_gamma, zeros));
        vset(score, vadd(score, vload(k->log_gamma, ones)));
        vset(score, vsub(score, vload(k->log_gamma, vadd(vadd(zeros, ones), 1))));
        vset(score, vadd(score, vload(k->log_gamma, 1)));
        vstore(k->scores, at, vadd(vload(k->scores, at), score));
        vset(state, vadd(state, 1));
    }
}

static void gen_score_kernel(struct warp *w)
{
    const struct bn *k = simt_args(w);
    vi32 id = vvar(vglobal_x());
    SIMT_IF (vlt(id, k->sets)) {
        struct subset s = subset_of(w, k, id, k->nodes - 1), parents = {.size = s.size};
        for (int i = 0; i < MOST; i++) parents.member[i] = vvar(-1);
        vi32 once = vvar(0);
        for (int node = 0; node < k->nodes; node++) {
            vset(once, 1);
            SIMT_WHILE (vne(once, 0)) {          /* ends the variables of a node */
                for (int i = 0; i < MOST; i++) { /* past the node itself, the others' numbers are one more */
                    vi32 other = vvar(vsub(s.member[i], 1));
                    vset(parents.member[i], vselect(vge(other, node), vadd(other, 1), other));
                }
                score_node(w, k, &parents, id, node);
                vset(once, 0);
            }
        }
    }
}

/* Numbers of the predecessors, in ascending order from element 1 on. */
static void list_predecessors(struct warp *w, const struct bn *k, si32 list, vi32 thread)
{
    SIMT_IF (veq(thread, 0)) {
        vi32 i = vvar(0), n = vvar(1);
        SIMT_WHILE (vlt(i, k->nodes)) {
            SIMT_IF (vne(vload(k->before, i), 0)) {
                vstore(list, n, i);
                vset(n, vadd(n, 1));
            }
            vset(i, vadd(i, 1));
        }
    }
    vsync();
}

/* The number of a subset of 1..n: the inverse of subset_of(). */
static vi32 number_of(struct warp *w, const struct bn *k, const struct subset *s, int n)
{
    vi32 number = vvar(0), i = vvar(1), last = vvar(0), rest = vvar(0);
    SIMT_IF (vgt(s->size, 0)) {
        vset(number, 1);
        SIMT_WHILE (vlt(i, s->size)) {
            vset(number, vadd(number, vload(k->binomials, vadd(i, n * (MOST + 1)))));
            vset(i, vadd(i, 1));
        }
    }
    for (int m = 0; m < MOST; m++) {
        SIMT_IF (vgt(s->size, m)) {
            vset(rest, vsub(s->size, m + 1));
            vset(last, vadd(last, 1));
            SIMT_WHILE (vlt(last, s->member[m])) {
                vset(number, vadd(number, binomial(w, k, vsub(V(n), last), rest)));
                vset(last, vadd(last, 1));
            }
        }
    }
    return number;
}

static void best_of_block(struct warp *w, const struct bn *k, sf32 scores, si32 threads, vi32 thread)
{
    for (int stride = BLOCK / 2; stride; stride /= 2) {
        vsync();
        SIMT_IF (vlt(thread, stride)) {
            vi32 at = vvar(vadd(thread, stride));
            vf32 other = vvar(vload(scores, at));
            SIMT_IF (vgt(other, vload(scores, thread))) {
                vstore(scores, thread, other);
                vstore(threads, thread, vload(threads, at));
            }
        }
    }
    vsync();
    SIMT_IF (veq(thread, 0)) {
        vstore(k->best, k->slot + BLOCK_X, vload(scores, 0));
    }
}

static void compute_kernel(struct warp *w)
{
    const struct bn *k = simt_args(w);
    sf32 scores = vshared_f32("lsinblock", BLOCK);
    si32 threads = vshared_i32("threads", BLOCK), list = vshared_i32("pre", (uint32_t)k->nodes + 1);
    vi32 thread = vvar(vthread_x()), id = vvar(vglobal_x());
    list_predecessors(w, k, list, thread);
    vf32 score = vvar(NONE);
    vi32 mine[MOST];
    for (int i = 0; i < MOST; i++) mine[i] = vvar(-1);
    SIMT_IF (vlt(id, k->total)) {
        struct subset s = subset_of(w, k, id, k->predecessors);
        for (int i = 0; i < MOST; i++) {
            SIMT_IF (vgt(s.size, i)) {
                vset(s.member[i], vload(list, s.member[i]));
                vset(mine[i], s.member[i]);
                SIMT_IF (vlt(s.member[i], k->node)) {
                    vset(s.member[i], vadd(s.member[i], 1));
                }
            }
        }
        vi32 number = number_of(w, k, &s, k->nodes - 1);
        vset(score, vload(k->scores, vadd(number, k->sets * k->node)));
    }
    vstore(scores, thread, score);
    vstore(threads, thread, thread);
    best_of_block(w, k, scores, threads, thread);
    SIMT_IF (veq(vload(threads, 0), thread)) {
        for (int i = 0; i < MOST; i++) vstore(k->parents, (k->slot + BLOCK_X) * MOST + i, mine[i]);
    }
}

static int choose(int n, int m)
{
    return m < 0 || m > n ? 0 : m == 0 ? 1 : (int)((int64_t)choose(n - 1, m - 1) * n / m);
}

static int subsets(int n)
{
    int sum = 0;
    for (int m = 0; m <= MOST; m++) sum += choose(n, m);
    return sum;
}

static void make_inputs(struct host *h, struct bn *k)
{
    struct rng *r = host_rng(h);
    for (int n = 0; n <= k->nodes; n++)
        for (int m = 0; m <= MOST; m++) k->binomials.host[n * (MOST + 1) + m] = choose(n, m);
    for (int i = 2; i < k->rows + 2; i++) k->log_gamma.host[i] = k->log_gamma.host[i - 1] + log10f((float)i);
    for (int row = 0; row < k->rows; row++)
        for (int i = 0; i < k->nodes; i++) { /* a node follows the one before it two times of three */
            const int32_t *last = &k->data.host[row * k->nodes + i - 1];
            k->data.host[row * k->nodes + i] = i && rng_below(r, 3) ? *last : (int32_t)rng_below(r, 2);
        }
    for (int o = 0; o < k->orders; o++) {
        int *order = k->order + o * k->nodes;
        for (int i = 0; i < k->nodes; i++) order[i] = i;
        for (int i = k->nodes - 1; i > 0; i--) {
            const int other = (int)rng_below(r, (uint64_t)i + 1), mine = order[i];
            order[i] = order[other], order[other] = mine;
        }
    }
}

static int blocks_of(int predecessors)
{
    return (int)blocks_for(subsets(predecessors), BLOCK);
}

static void score_order(struct host *h, struct bn *k, const int *order)
{
    memset(k->before.host, 0, (size_t)k->nodes * sizeof(int32_t));
    for (int i = 0; i < k->nodes; i++) {
        k->node = order[i];
        k->predecessors = i;
        k->total = subsets(i);
        simt_launch(h, &(struct launch){.name = "computeKernel",
                                        .kernel = compute_kernel,
                                        .args = k,
                                        .grid = {(uint32_t)blocks_of(i)},
                                        .block = {BLOCK},
                                        .regs = 40,
                                        .shared_bytes = 8 * BLOCK + 4 * (uint32_t)(k->nodes + 1)});
        k->slot += blocks_of(i);
        k->before.host[k->node] = 1;
    }
}

static void bn_host(struct host *h, void *state)
{
    struct bn *k = state;
    k->nodes = option(h, "nodes");
    k->rows = option(h, "rows");
    k->orders = option(h, "orders");
    k->sets = subsets(k->nodes - 1);
    const uint64_t nodes = (uint64_t)k->nodes, rows = (uint64_t)k->rows;
    uint64_t slots = 0;
    for (int i = 0; i < k->nodes; i++) slots += (uint64_t)blocks_of(i) * (uint64_t)k->orders;
    k->scores = device_f32_2d(h, "D_localscore", nodes, (uint64_t)k->sets);
    k->data = device_i32_2d(h, "D_data", rows, nodes);
    k->log_gamma = device_f32(h, "D_LG", rows + 2);
    k->binomials = device_i32_2d(h, "binomials", nodes + 1, MOST + 1);
    k->before = device_i32(h, "D_parent", nodes);
    k->best = device_f32(h, "D_Score", slots);
    k->parents = device_i32(h, "D_resP", slots * MOST);
    k->order = host_alloc(h, nodes * (uint64_t)k->orders * sizeof *k->order);
    make_inputs(h, k);
    line_launch(h, "genScoreKernel", gen_score_kernel, k, k->sets, BLOCK, 48);
    for (int o = 0; o < k->orders; o++) score_order(h, k, k->order + o * k->nodes);
}

/* ---- Plain C: sets are enumerated, not numbered. ---- */

static float set_score(const struct bn *k, int node, const int *parent, int size)
{
    float sum = 0;
    for (int state = 0; state < 1 << size; state++) {
        int count[2] = {0};
        for (const int32_t *row = k->data.host; row < k->data.host + k->rows * k->nodes; row += k->nodes) {
            bool same = true;
            for (int i = 0; i < size; i++) same &= row[parent[i]] == (state >> i & 1);
            if (same) count[row[node]]++;
        }
        const float *lg = k->log_gamma.host;
        sum += lg[count[0]] + lg[count[1]] - lg[count[0] + count[1] + 1] + lg[1];
    }
    return sum;
}

/* Scores all sets of `size` of the `n` candidates from `from` on, beside the members chosen already. */
struct walk {
    const struct bn *k;
    const int *candidate;
    int node, n, set[MOST], at;
    float *scores;
    int32_t *sets;
};

static void walk(struct walk *e, int from, int chosen, int size)
{
    if (chosen == size) {
        e->scores[e->at] = set_score(e->k, e->node, e->set, size);
        for (int i = 0; i < MOST; i++) e->sets[e->at * MOST + i] = i < size ? e->set[i] : -1;
        e->at++;
        return;
    }
    for (int i = from; i < e->n; i++) {
        e->set[chosen] = e->candidate[i];
        walk(e, i + 1, chosen + 1, size);
    }
}

/* All sets of up to four of the nodes with a mark; returns how many. */
static int walk_all(struct walk *e, const bool *marked, int *candidate)
{
    e->candidate = candidate;
    e->n = e->at = 0;
    for (int i = 0; i < e->k->nodes; i++)
        if (marked[i]) candidate[e->n++] = i;
    for (int size = 0; size <= MOST; size++) walk(e, 0, 0, size);
    return e->at;
}

/* The best of a thread block's sets, by the tree that the threads walk. */
static int best_set(const float *scores, int from, int total)
{
    int at[BLOCK];
    for (int i = 0; i < BLOCK; i++) at[i] = from + i < total ? from + i : -1;
    for (int stride = BLOCK / 2; stride; stride /= 2)
        for (int i = 0; i < stride; i++)
            if (at[i + stride] >= 0 && (at[i] < 0 || scores[at[i + stride]] > scores[at[i]])) at[i] = at[i + stride];
    return at[0];
}

static bool bn_check(struct host *h, void *state, struct error *err)
{
    const struct bn *k = state;
    float *scores = host_alloc(h, k->scores.array->count * sizeof *scores);
    float *best = host_alloc(h, k->best.array->count * sizeof *best);
    int32_t *parents = host_alloc(h, k->parents.array->count * sizeof *parents);
    bool *marked = host_alloc(h, (uint64_t)k->nodes * sizeof *marked);
    int *candidate = host_alloc(h, (uint64_t)k->nodes * sizeof *candidate), slot = 0;
    struct walk e = {.k = k, .scores = host_alloc(h, (uint64_t)k->sets * sizeof(float))};
    e.sets = host_alloc(h, (uint64_t)k->sets * MOST * sizeof(int32_t));
    for (e.node = 0; e.node < k->nodes; e.node++) {
        for (int i = 0; i < k->nodes; i++) marked[i] = i != e.node;
        walk_all(&e, marked, candidate);
        memcpy(scores + e.node * k->sets, e.scores, (size_t)k->sets * sizeof *scores);
    }
    for (int o = 0; o < k->orders; o++) {
        memset(marked, 0, (size_t)k->nodes * sizeof *marked);
        for (int i = 0; i < k->nodes; i++) {
            e.node = k->order[o * k->nodes + i];
            const int total = walk_all(&e, marked, candidate);
            for (int from = 0; from < total; from += BLOCK, slot++) {
                const int at = best_set(e.scores, from, total);
                best[slot] = e.scores[at];
                memcpy(parents + slot * MOST, e.sets + at * MOST, MOST * sizeof *parents);
            }
            marked[e.node] = true;
        }
    }
    return check_f32(k->scores, scores, 0, err) && check_f32(k->best, best, 0, err) &&
           check_i32(k->parents, parents, err);
}

static const struct kernel_def bn = {
    .name = "bn",
    .summary = "structure of a Bayesian network: scores of all sets of four parents, then the best for an order",
    .origin = "UVMBench BN",
    .options = {{"nodes", "of the network", NULL, 12, 2, 64},
                {"rows", "of data", NULL, 100, 1, 10000},
                {"orders", "of the nodes, scored one after the other", NULL, 2, 1, 1000}},
    .suites = "uvmbench",
    .tables = "Gu20 5.1",
    .small = "nodes=5,rows=9,orders=1",
    .reduced = "nodes=7,rows=50,orders=1",
    .state_bytes = sizeof(struct bn),
    .host = bn_host,
    .check = bn_check,
};
KERNEL_REGISTER(bn)
