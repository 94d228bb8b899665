/* SPDX-License-Identifier: Apache-2.0 */
/* See stdint.h: the C library as the prover reads it. */
typedef unsigned long size_t;
#define NULL ((void *)0)
