/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/coroutine.h"

#include <stdint.h>
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#ifndef __x86_64__
#error "coroutine.c switches stacks in x86-64 assembly; another machine needs its own memtwin_switch"
#endif

/* Stores the stack pointer at *save and resumes the one in `load`.  Saves the callee-saved registers of the ABI
 * only; floating-point control words never change here.  swapcontext() would make two system calls per switch. */
void memtwin_switch(void **save, void *load);
void memtwin_entry(void);
__asm__(".text\n"
        ".hidden memtwin_switch\n.globl memtwin_switch\n.type memtwin_switch, @function\n"
        "memtwin_switch:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n"
        ".size memtwin_switch, .-memtwin_switch\n"
        ".hidden memtwin_entry\n.globl memtwin_entry\n.type memtwin_entry, @function\n"
        "memtwin_entry:\n" /* first return address of a new coroutine: argument in r12, function in r13 */
        "  movq %r12, %rdi\n"
        "  callq *%r13\n"
        "  ud2\n"
        ".size memtwin_entry, .-memtwin_entry\n"
        ".section .note.GNU-stack,\"\",@progbits\n"
        ".text\n");

#define GUARD 4096u

void *stack_take(struct stack_pool *p)
{
    void *s = p->free;
    if (s) {
        p->free = *(void **)s;
        return s;
    }
    uint8_t *map =
        mmap(NULL, p->size + GUARD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return NULL;
    if (mprotect(map, GUARD, PROT_NONE)) {
        munmap(map, p->size + GUARD);
        return NULL;
    }
    return map + GUARD;
}

void stack_give(struct stack_pool *p, void *stack)
{
#ifdef __SANITIZE_ADDRESS__
    __asan_unpoison_memory_region(stack, p->size); /* frames of an abandoned coroutine leave poisoned red zones */
#endif
    *(void **)stack = p->free;
    p->free = stack;
}

void stack_pool_free(struct stack_pool *p)
{
    while (p->free) {
        uint8_t *s = p->free;
        p->free = *(void **)s;
        munmap(s - GUARD, p->size + GUARD);
    }
}

static void arrived(struct coroutine *c)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(c->fake, &c->resumer_stack, &c->resumer_size);
#else
    (void)c;
#endif
}

static void leave(struct coroutine *c)
{
    void *resumer = c->sp;
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(c->done ? NULL : &c->fake, c->resumer_stack, c->resumer_size);
#endif
    memtwin_switch(&c->sp, resumer);
}

static void first(void *arg)
{
    struct coroutine *c = arg;
    arrived(c);
    c->run(c->arg);
    c->done = true;
    leave(c);
}

void coroutine_start(struct coroutine *c, void *stack, size_t size, void (*run)(void *arg), void *arg)
{
    *c = (struct coroutine){.stack = stack, .size = size, .run = run, .arg = arg};
    uint64_t *top = (uint64_t *)((uint8_t *)stack + size);
    uint64_t *sp = top - 9; /* r15 r14 r13 r12 rbx rbp, return address, padding for 16-byte alignment */
    for (int i = 0; i < 9; i++) sp[i] = 0;
    sp[2] = (uint64_t)(uintptr_t)first;
    sp[3] = (uint64_t)(uintptr_t)c;
    sp[6] = (uint64_t)(uintptr_t)memtwin_entry;
    c->sp = sp;
}

void coroutine_resume(struct coroutine *c)
{
    void *target = c->sp;
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(&c->resumer_fake, c->stack, c->size);
#endif
    memtwin_switch(&c->sp, target);
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(c->resumer_fake, NULL, NULL);
#endif
}

void coroutine_yield(struct coroutine *c)
{
    leave(c);
    arrived(c);
}
