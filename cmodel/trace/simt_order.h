/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which the operations of simt.h evaluate their operands: from the last to the first.  C leaves the order
 * of arguments open, and an operand may record instructions.  The macros nest, so their variables shadow each other. */
#ifndef MEMTWIN_SIMT_ORDER_H
#define MEMTWIN_SIMT_ORDER_H
#pragma GCC system_header /* no warning about shadowing */

#ifdef __cppcheck__ /* it cannot read statement expressions */
#define SIMT_CALL_2(f, a, b) f(w, SIMT_PC, a, b)
#define SIMT_CALL_3(f, a, b, c, ...) f(w, SIMT_PC, a, b, c, ##__VA_ARGS__)
#else
#define SIMT_CALL_2(f, a, b)                                                                                           \
    ({                                                                                                                 \
        __auto_type simt_b = (b);                                                                                      \
        __auto_type simt_a = (a);                                                                                      \
        f(w, SIMT_PC, simt_a, simt_b);                                                                                 \
    })
/* Arguments after c are constants. */
#define SIMT_CALL_3(f, a, b, c, ...)                                                                                   \
    ({                                                                                                                 \
        __auto_type simt_c = (c);                                                                                      \
        __auto_type simt_b = (b);                                                                                      \
        __auto_type simt_a = (a);                                                                                      \
        f(w, SIMT_PC, simt_a, simt_b, simt_c, ##__VA_ARGS__);                                                          \
    })
#endif
#endif
