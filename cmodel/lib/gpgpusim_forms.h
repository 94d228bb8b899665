/* SPDX-License-Identifier: Apache-2.0 */
/* The forms that values have in files of GPGPU-Sim. */
#ifndef MEMTWIN_GPGPUSIM_FORMS_H
#define MEMTWIN_GPGPUSIM_FORMS_H
#include <stdbool.h>
#include <stdint.h>

/* A number of 32 bits at `*at`, and moves behind it. */
bool gpgpusim_number(const char **at, uint64_t *n);
/* Numbers with one of `separators` between two.  How many; 0: there is something else, or there are more than `most`.
 */
uint32_t gpgpusim_numbers(const char *value, const char *separators, uint64_t *n, uint32_t most);
/* A number, perhaps with a decimal point, in thousandths, to the nearest one, and moves behind it.  *exact: it has no
 * more decimals. */
bool gpgpusim_thousandths(const char **at, uint64_t *n, bool *exact);

/* A cache: "N:32:128:4,L:L:m:N:H,A:32:8,8:0,128"; version 3.2 has no "N:" in front. */
struct gpgpusim_cache {
    char letter[7];     /* sectors, replacement, writes, allocation, write allocation, index, MSHR */
    uint64_t number[8]; /* sets, line, ways, entries, merges, miss queue, FIFO, port */
    uint32_t letters, numbers;
};
/* The indexes of these arrays. */
enum { SECTORS, REPLACEMENT, WRITES, ALLOCATION, WRITE_ALLOCATION, INDEX };
enum { SETS, LINE_BYTES, WAYS, ENTRIES, MERGES, MISS_QUEUE, FIFO_PLACES, PORT };
/* The value may end after the miss queue.  False: it has another form. */
bool gpgpusim_cache(const char *value, struct gpgpusim_cache *f);

/* The letters of an address map in front of the row, from the lowest bit on, without those of the channel. */
void gpgpusim_map_letters(const char *map, char letters[static 65]);
/* How often a letter is there. */
uint32_t gpgpusim_count(const char *letters, char letter);
/* Where the lowest bit of the channel is; 64: nowhere. */
uint64_t gpgpusim_channel_bit(const char *bits);
#endif
