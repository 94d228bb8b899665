/* SPDX-License-Identifier: Apache-2.0 */
/* See stdint.h: the C library as the prover reads it. */
#define bool _Bool
#define true 1
#define false 0
