/* SPDX-License-Identifier: Apache-2.0 */
/* An Accel-Sim trace that is being read: accelsim.c finds kernels and thread blocks in it, accelsim_block.c reads the
 * warps of one thread block. */
#ifndef MEMTWIN_ACCELSIM_SOURCE_H
#define MEMTWIN_ACCELSIM_SOURCE_H
#include "trace/accelsim_inst.h"
#include "trace/accelsim_list.h"
#include "trace/accelsim_mbarriers.h"
#include "trace/accelsim_runs.h"
#include "trace/encoded.h"
#include "trace/lines.h"
#include "trace/tracez.h"

struct block_mark {
    uint32_t index;
    struct line_mark body; /* the line after "thread block = x,y,z" */
};

struct accelsim_source {
    struct source base;
    struct accelsim_files files;
    uint32_t next; /* of them */
    struct encoder *encoder;
    struct encoder *resolved; /* of thread blocks that test mbarriers; NULL: none has */
    /* the current kernel */
    struct kernel_info info;
    uint64_t first_stream;
    struct lines *lines;
    struct tracez *tracez;    /* delivers the lines; NULL: a text */
    struct block_mark *marks; /* sorted by index */
    uint32_t mark_count;
    struct line_mark frontier; /* end of the scanned part of the file */
    char *line;                /* the current one */
    bool exited;               /* the last warp read ends in its EXIT */
    struct place {
        bool body; /* else in the header */
        uint32_t block, warp;
        uint64_t inst; /* from 1; 0: before the first */
    } place;           /* of the current line, for messages about a .tracez */
    struct accelsim_parser parser;
    struct accelsim_runs runs;
    struct accelsim_mbarriers mbarriers;
};

/* Errors at the current line.  Both return false. */
bool accelsim_fail(struct accelsim_source *s, const char *message, struct error *err);
bool accelsim_fail_at(struct accelsim_source *s, const char *found, const char *expected, struct error *err);

/* The next non-blank line, without leading blanks. */
enum source_status accelsim_next_line(struct accelsim_source *s, struct error *err);
/* "KEY = VALUE": the value if the line starts with the key, else NULL. */
char *accelsim_value_of(char *line, const char *key);
bool accelsim_parse_u64(struct accelsim_source *s, char *value, uint64_t limit, uint64_t *n, struct error *err);
bool accelsim_parse_u32(struct accelsim_source *s, char *value, uint32_t *n, struct error *err);

/* Reads the lines of a thread block from behind "thread block = x,y,z" to its #END_TB into the encoder. */
bool accelsim_parse_block(struct accelsim_source *s, uint32_t block, struct error *err);
/* Opens that thread block.  Returns NULL or an error text. */
const char *accelsim_stream_block(struct accelsim_source *s, uint32_t block, const struct chunk_place *place,
                                  struct block_stream **stream);
#endif
