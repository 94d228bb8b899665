/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, stores and atomics: their data, the addresses that they record, and accesses outside an array. */
#include <criterion/criterion.h>

#include "trace/simt_reader.h"
#include "trace/unrolled.h"

static void strided(struct warp *w)
{
    const struct small *s = simt_args(w);
    vi32 i = vthread_x();
    SIMT_IF (vne(i, 2)) {
        vstore(s->out, i, vload(s->in, vmul(i, 3)));
    }
}
SMALL_KERNEL(small_strided, strided, 1, 8, 16, 0)

static const struct inst *find(const struct inst *t, uint32_t n, uint8_t op)
{
    for (uint32_t i = 0; i < n; i++) {
        if (t[i].op == op) return &t[i];
    }
    cr_assert_fail("no such instruction");
    return NULL;
}

/* The allocations follow each other from 0x10000000 on, in multiples of 256 bytes. */
Test(simt_memory, addresses_are_those_of_the_elements_and_0_where_inactive)
{
    struct inst t[32];
    uint32_t n = read_warp(&small_strided, t, 32, NULL);
    const struct inst *load = find(t, n, INST_LOAD), *store = find(t, n, INST_STORE);
    cr_assert_eq(load->mask, 0xfb);
    cr_assert_eq(load->size, 4);
    for (uint64_t l = 0; l < WARP_SIZE; l++) {
        bool active = l < 8 && l != 2;
        cr_assert_eq(load->addr[l], active ? 0x10000000 + l * 12 : 0);
        cr_assert_eq(store->addr[l], active ? 0x10001000 + l * 4 : 0);
    }
}

Test(simt_memory, allocations_are_listed_with_the_addresses_that_are_used)
{
    struct error err = {""};
    struct source *s = kernel_open_definition(&small_strided, NULL, 1, &err);
    cr_assert_eq(s->allocation_count, 4);
    cr_assert_str_eq(s->allocations[1].name, "out");
    cr_assert_eq(s->allocations[1].addr, 0x10001000);
    cr_assert_eq(s->allocations[1].bytes, 4096);
    s->ops->close(s);
}

static void shared_address(struct warp *w)
{
    const struct small *s = simt_args(w);
    vaddr at = vaddress(vthread_x());
    vstore_at(s->out, at, vload_at(s->in, vnext(at, 3)));
    vmove(at, 100);
    vstore_at(s->out, vnext(at, -50), vload_at(s->in, at));
}
SMALL_KERNEL(small_shared_address, shared_address, 1, 32, 16, 0)

/* The thread's number, its address, two accesses, a move, two accesses. */
Test(simt_memory, accesses_that_share_an_address_compute_it_once)
{
    struct inst t[32];
    struct source *source;
    const uint32_t n = read_warp(&small_shared_address, t, 32, NULL);
    static const uint8_t ops[] = {INST_INT, INST_INT,  INST_LOAD,  INST_STORE,
                                  INST_INT, INST_LOAD, INST_STORE, INST_EXIT};
    cr_assert_eq(n, sizeof ops);
    for (uint32_t i = 0; i < n; i++) cr_expect_eq(t[i].op, ops[i], "instruction %u", i);
    cr_expect_eq(t[2].src[0], t[1].dst); /* the address is what both depend on */
    cr_expect_eq(t[3].src[0], t[1].dst);
    cr_expect_eq(t[5].src[0], t[4].dst);
    cr_expect_eq(t[2].addr[0], 0x10000000 + 3 * 4);
    cr_expect_eq(t[6].addr[31], 0x10001000 + (31 + 50) * 4);
    const int32_t *out = run_small(&small_shared_address, &source);
    for (int i = 0; i < 32; i++) cr_expect(out[i] == i + 3 && out[i + 50] == i + 100);
    source->ops->close(source);
}

static void offset_beyond(struct warp *w)
{
    const struct small *s = simt_args(w);
    vload_at(s->in, vnext(vaddress(vthread_x()), 1000));
}
SMALL_KERNEL(small_offset_beyond, offset_beyond, 1, 32, 16, 0)

static void beyond(struct warp *w)
{
    const struct small *s = simt_args(w);
    vi32 i = vglobal_x();
    vstore(s->out, vadd(i, 1000), 1);
}
SMALL_KERNEL(small_beyond, beyond, 1, 64, 16, 0)

static void just_beyond(struct warp *w)
{
    const struct small *s = simt_args(w);
    vi32 i = vglobal_x();
    vload(s->in, vadd(i, 1024 - 31));
}
SMALL_KERNEL(small_just_beyond, just_beyond, 1, 32, 16, 0)

static void negative(struct warp *w)
{
    const struct small *s = simt_args(w);
    vload(s->in, vsub(vglobal_x(), 1));
}
SMALL_KERNEL(small_negative, negative, 1, 64, 16, 0)

static void masked_beyond(struct warp *w)
{
    const struct small *s = simt_args(w);
    vi32 i = vvar(vadd(vglobal_x(), 1020));
    SIMT_IF (vlt(i, 1024)) {
        vstore(s->out, i, 1);
    }
}
SMALL_KERNEL(small_masked_beyond, masked_beyond, 1, 64, 16, 0)

static void shared_beyond(struct warp *w)
{
    sf32 tile = vshared_f32("tile", 16);
    vstore(tile, vthread_x(), 1.0f);
}
SMALL_KERNEL(small_shared_beyond, shared_beyond, 1, 32, 16, 64)

static void too_much_shared(struct warp *w)
{
    vstore(vshared_f32("first", 8), 0, 1.0f);
    vstore(vshared_f32("second", 9), 0, 1.0f);
}
SMALL_KERNEL(small_too_much_shared, too_much_shared, 1, 32, 16, 64)

Test(simt_memory, an_index_outside_names_kernel_thread_array_and_index)
{
    const struct {
        const struct kernel_def *def;
        const char *text;
    } cases[] = {
        {&small_beyond,
         "small_beyond, kernel small_beyond, thread block (0,0,0), warp 0: thread (24,0,0): found index 1024 of "
         "array out, expected 0..1023"},
        {&small_just_beyond, "thread (31,0,0): found index 1024 of array in, expected 0..1023"},
        {&small_offset_beyond, "thread (24,0,0): found index 1024 of array in, expected 0..1023"},
        {&small_negative, "thread (0,0,0): found index -1 of array in, expected 0..1023"},
        {&small_shared_beyond, "thread (16,0,0): found index 16 of array tile, expected 0..15"},
        {&small_too_much_shared, "shared array second of 9 elements does not fit the launch's 64 bytes"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error err = {""};
        struct source *s = kernel_open_definition(cases[i].def, NULL, 1, &err);
        cr_assert_not(kernel_execute(s, &err));
        cr_assert(strstr(err.text, cases[i].text), "expected \"%s\" in \"%s\"", cases[i].text, err.text);
        s->ops->close(s);
    }
}

Test(simt_memory, inactive_lanes_may_hold_any_index)
{
    struct source *source;
    const int32_t *out = run_small(&small_masked_beyond, &source);
    for (int i = 1016; i < 1024; i++) cr_assert_eq(out[i], i >= 1020);
    source->ops->close(source);
}

static void exchange(struct warp *w)
{
    const struct small *s = simt_args(w);
    sf32 spare = vshared_f32("spare", 3);
    si32 line = vshared_i32("line", 64);
    vi32 i = vvar(vthread_x());
    vstore(spare, 0, 0.0f);
    vstore(line, i, vmul(i, 2));
    vsync();
    vstore(s->out, i, vload(line, vsub(V(63), i)));
}
SMALL_KERNEL(small_exchange, exchange, 2, 64, 16, 67 * 4)

Test(simt_memory, shared_memory_passes_values_between_warps)
{
    struct source *source;
    const int32_t *out = run_small(&small_exchange, &source);
    for (int i = 0; i < 64; i++) cr_assert_eq(out[i], 2 * (63 - i));
    source->ops->close(source);
    struct inst t[32];
    uint32_t n = read_warp(&small_exchange, t, 32, NULL);
    const struct inst *load = find(t, n, INST_SHARED_LOAD);
    for (uint64_t l = 0; l < WARP_SIZE; l++) cr_assert_eq(load->addr[l], 12 + (63 - l) * 4);
}

static void atomics(struct warp *w)
{
    const struct small *s = simt_args(w);
    vi32 i = vvar(vthread_x()), slot = vvar(vand(i, 3));
    vstore(s->out, vadd(i, 100), vatomic_add(s->out, slot, i));
    vred_add(s->out, 10, 1);
    vatomic_min(s->out, 11, vsub(V(0), i));
    vatomic_exch(s->out, 12, vadd(i, 5));
    vred_add(s->f, 0, 0.5f);
    vred_xor(s->out, vadd(slot, 13), vmul(i, 5));
}
SMALL_KERNEL(small_atomics, atomics, 1, 32, 16, 0)

Test(simt_memory, atomics_act_lane_after_lane_and_return_the_old_value)
{
    struct source *source;
    const int32_t *out = run_small(&small_atomics, &source);
    for (int i = 0; i < 4; i++) cr_assert_eq(out[i], 8 * i + 4 * 28);
    for (int i = 0; i < 32; i++) { /* before lane i: the lanes i-4, i-8, … */
        int sum = 0;
        for (int k = i - 4; k >= 0; k -= 4) sum += k;
        cr_assert_eq(out[100 + i], sum);
    }
    cr_assert_eq(out[10], 32);
    cr_assert_eq(out[11], -31);
    cr_assert_eq(out[12], 36);
    for (int i = 0; i < 4; i++) { /* of the lanes i, i+4, i+8, … */
        int want = 0;
        for (int k = i; k < 32; k += 4) want ^= 5 * k;
        cr_assert_eq(out[13 + i], want, "%d: %d, expected %d", i, out[13 + i], want);
    }
    uint64_t bytes;
    cr_assert_float_eq(((float *)kernel_memory(source, "f", &bytes))[0], 16.0f, 0);
    source->ops->close(source);
    struct inst t[64];
    uint32_t n = read_warp(&small_atomics, t, 64, NULL), with_result = 0, atomic = 0;
    for (uint32_t i = 0; i < n; i++) {
        atomic += t[i].op == INST_ATOMIC;
        with_result += t[i].op == INST_ATOMIC && t[i].dst != INST_NO_REG;
    }
    cr_assert(atomic == 6 && with_result == 3);
}

static void shared_atomics(struct warp *w)
{
    const struct small *s = simt_args(w);
    su32 count = vshared_u32("count", 4);
    vi32 i = vvar(vthread_x());
    SIMT_IF (vlt(i, 6)) {
        vred_add(count, vand(i, 3), 1u);
    }
    SIMT_IF (vlt(i, 4)) {
        vstore(s->out, i, vint(vload(count, i)));
    }
}
SMALL_KERNEL(small_shared_atomics, shared_atomics, 1, 32, 16, 16)

/* Lanes 0..5 on words 0 1 2 3 0 1: a round for lanes 0..3, one for 4 and 5. */
Test(simt_memory, shared_atomics_take_a_round_for_each_lane_on_the_same_word)
{
    struct source *source;
    const int32_t *out = run_small(&small_shared_atomics, &source);
    for (int i = 0; i < 4; i++) cr_assert_eq(out[i], i < 2 ? 2 : 1);
    source->ops->close(source);
    struct inst t[64];
    uint32_t n = read_warp(&small_shared_atomics, t, 64, NULL), rounds = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (t[i].op != INST_SHARED_STORE) continue;
        cr_assert_eq(t[i].mask, rounds ? 0x30 : 0x0f);
        rounds++;
    }
    cr_assert_eq(rounds, 2);
}

static void contended_word(struct warp *w)
{
    const struct small *s = simt_args(w);
    su32 count = vshared_u32("count", 4);
    vi32 i = vvar(vthread_x());
    vu32 weight = vvar(vuint(vadd(i, -1)));
    vred_add(count, vand(i, 0), weight);
    SIMT_IF (veq(i, 0)) {
        vstore(s->out, 0, vint(vload(count, 0)));
    }
}
SMALL_KERNEL(small_contended_word, contended_word, 1, 32, 8, 16)

Test(simt_memory, a_shared_atomic_takes_as_many_rounds_as_lanes_with_few_registers)
{
    struct source *source;
    cr_assert_eq(run_small(&small_contended_word, &source)[0], 31 * 32 / 2 - 32);
    source->ops->close(source);
    struct inst t[160];
    uint32_t n = read_warp(&small_contended_word, t, 160, NULL), rounds = 0;
    uint8_t address = INST_NO_REG;
    for (uint32_t i = 0; i < n; i++) {
        if (t[i].op != INST_SHARED_STORE) continue;
        address = rounds++ ? address : t[i].src[0];
        cr_assert(t[i].src[0] == address && t[i].src[1] != address && t[i].mask == 1u << (rounds - 1));
    }
    cr_assert_eq(rounds, 32);
}
