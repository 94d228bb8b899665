/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a fuzzer; the regression test does the same with the kept inputs. */
#ifndef MEMTWIN_FUZZ_HARNESS_H
#define MEMTWIN_FUZZ_HARNESS_H
#include <stddef.h>
#include <stdint.h>

void fuzz_binary(const uint8_t *data, size_t size);   /* checksums are not looked at */
void fuzz_text(const uint8_t *data, size_t size);     /* accepted input is written and read again: the same digest */
void fuzz_accelsim(const uint8_t *data, size_t size); /* a kernel if it begins with '-' or is .xz, else a list */
void fuzz_tracez(const uint8_t *data, size_t size);   /* a kernel */
#endif
