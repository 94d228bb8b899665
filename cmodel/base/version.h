/* SPDX-License-Identifier: Apache-2.0 */
/* Version and commit of the sources: "0.1.0 (abc1234)".  cmodel/cli/version.sh writes it. */
#ifndef MEMTWIN_VERSION_H
#define MEMTWIN_VERSION_H
extern const char version_text[];
#endif
