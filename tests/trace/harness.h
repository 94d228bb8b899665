/* SPDX-License-Identifier: Apache-2.0 */
/* What a fuzzer does with one input; the regression test does the same with the kept ones. */
#ifndef MEMTWIN_FUZZ_HARNESS_H
#define MEMTWIN_FUZZ_HARNESS_H
#include <stddef.h>
#include <stdint.h>

void fuzz_binary(const uint8_t *data, size_t size); /* checksums are not looked at */
void fuzz_text(const uint8_t *data, size_t size);   /* what is accepted is written and read again, to the same digest */
void fuzz_accelsim(const uint8_t *data, size_t size); /* a kernel if it begins with '-' or is .xz, else a list */
#endif
