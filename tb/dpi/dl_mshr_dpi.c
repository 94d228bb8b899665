/* SPDX-License-Identifier: Apache-2.0 */
/* The dl_mshr twin behind DPI-C: a handle, and one call for each of reset, eval and tick.  The names of the arguments
 * are those of the ports; all of them are at most 64 bits wide here (DataW = 0), so that plain C types carry them. */
#include <stdlib.h>

#include "dl_mshr.h"

void *dl_mshr_dpi_new(int sets, int slots, int addr_w, int info_w, int reserved);
void dl_mshr_dpi_eval(void *h, unsigned inputs, unsigned long long req_addr, unsigned req_info,
                      unsigned long long fill_addr, unsigned long long out[15]);
void dl_mshr_dpi_clock(void *h, unsigned reset);

struct handle {
    struct dl_mshr twin;
    struct dl_mshr_in in;
};

void *dl_mshr_dpi_new(int sets, int slots, int addr_w, int info_w, int reserved)
{
    const struct dl_mshr_cfg cfg = {.Sets = (uint32_t)sets,
                                    .Slots = (uint32_t)slots,
                                    .AddrW = (uint32_t)addr_w,
                                    .InfoW = (uint32_t)info_w,
                                    .GateCmp = 1,
                                    .TailPtr = 1,
                                    .Reserved = (uint32_t)reserved};
    struct handle *h = calloc(1, sizeof *h);
    if (h) dl_mshr_init(&h->twin, &cfg);
    return h;
}

/* inputs: drain_ready_i, fill_valid_i, req_write_i, req_valid_i from bit 3 down to bit 0.  out: the ports in their
 * order in dl_mshr_ports.h, drain_data_o by its low 32 bits. */
void dl_mshr_dpi_eval(void *handle, unsigned inputs, unsigned long long req_addr, unsigned req_info,
                      unsigned long long fill_addr, unsigned long long out[15])
{
    struct handle *h = handle;
    struct dl_mshr_out o;
    h->in = (struct dl_mshr_in){.req_valid_i = inputs & 1,
                                .req_write_i = inputs >> 1 & 1,
                                .fill_valid_i = inputs >> 2 & 1,
                                .drain_ready_i = inputs >> 3 & 1,
                                .req_addr_i = req_addr,
                                .req_info_i = req_info,
                                .fill_addr_i = fill_addr};
    dl_mshr_eval(&h->twin, &h->in, &o);
    uint32_t i = 0;
#define VALUE(kind, name, width, text) out[i++] = VALUE_##kind(o.name);
#define VALUE_BIT(v) v
#define VALUE_U8(v) v
#define VALUE_U16(v) v
#define VALUE_U32(v) v
#define VALUE_U64(v) v
#define VALUE_W1024(v) v[0]
    DL_MSHR_OUT(VALUE)
}

void dl_mshr_dpi_clock(void *handle, unsigned reset)
{
    struct handle *h = handle;
    if (reset)
        dl_mshr_reset(&h->twin);
    else
        dl_mshr_tick(&h->twin, &h->in);
}
