/* SPDX-License-Identifier: Apache-2.0 */
/* heartwall: tracks points of the wall of a heart through the frames of an ultrasound film (Rodinia).  A thread block
 * has a point, a launch a frame.  The template of the point is convolved with the area around it; sums over the
 * template's window, by two cumulative sums, normalise the result; its greatest value near the last place is the new
 * place.  All steps are arrays in global memory, stored by columns, with a barrier between two of them. */
#include <math.h>

#include "program.h"

#define THREADS 256
#define UPDATE 10   /* frames after which templates follow */
#define ALPHA 0.87f /* of a template that stays */
#define INNER 20    /* points of the inner wall, of 51 */
#define ALL 51

struct heartwall {
    gf32 frame, template, area, squares, conv, padded, upper, cross, right, sums, square_sums, template_squares, mask,
        masked;
    gi32 row, column, to_row, to_column;
    int points, frames, rows, columns;
    int reach, range, move; /* of a template and an area to each side; of a step between frames */
    int t, a, c, p;         /* sides: of a template, an area, a convolution, a padded area */
    int number;             /* of the frame */
    float *film;
    int32_t *row_before, *column_before; /* the first frame's places */
};

/* ---- Parts of the kernel. ---- */

/* The kernel's variables that its parts share. */
struct lanes {
    vi32 thread, e; /* e: the element at hand */
    vi32 origin;    /* index of the first element of a window */
};

/* Copies rows x columns elements from l->origin on. */
static void select_window(struct warp *w, struct lanes *l, gf32 to, int base, int rows, int columns, gf32 from,
                          int from_rows)
{
    vset(l->e, l->thread);
    SIMT_WHILE (vlt(l->e, rows * columns)) {
        vi32 column = vvar(vquot(l->e, rows)), row = vvar(vmad(column, -rows, l->e));
        vf32 value = vload(from, vadd(vmad(column, from_rows, row), l->origin));
        vstore(to, vadd(l->e, base), value);
        vset(l->e, vadd(l->e, THREADS));
    }
}

static void subtract_from(struct warp *w, struct lanes *l, gf32 minuend, gf32 to, int base, int count)
{
    vset(l->e, l->thread);
    SIMT_WHILE (vlt(l->e, count)) {
        vi32 at = vvar(vadd(l->e, base));
        vstore(to, at, vsub(vload(minuend, at), vload(to, at)));
        vset(l->e, vadd(l->e, THREADS));
    }
}

static void square(struct warp *w, struct lanes *l, gf32 to, gf32 from, int base, int count)
{
    vset(l->e, l->thread);
    SIMT_WHILE (vlt(l->e, count)) {
        vi32 at = vvar(vadd(l->e, base));
        vf32 value = vvar(vload(from, at));
        vstore(to, at, vmul(value, value));
        vset(l->e, vadd(l->e, THREADS));
    }
}

/* Running sums of `count` elements `step` apart, in place, from each of the first `starts` multiples of `stride`. */
static void accumulate(struct warp *w, struct lanes *l, gf32 data, int base, int starts, int stride, int count,
                       int step)
{
    SIMT_IF (vlt(l->thread, starts)) {
        vi32 at = vvar(vadd(vmul(l->thread, stride), base)), i = vvar(0);
        vf32 sum = vvar(0.0f);
        SIMT_WHILE (vlt(i, count)) {
            vset(sum, vadd(vload(data, at), sum));
            vstore(data, at, sum);
            vset(at, vadd(at, step));
            vset(i, vadd(i, 1));
        }
    }
}

static void pad(struct warp *w, struct lanes *l, const struct heartwall *k, gf32 from)
{
    const int base = BLOCK_X * k->p * k->p, from_base = BLOCK_X * k->a * k->a;
    vset(l->e, l->thread);
    SIMT_WHILE (vlt(l->e, k->p * k->p)) {
        vi32 column = vvar(vquot(l->e, k->p)), row = vvar(vmad(column, -k->p, l->e)), at = vvar(vadd(l->e, base));
        vbool inside = vand(vge(row, k->t), vlt(row, k->t + k->a));
        SIMT_IF (vand(inside, vand(vge(column, k->t), vlt(column, k->t + k->a)))) {
            vi32 place = vmad(vsub(column, k->t), k->a, vsub(row, k->t));
            vstore(k->padded, at, vload(from, vadd(place, from_base)));
        }
        SIMT_ELSE
        {
            vstore(k->padded, at, 0.0f);
        }
        vset(l->e, vadd(l->e, THREADS));
    }
}

/* Sums of the area, or of its squares, over the template's window at each place of the convolution. */
static void window_sums(struct warp *w, struct lanes *l, const struct heartwall *k, gf32 from, gf32 to)
{
    const int t = k->t, c = k->c, p = k->p, padded = BLOCK_X * p * p, strip = BLOCK_X * c * p, base = BLOCK_X * c * c;
    pad(w, l, k, from);
    vsync();
    accumulate(w, l, k->padded, padded, p, p, p, 1);
    vsync();
    vset(l->origin, padded + t);
    select_window(w, l, k->upper, strip, c, p, k->padded, p);
    vsync();
    vset(l->origin, padded);
    select_window(w, l, k->cross, strip, c, p, k->padded, p);
    vsync();
    subtract_from(w, l, k->upper, k->cross, strip, c * p);
    vsync();
    accumulate(w, l, k->cross, strip, c, 1, p, c);
    vsync();
    vset(l->origin, strip + t * c);
    select_window(w, l, k->right, base, c, c, k->cross, c);
    vsync();
    vset(l->origin, strip);
    select_window(w, l, to, base, c, c, k->cross, c);
    vsync();
    subtract_from(w, l, k->right, to, base, c * c);
    vsync();
}

/* The template, turned by half a turn, in shared memory. */
static void turn(struct warp *w, struct lanes *l, const struct heartwall *k, sf32 turned)
{
    const int t = k->t, base = BLOCK_X * t * t;
    vset(l->e, l->thread);
    SIMT_WHILE (vlt(l->e, t * t)) {
        vi32 column = vvar(vquot(l->e, t)), row = vvar(vmad(column, -t, l->e));
        vi32 from = vmad(column, -t, vsub(V(t * t - 1 + base), row));
        vstore(turned, l->e, vload(k->template, from));
        vset(l->e, vadd(l->e, THREADS));
    }
}

static void convolve(struct warp *w, struct lanes *l, const struct heartwall *k, sf32 turned)
{
    const int t = k->t, a = k->a, c = k->c, area = BLOCK_X * a * a, base = BLOCK_X * c * c;
    vset(l->e, l->thread);
    SIMT_WHILE (vlt(l->e, c * c)) {
        vi32 column = vvar(vquot(l->e, c)), row = vvar(vmad(column, -c, l->e));
        vi32 j = vvar(vmax(vsub(column, a - 1), 0)), j_end = vvar(vmin(column, t - 1));
        vi32 first = vvar(vmax(vsub(row, a - 1), 0)), i_end = vvar(vmin(row, t - 1));
        vf32 sum = vvar(0.0f);
        SIMT_WHILE (vle(j, j_end)) {
            vi32 i = vvar(first), mine = vvar(vmul(j, t));
            vi32 other = vvar(vadd(vmad(vsub(column, j), a, row), area));
            SIMT_WHILE (vle(i, i_end)) {
                vset(sum, vmad(vload(turned, vadd(mine, i)), vload(k->area, vsub(other, i)), sum));
                vset(i, vadd(i, 1));
            }
            vset(j, vadd(j, 1));
        }
        vstore(k->conv, vadd(l->e, base), sum);
        vset(l->e, vadd(l->e, THREADS));
    }
}

/* Square root of window squares less the mean's part. */
static void deviations(struct warp *w, struct lanes *l, const struct heartwall *k)
{
    const int base = BLOCK_X * k->c * k->c;
    vset(l->e, l->thread);
    SIMT_WHILE (vlt(l->e, k->c * k->c)) {
        vi32 at = vvar(vadd(l->e, base));
        vf32 sum = vvar(vload(k->sums, at));
        vf32 mean = vdiv(vmul(sum, sum), (float)(k->t * k->t));
        vstore(k->square_sums, at, vsqrt(vmax(vsub(vload(k->square_sums, at), mean), 0.0f)));
        vset(l->e, vadd(l->e, THREADS));
    }
}

/* Sums of the columns of the template, or of the rows of its squares, one a thread. */
static void template_sums(struct warp *w, struct lanes *l, const struct heartwall *k, gf32 data, sf32 to, int stride,
                          int step)
{
    SIMT_IF (vlt(l->thread, k->t)) {
        vi32 at = vvar(vadd(vmul(l->thread, stride), BLOCK_X * k->t * k->t)), i = vvar(0);
        vf32 sum = vvar(0.0f);
        SIMT_WHILE (vlt(i, k->t)) {
            vset(sum, vadd(sum, vload(data, at)));
            vset(at, vadd(at, step));
            vset(i, vadd(i, 1));
        }
        vstore(to, l->thread, sum);
    }
}

static void total(struct warp *w, struct lanes *l, const struct heartwall *k, int thread, sf32 parts, sf32 to,
                  int place)
{
    SIMT_IF (veq(l->thread, thread)) {
        vi32 i = vvar(0);
        vf32 sum = vvar(0.0f);
        SIMT_WHILE (vlt(i, k->t)) {
            vset(sum, vadd(sum, vload(parts, i)));
            vset(i, vadd(i, 1));
        }
        vstore(to, place, sum);
    }
}

/* final[0]: the template's sum, [1]: of its squares, [2]: its deviation times the square root of its size. */
static void template_deviation(struct warp *w, struct lanes *l, const struct heartwall *k, sf32 parts,
                               sf32 square_parts, sf32 final)
{
    const float size = (float)(k->t * k->t);
    square(w, l, k->template_squares, k->template, BLOCK_X * k->t * k->t, k->t * k->t);
    vsync();
    template_sums(w, l, k, k->template, parts, k->t, 1);
    vsync();
    template_sums(w, l, k, k->template_squares, square_parts, 1, k->t);
    vsync();
    total(w, l, k, 0, parts, final, 0);
    total(w, l, k, 1, square_parts, final, 1);
    vsync();
    SIMT_IF (veq(l->thread, 0)) {
        vf32 mean = vvar(vdiv(vload(final, 0), size));
        vf32 variance = vsub(vdiv(vload(final, 1), size), vmul(mean, mean));
        vstore(final, 2, vmul(vsqrt(variance), sqrtf(size - 1)));
    }
    vsync();
}

/* The convolution, normalised, to square_sums. */
static void correlate(struct warp *w, struct lanes *l, const struct heartwall *k, sf32 final)
{
    const int count = k->c * k->c, base = BLOCK_X * count;
    vset(l->e, l->thread);
    vf32 deviation = vvar(vload(final, 2)), sum = vvar(vload(final, 0));
    SIMT_WHILE (vlt(l->e, count)) {
        vi32 at = vvar(vadd(l->e, base));
        vstore(k->square_sums, at, vmul(vload(k->square_sums, at), deviation));
        vset(l->e, vadd(l->e, THREADS));
    }
    vsync();
    vset(l->e, l->thread);
    SIMT_WHILE (vlt(l->e, count)) {
        vi32 at = vvar(vadd(l->e, base));
        vf32 mean = vdiv(vmul(vload(k->sums, at), sum), (float)(k->t * k->t));
        vstore(k->conv, at, vsub(vload(k->conv, at), mean));
        vset(l->e, vadd(l->e, THREADS));
    }
    vsync();
    vset(l->e, l->thread);
    SIMT_WHILE (vlt(l->e, count)) {
        vi32 at = vvar(vadd(l->e, base));
        vstore(k->square_sums, at, vdiv(vload(k->conv, at), vload(k->square_sums, at)));
        vset(l->e, vadd(l->e, THREADS));
    }
    vsync();
}

/* 1 at the last place of the point, 0 elsewhere. */
static void make_mask(struct warp *w, struct lanes *l, const struct heartwall *k)
{
    const int c = k->c, last = BLOCK_X * k->frames + k->number - 1, centre = k->range + k->reach;
    vset(l->e, l->thread);
    vi32 row = vsub(vload(k->to_row, last), vload(k->row, BLOCK_X));
    vi32 place = vvar(vadd(row, centre));
    vi32 column = vsub(vload(k->to_column, last), vload(k->column, BLOCK_X));
    vset(place, vmad(vadd(column, centre), c, place));
    SIMT_WHILE (vlt(l->e, c * c)) {
        vstore(k->mask, vadd(l->e, BLOCK_X * c * c), vselect(veq(l->e, place), V(1.0f), 0.0f));
        vset(l->e, vadd(l->e, THREADS));
    }
}

/* The mask, convolved with a square of ones, times the correlation. */
static void apply_mask(struct warp *w, struct lanes *l, const struct heartwall *k)
{
    const int c = k->c, m = k->move, base = BLOCK_X * c * c;
    vset(l->e, l->thread);
    SIMT_WHILE (vlt(l->e, c * c)) {
        vi32 column = vvar(vquot(l->e, c)), row = vvar(vadd(vmad(column, -c, l->e), m / 2));
        vset(column, vadd(column, m / 2));
        vi32 j = vvar(vmax(vsub(column, m - 1), 0)), j_end = vvar(vmin(column, c - 1));
        vi32 first = vvar(vmax(vsub(row, m - 1), 0)), i_end = vvar(vmin(row, c - 1));
        vf32 sum = vvar(0.0f);
        SIMT_WHILE (vle(j, j_end)) {
            vi32 i = vvar(first), from = vvar(vadd(vmul(j, c), base));
            SIMT_WHILE (vle(i, i_end)) {
                vset(sum, vadd(sum, vload(k->mask, vadd(from, i))));
                vset(i, vadd(i, 1));
            }
            vset(j, vadd(j, 1));
        }
        vi32 at = vvar(vadd(l->e, base));
        vstore(k->masked, at, vmul(vload(k->square_sums, at), sum));
        vset(l->e, vadd(l->e, THREADS));
    }
}

/* The greatest value of each column by a thread, then of all by one. */
static void find_place(struct warp *w, struct lanes *l, const struct heartwall *k, sf32 values, si32 places)
{
    const int c = k->c, base = BLOCK_X * c * c, now = BLOCK_X * k->frames + k->number;
    vi32 i = vvar(0), best = vvar(0);
    vf32 greatest = vvar(0.0f);
    SIMT_IF (vlt(l->thread, c)) {
        SIMT_WHILE (vlt(i, c)) {
            vi32 at = vvar(vmad(l->thread, c, i));
            vf32 value = vvar(vabs(vload(k->masked, vadd(at, base))));
            SIMT_IF (vgt(value, greatest)) {
                vset(best, at);
                vset(greatest, value);
            }
            vset(i, vadd(i, 1));
        }
        vstore(places, l->thread, best);
        vstore(values, l->thread, greatest);
    }
    vsync();
    SIMT_IF (veq(l->thread, 0)) {
        vset(i, 0);
        vset(greatest, 0.0f);
        SIMT_WHILE (vlt(i, c)) {
            vf32 value = vvar(vload(values, i));
            SIMT_IF (vgt(value, greatest)) {
                vset(greatest, value);
                vset(best, vload(places, i));
            }
            vset(i, vadd(i, 1));
        }
        vi32 column = vvar(vquot(best, c)), row = vvar(vmad(column, -c, best));
        vstore(k->to_row, now, vadd(vload(k->row, BLOCK_X), vsub(row, k->range + k->reach)));
        vstore(k->to_column, now, vadd(vload(k->column, BLOCK_X), vsub(column, k->range + k->reach)));
    }
    vsync();
}

/* The first element of the square of the frame with `reach` elements to each side of the point. */
static void set_corner(struct warp *w, struct lanes *l, const struct heartwall *k, int reach)
{
    vset(l->origin, vload(k->row, BLOCK_X));
    vi32 column = vload(k->column, BLOCK_X);
    vset(l->origin, vmad(vsub(column, reach), k->rows, vsub(l->origin, reach)));
}

static void update_template(struct warp *w, struct lanes *l, const struct heartwall *k)
{
    const int now = BLOCK_X * k->frames + k->number, t = k->t, base = BLOCK_X * t * t;
    vstore(k->row, BLOCK_X, vload(k->to_row, now));
    vstore(k->column, BLOCK_X, vload(k->to_column, now));
    set_corner(w, l, k, k->reach);
    vset(l->e, l->thread);
    SIMT_WHILE (vlt(l->e, t * t)) {
        vi32 at = vvar(vadd(l->e, base)), x = vvar(vquot(l->e, t)), y = vvar(vmad(x, -t, l->e));
        vf32 fresh = vmul(vload(k->frame, vadd(vmad(x, k->rows, y), l->origin)), 1 - ALPHA);
        vstore(k->template, at, vmad(vload(k->template, at), ALPHA, fresh));
        vset(l->e, vadd(l->e, THREADS));
    }
}

static void kernel(struct warp *w)
{
    const struct heartwall *k = simt_args(w);
    struct lanes lanes, *l = &lanes;
    lanes.thread = vvar(vthread_x());
    lanes.e = vvar(0);
    lanes.origin = vvar(0);
    sf32 parts = vshared_f32("in_partial_sum", k->t), square_parts = vshared_f32("in_sqr_partial_sum", k->t);
    sf32 final = vshared_f32("in_final_sum", 3), values = vshared_f32("par_max_val", k->c);
    si32 places = vshared_i32("par_max_coo", k->c);
    sf32 turned = vshared_f32("d_in_mod_temp", k->t * k->t);
    if (k->number == 0) {
        SIMT_IF (veq(l->thread, 0)) {
            vstore(k->to_row, BLOCK_X * k->frames, vload(k->row, BLOCK_X));
            vstore(k->to_column, BLOCK_X * k->frames, vload(k->column, BLOCK_X));
        }
        set_corner(w, l, k, k->reach);
        select_window(w, l, k->template, BLOCK_X * k->t * k->t, k->t, k->t, k->frame, k->rows);
        return;
    }
    set_corner(w, l, k, k->range);
    select_window(w, l, k->area, BLOCK_X * k->a * k->a, k->a, k->a, k->frame, k->rows);
    vsync();
    turn(w, l, k, turned);
    vsync();
    convolve(w, l, k, turned);
    vsync();
    window_sums(w, l, k, k->area, k->sums);
    square(w, l, k->squares, k->area, BLOCK_X * k->a * k->a, k->a * k->a);
    vsync();
    window_sums(w, l, k, k->squares, k->square_sums);
    deviations(w, l, k);
    vsync();
    template_deviation(w, l, k, parts, square_parts, final);
    correlate(w, l, k, final);
    make_mask(w, l, k);
    vsync();
    apply_mask(w, l, k);
    vsync();
    find_place(w, l, k, values, places);
    if (k->number % UPDATE == 0) update_template(w, l, k);
}

/* ---- The host's program. ---- */

/* A texture that moves a row a frame and a column every other one, with noise. */
static void make_film(struct host *h, struct heartwall *k)
{
    const int rows = k->rows + k->frames, columns = k->columns + k->frames;
    const uint64_t size = (uint64_t)k->rows * (uint64_t)k->columns;
    float *texture = host_alloc(h, (uint64_t)rows * (uint64_t)columns * sizeof *texture);
    for (int i = 0; i < rows * columns; i++) texture[i] = 0.2f + 0.7f * (float)rng_unit(host_rng(h));
    k->film = host_alloc(h, (uint64_t)k->frames * size * sizeof *k->film);
    for (int f = 0; f < k->frames; f++)
        for (int column = 0; column < k->columns; column++)
            for (int row = 0; row < k->rows; row++)
                k->film[(uint64_t)f * size + (uint64_t)(column * k->rows + row)] =
                    texture[(column + f / 2) * rows + row + f] + 0.1f * (float)rng_unit(host_rng(h));
}

/* On two ellipses around the frame's centre. */
static void place_points(struct host *h, struct heartwall *k)
{
    const int inner = k->points * INNER / ALL, margin = k->range + k->frames * (k->move / 2 + 1);
    const int least = 2 * margin + 1;
    if (k->rows < least) host_fail(h, "rows: found %d, expected at least %d", k->rows, least);
    if (k->columns < least) host_fail(h, "columns: found %d, expected at least %d", k->columns, least);
    for (int i = 0; i < k->points; i++) {
        const bool is_inner = i < inner;
        const double turn =
            2 * 3.14159265358979 * (is_inner ? i / (double)inner : (i - inner) / (double)(k->points - inner));
        const double reach = (is_inner ? 0.5 : 1.0) * 0.5;
        k->row.host[i] = k->rows / 2 + (int32_t)(reach * (k->rows - least) * sin(turn));
        k->column.host[i] = k->columns / 2 + (int32_t)(reach * (k->columns - least) * cos(turn));
    }
    memcpy(k->row_before, k->row.host, (size_t)k->points * sizeof(int32_t));
    memcpy(k->column_before, k->column.host, (size_t)k->points * sizeof(int32_t));
}

static void make_arrays(struct host *h, struct heartwall *k)
{
    const struct {
        gf32 *array;
        const char *name;
        int rows, columns;
    } arrays[] = {{&k->template, "d_T", k->t, k->t},
                  {&k->area, "d_in2", k->a, k->a},
                  {&k->conv, "d_conv", k->c, k->c},
                  {&k->padded, "d_in2_pad_cumv", k->p, k->p},
                  {&k->upper, "d_in2_pad_cumv_sel", k->c, k->p},
                  {&k->cross, "d_in2_sub_cumh", k->c, k->p},
                  {&k->right, "d_in2_sub_cumh_sel", k->c, k->c},
                  {&k->sums, "d_in2_sub2", k->c, k->c},
                  {&k->squares, "d_in2_sqr", k->a, k->a},
                  {&k->square_sums, "d_in2_sqr_sub2", k->c, k->c},
                  {&k->template_squares, "d_in_sqr", k->t, k->t},
                  {&k->mask, "d_tMask", k->c, k->c},
                  {&k->masked, "d_mask_conv", k->c, k->c}};
    const uint64_t points = (uint64_t)k->points;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i].array = device_f32(h, arrays[i].name, points * (uint64_t)(arrays[i].rows * arrays[i].columns));
    k->frame = device_f32(h, "d_frame", (uint64_t)k->rows * (uint64_t)k->columns);
    k->row = device_i32(h, "d_Row", points);
    k->column = device_i32(h, "d_Col", points);
    k->to_row = device_i32(h, "d_tRowLoc", points * (uint64_t)k->frames);
    k->to_column = device_i32(h, "d_tColLoc", points * (uint64_t)k->frames);
    k->row_before = host_alloc(h, points * sizeof(int32_t));
    k->column_before = host_alloc(h, points * sizeof(int32_t));
}

static void heartwall_host(struct host *h, void *state)
{
    struct heartwall *k = state;
    k->points = option(h, "points");
    k->frames = option(h, "frames");
    k->rows = option(h, "rows");
    k->columns = option(h, "columns");
    k->reach = option(h, "template");
    k->range = option(h, "search");
    k->move = option(h, "move");
    if (k->range < k->reach) host_fail(h, "search: found %d, expected at least template, %d", k->range, k->reach);
    k->t = 2 * k->reach + 1;
    k->a = 2 * k->range + 1;
    k->c = k->t + k->a - 1;
    k->p = k->a + 2 * k->t;
    make_arrays(h, k);
    make_film(h, k);
    place_points(h, k);
    const uint64_t size = k->frame.array->count;
    for (k->number = 0; k->number < k->frames; k->number++) {
        memcpy(k->frame.host, k->film + (uint64_t)k->number * size, size * sizeof(float));
        simt_launch(h, &(struct launch){.name = "kernel",
                                        .kernel = kernel,
                                        .args = k,
                                        .grid = {(uint32_t)k->points},
                                        .block = {THREADS},
                                        .regs = 40,
                                        .shared_bytes = 4 * (uint32_t)(2 * k->t + 3 + 2 * k->c + k->t * k->t)});
    }
}

/* ---- The same in plain C, for a point. ---- */

struct plain {
    const struct heartwall *k;
    float *template, *area, *conv, *sums, *square_sums, *padded, *strip;
    int32_t row, column;
};

static void plain_select(float *to, int side, const float *from, int rows, int row, int column)
{
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) to[j * side + i] = from[(column + j) * rows + row + i];
}

static void plain_window_sums(const struct plain *s, bool squares, float *to)
{
    const int t = s->k->t, a = s->k->a, c = s->k->c, p = s->k->p;
    memset(s->padded, 0, sizeof(float) * (size_t)(p * p));
    for (int j = 0; j < a; j++)
        for (int i = 0; i < a; i++) {
            const float value = s->area[j * a + i];
            s->padded[(j + t) * p + i + t] = squares ? value * value : value;
        }
    for (int j = 0; j < p; j++)
        for (int i = 1; i < p; i++) s->padded[j * p + i] += s->padded[j * p + i - 1];
    for (int j = 0; j < p; j++)
        for (int i = 0; i < c; i++) {
            const float value = s->padded[j * p + i + t] - s->padded[j * p + i];
            s->strip[j * c + i] = j ? value + s->strip[(j - 1) * c + i] : value;
        }
    for (int i = 0; i < c * c; i++) to[i] = s->strip[i + t * c] - s->strip[i];
}

static void plain_convolve(const struct plain *s)
{
    const int t = s->k->t, a = s->k->a, c = s->k->c;
    for (int e = 0; e < c * c; e++) {
        const int column = e / c, row = e % c;
        float sum = 0;
        for (int j = column > a - 1 ? column - a + 1 : 0; j <= column && j < t; j++)
            for (int i = row > a - 1 ? row - a + 1 : 0; i <= row && i < t; i++)
                sum = s->template[t * t - 1 - j * t - i] * s -> area[(column - j) * a + row - i] + sum;
        s->conv[e] = sum;
    }
}

static void plain_correlate(const struct plain *s)
{
    const int t = s->k->t, c = s->k->c;
    const float size = (float)(t * t);
    float sum = 0, square_sum = 0;
    for (int j = 0; j < t; j++) {
        float part = 0;
        for (int i = 0; i < t; i++) part += s->template[j * t + i];
        sum += part;
    }
    for (int i = 0; i < t; i++) {
        float part = 0;
        for (int j = 0; j < t; j++) part += s->template[j * t + i] * s -> template[j * t + i];
        square_sum += part;
    }
    const float mean = sum / size, deviation = sqrtf(square_sum / size - mean * mean) * sqrtf(size - 1);
    for (int e = 0; e < c * c; e++) {
        const float rest = s->square_sums[e] - s->sums[e] * s->sums[e] / size;
        const float denominator = sqrtf(rest > 0 ? rest : 0) * deviation;
        s->conv[e] = (s->conv[e] - s->sums[e] * sum / size) / denominator;
    }
}

/* Where the correlation is greatest near the last place; places of the mask that are counted twice do not exist. */
static int plain_find(const struct plain *s, int row, int column)
{
    const int c = s->k->c, m = s->k->move;
    float greatest = 0;
    int best = 0;
    for (int e = 0; e < c * c; e++) {
        const int j = e / c + m / 2 - column, i = e % c + m / 2 - row;
        const bool near = j >= 0 && j < m && i >= 0 && i < m;
        const float value = fabsf(s->conv[e] * (near ? 1.0f : 0.0f));
        if (value > greatest) {
            greatest = value;
            best = e;
        }
    }
    return best;
}

static void plain_frame(struct plain *s, const float *frame, int number, int32_t *place)
{
    const struct heartwall *k = s->k;
    const int centre = k->range + k->reach, t = k->t;
    plain_select(s->area, k->a, frame, k->rows, s->row - k->range, s->column - k->range);
    plain_convolve(s);
    plain_window_sums(s, false, s->sums);
    plain_window_sums(s, true, s->square_sums);
    plain_correlate(s);
    const int best = plain_find(s, place[0] - s->row + centre, place[1] - s->column + centre);
    place[0] = s->row + best % k->c - centre;
    place[1] = s->column + best / k->c - centre;
    if (number % UPDATE) return;
    s->row = place[0];
    s->column = place[1];
    for (int j = 0; j < t; j++)
        for (int i = 0; i < t; i++) {
            const float fresh = frame[(s->column - k->reach + j) * k->rows + s->row - k->reach + i] * (1 - ALPHA);
            s->template[j * t + i] = s->template[j * t + i] * ALPHA + fresh;
        }
}

static struct plain plain_open(struct host *h, const struct heartwall *k)
{
    const size_t t = (size_t)k->t, a = (size_t)k->a, c = (size_t)k->c, p = (size_t)k->p, f = sizeof(float);
    return (struct plain){.k = k,
                          .template = host_alloc(h, (uint64_t)k->points * t * t * f),
                          .area = host_alloc(h, a * a * f),
                          .conv = host_alloc(h, c * c * f),
                          .sums = host_alloc(h, c * c * f),
                          .square_sums = host_alloc(h, c * c * f),
                          .padded = host_alloc(h, p * p * f),
                          .strip = host_alloc(h, c * p * f)};
}

static bool heartwall_check(struct host *h, void *state, struct error *err)
{
    const struct heartwall *k = state;
    const uint64_t size = k->frame.array->count, places = (uint64_t)(k->points * k->frames) * sizeof(int32_t);
    struct plain s = plain_open(h, k);
    int32_t *rows = host_alloc(h, places), *columns = host_alloc(h, places);
    float *templates = s.template;
    for (int point = 0; point < k->points; point++, s.template += k->t * k->t) {
        int32_t place[] = {s.row = k->row_before[point], s.column = k->column_before[point]};
        plain_select(s.template, k->t, k->film, k->rows, s.row - k->reach, s.column - k->reach);
        for (int f = 0; f < k->frames; f++) {
            if (f) plain_frame(&s, k->film + (uint64_t)f * size, f, place);
            rows[point * k->frames + f] = place[0];
            columns[point * k->frames + f] = place[1];
        }
    }
    return check_i32(k->to_row, rows, err) && check_i32(k->to_column, columns, err) &&
           check_f32(k->template, templates, 0, err);
}

static const struct kernel_def heartwall = {
    .name = "heartwall",
    .summary = "points tracked through a film by correlation with templates",
    .origin = "Rodinia heartwall",
    .options = {{"points", "thread blocks", NULL, 51, 1, 1024},
                {"frames", "launches; the first one only takes the templates", NULL, 2, 1, 104},
                {"rows", "of a frame", NULL, 609, 1, 4096},
                {"columns", "of a frame", NULL, 590, 1, 4096},
                {"template", "elements of a template to each side of its point", NULL, 10, 1, 25},
                {"search", "elements of the area that is searched, likewise", NULL, 16, 1, 40},
                {"move", "elements that a point moves between frames", NULL, 10, 1, 20}},
    .suites = "rodinia",
    .tables = "Gu20 2.3, 3.1",
    .small = "points=2,rows=60,columns=60,template=2,search=4",
    .reduced = "points=8,rows=120,columns=110,template=6,search=10",
    .state_bytes = sizeof(struct heartwall),
    .host = heartwall_host,
    .check = heartwall_check,
};
KERNEL_REGISTER(heartwall)
