/* SPDX-License-Identifier: Apache-2.0 */
/* Coroutines on small stacks of their own: a warp or a host program stops in the middle of its code and goes on later.
 * A coroutine belongs to the thread that resumes it; nothing here is global. */
#ifndef MEMTWIN_COROUTINE_H
#define MEMTWIN_COROUTINE_H
#include <stdbool.h>
#include <stddef.h>

struct coroutine {
    void *sp;    /* its saved stack pointer while it is stopped, its resumer's while it runs */
    void *stack; /* lowest usable byte; NULL: not started */
    size_t size;
    void (*run)(void *arg);
    void *arg;
    bool done;                 /* run() returned; the stack may be given away */
    void *fake, *resumer_fake; /* AddressSanitizer's view of both stacks */
    const void *resumer_stack;
    size_t resumer_size;
};

/* Stacks of one size, kept for reuse; each has an inaccessible page below it, so that an overflow faults. */
struct stack_pool {
    size_t size;
    void *free; /* linked through the first word of each */
};

void *stack_take(struct stack_pool *p); /* NULL if memory or mappings run out */
void stack_give(struct stack_pool *p, void *stack);
void stack_pool_free(struct stack_pool *p);

void coroutine_start(struct coroutine *c, void *stack, size_t size, void (*run)(void *arg), void *arg);
/* Runs it until it yields or is done. */
void coroutine_resume(struct coroutine *c);
/* From inside: back to whoever resumed it. */
void coroutine_yield(struct coroutine *c);
#endif
