/* SPDX-License-Identifier: Apache-2.0 */
/* btree: searches in a B+ tree (Rodinia b+tree).  A thread block per query, a thread per key of a node: at each level
 * the one thread whose key and next key enclose the query stores the child.  The first kernel finds both ends of
 * ranges, the second one single keys. */
#include <limits.h>
#include <string.h>

#include "trace/kernels.h"

struct btree {
    gi32 nodes, records;
    /* Node numbers have eight bytes, as in the original. */
    graw first, next_first, last, next_last, current, next;
    gi32 start, end, range_start, range_length;
    gi32 key, answer;
    int order, height, node_count, record_count, queries, ranges; /* height: levels above the leaves */
};

/* Words of a node: its number, `order` + 1 indices, `order` + 1 keys, whether it is a leaf, its number of keys. */
#define INDICES 1
static int keys_at(const struct btree *k)
{
    return INDICES + k->order + 1;
}

static int node_words(const struct btree *k)
{
    return keys_at(k) + k->order + 1 + 2;
}

/* The thread's word of the query's node, without the offset of indices or keys. */
static vi32 word_of(struct warp *w, const struct btree *k, graw node, vi32 thread)
{
    return vmad(vpart_i32(vload_part(node, BLOCK_X, 0, 8)), node_words(k), thread);
}

static vpart widened(vi32 x)
{
    vpart wide = {.r = x.r};
    for (int l = 0; l < WARP_SIZE; l++) memcpy(wide.lane[l], &x.lane[l], sizeof x.lane[l]);
    return wide;
}

static void find_child(struct warp *w, const struct btree *k, graw node, graw next, gi32 query, vi32 thread)
{
    vi32 at = vvar(word_of(w, k, node, thread)), wanted = vvar(vload(query, BLOCK_X));
    SIMT_IF (vle(vload(k->nodes, vadd(at, keys_at(k))), wanted)) {
        SIMT_IF (vgt(vload(k->nodes, vadd(at, keys_at(k) + 1)), wanted)) {
            vi32 child = vvar(vload(k->nodes, vadd(at, INDICES)));
            SIMT_IF (vlt(child, k->node_count)) {
                vpart number = widened(child);
                vstore_part(next, BLOCK_X, 0, 8, number);
            }
        }
    }
}

static void advance(struct warp *w, graw node, graw next)
{
    vpart number = vload_part(next, BLOCK_X, 0, 8);
    vstore_part(node, BLOCK_X, 0, 8, number);
}

static void find_key_kernel(struct warp *w)
{
    const struct btree *k = simt_args(w);
    vi32 thread = vvar(vthread_x()), level = vvar(0);
    SIMT_WHILE (vlt(level, k->height)) {
        find_child(w, k, k->current, k->next, k->key, thread);
        vsync();
        SIMT_IF (veq(thread, 0)) {
            advance(w, k->current, k->next);
        }
        vsync();
        vset(level, vadd(level, 1));
    }
    vi32 at = vvar(word_of(w, k, k->current, thread)), wanted = vvar(vload(k->key, BLOCK_X));
    SIMT_IF (veq(vload(k->nodes, vadd(at, keys_at(k))), wanted)) {
        vi32 record = vvar(vload(k->nodes, vadd(at, INDICES)));
        vstore(k->answer, BLOCK_X, vload(k->records, record));
    }
}

static void find_range_kernel(struct warp *w)
{
    const struct btree *k = simt_args(w);
    vi32 thread = vvar(vthread_x()), level = vvar(0);
    SIMT_WHILE (vlt(level, k->height)) {
        find_child(w, k, k->first, k->next_first, k->start, thread);
        find_child(w, k, k->last, k->next_last, k->end, thread);
        vsync();
        SIMT_IF (veq(thread, 0)) {
            advance(w, k->first, k->next_first);
            advance(w, k->last, k->next_last);
        }
        vsync();
        vset(level, vadd(level, 1));
    }
    vi32 at = vvar(word_of(w, k, k->first, thread)), wanted = vvar(vload(k->start, BLOCK_X));
    SIMT_IF (veq(vload(k->nodes, vadd(at, keys_at(k))), wanted)) {
        vstore(k->range_start, BLOCK_X, vload(k->nodes, vadd(at, INDICES)));
    }
    vsync();
    vset(at, word_of(w, k, k->last, thread));
    vset(wanted, vload(k->end, BLOCK_X));
    SIMT_IF (veq(vload(k->nodes, vadd(at, keys_at(k))), wanted)) {
        vi32 last = vvar(vload(k->nodes, vadd(at, INDICES)));
        vstore(k->range_length, BLOCK_X, vadd(vsub(last, vload(k->range_start, BLOCK_X)), 1));
    }
}

/* ---- The tree: keys 0, 1, 2, ..., inserted in this order, so that all nodes but the last of a level were split and
 * are half full.  Level 0 is the leaves; nodes are numbered from the root, level by level. ---- */

#define MAX_LEVELS 24

struct level {
    int nodes, entries, half; /* entries: keys of the leaves, or children; half: those of a node that was split */
    int first_node, keys;     /* keys: those under a node, but for the last */
};

static struct level make_level(int entries, int most, int keys_of_entry)
{
    struct level l = {.nodes = 1, .entries = entries, .half = (most + 1) / 2, .keys = keys_of_entry};
    for (int left = entries; left > most; left -= l.half) l.nodes++;
    l.keys *= l.half;
    return l;
}

/* A leaf has at most order - 1 keys, another node order children. */
static int make_levels(struct btree *k, struct level level[MAX_LEVELS])
{
    int n = 0;
    level[n++] = make_level(k->record_count, k->order - 1, 1);
    while (level[n - 1].nodes > 1) {
        level[n] = make_level(level[n - 1].nodes, k->order, level[n - 1].keys);
        n++;
    }
    for (int i = n - 1; i >= 0; i--) {
        level[i].first_node = k->node_count;
        k->node_count += level[i].nodes;
    }
    return n;
}

/* The first key of an inner node is below all queries, and the keys after the last are above them.  A leaf's keys begin
 * at its second. */
static void make_node(const struct btree *k, const struct level *level, int depth, int i)
{
    const struct level *l = &level[depth];
    int number = l->first_node + i, first = i * l->half;
    int entries = i + 1 < l->nodes ? l->half : l->entries - first, skip = depth ? 0 : 1;
    int32_t *node = k->nodes.host + (int64_t)number * node_words(k), *index = node + INDICES, *key = node + keys_at(k);
    node[0] = number;
    node[node_words(k) - 2] = depth == 0;
    node[node_words(k) - 1] = entries + 1 + skip;
    for (int e = 0; e <= k->order; e++) key[e] = INT_MAX;
    for (int e = 0; e < entries; e++) {
        index[e + skip] = depth ? level[depth - 1].first_node + first + e : first + e;
        key[e + skip] = (first + e) * (depth ? level[depth - 1].keys : 1);
    }
    key[0] = INT_MIN;
}

static void make_tree(struct host *h, struct btree *k)
{
    struct level level[MAX_LEVELS];
    int levels = make_levels(k, level);
    k->height = levels - 1;
    k->nodes = device_i32(h, "knodesD", (uint64_t)k->node_count * (uint64_t)node_words(k));
    k->records = device_i32(h, "recordsD", (uint64_t)k->record_count);
    for (int depth = 0; depth < levels; depth++) {
        for (int i = 0; i < level[depth].nodes; i++) make_node(k, level, depth, i);
    }
    for (int i = 0; i < k->record_count; i++) k->records.host[i] = (int32_t)rng_u64(host_rng(h));
}

static void make_queries(struct host *h, struct btree *k, int length)
{
    uint64_t queries = (uint64_t)k->queries, ranges = (uint64_t)k->ranges, n = (uint64_t)k->record_count;
    k->first = device_raw(h, "currKnodeD", ranges, 8);
    k->next_first = device_raw(h, "offsetD", ranges, 8);
    k->last = device_raw(h, "lastKnodeD", ranges, 8);
    k->next_last = device_raw(h, "offset_2D", ranges, 8);
    k->start = device_i32(h, "startD", ranges);
    k->end = device_i32(h, "endD", ranges);
    k->range_start = device_i32(h, "RecstartD", ranges);
    k->range_length = device_i32(h, "ReclenD", ranges);
    k->current = device_raw(h, "currKnodeD_k", queries, 8);
    k->next = device_raw(h, "offsetD_k", queries, 8);
    k->key = device_i32(h, "keysD", queries);
    k->answer = device_i32(h, "ansD", queries);
    for (int i = 0; i < k->ranges; i++) {
        int start = (int)rng_below(host_rng(h), n), past = start + length - (k->record_count - 1);
        k->start.host[i] = past > 0 ? start - past : start; /* moved down, as in the original */
        k->end.host[i] = k->start.host[i] + length;
    }
    for (int i = 0; i < k->queries; i++) k->key.host[i] = (int32_t)rng_below(host_rng(h), n);
}

static void launch(struct host *h, struct btree *k, const char *name, void (*kernel)(struct warp *w), int blocks,
                   uint32_t regs)
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {(uint32_t)blocks},
                                    .block = {(uint32_t)k->order},
                                    .regs = regs});
}

static void btree_host(struct host *h, void *state)
{
    struct btree *k = state;
    k->record_count = option(h, "records");
    k->queries = option(h, "queries");
    k->ranges = option(h, "ranges");
    k->order = option(h, "order");
    int length = option(h, "length");
    if (length >= k->record_count)
        host_fail(h, "length: found %d, expected less than the records, %d", length, k->record_count);
    make_tree(h, k);
    make_queries(h, k, length);
    launch(h, k, "findRangeK", find_range_kernel, k->ranges, 26);
    launch(h, k, "findK", find_key_kernel, k->queries, 22);
}

/* Without the tree: record i has key i. */
static bool btree_check(struct host *h, void *state, struct error *err)
{
    const struct btree *k = state;
    int32_t *length = host_alloc(h, (uint64_t)k->ranges * sizeof *length),
            *answer = host_alloc(h, (uint64_t)k->queries * sizeof *answer);
    for (int i = 0; i < k->ranges; i++) length[i] = k->end.host[i] - k->start.host[i] + 1;
    for (int i = 0; i < k->queries; i++) answer[i] = k->records.host[k->key.host[i]];
    return check_i32(k->range_start, k->start.host, err) && check_i32(k->range_length, length, err) &&
           check_i32(k->answer, answer, err);
}

static const struct kernel_def btree = {
    .name = "btree",
    .summary = "searches in a B+ tree, a thread block per query",
    .origin = "Rodinia b+tree",
    .options = {{"records", "keys of the tree", NULL, 1000000, 1, 1 << 24},
                {"queries", "single keys", NULL, 10000, 1, 1 << 20},
                {"ranges", "ranges of keys", NULL, 6000, 1, 1 << 20},
                {"length", "of a range: last key less first", NULL, 3000, 0, 1 << 24},
                {"order", "children of a node, and threads of a thread block", NULL, 256, 4, 1024}},
    .suites = "rodinia",
    .tables = "Gu20 2.3, 3.1",
    .small = "records=50,queries=5,ranges=4,length=9,order=8",
    .reduced = "records=10000,queries=100,ranges=60,length=300",
    .state_bytes = sizeof(struct btree),
    .host = btree_host,
    .check = btree_check,
};
KERNEL_REGISTER(btree)
