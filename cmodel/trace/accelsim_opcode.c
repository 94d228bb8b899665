/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/accelsim_opcode.h"

#include <stdlib.h>
#include <string.h>

#include "trace/accelsim.h"
#include "trace/lines.h"

struct opcode {
    const char *name; /* up to the first '.' */
    enum opcode_class class;
};

/* SASS from Kepler to Blackwell, sorted. */
static const struct opcode opcodes[] = {
#define OPCODE(name, class) {#name, class},
#include "trace/accelsim_opcodes.def"
#undef OPCODE
};

static int compare_opcode(const void *key, const void *row)
{
    return strcmp(key, ((const struct opcode *)row)->name);
}

/* Width in bits of a modifier such as 128, U8, S16, F64 or F16x2 (two halves); 0: none. */
static unsigned modifier_bits(const char *modifier)
{
    const char *digits = modifier + strspn(modifier, "USF");
    char *end;
    if (digits - modifier > 1 || *digits < '0' || *digits > '9') return 0;
    unsigned long bits = strtoul(digits, &end, 10);
    if (!strcmp(end, "x2"))
        bits *= 2;
    else if (*end || bits < 8)
        return 0;
    return bits > 4096 ? 4096 : (unsigned)bits;
}

/* Access size in bytes; 0: none that a lane can make.  The tracer's width column repeats the opcode's modifier, but is
 * wrong for one with a type letter.  So the opcode decides: 4 bytes unless a modifier gives a size. */
static uint8_t access_size(const char *opcode, char *modifiers)
{
    unsigned bits = 0;
    for (char *m; !bits && modifiers && (m = token_next(&modifiers, "."));) bits = modifier_bits(m);
    if (!strcmp(opcode, "LDSM") || !strcmp(opcode, "STSM")) bits = 128; /* each lane addresses a row of 16 bytes */
    if (!strcmp(opcode, "SYNCS")) bits = 64;
    const unsigned bytes = bits ? bits / 8 : 4;
    const bool power = bits % 8 == 0 && (bytes & (bytes - 1)) == 0 && bytes <= INST_MAX_SIZE;
    return power ? (uint8_t)bytes : 0;
}

/* Whether the modifiers, separated by '.', have this one. */
static bool has(const char *modifiers, const char *word)
{
    const size_t length = strlen(word);
    for (const char *m = modifiers; m; m = strchr(m, '.')) {
        m += *m == '.';
        if (!strncmp(m, word, length) && (m[length] == '.' || !m[length])) return true;
    }
    return false;
}

/* Loads that must not hit a line of the L1D: of the GPU's or the system's scope, and those of cache operators. */
static bool bypasses_l1d(enum opcode_class class, const char *modifiers)
{
    if (class == COPY) return has(modifiers, "BYPASS");
    if (class != LOAD && class != GENERIC_LOAD) return false;
    return (has(modifiers, "STRONG") && (has(modifiers, "GPU") || has(modifiers, "SYS"))) || has(modifiers, "MMIO") ||
           has(modifiers, "CG") || has(modifiers, "CV");
}

static uint8_t loss_of(enum opcode_class class, const char *opcode, const char *modifiers)
{
    static const uint8_t of_class[UNKNOWN + 1] = {[TENSOR] = 1 + LOSS_tensor_instructions,
                                                  [TEXTURE] = 1 + LOSS_textures,
                                                  [CONSTANT] = 1 + LOSS_constants,
                                                  [FENCE] = 1 + LOSS_fences,
                                                  [TENSOR_MEMORY] = 1 + LOSS_tensor_memory,
                                                  [BULK_COMMAND] = 1 + LOSS_bulk_commands,
                                                  [ARRIVE] = 1 + LOSS_arrivals,
                                                  [CLUSTER_BARRIER] = 1 + LOSS_cluster_barriers,
                                                  [COPY] = 1 + LOSS_copies,
                                                  [SHARED_ATOMIC] = 1 + LOSS_shared_atomics,
                                                  [MBARRIER] = 1 + LOSS_mbarriers,
                                                  [BULK_LOAD] = 1 + LOSS_bulk_copies,
                                                  [BULK_STORE] = 1 + LOSS_bulk_copies,
                                                  [BULK_ATOMIC] = 1 + LOSS_bulk_copies,
                                                  [BULK_PREFETCH] = 1 + LOSS_bulk_prefetches,
                                                  [BULK_SHARED] = 1 + LOSS_distributed_shared};
    if (class == BARRIER && modifiers && !strncmp(modifiers, "ARV", 3)) return LOSS_half_barriers;
    if ((!strcmp(opcode, "LDSM") || !strcmp(opcode, "STSM")) && !has(modifiers, "4")) return LOSS_few_matrices;
    if (!strcmp(opcode, "STAS") || !strcmp(opcode, "REDAS")) return LOSS_distributed_shared;
    if (!strcmp(opcode, "REPLAY_START")) return LOSS_replays;
    return of_class[class] ? of_class[class] - 1 : LOSS_none;
}

/* The class that the modifiers choose. */
static enum opcode_class refine(enum opcode_class class, const char *opcode, const char *modifiers)
{
    if (class == MBARRIER && has(modifiers, "PHASECHK")) return MBARRIER_TEST;
    if (strcmp(opcode, "UBLKCP") != 0) return class;
    const char *from = modifiers ? modifiers : ""; /* destination and source, as S.G */
    return strstr(from, "S.G") ? BULK_LOAD : strstr(from, "G.S") ? BULK_STORE : BULK_SHARED;
}

struct accelsim_opcode accelsim_opcode(char *text)
{
    char *dot = strchr(text, '.'), *modifiers = dot ? dot + 1 : NULL;
    if (dot) *dot = '\0';
    const struct opcode *row =
        bsearch(text, opcodes, sizeof opcodes / sizeof *opcodes, sizeof *opcodes, compare_opcode);
    struct accelsim_opcode o = {.class = row ? row->class : UNKNOWN};
    o.class = (uint8_t)refine(o.class, text, modifiers);
    o.around = bypasses_l1d(o.class, modifiers);
    o.loss = loss_of(o.class, text, modifiers);
    if (o.loss == LOSS_half_barriers) o.class = INT; /* does not wait */
    o.size = access_size(text, modifiers);
    return o;
}
