/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/reorder.h"

static const struct reorder_kind fifo = {.policy = {"fifo", "issue order"}};
REORDER_KIND_REGISTER(fifo, .plain = true);
