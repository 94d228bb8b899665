/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture.h"

#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "system/block/block_ops.h"
#include "system/stats/workload_stats.h"

bool capture_parse(struct capture *c, const char *text, const struct config *config, struct error *err)
{
    *c = (struct capture){.path = strchr(text, '=')};
    uint32_t number, count = 0;
    char level[9], end;
    if (!c->path || !c->path[1] || c->path - text >= (long)sizeof c->unit)
        return error_set(err, "--capture: found \"%s\", expected UNIT=FILE.vec", text);
    snprintf(c->unit, sizeof c->unit, "%.*s", (int)(c->path - text), text);
    c->path++;
    int fields = sscanf(c->unit, "%8[a-z0-9].%u%c", level, &number, &end);
    if (fields == 2 || (fields == 3 && end == '.'))
        count = !strcmp(level, "l2")                            ? config->partition_count * config->partition_slices
                : !strcmp(level, "dispatch")                    ? MAX_WORKLOADS
                : !strcmp(level, "l1d") || !strcmp(level, "sm") ? config->sm_count
                                                                : 0;
    return (count && number < count) || !strcmp(c->unit, "xbar.map") || !strcmp(c->unit, "gmmu") ||
           !strcmp(c->unit, "dwt") || !strcmp(c->unit, "dispatch") ||
           error_set(err,
                     "--capture: found unit \"%s\", expected l1d.0 to l1d.%u, l2.0 to l2.%u, a part of such a unit "
                     "(l1d.0.bpg), xbar.map, gmmu, dwt or dispatch",
                     c->unit, config->sm_count - 1, config->partition_count * config->partition_slices - 1);
}

static bool differs(const struct capture *c, const char *option, const char *path, struct error *err)
{
    return !path || !output_same(path, c->path) ||
           error_set(err, "--capture: found %s, which is also the file of %s; expected a different file", c->path,
                     option);
}

bool capture_possible(const struct capture *c, const struct result_files *others, struct error *err)
{
    if (!differs(c, "--json", others->json, err) || !differs(c, "--csv", others->csv, err)) return false;
    return output_possible(c->path, err);
}

static struct vec_writer *begin(struct capture *c, const char *block, const void *cfg)
{
    const struct block_ops *ops = block_find(block);
    struct param_desc params[VEC_PARAMS];
    struct port_desc in[VEC_PORTS];
    char comment[64];
    if (!ops) return error_set(&c->err, "%s: no block \"%s\" is linked in", c->path, block), NULL;
    snprintf(comment, sizeof comment, "captured traffic of %s", c->unit);
    struct vec_block v = {.name = block, .params = params, .in = in, .in_size = ops->in_size, .cfg = cfg};
    v.param_count = ops->params(params);
    v.in_count = ops->in_desc(cfg, in);
    return vec_create(c->path, &v, comment, &c->err);
}

void capture_cycle(struct capture *c, const char *block, const void *cfg, const void *in)
{
    if (!c->writer && !c->err.text[0]) c->writer = begin(c, block, cfg);
    if (c->writer) vec_put(c->writer, false, in);
}

bool capture_finish(struct capture *c, struct error *err)
{
    if (c->writer)
        vec_finish(c->writer, &c->err);
    else
        error_set(&c->err, "%s: nothing to record: %s had no valid input, or is not in this machine", c->path, c->unit);
    return !c->err.text[0] || error_set(err, "%s", c->err.text);
}
