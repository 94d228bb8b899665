/* SPDX-License-Identifier: Apache-2.0 */
/* A machine as files of GPGPU-Sim 4 with traces (Accel-Sim). */
#ifndef MEMTWIN_GPGPUSIM_WRITE_H
#define MEMTWIN_GPGPUSIM_WRITE_H
#include "system/config/config.h"

/* Writes gpgpusim.config and memtwin.icnt into the new folder `path`.  It appears whole or not at all.  Options that
 * the lines cannot express stand in comments, from which gpgpusim_read() has them back. */
bool gpgpusim_write(const struct config *c, const char *path, struct error *err);
#endif
