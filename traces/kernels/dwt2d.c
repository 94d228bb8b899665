/* SPDX-License-Identifier: Apache-2.0 */
/* dwt2d: wavelet transform of an image, reversible 5/3 filter of JPEG 2000 (Rodinia).  First bytes of pixels become
 * three planes, through shared memory; then for each plane and level a window of a thread block's columns slides down:
 * eight rows more are loaded, transformed down the columns, then along the rows, in shared memory, and stored to four
 * bands.  Three threads have a second column, beyond the window.  Even and odd columns lie apart in shared memory. */
#include "program.h"

#define PIXELS 256 /* of a thread block of the first kernel */
#define ROWS 8
#define TALL (ROWS + 3) /* rows in shared memory: two above, one below */

struct dwt2d {
    gu32 source;
    gi32 in[3], out[3]; /* a plane for each colour */
    int32_t *want[3];
    int width, height, pixels, levels;
    int sx, sy, window, steps, colour; /* of this launch */
};

static void components_kernel(struct warp *w)
{
    const struct dwt2d *k = simt_args(w);
    su32 words = vshared_u32("sData", PIXELS * 3 / 4);
    su8 bytes = vshared_bytes(words);
    vi32 thread = vvar(vthread_x()), word = vvar(vadd(thread, BLOCK_X * (PIXELS * 3 / 4)));
    SIMT_IF (vand(vlt(thread, PIXELS * 3 / 4), vlt(word, (k->pixels * 3 + 3) / 4))) {
        vstore(words, thread, vload(k->source, word));
    }
    vsync();
    vi32 at = vvar(vglobal_x());
    SIMT_IF (vlt(at, k->pixels)) {
        vi32 first = vvar(vmul(thread, 3));
        for (int c = 0; c < 3; c++) {
            vi32 value = vint(vload(bytes, vadd(first, c)));
            vstore(k->in[c], at, vsub(value, 128));
        }
    }
}

/* Coordinates beyond the image are mirrored at its first and last element. */
static vi32 mirror(struct warp *w, vi32 i, int n)
{
    vi32 a = vabs(i);
    return vmax(vselect(vge(a, n), vsub(V(2 * (n - 1)), a), a), 0);
}

/* A column: its place in the image, mirrored, and in shared memory. */
struct column {
    vi32 x, slot;
};

/* Even columns first, then odd ones; the window begins at column 2. */
static vi32 slot_of(struct warp *w, const struct dwt2d *k, vi32 column)
{
    return vmad(vand(column, 1), k->window / 2 + 2, vshr(column, 1));
}

static int stride_of(const struct dwt2d *k)
{
    return k->window + 4;
}

static vi32 load_pixel(struct warp *w, const struct dwt2d *k, const struct column *c, vi32 row)
{
    return vload(k->in[k->colour], vmad(mirror(w, row, k->sy), k->sx, c->x));
}

/* a / 2 and a / 4 towards 0. */
static vi32 half(struct warp *w, vi32 a)
{
    return vshr(vadd(a, vint(vshr(vuint(a), 31u))), 1);
}

static vi32 quarter(struct warp *w, vi32 a)
{
    return vshr(vadd(a, vand(vshr(a, 31), 3)), 2);
}

/* An element of the tile and its neighbours on both sides, so many elements from `base`. */
struct place {
    int before, at, after;
};

static void predict(struct warp *w, si32 tile, vi32 base, struct place p)
{
    vi32 before = vload(tile, vadd(base, p.before));
    vi32 sum = vadd(vload(tile, vadd(base, p.after)), before);
    vi32 change = vvar(half(w, sum));
    vi32 at = vvar(vadd(base, p.at));
    vstore(tile, at, vsub(vload(tile, at), change));
}

static void update(struct warp *w, si32 tile, vi32 base, struct place p)
{
    vi32 before = vload(tile, vadd(base, p.before));
    vi32 sum = vadd(vadd(vload(tile, vadd(base, p.after)), before), 2);
    vi32 change = vvar(quarter(w, sum));
    vi32 at = vvar(vadd(base, p.at));
    vstore(tile, at, vadd(vload(tile, at), change));
}

/* Eleven rows from `row` - 2 on, of which the first three are in registers but for the first step, down the column. */
static void transform_column(struct warp *w, const struct dwt2d *k, si32 tile, const struct column *c, vi32 row,
                             vi32 kept[3])
{
    const int stride = stride_of(k);
    vi32 once = vvar(1);
    for (int i = 0; i < 3; i++) vstore(tile, vadd(c->slot, i * stride), kept[i]);
    for (int i = 3; i < TALL; i++) {
        vset(once, 1);
        SIMT_WHILE (vne(once, 0)) { /* ends the variables of a row */
            vi32 value = vvar(load_pixel(w, k, c, vadd(row, i - 2)));
            vstore(tile, vadd(c->slot, i * stride), value);
            if (i >= ROWS) vset(kept[i - ROWS], value);
            vset(once, 0);
        }
    }
    vi32 i = vvar(vadd(c->slot, stride)), end = vvar(vadd(c->slot, (TALL - 1) * stride));
    SIMT_WHILE (vlt(i, end)) {
        predict(w, tile, i, (struct place){-stride, 0, stride});
        vset(i, vadd(i, 2 * stride));
    }
    vset(i, vadd(c->slot, 2 * stride));
    SIMT_WHILE (vlt(i, end)) {
        update(w, tile, i, (struct place){-stride, 0, stride});
        vset(i, vadd(i, 2 * stride));
    }
}

/* Rows 2 to 9: odd columns from the one before the window on, then even ones; half a window's threads a row. */
static void transform_rows(struct warp *w, const struct dwt2d *k, si32 tile, vi32 thread)
{
    const int stride = stride_of(k), pairs = k->window / 2, odd = pairs + 2;
    vi32 pair = vvar(remainder_of(w, thread, pairs)), row = vvar(vadd(quotient(w, thread, pairs), 2));
    vi32 at = vvar(vmad(row, stride, pair)), end = vvar((ROWS + 2) * stride);
    SIMT_WHILE (vlt(at, end)) { /* columns 2 pair + 2 to + 4 */
        predict(w, tile, at, (struct place){1, odd + 1, 2});
        vset(at, vadd(at, 2 * stride));
    }
    SIMT_IF (vlt(thread, ROWS)) {
        vset(at, vmul(vadd(thread, 2), stride));
        predict(w, tile, at, (struct place){0, odd, 1});
    }
    vsync();
    vset(at, vmad(row, stride, pair));
    SIMT_WHILE (vlt(at, end)) {
        update(w, tile, at, (struct place){odd, 1, odd + 1});
        vset(at, vadd(at, 2 * stride));
    }
    vsync();
}

/* The thread's column of the window, its rows to two bands by turns: low rows, then high ones. */
static void store_column(struct warp *w, const struct dwt2d *k, si32 tile, vi32 x, vi32 slot, vi32 row)
{
    const int low_x = (k->sx + 1) / 2, high_x = k->sx / 2, low_y = (k->sy + 1) / 2, stride = stride_of(k);
    const gi32 out = k->out[k->colour];
    vi32 odd = vvar(vand(x, 1)), column = vvar(vshr(x, 1)), across = vvar(vmad(odd, high_x - low_x, low_x));
    vi32 base = vvar(vmad(odd, low_x * low_y, column));
    vi32 base_high = vvar(vadd(vmad(odd, low_x * (k->sy / 2), column), k->sx * low_y));
    vi32 i = vvar(0), y = vvar(row);
    SIMT_WHILE (vlt(i, ROWS)) {
        SIMT_IF (vlt(y, k->sy)) {
            vi32 value = vvar(vload(tile, vmad(vadd(i, 2), stride, slot)));
            vstore(out, vmad(vshr(y, 1), across, base), value);
        }
        SIMT_IF (vlt(vadd(y, 1), k->sy)) {
            vi32 value = vvar(vload(tile, vmad(vadd(i, 3), stride, slot)));
            vstore(out, vmad(vshr(y, 1), across, base_high), value);
        }
        vset(i, vadd(i, 2));
        vset(y, vadd(y, 2));
    }
}

static struct column make_column(struct warp *w, const struct dwt2d *k, vi32 column)
{
    struct column c = {.x = vvar(mirror(w, vadd(column, BLOCK_X * k->window - 2), k->sx))};
    c.slot = vvar(slot_of(w, k, column));
    return c;
}

static void fdwt53_kernel(struct warp *w)
{
    const struct dwt2d *k = simt_args(w);
    const int first = BLOCK_Y * ROWS * k->steps;
    si32 tile = vshared_i32("buffer", (uint32_t)(TALL * stride_of(k)));
    vi32 thread = vvar(vthread_x()), row = vvar(first);
    vi32 beyond = vvar(vselect(veq(thread, 0), V(k->window + 2), vsub(thread, 1))); /* of threads 0 to 2 */
    struct column mine = make_column(w, k, vadd(thread, 2)), border = make_column(w, k, beyond);
    vi32 kept[3], kept_border[3];
    for (int i = 0; i < 3; i++) {
        kept[i] = vvar(load_pixel(w, k, &mine, vadd(row, i - 2)));
        kept_border[i] = vvar(0);
    }
    SIMT_IF (vlt(thread, 3)) {
        for (int i = 0; i < 3; i++) vset(kept_border[i], load_pixel(w, k, &border, vadd(row, i - 2)));
    }
    vi32 x = vvar(vadd(thread, BLOCK_X * k->window)), end = vvar(first + ROWS * k->steps);
    SIMT_WHILE (vlt(row, end)) {
        transform_column(w, k, tile, &mine, row, kept);
        SIMT_IF (vlt(thread, 3)) {
            transform_column(w, k, tile, &border, row, kept_border);
        }
        vsync();
        transform_rows(w, k, tile, thread);
        SIMT_IF (vlt(x, k->sx)) {
            store_column(w, k, tile, x, mine.slot, row);
        }
        vsync();
        vset(row, vadd(row, ROWS));
    }
}

static void level_launch(struct host *h, struct dwt2d *k)
{
    k->window = k->sx >= 960 ? 192 : k->sx >= 480 ? 128 : 64;
    k->steps = (int)blocks_for(k->sy, 15 * ROWS);
    simt_launch(h, &(struct launch){.name = "fdwt53Kernel",
                                    .kernel = fdwt53_kernel,
                                    .args = k,
                                    .grid = {blocks_for(k->sx, k->window), blocks_for(k->sy, ROWS * k->steps)},
                                    .block = {(uint32_t)k->window},
                                    .regs = 56,
                                    .shared_bytes = (uint32_t)(TALL * stride_of(k)) * 4});
}

/* All levels of a plane: the low band is the next level's image. */
static void transform(struct host *h, struct dwt2d *k)
{
    k->sx = k->width, k->sy = k->height;
    for (int level = 0; level < k->levels; level++) {
        level_launch(h, k);
        k->sx = (k->sx + 1) / 2, k->sy = (k->sy + 1) / 2;
        if (level < k->levels - 1)
            memcpy(k->in[k->colour].host, k->out[k->colour].host, (size_t)k->sx * (size_t)k->sy * sizeof(int32_t));
    }
}

static void dwt2d_host(struct host *h, void *state)
{
    static const char *const in[] = {"c_r", "c_g", "c_b"}, *const out[] = {"r_out", "g_out", "b_out"};
    struct dwt2d *k = state;
    k->width = option(h, "width");
    k->height = option(h, "height");
    k->levels = option(h, "levels");
    k->pixels = k->width * k->height;
    const uint64_t pixels = (uint64_t)k->pixels;
    k->source = device_u32(h, "d_src", (pixels * 3 + 3) / 4);
    for (int c = 0; c < 3; c++) {
        k->in[c] = device_i32_2d(h, in[c], (uint64_t)k->height, (uint64_t)k->width);
        k->out[c] = device_i32(h, out[c], pixels);
        k->want[c] = host_alloc(h, pixels * sizeof(int32_t));
    }
    uint8_t *byte = (uint8_t *)k->source.host;
    for (uint64_t i = 0; i < pixels * 3; i++) {
        byte[i] = (uint8_t)rng_u64(host_rng(h));
        k->want[i % 3][i / 3] = byte[i] - 128;
    }
    simt_launch(h, &(struct launch){.name = "c_CopySrcToComponents",
                                    .kernel = components_kernel,
                                    .args = k,
                                    .grid = {blocks_for(k->pixels, PIXELS)},
                                    .block = {PIXELS},
                                    .regs = 12,
                                    .shared_bytes = PIXELS * 3});
    for (k->colour = 0; k->colour < 3; k->colour++) transform(h, k);
}

static int mirrored(int i, int n)
{
    const int a = i < 0 ? -i : i, b = a >= n ? 2 * (n - 1) - a : a;
    return b < 0 ? 0 : b;
}

/* A line of n elements `step` apart, in place. */
static void lift(int32_t *line, int n, int step)
{
    for (int i = 1; i < n; i += 2) line[i * step] -= (line[(i - 1) * step] + line[mirrored(i + 1, n) * step]) / 2;
    for (int i = 0; i < n && n > 1; i += 2)
        line[i * step] += (line[mirrored(i - 1, n) * step] + line[mirrored(i + 1, n) * step] + 2) / 4;
}

/* One level: `plane` transformed in place, then its four bands one after the other. */
static void reference_level(int32_t *plane, int32_t *bands, int sx, int sy)
{
    for (int x = 0; x < sx; x++) lift(plane + x, sy, sx);
    for (int y = 0; y < sy; y++) lift(plane + y * sx, sx, 1);
    for (int band = 0; band < 4; band++)
        for (int y = band / 2; y < sy; y += 2)
            for (int x = band % 2; x < sx; x += 2) *bands++ = plane[y * sx + x];
}

static bool dwt2d_check(struct host *h, void *state, struct error *err)
{
    const struct dwt2d *k = state;
    int32_t *bands = host_alloc(h, (uint64_t)k->pixels * sizeof *bands);
    for (int c = 0; c < 3; c++) {
        for (int level = 0, sx = k->width, sy = k->height; level < k->levels; level++) {
            reference_level(k->want[c], bands, sx, sy);
            sx = (sx + 1) / 2, sy = (sy + 1) / 2;
            memcpy(k->want[c], bands, (size_t)sx * (size_t)sy * sizeof *bands);
        }
        if (!check_i32(k->out[c], bands, err)) return false;
    }
    return true;
}

static const struct kernel_def dwt2d = {
    .name = "dwt2d",
    .summary = "wavelet transform of an image by a window that slides down in shared memory",
    .origin = "Rodinia dwt2d",
    .options = {{"width", "of the image", NULL, 1024, 1, 16384},
                {"height", "of the image", NULL, 1024, 1, 16384},
                {"levels", "of the transform", NULL, 3, 1, 8}},
    .suites = "rodinia uvmbench",
    .tables = "Gu20 2.3, 3.1, 5.1",
    .small = "width=20,height=9,levels=2",
    .reduced = "width=128,height=96,levels=2",
    .state_bytes = sizeof(struct dwt2d),
    .host = dwt2d_host,
    .check = dwt2d_check,
};
KERNEL_REGISTER(dwt2d)
