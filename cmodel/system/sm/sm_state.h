/* SPDX-License-Identifier: Apache-2.0 */
/* The data of the SMs: warps, schedulers, LSU, and what all SMs share.  Included by the SMs' files and their policies.
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
#ifndef MEMTWIN_SM_STATE_H
#define MEMTWIN_SM_STATE_H
#include "base/arith.h"
#include "base/host.h"
#include "system/sm/arbiter.h"
#include "system/sm/coalescer.h"
#include "system/sm/reorder.h"
#include "system/sm/sm_array.h"
#include "system/sm/sm_events.h"
#include "system/sm/sm_translate.h"
#include "system/sm/workload.h"
#include "system/unit/pool.h"
#include "system/unit/ring.h"
#include "system/unit/unit.h"

enum { MAX_SCHEDULERS = 4, MAX_SFU = 4, MAX_SMS = 256, REGISTERS = 256, NO_LOAD = UINT32_MAX };
enum { DUE = 64 }; /* at most the bits of sm.due_at */

/* The port that an instruction needs besides its registers. */
enum port { PORT_SP, PORT_SFU, PORT_LSU, PORT_NONE, PORTS };
/* Units; without sm.sub_cores SP units and SFUs alone.  UNIT_KINDS: none. */
enum unit { UNIT_SP, UNIT_INT, UNIT_DP, UNIT_SFU, UNIT_TENSOR, UNIT_KINDS };
/* Wait state of a warp.  FOR_PORT: its registers are ready; it issues when its port is free.  FOR_LOAD: a register
 * depends on a load in flight.  FOR_TIME: its registers become ready in a known cycle. */
enum { FOR_PORT, FOR_LOAD, FOR_TIME, WAITS };

struct warp {
    _Alignas(HOST_LINE) struct thread_block *block;
    const struct inst_head *head; /* the next ones after `inst` */
    uint32_t pending; /* loads and atomics not complete; with sm.warp_end = stores, also accesses of stores */
    uint32_t written; /* bit g: a register of group g was since the warp started; the others are 0 */
    uint16_t left;    /* of inst.count */
    uint8_t number;   /* in its thread block */
    bool exited;
    uint8_t heads;    /* instructions at `head` */
    uint8_t atomics;  /* in flight, with sm.atomic_waits */
    struct inst inst; /* the next to issue; after take_head() only its head and mask are valid */
};
_Static_assert(offsetof(struct warp, inst.addr) == HOST_LINE,
               "all fields but a list of addresses are one line of the host's cache");

/* A load or atomic with accesses in flight. */
struct load {
    uint64_t usable;    /* of a constant load: the latest first cycle in which data of its accesses may be used */
    uint32_t remaining; /* accesses; 0: a free place */
    uint32_t group;     /* of a copy: the warp's groups before */
    uint32_t arrival;   /* of a copy: in `mbarriers`, from 1; 0: at none */
    uint8_t warp, dst;
    bool global, copy, atomic; /* not global: of shared or constant memory */
    bool around;               /* as in struct access */
};

struct memory_inst {
    uint32_t load; /* NO_LOAD: a store */
    uint32_t count, next;
    uint32_t bank_cycles; /* left, of shared memory or, an access each, of constant memory; 0: of neither */
    uint64_t first_id;
    uint8_t kind;           /* enum request_kind */
    bool bypass, around;    /* as in struct access */
    bool constant;          /* with bank_cycles: of constant memory */
    uint16_t owner, owners; /* as in struct access */
    uint8_t workload, warp;
    struct line_access access[COALESCER_MAX];
};

/* Memory instructions between issue and the LSU's queue. */
struct collected {
    uint64_t used; /* bit i: at[i] holds one */
    struct memory_inst *at;
};

struct constant;        /* cache/constant.h */
struct mbarriers;       /* mbarrier.h */
struct warp_scheduler;  /* warp_scheduler.h */
struct bypass_kind;     /* config/bypass_kind.h */
struct block_dispatch;  /* block_dispatch.h */
struct block_partition; /* block_partition.h */
struct streams;         /* streams.h */
struct sub_cores;       /* sub_cores.h */

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
_Static_assert(MAX_SCHEDULERS *STALL_BITS <= 16, "the reasons of all schedulers fit in sm.stalls");

struct scheduler { /* half a line of the host's cache */
    warp_set mine;
    warp_set *active; /* two_level: the group; locality: the warps that could issue */
    uint32_t last;    /* slot of the warp that issued last */
    bool last_stays;  /* no other warp has started in that slot */
};

/* Sets of 64 warps.  A warp with a next instruction is in one set of `need` and in one set of `wait`.  An SM of up to
 * 64 warps reads one line of the host's cache in a cycle. */
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
    struct l1d_front front;

    struct ring queue; /* LSU: struct memory_inst */
    uint64_t counted;  /* first cycle not counted yet; the memory half has front.counted */
    uint64_t due_at;   /* bit i: due[..][i] are not empty */
    uint64_t sfu_next; /* the earliest of `sfu_free` */
    uint16_t stalls;   /* enum stall of each scheduler in the last cycle, STALL_BITS each */
    uint16_t number;
    uint8_t sp_left, sfu_left; /* sfu_left: with collectors */
    bool lsu_taken;            /* this cycle */
    bool changed;              /* the issuing half; the memory half has front.changed */

    struct warp_word word[WARP_WORDS];
    struct scheduler scheduler[MAX_SCHEDULERS];

    struct arbiter *arbiter;           /* NULL: everyone's */
    struct sm_translate *translate;    /* NULL: uvm.enable is off */
    struct reorder *reorder;           /* NULL: l1d.input = fifo */
    struct constant *constant;         /* NULL: constant.bytes = 0 */
    struct bank_writes *bank_writes;   /* of `collectors` */
    const struct collected *collected; /* the same */
    struct collectors *collectors;     /* NULL: sm.reg_banks = 0 */
    struct sub_cores *sub_cores;       /* NULL: the schedulers share the units */
    struct warp *warps;
    uint64_t *usable; /* by register_place: first cycle in which it may be read; NEVER: its load has not returned */
    struct load *loads;
    struct pool load_places;
    struct mbarriers *mbarriers;        /* NULL: no warp has arrived or waited at one */
    uint64_t active_from;               /* first cycle with warps that is not counted yet, if there are any */
    uint64_t turn;                      /* this and the cycle give the scheduler with the first turn */
    uint32_t turn_kernel;               /* kernels of the workload that had started when `turn` was set; 0: none */
    warp_set resident;                  /* warp slots in use */
    warp_set active_of[MAX_SCHEDULERS]; /* scheduler.active */
    uint64_t sfu_free[MAX_SFU];         /* the first cycle in which each may take an instruction */

    uint8_t port[MAX_WARPS];                           /* enum port of its instruction */
    const uint8_t *const *reader[MAX_WARPS];           /* source_ops.reader */
    _Alignas(HOST_LINE) uint64_t due[WARP_WORDS][DUE]; /* warps of wait[FOR_TIME], by ready cycle mod DUE */
    warp_set at_barrier;
    warp_set awaiting; /* at an mbarrier: they are in wait[FOR_LOAD] and have no next instruction */
    /* Warps whose next instruction accesses shared or constant memory, without a turn, or is a global load; kept only
     * with an arbiter, or with a listener that has may_issue(). */
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
    uint32_t shared_room, l1d_ways; /* as it is split now (split.h) */
    struct l1d_listener listener;   /* its events `read` and `replaced` */
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

/* Port, unit and latency of an operation. */
struct op_needs {
    uint8_t port;     /* enum port */
    uint8_t unit;     /* enum unit */
    uint16_t latency; /* of arithmetic: SM cycles from issue to its result; 0: of others */
};

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
    struct op_needs needs[INST_OPS];

    struct workload workload[MAX_WORKLOADS];
    uint32_t workloads;
    uint8_t order[MAX_WORKLOADS]; /* of them, in which the dispatch serves them */
    struct streams *streams;      /* NULL: each workload runs its kernels one after the other */
    const struct warp_scheduler *scheduler;
    const struct bypass_kind *bypass;
    const struct block_dispatch *dispatch;
    const struct block_partition *partition;
    void *scheduler_state, *dispatch_state; /* of all SMs; NULL: they have none */
    uint64_t next_start;                    /* of a thread block of any kernel, in parts of a cycle (dispatch.c) */
    bool done;
    /* Short paths (choose_paths()). */
    bool halves_sleep;             /* the halves sleep separately; the memory halves of all SMs tick first */
    bool quick_issue;              /* one word of warps, all may issue, and no listener of an issued instruction */
    bool ranks_shared;             /* shared-memory instructions are arbitrated, too */
    bool splits;                   /* shared memory and L1D divide a memory, by kernel */
    bool apart;                    /* per-workload counts: several workloads, or a run that ends at cke.cycles */
    struct workload_stats charged; /* L1D counts already charged to workloads */
    const struct workload *space_owner[ADDRESS_SPACES];
    struct sm_workloads setup;
    struct error *error; /* of the current tick */
    struct sm_events events;
};

static inline enum stall stall_of(uint32_t stalls, uint32_t scheduler)
{
    return (enum stall)(stalls >> scheduler * STALL_BITS & ((1u << STALL_BITS) - 1));
}

/* The issuing half ticks in this cycle, if it has not yet. */
static inline void sm_wake_issue(struct sm *sm)
{
    sleepers_wake(&sm->array->issue, sm->number);
}

/* Cycles with warps. */
static inline void sm_count_active(struct sm *sm, uint64_t until)
{
    sm->array->env->stats->gpu_sm_active_cycles += until - sm->active_from;
    sm->active_from = until;
}
#endif
