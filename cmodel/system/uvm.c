#include "system/uvm.h"

#include <stdlib.h>

#include "system/unit.h"

/* Every page is in device memory: what the parts above can be tested against. */
struct uvm {
    uint64_t base; /* first line */
    uint32_t pages;
};

struct uvm *uvm_create(struct env *env, const struct source *source, const struct uvm_client *client, struct error *err)
{
    (void)env, (void)client;
    if (!source->allocation_count) return error_set(err, "uvm.enable: %s names no allocation", source->name), NULL;
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t i = 0; i < source->allocation_count; i++) {
        const struct allocation *a = &source->allocations[i];
        if (a->addr < low) low = a->addr;
        if (a->addr + a->bytes > high) high = a->addr + a->bytes;
    }
    struct uvm *u = calloc(1, sizeof *u);
    if (!u) return error_set(err, "uvm: out of memory"), NULL;
    u->base = (low >> 21) << (21 - LINE_SHIFT);
    u->pages = (uint32_t)((high + 4095 - (low >> 21 << 21)) >> PAGE_SHIFT);
    return u;
}

void uvm_destroy(struct uvm *u)
{
    free(u);
}

uint32_t uvm_page(const struct uvm *u, uint64_t line)
{
    uint64_t page = (line - u->base) / LINES_PER_PAGE;
    return line >= u->base && page < u->pages ? (uint32_t)page : UVM_UNMANAGED;
}

uint64_t uvm_line(const struct uvm *u, uint32_t page)
{
    return u->base + (uint64_t)page * LINES_PER_PAGE;
}

uint32_t uvm_pages(const struct uvm *u)
{
    return u->pages;
}

enum uvm_answer uvm_request(struct uvm *u, uint32_t page, uint32_t sm)
{
    (void)u, (void)page, (void)sm;
    return UVM_RESIDENT;
}

void uvm_used(struct uvm *u, uint32_t page)
{
    (void)u, (void)page;
}

void uvm_pin(struct uvm *u, uint32_t page)
{
    (void)u, (void)page;
}

void uvm_unpin(struct uvm *u, uint32_t page)
{
    (void)u, (void)page;
}

bool uvm_tick(struct uvm *u, struct error *err)
{
    (void)u, (void)err;
    return true;
}

uint64_t uvm_wake(const struct uvm *u)
{
    (void)u;
    return NEVER;
}

bool uvm_empty(const struct uvm *u)
{
    (void)u;
    return true;
}

void uvm_progress(struct uvm *u)
{
    (void)u;
}

bool uvm_finish(struct uvm *u, struct error *err)
{
    (void)u, (void)err;
    return true;
}
