/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin config --summary: sizes and rates that follow from the options. */
#ifndef MEMTWIN_CONFIG_SUMMARY_H
#define MEMTWIN_CONFIG_SUMMARY_H
#include "system/config/config.h"

/* A line each: name, value, unit, meaning. */
void config_summary(const struct config *c);
#endif
