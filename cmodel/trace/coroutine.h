/* SPDX-License-Identifier: Apache-2.0 */
/* Coroutines with small stacks: a warp or a host program pauses inside its code and resumes later.  A coroutine
 * belongs to the thread that resumes it; there is no global state. */
#ifndef MEMTWIN_COROUTINE_H
#define MEMTWIN_COROUTINE_H
#include <stdbool.h>
#include <stddef.h>

struct coroutine {
    void *sp;    /* its own saved stack pointer while paused, the resumer's while running */
    void *stack; /* lowest usable byte; NULL: not started */
    size_t size;
    void (*run)(void *arg);
    void *arg;
    bool done;                 /* run() has returned; the stack may be reused */
    void *fake, *resumer_fake; /* AddressSanitizer's view of both stacks */
    const void *resumer_stack;
    size_t resumer_size;
};

/* Stacks of one size, kept for reuse.  Each has a guard page below it, so that an overflow faults. */
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
/* From inside: returns control to the resumer. */
void coroutine_yield(struct coroutine *c);
#endif
