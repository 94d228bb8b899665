/* SPDX-License-Identifier: Apache-2.0 */
/* Text packed by xz, gzip or zstd, recognized by its first bytes.  Streams may follow each other, as `cat` joins them.
 */
#ifndef MEMTWIN_UNPACK_H
#define MEMTWIN_UNPACK_H
#include <stddef.h>
#include <sys/types.h>

struct unpack;

/* Reads from a file that is at its start.  NULL and no fault: the file is not packed.  NULL and a fault: in a format
 * that is not read, or out of memory.  The caller closes the file. */
struct unpack *unpack_open(int fd, const char **fault);
void unpack_close(struct unpack *u);
/* At most `size` bytes of text; 0: the end; -1 and a fault. */
ssize_t unpack_read(struct unpack *u, void *to, size_t size, const char **fault);
#endif
