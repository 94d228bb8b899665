/* SPDX-License-Identifier: Apache-2.0 */
/* Places of a table in the order in which they were entered: says which requests overtake older ones. */
#ifndef MEMTWIN_BY_AGE_H
#define MEMTWIN_BY_AGE_H
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define NO_PLACE UINT32_MAX

struct aged {
    uint32_t older, younger;
    bool inside;
};

struct by_age {
    struct aged *at;
    uint32_t oldest, youngest;
};

static inline bool by_age_init(struct by_age *b, uint32_t places)
{
    *b = (struct by_age){calloc(places, sizeof *b->at), NO_PLACE, NO_PLACE};
    return b->at;
}

static inline void by_age_enter(struct by_age *b, uint32_t i)
{
    b->at[i] = (struct aged){b->youngest, NO_PLACE, true};
    *(b->youngest == NO_PLACE ? &b->oldest : &b->at[b->youngest].younger) = i;
    b->youngest = i;
}

/* True if an older one stays. */
static inline bool by_age_leave(struct by_age *b, uint32_t i)
{
    struct aged *a = &b->at[i];
    *(a->older == NO_PLACE ? &b->oldest : &b->at[a->older].younger) = a->younger;
    *(a->younger == NO_PLACE ? &b->youngest : &b->at[a->younger].older) = a->older;
    a->inside = false;
    return a->older != NO_PLACE;
}
#endif
