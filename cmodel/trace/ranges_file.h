/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a kernel's access ranges in a binary trace, which traces/README.md defines. */
#ifndef MEMTWIN_RANGES_FILE_H
#define MEMTWIN_RANGES_FILE_H
#include "trace/bytes.h"
#include "trace/ranges.h"

/* `elsewhere`: the kernel's accesses outside all arrays. */
void ranges_encode(const struct ranges *r, uint32_t kernel, uint64_t elsewhere, struct bytes *out);

/* Appends a kernel to `r`, whose arrays are known (ranges_begin()).  NULL, or an error text that follows "found".  The
 * bytes may be any. */
const char *ranges_decode(struct ranges *r, const struct kernel_info *info, struct reader *from, struct error *err);
#endif
