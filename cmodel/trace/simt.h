/* SPDX-License-Identifier: Apache-2.0 */
/* The SIMT layer: kernels written once in C, almost as in CUDA, and executed for real.
 *
 * A kernel is a C function that every warp runs, `static void k(struct warp *w)`.  Its values are vectors of 32 lanes
 * (vi32, vu32, vf32, and vbool for predicates), each with the register that holds it, so that the recorded
 * instructions carry the true data dependences.  The macros below expect the warp to be called `w`.
 *
 *     vi32 i = vglobal_x();
 *     SIMT_IF(vlt(i, k->n)) {
 *         vstore(k->c, i, vadd(vload(k->a, i), vload(k->b, i)));
 *     }
 *
 * Instruction counts.  Each operation on vectors records one instruction (struct inst): SP for arithmetic and
 * compares of floats, INT for those of integers and for moves and conversions, SFU for vdiv, vsqrt, vrsqrt, vexp,
 * vexp2, vlog, vsin and vcos, one memory instruction for a load, store or atomic.  GPUs do not divide integers: vquot
 * is the 24 instructions that nvcc makes of it (23 INT around the reciprocal, an SFU), vrem 22 (nvcc 13.0, sm_75).  In
 * front of a memory instruction whose index is in a register stands one INT instruction, the multiply-add of its
 * address.  SIMT_IF, each test of SIMT_WHILE, SIMT_BREAK and SIMT_RETURN cost one INT instruction, the branch; special
 * registers (vthread_x) one, vglobal_x three.  Scalars (int, unsigned, float) are immediates or kernel arguments in the
 * constant bank, which cost nothing; C loops with constant bounds are loops that the compiler unrolled. Where no lane
 * is active nothing is recorded.
 *
 * Registers.  A launch declares its registers per thread.  vvar() declares a variable: it keeps one register until the
 * enclosing SIMT_IF, SIMT_ELSE or iteration of SIMT_WHILE ends, and only it may be assigned (vset: active lanes only).
 * Every other value is a temporary in one of the remaining registers, taken in turn; reading one whose register
 * went to a later value is an error, so a long-lived value is declared with vvar().  Predicates have registers of
 * their own, P0..P6, numbered 248..254.
 *
 * Divergence.  SIMT_IF, SIMT_ELSE and SIMT_WHILE are statements followed by a block; lanes reconverge at its end.
 * Never leave such a block with C's break, continue, goto or return: SIMT_BREAK and SIMT_RETURN do it per lane.
 *
 * Order.  Operands are evaluated from the last to the first, so vadd(vload(a, i), vload(b, i)) loads b before a, with
 * every compiler.  C leaves the order of a function's arguments and of an initialiser's members open: at most one of
 * them may record instructions.
 *
 * The results of inactive lanes are unspecified but for loads, which give 0.  vmad() rounds twice, as plain C does.
 * PCs are multiples of 8, distinct for each place in the source (32 bytes a place), the same in every run; that
 * of the exit is 0. */
#ifndef MEMTWIN_SIMT_H
#define MEMTWIN_SIMT_H
#include "base/rng.h"
#include "trace/simt_order.h"
#include "trace/simt_types.h"

/* ---- Arithmetic: vector, then vector or scalar of the same type. ---- */
#define SIMT_PC ((uint32_t)(__COUNTER__ + 1) * 32u)
#define V(x)                                                                                                           \
    _Generic((x), vi32                                                                                                 \
             : simt_same_vi32, vu32                                                                                    \
             : simt_same_vu32, vf32                                                                                    \
             : simt_same_vf32, vbool                                                                                   \
             : simt_same_vbool, int                                                                                    \
             : simt_imm_i32, unsigned                                                                                  \
             : simt_imm_u32, float                                                                                     \
             : simt_imm_f32)(x)
#define SIMT_ON_NUMBER(op, a) _Generic((a), vi32 : simt_##op##_vi32, vu32 : simt_##op##_vu32, vf32 : simt_##op##_vf32)
#define SIMT_ON_BITS(op, a) _Generic((a), vi32 : simt_##op##_vi32, vu32 : simt_##op##_vu32, vbool : simt_##op##_vbool)
#define SIMT_ON_INTEGER(op, a) _Generic((a), vi32 : simt_##op##_vi32, vu32 : simt_##op##_vu32)

#define vadd(a, b) SIMT_CALL_2(SIMT_ON_NUMBER(add, a), (a), V(b))
#define vsub(a, b) SIMT_CALL_2(SIMT_ON_NUMBER(sub, a), (a), V(b))
#define vmul(a, b) SIMT_CALL_2(SIMT_ON_NUMBER(mul, a), (a), V(b))
#define vmin(a, b) SIMT_CALL_2(SIMT_ON_NUMBER(min, a), (a), V(b))
#define vmax(a, b) SIMT_CALL_2(SIMT_ON_NUMBER(max, a), (a), V(b))
#define vmad(a, b, c) SIMT_CALL_3(SIMT_ON_NUMBER(mad, a), (a), V(b), V(c)) /* a * b + c */
#define vand(a, b) SIMT_CALL_2(SIMT_ON_BITS(and, a), (a), V(b))            /* these three on predicates too */
#define vor(a, b) SIMT_CALL_2(SIMT_ON_BITS(or, a), (a), V(b))
#define vxor(a, b) SIMT_CALL_2(SIMT_ON_BITS(xor, a), (a), V(b))
#define vshl(a, b) SIMT_CALL_2(SIMT_ON_INTEGER(shl, a), (a), V(b)) /* by 0..31; vshr of vi32 keeps the sign */
#define vshr(a, b) SIMT_CALL_2(SIMT_ON_INTEGER(shr, a), (a), V(b))
#define vlt(a, b) SIMT_CALL_2(SIMT_ON_NUMBER(lt, a), (a), V(b))
#define vle(a, b) SIMT_CALL_2(SIMT_ON_NUMBER(le, a), (a), V(b))
#define vgt(a, b) SIMT_CALL_2(SIMT_ON_NUMBER(gt, a), (a), V(b))
#define vge(a, b) SIMT_CALL_2(SIMT_ON_NUMBER(ge, a), (a), V(b))
#define veq(a, b) SIMT_CALL_2(SIMT_ON_NUMBER(eq, a), (a), V(b))
#define vne(a, b) SIMT_CALL_2(SIMT_ON_NUMBER(ne, a), (a), V(b))
#define vselect(p, a, b) SIMT_CALL_3(SIMT_ON_NUMBER(select, a), (p), (a), V(b)) /* p ? a : b */
#define vdiv(a, b) SIMT_CALL_2(simt_div_vf32, V(a), V(b))
#define vsqrt(a) simt_sqrt_vf32(w, SIMT_PC, (a))
#define vrsqrt(a) simt_rsqrt_vf32(w, SIMT_PC, (a)) /* 1 / sqrt(a), rounded twice */
#define vexp(a) simt_exp_vf32(w, SIMT_PC, (a))
#define vlog(a) simt_log_vf32(w, SIMT_PC, (a))
#define vexp2(a) simt_exp2_vf32(w, SIMT_PC, (a))
#define vsin(a) simt_sin_vf32(w, SIMT_PC, (a))
#define vcos(a) simt_cos_vf32(w, SIMT_PC, (a))
#define vabs(a) _Generic((a), vi32 : simt_abs_vi32, vf32 : simt_abs_vf32)(w, SIMT_PC, (a))
#define vfloat(a) _Generic((a), vi32 : simt_float_vi32, vu32 : simt_float_vu32)(w, SIMT_PC, (a)) /* to float */
#define vtrunc(a) simt_trunc_vf32(w, SIMT_PC, (a))           /* float to int, towards 0; saturates, NaN gives 0 */
#define vint(a) simt_int_vu32(a)                             /* the same bits as a signed number; no instruction */
#define vuint(a) simt_uint_vi32(a)                           /* the same of a signed one as an unsigned one */
#define vquot(a, b) SIMT_CALL_2(simt_quot_vi32, (a), V(b))   /* a / b; by 0: -1 */
#define vrem(a, b) SIMT_CALL_2(simt_rem_vi32, (a), V(b))     /* a % b; by 0: a */
#define vall(p) simt_all_vbool(w, SIMT_PC, (p))              /* true if p is in all active lanes: a vote */
#define vmulhi(a, b) SIMT_CALL_2(simt_mulhi_vi32, (a), V(b)) /* upper 32 bits of the product */

/* ---- Variables. ---- */
#define vvar(x) SIMT_ON_NUMBER(var, V(x))(w, SIMT_PC, V(x))
#define vset(x, value) SIMT_CALL_2(SIMT_ON_NUMBER(set, x), &(x), V(value))

/* ---- Where a thread is.  Block and grid numbers are scalars. ---- */
#define vthread_x() simt_thread(w, SIMT_PC, 0)
#define vthread_y() simt_thread(w, SIMT_PC, 1)
#define vlane() simt_lane(w, SIMT_PC)
#define vglobal_x() simt_global_index(w, SIMT_PC, 0) /* blockIdx.x * blockDim.x + threadIdx.x */
#define vglobal_y() simt_global_index(w, SIMT_PC, 1)
#define BLOCK_X simt_block_index(w, 0)
#define BLOCK_Y simt_block_index(w, 1)
#define WARP_INDEX simt_warp_index(w) /* in its thread block */
#define BLOCK_DIM_X simt_block_dim(w, 0)
#define BLOCK_DIM_Y simt_block_dim(w, 1)
#define GRID_DIM_X simt_grid_dim(w, 0)
#define GRID_THREADS_X (BLOCK_DIM_X * GRID_DIM_X)

/* ---- Memory: arrays of global memory (gf32 gi32 gu32 gu8) and of shared memory (sf32 si32 su32 su8), indexed by
 * int. ---- */
#define vload(g, i)                                                                                                    \
    SIMT_CALL_2(_Generic((g), gf32                                                                                     \
                         : simt_load_gf32, gi32                                                                        \
                         : simt_load_gi32, gu32                                                                        \
                         : simt_load_gu32, gu8                                                                         \
                         : simt_load_gu8, sf32                                                                         \
                         : simt_load_sf32, si32                                                                        \
                         : simt_load_si32, su32                                                                        \
                         : simt_load_su32, su8                                                                         \
                         : simt_load_su8),                                                                             \
                (g), V(i))
#define vstore(g, i, value)                                                                                            \
    SIMT_CALL_3(_Generic((g), gf32                                                                                     \
                         : simt_store_gf32, gi32                                                                       \
                         : simt_store_gi32, gu32                                                                       \
                         : simt_store_gu32, gu8                                                                        \
                         : simt_store_gu8, sf32                                                                        \
                         : simt_store_sf32, si32                                                                       \
                         : simt_store_si32, su32                                                                       \
                         : simt_store_su32, su8                                                                        \
                         : simt_store_su8),                                                                            \
                (g), V(i), V(value))
/* Bytes [offset, offset + size) of element i of an array of records; size 1, 2, 4, 8 or 16, the access aligned to
 * it. */
#define vload_part(g, i, offset, size) simt_load_part(w, SIMT_PC, (g), V(i), (offset), (size))
#define vconstant_part(c, i, offset, size) simt_constant_part(w, SIMT_PC, (c), V(i), (offset), (size))
#define vstore_part(g, i, offset, size, value) simt_store_part(w, SIMT_PC, (g), V(i), (offset), (size), &(value))
/* The first four bytes of a vload_part() result, as a number; no instruction. */
#define vpart_f32(part) simt_f32_vpart(part)
#define vpart_i32(part) simt_i32_vpart(part)

/* Atomics on global memory: performed lane by lane, lowest first.  vatomic_* return the old values, vred_* do not
 * (vred_xor: integers only).  On shared memory vred_add is the loop of GPUs without shared-memory atomics: each
 * round serves, for every word, the lowest remaining lane (load, add, store). */
#define SIMT_ON_ARRAY(op, g) _Generic((g), gi32 : simt_##op##_gi32, gu32 : simt_##op##_gu32, gf32 : simt_##op##_gf32)
#define vatomic_add(g, i, value) SIMT_CALL_3(SIMT_ON_ARRAY(atomic_add, g), (g), V(i), V(value), true)
#define vatomic_min(g, i, value) SIMT_CALL_3(SIMT_ON_ARRAY(atomic_min, g), (g), V(i), V(value), true)
#define vatomic_exch(g, i, value) SIMT_CALL_3(SIMT_ON_ARRAY(atomic_exch, g), (g), V(i), V(value), true)
#define vred_add(g, i, value)                                                                                          \
    ((void)SIMT_CALL_3(_Generic((g), gi32                                                                              \
                                : simt_atomic_add_gi32, gu32                                                           \
                                : simt_atomic_add_gu32, gf32                                                           \
                                : simt_atomic_add_gf32, su32                                                           \
                                : simt_red_add_su32),                                                                  \
                       (g), V(i), V(value), false))
#define vred_xor(g, i, value)                                                                                          \
    ((void)SIMT_CALL_3(_Generic((g), gi32                                                                              \
                                : simt_atomic_xor_gi32, gu32                                                           \
                                : simt_atomic_xor_gu32),                                                               \
                       (g), V(i), V(value), false))

/* Shared memory of the thread block, initially zero.  Each declaration allocates the next part of the launch's size. */
#define vshared_f32(name, count) ((sf32){simt_shared(w, (name), (count)), (count), (name)})
#define vshared_i32(name, count) ((si32){simt_shared(w, (name), (count)), (count), (name)})
#define vshared_u32(name, count) ((su32){simt_shared(w, (name), (count)), (count), (name)})
/* The same memory by bytes, like a pointer cast. */
#define vshared_bytes(words) ((su8){(words).offset, 4 * (words).count, (words).name})

/* ---- Control. ---- */
#define SIMT_IF(condition) for (simt_if(w, SIMT_PC, (condition)); simt_enter(w);)
#define SIMT_ELSE for (simt_else(w); simt_enter(w);) /* right after the block of a SIMT_IF */
#define SIMT_WHILE(condition) for (simt_loop(w); simt_again(w, SIMT_PC, (simt_top(w), (condition)));)
#define SIMT_BREAK simt_break(w, SIMT_PC)   /* the active lanes leave the innermost SIMT_WHILE */
#define SIMT_RETURN simt_return(w, SIMT_PC) /* the active lanes leave the kernel */
#define vsync() simt_barrier(w, SIMT_PC)    /* an error in divergent code */

/* The launch's arguments. */
const void *simt_args(const struct warp *w);

/* ---- The host side of a workload.  It runs as a coroutine: simt_launch() returns when the reader has read all of
 * the kernel.  Results of the functions below live as long as the source. ---- */
struct host;

struct launch {
    const char *name;
    void (*kernel)(struct warp *w);
    const void *args;           /* must not change until simt_launch() returns */
    uint32_t grid[3], block[3]; /* 0 counts as 1 */
    uint32_t regs;              /* per thread, 4..248 */
    uint32_t shared_bytes;
};

void simt_launch(struct host *h, const struct launch *launch);

/* Number of thread blocks of `block` threads that cover `n` threads. */
static inline uint32_t blocks_for(int n, int block)
{
    return ((uint32_t)n + (uint32_t)block - 1) / (uint32_t)block;
}

/* Arrays of device memory, zeroed; all are allocated before the first launch.  The member `host` is the host's view. */
gf32 device_f32(struct host *h, const char *name, uint64_t count);
gi32 device_i32(struct host *h, const char *name, uint64_t count);
gu32 device_u32(struct host *h, const char *name, uint64_t count);
gu8 device_u8(struct host *h, const char *name, uint64_t count);
/* Row after row: the list of allocations has their pitch. */
gf32 device_f32_2d(struct host *h, const char *name, uint64_t rows, uint64_t columns);
gi32 device_i32_2d(struct host *h, const char *name, uint64_t rows, uint64_t columns);
graw device_raw(struct host *h, const char *name, uint64_t count, uint32_t element_bytes);
/* Constant memory, at most 64 KiB in all.  Kernels only read it; the host writes it, also between launches. */
craw constant_raw(struct host *h, const char *name, uint64_t count, uint32_t element_bytes);
/* The same memory as an array of another type, like a pointer cast. */
graw device_view(struct host *h, graw array, uint64_t count, uint32_t element_bytes);

void *host_alloc(struct host *h, uint64_t bytes); /* zeroed host memory */
struct rng *host_rng(struct host *h);
int option(struct host *h, const char *name); /* of a choice: its position */
/* Stops the workload with this error; does not return. */
void host_fail(struct host *h, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
#endif
