/* SPDX-License-Identifier: Apache-2.0 */
/* bh's tree, built by the host: a cell with several bodies has a child for each octant with any, which is a body or a
 * cell.  Bodies are nodes 0, 1, ...; cells are numbered downwards from the root, level by level. */
#ifndef MEMTWIN_OCTREE_H
#define MEMTWIN_OCTREE_H
#include <string.h>

#include "trace/kernels.h"

#define OCTREE_LEVELS 32

struct octree {
    int bodies, root;
    float *position[3];                                    /* of each node; of cells, only the root's is used */
    int32_t *child;                                        /* eight a node; no child: -1 */
    int levels, first[OCTREE_LEVELS], past[OCTREE_LEVELS]; /* the cells of each level; the root is the first level */
};

struct octree_cell {
    float center[3];
    int first, past; /* its bodies in `order` */
};

struct octree_builder {
    struct octree_cell *cells; /* from the root on */
    int *order, *scratch;
    int last; /* number of the last cell */
};

static inline int octree_octant(const struct octree *t, const struct octree_cell *c, int body)
{
    int octant = 0;
    for (int d = 0; d < 3; d++) octant |= (c->center[d] < t->position[d][body]) << d;
    return octant;
}

/* Sorts the cell's bodies by octant; `ends`: where each octant's end. */
static inline void octree_split(const struct octree *t, struct octree_builder *b, const struct octree_cell *c,
                                int ends[8])
{
    int at = c->first;
    for (int octant = 0; octant < 8; octant++) {
        for (int i = c->first; i < c->past; i++) {
            if (octree_octant(t, c, b->order[i]) == octant) b->scratch[at++] = b->order[i];
        }
        ends[octant] = at;
    }
    memcpy(b->order + c->first, b->scratch + c->first, (size_t)(c->past - c->first) * sizeof *b->order);
}

/* `half`: half a child's width. */
static inline void octree_divide(struct host *h, struct octree *t, struct octree_builder *b, int cell, float half)
{
    struct octree_cell c = b->cells[t->root - cell];
    int ends[8], first = c.first;
    octree_split(t, b, &c, ends);
    for (int o = 0; o < 8; first = ends[o++]) {
        int bodies = ends[o] - first;
        t->child[cell * 8 + o] = bodies == 1 ? b->order[first] : -1;
        if (bodies < 2) continue;
        if (b->last == t->bodies) host_fail(h, "the tree has more than %d cells", t->root - t->bodies + 1);
        t->child[cell * 8 + o] = --b->last;
        struct octree_cell *n = &b->cells[t->root - b->last];
        *n = (struct octree_cell){.first = first, .past = ends[o]};
        for (int d = 0; d < 3; d++) n->center[d] = c.center[d] + (o >> d & 1 ? half : -half);
    }
}

/* `radius`: half the root's width. */
static inline void octree_build(struct host *h, struct octree *t, float radius)
{
    struct octree_builder b = {host_alloc(h, (uint64_t)(t->root - t->bodies + 1) * sizeof *b.cells),
                               host_alloc(h, (uint64_t)t->bodies * sizeof(int)),
                               host_alloc(h, (uint64_t)t->bodies * sizeof(int)), t->root};
    for (int i = 0; i < t->bodies; i++) b.order[i] = i;
    b.cells[0].past = t->bodies;
    for (int d = 0; d < 3; d++) b.cells[0].center[d] = t->position[d][t->root];
    int past = t->root + 1;
    for (t->levels = 0; b.last < past; t->levels++) {
        if (t->levels == OCTREE_LEVELS)
            host_fail(h, "two bodies are too close: the tree has more than %d levels", OCTREE_LEVELS);
        int first = t->first[t->levels] = b.last;
        t->past[t->levels] = past;
        radius *= 0.5f;
        for (int cell = past - 1; cell >= first; cell--) octree_divide(h, t, &b, cell, radius);
        past = first;
    }
}
#endif
