/* SPDX-License-Identifier: Apache-2.0 */
/* A tag array alone. */
#ifndef TESTS_TAG_ARRAY_H
#define TESTS_TAG_ARRAY_H
#include <criterion/criterion.h>

#include "system/cache/tags.h"
#include "system/named.h"

static inline struct tags *tags_of(struct tags_setup setup)
{
    static const struct env env;
    struct error err = {0};
    struct tags *t = tags_create(&env, &setup, &err);
    cr_assert_not_null(t, "%s", err.text);
    return t;
}
#endif
