/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/coroutine.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

/* memtwin_switch() stores the stack pointer at *save and resumes the one in `load`.  It saves the callee-saved
 * registers of the ABI only; floating-point control words never change here.  swapcontext() would make two system calls
 * per switch.  memtwin_entry() is the first return address of a coroutine: it calls AT_FUNCTION with AT_ARGUMENT.
 * FRAME: words of a saved frame; AT_*: places in it. */
void memtwin_switch(void **save, void *load);
void memtwin_entry(void);
#define FUNCTION(name, body)                                                                                           \
    __asm__(".text\n.hidden " name "\n.globl " name "\n.type " name ", %function\n" name ":\n" body ".size " name      \
            ", .-" name "\n")
#if defined(__x86_64__)
/* r15 r14 r13 r12 rbx rbp, return address, 2 words to align by 16 bytes */
enum { FRAME = 9, AT_FUNCTION = 2, AT_ARGUMENT = 3, AT_RETURN = 6 };
FUNCTION("memtwin_switch", "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
                           "  movq %rsp, (%rdi)\n"
                           "  movq %rsi, %rsp\n"
                           "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
                           "  ret\n");
FUNCTION("memtwin_entry", "  movq %r12, %rdi\n  callq *%r13\n  ud2\n");
#elif defined(__aarch64__)
/* x19 to x30, d8 to d15 */
enum { FRAME = 20, AT_FUNCTION = 1, AT_ARGUMENT = 0, AT_RETURN = 11 };
FUNCTION("memtwin_switch", "  sub sp, sp, #160\n"
                           "  stp x19, x20, [sp, #0]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n"
                           "  stp x25, x26, [sp, #48]\n  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
                           "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n"
                           "  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
                           "  mov x9, sp\n"
                           "  str x9, [x0]\n"
                           "  mov sp, x1\n"
                           "  ldp x19, x20, [sp, #0]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n"
                           "  ldp x25, x26, [sp, #48]\n  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
                           "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n"
                           "  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
                           "  add sp, sp, #160\n"
                           "  ret\n");
FUNCTION("memtwin_entry", "  mov x0, x19\n  blr x20\n  brk #1\n");
#else
#error "coroutine.c switches stacks in assembly, for x86-64 and aarch64; another machine needs its own memtwin_switch"
#endif
__asm__(".section .note.GNU-stack,\"\",%progbits\n.text\n");

/* A page below each stack: 4 KiB, on some aarch64 machines more. */
static size_t guard(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

void *stack_take(struct stack_pool *p)
{
    void *s = p->free;
    if (s) {
        p->free = *(void **)s;
        return s;
    }
    const size_t whole = p->size + guard();
    uint8_t *map = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return NULL;
    if (mprotect(map, guard(), PROT_NONE)) {
        munmap(map, whole);
        return NULL;
    }
    return map + guard();
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
        munmap(s - guard(), p->size + guard());
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
    uint64_t *sp = top - FRAME;
    for (int i = 0; i < FRAME; i++) sp[i] = 0;
    sp[AT_FUNCTION] = (uint64_t)(uintptr_t)first;
    sp[AT_ARGUMENT] = (uint64_t)(uintptr_t)c;
    sp[AT_RETURN] = (uint64_t)(uintptr_t)memtwin_entry;
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
