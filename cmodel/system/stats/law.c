/* SPDX-License-Identifier: Apache-2.0 */
#include "system/stats/law.h"

#include <inttypes.h>

static bool holds(const struct law *l)
{
    return !l->applies || l->left == l->right || (l->is == LAW_AT_MOST && l->left < l->right);
}

bool laws_hold(const char *unit, const struct law *laws, size_t count, struct error *err)
{
    for (size_t i = 0; i < count; i++)
        if (!holds(&laws[i]))
            return error_set(err, "%s%s does not hold: %" PRIu64 " is %s %" PRIu64, unit, laws[i].name, laws[i].left,
                             laws[i].is == LAW_EQUAL ? "not" : "above", laws[i].right);
    return true;
}
