/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of the SM array: the state of an SM, and the interfaces between its parts (warps, scheduler, LSU,
 * dispatch).  Included by the SM array's files only.
 *
 * A cycle of an SM, in this order: the L1D's answers, data and sends; the LSU's access; the schedulers.  Data that
 * comes in a cycle may be used by an instruction issued in it; an instruction issued in a cycle reaches the LSU's head
 * in the next at the earliest.  A cycle in which nothing changed is a fixed point: the SM sleeps until a timer (a
 * result, a hit's data, an SFU port) or a neighbour wakes it, and counts the cycles in between like that one.
 *
 * Its two halves sleep separately, by the same rule.  The memory half is the L1D and the LSU: an instruction that
 * enters the LSU wakes it.  The issuing half is the schedulers: complete loads and room in the LSU wake it.  The memory
 * halves of all SMs tick before their issuing halves, so the host keeps the code of one kind in its cache.  With a
 * policy that reads both halves in each cycle, the whole SM ticks and sleeps as one. */
#ifndef MEMTWIN_SM_CORE_H
#define MEMTWIN_SM_CORE_H
#include <string.h>

#include "base/arith.h"
#include "system/sm/arbiter.h"
#include "system/sm/coalescer.h"
#include "system/sm/reorder.h"
#include "system/cache/l1d.h"
#include "system/unit/pool.h"
#include "system/unit/ring.h"
#include "system/sm/sm_array.h"
#include "system/sm/sm_translate.h"
#include "system/unit/unit.h"

enum { MAX_WARPS = 128, MAX_SCHEDULERS = 4, MAX_SFU = 4, MAX_SMS = 256, REGISTERS = 256, NO_LOAD = UINT32_MAX };
enum { DUE = 64 }; /* at most the bits of sm.due_at */

/* Concurrent workloads must not share lines: three address bits distinguish them.  Addresses of one workload may differ
 * in these bits, too (0x10000000, 0x7f0000000000): each pattern gets its own space.  Bits 0 and 1 of a space are the
 * address bits 45 and 46, and bit 2 is the address bit 44, which only more than four spaces need.
 */
enum { ADDRESS_SPACES = 8, SPACE_SHIFT = 45 - LINE_SHIFT, NO_SPACE = 255 };

static inline uint64_t space_line(uint64_t space)
{
    return (space & 3) << SPACE_SHIFT | (space >> 2) << (SPACE_SHIFT - 1);
}

static inline uint32_t space_of(uint64_t line)
{
    return (uint32_t)(line >> SPACE_SHIFT & 3) | (uint32_t)(line >> (SPACE_SHIFT - 1) & 1) << 2;
}

/* Bit w: warp slot w. */
typedef unsigned __int128 warp_set;

static inline warp_set warp_bit(uint32_t w)
{
    return (warp_set)1 << w;
}

/* Warps 64 * i to 64 * i + 63, from bit 0 on. */
static inline uint64_t warp_set_word(warp_set s, uint32_t i)
{
    return (uint64_t)(s >> 64 * i);
}

static inline bool warp_in(warp_set s, uint32_t w)
{
    return warp_set_word(s, w / 64) >> w % 64 & 1;
}

static inline uint32_t warp_first(warp_set s) /* s is not empty */
{
    uint64_t low = (uint64_t)s;
    return low ? (uint32_t)__builtin_ctzll(low) : 64 + (uint32_t)__builtin_ctzll((uint64_t)(s >> 64));
}

static inline uint32_t warp_last(warp_set s) /* s is not empty */
{
    const uint64_t high = (uint64_t)(s >> 64);
    return 63 - (uint32_t)__builtin_clzll(high ? high : (uint64_t)s) + (high ? 64 : 0);
}

static inline uint32_t warp_count(warp_set s)
{
    return (uint32_t)(__builtin_popcountll((uint64_t)s) + __builtin_popcountll((uint64_t)(s >> 64)));
}

/* The port that an instruction needs besides its registers. */
enum port { PORT_SP, PORT_SFU, PORT_LSU, PORT_NONE, PORTS };
/* Wait state of a warp.  FOR_PORT: its registers are ready; it issues when its port is free.  FOR_LOAD: a register
 * depends on a load in flight.  FOR_TIME: its registers become ready in a known cycle. */
enum { FOR_PORT, FOR_LOAD, FOR_TIME, WAITS };

/* A workload in execution: its kernels one after the other. */
struct workload {
    struct source *source;
    uint32_t number;
    struct workload_stats stats; /* these, the writes and the spaces: kept only if sm_array.apart */
    uint64_t writes;             /* line accesses of stores issued and not acknowledged */
    uint8_t space[ADDRESS_SPACES];
    struct kernel_info kernel;
    uint32_t kernels_started;    /* since the workload's start, or its last restart */
    const struct ranges *ranges; /* NULL: no policy reads them */
    bool waits;                  /* until it is scheduled: cke.concurrent */
    bool running, done;
    bool dispatch; /* state changed since the last failed dispatch */
    uint32_t blocks, next_block, finished_blocks, block_warps, block_registers;
    uint32_t together; /* consecutive thread blocks dispatched to one SM at once, within its limit */
    uint32_t next_sm;  /* SM at which dispatch continues */
};

/* Scheduled now (cke.concurrent) and not finished. */
static inline bool workload_is_here(const struct workload *k)
{
    return !k->waits && !k->done;
}

/* The current kernel's number in the access ranges.  False: they have none.  A host program that depends on results may
 * launch other kernels than in the pass that collected them. */
static inline bool workload_in_ranges(const struct workload *k, uint32_t *kernel)
{
    const struct ranges *r = k->ranges;
    *kernel = k->kernels_started - 1;
    return r && *kernel < r->kernel_count && kernel_blocks(&r->kernels[*kernel].info) == k->blocks;
}

struct thread_block {
    struct workload *workload;
    struct block_stream *stream; /* NULL: a free slot */
    uint32_t number;             /* in its grid */
    uint32_t unfinished;         /* warps that have not exited or still wait for loads */
    uint32_t running;            /* warps that have not exited */
    uint32_t arrived;            /* warps at the barrier */
    uint32_t slot;               /* slot number on the SM, used by the dispatcher */
    bool around;                 /* its reads bypass the L1D: l1d.bypass.mode = learner, blocks */
};

struct warp {
    _Alignas(HOST_LINE) struct thread_block *block;
    const struct inst_head *head; /* the next ones after `inst` */
    uint32_t loads;               /* loads and atomics not complete */
    uint32_t written;             /* bit g: a register of group g was since the warp started; the others are 0 */
    uint16_t left;                /* of inst.count */
    uint8_t number;               /* in its thread block */
    bool exited;
    uint8_t heads;    /* instructions at `head` */
    struct inst inst; /* the next to issue; after take_head() only its head and mask are valid */
};
_Static_assert(offsetof(struct warp, inst.addr) == HOST_LINE,
               "all fields but a list of addresses are one line of the host's cache");

/* A load or atomic with accesses in flight. */
struct load {
    uint32_t remaining; /* accesses; 0: a free place */
    uint32_t group;     /* of a copy: the warp's groups before */
    uint8_t warp, dst;
    bool global, copy; /* not global: of shared memory */
};

struct memory_inst {
    uint32_t load; /* NO_LOAD: a store */
    uint32_t count, next;
    uint32_t bank_cycles; /* left; a shared-memory instruction if not 0 */
    uint64_t first_id;
    uint8_t kind; /* enum request_kind */
    bool bypass;
    uint16_t owner, owners; /* as in struct access */
    uint8_t workload, warp;
    struct line_access access[COALESCER_MAX];
};

struct warp_scheduler;  /* warp_scheduler.h */
struct bypass_kind;     /* config/bypass_kind.h */
struct block_dispatch;  /* block_dispatch.h */
struct block_partition; /* block_partition.h */
struct throttle;        /* throttle.h */
struct pair;            /* pair.c */

/* Why a scheduler issued nothing in a cycle: each is a class of two splits, gpu.stall_{memory,lsu,other}_cycles and
 * gpu.stall_{structural,raw,idle}_cycles; the throttle's are in a class of their own in both. */
enum stall {
    STALL_NONE,
    STALL_THROTTLE,
    STALL_LSU,         /* lsu, structural */
    STALL_MEMORY_PORT, /* memory, structural: another warp has its registers and no port */
    STALL_MEMORY,      /* memory, raw */
    STALL_PORT,        /* other, structural */
    STALL_DEPENDENCE,  /* other, raw */
    STALL_IDLE,        /* other, idle */
    STALLS
};
enum { STALL_BITS = 3 };
_Static_assert(STALLS <= 1 << STALL_BITS, "a stall reason fits in STALL_BITS");

struct scheduler { /* half a line of the host's cache */
    warp_set mine;
    warp_set *active; /* two_level: the group; locality: the warps that could issue */
    uint32_t last;    /* slot of the warp that issued last */
    bool last_stays;  /* no other warp has started in that slot */
};

/* Sets of 64 warps.  A warp with a next instruction is in one set of `need` and in one set of `wait`.  An SM of up to
 * 64 warps reads one line of the host's cache in a cycle. */
enum { WARP_WORDS = MAX_WARPS / 64 };
struct warp_word {
    _Alignas(HOST_LINE) uint64_t need[PORTS]; /* by the port of the next instruction */
    uint64_t wait[WAITS];
    uint64_t far;         /* those of wait[FOR_TIME] that are ready in DUE cycles or later */
    uint64_t unordered;   /* have accesses between issue and the output of `reorder` */
    uint64_t lsu_allowed; /* may issue memory instructions in this cycle */
};

/* The masks, counters and pointers of each cycle first, in the order in which it reads them (base/host.h): a line for
 * the memory half, and one for both. */
struct sm {
    _Alignas(HOST_LINE) struct sm_array *array;
    struct l1d *l1d;
    uint64_t lsu_counted; /* `counted` of the memory half */
    uint32_t number;
    bool changed;       /* the half that is ticked */
    struct ring stages; /* struct staged: l1d.latency_at = front; else the access of `reorder` that waits */

    struct ring queue; /* LSU: struct memory_inst */
    uint64_t counted;  /* first cycle not counted yet */
    uint64_t due_at;   /* bit i: due[..][i] are not empty */
    uint64_t sfu_next; /* the earliest of `sfu_free` */
    uint32_t stalls;   /* enum stall of each scheduler in the last cycle, STALL_BITS each */
    uint8_t sp_left;
    bool lsu_taken; /* this cycle */

    struct warp_word word[WARP_WORDS];
    struct scheduler scheduler[MAX_SCHEDULERS];

    struct arbiter *arbiter;        /* NULL: everyone's */
    struct sm_translate *translate; /* NULL: uvm.enable is off */
    struct reorder *reorder;        /* NULL: l1d.input = fifo */
    struct warp *warps;
    uint64_t *usable; /* by register_place: first cycle in which it may be read; NEVER: its load has not returned */
    struct load *loads;
    struct pool load_places;
    uint64_t active_from;               /* first cycle with warps that is not counted yet, if there are any */
    warp_set resident;                  /* warp slots in use */
    warp_set active_of[MAX_SCHEDULERS]; /* scheduler.active */
    uint64_t sfu_free[MAX_SFU];         /* the first cycle in which each may take an instruction */

    uint8_t port[MAX_WARPS];                           /* enum port of its instruction */
    const uint8_t *const *reader[MAX_WARPS];           /* source_ops.reader */
    _Alignas(HOST_LINE) uint64_t due[WARP_WORDS][DUE]; /* warps of wait[FOR_TIME], by ready cycle mod DUE */
    warp_set at_barrier;
    /* Warps whose next instruction accesses shared memory, without a turn, or is a global load; with an arbiter or a
     * throttle only. */
    warp_set shared_next, load_next;
    warp_set of[MAX_WORKLOADS];            /* of `resident`, each workload's */
    uint64_t older[WARP_WORDS][MAX_WARPS]; /* [i][w]: word i of the set of warps that started before warp w */
    uint32_t copy_group[MAX_WARPS];        /* groups of copies that the warp has committed */
    uint8_t by_age[MAX_WARPS];             /* of `resident`, too: the slots of its warps, the oldest first */
    uint16_t queued[MAX_WARPS];            /* accesses of a warp that is in `unordered` */

    struct thread_block *blocks;
    uint32_t blocks_of[MAX_WORKLOADS];
    uint32_t may_hold[MAX_WORKLOADS]; /* thread blocks of each workload: partition_limit() */
    uint32_t blocks_used, warps_used, registers_used, shared_used;
    struct l1d_listener listener; /* of the throttle */
};

/* The SMs, or a half of each, by their next cycles with work. */
struct sleepers {
    uint64_t soon[MAX_SMS / 64]; /* bit i: SM i has work at the next tick */
    uint64_t later;              /* no SM without such a bit has work before */
    uint64_t wake[MAX_SMS];
};

static inline void sleepers_wake(struct sleepers *s, uint32_t sm)
{
    s->wake[sm] = 0;
    s->soon[sm / 64] |= (uint64_t)1 << sm % 64;
}

struct sm_array {
    struct env *env;
    const struct config *c;
    struct memory_port port;
    struct sm *sms;
    uint64_t *usable;                   /* `usable` of all SMs, not aligned */
    uint32_t register_place[REGISTERS]; /* in sm.usable, of warp slot 0 */
    struct sleepers memory, issue;      /* the halves; `memory`: whole SMs, unless halves_sleep */
    uint64_t wake;                      /* of all */
    uint64_t next_id;                   /* of accesses */
    uint64_t *stall_cycles;             /* of all SMs, by sm.stalls */
    uint64_t issued[INST_OPS];          /* warp instructions */

    struct workload workload[MAX_WORKLOADS];
    uint32_t workloads;
    const struct warp_scheduler *scheduler;
    const struct bypass_kind *bypass;
    const struct block_dispatch *dispatch;
    void *dispatch_state; /* NULL: the dispatcher has none */
    const struct block_partition *partition;
    void *partition_state; /* NULL: the partition has none */
    struct pair *pair;     /* NULL: nothing reads the periods */
    const struct throttle *throttle;
    void *throttle_state;  /* of all SMs; NULL: the throttle has none */
    void *scheduler_state; /* the same of the warp scheduler */
    bool done;
    bool plain;                    /* at most 64 warps in an SM, no throttle, no arbiter, no pair, not `apart`, no
                                      `reorder`, and a scheduler that allows all warps */
    bool halves_sleep;             /* the halves sleep separately; the memory halves of all SMs tick first */
    bool lsu_plain;                /* no `reorder`, no `translate`, and halves_sleep */
    bool ranks_shared;             /* shared-memory instructions are arbitrated, too */
    bool apart;                    /* per-workload counts: several workloads, or a run that ends at cke.cycles */
    struct workload_stats charged; /* L1D counts already charged to workloads */
    const struct workload *space_owner[ADDRESS_SPACES];
    struct sm_workloads setup;
    struct error *error; /* of the current tick */
};

/* The scoreboard: a group is eight registers of a warp, one cache line of the host.  The table is ordered by group,
 * then by SM and warp slot, so groups that no kernel uses take no memory.  INST_NO_REG is the first register of group
 * 0; only 0 is written to it, so it is always usable. */
enum { GROUP = HOST_LINE / sizeof(uint64_t) };

static inline uint32_t group_of(uint32_t reg)
{
    return (reg + 1) % REGISTERS / GROUP;
}

static inline uint32_t group_place(const struct sm_array *a, uint32_t group)
{
    return group * a->c->sm_count * a->c->sm_warps * GROUP;
}

static inline uint64_t *warp_register(const struct sm *sm, uint32_t w, uint8_t reg)
{
    return &sm->usable[sm->array->register_place[reg] + w * GROUP];
}

static inline void warp_write(struct sm *sm, uint32_t w, uint8_t reg, uint64_t usable)
{
    *warp_register(sm, w, reg) = usable;
    sm->warps[w].written |= 1u << group_of(reg);
}

static inline enum stall stall_of(uint32_t stalls, uint32_t scheduler)
{
    return (enum stall)(stalls >> scheduler * STALL_BITS & ((1u << STALL_BITS) - 1));
}

/* The warps in the SM that started before this one. */
static inline warp_set warps_older(const struct sm *sm, uint32_t w)
{
    return (warp_set)sm->older[1][w] << 64 | sm->older[0][w];
}

static inline uint32_t warp_words(const struct sm *sm) /* that have warp slots */
{
    return sm->array->c->sm_warps > 64 ? 2 : 1;
}

/* Warps with ready registers that wait for this port. */
static inline warp_set warps_ready(const struct sm *sm, enum port port)
{
    const struct warp_word *w = sm->word;
    return (warp_set)(w[1].wait[FOR_PORT] & w[1].need[port]) << 64 | (w[0].wait[FOR_PORT] & w[0].need[port]);
}

static inline warp_set warps_timed(const struct sm *sm)
{
    return (warp_set)sm->word[1].wait[FOR_TIME] << 64 | sm->word[0].wait[FOR_TIME];
}

/* Cycles with warps. */
static inline void sm_count_active(struct sm *sm, uint64_t until)
{
    sm->array->env->stats->gpu_sm_active_cycles += until - sm->active_from;
    sm->active_from = until;
}

/* In this cycle, if it has not ticked yet. */
static inline void sm_wake_issue(struct sm *sm)
{
    sleepers_wake(&sm->array->issue, sm->number);
}

/* The files.  Each calls those above it only; one call is an exception: pair.c calls sm_catch_up() of sm.c. */

/* throttle.c */
bool throttle_create(struct sm_array *a, struct error *err);
void throttle_destroy(struct sm_array *a);
void throttle_listen(struct sm *sm); /* to the L1D */
void throttle_warp_started(struct sm *sm, uint32_t w);
void throttle_warp_ended(struct sm *sm, uint32_t w);
void throttle_kernel_started(struct sm_array *a, const struct workload *k);
void throttle_kernel_ended(struct sm_array *a, const struct workload *k);
/* These are called in every cycle, below, if the throttle has a state. */
warp_set throttle_now_held(const struct sm *sm);
void throttle_now_issued(struct sm *sm, uint32_t w);
bool throttle_now_tick(struct sm *sm);
uint64_t throttle_now_wake(const struct sm *sm);
void throttle_now_idle(struct sm *sm, uint64_t cycles);
void throttle_now_begin(struct sm_array *a);
uint64_t throttle_now_next(const struct sm_array *a);

/* Warps that it prevents from issuing their next instruction. */
static inline warp_set throttle_held(const struct sm *sm)
{
    return sm->array->throttle_state ? throttle_now_held(sm) : 0;
}

/* The warp issues its next instruction. */
static inline void throttle_issued(struct sm *sm, uint32_t w)
{
    if (sm->array->throttle_state) throttle_now_issued(sm, w);
}

/* True: the next cycle may differ from this one. */
static inline bool throttle_tick(struct sm *sm)
{
    return sm->array->throttle_state && throttle_now_tick(sm);
}

static inline uint64_t throttle_wake(const struct sm *sm)
{
    return sm->array->throttle_state ? throttle_now_wake(sm) : NEVER;
}

static inline void throttle_idle(struct sm *sm, uint64_t cycles)
{
    if (sm->array->throttle_state) throttle_now_idle(sm, cycles);
}

/* A cycle of all SMs. */
static inline void throttle_begin(struct sm_array *a)
{
    if (a->throttle_state) throttle_now_begin(a);
}

static inline uint64_t throttle_next(const struct sm_array *a)
{
    return a->throttle_state ? throttle_now_next(a) : NEVER;
}

/* warp_scheduler.c */
bool scheduler_create(struct sm_array *a, struct error *err);
void scheduler_destroy(struct sm_array *a);
void scheduler_warp_started(struct sm *sm, uint32_t w);
void scheduler_warp_ended(struct sm *sm, uint32_t w);
bool scheduler_now_tick(struct sm *sm); /* both: only if the warp scheduler has a state */
void scheduler_now_idle(struct sm *sm, uint64_t cycles);

/* True: the next cycle may differ from this one. */
static inline bool scheduler_tick(struct sm *sm)
{
    return sm->array->scheduler_state && scheduler_now_tick(sm);
}

static inline void scheduler_idle(struct sm *sm, uint64_t cycles)
{
    if (sm->array->scheduler_state) scheduler_now_idle(sm, cycles);
}

/* block_partition.c: the hooks of block_partition.h, which are optional */
bool partition_create(struct sm_array *a, struct error *err);
void partition_destroy(struct sm_array *a);
void partition_begin(struct sm_array *a);
uint64_t partition_next(const struct sm_array *a);
bool partition_kernel_started(struct sm_array *a, struct workload *k);
void partition_kernel_ended(struct sm_array *a, struct workload *k);
void partition_block_started(struct sm *sm, struct thread_block *b);
void partition_block_finished(struct sm *sm, struct thread_block *b);
void partition_issued(struct sm *sm, const struct thread_block *b, const struct inst *i); /* if sm_array.apart */

/* turns.c: which workloads run now */
void turns_start(struct sm_array *a);
void turns_next(struct sm_array *a); /* a workload is done */
uint32_t turns_at_once(const struct sm_array *a);

/* pair.c */
bool pair_create(struct sm_array *a, struct error *err); /* after the partition */
void pair_destroy(struct sm_array *a);
/* These are called if there is one. */
void pair_now_begin(struct sm_array *a);
uint64_t pair_now_next(const struct sm_array *a);
void pair_now_kernels(struct sm_array *a);
void pair_now_block_started(const struct sm *sm, struct thread_block *b);
void pair_now_block_finished(const struct sm *sm, const struct thread_block *b);
void pair_now_sp(const struct sm *sm, const struct thread_block *b);
void pair_now_ldst(const struct sm *sm, const struct thread_block *b, uint32_t cycles);
void pair_now_cycles(const struct sm *sm, uint64_t cycles);

/* A cycle of all SMs, before their kernels start. */
static inline void pair_begin(struct sm_array *a)
{
    if (a->pair) pair_now_begin(a);
}

static inline uint64_t pair_next(const struct sm_array *a)
{
    return a->pair ? pair_now_next(a) : NEVER;
}

/* A kernel has started or ended. */
static inline void pair_kernels(struct sm_array *a)
{
    if (a->pair) pair_now_kernels(a);
}

/* Sets `around` of a thread block, which is false before, if the bypass_learner gives it a tag. */
static inline void pair_block_started(const struct sm *sm, struct thread_block *b)
{
    if (sm->array->pair) pair_now_block_started(sm, b);
}

static inline void pair_block_finished(const struct sm *sm, const struct thread_block *b)
{
    if (sm->array->pair) pair_now_block_finished(sm, b);
}

/* An instruction of the SP units issues. */
static inline void pair_sp(const struct sm *sm, const struct thread_block *b)
{
    if (sm->array->pair) pair_now_sp(sm, b);
}

/* A memory instruction enters the LSU and will occupy it for `cycles` cycles. */
static inline void pair_ldst(const struct sm *sm, const struct thread_block *b, uint32_t cycles)
{
    if (sm->array->pair) pair_now_ldst(sm, b, cycles);
}

/* The SM's last `cycles` cycles were alike. */
static inline void pair_cycles(const struct sm *sm, uint64_t cycles)
{
    if (sm->array->pair) pair_now_cycles(sm, cycles);
}

/* share.c */
bool share_fits(const struct sm *sm, const struct workload *k, uint32_t blocks); /* room for `blocks` more */
void share_take(struct sm *sm, const struct workload *k);                        /* a thread block takes it */
void share_block_done(struct sm *sm, struct thread_block *b);
uint64_t share_line(struct sm_array *a, struct workload *k, uint64_t line); /* in its own address space */
void share_flush(struct sm_array *a, const struct workload *k);             /* drops its lines from every L1D */
void share_issue(struct workload *k, const struct inst *i);
void share_access(struct sm *sm, uint32_t workload); /* the L1D has counted for an access of this workload */
void share_sync(struct sm_array *a);
bool share_laws_hold(const struct sm_array *a, struct error *err);

/* warp.c */
bool warp_start(struct sm *sm, uint32_t w, struct thread_block *block, uint32_t number);
void warp_issue(struct sm *sm, uint32_t w);       /* its registers and port are ready; the caller occupies the port */
void warp_issue_plain(struct sm *sm, uint32_t w); /* the same if sm_array.plain */
void warp_loaded(struct sm *sm, uint32_t w, uint8_t dst, uint64_t usable); /* all data of a load have arrived */
/* Updates the wait state of each of these warps, which were in `far`. */
void warps_due_each(struct sm *sm, uint32_t word, uint64_t due);
uint64_t warps_next_due(const struct sm *sm); /* no warp is due between this cycle and that one */

/* Warps whose registers become ready now leave FOR_TIME; an SM wakes for each.  `words`: warp_words(). */
static inline void warps_due(struct sm *sm, uint32_t words)
{
    const uint64_t now = sm->array->env->sm_cycle;
    sm->due_at &= ~((uint64_t)1 << now % DUE);
    for (uint32_t i = 0; i < words; i++) {
        struct warp_word *w = &sm->word[i];
        const uint64_t due = sm->due[i][now % DUE], each = due & w->far;
        sm->due[i][now % DUE] = 0;
        w->wait[FOR_TIME] &= ~due;
        w->wait[FOR_PORT] |= due ^ each;
        if (each) warps_due_each(sm, i, each);
    }
}

/* lsu.c */
bool lsu_init(struct sm *sm);
void lsu_push(struct sm *sm, uint32_t w); /* the next instruction of warp `w`, a memory instruction */
uint64_t lsu_tick(struct sm *sm);         /* the memory half; its next cycle with work */
void lsu_catch_up(struct sm *sm, uint64_t until);
void lsu_charge_workload(struct sm *sm);

/* Charges the L1D's new counts to the workload of the current access. */
static inline void lsu_charge(struct sm *sm)
{
    if (sm->array->apart) lsu_charge_workload(sm);
}

/* scheduler.c */
uint64_t schedulers_tick(struct sm *sm); /* the issuing half; its next cycle with work */

/* sm.c */
bool sm_init(struct sm_array *a, uint32_t number, struct error *err);
void sm_destroy(struct sm *sm);
uint64_t sm_tick(struct sm *sm);       /* a whole SM; its next cycle with work */
uint64_t sm_issue_tick(struct sm *sm); /* its issuing half alone */
void sm_wake(struct sm *sm);           /* at the next tick */
void sm_wake_memory(struct sm *sm);    /* the memory half alone */
void sm_catch_up(struct sm *sm, uint64_t until);
void sm_sync(struct sm *sm, uint64_t until); /* counts all cycles before */
bool sm_quiet(const struct sm *sm);

/* dispatch.c */
bool dispatch_tick(struct sm_array *a);
bool dispatch_all_run(const struct sm_array *a); /* no kernel starts or ends, and no thread block finds room */
bool dispatch_goes_on(const struct sm_array *a); /* a thread block may find room in the next cycle */

/* sm_array.c: sm_array.h */
#endif
