/* SPDX-License-Identifier: Apache-2.0 */
/* Replacement: a file of replacements/ each (config/policy.h), whose name is a value of l1d.replacement and
 * l2.replacement.  Each way has a word, which is the policy's own: 0 if the way is invalid, else at least 1.  The way
 * with the smallest word is replaced, the lowest of several; a reserved way never is. */
#ifndef MEMTWIN_REPLACEMENT_H
#define MEMTWIN_REPLACEMENT_H
#include <stdint.h>

#include "system/config/policy.h"

enum way_use { WAY_TAKEN, WAY_USED }; /* a line gets the way; an access finds its line, valid or on its way */

struct replacement {
    struct policy policy;
    /* The way's word after that.  `uses`: uses of the whole array, this one included. */
    uint64_t (*use)(uint64_t word, enum way_use use, uint64_t uses);
    /* Way `victim` of the set is about to be replaced: the words of the others may change.  NULL: they do not. */
    void (*replaced)(uint64_t *words, uint32_t ways, uint32_t victim);
};

#define REPLACEMENT_REGISTER(p) POLICY_REGISTER("replacement", p)
#endif
