/* SPDX-License-Identifier: Apache-2.0 */
/* Common to hotspot and pathfinder: several time steps in one launch.  A tile of cells, a thread for each, overlaps its
 * neighbours by a ghost zone as wide as the launch has steps.  Each step computes one cell less on each side of the
 * tile, without asking the neighbours, and after the last one the cores of all tiles cover the grid. */
#ifndef MEMTWIN_PYRAMID_H
#define MEMTWIN_PYRAMID_H
#include "trace/kernels.h"

struct pyramid {
    int tile;   /* cells */
    int height; /* steps of a launch; the last one of a run may have fewer */
    int steps;  /* of this launch */
};

/* The thread blocks of every launch: as many as the narrowest core, that of the full height, needs. */
static inline uint32_t pyramid_blocks(const struct pyramid *p, int cells)
{
    return blocks_for(cells, p->tile - 2 * p->height);
}

/* A dimension, as a thread sees it.  Threads of the outermost tiles may lie beyond the grid. */
struct axis {
    vi32 thread, cell;  /* in the tile; in the grid */
    vi32 before, after; /* the neighbours in the tile; at the grid's edge the cell itself */
    vi32 inside;        /* 1: the cell is in the grid */
};

static inline struct axis pyramid_axis(struct warp *w, const struct pyramid *p, vi32 thread, int block, int cells)
{
    struct axis a = {.thread = vvar(thread)};
    vi32 first = vvar(block);
    vset(first, vmad(first, p->tile - 2 * p->steps, -p->height));
    a.cell = vvar(vadd(first, a.thread));
    vi32 low = vvar(vmax(vsub(V(0), first), 0));
    vi32 high = vvar(vmin(vsub(V(cells - 1), first), p->tile - 1));
    a.before = vvar(vmax(vsub(a.thread, 1), low));
    a.after = vvar(vmin(vadd(a.thread, 1), high));
    a.inside = vvar(vselect(vand(vge(a.thread, low), vle(a.thread, high)), V(1), 0));
    return a;
}

static inline vbool pyramid_in_grid(struct warp *w, const struct axis *a, int cells)
{
    return vand(vge(a->cell, 0), vlt(a->cell, cells));
}

/* Whether step i computes this thread's cell: cells low = i + 1 to high = tile - 2 - i. */
static inline vbool pyramid_computes(struct warp *w, const struct axis *a, vi32 low, vi32 high)
{
    return vand(vand(vge(a->thread, low), vle(a->thread, high)), vne(a->inside, 0));
}
#endif
