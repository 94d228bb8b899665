/* SPDX-License-Identifier: Apache-2.0 */
/* Copies from the host that leave their data in the L2 (l2.host_copies). */
#include <stdio.h>

#include "machine.h"

static struct machine t;

static void open_with(const char *more)
{
    machine_open(
        &t, (const char *const[]){"l2.host_copies=true", "partition.count=4", "l2.sets=16", "l2.ways=4", more, NULL},
        NULL);
    memory_tick(t.m);
}

static void copy(uint64_t addr, uint64_t bytes)
{
    memory_copied(t.m, &(struct host_copy){addr, bytes, 0});
}

/* Reads of lines `first` to `last`, one after the other; how many of them hit. */
static uint64_t hits_of(uint64_t first, uint64_t last)
{
    const uint64_t before = t.s.l2_hits;
    for (uint64_t line = first; line <= last; line++) {
        machine_send(&t, 0, REQUEST_READ, line, LINE_BYTES);
        machine_drain(&t);
    }
    return t.s.l2_hits - before;
}

Test(host_copies, reads_of_copied_lines_hit)
{
    open_with(NULL);
    copy(0x1000 + 5, 20 * LINE_BYTES);
    cr_expect_eq(hits_of(0x20, 0x34), 21); /* the first and the last in part */
    cr_expect_eq(t.s.dram_reads, 0);
    cr_expect_eq(hits_of(0x1f, 0x1f) + hits_of(0x35, 0x35), 0);
    machine_close(&t);
}

/* A request of a line is four of sectors; three of these were copied. */
Test(host_copies, sectors_come_alone)
{
    open_with("l2.sector_bytes=32");
    copy(0x2000 + 32, 96);
    cr_expect_eq(hits_of(0x40, 0x40), 3);
    cr_expect_eq(t.s.l2_misses, 1);
    machine_close(&t);
}

/* Four slices of 64 lines. */
Test(host_copies, the_last_bytes_of_a_large_copy_stay)
{
    open_with(NULL);
    copy(0, 100000 * LINE_BYTES);
    cr_expect_eq(hits_of(100000 - 256, 100000 - 1), 256);
    machine_close(&t);
    open_with(NULL);
    copy(0, UINT64_MAX);
    cr_expect_eq(hits_of((UINT64_MAX >> LINE_SHIFT) - 3, UINT64_MAX >> LINE_SHIFT), 4);
    machine_close(&t);
}

/* Hits of the last lines after a copy of 40 times the L2, in so many pieces. */
static uint64_t hits_after(const char *option, uint64_t pieces)
{
    const uint64_t lines = 40 * 256 + 3, first = 77;
    open_with(option);
    for (uint64_t i = 0, at = 0; i < pieces; i++) {
        const uint64_t next = lines * (i + 1) / pieces;
        copy((first + at) * LINE_BYTES, (next - at) * LINE_BYTES);
        at = next;
    }
    uint64_t hits = 0;
    for (uint64_t n = 1; n <= 1024; n++) hits += hits_of(first + lines - n, first + lines - n); /* the newest first */
    machine_close(&t);
    return hits;
}

/* Of a large copy only the end is made: no map leaves a set with older lines. */
Test(host_copies, a_large_copy_is_that_of_its_pieces)
{
    static const char *const options[] = {
        "partition.map=a_prime", "partition.map=d_prime", "partition.map=ipoly", "partition.map=modulo",
        "partition.map=prime",   "partition.map=rotated", "partition.map=xor",   "partition.map=xorshift",
        "l2.index=a_prime",      "l2.index=bxor",         "l2.index=d_prime",    "l2.index=ipoly",
        "l2.index=pmod",         "l2.index=xorshift",     "l2.sector_bytes=32",  "partition.count=3"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        cr_expect_eq(hits_after(options[i], 1), hits_after(options[i], 41), "%s", options[i]);
}

/* The reference drops what it replaces. */
Test(host_copies, a_dirty_line_is_replaced_without_a_write)
{
    open_with(NULL);
    machine_send(&t, 0, REQUEST_WRITE, 7, LINE_BYTES);
    machine_drain(&t);
    copy(7 * LINE_BYTES, 4);
    cr_expect_eq(t.s.l2_dropped_dirty, 1);
    machine_send(&t, 0, REQUEST_WRITE, 9, LINE_BYTES);
    machine_drain(&t);
    copy(0x100000, 256 * LINE_BYTES);
    cr_expect_eq(hits_of(9, 9), 0);
    cr_expect_eq(t.s.l2_dropped_dirty, 2);
    cr_expect_eq(t.s.l2_writebacks, 0);
    machine_close(&t);
}

Test(host_copies, a_line_being_fetched_stays)
{
    open_with(NULL);
    machine_send(&t, 0, REQUEST_READ, 7, LINE_BYTES);
    machine_until(&t, 60);
    cr_assert_eq(t.s.l2_misses, 1);
    copy(7 * LINE_BYTES, LINE_BYTES);
    machine_drain(&t);
    cr_expect_eq(hits_of(7, 7), 1);
    machine_close(&t);
}
