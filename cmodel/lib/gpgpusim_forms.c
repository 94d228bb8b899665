/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/gpgpusim_forms.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool gpgpusim_number(const char **at, uint64_t *n)
{
    char *end;
    if (!isdigit((unsigned char)**at)) return false;
    errno = 0;
    *n = strtoull(*at, &end, 10);
    *at = end;
    return !errno && *n <= UINT32_MAX;
}

uint32_t gpgpusim_numbers(const char *value, const char *separators, uint64_t *n, uint32_t most)
{
    for (uint32_t i = 0; i < most; i++) {
        if (!gpgpusim_number(&value, &n[i])) return 0;
        if (!*value) return i + 1;
        if (!strchr(separators, *value++)) return 0;
    }
    return 0;
}

bool gpgpusim_thousandths(const char **at, uint64_t *n, bool *exact)
{
    *exact = true;
    if (!gpgpusim_number(at, n)) return false;
    *n *= 1000;
    if (**at != '.') return true;
    uint64_t unit = 1000;
    for (++*at; isdigit((unsigned char)**at); ++*at) {
        const uint64_t digit = (uint64_t)(**at - '0');
        if (unit == 1) *n += digit >= 5; /* the first decimal behind thousandths */
        unit /= 10;
        *n += unit * digit;
        *exact &= unit || !digit;
    }
    return true;
}

bool gpgpusim_cache(const char *value, struct gpgpusim_cache *f)
{
    const bool has_type = !isdigit((unsigned char)*value);
    *f = (struct gpgpusim_cache){.letter = "N", .letters = !has_type};
    for (const char *form = &"c:n:n:n,c:c:c:c:c,c:n:n,n:n,n"[has_type ? 0 : 2]; *form && *value; form++)
        if (*form == 'n') {
            if (!gpgpusim_number(&value, &f->number[f->numbers++])) return false;
        } else if (*form == 'c') {
            if (!isalpha((unsigned char)*value)) return false;
            f->letter[f->letters++] = *value++;
        } else if (*value++ != *form)
            return false;
    return !*value && isalnum((unsigned char)value[-1]) && f->numbers > MISS_QUEUE;
}

void gpgpusim_map_letters(const char *map, char letters[static 65])
{
    size_t n = 0;
    const char *bits = strrchr(map, ';') ? strrchr(map, ';') + 1 : map;
    for (size_t i = strlen(bits); i-- && n < 64;)
        if (strchr("BCS", toupper((unsigned char)bits[i]))) letters[n++] = (char)toupper((unsigned char)bits[i]);
    letters[n] = 0;
}

uint32_t gpgpusim_count(const char *letters, char letter)
{
    uint32_t n = 0;
    for (; *letters; letters++) n += *letters == letter;
    return n;
}

uint64_t gpgpusim_channel_bit(const char *bits)
{
    uint64_t at = 0;
    for (size_t i = strlen(bits); i--;) {
        if (toupper((unsigned char)bits[i]) == 'D') return at;
        at += bits[i] != '.';
    }
    return 64;
}
