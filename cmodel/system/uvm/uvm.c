/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of unified memory: its clock, and the interface of uvm.h. */
#include <inttypes.h>
#include <stdio.h>

#include "system/stats/law.h"
#include "system/uvm/uvm_core.h"

static uint32_t largest_allocation(const struct pages *p)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < p->group_count; i++)
        if (p->groups[i].count > most) most = p->groups[i].count;
    return most;
}

enum { MEMORY_TEXT = 80 };

/* The option with which device memory has so many pages. */
static const char *larger_memory(const struct uvm *u, uint32_t pages, char text[MEMORY_TEXT])
{
    const uint32_t blocks = (uint32_t)ceil_div(pages, PAGES_PER_BLOCK) * PAGES_PER_BLOCK;
    const uint32_t percent = (uint32_t)((uint64_t)u->pages->footprint * 100 / blocks);
    if (!u->c->uvm_oversubscribe_percent || !percent)
        snprintf(text, MEMORY_TEXT, "uvm.oversubscribe_percent = 0 and uvm.device_kib of at least %u", 4 * blocks);
    else
        snprintf(text, MEMORY_TEXT, "uvm.oversubscribe_percent of at most %u", percent);
    return text;
}

static bool check_capacity(const struct uvm *u, struct error *err)
{
    char memory[MEMORY_TEXT];
    return u->pages->capacity ||
           error_set(err,
                     "uvm.oversubscribe_percent: found %u, less than 64 KiB of device memory for %u pages; it has 64 "
                     "KiB with %s",
                     u->c->uvm_oversubscribe_percent, u->pages->footprint, larger_memory(u, PAGES_PER_BLOCK, memory));
}

/* The window must fit device memory, and the eviction must keep the 64 KiB blocks that the prefetcher assumes.  If
 * all pages fit, no eviction happens and any pair is legal. */
static bool check_policies(const struct uvm *u, struct error *err)
{
    const struct prefetcher *f = u->prefetcher;
    const struct eviction *e = u->eviction;
    char memory[MEMORY_TEXT];
    uint32_t capacity = u->pages->capacity, window = f->window(u->c), most = largest_allocation(u->pages);
    if (!check_capacity(u, err)) return false;
    if (capacity >= u->pages->footprint) return true;
    if (window > most) window = most;
    if (window > capacity)
        return error_set(
            err,
            "uvm.prefetch: found %s, whose window of up to %u pages is larger than device memory's %u; it fits "
            "with %s",
            f->policy.name, window, capacity, larger_memory(u, window, memory));
    if (e->unit > capacity)
        return error_set(
            err,
            "uvm.evict: found %s, which evicts %u pages at once, with device memory of %u: all pages would be "
            "evicted; it has enough with %s",
            e->policy.name, e->unit, capacity, larger_memory(u, e->unit, memory));
    return !f->marks || !e->scatters || !u->c->uvm_prefetch_when_full ||
           error_set(err,
                     "uvm.evict: found %s with uvm.prefetch = %s, expected an eviction of whole 64 KiB blocks: a leaf "
                     "of the tree could be partly resident; uvm.prefetch_when_full = false helps",
                     e->policy.name, f->policy.name);
}

static bool reserve(struct uvm *u, const struct source *source, struct error *err)
{
    u->pages = pages_create(u->env, source, u->eviction->lru, err);
    if (!u->pages) return false;
    u->pcie = pcie_create(u->c, err);
    /* mutant: false -> true: differs only when memory runs out */
    if (!u->pcie) return false;
    u->departure_places = 64;
    u->departures = calloc(u->departure_places, sizeof *u->departures);
    u->wanted = calloc(u->pages->count, sizeof *u->wanted);
    u->evicted = calloc(u->pages->count, sizeof *u->evicted);
    u->put_off = calloc(u->pages->count + PAGES_PER_BLOCK, sizeof *u->put_off);
    bool ok = u->departures && u->wanted && u->evicted && u->put_off &&
              ring_init_growing(&u->commands, sizeof(struct command), 1024) &&
              /* mutant: 64 + 1: more memory than is needed */
              ring_init_growing(&u->buffer, sizeof(uint32_t), 64) &&
              ring_init_growing(&u->migrations, sizeof(struct migration), 64) &&
              ring_init_growing(&u->leaving, sizeof(uint32_t), 64);
    return ok || error_set(err, "unified memory: out of memory");
}

struct uvm *uvm_create(struct env *env, const struct source *source, const struct uvm_client *client, struct error *err)
{
    struct uvm *u = calloc(1, sizeof *u);
    if (!u) return error_set(err, "unified memory: out of memory"), NULL;
    u->env = env;
    u->c = env->config;
    u->s = env->stats;
    u->client = *client;
    u->prefetcher = (const struct prefetcher *)policy_at("prefetcher", u->c->uvm_prefetch);
    u->eviction = (const struct eviction *)policy_at("eviction", u->c->uvm_evict);
    rng_seed(&u->rng, u->c->uvm_seed);
    if (reserve(u, source, err) && check_policies(u, err) && gmmu_open(u, err)) return u;
    uvm_destroy(u);
    return NULL;
}

void uvm_destroy(struct uvm *u)
{
    if (!u) return;
    block_socket_close(&u->socket);
    pages_destroy(u->pages);
    pcie_destroy(u->pcie);
    free(u->departures);
    free(u->wanted);
    free(u->evicted);
    free(u->put_off);
    uvm_contract_close(&u->contract);
    ring_free(&u->commands);
    ring_free(&u->buffer);
    ring_free(&u->migrations);
    ring_free(&u->leaving);
    free(u);
}

const struct pages *uvm_view(const struct uvm *u)
{
    return u->pages;
}

struct rng *uvm_random(struct uvm *u)
{
    return &u->rng;
}

uint32_t uvm_page(const struct uvm *u, uint64_t line)
{
    return pages_find(u->pages, line << LINE_SHIFT);
}

uint64_t uvm_line(const struct uvm *u, uint32_t page)
{
    return pages_address(u->pages, page) >> LINE_SHIFT;
}

uint32_t uvm_pages(const struct uvm *u)
{
    return u->pages->count;
}

void uvm_used(struct uvm *u, uint32_t page)
{
    const struct page *g = &u->pages->page[page];
    u->s->uvm_prefetched_used += g->prefetched;
    if (g->first_use && u->starved) uvm_poke(u);
    if (g->first_use && g->put_off) u->wake = 0;
    pages_use(u->pages, page);
}

void uvm_wrote(struct uvm *u, uint32_t page)
{
    u->pages->page[page].dirty = true;
}

/* Completes a departure whose lines have been dropped. */
static struct departure *departure_of(struct uvm *u, uint32_t page)
{
    const struct page *g = &u->pages->page[page];
    return g->state == PAGE_LEAVING && !g->dropped ? &u->departures[g->departure] : NULL;
}

void uvm_pin(struct uvm *u, uint32_t page)
{
    struct departure *d = departure_of(u, page);
    pages_pin(u->pages, page);
    if (d && u->pages->page[page].pins == 1) d->pinned++;
}

void uvm_unpin(struct uvm *u, uint32_t page)
{
    struct departure *d = departure_of(u, page);
    pages_unpin(u->pages, page);
    if (!d || u->pages->page[page].pins) return;
    d->pinned--;
    u->wake = 0;
}

/* Thrashing: pages migrate, and no instruction issues. */
static bool check_thrashing(const struct uvm *u, struct error *err)
{
    uint32_t capacity = u->pages->capacity;
    if (u->moved <= (uint64_t)u->c->uvm_thrash_limit * capacity) return true;
    return error_set(err,
                     "uvm.thrash_limit: cycle %" PRIu64 ": %" PRIu64
                     " pages have arrived over PCIe since the last warp instruction issued, in cycle %" PRIu64
                     ": more than %u times the %u pages (%u KiB) of device memory.  The warps in flight need more "
                     "pages at once than fit; found %s and %s.  A larger uvm.device_kib or smaller "
                     "uvm.oversubscribe_percent helps, or fewer warps (sm.warps, sm.blocks)",
                     u->env->sm_cycle, u->moved, u->progress, u->c->uvm_thrash_limit, capacity, capacity * 4,
                     u->prefetcher->policy.name, u->eviction->policy.name);
}

static uint64_t next_wake(const struct uvm *u)
{
    uint64_t now = u->env->sm_cycle;
    /* mutant: 1 - 1: uvm_wake() gives the next cycle at the earliest */
    if (u->driven || u->commands.count || u->deciding || u->press) return now + 1;
    return min_u64(service_wake(u), evict_wake(u));
}

bool uvm_tick(struct uvm *u, struct error *err)
{
    if (u->c->sim_skip && u->wake > u->env->sm_cycle && !u->pages->broken.text[0]) return true;
    gmmu_catch_up(u);
    evict_departures(u);
    service_transfers(u);
    service_start(u);
    evict_put_off(u);
    evict_room(u);
    evict_departures(u);
    service_transfers(u);
    gmmu_drive(u);
    u->wake = next_wake(u);
    if (u->no_memory) return error_set(err, "unified memory: out of memory");
    if (u->pages->broken.text[0]) return error_set(err, "%s", u->pages->broken.text);
    return check_thrashing(u, err);
}

uint64_t uvm_wake(const struct uvm *u)
{
    uint64_t next = u->env->sm_cycle + 1;
    return u->wake < next ? next : u->wake;
}

bool uvm_empty(const struct uvm *u)
{
    const struct pages *p = u->pages;
    return !u->handling && !u->buffer.count && !u->commands.count && !u->deciding && !u->pressing && !u->owed &&
           !p->in_state[PAGE_COMING] && !p->in_state[PAGE_LEAVING] && !p->answers;
}

void uvm_progress(struct uvm *u)
{
    u->moved = 0;
    u->progress = u->env->sm_cycle;
}

static void count(struct uvm *u, const struct pcie_counts *in, const struct pcie_counts *out)
{
    struct stats *s = u->s;
    s->uvm_pages = u->pages->footprint;
    s->uvm_capacity = u->pages->capacity;
    s->uvm_peak = u->pages->peak;
    s->uvm_resident = u->pages->in_state[PAGE_DEVICE];
    s->uvm_expired = u->out.expired_o;
    s->uvm_recalls = u->out.recalled_o;
    s->uvm_samples = u->out.samples_o;
    s->uvm_samples_ignored = u->out.ignored_o;
    s->pcie_in_transfers = in->transfers;
    s->pcie_in_bytes = in->pages * 4096;
    s->pcie_in_busy = in->busy_cycles;
    s->pcie_out_transfers = out->transfers;
    s->pcie_out_bytes = out->pages * 4096;
    s->pcie_out_busy = out->busy_cycles;
}

/* The block's counters saturate at 32 bits, which no run reaches. */
void uvm_sync(struct uvm *u)
{
    const struct pcie_counts in = pcie_counts(u->pcie, PCIE_TO_DEVICE, u->env->sm_cycle);
    const struct pcie_counts out = pcie_counts(u->pcie, PCIE_TO_HOST, u->env->sm_cycle);
    block_socket_eval(&u->socket, &u->in, &u->out);
    count(u, &in, &out);
}

bool uvm_finish(struct uvm *u, struct error *err)
{
    const struct stats *s = u->s;
    struct pages *p = u->pages;
    struct pcie_counts in = pcie_counts(u->pcie, PCIE_TO_DEVICE, u->env->sm_cycle);
    struct pcie_counts out = pcie_counts(u->pcie, PCIE_TO_HOST, u->env->sm_cycle);
    uvm_sync(u);
    if (!uvm_empty(u)) return true; /* after an error, pages may be in any state */
    bool ok = uvm_contract_end(&u->contract, err);
    ok = (pages_audit(p, true) || error_set(err, "%s", p->broken.text)) && ok;
    const struct law laws[] = {
        {"uvm.faults = primary faults of the block", true, s->uvm_faults, LAW_EQUAL, u->out.faults_o},
        {"uvm.faults_merged = secondary faults of the block", true, s->uvm_faults_merged, LAW_EQUAL, u->out.merged_o},
        {"uvm.faults = handled + skipped", true, s->uvm_faults, LAW_EQUAL,
         s->uvm_faults_handled + s->uvm_faults_skipped},
        {"pages demanded + prefetched = pages that arrived", true, s->uvm_pages_demanded + s->uvm_pages_prefetched,
         LAW_EQUAL, p->arrivals},
        {"pages over PCIe to the device = pages that arrived", true, in.pages, LAW_EQUAL, p->arrivals},
        {"pages evicted = pages that departed", true,
         s->uvm_evicted_expired + s->uvm_evicted_pressure + s->uvm_evicted_policy, LAW_EQUAL, p->departures},
        {"pages over PCIe to the host = pages written back", true, out.pages, LAW_EQUAL, s->uvm_writebacks},
    };
    return laws_hold("unified memory: ", LAWS(laws), err) && ok;
}
