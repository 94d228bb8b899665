/* SPDX-License-Identifier: Apache-2.0 */
/* A clock cycle of a block's twin. */
#ifndef MEMTWIN_TESTS_BLOCKS_CYCLE_H
#define MEMTWIN_TESTS_BLOCKS_CYCLE_H

/* Defines cycle() for the block B: its outputs with these inputs, then the clock edge. */
#define TWIN_CYCLE(B)                                                                                                  \
    static struct B##_out cycle(struct B *m, struct B##_in in)                                                         \
    {                                                                                                                  \
        struct B##_out out;                                                                                            \
        B##_eval(m, &in, &out);                                                                                        \
        B##_tick(m, &in);                                                                                              \
        return out;                                                                                                    \
    }
#endif
