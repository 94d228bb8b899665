/* SPDX-License-Identifier: Apache-2.0 */
/* Unified memory in the whole machine: built-in kernels whose pages do not all fit, with every prefetcher and eviction.
 * The laws hold, and with sim.skip and without it every counter comes out the same. */
#include <criterion/criterion.h>
#include <string.h>

#include "system/run.h"
#include "trace/kernels.h"

static struct config machine(const char *const *options)
{
    static const char *const own[] = {"sm.count=4", "uvm.table_pages=16384", "uvm.fault_ns=200", NULL};
    struct config c;
    struct error err = {""};
    cr_assert(config_preset(&c, NULL, "uvm-002-t4.1", &err), "%s", err.text);
    for (int i = 0; own[i]; i++) cr_assert(config_set(&c, own[i], &err), "%s", err.text);
    for (; *options; options++) cr_assert(config_set(&c, *options, &err), "%s", err.text);
    return c;
}

static bool run(const char *workload, const struct config *c, struct stats *s, struct error *err)
{
    struct source *source = kernel_open(workload, 1, err);
    cr_assert(source, "%s", err->text);
    const struct run_setup setup = {.config = *c, .source = source};
    bool ok = run_workload(&setup, s, err);
    if (ok) cr_expect(kernel_verify(source, err), "%s", err->text);
    source->ops->close(source);
    return ok;
}

static struct stats check_skipping(const char *workload, const char *const *options)
{
    struct config c = machine(options);
    struct stats skipping, ticking;
    struct error err = {""};
    cr_assert(run(workload, &c, &skipping, &err), "%s: %s", workload, err.text);
    c.sim_skip = false;
    cr_assert(run(workload, &c, &ticking, &err), "%s: %s", workload, err.text);
#define STAT(field, name, text) cr_expect_eq(skipping.field, ticking.field, "%s: " name, workload);
#include "system/stats/stats.def"
#undef STAT
    return skipping;
}

#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})

Test(uvm_machine, everything_fits)
{
    struct stats s = check_skipping("mvt:n=128,align=2097152", OPTIONS("uvm.prefetch=sp"));
    cr_expect_eq(s.uvm_evicted_policy, 0);
    cr_expect_eq(s.uvm_oversubscribed_at, 0);
    cr_expect_eq(s.uvm_pages_demanded + s.uvm_pages_prefetched, s.uvm_resident);
}

Test(uvm_machine, np_se)
{
    struct stats s = check_skipping("hotspot:rows=96,align=65536", OPTIONS("uvm.oversubscribe_percent=150"));
    cr_expect_gt(s.uvm_evicted_policy, 16);
    cr_expect_eq(s.uvm_pages_prefetched, 0);
}

Test(uvm_machine, rp_re)
{
    struct stats s =
        check_skipping("vecadd:n=30000,align=65536", OPTIONS("uvm.oversubscribe_percent=150", "uvm.prefetch=rp",
                                                             "uvm.evict=re", "uvm.fault_batch=4", "uvm.shootdown=300"));
    cr_expect_gt(s.uvm_evicted_policy, 16);
    cr_expect_gt(s.uvm_pages_prefetched, 10);
}

Test(uvm_machine, tp_te)
{
    struct stats s =
        check_skipping("vecadd:n=200000,align=2097152", OPTIONS("uvm.oversubscribe_percent=150", "uvm.prefetch=tp",
                                                                "uvm.evict=te", "uvm.writeback=dirty"));
    cr_expect_gt(s.uvm_evicted_policy, 100);
    cr_expect_lt(s.uvm_writebacks, s.uvm_evicted_policy); /* two of three arrays are read only */
}

Test(uvm_machine, tp_ne)
{
    struct stats s =
        check_skipping("vecadd:n=400000,align=2097152",
                       OPTIONS("uvm.oversubscribe_percent=150", "uvm.prefetch=tp", "uvm.evict=ne", "uvm.order=page"));
    cr_expect_gt(s.uvm_evicted_policy, 300);
}

Test(uvm_machine, cap_ture)
{
    struct stats s =
        check_skipping("hotspot:rows=128,align=65536",
                       OPTIONS("uvm.oversubscribe_percent=125", "uvm.prefetch=cap", "uvm.evict=ture",
                               "uvm.cap_over_log=1", "uvm.cap_max_log=1", "uvm.lease_bits=1", "uvm.lease_duty=100",
                               "uvm.coalesce_entries=4", "tlb.l1.sets=1", "tlb.l1.ways=2"));
    cr_expect_gt(s.uvm_evicted_expired, 0);
    cr_expect_gt(s.uvm_evicted_pressure, 0);
    cr_expect_gt(s.uvm_recalls, 0);
    cr_expect_gt(s.uvm_samples, 0);
}

/* The same with leases of a usual size, counted by notes. */
static struct stats check_notes(const char *unit, const char *queue)
{
    return check_skipping("hotspot:rows=128,align=65536",
                          OPTIONS("uvm.oversubscribe_percent=125", "uvm.prefetch=cap", "uvm.evict=ture",
                                  "uvm.cap_over_log=1", "uvm.cap_max_log=1", unit, queue));
}

Test(uvm_machine, cap_ture_by_notes)
{
    const struct stats none = check_notes("uvm.lease_unit=0", "uvm.note_queue=4");
    const struct stats all = check_notes("uvm.lease_unit=1", "uvm.note_queue=64");
    const struct stats some = check_notes("uvm.lease_unit=1", "uvm.note_queue=1");
    const struct stats few = check_notes("uvm.lease_unit=16", "uvm.note_queue=4");
    cr_expect_eq(none.uvm_notes, 0);
    cr_expect_gt(few.uvm_notes, 0);
    cr_expect_gt(all.uvm_notes, 8 * few.uvm_notes);
    cr_expect_gt(some.uvm_notes_dropped, 0);
    cr_expect_gt(all.uvm_expired, none.uvm_expired);
    cr_expect_gt(all.uvm_recalls, 0);
}

/* Figure 4.10's way: prefetching ends when memory is full. */
Test(uvm_machine, tp_until_full_then_ture)
{
    struct stats s =
        check_skipping("vecadd:n=200000,align=2097152", OPTIONS("uvm.oversubscribe_percent=110", "uvm.prefetch=tp",
                                                                "uvm.evict=ture", "uvm.prefetch_when_full=false"));
    cr_expect_gt(s.uvm_oversubscribed_at, 0);
    cr_expect_gt(s.uvm_evicted_policy + s.uvm_evicted_pressure + s.uvm_evicted_expired, 0);
}

Test(uvm_machine, few_places_for_far_faults)
{
    struct stats s = check_skipping("mvt:n=192,align=65536", OPTIONS("uvm.mshr_entries=2"));
    cr_expect_gt(s.uvm_refused, 1000);
}

/* More pages wait than device memory holds, and each comes for a single access. */
Test(uvm_machine, thrashing_without_end_is_an_error)
{
    struct config c = machine(OPTIONS("uvm.device_kib=64", "uvm.prefetch=sp", "sm.count=28"));
    struct stats s;
    struct error err = {""};
    cr_expect_not(run("mvt:n=512,align=2097152", &c, &s, &err));
    cr_expect_not_null(strstr(err.text, "uvm.thrash_limit: cycle "), "%s", err.text);
    cr_expect_not_null(strstr(err.text, "more than 16 times the 16 pages (64 KiB) of device memory"), "%s", err.text);
}

/* More SMs than the block gmmu has requesters: two neighbours are one. */
Test(uvm_machine, more_than_64_sms)
{
    struct stats s = check_skipping("hotspot:rows=160,columns=160,align=65536",
                                    OPTIONS("sm.count=66", "uvm.oversubscribe_percent=120", "uvm.prefetch=sp"));
    cr_expect_gt(s.uvm_evicted_policy, 0);
    cr_expect_gt(s.tlb_absent, s.uvm_faults_handled);
    check_skipping("mvt:n=256,align=2097152", OPTIONS("sm.count=130", "uvm.prefetch=cap", "uvm.evict=ture"));
}
