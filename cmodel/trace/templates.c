/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/codec.h"

struct head_table {
    struct head_table *before; /* a smaller one */
    struct inst_head head[];
};

struct templates *templates_new(uint32_t room, bool in_memory)
{
    struct templates *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->references = 1;
    t->in_memory = in_memory;
    if (templates_resize(t, room)) return t;
    templates_release(t);
    return NULL;
}

void templates_release(struct templates *t)
{
    if (!t || --t->references) return;
    while (t->tables) {
        struct head_table *before = t->tables->before;
        free(t->tables);
        t->tables = before;
    }
    free(t->row);
    free(t);
}

bool templates_resize(struct templates *t, uint32_t room)
{
    struct template *row = realloc(t->row, room * sizeof *row + 1);
    if (row) t->row = row;
    struct head_table *heads = malloc(sizeof *heads + room * sizeof *heads->head);
    if (!row || !heads) return free(heads), false;
    if (t->count) memcpy(heads->head, t->head, t->count * sizeof *t->head);
    heads->before = t->tables;
    t->tables = heads;
    t->head = heads->head;
    t->room = room;
    return true;
}

void templates_clear(struct templates *t)
{
    t->count = t->slots = 0;
    memset(t->slot_plus_1, 0, sizeof t->slot_plus_1);
}

void templates_add(struct templates *t, const struct template *added)
{
    uint8_t *plus_1 = &t->slot_plus_1[t->count % ADDRESS_SLOTS];
    struct template *row = &t->row[t->count];
    memcpy(&t->head[t->count++], added, sizeof *t->head);
    *row = *added;
    row->slot = 0;
    row->plain = inst_is_arithmetic(added->op);
    for (uint32_t i = t->count - 1; row->plain && i-- && t->row[i].plain && t->row[i].plain < UINT8_MAX;)
        t->row[i].plain++;
    if (t->in_memory || !inst_is_memory(added->op)) return;
    if (!*plus_1) *plus_1 = (uint8_t)++t->slots;
    row->slot = (uint8_t)(*plus_1 - 1);
}
