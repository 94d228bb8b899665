/* SPDX-License-Identifier: Apache-2.0 */
#include "warp_locality.h"

#include "onehot.h"

/* A linear search: of the candidates, it visits one a cycle, and keeps the best of those that it has visited. */
struct search {
    bool fresh;                      /* the best so far is a candidate; else the search begins anew */
    uint64_t visit, choice, pending; /* one bit each: visited now, the best with it; candidates left to visit */
    uint32_t value;                  /* of the choice */
    bool take;                       /* the one visited is the choice */
};

/* Of one scheduler.  Vectors have a bit for each warp. */
struct choice {
    uint64_t mine, last, pick, local;
    struct search search;
};

struct wires {
    bool start, finish, bad_start, bad_absent;
    uint64_t warp; /* the warp that starts or ends */
    uint64_t ends, starved, room;
    struct choice choice[WARP_LOCALITY_MAX_SCHEDULERS];
    struct search seek;
    uint64_t promote;
    uint64_t unknown, fill_visit;
    bool filled; /* the degrees of a warp are all in the table */
};

static uint64_t all(const struct warp_locality *m)
{
    return bits_mask(m->p.Warps);
}

static uint64_t bit(uint32_t warp)
{
    return (uint64_t)1 << (warp & 63);
}

static uint32_t pair(uint32_t a, uint32_t b)
{
    const uint32_t high = a > b ? a : b, low = a > b ? b : a;
    return high * (high - 1) / 2 + low;
}

/* 0, unless both are known. */
static uint32_t degree(const struct warp_locality *m, uint32_t a, uint32_t b)
{
    const bool both = a != b && (m->known_q & bit(a)) && (m->known_q & bit(b));
    const uint32_t entry = m->degree_q[both ? pair(a, b) : 0];
    return both ? entry : 0;
}

/* ---- Degrees of a warp that has started, one a cycle. */

/* Field `i`, of `width` bits, of a vector of words. */
static uint32_t field(const uint32_t *words, uint32_t i, uint32_t width)
{
    const uint32_t at = i * width, word = at / 32;
    const uint64_t two = words[word] | (word < 31 ? (uint64_t)words[word + 1] << 32 : 0);
    return (uint32_t)(two >> (at % 32) & bits_mask(width));
}

/* Subregions that both access, in the arrays in which their thread blocks have the same region. */
static uint32_t shared(const struct warp_locality *m, uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < m->p.Arrays; i++) {
        const uint64_t differ = (m->regions_q[a] ^ m->regions_q[b]) >> (i * m->p.RegionW) & bits_mask(m->p.RegionW);
        const uint32_t both = field(m->subs_q[a], i, m->p.SubW) & field(m->subs_q[b], i, m->p.SubW);
        sum += differ ? 0 : count_ones(both);
    }
    const uint32_t most = (uint32_t)bits_mask(m->p.DegreeW);
    return sum > most ? most : sum;
}

static void fill_wires(const struct warp_locality *m, struct wires *w)
{
    w->unknown = m->present_q & m->ranged_q & ~m->known_q;
    w->fill_visit = m->fill_valid_q ? first_one(m->fill_todo_q & m->known_q) : 0;
    w->filled = m->fill_valid_q && !w->fill_visit;
}

static void tick_fill(struct warp_locality *m, const struct wires *w)
{
    if (w->fill_visit) {
        const uint32_t other = onehot_index(w->fill_visit);
        if (other != m->fill_warp_q)
            m->degree_q[pair(m->fill_warp_q, other)] = (uint8_t)shared(m, m->fill_warp_q, other);
        m->fill_todo_q = m->fill_todo_q & ~w->fill_visit;
    } else if (w->filled) {
        m->known_q |= bit(m->fill_warp_q);
        m->fill_valid_q = false;
    } else if (w->unknown) {
        m->fill_valid_q = true;
        m->fill_warp_q = (uint8_t)onehot_index(first_one(w->unknown));
        m->fill_todo_q = m->known_q;
    }
    m->known_q &= ~w->ends;
    m->fill_valid_q = m->fill_valid_q && !(w->ends & bit(m->fill_warp_q));
}

/* ---- Searches. */

static struct search search(uint64_t candidates, bool found, uint32_t best, uint64_t todo, uint32_t from)
{
    struct search s = {.fresh = found && (candidates & bit(best))};
    const uint64_t left = s.fresh ? candidates & todo : candidates;
    s.visit = first_from(left, from);
    s.pending = left & ~s.visit;
    s.choice = s.fresh ? bit(best) : 0;
    return s;
}

/* The value of the one visited: it is the best so far if that is higher. */
static void visit(struct search *s, uint32_t value, uint32_t best_value)
{
    s->take = s->visit && (!s->fresh || value > best_value);
    s->value = s->take ? value : best_value;
    s->choice = s->take ? s->visit : s->choice;
}

static uint64_t mine_of(const struct warp_locality *m, uint32_t scheduler)
{
    static const uint64_t every[4] = {0xffffffffffffffff, 0x5555555555555555, 0x9249249249249249, 0x1111111111111111};
    return every[m->p.Schedulers - 1] << scheduler & all(m);
}

static uint32_t behind(const struct warp_locality *m, uint32_t warp)
{
    return warp == m->p.Warps - 1 ? 0 : (warp + 1) & bits_index_mask(m->p.Warps);
}

/* Starved warps first, in turn; the warp that issued last; the one with the highest degree with it. */
static void choose(const struct warp_locality *m, uint32_t scheduler, uint64_t able, const struct wires *w,
                   struct choice *c)
{
    const uint32_t last = m->last_q[scheduler], from = behind(m, last);
    c->mine = mine_of(m, scheduler);
    c->last = m->lasts_q >> scheduler & 1 ? bit(last) : 0;
    const uint64_t starving = able & c->mine & w->starved, candidates = able & c->mine & m->active_q;
    struct search *s = &c->search;
    *s = search(candidates & ~c->last, m->bests_q >> scheduler & 1, m->best_q[scheduler], m->todo_q, from);
    visit(s, s->visit && c->last ? degree(m, last, onehot_index(s->visit)) : 0, m->best_degree_q[scheduler]);
    const uint64_t found = m->p.Wait && s->pending ? 0 : s->choice, greedy = candidates & c->last;
    c->pick = starving ? first_from(starving, from) : greedy ? greedy : found;
    c->local = !starving && !greedy && s->value ? found : 0;
}

static void seek_wires(const struct warp_locality *m, struct wires *w)
{
    const uint64_t ready = m->present_q & ~m->active_q & ~m->waits_q & ~w->starved;
    struct search *s = &w->seek;
    *s = search(ready, m->seek_valid_q, m->seek_warp_q, m->seek_todo_q, 0);
    uint32_t sum = 0;
    if (s->visit & m->known_q) {
        const uint32_t warp = onehot_index(s->visit);
        const uint64_t known = m->active_q & m->known_q & ~s->visit;
        for (uint32_t i = 0; i < m->p.Warps; i++)
            if (known >> i & 1) sum += m->degree_q[pair(warp, i)];
    }
    visit(s, sum & (uint32_t)bits_mask(WARP_LOCALITY_SUM_W(&m->p)), m->seek_degree_q);
    const bool room = count_ones(m->active_q) < m->p.Group;
    w->promote = room && !(m->p.Wait && s->pending) ? s->choice : 0;
}

static void warp_wires(const struct warp_locality *m, const struct warp_locality_in *in, struct wires *w)
{
    const bool exists = in->warp_number_i < m->p.Warps;
    const bool present = exists && (m->present_q & bit(in->warp_number_i));
    w->start = in->warp_valid_i && in->warp_start_i && exists && !present;
    w->finish = in->warp_valid_i && !in->warp_start_i && present;
    w->bad_start = in->warp_valid_i && in->warp_start_i && !w->start;
    w->bad_absent = in->warp_valid_i && !in->warp_start_i && !w->finish;
    w->warp = exists ? bit(in->warp_number_i) : 0;
    w->ends = w->finish ? w->warp : 0;
}

/* Mostly none, so most need no search for them.  Without a branch, so that it vectorises. */
static bool any_starves(const struct warp_locality *m, uint32_t limit)
{
    uint8_t any = 0;
    for (uint32_t i = 0; i < m->p.Warps; i++) any |= m->newer_q[i] == limit;
    return any != 0;
}

static uint64_t starved(const struct warp_locality *m)
{
    const uint32_t limit = WARP_LOCALITY_STARVES(&m->p);
    uint64_t set = 0;
    if (!any_starves(m, limit)) return 0;
    for (uint32_t i = 0; i < m->p.Warps; i++)
        if (m->newer_q[i] == limit) set |= bit(i);
    return set & m->present_q;
}

static void all_wires(const struct warp_locality *m, const struct warp_locality_in *in, struct wires *w)
{
    const uint64_t able = in->issue_valid_i ? in->issue_able_i : 0;
    warp_wires(m, in, w);
    fill_wires(m, w);
    w->starved = starved(m);
    for (uint32_t s = 0; s < m->p.Schedulers; s++) choose(m, s, able, w, &w->choice[s]);
    seek_wires(m, w);
}

void warp_locality_init(struct warp_locality *m, const struct warp_locality_cfg *cfg)
{
    m->p = *cfg;
    for (uint32_t s = 0; s < m->p.Schedulers; s++) m->best_q[s] = m->best_degree_q[s] = 0;
    for (uint32_t i = 0; i < WARP_LOCALITY_PAIRS(&m->p); i++) m->degree_q[i] = 0;
    for (uint32_t i = 0; i < m->p.Warps; i++) {
        m->regions_q[i] = 0;
        for (uint32_t k = 0; k < 32; k++) m->subs_q[i][k] = 0;
    }
    m->seek_warp_q = 0;
    m->seek_degree_q = 0;
    m->fill_warp_q = 0;
    m->fill_todo_q = 0;
    warp_locality_reset(m);
}

/* The others mean nothing without the sets and valid bits that are 0 here. */
void warp_locality_reset(struct warp_locality *m)
{
    m->present_q = 0;
    m->ranged_q = 0;
    m->known_q = 0;
    m->waits_q = 0;
    m->active_q = 0;
    m->lasts_q = 0;
    m->bests_q = 0;
    m->todo_q = all(m);
    m->seek_valid_q = false;
    m->seek_todo_q = all(m);
    m->fill_valid_q = false;
    m->error_q = WARP_LOCALITY_OK;
    for (uint32_t s = 0; s < m->p.Schedulers; s++) m->last_q[s] = (uint8_t)s;
    for (uint32_t i = 0; i < m->p.Warps; i++) m->newer_q[i] = 0;
}

static bool busy(const struct warp_locality *m, const struct wires *w)
{
    return m->fill_valid_q || w->unknown || w->seek.visit || w->promote;
}

static void outputs(const struct warp_locality *m, const struct wires *w, struct warp_locality_out *out)
{
    out->issue_pick_o = 0;
    out->issue_local_o = 0;
    for (uint32_t s = 0; s < m->p.Schedulers; s++) {
        out->issue_pick_o |= w->choice[s].pick;
        out->issue_local_o |= w->choice[s].local;
    }
    out->issue_starved_o = out->issue_pick_o & w->starved;
    out->promote_valid_o = w->promote != 0;
    out->promote_warp_o = (uint8_t)onehot_index(w->promote);
    out->promote_degree_o = w->promote ? (uint16_t)w->seek.value : 0;
    out->active_o = m->active_q;
    out->starved_o = w->starved;
    out->busy_o = busy(m, w);
    out->error_o = m->error_q;
}

/* A warp that was not the last one ends the search and starts the next one. */
static void tick_choice(struct warp_locality *m, uint32_t s, const struct choice *c, uint64_t ends)
{
    const uint8_t me = (uint8_t)(1u << s);
    const bool moved = c->pick && c->pick != c->last;
    if (moved) {
        m->last_q[s] = (uint8_t)onehot_index(c->pick);
        m->lasts_q |= me;
        m->bests_q &= (uint8_t)~me;
        m->todo_q |= c->mine;
    } else if (c->search.visit) {
        m->todo_q = (c->search.fresh ? m->todo_q : m->todo_q | c->mine) & ~c->search.visit;
        m->best_q[s] = (uint8_t)onehot_index(c->search.choice);
        m->best_degree_q[s] = (uint8_t)c->search.value;
        m->bests_q |= me;
    }
    if (ends & bit(m->last_q[s])) m->lasts_q &= (uint8_t)~me;
    if (ends & bit(m->best_q[s])) m->bests_q &= (uint8_t)~me;
}

static void tick_seek(struct warp_locality *m, const struct wires *w)
{
    const struct search *s = &w->seek;
    if (w->promote) {
        m->seek_valid_q = false;
        m->seek_todo_q = all(m);
    } else if (s->visit) {
        m->seek_todo_q = (s->fresh ? m->seek_todo_q : all(m)) & ~s->visit;
        m->seek_warp_q = (uint8_t)onehot_index(s->choice);
        m->seek_degree_q = (uint16_t)s->value;
        m->seek_valid_q = true;
    }
    if (w->ends & bit(m->seek_warp_q)) m->seek_valid_q = false;
}

/* New degrees: every search begins anew. */
static void begin_searches(struct warp_locality *m)
{
    m->bests_q = 0;
    m->todo_q = all(m);
    m->seek_valid_q = false;
    m->seek_todo_q = all(m);
}

static void tick_newer(struct warp_locality *m, const struct warp_locality_in *in, const struct wires *w)
{
    const uint32_t limit = WARP_LOCALITY_STARVES(&m->p);
    const uint32_t mask = (uint32_t)bits_mask(WARP_LOCALITY_NEWER_W(&m->p));
    const bool block = in->warp_first_i;
    if (!w->start) return;
    for (uint32_t i = 0; i < m->p.Warps; i++) {
        const bool starts = w->warp >> i & 1;
        const bool counts = block && (m->present_q >> i & 1) && m->newer_q[i] != limit;
        const uint32_t next = starts ? 0 : m->newer_q[i] + (uint32_t)counts;
        m->newer_q[i] = (uint8_t)(next & mask);
    }
}

static void store_ranges(struct warp_locality *m, const struct warp_locality_in *in, const struct wires *w)
{
    const uint32_t warp = onehot_index(w->warp), width = m->p.Arrays * m->p.SubW;
    m->regions_q[warp] = in->warp_regions_i & bits_mask(m->p.Arrays * m->p.RegionW);
    for (uint32_t k = 0; k < 32; k++)
        m->subs_q[warp][k] = width > 32 * k ? in->warp_subs_i[k] & (uint32_t)bits_mask(width - 32 * k) : 0;
}

static void tick_sets(struct warp_locality *m, const struct warp_locality_in *in, const struct wires *w)
{
    const uint64_t starts = w->start ? w->warp : 0;
    m->waits_q = in->wait_valid_i ? in->wait_warps_i & all(m) : m->waits_q;
    m->active_q = (m->active_q | w->promote) & ~m->waits_q & ~w->ends;
    m->present_q = (m->present_q | starts) & ~w->ends;
    m->ranged_q = (m->ranged_q | (in->warp_ranged_i ? starts : 0)) & ~w->ends;
}

static void edge(struct warp_locality *m, const struct warp_locality_in *in, const struct wires *w)
{
    for (uint32_t s = 0; s < m->p.Schedulers; s++) tick_choice(m, s, &w->choice[s], w->ends);
    tick_seek(m, w);
    if (w->filled) begin_searches(m);
    tick_fill(m, w);
    tick_newer(m, in, w);
    if (w->start && in->warp_ranged_i) store_ranges(m, in, w);
    tick_sets(m, in, w);
    m->active_q &= ~starved(m);
    const uint8_t error = w->bad_start    ? WARP_LOCALITY_ERROR_START
                          : w->bad_absent ? WARP_LOCALITY_ERROR_ABSENT
                                          : WARP_LOCALITY_OK;
    m->error_q = m->error_q ? m->error_q : error;
}

void warp_locality_eval(const struct warp_locality *m, const struct warp_locality_in *in, struct warp_locality_out *out)
{
    struct wires w;
    all_wires(m, in, &w);
    outputs(m, &w, out);
}

void warp_locality_tick(struct warp_locality *m, const struct warp_locality_in *in)
{
    struct wires w;
    all_wires(m, in, &w);
    edge(m, in, &w);
}

void warp_locality_step(struct warp_locality *m, const struct warp_locality_in *in, struct warp_locality_out *out)
{
    struct wires w;
    all_wires(m, in, &w);
    outputs(m, &w, out);
    edge(m, in, &w);
}

/* Nothing is left to compute, and the search for promotion has visited every warp that is ready. */
bool warp_locality_idle(const struct warp_locality *m)
{
    struct wires w = {0};
    fill_wires(m, &w);
    w.starved = starved(m);
    seek_wires(m, &w);
    return !busy(m, &w) && !(m->active_q & (m->waits_q | w.starved));
}

/* An idle block stays as it is. */
void warp_locality_skip(struct warp_locality *m, uint64_t cycles)
{
    const struct warp_locality_in nothing = {0};
    for (uint64_t i = 0; i < cycles && !warp_locality_idle(m); i++) warp_locality_tick(m, &nothing);
}
