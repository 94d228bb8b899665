/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of one block as text (.vec): kept lockstep failures, golden inputs, captured traffic.
 *
 *   memtwin-vec 1
 *   block dl_mshr
 *   params Sets=4 Slots=2 AddrW=16 InfoW=8 DataW=0 GateCmp=1 TailPtr=1 Reserved=2
 *   ports req_valid_i:1 req_addr_i:16 req_info_i:8 req_write_i:1 req_data_i:1 fill_valid_i:1 fill_addr_i:16 ...
 *   R                    # a cycle in reset; `R 1 2f` has inputs, too
 *   1 2f 3               # one cycle: the ports' values in hex, in the order above; an omitted value is 0
 *   0 x12                # twelve equal cycles
 *
 * A `#` starts a comment that runs to the end of the line. */
#ifndef MEMTWIN_VEC_H
#define MEMTWIN_VEC_H
#include "base/error.h"
#include "ports.h"

enum { VEC_PARAMS = 32, VEC_PORTS = 64, VEC_NAME = 64 };

/* A block's port lists (ports.h); `cfg` is its struct b_cfg. */
struct vec_block {
    const char *name;
    const struct param_desc *params;
    uint32_t param_count;
    const struct port_desc *in;
    uint32_t in_count;
    size_t in_size; /* of struct b_in */
    const void *cfg;
};

struct vec_writer;
/* `comment` (may be NULL) follows the header, each of its lines after a `#`. */
struct vec_writer *vec_create(const char *path, const struct vec_block *block, const char *comment, struct error *err);
/* Writes one cycle, with reset asserted or not.  vec_finish() reports errors. */
void vec_put(struct vec_writer *w, bool reset, const void *in);
/* Closes and frees.  False if any write failed. */
bool vec_finish(struct vec_writer *w, struct error *err);

struct vec_header {
    char block[VEC_NAME];
    uint32_t param_count;
    struct {
        char name[VEC_NAME];
        uint32_t value;
    } params[VEC_PARAMS];
};

struct vec_reader;
enum vec_item { VEC_END, VEC_RESET, VEC_CYCLE, VEC_ERROR };

/* Opens and reads the header.  Free with vec_close(), also after an error of vec_get(). */
struct vec_reader *vec_open(const char *path, struct error *err);
const struct vec_header *vec_head(const struct vec_reader *r);
/* Fills the block's struct b_cfg from the header: false if a parameter is missing, unknown or out of range. */
bool vec_params(struct vec_reader *r, const char *block, const struct param_desc *params, uint32_t count, void *cfg,
                struct error *err);
/* Checks that the file is for this block with these parameters and ports.  Required before vec_get(). */
bool vec_bind(struct vec_reader *r, const struct vec_block *block, struct error *err);
/* Reads the next cycle (VEC_RESET: in reset) into `in` (struct b_in); omitted values are 0. */
enum vec_item vec_get(struct vec_reader *r, void *in, struct error *err);
void vec_close(struct vec_reader *r);

/* Formats a value as hex without leading zeros; `text` has room for at least 257 + 1 characters. */
void vec_hex(const struct port_desc *port, const void *in, uint32_t element, char *text);
#endif
