/* SPDX-License-Identifier: Apache-2.0 */
#include "system/stats/counters.h"

#include "base/ratio.h"
#include "system/config/miss_kind.h"

static const struct counter counters[] = {
#define STAT(field, name, text) {name, text, false},
#include "system/stats/stats.def"
#undef STAT
#define SUM(name, expression, text) {name, text, false},
#define RATIO(name, numerator, denominator, text) {name, text, true},
#include "system/stats/derived.def"
#undef SUM
#undef RATIO
};

const struct counter *counter_list(uint32_t *count)
{
    *count = sizeof counters / sizeof *counters;
    return counters;
}

static uint32_t slots_of(const struct config *c, enum miss_cache cache)
{
    return miss_kind_of(c, cache)->shape(c, cache).slots;
}

static double l2_cycles(const struct stats *s, const struct config *c)
{
    return (double)s->gpu_cycles * config_mhz(c->clock_l2_khz) / config_mhz(c->clock_sm_khz);
}

static double xbar_cycles(const struct stats *s, const struct config *c)
{
    return (double)s->gpu_cycles * config_mhz(c->clock_xbar_khz) / config_mhz(c->clock_sm_khz);
}

static struct counter_value whole(uint64_t n)
{
    return (struct counter_value){.whole = n};
}

static struct counter_value ratio(double numerator, double denominator)
{
    return (struct counter_value){.ratio = ratio_of(numerator, denominator)};
}

void counter_values(const struct stats *s, const struct config *c, struct counter_value *values)
{
#define STAT(field, name, text) *values++ = whole(s->field);
#include "system/stats/stats.def"
#undef STAT
#define SUM(name, expression, text) *values++ = whole(expression);
#define RATIO(name, numerator, denominator, text) *values++ = ratio((double)(numerator), (double)(denominator));
#include "system/stats/derived.def"
#undef SUM
#undef RATIO
}

struct stats stats_between(const struct stats *earlier, const struct stats *later)
{
    struct stats s = {.l2_write_hits = later->l2_write_hits - earlier->l2_write_hits};
#define STAT(field, name, text) s.field = later->field - earlier->field;
#define LEVEL(field, name, text) s.field = later->field;
#include "system/stats/stats.def"
#undef STAT
    return s;
}

void stats_add(struct stats *sum, const struct stats *s)
{
    sum->l2_write_hits += s->l2_write_hits;
#define STAT(field, name, text) sum->field += s->field;
#define LEVEL(field, name, text) sum->field = s->field;
#include "system/stats/stats.def"
#undef STAT
}

struct workload_stats workload_stats_between(const struct workload_stats *earlier, const struct workload_stats *later)
{
    struct workload_stats s;
#define WORKLOAD_STAT(field, name, text) s.field = later->field - earlier->field;
#define WORKLOAD_LEVEL(field, name, text) s.field = later->field;
#include "system/stats/workload_stats.def"
#undef WORKLOAD_STAT
    return s;
}
