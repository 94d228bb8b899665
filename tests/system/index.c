/* SPDX-License-Identifier: Apache-2.0 */
/* Sets and partitions of lines in the machine; tests/blocks/set_hash_reference.c tests the functions alone. */
#include "system/cache/index.h"
#include "system/named.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

static const struct env env;

static void open_sets(struct line_index *x, const char *f, uint32_t sets)
{
    struct error err = {0};
    cr_assert(index_open_sets(x, &env, SET_INDEX(f), sets, "l1d.0.index", &err), "%s", err.text);
}

static void open_partitions(struct line_index *x, const char *map, uint32_t count)
{
    struct error err = {0};
    cr_assert(index_open_partitions(x, &env, PARTITION_MAP(map), count, "xbar.map", &err), "%s", err.text);
}

/* Line 1000 under each function, as in rtl/set_hash/README.md; GPGPU-Sim's: 8, and bits 6 to 8 are 7. */
Test(index, each_name_is_its_function_of_the_block)
{
    static const struct {
        const char *name;
        uint32_t set;
    } rows[] = {{"bmod", 8},     {"bxor", 23}, {"pmod", 8},   {"a_prime", 1},
                {"d_prime", 31}, {"ipoly", 4}, {"fermi", 15}, {"xorshift", 15}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct line_index x;
        open_sets(&x, rows[i].name, 32);
        cr_expect_eq(index_of(&x, 1000), rows[i].set, "function %s", rows[i].name);
        index_close(&x);
    }
}

Test(index, one_set_and_one_partition_need_no_block)
{
    struct line_index x;
    open_sets(&x, "bmod", 1);
    cr_expect_null(x.socket.block);
    cr_expect_eq(index_of(&x, 12345), 0);
    index_close(&x);
    for (uint32_t map = 0; map < policies_of("partition map"); map++) {
        open_partitions(&x, policy_at("partition map", map)->name, 1);
        cr_expect_eq(index_of(&x, 12345), 0);
        cr_expect_eq(index_local(&x, 12345), 12345);
        index_close(&x);
    }
}

/* The remembered address must not outlive its use: two of them in turn, each asked once or again. */
Test(index, what_is_remembered_is_what_was_asked)
{
    struct line_index x;
    struct rng rng;
    rng_seed(&rng, 5);
    open_sets(&x, "pmod", 64);
    for (int i = 0; i < 10000; i++) {
        const uint64_t line = rng_below(&rng, 4) ? rng_below(&rng, 3) : rng_u64(&rng) >> 23;
        for (uint64_t again = rng_below(&rng, 3) + 1; again > 0; again--) cr_assert_eq(index_of(&x, line), line % 61);
    }
    index_close(&x);
}

static void expect_error(bool opened, const struct error *err, const char *what)
{
    cr_expect_not(opened);
    cr_expect(strstr(err->text, what), "found \"%s\", expected something about %s", err->text, what);
}

Test(index, what_cannot_be_had_is_named)
{
    const struct env rtl = {.rtl_blocks = "mshr,set_hash"};
    struct line_index x;
    struct error err = {0};
    expect_error(index_open_sets(&x, &rtl, SET_INDEX("bxor"), 32, "l1d.3.index", &err), &err, "l1d.3.index");
    index_close(&x);
    err = (struct error){0};
    expect_error(index_open_sets(&x, &env, SET_INDEX("fermi"), 64, "l2.0.index", &err), &err, "FERMI");
    index_close(&x);
    err = (struct error){0};
    expect_error(index_open_sets(&x, &env, SET_INDEX("bxor"), 1u << 17, "l2.0.index", &err), &err, "IndexW");
    index_close(&x);
}

enum { MOST = 512 }; /* 128 partitions of 4 slices */

/* Units 0 to 2^14: none of them shares partition and local address with another. */
static void check_partitions(const char *map, uint32_t count, uint32_t used)
{
    enum { UNITS = 1 << 14 };
    bool *seen = calloc(MOST * UNITS, 1), hit[MOST] = {false};
    struct line_index x;
    open_partitions(&x, map, count);
    for (uint64_t unit = 0; unit < UNITS; unit++) {
        const uint32_t p = index_of(&x, unit);
        const uint64_t local = index_local(&x, unit);
        cr_assert_lt(p, used, "map %s count %u", map, count);
        cr_assert_leq(local, unit);
        cr_assert_not(seen[p * UNITS + local], "map %s count %u unit %llu", map, count, (unsigned long long)unit);
        seen[p * UNITS + local] = hit[p] = true;
    }
    for (uint32_t p = 0; p < used; p++) cr_assert(hit[p], "map %s count %u partition %u", map, count, p);
    index_close(&x);
    free(seen);
}

Test(index, partition_and_local_address_together_tell_the_unit)
{
    const uint32_t primes[] = {2,  3,  5,  7,  11, 13, 17, 19, 23, 29,  31,  37,  41,  43,  47, 53,
                               59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127};
    for (uint32_t n = 1; n <= 128; n++) {
        uint32_t prime = 1;
        for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
            if (primes[i] <= n) prime = primes[i];
        check_partitions("modulo", n, n);
        check_partitions("prime", n, prime);
        check_partitions("rotated", n, n);
        if (n & (n - 1)) continue;
        check_partitions("xor", n, n);
        check_partitions("xorshift", n, n);
        check_partitions("ipoly", n, n);
        check_partitions("a_prime", n, n);
        check_partitions("d_prime", n, n);
    }
}

/* With partition.map_of = slices. */
Test(index, a_map_of_all_slices_of_the_largest_machines)
{
    static const char *const maps[] = {"modulo", "rotated", "xor", "xorshift", "ipoly", "a_prime", "d_prime"};
    for (uint32_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        check_partitions(maps[i], 256, 256);
        check_partitions(maps[i], 512, 512);
    }
    check_partitions("prime", 256, 251);
    check_partitions("prime", 512, 509);
}

/* A stride of the number of partitions: modulo it takes one of them, rotated all. */
Test(index, rotated_partitions_spread_a_stride)
{
    static const uint32_t counts[] = {12, 40, 48, 80, 127};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint32_t hits[MOST] = {0}, most = 0;
        struct line_index x;
        open_partitions(&x, "rotated", counts[i]);
        for (uint64_t n = 0; n < 4096; n++) hits[index_of(&x, n * counts[i])]++;
        for (uint32_t p = 0; p < counts[i]; p++) most = hits[p] > most ? hits[p] : most;
        cr_expect_lt(most, 3 * 4096 / counts[i], "%u of 4096 in one of %u", most, counts[i]);
        index_close(&x);
    }
}

/* Dai17, section 3.7: 13 partitions, 31 modulo 16, 11 T + x. */
Test(index, the_papers_sixteen_partitions)
{
    static const struct {
        const char *map;
        uint32_t count, unit, partition, local;
    } rows[] = {{"prime", 16, 100, 100 % 13, 100 / 13},
                {"modulo", 6, 100, 4, 16},
                {"modulo", 16, 100, 4, 6},
                {"xor", 16, 0x35, 0x6, 3},
                {"xorshift", 16, 0x235, 0x7, 0x23},
                {"a_prime", 16, 100, 7, 6},  /* 100 = 3 * 31 + 7: the first fold of quotient 3 */
                {"a_prime", 16, 120, 11, 7}, /* 120 = 3 * 31 + 27: the second */
                {"d_prime", 16, 100, (6 * 11 + 4) % 16, 6},
                {"ipoly", 16, 100, 14, 6}}; /* x^6 + x^5 + x^2 modulo x^4 + x + 1 is x^3 + x^2 + x */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct line_index x;
        open_partitions(&x, rows[i].map, rows[i].count);
        cr_expect_eq(index_of(&x, rows[i].unit), rows[i].partition, "row %zu", i);
        cr_expect_eq(index_local(&x, rows[i].unit), rows[i].local, "row %zu", i);
        index_close(&x);
    }
}
