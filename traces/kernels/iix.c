/* SPDX-License-Identifier: Apache-2.0 */
/* iix: inverted index of links (Mars InvertedIndex, its map stage).  Each thread reads a piece of HTML of about a
 * kilobyte, byte by byte, with a state machine for <a href="...">: 32 lanes on 32 lines, and the next bytes of each
 * line come much later.  The first kernel counts links, the host adds up the counts, the second kernel emits the links.
 */
#include <string.h>

#include "trace/kernels.h"

#define PIECE 1024 /* bytes of a piece, which then goes on to the end of its line */
#define LINE 240   /* longest line */
#define KEY 16     /* bytes of a key: pointer to the file, place of the link, a hole */
#define KEY_LINK 8
#define VALUE_WORDS 3 /* number of the file, place of the piece, its size */

enum state { START, IN_TAG, IN_ATAG, FOUND_HREF, START_LINK };

struct place { /* of a record in bytes: the key's offset and size, the value's */
    int32_t key, key_size, value, value_size;
};

struct iix {
    gu8 text;
    graw keys, places; /* a record per piece */
    gi32 values;
    gi32 key_bytes, value_bytes, counts, starts; /* per piece: what it emits; starts: links of the pieces before */
    graw out_keys, out_places;
    gi32 out_values;
    uint8_t *first_text;
    int bytes, pieces, links;
    bool emits; /* in this launch */
};

/* ---- On the device. ---- */

struct scanner {
    vi32 piece, key, value; /* key, value: their records' indices */
    vi32 begin, size;       /* begin: of the piece in the text */
    vi32 at, state, links;  /* at: in the piece */
};

static vi32 word_of(vpart part, int n)
{
    vi32 v = {.r = part.r};
    for (int l = 0; l < WARP_SIZE; l++) memcpy(&v.lane[l], part.lane[l] + 4 * n, 4);
    return v;
}

static struct scanner open_piece(struct warp *w, const struct iix *k, vi32 piece)
{
    struct scanner s = {.piece = piece};
    vpart place = vload_part(k->places, piece, 0, sizeof(struct place));
    s.key = vvar(vshr(word_of(place, 0), 4));
    s.value = vvar(vshr(word_of(place, 2), 2));
    s.begin = vvar(vload(k->values, vadd(s.value, 1)));
    s.size = vvar(vload(k->values, vadd(s.value, 2)));
    s.at = vvar(0);
    s.state = vvar((int)START);
    s.links = vvar(0);
    return s;
}

static vu32 byte_here(struct warp *w, const struct iix *k, const struct scanner *s, int further)
{
    vi32 at = vadd(s->begin, s->at);
    return vload(k->text, further ? vadd(at, further) : at);
}

static void count_link(struct warp *w, const struct iix *k, const struct scanner *s)
{
    vi32 bytes = vload(k->key_bytes, s->piece);
    vstore(k->key_bytes, s->piece, vadd(bytes, KEY));
    bytes = vload(k->value_bytes, s->piece);
    vstore(k->value_bytes, s->piece, vadd(bytes, 4));
    vi32 count = vload(k->counts, s->piece);
    vstore(k->counts, s->piece, vadd(count, 1));
}

static vpart packed(const vi32 word[4])
{
    vpart p = {.r = word[2].r};
    for (int l = 0; l < WARP_SIZE; l++) {
        for (int n = 0; n < 4; n++) memcpy(p.lane[l] + 4 * n, &word[n].lane[l], 4);
    }
    return p;
}

/* Key and value are copied word by word to the thread's next record. */
static void emit_link(struct warp *w, const struct iix *k, struct scanner *s, vi32 end)
{
    vstore(k->text, vadd(s->begin, end), 0u);
    vi32 link = vvar(vadd(s->begin, s->at));
    vpart url = {.r = link.r};
    for (int l = 0; l < WARP_SIZE; l++) memcpy(url.lane[l], &link.lane[l], 4);
    vstore_part(k->keys, s->key, KEY_LINK, 4, url);
    vi32 to = vvar(vadd(vload(k->starts, s->piece), s->links));
    for (uint32_t offset = 0; offset < KEY; offset += 4) {
        vpart word = vload_part(k->keys, s->key, offset, 4);
        vstore_part(k->out_keys, to, offset, 4, word);
    }
    vstore(k->out_values, to, vload(k->values, s->value));
    vpart place = packed((vi32[4]){vmul(to, KEY), V(KEY), vmul(to, 4), V(4)});
    vstore_part(k->out_places, to, 0, sizeof(struct place), place);
    vset(s->links, vadd(s->links, 1));
}

static void look_for_tag(struct warp *w, const struct iix *k, struct scanner *s)
{
    SIMT_IF (veq(byte_here(w, k, s, 0), (unsigned)'<')) {
        vset(s->state, (int)IN_TAG);
    }
}

static void look_for_a(struct warp *w, const struct iix *k, struct scanner *s)
{
    vu32 c = vvar(byte_here(w, k, s, 0));
    SIMT_IF (veq(c, (unsigned)'a')) {
        vset(s->state, (int)IN_ATAG);
    }
    SIMT_ELSE
    {
        SIMT_IF (vne(c, (unsigned)' ')) {
            vset(s->state, (int)START);
        }
    }
}

/* The rest of "href", from its letter `n` on. */
static void match_href(struct warp *w, const struct iix *k, struct scanner *s, int n)
{
    SIMT_IF (veq(byte_here(w, k, s, n), (unsigned)"href"[n])) {
        if (n < 3) {
            match_href(w, k, s, n + 1);
        } else {
            vset(s->state, (int)FOUND_HREF);
            vset(s->at, vadd(s->at, 3));
        }
    }
}

static void look_for_href(struct warp *w, const struct iix *k, struct scanner *s)
{
    vu32 c = vvar(byte_here(w, k, s, 0));
    SIMT_IF (veq(c, (unsigned)'h')) {
        vset(s->state, (int)START);
        match_href(w, k, s, 0);
    }
    SIMT_ELSE
    {
        SIMT_IF (vne(c, (unsigned)' ')) {
            vset(s->state, (int)START);
        }
    }
}

static void look_for_quote(struct warp *w, const struct iix *k, struct scanner *s)
{
    vu32 c = vvar(byte_here(w, k, s, 0));
    SIMT_IF (vand(vne(c, (unsigned)' '), vne(c, (unsigned)'='))) {
        SIMT_IF (veq(c, (unsigned)'"')) {
            vset(s->state, (int)START_LINK);
        }
        SIMT_ELSE
        {
            vset(s->state, (int)START);
        }
    }
}

static void take_link(struct warp *w, const struct iix *k, struct scanner *s)
{
    vi32 end = vvar(s->at);
    SIMT_WHILE (vne(vload(k->text, vadd(s->begin, end)), (unsigned)'"')) {
        vset(end, vadd(end, 1));
    }
    if (k->emits) {
        emit_link(w, k, s, end);
    } else {
        count_link(w, k, s);
    }
    vset(s->at, end);
    vset(s->state, (int)START);
}

/* The cases of a switch in turn. */
static void step(struct warp *w, const struct iix *k, struct scanner *s, int state)
{
    static void (*const cases[])(struct warp * w, const struct iix *k, struct scanner *s) = {
        [START] = look_for_tag, [IN_TAG] = look_for_a, [IN_ATAG] = look_for_href, [FOUND_HREF] = look_for_quote};
    if (state == START_LINK) {
        take_link(w, k, s);
        return;
    }
    SIMT_IF (veq(s->state, state)) {
        cases[state](w, k, s);
    }
    SIMT_ELSE
    {
        step(w, k, s, state + 1);
    }
}

static void map_kernel(struct warp *w)
{
    const struct iix *k = simt_args(w);
    vi32 piece = vvar(vglobal_x());
    SIMT_IF (vlt(piece, k->pieces)) {
        struct scanner s = open_piece(w, k, piece);
        SIMT_WHILE (vlt(s.at, s.size)) {
            step(w, k, &s, START);
            vset(s.at, vadd(s.at, 1));
        }
    }
}

/* ---- Text: lines of words, other tags, and links. ---- */

static int append(char *to, const char *text)
{
    int length = (int)strlen(text);
    memcpy(to, text, (size_t)length);
    return length;
}

static int make_word(struct rng *r, char *to, int most)
{
    int length = 1 + (int)rng_below(r, (uint64_t)most);
    for (int i = 0; i < length; i++) to[i] = (char)('a' + rng_below(r, 26));
    return length;
}

static int make_token(struct rng *r, char *to)
{
    static const char *const tags[] = {"<p>", "<b>", "</b>", "<abbr>", "</a>", "< a name=\"x\">", "<a  hr=1>", "<<a>"};
    uint64_t kind = rng_below(r, 32);
    if (kind > 3) return make_word(r, to, 9);
    if (kind > 0) return append(to, tags[rng_below(r, sizeof tags / sizeof tags[0])]);
    int at = append(to, rng_below(r, 4) ? "<a href=\"" : "<  a href = \"");
    if (rng_below(r, 16)) at += append(to + at, "http://"), at += make_word(r, to + at, 30);
    return at + append(to + at, "\">");
}

/* At most LINE bytes; the longest token has 60. */
static int make_line(struct rng *r, char *to)
{
    int at = 0, least = (int)rng_below(r, LINE - 80);
    do {
        at += make_token(r, to + at);
        to[at++] = ' ';
    } while (at < least);
    to[at - 1] = '\n';
    return at;
}

static void make_text(struct rng *r, char *text, int bytes)
{
    int at = 0;
    while (at + LINE <= bytes) at += make_line(r, text + at);
    memset(text + at, ' ', (size_t)(bytes - at));
}

static int piece_size(const uint8_t *text, int begin, int bytes)
{
    int end = begin + PIECE;
    while (end < bytes && text[end] != '\n') end++;
    return (end < bytes ? end + 1 : bytes) - begin;
}

/* ---- Links in plain C: a tag at a time. ---- */

static int skip(const uint8_t *text, int at, int end, const char *what)
{
    while (at < end && text[at] && strchr(what, text[at])) at++;
    return at;
}

/* If a link's tag begins at *at: where its link begins.  Else 0.  Moves *at to the last byte that was looked at. */
static int link_at(const uint8_t *text, int *at, int end)
{
    *at = skip(text, *at + 1, end, " ");
    if (*at >= end || text[*at] != 'a') return 0;
    *at = skip(text, *at + 1, end, " ");
    if (*at >= end || memcmp(text + *at, "href", 4) != 0) return 0;
    *at = skip(text, *at + 4, end, " =");
    if (*at + 1 >= end || text[*at] != '"') return 0;
    int link = *at + 1;
    *at = link;
    while (text[*at] != '"') (*at)++;
    return link;
}

/* ---- The host's part, and what it expects. ---- */

struct emitted {
    int32_t *counts, *key_bytes, *value_bytes, *keys, *values;
    struct place *places;
};

static void expect_link(const struct iix *k, struct emitted *e, int piece, int number, int link)
{
    e->counts[piece]++;
    e->key_bytes[piece] += KEY;
    e->value_bytes[piece] += 4;
    memcpy(e->keys + 4 * number, k->keys.host + piece * KEY, KEY);
    e->keys[4 * number + KEY_LINK / 4] = link;
    e->values[number] = k->values.host[piece * VALUE_WORDS];
    e->places[number] = (struct place){number * KEY, KEY, number * 4, 4};
}

/* The links of all pieces, whose text gets the zeros behind links; without `e`, counts them. */
static int find_links(const struct iix *k, uint8_t *text, struct emitted *e)
{
    int links = 0;
    for (int piece = 0; piece < k->pieces; piece++) {
        const int32_t *value = k->values.host + piece * VALUE_WORDS;
        for (int at = value[1], end = value[1] + value[2]; at < end; at++) {
            int link = text[at] == '<' ? link_at(text, &at, end) : 0;
            if (!link) continue;
            if (e) {
                expect_link(k, e, piece, links, link);
                text[at] = 0;
            }
            links++;
        }
    }
    return links;
}

static void make_pieces(struct host *h, struct iix *k)
{
    for (int at = 0; at < k->bytes; at += piece_size(k->first_text, at, k->bytes)) k->pieces++;
    uint64_t n = (uint64_t)k->pieces;
    k->keys = device_raw(h, "inputKeys", n, KEY);
    k->values = device_i32(h, "inputVals", n * VALUE_WORDS);
    k->places = device_raw(h, "inputOffsetSizes", n, sizeof(struct place));
    for (int i = 0, at = 0; i < k->pieces; i++) {
        int size = piece_size(k->first_text, at, k->bytes);
        memcpy(k->keys.host + i * KEY, &k->text.array->addr, sizeof k->text.array->addr);
        memcpy(k->values.host + i * VALUE_WORDS, (int32_t[VALUE_WORDS]){0, at, size}, VALUE_WORDS * 4);
        const struct place place = {i * KEY, KEY, i * VALUE_WORDS * 4, VALUE_WORDS * 4};
        memcpy(k->places.host + (size_t)i * sizeof place, &place, sizeof place);
        at += size;
    }
}

static void make_outputs(struct host *h, struct iix *k)
{
    uint64_t n = (uint64_t)k->pieces, links = (uint64_t)k->links + 1; /* one more: no array is empty */
    k->key_bytes = device_i32(h, "interKeysSizePerTask", n);
    k->value_bytes = device_i32(h, "interValsSizePerTask", n);
    k->counts = device_i32(h, "interCountPerTask", n);
    k->starts = device_i32(h, "psCounts", n);
    k->out_keys = device_raw(h, "interKeys", links, KEY);
    k->out_values = device_i32(h, "interVals", links);
    k->out_places = device_raw(h, "interOffsetSizes", links, sizeof(struct place));
}

static void launch(struct host *h, struct iix *k, const char *name, bool emits, uint32_t regs)
{
    int block = option(h, "block");
    k->emits = emits;
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = map_kernel,
                                    .args = k,
                                    .grid = {blocks_for(k->pieces, block)},
                                    .block = {(uint32_t)block},
                                    .regs = regs});
}

static void iix_host(struct host *h, void *state)
{
    struct iix *k = state;
    k->bytes = option(h, "kib") * 1024;
    k->text = device_u8(h, "file_buf", (uint64_t)k->bytes);
    make_text(host_rng(h), (char *)k->text.host, k->bytes);
    k->first_text = memcpy(host_alloc(h, (uint64_t)k->bytes), k->text.host, (size_t)k->bytes);
    make_pieces(h, k);
    k->links = find_links(k, k->first_text, NULL);
    make_outputs(h, k);
    launch(h, k, "MapperCount", false, 20);
    for (int i = 1; i < k->pieces; i++) k->starts.host[i] = k->starts.host[i - 1] + k->counts.host[i - 1];
    launch(h, k, "Mapper", true, 38);
}

static bool check_words(graw got, const void *want, struct error *err)
{
    struct simt_array words = *got.array;
    words.count *= words.element_bytes / 4;
    return check_i32((gi32){(int32_t *)got.host, &words}, want, err);
}

static bool check_text(const struct iix *k, struct error *err)
{
    for (int i = 0; i < k->bytes; i++) {
        if (k->text.host[i] == k->first_text[i]) continue;
        return error_set(err, "wrong result: file_buf[%d] is %u, plain C computes %u", i, k->text.host[i],
                         k->first_text[i]);
    }
    return true;
}

static bool iix_check(struct host *h, void *state, struct error *err)
{
    const struct iix *k = state;
    uint64_t n = (uint64_t)k->pieces * 4, links = ((uint64_t)k->links + 1) * 4;
    struct emitted e = {.counts = host_alloc(h, n), .key_bytes = host_alloc(h, n), .value_bytes = host_alloc(h, n)};
    e.keys = host_alloc(h, links * 4), e.values = host_alloc(h, links), e.places = host_alloc(h, links * 4);
    find_links(k, k->first_text, &e);
    return check_i32(k->counts, e.counts, err) && check_i32(k->key_bytes, e.key_bytes, err) &&
           check_i32(k->value_bytes, e.value_bytes, err) && check_words(k->out_keys, e.keys, err) &&
           check_i32(k->out_values, e.values, err) && check_words(k->out_places, e.places, err) && check_text(k, err);
}

static const struct kernel_def iix = {
    .name = "iix",
    .summary = "links in HTML, a byte at a time in a kilobyte per thread",
    .origin = "Mars InvertedIndex",
    .options = {{"kib", "of text", NULL, 16384, 1, 1 << 20},
                {"block", "threads of a thread block", NULL, 256, 1, 1024}},
    .suites = "mars",
    .small = "kib=2",
    .reduced = "kib=16,block=32",
    .state_bytes = sizeof(struct iix),
    .host = iix_host,
    .check = iix_check,
};
KERNEL_REGISTER(iix)
