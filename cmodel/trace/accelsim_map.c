/* SPDX-License-Identifier: Apache-2.0 */
/* Maps the instruction of a line to its operation, and generic and local accesses to their memory. */
#include "trace/accelsim_line.h"
#include "trace/accelsim_mbarriers.h"
#include "trace/accelsim_opcode.h"

#define LOCAL_WINDOW 0xffffffu /* local addresses are offsets into 16 MiB per thread */
#define SHARED_WINDOW 0xffffffu
/* Base of the interleaved local memory of all threads: below the addresses that CUDA allocates on 64-bit hosts.  A
 * thread has at most 512 KiB of it, anywhere in its window. */
#define LOCAL_AREA ((uint64_t)1 << 46)
#define LOCAL_BYTES (512u << 10)

/* Local memory in the hardware's layout: the same element of neighbouring threads is contiguous. */
static void interleave(struct line *l, const struct accelsim_warp *w, uint64_t base)
{
    struct inst *i = l->inst;
    const uint64_t threads = l->parser->format.threads;
    pattern_fill(l->addresses, i);
    for (uint32_t rest = i->mask; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        uint64_t element = (i->addr[lane] - base) % LOCAL_BYTES / i->size;
        i->addr[lane] = LOCAL_AREA + (element * threads + w->first_thread + (unsigned)lane) * i->size;
    }
    pattern_find(l->addresses, i);
}

static void move_to_window(struct line *l, uint64_t base)
{
    struct inst *i = l->inst;
    pattern_fill(l->addresses, i);
    for (uint32_t rest = i->mask; rest; rest &= rest - 1) {
        uint64_t *at = &i->addr[__builtin_ctz(rest)];
        *at = (*at - base) & SHARED_WINDOW;
    }
    pattern_find(l->addresses, i);
}

enum memory { GLOBAL, SHARED, LOCAL };

/* Each window has 16 MiB, in any order.  As in Accel-Sim, a window of shared memory below that of local memory reaches
 * up to it. */
static enum memory memory_of(const struct accelsim_format *f, uint64_t at)
{
    const uint64_t shared_end = f->local_base > f->shared_base ? f->local_base - 1 : f->shared_base + SHARED_WINDOW;
    const bool shared = f->shared_base && at >= f->shared_base && at <= shared_end;
    const bool local = f->local_base && at >= f->local_base && at - f->local_base <= LOCAL_WINDOW;
    return shared ? SHARED : local ? LOCAL : GLOBAL;
}

/* The first active lane's address selects the memory of a generic access. */
static enum memory memory_of_lanes(struct line *l)
{
    struct accelsim_parser *p = l->parser;
    const enum memory first = memory_of(&p->format, l->addresses->base);
    bool mixed = false;
    if (!p->format.shared_base || !p->format.local_base) p->counts.loss[LOSS_no_windows]++;
    pattern_fill(l->addresses, l->inst);
    for (uint32_t rest = l->inst->mask; rest; rest &= rest - 1)
        mixed |= memory_of(&p->format, l->inst->addr[__builtin_ctz(rest)]) != first;
    p->counts.loss[LOSS_mixed_windows] += mixed;
    return first;
}

static void resolve_generic(struct line *l, const struct accelsim_warp *w, uint8_t global, uint8_t shared)
{
    const enum memory memory = memory_of_lanes(l);
    l->inst->op = memory == SHARED ? shared : global;
    if (memory == SHARED) move_to_window(l, l->parser->format.shared_base);
    if (memory == LOCAL && global != INST_ATOMIC) interleave(l, w, l->parser->format.local_base);
}

static uint8_t load_op(const struct accelsim_head *h)
{
    return h->around ? INST_LOAD_L2 : INST_LOAD;
}

static void map_mbarrier(struct line *l)
{
    if (!l->head->addresses) return;
    l->inst->op = INST_SHARED_LOAD;
    l->inst->size = l->head->size;
}

/* The end of the warp's copies so far, or a wait for those of the thread block: accelsim_mbarriers.h counts them. */
static void map_arrival(struct line *l, uint8_t op)
{
    if (!l->head->addresses) return;
    l->inst->op = op;
    l->inst->size = accelsim_mbarrier(l->addresses->base);
}

static void map_bulk(struct line *l, const struct accelsim_warp *w, uint8_t op)
{
    struct accelsim_bulk *b = &l->parser->bulk;
    if (!b->pieces) return;
    b->op = op;
    b->lanes = (uint32_t)__builtin_popcount(w->lanes);
    l->kind = ACCELSIM_BULK;
    l->inst->dst = INST_NO_REG;
}

void accelsim_map(enum opcode_class class, struct line *l, const struct accelsim_warp *w)
{
    struct inst *i = l->inst;
    switch (class) {
    case SP:
        i->op = INST_SP;
        break;
    case SFU:
        i->op = INST_SFU;
        break;
    case DP:
        i->op = INST_DP;
        break;
    case TENSOR:
        i->op = INST_TENSOR;
        break;
    case COMMIT:
        i->op = INST_COMMIT;
        break;
    case WAIT:
        i->op = INST_WAIT;
        break;
    case LOAD:
        i->op = load_op(l->head);
        break;
    case COPY:
        i->op = l->head->around ? INST_COPY_L2 : INST_COPY;
        break;
    case STORE:
        i->op = INST_STORE;
        break;
    case ATOMIC:
        i->op = INST_ATOMIC;
        break;
    case SHARED_LOAD:
    case SHARED_ATOMIC:
        i->op = INST_SHARED_LOAD;
        break;
    case SHARED_STORE:
        i->op = INST_SHARED_STORE;
        break;
    case CONSTANT_LOAD:
        i->op = INST_CONST_LOAD;
        break;
    case LOCAL_LOAD:
        i->op = INST_LOAD;
        interleave(l, w, 0);
        break;
    case LOCAL_STORE:
        i->op = INST_STORE;
        interleave(l, w, 0);
        break;
    case GENERIC_LOAD:
        resolve_generic(l, w, load_op(l->head), INST_SHARED_LOAD);
        break;
    case GENERIC_STORE:
        resolve_generic(l, w, INST_STORE, INST_SHARED_STORE);
        break;
    case GENERIC_ATOMIC:
        resolve_generic(l, w, INST_ATOMIC, INST_SHARED_LOAD);
        l->parser->counts.loss[LOSS_shared_atomics] += i->op == INST_SHARED_LOAD;
        break;
    case BARRIER:
    case CLUSTER_BARRIER:
        i->op = INST_BARRIER;
        break;
    case EXIT:
        i->op = INST_EXIT;
        break;
    case MBARRIER:
        map_mbarrier(l);
        break;
    case MBARRIER_TEST:
        map_arrival(l, INST_AWAIT);
        break;
    case MBARRIER_ARRIVE:
        map_arrival(l, INST_ARRIVE);
        break;
    case BULK_LOAD:
        map_bulk(l, w, INST_COPY_L2);
        break;
    case BULK_STORE:
        map_bulk(l, w, INST_STORE);
        break;
    case BULK_ATOMIC:
        map_bulk(l, w, INST_ATOMIC);
        break;
    case BULK_PREFETCH:
        map_bulk(l, w, INST_LOAD_L2);
        break;
    case INT:
    case TEXTURE:
    case CONSTANT:
    case FENCE:
    case TENSOR_MEMORY:
    case BULK_COMMAND:
    case ARRIVE:
    case BULK_SHARED:
    case MARKER:
    case UNKNOWN:
        break;
    }
}
